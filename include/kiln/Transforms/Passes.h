//===- Passes.h - Passes that know no dialect -------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Passes.td for what each assumes and guarantees.
//
//   pm.addPass(createMyPass());
//   addStageVerifier(pm, Stage::Core);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TRANSFORMS_PASSES_H
#define KILN_TRANSFORMS_PASSES_H

#include "kiln/Interfaces/Stages.h"

#include "mlir/Pass/Pass.h"

namespace kiln {

#define GEN_PASS_DECL
#include "kiln/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "kiln/Transforms/Passes.h.inc"

/// Ends a pipeline: what `stage` promises holds.
void addStageVerifier(mlir::OpPassManager &pm, Stage stage,
                      bool keepsDerivatives = false);

} // namespace kiln

#endif // KILN_TRANSFORMS_PASSES_H
