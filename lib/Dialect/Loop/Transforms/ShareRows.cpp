//===- ShareRows.cpp - Compute an expensive value of a kernel once --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"

#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Dialect/Loop/Utils/StructureNumbering.h"
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

namespace {
/// An expression that a reduction and a pointwise nest both evaluate; dimension k of
/// the pointwise nest is dimension `dims[k]` of the reduction.
struct SharedExpression {
  ReduceOp reduce;
  PointwiseOp pointwise;
  SmallVector<unsigned> dims;
  Operation *inReduce = nullptr, *inPointwise = nullptr;
  int64_t cost = 0;
};
} // namespace

/// True if `value` varies along the row, else it is computed once anyway, and not
/// with what the pointwise nest does not have.
static bool variesAlongRow(ReduceOp reduce, Value value,
                           ArrayRef<unsigned> dims) {
  llvm::SmallDenseSet<unsigned> used;
  collectIndices(reduce, value, used);
  return used.size() >= dims.size() && llvm::all_of(used, [&](unsigned index) {
           return llvm::is_contained(dims, index);
         });
}

/// Expressions of the reduction that are worth a row, with their costs.
static SmallVector<std::pair<Operation *, int64_t>>
getCandidates(ReduceOp reduce, ArrayRef<unsigned> dims, int64_t minCost) {
  SmallVector<std::pair<Operation *, int64_t>> candidates;
  for (Operation &op : reduce.getBody().front()) {
    if (op.getNumResults() != 1 || isa<LoadOp>(op) ||
        !op.getResult(0).getType().isIntOrFloat())
      continue;
    llvm::SmallDenseSet<Operation *> seen;
    int64_t cost = getExpressionCost(reduce, op.getResult(0), seen);
    if (cost >= minCost && variesAlongRow(reduce, op.getResult(0), dims))
      candidates.push_back({&op, cost});
  }
  return candidates;
}

/// The most expensive expression of at least `minCost` that both evaluate.
static std::optional<SharedExpression>
findShared(ReduceOp reduce, PointwiseOp pointwise, ArrayRef<unsigned> dims,
           int64_t minCost) {
  auto candidates = getCandidates(reduce, dims, minCost);
  if (candidates.empty())
    return std::nullopt;
  StructureNumbering numbers;
  for (BlockArgument index : reduce.getBody().getArguments())
    numbers.setNumber(index, numbers.createNumber());
  for (auto [k, index] : llvm::enumerate(pointwise.getBody().getArguments()))
    numbers.setNumber(index, numbers.getNumber(reduce.getBody().getArgument(
                                 dims[k])));
  llvm::DenseMap<unsigned, Operation *> twins;
  for (Operation &op : pointwise.getBody().front())
    if (op.getNumResults() == 1)
      twins.try_emplace(numbers.getNumber(op.getResult(0)), &op);

  SharedExpression best{reduce, pointwise, SmallVector<unsigned>(dims)};
  for (auto [op, cost] : candidates) {
    Operation *twin = twins.lookup(numbers.getNumber(op->getResult(0)));
    if (!twin || cost <= best.cost)
      continue;
    best.inReduce = op;
    best.inPointwise = twin;
    best.cost = cost;
  }
  if (!best.inReduce)
    return std::nullopt;
  return best;
}

/// A nest before both that computes the row; null if it would need something behind
/// it.
static PointwiseOp createRow(SharedExpression shared) {
  bool reduceIsFirst = shared.reduce->isBeforeInBlock(shared.pointwise);
  Operation *first = reduceIsFirst ? shared.reduce.getOperation()
                                   : shared.pointwise.getOperation();
  Operation *source = reduceIsFirst ? shared.inReduce : shared.inPointwise;
  OpBuilder builder(first);
  SmallVector<guard::ExprAttr> extents = shared.pointwise.getDomain().parallel;
  Location location = shared.inReduce->getLoc();
  auto row = PointwiseOp::create(
      builder, location,
      guard::makeTensorType(source->getResult(0).getType(), extents), extents,
      shared.reduce.getOriginsAttr());
  IRMapping mapping;
  builder.setInsertionPointToEnd(&row.getBody().front());
  for (auto [k, argument] : llvm::enumerate(row.getBody().getArguments())) {
    unsigned dim = reduceIsFirst ? shared.dims[k] : unsigned(k);
    mapping.map(first->getRegion(0).getArgument(dim), argument);
  }
  Value value = cloneExpression(builder, first, source->getResult(0), mapping);
  YieldOp::create(builder, location, value);
  bool early = true;
  row.walk([&](LoadOp load) {
    Operation *definer = load.getTensor().getDefiningOp();
    early &= !definer || definer->isBeforeInBlock(row);
  });
  if (early)
    return row;
  row.erase();
  return {};
}

/// Reads the row where `nest` computed `op`, whose dimensions are `dims` of `nest`.
static void readRow(PointwiseOp row, Operation *nest, Operation *op,
                    ArrayRef<unsigned> dims) {
  OpBuilder builder(op);
  SmallVector<Value> indices;
  for (unsigned dim : dims)
    indices.push_back(nest->getRegion(0).getArgument(dim));
  auto load = LoadOp::create(builder, op->getLoc(), row.getResult(), indices);
  op->getResult(0).replaceAllUsesWith(load);
  for (Operation &dead : llvm::make_early_inc_range(
           llvm::reverse(nest->getRegion(0).front())))
    if (isOpTriviallyDead(&dead))
      dead.erase();
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
      auto found = findShared(reduce, pointwise, dims, minCost);
      if (!found)
        continue;
      PointwiseOp row = createRow(*found);
      if (!row)
        continue;
      readRow(row, reduce, found->inReduce, dims);
      readRow(row, pointwise, found->inPointwise,
              llvm::to_vector(llvm::seq<unsigned>(dims.size())));
      if (auto told = remark::passed(
              row.getLoc(),
              remarks::kSharedRow.function(remarks::getFunctionName(kernel))))
        told << remark::metric("kernel", kernel.getName())
             << remark::metric("cost", found->cost);
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
