//===- KnownInputs.h - What the last call was given -------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The problem: a model is called with the same hundreds of weights each time, and a few
// inputs that are others or lie elsewhere. What was decided for those that are as they
// were need not be decided again: guards, checks, addresses.
//
//   KnownInputs known(written);
//   known.update(inputs);
//   known.changed();        // {0, 1, 2, ...}: nothing was known
//   known.update(inputs);
//   known.changed();        // {}
//   known.update(others);   // of which the second lies elsewhere
//   known.changed();        // {1}
//   known.hasSameLayouts(); // true: sizes, strides, dtypes and numbers are the same
//   known.overlaps();       // false: what is written shares no memory with another
//
// An input is the same if it is the same view of the same storage. No storage is kept
// alive for that, and one that comes to lie where another was is not taken for it.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_RUNTIME_KNOWNINPUTS_H
#define KILN_LIB_RUNTIME_KNOWNINPUTS_H

#include "kiln/Runtime/Operator.h"

#include <optional>

namespace kiln::runtime {

class KnownInputs {
public:
  KnownInputs() = default;
  /// `written` says which inputs a call writes to; those behind its end are only read.
  explicit KnownInputs(std::vector<bool> written)
      : written_(std::move(written)) {}

  /// Compares with the inputs of the last call, whose place these take.
  void update(const std::vector<OpValue> &inputs);
  /// The next ones are all changed.
  void forget();

  /// Of the last update: inputs that are not what they were, ascending.
  const std::vector<uint32_t> &changed() const { return changed_; }
  /// Those are tensors of the dtype, sizes and strides that they had.
  bool hasSameLayouts() const { return hasSameLayouts_; }
  /// A tensor that is written spans bytes of another input.
  bool overlaps() const { return overlaps_; }

private:
  struct Input {
    const Storage *storage = nullptr; ///< null: no tensor
    std::weak_ptr<Storage> owner; ///< so that it is no other at that address
    std::shared_ptr<const TensorLayout> layout;
    int64_t offset = 0;
    DType dtype = DType::F32;
    /// Where there is no tensor: none or a number, and its bits. Nothing else equals
    /// itself.
    size_t kind = 0;
    uint64_t bits = 0;

    explicit Input(const OpValue &value);
    bool is(const OpValue &value) const;
    bool hasLayoutOf(const OpValue &value) const;
  };
  struct Range {
    uintptr_t begin = 0, end = 0;
    bool isWritten = false;
  };

  bool isWritten(size_t input) const {
    return input < written_.size() && written_[input];
  }
  static std::optional<Range> rangeOf(const OpValue &value);
  void findOverlaps(const std::vector<OpValue> &inputs);
  bool meetsWritten(const OpValue &value) const;

  std::vector<bool> written_;
  std::vector<Input> inputs_;
  std::vector<uint32_t> changed_;
  std::vector<Range> ranges_;        ///< scratch of `findOverlaps`
  std::vector<Range> writtenRanges_; ///< by address, if they do not overlap
  bool hasSameLayouts_ = false;
  bool overlaps_ = false;
};

} // namespace kiln::runtime

#endif // KILN_LIB_RUNTIME_KNOWNINPUTS_H
