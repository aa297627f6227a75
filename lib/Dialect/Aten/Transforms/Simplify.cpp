//===- Simplify.cpp - The pass aten-simplify ------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/IR/Aten.h"
#include "kiln/Dialect/Aten/Transforms/Composer.h"
#include "kiln/Dialect/Aten/Transforms/Passes.h"
#include "kiln/Dialect/Guard/IR/SymbolEffects.h"
#include "kiln/Interfaces/Stages.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace kiln::aten {
#define GEN_PASS_DEF_ATENSIMPLIFYPASS
#include "kiln/Dialect/Aten/Transforms/Passes.h.inc"

namespace {

/// An op whose result always is its operand, if the types are the same.
template <typename OpT> struct DropIdentity : mlir::OpRewritePattern<OpT> {
  using mlir::OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    if (op.getSelf().getType() != op.getResult().getType())
      return rewriter.notifyMatchFailure(op, "changes its operand's type");
    rewriter.replaceOp(op, op.getSelf());
    return success();
  }
};

/// view(view(x)) = view(x).
struct MergeViews : mlir::OpRewritePattern<ViewOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ViewOp op,
                                PatternRewriter &rewriter) const override {
    Value source = op.getSelf();
    if (auto inner = source.getDefiningOp<ViewOp>())
      source = inner.getSelf();
    else if (auto inner = source.getDefiningOp<UnsqueezeOp>())
      source = inner.getSelf();
    else
      return rewriter.notifyMatchFailure(op, "is not a view of a view");
    Composer c(rewriter, op.getLoc());
    Value merged = c.view(source, c.sizes(op.getResult()));
    if (!merged || merged.getType() != op.getType())
      return rewriter.notifyMatchFailure(op, "types differ");
    rewriter.replaceOp(op, merged);
    return success();
  }
};

/// permute(permute(x)) = permute(x), and no permutation at all.
struct MergePermutes : mlir::OpRewritePattern<PermuteOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PermuteOp op,
                                PatternRewriter &rewriter) const override {
    int64_t rank = Composer::rank(op.getResult());
    SmallVector<int64_t> dims;
    for (int64_t dim : op.getDims())
      dims.push_back(Composer::wrapDim(dim, rank));
    Value source = op.getSelf();
    auto inner = source.getDefiningOp<PermuteOp>();
    bool isIdentity = llvm::equal(dims, llvm::seq<int64_t>(0, rank));
    if (!inner && !isIdentity)
      return rewriter.notifyMatchFailure(op, "is not a permute of a permute");
    if (inner) {
      source = inner.getSelf();
      for (int64_t &dim : dims)
        dim = Composer::wrapDim(inner.getDims()[dim], rank);
    }
    Composer c(rewriter, op.getLoc());
    Value merged = llvm::equal(dims, llvm::seq<int64_t>(0, rank))
                       ? source
                       : c.permute(source, dims);
    if (!merged || merged.getType() != op.getType())
      return rewriter.notifyMatchFailure(op, "types differ");
    rewriter.replaceOp(op, merged);
    return success();
  }
};

/// f(f(x)) = g(x), where g is f itself or nothing.
template <typename OpT, bool isInvolution>
struct MergeTwice : mlir::OpRewritePattern<OpT> {
  using mlir::OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getSelf().template getDefiningOp<OpT>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "stands alone");
    Value value = isInvolution ? inner.getSelf() : inner.getResult();
    if (value.getType() != op.getResult().getType())
      return rewriter.notifyMatchFailure(op, "types differ");
    rewriter.replaceOp(op, value);
    return success();
  }
};

/// x * 1 and x / 1. (x + 0 is not x: minus zero becomes plus zero.)
template <typename OpT> struct DropUnit : mlir::OpRewritePattern<OpT> {
  using mlir::OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    Value other = op.getOther();
    if (Composer::isTensor(other) || Composer::getConstantNumber(other) != 1.0)
      return rewriter.notifyMatchFailure(op, "the operand is not the number 1");
    if (op.getSelf().getType() != op.getResult().getType())
      return rewriter.notifyMatchFailure(op, "promotes its operand");
    rewriter.replaceOp(op, op.getSelf());
    return success();
  }
};

struct AtenSimplifyPass : impl::AtenSimplifyPassBase<AtenSimplifyPass> {
  using AtenSimplifyPassBase::AtenSimplifyPassBase;

  void runOnOperation() override {
    if (failed(verifyPassInput(getOperation(), getArgument(),
                               {Stage::Capture, Stage::Joint})))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    populateSimplifyPatterns(patterns);
    if (failed(mlir::applyPatternsGreedily(getOperation(),
                                           std::move(patterns)))) {
      getOperation()->emitError("simplification did not come to an end");
      return signalPassFailure();
    }
    guard::eraseUnreadDefiners(getOperation());
  }
};

} // namespace

void populateSimplifyPatterns(RewritePatternSet &patterns) {
  patterns.add<DropIdentity<ViewOp>, DropIdentity<ReshapeOp>,
               DropIdentity<UnsafeViewOp>, DropIdentity<ExpandOp>,
               DropIdentity<AliasOp>, DropIdentity<ToDtypeOp>,
               DropIdentity<SqueezeOp>, DropIdentity<SqueezeDimOp>,
               DropIdentity<SqueezeDimsOp>>(patterns.getContext());
  patterns.add<MergeViews, MergePermutes, MergeTwice<DetachOp, false>,
               MergeTwice<NegOp, true>, MergeTwice<ReluOp, false>,
               MergeTwice<AbsOp, false>>(patterns.getContext());
  patterns.add<DropUnit<MulTensorOp>, DropUnit<MulScalarOp>,
               DropUnit<DivTensorOp>, DropUnit<DivScalarOp>>(
      patterns.getContext());
}

} // namespace kiln::aten
