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
//   OpPassManager pm("builtin.module");         // on the kernels themselves
//   buildKernelToLLVMPipeline(pm);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CONVERSION_KERNELTOLLVM_PASSES_H
#define KILN_CONVERSION_KERNELTOLLVM_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace kiln {

#define GEN_PASS_DECL
#include "kiln/Conversion/KernelToLLVM/Passes.h.inc"

/// All passes from a module of kernels to one that holds the llvm dialect alone.
/// `kiln-native` runs them on the module `@kernels` of a program.
void buildKernelToLLVMPipeline(mlir::OpPassManager &pm);

#define GEN_PASS_REGISTRATION
#include "kiln/Conversion/KernelToLLVM/Passes.h.inc"

} // namespace kiln

#endif // KILN_CONVERSION_KERNELTOLLVM_PASSES_H
