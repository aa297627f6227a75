//===- Indexing.cpp - Views, parts and rearrangements ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Formulas.h"

namespace kiln::aten {

/// The views that the op's maps say. The results keep the sizes that the program
/// writes.
SmallVector<Value> decomposeView(Operation *op, FormulaBuilder &c) {
  auto maps = llvm::cast<ViewOpInterface>(op).getViewMaps();
  if (failed(maps))
    return {};
  SmallVector<Value> results;
  for (const ViewMap &map : *maps) {
    Value tensor = op->getOperand(map.tensor);
    Value view = readThrough(c, map, tensor);
    if (!view)
      return {};
    bool isCopy = !getOpInfo(op)->isView;
    results.push_back(isCopy ? formula::copyOfView(c, view, tensor) : view);
  }
  return results;
}

/// The number of classes must be given: else it is the largest class.
Value decomposeOneHot(OneHotOp op, FormulaBuilder &c) {
  int64_t classes = op.getNumClasses();
  if (classes < 0)
    return {};
  Sizes sizes = c.dimsOf(op.getSelf());
  sizes.push_back(c.expr(classes));
  // A scatter, because it checks that there is such a class.
  return c.scatterValue(c.full(sizes, 0, c.getBuilder().getI64Type()), -1,
                        c.unsqueeze(op.getSelf(), -1), 1);
}

Value decomposeStack(StackOp op, FormulaBuilder &c) {
  int64_t dim = FormulaBuilder::wrapDim(op.getDim(),
                                        FormulaBuilder::rankOf(op.getResult()));
  SmallVector<Value> parts;
  for (Value tensor : op.getTensors())
    parts.push_back(c.unsqueeze(tensor, dim));
  return c.concat(parts, dim);
}

Value decomposeRepeat(RepeatOp op, FormulaBuilder &c) {
  // [a, b] repeated [r, s, t] is [1, 1, 1, a, 1, b] grown to [r, s, a, t, b].
  Sizes own = c.dimsOf(op.getSelf());
  ArrayRef<ExprAttr> repeats = op.getRepeats().getDims();
  if (repeats.size() < own.size())
    return {};
  size_t lead = repeats.size() - own.size();
  Sizes spread, grown;
  for (size_t i = 0; i < repeats.size(); ++i) {
    spread.push_back(c.expr(1));
    grown.push_back(repeats[i]);
    if (i < lead)
      continue;
    spread.push_back(own[i - lead]);
    grown.push_back(own[i - lead]);
  }
  Value expanded = c.expand(c.view(op.getSelf(), spread), grown);
  Value result = c.view(expanded, c.dimsOf(op.getResult()));
  // A repeat is a copy even where nothing is repeated.
  return result == op.getSelf() ? c.clone(result) : result;
}

Value decomposeRoll(RollOp op, FormulaBuilder &c) {
  Value x = op.getSelf();
  ArrayRef<ExprAttr> shifts = op.getShifts().getDims();
  SmallVector<int64_t> dims(op.getDims());
  bool isFlat = dims.empty();
  if (isFlat) {
    if (shifts.size() != 1)
      return {};
    x = c.view(x, {c.numelOf(x)});
    dims = {0};
  }
  if (shifts.size() != dims.size())
    return {};
  for (auto [shift, dim] : llvm::zip(shifts, dims)) {
    if (!x || FormulaBuilder::rankOf(x) == 0)
      return x;
    ExprAttr size = c.dimOf(x, dim);
    if (size.isConstant(0))
      continue;
    // The last `shift` elements come first.
    ExprAttr start = guard::mod(guard::neg(shift), size);
    if (start.isConstant(0))
      continue;
    x = c.concat({c.sliceTensor(x, dim, start, size),
                  c.sliceTensor(x, dim, c.expr(0), start)},
                 dim);
  }
  Value result = isFlat ? c.view(x, c.dimsOf(op.getResult())) : x;
  return result == op.getSelf() ? c.clone(result) : result;
}

Value decomposePad(PadOp op, FormulaBuilder &c) {
  if (op.getMode() != "constant") {
    // One operator for each number of dimensions; a circular one for all.
    ArrayRef<ExprAttr> pads = op.getPad().getDims();
    size_t count = pads.size() / 2;
    std::string mode = op.getMode().str();
    int64_t rank = FormulaBuilder::rankOf(op.getSelf());
    if ((op.getValue() && op.getValue()->convertToDouble() != 0) ||
        count < 1 || count > 3 || pads.size() % 2 != 0 ||
        (rank != int64_t(count) + 1 && rank != int64_t(count) + 2))
      return {}; // refused
    if (mode == "circular") {
      bool isBatched = rank == int64_t(count) + 2;
      Value x = isBatched ? Value(op.getSelf()) : c.unsqueeze(op.getSelf(), 0);
      Value result = c.padCircular(x, op.getPad());
      return isBatched ? result : c.squeezeDim(result, 0);
    }
    Value x = op.getSelf();
    if (mode == "reflect")
      return count == 1   ? c.reflectionPad1d(x, pads)
             : count == 2 ? c.reflectionPad2d(x, pads)
                          : c.reflectionPad3d(x, pads);
    if (mode == "replicate")
      return count == 1   ? c.replicationPad1d(x, pads)
             : count == 2 ? c.replicationPad2d(x, pads)
                          : c.replicationPad3d(x, pads);
    return {};
  }
  double value = op.getValue() ? op.getValue()->convertToDouble() : 0.0;
  Type element = FormulaBuilder::elementTypeOf(op.getSelf());
  Value number = llvm::isa<mlir::IntegerType>(element)
                     ? c.number(Operand(static_cast<int64_t>(value)))
                     : c.number(value);
  return c.constantPadNd(op.getSelf(), op.getPad(), number);
}

//===----------------------------------------------------------------------===//
// Parts that are replaced
//===----------------------------------------------------------------------===//

Value decomposeSelectBackward(SelectBackwardOp op, FormulaBuilder &c) {
  Value grad = op.getGradOutput();
  Value zeros = c.full(op.getInputSizes().getDims(), 0.0,
                       FormulaBuilder::elementTypeOf(grad));
  return c.selectScatter(zeros, grad, op.getDim(), op.getIndex());
}

Value decomposeSliceBackward(SliceBackwardOp op, FormulaBuilder &c) {
  Value grad = op.getGradOutput();
  Value zeros = c.full(op.getInputSizes().getDims(), 0.0,
                       FormulaBuilder::elementTypeOf(grad));
  return c.sliceScatter(zeros, grad, op.getDim(), op.getStart(), op.getEnd(),
                        op.getStep());
}

/// A bound of a slice, counted from the front and within the dimension; null if
/// that can not be told.
static ExprAttr clampBound(FormulaBuilder &c, ExprAttr bound, ExprAttr size) {
  auto known = bound.getConstant();
  if (known && *known < 0)
    bound = guard::max(c.expr(0), guard::add(bound, size));
  return guard::min(bound, size);
}

/// self[:start] ++ src ++ self[end:].
static Value replaceRange(FormulaBuilder &c, Value self, Value src, int64_t dim,
                          ExprAttr start, ExprAttr end, ExprAttr size) {
  SmallVector<Value> parts;
  if (!start.isConstant(0))
    parts.push_back(c.sliceTensor(self, dim, c.expr(0), start));
  parts.push_back(c.cast(src, FormulaBuilder::elementTypeOf(self)));
  if (end != size)
    parts.push_back(c.sliceTensor(self, dim, end, size));
  Value result = c.concat(parts, dim);
  return result == src ? c.clone(result) : result;
}

Value decomposeSliceScatter(SliceScatterOp op, FormulaBuilder &c) {
  if (!op.getStep().isConstant(1))
    return {};
  Value self = op.getSelf();
  int64_t dim =
      FormulaBuilder::wrapDim(op.getDim(), FormulaBuilder::rankOf(self));
  ExprAttr size = c.dimOf(self, dim);
  ExprAttr start =
      clampBound(c, op.getStart().value_or(c.expr(0)), size);
  ExprAttr end = guard::add(start, c.dimOf(op.getSrc(), dim));
  return replaceRange(c, self, op.getSrc(), dim, start, end, size);
}

Value decomposeSelectScatter(SelectScatterOp op, FormulaBuilder &c) {
  Value self = op.getSelf();
  int64_t dim =
      FormulaBuilder::wrapDim(op.getDim(), FormulaBuilder::rankOf(self));
  ExprAttr size = c.dimOf(self, dim), index = op.getIndex();
  auto known = index.getConstant();
  if (known && *known < 0)
    index = guard::add(index, size);
  return replaceRange(c, self, c.unsqueeze(op.getSrc(), dim), dim, index,
                      guard::add(index, 1), size);
}

} // namespace kiln::aten
