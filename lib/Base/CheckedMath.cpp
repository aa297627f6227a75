//===- CheckedMath.cpp - Arithmetic that reports overflow ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Base/CheckedMath.h"

using namespace kiln;

static std::string tooLarge(const std::vector<int64_t> &sizes) {
  std::string text = "tensor of sizes [";
  for (size_t i = 0; i < sizes.size() && i < kMaxRank; ++i)
    text += (i ? ", " : "") + std::to_string(sizes[i]);
  return text + "] is too large, expected at most 2^47 bytes";
}

Result<int64_t> kiln::elementCount(const std::vector<int64_t> &sizes) {
  if (sizes.size() > kMaxRank)
    return Error::malformed("tensor has " + std::to_string(sizes.size()) +
                            " dimensions, expected at most " +
                            std::to_string(kMaxRank));
  bool isEmpty = false;
  for (int64_t size : sizes) {
    if (size < 0)
      return Error::malformed("tensor has a negative size " +
                              std::to_string(size));
    if (size > kMaxDimSize)
      return Error::malformed("tensor has a dimension of size " +
                              std::to_string(size) +
                              ", expected at most 2^48");
    isEmpty |= size == 0;
  }
  if (isEmpty)
    return int64_t(0);
  int64_t count = 1;
  for (int64_t size : sizes) {
    auto next = checkedMul(count, size);
    if (!next || *next > kMaxTensorBytes)
      return Error::malformed(tooLarge(sizes));
    count = *next;
  }
  return count;
}

Result<int64_t> kiln::byteCount(DType dtype,
                                const std::vector<int64_t> &sizes) {
  auto count = elementCount(sizes);
  if (!count)
    return count;
  // Both factors are at most 2^47 and 16, which cannot overflow.
  int64_t bytes = *count * static_cast<int64_t>(itemSize(dtype));
  if (bytes > kMaxTensorBytes)
    return Error::malformed(tooLarge(sizes));
  return bytes;
}

Result<int64_t> kiln::storageExtent(DType dtype,
                                    const std::vector<int64_t> &sizes,
                                    const std::vector<int64_t> &strides,
                                    int64_t storageOffset) {
  if (sizes.size() != strides.size())
    return Error::malformed("tensor has " + std::to_string(sizes.size()) +
                            " sizes but " + std::to_string(strides.size()) +
                            " strides");
  if (storageOffset < 0)
    return Error::malformed("tensor has a negative storage offset " +
                            std::to_string(storageOffset));
  for (int64_t stride : strides)
    if (stride < 0)
      return Error::malformed("tensor has a negative stride " +
                              std::to_string(stride));
  auto count = elementCount(sizes);
  if (!count)
    return count;
  if (*count == 0)
    return int64_t(0);
  int64_t last = storageOffset;
  for (size_t i = 0; i < sizes.size(); ++i) {
    auto step = checkedMul(sizes[i] - 1, strides[i]);
    auto next = step ? checkedAdd(last, *step) : std::nullopt;
    if (!next)
      return Error::malformed("strides of a tensor reach past 2^63 elements");
    last = *next;
  }
  auto end = checkedAdd(last, int64_t(1));
  auto bytes =
      end ? checkedMul(*end, static_cast<int64_t>(itemSize(dtype))) : end;
  if (!bytes)
    return Error::malformed("strides of a tensor reach past 2^63 bytes");
  return *bytes;
}
