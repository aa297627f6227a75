//===- Exponential.cpp - exp and its relatives ----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Coefficients.h"
#include "Functions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/MathExtras.h"

using namespace kiln::expand;

static constexpr double kLn2Tail = 2.3190468138462996e-17;

/// 1.5 * 2^mantissa: adding it shifts the fraction of a number out.
static double shifter(const MathBuilder &m) {
  return m.isF64() ? 6755399441055744.0 : 12582912.0;
}

static int64_t shifterBits(const MathBuilder &m) {
  return m.isF64() ? 0x4338000000000000 : 0x4b400000;
}

Rounded kiln::expand::roundToInt(Num x, double factor) {
  double magic = shifter(*x.m);
  Num shifted = fma(x, x.m->f(factor), magic);
  return {shifted - magic, bits(shifted) - shifterBits(*x.m)};
}

Rounded kiln::expand::roundToInt(Num x) {
  double magic = shifter(*x.m);
  Num shifted = x + magic;
  return {shifted - magic, bits(shifted) - shifterBits(*x.m)};
}

Num kiln::expand::smallToNum(Int k) {
  return fromBits(k + shifterBits(*k.m)) - shifter(*k.m);
}

Num kiln::expand::powerOfTwo(Int k) {
  return fromBits((k + k.m->bias()) << k.m->mantissa());
}

/// True where multiplying by 2^k is an instruction for all lanes.
static bool hasScale(const MathBuilder &m) {
  auto shape = mlir::dyn_cast<mlir::VectorType>(m.type);
  return m.scales && (!shape || shape.getRank() == 1);
}

Num kiln::expand::multiplyOut(Scaled value) {
  const MathBuilder &m = *value.p.m;
  if (hasScale(m))
    return m.num(mlir::LLVM::CallIntrinsicOp::create(
                     m.b, m.loc, m.type, m.b.getStringAttr("llvm.ldexp"),
                     mlir::ValueRange{value.p.v, value.k.v})
                     .getResult(0));
  // In two steps, because 2^k alone may overflow or be denormal. The first
  // product is exact, so there is one rounding.
  Int half = value.k >> 1;
  return value.p * powerOfTwo(half) * powerOfTwo(value.k - half);
}

/// e^r - 1 for |r| <= log(2) / 2.
static Num expM1Kernel(Num r) {
  Num p = r.m->isF64() ? polynomial(r, kExpF64) : polynomial(r, kExpF32);
  return fma(r * r, p, r);
}

/// x - n log(2). The first step is exact.
static Num subtractLn2(Num x, Num n) {
  double high = kLn2, low = kLn2Tail;
  if (!x.m->isF64()) {
    high = static_cast<float>(kLn2);
    low = kLn2 - high;
  }
  return fma(n, -low, fma(n, -high, x));
}

static Num clampExponent(Num x) {
  bool f64 = x.m->isF64();
  return clampBelow(clampAbove(x, f64 ? 711 : 90), f64 ? -747 : -105);
}

/// What `value` of `x` stands for; 0 where x is below `low`. Processors of Intel take
/// hundreds of cycles to scale a lane to a denormal, or from there to 0: an instruction
/// with a mask leaves such lanes out, which a mask of attention has many of.
static Num multiplyOutFrom(Num x, double low, Scaled value) {
  return select(x < low, 0.0, multiplyOut(value));
}

Scaled kiln::expand::expScaled(Num x) {
  Num clamped = clampExponent(x);
  Rounded n = roundToInt(clamped, kLog2E);
  return {expM1Kernel(subtractLn2(clamped, n.n)) + 1.0, n.k};
}

Scaled kiln::expand::expScaled(Num x, Num low) {
  Num clamped = clampExponent(x);
  Rounded n = roundToInt(clamped, kLog2E);
  return {expM1Kernel(subtractLn2(clamped, n.n) + low) + 1.0, n.k};
}

//===----------------------------------------------------------------------===//
// By sixteenths
//===----------------------------------------------------------------------===//

/// p 2^floor(n).
static Num scaleByFloor(Num p, Num n) {
  const MathBuilder &m = *p.m;
  return m.num(bySixteen(m, {p.v, n.v}, [&](mlir::ValueRange x) {
    mlir::Value all =
        mlir::arith::ConstantIntOp::create(m.b, m.loc, -1, /*width=*/16);
    mlir::Value rounding =
        mlir::arith::ConstantIntOp::create(m.b, m.loc, 4, /*width=*/32);
    return mlir::LLVM::CallIntrinsicOp::create(
               m.b, m.loc, x[0].getType(),
               m.b.getStringAttr("llvm.x86.avx512.mask.scalef.ps.512"),
               mlir::ValueRange{x[0], x[1], x[0], all, rounding})
        .getResult(0);
  }));
}

/// e^x, or 2^x, by the nearest sixteenth of a power of two: what is left of x is so small
/// that a polynomial of third degree does, and the instruction that multiplies by powers of two
/// takes the sixteenths off itself. Within 1 ulp; `x` is at most 2^17.
static Num expBySixteenths(Num x, bool isOfTwo) {
  constexpr double magic = 786432.0; // 3/2 2^19
  Num shifted = isOfTwo ? x + magic : fma(x, x.m->f(kLog2E), magic);
  Num n = shifted - magic;
  Num r = isOfTwo ? (x - n) * kLn2 : subtractLn2(x, n);
  Num p = polynomial(r, kExpSixteenth), power = lookUp(kSixteenths, bits(shifted));
  return scaleByFloor(fma(power, p, power), n);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// An intrinsic of one f32 a lane.
static Num callByLane(llvm::StringRef intrinsic, llvm::ArrayRef<Num> operands) {
  const MathBuilder &m = *operands[0].m;
  auto shape = mlir::dyn_cast<mlir::VectorType>(m.type);
  mlir::Type f32 = m.b.getF32Type();
  auto call = [&](mlir::ValueRange values) -> mlir::Value {
    return mlir::LLVM::CallIntrinsicOp::create(
               m.b, m.loc, f32, m.b.getStringAttr(intrinsic), values)
        .getResult(0);
  };
  llvm::SmallVector<mlir::Value> results, lane;
  if (!shape) {
    for (Num operand : operands)
      lane.push_back(operand.v);
    return m.num(call(lane));
  }
  for (int64_t k = 0; k < shape.getNumElements(); ++k) {
    lane.clear();
    for (Num operand : operands)
      lane.push_back(mlir::vector::ExtractOp::create(
          m.b, m.loc, operand.v, llvm::ArrayRef<int64_t>{k}));
    results.push_back(call(lane));
  }
  return m.num(
      mlir::vector::FromElementsOp::create(m.b, m.loc, shape, results));
}

/// True where 2^x is an instruction for each lane.
static bool hasPowers(const MathBuilder &m) {
  auto shape = mlir::dyn_cast<mlir::VectorType>(m.type);
  return m.powers && !m.isF64() && (!shape || shape.getRank() == 1);
}

/// e^x = 2^n 2^f with x log2(e) = n + f. An addition that rounds down puts n + 127 among
/// the low bits of a number; n stays from -126 to 126, and what is beyond is in f.
static Num expByPowers(Num x) {
  const MathBuilder &m = *x.m;
  constexpr double range = 252, low = 126, shift = 12582913;
  Num part = callByLane("llvm.nvvm.fma.rn.sat.f",
                        {x, m.f(kLog2E / range), m.f(0.5)});
  Num shifted =
      callByLane("llvm.nvvm.fma.rm.f", {part, m.f(range), m.f(shift)});
  Num n = shifted - (shift + low);
  double high = static_cast<float>(kLog2E);
  Num f = fma(x, kLog2E - high, fma(x, high, -n));
  return callByLane("llvm.nvvm.ex2.approx.ftz.f32", {f}) *
         fromBits(bits(shifted) << m.mantissa());
}

Num kiln::expand::expandReciprocal(Num x) {
  if (hasPowers(*x.m))
    return callByLane("llvm.nvvm.rcp.approx.ftz.f", {x});
  return 1.0 / x;
}

Num kiln::expand::expandRsqrt(Num x) {
  if (hasPowers(*x.m))
    return callByLane("llvm.nvvm.rsqrt.approx.f", {x});
  return 1.0 / sqrt(x);
}

Num kiln::expand::expandExp(Num x) {
  const MathBuilder &m = *x.m;
  if (hasPowers(m))
    return expByPowers(x);
  if (!hasScale(m))
    return multiplyOut(expScaled(x));
  Num bounded = clampAbove(x, m.isF64() ? 711 : 90);
  if (hasSixteen(m))
    return select(x < -104, 0.0, expBySixteenths(bounded, /*isOfTwo=*/false));
  Rounded n = roundToInt(bounded, kLog2E);
  return multiplyOutFrom(
      x, m.isF64() ? -746 : -104,
      {expM1Kernel(subtractLn2(bounded, n.n)) + 1.0, n.k});
}

Num kiln::expand::expandNormalExp(Num x) {
  if (hasPowers(*x.m))
    return callByLane("llvm.nvvm.ex2.approx.ftz.f32", {x * kLog2E});
  if (hasSixteen(*x.m))
    return expBySixteenths(x, /*isOfTwo=*/false);
  Rounded n = roundToInt(x, kLog2E);
  return (expM1Kernel(subtractLn2(x, n.n)) + 1.0) * powerOfTwo(n.k);
}

Num kiln::expand::expandCoarseExp(Num x) {
  return hasPowers(*x.m) ? expandNormalExp(x) : expandExp(x);
}

Num kiln::expand::expandExp2(Num x) {
  if (hasPowers(*x.m))
    return callByLane("llvm.nvvm.ex2.approx.f32", {x});
  bool f64 = x.m->isF64();
  double low = f64 ? -1076 : -151;
  Num bounded = clampAbove(x, f64 ? 1025 : 129);
  if (hasSixteen(*x.m))
    return select(x < low, 0.0, expBySixteenths(bounded, /*isOfTwo=*/true));
  if (!hasScale(*x.m))
    bounded = clampBelow(bounded, low);
  Rounded n = roundToInt(bounded);
  // The fraction is exact.
  Scaled value = {expM1Kernel((bounded - n.n) * kLn2) + 1.0, n.k};
  return hasScale(*x.m) ? multiplyOutFrom(x, low, value) : multiplyOut(value);
}

Num kiln::expand::expandExpM1(Num x) {
  bool f64 = x.m->isF64();
  Num clamped = clampBelow(clampAbove(x, f64 ? 710 : 89), f64 ? -40 : -20);
  Rounded n = roundToInt(clamped, kLog2E);
  // 2^n (t + 1) - 1 with half the scale, because 2^n may be out of range.
  Num t = expM1Kernel(subtractLn2(clamped, n.n));
  Num scale = powerOfTwo(n.k - 1);
  Num half = fma(scale, t, scale - 0.5);
  return select(abs(x) < (f64 ? 0x1p-54 : 0x1p-25), x, half + half);
}

Num kiln::expand::expandTanh(Num x) {
  Num a = abs(x);
  if (x.m->isF64()) {
    Num t = expandExpM1(a * -2.0);
    return copysign(-t / (t + 2.0), x);
  }
  Num z = x * x;
  Num small = fma(x * z, polynomial(z, kTanhF32), x);
  // From 10 on the quotient is nothing beside 1.
  Num e = expandNormalExp(clampAbove(a + a, 20.0));
  Num large = fma(expandReciprocal(e + 1.0), -2.0, x.m->f(1.0));
  // Also keeps the sign of zero, which the sum in `small` loses.
  return copysign(select(a < 0.625, small, large), x);
}

Num kiln::expand::expandSinh(Num x) {
  if (!x.m->isF64())
    return throughF64(x, expandSinh);
  Num a = abs(x);
  Num t = expandExpM1(a);
  Num small = (t + t / (t + 1.0)) * 0.5;
  Scaled e = expScaled(a);
  Num large = multiplyOut({e.p, e.k - 1});
  return copysign(select(a < 22.0, small, large), x);
}

Num kiln::expand::expandCosh(Num x) {
  if (!x.m->isF64())
    return throughF64(x, expandCosh);
  Scaled e = expScaled(abs(x));
  Num half = multiplyOut({e.p, e.k - 1});
  return half + 0.25 / half;
}
