//===- ShareRows.cpp - Compute an expensive value of a kernel once --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"

#include "kiln/Dialect/Loop/Transforms/Passes.h"

#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/Remarks.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

namespace kiln::loop {
#define GEN_PASS_DEF_SHAREROWSPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

namespace {

class ShareRows : public loop::impl::ShareRowsPassBase<ShareRows> {
public:
  using ShareRowsPassBase::ShareRowsPassBase;
  void runOnOperation() override;

private:
  bool shareIn(KernelOp kernel);
};

/// A value of a body that depends on indices and loads alone.
struct Expression {
  Operation *root;
  int64_t cost;
};

/// Compares expressions of two nests, dimension `dims[k]` of the left one being
/// dimension k of the right one.
class Matcher {
public:
  Matcher(Operation *left, Operation *right, ArrayRef<unsigned> dims)
      : left(left), right(right), dims(dims) {}

  bool matches(Value a, Value b) const {
    auto indexA = dyn_cast<BlockArgument>(a);
    auto indexB = dyn_cast<BlockArgument>(b);
    if (indexA && indexB && indexA.getOwner()->getParentOp() == left &&
        indexB.getOwner()->getParentOp() == right)
      return dims[indexB.getArgNumber()] == indexA.getArgNumber();
    Operation *opA = a.getDefiningOp(), *opB = b.getDefiningOp();
    if (!opA || !opB || !left->isProperAncestor(opA) ||
        !right->isProperAncestor(opB))
      return a == b;
    if (opA->getName() != opB->getName() || opA->getNumRegions() ||
        opA->getResultTypes() != opB->getResultTypes() ||
        opA->getNumOperands() != opB->getNumOperands() ||
        opA->getPropertiesAsAttribute() != opB->getPropertiesAsAttribute() ||
        cast<OpResult>(a).getResultNumber() !=
            cast<OpResult>(b).getResultNumber())
      return false;
    for (auto [x, y] : llvm::zip(opA->getOperands(), opB->getOperands()))
      if (!matches(x, y))
        return false;
    return true;
  }

private:
  Operation *left, *right;
  ArrayRef<unsigned> dims;
};

} // namespace

/// The cost of what `value` needs within `nest`; operations count once.
static int64_t getExpressionCost(Operation *nest, Value value,
                                 llvm::SmallDenseSet<Operation *> &seen) {
  Operation *op = value.getDefiningOp();
  if (!op || !nest->isProperAncestor(op) || !seen.insert(op).second)
    return 0;
  int64_t cost = analysis::getCost(op);
  for (Value operand : op->getOperands())
    cost += getExpressionCost(nest, operand, seen);
  return cost;
}

/// Indices that occur below `value`.
static void collectIndices(Operation *nest, Value value,
                           llvm::SmallDenseSet<unsigned> &indices) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner()->getParentOp() == nest)
      indices.insert(argument.getArgNumber());
    return;
  }
  Operation *op = value.getDefiningOp();
  if (op && nest->isProperAncestor(op))
    for (Value operand : op->getOperands())
      collectIndices(nest, operand, indices);
}

/// Clones what `value` needs to `builder`.
static Value cloneExpression(OpBuilder &builder, Operation *nest, Value value,
                             IRMapping &mapping) {
  if (mapping.contains(value))
    return mapping.lookup(value);
  Operation *op = value.getDefiningOp();
  if (!op || !nest->isProperAncestor(op))
    return value;
  for (Value operand : op->getOperands())
    mapping.map(operand, cloneExpression(builder, nest, operand, mapping));
  builder.clone(*op, mapping);
  return mapping.lookup(value);
}

/// For each dimension of `pointwise` one of `reduce` that has its place: equal
/// dimensions in order, those of size 1 skipped. Empty if there is no such map.
static SmallVector<unsigned> matchDomains(ReduceOp reduce,
                                          PointwiseOp pointwise,
                                          unsigned shared) {
  SmallVector<guard::ExprAttr> from = reduce.getDomain().all();
  SmallVector<guard::ExprAttr> to = pointwise.getDomain().parallel;
  SmallVector<unsigned> dims;
  unsigned next = 0;
  for (guard::ExprAttr extent : to) {
    while (next < from.size() && from[next] != extent &&
           from[next].isConstant(1) && next >= shared)
      ++next;
    if (next == from.size() || from[next] != extent)
      return {};
    dims.push_back(next++);
  }
  return dims;
}

bool ShareRows::shareIn(KernelOp kernel) {
  Block &block = kernel.getBody().front();
  unsigned shared = kernel.getShared().size();
  for (auto reduce : block.getOps<ReduceOp>())
    for (auto pointwise : block.getOps<PointwiseOp>()) {
      SmallVector<unsigned> dims = matchDomains(reduce, pointwise, shared);
      // A row needs dimensions of its own.
      if (dims.size() <= shared)
        continue;
      Matcher matcher(reduce, pointwise, dims);
      // The most expensive expression that both evaluate.
      Operation *best = nullptr, *twin = nullptr;
      int64_t bestCost = minCost - 1;
      for (Operation &a : reduce.getBody().front()) {
        if (a.getNumResults() != 1 || !a.getResult(0).getType().isIntOrFloat())
          continue;
        llvm::SmallDenseSet<Operation *> seen;
        int64_t cost = getExpressionCost(reduce, a.getResult(0), seen);
        if (isa<LoadOp>(a) || cost <= bestCost)
          continue;
        llvm::SmallDenseSet<unsigned> used;
        collectIndices(reduce, a.getResult(0), used);
        // It must vary along the row, else it is computed once anyway, and
        // not with what the pointwise nest does not have.
        if (llvm::any_of(used, [&](unsigned index) {
              return !llvm::is_contained(dims, index);
            }) ||
            used.size() < dims.size())
          continue;
        for (Operation &b : pointwise.getBody().front())
          if (b.getNumResults() == 1 &&
              matcher.matches(a.getResult(0), b.getResult(0))) {
            best = &a;
            twin = &b;
            bestCost = cost;
            break;
          }
      }
      if (!best)
        continue;

      // The new nest stands before both and needs nothing behind it.
      Operation *first =
          reduce->isBeforeInBlock(pointwise) ? reduce.getOperation()
                                             : pointwise.getOperation();
      OpBuilder builder(first);
      SmallVector<guard::ExprAttr> extents = pointwise.getDomain().parallel;
      Type element = best->getResult(0).getType();
      auto row = PointwiseOp::create(
          builder, best->getLoc(), guard::makeTensorType(element, extents),
          extents, reduce.getOriginsAttr());
      bool early = true;
      Operation *source = first == reduce.getOperation() ? best : twin;
      IRMapping mapping;
      builder.setInsertionPointToEnd(&row.getBody().front());
      for (auto [k, argument] :
           llvm::enumerate(row.getBody().getArguments())) {
        unsigned dim = source == best ? dims[k] : unsigned(k);
        mapping.map(first->getRegion(0).getArgument(dim), argument);
      }
      Value value =
          cloneExpression(builder, first, source->getResult(0), mapping);
      row.walk([&](LoadOp load) {
        Operation *definer = load.getTensor().getDefiningOp();
        early &= !definer || definer->isBeforeInBlock(row);
      });
      YieldOp::create(builder, best->getLoc(), value);
      if (!early) {
        row.erase();
        continue;
      }
      auto replace = [&](Operation *nest, Operation *op, bool mapped) {
        builder.setInsertionPoint(op);
        SmallVector<Value> indices;
        for (unsigned k = 0; k < dims.size(); ++k)
          indices.push_back(
              nest->getRegion(0).getArgument(mapped ? dims[k] : k));
        auto load = LoadOp::create(builder, op->getLoc(), row.getResult(),
                                   indices);
        op->getResult(0).replaceAllUsesWith(load);
      };
      replace(reduce, best, true);
      replace(pointwise, twin, false);
      for (Operation *nest : {reduce.getOperation(), pointwise.getOperation()})
        for (Operation &op : llvm::make_early_inc_range(
                 llvm::reverse(nest->getRegion(0).front())))
          if (isOpTriviallyDead(&op))
            op.erase();
      if (auto told = remark::passed(
              row.getLoc(),
              remarks::kSharedRow.function(remarks::getFunctionName(kernel))))
        told << remark::metric("kernel", kernel.getName())
             << remark::metric("cost", bestCost);
      return true;
    }
  return false;
}

void ShareRows::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Loop, Stage::Loop})))
    return signalPassFailure();
  getOperation().walk([&](KernelOp kernel) {
    while (shareIn(kernel))
      ;
  });
}
