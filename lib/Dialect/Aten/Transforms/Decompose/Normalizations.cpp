//===- Normalizations.cpp - Softmax, layer norm, dropout ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All are computed in f32 for bf16 and f16, and rounded once at the end.
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

namespace kiln::aten {

/// The dimension of a softmax; none for a tensor without dimensions.
static SmallVector<int64_t> softmaxDims(Value x, int64_t dim) {
  if (FormulaBuilder::rankOf(x) == 0)
    return {};
  return {FormulaBuilder::wrapDim(dim, FormulaBuilder::rankOf(x))};
}

static Type resultType(Operation *op, unsigned i = 0) {
  return mlir::getElementTypeOrSelf(op->getResult(i).getType());
}

Value decomposeSoftmax(SoftmaxOp op, FormulaBuilder &c) {
  Value x = c.widen(op.getSelf());
  if (isEmpty(c, x))
    return c.cast(x, resultType(op));
  auto dims = softmaxDims(x, op.getDim());
  Value e = c.exp(c.sub(x, c.amaxOver(x, dims, true)));
  // One division a row. The sum is at least 1: its reciprocal is no denormal, and
  // the product within an ulp of the quotient.
  Value scale = c.reciprocal(c.sumOver(e, dims, true));
  return c.cast(c.mul(e, scale), resultType(op));
}

Value decomposeLogSoftmax(LogSoftmaxOp op, FormulaBuilder &c) {
  Value x = c.widen(op.getSelf());
  if (isEmpty(c, x))
    return c.cast(x, resultType(op));
  auto dims = softmaxDims(x, op.getDim());
  Value shifted = c.sub(x, c.amaxOver(x, dims, true));
  Value result = c.sub(shifted, c.log(c.sumOver(c.exp(shifted), dims, true)));
  return c.cast(result, resultType(op));
}

Value decomposeSoftmaxInt(SoftmaxIntOp op, FormulaBuilder &c) {
  Value x = c.cast(op.getSelf(), resultType(op));
  return c.softmax(x, op.getDim(), false);
}

Value decomposeLogSoftmaxInt(LogSoftmaxIntOp op, FormulaBuilder &c) {
  Value x = c.cast(op.getSelf(), resultType(op));
  return c.logSoftmax(x, op.getDim(), false);
}

Value decomposeSoftmaxBackward(SoftmaxBackwardDataOp op, FormulaBuilder &c) {
  Value output = c.widen(op.getOutput());
  Value product = c.mul(c.widen(op.getGradOutput()), output);
  Value sum = c.sumOver(product, softmaxDims(output, op.getDim()), true);
  return c.cast(c.sub(product, c.mul(output, sum)), resultType(op));
}

Value decomposeLogSoftmaxBackward(LogSoftmaxBackwardDataOp op,
                                  FormulaBuilder &c) {
  Value grad = c.widen(op.getGradOutput());
  Value output = c.widen(op.getOutput());
  Value sum = c.sumOver(grad, softmaxDims(output, op.getDim()), true);
  return c.cast(c.sub(grad, c.mul(c.exp(output), sum)), resultType(op));
}

//===----------------------------------------------------------------------===//
// Layer norm
//===----------------------------------------------------------------------===//

/// The last dimensions, as many as are normalized.
static SmallVector<int64_t> innerDims(Value x, size_t count) {
  int64_t rank = FormulaBuilder::rankOf(x);
  return llvm::to_vector(
      llvm::seq<int64_t>(rank - static_cast<int64_t>(count), rank));
}

SmallVector<Value> decomposeNativeLayerNorm(NativeLayerNormOp op,
                                            FormulaBuilder &c) {
  Value x = c.widen(op.getInput());
  auto dims = innerDims(x, op.getNormalizedShape().size());
  ExprAttr count = guard::getNumElements(c.getContext(),
                                         op.getNormalizedShape().getDims());
  Value n = c.number(count);
  Value mean = c.div(c.sumOver(x, dims, true), n);
  Value centered = c.sub(x, mean);
  Value variance = c.div(c.sumOver(c.square(centered), dims, true), n);
  Value rstd = c.rsqrt(c.add(variance, op.getEps().convertToDouble()));
  Value result = c.mul(centered, rstd);
  if (op.getWeight())
    result = c.mul(result, c.widen(op.getWeight()));
  if (op.getBias())
    result = c.add(result, c.widen(op.getBias()));
  if (!result)
    return {};
  return {c.cast(result, resultType(op, 0)), c.cast(mean, resultType(op, 1)),
          c.cast(rstd, resultType(op, 2))};
}

SmallVector<Value>
decomposeNativeLayerNormBackward(NativeLayerNormBackwardOp op,
                                 FormulaBuilder &c) {
  Value grad = c.widen(op.getGradOut()), x = c.widen(op.getInput());
  Value mean = c.widen(op.getMean()), rstd = c.widen(op.getRstd());
  size_t numInner = op.getNormalizedShape().size();
  auto inner = innerDims(x, numInner);
  int64_t numOuter = FormulaBuilder::rankOf(x) - static_cast<int64_t>(numInner);
  auto outer = llvm::to_vector(llvm::seq<int64_t>(0, numOuter));
  Value n = c.number(guard::getNumElements(c.getContext(),
                                           op.getNormalizedShape().getDims()));
  Value normalized = c.mul(c.sub(x, mean), rstd);
  ArrayRef<bool> mask = op.getOutputMask();
  SmallVector<Value> results;
  auto finish = [&](unsigned i, Value value) {
    // What is masked out is read by nobody; PyTorch gives an undefined tensor.
    if (!mask[i])
      value = c.full(c.dimsOf(op->getResult(i)), 0.0, resultType(op, i));
    results.push_back(value ? c.cast(value, resultType(op, i)) : value);
  };

  Value scaled = grad;
  if (op.getWeight())
    scaled = c.mul(grad, c.widen(op.getWeight()));
  Value sum = c.sumOver(scaled, inner, true);
  Value projection = c.sumOver(c.mul(scaled, normalized), inner, true);
  Value rest = c.sub(c.sub(c.mul(scaled, n), sum),
                     c.mul(normalized, projection));
  finish(0, mask[0] ? c.mul(c.div(rstd, n), rest) : Value());
  finish(1, mask[1] ? c.sumOver(c.mul(grad, normalized), outer) : Value());
  finish(2, mask[2] ? c.sumOver(grad, outer) : Value());
  if (llvm::any_of(results, [](Value v) { return !v; }))
    return {};
  return results;
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

Value decomposeDropout(DropoutOp op, FormulaBuilder &c) {
  double p = op.getP().convertToDouble();
  if (!op.getTrain() || p == 0.0)
    return op.getInput();
  return c.nativeDropout(op.getInput(), p, true).front();
}

/// Only when nothing is drawn: the numbers of a real dropout are the runtime's.
SmallVector<Value> decomposeNativeDropout(NativeDropoutOp op,
                                          FormulaBuilder &c) {
  double p = op.getP().convertToDouble();
  if (op.getTrain().value_or(true) && p != 0.0)
    return {};
  Value mask = c.full(c.dimsOf(op.getInput()), true,
                      c.getBuilder().getI1Type());
  return {op.getInput(), mask};
}

} // namespace kiln::aten
