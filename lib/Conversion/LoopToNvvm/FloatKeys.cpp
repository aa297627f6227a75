//===- FloatKeys.cpp - Keys that order floats -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FloatKeys.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

static bool isNumber(Value value, const APInt &number) {
  APInt found;
  return matchPattern(value, m_ConstantInt(&found)) &&
         APInt::isSameValue(found, number) &&
         found.getBitWidth() == number.getBitWidth();
}

namespace {
/// Takes the operations of a key apart, from the last one on.
class KeyMatcher {
public:
  /// The left operand of an `Op` whose right one is a number; null: it is none.
  template <typename Op> Value takeNumber(Value value, const APInt &number) {
    auto op = value.getDefiningOp<Op>();
    if (!op || !isNumber(op.getRhs(), number))
      return {};
    operations.push_back(op);
    return op.getLhs();
  }
  /// What is selected where `value` does not compare so with `other`, or with
  /// itself without one; `number` otherwise.
  Value takeUnless(Value value, arith::CmpFPredicate how, Value &compared,
                   bool withZero, const APInt &number) {
    auto choice = value.getDefiningOp<arith::SelectOp>();
    auto flag = choice ? choice.getCondition().getDefiningOp<arith::CmpFOp>()
                       : arith::CmpFOp();
    if (!flag || flag.getPredicate() != how ||
        !isNumber(choice.getTrueValue(), number) ||
        (compared && flag.getLhs() != compared) ||
        (withZero ? !matchPattern(flag.getRhs(), m_AnyZeroFloat())
                  : flag.getRhs() != flag.getLhs()))
      return {};
    compared = flag.getLhs();
    operations.append({choice, flag});
    return choice.getFalseValue();
  }
  /// The bits of `value`, of which the lower ones are inverted below zero.
  bool isOrdered(Value key, Value value) {
    unsigned width = key.getType().getIntOrFloatBitWidth();
    auto flipped = key.getDefiningOp<arith::XOrIOp>();
    auto bits =
        flipped ? flipped.getLhs().getDefiningOp<arith::BitcastOp>() : nullptr;
    if (!bits || bits.getIn() != value)
      return false;
    operations.push_back(flipped);
    Value sign = takeNumber<arith::AndIOp>(flipped.getRhs(),
                                           APInt::getSignedMaxValue(width));
    sign = sign ? takeNumber<arith::ShRSIOp>(sign, APInt(width, width - 1))
                : Value();
    operations.push_back(bits);
    return sign == bits.getResult();
  }

  SmallVector<Operation *> operations; ///< users first
};
} // namespace

std::optional<FloatKey> FloatKey::match(Value key) {
  KeyMatcher matcher;
  unsigned width = key.getType().getIntOrFloatBitWidth();
  Value ascending =
      matcher.takeNumber<arith::XOrIOp>(key, APInt::getAllOnes(width));
  bool descending = bool(ascending);
  if (descending)
    key = ascending;
  if (auto upper = key.getDefiningOp<arith::TruncIOp>()) {
    matcher.operations.push_back(upper);
    key = matcher.takeNumber<arith::ShRUIOp>(upper.getIn(), APInt(32, 16));
    if (!key || !upper.getType().isInteger(16))
      return std::nullopt;
    width = 32;
  }
  Value value;
  key = matcher.takeUnless(key, arith::CmpFPredicate::UNO, value,
                           /*withZero=*/false, APInt::getSignedMaxValue(width));
  if (key)
    key = matcher.takeUnless(key, arith::CmpFPredicate::OEQ, value,
                             /*withZero=*/true, APInt(width, 0));
  if (!key || !value.getType().isF32() || !matcher.isOrdered(key, value))
    return std::nullopt;
  if (auto wide = value.getDefiningOp<arith::ExtFOp>()) {
    matcher.operations.push_back(wide);
    value = wide.getIn();
  }
  if (!value.getType().isF32() && !value.getType().isF16() &&
      !value.getType().isBF16())
    return std::nullopt;
  return FloatKey{value, descending,
                  llvm::to_vector(llvm::reverse(matcher.operations))};
}

Value FloatKey::getNone(ImplicitLocOpBuilder &b, Type type) const {
  auto element = cast<FloatType>(getElementTypeOrSelf(type));
  const llvm::fltSemantics &semantics = element.getFloatSemantics();
  TypedAttr none = b.getFloatAttr(
      element, descending ? APFloat::getInf(semantics, /*Negative=*/true)
                          : APFloat::getNaN(semantics));
  if (auto vector = dyn_cast<VectorType>(type))
    none = DenseElementsAttr::get(vector, ArrayRef<Attribute>(none));
  return arith::ConstantOp::create(b, none);
}

Value FloatKey::join(ImplicitLocOpBuilder &b, Value x, Value y) const {
  // The minimum of a GPU leaves out any NaN, a signaling one too.
  return descending ? arith::MaximumFOp::create(b, x, y).getResult()
                    : arith::MinNumFOp::create(b, x, y).getResult();
}

Value FloatKey::getKey(ImplicitLocOpBuilder &b, Value x) const {
  IRMapping mapping;
  mapping.map(value, x);
  for (Operation *op : operations) {
    // Constants of the body are no part of what is emitted.
    for (Value operand : op->getOperands())
      if (!mapping.contains(operand))
        mapping.map(operand, b.clone(*operand.getDefiningOp())->getResult(0));
    b.clone(*op, mapping);
  }
  return mapping.lookup(operations.back()->getResult(0));
}
