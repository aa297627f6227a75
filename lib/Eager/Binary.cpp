//===- Binary.cpp - Elementwise operators of two and more operands --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Formulas.h"
#include "Operators.h"
#include "PointwiseEngine.h"
#include "TypePromotion.h"

using namespace kiln;
using namespace kiln::eager;
using namespace kiln::eager::formula;

using Names = std::initializer_list<const char *>;
static constexpr PointwiseTraits kPlain;
static constexpr PointwiseTraits kRoundsWeak{kReal, Kind::Default, ~0u, true};
static constexpr PointwiseTraits kToFloat{kReal, Kind::IntToFloat, ~0u, false};
static constexpr PointwiseTraits kCompare{kReal, Kind::AlwaysBool, ~0u, true};

//===----------------------------------------------------------------------===//
// add, sub, rsub: the third argument scales the second or first
//===----------------------------------------------------------------------===//

static bool isBool(const OpValue &value) {
  return value.isTensor()
             ? std::get<Tensor>(value.value).dtype() == DType::Bool
             : std::holds_alternative<bool>(value.value);
}

/// An integer result needs an integer factor, a bool one a bool.
static void checkAlpha(const Args &args, const Tensor &result) {
  const OpValue &alpha = args[2];
  if (alpha.isTensor() || args.isNone(2))
    return;
  DType type = numberDType(alpha);
  require(!isBoolOrInteger(result.dtype()) || isBoolOrInteger(type),
          {"alpha must be an integer for integer operands"});
  require(isComplex(result.dtype()) || !isComplex(type),
          {"alpha must be real for real operands"});
  require(result.dtype() == DType::Bool || type != DType::Bool,
          {"a bool alpha needs a bool result, found ", result.dtype()});
}

static std::vector<OpValue> operandsWithAlpha(const Args &args) {
  auto operands = detail::firstOperands(args, 2);
  operands.push_back(args.isNone(2) ? OpValue(int64_t(1)) : args[2]);
  return operands;
}

static constexpr PointwiseTraits kScaled{kReal, Kind::Default, 3, true};

static Values addScaled(const Args &args) {
  static const PointwiseOperator op =
      detail::makeOperator<3, kNumber>(kScaled, [](auto a, auto b, auto alpha) {
        return add(a, mul(alpha, b));
      });
  Tensor result = evaluate(op, operandsWithAlpha(args));
  checkAlpha(args, result);
  return {result};
}

template <bool Reversed> static Values subScaled(const Args &args) {
  static const PointwiseOperator op =
      detail::makeOperator<3, kNumber & ~kBool>(
          kScaled, [](auto a, auto b, auto alpha) {
            return Reversed ? sub(b, mul(alpha, a)) : sub(a, mul(alpha, b));
          });
  require(!isBool(args[0]) && !isBool(args[1]),
          {"subtraction is not defined for bool"});
  Tensor result = evaluate(op, operandsWithAlpha(args));
  checkAlpha(args, result);
  return {result};
}

//===----------------------------------------------------------------------===//
// Division and powers
//===----------------------------------------------------------------------===//

static Values divideRounded(const Args &args) {
  static const PointwiseOperator exact =
      detail::makeOperator<2, kFloat | kComplex>(
          kToFloat, [](auto a, auto b) { return a / b; });
  static const PointwiseOperator truncated =
      detail::makeOperator<2, kFloat | kInteger>(
          kPlain, [](auto a, auto b) { return truncDivide(a, b); });
  static const PointwiseOperator floored =
      detail::makeOperator<2, kFloat | kInteger>(
          kPlain, [](auto a, auto b) { return floorDivide(a, b); });
  auto operands = detail::firstOperands(args, 2);
  if (args.isNone(2))
    return {evaluate(exact, operands)};
  std::string mode = args.string(2);
  require(mode == "trunc" || mode == "floor",
          {"expected rounding mode 'trunc' or 'floor', found '", mode, "'"});
  return {evaluate(mode == "trunc" ? truncated : floored, operands)};
}

static const PointwiseOperator &powerOperator() {
  static const PointwiseOperator op =
      detail::makeOperator<2, kNumber & ~kBool>(
          kRoundsWeak, [](auto a, auto b) { return power(a, b); });
  return op;
}

static Values powTensor(const Args &args) {
  return {evaluate(powerOperator(), detail::firstOperands(args, 2))};
}

static Values powScalar(const Args &args) {
  Tensor result = evaluate(powerOperator(), detail::firstOperands(args, 2));
  require(!isBoolOrInteger(result.dtype()) ||
              toInteger(args[1], "exponent") >= 0,
          {"integers to negative integer powers are not allowed"});
  return {result};
}

static Values ldexp(const Args &args) {
  static const PointwiseOperator scale =
      detail::makeOperator<2, kNumber>(
          kPlain, [](auto a, auto b) { return mul(a, b); });
  Tensor factor = evaluate(powerOperator(), {2.0, args.tensor(1)});
  return {evaluate(scale, {args.tensor(0), factor})};
}

static Values atan2Out(const Args &args) {
  static const PointwiseOperator op =
      detail::makeOperator<2, kFloat>(kToFloat, [](auto a, auto b) {
        return std::atan2(double(a), double(b));
      });
  Tensor result = evaluate(op, detail::firstOperands(args, 2));
  const Tensor &out = args.tensor(2);
  require(out.sizes() == result.sizes() &&
              (!isBoolOrInteger(out.dtype()) ||
               isBoolOrInteger(result.dtype())),
          {"cannot write ", result, " into ", out});
  assign(out, result);
  return {out};
}

static void addBinaryArithmetic(Table &table) {
  for (const char *overload : {"Tensor", "Scalar"}) {
    table.both<addScaled>("add", overload);
    table.both<subScaled<false>>("sub", overload);
    table.op<subScaled<true>>(std::string("rsub.") + overload);
    table.both<divideRounded>("div", std::string(overload) + "_mode");
  }
  pointwiseBoth<2, kNumber | kSmallFloat>(
      table, "mul", {"Tensor", "Scalar"}, kPlain,
                            [](auto a, auto b) { return mul(a, b); });
  auto divide = pointwiseFunctions<2, kFloat | kComplex>(
      kToFloat, [](auto a, auto b) { return a / b; });
  for (const char *overload : {"Tensor", "Scalar"}) {
    for (const char *base : {"div", "true_divide"}) {
      table.add(std::string(base) + "." + overload, divide.functional);
      table.add(std::string(base) + "_." + overload, divide.inPlace);
    }
  }
  pointwiseBoth<2, kFloat | kInteger>(
      table, "floor_divide", {"default", "Tensor", "Scalar"}, kPlain,
      [](auto a, auto b) { return floorDivide(a, b); });
  pointwiseBoth<2, kFloat | kInteger>(
      table, "remainder", {"Tensor", "Scalar"}, kRoundsWeak,
      [](auto a, auto b) { return formula::remainder(a, b); });
  pointwise<2, kFloat | kInteger>(
      table, "remainder.Scalar_Tensor", kRoundsWeak,
      [](auto a, auto b) { return formula::remainder(a, b); });
  pointwiseBoth<2, kFloat | kInteger>(
      table, "fmod", {"Tensor", "Scalar"}, kRoundsWeak,
      [](auto a, auto b) { return formula::fmod(a, b); });
  table.op<powTensor>("pow.Tensor_Tensor");
  table.op<powScalar>("pow.Tensor_Scalar");
  table.op<powTensor>("pow.Scalar");
  table.inPlace<powTensor>("pow_.Tensor");
  table.inPlace<powScalar>("pow_.Scalar");
  table.op<ldexp>("ldexp.Tensor");
  table.op<atan2Out>("atan2.out");
}

//===----------------------------------------------------------------------===//
// Comparison, logic, bits
//===----------------------------------------------------------------------===//

static void addComparison(Table &table) {
#define COMPARE(NAME, ACCEPTS, OPERATOR)                                       \
  pointwiseBoth<2, ACCEPTS>(table, #NAME, {"Tensor", "Scalar"}, kCompare,      \
                            [](auto a, auto b) { return a OPERATOR b; })
  COMPARE(eq, kNumber | kSmallFloat, ==);
  COMPARE(ne, kNumber | kSmallFloat, !=);
  COMPARE(lt, kReal, <);
  COMPARE(le, kReal, <=);
  COMPARE(gt, kReal, >);
  COMPARE(ge, kReal, >=);
#undef COMPARE
#define LOGICAL(NAME, OPERATOR)                                                \
  pointwiseBoth<2, kNumber>(table, #NAME, {"default"}, kCompare,               \
                            [](auto a, auto b) {                               \
                              using T = decltype(a);                           \
                              return (a != T(0)) OPERATOR(b != T(0));          \
                            })
  LOGICAL(logical_and, &&);
  LOGICAL(logical_or, ||);
  LOGICAL(logical_xor, !=);
#undef LOGICAL
  auto bitwise = [&](const std::string &name, PointwiseFunctions functions,
                     Names overloads) {
    for (const char *overload : overloads) {
      table.add("bitwise_" + name + "." + overload, functions.functional);
      table.add("bitwise_" + name + "_." + overload, functions.inPlace);
    }
    if (name.find("shift") != std::string::npos)
      return;
    table.add("__" + name + "__.Tensor", functions.functional);
    table.add("__" + name + "__.Scalar", functions.functional);
  };
  bitwise("and",
          pointwiseFunctions<2, kIntegral>(
              kPlain, [](auto a, auto b) { return a & b; }),
          {"Tensor", "Scalar"});
  bitwise("or",
          pointwiseFunctions<2, kIntegral>(
              kPlain, [](auto a, auto b) { return a | b; }),
          {"Tensor", "Scalar"});
  bitwise("xor",
          pointwiseFunctions<2, kIntegral>(
              kPlain, [](auto a, auto b) { return a ^ b; }),
          {"Tensor", "Scalar"});
  auto left = pointwiseFunctions<2, kInteger>(kPlain, [](auto a, auto b) {
    return b < 0 || b > 63 ? int64_t(0) : int64_t(uint64_t(a) << b);
  });
  auto right = pointwiseFunctions<2, kInteger>(kPlain, [](auto a, auto b) {
    return a >> (b < 0 || b > 63 ? 63 : b);
  });
  bitwise("left_shift", left, {"Tensor", "Tensor_Scalar"});
  bitwise("right_shift", right, {"Tensor", "Tensor_Scalar"});
  for (const char *overload : {"Tensor", "Scalar"}) {
    table.add(std::string("__lshift__.") + overload, left.functional);
    table.add(std::string("__rshift__.") + overload, right.functional);
  }
}

//===----------------------------------------------------------------------===//
// Choosing between values
//===----------------------------------------------------------------------===//

static const PointwiseOperator &largest() {
  static const PointwiseOperator op = detail::makeOperator<2, kReal>(
      kPlain, [](auto a, auto b) { return formula::maximum(a, b); });
  return op;
}
static const PointwiseOperator &smallest() {
  static const PointwiseOperator op = detail::makeOperator<2, kReal>(
      kPlain, [](auto a, auto b) { return formula::minimum(a, b); });
  return op;
}

/// Bounds with dimensions must not widen what is in place, so both are applied
/// in one promotion.
static Values clampBetween(const std::vector<OpValue> &operands, bool hasMin,
                           bool hasMax) {
  static const PointwiseOperator both =
      detail::makeOperator<3, kFloat | kInteger>(
          kPlain, [](auto x, auto low, auto high) {
            return formula::minimum(formula::maximum(x, low), high);
          });
  static const PointwiseOperator low =
      detail::makeOperator<2, kFloat | kInteger>(
          kPlain,
          [](auto x, auto bound) { return formula::maximum(x, bound); });
  static const PointwiseOperator high =
      detail::makeOperator<2, kFloat | kInteger>(
          kPlain,
          [](auto x, auto bound) { return formula::minimum(x, bound); });
  return {evaluate(hasMin && hasMax ? both : hasMin ? low : high, operands)};
}

static Values clamp(const Args &args) {
  bool hasMin = !args.isNone(1), hasMax = !args.isNone(2);
  require(hasMin || hasMax, {"expected at least one of 'min' and 'max'"});
  std::vector<OpValue> operands = {args.tensor(0)};
  if (hasMin)
    operands.push_back(args[1]);
  if (hasMax)
    operands.push_back(args[2]);
  return clampBetween(operands, hasMin, hasMax);
}
static Values clampMin(const Args &args) {
  return clampBetween(detail::firstOperands(args, 2), true, false);
}
static Values clampMax(const Args &args) {
  return clampBetween(detail::firstOperands(args, 2), false, true);
}
static Values maximumOf(const Args &args) {
  return {evaluate(largest(), detail::firstOperands(args, 2))};
}
static Values minimumOf(const Args &args) {
  return {evaluate(smallest(), detail::firstOperands(args, 2))};
}

static Values where(const Args &args) {
  static const auto op = detail::makeOperator<3, kNumber | kSmallFloat>(
      {kNumber, Kind::Default, 6, false},
      [](auto condition, auto a, auto b) {
        return condition != decltype(a)(0) ? a : b;
      });
  DType dtype = args.tensor(0).dtype();
  require(dtype == DType::Bool || dtype == DType::U8,
          {"expected a bool condition, found ", dtype});
  return {evaluate(op, detail::firstOperands(args, 3))};
}

static Values maskedFill(const Args &args) {
  static const PointwiseOperator op = detail::makeOperator<3, kNumber>(
      {kNumber, Kind::KeepFirst, 5, false},
      [](auto x, auto mask, auto value) {
        return mask != decltype(x)(0) ? value : x;
      });
  const Tensor &x = args.tensor(0), &mask = args.tensor(1);
  require(mask.dtype() == DType::Bool,
          {"expected a bool mask, found ", mask.dtype()});
  OpValue value = args[2];
  if (value.isTensor()) {
    const Tensor &tensor = args.tensor(2);
    require(tensor.rank() == 0,
            {"expected a value of rank 0, found ", tensor});
    require(!isComplex(tensor.dtype()) || isComplex(x.dtype()),
            {"cannot fill ", x.dtype(), " with ", tensor.dtype()});
  } else {
    requireRepresentable(value, x.dtype());
  }
  return {evaluate(op, {x, mask, value})};
}

static void addChoices(Table &table) {
  table.both<clamp>("clamp", "default");
  table.both<clamp>("clamp", "Tensor");
  table.both<clampMin>("clamp_min", "default");
  table.both<clampMax>("clamp_max", "default");
  table.both<maximumOf>("clamp_min", "Tensor");
  table.both<minimumOf>("clamp_max", "Tensor");
  table.op<maximumOf>("maximum.default");
  table.op<maximumOf>("max.other");
  table.op<minimumOf>("minimum.default");
  table.op<minimumOf>("min.other");
  for (const char *overload : {"self", "Scalar", "ScalarOther", "ScalarSelf"})
    table.op<where>(std::string("where.") + overload);
  table.both<maskedFill>("masked_fill", "Scalar");
  table.both<maskedFill>("masked_fill", "Tensor");
  pointwise<2, kReal>(table, "fmax.default", kPlain, [](auto a, auto b) {
    return isNan(b) ? a : isNan(a) || b > a ? b : a;
  });
  pointwise<2, kReal>(table, "fmin.default", kPlain, [](auto a, auto b) {
    return isNan(b) ? a : isNan(a) || b < a ? b : a;
  });
}

//===----------------------------------------------------------------------===//
// Functions of two and three operands
//===----------------------------------------------------------------------===//

/// The next value of the tensor's own type, not of the compute type.
static Values nextAfter(const Args &args) {
  Promotion promotion;
  promotion.add(args.tensor(0));
  promotion.add(args.tensor(1));
  Tensor a = inDType(args.tensor(0), promotion.result());
  Tensor b = inDType(args.tensor(1), promotion.result());
  requireFloat(a);
  Ints sizes = broadcastSizes(a.sizes(), b.sizes());
  auto x = readAll<double>(expandTo(a, sizes));
  auto y = readAll<double>(expandTo(b, sizes));
  int digits = a.dtype() == DType::BF16 ? 7 : a.dtype() == DType::F16 ? 10 : 0;
  int lowest = a.dtype() == DType::BF16 ? -133 : -24;
  for (size_t i = 0; i < x.size(); ++i) {
    if (a.dtype() == DType::F64) {
      x[i] = std::nextafter(x[i], y[i]);
    } else if (a.dtype() == DType::F32) {
      x[i] = std::nextafter(float(x[i]), float(y[i]));
    } else if (x[i] != x[i] || y[i] != y[i]) {
      x[i] = NAN;
    } else if (x[i] != y[i]) {
      bool up = y[i] > x[i];
      int exponent = x[i] == 0 ? lowest : std::ilogb(x[i]) - digits;
      // just below a power of two the spacing halves
      int unused;
      bool towardZero = up == (x[i] < 0);
      if (towardZero && std::fabs(std::frexp(x[i], &unused)) == 0.5)
        --exponent;
      double step = std::ldexp(1.0, std::max(exponent, lowest));
      x[i] = up ? x[i] + step : x[i] - step;
    }
  }
  return {makeTensor(a.dtype(), sizes, x)};
}

template <unsigned Which> static Values lerp(const Args &args) {
  static const PointwiseOperator op =
      detail::makeOperator<3, kFloat | kComplex>(
          {kFloat, Kind::KeepFirst, Which, false},
          [](auto start, auto end, auto weight) {
            using T = decltype(start);
            return std::abs(weight) < 0.5
                       ? start + weight * (end - start)
                       : end - (end - start) * (T(1) - weight);
          });
  requireSameDType(args.tensor(0), args.tensor(1));
  if (args[2].isTensor())
    requireSameDType(args.tensor(0), args.tensor(2));
  return {evaluate(op, detail::firstOperands(args, 3))};
}

template <bool Divides> static Values addProduct(const Args &args) {
  constexpr unsigned accepts = Divides ? kFloat | kComplex : kNumber & ~kBool;
  static const PointwiseOperator op = detail::makeOperator<4, accepts>(
      {accepts, Kind::Default, 7, false},
      [](auto x, auto a, auto b, auto value) {
        if constexpr (Divides)
          return x + value * a / b;
        else
          return add(x, mul(mul(value, a), b));
      });
  require(!Divides || !isBoolOrInteger(args.tensor(1).dtype()) ||
              !isBoolOrInteger(args.tensor(2).dtype()),
          {"expected a quotient of floats, found ", args.tensor(1), " and ",
           args.tensor(2)});
  auto operands = detail::firstOperands(args, 3);
  operands.push_back(args.isNone(3) ? OpValue(int64_t(1)) : args[3]);
  return {evaluate(op, operands)};
}

static void addFunctions(Table &table) {
  pointwiseBoth<2, kFloat>(table, "atan2", {"default"},
                           {kFloat, Kind::IntToFloat, ~0u, true},
                           [](auto a, auto b) {
                             return std::atan2(double(a), double(b));
                           });
  pointwiseBoth<2, kFloat>(table, "copysign", {"Tensor", "Scalar"}, kToFloat,
                           [](auto a, auto b) { return std::copysign(a, b); });
  pointwise<2, kFloat>(table, "hypot.default", kPlain,
                       [](auto a, auto b) { return std::hypot(a, b); });
  pointwise<2, kInteger>(table, "gcd.default", kPlain, [](auto a, auto b) {
    a = a < 0 ? sub<int64_t>(0, a) : a;
    b = b < 0 ? sub<int64_t>(0, b) : b;
    while (b != 0) {
      int64_t rest = formula::fmod(a, b);
      a = b;
      b = rest;
    }
    return a;
  });
  pointwise<2, kReal>(table, "heaviside.default", kPlain, [](auto x, auto v) {
    using T = decltype(x);
    return isNan(x) ? x : x == 0 ? v : T(x > 0);
  });
  pointwise<2, kFloat>(table, "logaddexp.default", kPlain, [](auto a, auto b) {
    if (std::isinf(a) && a == b)
      return a;
    auto largest = formula::maximum(a, b);
    return largest + std::log1p(std::exp(-std::fabs(a - b)));
  });
  for (const char *overload : {"Tensor", "Scalar_Other", "Scalar_Self"}) {
    auto xlogy = pointwiseFunctions<2, kFloat>(kToFloat, [](auto a, auto b) {
      return isNan(b) ? b : a == 0 ? decltype(a)(0) : a * std::log(b);
    });
    table.add(std::string("xlogy.") + overload, xlogy.functional);
  }
  pointwise<2, kFloat>(
      table, "special_xlog1py.default", kToFloat, [](auto a, auto b) {
        return isNan(b) ? b : a == 0 ? decltype(a)(0) : a * std::log1p(b);
      });
  table.op<nextAfter>("nextafter.default");
  table.both<lerp<3>>("lerp", "Scalar");
  table.both<lerp<7>>("lerp", "Tensor");
  table.both<addProduct<false>>("addcmul", "default");
  table.both<addProduct<true>>("addcdiv", "default");
}

void eager::addBinaryOperators(Table &table) {
  addBinaryArithmetic(table);
  addComparison(table);
  addChoices(table);
  addFunctions(table);
}
