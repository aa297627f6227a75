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
#include "kiln/Support/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/StringSwitch.h"

namespace kiln::aten {
#define GEN_PASS_DEF_ATENSAVESUMSPASS
#include "kiln/Dialect/Aten/Transforms/Passes.h.inc"

namespace {

struct AtenSaveSumsPass : impl::AtenSaveSumsPassBase<AtenSaveSumsPass> {
  using AtenSaveSumsPassBase::AtenSaveSumsPassBase;

  void runOnOperation() override;
};

} // namespace

/// The element type of that name; null if it is none that sums are saved of.
static Type getType(MLIRContext *context, StringRef name) {
  return llvm::StringSwitch<Type>(name)
      .Case("f32", mlir::Float32Type::get(context))
      .Case("bf16", mlir::BFloat16Type::get(context))
      .Case("f16", mlir::Float16Type::get(context))
      .Default(Type());
}

/// True if a gradient may be wanted of what `mask` is made of: floats of an input, or a
/// parameter. Tables of an archive, numbers and comparisons have none.
static bool mayHaveGradient(Value mask) {
  SmallVector<Value> work = {mask};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!llvm::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(value.getType())) ||
        !seen.insert(value).second)
      continue;
    if (Operation *op = value.getDefiningOp()) {
      if (op->getNumRegions() != 0)
        return true;
      llvm::append_range(work, op->getOperands());
      continue;
    }
    auto argument = llvm::cast<mlir::BlockArgument>(value);
    auto function = llvm::dyn_cast<mlir::func::FuncOp>(
        argument.getOwner()->getParentOp());
    auto input = function ? function.getArgAttrOfType<InputAttr>(
                                argument.getArgNumber(), kInputAttrName)
                          : InputAttr();
    if (!input || input.getRequiresGrad() ||
        !llvm::is_contained({InputKind::Buffer, InputKind::Constant},
                            input.getKind()))
      return true;
  }
  return false;
}

void AtenSaveSumsPass::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Capture, Stage::Joint})))
    return signalPassFailure();
  SmallVector<Type> elements;
  for (StringRef name : types) {
    elements.push_back(getType(&getContext(), name));
    if (!elements.back()) {
      getOperation()->emitError()
          << "option 'types' of " << getArgument()
          << ": expected 'f32', 'bf16' or 'f16', but found '" << name << "'";
      return signalPassFailure();
    }
  }
  SmallVector<ScaledDotProductAttentionOp> found;
  getOperation().walk(
      [&](ScaledDotProductAttentionOp op) { found.push_back(op); });
  for (ScaledDotProductAttentionOp op : found) {
    OpBuilder builder(op);
    FormulaBuilder c(builder, op.getLoc());
    StringRef why = "its mask may have a gradient";
    SmallVector<Value> made;
    if (!op.getAttnMask() || !mayHaveGradient(op.getAttnMask()))
      made = attendWithSums(op, elements, c, why);
    if (made.empty()) {
      if (auto told = mlir::remark::missed(
              op.getLoc(), remarks::kSumsNotSaved.function(
                               remarks::getFunctionName(op))))
        told << mlir::remark::reason("{0}", why);
      continue;
    }
    made.front().getDefiningOp()->setDiscardableAttrs(
        op->getDiscardableAttrDictionary());
    op->replaceAllUsesWith(ValueRange(made.front()));
    op->erase();
  }
}

} // namespace kiln::aten
