//===- Views.cpp - Views as index expressions -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Converter.h"

#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Aten/IR/AtenBase.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace {

/// `self` seen through `index`, an index into it over dimensions `dims`.
View compose(Converter &converter, const View &self,
             ArrayRef<guard::ExprAttr> index,
             ArrayRef<guard::ExprAttr> dims) {
  guard::Assumptions assumptions = converter.getAssumptions();
  analysis::addExtents(assumptions, converter.getContext(), dims);
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
bool Converter::isRowMajor(const View &view) {
  if (auto argument = dyn_cast<BlockArgument>(view.base))
    for (StringRef name : {StringRef(kStridesAttrName),
                           StringRef(aten::kStorageOffsetAttrName)})
      if (function.getArgAttr(argument.getArgNumber(), name))
        return false;
  auto dims = guard::getDims(cast<RankedTensorType>(view.base.getType()));
  guard::Assumptions assumptions = getAssumptions();
  analysis::addExtents(assumptions, getContext(), view.dims);
  return dims && ArrayRef(view.map) ==
                     ArrayRef(analysis::reshapeIndices(
                         getContext(),
                         getIdentityMap(getContext(), view.dims.size()),
                         view.dims, *dims, assumptions));
}

LogicalResult Converter::lowerView() {
  auto maps = cast<aten::ViewOpInterface>(op).getViewMaps();
  if (failed(maps))
    return refuse("a size is not known");
  for (auto [map, result] : llvm::zip_equal(*maps, op->getResults())) {
    if (map.kind == aten::ViewKind::Storage)
      return lowerAsStrided();
    View tensor = getView(op->getOperand(map.tensor));
    Exprs dims(map.sizes.begin(), map.sizes.end()), index = map.getIndex();
    if (map.kind == aten::ViewKind::InOrder) {
      guard::Assumptions assumptions = getAssumptions();
      analysis::addExtents(assumptions, getContext(), dims);
      index = analysis::reshapeIndices(
          getContext(), getIdentityMap(getContext(), dims.size()), dims,
          tensor.dims, assumptions);
    }
    setView(result, compose(*this, tensor, index, dims));
  }
  return success();
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
LogicalResult Converter::lowerAsStrided() {
  Value self = getTensor("self");
  auto result = *guard::getDims(getResultType());
  Exprs strides = getShape("stride");
  if (strides.size() != result.size())
    return refuse("expected a stride for each size");
  ExprAttr offset = getExpr("storage_offset");
  View view = getView(self);
  if (!isRowMajor(view)) {
    Value owner = getOwner(self);
    View memory = getView(owner);
    bool isInOrder = isRowMajor(memory);
    if (owner != self && !offset) {
      // Where the first element of the view is.
      if (!isInOrder || memory.base != view.base)
        return refuse("strides of a view of which is not known where it begins");
      Exprs zeros(view.dims.size(), expr(0));
      auto dims = *guard::getDims(cast<RankedTensorType>(view.base.getType()));
      offset = expr(0);
      for (auto [at, stride] :
           llvm::zip(view.map, guard::getContiguousStrides(getContext(), dims)))
        offset = offset + guard::substituteDims(at, zeros) * stride;
    }
    view = memory;
    if (isa<BlockArgument>(owner) && !isInOrder) {
      op->setOperand(0, owner);
      return makeExtern("");
    }
  }
  ExprAttr flat = offset ? offset : expr(0), last = flat;
  ExprAttr isForward = expr(1);
  for (auto [i, stride] : llvm::enumerate(strides)) {
    if (guard::isKnownLess(stride, expr(0), getAssumptions()))
      return refuse("strides that are negative");
    isForward = guard::logicalAnd(isForward, guard::ge(stride, expr(0)));
    flat = flat + dim(i) * stride;
    last = last + (result[i] - expr(1)) * stride;
  }
  guard::Assumptions assumptions = getAssumptions();
  analysis::addExtents(assumptions, getContext(), result);
  ExprAttr count = guard::getNumElements(getContext(), view.dims);
  bool isEmpty = llvm::any_of(
      result, [](ExprAttr size) { return size.isConstant(0); });
  if (!isEmpty && (!guard::isKnownNonNegative(flat, assumptions) ||
                   !guard::isKnownLess(flat, count, assumptions))) {
    ExprAttr isInside = guard::logicalOr(
        guard::eq(guard::getNumElements(getContext(), result), expr(0)),
        guard::logicalAnd(
            guard::logicalAnd(guard::ge(offset ? offset : expr(0), expr(0)),
                              guard::lt(last, count)),
            isForward));
    check({}, "as_strided: elements lie outside of the storage",
          [&](BodyContext body) {
            Value isTrue = condition(body, isInside);
            return isTrue ? isTrue
                          : arith::ConstantIntOp::create(body.builder,
                                                         body.loc, 1, 1);
          });
    flat = guard::max(guard::min(flat, count - expr(1)), expr(0));
  }
  Exprs index = analysis::reshapeIndices(getContext(), {flat}, {count},
                                         view.dims, assumptions);
  setView(op->getResult(0), compose(*this, view, index, result));
  return success();
}
