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
#include "mlir/Dialect/SCF/IR/SCF.h"
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

/// A number or a vector, as kernels have them.
static bool isSmallValue(Type type) {
  return isSmallFloat(type) && isa<FloatType, VectorType>(type);
}

static Type getBits(Type type) {
  return withElement(type, IntegerType::get(type.getContext(), 16));
}

/// True if the op takes its values from one place to another, whatever they
/// mean. Arithmetic of the vector dialect is gone when this is asked.
static bool onlyMoves(Operation *op) {
  // What is in typed memory has the type of the memory.
  auto isTyped = [](Type type) { return isa<MemRefType, TensorType>(type); };
  if (llvm::any_of(op->getOperandTypes(), isTyped))
    return false;
  return isa<scf::SCFDialect, vector::VectorDialect>(op->getDialect()) ||
         isa<arith::BitcastOp, arith::ConstantOp, arith::SelectOp, LLVM::LoadOp,
             LLVM::StoreOp, LLVM::MaskedLoadOp, LLVM::MaskedStoreOp,
             LLVM::masked_gather, LLVM::masked_scatter, LLVM::masked_expandload,
             LLVM::masked_compressstore>(op);
}

static bool isMoved(Value value) {
  if (Operation *definition = value.getDefiningOp())
    return onlyMoves(definition);
  return onlyMoves(value.getParentBlock()->getParentOp());
}

/// Leaves the types of `op`, which does more than to move values: casts stand
/// between it and what does not.
static void keepTypes(Operation *op, OpBuilder &b) {
  for (OpOperand &operand : op->getOpOperands()) {
    Type type = operand.get().getType();
    if (!isSmallValue(type) || !isMoved(operand.get()))
      continue;
    b.setInsertionPoint(op);
    // The operand of the cast becomes the bits.
    operand.set(arith::BitcastOp::create(b, op->getLoc(), type, operand.get()));
  }
  auto castForMoves = [&](Value value) {
    Type type = value.getType();
    if (!isSmallValue(type) || llvm::none_of(value.getUsers(), onlyMoves))
      return;
    b.setInsertionPointAfterValue(value);
    Value bits =
        arith::BitcastOp::create(b, value.getLoc(), getBits(type), value);
    value.replaceUsesWithIf(bits, [&](OpOperand &use) {
      return use.getOwner() != bits.getDefiningOp() &&
             onlyMoves(use.getOwner());
    });
  };
  llvm::for_each(op->getResults(), castForMoves);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      llvm::for_each(block.getArguments(), castForMoves);
}

static void becomeBits(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op);
      constant && isSmallValue(constant.getType())) {
    Type element = IntegerType::get(op->getContext(), 16);
    if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
      constant.setValueAttr(
          IntegerAttr::get(element, number.getValue().bitcastToAPInt()));
    else
      constant.setValueAttr(
          cast<DenseElementsAttr>(constant.getValue()).bitcast(element));
  }
  auto retype = [](Value value) {
    if (isSmallValue(value.getType()))
      value.setType(getBits(value.getType()));
  };
  llvm::for_each(op->getResults(), retype);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      llvm::for_each(block.getArguments(), retype);
}

/// Values are integers of 16 bits wherever nothing is computed with them: where
/// a processor has no registers of bf16, code generation takes their vectors
/// apart by way of library calls.
static void carryAsBits(Operation *root) {
  SmallVector<Operation *> moving, others;
  root->walk(
      [&](Operation *op) { (onlyMoves(op) ? moving : others).push_back(op); });
  OpBuilder b(root->getContext());
  for (Operation *op : others)
    keepTypes(op, b);
  llvm::for_each(moving, becomeBits);
  for (Operation *op : moving)
    if (auto cast = dyn_cast<arith::BitcastOp>(op);
        cast && cast.getIn().getType() == cast.getType()) {
      cast.replaceAllUsesWith(cast.getIn());
      cast.erase();
    }
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
      anyArithmetic |=
          isa<vector::ContractionOp, vector::FMAOp, vector::MultiDimReductionOp,
              vector::OuterProductOp, vector::ReductionOp, vector::ScanOp>(op);
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
    bf16.add<RoundScalarToHalf>(context);
    walkAndApplyPatterns(getOperation(), std::move(bf16));
    carryAsBits(getOperation());
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
