//===- ChooseGPUBlocks.cpp - Products and rows in one kernel of a GPU -----===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Analysis/OnlineRows.h"
#include "kiln/Dialect/Loop/Transforms/ChooseSchedule.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

ScheduleAttr loop::chooseGPUBlocks(KernelOp kernel,
                                   const analysis::KernelStrides &strides,
                                   const GPUMachine &machine,
                                   const analysis::SizeHints &hints,
                                   StringRef &why) {
  auto found = analysis::getOnlineRows(kernel, strides, why);
  if (!found)
    return {};
  why = analysis::whyNotCopied(*found);
  if (!why.empty())
    return {};
  auto count = [&](ArrayRef<ExprAttr> extents) {
    return std::max<int64_t>(hints.product(extents), 1);
  };
  SmallVector<ExprAttr> shared = getExprs(kernel.getShared());
  GPUBlocksShape shape;
  shape.points = count(ArrayRef(shared).drop_back());
  shape.rows = count(shared.back());
  shape.columns = count(found->columns);
  shape.scoreSum = count(found->scores.shape.sum.extent);
  shape.resultColumns = count(found->sums.shape.columns.extent);
  auto s = chooseGPUBlocks(shape, machine);
  if (!s) {
    why = "a block has neither registers nor shared memory for its rows, or no "
          "matrix units";
    return {};
  }
  return GPUBlocksScheduleAttr::get(kernel.getContext(), s->rows, s->columns,
                                    s->partRows, s->stages, s->group);
}
