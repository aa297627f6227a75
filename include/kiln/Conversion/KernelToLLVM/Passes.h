//===- Passes.h - Kernels in the llvm dialect -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the code of kernels (scf, vector, arith, math, llvm memory operations) to
// the llvm dialect: see Passes.td for what each pass assumes and guarantees.
//
//   pm.addPass(createKilnLowerVectorsPass());
//
// Their order is in `kiln/Target/CPU/KernelPipeline.h`.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CONVERSION_KERNELTOLLVM_PASSES_H
#define KILN_CONVERSION_KERNELTOLLVM_PASSES_H

#include "mlir/Pass/Pass.h"

namespace kiln {

#define GEN_PASS_DECL
#include "kiln/Conversion/KernelToLLVM/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "kiln/Conversion/KernelToLLVM/Passes.h.inc"

} // namespace kiln

#endif // KILN_CONVERSION_KERNELTOLLVM_PASSES_H
