//===- ImageRules.cpp - Derivatives of pooling, resizing, padding ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

namespace kiln::aten {

//===----------------------------------------------------------------------===//
// Helpers of dags
//===----------------------------------------------------------------------===//

Value VjpState::insertRow(Value v) { return builder.unsqueeze(v, -2); }

Value VjpState::atPositions(Value grad, Value self, Value positions) {
  FormulaBuilder &b = builder;
  auto flatten = [&](Value v) {
    Sizes sizes = b.dimsOf(v);
    ExprAttr pixels = guard::mul(sizes[sizes.size() - 2], sizes.back());
    sizes.resize(sizes.size() - 2);
    sizes.push_back(pixels);
    return b.view(v, sizes);
  };
  Value flat = b.filled(flatten(self), 0);
  return like(b.scatterAdd(flat, -1, flatten(positions), flatten(grad)), self);
}

Sizes VjpState::imageSizes(Value v) {
  Sizes sizes = builder.dimsOf(v);
  return {sizes[sizes.size() - 2], sizes.back()};
}

Sizes VjpState::spatialSizes(Value v) {
  Sizes sizes = builder.dimsOf(v);
  sizes.erase(sizes.begin(), sizes.begin() + 2);
  return sizes;
}

FloatArg VjpState::factor(std::optional<ArrayRef<double>> factors,
                          unsigned dim) {
  return factors ? FloatArg((*factors)[dim]) : FloatArg();
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

/// As pooling of images of one row.
LogicalResult vjpAvgPool1d(AvgPool1dOp op, VjpState &state) {
  if (!state.isOperandWanted(0))
    return success();
  FormulaBuilder &b = state.builder;
  int64_t kernel = op.getKernelSize().front();
  int64_t stride = op.getStride().empty() ? kernel : op.getStride().front();
  Value grad = b.avgPool2dBackward(
      state.insertRow(state.grad(0)), state.insertRow(op.getSelf()),
      {1, kernel}, {1, stride}, {0, op.getPadding().front()}, op.getCeilMode(),
      op.getCountIncludePad(), {});
  state.setOperand(0, state.like(grad, op.getSelf()));
  return success();
}

//===----------------------------------------------------------------------===//
// Resizing
//===----------------------------------------------------------------------===//

//===----------------------------------------------------------------------===//
// Sampling
//===----------------------------------------------------------------------===//

/// What a sampler's backward op gives for the image and for the grid.
static LogicalResult setSampled(VjpState &state, ArrayRef<bool> mask,
                                OpResults backward) {
  if (!backward)
    return failure();
  for (unsigned i = 0; i < 2; ++i)
    if (mask[i])
      state.setOperand(i, backward[i]);
  return success();
}

LogicalResult vjpGridSampler(GridSampler2dOp op, VjpState &state) {
  bool mask[] = {state.isOperandWanted(0), state.isOperandWanted(1)};
  return setSampled(state, mask,
                    state.builder.gridSampler2dBackward(
                        state.grad(0), op.getInput(), op.getGrid(),
                        op.getInterpolationMode(), op.getPaddingMode(),
                        op.getAlignCorners(), ArrayRef<bool>(mask)));
}

LogicalResult vjpGridSampler(GridSampler3dOp op, VjpState &state) {
  bool mask[] = {state.isOperandWanted(0), state.isOperandWanted(1)};
  return setSampled(state, mask,
                    state.builder.gridSampler3dBackward(
                        state.grad(0), op.getInput(), op.getGrid(),
                        op.getInterpolationMode(), op.getPaddingMode(),
                        op.getAlignCorners(), ArrayRef<bool>(mask)));
}

/// A grid is theta times the coordinates of each pixel, and those are the grid
/// of the identity.
LogicalResult vjpAffineGrid(AffineGridGeneratorOp op, VjpState &state) {
  if (!state.isOperandWanted(0))
    return success();
  FormulaBuilder &b = state.builder;
  Value theta = op.getTheta(), grad = state.grad(0);
  Type element = FormulaBuilder::elementTypeOf(theta);
  ExprAttr batch = b.dimOf(theta, 0);
  int64_t dims = FormulaBuilder::rankOf(grad) - 2;
  ExprAttr count = b.expr(dims), zero = b.expr(0), one = b.expr(1);
  Type i64 = b.getBuilder().getI64Type();
  Value rows = b.unsqueeze(b.iota(count, i64), 1);
  Value columns = b.iota(b.expr(dims + 1), i64);
  Value identity = b.cast(b.eq(rows, columns), element);
  identity = b.expand(identity, {batch, count, b.expr(dims + 1)});
  Value grid =
      b.affineGridGenerator(identity, op.getSize(), op.getAlignCorners());
  ExprAttr pixels = b.expr(1);
  Sizes sizes = b.dimsOf(grad);
  for (int64_t i = 1; i <= dims; ++i)
    pixels = guard::mul(pixels, sizes[i]);
  Value coordinates = b.constantPad(b.view(grid, {batch, pixels, count}),
                                    {zero, one}, 1.0);
  state.setOperand(0,
                   b.bmm(b.transposeLast(b.view(grad, {batch, pixels, count})),
                         coordinates));
  return success();
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

/// Element i of a padded dimension is element (i - left) modulo its size.
LogicalResult vjpPadCircular(PadCircularOp op, VjpState &state) {
  if (!state.isOperandWanted(0))
    return success();
  FormulaBuilder &b = state.builder;
  Type i64 = b.getBuilder().getI64Type();
  ArrayRef<ExprAttr> pad = op.getPad().getDims();
  Sizes sizes = b.dimsOf(op.getSelf());
  Value grad = state.grad(0);
  for (size_t i = 0; i < pad.size() / 2; ++i) {
    int64_t dim = sizes.size() - 1 - i;
    if (pad[2 * i].isConstant(0) && pad[2 * i + 1].isConstant(0))
      continue;
    Value index = b.sub(b.iota(b.dimOf(grad, dim), i64),
                        b.number(pad[2 * i]));
    index = b.remainderScalar(index, b.number(sizes[dim]));
    Sizes target = b.dimsOf(grad);
    target[dim] = sizes[dim];
    Value zeros = b.full(target, 0.0, FormulaBuilder::elementTypeOf(grad));
    SmallVector<Value> indices(dim);
    indices.push_back(index);
    grad = b.indexPut(zeros, indices, grad, /*accumulate=*/true);
  }
  state.setOperand(0, grad);
  return success();
}

} // namespace kiln::aten
