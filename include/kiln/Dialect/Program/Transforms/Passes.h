//===- Passes.h - Passes on programs ----------------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constructors and registration of the passes of Passes.td, where each is
// described.
//
//   pm.addPass(program::createProgramPlanMemoryPass());
//   pm.addPass(program::createProgramReleasePass());
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_PROGRAM_TRANSFORMS_PASSES_H
#define KILN_DIALECT_PROGRAM_TRANSFORMS_PASSES_H

#include "kiln/Dialect/Program/IR/Program.h"
#include "kiln/Support/BoundedOption.h"

#include "mlir/Pass/Pass.h"

namespace kiln::program {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "kiln/Dialect/Program/Transforms/Passes.h.inc"

} // namespace kiln::program

#endif // KILN_DIALECT_PROGRAM_TRANSFORMS_PASSES_H
