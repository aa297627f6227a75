//===- Power.cpp - pow, cbrt and fmod -------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Coefficients.h"
#include "Functions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace kiln::expand;

namespace {

/// An unevaluated sum, high + low, of about 106 bits.
struct Double2 {
  Num high;
  Num low;
};

} // namespace

/// x + y, where |x| >= |y|.
static Double2 fastTwoSum(Num x, Num y) {
  Num sum = x + y;
  return {sum, y - (sum - x)};
}

/// x + y.
static Double2 twoSum(Num x, Num y) {
  Num sum = x + y;
  Num part = sum - x;
  return {sum, (x - (sum - part)) + (y - part)};
}

static Double2 multiply(Double2 x, Double2 y) {
  Num product = x.high * y.high;
  Num tail = fma(x.high, y.high, -product);
  return {product, tail + fma(x.high, y.low, x.low * y.high)};
}

/// log(x) for positive finite x, to about 2^-64: exp(y log(x)) loses ten bits
/// to a large y, and the last bit of pow has to survive that.
static Double2 preciseLog(Num x) {
  const MathBuilder &m = *x.m;
  Decomposed d = decompose(x);
  // s = f / (2 + f), log(m) = 2 atanh(s) = s (2 + z (2/3 + z R)), z = s^2.
  Num f = d.m - 1.0;
  Num g = f + 2.0;
  Num gLow = f - (g - 2.0);
  Num reciprocal = 1.0 / g;
  Num sHigh = f * reciprocal;
  Num remainder = fma(-sHigh, g, f) - sHigh * gLow;
  Double2 s{sHigh, remainder * reciprocal};
  Double2 z = multiply(s, s);
  constexpr double kTwoThirds = 0.66666666666666663;
  constexpr double kTwoThirdsTail = 3.7007434154171886e-17;
  Double2 v = fastTwoSum(m.f(kTwoThirds), z.high * polynomial(z.high, kLogPow));
  Double2 u = multiply(z, {v.high, v.low + kTwoThirdsTail});
  Double2 t = fastTwoSum(m.f(2.0), u.high);
  Double2 log = multiply(s, {t.high, t.low + u.low});
  Double2 sum = twoSum(d.e * kLn2HighF64, log.high);
  return fastTwoSum(sum.high, sum.low + fma(d.e, kLn2LowF64, log.low));
}

/// log(x) for positive finite x to 2^-38, which is enough for an f32 power.
static Num roughLog(Num x) {
  Decomposed d = decompose(x);
  Num f = d.m - 1.0;
  Num s = f / (f + 2.0);
  Num z = s * s;
  Num log = s * fma(z, polynomial(z, kLogLow), 2.0);
  return fma(d.e, kLn2HighF64, fma(d.e, kLn2LowF64, log));
}

/// e^x in f64 to 2^-32.
static Num roughExp(Num x) {
  Num clamped = clampBelow(clampAbove(x, 711), -747);
  Rounded n = roundToInt(clamped, kLog2E);
  Num r = fma(n.n, -0.69314718055994531, clamped);
  Num p = fma(r * r, polynomial(r, kExpLow), r) + 1.0;
  return multiplyOut({p, n.k});
}

/// log(a), also where it is infinite or NaN.
static Num logAtLimits(Num a, Num log) {
  return select(a == 0.0, -kInfinity, select(a < kInfinity, log, a));
}

/// Gives |x|^y its sign, and the values that C prescribes.
static Num powLimits(Num x, Num y, Num power) {
  const MathBuilder &m = *x.m;
  Mask isInteger = trunc(y) == y;
  Num half = y * 0.5;
  Mask isOdd = isInteger & (trunc(half) != half) & (abs(y) < kInfinity);
  Mask negative = bits(x) < m.i(0);
  Num result = select(negative & isOdd, -power, power);
  Mask undefined = (x < 0.0) & !isInteger & (x != -kInfinity);
  result = select(undefined, kNaN, result);
  Mask one = (y == 0.0) | (x == 1.0) | ((x == -1.0) & (abs(y) == kInfinity));
  return select(one, 1.0, result);
}

static Num powF32InF64(Num x, Num y) {
  Num a = abs(x);
  Num power = roughExp(y * logAtLimits(a, roughLog(a)));
  return powLimits(x, y, power);
}

Num kiln::expand::expandPow(Num x, Num y) {
  if (!x.m->isF64())
    return throughF64(x, y, powF32InF64);
  Num a = abs(x);
  Double2 log = preciseLog(a);
  Num high = logAtLimits(a, log.high);
  Num product = y * high;
  Num tail = fma(y, high, -product) + y * log.low;
  // Where the result is 0 or infinite anyway the tail may be NaN.
  tail = select(abs(product) < 800.0, tail, 0.0);
  return powLimits(x, y, multiplyOut(expScaled(product, tail)));
}

Num kiln::expand::expandCbrt(Num x) {
  if (!x.m->isF64())
    return throughF64(x, expandCbrt);
  Num a = abs(x);
  Decomposed d = decompose(a);
  // a = t * 8^n with t in [0.35, 2.83].
  Rounded n = roundToInt(d.e, 0.33333333333333331);
  Int rest = roundToInt(fma(n.n, -3.0, d.e)).k;
  Num t = d.m * powerOfTwo(rest);
  Num y = fma(t, fma(t, -0.05, x.m->f(0.42)), 0.6);
  // Halley's iteration triples the digits: 0.05, 2e-5, 1e-15.
  for (int i = 0; i < 3; ++i) {
    Num cube = y * y * y;
    y = y * ((cube + t + t) / (cube + cube + t));
  }
  Num cubeRootError = fma(y * y, y, -t);
  y = y - cubeRootError / (y * y * 3.0);
  Num root = copysign(y * powerOfTwo(n.k), x);
  return select((a < kInfinity) & (a > 0.0), root, x);
}

/// |x| modulo |y| by long division, many bits of the quotient at a time.
static Num remainderF64(Num x, Num y) {
  const MathBuilder &m = *x.m;
  OpBuilder &b = m.b;
  Num ax = abs(x);
  Mask defined = (ax < kInfinity) & (abs(y) > 0.0);
  // Lanes without a result must not keep the loop going.
  Num start = select(defined, ax, 0.0);
  Num ay = select(defined, abs(y), 1.0);
  Mask denormal = ay < 0x1p-1022;
  Num scaled = select(denormal, ay * 0x1p54, ay);
  Int shift = select(denormal, m.i(54), m.i(0));
  Int exponentY = (bits(scaled) >> 52) - shift;
  auto loop = scf::WhileOp::create(
      b, m.loc, TypeRange{m.type}, ValueRange{start.v},
      [&](OpBuilder &, Location loc, ValueRange args) {
        Num r = m.num(args[0]);
        scf::ConditionOp::create(b, loc, anyLane(r >= ay), args);
      },
      [&](OpBuilder &, Location loc, ValueRange args) {
        Num r = m.num(args[0]);
        // A multiple of |y| by a power of two that r contains less than 2^50
        // times: then the quotient and what it leaves are exact. A denormal r
        // has no such exponent, and does not need one.
        Int excess = (bits(r) >> 52) - exponentY - 49;
        Mask coarse = (excess > m.i(0)) & (r >= m.f(0x1p-1022));
        Int k = select(coarse, excess, m.i(0));
        Num divisor = multiplyOut({scaled, k - shift});
        Num rest = fma(-trunc(r / divisor), divisor, r);
        // The quotient may have been rounded up.
        rest = select(rest < 0.0, rest + divisor, rest);
        scf::YieldOp::create(b, loc,
                             ValueRange{select(r >= ay, rest, r).v});
      });
  Num result = m.num(loop.getResult(0));
  return select(defined, copysign(result, x), x.m->f(kNaN));
}

Num kiln::expand::expandRemainder(Num x, Num y) {
  // Every f32 is a normal f64, and the remainder of two f32 is an f32.
  return x.m->isF64() ? remainderF64(x, y) : throughF64(x, y, remainderF64);
}
