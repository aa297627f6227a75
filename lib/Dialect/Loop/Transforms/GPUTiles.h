//===- GPUTiles.h - Kernels whose tiles go through shared memory -*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is read along one dimension and stored along another goes through shared memory of
// a GPU (`#loop.gpu_tile`): inputs of pointwise kernels, or what windows give.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_TRANSFORMS_GPUTILES_H
#define KILN_LIB_DIALECT_LOOP_TRANSFORMS_GPUTILES_H

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Analysis/KernelLayout.h"
#include "kiln/Dialect/Loop/Transforms/GPUSchedules.h"

namespace kiln::loop {

/// Elements that a thread sums up by itself, one row of a product of one column.
inline constexpr int64_t kMostThreadSum = 64;

/// Bytes of elements that are read and written.
struct Widths {
  int64_t narrow = 16, wide = 1;

  void take(Value tensor);
};

/// Those of a kernel, but of what is one element for neighbours.
Widths getWidths(KernelOp kernel);

/// The schedule of a pointwise kernel that reads inputs along another dimension than it writes;
/// null if there is none, or tiles would be mostly empty.
ScheduleAttr chooseTile(KernelOp kernel, const analysis::KernelStrides &strides);

/// The same of a kernel of windows, whose results go through shared memory.
ScheduleAttr chooseResultTile(KernelOp kernel, const GPUMachine &machine,
                              const analysis::SizeHints &hints);

/// True if a contraction by channels of their own, dimension `channels`, would be such a kernel
/// in the order of `reader`, a pointwise nest that reads each of its elements once, at index `map`
/// of its own dimensions; with a null `reader`, if it is one in its own order.
bool mayStageResult(ContractOp op, unsigned channels, PointwiseOp reader,
                    ArrayRef<guard::ExprAttr> map,
                    const analysis::SizeHints &hints);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_GPUTILES_H
