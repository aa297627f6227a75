//===- ChooseGPUBlocks.cpp - Products and rows in one kernel of a GPU -----===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Analysis/BlockWalks.h"
#include "kiln/Dialect/Loop/Transforms/ChooseSchedule.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

static int64_t count(const analysis::SizeHints &hints,
                     ArrayRef<ExprAttr> extents) {
  return std::max<int64_t>(hints.product(extents), 1);
}

static GPUBlocksShape getWalkShape(KernelOp kernel,
                                   const analysis::OnlineRows &found,
                                   const analysis::SizeHints &hints) {
  SmallVector<ExprAttr> shared = getExprs(kernel.getShared());
  GPUBlocksShape shape;
  shape.points = count(hints, ArrayRef(shared).drop_back());
  shape.rows = count(hints, shared.back());
  shape.columns = count(hints, found.columns);
  shape.scoreSum = count(hints, found.scores.shape.sum.extent);
  shape.resultColumns = count(hints, found.sums.shape.columns.extent);
  shape.isBrought = analysis::whyNotBrought(found).empty();
  shape.readsColumns = analysis::readsColumns(found);
  shape.isLimited = found.limit.has_value();
  return shape;
}

static std::optional<GPUBlocksSchedule>
chooseWalks(KernelOp kernel, const analysis::BlockWalks &found,
            const GPUMachine &machine, const analysis::SizeHints &hints) {
  SmallVector<ExprAttr> shared = getExprs(kernel.getShared());
  GPUWalksShape shape;
  shape.points = count(hints, ArrayRef(shared).drop_back());
  shape.rows = count(hints, shared.back());
  shape.columns = count(hints, found.columns);
  shape.scores = found.scores.size();
  shape.scoreSums = 0;
  auto add = [&](ExprAttr extent, int64_t &sum, int64_t &chunks) {
    int64_t width = count(hints, extent);
    shape.widest = std::max(shape.widest, width);
    sum += width;
    chunks += llvm::divideCeil(width, 64);
  };
  for (const analysis::BlockProduct &product : found.scores)
    add(product.shape.sum.extent, shape.scoreSums, shape.scoreChunks);
  int64_t further[2] = {0, 0}, furtherChunks[2] = {0, 0};
  for (const analysis::BlockWalks::Sum &sum : found.sums) {
    bool overRows = sum.product.overRows;
    add(sum.inner().extent, overRows ? shape.rowSums : shape.columnSums,
        overRows ? shape.rowChunks : shape.columnChunks);
    shape.widestSum =
        std::max(shape.widestSum, count(hints, sum.inner().extent));
    if (!found.isFactor(sum))
      add(sum.inner().extent, further[overRows], furtherChunks[overRows]);
  }
  shape.further = std::max(further[0], further[1]);
  shape.furtherChunks = std::max(furtherChunks[0], furtherChunks[1]);
  shape.isBrought = analysis::whyNotBrought(found).empty();
  shape.mayAdd =
      !machine.deterministic && analysis::whyNotAdded(found).empty();
  shape.isLimited = found.limit.has_value();
  return chooseGPUWalks(shape, machine);
}

ScheduleAttr loop::chooseGPUBlocks(KernelOp kernel,
                                   const analysis::KernelStrides &strides,
                                   const GPUMachine &machine,
                                   const analysis::SizeHints &hints,
                                   StringRef &why) {
  std::optional<GPUBlocksSchedule> s;
  if (auto online = analysis::getOnlineRows(kernel, strides, why)) {
    why = analysis::whyNotCopied(*online);
    if (!why.empty())
      return {};
    GPUBlocksShape shape = getWalkShape(kernel, *online, hints);
    if (auto parts = chooseGPUColumnParts(shape, machine))
      return GPUColumnPartsScheduleAttr::get(kernel.getContext(), parts->columns,
                                             parts->stages, parts->parts);
    s = chooseGPUBlocks(shape, machine);
  } else if (auto walks = analysis::getBlockWalks(kernel, strides, why)) {
    s = chooseWalks(kernel, *walks, machine, hints);
  } else {
    return {};
  }
  if (!s) {
    why = "a block has neither registers nor shared memory for its rows, or no "
          "matrix units";
    return {};
  }
  return GPUBlocksScheduleAttr::get(kernel.getContext(), s->rows, s->columns,
                                    s->partRows, s->stages, s->group, s->unit,
                                    s->apart, s->added);
}
