//===- Passes.h - Passes of the aten dialect ------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constructors, options and registration of the passes in Passes.td.
//
//   aten::AtenDecomposePassOptions options;
//   options.to = "core";
//   pm.addPass(aten::createAtenDecomposePass(options));
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_TRANSFORMS_PASSES_H
#define KILN_DIALECT_ATEN_TRANSFORMS_PASSES_H

#include "kiln/Support/LLVM.h"

#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace kiln::aten {

/// The rewrites of `aten-simplify`; with `keepDifferentiable` those that leave each
/// value what it has a gradient by.
void populateSimplifyPatterns(RewritePatternSet &patterns,
                              bool keepDifferentiable);

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "kiln/Dialect/Aten/Transforms/Passes.h.inc"

} // namespace kiln::aten

#endif // KILN_DIALECT_ATEN_TRANSFORMS_PASSES_H
