//===- GatherRows.cpp - Rows of points that share columns -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GatherRows.h"
#include "Bodies.h"

#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;
using guard::ExprKind;

namespace {
class RowGatherer {
public:
  RowGatherer(KernelOp kernel, const analysis::SizeHints &hints)
      : kernel(kernel), hints(hints), context(kernel.getContext()),
        shared(getExprs(kernel.getShared())), rank(shared.size()) {}

  KernelOp run();

private:
  int64_t findCount();
  bool canChange(NestOpInterface nest);
  bool isInside(Value tensor) const {
    return tensor.getDefiningOp<NestOpInterface>() != nullptr;
  }
  ExprAttr getGathered(ExprAttr head, ExprAttr row) const {
    return head * count + row;
  }
  RankedTensorType change(Type type) const;
  SmallVector<ExprAttr> changeShared(ArrayRef<ExprAttr> extents) const;
  void changeNest(NestOpInterface nest);
  void changeLoad(LoadOp load, Value head, Value row);
  void changeContract(ContractOp op);

  KernelOp kernel;
  const analysis::SizeHints &hints;
  MLIRContext *context;
  SmallVector<ExprAttr> shared;
  size_t rank;
  int64_t count = 0; ///< points that become the rows of one
};
} // namespace

/// By how much operands of products in memory divide the last outer dimension,
/// where they mention it in no other way; 0 if there is no such number, or
/// several.
int64_t RowGatherer::findCount() {
  int64_t found = 0;
  for (ContractOp op : kernel.getBody().getOps<ContractOp>()) {
    auto dims = getSharedDims(op, shared);
    if (!dims || !(*dims)[rank - 2] || !dims->back())
      return 0;
    ExprAttr head = guard::getDim(context, *(*dims)[rank - 2]);
    for (const OperandRead &read : op.getOperandReads())
      for (ExprAttr index : read.map)
        guard::walk(index, [&](ExprAttr part) {
          if (part.getKind() != ExprKind::FloorDiv ||
              part.getOperand(0) != head)
            return;
          int64_t divisor = part.getOperand(1).getConstant().value_or(0);
          found = found == 0 || found == divisor ? divisor : -1;
        });
  }
  auto heads = shared[rank - 2].getConstant();
  return found > 1 && heads && *heads % found == 0 ? found : 0;
}

/// True if what a nest is and reads of the kernel is known by the shared
/// dimensions that come first.
bool RowGatherer::canChange(NestOpInterface nest) {
  if (auto op = dyn_cast<ContractOp>(nest.getOperation())) {
    bool isFree = op.getMasks().empty();
    op->walk([&](LoadOp load) { isFree &= !isInside(load.getTensor()); });
    return isFree;
  }
  return (isa<PointwiseOp, ReduceOp>(nest.getOperation())) &&
         nest.getDomain().parallel.size() >= rank &&
         llvm::equal(ArrayRef(nest.getDomain().parallel).take_front(rank),
                     shared);
}

SmallVector<ExprAttr>
RowGatherer::changeShared(ArrayRef<ExprAttr> extents) const {
  SmallVector<ExprAttr> changed(extents);
  changed[rank - 2] =
      guard::getConstant(context, *extents[rank - 2].getConstant() / count);
  changed[rank - 1] = guard::getConstant(context, count);
  return changed;
}

/// The type of a result whose leading dimensions are the shared ones.
RankedTensorType RowGatherer::change(Type type) const {
  auto tensor = cast<RankedTensorType>(type);
  return guard::makeTensorType(tensor.getElementType(),
                               changeShared(*guard::getDims(tensor)));
}

/// Of the kernel it reads its own row, and of memory what it read before.
void RowGatherer::changeLoad(LoadOp load, Value head, Value row) {
  SmallVector<Value> indices(load.getIndices());
  SmallVector<ExprAttr> map = getExprs(load.getMap());
  ExprAttr headDim = guard::getDim(context, indices.size());
  ExprAttr rowDim = guard::getDim(context, indices.size() + 1);
  if (isInside(load.getTensor())) {
    map[rank - 2] = headDim;
    map[rank - 1] = rowDim;
  } else {
    SmallVector<ExprAttr> dims = getIdentityMap(context, indices.size());
    for (auto [k, index] : llvm::enumerate(indices)) {
      if (index == head)
        dims[k] = getGathered(headDim, rowDim);
      if (index == row)
        dims[k] = guard::getConstant(context, 0);
    }
    for (ExprAttr &expr : map)
      expr = guard::substituteDims(expr, dims);
  }
  indices.append({head, row});
  load.getIndicesMutable().assign(indices);
  load.setMapAttr(getExprArray(context, map));
}

void RowGatherer::changeNest(NestOpInterface nest) {
  if (auto op = dyn_cast<PointwiseOp>(nest.getOperation()))
    op.setExtentsAttr(
        getExprArray(context, changeShared(getExprs(op.getExtents()))));
  else if (auto op = dyn_cast<ReduceOp>(nest.getOperation()))
    op.setParallelExtentsAttr(
        getExprArray(context, changeShared(getExprs(op.getParallelExtents()))));
  for (Value result : nest->getResults())
    result.setType(change(result.getType()));
  Block &body = nest->getRegion(0).front();
  Value head = body.getArgument(rank - 2), row = body.getArgument(rank - 1);
  llvm::SmallPtrSet<Operation *, 8> loads;
  SmallVector<LoadOp> found(body.getOps<LoadOp>());
  for (LoadOp load : found) {
    changeLoad(load, head, row);
    loads.insert(load);
  }
  // Others, which compare positions, see the row that it was.
  auto isOther = [&](OpOperand &use) {
    return !loads.contains(use.getOwner());
  };
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  Location location = nest->getLoc();
  if (llvm::any_of(row.getUses(), isOther))
    row.replaceUsesWithIf(arith::ConstantIndexOp::create(builder, location, 0),
                          isOther);
  if (!llvm::any_of(head.getUses(), isOther))
    return;
  Value gathered = createIndex(
      builder, location,
      getGathered(guard::getDim(context, 0), guard::getDim(context, 1)),
      {head, row});
  loads.insert(gathered.getDefiningOp());
  head.replaceUsesWithIf(gathered, isOther);
}

/// The row stands behind the dimension of which it was a part, so that the
/// result has its elements in their order.
void RowGatherer::changeContract(ContractOp op) {
  auto dims = *getSharedDims(op, shared);
  unsigned head = *dims[rank - 2], row = *dims.back();
  Domain old = op.getDomain();
  SmallVector<ExprAttr> parallel, map(old.parallel.size());
  ExprAttr headDim, rowDim;
  for (unsigned k = 0; k < old.parallel.size(); ++k) {
    ExprAttr dim = guard::getDim(context, parallel.size());
    if (k == head) {
      headDim = dim;
      rowDim = guard::getDim(context, parallel.size() + 1);
      parallel.push_back(
          guard::getConstant(context, *old.parallel[k].getConstant() / count));
      parallel.push_back(guard::getConstant(context, count));
      map[k] = getGathered(headDim, rowDim);
    } else if (k == row) {
      map[k] = guard::getConstant(context, 0);
    } else {
      parallel.push_back(old.parallel[k]);
      map[k] = dim;
    }
  }
  for (unsigned k = 0; k < old.reduction.size(); ++k)
    map.push_back(guard::getDim(context, parallel.size() + k));
  SmallVector<ExprAttr> extents(parallel);
  llvm::append_range(extents, old.reduction);
  guard::Assumptions assumptions = hints.getAssumptions();
  analysis::addExtents(assumptions, context, extents);
  auto rewrite = [&](ArrayAttr exprs, Value tensor) {
    SmallVector<ExprAttr> indices;
    for (ExprAttr expr : getExprs(exprs))
      indices.push_back(
          guard::simplify(guard::substituteDims(expr, map), assumptions));
    if (isInside(tensor)) {
      indices[rank - 2] = headDim;
      indices[rank - 1] = rowDim;
    }
    return indices;
  };
  OpBuilder builder(op);
  Type element =
      cast<RankedTensorType>(op.getResult().getType()).getElementType();
  auto made = ContractOp::create(
      builder, op.getLoc(), guard::makeTensorType(element, parallel),
      op.getLhs(), op.getRhs(), parallel, old.reduction,
      rewrite(op.getLhsIndices(), op.getLhs()),
      rewrite(op.getRhsIndices(), op.getRhs()), op.getAccType(),
      op.getOriginsAttr());
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  made.getLhsPrologue().takeBody(op.getLhsPrologue());
  made.getRhsPrologue().takeBody(op.getRhsPrologue());
  if (!op.getEpilogue().empty()) {
    Block *block = made.addEpilogue(builder);
    builder.setInsertionPointToEnd(block);
    SmallVector<Value> arguments = {block->getArgument(0)};
    ValueRange indices = block->getArguments().drop_front();
    for (ExprAttr expr : ArrayRef(map).take_front(old.parallel.size()))
      arguments.push_back(createIndex(builder, op.getLoc(), expr, indices));
    SmallVector<Value> results =
        cloneBody(builder, op.getEpilogue().front(), arguments);
    YieldOp::create(builder, op.getLoc(), results);
  }
  op.getResult().replaceAllUsesWith(made.getResult());
  op.erase();
}

KernelOp RowGatherer::run() {
  if (rank < 2 || !shared.back().isConstant(1))
    return {};
  count = findCount();
  if (count == 0 || !llvm::all_of(kernel.getNests(), [&](NestOpInterface nest) {
        return canChange(nest);
      }))
    return {};
  OpBuilder builder(kernel);
  auto made = cast<KernelOp>(builder.clone(*kernel));
  kernel = made;
  // Before their operands get other sizes, contractions say which dimensions
  // are shared.
  SmallVector<ContractOp> contracts(made.getBody().getOps<ContractOp>());
  for (NestOpInterface nest : made.getNests())
    if (!isa<ContractOp>(nest.getOperation()))
      changeNest(nest);
  for (ContractOp op : contracts)
    changeContract(op);
  made.setSharedAttr(getExprArray(context, changeShared(shared)));
  Operation *terminator = made.getBody().front().getTerminator();
  for (auto [result, value] :
       llvm::zip_equal(made.getResults(), terminator->getOperands()))
    result.setType(value.getType());
  return made;
}

KernelOp loop::gatherRows(KernelOp kernel, const analysis::SizeHints &hints) {
  return RowGatherer(kernel, hints).run();
}
