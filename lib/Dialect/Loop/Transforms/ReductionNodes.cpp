//===- ReductionNodes.cpp - Reductions that a GPU fuses -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReductionNodes.h"

#include "KernelWalk.h"

#include "kiln/Dialect/Loop/Transforms/ChooseSchedule.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

bool loop::isInParts(NestOpInterface nest, bool across, GPUTargetAttr gpu,
                     const analysis::SizeHints &hints) {
  Domain domain = nest.getDomain();
  GPUPartsShape shape;
  shape.points = hints.product(domain.parallel);
  shape.size = hints.product(domain.reduction);
  shape.across = across;
  shape.last = 1;
  shape.narrow = 16;
  shape.wide = 1;
  for (guard::ExprAttr extent : across ? domain.parallel : domain.reduction)
    if (!extent.isConstant(1))
      shape.last = extent.getConstant();
  auto take = [&](Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    int64_t bytes = analysis::getElementBytes(type.getElementType());
    shape.narrow = std::min(shape.narrow, bytes);
    shape.wide = std::max(shape.wide, bytes);
  };
  for (const analysis::Access &access : analysis::getReads(nest))
    take(access.tensor);
  llvm::for_each(nest->getResults(), take);
  return chooseGPUParts(shape, getMachine(gpu)).has_value();
}

bool loop::isReadAgain(ReduceOp sum, GPUTargetAttr gpu,
                       const analysis::SizeHints &hints) {
  auto nest = cast<NestOpInterface>(sum.getOperation());
  Domain domain = nest.getDomain();
  FusionOptions options = getGPUFusionOptions(getMachine(gpu));
  bool across = readsAcross(nest, hints, /*joinsReduced=*/false);
  int64_t held = options.sharedRow;
  if (across) {
    int64_t beside = options.columnBytes / int64_t(sizeof(float));
    int64_t tiles = std::min<int64_t>(
        llvm::divideCeil(hints.product(domain.parallel), beside),
        options.columnTiles);
    held = options.columnWords / beside * tiles / options.columnTiles;
  }
  return hints.product(domain.reduction) > held &&
         isInParts(nest, across, gpu, hints);
}

/// True if a reduction adds up what a product makes, or what follows that
/// element by element: this may be done where its tiles are
/// (`loop-fuse-results`, `loop-fuse-sums`).
static bool addsUpProduct(NestOpInterface nest) {
  auto isOfProduct = [](const analysis::Access &access) {
    return isa_and_nonnull<ContractOp>(access.tensor.getDefiningOp());
  };
  auto waits = [](const analysis::Access &access) {
    return isa_and_nonnull<ReduceOp>(access.tensor.getDefiningOp());
  };
  return hasBlocks(nest) &&
         llvm::any_of(analysis::getReads(nest), [&](const auto &access) {
           auto made = access.tensor.template getDefiningOp<PointwiseOp>();
           if (!made)
             return isOfProduct(access);
           SmallVector<analysis::Access> reads =
               analysis::getReads(cast<NestOpInterface>(*made));
           return llvm::any_of(reads, isOfProduct) &&
                  llvm::none_of(reads, waits);
         });
}

void loop::setReduction(FusionNode &node, NestOpInterface nest,
                        GPUTargetAttr gpu, const analysis::SizeHints &hints) {
  if (!isa<ReduceOp>(nest.getOperation()))
    return;
  Domain domain = nest.getDomain();
  bool across = readsAcross(nest, hints, /*joinsReduced=*/false);
  node.inParts = isInParts(nest, across, gpu, hints);
  node.across = node.inParts && across;
  node.reduction = domain.reduction;
  auto isWindow = [&](unsigned dim) { return sharesWindow(nest, dim); };
  node.hasColumns =
      across && !addsUpProduct(nest) &&
      llvm::none_of(llvm::seq<unsigned>(domain.parallel.size()), isWindow);
}
