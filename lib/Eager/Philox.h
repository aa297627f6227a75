//===- Philox.h - Counter-based random numbers ------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Philox 4x32-10 of Salmon et al., "Parallel random numbers: as easy as 1, 2,
// 3" (2011): four words are a function of a counter and a key. A thread's
// generator has a seed, the key, and counts the operators that draw, the upper
// half of the counter. The lower half is the element's position, so a number
// depends on neither backend nor the number of workers: kernels compute the same
// words (lib/Conversion/AtenToLoop/Random.cpp). The seed a process begins with is
// PyTorch's, the stream is not.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_EAGER_PHILOX_H
#define KILN_LIB_EAGER_PHILOX_H

#include <array>
#include <cstdint>

namespace kiln::eager {

using Words = std::array<uint32_t, 4>;

Words philox(Words counter, uint64_t key);

/// The numbers that one operator draws.
struct Draw {
  uint64_t seed;
  uint64_t number; ///< of the operator among those that draw

  Words operator()(uint64_t position) const {
    return philox({uint32_t(position), uint32_t(position >> 32),
                   uint32_t(number), uint32_t(number >> 32)},
                  seed);
  }
};

/// The next `count` draws of this thread; the first is returned.
Draw nextDraws(uint64_t count = 1);

/// While it lives, the next draws of this thread are others than its own.
class GivenDraws {
public:
  explicit GivenDraws(Draw first);
  ~GivenDraws();
  GivenDraws(const GivenDraws &) = delete;
  GivenDraws &operator=(const GivenDraws &) = delete;

private:
  Draw own;
};

/// In [0, 1), of 53, 24, 11 or 8 bits for f64, f32, f16 and bf16.
double unitOf(const Words &words, int bits);
/// In (0, 1], of 53 bits of the words from `first` on, or 24 of one word.
double positiveUnitOf(const Words &words, int first, int bits);

} // namespace kiln::eager

#endif // KILN_LIB_EAGER_PHILOX_H
