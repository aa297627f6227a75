//===- MathSamples.h - Kernels of one function, and what they are given ---===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_UNITTESTS_TARGET_MATHSAMPLES_H
#define KILN_TEST_UNITTESTS_TARGET_MATHSAMPLES_H

#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace kiln::target {

using Wide = long double;

template <typename T> const char *typeName() {
  return std::is_same_v<T, float> ? "f32" : "f64";
}

/// A kernel @k applying `op` to blocks of `lanes` elements: ptr[0] (and ptr[1])
/// in, ptr[2] out.
inline std::string kernelSource(const std::string &op, bool binary,
                         const std::string &element, unsigned lanes) {
  std::string type =
      lanes == 1 ? element : llvm::formatv("vector<{0}x{1}>", lanes, element);
  return llvm::formatv(R"(
func.func @k(%p: !llvm.ptr, %s: !llvm.ptr, %begin: i64, %end: i64,
             %scratch: !llvm.ptr) {{
  %xp = llvm.load %p : !llvm.ptr -> !llvm.ptr
  %yq = llvm.getelementptr %p[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %yp = llvm.load %yq : !llvm.ptr -> !llvm.ptr
  %rq = llvm.getelementptr %p[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %rp = llvm.load %rq : !llvm.ptr -> !llvm.ptr
  %one = arith.constant 1 : i64
  %lanes = arith.constant {3} : i64
  scf.for %i = %begin to %end step %one : i64 {{
    %at = arith.muli %i, %lanes : i64
    %xi = llvm.getelementptr %xp[%at] : (!llvm.ptr, i64) -> !llvm.ptr, {1}
    %yi = llvm.getelementptr %yp[%at] : (!llvm.ptr, i64) -> !llvm.ptr, {1}
    %ri = llvm.getelementptr %rp[%at] : (!llvm.ptr, i64) -> !llvm.ptr, {1}
    %x = llvm.load %xi {{alignment = 1 : i64} : !llvm.ptr -> {2}
    %y = llvm.load %yi {{alignment = 1 : i64} : !llvm.ptr -> {2}
    %r = {0} : {2}
    llvm.store %r, %ri {{alignment = 1 : i64} : {2}, !llvm.ptr
  }
  return
})",
                       op + (binary ? " %x, %y" : " %x"), element, type,
                       lanes);
}

/// |a - b| in units of the last place of the true value `b`.
template <typename T> double ulpDistance(T a, Wide b) {
  if (std::isnan(b))
    return std::isnan(a) ? 0 : 1e30;
  if (std::isnan(a))
    return 1e30;
  T rounded = static_cast<T>(b);
  if (std::isinf(rounded) || std::isinf(a) || rounded == 0) {
    if (a == rounded)
      return rounded == 0 && std::signbit(a) != std::signbit(rounded) ? 1e30
                                                                      : 0;
    if (!std::isinf(rounded) && !std::isinf(a))
      return static_cast<double>(std::fabs(a - b) /
                                 std::numeric_limits<T>::denorm_min());
    // One step from infinity is as good as any other.
    return std::isinf(a) != std::isinf(rounded) &&
                   std::fabs(std::isinf(a) ? b : Wide(a)) >
                       std::numeric_limits<T>::max() * Wide(0.9999999)
               ? 1
               : 1e30;
  }
  int exponent;
  std::frexp(b, &exponent);
  int last = std::max(exponent - std::numeric_limits<T>::digits,
                      std::numeric_limits<T>::min_exponent -
                          std::numeric_limits<T>::digits);
  return static_cast<double>(std::fabs(Wide(a) - b) /
                             std::ldexp(Wide(1), last));
}

template <typename T> std::vector<T> specialValues() {
  using L = std::numeric_limits<T>;
  std::vector<T> values;
  for (T v : {T(0), L::denorm_min(), L::denorm_min() * 77, L::min() / 2,
              L::min(), L::epsilon(), T(1e-3), T(0.5), T(0.92), T(0.999999),
              T(1), T(1) + L::epsilon(), T(1.5), T(2), T(2.5), T(3), T(4),
              T(10), T(22), T(27), T(88.7), T(89), T(100), T(104), T(128),
              T(709.7), T(710), T(745), T(1e5), T(1e8), T(3.2e9), L::max() / 2,
              L::max(), L::infinity(), L::quiet_NaN()}) {
    values.push_back(v);
    values.push_back(-v);
    values.push_back(std::nextafter(v, L::infinity()));
    values.push_back(std::nextafter(v, T(0)));
  }
  for (int k = -20; k <= 20; ++k) {
    T multiple = static_cast<T>(k * 1.57079632679489661923L);
    values.push_back(multiple);
    values.push_back(std::nextafter(multiple, L::infinity()));
    values.push_back(static_cast<T>(k) / 2);
  }
  return values;
}

/// Values of all magnitudes, and many of those where functions are curved.
template <typename T> std::vector<T> samples(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values = specialValues<T>();
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  std::uniform_real_distribution<double> unit(-1, 1), wide(-750, 750),
      middle(-20, 20);
  while (values.size() < count) {
    Bits bits = static_cast<Bits>(random());
    T any;
    std::memcpy(&any, &bits, sizeof(T));
    values.push_back(any);
    values.push_back(static_cast<T>(unit(random)));
    values.push_back(static_cast<T>(middle(random)));
    values.push_back(static_cast<T>(wide(random) / (sizeof(T) == 4 ? 7 : 1)));
    values.push_back(static_cast<T>(std::exp(middle(random))));
  }
  return values;
}

} // namespace kiln::target

#endif // KILN_TEST_UNITTESTS_TARGET_MATHSAMPLES_H
