//===- LowerVectors.cpp - Vectors as LLVM has them ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Conversion/KernelToLLVM/Passes.h"
#include "kiln/Conversion/KernelToLLVM/VectorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace kiln {
#define GEN_PASS_DEF_KILNLOWERVECTORSPASS
#include "kiln/Conversion/KernelToLLVM/Passes.h.inc"
} // namespace kiln

using namespace mlir;

namespace {

struct LowerVectorsPass
    : kiln::impl::KilnLowerVectorsPassBase<LowerVectorsPass> {
  /// Once, for all the kernels that are lowered one by one.
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    vector::populateVectorContractLoweringPatterns(
        set, vector::VectorContractLowering::OuterProduct);
    vector::populateVectorOuterProductLoweringPatterns(set);
    vector::populateVectorMultiReductionLoweringPatterns(
        set, vector::VectorMultiReductionLowering::InnerParallel);
    vector::populateVectorBroadcastLoweringPatterns(set);
    vector::populateVectorShapeCastLoweringPatterns(set);
    vector::populateVectorTransposeLoweringPatterns(
        set, vector::VectorTransposeLowering::Shuffle16x16);
    vector::populateVectorTransferLoweringPatterns(set,
                                                   /*maxTransferRank=*/1);
    vector::populateVectorMaskOpLoweringPatterns(set);
    vector::populateVectorMaskMaterializationPatterns(
        set, /*force32BitVectorIndices=*/true);
    vector::populateVectorInterleaveToShufflePatterns(set);
    vector::populateVectorStepLoweringPatterns(set);
    vector::populateVectorRankReducingFMAPattern(set);
    vector::populateVectorInsertExtractStridedSliceTransforms(set);
    patterns = FrozenRewritePatternSet(std::move(set));
    return success();
  }

  void runOnOperation() override {
    bool found = false;
    WalkResult checked = getOperation()->walk([&](Operation *op) {
      if (auto why = kiln::whyNoVectorCode(op)) {
        op->emitOpError(*why);
        return WalkResult::interrupt();
      }
      auto isWide = [](Type type) {
        auto vector = dyn_cast<VectorType>(type);
        return vector && vector.getRank() > 1;
      };
      found = found ||
              isa<vector::TransposeOp, vector::CreateMaskOp,
                  vector::ConstantMaskOp, vector::InterleaveOp,
                  vector::DeinterleaveOp, vector::StepOp, vector::GatherOp,
                  vector::ContractionOp, vector::OuterProductOp,
                  vector::MultiDimReductionOp, vector::ShapeCastOp,
                  vector::TransferReadOp, vector::TransferWriteOp>(op) ||
              llvm::any_of(op->getResultTypes(), isWide) ||
              llvm::any_of(op->getOperandTypes(), isWide);
      return WalkResult::advance();
    });
    if (checked.wasInterrupted())
      return signalPassFailure();
    if (!found)
      return;
    GreedyRewriteConfig config;
    config.enableConstantCSE(false);
    if (failed(applyPatternsGreedily(getOperation(), patterns, config)))
      signalPassFailure();
  }

  FrozenRewritePatternSet patterns;
};

} // namespace
