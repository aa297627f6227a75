//===- Simplify.cpp - The pass aten-simplify ------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Simplify.h"

#include "kiln/Dialect/Aten/IR/Aten.h"
#include "kiln/Dialect/Aten/IR/ViewMaps.h"
#include "kiln/Dialect/Aten/Transforms/Passes.h"
#include "kiln/Dialect/Guard/IR/SymbolEffects.h"
#include "kiln/Interfaces/Stages.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace kiln::aten {
#define GEN_PASS_DEF_ATENSIMPLIFYPASS
#include "kiln/Dialect/Aten/Transforms/Passes.h.inc"

bool isMemorySeen(Value value, bool byInput) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    const OpInfo *info = getOpInfo(user);
    if (!info || info->isComposite ||
        llvm::isa<AsStridedOp, AsStridedCopyOp, AsStridedScatterOp>(user))
      return true;
    if (!info->isView && !info->isSilentView && !info->mayCopy)
      return false;
    return byInput || llvm::any_of(user->getResults(), [](Value shown) {
             return isMemorySeen(shown, /*byInput=*/false);
           });
  });
}

Value getStandIn(FormulaBuilder &c, Value made, Value same) {
  return isMemorySeen(made, llvm::isa<mlir::BlockArgument>(same))
             ? c.clone(same, "contiguous_format")
             : same;
}

namespace {

/// What a view with one result shows; nothing for other ops and those outside the
/// records, of which nothing says when they copy.
std::optional<ViewMap> getMap(Operation *op) {
  auto view = llvm::dyn_cast_if_present<ViewOpInterface>(op);
  if (!view || !getOpInfo(op) || op->getNumResults() != 1)
    return std::nullopt;
  FailureOr<ViewMaps> maps = view.getViewMaps();
  return succeeded(maps) ? std::optional(maps->front()) : std::nullopt;
}

/// A view that is its operand.
struct DropIdentity : mlir::OpInterfaceRewritePattern<ViewOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(ViewOpInterface op,
                                PatternRewriter &rewriter) const override {
    Value same = getSameView(op);
    if (!same)
      return rewriter.notifyMatchFailure(op, "shows something else");
    rewriter.replaceOp(op, same);
    return success();
  }
};

/// What gives its operand: `to.dtype` of what is of that type and is no copy, and
/// `contiguous`, whose strides nothing sees from here on.
template <typename OpT> struct DropSame : mlir::OpRewritePattern<OpT> {
  using mlir::OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    if (op.getSelf().getType() != op.getResult().getType())
      return rewriter.notifyMatchFailure(op, "changes its operand's type");
    if constexpr (std::is_same_v<OpT, ToDtypeOp>)
      if (op.getCopy())
        return rewriter.notifyMatchFailure(op, "is a copy");
    rewriter.replaceOp(op, op.getSelf());
    return success();
  }
};

/// True if each number of type `from` is one of type `to`.
static bool isExact(Type from, Type to) {
  auto fromFloat = llvm::dyn_cast<mlir::FloatType>(from),
       toFloat = llvm::dyn_cast<mlir::FloatType>(to);
  if (fromFloat && toFloat)
    return llvm::APFloat::isRepresentableBy(fromFloat.getFloatSemantics(),
                                            toFloat.getFloatSemantics());
  auto fromInt = llvm::dyn_cast<mlir::IntegerType>(from),
       toInt = llvm::dyn_cast<mlir::IntegerType>(to);
  if (!fromInt || !(toInt || toFloat))
    return false;
  // The type i1 is PyTorch's bool, other integers without a sign in their type
  // have one.
  auto isSigned = [](mlir::IntegerType type) {
    return type.isSignless() && type.getWidth() > 1;
  };
  unsigned digits = fromInt.getWidth() - isSigned(fromInt);
  if (toFloat)
    return digits <= toFloat.getFPMantissaWidth();
  return digits <= toInt.getWidth() - isSigned(toInt) &&
         (isSigned(toInt) || !isSigned(fromInt));
}

/// What was widened and is narrowed again is narrowed at once, or is what it was.
/// A wider type that does not have all numbers of both others rounds one of them;
/// so it would a gradient on its way back.
struct MergeCasts : mlir::OpRewritePattern<ToCopyOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ToCopyOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getSelf().getDefiningOp<ToCopyOp>();
    if (!inner || !isCast(op) || !isCast(inner))
      return rewriter.notifyMatchFailure(op, "is not a cast of a cast");
    Type from = FormulaBuilder::elementTypeOf(inner.getSelf()),
         wide = FormulaBuilder::elementTypeOf(op.getSelf()),
         to = FormulaBuilder::elementTypeOf(op.getResult());
    // How what is out of range becomes an integer is a matter of both types.
    bool areAlike = from == to ||
                    areAll<mlir::FloatType>({from, wide, to}) ||
                    areAll<mlir::IntegerType>({from, wide, to});
    if (!areAlike || !isExact(from, wide) || !isExact(to, wide))
      return rewriter.notifyMatchFailure(op, "rounds twice");
    if (!haveSameSizes(inner.getSelf(), op.getResult()))
      return rewriter.notifyMatchFailure(op, "types differ");
    FormulaBuilder c(rewriter, op.getLoc());
    Value value = c.cast(inner.getSelf(), to);
    if (from == to)
      value = getStandIn(c, op.getResult(), value);
    rewriter.replaceOp(op, value);
    return success();
  }

  template <typename T> static bool areAll(std::initializer_list<Type> types) {
    return llvm::all_of(types, [](Type type) { return llvm::isa<T>(type); });
  }

  /// Nothing but another type is asked for.
  static bool isCast(ToCopyOp op) {
    return !op.getLayoutAttr() && !op.getDeviceAttr() &&
           !op.getMemoryFormatAttr();
  }
};

/// view(v(x)) = view(x), where v keeps the order of the elements.
struct MergeViews : mlir::OpRewritePattern<ViewOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ViewOp op,
                                PatternRewriter &rewriter) const override {
    Operation *inner = op.getSelf().getDefiningOp();
    std::optional<ViewMap> map = getMap(inner);
    if (!map || !keepsOrder(inner, *map))
      return rewriter.notifyMatchFailure(op, "is not a view of a view");
    FormulaBuilder c(rewriter, op.getLoc());
    Value merged = c.view(inner->getOperand(0), c.dimsOf(op.getResult()));
    if (!merged || merged.getType() != op.getType())
      return rewriter.notifyMatchFailure(op, "types differ");
    rewriter.replaceOp(op, merged);
    return success();
  }

  /// Other sizes of the same elements, or dimensions of size 1 more or less.
  static bool keepsOrder(Operation *inner, const ViewMap &map) {
    const OpInfo &info = *getOpInfo(inner);
    if (!info.isView || info.mayCopy || llvm::isa<DetachOp>(inner) ||
        map.elements != ViewElements::Same)
      return false;
    if (map.kind != ViewKind::Strided)
      return map.kind == ViewKind::InOrder;
    auto sizes = FormulaBuilder::dimsOf(inner->getOperand(0));
    SmallVector<bool> isShown(sizes.size(), false),
        isStepped(map.sizes.size(), false);
    unsigned from = 0, to = 0;
    for (const auto &step : map.steps) {
      if (step.from < from || step.to < to || isShown[step.to] || isStepped[step.from] ||
          !step.by.isConstant(1) || map.sizes[step.from] != sizes[step.to])
        return false;
      from = step.from;
      to = step.to;
      isShown[step.to] = isStepped[step.from] = true;
    }
    auto areOnes = [](ArrayRef<guard::ExprAttr> dims, ArrayRef<bool> without) {
      return llvm::all_of(llvm::zip_equal(dims, without), [](auto pair) {
        return std::get<1>(pair) || std::get<0>(pair).isConstant(1);
      });
    };
    return areOnes(sizes, isShown) && areOnes(map.sizes, isStepped);
  }
};

/// permute(permute(x)) = permute(x), and no permutation at all.
struct MergePermutes : mlir::OpRewritePattern<PermuteOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PermuteOp op,
                                PatternRewriter &rewriter) const override {
    int64_t rank = FormulaBuilder::rankOf(op.getResult());
    SmallVector<int64_t> dims;
    for (int64_t dim : op.getDims())
      dims.push_back(FormulaBuilder::wrapDim(dim, rank));
    Value source = op.getSelf();
    auto inner = source.getDefiningOp<PermuteOp>();
    bool isIdentity = llvm::equal(dims, llvm::seq<int64_t>(0, rank));
    if (!inner && !isIdentity)
      return rewriter.notifyMatchFailure(op, "is not a permute of a permute");
    if (inner) {
      source = inner.getSelf();
      for (int64_t &dim : dims)
        dim = FormulaBuilder::wrapDim(inner.getDims()[dim], rank);
    }
    FormulaBuilder c(rewriter, op.getLoc());
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
    FormulaBuilder c(rewriter, op.getLoc());
    rewriter.replaceOp(op, isInvolution ? getStandIn(c, op.getResult(), value)
                                        : value);
    return success();
  }
};

/// x * 1 and x / 1. (x + 0 is not x: minus zero becomes plus zero. Nor is the
/// product of a complex number: its infinities meet the zero of 1 + 0i.)
template <typename OpT> struct DropUnit : mlir::OpRewritePattern<OpT> {
  using mlir::OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    Value other = op.getOther();
    if (FormulaBuilder::isTensor(other) ||
        FormulaBuilder::getConstantNumber(other) != 1.0)
      return rewriter.notifyMatchFailure(op, "the operand is not the number 1");
    if (op.getSelf().getType() != op.getResult().getType())
      return rewriter.notifyMatchFailure(op, "promotes its operand");
    if (FormulaBuilder::isComplex(op.getSelf()))
      return rewriter.notifyMatchFailure(op, "multiplies imaginary parts");
    FormulaBuilder c(rewriter, op.getLoc());
    rewriter.replaceOp(op, getStandIn(c, op.getResult(), op.getSelf()));
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
    populateSimplifyPatterns(patterns, keepDifferentiable);
    if (failed(mlir::applyPatternsGreedily(getOperation(),
                                           std::move(patterns)))) {
      getOperation()->emitError("simplification did not come to an end");
      return signalPassFailure();
    }
    guard::eraseUnreadDefiners(getOperation());
  }
};

} // namespace

void populateSimplifyPatterns(RewritePatternSet &patterns,
                              bool keepDifferentiable) {
  patterns.add<DropIdentity, DropSame<ToDtypeOp>, DropSame<ContiguousOp>,
               MergeCasts, MergeViews, MergePermutes, MergeTwice<DetachOp, false>,
               MergeTwice<NegOp, true>, MergeTwice<ReluOp, false>,
               MergeTwice<AbsOp, false>>(patterns.getContext());
  patterns.add<DropUnit<MulTensorOp>, DropUnit<MulScalarOp>,
               DropUnit<DivTensorOp>, DropUnit<DivScalarOp>>(
      patterns.getContext());
  populateCatPatterns(patterns, keepDifferentiable);
}

} // namespace kiln::aten
