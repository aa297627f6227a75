//===- ShortSums.cpp - A few terms of a reduction at a time ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Emission/ShortSums.h"

#include "kiln/Interfaces/SumMark.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

static bool isWidened(Value value) {
  return !!value.getDefiningOp<arith::ExtFOp>();
}

/// A number of f32 or narrower that was widened, a product of two such, or such a choice
/// between one and nothing.
static bool isShortTerm(Value term) {
  if (isWidened(term))
    return true;
  if (auto product = term.getDefiningOp<arith::MulFOp>())
    return isWidened(product.getLhs()) && isWidened(product.getRhs());
  auto choice = term.getDefiningOp<arith::SelectOp>();
  return choice && isShortTerm(choice.getTrueValue()) &&
         matchPattern(choice.getFalseValue(), m_AnyZeroFloat());
}

bool loop::hasShortSums(AccumulationOpInterface op) {
  if (!op->hasAttr(kShortSumsAttrName))
    return false;
  Operation *yield = op.getBody().front().getTerminator();
  for (auto [i, term] : llvm::enumerate(yield->getOperands()))
    if (op.getKind(i).kind != ReductionKind::Sum || !term.getType().isF64() ||
        !isShortTerm(term))
      return false;
  return true;
}

static Type likeOf(Value value, Type element) {
  auto vector = dyn_cast<VectorType>(value.getType());
  return vector ? Type(vector.clone(element)) : element;
}

ShortSums::ShortSums(KernelEmitter &kernel, AccumulationOpInterface op,
                     ArrayRef<Value> accumulators)
    : kernel(&kernel), op(op), sums(accumulators) {
  if (hasShortSums(op))
    shorts.resize(sums.size());
}

/// What was widened to `wide`, in f32.
Value ShortSums::getNarrow(BodyEmitter &body, Value wide) {
  Value value = body.getWide(wide.getDefiningOp<arith::ExtFOp>().getIn());
  if (getElementTypeOrSelf(value.getType()).isF32())
    return value;
  return arith::ExtFOp::create(kernel->b, likeOf(value, kernel->b.getF32Type()),
                               value);
}

/// `sum`, which may be null, and a term.
Value ShortSums::addTerm(BodyEmitter &body, Value term, Value sum) {
  ImplicitLocOpBuilder &b = kernel->b;
  if (auto choice = term.getDefiningOp<arith::SelectOp>()) {
    Value joined = addTerm(body, choice.getTrueValue(), sum);
    if (!sum)
      sum = arith::ConstantOp::create(
          b, cast<TypedAttr>(b.getZeroAttr(joined.getType())));
    Value condition = body.get(choice.getCondition());
    return arith::SelectOp::create(b, condition, joined, sum);
  }
  if (auto product = term.getDefiningOp<arith::MulFOp>()) {
    Value left = getNarrow(body, product.getLhs());
    Value right = getNarrow(body, product.getRhs());
    return sum ? math::FmaOp::create(b, left, right, sum).getResult()
               : arith::MulFOp::create(b, left, right).getResult();
  }
  Value number = getNarrow(body, term);
  return sum ? arith::AddFOp::create(b, sum, number).getResult() : number;
}

LogicalResult ShortSums::add(BodyEmitter &body, Value inside) {
  Block &block = op.getBody().front();
  if (failed(body.emit(block)))
    return failure();
  Operation *yield = block.getTerminator();
  auto choose = [&](Value joined, Value before) -> Value {
    if (!inside)
      return joined;
    return arith::SelectOp::create(kernel->b, inside, joined, before);
  };
  if (!shorts.empty()) {
    assert(count < kMostShortTerms && "more terms than a short sum has");
    ++count;
    for (auto [sum, term] : llvm::zip_equal(shorts, yield->getOperands())) {
      Value joined = addTerm(body, term, sum);
      if (inside && !sum)
        sum = arith::ConstantOp::create(
            kernel->b,
            cast<TypedAttr>(kernel->b.getZeroAttr(joined.getType())));
      sum = choose(joined, sum);
    }
    return success();
  }
  SmallVector<Value> values;
  for (Value value : yield->getOperands())
    values.push_back(body.getWide(value));
  auto joined = kernel->combine(op, sums, values);
  if (failed(joined))
    return failure();
  for (auto [sum, value] : llvm::zip_equal(sums, *joined))
    sum = choose(value, sum);
  return success();
}

FailureOr<SmallVector<Value>> ShortSums::finish() {
  if (count == 0)
    return sums;
  SmallVector<Value> wide;
  for (auto [sum, own] : llvm::zip_equal(sums, shorts))
    wide.push_back(arith::ExtFOp::create(kernel->b, sum.getType(), own));
  return kernel->combine(op, sums, wide);
}
