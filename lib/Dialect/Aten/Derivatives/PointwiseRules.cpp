//===- PointwiseRules.cpp - Derivatives of pointwise ops ------------------===//
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

//===----------------------------------------------------------------------===//
// Helpers of dags
//===----------------------------------------------------------------------===//

Value VjpState::numberOver(Value number, Value v) {
  return number ? builder.div(number, v) : builder.div(1.0, v);
}

Value VjpState::lerpRest(Value grad, Value weight) {
  if (auto known = FormulaBuilder::getConstantNumber(weight))
    return builder.mul(grad, 1.0 - *known);
  if (auto known = FormulaBuilder::getConstantComplex(weight))
    return builder.mul(grad, builder.complexNumber(1.0 - *known));
  return builder.sub(grad, builder.mul(grad, weight));
}

Value VjpState::divRounded(Value a, Value b, StringRef mode) {
  return builder.divTensorMode(a, b, mode);
}

Value VjpState::sincGrad(Value grad, Value self) {
  FormulaBuilder &b = builder;
  Value angle = b.mul(self, M_PI);
  Value square = b.mul(b.mul(self, self), M_PI);
  Value slope =
      b.div(b.sub(b.mul(angle, b.cos(angle)), b.sin(angle)), square);
  return dropWhere(b.mul(grad, slope), b.eq(square, 0));
}

Value VjpState::isFinite(Value v) {
  return builder.logicalNot(
      builder.logicalOr(builder.isinf(v), builder.isnan(v)));
}

Value VjpState::copysignGrad(Value grad, Value self, Value result) {
  Value ratio = builder.div(result, self);
  return builder.mul(grad, dropWhere(ratio, builder.eq(self, 0)));
}

Value VjpState::halfAtTie(Value grad, Value a, Value b) {
  return builder.where(builder.eq(a, b), builder.div(grad, 2), grad);
}

Value VjpState::inverseOrZero(Value v) {
  return dropWhere(builder.reciprocal(v), builder.eq(v, 0));
}

Value VjpState::acoshSlope(Value self) {
  FormulaBuilder &b = builder;
  // The root of a complex product is not the product of the roots.
  if (FormulaBuilder::isComplex(self))
    return b.mul(b.rsqrt(b.add(self, 1)), b.rsqrt(b.sub(self, 1)));
  return b.rsqrt(b.sub(b.square(self), 1));
}

Value VjpState::angleGrad(Value grad, Value self) {
  FormulaBuilder &b = builder;
  if (!FormulaBuilder::isComplex(self))
    return b.filled(self, 0);
  Value turned = b.mul(b.div(b.mul(grad, self), b.square(b.abs(self))),
                       b.complexNumber({0, 1}));
  return dropWhere(turned, b.eq(self, 0));
}

/// What is left of a gradient without its part along the direction.
Value VjpState::sgnGrad(Value grad, Value self, Value result) {
  FormulaBuilder &b = builder;
  if (!FormulaBuilder::isComplex(self))
    return b.filled(self, 0);
  Value size = b.abs(self);
  Value along = b.real(b.div(grad, result));
  return dropWhere(b.sub(b.div(grad, size), b.div(b.mul(along, result), size)),
                   b.eq(size, 0));
}

Value VjpState::overwritten(Value grad, Value self, Value source) {
  // PyTorch's autograd does not see the in-place forms of these: a gradient
  // passes as if nothing had been written.
  Operation *maker = source.getDefiningOp();
  bool isUnseen = maker &&
                  llvm::isa<LogicalAndOp, LogicalOrOp, LogicalXorOp,
                            LogicalNotOp>(maker) &&
                  maker->getOperand(0) == self;
  return isUnseen ? grad : builder.filled(self, 0);
}

Value VjpState::celuGrad(Value grad, Value self, Value alpha) {
  FormulaBuilder &b = builder;
  std::optional<double> known = 1.0;
  if (alpha)
    known = FormulaBuilder::getConstantNumber(alpha);
  if (!known) {
    op->emitOpError("has an alpha that is not a constant, expected one for its "
                    "derivative");
    return {};
  }
  return b.eluBackward(grad, *known, 1, 1.0 / *known, false, self);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

LogicalResult vjpDivMode(DivTensorModeOp op, VjpState &state) {
  // With a rounding mode the quotient is piecewise constant.
  bool isFlat = bool(op.getRoundingMode());
  FormulaBuilder &b = state.builder;
  Value grad = state.grad(0), self = op.getSelf(), other = op.getOther();
  if (state.isWanted(op, 0))
    state.set(op, 0,
              isFlat ? b.filled(self, 0) : b.div(grad, b.conjugate(other)));
  if (state.isWanted(op, 1))
    state.set(op, 1,
              isFlat ? b.filled(other, 0)
                     : b.mul(b.neg(grad),
                             b.conjugate(b.div(b.div(self, other), other))));
  return success();
}

LogicalResult vjpDivScalarMode(DivScalarModeOp op, VjpState &state) {
  FormulaBuilder &b = state.builder;
  if (state.isWanted(op, 0))
    state.set(op, 0,
              op.getRoundingMode()
                  ? b.filled(op.getSelf(), 0)
                  : b.div(state.grad(0), b.conjugate(op.getOther())));
  return success();
}

/// `number - 1`; null if it is neither constant nor an expression.
static Value minusOne(FormulaBuilder &b, Value number) {
  if (auto known = FormulaBuilder::getConstantNumber(number)) {
    if (llvm::isa<mlir::IntegerType>(number.getType()))
      return b.number(Operand(static_cast<int64_t>(*known) - 1));
    return b.number(*known - 1.0);
  }
  if (auto known = FormulaBuilder::getConstantComplex(number))
    return b.complexNumber(*known - 1.0);
  auto value = number.getDefiningOp<guard::ValueOp>();
  if (!value)
    return {};
  ExprAttr one = value.getExpr().isFloatTyped()
                     ? guard::getFloat(b.getContext(), 1.0)
                     : b.expr(1);
  return b.number(guard::sub(value.getExpr(), one));
}

LogicalResult vjpPow(PowTensorScalarOp op, VjpState &state) {
  if (!state.isWanted(op, 0))
    return success();
  FormulaBuilder &b = state.builder;
  Value grad = state.grad(0), exponent = op.getExponent();
  auto known = FormulaBuilder::getConstantNumber(exponent);
  if (known == 0.0) {
    state.set(op, 0, b.filled(op.getSelf(), 0));
    return success();
  }
  if (known == 1.0) {
    state.set(op, 0, grad);
    return success();
  }
  if (known == 2.0) {
    state.set(op, 0, b.mul(grad, b.conjugate(b.mul(op.getSelf(), exponent))));
    return success();
  }
  Value less = minusOne(b, exponent);
  if (!less)
    return state.refuse("has an exponent that is not known before the call, "
                        "expected a constant or a size for its derivative");
  state.set(
      op, 0,
      b.mul(grad, b.conjugate(b.mul(b.pow(op.getSelf(), less), exponent))));
  return success();
}

/// Where zero to the power of `exponent` is one or zero.
static Value isPositivePower(FormulaBuilder &b, Value exponent) {
  if (!FormulaBuilder::isComplex(exponent))
    return b.ge(exponent, 0);
  return b.logicalAnd(b.eq(b.imag(exponent), 0), b.ge(b.real(exponent), 0));
}

LogicalResult vjpPowTensor(PowTensorTensorOp op, VjpState &state) {
  FormulaBuilder &b = state.builder;
  Value grad = state.grad(0), self = op.getSelf(), exponent = op.getExponent();
  if (state.isWanted(op, 0)) {
    Value slope = b.conjugate(b.mul(exponent, b.pow(self, b.sub(exponent, 1))));
    state.set(op, 0, state.dropWhere(b.mul(grad, slope), b.eq(exponent, 0)));
  }
  if (state.isWanted(op, 1)) {
    Value isFlat = b.logicalAnd(b.eq(self, 0), isPositivePower(b, exponent));
    // In the type of the result: the logarithm of a negative base is complex.
    Value base = state.castLike(self, op.getResult());
    Value slope = b.conjugate(b.mul(op.getResult(), b.log(base)));
    state.set(op, 1, state.dropWhere(b.mul(grad, slope), isFlat));
  }
  return success();
}

LogicalResult vjpPowScalar(PowScalarOp op, VjpState &state) {
  if (!state.isWanted(op, 1))
    return success();
  FormulaBuilder &b = state.builder;
  auto base = FormulaBuilder::getConstantComplex(op.getSelf());
  if (!base)
    return state.refuse("has a base that is not a constant, expected one for "
                        "its derivative");
  Value slope = FormulaBuilder::isComplex(op.getResult())
                    ? b.mul(op.getResult(), b.complexNumber(std::log(*base)))
                    : b.mul(op.getResult(), std::log(base->real()));
  Value grad = b.mul(state.grad(0), b.conjugate(slope));
  if (*base == 0.0)
    grad = state.dropWhere(grad, isPositivePower(b, op.getExponent()));
  state.set(op, 1, grad);
  return success();
}

LogicalResult vjpPolygamma(PolygammaOp op, VjpState &state) {
  if (!state.isWanted(op, 0))
    return success();
  FormulaBuilder &b = state.builder;
  Value slope = b.polygamma(op.getN() + 1, op.getSelf());
  state.set(op, 0, b.mul(state.grad(0), slope));
  return success();
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

LogicalResult vjpClamp(ClampOp op, VjpState &state) {
  if (!state.isWanted(op, 0))
    return success();
  FormulaBuilder &b = state.builder;
  // A limit itself lies outside, as does NaN.
  Value self = op.getSelf(), inside;
  if (op.getMin())
    inside = b.gt(self, op.getMin());
  if (op.getMax()) {
    Value below = b.lt(self, op.getMax());
    inside = inside ? b.logicalAnd(inside, below) : below;
  }
  state.set(op, 0, inside ? state.keepWhere(state.grad(0), inside)
                          : state.grad(0));
  return success();
}

LogicalResult vjpClampTensor(ClampTensorOp op, VjpState &state) {
  FormulaBuilder &b = state.builder;
  Value grad = state.grad(0), self = op.getSelf();
  Value min = op.getMin(), max = op.getMax();
  // On a limit each side gets half, unless both limits are there or one is NaN.
  auto onLimit = [&](Value limit) {
    Value tie = b.eq(self, limit);
    return min && max ? b.logicalAnd(tie, b.lt(min, max)) : tie;
  };
  auto half = [&](Value where, Value otherwise) {
    return b.where(where, b.div(grad, 2), otherwise);
  };
  if (state.isWanted(op, 0)) {
    Value outside, inside = grad;
    for (Value limit : {min, max}) {
      if (!limit)
        continue;
      inside = half(onLimit(limit), inside);
      // NaN lies inside.
      Value beyond = limit == min ? b.lt(self, min) : b.gt(self, max);
      outside = outside ? b.logicalOr(outside, beyond) : beyond;
    }
    state.set(op, 0, outside ? state.dropWhere(inside, outside) : grad);
  }
  // Limits in the wrong order: the upper one wins everywhere. NaN goes to a
  // limit that is alone, to none of two.
  bool both = min && max;
  Value isOrdered = both ? b.le(min, max) : Value();
  if (min && state.isWanted(op, 1))
    state.set(op, 1,
              both ? state.keepWhere(
                         half(onLimit(min),
                              state.keepWhere(grad, b.lt(self, min))),
                         isOrdered)
                   : state.dropWhere(half(onLimit(min), grad),
                                     b.gt(self, min)));
  if (max && state.isWanted(op, 2))
    state.set(op, 2,
              both ? b.where(isOrdered,
                             half(onLimit(max),
                                  state.keepWhere(grad, b.gt(self, max))),
                             state.keepWhere(grad, b.lt(max, min)))
                   : state.dropWhere(half(onLimit(max), grad),
                                     b.lt(self, max)));
  return success();
}

//===----------------------------------------------------------------------===//
// Random masks
//===----------------------------------------------------------------------===//

LogicalResult vjpNativeDropout(NativeDropoutOp op, VjpState &state) {
  if (!state.isWanted(op, 0))
    return success();
  FormulaBuilder &b = state.builder;
  Value grad = state.grad(0);
  if (!grad)
    return success();
  if (op.getTrain().value_or(true)) {
    double p = op.getP().convertToDouble();
    double scale = p == 1.0 ? 0.0 : 1.0 / (1.0 - p);
    grad = b.mul(b.mul(grad, op->getResult(1)), scale);
  }
  state.set(op, 0, grad);
  return success();
}

LogicalResult vjpRrelu(RreluWithNoiseFunctionalOp op, VjpState &state) {
  if (!state.isWanted(op, 0) || !state.grad(0))
    return success();
  FormulaBuilder &b = state.builder;
  if (op.getTraining()) {
    state.set(op, 0, b.mul(state.grad(0), op->getResult(1)));
    return success();
  }
  auto bound = [&](Value number, double otherwise) {
    return number ? FormulaBuilder::getConstantNumber(number) : otherwise;
  };
  auto lower = bound(op.getLower(), 0.125);
  auto upper = bound(op.getUpper(), 1.0 / 3.0);
  if (!lower || !upper)
    return state.refuse("has bounds that are not constants, expected constants "
                        "for its derivative");
  state.set(op, 0,
            b.leakyReluBackward(state.grad(0), op.getSelf(),
                                (*lower + *upper) / 2, false));
  return success();
}

LogicalResult vjpRenorm(RenormOp op, VjpState &state) {
  if (!state.isWanted(op, 0))
    return success();
  auto order = FormulaBuilder::getConstantNumber(op.getP());
  auto limit = FormulaBuilder::getConstantNumber(op.getMaxnorm());
  if (!order || !limit)
    return state.refuse("has a norm or limit that is not a constant, expected "
                        "constants for its derivative");
  FormulaBuilder &b = state.builder;
  Value self = op.getSelf();
  Value grad = b.widen(state.grad(0)), wide = b.widen(self);
  int64_t rank = FormulaBuilder::rankOf(self);
  int64_t dim = FormulaBuilder::wrapDim(op.getDim(), rank);
  SmallVector<int64_t> rest;
  for (int64_t i = 0; i < rank; ++i)
    if (i != dim)
      rest.push_back(i);
  Value norm = b.linalgVectorNorm(wide, *order, rest, true);
  // What lies beyond the limit is scaled to it, and the scale has a gradient.
  Value weighted = b.sumOver(b.mul(wide, grad), rest, true);
  Value normGrad = vectorNormGrad(state, weighted, wide, norm, *order, rest,
                                  /*keepdim=*/true);
  Value inverse = b.reciprocal(b.add(norm, 1e-7));
  Value scaled = b.mul(
      b.mul(inverse, *limit),
      b.sub(grad, b.mul(inverse, normGrad)));
  state.set(op, 0, b.where(b.gt(norm, *limit), scaled, grad));
  return success();
}

} // namespace kiln::aten
