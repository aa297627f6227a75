//===- KernelLowering.cpp - From kernel ops to the llvm dialect -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The MLIR half of the kernel compiler. Few passes, each doing much: on small
// kernels, what a pass costs is mostly its walk over the module.
//
//===----------------------------------------------------------------------===//

#include "kiln/Conversion/ExpandMath.h"
#include "kiln/Target/CPU/KernelCompiler.h"
#include "kiln/Transforms/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

static bool isSmallFloat(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isBF16() || element.isF16();
}

/// `type` with its element type replaced.
static Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

namespace {

/// A conversion between a small float and something other than f32 goes through
/// f32: that is what PyTorch does, and the direct ones are library calls.
template <typename Op> struct CastThroughF32 final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &b) const override {
    Type in = op.getIn().getType(), out = op.getType();
    bool fromSmall = isSmallFloat(in), toSmall = isSmallFloat(out);
    if (!fromSmall && !toSmall)
      return failure();
    if ((fromSmall ? getElementTypeOrSelf(out) : getElementTypeOrSelf(in))
            .isF32())
      return failure();
    Type middle = withElement(in, b.getF32Type());
    Location loc = op.getLoc();
    if constexpr (std::is_same_v<Op, arith::TruncFOp>) {
      if (fromSmall)
        return failure();
      Value f32 = arith::TruncFOp::create(b, loc, middle, op.getIn());
      b.replaceOpWithNewOp<arith::TruncFOp>(op, out, f32);
    } else if (fromSmall) {
      Value f32 = arith::ExtFOp::create(b, loc, middle, op.getIn());
      b.replaceOpWithNewOp<Op>(op, out, f32);
    } else {
      Value f32 = Op::create(b, loc, middle, op.getIn());
      b.replaceOpWithNewOp<arith::TruncFOp>(op, out, f32);
    }
    return success();
  }
};

/// A scalar f32 is rounded to f16 by the instruction itself. As an ordinary
/// conversion LLVM may join it with one from f64 before it, and the joined one
/// is a library call that rounds differently.
struct RoundScalarToHalf final : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &b) const override {
    if (!op.getType().isF16() || !op.getIn().getType().isF32())
      return failure();
    Location loc = op.getLoc();
    Value four = vector::BroadcastOp::create(
        b, loc, VectorType::get({4}, b.getF32Type()), op.getIn());
    Value nearestEven = LLVM::ConstantOp::create(b, loc, b.getI32Type(), 0);
    Value halves = LLVM::CallIntrinsicOp::create(
                       b, loc, VectorType::get({8}, b.getI16Type()),
                       b.getStringAttr("llvm.x86.vcvtps2ph.128"),
                       ValueRange{four, nearestEven})
                       .getResult(0);
    Value first = vector::ExtractOp::create(b, loc, halves, int64_t(0));
    b.replaceOpWithNewOp<arith::BitcastOp>(op, b.getF16Type(), first);
    return success();
  }
};

/// Masked loads and stores of bf16 move integers: code generation would split
/// them by way of library calls on targets without bf16.
struct MaskedLoadAsInteger final : OpRewritePattern<LLVM::MaskedLoadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LLVM::MaskedLoadOp op,
                                PatternRewriter &b) const override {
    Type type = op.getType();
    if (!isSmallFloat(type))
      return failure();
    Type bits = withElement(type, b.getI16Type());
    Value otherwise = op.getPassThru();
    if (otherwise)
      otherwise = arith::BitcastOp::create(b, op.getLoc(), bits, otherwise);
    Value loaded = LLVM::MaskedLoadOp::create(
        b, op.getLoc(), bits, op.getData(), op.getMask(), otherwise,
        op.getAlignmentAttr(), op.getNontemporalAttr());
    b.replaceOpWithNewOp<arith::BitcastOp>(op, type, loaded);
    return success();
  }
};

struct MaskedStoreAsInteger final : OpRewritePattern<LLVM::MaskedStoreOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LLVM::MaskedStoreOp op,
                                PatternRewriter &b) const override {
    Type type = op.getValue().getType();
    if (!isSmallFloat(type))
      return failure();
    Value bits = arith::BitcastOp::create(
        b, op.getLoc(), withElement(type, b.getI16Type()), op.getValue());
    b.replaceOpWithNewOp<LLVM::MaskedStoreOp>(op, bits, op.getData(),
                                              op.getMask(),
                                              op.getAlignmentAttr());
    return success();
  }
};

/// Arithmetic on bf16 and f16 is done in f32 and rounded after each op, and
/// conversions from and to bf16 become integer arithmetic. The processor's own
/// conversion (vcvtneps2bf16) is not used, because it flushes denormals.
struct ExpandSmallFloatsPass
    : PassWrapper<ExpandSmallFloatsPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandSmallFloatsPass)

  StringRef getArgument() const override { return "kiln-expand-small-floats"; }
  StringRef getDescription() const override {
    return "Compute bf16 and f16 arithmetic in f32";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, LLVM::LLVMDialect,
                    vector::VectorDialect>();
  }

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    bool anySmall = false, anyArithmetic = false;
    getOperation()->walk([&](Operation *op) {
      auto isSmall = [](Type type) { return isSmallFloat(type); };
      if (!llvm::any_of(op->getResultTypes(), isSmall) &&
          !llvm::any_of(op->getOperandTypes(), isSmall))
        return;
      anySmall = true;
      anyArithmetic |= isa<arith::ArithDialect>(op->getDialect()) &&
                       !isa<arith::ConstantOp, arith::ExtFOp, arith::TruncFOp,
                            arith::BitcastOp, arith::SelectOp>(op);
    });
    if (!anySmall)
      return;
    RewritePatternSet casts(context);
    casts.add<CastThroughF32<arith::TruncFOp>, CastThroughF32<arith::ExtFOp>,
              CastThroughF32<arith::SIToFPOp>, CastThroughF32<arith::UIToFPOp>,
              CastThroughF32<arith::FPToSIOp>, CastThroughF32<arith::FPToUIOp>>(
        context);
    walkAndApplyPatterns(getOperation(), std::move(casts));
    if (anyArithmetic && failed(emulateArithmetic()))
      return signalPassFailure();
    RewritePatternSet bf16(context);
    arith::populateExpandBFloat16Patterns(bf16);
    bf16.add<MaskedLoadAsInteger, MaskedStoreAsInteger, RoundScalarToHalf>(
        context);
    walkAndApplyPatterns(getOperation(), std::move(bf16));
  }

  LogicalResult emulateArithmetic() {
    MLIRContext *context = &getContext();
    TypeConverter converter;
    arith::populateEmulateUnsupportedFloatsConversions(
        converter,
        {BFloat16Type::get(context), Float16Type::get(context)},
        Float32Type::get(context));
    RewritePatternSet patterns(context);
    arith::populateEmulateUnsupportedFloatsPatterns(patterns, converter);
    ConversionTarget target(*context);
    arith::populateEmulateUnsupportedFloatsLegality(target, converter);
    return applyPartialConversion(getOperation(), target, std::move(patterns));
  }
};

/// Vector ops of more than one dimension, masks and the like become 1-D vector
/// ops. Only run where there is something to do.
struct LowerVectorsPass : PassWrapper<LowerVectorsPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerVectorsPass)

  StringRef getArgument() const override { return "kiln-lower-vectors"; }
  StringRef getDescription() const override {
    return "Lower vector ops to what has a direct LLVM equivalent";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, vector::VectorDialect>();
  }

  void runOnOperation() override {
    bool found = false;
    getOperation()->walk([&](Operation *op) {
      auto isWide = [](Type type) {
        auto vector = dyn_cast<VectorType>(type);
        return vector && vector.getRank() > 1;
      };
      found |= isa<vector::TransposeOp, vector::CreateMaskOp,
                   vector::ConstantMaskOp, vector::InterleaveOp,
                   vector::DeinterleaveOp, vector::StepOp, vector::GatherOp,
                   vector::ContractionOp, vector::OuterProductOp,
                   vector::MultiDimReductionOp, vector::ShapeCastOp,
                   vector::TransferReadOp, vector::TransferWriteOp>(op) ||
               llvm::any_of(op->getResultTypes(), isWide) ||
               llvm::any_of(op->getOperandTypes(), isWide);
      return found ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (!found)
      return;
    RewritePatternSet patterns(&getContext());
    vector::populateVectorContractLoweringPatterns(
        patterns, vector::VectorContractLowering::OuterProduct);
    vector::populateVectorOuterProductLoweringPatterns(patterns);
    vector::populateVectorMultiReductionLoweringPatterns(
        patterns, vector::VectorMultiReductionLowering::InnerParallel);
    vector::populateVectorBroadcastLoweringPatterns(patterns);
    vector::populateVectorShapeCastLoweringPatterns(patterns);
    vector::populateVectorTransposeLoweringPatterns(
        patterns, vector::VectorTransposeLowering::Shuffle16x16);
    vector::populateVectorTransferLoweringPatterns(patterns,
                                                   /*maxTransferRank=*/1);
    vector::populateVectorMaskOpLoweringPatterns(patterns);
    vector::populateVectorMaskMaterializationPatterns(
        patterns, /*force32BitVectorIndices=*/true);
    vector::populateVectorInterleaveToShufflePatterns(patterns);
    vector::populateVectorStepLoweringPatterns(patterns);
    vector::populateVectorRankReducingFMAPattern(patterns);
    vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
    GreedyRewriteConfig config;
    config.enableConstantCSE(false);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns),
                                     config)))
      signalPassFailure();
  }
};

/// Everything to the llvm dialect in one conversion.
struct KernelToLLVMPass
    : PassWrapper<KernelToLLVMPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KernelToLLVMPass)

  StringRef getArgument() const override { return "kiln-kernel-to-llvm"; }
  StringRef getDescription() const override {
    return "Convert kernels to the llvm dialect";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect>();
  }

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    LowerToLLVMOptions options(context);
    options.useBarePtrCallConv = true;
    LLVMTypeConverter converter(context, options);
    RewritePatternSet patterns(context);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    index::populateIndexToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns,
                                         /*approximateLog1p=*/false);
    populateVectorToLLVMConversionPatterns(converter, patterns,
                                           /*reassociateFPReductions=*/false,
                                           /*force32BitVectorIndices=*/true);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateFuncToLLVMConversionPatterns(converter, patterns);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    LLVMConversionTarget target(*context);
    target.addLegalOp<ModuleOp>();
    ConversionConfig config;
    config.allowPatternRollback = false;
    if (failed(applyFullConversion(getOperation(), target, std::move(patterns),
                                   config)))
      signalPassFailure();
  }
};

} // namespace

void kiln::target::registerKernelDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect,
                  func::FuncDialect, index::IndexDialect, LLVM::LLVMDialect,
                  math::MathDialect, scf::SCFDialect, ub::UBDialect,
                  vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

void kiln::target::buildKernelLoweringPipeline(OpPassManager &pm,
                                               const CPUTarget &) {
  // Before the small floats: math on f16 and bf16 is extended here as well, and
  // the casts this makes are expanded by the next pass.
  pm.addPass(createExpandMathPass());
  pm.addPass(std::make_unique<ExpandSmallFloatsPass>());
  pm.addPass(std::make_unique<LowerVectorsPass>());
  // After all passes that want to see loops.
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(std::make_unique<KernelToLLVMPass>());
  addStageVerifier(pm, Stage::Native);
}
