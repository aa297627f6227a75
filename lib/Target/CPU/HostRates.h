//===- HostRates.h - What this machine multiplies fastest -------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_CPU_HOSTRATES_H
#define KILN_LIB_TARGET_CPU_HOSTRATES_H

#include "kiln/Target/CPU/CPUTarget.h"

namespace kiln::target {

/// Tries what this machine, which has AVX-512, has for bf16: `vdpbf16ps` and AMX if it
/// has them, and the system lets it. That an instruction exists does not say that it
/// is fast: on some processors `vdpbf16ps` does half of what multiply-adds of f32 do,
/// on others twice as much. Takes 0.2 ms, once in a process.
BF16Unit getFastestUnit(bool hasPairs, bool hasTiles);

} // namespace kiln::target

#endif // KILN_LIB_TARGET_CPU_HOSTRATES_H
