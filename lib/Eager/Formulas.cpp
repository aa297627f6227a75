//===- Formulas.cpp - Special functions that <cmath> lacks ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Formulas.h"

using namespace kiln::eager;

/// Recurrence up to 10, then the asymptotic series; reflection below zero.
double formula::digamma(double x) {
  if (x == 0)
    return std::copysign(INFINITY, -x);
  if (x < 0) {
    if (x == std::trunc(x))
      return NAN;
    // From the nearest whole number: exact, and all digits count near a pole.
    double fraction = x - std::nearbyint(x);
    return digamma(1 - x) - M_PI / std::tan(M_PI * fraction);
  }
  double result = 0;
  for (; x < 10; x += 1)
    result -= 1 / x;
  double inverse = 1 / (x * x);
  double series =
      inverse *
      (1.0 / 12 -
       inverse * (1.0 / 120 -
                  inverse *
                      (1.0 / 252 -
                       inverse *
                           (1.0 / 240 -
                            inverse * (1.0 / 132 -
                                       inverse * (691.0 / 32760 -
                                                  inverse / 12))))));
  return result + std::log(x) - 0.5 / x - series;
}

/// The sum of (x + k)^-s over all k >= 0, by Euler and Maclaurin: the first
/// terms as they are, then the integral and its corrections.
static double hurwitzZeta(double s, double x) {
  if (x <= 0 && x == std::floor(x))
    return INFINITY;
  double sum = 0, at = x;
  for (int i = 0; i < 12 || at < 12; ++i, at += 1)
    sum += std::pow(at, -s);
  double power = std::pow(at, -s);
  sum += power * at / (s - 1) + power / 2;
  // Bernoulli numbers over factorials, B_2k / (2k)!.
  const double ratios[] = {1.0 / 12,          -1.0 / 720,
                           1.0 / 30240,       -1.0 / 1209600,
                           1.0 / 47900160,    -691.0 / 1307674368000,
                           1.0 / 74724249600, -3617.0 / 10670622842880000};
  double factor = s * power / at;
  for (int k = 0; k < 8; ++k) {
    sum += ratios[k] * factor;
    factor *= (s + 2 * k + 1) * (s + 2 * k + 2) / (at * at);
  }
  return sum;
}

/// PyTorch's, which has eleven digits: six terms, then the asymptotic series;
/// reflection below a half.
static double trigamma(double x) {
  double sign = 1, result = 0;
  if (x < 0.5) {
    double sine = std::sin(M_PI * x);
    sign = -1;
    result = -M_PI * M_PI / (sine * sine);
    x = 1 - x;
  }
  for (int i = 0; i < 6; ++i, x += 1)
    result += 1 / (x * x);
  double inverse = 1 / (x * x);
  result += (1 + 1 / (2 * x) +
             inverse * (1.0 / 6 - inverse * (1.0 / 30 - inverse / 42))) /
            x;
  return sign * result;
}

double formula::polygamma(int64_t n, double x) {
  if (n == 0)
    return digamma(x);
  if (n == 1)
    return trigamma(x);
  double order = double(n);
  double sign = n % 2 == 1 ? 1 : -1;
  return sign * std::tgamma(order + 1) * hurwitzZeta(order + 1, x);
}

/// PyTorch's rational start, refined by Newton steps; near one, 1 - erf keeps the
/// digits that erf has lost.
double formula::erfinv(double x) {
  double magnitude = std::fabs(x), y;
  if (!(magnitude < 1))
    return magnitude == 1 ? std::copysign(INFINITY, x) : NAN;
  if (magnitude <= 0.7) {
    double z = x * x;
    y = x *
        (((-0.140543331 * z + 0.914624893) * z - 1.645349621) * z +
         0.886226899) /
        ((((0.012229801 * z - 0.329097515) * z + 1.442710462) * z -
          2.118377725) *
             z +
         1);
  } else {
    double w = std::sqrt(-std::log((1 - magnitude) / 2));
    y = std::copysign(((1.641345311 * w + 3.429567803) * w - 1.624906493) * w -
                          1.970840454,
                      x) /
        ((1.6370678 * w + 3.5438892) * w + 1);
  }
  for (int step = 0; step < 3; ++step) {
    double tail = (1 - magnitude) - std::erfc(std::fabs(y));
    double error = magnitude > 0.5 ? (x < 0 ? -tail : tail) : std::erf(y) - x;
    y -= error / (M_2_SQRTPI * std::exp(-y * y));
  }
  return y;
}
