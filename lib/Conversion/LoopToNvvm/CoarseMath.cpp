//===- CoarseMath.cpp - Functions whose last digits nobody sees -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CoarseMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

/// True if all that `value` is used for are products and quotients that are rounded to 16
/// bits: what it is off by, as a part of it, is what they are off by.
static bool isRounded(Value value) {
  return !value.use_empty() &&
         llvm::all_of(value.getUsers(), [](Operation *user) {
           if (isa<arith::TruncFOp>(user))
             return user->getResult(0).getType().getIntOrFloatBitWidth() <= 16;
           return isa<arith::MulFOp, arith::DivFOp, arith::NegFOp>(user) &&
                  isRounded(user->getResult(0));
         });
}

static bool isOne(Value value) {
  APFloat number(0.0f);
  return matchPattern(value, m_ConstantFloat(&number)) &&
         number.isExactlyValue(1.0);
}

/// True if `value`, or -`value` where that may be, is added to 1 and nothing else, and the
/// sum is rounded.
static bool isBesideOne(Value value, bool mayNegate) {
  return !value.use_empty() &&
         llvm::all_of(value.getUsers(), [&](Operation *user) {
           bool isSum = isa<arith::AddFOp>(user) &&
                        (isOne(user->getOperand(0)) || isOne(user->getOperand(1)));
           bool isDifference = mayNegate && isa<arith::SubFOp>(user) &&
                               isOne(user->getOperand(0));
           return (isSum || isDifference) && isRounded(user->getResult(0));
         });
}

void loop::allowCoarseMath(KernelOp kernel) {
  kernel.walk([](Operation *op) {
    bool isErf = isa<math::ErfOp>(op);
    if ((!isErf && !isa<math::ExpOp>(op)) ||
        !op->getResult(0).getType().isF32() ||
        !isBesideOne(op->getResult(0), /*mayNegate=*/isErf))
      return;
    auto flags = cast<arith::ArithFastMathInterface>(op);
    op->setAttr(flags.getFastMathAttrName(),
                arith::FastMathFlagsAttr::get(
                    op->getContext(),
                    flags.getFastMathFlagsAttr().getValue() |
                        arith::FastMathFlags::afn));
  });
}
