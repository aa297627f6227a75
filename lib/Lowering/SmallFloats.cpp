//===- SmallFloats.cpp - 8-bit floats as their bits -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Processors have no 8-bit floats, so bodies hold their bits in an i8: moving
// elements takes nothing, and computing goes through f32, which holds every one
// of them. Both directions are integer operations that vectorize. The formats
// (Micikevicius et al., "FP8 Formats for Deep Learning", and the OCP MX
// specification for the power of two) are read from LLVM's descriptions; what is
// too large is rounded as PyTorch's c10/util/Float8_*.h do it.
//
//===----------------------------------------------------------------------===//

#include "kiln/Lowering/ScalarBuilder.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

using llvm::APFloat;

namespace {
/// Operations on i32, the bits of an f32.
class Bits {
public:
  explicit Bits(ScalarBuilder &b)
      : b(b), builder(b.getBuilder()), loc(b.getLoc()),
        i32(builder.getI32Type()), f32(builder.getF32Type()) {}

  Value constant(uint32_t bits) {
    return b.constant(i32, int64_t(static_cast<int32_t>(bits)));
  }
  Value real(double value) { return b.constant(f32, value); }
  Value toFloat(Value bits) {
    return arith::BitcastOp::create(builder, loc, f32, bits);
  }
  Value fromFloat(Value value) {
    return arith::BitcastOp::create(builder, loc, i32, value);
  }
  Value widen(Value byte) {
    return arith::ExtUIOp::create(builder, loc, i32, byte);
  }
  Value narrow(Value bits) {
    return arith::TruncIOp::create(builder, loc, builder.getI8Type(), bits);
  }
  Value shiftLeft(Value a, unsigned by) {
    return arith::ShLIOp::create(builder, loc, a, constant(by));
  }
  Value shiftRight(Value a, unsigned by) {
    return arith::ShRUIOp::create(builder, loc, a, constant(by));
  }
  Value mask(Value a, uint32_t bits) { return b.bitAnd(a, constant(bits)); }
  /// Of bits without a sign.
  Value isAbove(Value a, uint32_t bits) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, a,
                                 constant(bits));
  }
  Value equals(Value a, uint32_t bits) { return b.eq(a, constant(bits)); }

  ScalarBuilder &b;

private:
  OpBuilder &builder;
  Location loc;
  Type i32, f32;
};

/// The fields of a format with a sign.
struct Format {
  explicit Format(const llvm::fltSemantics &semantics)
      : mantissa(APFloat::semanticsPrecision(semantics) - 1),
        bias(1 - APFloat::semanticsMinExponent(semantics)),
        largest(getBits(APFloat::getLargest(semantics))),
        nan(getBits(APFloat::getQNaN(semantics))),
        overflow(APFloat::semanticsHasInf(semantics)
                     ? getBits(APFloat::getInf(semantics))
                 : nan == 0x80 ? nan
                               : largest),
        hasMinusZero(nan != 0x80) {}

  static uint32_t getBits(const APFloat &value) {
    return static_cast<uint32_t>(value.bitcastToAPInt().getZExtValue());
  }

  unsigned mantissa; ///< bits
  int bias;
  uint32_t largest, nan;
  uint32_t overflow; ///< what is too large: infinity, the largest or NaN
  bool hasMinusZero; ///< NaN is in its place otherwise
};
} // namespace

/// 2^(field - 127); the highest field is NaN.
static Value decodePower(Bits &bits, Value byte) {
  Value field = bits.widen(byte);
  Value power = bits.b.where(bits.equals(field, 0), bits.constant(0x00400000),
                             bits.shiftLeft(field, 23));
  return bits.toFloat(bits.b.where(bits.equals(field, 0xff),
                                   bits.constant(0x7fc00000), power));
}

/// Without the sign. A half rounds up, but not below the least normal f32; what
/// is not finite keeps the highest field, which is NaN.
static Value encodePower(Bits &bits, Value value) {
  ScalarBuilder &b = bits.b;
  Value magnitude = bits.mask(bits.fromFloat(value), 0x7fffffff);
  Value field = bits.shiftRight(magnitude, 23);
  Value up = bits.shiftRight(bits.mask(magnitude, 0x00400000), 22);
  Value rounded = b.add(field, b.where(bits.equals(field, 0xff),
                                       bits.constant(0), up));
  // The half of the lowest field stays there; one bit more goes up.
  Value isLowHalf = bits.equals(magnitude, 0x00400000);
  return bits.narrow(b.where(isLowHalf, bits.constant(0), rounded));
}

Value ScalarBuilder::decodeSmallFloat(Value byte, FloatType from) {
  Bits bits(*this);
  const llvm::fltSemantics &semantics = from.getFloatSemantics();
  if (!APFloat::semanticsHasSignedRepr(semantics))
    return decodePower(bits, byte);
  Format format(semantics);
  Value wide = bits.widen(byte);
  Value sign = bits.shiftLeft(bits.mask(wide, 0x80), 24);
  Value magnitude = bits.mask(wide, 0x7f);
  // With its fields at their places in an f32 a number is off by a power of two;
  // so is a subnormal one, and the product is exact.
  Value scaled = mul(
      bits.toFloat(bits.shiftLeft(magnitude, 23 - format.mantissa)),
      bits.real(std::ldexp(1.0, 127 - format.bias)));
  Value result = bits.fromFloat(scaled);
  if (!format.hasMinusZero) {
    result = where(bits.equals(wide, format.nan), bits.constant(0x7fc00000),
                   result);
  } else {
    if (format.overflow != format.largest)
      result = where(bits.equals(magnitude, format.overflow),
                     bits.constant(0x7f800000), result);
    result = where(bits.isAbove(magnitude, format.overflow),
                   bits.constant(0x7fc00000), result);
  }
  return bits.toFloat(bitOr(result, sign));
}

Value ScalarBuilder::encodeSmallFloat(Value value, FloatType to) {
  Bits bits(*this);
  const llvm::fltSemantics &semantics = to.getFloatSemantics();
  if (!APFloat::semanticsHasSignedRepr(semantics))
    return encodePower(bits, value);
  Format format(semantics);
  unsigned dropped = 23 - format.mantissa;
  Value raw = bits.fromFloat(value);
  Value sign = bits.mask(bits.shiftRight(raw, 24), 0x80);
  Value magnitude = bits.mask(raw, 0x7fffffff);

  // Half to even: half a unit, less one bit if the unit is even, and cut.
  Value odd = bits.mask(bits.shiftRight(magnitude, dropped), 1);
  Value up = add(add(magnitude, odd),
                 bits.constant((1u << (dropped - 1)) - 1));
  Value normal = sub(bits.shiftRight(up, dropped),
                     bits.constant(uint32_t(127 - format.bias)
                                   << format.mantissa));
  // A subnormal is a multiple of the least number, which is the unit of f32 at
  // this sum, so that adding rounds.
  double shift = std::ldexp(1.0, 24 - format.bias - int(format.mantissa));
  Value subnormal =
      sub(bits.fromFloat(add(bits.toFloat(magnitude), bits.real(shift))),
          bits.fromFloat(bits.real(shift)));
  uint32_t leastNormal = uint32_t(128 - format.bias) << 23;
  Value result =
      where(bits.isAbove(magnitude, leastNormal - 1), normal, subnormal);

  result = where(bits.isAbove(result, format.largest),
                 bits.constant(format.overflow), result);
  result = where(bits.isAbove(magnitude, 0x7f800000), bits.constant(format.nan),
                 result);
  if (format.hasMinusZero)
    return bits.narrow(bitOr(result, sign));
  return bits.narrow(
      where(bits.equals(result, 0), result, bitOr(result, sign)));
}
