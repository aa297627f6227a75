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

static void testSums(int64_t lines, int64_t length, int64_t behind) {
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

TEST_P(FourierTest, GivesTheSumsOfItsDefinition) {
  testSums(/*lines=*/3, GetParam(), /*behind=*/2);
  testSums(/*lines=*/2, GetParam(), /*behind=*/1); // one after the other
}

// Half of what a real line gives, and the line that comes of it, where lines are columns of a
// matrix; c64 is rounded once.
TEST_P(FourierTest, GoesFromRealLinesAndBack) {
  int64_t length = GetParam(), lines = 11;
  auto x = Tensor::empty(DType::F32, {length, lines});
  ASSERT_TRUE(x);
  std::vector<Complex> values;
  for (int64_t i = 0; i < x->numel(); ++i) {
    x->dataAs<float>()[i] = float(std::sin(double(i * i % 23)));
    values.emplace_back(x->dataAs<float>()[i]);
  }
  OperatorRegistry registry;
  ASSERT_TRUE(eager::registerAll(registry));
  auto half = registry.find("aten._fft_r2c.default")(
      {*x, OpValue::List{int64_t(0)}, int64_t(0), true});
  ASSERT_TRUE(half) << half.error().message;
  Tensor made = std::get<Tensor>((*half)[0].value);
  ASSERT_EQ(made.sizes(), (std::vector<int64_t>{length / 2 + 1, lines}));
  for (int64_t k = 0; k <= length / 2; ++k)
    for (int64_t line = 0; line < lines; ++line) {
      Complex found(made.dataAs<std::complex<float>>()[k * lines + line]);
      Complex expected = sumOf(values.data() + line, length, lines, k, -1);
      EXPECT_LT(std::abs(found - expected), 1e-7 * (std::abs(expected) + 1e-3))
          << "element " << k << " of line " << line;
    }
  auto back = registry.find("aten._fft_c2r.default")(
      {made, OpValue::List{int64_t(0)}, int64_t(2), length});
  ASSERT_TRUE(back) << back.error().message;
  Tensor again = std::get<Tensor>((*back)[0].value);
  ASSERT_EQ(again.sizes(), x->sizes());
  for (int64_t i = 0; i < x->numel(); ++i)
    EXPECT_NEAR(again.dataAs<float>()[i], x->dataAs<float>()[i], 3e-7);
}

// Lines are transformed side by side, and what one of them has does not reach the others.
TEST(Fourier, LinesAreApart) {
  auto x = Tensor::empty(DType::C64, {19, 12});
  ASSERT_TRUE(x);
  auto *values = x->dataAs<std::complex<float>>();
  for (int64_t i = 0; i < x->numel(); ++i)
    values[i] = {float(i % 5), 1};
  values[12 * 3 + 7] = NAN;
  OperatorRegistry registry;
  ASSERT_TRUE(eager::registerAll(registry));
  auto made = registry.find("aten._fft_c2c.default")(
      {*x, OpValue::List{int64_t(1)}, int64_t(0), true});
  ASSERT_TRUE(made) << made.error().message;
  auto *found = std::get<Tensor>((*made)[0].value).dataAs<std::complex<float>>();
  for (int64_t i = 0; i < x->numel(); ++i)
    EXPECT_EQ(std::isnan(found[i].real()), i / 12 == 3) << i;
}

// Powers of each factor, products of them, primes of which a pass sums up the terms (47) and
// those that are convolutions (53, 101, 2 * 53).
INSTANTIATE_TEST_SUITE_P(Lengths, FourierTest,
                         testing::Values(1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 30, 47, 49, 53,
                                         64, 77, 101, 106, 210, 256, 400));
