//===- Formulas.h - Scalar formulas shared by operators -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formulas on one element, for every compute type that makes sense. Integer
// arithmetic wraps; nothing here is undefined for any input.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_EAGER_FORMULAS_H
#define KILN_LIB_EAGER_FORMULAS_H

#include "Support.h"

#include <cmath>
#include <complex>
#include <limits>

namespace kiln::eager::formula {

template <typename T> constexpr bool isInt = std::is_same_v<T, int64_t>;

template <typename T> T add(T a, T b) {
  if constexpr (isInt<T>)
    return int64_t(uint64_t(a) + uint64_t(b));
  else
    return a + b;
}
template <typename T> T sub(T a, T b) {
  if constexpr (isInt<T>)
    return int64_t(uint64_t(a) - uint64_t(b));
  else
    return a - b;
}
template <typename T> T mul(T a, T b) {
  if constexpr (isInt<T>)
    return int64_t(uint64_t(a) * uint64_t(b));
  else
    return a * b;
}
template <typename T> bool isNan(T a) {
  if constexpr (std::is_floating_point_v<T>)
    return std::isnan(a);
  else if constexpr (isInt<T>)
    return false;
  else
    return std::isnan(a.real()) || std::isnan(a.imag());
}
/// NaN wins.
template <typename T> T maximum(T a, T b) {
  return isNan(a) || a > b ? a : b;
}
template <typename T> T minimum(T a, T b) {
  return isNan(a) || a < b ? a : b;
}
template <typename T> T sign(T a) {
  return static_cast<T>((a > T(0)) - (a < T(0)));
}

template <typename T> T truncDivide(T a, T b) {
  if constexpr (isInt<T>) {
    require(b != 0, {"division of an integer by zero"});
    return b == -1 ? sub<int64_t>(0, a) : a / b;
  } else {
    return std::trunc(a / b);
  }
}
template <typename T> T floorDivide(T a, T b) {
  if constexpr (isInt<T>) {
    T quotient = truncDivide(a, b);
    return quotient - (b != -1 && a % b != 0 && (a < 0) != (b < 0));
  } else {
    if (b == 0)
      return a / b;
    T rest = std::fmod(a, b), quotient = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0))
      quotient -= 1;
    if (quotient == 0)
      return std::copysign(T(0), a / b);
    T floored = std::floor(quotient);
    return quotient - floored > T(0.5) ? floored + 1 : floored;
  }
}
/// The remainder with the sign of the dividend.
template <typename T> T fmod(T a, T b) {
  if constexpr (isInt<T>) {
    require(b != 0, {"remainder of an integer by zero"});
    return b == -1 ? 0 : a % b;
  } else {
    return std::fmod(a, b);
  }
}
/// The remainder with the sign of the divisor.
template <typename T> T remainder(T a, T b) {
  T rest = fmod(a, b);
  return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
}
template <typename T> T power(T base, T exponent) {
  if constexpr (isInt<T>) {
    if (exponent < 0) {
      if (base == 1)
        return 1;
      return base == -1 ? (exponent % 2 ? -1 : 1) : 0;
    }
    T result = 1;
    for (; exponent; exponent >>= 1, base = mul(base, base))
      if (exponent & 1)
        result = mul(result, base);
    return result;
  } else {
    using std::pow;
    if constexpr (!std::is_floating_point_v<T>) {
      if (exponent == T(2))
        return base * base;
      if (exponent == T(0))
        return T(1);
    }
    return pow(base, exponent);
  }
}

template <typename T> T sigmoid(T x) { return T(1) / (T(1) + std::exp(-x)); }
template <typename T> T softplusOne(T x) {
  return std::max(x, T(0)) + std::log1p(std::exp(-std::fabs(x)));
}
template <typename T> T normalCdf(T x) {
  return T(0.5) * (T(1) + std::erf(x * T(M_SQRT1_2)));
}
template <typename T> T normalPdf(T x) {
  return std::exp(T(-0.5) * x * x) * T(0.3989422804014327);
}
template <typename T> T geluTanhArgument(T x) {
  return T(0.7978845608028654) * (x + T(0.044715) * x * x * x);
}

double digamma(double x);
/// The derivative of order n of digamma.
double polygamma(int64_t n, double x);
double erfinv(double x);

} // namespace kiln::eager::formula

#endif // KILN_LIB_EAGER_FORMULAS_H
