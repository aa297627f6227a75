//===- Reductions.cpp - Means, variances, norms ---------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

#include <cmath>

namespace kiln::aten {

using OptionalDims = std::optional<ArrayRef<int64_t>>;

/// `value` in the type of a result of `op`.
static Value castToResult(Operation *op, FormulaBuilder &c, Value value,
                    unsigned i = 0) {
  return value ? c.cast(value, mlir::getElementTypeOrSelf(op->getResult(i)))
               : value;
}

static SmallVector<int64_t> allDims(Value x, OptionalDims dims) {
  return FormulaBuilder::wrapAll(dims.value_or(ArrayRef<int64_t>()),
                                 FormulaBuilder::rankOf(x));
}

/// Elements that join in one result.
static ExprAttr countOver(FormulaBuilder &c, Value x, ArrayRef<int64_t> dims) {
  ExprAttr count = c.expr(1);
  for (int64_t dim : dims)
    count = guard::mul(count, c.dimOf(x, dim));
  return count;
}

Value decomposeMean(const MeanArgs &args, FormulaBuilder &c) {
  auto dims = allDims(args.self, args.dim);
  Type element = mlir::getElementTypeOrSelf(args.op->getResult(0));
  Value x = c.cast(args.self, FormulaBuilder::computeType(element));
  Value sum = c.sumOver(x, dims, args.keepdim.value_or(false));
  return castToResult(args.op, c,
                c.div(sum, c.number(countOver(c, args.self, dims))));
}

Value decomposeAll(AllOp op, FormulaBuilder &c) {
  Value none = c.logicalNot(c.any(c.logicalNot(op.getSelf())));
  return castToResult(op, c, none);
}

Value decomposeAllDim(AllDimOp op, FormulaBuilder &c) {
  Value none = c.logicalNot(
      c.anyDim(c.logicalNot(op.getSelf()), op.getDim(), op.getKeepdim()));
  return castToResult(op, c, none);
}

//===----------------------------------------------------------------------===//
// Variance
//===----------------------------------------------------------------------===//

/// Variance in the type it is computed in, from deviations from the mean: two
/// passes, which keep the digits that a difference of squares would lose.
static Value varianceOver(FormulaBuilder &c, Value self, ArrayRef<int64_t> dims,
                          bool keepdim, double correction) {
  Value x = c.widen(self);
  ExprAttr count = countOver(c, self, dims);
  Value mean = c.div(c.sumOver(x, dims, true), c.number(count));
  Value deviation = c.sub(x, mean);
  Value square = c.mul(deviation, c.conjugate(deviation));
  if (FormulaBuilder::isComplex(square))
    square = c.real(square);
  Value squares = c.sumOver(square, dims, keepdim);
  ExprAttr zero = guard::getFloat(c.getContext(), 0.0);
  ExprAttr divisor = guard::max(
      zero, guard::sub(guard::toFloat(count),
                       guard::getFloat(c.getContext(), correction)));
  return c.div(squares, c.number(divisor));
}

/// The correction: 1 if absent; nothing if it is not a constant.
static std::optional<double> readCorrection(Value correction) {
  if (!correction)
    return 1.0;
  return FormulaBuilder::getConstantNumber(correction);
}

Value decomposeVar(VarCorrectionOp op, FormulaBuilder &c) {
  auto correction = readCorrection(op.getCorrection());
  if (!correction)
    return {};
  Value self = op.getSelf();
  return castToResult(op, c, varianceOver(c, self, allDims(self, op.getDim()),
                                    op.getKeepdim(), *correction));
}

Value decomposeVarDim(VarDimOp op, FormulaBuilder &c) {
  Value self = op.getSelf();
  return castToResult(op, c, varianceOver(c, self, allDims(self, op.getDim()),
                                    op.getKeepdim(),
                                    op.getUnbiased() ? 1.0 : 0.0));
}

Value decomposeStd(StdCorrectionOp op, FormulaBuilder &c) {
  auto correction = readCorrection(op.getCorrection());
  if (!correction)
    return {};
  Value self = op.getSelf();
  return castToResult(op, c,
                c.sqrt(varianceOver(c, self, allDims(self, op.getDim()),
                                    op.getKeepdim(), *correction)));
}

SmallVector<Value> decomposeVarMean(VarMeanCorrectionOp op, FormulaBuilder &c) {
  Value self = op.getSelf();
  IntsArg dims = op.getDim();
  Value variance =
      c.varCorrection(self, dims, op.getCorrection(), op.getKeepdim());
  Value mean = c.meanDim(self, dims, op.getKeepdim());
  if (!variance || !mean)
    return {};
  return {castToResult(op, c, variance, 0), castToResult(op, c, mean, 1)};
}

SmallVector<Value> decomposeVarMeanDim(VarMeanDimOp op, FormulaBuilder &c) {
  Value self = op.getSelf();
  IntsArg dims = op.getDim();
  OpResults both = c.varMeanCorrection(self, dims, int64_t(op.getUnbiased()),
                                       op.getKeepdim());
  return both.all();
}

SmallVector<Value> decomposeStdMean(StdMeanCorrectionOp op, FormulaBuilder &c) {
  Value self = op.getSelf();
  IntsArg dims = op.getDim();
  Value deviation =
      c.stdCorrection(self, dims, op.getCorrection(), op.getKeepdim());
  Value mean = c.meanDim(self, dims, op.getKeepdim());
  if (!deviation || !mean)
    return {};
  return {castToResult(op, c, deviation, 0), castToResult(op, c, mean, 1)};
}

/// Over no dimensions, which is not over all.
Value decomposeAnyDims(AnyDimsOp op, FormulaBuilder &c) {
  if (!op.getDim() || !op.getDim()->empty())
    return {};
  return castToResult(op, c, c.ne(op.getSelf(), 0));
}

Value decomposeVectorNorm(LinalgVectorNormOp op, FormulaBuilder &c) {
  double order = 2.0;
  if (op.getOrd()) {
    auto known = FormulaBuilder::getConstantNumber(op.getOrd());
    if (!known)
      return {};
    order = *known;
  }
  Value self = op.getSelf();
  Type element = mlir::getElementTypeOrSelf(op.getResult());
  if (!llvm::isa<mlir::FloatType>(FormulaBuilder::elementTypeOf(self)))
    return {};
  Value x = c.cast(self, FormulaBuilder::computeType(element));
  auto dims = allDims(self, op.getDim());
  bool keepdim = op.getKeepdim();
  Value result;
  if (std::isinf(order)) {
    Value magnitude = c.abs(x);
    result = order > 0 ? c.amaxOver(magnitude, dims, keepdim)
                       : c.aminOver(magnitude, dims, keepdim);
  } else if (order == 0.0) {
    result = c.sumOver(c.cast(c.ne(x, 0), FormulaBuilder::elementTypeOf(x)),
                       dims, keepdim);
  } else if (order == 1.0) {
    result = c.sumOver(c.abs(x), dims, keepdim);
  } else if (order == 2.0) {
    result = c.sqrt(c.sumOver(c.square(x), dims, keepdim));
  } else {
    Value sum = c.sumOver(c.pow(c.abs(x), order), dims, keepdim);
    result = c.pow(sum, 1.0 / order);
  }
  return castToResult(op, c, result);
}

} // namespace kiln::aten
