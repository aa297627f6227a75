//===- PackRoundings.h - Rounding to 16 bits, two at a time -----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rounding two numbers of f32 to bf16 or f16 is one instruction of an arithmetic unit
// (`cvt.rn.bf16x2.f32`), rounding one is one of the unit for conversions, which does 16 in
// the time of 64. The back end takes the first where vectors are stored, not where they are computed
// with again, as everything is that PyTorch rounds between two operators.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_GPU_PACKROUNDINGS_H
#define KILN_LIB_TARGET_GPU_PACKROUNDINGS_H

namespace llvm {
class Module;
} // namespace llvm

namespace kiln::target {

/// Rounds numbers of f32 that are computed with again to bf16 and f16 in pairs, one that is alone beside
/// 0, with the same bits. For sm_80 and later.
void packRoundings(llvm::Module &module);

} // namespace kiln::target

#endif // KILN_LIB_TARGET_GPU_PACKROUNDINGS_H
