//===- RangeReduction.h - Remainders modulo pi/2 --------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CONVERSION_EXPANDMATH_RANGEREDUCTION_H
#define KILN_CONVERSION_EXPANDMATH_RANGEREDUCTION_H

#include "Functions.h"

namespace kiln::expand {

/// x = r + quarter * pi/2 with |r| <= pi/4; `quarter` is right modulo 4.
struct Reduced {
  Num r;
  Int quarter;
};

/// Accurate for every finite x; NaN for others. Arguments beyond 1e5 (f32) or
/// 1e8 (f64) take a slow path, in a branch that the others skip.
Reduced reduceHalfPi(Num x);

} // namespace kiln::expand

#endif // KILN_CONVERSION_EXPANDMATH_RANGEREDUCTION_H
