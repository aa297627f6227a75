//===- Error.cpp - erf and erfc -------------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Coefficients.h"
#include "Functions.h"

using namespace kiln::expand;

Num kiln::expand::expandErfc(Num x) {
  if (!x.m->isF64())
    return throughF64(x, expandErfc);
  // (1 + 2a) e^(a^2) erfc(a) is smooth and nearly constant; as a function of
  // (a - 4) / (a + 4) one polynomial serves all a.
  Num a = clampAbove(abs(x), 28.0);
  Num q = (a - 4.0) / (a + 4.0);
  Num scaled = polynomial(q, kErfcF64) / fma(a, 2.0, x.m->f(1.0));
  Num square = a * a;
  Num squareTail = fma(a, a, -square);
  // Scale last: e^(-a^2) alone would be denormal before the result is.
  Scaled e = expScaled(-square, -squareTail);
  Num tail = multiplyOut({e.p * scaled, e.k});
  return select(x < 0.0, 2.0 - tail, tail);
}

/// By the part of sixteen in which |x| is: a polynomial of fifth degree in the distance from
/// its middle, which is a multiple of kErfStep. Within 1.3 ulp; 1 from 3.93 on.
static Num expandErfByParts(Num x) {
  constexpr double magic = 12582912.0; // 3/2 2^23
  const MathBuilder &m = *x.m;
  Num a = clampAbove(abs(x), 15.4999 * kErfStep);
  Num shifted = fma(a, m.f(1 / kErfStep), magic);
  Num n = shifted - magic;
  Num u = fma(n, -kErfStep, a);
  Int part = bits(shifted);
  Num p = lookUp(kErfParts[5], part);
  for (int power = 4; power > 0; --power)
    p = fma(p, u, lookUp(kErfParts[power], part));
  // The first part is u + u p: of 1.128 u the second digit would be lost.
  Num base = select(n == 0.0, u, lookUp(kErfParts[0], part));
  return copysign(fma(p, u, base), x);
}

/// 1 - e^(t Q(t)) of |x|, which is 1 from 4 on.
static Num expandErfFromOne(Num a, llvm::ArrayRef<double> coefficients) {
  Num t = clampAbove(a, 4.0);
  return 1.0 - expandNormalExp(t * polynomial(t, coefficients));
}

Num kiln::expand::expandCoarseErf(Num x) {
  if (x.m->isF64() || !x.m->powers)
    return expandErf(x);
  return copysign(expandErfFromOne(abs(x), kErfCoarseF32), x);
}

Num kiln::expand::expandErf(Num x) {
  if (hasSixteen(*x.m))
    return expandErfByParts(x);
  Num a = abs(x);
  Num z = x * x;
  if (x.m->isF64()) {
    Num small = fma(x, polynomial(z, kErfF64), x);
    return copysign(select(a < 1.0, small, 1.0 - expandErfc(a)), x);
  }
  Num small = fma(x, polynomial(z, kErfSmallF32), x);
  Num large = expandErfFromOne(a, kErfLargeF32);
  return copysign(select(a < 0.92, small, large), x);
}
