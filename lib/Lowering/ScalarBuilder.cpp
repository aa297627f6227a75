//===- ScalarBuilder.cpp - PyTorch's scalar functions as operations -------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Lowering/ScalarBuilder.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

static bool isFloat(Value value) { return isa<FloatType>(value.getType()); }
static bool isBool(Value value) { return value.getType().isInteger(1); }

Value ScalarBuilder::refuse(StringRef why) {
  if (reason.empty())
    reason = why.str();
  return constant(type, int64_t(0));
}

//===----------------------------------------------------------------------===//
// Conversions and constants
//===----------------------------------------------------------------------===//

Value ScalarBuilder::constant(Type of, double value) {
  if (isSmallFloat(of))
    return convert(constant(builder.getF32Type(), value), builder.getF32Type(),
                   of);
  Type scalar = getBodyType(of);
  if (isa<FloatType>(scalar))
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(scalar, value));
  if (scalar.isInteger(1))
    return constant(of, int64_t(value != 0));
  // Out of range as a conversion gives it.
  bool fits = value >= -9223372036854775808.0 && value < 9223372036854775808.0;
  return constant(of, fits ? int64_t(value)
                           : std::numeric_limits<int64_t>::min());
}

Value ScalarBuilder::constant(Type of, int64_t value) {
  Type scalar = getBodyType(of);
  if (isa<FloatType>(of))
    return constant(of, double(value));
  unsigned width = scalar.isIndex() ? 64 : scalar.getIntOrFloatBitWidth();
  if (width == 1)
    value = value != 0;
  APInt bits(64, value, /*isSigned=*/true);
  return arith::ConstantOp::create(
      builder, loc,
      scalar.isIndex() ? builder.getIndexAttr(value)
                       : builder.getIntegerAttr(scalar, bits.trunc(width)));
}

Value ScalarBuilder::neutral(ReductionKind kind, Type of) {
  if (isSmallFloat(of)) {
    Type wide = builder.getF32Type();
    return convert(neutral(kind, wide), wide, of);
  }
  bool comparesUnsigned = of.isUnsignedInteger() || of.isInteger(1);
  return arith::ConstantOp::create(
      builder, loc,
      getNeutral(builder, kind, /*position=*/0, getBodyType(of),
                 comparesUnsigned));
}

/// A float as an integer of `width` bits: truncated, the lowest integer for
/// what does not fit.
static Value toInteger(ScalarBuilder &b, Value value, unsigned width) {
  OpBuilder &builder = b.getBuilder();
  Location loc = b.getLoc();
  // Narrow integers are converted to 32 bits and cut, as processors do.
  unsigned wide = width <= 32 ? 32 : 64;
  Type integer = builder.getIntegerType(wide);
  Type real = value.getType();
  double limit = std::ldexp(1.0, wide - 1);
  Value low = b.constant(real, -limit), high = b.constant(real, limit);
  Value fits = arith::AndIOp::create(
      builder, loc,
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGE, value,
                            low),
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, value,
                            high));
  Value safe = arith::SelectOp::create(builder, loc, fits, value,
                                       b.constant(real, 0.0));
  Value converted = arith::FPToSIOp::create(builder, loc, integer, safe);
  Value lowest = b.constant(
      integer, wide == 32 ? int64_t(std::numeric_limits<int32_t>::min())
                          : std::numeric_limits<int64_t>::min());
  converted =
      arith::SelectOp::create(builder, loc, fits, converted, lowest);
  if (width == wide)
    return converted;
  return arith::TruncIOp::create(builder, loc, builder.getIntegerType(width),
                                 converted);
}

Value ScalarBuilder::convert(Value value, Type from, Type to) {
  if (from != to && isSmallFloat(from)) {
    value = decodeSmallFloat(value, cast<FloatType>(from));
    from = value.getType();
  }
  if (from != to && isSmallFloat(to))
    return encodeSmallFloat(convert(value, from, builder.getF32Type()),
                            cast<FloatType>(to));
  Type source = value.getType();
  Type target = getBodyType(to);
  if (source == target)
    return value;
  // Constants convert at once; a float to an integer goes the long way, where
  // it is out of range.
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant))) {
    if (auto real = dyn_cast<FloatAttr>(constant)) {
      if (isa<FloatType>(target) || target.isInteger(1))
        return this->constant(to, real.getValueAsDouble());
    } else if (auto integer = dyn_cast<IntegerAttr>(constant)) {
      APInt bits = integer.getValue();
      bool isPlain = source.isInteger(1) || from.isUnsignedInteger();
      return this->constant(to, isPlain ? int64_t(bits.getZExtValue())
                                        : bits.getSExtValue());
    }
  }
  if (target.isInteger(1))
    return toBool(value);
  bool zeroExtends = source.isInteger(1) || from.isUnsignedInteger();
  if (auto real = dyn_cast<FloatType>(target)) {
    if (isa<IntegerType>(source)) {
      // 16-bit floats are reached through f32.
      Type via = real.getWidth() < 32 ? builder.getF32Type() : Type(real);
      value = zeroExtends
                  ? Value(arith::UIToFPOp::create(builder, loc, via, value))
                  : Value(arith::SIToFPOp::create(builder, loc, via, value));
      source = via;
      if (source == target)
        return value;
    }
    unsigned width = source.getIntOrFloatBitWidth();
    if (width == real.getWidth()) { // f16 and bf16
      value = arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
      return arith::TruncFOp::create(builder, loc, target, value);
    }
    if (width < real.getWidth())
      return arith::ExtFOp::create(builder, loc, target, value);
    return arith::TruncFOp::create(builder, loc, target, value);
  }
  unsigned width = target.getIntOrFloatBitWidth();
  if (isa<FloatType>(source)) {
    if (source.getIntOrFloatBitWidth() < 32)
      value = arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
    return toInteger(*this, value, width);
  }
  if (width < source.getIntOrFloatBitWidth())
    return arith::TruncIOp::create(builder, loc, target, value);
  if (zeroExtends)
    return arith::ExtUIOp::create(builder, loc, target, value);
  return arith::ExtSIOp::create(builder, loc, target, value);
}

Value ScalarBuilder::number(StringRef text) {
  double value = 0;
  text.getAsDouble(value);
  return constant(type, value);
}

Value ScalarBuilder::toBool(Value a) {
  if (isBool(a))
    return a;
  Value zero = constant(a.getType(), int64_t(0));
  if (isFloat(a))
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE, a,
                                 zero);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, a,
                               zero);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value ScalarBuilder::add(Value a, Value b) {
  if (isFloat(a))
    return arith::AddFOp::create(builder, loc, a, b);
  if (isBool(a))
    return arith::OrIOp::create(builder, loc, a, b);
  return arith::AddIOp::create(builder, loc, a, b);
}

Value ScalarBuilder::sub(Value a, Value b) {
  if (isFloat(a))
    return arith::SubFOp::create(builder, loc, a, b);
  return arith::SubIOp::create(builder, loc, a, b);
}

Value ScalarBuilder::mul(Value a, Value b) {
  // Times 1 changes nothing, not even a NaN.
  if (matchPattern(b, m_One()) || matchPattern(b, m_OneFloat()))
    return a;
  if (matchPattern(a, m_One()) || matchPattern(a, m_OneFloat()))
    return b;
  if (isFloat(a))
    return arith::MulFOp::create(builder, loc, a, b);
  if (isBool(a))
    return arith::AndIOp::create(builder, loc, a, b);
  return arith::MulIOp::create(builder, loc, a, b);
}

Value ScalarBuilder::div(Value a, Value b) {
  if (!isFloat(a))
    return truncDiv(a, b);
  return arith::DivFOp::create(builder, loc, a, b);
}

Value ScalarBuilder::makeDivisor(Value a, Value b) {
  Value one = constant(b.getType(), int64_t(1));
  Value bad = eq(b, constant(b.getType(), int64_t(0)));
  if (!isUnsigned()) {
    // The lowest integer by -1 overflows; by 1 it is what wraps to.
    unsigned width = a.getType().getIntOrFloatBitWidth();
    Value lowest = constant(
        a.getType(), APInt::getSignedMinValue(width).getSExtValue());
    Value overflows = arith::AndIOp::create(
        builder, loc, eq(a, lowest),
        eq(b, constant(b.getType(), int64_t(-1))));
    bad = arith::OrIOp::create(builder, loc, bad, overflows);
  }
  return arith::SelectOp::create(builder, loc, bad, one, b);
}

Value ScalarBuilder::truncDiv(Value a, Value b) {
  if (isFloat(a))
    return trunc(div(a, b));
  if (isBool(a))
    return refuse("there is no division of bool");
  Value divisor = makeDivisor(a, b);
  if (isUnsigned())
    return arith::DivUIOp::create(builder, loc, a, divisor);
  return arith::DivSIOp::create(builder, loc, a, divisor);
}

Value ScalarBuilder::fmod(Value a, Value b) {
  if (isFloat(a))
    return arith::RemFOp::create(builder, loc, a, b);
  if (isBool(a))
    return refuse("there is no remainder of bool");
  Value divisor = makeDivisor(a, b);
  if (isUnsigned())
    return arith::RemUIOp::create(builder, loc, a, divisor);
  return arith::RemSIOp::create(builder, loc, a, divisor);
}

Value ScalarBuilder::remainder(Value a, Value b) {
  Value rest = fmod(a, b);
  if (isUnsigned() || isBool(a))
    return rest;
  Value zero = constant(a.getType(), int64_t(0));
  Value wrong = arith::AndIOp::create(
      builder, loc, ne(rest, zero),
      arith::XOrIOp::create(builder, loc, lt(rest, zero), lt(b, zero)));
  return where(wrong, add(rest, b), rest);
}

Value ScalarBuilder::floorDiv(Value a, Value b) {
  if (!isFloat(a)) {
    Value quotient = truncDiv(a, b);
    if (isUnsigned() || isBool(a))
      return quotient;
    Value divisor = makeDivisor(a, b);
    Value rest = sub(a, mul(quotient, divisor));
    Value zero = constant(a.getType(), int64_t(0));
    Value down = arith::AndIOp::create(
        builder, loc, ne(rest, zero),
        arith::XOrIOp::create(builder, loc, lt(rest, zero),
                              lt(divisor, zero)));
    return where(down, sub(quotient, constant(a.getType(), int64_t(1))),
                 quotient);
  }
  // As PyTorch's div_floor: exact for what has an exact quotient.
  Value zero = constant(a.getType(), 0.0), one = constant(a.getType(), 1.0);
  Value rest = fmod(a, b);
  Value quotient = div(sub(a, rest), b);
  Value down = arith::AndIOp::create(
      builder, loc, ne(rest, zero),
      arith::XOrIOp::create(builder, loc, lt(b, zero), lt(rest, zero)));
  quotient = where(down, sub(quotient, one), quotient);
  Value floored = floor(quotient);
  Value up = gt(sub(quotient, floored), constant(a.getType(), 0.5));
  floored = where(up, add(floored, one), floored);
  Value plain = div(a, b);
  Value signedZero = math::CopySignOp::create(builder, loc, zero, plain);
  Value result = where(eq(quotient, zero), signedZero, floored);
  return where(eq(b, zero), plain, result);
}

Value ScalarBuilder::neg(Value a) {
  if (isFloat(a))
    return arith::NegFOp::create(builder, loc, a);
  return sub(constant(a.getType(), int64_t(0)), a);
}

Value ScalarBuilder::abs(Value a) {
  if (isFloat(a))
    return math::AbsFOp::create(builder, loc, a);
  if (isUnsigned() || isBool(a))
    return a;
  return where(lt(a, constant(a.getType(), int64_t(0))), neg(a), a);
}

Value ScalarBuilder::recip(Value a) {
  return div(constant(a.getType(), 1.0), a);
}

Value ScalarBuilder::sign(Value a) {
  if (isBool(a))
    return a;
  Value zero = constant(a.getType(), int64_t(0));
  Value one = constant(a.getType(), int64_t(1));
  Value positive = where(lt(zero, a), one, zero);
  if (isUnsigned())
    return positive;
  return where(lt(a, zero), constant(a.getType(), int64_t(-1)), positive);
}

Value ScalarBuilder::pow(Value a, Value b) {
  FloatAttr real;
  IntegerAttr integer;
  if (isFloat(a)) {
    double exponent = std::nan("");
    if (matchPattern(b, m_Constant(&real)))
      exponent = real.getValueAsDouble();
    if (exponent == 0.5)
      return sqrt(a);
    if (exponent == 1.0)
      return a;
    if (exponent == 2.0)
      return mul(a, a);
    if (exponent == 3.0)
      return mul(mul(a, a), a);
    if (exponent == -0.5)
      return rsqrt(a);
    if (exponent == -1.0)
      return recip(a);
    if (exponent == -2.0)
      return recip(mul(a, a));
    return math::PowFOp::create(builder, loc, a, b);
  }
  if (!matchPattern(b, m_Constant(&integer)))
    return powInteger(a, b);
  int64_t exponent = integer.getValue().getSExtValue();
  if (exponent < 0)
    return refuse("integers have no negative powers");
  Value result = constant(a.getType(), int64_t(1));
  for (Value square = a; exponent; exponent >>= 1) {
    if (exponent & 1)
      result = mul(result, square);
    if (exponent > 1)
      square = mul(square, square);
  }
  return result;
}

Value ScalarBuilder::min(Value a, Value b) {
  if (isFloat(a))
    return arith::MinimumFOp::create(builder, loc, a, b);
  if (isUnsigned() || isBool(a))
    return arith::MinUIOp::create(builder, loc, a, b);
  return arith::MinSIOp::create(builder, loc, a, b);
}

Value ScalarBuilder::max(Value a, Value b) {
  if (isFloat(a))
    return arith::MaximumFOp::create(builder, loc, a, b);
  if (isUnsigned() || isBool(a))
    return arith::MaxUIOp::create(builder, loc, a, b);
  return arith::MaxSIOp::create(builder, loc, a, b);
}

//===----------------------------------------------------------------------===//
// Functions of floats
//===----------------------------------------------------------------------===//

// PyTorch promotes integers first or refuses them.
#define KILN_UNARY(name, op)                                                   \
  Value ScalarBuilder::name(Value a) {                                         \
    return isFloat(a) ? Value(math::op::create(builder, loc, a))               \
                      : refuse("a function of floats of integers");            \
  }
KILN_UNARY(exp, ExpOp)
KILN_UNARY(expm1, ExpM1Op)
KILN_UNARY(log, LogOp)
KILN_UNARY(log2, Log2Op)
KILN_UNARY(log10, Log10Op)
KILN_UNARY(log1p, Log1pOp)
KILN_UNARY(sqrt, SqrtOp)
KILN_UNARY(sin, SinOp)
KILN_UNARY(cos, CosOp)
KILN_UNARY(tan, TanOp)
KILN_UNARY(asin, AsinOp)
KILN_UNARY(acos, AcosOp)
KILN_UNARY(atan, AtanOp)
KILN_UNARY(sinh, SinhOp)
KILN_UNARY(cosh, CoshOp)
KILN_UNARY(tanh, TanhOp)
KILN_UNARY(erf, ErfOp)
KILN_UNARY(erfc, ErfcOp)
#undef KILN_UNARY

// Integers are rounded already.
#define KILN_ROUNDING(name, op)                                                \
  Value ScalarBuilder::name(Value a) {                                         \
    return isFloat(a) ? Value(math::op::create(builder, loc, a)) : a;          \
  }
KILN_ROUNDING(floor, FloorOp)
KILN_ROUNDING(ceil, CeilOp)
KILN_ROUNDING(trunc, TruncOp)
KILN_ROUNDING(round, RoundEvenOp)
#undef KILN_ROUNDING

Value ScalarBuilder::rsqrt(Value a) { return recip(sqrt(a)); }

Value ScalarBuilder::atan2(Value a, Value b) {
  return math::Atan2Op::create(builder, loc, a, b);
}

Value ScalarBuilder::sigmoid(Value a) {
  Value one = constant(a.getType(), 1.0);
  Value sum = add(one, exp(neg(a)));
  if (!isFloat(a))
    return div(one, sum);
  // An ulp is less than the exponential may be off.
  return arith::DivFOp::create(builder, loc, one, sum,
                               arith::FastMathFlags::afn);
}

Value ScalarBuilder::isNan(Value a) {
  if (!isFloat(a))
    return constant(builder.getI1Type(), int64_t(0));
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, a, a);
}

Value ScalarBuilder::isNanFrom(unsigned bits, Value a) {
  auto result = dyn_cast<FloatType>(stored ? stored : type);
  if (!result || result.getWidth() < bits)
    return constant(builder.getI1Type(), int64_t(0));
  return isNan(a);
}

Value ScalarBuilder::isInf(Value a) {
  if (!isFloat(a))
    return constant(builder.getI1Type(), int64_t(0));
  return eq(abs(a), constant(a.getType(), HUGE_VAL));
}

//===----------------------------------------------------------------------===//
// Comparisons, bool, bits
//===----------------------------------------------------------------------===//

Value ScalarBuilder::compare(arith::CmpFPredicate floats,
                             arith::CmpIPredicate integers, Value a, Value b) {
  if (isFloat(a))
    return arith::CmpFOp::create(builder, loc, floats, a, b);
  // Of bool, false is less than true.
  if (isUnsigned() || isBool(a)) {
    if (integers == arith::CmpIPredicate::slt)
      integers = arith::CmpIPredicate::ult;
    if (integers == arith::CmpIPredicate::sle)
      integers = arith::CmpIPredicate::ule;
  }
  return arith::CmpIOp::create(builder, loc, integers, a, b);
}

Value ScalarBuilder::eq(Value a, Value b) {
  return compare(arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq, a, b);
}
Value ScalarBuilder::ne(Value a, Value b) {
  return compare(arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne, a, b);
}
Value ScalarBuilder::lt(Value a, Value b) {
  return compare(arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt, a, b);
}
Value ScalarBuilder::le(Value a, Value b) {
  return compare(arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle, a, b);
}

Value ScalarBuilder::logicalAnd(Value a, Value b) {
  return arith::AndIOp::create(builder, loc, toBool(a), toBool(b));
}
Value ScalarBuilder::logicalOr(Value a, Value b) {
  return arith::OrIOp::create(builder, loc, toBool(a), toBool(b));
}
Value ScalarBuilder::logicalXor(Value a, Value b) {
  return arith::XOrIOp::create(builder, loc, toBool(a), toBool(b));
}
Value ScalarBuilder::logicalNot(Value a) {
  return arith::XOrIOp::create(builder, loc, toBool(a),
                               constant(builder.getI1Type(), int64_t(1)));
}
Value ScalarBuilder::where(Value condition, Value a, Value b) {
  return arith::SelectOp::create(builder, loc, toBool(condition), a, b);
}

Value ScalarBuilder::bitAnd(Value a, Value b) {
  return arith::AndIOp::create(builder, loc, a, b);
}
Value ScalarBuilder::bitOr(Value a, Value b) {
  return arith::OrIOp::create(builder, loc, a, b);
}
Value ScalarBuilder::bitXor(Value a, Value b) {
  return arith::XOrIOp::create(builder, loc, a, b);
}
Value ScalarBuilder::bitNot(Value a) {
  return arith::XOrIOp::create(builder, loc, a,
                               constant(a.getType(), int64_t(-1)));
}

Value ScalarBuilder::shl(Value a, Value b) {
  // Negative counts are large as unsigned numbers.
  Value width =
      constant(b.getType(), int64_t(a.getType().getIntOrFloatBitWidth()));
  Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                     b, width);
  Value zero = constant(b.getType(), int64_t(0));
  Value shifted = arith::ShLIOp::create(builder, loc, a, where(fits, b, zero));
  return where(fits, shifted, zero);
}

Value ScalarBuilder::shr(Value a, Value b) {
  // Counts beyond the width leave the sign.
  Value last = constant(
      b.getType(), int64_t(a.getType().getIntOrFloatBitWidth() - 1));
  Value count = arith::MinUIOp::create(builder, loc, b, last);
  if (!isUnsigned())
    return arith::ShRSIOp::create(builder, loc, a, count);
  Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule,
                                     b, last);
  Value zero = constant(a.getType(), int64_t(0));
  return where(fits, arith::ShRUIOp::create(builder, loc, a, count), zero);
}
