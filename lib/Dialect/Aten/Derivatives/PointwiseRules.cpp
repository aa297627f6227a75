//===- PointwiseRules.cpp - Derivatives of pointwise ops and reductions ---===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

#include "kiln/Dialect/Guard/IR/Guard.h"

#include <cmath>

namespace kiln::aten {

LogicalResult vjpDivMode(DivTensorModeOp op, VjpState &state) {
  // With a rounding mode the quotient is piecewise constant.
  bool isFlat = bool(op.getRoundingMode());
  Composer &b = state.builder;
  Value grad = state.grad(0), self = op.getSelf(), other = op.getOther();
  if (state.isWanted(op, 0))
    state.set(op, 0, isFlat ? b.zerosLike(self) : b.div(grad, other));
  if (state.isWanted(op, 1))
    state.set(op, 1,
              isFlat ? b.zerosLike(other)
                     : b.mul(b.neg(grad), b.div(b.div(self, other), other)));
  return success();
}

LogicalResult vjpHardtanh(HardtanhOp op, VjpState &state) {
  if (!state.isWanted(op, 0))
    return success();
  Composer &b = state.builder;
  Value self = op.getSelf();
  Operand low = op.getMinVal() ? Operand(op.getMinVal()) : Operand(-1.0);
  Operand high = op.getMaxVal() ? Operand(op.getMaxVal()) : Operand(1.0);
  Value inside = b.logicalAnd(b.gt(self, low), b.lt(self, high));
  state.set(op, 0, state.keepWhere(state.grad(0), inside));
  return success();
}

/// `number - 1`; null if it is neither constant nor an expression.
static Value minusOne(Composer &b, Value number) {
  if (auto known = Composer::getConstantNumber(number)) {
    if (llvm::isa<mlir::IntegerType>(number.getType()))
      return b.number(Operand(static_cast<int64_t>(*known) - 1));
    return b.number(Operand(*known - 1.0));
  }
  auto value = number.getDefiningOp<guard::ValueOp>();
  if (!value)
    return {};
  ExprAttr one = value.getExpr().isFloatTyped()
                     ? guard::getFloat(b.getContext(), 1.0)
                     : b.constant(1);
  return b.number(guard::sub(value.getExpr(), one));
}

LogicalResult vjpPow(PowTensorScalarOp op, VjpState &state) {
  if (!state.isWanted(op, 0))
    return success();
  Composer &b = state.builder;
  Value grad = state.grad(0), exponent = op.getExponent();
  auto known = Composer::getConstantNumber(exponent);
  if (known == 0.0)
    return success();
  if (known == 1.0) {
    state.set(op, 0, grad);
    return success();
  }
  if (known == 2.0) {
    state.set(op, 0, b.mul(grad, b.mul(op.getSelf(), exponent)));
    return success();
  }
  Value less = minusOne(b, exponent);
  if (!less)
    return state.refuse("has an exponent that is not known before the call, "
                        "expected a constant or a size for its derivative");
  state.set(op, 0,
            b.mul(grad, b.mul(b.pow(op.getSelf(), less), exponent)));
  return success();
}

LogicalResult vjpPowTensor(PowTensorTensorOp op, VjpState &state) {
  Composer &b = state.builder;
  Value grad = state.grad(0), self = op.getSelf(), exponent = op.getExponent();
  if (state.isWanted(op, 0)) {
    Value slope = b.mul(exponent, b.pow(self, b.sub(exponent, 1)));
    state.set(op, 0, state.dropWhere(b.mul(grad, slope), b.eq(exponent, 0)));
  }
  if (state.isWanted(op, 1)) {
    Value isZero = b.logicalAnd(b.eq(self, 0), b.ge(exponent, 0));
    Value slope = b.mul(op.getResult(), b.log(self));
    state.set(op, 1, state.dropWhere(b.mul(grad, slope), isZero));
  }
  return success();
}

LogicalResult vjpPowScalar(PowScalarOp op, VjpState &state) {
  if (!state.isWanted(op, 1))
    return success();
  Composer &b = state.builder;
  auto base = Composer::getConstantNumber(op.getSelf());
  if (!base)
    return state.refuse("has a base that is not a constant, expected one for "
                        "its derivative");
  Value slope = b.mul(op.getResult(), std::log(*base));
  Value grad = b.mul(state.grad(0), slope);
  if (*base == 0.0)
    grad = state.dropWhere(grad, b.ge(op.getExponent(), 0));
  state.set(op, 1, grad);
  return success();
}

LogicalResult vjpClamp(ClampOp op, VjpState &state) {
  if (!state.isWanted(op, 0))
    return success();
  Composer &b = state.builder;
  Value self = op.getSelf(), inside;
  if (op.getMin())
    inside = b.ge(self, op.getMin());
  if (op.getMax()) {
    Value below = b.le(self, op.getMax());
    inside = inside ? b.logicalAnd(inside, below) : below;
  }
  state.set(op, 0, inside ? state.keepWhere(state.grad(0), inside)
                          : state.grad(0));
  return success();
}

LogicalResult vjpVarMean(VarMeanCorrectionOp op, VjpState &state) {
  if (!state.isWanted(op, 0))
    return success();
  Composer &b = state.builder;
  Value self = op.getSelf(), sum;
  if (Value grad = state.grad(0))
    sum = state.varGrad(grad, self, op.getDim(), op.getKeepdim(),
                        op.getCorrection());
  if (Value grad = state.grad(1)) {
    Value mean = state.meanOf(
        state.unreduce(grad, self, op.getDim(), op.getKeepdim()), self,
        op->getResult(1));
    sum = state.grad(0) ? b.add(sum, mean) : mean;
  }
  state.set(op, 0, sum);
  return success();
}

LogicalResult vjpVectorNorm(LinalgVectorNormOp op, VjpState &state) {
  if (!state.isWanted(op, 0))
    return success();
  Composer &b = state.builder;
  double order = 2.0;
  if (op.getOrd()) {
    auto known = Composer::getConstantNumber(op.getOrd());
    if (!known)
      return state.refuse("has an order that is not a constant, expected one "
                          "for its derivative");
    order = *known;
  }
  if (order == 0.0)
    return success();
  Value self = op.getSelf();
  Value grad =
      state.keepDims(state.grad(0), self, op.getDim(), op.getKeepdim());
  Value norm =
      state.keepDims(op.getResult(), self, op.getDim(), op.getKeepdim());
  Value result;
  if (std::isinf(order)) {
    Value isExtreme = b.eq(b.abs(self), norm);
    ArrayRef<int64_t> dims = op.getDim().value_or(ArrayRef<int64_t>());
    Value count =
        b.sum(isExtreme, Composer::wrapAll(dims, Composer::rank(self)), true);
    result = b.mul(b.mul(b.sign(self), isExtreme), b.div(grad, count));
  } else if (order == 1.0) {
    result = b.mul(b.sign(self), grad);
  } else if (order == 2.0) {
    result = b.mul(self, state.dropWhere(b.div(grad, norm), b.eq(norm, 0)));
  } else {
    Value power = b.mul(b.sign(self), b.pow(b.abs(self), order - 1.0));
    Value scale = state.dropWhere(b.div(grad, b.pow(norm, order - 1.0)),
                                  b.eq(norm, 0));
    result = b.mul(power, scale);
    // Below 1 the slope at zero is infinite; PyTorch gives zero there.
    if (order < 1.0)
      result = state.dropWhere(result, b.eq(self, 0));
  }
  state.set(op, 0, result);
  return success();
}

LogicalResult vjpLayerNorm(NativeLayerNormOp op, VjpState &state) {
  if (state.grad(1) || state.grad(2))
    return state.refuse("is differentiable in its first result only, found a "
                        "gradient of its mean or its reciprocal deviation");
  Composer &b = state.builder;
  bool wantsWeight = op.getWeight() && state.isWanted(op, 1);
  bool wantsBias = op.getBias() && state.isWanted(op, 2);
  bool mask[] = {state.isWanted(op, 0), wantsWeight, wantsBias};
  Operation *backward = b.emitOp(
      "native_layer_norm_backward",
      {state.grad(0), op.getInput(), op.getNormalizedShapeAttr(),
       op->getResult(1), op->getResult(2), op.getWeight(), op.getBias(),
       b.getBuilder().getDenseBoolArrayAttr(mask)});
  if (!backward)
    return failure();
  for (unsigned i = 0; i < 3; ++i)
    if (mask[i])
      state.set(op, i, backward->getResult(i));
  return success();
}

LogicalResult vjpNativeDropout(NativeDropoutOp op, VjpState &state) {
  if (!state.isWanted(op, 0))
    return success();
  Composer &b = state.builder;
  Value grad = state.grad(0);
  if (op.getTrain().value_or(true)) {
    double p = op.getP().convertToDouble();
    double scale = p == 1.0 ? 0.0 : 1.0 / (1.0 - p);
    grad = b.mul(b.mul(grad, op->getResult(1)), scale);
  }
  state.set(op, 0, grad);
  return success();
}

LogicalResult vjpNllLoss(NllLossForwardOp op, VjpState &state) {
  if (!state.isWanted(op, 0) || !state.grad(0))
    return success();
  Composer &b = state.builder;
  state.set(op, 0,
            b.emit("nll_loss_backward",
                   {state.grad(0), op.getSelf(), op.getTarget(), op.getWeight(),
                    b.integer(op.getReduction()), op.getIgnoreIndexAttr(),
                    op->getResult(1)}));
  return success();
}

} // namespace kiln::aten
