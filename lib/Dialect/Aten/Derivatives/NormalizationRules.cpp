//===- NormalizationRules.cpp - Derivatives of norms ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

namespace kiln::aten {

/// Sets the first three operands that a norm has from the results of its
/// backward op.
static LogicalResult setFromBackward(VjpState &state, ArrayRef<bool> mask,
                                     ArrayRef<unsigned> operands,
                                     OpResults backward) {
  if (!backward)
    return failure();
  for (auto [i, operand] : llvm::enumerate(operands))
    if (mask[i])
      state.setOperand(operand, backward[i]);
  return success();
}

namespace {

/// Which of input, weight and bias are wanted, and which operands they are.
struct NormOperands {
  NormOperands(VjpState &state, Value weight, Value bias) {
    bool hasWeight = bool(weight);
    operands[2] = hasWeight ? 2 : 1;
    mask[0] = state.isOperandWanted(0);
    mask[1] = hasWeight && state.isOperandWanted(1);
    mask[2] = bias && state.isOperandWanted(operands[2]);
  }
  bool mask[3];
  unsigned operands[3] = {0, 1, 2};
};

} // namespace

LogicalResult vjpLayerNorm(NativeLayerNormOp op, VjpState &state) {
  if (!state.grad(0))
    return success();
  FormulaBuilder &b = state.builder;
  NormOperands given(state, op.getWeight(), op.getBias());
  OpResults backward = b.nativeLayerNormBackward(
      state.grad(0), op.getInput(), op.getNormalizedShape(), op->getResult(1),
      op->getResult(2), op.getWeight(), op.getBias(),
      ArrayRef<bool>(given.mask));
  return setFromBackward(state, given.mask, given.operands, backward);
}

/// The gradient of the input that comes by way of the statistics of each group.
static Value statisticsGrad(NativeGroupNormOp op, VjpState &state) {
  FormulaBuilder &b = state.builder;
  Value mean = state.grad(1), inverse = state.grad(2);
  if (!mean && !inverse)
    return {};
  ExprAttr groups = b.expr(op.getGroup());
  ExprAttr count = guard::mul(
      guard::exactDivide(op.getC(), groups)
          .value_or(guard::floorDiv(op.getC(), groups)),
      op.getHxW());
  Value share = b.number(count);
  Value x = b.view(b.widen(op.getInput()), {op.getN(), groups, count});
  auto ofGroups = [&](Value v) { return b.unsqueeze(b.widen(v), 2); };
  Value sum;
  if (mean)
    sum = b.expand(b.div(ofGroups(mean), share), b.dimsOf(x));
  if (inverse) {
    Value r = ofGroups(op->getResult(2));
    Value slope = b.div(b.mul(b.square(r), r), share);
    Value centered = b.sub(x, ofGroups(op->getResult(1)));
    Value part =
        b.neg(b.mul(b.mul(ofGroups(inverse), slope), centered));
    sum = sum ? b.add(sum, part) : part;
  }
  return state.castLike(state.like(sum, op.getInput()), op.getInput());
}

LogicalResult vjpGroupNorm(NativeGroupNormOp op, VjpState &state) {
  FormulaBuilder &b = state.builder;
  Value statistics =
      state.isOperandWanted(0) ? statisticsGrad(op, state) : Value();
  if (!state.grad(0)) {
    if (statistics)
      state.setOperand(0, statistics);
    return success();
  }
  NormOperands given(state, op.getWeight(), op.getBias());
  OpResults backward = b.nativeGroupNormBackward(
      state.rowMajor(state.grad(0)), state.rowMajor(op.getInput()),
      op->getResult(1), op->getResult(2), op.getWeight(), op.getN(), op.getC(),
      op.getHxW(), op.getGroup(), ArrayRef<bool>(given.mask));
  if (failed(setFromBackward(state, given.mask, given.operands, backward)))
    return failure();
  if (statistics)
    state.setOperand(0, b.add(backward[0], statistics));
  return success();
}

LogicalResult vjpBatchNormWith(VjpState &state, Value input, Value weight,
                               Value bias, Value runningMean,
                               Value runningVariance, bool isTraining,
                               FloatArg eps) {
  if (!state.grad(0))
    return success();
  FormulaBuilder &b = state.builder;
  NormOperands given(state, weight, bias);
  Value mean, inverse;
  if (isTraining) {
    mean = state.getOp()->getResult(1);
    inverse = state.getOp()->getResult(2);
  }
  OpResults backward = b.nativeBatchNormBackward(
      state.grad(0), input, weight, runningMean, runningVariance, mean, inverse,
      isTraining, eps, ArrayRef<bool>(given.mask));
  return setFromBackward(state, given.mask, given.operands, backward);
}

/// y = x r w, where r is the reciprocal root of the mean square of x.
LogicalResult vjpRmsNorm(FusedRmsNormOp op, VjpState &state) {
  FormulaBuilder &b = state.builder;
  Value input = b.widen(op.getInput()), weight = op.getWeight();
  Value inverse = b.widen(op->getResult(1));
  Value grad = state.grad(0) ? b.widen(state.grad(0)) : b.filled(input, 0);
  Value normalized = b.mul(input, inverse);
  int64_t rank = FormulaBuilder::rankOf(input);
  SmallVector<int64_t> dims;
  for (size_t i = 0; i < op.getNormalizedShape().size(); ++i)
    dims.push_back(rank - int64_t(op.getNormalizedShape().size()) + i);
  if (weight && state.isWanted(op, 1))
    state.set(op, 1, b.mul(grad, normalized));
  if (!state.isWanted(op, 0))
    return success();
  Value inner = weight ? b.mul(grad, b.widen(weight)) : grad;
  Value along = b.meanOver(b.mul(inner, normalized), dims, true);
  if (Value statistic = state.grad(1)) {
    // dr/dx = -r^3 x / n
    Value slope = b.mul(b.widen(statistic), inverse);
    along = b.add(along, state.meanOf(slope, input, statistic));
  }
  state.set(op, 0,
            b.mul(b.sub(inner, b.mul(normalized, along)), inverse));
  return success();
}

} // namespace kiln::aten
