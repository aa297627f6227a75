//===- ProductDomains.cpp - Contractions over the points of rows ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductDomains.h"
#include "ReaderOrder.h"

#include "kiln/Analysis/IndexExpr.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

ContractOp loop::moveToShared(OpBuilder &builder, ContractOp op,
                               ArrayRef<ExprAttr> shared,
                               ArrayRef<ExprAttr> lead,
                               const IRMapping &mapping,
                               const analysis::SizeHints &hints) {
  MLIRContext *context = op.getContext();
  Domain old = op.getDomain();
  SmallVector<ExprAttr> parallel(shared);
  llvm::append_range(parallel, ArrayRef(old.parallel).drop_front(lead.size()));
  SmallVector<ExprAttr> map(lead);
  while (map.size() < old.parallel.size() + old.reduction.size())
    map.push_back(
        guard::getDim(context, shared.size() + map.size() - lead.size()));
  SmallVector<ExprAttr> extents(parallel);
  llvm::append_range(extents, old.reduction);
  guard::Assumptions assumptions = hints.getAssumptions();
  analysis::addExtents(assumptions, context, extents);
  auto rewrite = [&](ArrayAttr exprs) {
    return llvm::map_to_vector(getExprs(exprs), [&](ExprAttr expr) {
      return guard::simplify(guard::substituteDims(expr, map), assumptions);
    });
  };
  Type element = cast<RankedTensorType>(op.getResult().getType()).getElementType();
  auto moved = ContractOp::create(
      builder, op.getLoc(), guard::makeTensorType(element, parallel),
      mapping.lookup(op.getLhs()), mapping.lookup(op.getRhs()), parallel,
      old.reduction, rewrite(op.getLhsIndices()), rewrite(op.getRhsIndices()),
      op.getAccType(), op.getOriginsAttr());
  moved->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  moved.setMasksAttr(getExprArray(context, rewrite(op.getMasks())));
  IRMapping inside = mapping;
  op.getLhsPrologue().cloneInto(&moved.getLhsPrologue(), inside);
  op.getRhsPrologue().cloneInto(&moved.getRhsPrologue(), inside);
  if (op.getEpilogue().empty())
    return moved;
  OpBuilder::InsertionGuard guard(builder);
  Block *block = moved.addEpilogue(builder);
  builder.setInsertionPointToEnd(block);
  SmallVector<Value> arguments = {block->getArgument(0)};
  ValueRange indices = block->getArguments().drop_front();
  for (ExprAttr expr : ArrayRef(map).take_front(old.parallel.size()))
    arguments.push_back(createIndex(builder, op.getLoc(), expr, indices));
  Block &body = op.getEpilogue().front();
  for (auto [from, to] : llvm::zip_equal(body.getArguments(), arguments))
    inside.map(from, to);
  for (Operation &each : body)
    builder.clone(each, inside);
  return moved;
}

/// Indices of size-1 dimensions are 0: a shared dimension is then read by itself.
static ArrayAttr dropUnits(ContractOp op, ArrayAttr map,
                           const analysis::SizeHints &hints) {
  MLIRContext *context = op.getContext();
  SmallVector<ExprAttr> extents = op.getDomain().all();
  guard::Assumptions assumptions = hints.getAssumptions();
  analysis::addExtents(assumptions, context, extents);
  return getExprArray(
      context, llvm::map_to_vector(getExprs(map), [&](ExprAttr expr) {
        return guard::simplify(guard::dropUnitDims(expr, extents), assumptions);
      }));
}

/// Lets a contraction read what its kernel computes in a row of its own even where that
/// is the only one, of the last dimension of its result that has one element.
static void readOnlyRow(ContractOp op, ArrayRef<ExprAttr> shared) {
  SmallVector<ExprAttr> parallel = op.getDomain().parallel;
  auto unit = llvm::find_if(llvm::reverse(parallel), [](ExprAttr extent) {
    return extent.isConstant(1);
  });
  if (shared.empty() || !shared.back().isConstant(1) ||
      unit == llvm::reverse(parallel).end())
    return;
  ExprAttr row = guard::getDim(op.getContext(),
                               std::distance(parallel.begin(), unit.base()) - 1);
  auto enter = [&](Value tensor, ArrayAttr map) {
    SmallVector<ExprAttr> indices = getExprs(map);
    if (tensor.getDefiningOp<NestOpInterface>() &&
        indices.size() >= shared.size() &&
        indices[shared.size() - 1].isConstant(0))
      indices[shared.size() - 1] = row;
    return getExprArray(op.getContext(), indices);
  };
  op.setLhsIndicesAttr(enter(op.getLhs(), op.getLhsIndices()));
  op.setRhsIndicesAttr(enter(op.getRhs(), op.getRhsIndices()));
}

/// The shared dimensions of a contraction, the rows among them.
static bool hasRows(ContractOp op, ArrayRef<ExprAttr> shared) {
  auto dims = getSharedDims(op, shared);
  return dims && !dims->empty() && dims->back();
}

/// Leading dimensions of `parallel` that have the points of `shared`, as many
/// as it takes; none if they do not.
static ArrayRef<ExprAttr> getLeading(ArrayRef<ExprAttr> parallel,
                                     ArrayRef<ExprAttr> shared) {
  if (shared.empty())
    return {};
  MLIRContext *context = shared.front().getContext();
  ExprAttr points = guard::getNumElements(context, shared);
  for (size_t count = 1; count < parallel.size(); ++count)
    if (guard::getNumElements(context, parallel.take_front(count)) == points)
      return parallel.take_front(count);
  return {};
}

ContractOp loop::alignConsumer(OpBuilder &builder, ContractOp op,
                                ArrayRef<ExprAttr> shared,
                                const analysis::SizeHints &hints) {
  op.setLhsIndicesAttr(dropUnits(op, op.getLhsIndices(), hints));
  op.setRhsIndicesAttr(dropUnits(op, op.getRhsIndices(), hints));
  readOnlyRow(op, shared);
  if (hasRows(op, shared))
    return op;
  MLIRContext *context = op.getContext();
  SmallVector<ExprAttr> parallel = op.getDomain().parallel;
  ArrayRef<ExprAttr> lead = ArrayRef(parallel).drop_back();
  ArrayRef<ExprAttr> points = shared;
  if (guard::getNumElements(context, lead) !=
      guard::getNumElements(context, shared)) {
    points = shared.drop_back(); // its sum may be the rows
    lead = getLeading(parallel, points);
  }
  if (lead.empty())
    return {};
  guard::Assumptions assumptions = hints.getAssumptions();
  analysis::addExtents(assumptions, context, shared);
  IRMapping same;
  for (Value operand : op->getOperands())
    same.map(operand, operand);
  ContractOp moved = moveToShared(
      builder, op, points,
      analysis::reshapeIndices(context, getIdentityMap(context, points.size()),
                               points, lead, assumptions),
      same, hints);
  op.getResult().replaceAllUsesWith(moved.getResult());
  op.erase();
  moved.setLhsIndicesAttr(dropUnits(moved, moved.getLhsIndices(), hints));
  moved.setRhsIndicesAttr(dropUnits(moved, moved.getRhsIndices(), hints));
  readOnlyRow(moved, shared);
  return hasRows(moved, shared) ? moved : ContractOp();
}

bool loop::canReshape(Value value) {
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    auto kernel = dyn_cast<KernelOp>(use.getOwner());
    return kernel && readsCanReshape(
                         kernel.getBody().getArgument(use.getOperandNumber()));
  });
}

void loop::replaceReshaped(Value from, Value to,
                           const analysis::SizeHints &hints) {
  auto old = *guard::getDims(cast<RankedTensorType>(from.getType()));
  auto sizes = *guard::getDims(cast<RankedTensorType>(to.getType()));
  for (OpOperand &use : llvm::make_early_inc_range(from.getUses())) {
    BlockArgument argument = cast<KernelOp>(use.getOwner())
                                 .getBody()
                                 .getArgument(use.getOperandNumber());
    reshapeReads(argument, old, sizes, hints);
    argument.setType(to.getType());
    use.set(to);
  }
}
