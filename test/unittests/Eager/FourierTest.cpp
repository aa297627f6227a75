//===- FourierTest.cpp - Transforms beside their definition ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Eager/Registry.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace kiln;
using namespace kiln::runtime;

using Complex = std::complex<double>;

/// Of an axis of so many elements, before and behind which there are others.
class FourierTest : public testing::TestWithParam<int64_t> {};

static Complex sumOf(const Complex *x, int64_t length, int64_t step, int64_t k,
                     double sign) {
  Complex sum;
  for (int64_t j = 0; j < length; ++j)
    sum += x[j * step] *
           std::polar(1.0, sign * 2 * M_PI * double(k * j % length) / double(length));
  return sum;
}

TEST_P(FourierTest, GivesTheSumsOfItsDefinition) {
  int64_t length = GetParam(), lines = 3, behind = 2;
  auto x = Tensor::empty(DType::C128, {lines, length, behind});
  ASSERT_TRUE(x);
  auto *values = x->dataAs<Complex>();
  for (int64_t i = 0; i < x->numel(); ++i)
    values[i] = {std::sin(double(i) * 0.7), std::cos(double(i * i % 19))};
  OperatorRegistry registry;
  ASSERT_TRUE(eager::registerAll(registry));
  OpFunction function = registry.find("aten._fft_c2c.default");
  for (bool forward : {true, false}) {
    auto made = function({*x, OpValue::List{int64_t(1)}, int64_t(0), forward});
    ASSERT_TRUE(made) << made.error().message;
    auto *found = std::get<Tensor>((*made)[0].value).dataAs<Complex>();
    for (int64_t line = 0; line < lines; ++line)
      for (int64_t k = 0; k < length; ++k)
        for (int64_t c = 0; c < behind; ++c) {
          int64_t begin = line * length * behind + c;
          Complex expected =
              sumOf(values + begin, length, behind, k, forward ? -1 : 1);
          EXPECT_LT(std::abs(found[begin + k * behind] - expected),
                    1e-12 * double(length))
              << "element " << k << " of line " << line;
        }
  }
}

// Powers of each factor, products of them, primes of which a pass sums up the terms (47) and
// those that are convolutions (53, 101, 2 * 53).
INSTANTIATE_TEST_SUITE_P(Lengths, FourierTest,
                         testing::Values(1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 30, 47, 49, 53,
                                         64, 77, 101, 106, 210, 256));
