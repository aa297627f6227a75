//===- KnownIntegers.cpp - What the bounds of indices decide --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Positions 0, 1, 2, ... are numbers of the program, so whether they are in
// range is checked like that of any others: a kernel and a call, where the
// answer is known. What is looked at are integers of 64 bits: their sums and
// products may leave the range in between, but agree with those of expressions
// where the result is in it.
//
//===----------------------------------------------------------------------===//

#include "KnownIntegers.h"
#include "Bodies.h"
#include "FuseChecks.h"

#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace {
/// Integers in the body of one nest.
class KnownIntegers {
public:
  KnownIntegers(NestOpInterface nest, const analysis::SizeHints &hints);

  /// The value in terms of the nest's dimensions; null where it is none, or may
  /// have left the range of its type.
  ExprAttr getExpr(Value value) const;
  bool isTrue(Value value) const;
  /// True if `a <= b` at every point.
  bool isOrdered(ExprAttr a, ExprAttr b) const {
    return guard::isKnownNonNegative(b - a, assumptions);
  }

private:
  ExprAttr compute(Value value) const;

  NestOpInterface nest;
  guard::Assumptions assumptions;
};
} // namespace

KnownIntegers::KnownIntegers(NestOpInterface nest,
                             const analysis::SizeHints &hints)
    : nest(nest), assumptions(hints.getAssumptions()) {
  analysis::addExtents(assumptions, nest->getContext(), nest.getDomain().all());
}

ExprAttr KnownIntegers::compute(Value value) const {
  MLIRContext *context = nest->getContext();
  if (!value.getType().isIndex() && !value.getType().isInteger(64))
    return {};
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto dimension = NestOpInterface(nest).getDimensionOf(argument);
    return dimension ? guard::getDim(context, *dimension) : ExprAttr();
  }
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return guard::getConstant(context, constant.getSExtValue());
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    return compute(cast.getIn());
  if (auto index = value.getDefiningOp<IndexOp>()) {
    SmallVector<ExprAttr> operands;
    for (Value operand : index.getOperands())
      if (!operands.emplace_back(compute(operand)))
        return {};
    return guard::substituteDims(index.getExpr(), operands);
  }
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return {};
  ExprAttr a = compute(op->getOperand(0)), b = compute(op->getOperand(1));
  if (!a || !b)
    return {};
  if (isa<arith::AddIOp>(op))
    return a + b;
  return isa<arith::SubIOp>(op) ? a - b : a * b;
}

ExprAttr KnownIntegers::getExpr(Value value) const {
  ExprAttr expr = compute(value);
  if (!expr || expr.isDim() || expr.isSymbol())
    return expr;
  guard::Interval range = guard::getRange(expr, assumptions);
  bool isBounded =
      range.min > guard::Interval::kMin && range.max < guard::Interval::kMax;
  return isBounded ? expr : ExprAttr();
}

bool KnownIntegers::isTrue(Value value) const {
  if (matchPattern(value, m_One()))
    return true;
  if (auto both = value.getDefiningOp<arith::AndIOp>())
    return isTrue(both.getLhs()) && isTrue(both.getRhs());
  auto compare = value.getDefiningOp<arith::CmpIOp>();
  ExprAttr a = compare ? getExpr(compare.getLhs()) : ExprAttr();
  ExprAttr b = compare ? getExpr(compare.getRhs()) : ExprAttr();
  if (!a || !b)
    return false;
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::sle:
    return isOrdered(a, b);
  case arith::CmpIPredicate::sge:
    return isOrdered(b, a);
  case arith::CmpIPredicate::slt:
    return isOrdered(a + 1, b);
  case arith::CmpIPredicate::sgt:
    return isOrdered(b + 1, a);
  default:
    return false;
  }
}

/// What `op` gives, if that is known without it; null otherwise.
static Value foldIndex(Operation *op, NestOpInterface nest,
                       const KnownIntegers &known) {
  if (!op->getResult(0).getType().isIndex())
    return {};
  if (isa<arith::MinSIOp, arith::MaxSIOp>(op)) {
    Value a = op->getOperand(0), b = op->getOperand(1);
    ExprAttr left = known.getExpr(a), right = known.getExpr(b);
    if (!left || !right)
      return {};
    if (isa<arith::MaxSIOp>(op))
      std::swap(a, b);
    if (known.isOrdered(left, right))
      return a;
    return known.isOrdered(right, left) ? b : Value();
  }
  ExprAttr expr = isa<arith::IndexCastOp>(op) ? known.getExpr(op->getResult(0))
                                              : ExprAttr();
  if (!expr)
    return {};
  SmallVector<Value> indices(nest.getDomain().rank());
  for (BlockArgument argument : op->getBlock()->getArguments())
    if (auto dimension = nest.getDimensionOf(argument))
      indices[*dimension] = argument;
  if (llvm::is_contained(indices, Value()))
    return {};
  OpBuilder builder(op);
  return createIndex(builder, op->getLoc(), expr, indices);
}

void loop::foldKnownIndices(func::FuncOp function,
                            const analysis::SizeHints &hints) {
  function.walk([&](NestOpInterface nest) {
    std::optional<KnownIntegers> known;
    nest->walk([&](Operation *op) {
      if (!isa<arith::MinSIOp, arith::MaxSIOp, arith::IndexCastOp>(op))
        return;
      if (!known)
        known.emplace(nest, hints);
      if (Value value = foldIndex(op, nest, *known))
        op->getResult(0).replaceAllUsesWith(value);
    });
  });
}

/// True if `flag` is whether all of a nest's points have something that every
/// one has.
static bool isKnownTrue(Value flag, const analysis::SizeHints &hints) {
  auto nest = flag.getDefiningOp<ReduceOp>();
  if (!nest || nest.getNumResults() != 1 || nest.getKinds().size() != 1 ||
      cast<ReductionKindAttr>(nest.getKinds()[0]).getValue() !=
          ReductionKind::All)
    return false;
  KnownIntegers known(cast<NestOpInterface>(nest.getOperation()), hints);
  return known.isTrue(nest.getBody().front().getTerminator()->getOperand(0));
}

void loop::dropKnownAssertions(func::FuncOp function,
                               const analysis::SizeHints &hints) {
  llvm::SmallDenseSet<Value> asserted;
  for (auto call : llvm::make_early_inc_range(function.getOps<ExternOp>())) {
    if (!isAssertion(call))
      continue;
    Value flag = call.getInputs()[0];
    if (asserted.insert(flag).second && !isKnownTrue(flag, hints))
      continue;
    call.erase();
    auto nest = flag.getDefiningOp<ReduceOp>();
    if (!nest || !nest->use_empty())
      continue;
    asserted.erase(flag);
    nest.erase();
  }
}
