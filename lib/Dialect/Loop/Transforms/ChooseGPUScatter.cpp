//===- ChooseGPUScatter.cpp - How writes at places are laid out -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Loop/Transforms/ChooseSchedule.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using analysis::KernelStrides;
using guard::ExprAttr;

/// Neighbours in the last dimension that a thread adds at once, at most `lanes`: those that
/// are one operation, and neighbours in what is read of each point, too.
static int64_t chooseScatterLanes(ScatterOp op, int64_t lanes,
                                  const analysis::KernelLayout &layout) {
  if (!scattersRows(op))
    return 1;
  auto nest = cast<NestOpInterface>(op.getOperation());
  Domain domain = op.getDomain();
  BlockArgument last = op.getBody().front().getArgument(domain.rank() - 1);
  guard::Assumptions assumptions;
  analysis::addExtents(assumptions, op.getContext(), domain.all());
  for (const analysis::Access &read : analysis::getReads(nest)) {
    bool isSame = true, isComputed = false;
    for (Value index : LoadOp(read.load).getIndices())
      if (dependsOnIndex(index, last)) {
        isSame = false;
        isComputed |= !isa<BlockArgument>(index) &&
                      !index.getDefiningOp<IndexOp>();
      }
    auto strides = layout.find(read.tensor);
    if (isSame)
      continue;
    if (isComputed || strides == layout.end() ||
        !analysis::getStride(analysis::linearize(op.getContext(), read.map,
                                                 strides->second, assumptions),
                             domain.rank() - 1)
             .isOne())
      return 1;
  }
  auto type = cast<RankedTensorType>(op.getResult().getType());
  // Where rows begin anywhere, threads beside each other are better off with an element
  // each.
  for (ExprAttr extent : {domain.all().back(), guard::getDims(type)->back()}) {
    auto count = extent.getConstant();
    while (lanes > 1 && (!count || *count % lanes != 0))
      lanes /= 2;
  }
  return lanes;
}

ScheduleAttr loop::chooseGPUScatter(ScatterOp op, KernelOp kernel,
                                    const KernelStrides &strides,
                                    const GPUMachine &machine,
                                    const analysis::SizeHints &hints) {
  Type element =
      cast<RankedTensorType>(op.getResult().getType()).getElementType();
  bool isAtomic = !op.getGrouped() && canScatterInAnyOrder(op) &&
                  !(machine.deterministic && isa<FloatType>(element));
  int64_t owners = 1;
  if (!isAtomic && !op.getWritten() && !op.getGrouped()) {
    SmallVector<unsigned> own = getOwnDims(op);
    SmallVector<ExprAttr> points, steps;
    for (auto [k, extent] : llvm::enumerate(op.getDomain().all()))
      (llvm::is_contained(own, k) ? points : steps).push_back(extent);
    owners =
        chooseGPUOwners(hints.product(points), hints.product(steps), machine);
  }
  int64_t lanes = 1;
  if (isAtomic)
    lanes = getAtomicLanes(getGPUTarget(op), element);
  else if (op.getGrouped() && op.getDomain().rank() > 1)
    lanes = 16 / std::max<int64_t>(analysis::getElementBytes(element), 1);
  if (lanes > 1)
    lanes = chooseScatterLanes(op, lanes, analysis::getLayout(kernel, strides));
  return GPUScatterScheduleAttr::get(op.getContext(), kGPUBlock, isAtomic,
                                     owners, lanes);
}
