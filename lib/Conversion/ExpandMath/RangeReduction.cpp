//===- RangeReduction.cpp - Large arguments of sin and cos ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Payne and Hanek: for a huge x only the bits of 2/pi around its exponent
// matter for x mod pi/2, so take a window of them and multiply in integers.

#include "RangeReduction.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace kiln::expand;

/// 2/pi as a fixed-point fraction with two leading zero bits, in 64-bit words.
static constexpr uint64_t kTwoOverPi[] = {
    0x28be60db9391054a, 0x7f09d5f47d4d3770, 0x36d8a5664f10e410,
    0x7f9458eaf7aef158, 0x6dc91b8e909374b8, 0x01924bba82746487,
    0x3f877ac72c4a69cf, 0xba208d7d4baed121, 0x3a671c09ad17df90,
    0x4e64758e60d4ce7d, 0x272117e2ef7e4a0e, 0xc7fe25fff7816603,
    0xfbcbc462d6829b47, 0xdb4d9fb3c9f2c26d, 0xd3d18fd9a797fa8b,
    0x5d49eeb1faf97c5e, 0xcf41ce7de294a4ba, 0x9afed7ec47e35742,
    0x1580cc11bf1edaea, 0xfc33ef0826bd0d87};

namespace {

/// Unsigned 64-bit lanes.
struct Word {
  Value v;
  OpBuilder *b;
  Location loc;

  Word make(Value value) const { return {value, b, loc}; }
  Word constant(uint64_t c) const {
    Type type = v.getType();
    TypedAttr attr =
        b->getIntegerAttr(getElementTypeOrSelf(type), static_cast<int64_t>(c));
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return make(arith::ConstantOp::create(*b, loc, attr));
  }
};

#define KILN_WORD(op, Op)                                                      \
  Word operator op(Word x, Word y) {                                           \
    return x.make(arith::Op::create(*x.b, x.loc, x.v, y.v));                   \
  }
KILN_WORD(+, AddIOp)
KILN_WORD(-, SubIOp)
KILN_WORD(*, MulIOp)
KILN_WORD(&, AndIOp)
KILN_WORD(|, OrIOp)
KILN_WORD(<<, ShLIOp)
KILN_WORD(>>, ShRUIOp)
#undef KILN_WORD

Word operator-(Word x, uint64_t y) { return x - x.constant(y); }
Word operator&(Word x, uint64_t y) { return x & x.constant(y); }
Word operator|(Word x, uint64_t y) { return x | x.constant(y); }

/// A 1 where x < y, else 0.
Word carry(Word x, Word y) {
  Value less = arith::CmpIOp::create(*x.b, x.loc, arith::CmpIPredicate::ult,
                                     x.v, y.v);
  return x.make(arith::ExtUIOp::create(*x.b, x.loc, x.v.getType(), less));
}

/// The high half of the 128-bit product.
Word multiplyHigh(Word x, Word y) {
  Word xl = x & 0xffffffff, xh = x >> x.constant(32);
  Word yl = y & 0xffffffff, yh = y >> y.constant(32);
  Word middle = xh * yl + ((xl * yl) >> x.constant(32));
  Word other = xl * yh + (middle & 0xffffffff);
  return xh * yh + (middle >> x.constant(32)) + (other >> x.constant(32));
}

/// words[index], or 0 beyond the end.
Word lookUp(Word index, llvm::ArrayRef<uint64_t> words) {
  Word result = index.constant(0);
  for (size_t i = 0; i < words.size(); ++i) {
    Value here =
        arith::CmpIOp::create(*index.b, index.loc, arith::CmpIPredicate::eq,
                              index.v, index.constant(i).v);
    result = index.make(arith::SelectOp::create(
        *index.b, index.loc, here, index.constant(words[i]).v, result.v));
  }
  return result;
}

struct Fraction {
  Num value;    ///< signed fraction of a quadrant, f64
  Word quarter; ///< the quadrant modulo 4
};

} // namespace

/// significand * 2^(exponent - 64) * 2/pi, where the significand has its top
/// bit set and exponent is 0 to 1024.
static Fraction multiplyByTwoOverPi(Word significand, Word exponent,
                                    unsigned maxExponent,
                                    const MathBuilder &wide) {
  Word index = exponent >> exponent.constant(6);
  Word shift = exponent & 63;
  // Shifting by 64 is undefined; two shifts, one of them by 1, are not.
  Word rest = shift.constant(63) - shift;
  unsigned words = maxExponent / 64 + 1;
  llvm::ArrayRef<uint64_t> table(kTwoOverPi);
  Word window[4] = {index, index, index, index};
  // The word before the first is zero: index 0 finds nothing.
  window[0] = lookUp(index - 1, table.take_front(words));
  for (unsigned i = 1; i < 4; ++i)
    window[i] = lookUp(index, table.slice(i - 1, words));
  Word part[3] = {index, index, index};
  for (unsigned i = 0; i < 3; ++i)
    part[i] = (window[i] << shift) |
              ((window[i + 1] >> shift.constant(1)) >> rest);

  // 2.126 fixed point: what is above the quadrant modulo 4 falls off.
  Word low = significand * part[1];
  Word high = significand * part[0] + multiplyHigh(significand, part[1]);
  Word third = multiplyHigh(significand, part[2]);
  Word lowSum = low + third;
  high = high + carry(lowSum, low);

  // To the nearest quadrant: move the point, so that the top bit is the sign.
  Word half = high.constant(uint64_t(1) << 61);
  Word quarter = (high + half) >> high.constant(62);
  Word signedHigh = (high << high.constant(2));
  signedHigh = signedHigh | (lowSum >> lowSum.constant(62));
  Word signedLow = lowSum << lowSum.constant(2);
  // Small fractions: the high word alone would have too few bits.
  OpBuilder &b = *significand.b;
  Location loc = significand.loc;
  Num highPart = wide.num(
      arith::SIToFPOp::create(b, loc, wide.type, signedHigh.v));
  Num lowPart =
      wide.num(arith::UIToFPOp::create(b, loc, wide.type, signedLow.v));
  Num value = fma(lowPart, 0x1p-128, highPart * 0x1p-64);
  return {value, quarter};
}

/// The reduction of |x|, with the sign put back at the end.
static Reduced reduceHuge(Num x) {
  const MathBuilder &m = *x.m;
  OpBuilder &b = m.b;
  Location loc = m.loc;
  bool f64 = m.isF64();
  Type wordType = m.withElement(b.getI64Type());
  MathBuilder wide(b, loc, m.withElement(b.getF64Type()));
  Value raw = bits(x).v;
  if (!f64)
    raw = arith::ExtUIOp::create(b, loc, wordType, raw);
  Word word{raw, &b, loc};
  unsigned mantissa = m.mantissa();
  uint64_t mantissaMask = (uint64_t(1) << mantissa) - 1;
  uint64_t exponentMask = f64 ? 0x7ff : 0xff;
  Word significand =
      ((word & mantissaMask) << word.constant(63 - mantissa)) |
      (uint64_t(1) << 63);
  Word biased = (word >> word.constant(mantissa)) & exponentMask;
  // x = significand * 2^(exponent - 64).
  Word exponent = biased - (m.bias() - 1);
  Fraction fraction =
      multiplyByTwoOverPi(significand, exponent, f64 ? 1024 : 128, wide);
  Num r = fraction.value * 1.5707963267948966;
  Value narrow = r.v, quarter = fraction.quarter.v;
  if (!f64) {
    narrow = arith::TruncFOp::create(b, loc, m.type, narrow);
    quarter = arith::TruncIOp::create(b, loc, m.intType(), quarter);
  }
  Mask negative = x < 0.0;
  Num result = m.num(narrow);
  Int k{quarter, &m};
  return {select(negative, -result, result),
          select(negative, m.i(0) - k, k)};
}

Reduced kiln::expand::reduceHalfPi(Num x) {
  const MathBuilder &m = *x.m;
  bool f64 = m.isF64();
  // pi/2 in three parts. The first step is exact, and what the others round is
  // small against the remainder, however close to a multiple of pi/2 x is.
  constexpr double kHalfPi = 1.5707963267948966;
  constexpr double kHalfPiTail = 6.123233995736766e-17;
  double c1 = kHalfPi, c2 = kHalfPiTail, c3 = -1.4973849048591833e-33;
  if (!f64) {
    c1 = static_cast<float>(kHalfPi);
    c2 = static_cast<float>(kHalfPi - c1);
    c3 = static_cast<float>((kHalfPi - c1 - c2) + kHalfPiTail);
  }
  Rounded n = roundToInt(x, 0.63661977236758134);
  Num r = fma(n.n, -c3, fma(n.n, -c2, fma(n.n, -c1, x)));

  Num a = abs(x);
  Mask huge = (a > (f64 ? 1e8 : 1e5)) & (a < kInfinity);
  OpBuilder &b = m.b;
  auto branch = scf::IfOp::create(
      b, m.loc, anyLane(huge),
      [&](OpBuilder &, Location) {
        Reduced far = reduceHuge(x);
        scf::YieldOp::create(b, m.loc,
                             ValueRange{select(huge, far.r, r).v,
                                        select(huge, far.quarter, n.k).v});
      },
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(b, m.loc, ValueRange{r.v, n.k.v});
      });
  return {m.num(branch.getResult(0)), Int{branch.getResult(1), &m}};
}
