//===- Decompose.cpp - The pass aten-decompose ----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/IR/Aten.h"
#include "kiln/Dialect/Aten/IR/FormulaBuilder.h"
#include "kiln/Dialect/Aten/IR/WholeOps.h"
#include "kiln/Dialect/Aten/Transforms/Decompositions.h"
#include "kiln/Dialect/Aten/Transforms/Passes.h"
#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Interfaces/AttentionMark.h"
#include "kiln/Interfaces/DifferentiableOpInterface.h"
#include "kiln/Interfaces/RecomputableOpInterface.h"
#include "kiln/Interfaces/Stages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

namespace kiln::aten {
#define GEN_PASS_DEF_ATENDECOMPOSEPASS
#include "kiln/Dialect/Aten/Transforms/Passes.h.inc"

/// A random op of the core set is taken apart for the joint graph, because its
/// derivative has to read what the forward drew.
static bool drawsNumbers(Operation *op) {
  auto attention = llvm::dyn_cast<ScaledDotProductAttentionOp>(op);
  return attention && !attention.getDropoutP().isZero();
}

/// True if decomposing `op` before differentiation would lose its derivative.
static bool isDifferentiatedWhole(Operation *op) {
  auto rule = llvm::dyn_cast<DifferentiableOpInterface>(op);
  return rule && !rule.isStopGradient() && rule.isDifferentiatedWhole() &&
         !drawsNumbers(op);
}

bool isDecomposedFor(Operation *op, DecomposeTarget target) {
  const OpInfo *info = getOpInfo(op);
  if (!info || !info->isDecomposed)
    return false;
  return info->isComposite || target == DecomposeTarget::Loop ||
         (target == DecomposeTarget::Core &&
          (!info->isCore || drawsNumbers(op)));
}

std::optional<DecomposeTarget> parseDecomposeTarget(StringRef text) {
  if (text == "import")
    return DecomposeTarget::Import;
  if (text == "core")
    return DecomposeTarget::Core;
  if (text == "loop")
    return DecomposeTarget::Loop;
  return std::nullopt;
}

namespace {

struct AtenDecomposePass : impl::AtenDecomposePassBase<AtenDecomposePass> {
  using AtenDecomposePassBase::AtenDecomposePassBase;

  LogicalResult decomposeBlock(Block &block, DecomposeTarget target);
  void runOnOperation() override;

private:
  /// True unless others are named.
  bool isNamed(Operation *op) const {
    return only.empty() ||
           llvm::is_contained(only, op->getName().stripDialect());
  }
};

} // namespace

/// Rewrites the ops of a block in order. What an op is made of is visited next,
/// because it stands where the op stood.
LogicalResult AtenDecomposePass::decomposeBlock(Block &block,
                                                DecomposeTarget target) {
  for (auto it = block.begin(); it != block.end();) {
    Operation *op = &*it;
    for (Region &region : op->getRegions())
      for (Block &nested : region)
        if (failed(decomposeBlock(nested, target)))
          return failure();
    if (!isDecomposedFor(op, target) || !isNamed(op) ||
        (keepDifferentiable && isDifferentiatedWhole(op))) {
      ++it;
      continue;
    }
    Operation *before = op->getPrevNode();
    OpBuilder builder(op);
    FormulaBuilder composer(builder, op->getLoc());
    bool hadErrors = false;
    SmallVector<Value> results;
    {
      mlir::ScopedDiagnosticHandler handler(
          op->getContext(), [&](mlir::Diagnostic &diagnostic) {
            hadErrors |=
                diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
            return failure(); // to the next handler, who prints it
          });
      results = lookUpDecomposition(op)(op, composer);
    }
    if (hadErrors)
      return op->emitOpError("could not be decomposed");
    if (results.empty() && !getOpInfo(op)->isComposite) {
      // These arguments have none: the op stays whole, and becomes a call.
      if (target == DecomposeTarget::Core)
        op->setDiscardableAttr(kWholeAttrName,
                               mlir::UnitAttr::get(op->getContext()));
      ++it;
      continue;
    }
    for (auto [old, value] : llvm::zip_equal(op->getResults(), results)) {
      if (old.getType() == value.getType())
        continue;
      // Two rules may spell one size differently, `min(2, s0)` for 2 where s0
      // is at least 2; the program's spelling stays.
      if (areCompatible(old.getType(), value.getType()) &&
          llvm::isa<OpResult>(value)) {
        value.setType(old.getType());
        continue;
      }
      return op->emitOpError("decomposes to a value of type ")
             << value.getType() << ", expected " << old.getType();
    }
    auto first = before ? std::next(before->getIterator()) : block.begin();
    Attribute attention = op->getDiscardableAttr(kAttentionAttrName);
    for (Operation &made : llvm::make_range(first, op->getIterator())) {
      copyRecomputeTags(op, &made);
      if (attention && llvm::isa<MmOp, BmmOp>(made))
        made.setDiscardableAttr(kAttentionAttrName, attention);
    }
    op->replaceAllUsesWith(results);
    op->erase();
    it = before ? std::next(before->getIterator()) : block.begin();
  }
  return success();
}

void AtenDecomposePass::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {kiln::Stage::Capture, kiln::Stage::Joint})))
    return signalPassFailure();
  auto target = parseDecomposeTarget(to);
  if (!target) {
    getOperation()->emitError("option 'to' is '")
        << to << "', expected 'import', 'core' or 'loop'";
    return signalPassFailure();
  }
  for (Region &region : getOperation()->getRegions())
    for (Block &block : region)
      if (failed(decomposeBlock(block, *target)))
        return signalPassFailure();
}

} // namespace kiln::aten
