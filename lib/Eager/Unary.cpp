//===- Unary.cpp - Elementwise functions of one tensor --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Formulas.h"
#include "Operators.h"
#include "PointwiseEngine.h"

using namespace kiln;
using namespace kiln::eager;
using namespace kiln::eager::formula;

/// Adds `name.default` and `name_.default`.
template <unsigned Accepts, typename F>
static void unary(Table &table, const char *name, Kind kind, F f) {
  PointwiseTraits traits;
  traits.kind = kind;
  pointwiseBoth<1, Accepts>(table, name, {"default"}, traits, f);
}

/// sin(x) / x; near 0 the sum of (-1)^k x^2k / (2k + 1)!.
template <typename T> static T sphericalBesselJ0(T x) {
  if (std::isinf(x))
    return 0;
  if (!(std::abs(x) < T(0.5)))
    return std::sin(x) / x;
  T sum = 1, term = 1;
  for (int k = 1; k <= 6; ++k) {
    term *= -x * x / T(2 * k * (2 * k + 1));
    sum += term;
  }
  return sum;
}

// Transcendental functions: integers become f32, complex where std has them.
#define ANALYTIC(NAME)                                                         \
  unary<kFloat | kComplex>(table, #NAME, Kind::IntToFloat,                     \
                           [](auto x) { return std::NAME(x); })
#define TRANSCENDENTAL(NAME, ...)                                              \
  unary<kFloat>(table, #NAME, Kind::IntToFloat, [](auto x) { __VA_ARGS__; })

static void addTranscendental(Table &table) {
  ANALYTIC(acos);
  ANALYTIC(acosh);
  ANALYTIC(asin);
  ANALYTIC(asinh);
  ANALYTIC(atan);
  ANALYTIC(atanh);
  ANALYTIC(cos);
  ANALYTIC(cosh);
  ANALYTIC(sin);
  ANALYTIC(sinh);
  ANALYTIC(tan);
  ANALYTIC(tanh);
  ANALYTIC(exp);
  ANALYTIC(log);
  ANALYTIC(log10);
  ANALYTIC(sqrt);
  TRANSCENDENTAL(erf, return std::erf(x));
  TRANSCENDENTAL(erfc, return std::erfc(x));
  TRANSCENDENTAL(erfinv, return formula::erfinv(x));
  TRANSCENDENTAL(digamma, return formula::digamma(x));
  TRANSCENDENTAL(lgamma, return std::lgamma(x));
  TRANSCENDENTAL(sinc, using T = decltype(x);
                 return x == 0 ? T(1) : std::sin(T(M_PI) * x) / (T(M_PI) * x));
  TRANSCENDENTAL(special_spherical_bessel_j0, return sphericalBesselJ0(x));
  TRANSCENDENTAL(special_entr, using T = decltype(x); if (isNan(x)) return x;
                 return x > 0    ? -x * std::log(x)
                        : x == 0 ? T(0)
                                 : T(-INFINITY));
  // Near zero without the digits that 1 would cost, of complex numbers too.
  unary<kFloat | kComplex>(table, "expm1", Kind::IntToFloat, [](auto x) {
    if constexpr (std::is_floating_point_v<decltype(x)>) {
      return std::expm1(x);
    } else {
      auto a = x.real(), b = x.imag(), half = std::sin(b / 2);
      return decltype(x)(std::expm1(a) * std::cos(b) - 2 * half * half,
                         std::exp(a) * std::sin(b));
    }
  });
  unary<kFloat | kComplex>(table, "log1p", Kind::IntToFloat, [](auto x) {
    if constexpr (std::is_floating_point_v<decltype(x)>) {
      return std::log1p(x);
    } else {
      auto a = x.real(), b = x.imag();
      auto size = std::abs(x) < 0.5 ? std::log1p(a * (2 + a) + b * b) / 2
                                    : std::log(std::hypot(1 + a, b));
      return decltype(x)(size, std::atan2(b, 1 + a));
    }
  });
  unary<kFloat | kComplex>(table, "exp2", Kind::IntToFloat, [](auto x) {
    if constexpr (std::is_floating_point_v<decltype(x)>)
      return std::exp2(x);
    else
      return std::exp(x * decltype(x)(M_LN2));
  });
  unary<kFloat | kComplex>(table, "log2", Kind::IntToFloat, [](auto x) {
    if constexpr (std::is_floating_point_v<decltype(x)>)
      return std::log2(x);
    else
      return std::log(x) / decltype(x)(M_LN2);
  });
  unary<kFloat | kComplex>(table, "reciprocal", Kind::IntToFloat,
                           [](auto x) { return decltype(x)(1) / x; });
  unary<kFloat | kComplex>(table, "rsqrt", Kind::IntToFloat, [](auto x) {
    return decltype(x)(1) / std::sqrt(x);
  });
  unary<kFloat | kComplex>(
      table, "sigmoid", Kind::IntToFloat,
      [](auto x) { return decltype(x)(1) / (decltype(x)(1) + std::exp(-x)); });
}
#undef ANALYTIC
#undef TRANSCENDENTAL

/// Rounding functions leave integers alone.
static void addUnaryArithmetic(Table &table) {
#define ROUNDING(NAME, FUNCTION)                                               \
  unary<kFloat | kInteger>(table, #NAME, Kind::Default, [](auto x) {           \
    if constexpr (isInt<decltype(x)>)                                          \
      return x;                                                                \
    else                                                                       \
      return FUNCTION(x);                                                      \
  })
  ROUNDING(ceil, std::ceil);
  ROUNDING(floor, std::floor);
  ROUNDING(trunc, std::trunc);
  ROUNDING(round, std::nearbyint);
#undef ROUNDING
  unary<kFloat>(table, "frac", Kind::Default,
                [](auto x) { return x - std::trunc(x); });
  unary<kFloat | kInteger | kComplex>(
      table, "neg", Kind::Default,
      [](auto x) { return sub(decltype(x)(0), x); });
  unary<kReal>(table, "sign", Kind::Default,
               [](auto x) { return isNan(x) ? decltype(x)(0) : sign(x); });
  unary<kNumber>(table, "sgn", Kind::Default, [](auto x) {
    using T = decltype(x);
    if constexpr (isInt<T> || std::is_floating_point_v<T>)
      return isNan(x) ? T(0) : sign(x);
    else
      return x == T(0) ? T(0) : x / T(std::abs(x));
  });
  unary<kFloat | kInteger>(table, "relu", Kind::Default, [](auto x) {
    return isNan(x) || x > 0 ? x : decltype(x)(0);
  });
}

// Predicates; integers are always finite.
static void addPredicates(Table &table) {
#define PREDICATE(NAME, ACCEPTS, INTEGER, FLOAT)                               \
  pointwise<1, ACCEPTS>(table, #NAME ".default",                               \
                        {kReal, Kind::AlwaysBool, ~0u, false}, [](auto x) {    \
                          if constexpr (isInt<decltype(x)>)                    \
                            return (void)x, INTEGER;                           \
                          else                                                 \
                            return FLOAT;                                      \
                        })
  PREDICATE(isposinf, kReal, false, std::isinf(x) && x > 0);
  PREDICATE(isneginf, kReal, false, std::isinf(x) && x < 0);
  PREDICATE(signbit, kReal, x < 0, std::signbit(x));
#define PREDICATE_COMPLEX(NAME, INTEGER, JOIN)                                 \
  pointwise<1, kNumber | kSmallFloat>(                                         \
      table, #NAME ".default", {kNumber, Kind::AlwaysBool, ~0u, false},        \
      [](auto x) {                                                             \
        using T = decltype(x);                                                 \
        if constexpr (isInt<T>)                                                \
          return (void)x, INTEGER;                                             \
        else if constexpr (std::is_floating_point_v<T>)                        \
          return std::NAME(x);                                                 \
        else                                                                   \
          return std::NAME(x.real()) JOIN std::NAME(x.imag());                 \
      })
  PREDICATE_COMPLEX(isnan, false, ||);
  PREDICATE_COMPLEX(isinf, false, ||);
  PREDICATE_COMPLEX(isfinite, true, &&);
#undef PREDICATE
#undef PREDICATE_COMPLEX
  PointwiseTraits always;
  always.kind = Kind::AlwaysBool;
  pointwiseBoth<1, kNumber>(table, "logical_not", {"default"}, always,
                            [](auto x) { return x == decltype(x)(0); });
}

template <typename F> static Tensor mapComplex(const Tensor &x, F f) {
  std::vector<CDouble> elements = readAll<CDouble>(x);
  std::vector<double> values(elements.size());
  std::transform(elements.begin(), elements.end(), values.begin(), f);
  return makeTensor(realDType(x.dtype()), x.sizes(), values);
}

static const PointwiseOperator &absOfReal() {
  static const PointwiseOperator op =
      detail::makeOperator<1, kFloat | kInteger>({}, [](auto x) {
        if constexpr (isInt<decltype(x)>)
          return x < 0 ? sub<int64_t>(0, x) : x;
        else
          return std::fabs(x);
      });
  return op;
}

/// Of numbers whose parts are f32 or narrower: their squares fit into an f64.
static double magnitudeOfNarrow(CDouble x) {
  double square = x.real() * x.real() + x.imag() * x.imag();
  bool isInfinite = std::isinf(x.real()) || std::isinf(x.imag());
  return isInfinite ? HUGE_VAL : std::sqrt(square);
}

static Values absolute(const Args &args) {
  const Tensor &x = args.tensor(0);
  if (isComplex(x.dtype()) && x.dtype() != DType::C128)
    return {mapComplex(x, [](CDouble c) { return magnitudeOfNarrow(c); })};
  if (isComplex(x.dtype()))
    return {mapComplex(x, [](CDouble c) { return std::abs(c); })};
  return {evaluate(absOfReal(), {x})};
}

static Values angle(const Args &args) {
  static const PointwiseOperator op = detail::makeOperator<1, kFloat>(
      {kFloat, Kind::IntToFloat, ~0u, false}, [](auto x) {
        using T = decltype(x);
        return isNan(x) ? x : x < 0 ? T(M_PI) : T(0);
      });
  const Tensor &x = args.tensor(0);
  if (isComplex(x.dtype()))
    return {mapComplex(x, [](CDouble c) { return std::arg(c); })};
  return {evaluate(op, {x})};
}

static Values bitwiseNot(const Args &args) {
  static const PointwiseOperator onBool = detail::makeOperator<1, kBool>(
      {}, [](auto x) { return int64_t(x == 0); });
  static const PointwiseOperator onInteger =
      detail::makeOperator<1, kInteger>({}, [](auto x) { return ~x; });
  const Tensor &x = args.tensor(0);
  return {evaluate(x.dtype() == DType::Bool ? onBool : onInteger, {x})};
}

static Values nanToNum(const Args &args) {
  static const PointwiseOperator op = detail::makeOperator<4, kFloat>(
      {kFloat, Kind::KeepFirst, ~0u, false},
      [](auto x, auto nan, auto posinf, auto neginf) {
        if (isNan(x))
          return nan;
        return std::isinf(x) ? (x > 0 ? posinf : neginf) : x;
      });
  const Tensor &x = args.tensor(0);
  if (isBoolOrInteger(x.dtype()))
    return {take(x.clone())};
  double limit = x.dtype() == DType::F64    ? std::numeric_limits<double>::max()
                 : x.dtype() == DType::F16  ? 65504.0
                 : x.dtype() == DType::BF16 ? 3.3895313892515355e38
                                            : std::numeric_limits<float>::max();
  return {evaluate(op, {x, args.optNumber(1).value_or(0),
                        args.optNumber(2).value_or(limit),
                        args.optNumber(3).value_or(-limit)})};
}

static Values logit(const Args &args) {
  static const PointwiseOperator op = detail::makeOperator<2, kFloat>(
      {kFloat, Kind::IntToFloat, 1, false}, [](auto x, auto eps) {
        using T = decltype(x);
        if (eps >= 0)
          x = x < eps ? eps : x > 1 - eps ? 1 - eps : x;
        return static_cast<T>(std::log(x / (1 - x)));
      });
  return {evaluate(op, {args.tensor(0), args.optNumber(1).value_or(-1)})};
}

/// Schema: n, self.
static Values polygamma(const Args &args) {
  static const PointwiseOperator op = detail::makeOperator<2, kFloat>(
      {kFloat, Kind::IntToFloat, 1, false}, [](auto x, auto n) {
        using T = decltype(x);
        return static_cast<T>(formula::polygamma(int64_t(n), double(x)));
      });
  require(args.integer(0) >= 0,
          {"expected an order that is not negative, found ", args.integer(0)});
  return {evaluate(op, {args.tensor(1), double(args.integer(0))})};
}

static Values square(const Args &args) {
  static const PointwiseOperator op = detail::makeOperator<2, kNumber>(
      {}, [](auto x, auto) { return mul(x, x); });
  // the exponent only takes part in promotion: bool squares to i64
  return {evaluate(op, {args.tensor(0), int64_t(2)})};
}

void eager::addUnaryOperators(Table &table) {
  addTranscendental(table);
  addUnaryArithmetic(table);
  addPredicates(table);
  table.both<absolute>("abs", "default");
  table.op<angle>("angle.default");
  table.both<bitwiseNot>("bitwise_not", "default");
  table.both<nanToNum>("nan_to_num", "default");
  table.op<logit>("logit.default");
  table.op<polygamma>("polygamma.default");
  table.both<square>("square", "default");
}
