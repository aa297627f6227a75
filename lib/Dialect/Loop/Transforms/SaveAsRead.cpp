//===- SaveAsRead.cpp - What is saved, in the order in which it is read ---===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"
#include "PermuteNest.h"
#include "ReaderOrder.h"

#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace kiln::loop {
#define GEN_PASS_DEF_SAVEASREADPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

/// Bytes that stay neighbours, at least: what memory moves at once.
static constexpr int64_t kLeastRun = 32;

namespace {
/// A tensor that a function saves for another, and the nest that copies it.
struct SavedCopy {
  PointwiseOp copy;
  Value tensor;
  OpOperand *returned;
  BlockArgument reader; ///< of the other function
  ReaderOrder order;
  /// The index of an element of the copy, in that order, over the dimensions of
  /// the tensor.
  SmallVector<ExprAttr> index;

  RankedTensorType getOldType() const {
    return cast<RankedTensorType>(tensor.getType());
  }
  RankedTensorType getNewType() const {
    return guard::makeTensorType(getOldType().getElementType(), order.extents);
  }
};
} // namespace

/// True if a contraction takes the copy, and would gather from what it is a
/// copy of.
static bool isNeeded(PointwiseOp copy, const analysis::Access &access,
                     const analysis::SizeHints &hints) {
  auto wouldGather = [&](ContractOp op, ArrayAttr indices) {
    guard::Assumptions assumptions = hints.getAssumptions();
    analysis::addExtents(assumptions, op.getContext(), op.getDomain().all());
    SmallVector<ExprAttr> operand = getExprs(indices), map;
    for (ExprAttr expr : access.map)
      map.push_back(
          guard::simplify(guard::substituteDims(expr, operand), assumptions));
    return !analysis::isStraight(
        cast<RankedTensorType>(access.tensor.getType()), map,
        op.getDomain().all(), assumptions);
  };
  return llvm::any_of(copy.getResult().getUsers(), [&](Operation *user) {
    auto op = dyn_cast<ContractOp>(user);
    return op && ((op.getLhs() == copy.getResult() &&
                   wouldGather(op, op.getLhsIndices())) ||
                  (op.getRhs() == copy.getResult() &&
                   wouldGather(op, op.getRhsIndices())));
  });
}

/// Notes in which order the copy has what it copies; false if not each element
/// is there once, or if neighbours do not stay neighbours.
static bool findOrder(SavedCopy &saved, ArrayRef<ExprAttr> map,
                      const analysis::SizeHints &hints) {
  auto sizes = guard::getDims(saved.getOldType());
  if (!sizes)
    return false;
  auto order =
      getReaderOrder(saved.copy.getDomain().parallel, *sizes, map, hints);
  if (!order)
    return false;
  MLIRContext *context = saved.copy.getContext();
  saved.index.resize(order->extents.size());
  for (auto [k, written] : llvm::enumerate(order->written)) {
    if (written.isDim())
      saved.index[written.getPosition()] = guard::getDim(context, k);
    else if (!(*sizes)[k].isConstant(1))
      return false;
  }
  for (auto [index, extent] : llvm::zip_equal(saved.index, order->extents)) {
    if (!index && !extent.isConstant(1))
      return false;
    index = index ? index : guard::getConstant(context, 0);
  }
  int64_t bytes =
      analysis::getElementBytes(saved.getOldType().getElementType());
  saved.order = std::move(*order);
  return hints.evaluate(saved.order.extents.back()) * bytes >= kLeastRun;
}

/// The copy, if it may be saved in place of what it copies.
static std::optional<SavedCopy> findCopy(PointwiseOp copy,
                                         const CarriedTensors &carried,
                                         const analysis::SizeHints &hints) {
  Operation *yield = copy.getBody().front().getTerminator();
  auto load = yield->getOperand(0).getDefiningOp<LoadOp>();
  if (!load || load.getMask() || !load.getTensor().getDefiningOp() ||
      load->getParentOp() != copy)
    return std::nullopt;
  SmallVector<analysis::Access> reads = analysis::getReads(copy);
  SavedCopy saved = {copy, load.getTensor(), nullptr, {}, {}, {}};
  if (reads.size() != 1 || reads[0].indirect ||
      saved.getOldType().getElementType() !=
          cast<RankedTensorType>(copy.getResult().getType()).getElementType() ||
      !readsCanReshape(copy.getResult()))
    return std::nullopt;
  for (OpOperand &use : saved.tensor.getUses()) {
    if (use.getOwner() == load)
      continue;
    saved.reader = carried.getReader(use);
    if (!saved.reader || saved.returned)
      return std::nullopt;
    saved.returned = &use;
  }
  if (!saved.returned || !readsCanReshape(saved.reader) ||
      !isNeeded(copy, reads[0], hints) ||
      !findOrder(saved, reads[0].map, hints))
    return std::nullopt;
  return saved;
}

/// Where the copy has the element at `indices` of what it copies.
static SmallVector<ExprAttr>
moveIndices(const SavedCopy &saved, ArrayRef<ExprAttr> indices,
            const guard::Assumptions &assumptions) {
  return llvm::map_to_vector(saved.index, [&](ExprAttr expr) {
    return guard::simplify(guard::substituteDims(expr, indices), assumptions);
  });
}

/// True if whoever reads the tensor in regular steps would read the copy so,
/// too.
static bool readersStayStraight(const SavedCopy &saved,
                                const analysis::SizeHints &hints) {
  return staysStraight(
      saved.reader, saved.getNewType(),
      [&](const analysis::Access &read,
          ArrayRef<ExprAttr> extents) -> std::optional<SmallVector<ExprAttr>> {
        if (read.indirect)
          return std::nullopt;
        guard::Assumptions assumptions = hints.getAssumptions();
        analysis::addExtents(assumptions, saved.reader.getContext(), extents);
        return moveIndices(saved, read.map, assumptions);
      },
      hints);
}

/// The copy with its dimensions apart, as the nest that makes the tensor can
/// have them.
static PointwiseOp splitCopy(SavedCopy &saved,
                             const analysis::SizeHints &hints) {
  PointwiseOp copy = saved.copy;
  OpBuilder builder(copy);
  PointwiseOp split =
      createCopy(builder, copy.getLoc(), saved.tensor, saved.order.extents,
                 saved.order.written, copy.getOriginsAttr());
  reshapeReads(copy.getResult(), copy.getDomain().parallel, saved.order.extents,
               hints);
  copy.getResult().replaceAllUsesWith(split.getResult());
  copy.erase();
  return split;
}

/// Saves the copy, and lets the other function read that.
static void save(SavedCopy &saved, const analysis::SizeHints &hints) {
  MLIRContext *context = saved.copy.getContext();
  auto function = saved.copy->getParentOfType<func::FuncOp>();
  PointwiseOp copy = splitCopy(saved, hints);
  llvm::SmallSetVector<Operation *, 4> users(saved.reader.user_begin(),
                                             saved.reader.user_end());
  for (Operation *user : users) {
    guard::Assumptions assumptions = hints.getAssumptions();
    auto move = [&](ArrayAttr map) {
      return getExprArray(context,
                          moveIndices(saved, getExprs(map), assumptions));
    };
    if (auto op = dyn_cast<ContractOp>(user)) {
      analysis::addExtents(assumptions, context, op.getDomain().all());
      if (op.getLhs() == saved.reader)
        op.setLhsIndicesAttr(move(op.getLhsIndices()));
      if (op.getRhs() == saved.reader)
        op.setRhsIndicesAttr(move(op.getRhsIndices()));
      continue;
    }
    auto load = cast<LoadOp>(user);
    NestOpInterface nest = getNest(user);
    SmallVector<ExprAttr> extents = nest.getBodyExtents();
    for (auto [k, index] : llvm::enumerate(load.getIndices()))
      if (auto dim = dyn_cast<BlockArgument>(index))
        if (auto number = nest.getDimensionOf(dim))
          assumptions.setExtent(guard::getDim(context, k), extents[*number]);
    load.setMapAttr(move(load.getMap()));
  }
  saved.reader.setType(saved.getNewType());
  saved.returned->set(copy.getResult());
  updateType(cast<func::FuncOp>(saved.reader.getOwner()->getParentOp()));
  updateType(function);
}

namespace {
class SaveAsRead : public loop::impl::SaveAsReadPassBase<SaveAsRead> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(
            verifyPassInput(module, getArgument(), {Stage::Loop, Stage::Loop})))
      return signalPassFailure();
    CarriedTensors carried(module);
    analysis::SizeHints hints(module);
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.isExternal() || !getGPUTarget(function))
        continue;
      for (auto copy :
           llvm::make_early_inc_range(function.getOps<PointwiseOp>()))
        if (auto saved = findCopy(copy, carried, hints))
          if (readersStayStraight(*saved, hints))
            save(*saved, hints);
    }
  }
};
} // namespace
