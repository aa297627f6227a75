//===- Activations.cpp - Activations and pointwise ops of several steps ---===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps are computed in f32 for bf16 and f16 and rounded once, as PyTorch's
// kernels do.
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

#include <cmath>

namespace kiln::aten {

static constexpr double kSqrtHalf = 0.70710678118654752440;
/// 1 / sqrt(2 * pi).
static constexpr double kInvSqrtTwoPi = 0.39894228040143267794;
/// sqrt(2 / pi), and the weight of the cube in the approximation by tanh.
static constexpr double kTanhScale = 0.79788456080286535588;
static constexpr double kTanhCube = 0.044715;

/// `value` in the type of the only result of `op`.
static Value toFirstResult(Operation *op, FormulaBuilder &c, Value value) {
  return value ? c.cast(value, mlir::getElementTypeOrSelf(op->getResult(0)))
               : value;
}

/// 2 sqrt(2 / pi) (x + 0.044715 x^3): by its sigmoid, (1 + tanh(u)) / 2 of half of it, which
/// takes one exponential, `x` is weighted.
static Value twiceInner(Value x, FormulaBuilder &c) {
  Value factor = c.add(c.mul(c.mul(x, x), kTanhCube), 1);
  return c.mul(c.mul(x, 2 * kTanhScale), factor);
}

Value decomposeGelu(GeluOp op, FormulaBuilder &c) {
  Value x = c.widen(op.getSelf());
  if (op.getApproximate() == "none") {
    Value cdf = c.add(c.erf(c.mul(x, kSqrtHalf)), 1);
    return toFirstResult(op, c, c.mul(c.mul(x, 0.5), cdf));
  }
  if (op.getApproximate() != "tanh")
    return {};
  return toFirstResult(op, c, c.mul(x, c.sigmoid(twiceInner(x, c))));
}

Value decomposeGeluBackward(GeluBackwardOp op, FormulaBuilder &c) {
  Value grad = c.widen(op.getGradOutput()), x = c.widen(op.getSelf());
  if (op.getApproximate() == "none") {
    Value cdf = c.mul(c.add(c.erf(c.mul(x, kSqrtHalf)), 1), 0.5);
    Value pdf = c.mul(c.exp(c.mul(c.mul(x, x), -0.5)), kInvSqrtTwoPi);
    return toFirstResult(op, c, c.mul(grad, c.add(cdf, c.mul(x, pdf))));
  }
  if (op.getApproximate() != "tanh")
    return {};
  // s + x s (1 - s) u' for s = sigmoid(u).
  Value weight = c.sigmoid(twiceInner(x, c));
  Value slope = c.mul(c.add(c.mul(c.mul(x, x), 3 * kTanhCube), 1), 2 * kTanhScale);
  Value bend = c.mul(c.mul(weight, c.sub(1, weight)), slope);
  Value sum = c.add(weight, c.mul(x, bend));
  return toFirstResult(op, c, c.mul(grad, sum));
}

Value decomposeSilu(SiluOp op, FormulaBuilder &c) {
  Value x = c.widen(op.getSelf());
  return toFirstResult(op, c, c.mul(x, c.sigmoid(x)));
}

Value decomposeTanhBackward(TanhBackwardOp op, FormulaBuilder &c) {
  Value y = c.widen(op.getOutput());
  return toFirstResult(
      op, c,
      c.mul(c.widen(op.getGradOutput()), c.conjugate(c.sub(1, c.mul(y, y)))));
}

Value decomposeSigmoidBackward(SigmoidBackwardOp op, FormulaBuilder &c) {
  Value y = c.widen(op.getOutput());
  return toFirstResult(
      op, c,
      c.mul(c.widen(op.getGradOutput()), c.conjugate(c.mul(c.sub(1, y), y))));
}

Value decomposeMaskedFillScalar(MaskedFillScalarOp op, FormulaBuilder &c) {
  Value self = op.getSelf();
  Value value =
      c.scalarTensor(op.getValue(), FormulaBuilder::elementTypeOf(self));
  return c.where(op.getMask(), value, self);
}

Value decomposeMaskedFillTensor(MaskedFillTensorOp op, FormulaBuilder &c) {
  Value self = op.getSelf();
  Value value = c.cast(op.getValue(), FormulaBuilder::elementTypeOf(self));
  return c.where(op.getMask(), value, self);
}

/// A value by an optional number; absent is 1.
static Value scaled(FormulaBuilder &c, Value x, Value number) {
  if (!number || FormulaBuilder::getConstantNumber(number) == 1.0)
    return x;
  return c.mul(x, number);
}

Value decomposeAddcmul(AddcmulOp op, FormulaBuilder &c) {
  Value product = c.mul(c.widen(op.getTensor1()), c.widen(op.getTensor2()));
  return toFirstResult(op, c, c.add(c.widen(op.getSelf()),
                             scaled(c, product, op.getValue())));
}

Value decomposeAddcdiv(AddcdivOp op, FormulaBuilder &c) {
  Value quotient = c.div(c.widen(op.getTensor1()), c.widen(op.getTensor2()));
  return toFirstResult(op, c, c.add(c.widen(op.getSelf()),
                             scaled(c, quotient, op.getValue())));
}

Value decomposeLerp(LerpScalarOp op, FormulaBuilder &c) {
  Value self = c.widen(op.getSelf()), end = c.widen(op.getEnd());
  Value step = c.sub(end, self);
  // From the nearer end, so that both ends are exact.
  auto weight = FormulaBuilder::getConstantNumber(op.getWeight());
  if (weight && std::fabs(*weight) >= 0.5)
    return toFirstResult(op, c, c.sub(end, c.mul(step, 1.0 - *weight)));
  return toFirstResult(op, c, c.add(self, c.mul(step, op.getWeight())));
}

Value decomposeToDtype(ToDtypeOp op, FormulaBuilder &c) {
  Value result = c.cast(op.getSelf(), op.getDtype());
  if (result == op.getSelf() && op.getCopy())
    return c.clone(result);
  return result;
}

/// True at row >= column - diagonal of the last two dimensions.
static Value triangle(FormulaBuilder &c, Value x, ExprAttr diagonal,
                      bool isLower) {
  Type i64 = c.getBuilder().getI64Type();
  Value rows = c.unsqueeze(c.iota(c.dimOf(x, -2), i64), 1);
  Value columns = c.iota(c.dimOf(x, -1), i64);
  Value limit = c.add(rows, c.number(diagonal));
  return isLower ? c.le(columns, limit) : c.ge(columns, limit);
}

Value decomposeTril(TrilOp op, FormulaBuilder &c) {
  Value x = op.getSelf();
  return c.where(triangle(c, x, op.getDiagonal(), true), x, 0);
}

Value decomposeTriu(TriuOp op, FormulaBuilder &c) {
  Value x = op.getSelf();
  return c.where(triangle(c, x, op.getDiagonal(), false), x, 0);
}

/// Only when nothing is drawn: then it has the middle slope.
SmallVector<Value> decomposeRrelu(RreluWithNoiseFunctionalOp op,
                                  FormulaBuilder &c) {
  auto slope = [](Value number, double absent) {
    return number ? FormulaBuilder::getConstantNumber(number) : absent;
  };
  auto lower = slope(op.getLower(), 0.125), upper = slope(op.getUpper(), 1.0 / 3);
  if (op.getTraining() || !lower || !upper)
    return {};
  Value result = c.leakyRelu(op.getSelf(), (*lower + *upper) / 2);
  return {result, c.clone(op.getNoise())};
}

} // namespace kiln::aten
