//===- Overlap.h - Do two tensors share memory? ---------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_RUNTIME_OVERLAP_H
#define KILN_LIB_RUNTIME_OVERLAP_H

#include "kiln/Runtime/Tensor.h"

#include <cstdint>
#include <vector>

namespace kiln::runtime {

/// False if no element of one tensor is an element of the other, whatever storage
/// they are of. Exact for ranges of addresses and for slices of one array along
/// its dimensions (`x[:, :4]` and `x[:, 4:]`); of other tensors whose ranges
/// meet it says true.
bool mayOverlap(const Tensor &a, const Tensor &b);

/// Tensors by where they lie, so that those which may overlap with one are
/// found among many: an optimizer writes hundreds, each of which may be none of
/// hundreds of others.
///
///   TensorsByAddress passed;
///   passed.add(0, gradient);
///   passed.add(1, other);
///   passed.order();
///   uint32_t number = passed.findOverlap(weight, /*except=*/7); // none: kNone
class TensorsByAddress {
public:
  static constexpr uint32_t kNone = UINT32_MAX;

  /// The tensor must stay where it is.
  void add(uint32_t number, const Tensor &tensor);
  /// After the last one.
  void order();
  /// The least number of a tensor that may overlap with this one, but `except`.
  uint32_t findOverlap(const Tensor &tensor, uint32_t except) const;

private:
  struct Entry {
    uintptr_t begin, end;
    uintptr_t reach; ///< the greatest end of this one and those before it
    uint32_t number;
    const Tensor *tensor;
  };
  std::vector<Entry> entries_;
};

} // namespace kiln::runtime

#endif // KILN_LIB_RUNTIME_OVERLAP_H
