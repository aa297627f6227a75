//===- FormulasOfNumbers.cpp - Norms, moments and losses ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Formulas.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <cmath>
#include <limits>

namespace kiln::aten::formula {

static bool isFloat(Value x) {
  return llvm::isa<mlir::FloatType>(FormulaBuilder::elementTypeOf(x));
}

//===----------------------------------------------------------------------===//
// Pointwise
//===----------------------------------------------------------------------===//

Value logSigmoid(FormulaBuilder &c, Value x) {
  return c.neg(c.add(c.relu(c.neg(x)), c.log1p(c.exp(c.neg(c.abs(x))))));
}

Value logSigmoidSlope(FormulaBuilder &c, Value x, Value buffer) {
  // The buffer is exp(-|x|), where there is one.
  if (c.dimsOf(buffer) != c.dimsOf(x))
    return c.sigmoid(c.neg(x));
  Value share = c.div(buffer, c.add(buffer, 1));
  return c.where(c.lt(x, 0), c.sub(1, share), share);
}

Value replaceSpecials(FormulaBuilder &c, Value x, OptionalNumber nan,
                      OptionalNumber posinf, OptionalNumber neginf) {
  auto element =
      llvm::dyn_cast<mlir::FloatType>(FormulaBuilder::elementTypeOf(x));
  if (!element)
    return c.clone(x);
  double limit =
      llvm::APFloat::getLargest(element.getFloatSemantics()).convertToDouble();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Value result = c.where(c.eq(x, infinity), posinf.value_or(limit), x);
  result = c.where(c.eq(x, -infinity), neginf.value_or(-limit), result);
  return c.where(c.isnan(x), nan.value_or(0.0), result);
}

Value crossProduct(FormulaBuilder &c, Value a, Value b, OptionalDim dim,
                   Value result) {
  Sizes sizes = c.dimsOf(result), own = c.dimsOf(a);
  int64_t rank = sizes.size(), at = 0;
  if (dim)
    at = FormulaBuilder::wrapDim(*dim, rank);
  else
    while (at < rank && !own[at].isConstant(3))
      ++at;
  if (at >= rank || !sizes[at].isConstant(3))
    return {};
  a = c.expand(a, sizes);
  b = c.expand(b, sizes);
  auto next = [&](Value x, int64_t steps) {
    return c.roll(x, {c.expr(-steps)}, {at});
  };
  return c.sub(c.mul(next(a, 1), next(b, 2)), c.mul(next(a, 2), next(b, 1)));
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Value correction(FormulaBuilder &c, bool unbiased) {
  return c.number(Operand(int64_t(unbiased)));
}

Value vectorNorm(FormulaBuilder &c, Value x, Value order, Dims dims,
                 bool keepdim) {
  return c.linalgVectorNorm(x, order, dims, keepdim);
}

Value logSumExp(FormulaBuilder &c, Value x, Dims dims, bool keepdim) {
  if (!isFloat(x))
    x = c.cast(x, c.getBuilder().getF32Type());
  Type element = FormulaBuilder::elementTypeOf(x);
  x = c.widen(x);
  auto all = FormulaBuilder::wrapAll(dims, FormulaBuilder::rankOf(x));
  Value result;
  if (c.numelOf(x).isConstant(0)) {
    // No elements have no extremum, but a sum.
    result = c.log(c.sumOver(c.exp(x), all, keepdim));
  } else {
    // A maximum that is infinite is no shift.
    Value top = c.amaxOver(x, all, true);
    Value shift = c.where(
        c.eq(c.abs(top), std::numeric_limits<double>::infinity()), 0.0, top);
    Value sum = c.sumOver(c.exp(c.sub(x, shift)), all, true);
    result = c.add(c.log(sum), shift);
    if (!keepdim)
      result = c.squeezeDims(result, ArrayRef<int64_t>(all));
  }
  return c.cast(result, element);
}

Value extremum(FormulaBuilder &c, bool isGreatest, Value x, OptionalDim dim,
               bool keepdim) {
  SmallVector<int64_t> dims;
  if (dim)
    dims.push_back(*dim);
  // Of no dimensions: over all of them.
  return isGreatest ? c.amax(x, dims, keepdim) : c.amin(x, dims, keepdim);
}

Value countNonzero(FormulaBuilder &c, Value x, OptionalDim dim) {
  SmallVector<int64_t> dims;
  if (dim)
    dims.push_back(*dim);
  Type i64 = c.getBuilder().getI64Type();
  return c.sumOver(c.cast(c.ne(x, 0), i64),
                   FormulaBuilder::wrapAll(dims, FormulaBuilder::rankOf(x)));
}

Value withoutNan(FormulaBuilder &c, Value x) {
  return isFloat(x) ? c.where(c.isnan(x), 0.0, x) : x;
}

/// Both sides are divided by their norms, then multiplied: PyTorch's steps, which
/// 16-bit types round one by one.
Value cosineSimilarity(FormulaBuilder &c, Value a, Value b, int64_t dim,
                       double eps) {
  Value product = c.mul(a, b);
  if (!product)
    return {};
  // Of numbers, too: their cosine is 1 or -1.
  SmallVector<int64_t> dims;
  if (FormulaBuilder::rankOf(product) > 0)
    dims.push_back(dim);
  auto unit = [&](Value x) {
    x = c.expand(c.cast(x, FormulaBuilder::elementTypeOf(product)),
                 c.dimsOf(product));
    Value norm = c.linalgVectorNorm(x, 2, dims, true);
    return c.div(x, c.clamp(norm, c.number(eps), Value()));
  };
  return c.sumOver(c.mul(unit(a), unit(b)), dims);
}

Value pairwiseDistance(FormulaBuilder &c, Value a, Value b, double order,
                       double eps, bool keepdim) {
  // Integers are subtracted as such, and may wrap.
  Value difference = c.add(c.sub(c.widen(a), c.widen(b)), eps);
  if (!difference || FormulaBuilder::rankOf(difference) == 0)
    return {};
  return vectorNorm(c, difference, c.number(order), {-1}, keepdim);
}

Value limitNorms(FormulaBuilder &c, Value x, Value order, int64_t dim,
                 Value limit) {
  int64_t rank = FormulaBuilder::rankOf(x);
  SmallVector<int64_t> others;
  for (int64_t i = 0; i < rank; ++i)
    if (i != FormulaBuilder::wrapDim(dim, rank))
      others.push_back(i);
  if (others.empty())
    return {};
  Value norm = vectorNorm(c, x, order, others, true);
  // As PyTorch: a little less than the limit, so that it is not exceeded.
  Value scale = c.div(limit, c.add(norm, 1e-7));
  return c.mul(x, c.where(c.gt(norm, limit), scale, 1.0));
}

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

Value reduced(FormulaBuilder &c, Value losses, int64_t reduction) {
  if (!losses || reduction == 0)
    return losses;
  return reduction == 1 ? c.meanAll(losses) : c.sumAll(losses);
}

Value shared(FormulaBuilder &c, double factor, Value x, int64_t reduction) {
  if (reduction != 1)
    return c.number(factor);
  ExprAttr count = c.numelOf(x);
  if (auto known = count.getConstant())
    return c.number(Operand(factor / static_cast<double>(*known)));
  return c.number(guard::build(guard::ExprKind::TrueDiv,
                               {guard::getFloat(c.getContext(), factor),
                                guard::toFloat(count)}));
}

Value timesGiven(FormulaBuilder &c, Value x, Value factor) {
  return factor ? c.mul(x, factor) : x;
}

Value smoothL1(FormulaBuilder &c, Value difference, double beta) {
  Value d = c.abs(difference);
  if (!d || beta < 0)
    return {};
  if (beta == 0)
    return d;
  return c.where(c.lt(d, beta), c.div(c.square(d), 2 * beta),
                 c.sub(d, beta / 2));
}

Value smoothL1Slope(FormulaBuilder &c, Value difference, double beta) {
  if (!difference || beta < 0)
    return {};
  Value sign = c.sign(difference);
  if (beta == 0)
    return sign;
  return c.where(c.ge(c.abs(difference), beta), sign,
                 c.div(difference, beta));
}

Value huber(FormulaBuilder &c, Value difference, double delta) {
  Value d = c.abs(difference);
  if (!d || delta <= 0)
    return {};
  return c.where(c.le(d, delta), c.mul(c.square(d), 0.5),
                 c.mul(c.sub(d, delta / 2), delta));
}

Value huberSlope(FormulaBuilder &c, Value difference, double delta) {
  if (!difference)
    return {};
  // NaN stays.
  Value slope = c.where(c.ge(difference, delta), delta, difference);
  return c.where(c.le(difference, -delta), -delta, slope);
}

Value divergence(FormulaBuilder &c, Value x, Value target, bool isLog) {
  if (isLog)
    return c.mul(c.exp(target), c.sub(target, x));
  return c.sub(c.xlogyTensor(target, target), c.mul(target, x));
}

Value bce(FormulaBuilder &c, Value x, Value target) {
  // PyTorch limits logarithms so that the loss stays finite.
  auto limited = [&](Value log) {
    return c.clamp(log, c.number(-100.0), Value());
  };
  return c.sub(c.mul(c.sub(target, 1), limited(c.log1p(c.neg(x)))),
               c.mul(target, limited(c.log(x))));
}

Value bceSlope(FormulaBuilder &c, Value x, Value target) {
  Value slope = c.clamp(c.mul(c.sub(1, x), x), c.number(1e-12), Value());
  return c.div(c.sub(x, target), slope);
}

Value bceWithLogits(FormulaBuilder &c, Value x, Value target, Value positive) {
  Value log = logSigmoid(c, x);
  if (positive)
    log = c.mul(c.add(c.mul(c.sub(positive, 1), target), 1), log);
  return c.sub(c.mul(c.sub(1, target), x), log);
}

} // namespace kiln::aten::formula
