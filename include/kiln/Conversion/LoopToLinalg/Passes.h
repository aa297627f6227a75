//===- Passes.h - From loop nests to linalg ---------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Passes.td for what each pass assumes and guarantees, and
// kiln/Pipelines/LinalgPipeline.h for how they work together.
//
//   pm.addPass(createConvertLoopToLinalgPass());
//   pm.addPass(mlir::createLinalgElementwiseOpFusionPass());
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CONVERSION_LOOPTOLINALG_PASSES_H
#define KILN_CONVERSION_LOOPTOLINALG_PASSES_H

#include "mlir/Pass/Pass.h"

namespace kiln {

#define GEN_PASS_DECL
#include "kiln/Conversion/LoopToLinalg/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "kiln/Conversion/LoopToLinalg/Passes.h.inc"

/// On an operation of a function's entry block with one `index` result: the
/// expression over symbols (`#guard.expr`) whose value it is.
inline constexpr llvm::StringLiteral kValueAttrName = "loop.value";

} // namespace kiln

#endif // KILN_CONVERSION_LOOPTOLINALG_PASSES_H
