//===- CheckedMath.h - Arithmetic that reports overflow ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes come from files and callers, so every product and sum of them is
// checked. A tensor may have up to 2^47 bytes, 64 dimensions and sizes up to
// 2^48; anything larger is refused here, before anything is allocated.
//
//   auto bytes = byteCount(DType::F32, sizes);
//   if (!bytes)
//     return bytes.takeError();  // negative, or more than 2^47
//   auto end = checkedAdd<uint64_t>(offset, *bytes);
//   if (!end)
//     return Error::malformed("offset and size overflow");
//
//===----------------------------------------------------------------------===//

#ifndef KILN_BASE_CHECKEDMATH_H
#define KILN_BASE_CHECKEDMATH_H

#include "kiln/Base/DType.h"
#include "kiln/Base/Result.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace kiln {

constexpr int64_t kMaxTensorBytes = int64_t(1) << 47;
constexpr int64_t kMaxDimSize = int64_t(1) << 48;
constexpr size_t kMaxRank = 64;

/// The result, or nothing on overflow. `T` is any integer type.
template <typename T> std::optional<T> checkedAdd(T a, T b) {
  T result;
  if (__builtin_add_overflow(a, b, &result))
    return std::nullopt;
  return result;
}
template <typename T> std::optional<T> checkedMul(T a, T b) {
  T result;
  if (__builtin_mul_overflow(a, b, &result))
    return std::nullopt;
  return result;
}

/// Product of sizes, 1 for rank 0. Malformed for a negative size, a size or a
/// rank over the limits, or a product over 2^47.
Result<int64_t> elementCount(const std::vector<int64_t> &sizes);

/// Bytes of a row-major tensor; Malformed as above or over 2^47 bytes.
Result<int64_t> byteCount(DType dtype, const std::vector<int64_t> &sizes);

/// Bytes from the start of a storage up to the end of the last element of a
/// strided view; 0 if the view has no element. Malformed for negative sizes,
/// strides or offset, unequal ranks, and overflow.
Result<int64_t> storageExtent(DType dtype, const std::vector<int64_t> &sizes,
                              const std::vector<int64_t> &strides,
                              int64_t storageOffset);

} // namespace kiln

#endif // KILN_BASE_CHECKEDMATH_H
