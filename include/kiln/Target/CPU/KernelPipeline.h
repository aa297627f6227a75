//===- KernelPipeline.h - From the code of kernels to LLVM's dialect ------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes of `lib/Conversion/ExpandMath` and `lib/Conversion/KernelToLLVM` in
// their order, over a module of kernels (scf, vector, arith, math, llvm memory
// operations):
//
//   OpPassManager pm("builtin.module");         // on the kernels themselves
//   buildKernelToLLVMPipeline(pm);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TARGET_CPU_KERNELPIPELINE_H
#define KILN_TARGET_CPU_KERNELPIPELINE_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace kiln {

/// All passes from a module of kernels to one that holds the llvm dialect alone.
/// `kiln-native` runs them on the module `@kernels` of a program. `scales`: the
/// processor multiplies by powers of two in one instruction, as AVX-512 has it.
void buildKernelToLLVMPipeline(mlir::OpPassManager &pm, bool scales = false);

} // namespace kiln

#endif // KILN_TARGET_CPU_KERNELPIPELINE_H
