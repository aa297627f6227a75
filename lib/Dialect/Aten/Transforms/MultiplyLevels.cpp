//===- MultiplyLevels.cpp - The pass aten-multiply-levels -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of matrices; ConvolveLevels.cpp has those of images.
//
//===----------------------------------------------------------------------===//

#include "Levels.h"

#include "kiln/Dialect/Aten/Transforms/Passes.h"
#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::aten {
#define GEN_PASS_DEF_ATENMULTIPLYLEVELSPASS
#include "kiln/Dialect/Aten/Transforms/Passes.h.inc"

namespace {

struct AtenMultiplyLevelsPass
    : impl::AtenMultiplyLevelsPassBase<AtenMultiplyLevelsPass> {
  using AtenMultiplyLevelsPassBase::AtenMultiplyLevelsPassBase;

  void runOnOperation() override;
};
} // namespace

/// The product of two matrices of levels, as f32.
static Value multiply(FormulaBuilder &c, const Levels &left,
                      const Levels &right, int64_t terms) {
  LevelSum sum(c, left, right);
  sum.terms = terms;
  Type i32 = c.getBuilder().getI32Type();
  const Levels *both[] = {&left, &right};
  Value factors[2];
  for (auto [k, levels] : llvm::enumerate(both)) {
    factors[k] = c.cast(levels->show(c, levels->bytes), i32);
    if (sum.shifts[k] != 0)
      factors[k] = c.add(factors[k], sum.shifts[k]);
  }
  auto add = [&](Value levels, int64_t dim) {
    return c.sumOver(levels, {dim}, /*keepdim=*/true, i32);
  };
  return finishSum(
      c, sum, c.mm(factors[0], factors[1]), [&] { return add(factors[0], 1); },
      [&] { return add(factors[1], 0); });
}

/// A product of floats and levels whose zero is 0, the scale behind it.
static Value multiplyWeight(FormulaBuilder &c, Value left,
                            const Levels &right) {
  Type f32 = c.getBuilder().getF32Type();
  Value weight = c.cast(right.show(c, right.bytes), f32);
  return c.cast(c.mul(c.mm(left, weight), right.show(c, right.scale)), f32);
}

/// The product `left @ right` if one of them has levels; else null, and why where the right
/// one has.
static Value rewrite(FormulaBuilder &c, Value left, Value right,
                     bool weightsOnly, StringRef &why) {
  if (!isSized(left) || !isSized(right) ||
      !FormulaBuilder::elementTypeOf(left).isF32())
    return {};
  auto b = findLevels(right);
  if (!b)
    return {};
  why = "its scale changes along the sum, or its zero is a number that is no level";
  if (!b->areFree({0}))
    return {};
  auto a = findLevels(left);
  auto terms = FormulaBuilder::dimOf(left, 1).getConstant();
  if (a && !weightsOnly && a->areFree({1}) && terms && *terms > 0 &&
      *terms <= kMostTerms)
    return multiply(c, *a, *b, *terms);
  if (b->getKnownZero() == 0)
    return multiplyWeight(c, left, *b);
  why = a && !weightsOnly
            ? "its sum is too long for i32, or the other matrix has no such grid"
            : "its zero is not 0, and the other matrix is of floats";
  return {};
}

void AtenMultiplyLevelsPass::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Capture, Stage::Joint})))
    return signalPassFailure();
  SmallVector<Operation *> products;
  getOperation().walk([&](Operation *op) {
    if (llvm::isa<MmOp, AddmmOp>(op) ||
        (llvm::isa<ConvolutionOp>(op) && !weightsOnly))
      products.push_back(op);
  });
  for (Operation *op : products) {
    OpBuilder builder(op);
    FormulaBuilder c(builder, op->getLoc());
    Value result;
    StringRef why;
    if (auto product = llvm::dyn_cast<MmOp>(op)) {
      result = rewrite(c, product.getSelf(), product.getMat2(), weightsOnly,
                       why);
    } else if (auto image = llvm::dyn_cast<ConvolutionOp>(op)) {
      result = convolveLevels(c, image, why);
    } else {
      auto sum = llvm::cast<AddmmOp>(op);
      if (!sum.getAlpha() && !sum.getBeta())
        result = rewrite(c, sum.getMat1(), sum.getMat2(), weightsOnly, why);
      if (result)
        result = c.add(result, sum.getSelf());
    }
    if (!result || result.getType() != op->getResult(0).getType()) {
      if (why.empty())
        continue;
      if (auto told = mlir::remark::missed(
              op->getLoc(), remarks::kLevelsNotMultiplied.function(
                                remarks::getFunctionName(op))))
        told << mlir::remark::reason("{0}", why);
      continue;
    }
    op->replaceAllUsesWith(ValueRange{result});
    op->erase();
  }
}

} // namespace kiln::aten
