//===- Views.cpp - Views as index expressions -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"

#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Aten/IR/AtenBase.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace {

/// `self` seen through `index`, an index into it over dimensions `dims`.
View compose(LoopBuilder &loops, const View &self,
             ArrayRef<guard::ExprAttr> index, ArrayRef<guard::ExprAttr> dims) {
  guard::Assumptions assumptions = loops.getAssumptions();
  analysis::addExtents(assumptions, loops.getContext(), dims);
  View view;
  view.base = self.base;
  view.dims = Exprs(dims);
  for (guard::ExprAttr expr : self.map)
    view.map.push_back(
        guard::simplify(guard::substituteDims(expr, index), assumptions));
  return view;
}

} // namespace

/// True if the elements of a view stand in memory in the view's own order, from
/// the first on.
static bool isRowMajor(LoopBuilder &loops, const View &view) {
  if (auto argument = dyn_cast<BlockArgument>(view.base)) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    for (StringRef name : {StringRef(kStridesAttrName),
                           StringRef(aten::kStorageOffsetAttrName)})
      if (function.getArgAttr(argument.getArgNumber(), name))
        return false;
  }
  auto dims = guard::getDims(cast<RankedTensorType>(view.base.getType()));
  guard::Assumptions assumptions = loops.getAssumptions();
  analysis::addExtents(assumptions, loops.getContext(), view.dims);
  return dims && ArrayRef(view.map) ==
                     ArrayRef(analysis::reshapeIndices(
                         loops.getContext(),
                         getIdentityMap(loops.getContext(), view.dims.size()),
                         view.dims, *dims, assumptions));
}

/// The tensor that owns the memory which `tensor` looks at.
static Value getOwner(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    const aten::OpInfo *info = aten::getOpInfo(op);
    // What may copy counts as a copy: its elements lie in order then, and if it
    // did not copy, they did before.
    if (!info || !info->isView || info->mayCopy)
      break;
    tensor = op->getOperand(0);
  }
  return tensor;
}

/// Elements by their place in memory. Everything that is computed lies in
/// memory in order; where an element of a caller's tensor lies the runtime
/// knows, which then makes the view.
static LogicalResult lowerAsStrided(LoopBuilder &loops, aten::AsStridedOp op) {
  Value self = op.getSelf();
  auto result = *guard::getDims(loops.getResultType());
  Exprs strides = toExprs(op.getStride());
  if (strides.size() != result.size())
    return loops.refuse("expected a stride for each size");
  ExprAttr offset = op.getStorageOffsetAttr();
  View view = loops.getView(self);
  if (!isRowMajor(loops, view)) {
    Value owner = getOwner(self);
    View memory = loops.getView(owner);
    bool isInOrder = isRowMajor(loops, memory);
    if (owner != self && !offset) {
      // Where the first element of the view is.
      if (!isInOrder || memory.base != view.base)
        return loops.refuse(
            "strides of a view of which is not known where it begins");
      Exprs zeros(view.dims.size(), loops.expr(0));
      auto dims = *guard::getDims(cast<RankedTensorType>(view.base.getType()));
      offset = loops.expr(0);
      for (auto [at, stride] : llvm::zip(
               view.map, guard::getContiguousStrides(loops.getContext(), dims)))
        offset = offset + guard::substituteDims(at, zeros) * stride;
    }
    view = memory;
    if (isa<BlockArgument>(owner) && !isInOrder) {
      op->setOperand(0, owner);
      return failure(); // nothing to remark on
    }
  }
  ExprAttr flat = offset ? offset : loops.expr(0), last = flat;
  ExprAttr isForward = loops.expr(1);
  for (auto [i, stride] : llvm::enumerate(strides)) {
    if (guard::isKnownLess(stride, loops.expr(0), loops.getAssumptions()))
      return loops.refuse("strides that are negative");
    isForward = guard::logicalAnd(isForward, guard::ge(stride, loops.expr(0)));
    flat = flat + loops.dim(i) * stride;
    last = last + (result[i] - loops.expr(1)) * stride;
  }
  guard::Assumptions assumptions = loops.getAssumptions();
  analysis::addExtents(assumptions, loops.getContext(), result);
  ExprAttr count = guard::getNumElements(loops.getContext(), view.dims);
  bool isEmpty = llvm::any_of(
      result, [](ExprAttr size) { return size.isConstant(0); });
  if (!isEmpty && (!guard::isKnownNonNegative(flat, assumptions) ||
                   !guard::isKnownLess(flat, count, assumptions))) {
    ExprAttr isInside = guard::logicalOr(
        guard::eq(guard::getNumElements(loops.getContext(), result),
                  loops.expr(0)),
        guard::logicalAnd(
            guard::logicalAnd(
                guard::ge(offset ? offset : loops.expr(0), loops.expr(0)),
                guard::lt(last, count)),
            isForward));
    loops.check({}, "as_strided: elements lie outside of the storage",
                [&](BodyContext body) {
                  Value isTrue = loops.condition(body, isInside);
                  return isTrue ? isTrue
                                : arith::ConstantIntOp::create(body.builder,
                                                               body.loc, 1, 1);
                });
    flat = guard::max(guard::min(flat, count - loops.expr(1)), loops.expr(0));
  }
  Exprs index = analysis::reshapeIndices(loops.getContext(), {flat}, {count},
                                         view.dims, assumptions);
  loops.setView(op->getResult(0), compose(loops, view, index, result));
  return success();
}

LogicalResult loop::lowerView(LoopBuilder &loops, Operation *op) {
  auto maps = cast<aten::ViewOpInterface>(op).getViewMaps();
  if (failed(maps))
    return loops.refuse("a size is not known");
  for (auto [map, result] : llvm::zip_equal(*maps, op->getResults())) {
    if (map.elements != aten::ViewElements::Same)
      return lowerReinterpret(loops, op->getOperand(map.tensor));
    if (map.kind == aten::ViewKind::Storage)
      return lowerAsStrided(loops, cast<aten::AsStridedOp>(op));
    View tensor = loops.getView(op->getOperand(map.tensor));
    Exprs dims(map.sizes.begin(), map.sizes.end()), index = map.getIndex();
    if (map.kind == aten::ViewKind::InOrder) {
      guard::Assumptions assumptions = loops.getAssumptions();
      analysis::addExtents(assumptions, loops.getContext(), dims);
      index = analysis::reshapeIndices(
          loops.getContext(), getIdentityMap(loops.getContext(), dims.size()),
          dims, tensor.dims, assumptions);
    }
    loops.setView(result, compose(loops, tensor, index, dims));
  }
  return success();
}
