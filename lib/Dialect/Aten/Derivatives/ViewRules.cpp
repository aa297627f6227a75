//===- ViewRules.cpp - Derivatives of views, parts and indexing -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

namespace kiln::aten {

/// The gradient of result `i`, or zeros.
static Value gradOrZeros(VjpState &state, unsigned i) {
  Value grad = state.grad(i);
  return grad ? grad : state.builder.zerosLike(state.getOp()->getResult(i));
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

LogicalResult vjpSplitAlong(int64_t dim, VjpState &state) {
  if (!state.isOperandWanted(0))
    return success();
  SmallVector<Value> parts;
  for (unsigned i = 0; i < state.getOp()->getNumResults(); ++i)
    parts.push_back(gradOrZeros(state, i));
  state.setOperand(0, state.builder.cat(parts, dim));
  return success();
}

LogicalResult vjpUnbind(UnbindIntOp op, VjpState &state) {
  if (!state.isOperandWanted(0))
    return success();
  Composer &b = state.builder;
  int64_t dim = Composer::wrapDim(op.getDim(), Composer::rank(op.getSelf()));
  SmallVector<Value> parts;
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    parts.push_back(b.unsqueeze(gradOrZeros(state, i), dim));
  // No parts: the dimension has size 0.
  state.setOperand(0, parts.empty() ? b.zerosLike(op.getSelf())
                                    : b.cat(parts, dim));
  return success();
}

LogicalResult vjpCat(CatOp op, VjpState &state) {
  Composer &b = state.builder;
  Value grad = state.grad(0);
  int64_t rank = Composer::rank(op.getResult());
  int64_t dim = Composer::wrapDim(op.getDim(), rank);
  ExprAttr offset = b.constant(0);
  for (auto [i, tensor] : llvm::enumerate(op.getTensors())) {
    // A one-dimensional tensor of size 0 takes no part, whatever the ranks.
    if (Composer::rank(tensor) != rank)
      continue;
    ExprAttr end = guard::add(offset, b.size(tensor, dim));
    if (state.isOperandWanted(i))
      state.setOperand(i, b.slice(grad, dim, offset, end));
    offset = end;
  }
  return success();
}

LogicalResult vjpStack(StackOp op, VjpState &state) {
  Composer &b = state.builder;
  int64_t dim = Composer::wrapDim(op.getDim(), Composer::rank(op.getResult()));
  for (unsigned i = 0; i < op.getTensors().size(); ++i)
    if (state.isOperandWanted(i))
      state.setOperand(i, b.select(state.grad(0), dim, b.constant(i)));
  return success();
}

LogicalResult vjpRepeat(RepeatOp op, VjpState &state) {
  if (!state.isOperandWanted(0))
    return success();
  Composer &b = state.builder;
  Sizes own = b.sizes(op.getSelf());
  ArrayRef<ExprAttr> repeats = op.getRepeats().getDims();
  size_t lead = repeats.size() - own.size();
  // [r * a, s * b] is [r, a, s, b] with the repeats summed.
  Sizes split;
  SmallVector<int64_t> summed;
  for (size_t i = 0; i < repeats.size(); ++i) {
    summed.push_back(split.size());
    split.push_back(repeats[i]);
    if (i >= lead)
      split.push_back(own[i - lead]);
  }
  Value grad = b.view(state.grad(0), split);
  state.setOperand(0, summed.empty() ? grad : b.sum(grad, summed));
  return success();
}

LogicalResult vjpRoll(RollOp op, VjpState &state) {
  if (!state.isOperandWanted(0))
    return success();
  Composer &b = state.builder;
  Sizes back;
  for (ExprAttr shift : op.getShifts().getDims())
    back.push_back(guard::neg(shift));
  state.setOperand(0, b.emit("roll", {state.grad(0), b.shape(back),
                                      b.ints(op.getDims())}));
  return success();
}

LogicalResult vjpPad(ConstantPadNdOp op, VjpState &state) {
  if (!state.isOperandWanted(0))
    return success();
  Composer &b = state.builder;
  Sizes widths;
  for (ExprAttr width : op.getPad().getDims())
    widths.push_back(guard::neg(width));
  state.setOperand(0, b.emit("constant_pad_nd",
                             {state.grad(0), b.shape(widths),
                              b.number(Operand(0.0))}));
  return success();
}

LogicalResult vjpSelectScatter(SelectScatterOp op, VjpState &state) {
  Composer &b = state.builder;
  Value grad = state.grad(0);
  if (state.isWanted(op, 0))
    state.set(op, 0, b.emit("select_scatter",
                            {grad, b.zerosLike(op.getSrc()),
                             b.integer(op.getDim()), op.getIndexAttr()}));
  if (state.isWanted(op, 1))
    state.set(op, 1, b.select(grad, op.getDim(), op.getIndex()));
  return success();
}

LogicalResult vjpSliceScatter(SliceScatterOp op, VjpState &state) {
  Composer &b = state.builder;
  Value grad = state.grad(0);
  ArgValue start, end;
  if (op.getStartAttr())
    start = op.getStartAttr();
  if (op.getEndAttr())
    end = op.getEndAttr();
  if (state.isWanted(op, 0))
    state.set(op, 0, b.emit("slice_scatter",
                            {grad, b.zerosLike(op.getSrc()),
                             b.integer(op.getDim()), start, end,
                             op.getStepAttr()}));
  if (state.isWanted(op, 1))
    state.set(op, 1, b.emit("slice.Tensor", {grad, b.integer(op.getDim()),
                                             start, end, op.getStepAttr()}));
  return success();
}

//===----------------------------------------------------------------------===//
// Indexing
//===----------------------------------------------------------------------===//

/// The index list with null for absent ones.
template <typename OpT> static SmallVector<Value> readIndices(OpT op) {
  SmallVector<Value> indices;
  auto given = op.getIndices().begin();
  for (bool isPresent : op.getIndicesPresent())
    indices.push_back(isPresent ? *given++ : Value());
  return indices;
}

LogicalResult vjpIndex(IndexTensorOp op, VjpState &state) {
  if (!state.isOperandWanted(0))
    return success();
  Composer &b = state.builder;
  state.setOperand(0, b.indexPut(b.zerosLike(op.getSelf()), readIndices(op),
                                 state.grad(0), /*accumulate=*/true));
  return success();
}

LogicalResult vjpIndexPut(IndexPutOp op, VjpState &state) {
  Composer &b = state.builder;
  Value grad = state.grad(0);
  SmallVector<Value> indices = readIndices(op);
  if (state.isOperandWanted(0)) {
    Value zero = b.scalarTensor(0.0, Composer::elementType(grad));
    state.setOperand(0, op.getAccumulate()
                            ? grad
                            : b.indexPut(grad, indices, zero, false));
  }
  unsigned values = op.getODSOperandIndexAndLength(2).first;
  if (state.isOperandWanted(values))
    state.setOperand(values, b.index(grad, indices));
  return success();
}

LogicalResult vjpIndexSelect(IndexSelectOp op, VjpState &state) {
  if (!state.isOperandWanted(0))
    return success();
  Composer &b = state.builder;
  int64_t rank = Composer::rank(op.getSelf());
  if (rank == 0) {
    state.setOperand(0, state.grad(0));
    return success();
  }
  SmallVector<Value> indices(Composer::wrapDim(op.getDim(), rank));
  indices.push_back(op.getIndex());
  state.setOperand(0, b.indexPut(b.zerosLike(op.getSelf()), indices,
                                 state.grad(0), /*accumulate=*/true));
  return success();
}

} // namespace kiln::aten
