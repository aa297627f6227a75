//===- SaveSums.cpp - The pass aten-save-sums -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decompose/Decompose.h"

#include "kiln/Dialect/Aten/Transforms/Passes.h"
#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Interfaces/Stages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::aten {
#define GEN_PASS_DEF_ATENSAVESUMSPASS
#include "kiln/Dialect/Aten/Transforms/Passes.h.inc"

namespace {

struct AtenSaveSumsPass : impl::AtenSaveSumsPassBase<AtenSaveSumsPass> {
  using AtenSaveSumsPassBase::AtenSaveSumsPassBase;

  void runOnOperation() override;
};

} // namespace

void AtenSaveSumsPass::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Capture, Stage::Joint})))
    return signalPassFailure();
  SmallVector<ScaledDotProductAttentionOp> found;
  getOperation().walk(
      [&](ScaledDotProductAttentionOp op) { found.push_back(op); });
  for (ScaledDotProductAttentionOp op : found) {
    OpBuilder builder(op);
    FormulaBuilder c(builder, op.getLoc());
    SmallVector<Value> made = attendWithSums(op, c);
    if (made.empty())
      continue;
    made.front().getDefiningOp()->setDiscardableAttrs(
        op->getDiscardableAttrDictionary());
    op->replaceAllUsesWith(ValueRange(made.front()));
    op->erase();
  }
}

} // namespace kiln::aten
