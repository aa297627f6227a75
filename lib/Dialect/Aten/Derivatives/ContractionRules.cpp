//===- ContractionRules.cpp - Derivatives of contractions -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

namespace kiln::aten {

Value VjpState::expandBatch(Value matrix, Value batch) {
  Sizes sizes = builder.dimsOf(matrix);
  sizes.insert(sizes.begin(), builder.dimOf(batch, 0));
  return builder.expand(matrix, sizes);
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// Of the gradients that `convolution_backward` gives, those that are wanted.
static LogicalResult setConvolution(VjpState &state, Value input, Value weight,
                                    Value bias, const Window &window,
                                    bool isBatched) {
  FormulaBuilder &b = state.builder;
  Value grad = state.grad(0);
  if (!isBatched) {
    grad = b.unsqueeze(grad, 0);
    input = b.unsqueeze(input, 0);
  }
  bool mask[] = {state.isOperandWanted(0), state.isOperandWanted(1),
                 bias && state.isOperandWanted(2)};
  SizesArg biasSizes;
  if (bias)
    biasSizes = state.sizesOf(bias);
  OpResults backward = b.convolutionBackward(
      grad, input, weight, biasSizes, window.stride, window.padding,
      window.dilation, window.isTransposed, window.outputPadding, window.groups,
      ArrayRef<bool>(mask));
  if (!backward)
    return failure();
  for (unsigned i = 0; i < 3; ++i) {
    if (!mask[i])
      continue;
    Value result = backward[i];
    state.setOperand(i,
                     i == 0 && !isBatched ? b.squeezeDim(result, 0) : result);
  }
  return success();
}

LogicalResult vjpConvolution(ConvolutionOp op, VjpState &state) {
  bool isBatched = FormulaBuilder::rankOf(op.getInput()) ==
                   FormulaBuilder::rankOf(op.getWeight());
  return setConvolution(state, op.getInput(), op.getWeight(), op.getBias(),
                        {op.getStride(), op.getPadding(), op.getDilation(),
                         op.getTransposed(), op.getOutputPadding(),
                         op.getGroups()},
                        isBatched);
}

/// One number stands for all dimensions.
static SizesArg spread(guard::ShapeAttr values, size_t count) {
  Sizes sizes(values.getDims());
  if (sizes.size() == 1)
    sizes.assign(count, ExprAttr(sizes.front()));
  return sizes;
}

LogicalResult vjpWindow(VjpState &state, Value input, Value weight, Value bias,
                        guard::ShapeAttr stride, guard::ShapeAttr padding,
                        guard::ShapeAttr dilation, bool isTransposed,
                        guard::ShapeAttr outputPadding, ExprAttr groups) {
  FormulaBuilder &b = state.builder;
  size_t spatial = FormulaBuilder::rankOf(weight) - 2;
  SizesArg none = Sizes(spatial, b.expr(0));
  return setConvolution(
      state, input, weight, bias,
      {spread(stride, spatial), spread(padding, spatial),
       spread(dilation, spatial), isTransposed,
       outputPadding ? spread(outputPadding, spatial) : none, groups},
      FormulaBuilder::rankOf(input) == FormulaBuilder::rankOf(weight));
}

//===----------------------------------------------------------------------===//
// Attention, bilinear forms
//===----------------------------------------------------------------------===//

LogicalResult
vjpFlashAttention(ScaledDotProductFlashAttentionForCpuOp op, VjpState &state) {
  if (!state.grad(0))
    return success();
  FormulaBuilder &b = state.builder;
  OpResults backward = b.scaledDotProductFlashAttentionForCpuBackward(
      state.grad(0), op.getQuery(), op.getKey(), op.getValue(),
      op->getResult(0), op->getResult(1), op.getDropoutP(), op.getIsCausal(),
      op.getAttnMask(), op.getScale());
  if (!backward)
    return failure();
  for (unsigned i = 0; i < 3; ++i)
    if (state.isOperandWanted(i))
      state.setOperand(i, backward[i]);
  return success();
}

/// result[n, o] = sum over i, j of input1[n, i] weight[o, i, j] input2[n, j].
LogicalResult vjpBilinear(BilinearOp op, VjpState &state) {
  FormulaBuilder &b = state.builder;
  Value weight = op.getWeight(), grad = state.grad(0);
  auto flatten = [&](Value v) {
    Sizes sizes = b.dimsOf(v);
    ExprAttr rows = b.expr(1);
    for (ExprAttr size : ArrayRef<ExprAttr>(sizes).drop_back())
      rows = guard::mul(rows, size);
    return b.view(v, Sizes{rows, sizes.back()});
  };
  Value x = flatten(op.getInput1()), y = flatten(op.getInput2());
  Value g = flatten(grad);
  ExprAttr rows = b.dimOf(x, 0), m = b.dimOf(x, 1), n = b.dimOf(y, 1);
  ExprAttr outputs = b.dimOf(g, 1);
  // What each row weighs: sum over o of g[n, o] weight[o, i, j].
  Value weighed = b.view(
      b.mm(g, b.view(weight, Sizes{outputs, guard::mul(m, n)})),
      Sizes{rows, m, n});
  if (state.isWanted(op, 0))
    state.set(op, 0,
              state.like(b.bmm(weighed, b.unsqueeze(y, 2)), op.getInput1()));
  if (state.isWanted(op, 1))
    state.set(op, 1,
              state.like(b.bmm(b.unsqueeze(x, 1), weighed), op.getInput2()));
  if (state.isWanted(op, 2)) {
    Value pairs = b.mul(b.unsqueeze(x, 2), b.unsqueeze(y, 1));
    state.set(op, 2,
              state.like(b.mm(b.transposeLast(g),
                              b.view(pairs, Sizes{rows, guard::mul(m, n)})),
                         weight));
  }
  if (op.getBias() && state.isWanted(op, 3))
    state.set(op, 3, grad);
  return success();
}

} // namespace kiln::aten
