//===- LossRules.cpp - Derivatives of losses ------------------------------===//
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

Value VjpState::shareLoss(Value grad, Value self, Value target,
                          int64_t reduction) {
  if (reduction != 1)
    return grad;
  FormulaBuilder &b = builder;
  // The mean is over the elements of both together.
  Sizes left = b.dimsOf(self), right = b.dimsOf(target);
  ExprAttr count = b.expr(1);
  size_t rank = std::max(left.size(), right.size());
  for (size_t i = 0; i < rank; ++i) {
    ExprAttr a = i < left.size() ? left[left.size() - 1 - i] : b.expr(1);
    ExprAttr c = i < right.size() ? right[right.size() - 1 - i] : b.expr(1);
    count = guard::mul(count, a.isConstant(1) ? c : a);
  }
  return b.div(grad, b.number(count));
}

Value VjpState::bceTargetGrad(Value grad, Value self, Value target,
                              Value weight, int64_t reduction) {
  FormulaBuilder &b = builder;
  Value slope = b.sub(b.log(b.sub(1.0, self)), b.log(self));
  if (weight)
    slope = b.mul(slope, weight);
  return shareLoss(b.mul(slope, grad), self, target, reduction);
}

Value VjpState::softMarginGrad(Value grad, Value self, Value target) {
  FormulaBuilder &b = builder;
  Value e = b.exp(b.mul(b.neg(target), self));
  return b.mul(grad, b.div(b.mul(b.neg(target), e), b.add(e, 1)));
}

//===----------------------------------------------------------------------===//
// Cross entropies
//===----------------------------------------------------------------------===//

LogicalResult vjpBceWithLogits(BinaryCrossEntropyWithLogitsOp op,
                               VjpState &state) {
  FormulaBuilder &b = state.builder;
  Value self = op.getSelf(), target = op.getTarget(), grad = state.grad(0);
  Value positive = op.getPosWeight();
  auto finish = [&](Value slope) {
    Value scaled = op.getWeight() ? b.mul(slope, op.getWeight()) : slope;
    return state.shareLoss(scaled, self, target, op.getReduction());
  };
  if (state.isWanted(op, 0)) {
    Value probability = b.sigmoid(self), slope;
    if (positive) {
      Value weighted = b.mul(positive, target);
      slope = b.sub(b.mul(b.sub(b.add(weighted, 1), target), probability),
                    weighted);
    } else {
      slope = b.sub(probability, target);
    }
    state.set(op, 0, finish(b.mul(slope, grad)));
  }
  if (state.isWanted(op, 1)) {
    Value slope = b.neg(self);
    if (positive) {
      auto logSigmoid = [&](Value v) { return b.logSigmoidForward(v).front(); };
      slope = b.sub(logSigmoid(b.neg(self)),
                    b.mul(positive, logSigmoid(self)));
    }
    state.set(op, 1, finish(b.mul(slope, grad)));
  }
  return success();
}

LogicalResult vjpKlDiv(KlDivOp op, VjpState &state) {
  FormulaBuilder &b = state.builder;
  Value self = op.getSelf(), target = op.getTarget();
  Value grad =
      state.shareLoss(state.grad(0), self, target, op.getReduction());
  if (state.isWanted(op, 0))
    state.set(op, 0, b.mul(b.neg(op.getLogTarget() ? b.exp(target) : target),
                           grad));
  if (!state.isWanted(op, 1))
    return success();
  if (op.getLogTarget()) {
    Value slope = b.mul(b.exp(target), b.add(b.sub(target, self), 1));
    state.set(op, 1, b.mul(slope, grad));
    return success();
  }
  // Of xlogy(target, target), whose two sides are differentiated apart.
  Value logs = b.xlogyTensor(b.ne(target, 0), target);
  Value slope = b.sub(b.add(logs, b.div(target, target)), self);
  state.set(op, 1, b.mul(slope, grad));
  return success();
}

//===----------------------------------------------------------------------===//
// Margins
//===----------------------------------------------------------------------===//

/// The mean over the classes of max(0, margin - x[target] + x[i])^p, the target
/// left out: what the others lose, the target gains.
LogicalResult vjpMultiMarginLoss(MultiMarginLossOp op, VjpState &state) {
  if (!state.isWanted(op, 0))
    return success();
  auto number = [](Value v) -> std::optional<double> {
    return v ? FormulaBuilder::getConstantNumber(v) : 1.0;
  };
  auto order = number(op.getP()), margin = number(op.getMargin());
  if (!order || !margin)
    return state.refuse("has an order or margin that is not a constant, "
                        "expected constants for its derivative");
  FormulaBuilder &b = state.builder;
  Value self = op.getSelf(), target = op.getTarget();
  bool isBatch = FormulaBuilder::rankOf(self) == 2;
  if (!isBatch)
    self = FormulaBuilder::rankOf(self) == 0
               ? b.view(self, Sizes{b.expr(1), b.expr(1)})
               : b.unsqueeze(self, 0);
  Sizes rows{b.dimOf(self, 0)};
  target = b.view(target, rows);
  Value grad = state.grad(0);
  if (FormulaBuilder::rankOf(grad) == 1)
    grad = b.unsqueeze(b.view(grad, rows), 1);
  ExprAttr classes = b.dimOf(self, 1);
  Value column = b.unsqueeze(target, 1);
  Value isTarget =
      b.eq(b.iota(classes, b.getBuilder().getI64Type()), column);
  Value slack = b.add(b.sub(self, b.gather(self, 1, column)), *margin);
  Value counts = b.logicalAnd(b.gt(slack, 0), b.logicalNot(isTarget));
  Value slope = *order == 1.0 ? b.filled(slack, 1) : b.mul(slack, 2);
  slope = b.div(slope, b.number(classes));
  if (op.getWeight())
    slope =
        b.mul(slope, b.unsqueeze(b.indexTensor(op.getWeight(), {target}), 1));
  slope = state.keepWhere(slope, counts);
  Value gained = b.neg(b.sumOver(slope, {1}, true));
  slope = b.mul(b.where(isTarget, gained, slope), grad);
  if (op.getReduction() == 1)
    slope = b.div(slope, b.number(rows.front()));
  state.set(op, 0, state.like(slope, op.getSelf()));
  return success();
}

} // namespace kiln::aten
