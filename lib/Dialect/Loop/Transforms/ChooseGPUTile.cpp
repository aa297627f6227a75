//===- ChooseGPUTile.cpp - What goes through shared memory of a GPU -------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPUTiles.h"
#include "ImageWindows.h"
#include "KernelWalk.h"

#include "kiln/Analysis/StoredRows.h"
#include "kiln/Dialect/Loop/Transforms/ChooseSchedule.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

ScheduleAttr loop::chooseTile(KernelOp kernel,
                              const analysis::KernelStrides &strides) {
  if (!llvm::all_of(kernel.getNests(), [&](NestOpInterface nest) {
        return nest.isPointwise() &&
               nest.getDomain().rank() == kernel.getShared().size();
      }))
    return {};
  analysis::KernelLayout layout = analysis::getLayout(kernel, strides);
  auto reads = analysis::getTransposedReads(kernel, layout);
  if (reads.empty() || analysis::mayTrap(kernel))
    return {};
  SmallVector<ExprAttr> shared = analysis::collapseShared(kernel, layout);
  GPUTileShape shape;
  shape.rows = shared[reads.front().dim].getConstant();
  shape.columns = shared.back().getConstant();
  Widths widths = getWidths(kernel);
  shape.narrow = widths.narrow;
  shape.wide = widths.wide;
  auto s = chooseGPUTile(shape);
  if (!s)
    return {};
  return GPUTileScheduleAttr::get(kernel.getContext(), s->threads, s->lanes,
                                  s->side, reads.front().dim, s->points);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The tiles of results over `extents`, whose vectors are along dimension `dim`.
static GPUTileShape getShape(ArrayRef<ExprAttr> extents, unsigned dim,
                             const Widths &widths, ValueRange results) {
  GPUTileShape shape;
  shape.rows = extents[dim].getConstant();
  shape.columns =
      guard::product(extents[0].getContext(), extents.drop_front(dim + 1))
          .getConstant();
  shape.beside = extents.back().getConstant();
  shape.narrow = widths.narrow;
  shape.wide = widths.wide;
  for (Value result : results)
    shape.staged += analysis::getElementBytes(
        cast<RankedTensorType>(result.getType()).getElementType());
  return shape;
}

/// True if threads that have a point each are enough.
static bool fillsMachine(ArrayRef<ExprAttr> extents, const GPUMachine &machine,
                         const analysis::SizeHints &hints) {
  return hints.product(extents) >= machine.multiprocessors * kGPUBlock;
}

/// The dimension, before the last, along which all nests read vectors, and some nothing but.
static std::optional<unsigned> findDim(ArrayRef<NestOpInterface> nests,
                                       unsigned rank,
                                       const analysis::SizeHints &hints) {
  for (unsigned dim = 0; dim + 1 < rank; ++dim)
    if (llvm::all_of(nests,
                     [&](NestOpInterface nest) {
                       return readsVectors(nest, dim, hints);
                     }) &&
        llvm::any_of(nests, [&](NestOpInterface nest) {
          return readsTransposed(nest, dim, hints);
        }))
      return dim;
  return std::nullopt;
}

ScheduleAttr loop::chooseResultTile(KernelOp kernel, const GPUMachine &machine,
                                    const analysis::SizeHints &hints) {
  SmallVector<NestOpInterface> nests = kernel.getNests();
  if (nests.empty() || !llvm::all_of(nests, [](NestOpInterface nest) {
        return isa<PointwiseOp, ReduceOp, ContractOp>(nest.getOperation());
      }))
    return {};
  SmallVector<ExprAttr> extents = nests.front().getDomain().parallel;
  if (!hasWindows(kernel, extents.size()) || analysis::mayTrap(kernel) ||
      !fillsMachine(extents, machine, hints))
    return {};
  auto dim = findDim(nests, extents.size(), hints);
  ValueRange results = kernel.getBody().front().getTerminator()->getOperands();
  if (!dim || llvm::any_of(results, [](Value result) {
        return analysis::isPart(result) ||
               analysis::getStoredType(result) != result.getType();
      }))
    return {};
  GPUTileShape shape = getShape(extents, *dim, getWidths(kernel), results);
  for (NestOpInterface nest : nests)
    shape.taps = std::max(shape.taps, *countTaps(nest.getDomain()));
  shape.hasWindows =
      sharesWindows(kernel, extents.size(), extents.size() - 1, *dim);
  auto s = chooseGPUTile(shape);
  if (!s)
    return {};
  return GPUTileScheduleAttr::get(kernel.getContext(), s->threads, s->lanes,
                                  s->side, *dim, s->points);
}

/// True if one operand moves along all dimensions of the result, so that no matrix has both
/// rows and columns.
static bool isByVector(ContractOp op) {
  SmallVector<ExprAttr> extents = op.getDomain().parallel;
  return llvm::any_of(
      ArrayRef({op.getLhsIndices(), op.getRhsIndices()}),
      [&](ArrayAttr indices) {
        return llvm::all_of(llvm::enumerate(extents), [&](auto each) {
          return each.value().isConstant(1) ||
                 llvm::any_of(getExprs(indices), [&](ExprAttr index) {
                   return mentions(index, each.index());
                 });
        });
      });
}

bool loop::mayStageResult(ContractOp op, unsigned channels, PointwiseOp reader,
                          ArrayRef<ExprAttr> map,
                          const analysis::SizeHints &hints) {
  Domain domain = op.getDomain();
  GPUMachine machine = getMachine(getGPUTarget(op));
  auto taps = countTaps(domain);
  auto nest = cast<NestOpInterface>(op.getOperation());
  if (op.isGrouped() || !taps || *taps < 2 || *taps > kMostThreadSum ||
      !isByVector(op) || !fillsMachine(domain.parallel, machine, hints) ||
      analysis::mayTrap(op) || !readsVectors(nest, channels, hints))
    return false;
  Widths widths;
  auto take = [&](NestOpInterface of) {
    for (const analysis::Access &read : analysis::getReads(of))
      if (read.tensor != op.getResult() && !read.map.empty())
        widths.take(read.tensor);
  };
  take(nest);
  SmallVector<ExprAttr> extents = domain.parallel;
  Value result = op.getResult();
  unsigned dim = channels, beside = extents.size() - 1;
  if (reader) {
    auto follows = cast<NestOpInterface>(reader.getOperation());
    extents = reader.getDomain().parallel;
    result = reader.getResult();
    dim = map[channels].getPosition();
    const auto *last =
        llvm::find(map, guard::getDim(op.getContext(), extents.size() - 1));
    if (last == map.end() || analysis::mayTrap(reader) ||
        !readsVectors(follows, dim, hints, op.getResult()))
      return false;
    beside = last - map.begin();
    take(follows);
  }
  widths.take(result);
  GPUTileShape shape = getShape(extents, dim, widths, result);
  shape.taps = *taps;
  shape.hasWindows = sharesWindow(nest, beside);
  return chooseGPUTile(shape).has_value();
}
