//===- Trigonometric.cpp - sin, cos, tan and their inverses ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Coefficients.h"
#include "Functions.h"
#include "RangeReduction.h"

using namespace kiln::expand;

static constexpr double kPi = 3.1415926535897931;
static constexpr double kPiTail = 1.2246467991473532e-16;
static constexpr double kHalfPi = 1.5707963267948966;
static constexpr double kHalfPiTail = 6.123233995736766e-17;

/// sin(r) for |r| <= pi/4.
static Num sinKernel(Num r) {
  Num z = r * r;
  Num p = r.m->isF64() ? polynomial(z, kSinF64) : polynomial(z, kSinF32);
  return fma(r * z, p, r);
}

/// cos(r) for |r| <= pi/4.
static Num cosKernel(Num r) {
  Num z = r * r;
  Num p = r.m->isF64() ? polynomial(z, kCosF64) : polynomial(z, kCosF32);
  Num half = z * 0.5;
  Num head = 1.0 - half;
  // What the subtraction rounded off.
  Num tail = (1.0 - head) - half;
  return head + fma(z * z, p, tail);
}

/// x with its sign flipped where bit 1 of `quarter` is set.
static Num negateInLowerHalf(Num x, Int quarter) {
  unsigned signBit = x.m->isF64() ? 63 : 31;
  Int sign = (quarter & 2) << (signBit - 1);
  return fromBits(bits(x) ^ sign);
}

Num kiln::expand::expandSin(Num x) {
  Reduced d = reduceHalfPi(x);
  Num s = sinKernel(d.r), c = cosKernel(d.r);
  Mask odd = (d.quarter & 1) != 0;
  Num sin = negateInLowerHalf(select(odd, c, s), d.quarter);
  return select(x == 0.0, x, sin);
}

Num kiln::expand::expandCos(Num x) {
  Reduced d = reduceHalfPi(x);
  Num s = sinKernel(d.r), c = cosKernel(d.r);
  Mask odd = (d.quarter & 1) != 0;
  return negateInLowerHalf(select(odd, s, c), d.quarter + 1);
}

Num kiln::expand::expandTan(Num x) {
  if (!x.m->isF64())
    return throughF64(x, expandTan);
  Reduced d = reduceHalfPi(x);
  Num s = sinKernel(d.r), c = cosKernel(d.r);
  Mask odd = (d.quarter & 1) != 0;
  Num tan = select(odd, -c, s) / select(odd, s, c);
  return select(x == 0.0, x, tan);
}

/// asin(w) for w in [0, 1/2], where z = w^2.
static Num asinKernel(Num w, Num z) {
  return fma(w * z, polynomial(z, kAsinF64), w);
}

Num kiln::expand::expandAsin(Num x) {
  if (!x.m->isF64())
    return throughF64(x, expandAsin);
  Num a = abs(x);
  Mask large = a >= x.m->f(0.5);
  Num z = select(large, (1.0 - a) * 0.5, a * a);
  Num p = asinKernel(select(large, sqrt(z), a), z);
  Num complement = kHalfPi - (p + p - kHalfPiTail);
  return copysign(select(large, complement, p), x);
}

Num kiln::expand::expandAcos(Num x) {
  if (!x.m->isF64())
    return throughF64(x, expandAcos);
  Num a = abs(x);
  Mask large = a >= x.m->f(0.5);
  Num z = select(large, (1.0 - a) * 0.5, a * a);
  Num p = asinKernel(select(large, sqrt(z), a), z);
  Num signedP = copysign(p, x);
  Num middle = kHalfPi - (signedP - kHalfPiTail);
  Num twice = p + p;
  Num outer = select(x < 0.0, kPi - (twice - kPiTail), twice);
  return select(large, outer, middle);
}

/// atan(w) for w in [0, 1].
static Num atanKernel(Num w) {
  Num z = w * w;
  return fma(w * z, polynomial(z, kAtanF64), w);
}

Num kiln::expand::expandAtan(Num x) {
  if (!x.m->isF64())
    return throughF64(x, expandAtan);
  Num a = abs(x);
  Mask large = a > 1.0;
  Num p = atanKernel(select(large, 1.0 / a, a));
  return copysign(select(large, kHalfPi - (p - kHalfPiTail), p), x);
}

Num kiln::expand::expandAtan2(Num y, Num x) {
  if (!x.m->isF64())
    return throughF64(y, x, expandAtan2);
  Num ax = abs(x), ay = abs(y);
  Mask steep = ay > ax;
  Num numerator = select(steep, ax, ay), denominator = select(steep, ay, ax);
  Num q = numerator / denominator;
  // 0/0 counts as 0, infinity/infinity as 1. Both are NaN by division, as is
  // everything with a NaN operand, which stays so.
  q = select(denominator == 0.0, 0.0, q);
  q = select((numerator == kInfinity) & (denominator == kInfinity), 1.0, q);
  Num p = atanKernel(q);
  p = select(steep, kHalfPi - (p - kHalfPiTail), p);
  // By the sign bit, because -0 counts as negative.
  Mask left = bits(x) < x.m->i(0);
  p = select(left, kPi - (p - kPiTail), p);
  p = select(isNaN(x) | isNaN(y), kNaN, p);
  return copysign(p, y);
}
