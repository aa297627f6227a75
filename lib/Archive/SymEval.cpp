//===- SymEval.cpp - Evaluating symbolic sizes ---------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Python semantics with 64-bit integers: fractions stay exact (n / d in lowest
// terms) until a float takes part, `//` and `%` round toward minus infinity,
// and an overflow is an error instead of a wrong number.
//
//===----------------------------------------------------------------------===//

#include "kiln/Archive/SymExpr.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace kiln;
using namespace kiln::archive;

namespace {

/// A bool, an exact fraction or a double.
struct Number {
  enum Kind { Bool, Exact, Float } kind = Exact;
  int64_t n = 0;
  int64_t d = 1;
  double f = 0;

  bool isFloat() const { return kind == Float; }
  bool isInteger() const { return kind != Float && d == 1; }
  double toDouble() const {
    return isFloat() ? f : static_cast<double>(n) / static_cast<double>(d);
  }
  bool truth() const { return isFloat() ? f != 0 : n != 0; }
};

Error overflow() {
  return Error::malformed("a symbolic expression overflows 64 bits");
}
Error divisionByZero() {
  return Error::malformed("a symbolic expression divides by zero");
}

Number integer(int64_t value) { return {Number::Exact, value, 1, 0}; }
Number boolean(bool value) { return {Number::Bool, value, 1, 0}; }
Number floating(double value) { return {Number::Float, 0, 1, value}; }

Result<Number> fraction(__int128 n, __int128 d) {
  if (d < 0) {
    n = -n;
    d = -d;
  }
  __int128 a = n < 0 ? -n : n, b = d;
  while (b != 0) {
    __int128 rest = a % b;
    a = b;
    b = rest;
  }
  if (a > 1) {
    n /= a;
    d /= a;
  }
  if (n > INT64_MAX || n < INT64_MIN || d > INT64_MAX)
    return overflow();
  return Number{Number::Exact, static_cast<int64_t>(n),
                static_cast<int64_t>(d), 0};
}

Result<Number> add(const Number &a, const Number &b) {
  if (a.isFloat() || b.isFloat())
    return floating(a.toDouble() + b.toDouble());
  if (a.d == 1 && b.d == 1)
    return fraction(static_cast<__int128>(a.n) + b.n, 1);
  __int128 left = static_cast<__int128>(a.n) * b.d;
  __int128 right = static_cast<__int128>(b.n) * a.d;
  __int128 sum;
  if (__builtin_add_overflow(left, right, &sum))
    return overflow();
  return fraction(sum, static_cast<__int128>(a.d) * b.d);
}

Result<Number> multiply(const Number &a, const Number &b) {
  if (a.isFloat() || b.isFloat())
    return floating(a.toDouble() * b.toDouble());
  return fraction(static_cast<__int128>(a.n) * b.n,
                  static_cast<__int128>(a.d) * b.d);
}

/// -1, 0, 1, or 2 if unordered.
int compare(const Number &a, const Number &b) {
  if (a.isFloat() || b.isFloat()) {
    double x = a.toDouble(), y = b.toDouble();
    if (std::isnan(x) || std::isnan(y))
      return 2;
    return x < y ? -1 : x > y;
  }
  __int128 x = static_cast<__int128>(a.n) * b.d;
  __int128 y = static_cast<__int128>(b.n) * a.d;
  return x < y ? -1 : x > y;
}

__int128 floorDivide(__int128 a, __int128 b) {
  __int128 q = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}

Result<Number> floorDivide(const Number &a, const Number &b) {
  if (!b.truth())
    return divisionByZero();
  if (a.isFloat() || b.isFloat())
    return floating(std::floor(a.toDouble() / b.toDouble()));
  __int128 x = static_cast<__int128>(a.n) * b.d;
  __int128 y = static_cast<__int128>(b.n) * a.d;
  return fraction(floorDivide(x, y), 1);
}

Result<Number> modulo(const Number &a, const Number &b) {
  if (!b.truth())
    return divisionByZero();
  if (a.isFloat() || b.isFloat()) {
    double x = a.toDouble(), y = b.toDouble(), rest = std::fmod(x, y);
    return floating(rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest);
  }
  auto quotient = floorDivide(a, b);
  if (!quotient)
    return quotient;
  auto product = multiply(*quotient, b);
  if (!product)
    return product;
  auto negated = multiply(*product, integer(-1));
  return negated ? add(a, *negated) : negated;
}

Result<Number> power(const Number &base, const Number &exponent) {
  if (base.isFloat() || !exponent.isInteger())
    return floating(std::pow(base.toDouble(), exponent.toDouble()));
  int64_t count = exponent.n;
  Number factor = base;
  if (count < 0) {
    if (base.n == 0)
      return divisionByZero();
    if (count == INT64_MIN)
      return overflow();
    auto inverse = fraction(base.d, base.n);
    if (!inverse)
      return inverse;
    factor = *inverse;
    count = -count;
  }
  Number result = integer(1);
  while (count > 0) {
    if (count & 1) {
      auto next = multiply(result, factor);
      if (!next)
        return next;
      result = *next;
    }
    count >>= 1;
    if (count == 0)
      break;
    auto square = multiply(factor, factor);
    if (!square)
      return square;
    factor = *square;
  }
  return result;
}

Result<Number> toInteger(double value) {
  // 2^63 itself is a double, INT64_MAX is not.
  if (!(value >= -9223372036854775808.0 && value < 9223372036854775808.0))
    return overflow();
  return integer(static_cast<int64_t>(value));
}

Result<Number> unary(const std::string &name, double x) {
  if (name == "sqrt")
    return floating(std::sqrt(x));
  if (name == "cos")
    return floating(std::cos(x));
  if (name == "cosh")
    return floating(std::cosh(x));
  if (name == "sin")
    return floating(std::sin(x));
  if (name == "sinh")
    return floating(std::sinh(x));
  if (name == "tan")
    return floating(std::tan(x));
  if (name == "tanh")
    return floating(std::tanh(x));
  if (name == "asin")
    return floating(std::asin(x));
  if (name == "acos")
    return floating(std::acos(x));
  if (name == "atan")
    return floating(std::atan(x));
  if (name == "exp")
    return floating(std::exp(x));
  if (name == "log")
    return floating(std::log(x));
  if (name == "log2")
    return floating(std::log2(x));
  if (name == "asinh")
    return floating(std::asinh(x));
  return Error::unsupported("unknown function '" + name +
                            "' in a symbolic expression");
}

/// round(x, digits) of Python: exact decimal, half to even.
Result<Number> roundDecimal(double x, int64_t digits) {
  if (!std::isfinite(x) || digits > 330)
    return floating(x);
  if (digits < -330)
    return floating(0);
  if (digits < 0) {
    double unit = std::pow(10.0, static_cast<double>(-digits));
    return floating(std::nearbyint(x / unit) * unit);
  }
  char buffer[700];
  std::snprintf(buffer, sizeof(buffer), "%.*f", static_cast<int>(digits), x);
  return floating(std::strtod(buffer, nullptr));
}

class Evaluator {
public:
  explicit Evaluator(const SymEnvironment &environment)
      : environment_(environment) {}

  Result<Number> value(const SymExpr &expr) {
    switch (expr.kind) {
    case SymKind::Integer:
      return integer(expr.integer);
    case SymKind::Rational:
      return fraction(expr.integer, expr.denominator);
    case SymKind::Float:
      return floating(expr.number);
    case SymKind::Bool:
      return boolean(expr.integer != 0);
    case SymKind::Symbol:
    case SymKind::InputSize:
    case SymKind::InputStride:
    case SymKind::InputStorageOffset:
    case SymKind::InputValue:
      return leaf(expr);
    case SymKind::And:
    case SymKind::Or:
      return logic(expr);
    case SymKind::Where:
    case SymKind::Piecewise:
      return select(expr);
    default:
      break;
    }
    std::vector<Number> operands;
    operands.reserve(expr.operands.size());
    for (const SymExprPtr &operand : expr.operands) {
      auto number = value(*operand);
      if (!number)
        return number;
      operands.push_back(*number);
    }
    return apply(expr, operands);
  }

private:
  Result<Number> leaf(const SymExpr &expr) {
    auto found = environment_(expr);
    if (!found)
      return Error::unsupported("'" + toString(expr) + "' has no value");
    if (auto *b = std::get_if<bool>(&*found))
      return boolean(*b);
    if (auto *i = std::get_if<int64_t>(&*found))
      return integer(*i);
    return floating(std::get<double>(*found));
  }

  Result<Number> logic(const SymExpr &expr) {
    bool isAnd = expr.kind == SymKind::And;
    for (const SymExprPtr &operand : expr.operands) {
      auto number = value(*operand);
      if (!number)
        return number;
      if (number->truth() != isAnd)
        return boolean(!isAnd);
    }
    return boolean(isAnd);
  }

  Result<Number> select(const SymExpr &expr) {
    if (expr.kind == SymKind::Where) {
      auto condition = value(*expr.operands[0]);
      if (!condition)
        return condition;
      return value(*expr.operands[condition->truth() ? 1 : 2]);
    }
    for (const SymExprPtr &pair : expr.operands) {
      auto condition = value(*pair->operands[1]);
      if (!condition)
        return condition;
      if (condition->truth())
        return value(*pair->operands[0]);
    }
    return Error::malformed("no case of a 'Piecewise' expression holds");
  }

  // Families of functions; nothing for a kind of another family.

  /// Of any number of operands.
  std::optional<Result<Number>> fold(const SymExpr &expr,
                                     const std::vector<Number> &v) {
    switch (expr.kind) {
    case SymKind::Add:
    case SymKind::Mul: {
      Number total = v[0];
      if (total.kind == Number::Bool)
        total.kind = Number::Exact;
      for (size_t i = 1; i < v.size(); ++i) {
        auto next = expr.kind == SymKind::Add ? add(total, v[i])
                                              : multiply(total, v[i]);
        if (!next)
          return next;
        total = *next;
      }
      return total;
    }
    case SymKind::Max:
    case SymKind::Min: {
      Number best = v[0];
      int wanted = expr.kind == SymKind::Max ? 1 : -1;
      for (const Number &candidate : v)
        if (compare(candidate, best) == wanted)
          best = candidate;
      return best;
    }
    default:
      return std::nullopt;
    }
  }

  /// Quotients and what they leave.
  std::optional<Result<Number>> divide(const SymExpr &expr,
                                       const std::vector<Number> &v) {
    switch (expr.kind) {
    case SymKind::FloorDiv:
      return floorDivide(v[0], v[1]);
    case SymKind::CleanDiv:
      return divideExactly(v[0], v[1]);
    case SymKind::CeilDiv: {
      auto negated = multiply(v[0], integer(-1));
      if (!negated)
        return negated;
      auto quotient = floorDivide(*negated, v[1]);
      return quotient ? multiply(*quotient, integer(-1)) : quotient;
    }
    case SymKind::Mod:
    case SymKind::PythonMod:
      return modulo(v[0], v[1]);
    case SymKind::ModularIndexing: {
      auto quotient = floorDivide(v[0], v[1]);
      return quotient ? modulo(*quotient, v[2]) : quotient;
    }
    case SymKind::IntTrueDiv:
    case SymKind::FloatTrueDiv:
      if (!v[1].truth())
        return divisionByZero();
      return floating(v[0].toDouble() / v[1].toDouble());
    default:
      return std::nullopt;
    }
  }

  /// To integers, or to fewer digits.
  std::optional<Result<Number>> round(const SymExpr &expr,
                                      const std::vector<Number> &v) {
    switch (expr.kind) {
    case SymKind::ToFloat:
      return floating(v[0].toDouble());
    case SymKind::TruncToInt:
      return v[0].isInteger() ? v[0] : toInteger(std::trunc(v[0].toDouble()));
    case SymKind::FloorToInt:
      return v[0].isInteger() ? v[0] : toInteger(std::floor(v[0].toDouble()));
    case SymKind::CeilToInt:
      return v[0].isInteger() ? v[0] : toInteger(std::ceil(v[0].toDouble()));
    case SymKind::RoundToInt:
      return v[0].isInteger() ? v[0]
                              : toInteger(std::nearbyint(v[0].toDouble()));
    case SymKind::TruncToFloat:
      return floating(std::trunc(v[0].toDouble()));
    case SymKind::RoundDecimal:
      if (!v[1].isInteger())
        return Error::malformed("'RoundDecimal' wants an integer of digits");
      return roundDecimal(v[0].toDouble(), v[1].n);
    default:
      return std::nullopt;
    }
  }

  /// Comparisons, and what is not true.
  std::optional<Result<Number>> relate(const SymExpr &expr,
                                       const std::vector<Number> &v) {
    switch (expr.kind) {
    case SymKind::Not:
      return boolean(!v[0].truth());
    case SymKind::Eq:
      return boolean(compare(v[0], v[1]) == 0);
    case SymKind::Ne:
      return boolean(compare(v[0], v[1]) != 0);
    case SymKind::Le:
      return boolean(compare(v[0], v[1]) <= 0);
    case SymKind::Lt:
      return boolean(compare(v[0], v[1]) == -1);
    case SymKind::Ge: {
      int order = compare(v[0], v[1]);
      return boolean(order == 0 || order == 1);
    }
    case SymKind::Gt:
      return boolean(compare(v[0], v[1]) == 1);
    default:
      return std::nullopt;
    }
  }

  Result<Number> apply(const SymExpr &expr, const std::vector<Number> &v) {
    for (auto family : {&Evaluator::fold, &Evaluator::divide,
                        &Evaluator::round, &Evaluator::relate})
      if (auto result = (this->*family)(expr, v))
        return std::move(*result);
    switch (expr.kind) {
    case SymKind::Pow:
    case SymKind::PowByNatural:
      return power(v[0], v[1]);
    case SymKind::FloatPow:
      return floating(std::pow(v[0].toDouble(), v[1].toDouble()));
    case SymKind::LShift:
    case SymKind::RShift:
    case SymKind::BitwiseAnd:
    case SymKind::BitwiseOr:
    case SymKind::BitwiseXor:
      return bits(expr.kind, v[0], v[1]);
    case SymKind::Abs:
      if (v[0].isFloat())
        return floating(std::fabs(v[0].f));
      return v[0].n < 0 ? multiply(v[0], integer(-1)) : v[0];
    case SymKind::UnaryFn:
      return unary(expr.name, v[0].toDouble());
    case SymKind::Identity:
      return v[0];
    case SymKind::IsNonOverlappingAndDense:
      return isDense(v);
    default:
      return Error::malformed("'" + std::string(symKindName(expr.kind)) +
                              "' cannot stand alone");
    }
  }

  Result<Number> divideExactly(const Number &a, const Number &b) {
    auto rest = modulo(a, b);
    if (!rest)
      return rest;
    if (rest->truth())
      return Error::malformed("an exact division of a symbolic expression "
                              "leaves a rest");
    return floorDivide(a, b);
  }

  Result<Number> bits(SymKind kind, const Number &a, const Number &b) {
    if (!a.isInteger() || !b.isInteger())
      return Error::malformed("'" + std::string(symKindName(kind)) +
                              "' wants integers");
    switch (kind) {
    case SymKind::LShift:
      if (b.n < 0)
        return Error::malformed("negative shift in a symbolic expression");
      if (a.n == 0)
        return integer(0);
      if (b.n > 62)
        return overflow();
      return fraction(static_cast<__int128>(a.n) * (__int128(1) << b.n), 1);
    case SymKind::RShift:
      if (b.n < 0)
        return Error::malformed("negative shift in a symbolic expression");
      return integer(a.n >> std::min<int64_t>(b.n, 63));
    case SymKind::BitwiseAnd:
      return integer(a.n & b.n);
    case SymKind::BitwiseOr:
      return integer(a.n | b.n);
    default:
      return integer(a.n ^ b.n);
    }
  }

  Result<Number> isDense(const std::vector<Number> &v) {
    if (v.size() % 2 != 0)
      return Error::malformed("sizes and strides differ in number");
    std::vector<std::pair<int64_t, int64_t>> dims; // stride, size
    for (size_t i = 0; i < v.size() / 2; ++i) {
      const Number &size = v[i], &stride = v[i + v.size() / 2];
      if (!size.isInteger() || !stride.isInteger())
        return Error::malformed("sizes and strides must be integers");
      dims.emplace_back(stride.n, size.n);
    }
    std::sort(dims.begin(), dims.end());
    int64_t expected = 1;
    for (const auto &[stride, size] : dims) {
      if (size == 1)
        continue;
      if (stride != expected)
        return integer(0);
      if (__builtin_mul_overflow(expected, size, &expected))
        return overflow();
    }
    return integer(1);
  }

  const SymEnvironment &environment_;
};

} // namespace

Result<SymValue> archive::evaluate(const SymExpr &expr,
                                   const SymEnvironment &environment) {
  auto number = Evaluator(environment).value(expr);
  if (!number)
    return number.takeError();
  if (number->kind == Number::Bool)
    return SymValue(number->n != 0);
  if (number->isInteger())
    return SymValue(number->n);
  return SymValue(number->toDouble());
}
