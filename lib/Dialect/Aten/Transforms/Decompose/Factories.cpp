//===- Factories.cpp - Tensors made from nothing --------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

namespace kiln::aten {

/// The result of `op`, filled with a number in its own element type.
Value decomposeFilled(Operation *op, FormulaBuilder &c, unsigned number) {
  Value result = op->getResult(0);
  Type element = FormulaBuilder::elementTypeOf(result);
  Operand fill = static_cast<double>(number);
  if (element.isInteger(1))
    fill = Operand(number != 0);
  else if (llvm::isa<mlir::IntegerType>(element))
    fill = Operand(int64_t(number));
  return c.full(c.dimsOf(result), fill, element);
}

Value decomposeNewFull(NewFullOp op, FormulaBuilder &c) {
  Value result = op.getResult();
  return c.full(c.dimsOf(result), op.getFillValue(),
                FormulaBuilder::elementTypeOf(result));
}

Value decomposeEmpty(Operation *op, FormulaBuilder &c) {
  Value result = op->getResult(0);
  return c.emptyMemoryFormat(c.dimsOf(result),
                             FormulaBuilder::elementTypeOf(result));
}

Value decomposeRandLike(RandLikeOp op, FormulaBuilder &c) {
  return c.rand(c.dimsOf(op.getResult()),
                FormulaBuilder::elementTypeOf(op.getResult()));
}

Value decomposeRandnLike(RandnLikeOp op, FormulaBuilder &c) {
  return c.randn(c.dimsOf(op.getResult()),
                 FormulaBuilder::elementTypeOf(op.getResult()));
}

Value decomposeArange(ArangeOp op, FormulaBuilder &c) {
  return c.arangeStartStep(0, op.getEnd(), 1,
                           FormulaBuilder::elementTypeOf(op.getResult()));
}

Value decomposeArangeStart(ArangeStartOp op, FormulaBuilder &c) {
  return c.arangeStartStep(op.getStart(), op.getEnd(), 1,
                           FormulaBuilder::elementTypeOf(op.getResult()));
}

/// Evenly spaced, from both ends to the middle, so that both are exact. Whole
/// numbers are computed in f64 and cut.
static Value spaced(FormulaBuilder &c, Value first, Value last, int64_t steps,
                    Type element) {
  auto start = FormulaBuilder::getConstantNumber(first);
  auto end = FormulaBuilder::getConstantNumber(last);
  if (!start || !end || steps < 0)
    return {};
  Type compute = FormulaBuilder::computeType(element);
  if (!llvm::isa<mlir::FloatType>(element))
    compute = c.getBuilder().getF64Type();
  if (steps <= 1)
    return c.full({c.expr(steps)}, *start, compute);
  // PyTorch divides in the result's type; the step is rounded to it when the
  // number meets the tensor.
  double step = (*end - *start) / static_cast<double>(steps - 1);
  if (!compute.isF64())
    step = (static_cast<float>(*end) - static_cast<float>(*start)) /
           static_cast<float>(steps - 1);
  Value index = c.iota(c.expr(steps), compute);
  Value up = c.add(c.mul(index, step), *start);
  Value down =
      c.sub(*end, c.mul(c.sub(static_cast<double>(steps - 1), index), step));
  return c.where(c.lt(index, static_cast<double>(steps / 2)), up, down);
}

Value decomposeLinspace(LinspaceOp op, FormulaBuilder &c) {
  Type element = FormulaBuilder::elementTypeOf(op.getResult());
  Value result = spaced(c, op.getStart(), op.getEnd(), op.getSteps(), element);
  return result ? c.cast(result, element) : result;
}

Value decomposeLogspace(LogspaceOp op, FormulaBuilder &c) {
  Type element = FormulaBuilder::elementTypeOf(op.getResult());
  Value exponents =
      spaced(c, op.getStart(), op.getEnd(), op.getSteps(), element);
  if (!exponents)
    return {};
  Value base = c.number(Operand(op.getBase().convertToDouble()));
  return c.cast(c.powScalar(base, exponents), element);
}

/// Row and column of the `k`-th element of the lower triangle of `columns`
/// columns: rows of `length`, `length + 1`... elements, then whole ones.
static std::pair<Value, Value> lowerPosition(FormulaBuilder &c, Value k,
                                             int64_t rows, int64_t columns,
                                             int64_t offset) {
  int64_t first = std::max<int64_t>(-offset, 0);
  int64_t length = std::clamp<int64_t>(first + offset + 1, 0, columns);
  int64_t growing = std::clamp<int64_t>(columns - length + 1, 0,
                                        std::max<int64_t>(rows - first, 0));
  int64_t inGrowing = growing * length + growing * (growing - 1) / 2;
  Type i64 = c.getBuilder().getI64Type(), f64 = c.getBuilder().getF64Type();
  // Row r of the growing ones starts at r length + r (r - 1) / 2.
  auto startOf = [&](Value r) {
    Value twice = c.mul(r, c.add(r, 2 * length - 1));
    return c.floorDivide(twice, 2);
  };
  double b = 2.0 * static_cast<double>(length) - 1;
  Value root = c.sqrt(c.add(c.mul(c.cast(k, f64), 8.0), b * b));
  Value row = c.cast(c.mul(c.sub(root, b), 0.5), i64);
  // The root is rounded.
  row = c.where(c.gt(startOf(row), k), c.sub(row, 1), row);
  row = c.where(c.le(startOf(c.add(row, 1)), k), c.add(row, 1), row);
  Value column = c.sub(k, startOf(row));
  Value rest = c.sub(k, inGrowing);
  Value width = c.number(Operand(std::max<int64_t>(columns, 1)));
  Value isGrowing = c.lt(k, inGrowing);
  row = c.where(isGrowing, row, c.add(c.floorDivide(rest, width), growing));
  column = c.where(isGrowing, column, c.remainderScalar(rest, width));
  return {c.add(row, first), column};
}

Value decomposeTriangleIndices(const TriangleArgs &args, FormulaBuilder &c,
                               bool isUpper) {
  int64_t rows = *args.row, columns = *args.col, offset = *args.offset;
  Value indices = args.op->getResult(0);
  ExprAttr count = c.dimOf(indices, 1);
  Value k = c.iota(count, c.getBuilder().getI64Type());
  // The upper triangle is the lower one, read from the other end.
  if (isUpper) {
    k = c.sub(c.number(count - c.expr(1)), k);
    offset = columns - rows - offset;
  }
  auto [row, column] = lowerPosition(c, k, rows, columns, offset);
  if (isUpper) {
    row = c.sub(rows - 1, row);
    column = c.sub(columns - 1, column);
  }
  if (!row || !column)
    return {};
  return c.cast(c.concat({c.unsqueeze(row, 0), c.unsqueeze(column, 0)}, 0),
                FormulaBuilder::elementTypeOf(indices));
}

Value decomposeEye(EyeOp op, FormulaBuilder &c) {
  Type i64 = c.getBuilder().getI64Type();
  Value index = c.iota(op.getN(), i64);
  Value isDiagonal = c.eq(c.unsqueeze(index, 1), c.unsqueeze(index, 0));
  return isDiagonal
             ? c.cast(isDiagonal, FormulaBuilder::elementTypeOf(op.getResult()))
             : isDiagonal;
}

} // namespace kiln::aten
