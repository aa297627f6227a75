//===- HostUnits.h - What this machine multiplies fastest -------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// That an instruction exists does not say that it is fast: on some processors
// `vdpbf16ps` does half of what multiply-adds of f32 do, on others twice as much. Code
// for this machine depends on it, and so do the keys that such code is kept under,
// which are made without a compiler.
//
//   if (getFastestUnit() == BF16Unit::Pairs) ...   // the same in all of a process
//
//===----------------------------------------------------------------------===//

#ifndef KILN_BASE_HOSTUNITS_H
#define KILN_BASE_HOSTUNITS_H

namespace kiln {

/// What multiplies bf16 fastest: multiply-adds of f32, `vdpbf16ps`, or AMX.
enum class BF16Unit { Fma, Pairs, Tiles };

/// "fma", "pairs" or "tiles", as in keys.
const char *getName(BF16Unit unit);

/// Tries what this machine has, and the system lets it use. Takes 0.3 ms, once in a
/// process, and nothing where there is no choice: without AVX-512 it is Fma.
BF16Unit getFastestUnit();

} // namespace kiln

#endif // KILN_BASE_HOSTUNITS_H
