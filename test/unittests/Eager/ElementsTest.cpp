//===- ElementsTest.cpp - Elements of the small types ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Eager/Registry.h"
#include "kiln/Runtime/Element.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>

using namespace kiln;
using namespace kiln::runtime;

namespace {

/// `value` in another type, by the operator that programs call.
uint8_t cast(const OperatorRegistry &registry, float value, DType dtype) {
  Tensor tensor = *Tensor::empty(DType::F32, {1});
  *tensor.dataAs<float>() = value;
  auto results = registry.find("aten._to_copy.default")(
      {tensor, dtype, OpValue(), OpValue(), OpValue(), false, OpValue()});
  EXPECT_TRUE(results) << results.error().message;
  return *std::get<Tensor>((*results)[0].value).data();
}

// As torch 2.14: x.to(torch.float8_e8m0fnu).view(torch.uint8).
TEST(Elements, RoundsToPowersOfTwoAsPyTorch) {
  OperatorRegistry registry;
  ASSERT_TRUE(eager::registerAll(registry));
  struct {
    float value;
    int bits;
  } cases[] = {{0.0f, 0},          {-0.0f, 0},        {1.0f, 127},
               {1.5f, 128},        {1.4999f, 127},    {3.0f, 129},
               {-3.0f, 129},       {INFINITY, 255},   {NAN, 255},
               {1e-45f, 0},        {5.9e-39f, 1},     {5.8774717e-39f, 0},
               {8.9e-39f, 1},      {3.4e38f, 255},    {6.0f, 130},
               {0x1.8p-126f, 2}};
  for (auto &c : cases)
    EXPECT_EQ(cast(registry, c.value, DType::F8E8M0FNU), c.bits) << c.value;
}

// What is read back from every bit pattern is stored as the same pattern.
TEST(Elements, KeepsEveryValueOfOneByte) {
  OperatorRegistry registry;
  ASSERT_TRUE(eager::registerAll(registry));
  for (DType dtype :
       {DType::F8E4M3FN, DType::F8E5M2, DType::F8E4M3FNUZ, DType::F8E5M2FNUZ,
        DType::F8E8M0FNU}) {
    for (int bits = 0; bits < 256; ++bits) {
      auto byte = static_cast<uint8_t>(bits);
      double value = std::get<double>(loadElement(dtype, &byte).value);
      uint8_t again = cast(registry, static_cast<float>(value), dtype);
      if (std::isnan(value))
        EXPECT_TRUE(std::isnan(
            std::get<double>(loadElement(dtype, &again).value)))
            << bits;
      else
        EXPECT_EQ(again, byte) << dtypeName(dtype);
    }
  }
}

// Magnitudes neither overflow nor vanish on the way, and an infinity counts more than NaN.
TEST(Elements, MagnitudesOfComplexNumbers) {
  OperatorRegistry registry;
  ASSERT_TRUE(eager::registerAll(registry));
  constexpr float kLeast = std::numeric_limits<float>::denorm_min();
  std::complex<float> values[] = {{3, -4},      {2e38f, 2e38f},   {3e38f, 3e38f},
                                  {kLeast, 0},  {-0.0f, -0.0f},   {3e-30f, 4e-30f},
                                  {NAN, 1},     {NAN, -INFINITY}, {INFINITY, NAN}};
  int64_t count = std::size(values);
  Tensor x = *Tensor::empty(DType::C64, {count});
  std::copy(std::begin(values), std::end(values), x.dataAs<std::complex<float>>());
  auto results = registry.find("aten.abs.default")({x});
  ASSERT_TRUE(results) << results.error().message;
  auto *found = std::get<Tensor>((*results)[0].value).dataAs<float>();
  for (int64_t i = 0; i < count; ++i) {
    auto expected = float(std::hypot(double(values[i].real()), double(values[i].imag())));
    EXPECT_TRUE(found[i] == expected || (std::isnan(found[i]) && std::isnan(expected)))
        << found[i] << ", expected " << expected;
    EXPECT_FALSE(std::signbit(found[i]) && !std::isnan(found[i]));
  }
}

// A conversion walks the strides of both, in pieces.
TEST(Elements, ConvertsWhateverTheStrides) {
  OperatorRegistry registry;
  ASSERT_TRUE(eager::registerAll(registry));
  int64_t rows = 700, columns = 3;
  Tensor x = *Tensor::empty(DType::F32, {columns, rows});
  for (int64_t i = 0; i < x.numel(); ++i)
    x.dataAs<float>()[i] = float(i);
  auto results = registry.find("aten._to_copy.default")(
      {x.asStrided({rows, columns}, {1, rows}, 0), DType::C64, OpValue(), OpValue(),
       OpValue(), false, OpValue()});
  ASSERT_TRUE(results) << results.error().message;
  auto *found = std::get<Tensor>((*results)[0].value).dataAs<std::complex<float>>();
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      ASSERT_EQ(found[i * columns + j], std::complex<float>(float(j * rows + i)));
}

} // namespace
