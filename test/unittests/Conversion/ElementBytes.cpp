//===- ElementBytes.cpp - Elements of tensors in memory -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementBytes.h"

#include "FloatFormats.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

size_t loop::bytesOf(Type element) {
  return (element.getIntOrFloatBitWidth() + 7) / 8;
}

void loop::put(uint8_t *at, Type element, Scalar value) {
  uint64_t bits = isa<FloatType>(element) ? encodeFloat(element, value.real)
                                          : value.integer;
  std::memcpy(at, &bits, bytesOf(element));
}

Scalar loop::take(const uint8_t *at, Type element) {
  uint64_t bits = 0;
  std::memcpy(&bits, at, bytesOf(element));
  if (isa<FloatType>(element))
    return {decodeFloat(element, bits), 0};
  if (element.isInteger(1))
    EXPECT_LE(bits, 1u) << "a bool in memory is 0 or 1";
  unsigned width = bytesOf(element) * 8;
  return {0, llvm::APInt(64, bits).trunc(width).getSExtValue()};
}

std::vector<int64_t> loop::denseStrides(ArrayRef<int64_t> sizes) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t k = sizes.size(); k-- > 1;)
    strides[k - 1] = strides[k] * sizes[k];
  return strides;
}

int64_t loop::countSpan(ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  int64_t span = 1;
  for (auto [size, stride] : llvm::zip_equal(sizes, strides))
    span = size == 0 || span == 0 ? 0 : span + (size - 1) * stride;
  return span;
}

void loop::visitElements(ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides,
                         llvm::function_ref<void(size_t, int64_t)> visit) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  std::vector<int64_t> index(sizes.size(), 0);
  int64_t offset = 0;
  for (int64_t n = 0; n < count; ++n) {
    visit(n, offset);
    for (size_t k = sizes.size(); k-- > 0;) {
      offset += strides[k];
      if (++index[k] < sizes[k])
        break;
      offset -= sizes[k] * strides[k];
      index[k] = 0;
    }
  }
}
