//===- KnownInputs.cpp - What the last call was given ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KnownInputs.h"

#include <algorithm>
#include <cstring>

namespace kiln::runtime {

/// The bits of none and of a number; nothing of other values.
static std::optional<uint64_t> bitsOf(const OpValue &value) {
  if (auto *b = std::get_if<bool>(&value.value))
    return *b;
  if (auto *i = std::get_if<int64_t>(&value.value))
    return static_cast<uint64_t>(*i);
  if (auto *f = std::get_if<double>(&value.value)) {
    uint64_t bits;
    std::memcpy(&bits, f, sizeof(bits));
    return bits;
  }
  if (value.isNone() || value.isTensor()) // an undefined one
    return 0;
  return std::nullopt;
}

KnownInputs::Input::Input(const OpValue &value) : kind(value.value.index()) {
  if (const Tensor *tensor = value.tensor()) {
    storage = tensor->storage().get();
    owner = tensor->storage();
    layout = tensor->layout();
    offset = tensor->storageOffset();
    dtype = tensor->dtype();
    return;
  }
  bits = bitsOf(value).value_or(0);
}

bool KnownInputs::Input::is(const OpValue &value) const {
  const Tensor *tensor = value.tensor();
  if (!tensor)
    return hasLayoutOf(value);
  return tensor->storage().get() == storage &&
         tensor->storageOffset() == offset && hasLayoutOf(value) &&
         !tensor->storage().owner_before(owner) &&
         !owner.owner_before(tensor->storage());
}

bool KnownInputs::Input::hasLayoutOf(const OpValue &value) const {
  if (const Tensor *tensor = value.tensor())
    return storage && tensor->dtype() == dtype && tensor->hasLayout(layout);
  auto found = bitsOf(value);
  return !storage && kind == value.value.index() && found && *found == bits;
}

std::optional<KnownInputs::Range> KnownInputs::rangeOf(const OpValue &value) {
  const Tensor *tensor = value.tensor();
  if (!tensor || tensor->numel() == 0)
    return std::nullopt;
  int64_t last = 1;
  for (int64_t dim = 0; dim < tensor->rank(); ++dim)
    last += (tensor->size(dim) - 1) * tensor->stride(dim);
  auto begin = reinterpret_cast<uintptr_t>(tensor->data());
  return Range{begin, begin + static_cast<uintptr_t>(last) *
                                  itemSize(tensor->dtype())};
}

void KnownInputs::findOverlaps(const std::vector<OpValue> &inputs) {
  ranges_.clear();
  writtenRanges_.clear();
  overlaps_ = false;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (auto range = rangeOf(inputs[i])) {
      range->isWritten = isWritten(i);
      ranges_.push_back(*range);
    }
  std::sort(ranges_.begin(), ranges_.end(),
            [](const Range &a, const Range &b) { return a.begin < b.begin; });
  uintptr_t end = 0, writtenEnd = 0;
  for (const Range &range : ranges_) {
    overlaps_ |=
        range.begin < writtenEnd || (range.isWritten && range.begin < end);
    end = std::max(end, range.end);
    if (!range.isWritten)
      continue;
    writtenEnd = std::max(writtenEnd, range.end);
    writtenRanges_.push_back(range);
  }
}

/// Of one that is only read, while those that are written do not overlap.
bool KnownInputs::meetsWritten(const OpValue &value) const {
  auto range = rangeOf(value);
  if (!range)
    return false;
  // The last one that begins before the end is the last one that ends.
  auto behind = std::lower_bound(
      writtenRanges_.begin(), writtenRanges_.end(), range->end,
      [](const Range &other, uintptr_t end) { return other.begin < end; });
  return behind != writtenRanges_.begin() &&
         std::prev(behind)->end > range->begin;
}

void KnownInputs::update(const std::vector<OpValue> &inputs) {
  changed_.clear();
  hasSameLayouts_ = inputs_.size() == inputs.size();
  bool isOpen = overlaps_ || !hasSameLayouts_;
  if (!hasSameLayouts_)
    inputs_.clear();
  inputs_.reserve(inputs.size());
  changed_.reserve(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (i == inputs_.size()) {
      inputs_.emplace_back(inputs[i]);
    } else {
      if (inputs_[i].is(inputs[i]))
        continue;
      hasSameLayouts_ &= inputs_[i].hasLayoutOf(inputs[i]);
      inputs_[i] = Input(inputs[i]);
    }
    changed_.push_back(static_cast<uint32_t>(i));
    isOpen |= isWritten(i);
  }
  if (changed_.empty() || written_.empty())
    return;
  if (isOpen)
    return findOverlaps(inputs);
  for (uint32_t i : changed_)
    overlaps_ |= meetsWritten(inputs[i]);
}

void KnownInputs::forget() {
  inputs_.clear();
  overlaps_ = false;
}

} // namespace kiln::runtime
