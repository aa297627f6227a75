//===- Passes.h - From fused kernels to loops -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `convert-loop-to-scf` and `loop-share-kernels`: see Passes.td for what they assume
// and guarantee.
//
//   pm.addPass(createConvertLoopToScfPass());   // of scheduled kernels
//   pm.addPass(createLoopShareKernelsPass());   // of what that made
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CONVERSION_LOOPTOSCF_PASSES_H
#define KILN_CONVERSION_LOOPTOSCF_PASSES_H

#include "kiln/Support/BoundedOption.h"

#include "mlir/Pass/Pass.h"

namespace kiln {

#define GEN_PASS_DECL
#include "kiln/Conversion/LoopToScf/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "kiln/Conversion/LoopToScf/Passes.h.inc"

} // namespace kiln

#endif // KILN_CONVERSION_LOOPTOSCF_PASSES_H
