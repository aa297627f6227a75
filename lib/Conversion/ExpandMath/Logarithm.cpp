//===- Logarithm.cpp - log and its relatives ------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Coefficients.h"
#include "Functions.h"

using namespace kiln::expand;

static constexpr double kLn2HighF32 = 0.693359375;
static constexpr double kLn2LowF32 = -2.12194440054690583e-4;
static constexpr double kSqrtHalf = 0.70710678118654752;

static double minNormal(const MathBuilder &m) {
  return m.isF64() ? 0x1p-1022 : 0x1p-126;
}

/// The k for which x / 2^k is in [sqrt(1/2), sqrt(2)).
static Int exponent(Num x) {
  Int root = bits(x.m->f(kSqrtHalf));
  return (bits(x) - root) >> x.m->mantissa();
}

/// x / 2^k by exponent arithmetic: exact, x and the result being normal.
static Num divideByPower(Num x, Int k) {
  return fromBits(bits(x) - (k << x.m->mantissa()));
}

Decomposed kiln::expand::decompose(Num x) {
  Mask denormal = x < minNormal(*x.m);
  double scale = x.m->isF64() ? 0x1p54 : 0x1p25;
  Num normal = select(denormal, x * scale, x);
  Int k = exponent(normal);
  Num adjust = select(denormal, x.m->isF64() ? -54.0 : -25.0, 0.0);
  return {divideByPower(normal, k), smallToNum(k) + adjust};
}

/// log(1 + f) - f, a correction that is at most 30 % of f.
static Num logCorrection(Num f) {
  if (!f.m->isF64()) {
    Num z = f * f;
    return fma(z, -0.5, f * z * polynomial(f, kLogF32));
  }
  Num s = f / (f + 2.0);
  Num z = s * s;
  Num r = z * polynomial(z, kLogF64);
  Num half = f * f * 0.5;
  return s * (half + r) - half;
}

Num kiln::expand::logKernel(Num f, Num e) {
  bool f64 = f.m->isF64();
  Num low = fma(e, f64 ? kLn2LowF64 : kLn2LowF32, logCorrection(f));
  return fma(e, f64 ? kLn2HighF64 : kLn2HighF32, low + f);
}

/// `value` for positive finite x, and what C's logarithms give elsewhere.
static Num logLimits(Num x, Num value) {
  Num finite = select(x < kInfinity, value, x);
  return select(x > 0.0, finite, select(x == 0.0, -kInfinity, kNaN));
}

Num kiln::expand::expandLog(Num x) {
  Decomposed d = decompose(x);
  return logLimits(x, logKernel(d.m - 1.0, d.e));
}

/// log(x) * base + e * unit without losing the low parts of the constants.
static Num logToBase(Num x, long double base, long double unit) {
  const MathBuilder &m = *x.m;
  auto high = [&](long double c) -> double {
    return m.isF64() ? static_cast<double>(c) : static_cast<float>(c);
  };
  double baseHigh = high(base), unitHigh = high(unit);
  Decomposed d = decompose(x);
  Num f = d.m - 1.0;
  Num sum = fma(f, static_cast<double>(base - baseHigh),
                logCorrection(f) * baseHigh);
  if (unit != 1.0L)
    sum = fma(d.e, static_cast<double>(unit - unitHigh), sum);
  sum = fma(f, baseHigh, sum);
  return logLimits(x, fma(d.e, unitHigh, sum));
}

Num kiln::expand::expandLog2(Num x) {
  return logToBase(x, 1.44269504088896340735992468100189214L, 1.0L);
}

Num kiln::expand::expandLog10(Num x) {
  return logToBase(x, 0.434294481903251827651128918916605082L,
                   0.301029995663981195213738894724493027L);
}

Num kiln::expand::expandLog1p(Num x) {
  const MathBuilder &m = *x.m;
  Int k = exponent(x + 1.0);
  // (1 + x) / 2^k - 1 with a single rounding; 2^-k is irrelevant where it would
  // be out of range.
  Int limited = select(k > 100, m.i(100), k);
  Num f = divideByPower(x, k) + (powerOfTwo(m.i(0) - limited) - 1.0);
  Num value = logKernel(f, smallToNum(k));
  value = select(x < kInfinity, value, x);
  value = select(x > -1.0, value, select(x == -1.0, -kInfinity, kNaN));
  // Exact for tiny x, and keeps the sign of zero.
  return select(abs(x) < (m.isF64() ? 0x1p-54 : 0x1p-25), x, value);
}

/// log(2 big) = log1p(big) + log(2) where adding 1 makes no difference, else
/// log1p(otherwise).
static Num logOfLarge(Num big, Num otherwise) {
  Mask large = big > 0x1p55;
  Num log = expandLog1p(select(large, big, otherwise));
  return log + select(large, kLn2, 0.0);
}

Num kiln::expand::expandAsinh(Num x) {
  if (!x.m->isF64())
    return throughF64(x, expandAsinh);
  Num a = abs(x);
  Num square = a * a;
  Num u = a + square / (sqrt(square + 1.0) + 1.0);
  return copysign(logOfLarge(a, u), x);
}

Num kiln::expand::expandAcosh(Num x) {
  if (!x.m->isF64())
    return throughF64(x, expandAcosh);
  Num t = x - 1.0;
  Num u = t + sqrt(fma(t, t, t + t));
  return select(x >= 1.0, logOfLarge(x, u), kNaN);
}

Num kiln::expand::expandAtanh(Num x) {
  if (!x.m->isF64())
    return throughF64(x, expandAtanh);
  Num a = abs(x);
  return copysign(expandLog1p((a + a) / (1.0 - a)) * 0.5, x);
}
