//===- OpCasesTest.cpp - Tensors of operator cases ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Archive/OpCases.h"

#include <cstring>
#include <gtest/gtest.h>
#include <numeric>

using namespace kiln;
using namespace kiln::archive;

namespace {

/// A tensor whose storage counts up from 0.
CaseTensor counting(std::vector<int64_t> sizes, std::vector<int64_t> strides,
                    int64_t offset, size_t elements,
                    DType dtype = DType::F32) {
  CaseTensor tensor;
  tensor.name = "x0";
  tensor.dtype = dtype;
  tensor.sizes = std::move(sizes);
  tensor.strides = std::move(strides);
  tensor.storageOffset = offset;
  std::vector<uint8_t> bytes(elements * itemSize(dtype));
  for (size_t i = 0; i < elements; ++i) {
    if (dtype == DType::F32) {
      float value = static_cast<float>(i);
      std::memcpy(&bytes[i * 4], &value, 4);
    } else {
      int64_t value = static_cast<int64_t>(i);
      std::memcpy(&bytes[i * 8], &value, 8);
    }
  }
  tensor.storage = SharedBytes::own(std::move(bytes));
  return tensor;
}

template <typename T>
T at(const CaseTensor &tensor, std::initializer_list<int64_t> index) {
  int64_t element = tensor.storageOffset;
  size_t d = 0;
  for (int64_t i : index)
    element += i * tensor.strides[d++];
  EXPECT_LE((static_cast<size_t>(element) + 1) * sizeof(T),
            tensor.storage.size());
  T value;
  std::memcpy(&value, tensor.storage.data() + element * sizeof(T), sizeof(T));
  return value;
}

TEST(OpCases, LargerSizesRepeatElementsAndKeepTheLayout) {
  // Every second column of a transposed matrix, behind an offset.
  CaseTensor tensor = counting({2, 3}, {2, 4}, 1, 12);
  CaseTensor larger = tensor.withSizes({4, 5});
  EXPECT_EQ(larger.strides, (std::vector<int64_t>{2, 8}));
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t j = 0; j < 5; ++j)
      EXPECT_EQ(at<float>(larger, {i, j}),
                at<float>(tensor, {i % 2, j % 3}))
          << i << ", " << j;
}

TEST(OpCases, AnExpandedDimensionStaysExpanded) {
  CaseTensor larger = counting({2, 3}, {0, 1}, 0, 3).withSizes({5, 4});
  EXPECT_EQ(larger.strides, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(at<float>(larger, {4, 3}), 0.0f);
}

TEST(OpCases, AListOfIntegersStaysSorted) {
  CaseTensor larger =
      counting({3}, {1}, 0, 3, DType::I64).withSizes({5});
  EXPECT_EQ(at<int64_t>(larger, {2}), 2);
  EXPECT_EQ(at<int64_t>(larger, {3}), 2);
  EXPECT_EQ(at<int64_t>(larger, {4}), 2);
}

TEST(OpCases, FindsTheFirstByteChangedOutsideOfAView) {
  CaseTensor tensor = counting({2}, {2}, 1, 6);
  std::vector<uint8_t> after(tensor.storage.data(),
                             tensor.storage.data() + tensor.storage.size());
  after[1 * 4] ^= 1;
  after[3 * 4] ^= 1;
  EXPECT_EQ(tensor.findChangeOutside(after), std::nullopt);
  after[2 * 4 + 1] ^= 1;
  EXPECT_EQ(tensor.findChangeOutside(after), 9u);
  after.resize(8);
  EXPECT_EQ(tensor.findChangeOutside(after), std::nullopt);
}

} // namespace
