//===- ExpandSmallFloats.cpp - bf16 and f16 by way of f32 -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Conversion/KernelToLLVM/Passes.h"
#include "kiln/Conversion/KernelToLLVM/VectorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace kiln {
#define GEN_PASS_DEF_KILNEXPANDSMALLFLOATSPASS
#include "kiln/Conversion/KernelToLLVM/Passes.h.inc"
} // namespace kiln

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

struct ExpandSmallFloatsPass
    : kiln::impl::KilnExpandSmallFloatsPassBase<ExpandSmallFloatsPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    bool anySmall = false, anyArithmetic = false;
    WalkResult checked = getOperation()->walk([&](Operation *op) {
      if (auto why = kiln::whyNoVectorCode(op)) {
        op->emitOpError(*why);
        return WalkResult::interrupt();
      }
      auto isSmall = [](Type type) { return isSmallFloat(type); };
      if (!llvm::any_of(op->getResultTypes(), isSmall) &&
          !llvm::any_of(op->getOperandTypes(), isSmall))
        return WalkResult::advance();
      anySmall = true;
      anyArithmetic |= isa<arith::ArithDialect>(op->getDialect()) &&
                       !isa<arith::ConstantOp, arith::ExtFOp, arith::TruncFOp,
                            arith::BitcastOp, arith::SelectOp>(op);
      return WalkResult::advance();
    });
    if (checked.wasInterrupted())
      return signalPassFailure();
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

} // namespace
