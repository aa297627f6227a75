//===- NumberDraws.cpp - The pass aten-number-draws -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/IR/Aten.h"
#include "kiln/Dialect/Aten/IR/FormulaBuilder.h"
#include "kiln/Dialect/Aten/Transforms/Passes.h"
#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Interfaces/Stages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::aten {
#define GEN_PASS_DEF_ATENNUMBERDRAWSPASS
#include "kiln/Dialect/Aten/Transforms/Passes.h.inc"

namespace {

struct AtenNumberDrawsPass
    : impl::AtenNumberDrawsPassBase<AtenNumberDrawsPass> {
  using AtenNumberDrawsPassBase::AtenNumberDrawsPassBase;

  void runOnOperation() override;
};

} // namespace

/// Elements of the sizes and type of `tensor` that nothing is read of.
static Value makeShape(FormulaBuilder &c, Value tensor) {
  Type element = FormulaBuilder::elementTypeOf(tensor);
  if (element.isInteger(1))
    return c.full(c.dimsOf(tensor), true, element);
  return c.full(c.dimsOf(tensor), int64_t(0), element);
}

static bool hasSizes(Value tensor) {
  auto type = llvm::dyn_cast<RankedTensorType>(tensor.getType());
  return type && guard::getDims(type);
}

/// A dropout as the product with a mask, rounded once, as its kernel rounds.
static void expandDropout(NativeDropoutOp op) {
  OpBuilder builder(op);
  FormulaBuilder c(builder, op.getLoc());
  double p = op.getP().convertToDouble();
  Value input = op.getInput();
  Value ones = c.full(c.dimsOf(input), true, builder.getI1Type());
  Value mask = c.bernoulliP(ones, 1 - p);
  Value wide = c.widen(input);
  Value factor = c.mul(c.cast(mask, FormulaBuilder::elementTypeOf(wide)),
                       p == 1 ? 0.0 : 1 / (1 - p));
  Value result = c.cast(c.mul(wide, factor),
                        FormulaBuilder::elementTypeOf(op.getResult0()));
  op->replaceAllUsesWith(ValueRange{result, mask});
  op->erase();
}

void AtenNumberDrawsPass::runOnOperation() {
  mlir::func::FuncOp function = getOperation();
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Capture, Stage::Joint})))
    return signalPassFailure();
  if (!llvm::hasSingleElement(function.getBody()))
    return;
  Block &block = function.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto dropout = llvm::dyn_cast<NativeDropoutOp>(op);
    if (dropout && dropout.getTrain().value_or(true) &&
        llvm::isa<mlir::FloatType>(
            FormulaBuilder::elementTypeOf(dropout.getInput())) &&
        hasSizes(dropout.getInput()))
      expandDropout(dropout);
  }

  SmallVector<Operation *> drawing;
  for (Operation &op : block) {
    const OpInfo *info = getOpInfo(&op);
    auto dropout = llvm::dyn_cast<NativeDropoutOp>(op);
    bool isIdentity = dropout && !dropout.getTrain().value_or(true);
    if (info && info->takesDraws && !isIdentity && !drawsGivenNumbers(&op))
      drawing.push_back(&op);
  }
  if (drawing.empty())
    return;
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  Value draws =
      OperatorOp::create(
          builder, function.getLoc(),
          TypeRange{RankedTensorType::get({2}, builder.getI64Type())},
          builder.getStringAttr("aten::_draws"), ValueRange(),
          builder.getI64ArrayAttr({static_cast<int64_t>(drawing.size())}))
          .getResult(0);
  for (auto [number, op] : llvm::enumerate(drawing)) {
    builder.setInsertionPoint(op);
    const OpInfo *info = getOpInfo(op);
    SmallVector<ArgValue> args = getSchemaArguments(op);
    bool readsShapeOnly =
        llvm::isa<RandLikeOp, RandnLikeOp, RandintLikeOp, BernoulliPOp,
                  ExponentialOp, NormalFunctionalOp, UniformOp>(op);
    if (readsShapeOnly && hasSizes(op->getOperand(0)) &&
        !op->getOperand(0).getDefiningOp<FullOp>()) {
      FormulaBuilder c(builder, op->getLoc());
      args.front() = makeShape(c, op->getOperand(0));
    }
    args[info->getArgIndex("draws")] = draws;
    args[info->getArgIndex("draw")] =
        builder.getI64IntegerAttr(static_cast<int64_t>(number));
    Operation *given = buildAtenOp(builder, op->getLoc(), *info, args,
                                   op->getResultTypes());
    given->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    op->replaceAllUsesWith(given);
    op->erase();
  }
}

} // namespace kiln::aten
