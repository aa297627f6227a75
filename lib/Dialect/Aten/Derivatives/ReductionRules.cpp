//===- ReductionRules.cpp - Derivatives of reductions and scans -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

#include <cmath>
#include <limits>

namespace kiln::aten {

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

static ArrayRef<int64_t> dimsOrNone(OptionalDims dims) {
  return dims.value_or(ArrayRef<int64_t>());
}

//===----------------------------------------------------------------------===//
// Extrema and sorting
//===----------------------------------------------------------------------===//

Value VjpState::share(Value grad, Value self, Value result, OptionalDims dims,
                      bool keepdim) {
  FormulaBuilder &b = builder;
  Value mask = b.eq(self, keepDims(result, self, dims, keepdim));
  ArrayRef<int64_t> given = dims.value_or(ArrayRef<int64_t>());
  Value count = b.sumOver(
      mask, FormulaBuilder::wrapAll(given, FormulaBuilder::rankOf(self)), true);
  return b.div(b.mul(keepDims(grad, self, dims, keepdim), mask), count);
}

Value VjpState::atIndex(Value grad, Value self, Value indices, int64_t dim,
                        bool keepdim) {
  if (FormulaBuilder::rankOf(self) != 0 && !keepdim) {
    grad = builder.unsqueeze(grad, dim);
    indices = builder.unsqueeze(indices, dim);
  }
  return builder.scatterSrc(builder.filled(self, 0), dim, indices, grad);
}

Value VjpState::shareAll(Value grad, Value self, Value result) {
  FormulaBuilder &b = builder;
  Value mask = b.logicalOr(b.eq(self, result),
                           b.logicalAnd(b.isnan(self), b.isnan(result)));
  return keepWhere(b.div(grad, b.sumAll(mask)), mask);
}

Value VjpState::addAtIndex(Value grad, Value self, Value indices, int64_t dim) {
  return builder.scatterAdd(builder.filled(self, 0), dim, indices, grad);
}

LogicalResult vjpAminmax(AminmaxOp op, VjpState &state) {
  if (!state.isWanted(op, 0))
    return success();
  int64_t dim = op.getDim().value_or(0);
  OptionalDims dims;
  if (op.getDim())
    dims = ArrayRef<int64_t>(dim);
  Value sum;
  for (unsigned i = 0; i < 2; ++i) {
    if (!state.grad(i))
      continue;
    Value part = state.share(state.grad(i), op.getSelf(), op->getResult(i),
                             dims, op.getKeepdim());
    sum = sum ? state.builder.add(sum, part) : part;
  }
  state.set(op, 0, sum);
  return success();
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

Value VjpState::traceGrad(Value grad, Value self) {
  FormulaBuilder &b = builder;
  ExprAttr length = guard::min(b.dimOf(self, 0), b.dimOf(self, 1));
  return b.diagonalBackward(b.expand(grad, {length}), sizesOf(self), 0, 0, 1);
}

Value VjpState::logsumexpGrad(Value grad, Value self, Value result,
                              OptionalDims dims, bool keepdim) {
  FormulaBuilder &b = builder;
  Value kept = keepDims(result, self, dims, keepdim);
  // NaN where all are minus infinity, as there.
  return b.mul(keepDims(grad, self, dims, keepdim),
               b.exp(b.sub(self, kept)));
}

/// Of a product over `dims`. Without zeros each factor gets the product divided
/// by itself, a single zero the product of the others, and two zeros nothing.
static Value prodGrad(VjpState &state, Value grad, Value self, Value result,
                      OptionalDims dims, bool keepdim) {
  FormulaBuilder &b = state.builder;
  Type element = FormulaBuilder::elementTypeOf(result);
  self = b.cast(self, element);
  int64_t rank = FormulaBuilder::rankOf(self);
  grad = state.keepDims(grad, self, dims, keepdim);
  if (rank == 0)
    return grad;
  result = state.keepDims(result, self, dims, keepdim);
  SmallVector<int64_t> all = FormulaBuilder::wrapAll(dimsOrNone(dims), rank);
  Value isZero = b.eq(self, 0);
  Value zeros = b.sumOver(isZero, all, true);
  Value others = b.where(isZero, 1.0, self);
  for (int64_t dim : all)
    others = b.prodDimInt(others, dim, true);
  Value atZero = state.keepWhere(others, b.eq(zeros, 1));
  Value elsewhere = state.keepWhere(b.div(result, self), b.eq(zeros, 0));
  return b.mul(grad, b.conjugate(b.where(isZero, atZero, elsewhere)));
}

LogicalResult vjpProd(ProdOp op, VjpState &state) {
  if (state.isWanted(op, 0))
    state.set(op, 0, prodGrad(state, state.grad(0), op.getSelf(),
                              op.getResult(), std::nullopt, false));
  return success();
}

LogicalResult vjpProdDim(ProdDimIntOp op, VjpState &state) {
  int64_t dim = op.getDim();
  if (state.isWanted(op, 0))
    state.set(op, 0, prodGrad(state, state.grad(0), op.getSelf(),
                              op.getResult(), ArrayRef<int64_t>(dim),
                              op.getKeepdim()));
  return success();
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

Value VjpState::reverseCumsum(Value grad, int64_t dim) {
  if (FormulaBuilder::rankOf(grad) == 0)
    return grad;
  Value flipped = builder.flip(grad, {dim});
  return builder.flip(builder.cumsum(flipped, dim), {dim});
}

/// Up to the first zero of a line, everything is divided by the element. At the
/// first zero, the products go on as if it were not there, up to the second.
/// Behind it nothing changes any product.
LogicalResult vjpCumprod(CumprodOp op, VjpState &state) {
  if (!state.isWanted(op, 0))
    return success();
  FormulaBuilder &b = state.builder;
  Value output = b.conjugate(op.getResult()), grad = state.grad(0);
  Value self =
      b.conjugate(b.cast(op.getSelf(), FormulaBuilder::elementTypeOf(output)));
  if (FormulaBuilder::rankOf(self) == 0) {
    state.set(op, 0, grad);
    return success();
  }
  int64_t dim = op.getDim();
  auto cumprod = [&](Value v) { return b.cumprod(v, dim); };
  Value isZero = b.eq(self, 0);
  Value zeros = b.cumsum(isZero, dim);
  Value isBefore = b.eq(zeros, 0), isAfter = b.eq(zeros, 1);
  Value isFirst = b.logicalAnd(isZero, isAfter);
  Value before = b.div(
      state.reverseCumsum(state.keepWhere(b.mul(output, grad), isBefore), dim),
      self);
  Value between = b.where(
      b.logicalAnd(isAfter, b.logicalNot(isFirst)), self, 1.0);
  Value weights = b.mul(cumprod(between), state.keepWhere(grad, isAfter));
  Value product = b.prodDimInt(b.where(isBefore, self, 1.0), dim, true);
  Value first = b.mul(b.sumOver(weights, {dim}, true), product);
  state.set(op, 0, b.where(isFirst, first, state.keepWhere(before, isBefore)));
  return success();
}

/// In logarithms, so that nothing overflows: those of positive and of negative
/// gradients apart.
LogicalResult vjpLogcumsumexp(LogcumsumexpOp op, VjpState &state) {
  if (!state.isWanted(op, 0))
    return success();
  FormulaBuilder &b = state.builder;
  Value self = op.getSelf(), result = op.getResult(), grad = state.grad(0);
  if (FormulaBuilder::rankOf(self) == 0) {
    state.set(op, 0, grad);
    return success();
  }
  int64_t dim = op.getDim();
  auto weigh = [&](Value part, Value isPart) {
    Value logs = b.where(isPart, b.log(part), -kInfinity);
    Value sums =
        b.flip(b.logcumsumexp(b.flip(b.sub(logs, result), {dim}), dim), {dim});
    return b.exp(b.add(sums, self));
  };
  state.set(op, 0, b.sub(weigh(grad, b.gt(grad, 0)),
                         weigh(b.neg(grad), b.lt(grad, 0))));
  return success();
}

//===----------------------------------------------------------------------===//
// Variances
//===----------------------------------------------------------------------===//

Value VjpState::varGradWith(Value grad, Value self, OptionalDims dims,
                            bool keepdim, double correction) {
  FormulaBuilder &b = builder;
  SmallVector<int64_t> all =
      FormulaBuilder::wrapAll(dimsOrNone(dims), FormulaBuilder::rankOf(self));
  bool isWhole = !dims || FormulaBuilder::rankOf(self) == 0;
  // PyTorch counts no elements along an empty list of dimensions, although it
  // means all of them.
  ExprAttr count = b.expr(1);
  if (isWhole || !dims->empty())
    for (int64_t dim : all)
      count = guard::mul(count, b.dimOf(self, dim));
  ExprAttr freedom = guard::sub(guard::toFloat(count),
                                guard::getFloat(b.getContext(), correction));
  grad = keepDims(grad, self, dims, keepdim);
  Value mean = b.meanOver(self, all, true);
  if (isWhole && freedom.isFloatConstant() && freedom.getFloat() <= 0) {
    // PyTorch's limits of 2 / freedom * (self - mean).
    Value slope = b.where(
        b.eq(self, mean), std::nan(""),
        b.full(b.dimsOf(self), kInfinity, FormulaBuilder::elementTypeOf(self)));
    return b.mul(grad, slope);
  }
  Value scaled =
      freedom.isFloatConstant()
          ? b.mul(grad, b.number(Operand(2.0 / freedom.getFloat())))
          : b.div(b.mul(grad, 2), b.number(freedom));
  return b.mul(scaled, b.sub(self, mean));
}

Value VjpState::varGrad(Value grad, Value self, OptionalDims dims, bool keepdim,
                        Value correction) {
  double less = 1.0;
  if (correction) {
    auto known = FormulaBuilder::getConstantNumber(correction);
    if (!known) {
      op->emitOpError("has a correction that is not a constant, expected one "
                      "for its derivative");
      return {};
    }
    less = *known;
  }
  return varGradWith(grad, self, dims, keepdim, less);
}

Value VjpState::varGradUnbiased(Value grad, Value self, OptionalDims dims,
                                bool keepdim, bool unbiased) {
  return varGradWith(grad, self, dims, keepdim, unbiased ? 1.0 : 0.0);
}

Value VjpState::stdGrad(Value grad, Value result) {
  return dropWhere(builder.div(grad, builder.mul(result, 2)),
                   builder.eq(result, 0));
}

/// Of two results: `variance` from the gradient of the first, and the mean's.
static Value withMean(VjpState &state, Value variance, Value self,
                      OptionalDims dims, bool keepdim) {
  Value grad = state.grad(1);
  if (!grad)
    return variance;
  Value mean = state.meanOf(state.unreduce(grad, self, dims, keepdim), self,
                            state.getOp()->getResult(1));
  return variance ? state.builder.add(variance, mean) : mean;
}

/// The gradient of an op with results (spread, mean): `ofSpread` gives what flows
/// back through the first.
template <typename OpT>
static LogicalResult vjpWithMean(OpT op, VjpState &state,
                                 llvm::function_ref<Value(Value)> ofSpread) {
  if (!state.isWanted(op, 0))
    return success();
  Value grad = state.grad(0);
  Value spread = grad ? ofSpread(grad) : Value();
  state.set(op, 0, withMean(state, spread, op.getSelf(), op.getDim(),
                            op.getKeepdim()));
  return success();
}

LogicalResult vjpVarMean(VarMeanCorrectionOp op, VjpState &state) {
  return vjpWithMean(op, state, [&](Value grad) {
    return state.varGrad(grad, op.getSelf(), op.getDim(), op.getKeepdim(),
                         op.getCorrection());
  });
}

LogicalResult vjpVarMeanDim(VarMeanDimOp op, VjpState &state) {
  return vjpWithMean(op, state, [&](Value grad) {
    return state.varGradUnbiased(grad, op.getSelf(), op.getDim(),
                                 op.getKeepdim(), op.getUnbiased());
  });
}

LogicalResult vjpStdMean(StdMeanCorrectionOp op, VjpState &state) {
  return vjpWithMean(op, state, [&](Value grad) {
    return state.varGrad(state.stdGrad(grad, op->getResult(0)), op.getSelf(),
                         op.getDim(), op.getKeepdim(), op.getCorrection());
  });
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

Value vectorNormGrad(VjpState &state, Value grad, Value self, Value norm,
                     double order, OptionalDims dims, bool keepdim) {
  FormulaBuilder &b = state.builder;
  Type element = FormulaBuilder::elementTypeOf(norm);
  self = b.cast(self, FormulaBuilder::isComplex(self)
                          ? mlir::ComplexType::get(element)
                          : element);
  grad = state.keepDims(grad, self, dims, keepdim);
  norm = state.keepDims(norm, self, dims, keepdim);
  Value isFlat = b.eq(norm, 0);
  if (order == 0.0)
    return b.filled(self, 0);
  if (order == 1.0)
    return b.mul(b.sgn(self), grad);
  if (order == 2.0)
    return b.mul(grad, state.dropWhere(b.div(self, norm), isFlat));
  Value size = b.abs(self);
  if (std::isinf(order)) {
    Value isExtreme = b.logicalOr(b.eq(size, norm), b.isnan(size));
    Value count = b.sumOver(
        isExtreme,
        FormulaBuilder::wrapAll(dimsOrNone(dims), FormulaBuilder::rankOf(self)),
        true);
    return b.mul(b.sgn(self), b.mul(b.div(grad, count), isExtreme));
  }
  if (order < 1.0) {
    // The slope at zero is infinite; PyTorch gives zero there.
    Value power = state.dropWhere(b.mul(b.sgn(self), b.pow(size, order - 1.0)),
                                  b.eq(self, 0));
    return b.mul(b.mul(power, grad), b.pow(norm, 1.0 - order));
  }
  Value power = order < 2.0 ? b.mul(b.sgn(self), b.pow(size, order - 1.0))
                            : b.mul(self, b.pow(size, order - 2.0));
  return b.mul(power, state.dropWhere(b.div(grad, b.pow(norm, order - 1.0)),
                                      isFlat));
}

/// The order of a norm, 2 if absent; refuses those not known here.
static FailureOr<double> readOrder(VjpState &state, Value number) {
  if (!number)
    return 2.0;
  if (auto known = FormulaBuilder::getConstantNumber(number))
    return *known;
  return state.refuse("has an order that is not a constant, expected one for "
                      "its derivative");
}

LogicalResult vjpVectorNorm(LinalgVectorNormOp op, VjpState &state) {
  FailureOr<double> order = readOrder(state, op.getOrd());
  if (failed(order))
    return failure();
  if (state.isWanted(op, 0))
    state.set(op, 0, vectorNormGrad(state, state.grad(0), op.getSelf(),
                                    op.getResult(), *order, op.getDim(),
                                    op.getKeepdim()));
  return success();
}

LogicalResult vjpNorm(NormScalarOp op, VjpState &state) {
  FailureOr<double> order = readOrder(state, op.getP());
  if (failed(order))
    return failure();
  if (state.isWanted(op, 0))
    state.set(op, 0, vectorNormGrad(state, state.grad(0), op.getSelf(),
                                    op.getResult(), *order, std::nullopt,
                                    false));
  return success();
}

LogicalResult vjpNormDim(NormScalarOptDimOp op, VjpState &state) {
  FailureOr<double> order = readOrder(state, op.getP());
  if (failed(order))
    return failure();
  if (state.isWanted(op, 0))
    state.set(op, 0, vectorNormGrad(state, state.grad(0), op.getSelf(),
                                    op.getResult(), *order, op.getDim(),
                                    op.getKeepdim()));
  return success();
}

/// Each side is divided by its norm, and the norm has a gradient even where it
/// was raised to `eps`, which happens behind autograd's back. Every step is
/// rounded to the common type.
LogicalResult vjpCosineSimilarity(CosineSimilarityOp op, VjpState &state) {
  FormulaBuilder &b = state.builder;
  Type element = FormulaBuilder::elementTypeOf(op.getResult());
  Value product = b.mul(op.getX1(), op.getX2());
  int64_t rank = FormulaBuilder::rankOf(product);
  SmallVector<int64_t> dims;
  if (rank > 0)
    dims.push_back(FormulaBuilder::wrapDim(op.getDim(), rank));
  Sizes sizes = b.dimsOf(product);
  Value eps = b.number(Operand(op.getEps().convertToDouble()));
  Value sides[2] = {op.getX1(), op.getX2()}, norms[2], raised[2], units[2];
  for (unsigned i = 0; i < 2; ++i) {
    sides[i] = b.expand(b.cast(sides[i], element), sizes);
    norms[i] = b.linalgVectorNorm(sides[i], 2, dims, true);
    raised[i] = b.clamp(norms[i], eps, Value());
    units[i] = b.div(sides[i], raised[i]);
  }
  Value grad = state.keepDims(state.grad(0), product, dims, false);
  for (unsigned i = 0; i < 2; ++i) {
    if (!state.isWanted(op, i))
      continue;
    Value unitGrad = b.mul(grad, units[1 - i]);
    Value normGrad = b.sumOver(
        b.mul(b.neg(unitGrad), b.div(units[i], raised[i])), dims, true);
    Value through = vectorNormGrad(state, normGrad, sides[i], norms[i], 2.0,
                                   dims, /*keepdim=*/true);
    state.set(op, i, b.add(b.div(unitGrad, raised[i]), through));
  }
  return success();
}

} // namespace kiln::aten
