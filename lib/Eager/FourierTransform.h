//===- FourierTransform.h - Transforms of several lines side by side ------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_EAGER_FOURIERTRANSFORM_H
#define KILN_LIB_EAGER_FOURIERTRANSFORM_H

#include <complex>
#include <cstddef>
#include <memory>
#include <vector>

namespace kiln::eager {

/// Lines that are transformed together, where there are so many.
inline constexpr size_t kFourierLines = 8;
/// An element of each of them: a register with AVX-512, two or four of them else.
using FourierLanes = double __attribute__((vector_size(8 * kFourierLines)));

/// Elements of lines, real and imaginary parts apart. `V` is FourierLanes, or double for one line.
template <typename V> struct FourierTile {
  std::vector<V> re, im;
  void resize(size_t count) {
    re.resize(count);
    im.resize(count);
  }
  void swap(FourierTile &other) {
    re.swap(other.re);
    im.swap(other.im);
  }
};

/// Discrete transforms of one length, in double precision. Nothing is changed after it is
/// made, so that threads may share it.
class FourierTransform {
public:
  /// `forward`: of e^(-2 pi i j k / length).
  FourierTransform(size_t length, bool forward);
  /// The same, which was perhaps made before.
  static std::shared_ptr<const FourierTransform> get(size_t length,
                                                     bool forward);

  /// Replaces the elements of `data`; `work` has any. Both have `length` elements then.
  template <typename V>
  void run(FourierTile<V> &data, FourierTile<V> &work) const;

  /// Sums over the `factor` parts of a block, each times a root of the block's length.
  struct Pass {
    size_t factor, parts;
    /// Of the factor, to the power of an index.
    std::vector<std::complex<double>> roots;
    /// Of each part and sum.
    std::vector<std::complex<double>> twiddles;
  };

private:
  template <typename V>
  void convolve(FourierTile<V> &data, FourierTile<V> &work) const;

  size_t length;
  std::vector<Pass> passes;
  /// Of a length with a large factor: the chirp, and the transform of its inverse.
  std::vector<std::complex<double>> chirp, filter;
  std::vector<FourierTransform> padded; ///< forth and back, of the power of two
};

} // namespace kiln::eager

#endif // KILN_LIB_EAGER_FOURIERTRANSFORM_H
