//===- SimplifyCats.cpp - Concatenations in aten-simplify -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is joined and taken apart again is neither:
//
//   cat(x)                       x
//   cat(cat(x, y), z)            cat(x, y, z)
//   cat(x[:3], x[3:5], y)        cat(x[:5], y)
//   cat(x, y)[behind x]          y[...]
//
//===----------------------------------------------------------------------===//

#include "Simplify.h"

#include "kiln/Dialect/Aten/IR/Aten.h"
#include "kiln/Dialect/Aten/IR/ViewMaps.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"

namespace kiln::aten {

namespace {

/// Of `source` the elements from `start` on along one dimension, all of others.
struct Range {
  Value source;
  ExprAttr start, size;

  ExprAttr end() const { return start + size; }
};

} // namespace

/// The views that an op gives, one a result, which always share memory and let
/// gradients through; none for other ops.
static ViewMaps getSharedViews(Operation *op) {
  auto view = llvm::dyn_cast_if_present<ViewOpInterface>(op);
  const OpInfo *info = view ? getOpInfo(op) : nullptr;
  if (!info || !info->isView || info->mayCopy || llvm::isa<DetachOp>(op))
    return {};
  FailureOr<ViewMaps> maps = view.getViewMaps();
  return succeeded(maps) ? *maps : ViewMaps();
}

/// `value` as a range of dimension `dim` of what it is a view of.
static std::optional<Range> getRange(Value value, unsigned dim) {
  Operation *op = value.getDefiningOp();
  ViewMaps maps = getSharedViews(op);
  if (maps.empty())
    return std::nullopt;
  const ViewMap &map = maps[llvm::cast<OpResult>(value).getResultNumber()];
  Value source = op->getOperand(map.tensor);
  Sizes sizes = FormulaBuilder::dimsOf(source);
  if (map.elements != ViewElements::Same || map.kind != ViewKind::Strided ||
      map.steps.size() != sizes.size() || map.sizes.size() != sizes.size())
    return std::nullopt;
  for (const auto &step : map.steps)
    if (step.from != step.to || !step.by.isConstant(1))
      return std::nullopt;
  for (unsigned i = 0; i < sizes.size(); ++i)
    if (i != dim && (!map.start[i].isConstant(0) || map.sizes[i] != sizes[i]))
      return std::nullopt;
  return Range{source, map.start[dim], map.sizes[dim]};
}

//===----------------------------------------------------------------------===//
// What is joined
//===----------------------------------------------------------------------===//

/// The tensors that a `cat` puts behind each other along `dim`: those with
/// other ranks, which are empty, and those of size 0 are left out.
static SmallVector<Value> getJoined(CatOp op, int64_t dim) {
  int64_t rank = FormulaBuilder::rankOf(op.getResult());
  SmallVector<Value> joined;
  for (Value tensor : op.getTensors())
    if (FormulaBuilder::rankOf(tensor) == rank &&
        !FormulaBuilder::dimOf(tensor, dim).isConstant(0))
      joined.push_back(tensor);
  return joined;
}

/// The `cat` whose tensors may stand in the place of `tensor` in another one.
/// With a reader of its own it stays: each of a chain of them would have all
/// tensors of those before it, and what it holds would be gathered once more. A
/// type that it promotes to may round what the outer one would not.
static CatOp getInner(Value tensor, int64_t dim) {
  auto inner = tensor.getDefiningOp<CatOp>();
  if (!inner || !inner->hasOneUse() ||
      FormulaBuilder::wrapDim(inner.getDim(), FormulaBuilder::rankOf(tensor)) !=
          dim)
    return {};
  Type type = FormulaBuilder::elementTypeOf(tensor);
  return llvm::all_of(getJoined(inner, dim),
                      [&](Value part) {
                        return FormulaBuilder::elementTypeOf(part) == type;
                      })
             ? inner
             : CatOp();
}

namespace {

/// `cat` of what it is made of: without what adds nothing, of the tensors of an
/// inner `cat`, of ranges that lie side by side as one.
struct MergeCat : mlir::OpRewritePattern<CatOp> {
  MergeCat(MLIRContext *context, bool keepsOperands)
      : OpRewritePattern(context), keepsOperands(keepsOperands) {}

  LogicalResult matchAndRewrite(CatOp op,
                                PatternRewriter &rewriter) const override {
    Type type = FormulaBuilder::elementTypeOf(op.getResult());
    int64_t dim = FormulaBuilder::wrapDim(
        op.getDim(), FormulaBuilder::rankOf(op.getResult()));
    SmallVector<Value> parts;
    for (Value tensor : getJoined(op, dim)) {
      CatOp inner = getInner(tensor, dim);
      if (inner && !(keepsOperands && leavesOut(inner, dim)))
        llvm::append_range(parts, getJoined(inner, dim));
      else
        parts.push_back(tensor);
    }
    if (parts.empty() || (keepsOperands && leavesOut(op, dim)))
      return rewriter.notifyMatchFailure(op, "would lose operands");
    FormulaBuilder c(rewriter, op.getLoc());
    if (replaceByOne(rewriter, c, op, parts))
      return success();
    // What is left out takes part in promotion.
    if (llvm::none_of(parts, [&](Value part) {
          return FormulaBuilder::elementTypeOf(part) == type;
        }))
      return rewriter.notifyMatchFailure(op, "may promote to another type");
    joinRanges(c, parts, dim);
    if (replaceByOne(rewriter, c, op, parts))
      return success();
    if (llvm::equal(parts, op.getTensors()))
      return rewriter.notifyMatchFailure(op, "joins what lies apart");
    rewriter.modifyOpInPlace(op, [&] { op->setOperands(parts); });
    return success();
  }

  /// True if not all operands are among those that are joined.
  static bool leavesOut(CatOp op, int64_t dim) {
    return getJoined(op, dim).size() != op.getTensors().size();
  }

  static bool replaceByOne(PatternRewriter &rewriter, FormulaBuilder &c,
                           CatOp op, ArrayRef<Value> parts) {
    if (parts.size() != 1 || !haveSameSizes(parts.front(), op.getResult()))
      return false;
    Value same = parts.front();
    Value whole = c.cast(same, FormulaBuilder::elementTypeOf(op.getResult()));
    rewriter.replaceOp(op, whole == same ? getStandIn(c, op.getResult(), same)
                                         : whole);
    return true;
  }

  /// Of those that lie side by side in one tensor the first becomes all of
  /// them.
  static void joinRanges(FormulaBuilder &c, SmallVector<Value> &parts,
                         int64_t dim) {
    SmallVector<Value> joined;
    for (unsigned i = 0, next; i < parts.size(); i = next) {
      next = i + 1;
      std::optional<Range> range = getRange(parts[i], dim), more;
      while (range && next < parts.size() &&
             (more = getRange(parts[next], dim)) &&
             more->source == range->source && more->start == range->end()) {
        range->size = range->size + more->size;
        ++next;
      }
      joined.push_back(next > i + 1 ? c.sliceTensor(range->source, dim,
                                                    range->start, range->end())
                                    : parts[i]);
    }
    parts = std::move(joined);
  }

  bool keepsOperands;
};

} // namespace

//===----------------------------------------------------------------------===//
// What is taken apart
//===----------------------------------------------------------------------===//

/// From the first to the last element of dimension `dim` that `map` shows;
/// nothing if several of its dimensions walk there.
static std::optional<Range> getReach(const ViewMap &map, Value source,
                                     unsigned dim) {
  ExprAttr one = guard::getConstant(map.start[dim].getContext(), 1);
  Range reach{source, map.start[dim], one};
  bool isStepped = false;
  for (const auto &step : map.steps) {
    if (step.to != dim)
      continue;
    if (isStepped)
      return std::nullopt;
    isStepped = true;
    reach.size = (map.sizes[step.from] - one) * step.by + one;
  }
  return reach;
}

namespace {

/// What a view shows of a `cat`, shown of the one tensor in which all of it
/// lies.
struct ReadJoined : mlir::OpInterfaceRewritePattern<ViewOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(ViewOpInterface op,
                                PatternRewriter &rewriter) const override {
    bool isChanged = false;
    ViewMaps maps = getSharedViews(op);
    for (auto [map, result] : llvm::zip(maps, op->getResults()))
      isChanged |= !result.use_empty() &&
                   readPart(rewriter, map, op->getOperand(map.tensor), result);
    if (!isChanged)
      return rewriter.notifyMatchFailure(op, "shows no part of one tensor");
    if (op->use_empty())
      rewriter.eraseOp(op);
    return success();
  }

  /// Where what `map` shows of `cat` is in one of its tensors, which becomes
  /// that tensor's map; null if it is in none.
  static Value findPart(CatOp cat, int64_t dim, ViewMap &map) {
    std::optional<Range> reach = getReach(map, cat.getResult(), dim);
    if (!reach)
      return {};
    guard::Assumptions assumptions;
    ExprAttr offset = guard::getConstant(cat->getContext(), 0);
    for (Value part : getJoined(cat, dim)) {
      ExprAttr end = offset + FormulaBuilder::dimOf(part, dim);
      if (guard::isKnownNonNegative(reach->start - offset, assumptions) &&
          guard::isKnownNonNegative(end - reach->end(), assumptions)) {
        map.start[dim] = map.start[dim] - offset;
        return part;
      }
      offset = end;
    }
    return {};
  }

  static bool readPart(PatternRewriter &rewriter, ViewMap map, Value whole,
                       Value result) {
    auto cat = whole.getDefiningOp<CatOp>();
    if (!cat || map.elements != ViewElements::Same ||
        map.kind != ViewKind::Strided)
      return false;
    Value part = findPart(
        cat,
        FormulaBuilder::wrapDim(cat.getDim(), FormulaBuilder::rankOf(whole)),
        map);
    if (!part)
      return false;
    Type type = FormulaBuilder::elementTypeOf(whole);
    // Views of what is joined have memory in common, those of tensors not; a
    // copy of each would be more than is there.
    if (FormulaBuilder::elementTypeOf(part) == type &&
        isMemorySeen(result, llvm::isa<mlir::BlockArgument>(part)))
      return false;
    FormulaBuilder c(rewriter, result.getLoc());
    Value shown = readThrough(c, map, part);
    if (!shown)
      return false;
    if (haveSameSizes(shown, result)) {
      rewriter.replaceAllUsesWith(result, c.cast(shown, type));
      return true;
    }
    // Sizes are written otherwise. What is left behind would be a change.
    while (shown != part) {
      Operation *op = shown.getDefiningOp();
      shown = op->getOperand(0);
      rewriter.eraseOp(op);
    }
    return false;
  }
};

} // namespace

void populateCatPatterns(RewritePatternSet &patterns, bool keepsOperands) {
  patterns.add<MergeCat>(patterns.getContext(), keepsOperands);
  if (!keepsOperands)
    patterns.add<ReadJoined>(patterns.getContext());
}

} // namespace kiln::aten
