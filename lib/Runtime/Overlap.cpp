//===- Overlap.cpp - Do two tensors share memory? -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Overlap.h"

#include <algorithm>

namespace kiln::runtime {

namespace {

/// Addresses, the last one excluded; none of a tensor without elements.
struct Range {
  uintptr_t begin = 0, end = 0;

  bool meets(const Range &other) const {
    return begin < other.end && other.begin < end;
  }
};

/// Bytes that the elements span along the dimensions that `isCounted` takes.
template <typename F> uintptr_t spanOf(const Tensor &tensor, F isCounted) {
  uintptr_t item = itemSize(tensor.dtype());
  uintptr_t span = item;
  for (int64_t i = 0; i < tensor.rank(); ++i) {
    uintptr_t step = static_cast<uintptr_t>(tensor.stride(i)) * item;
    if (tensor.size(i) > 1 && isCounted(step))
      span += static_cast<uintptr_t>(tensor.size(i) - 1) * step;
  }
  return span;
}

Range rangeOf(const Tensor &tensor) {
  if (tensor.numel() == 0)
    return {};
  auto begin = reinterpret_cast<uintptr_t>(tensor.data());
  return {begin, begin + spanOf(tensor, [](uintptr_t) { return true; })};
}

/// True if the tensors lie in columns of their own of rows that are as long as a
/// step of `rows`: one goes from its beginning to that of the other at most, and
/// this to the end of the row that began with the first.
bool haveOwnColumns(const Tensor &rows, const Tensor &a, const Tensor &b) {
  auto first = reinterpret_cast<uintptr_t>(a.data());
  auto second = reinterpret_cast<uintptr_t>(b.data());
  uintptr_t item = itemSize(rows.dtype());
  for (int64_t i = 0; i < rows.rank(); ++i) {
    uintptr_t pitch = static_cast<uintptr_t>(rows.stride(i)) * item;
    if (rows.size(i) < 2 || pitch == 0)
      continue;
    auto isInRow = [&](uintptr_t step) { return step % pitch != 0; };
    uintptr_t between = second >= first
                            ? (second - first) % pitch
                            : (pitch - (first - second) % pitch) % pitch;
    if (spanOf(a, isInRow) <= between &&
        between + spanOf(b, isInRow) <= pitch)
      return true;
  }
  return false;
}

} // namespace

bool mayOverlap(const Tensor &a, const Tensor &b) {
  return rangeOf(a).meets(rangeOf(b)) && !haveOwnColumns(a, a, b) &&
         !haveOwnColumns(b, a, b);
}

void TensorsByAddress::add(uint32_t number, const Tensor &tensor) {
  Range range = rangeOf(tensor);
  if (range.begin != range.end)
    entries_.push_back({range.begin, range.end, 0, number, &tensor});
}

void TensorsByAddress::order() {
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry &a, const Entry &b) { return a.begin < b.begin; });
  uintptr_t reach = 0;
  for (Entry &entry : entries_)
    entry.reach = reach = std::max(reach, entry.end);
}

uint32_t TensorsByAddress::findOverlap(const Tensor &tensor,
                                       uint32_t except) const {
  Range range = rangeOf(tensor);
  if (range.begin == range.end)
    return kNone;
  // Behind the last one that begins before its end; from there on back, until
  // none before reaches its beginning.
  auto entry = std::lower_bound(
      entries_.begin(), entries_.end(), range.end,
      [](const Entry &entry, uintptr_t end) { return entry.begin < end; });
  uint32_t found = kNone;
  while (entry != entries_.begin() && (--entry)->reach > range.begin)
    if (entry->number < found && entry->number != except &&
        entry->end > range.begin && mayOverlap(tensor, *entry->tensor))
      found = entry->number;
  return found;
}

} // namespace kiln::runtime
