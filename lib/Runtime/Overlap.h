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

namespace kiln::runtime {

/// False if no element of one tensor is an element of the other, whatever storage
/// they are of. Exact for ranges of addresses and for slices of one array along
/// its dimensions (`x[:, :4]` and `x[:, 4:]`); of other tensors whose ranges
/// meet it says true.
bool mayOverlap(const Tensor &a, const Tensor &b);

} // namespace kiln::runtime

#endif // KILN_LIB_RUNTIME_OVERLAP_H
