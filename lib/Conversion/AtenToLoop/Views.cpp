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

/// The index into the operand, over the dimensions of a result.
using Composer = llvm::function_ref<Exprs(ArrayRef<guard::ExprAttr> dims)>;

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

/// Start of a slice, counted from the front and within the dimension.
guard::ExprAttr getStart(Converter &converter, guard::ExprAttr start,
                         guard::ExprAttr size) {
  if (!start)
    return converter.expr(0);
  const guard::Assumptions &assumptions = converter.getAssumptions();
  if (!guard::isKnownNonNegative(start, assumptions)) {
    guard::ExprAttr zero = converter.expr(0);
    start = guard::select(guard::lt(start, zero),
                          guard::max(start + size, zero), start);
  }
  return guard::simplify(guard::min(start, size), assumptions);
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

LogicalResult Converter::lowerView(ViewKind kind) {
  Value selfValue = getTensor("self");
  View self = getView(selfValue);
  int64_t rank = cast<RankedTensorType>(selfValue.getType()).getRank();
  if (int64_t(self.dims.size()) != rank)
    return refuse("a size is not known");
  auto wrap = [&](int64_t d) { return d < 0 ? d + rank : d; };
  auto dimsOf = [&](unsigned i) -> std::optional<Exprs> {
    auto dims = guard::getDims(getResultType(i));
    if (!dims)
      return std::nullopt;
    return Exprs(dims->begin(), dims->end());
  };
  std::optional<Exprs> result;
  if (op->getNumResults())
    if (!(result = dimsOf(0)))
      return refuse("a size of the result is not known");
  // One view of the operand per result.
  auto set = [&](unsigned i, ArrayRef<guard::ExprAttr> index,
                 ArrayRef<guard::ExprAttr> dims) {
    setView(op->getResult(i), compose(*this, self, index, dims));
    return success();
  };
  Exprs index;
  switch (kind) {
  case ViewKind::Same:
    return set(0, getIdentityMap(getContext(), rank), *result);
  case ViewKind::Reshape: {
    guard::Assumptions assumptions = getAssumptions();
    analysis::addExtents(assumptions, getContext(), *result);
    index = analysis::reshapeIndices(
        getContext(), getIdentityMap(getContext(), result->size()), *result,
        self.dims, assumptions);
    return set(0, index, *result);
  }
  case ViewKind::Expand: {
    unsigned shift = result->size() - rank;
    for (int64_t i = 0; i < rank; ++i)
      index.push_back(self.dims[i].isConstant(1) &&
                              !(*result)[i + shift].isConstant(1)
                          ? expr(0)
                          : dim(i + shift));
    return set(0, index, *result);
  }
  case ViewKind::Permute: {
    SmallVector<int64_t> dims = getInts("dims");
    index.assign(rank, expr(0));
    for (auto [to, from] : llvm::enumerate(dims))
      index[wrap(from)] = dim(to);
    return set(0, index, *result);
  }
  case ViewKind::Transpose:
  case ViewKind::T: {
    index = getIdentityMap(getContext(), rank);
    if (rank >= 2) {
      int64_t a = kind == ViewKind::T ? 0 : wrap(getInt("dim0"));
      int64_t b = kind == ViewKind::T ? 1 : wrap(getInt("dim1"));
      std::swap(index[a], index[b]);
    }
    return set(0, index, *result);
  }
  case ViewKind::Reverse:
    for (int64_t i = 0; i < rank; ++i)
      index.push_back(dim(rank - 1 - i));
    return set(0, index, *result);
  case ViewKind::Select: {
    int64_t at = wrap(getInt("dim"));
    guard::ExprAttr chosen = getExpr("index");
    if (!guard::isKnownNonNegative(chosen, getAssumptions())) {
      if (!chosen.isConstant())
        chosen = guard::select(guard::lt(chosen, expr(0)),
                               chosen + self.dims[at], chosen);
      else
        chosen = chosen + self.dims[at];
    }
    for (int64_t i = 0; i < rank; ++i)
      index.push_back(i == at ? chosen : dim(i < at ? i : i - 1));
    return set(0, index, *result);
  }
  case ViewKind::Slice: {
    int64_t at = wrap(getInt("dim"));
    guard::ExprAttr step = getExpr("step");
    index = getIdentityMap(getContext(), rank);
    index[at] = getStart(*this, getExpr("start"), self.dims[at]) +
                dim(at) * (step ? step : expr(1));
    return set(0, index, *result);
  }
  case ViewKind::Squeeze:
  case ViewKind::SqueezeAll: {
    // The dimensions that are gone have size 1.
    SmallVector<int64_t> dims = getInts("dim");
    bool all = kind == ViewKind::SqueezeAll;
    unsigned next = 0;
    for (int64_t i = 0; i < rank; ++i) {
      bool named = all || llvm::any_of(dims, [&](int64_t d) {
        return wrap(d) == i;
      });
      index.push_back(named && self.dims[i].isConstant(1) ? expr(0)
                                                          : dim(next++));
    }
    if (next != result->size())
      return refuse("it is not known which dimensions have size 1");
    return set(0, index, *result);
  }
  case ViewKind::Unsqueeze: {
    int64_t at = getInt("dim");
    at = at < 0 ? at + rank + 1 : at;
    for (int64_t i = 0; i < rank; ++i)
      index.push_back(dim(i < at ? i : i + 1));
    return set(0, index, *result);
  }
  case ViewKind::Split: {
    int64_t at = wrap(getInt("dim"));
    guard::ExprAttr offset = expr(0);
    for (unsigned i = 0; i < op->getNumResults(); ++i) {
      auto dims = dimsOf(i);
      if (!dims)
        return refuse("a size of the result is not known");
      index = getIdentityMap(getContext(), rank);
      index[at] = dim(at) + offset;
      (void)set(i, index, *dims);
      offset = offset + (*dims)[at];
    }
    return success();
  }
  case ViewKind::Unbind: {
    int64_t at = wrap(getInt("dim"));
    for (unsigned n = 0; n < op->getNumResults(); ++n) {
      index.clear();
      for (int64_t i = 0; i < rank; ++i)
        index.push_back(i == at ? expr(n) : dim(i < at ? i : i - 1));
      (void)set(n, index, *result);
    }
    return success();
  }
  case ViewKind::Unfold: {
    int64_t at = wrap(getInt("dimension"));
    index = getIdentityMap(getContext(), rank);
    if (rank == 0)
      return set(0, {}, *result);
    index[at] = dim(at) * getInt("step") + dim(rank);
    return set(0, index, *result);
  }
  case ViewKind::Diagonal: {
    int64_t row = wrap(getInt("dim1")), column = wrap(getInt("dim2"));
    int64_t offset = getInt("offset");
    unsigned next = 0;
    for (int64_t i = 0; i < rank; ++i)
      index.push_back(i == row || i == column ? expr(0) : dim(next++));
    index[row] = dim(next) + expr(std::max<int64_t>(-offset, 0));
    index[column] = dim(next) + expr(std::max<int64_t>(offset, 0));
    return set(0, index, *result);
  }
  case ViewKind::AsStrided:
    return lowerAsStrided();
  }
  llvm_unreachable("unknown kind of view");
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
