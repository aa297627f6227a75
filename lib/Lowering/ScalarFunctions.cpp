//===- ScalarFunctions.cpp - Special functions and integers of bodies -----===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that the math dialect lacks. Bodies have no control flow: a choice
// is a select, and a loop is unrolled as often as it may run. The special
// functions compute in f64 and round once.
//
//===----------------------------------------------------------------------===//

#include "kiln/Lowering/ScalarBuilder.h"

#include <cmath>

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

/// The signless integer with as many bits as a float.
static Type getBitsType(Type real) {
  return IntegerType::get(real.getContext(), real.getIntOrFloatBitWidth());
}

static Value bitcast(ScalarBuilder &b, Value value, Type type) {
  return arith::BitcastOp::create(b.getBuilder(), b.getLoc(), type, value);
}

//===----------------------------------------------------------------------===//
// Signs and neighbours
//===----------------------------------------------------------------------===//

Value ScalarBuilder::copySign(Value a, Value b) {
  return math::CopySignOp::create(builder, loc, a, b);
}

Value ScalarBuilder::signBit(Value a) {
  if (isUnsigned() || a.getType().isInteger(1))
    return constant(builder.getI1Type(), int64_t(0));
  Value bits = isa<FloatType>(a.getType()) ? bitcast(*this, a, getBitsType(a.getType())) : a;
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, bits,
                               constant(bits.getType(), int64_t(0)));
}

Value ScalarBuilder::nextAfter(Value a, Value b) {
  if (!stored || !isa<FloatType>(stored))
    return refuse("integers have no next float");
  // Neighbours are those of the result's type, which is exact in the
  // computation type.
  a = convert(a, type, stored);
  b = convert(b, type, stored);
  Type real = a.getType(), integer = getBitsType(real);
  // Floats of one sign are ordered as their bits are.
  Value bits = bitcast(*this, a, integer);
  Value zero = constant(real, 0.0), one = constant(integer, int64_t(1));
  Value grows = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      lt(a, b), lt(zero, a));
  Value moved = arith::SelectOp::create(
      builder, loc, grows, arith::AddIOp::create(builder, loc, bits, one),
      arith::SubIOp::create(builder, loc, bits, one));
  Value next = bitcast(*this, moved, real);
  // From zero to the least number with the sign of b.
  Value least = copySign(bitcast(*this, one, real), b);
  next = where(eq(a, zero), least, next);
  next = where(eq(a, b), b, next);
  return where(isNan(a), a, where(isNan(b), b, next));
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

Value ScalarBuilder::gcd(Value a, Value b) {
  if (isa<FloatType>(a.getType()) || a.getType().isInteger(1))
    return refuse("only integers have a common divisor");
  a = abs(a);
  b = abs(b);
  Type integer = a.getType();
  Value zero = constant(integer, int64_t(0));
  Value one = constant(integer, int64_t(1));
  // Euclid's algorithm is slowest on Fibonacci numbers, which grow by a bit in
  // 1.44 steps.
  unsigned steps = integer.getIntOrFloatBitWidth() * 1.45 + 2;
  for (unsigned i = 0; i < steps; ++i) {
    // Unsigned, for the magnitude of the lowest integer.
    Value isDone = eq(b, zero);
    Value rest = arith::RemUIOp::create(builder, loc, a,
                                        where(isDone, one, b));
    a = where(isDone, a, b);
    b = where(isDone, zero, rest);
  }
  return a;
}

Value ScalarBuilder::powInteger(Value a, Value b) {
  if (a.getType().isInteger(1))
    return refuse("there is no power of bool");
  Type integer = a.getType();
  Value zero = constant(integer, int64_t(0));
  Value one = constant(integer, int64_t(1));
  Value result = one, square = a, rest = b;
  unsigned bits = integer.getIntOrFloatBitWidth();
  for (unsigned i = 0; i < bits; ++i) {
    Value isOdd = ne(bitAnd(rest, one), zero);
    result = where(isOdd, mul(result, square), result);
    if (i + 1 == bits)
      break;
    square = arith::MulIOp::create(builder, loc, square, square);
    rest = arith::ShRUIOp::create(builder, loc, rest, one);
  }
  if (isUnsigned())
    return result;
  // Of negative powers only those of 1 and -1 are integers.
  Value minusOne = constant(integer, int64_t(-1));
  Value isOdd = ne(bitAnd(b, one), zero);
  Value inverse =
      where(eq(a, one), one,
            where(eq(a, minusOne), where(isOdd, minusOne, one), zero));
  return where(lt(b, zero), inverse, result);
}

//===----------------------------------------------------------------------===//
// Special functions
//===----------------------------------------------------------------------===//

Value ScalarBuilder::throughF64(
    ArrayRef<Value> operands,
    llvm::function_ref<Value(ArrayRef<Value>)> function) {
  Type real = operands.front().getType(), f64 = builder.getF64Type();
  SmallVector<Value> wide;
  for (Value operand : operands)
    wide.push_back(convert(operand, real, f64));
  return convert(function(wide), f64, real);
}

/// c[0] + c[1] x + c[2] x^2 + ..., by Horner's rule.
static Value polynomial(ScalarBuilder &b, Value x, ArrayRef<double> c) {
  Value sum = b.constant(x.getType(), c.back());
  for (double next : llvm::reverse(c.drop_back()))
    sum = math::FmaOp::create(b.getBuilder(), b.getLoc(), sum, x,
                              b.constant(x.getType(), next));
  return sum;
}

Value ScalarBuilder::hypot(Value a, Value b) {
  return throughF64({a, b}, [&](ArrayRef<Value> v) {
    Value x = abs(v[0]), y = abs(v[1]);
    Type f64 = x.getType();
    Value zero = constant(f64, 0.0), infinity = constant(f64, HUGE_VAL);
    Value large = max(x, y), ratio = div(min(x, y), large);
    Value length =
        mul(large, sqrt(add(constant(f64, 1.0), mul(ratio, ratio))));
    length = where(eq(large, zero), zero, length);
    // An infinite side counts more than a NaN.
    return where(logicalOr(eq(x, infinity), eq(y, infinity)), infinity,
                 length);
  });
}

bool ScalarBuilder::isShort(Value a) const {
  return shortSpecials && !a.getType().isF64();
}

// Of polynomials below, Chebyshev interpolants in 50 digits or more, relative errors are those
// of the function that they serve.

/// erfinv(x) / x by w = -log(1 - x^2) (M. Giles, "Approximating the erfinv function", 2010):
/// in w - 3.125 for w up to 6.25, max relative error 2^-30.4; and in w - 11.125 from there to
/// 16, as far as x is an f32 below 1, 2^-33.
static constexpr double kInverseErfNear[] = {
    1.653654562683102712,
    0.24015817844735165087,
    -0.0060336710322855149841,
    -0.00074069103254301951164,
    0.00018673466051691628078,
    -0.00001389214124592301057,
    -1.3658217507589212804e-6,
    4.2698513895053386173e-7,
    -2.8958960379483320474e-8,
    -4.7527456191519948041e-9,
    1.0363882341451173819e-9,
    5.6882164791170868647e-12,
    -1.2570814414523687276e-11};
static constexpr double kInverseErfFar[] = {
    3.1697877997232651585,
    0.15082079234615043215,
    -0.003287906367103150858,
    0.00013762499145184375062,
    -6.6750298036806853479e-6,
    2.9659998203650611061e-7,
    -6.1343548010085367564e-9,
    -9.0620183411701274289e-10,
    1.7097608246259060523e-10,
    -1.9983286369069774037e-11,
    1.8228119454808013628e-12,
    -8.9623008422712265002e-14};

static Value erfinvOfF32(ScalarBuilder &b, Value x) {
  Type f64 = x.getType();
  auto real = [&](double value) { return b.constant(f64, value); };
  Value one = real(1.0);
  // Both factors are exact, or 1 but for what does not matter.
  Value w = b.neg(b.log(b.mul(b.sub(one, x), b.add(one, x))));
  Value near = polynomial(b, b.sub(w, real(3.125)), kInverseErfNear);
  Value far = polynomial(b, b.sub(w, real(11.125)), kInverseErfFar);
  return b.mul(x, b.where(b.lt(w, real(6.25)), near, far));
}

/// erfinv(x) in f64, by steps of Newton.
static Value erfinvOfF64(ScalarBuilder &b, Value x, Value magnitude) {
  Type f64 = x.getType();
  auto real = [&](double value) { return b.constant(f64, value); };
  Value rest = b.sub(real(1.0), magnitude);
  // PyTorch's rational start, refined by Newton steps.
  Value z = b.mul(x, x);
  Value near = b.div(
      b.mul(x, polynomial(b, z,
                          {0.886226899, -1.645349621, 0.914624893,
                           -0.140543331})),
      polynomial(b, z,
                 {1.0, -2.118377725, 1.442710462, -0.329097515, 0.012229801}));
  Value w = b.sqrt(b.neg(b.log(b.mul(rest, real(0.5)))));
  Value far = b.copySign(
      b.div(polynomial(b, w,
                       {-1.970840454, -1.624906493, 3.429567803, 1.641345311}),
            polynomial(b, w, {1.0, 3.5438892, 1.6370678})),
      x);
  Value y = b.where(b.le(magnitude, real(0.7)), near, far);
  for (int step = 0; step < 3; ++step) {
    // Near one, 1 - erf keeps the digits that erf has lost.
    Value tail = b.sub(rest, b.erfc(b.abs(y)));
    tail = b.where(b.lt(x, real(0.0)), b.neg(tail), tail);
    Value error =
        b.where(b.gt(magnitude, real(0.5)), tail, b.sub(b.erf(y), x));
    y = b.sub(y, b.div(error, b.mul(real(M_2_SQRTPI),
                                    b.exp(b.neg(b.mul(y, y))))));
  }
  return y;
}

Value ScalarBuilder::erfinv(Value a) {
  return throughF64({a}, [&](ArrayRef<Value> v) {
    Value x = v[0], magnitude = abs(x);
    auto real = [&](double value) { return constant(x.getType(), value); };
    Value y = isShort(a) ? erfinvOfF32(*this, x)
                         : erfinvOfF64(*this, x, magnitude);
    Value limit = where(eq(magnitude, real(1.0)),
                        copySign(real(HUGE_VAL), x), real(std::nan("")));
    return where(lt(magnitude, real(1.0)), y, limit);
  });
}

/// sin(pi a) for a that is not negative, exact at whole numbers.
static Value sinOfPi(ScalarBuilder &b, Value a) {
  Type f64 = a.getType();
  Value rest = b.sub(a, b.floor(a));
  rest = b.min(rest, b.sub(b.constant(f64, 1.0), rest));
  return b.sin(b.mul(rest, b.constant(f64, M_PI)));
}

/// sin(pi r) / r for r from 0 to 1/2, by r^2; max relative error 2^-60.
static constexpr double kSinOfPi[] = {
    3.1415926535897932378,
    -5.1677127800499696077,
    2.5501640398773004745,
    -0.59926452931894468132,
    0.08214588657310289502,
    -0.0073704305059169434047,
    0.00046629981618983938014,
    -0.000021903497074626017191,
    7.6978267682241906454e-7};

/// The same by one polynomial, without what sin does for large arguments.
static Value shortSinOfPi(ScalarBuilder &b, Value a) {
  Value rest = b.sub(a, b.floor(a));
  rest = b.min(rest, b.sub(b.constant(a.getType(), 1.0), rest));
  return b.mul(rest, polynomial(b, b.mul(rest, rest), kSinOfPi));
}

/// lgamma(x) / ((x - 1) (x - 2)) at x = 2 + t, for |t| up to 1/2.
static constexpr double kLogGammaNearTwo[] = {
    0.42278433509846713939,    -0.10031730167435393705,
    0.03296500062115583363,    -0.012384192193367467594,
    0.0049986411646954691982,  -0.0021081308342234147444,
    0.00091537692238059905848, -0.00040570738897825625787,
    0.00018255263497305118056, -0.000083095273255336939457,
    0.000038168959876181242004, -0.000017660194017271153567,
    8.2214789180596209064e-6,  -3.8563136093174779751e-6,
    1.8124087986144873007e-6,  -8.2089874427208220854e-7,
    3.8837480981603404474e-7,  -2.5254853429586513317e-7,
    1.2034907763468638839e-7};

/// Stirling's series, as a polynomial in 1 / x^2 times 1 / x.
static constexpr double kStirling[] = {
    1.0 / 12,   -1.0 / 360,       1.0 / 1260, -1.0 / 1680,
    1.0 / 1188, -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400};

/// What Stirling's formula leaves of lgamma(x), times x, by 1 / x^2 for x from 2.5 on (Binet's
/// function, which its series meets only for larger x); max error 2^-55.
static constexpr double kBinet[] = {
    0.083333333333333316735,
    -0.0027777777777425703556,
    0.00079365078107407891357,
    -0.00059523629875255121119,
    0.0008416146468954755532,
    -0.0019112061273278311572,
    0.0062141688359399199572,
    -0.025211948545317147437,
    0.10689474701340293973,
    -0.39730201679484566235,
    1.1113197941746704102,
    -1.9839544447221412672,
    1.6579126428005446582};

/// lgamma(x) for positive x, its absolute error as of f64: enough for an f32, also where two
/// terms cancel.
static Value shortLogGamma(ScalarBuilder &b, Value x) {
  Type f64 = x.getType();
  auto real = [&](double value) { return b.constant(f64, value); };
  Value one = real(1.0), up = one, y = x;
  // Into [1.5, 2.5) from below, by gamma(x + 1) = x gamma(x).
  for (int i = 0; i < 2; ++i) {
    Value isLow = b.lt(y, real(1.5));
    up = b.where(isLow, b.mul(up, y), up);
    y = b.where(isLow, b.add(y, one), y);
  }
  Value isNear = b.lt(x, real(2.5));
  Value log = b.log(b.where(isNear, up, x));
  Value t = b.sub(y, real(2.0));
  Value near = b.sub(b.mul(b.mul(t, b.add(t, one)),
                           polynomial(b, t, kLogGammaNearTwo)),
                     log);
  Value inverse = b.div(one, x);
  Value far = b.sub(b.mul(b.sub(x, real(0.5)), log), x);
  far = b.add(far, real(0.91893853320467274178)); // log(2 pi) / 2
  far = b.add(far, b.mul(inverse,
                         polynomial(b, b.mul(inverse, inverse), kBinet)));
  return b.where(isNear, near, b.where(b.isInf(x), x, far));
}

/// lgamma(x) for positive x.
static Value logGammaOfPositive(ScalarBuilder &b, Value x) {
  Type f64 = x.getType();
  auto real = [&](double value) { return b.constant(f64, value); };
  Value one = real(1.0);
  // Into [1.5, 2.5) by gamma(x + 1) = x gamma(x): `up` from below and `down`
  // from above are what was multiplied.
  Value y = x, up = one, down = one;
  for (int i = 0; i < 2; ++i) {
    Value isLow = b.lt(y, real(1.5));
    up = b.where(isLow, b.mul(up, y), up);
    y = b.where(isLow, b.add(y, one), y);
  }
  for (int i = 0; i < 7; ++i) {
    Value isHigh = b.ge(y, real(2.5));
    y = b.where(isHigh, b.sub(y, one), y);
    down = b.where(isHigh, b.mul(down, y), down);
  }
  Value t = b.sub(y, real(2.0));
  Value near = b.mul(b.mul(t, b.add(t, one)),
                     polynomial(b, t, kLogGammaNearTwo));
  near = b.add(near, b.log(down));
  near = b.sub(near, b.log(up));
  Value inverse = b.div(one, x);
  Value far = b.sub(b.mul(b.sub(x, real(0.5)), b.log(x)), x);
  far = b.add(far, real(0.91893853320467274178)); // log(2 pi) / 2
  far = b.add(far, b.mul(inverse,
                         polynomial(b, b.mul(inverse, inverse), kStirling)));
  far = b.where(b.isInf(x), x, far);
  return b.where(b.lt(x, real(9.5)), near, far);
}

Value ScalarBuilder::lgamma(Value a) {
  return throughF64({a}, [&](ArrayRef<Value> v) {
    Value x = v[0], zero = constant(x.getType(), 0.0);
    // gamma(-a) gamma(a) = -pi / (a sin(pi a))
    Value magnitude = abs(x);
    bool isShort = this->isShort(a);
    Value ofMagnitude = isShort ? shortLogGamma(*this, magnitude)
                                : logGammaOfPositive(*this, magnitude);
    Value product = mul(magnitude, isShort ? shortSinOfPi(*this, magnitude)
                                           : sinOfPi(*this, magnitude));
    Value reflected = sub(log(div(constant(x.getType(), M_PI), product)),
                          ofMagnitude);
    Value pole = constant(x.getType(), HUGE_VAL);
    // Also minus infinity is a pole, and where the product is 0.
    Value isPole = logicalOr(isInf(x), eq(product, zero));
    Value result = where(lt(x, zero), where(isPole, pole, reflected),
                         ofMagnitude);
    return where(eq(x, zero), pole, result);
  });
}

Value ScalarBuilder::digamma(Value a) {
  return throughF64({a}, [&](ArrayRef<Value> v) {
    Value x = v[0];
    Type f64 = x.getType();
    auto real = [&](double value) { return constant(f64, value); };
    Value zero = real(0.0), one = real(1.0), isNegative = lt(x, zero);
    // Reflection below zero, recurrence up to 10, then the asymptotic series.
    Value y = where(isNegative, sub(one, x), x);
    Value shifted = zero;
    for (int i = 0; i < 10; ++i) {
      Value isLow = lt(y, real(10.0));
      shifted = where(isLow, sub(shifted, div(one, y)), shifted);
      y = where(isLow, add(y, one), y);
    }
    Value inverse = div(one, mul(y, y));
    Value series = mul(inverse, polynomial(*this, inverse,
                                           {1.0 / 12, -1.0 / 120, 1.0 / 252,
                                            -1.0 / 240, 1.0 / 132,
                                            -691.0 / 32760, 1.0 / 12}));
    Value result = sub(
        sub(add(shifted, log(y)), div(real(0.5), y)), series);
    // From the nearest whole number: exact, and all digits count near a pole.
    Value fraction = sub(x, round(x));
    Value reflected =
        sub(result, div(real(M_PI), tan(mul(real(M_PI), fraction))));
    // Whole numbers below zero are poles from both sides, zero from one.
    reflected = where(eq(fraction, zero), real(std::nan("")), reflected);
    result = where(isNegative, reflected, result);
    return where(eq(x, zero), copySign(real(HUGE_VAL), neg(x)), result);
  });
}
