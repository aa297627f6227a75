//===- Elements.h - Reading and writing elements in a compute type --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators compute in five types, not in twenty: float (for f16, bf16, f32),
// double, int64_t (for bool and all integers), and the two complex types.
// Elements are converted when they are read and rounded once when they are
// written. This keeps the code small, and it is what PyTorch's CPU kernels mean
// by their "opmath" type.
//
// Most operators work on `readAll` (a dense row-major vector); the pointwise
// engine streams chunks through `loadElements` and `storeElements`.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_EAGER_ELEMENTS_H
#define KILN_LIB_EAGER_ELEMENTS_H

#include "Support.h"

#include <array>
#include <complex>

namespace kiln::eager {

using CFloat = std::complex<float>;
using CDouble = std::complex<double>;

/// Converts between 16-bit patterns and f32; to 16 bits round to nearest even.
float fromHalf(uint16_t bits);
uint16_t toHalf(float value);
float fromBFloat(uint16_t bits);
uint16_t toBFloat(float value);

/// Truncates; NaN and what does not fit give the smallest value, as the
/// machine's conversion does.
template <typename F> int64_t truncateToInteger(F value) {
  return value >= F(-9223372036854775808.0) && value < F(9223372036854775808.0)
             ? static_cast<int64_t>(value)
             : INT64_MIN;
}

/// Reads `count` elements of type `dtype`, `stride` elements apart.
template <typename T>
void loadElements(DType dtype, const uint8_t *source, int64_t stride,
                  int64_t count, T *target);
/// Writes them; floats are rounded to nearest even, integers wrap, anything
/// but zero is true.
template <typename T>
void storeElements(DType dtype, uint8_t *target, int64_t stride, int64_t count,
                   const T *source);

/// `value` rounded to `dtype` and back.
template <typename T> T roundTo(DType dtype, T value) {
  alignas(16) uint8_t bytes[16];
  storeElements(dtype, bytes, 1, 1, &value);
  loadElements(dtype, bytes, 1, 1, &value);
  return value;
}

/// All elements in row-major order.
template <typename T> std::vector<T> readAll(const Tensor &tensor);
/// Writes row-major values into a tensor of any strides.
template <typename T>
void writeAll(const Tensor &tensor, const std::vector<T> &values);
/// A fresh row-major tensor.
template <typename T>
Tensor makeTensor(DType dtype, const Ints &sizes,
                  const std::vector<T> &values) {
  Tensor result = empty(dtype, sizes);
  writeAll(result, values);
  return result;
}

/// All elements with `dim` innermost: numel / size(dim) lines.
template <typename T>
std::vector<T> readLines(const Tensor &tensor, int64_t dim) {
  return readAll<T>(movedLast(tensor, dim));
}
/// The inverse: a tensor of `sizes` from values with `dim` innermost.
template <typename T>
Tensor makeFromLines(DType dtype, const Ints &sizes, int64_t dim,
                     const std::vector<T> &values) {
  Tensor result = empty(dtype, sizes);
  writeAll(movedLast(result, dim), values);
  return result;
}

/// A single element as a number of the tensor's category.
OpValue itemOf(const Tensor &tensor);
/// Index tensors: i64 or i32 values as i64.
std::vector<int64_t> readIndices(const Tensor &tensor);

/// The type an operator computes `dtype` in.
enum class ComputeType { Float, Double, Integer, CFloat, CDouble };
/// Refuses types that are only stored (8-bit floats, c32).
ComputeType computeType(DType dtype);

/// Calls `function` with a zero of the compute type of `dtype`, f16 to f64.
template <typename F> auto withFloat(DType dtype, F function) {
  switch (computeType(dtype)) {
  case ComputeType::Float:
    return function(0.0f);
  case ComputeType::Double:
    return function(0.0);
  default:
    refuse({"expected a floating point tensor, found ", dtype});
  }
}
/// The same for floats, integers and bool.
template <typename F> auto withReal(DType dtype, F function) {
  if (isBoolOrInteger(dtype))
    return function(int64_t(0));
  return withFloat(dtype, function);
}
/// The same for every type that is computed with.
template <typename F> auto withNumber(DType dtype, F function) {
  if (dtype == DType::C64)
    return function(CFloat());
  if (dtype == DType::C128)
    return function(CDouble());
  return withReal(dtype, function);
}

/// Walks the index space `sizes` of up to eight operands in row-major order, in
/// runs along the innermost dimension. Dimensions that are adjacent in all
/// operands are merged first, so contiguous operands are one run.
class StridedWalk {
public:
  static constexpr size_t kMaxOperands = 8;
  StridedWalk(const Ints &sizes, const std::vector<Ints> &strides);

  int64_t runLength() const { return runLength_; }
  int64_t runStride(size_t operand) const { return runStrides_[operand]; }

  /// Calls `function(offsets)` per run, offsets in elements per operand.
  template <typename F> void forEachRun(F function) const {
    if (numRuns_ == 0 || runLength_ == 0)
      return;
    std::array<int64_t, kMaxOperands> offsets{};
    Ints index(outerSizes_.size(), 0);
    for (int64_t run = 0; run < numRuns_; ++run) {
      function(offsets.data());
      for (size_t d = outerSizes_.size(); d-- > 0;) {
        for (size_t k = 0; k < outerStrides_.size(); ++k)
          offsets[k] += outerStrides_[k][d];
        if (++index[d] < outerSizes_[d])
          break;
        for (size_t k = 0; k < outerStrides_.size(); ++k)
          offsets[k] -= outerStrides_[k][d] * outerSizes_[d];
        index[d] = 0;
      }
    }
  }

private:
  Ints outerSizes_;
  std::vector<Ints> outerStrides_;
  std::array<int64_t, kMaxOperands> runStrides_{};
  int64_t runLength_ = 1;
  int64_t numRuns_ = 1;
};

/// Copies elements by number: result element i is element `indices[i]` of
/// `source` in row-major order, or `fill` where the index is negative. What
/// pads, flips, gathers and repeats is an index computation and this.
Tensor gatherElements(const Tensor &source, const Ints &sizes,
                      const std::vector<int64_t> &indices,
                      const OpValue &fill = int64_t(0));

/// Calls `function(index, i)` for every multi-index of `sizes` in row-major
/// order, i counting from 0.
template <typename F> void forEachIndex(const Ints &sizes, F function) {
  int64_t total = product(sizes);
  Ints index(sizes.size(), 0);
  for (int64_t i = 0; i < total; ++i) {
    function(static_cast<const Ints &>(index), i);
    for (size_t d = sizes.size(); d-- > 0;) {
      if (++index[d] < sizes[d])
        break;
      index[d] = 0;
    }
  }
}

} // namespace kiln::eager

#endif // KILN_LIB_EAGER_ELEMENTS_H
