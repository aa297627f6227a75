//===- Composite.cpp - Tensors made from nothing --------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

namespace kiln::aten {

/// The result of `op`, filled with a number in its own element type.
static Value filled(Operation *op, Composer &c, int64_t number) {
  Value result = op->getResult(0);
  Type element = Composer::elementType(result);
  Operand fill = static_cast<double>(number);
  if (element.isInteger(1))
    fill = Operand(number != 0);
  else if (llvm::isa<mlir::IntegerType>(element))
    fill = Operand(number);
  return c.full(c.sizes(result), fill, element);
}

template <typename OpT, int64_t number>
static Value decomposeFill(OpT op, Composer &c) {
  return filled(op, c, number);
}

static Value decomposeNewFull(NewFullOp op, Composer &c) {
  Value result = op.getResult();
  return c.full(c.sizes(result), op.getFillValue(),
                Composer::elementType(result));
}

static Value decomposeEmptyPermuted(EmptyPermutedOp op, Composer &c) {
  return c.emit("empty.memory_format",
                {c.shape(c.sizes(op.getResult())),
                 c.type(Composer::elementType(op.getResult()))});
}

static Value decomposeEmptyLike(EmptyLikeOp op, Composer &c) {
  return c.emit("empty.memory_format",
                {c.shape(c.sizes(op.getResult())),
                 c.type(Composer::elementType(op.getResult()))});
}

static Value decomposeRandLike(RandLikeOp op, Composer &c) {
  return c.emit("rand", {c.shape(c.sizes(op.getResult())),
                         c.type(Composer::elementType(op.getResult()))});
}

static Value decomposeRandnLike(RandnLikeOp op, Composer &c) {
  return c.emit("randn", {c.shape(c.sizes(op.getResult())),
                          c.type(Composer::elementType(op.getResult()))});
}

static Value decomposeArange(ArangeOp op, Composer &c) {
  return c.emit("arange.start_step",
                {c.number(Operand(0)), op.getEnd(), c.number(Operand(1)),
                 c.type(Composer::elementType(op.getResult()))});
}

static Value decomposeArangeStart(ArangeStartOp op, Composer &c) {
  return c.emit("arange.start_step",
                {op.getStart(), op.getEnd(), c.number(Operand(1)),
                 c.type(Composer::elementType(op.getResult()))});
}

/// From both ends to the middle, so that both are exact.
static Value decomposeLinspace(LinspaceOp op, Composer &c) {
  auto start = Composer::getConstantNumber(op.getStart());
  auto end = Composer::getConstantNumber(op.getEnd());
  Type element = Composer::elementType(op.getResult());
  int64_t steps = op.getSteps();
  if (!start || !end || !llvm::isa<mlir::FloatType>(element))
    return {};
  if (steps <= 1)
    return c.full(c.sizes(op.getResult()), *start, element);
  // PyTorch divides in the result's type; the step is rounded to it when the
  // number meets the tensor.
  Type compute = Composer::computeType(element);
  double step = (*end - *start) / static_cast<double>(steps - 1);
  if (!compute.isF64())
    step = (static_cast<float>(*end) - static_cast<float>(*start)) /
           static_cast<float>(steps - 1);
  Value index = c.iota(c.constant(steps), compute);
  Value up = c.add(c.mul(index, step), *start);
  Value down = c.sub(
      *end, c.mul(c.sub(static_cast<double>(steps - 1), index), step));
  Value result = c.where(c.lt(index, static_cast<double>(steps / 2)), up, down);
  return result ? c.cast(result, element) : result;
}

static Value decomposeEye(EyeOp op, Composer &c) {
  Type i64 = c.getBuilder().getI64Type();
  Value index = c.iota(op.getN(), i64);
  Value isDiagonal = c.eq(c.unsqueeze(index, 1), c.unsqueeze(index, 0));
  return isDiagonal ? c.cast(isDiagonal, Composer::elementType(op.getResult()))
                    : isDiagonal;
}

void addComposite(DecompositionTable &table) {
  table.add<ZerosOp, decomposeFill<ZerosOp, 0>>();
  table.add<OnesOp, decomposeFill<OnesOp, 1>>();
  table.add<ZerosLikeOp, decomposeFill<ZerosLikeOp, 0>>();
  table.add<OnesLikeOp, decomposeFill<OnesLikeOp, 1>>();
  table.add<NewZerosOp, decomposeFill<NewZerosOp, 0>>();
  table.add<NewOnesOp, decomposeFill<NewOnesOp, 1>>();
  table.add<NewFullOp, decomposeNewFull>();
  table.add<EmptyPermutedOp, decomposeEmptyPermuted>();
  table.add<EmptyLikeOp, decomposeEmptyLike>();
  table.add<RandLikeOp, decomposeRandLike>();
  table.add<RandnLikeOp, decomposeRandnLike>();
  table.add<ArangeOp, decomposeArange>();
  table.add<ArangeStartOp, decomposeArangeStart>();
  table.add<LinspaceOp, decomposeLinspace>();
  table.add<EyeOp, decomposeEye>(Stage::BeforeLoop);
}

} // namespace kiln::aten
