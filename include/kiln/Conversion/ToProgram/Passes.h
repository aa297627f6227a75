//===- Passes.h - From calls and launches to programs -----------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `convert-aten-to-program`, `convert-loop-to-program` and `program-join-launches`:
// see Passes.td for what they assume and guarantee.
//
//   pm.addPass(createConvertLoopToProgramPass());
//   pm.addPass(createProgramJoinLaunchesPass());
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CONVERSION_TOPROGRAM_PASSES_H
#define KILN_CONVERSION_TOPROGRAM_PASSES_H

#include "kiln/Support/BoundedOption.h"

#include "mlir/Pass/Pass.h"

namespace kiln {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "kiln/Conversion/ToProgram/Passes.h.inc"

} // namespace kiln

#endif // KILN_CONVERSION_TOPROGRAM_PASSES_H
