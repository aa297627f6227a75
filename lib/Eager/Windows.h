//===- Windows.h - Windows over spatial dimensions ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions, poolings and im2col walk the same thing: for every output
// position a window of input positions, in one to three dimensions, with
// stride, padding and dilation.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_EAGER_WINDOWS_H
#define KILN_LIB_EAGER_WINDOWS_H

#include "Elements.h"

namespace kiln::eager {

struct Windows {
  Ints input, kernel, stride, padding, dilation, output;

  int64_t inputCount() const { return product(input); }
  int64_t kernelCount() const { return product(kernel); }
  int64_t outputCount() const { return product(output); }

  /// Checks signs and computes `output`; `ceilMode` keeps a last window that
  /// starts inside of the input or its left padding.
  void computeOutput(bool ceilMode = false);

  /// Calls `f(tap, position)` for the window of output position `at`: tap
  /// counts through the kernel, position is the input's row-major position or
  /// -1 in the padding.
  template <typename F> void forEachTap(const Ints &at, F f) const {
    forEachIndex(kernel, [&](const Ints &offset, int64_t tap) {
      int64_t position = 0;
      for (size_t d = 0; d < input.size(); ++d) {
        int64_t coordinate =
            at[d] * stride[d] - padding[d] + offset[d] * dilation[d];
        if (coordinate < 0 || coordinate >= input[d]) {
          position = -1;
          break;
        }
        position = position * input[d] + coordinate;
      }
      f(tap, position);
    });
  }

  /// Input position of every (tap, output) pair, taps outermost; -1 in the
  /// padding.
  std::vector<int64_t> positions() const;
};

} // namespace kiln::eager

#endif // KILN_LIB_EAGER_WINDOWS_H
