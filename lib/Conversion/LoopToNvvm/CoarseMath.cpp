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

/// True if all that `value` is used for are products and quotients, and where `maySum` sums and
/// differences, that are rounded to 16 bits: what it is off by, as a part of it, is what they
/// are off by.
static bool isRounded(Value value, bool maySum = false) {
  return !value.use_empty() &&
         llvm::all_of(value.getUsers(), [&](Operation *user) {
           if (isa<arith::TruncFOp>(user))
             return user->getResult(0).getType().getIntOrFloatBitWidth() <= 16;
           bool isOfParts = isa<arith::MulFOp, arith::DivFOp, arith::NegFOp>(user);
           bool isSum = maySum && isa<arith::AddFOp, arith::SubFOp>(user);
           return (isOfParts || isSum) && isRounded(user->getResult(0), maySum);
         });
}

static bool isOne(Value value) {
  APFloat number(0.0f);
  return matchPattern(value, m_ConstantFloat(&number)) &&
         number.isExactlyValue(1.0);
}

/// True if a sum of 1 and an exponential is rounded, or 1 is divided by it alone: a sigmoid s is
/// off by x s (1 - s) 2^-23, less than a quarter of a unit of 1, so what is made of it, and of
/// 1 - s, is as exact as f32 until that is rounded. So are gradients of silu and gelu.
static bool isOfSigmoid(Value sum) {
  return llvm::all_of(sum.getUsers(), [](Operation *user) {
    auto quotient = dyn_cast<arith::DivFOp>(user);
    return quotient && isOne(quotient.getLhs()) &&
           isRounded(quotient.getResult(), /*maySum=*/true);
  });
}

/// True if `value`, or -`value` where that may be, is added to 1 and nothing else, and the
/// sum is rounded.
static bool isBesideOne(Value value, bool isErf) {
  return !value.use_empty() &&
         llvm::all_of(value.getUsers(), [&](Operation *user) {
           bool isSum = isa<arith::AddFOp>(user) &&
                        (isOne(user->getOperand(0)) || isOne(user->getOperand(1)));
           bool isDifference = isErf && isa<arith::SubFOp>(user) &&
                               isOne(user->getOperand(0));
           if (!isSum && !isDifference)
             return false;
           Value sum = user->getResult(0);
           return isRounded(sum) || (!isErf && isOfSigmoid(sum));
         });
}

/// The value that a load of 16 bits or fewer was widened to, by the tensor that it is of.
static Value getNarrowSource(Value value) {
  auto wide = value.getDefiningOp<arith::ExtFOp>();
  auto load = wide ? wide.getIn().getDefiningOp<LoadOp>() : LoadOp();
  return load && wide.getIn().getType().getIntOrFloatBitWidth() <= 16
             ? load.getTensor()
             : Value();
}

/// True if `value` is a number of 16 bits less the largest of its row: exponentials are at
/// most 1, and one of a row is.
static bool isBehindMaximum(Value value) {
  auto difference = value.getDefiningOp<arith::SubFOp>();
  auto load = difference ? difference.getRhs().getDefiningOp<LoadOp>() : LoadOp();
  auto maximum = load ? load.getTensor().getDefiningOp<ReduceOp>() : ReduceOp();
  if (!maximum || maximum->getNumResults() != 1 ||
      maximum.getKind(0).kind != ReductionKind::Max)
    return false;
  Value source = getNarrowSource(difference.getLhs());
  return source &&
         source == getNarrowSource(
                       maximum.getBody().front().getTerminator()->getOperand(0));
}

/// True if `user` subtracts a product from a number that is 0 but where a condition holds: a
/// softmax less what it should be.
static bool isBesideChosen(Operation *user) {
  auto difference = dyn_cast<arith::SubFOp>(user);
  auto chosen = difference
                    ? difference.getLhs().getDefiningOp<arith::SelectOp>()
                    : arith::SelectOp();
  return chosen && matchPattern(chosen.getFalseValue(), m_AnyZeroFloat());
}

/// True if all that an exponential is used for are products and quotients that are rounded
/// to 16 bits, and sums of a row where `isAtMostOne`; also in nests that read it.
static bool isOfRows(Value value, bool isAtMostOne) {
  return !value.use_empty() && llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (isa<arith::TruncFOp>(user))
      return user->getResult(0).getType().getIntOrFloatBitWidth() <= 16;
    if (isa<arith::MulFOp, arith::DivFOp, arith::NegFOp>(user) ||
        isBesideChosen(user))
      return isOfRows(user->getResult(0), /*isAtMostOne=*/false);
    if (!isa<YieldOp>(user))
      return false;
    Operation *nest = user->getParentOp();
    if (auto sum = dyn_cast<ReduceOp>(nest))
      return isAtMostOne && sum->getNumResults() == 1 &&
             sum.getKind(0).kind == ReductionKind::Sum;
    auto made = dyn_cast<PointwiseOp>(nest);
    return made && llvm::all_of(made.getResult().getUsers(), [&](Operation *reader) {
      auto load = dyn_cast<LoadOp>(reader);
      return load && isOfRows(load.getResult(), isAtMostOne);
    });
  });
}

static bool mayBeCoarse(Operation *op) {
  Value made = op->getResult(0);
  if (isa<math::ErfOp>(op))
    return isBesideOne(made, /*isErf=*/true);
  // An exponential itself keeps what is below 2^-126.
  bool isResult = llvm::any_of(made.getUsers(), llvm::IsaPred<arith::TruncFOp>);
  return isa<math::ExpOp>(op) && !isResult &&
         (isBesideOne(made, /*isErf=*/false) ||
          isOfRows(made, isBehindMaximum(op->getOperand(0))));
}

void loop::allowCoarseMath(KernelOp kernel) {
  kernel.walk([](Operation *op) {
    if (!isa<math::ErfOp, math::ExpOp>(op) ||
        !op->getResult(0).getType().isF32() || !mayBeCoarse(op))
      return;
    auto flags = cast<arith::ArithFastMathInterface>(op);
    op->setAttr(flags.getFastMathAttrName(),
                arith::FastMathFlagsAttr::get(
                    op->getContext(),
                    flags.getFastMathFlagsAttr().getValue() |
                        arith::FastMathFlags::afn));
  });
}
