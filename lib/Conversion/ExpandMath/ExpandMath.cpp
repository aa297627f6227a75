//===- ExpandMath.cpp - Math functions as polynomials ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Conversion/ExpandMath/Passes.h"

#include "Functions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace kiln {
#define GEN_PASS_DEF_KILNEXPANDMATHPASS
#include "kiln/Conversion/ExpandMath/Passes.h.inc"
} // namespace kiln

using namespace mlir;
using namespace kiln;
using namespace kiln::expand;

Value kiln::expand::anyLane(Mask mask) {
  OpBuilder &b = mask.m->b;
  Location loc = mask.m->loc;
  auto type = dyn_cast<VectorType>(mask.v.getType());
  if (!type)
    return mask.v;
  Value flat = mask.v;
  if (type.getRank() != 1)
    flat = vector::ShapeCastOp::create(
        b, loc, VectorType::get({type.getNumElements()}, b.getI1Type()), flat);
  return vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, flat);
}

/// `function` applied to operands extended to f64, its result truncated.
static Num applyInF64(llvm::ArrayRef<Num> operands,
                      llvm::function_ref<Num(llvm::ArrayRef<Num>)> function) {
  const MathBuilder &m = *operands[0].m;
  MathBuilder wide(m.b, m.loc, m.withElement(m.b.getF64Type()));
  wide.scales = m.scales;
  wide.powers = m.powers;
  SmallVector<Num> extended;
  for (Num operand : operands)
    extended.push_back(wide.num(
        arith::ExtFOp::create(m.b, m.loc, wide.type, operand.v)));
  Num result = function(extended);
  return m.num(arith::TruncFOp::create(m.b, m.loc, m.type, result.v));
}

Num kiln::expand::throughF64(Num x, llvm::function_ref<Num(Num)> function) {
  return applyInF64({x}, [&](llvm::ArrayRef<Num> v) { return function(v[0]); });
}

Num kiln::expand::throughF64(Num x, Num y,
                             llvm::function_ref<Num(Num, Num)> function) {
  return applyInF64(
      {x, y}, [&](llvm::ArrayRef<Num> v) { return function(v[0], v[1]); });
}

namespace {

/// Calls `expand` with the operands, in f32 where they are narrower.
template <typename Op, typename Expansion>
LogicalResult expandOp(Op op, PatternRewriter &b, MathInstructions has,
                       Expansion expand) {
  Type type = op->getResultTypes()[0];
  Type element = getElementTypeOrSelf(type);
  bool small = element.isF16() || element.isBF16();
  if (!small && !element.isF32() && !element.isF64())
    return b.notifyMatchFailure(op, "expected f16, bf16, f32 or f64");
  if (auto vector = dyn_cast<VectorType>(type); vector && vector.isScalable())
    return b.notifyMatchFailure(op, "expected vectors of fixed size");
  Location loc = op.getLoc();
  MathBuilder m(b, loc, type);
  m.scales = has.scales;
  m.powers = has.powers;
  if (small)
    m.type = m.withElement(b.getF32Type());
  SmallVector<Num> operands;
  for (Value operand : op->getOperands()) {
    if (small)
      operand = arith::ExtFOp::create(b, loc, m.type, operand);
    operands.push_back(m.num(operand));
  }
  Value result = expand(operands).v;
  if (small)
    result = arith::TruncFOp::create(b, loc, type, result);
  b.replaceOp(op, result);
  return success();
}

/// A pattern that knows what the processor has instructions for.
template <typename Op> struct ExpandPattern : OpRewritePattern<Op> {
  ExpandPattern(MLIRContext *context, MathInstructions has)
      : OpRewritePattern<Op>(context), has(has) {}
  MathInstructions has;
};

template <typename Op, Num (*function)(Num)>
struct ExpandUnary final : ExpandPattern<Op> {
  using ExpandPattern<Op>::ExpandPattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &b) const override {
    return expandOp(op, b, this->has,
                    [](llvm::ArrayRef<Num> x) { return function(x[0]); });
  }
};

template <typename Op, Num (*function)(Num, Num)>
struct ExpandBinary final : ExpandPattern<Op> {
  using ExpandPattern<Op>::ExpandPattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &b) const override {
    return expandOp(op, b, this->has, [](llvm::ArrayRef<Num> x) {
      return function(x[0], x[1]);
    });
  }
};

/// A function that may be coarse where its maker says so.
template <typename Op, Num (*function)(Num), Num (*coarse)(Num)>
struct ExpandCoarse final : ExpandPattern<Op> {
  using ExpandPattern<Op>::ExpandPattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &b) const override {
    bool mayBe = arith::bitEnumContainsAll(op.getFastmath(),
                                           arith::FastMathFlags::afn);
    return expandOp(op, b, this->has, [&](llvm::ArrayRef<Num> x) {
      return mayBe ? coarse(x[0]) : function(x[0]);
    });
  }
};

/// A quotient that its maker says may be off by an ulp, where that is an instruction.
struct ExpandQuotient final : ExpandPattern<arith::DivFOp> {
  using ExpandPattern::ExpandPattern;
  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &b) const override {
    if (!has.powers || !getElementTypeOrSelf(op.getType()).isF32() ||
        !arith::bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn))
      return failure();
    return expandOp(op, b, has, [](llvm::ArrayRef<Num> x) {
      return x[0] * expandReciprocal(x[1]);
    });
  }
};

/// True for a constant that is no NaN, in all lanes.
static bool isNumber(Value value) {
  APFloat number(0.0);
  return matchPattern(value, m_ConstantFloat(&number)) && !number.isNaN();
}

/// The larger or smaller of two, NaN if one of them is; of two zeros the first. x86's
/// instruction gives its second operand where a comparison does not hold, so that
/// a NaN there stays, and a mask keeps one of the first. It is looked for in the
/// right operand: a reduction's left one is its accumulator, whose next step so waits for
/// one instruction alone.
template <typename Op, arith::CmpFPredicate beats>
struct ExpandExtremum final : ExpandPattern<Op> {
  using ExpandPattern<Op>::ExpandPattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &b) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (this->has.powers || (!element.isF32() && !element.isF64()))
      return b.notifyMatchFailure(op, "expected f32 or f64 of a processor");
    Value first = op.getLhs(), other = op.getRhs();
    if (isNumber(first))
      std::swap(first, other);
    Location loc = op.getLoc();
    Value isBeyond = arith::CmpFOp::create(b, loc, beats, other, first);
    Value value = arith::SelectOp::create(b, loc, isBeyond, other, first);
    if (!isNumber(other)) {
      Value isOrdered = arith::CmpFOp::create(
          b, loc, arith::CmpFPredicate::ORD, other, other);
      value = arith::SelectOp::create(b, loc, isOrdered, value, other);
    }
    b.replaceOp(op, value);
    return success();
  }
};

/// Ops that are instructions in f32 and f64, but not in f16 and bf16.
template <typename Op> struct WidenNative final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &b) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF16() && !element.isBF16())
      return failure();
    return expandOp(op, b, MathInstructions(), [&](llvm::ArrayRef<Num> x) {
      SmallVector<Value> operands;
      for (Num operand : x)
        operands.push_back(operand.v);
      return x[0].m->num(
          Op::create(b, op.getLoc(), x[0].m->type, operands)->getResult(0));
    });
  }
};

/// x^n for an integer n, as the power of two floats.
struct ExpandFPowI final : OpRewritePattern<math::FPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FPowIOp op,
                                PatternRewriter &b) const override {
    Type element = getElementTypeOrSelf(op.getType());
    bool isF64 = element.isF64();
    if (!element.isF32() && !isF64)
      return b.notifyMatchFailure(op, "expected f32 or f64");
    // In f64, so that every 32-bit exponent is exact.
    MathBuilder wide(b, op.getLoc(), op.getType());
    wide.type = wide.withElement(b.getF64Type());
    Value base = op.getLhs();
    if (!isF64)
      base = arith::ExtFOp::create(b, op.getLoc(), wide.type, base);
    Num exponent = wide.num(
        arith::SIToFPOp::create(b, op.getLoc(), wide.type, op.getRhs()));
    Value power = expandPow(wide.num(base), exponent).v;
    if (!isF64)
      power = arith::TruncFOp::create(b, op.getLoc(), op.getType(), power);
    b.replaceOp(op, power);
    return success();
  }
};

struct ExpandSincos final : OpRewritePattern<math::SincosOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::SincosOp op,
                                PatternRewriter &b) const override {
    Type element = getElementTypeOrSelf(op.getSin().getType());
    if (!element.isF32() && !element.isF64())
      return b.notifyMatchFailure(op, "expected f32 or f64");
    MathBuilder m(b, op.getLoc(), op.getSin().getType());
    Num x = m.num(op.getOperand());
    Value sin = expandSin(x).v, cos = expandCos(x).v;
    b.replaceOp(op, {sin, cos});
    return success();
  }
};

struct ExpandMathPass : kiln::impl::KilnExpandMathPassBase<ExpandMathPass> {
  using KilnExpandMathPassBase::KilnExpandMathPassBase;
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateExpandMathPatterns(set, {scales, powers});
    patterns = std::move(set);
    return success();
  }
  void runOnOperation() override {
    walkAndApplyPatterns(getOperation(), patterns);
  }

  FrozenRewritePatternSet patterns;
};

} // namespace

void kiln::populateExpandMathPatterns(RewritePatternSet &patterns,
                                      MathInstructions has) {
  patterns.add<
      ExpandCoarse<math::ExpOp, expandExp, expandCoarseExp>,
      ExpandUnary<math::Exp2Op, expandExp2>,
      ExpandUnary<math::ExpM1Op, expandExpM1>,
      ExpandUnary<math::LogOp, expandLog>,
      ExpandUnary<math::Log1pOp, expandLog1p>,
      ExpandUnary<math::Log2Op, expandLog2>,
      ExpandUnary<math::Log10Op, expandLog10>,
      ExpandUnary<math::SinOp, expandSin>, ExpandUnary<math::CosOp, expandCos>,
      ExpandUnary<math::TanOp, expandTan>,
      ExpandUnary<math::AsinOp, expandAsin>,
      ExpandUnary<math::AcosOp, expandAcos>,
      ExpandUnary<math::AtanOp, expandAtan>,
      ExpandUnary<math::SinhOp, expandSinh>,
      ExpandUnary<math::CoshOp, expandCosh>,
      ExpandUnary<math::TanhOp, expandTanh>,
      ExpandUnary<math::AsinhOp, expandAsinh>,
      ExpandUnary<math::AcoshOp, expandAcosh>,
      ExpandUnary<math::AtanhOp, expandAtanh>,
      ExpandCoarse<math::ErfOp, expandErf, expandCoarseErf>,
      ExpandUnary<math::ErfcOp, expandErfc>,
      ExpandUnary<math::RsqrtOp, expandRsqrt>,
      ExpandUnary<math::CbrtOp, expandCbrt>,
      ExpandBinary<math::PowFOp, expandPow>,
      ExpandBinary<math::Atan2Op, expandAtan2>,
      ExpandBinary<arith::RemFOp, expandRemainder>, ExpandQuotient,
      ExpandExtremum<arith::MaximumFOp, arith::CmpFPredicate::OGT>,
      ExpandExtremum<arith::MinimumFOp, arith::CmpFPredicate::OLT>>(
      patterns.getContext(), has);
  patterns.add<ExpandFPowI, ExpandSincos, WidenNative<math::SqrtOp>,
      WidenNative<math::FloorOp>, WidenNative<math::CeilOp>,
      WidenNative<math::TruncOp>, WidenNative<math::RoundOp>,
      WidenNative<math::RoundEvenOp>, WidenNative<math::FmaOp>,
      WidenNative<math::AbsFOp>, WidenNative<math::CopySignOp>>(
      patterns.getContext());
}
