//===- MultiplyLevels.cpp - The pass aten-multiply-levels -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds factors of products that are levels on a grid, (level - zero) * scale,
// and multiplies the levels:
//
//   sum (a - za) (b - zb) = sum a b - za sum b - zb (sum a - K za)
//
// The result is exact modulo 2^32 whatever its terms are, and it fits into i32
// by itself; so each of them may wrap. Where a zero is not known its product
// has no bound, and what is large may cancel: it is taken off in f64.
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/IR/Aten.h"
#include "kiln/Dialect/Aten/IR/FormulaBuilder.h"
#include "kiln/Dialect/Aten/Transforms/Passes.h"
#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Interfaces/Stages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cmath>

namespace kiln::aten {
#define GEN_PASS_DEF_ATENMULTIPLYLEVELSPASS
#include "kiln/Dialect/Aten/Transforms/Passes.h.inc"

namespace {

struct AtenMultiplyLevelsPass
    : impl::AtenMultiplyLevelsPassBase<AtenMultiplyLevelsPass> {
  using AtenMultiplyLevelsPassBase::AtenMultiplyLevelsPassBase;

  void runOnOperation() override;
};

/// Terms of a sum at most: of as many products of 255 and 255 it is an i32.
constexpr int64_t kMostTerms = 33025;

/// A matrix (level - zero) * scale, but for what is done to its dimensions.
struct Levels {
  Value bytes;
  Value zero, scale;                ///< numbers or tensors; null for 0 and 1
  SmallVector<Operation *, 4> path; ///< views from the last to the first

  bool isSigned() const {
    return FormulaBuilder::elementTypeOf(bytes).isSignlessInteger(8);
  }
};

/// The terms of one matrix in the product.
struct Side {
  Value levels;                ///< i32, with `shift` added
  Value scale;                 ///< broadcasts to the result; null for 1
  std::optional<int64_t> zero; ///< if it is known, with `shift` added
  Value unknown;               ///< else: f64, broadcasts to the result
};

} // namespace

static bool isSingle(Value value) {
  if (!FormulaBuilder::isTensor(value))
    return true;
  return llvm::all_of(FormulaBuilder::dimsOf(value),
                      [](guard::ExprAttr size) { return size.isConstant(1); });
}

/// The op's operand if it shows the same elements in other dimensions.
static Value lookThrough(Operation *op) {
  if (auto permute = llvm::dyn_cast_if_present<PermuteOp>(op))
    return permute.getSelf();
  if (auto view = llvm::dyn_cast_if_present<ViewOp>(op))
    return view.getSelf();
  return {};
}

static bool isSized(Value tensor) {
  auto type = llvm::dyn_cast<RankedTensorType>(tensor.getType());
  return type && guard::getDims(type);
}

static bool isBytes(Value value) {
  Type type = FormulaBuilder::elementTypeOf(value);
  return FormulaBuilder::isTensor(value) && isSized(value) &&
         (type.isSignlessInteger(8) || type.isUnsignedInteger(8));
}

/// What `x` is the levels of, (level - zero) * scale.
static std::optional<Levels> findLevels(Value x) {
  Levels levels;
  while (Value inner = lookThrough(x.getDefiningOp())) {
    levels.path.push_back(x.getDefiningOp());
    x = inner;
  }
  // With a scale of 64 bits the product has them, and is rounded once.
  auto rounded = x.getDefiningOp<ToCopyOp>();
  bool isWide =
      rounded && FormulaBuilder::elementTypeOf(rounded.getSelf()).isF64();
  if (!FormulaBuilder::elementTypeOf(x).isF32())
    return std::nullopt;
  if (isWide)
    x = rounded.getSelf();
  auto scaled = x.getDefiningOp<MulTensorOp>();
  Type type = FormulaBuilder::elementTypeOf(x);
  if (!scaled || !(isWide ? type.isF64() : type.isF32()) || !isSized(x))
    return std::nullopt;
  levels.scale = scaled.getOther();
  Value level = scaled.getSelf();
  if (auto moved = level.getDefiningOp<SubTensorOp>()) {
    // A difference of bytes may wrap.
    Type type = FormulaBuilder::elementTypeOf(level);
    if (moved.getAlpha() || type.getIntOrFloatBitWidth() < 32)
      return std::nullopt;
    levels.zero = moved.getOther();
    level = moved.getSelf();
  }
  // Bytes may be a cast themselves: of what they were made of.
  auto cast = level.getDefiningOp<ToCopyOp>();
  if (cast && !isBytes(level)) {
    Type floats = FormulaBuilder::elementTypeOf(level);
    if (!floats.isF32() && !floats.isF64())
      return std::nullopt;
    level = cast.getSelf();
  }
  if (!isBytes(level) ||
      FormulaBuilder::typeOf(level).getShape() !=
          FormulaBuilder::typeOf(x).getShape() ||
      FormulaBuilder::dimsOf(level) != FormulaBuilder::dimsOf(x))
    return std::nullopt;
  levels.bytes = level;
  bool isPermuted = llvm::all_of(
      levels.path, [](Operation *op) { return llvm::isa<PermuteOp>(op); });
  for (Value parameter : {levels.zero, levels.scale}) {
    if (!parameter)
      continue;
    Type type = FormulaBuilder::elementTypeOf(parameter);
    bool isNumber = type.isF32() || type.isF64() || type.isInteger(64) ||
                    type.isInteger(32) || type.isInteger(8);
    if (!isNumber ||
        (FormulaBuilder::isTensor(parameter) && !isSized(parameter)))
      return std::nullopt;
    if (isSingle(parameter))
      continue;
    if (!isPermuted ||
        FormulaBuilder::rankOf(parameter) != FormulaBuilder::rankOf(x))
      return std::nullopt;
  }
  auto scale = FormulaBuilder::getConstantNumber(levels.scale);
  if (!FormulaBuilder::isTensor(levels.scale) &&
      (!scale || !std::isfinite(float(*scale))))
    return std::nullopt;
  return levels;
}

/// `value` as its levels are shown: a number, a tensor without dimensions, or
/// one that was permuted with them.
static Value show(FormulaBuilder &c, const Levels &levels, Value value) {
  if (!FormulaBuilder::isTensor(value))
    return value;
  if (value != levels.bytes && isSingle(value))
    return c.view(value, SmallVector<int64_t>());
  for (Operation *op : llvm::reverse(levels.path)) {
    if (auto permute = llvm::dyn_cast<PermuteOp>(op))
      value = c.permute(value, permute.getDims());
    else
      value = c.view(value, FormulaBuilder::dimsOf(op->getResult(0)));
  }
  return value;
}

/// True if a parameter does not change along dimension `sum` of the matrix.
static bool isFree(const Levels &levels, Value parameter, int64_t sum) {
  if (!parameter || isSingle(parameter))
    return true;
  for (Operation *op : levels.path) {
    auto dims = llvm::cast<PermuteOp>(op).getDims();
    sum = FormulaBuilder::wrapDim(dims[sum], int64_t(dims.size()));
  }
  return FormulaBuilder::dimsOf(parameter)[sum].isConstant(1);
}

/// A zero that is known and a level, or none.
static std::optional<int64_t> getKnownZero(const Levels &levels) {
  if (!levels.zero)
    return 0;
  Value zero = levels.zero;
  // Of bytes, what is filled in may wrap.
  auto filled = zero.getDefiningOp<FullOp>();
  if (filled &&
      FormulaBuilder::elementTypeOf(zero).getIntOrFloatBitWidth() >= 32)
    zero = filled.getFillValue();
  auto number = FormulaBuilder::isTensor(zero)
                    ? std::nullopt
                    : FormulaBuilder::getConstantNumber(zero);
  double least = levels.isSigned() ? -128 : 0;
  if (!number || *number != std::round(*number) || *number < least ||
      *number > least + 255)
    return std::nullopt;
  return int64_t(*number);
}

/// Both are levels whose sums are i32.
static bool fit(const Levels &levels, int64_t sum) {
  bool isKnown = getKnownZero(levels).has_value();
  return isFree(levels, levels.scale, sum) &&
         isFree(levels, levels.zero, sum) &&
         (isKnown || FormulaBuilder::isTensor(levels.zero));
}

static Side makeSide(FormulaBuilder &c, const Levels &levels, int64_t shift) {
  Side side;
  mlir::Builder &b = c.getBuilder();
  side.levels = c.cast(show(c, levels, levels.bytes), b.getI32Type());
  if (shift != 0)
    side.levels = c.add(side.levels, shift);
  side.scale = show(c, levels, levels.scale);
  side.zero = getKnownZero(levels);
  if (side.zero) {
    *side.zero += shift;
    return side;
  }
  side.unknown = c.cast(show(c, levels, levels.zero), b.getF64Type());
  if (shift != 0)
    side.unknown = c.add(side.unknown, double(shift));
  return side;
}

/// A number by which sums of i32, f32 before and after, neither overflow nor
/// lose bits to denormals: what another scale makes of them is then no fault of
/// the order.
static bool isModest(Value scale) {
  auto number = FormulaBuilder::isTensor(scale)
                    ? std::nullopt
                    : FormulaBuilder::getConstantNumber(scale);
  if (!number)
    return false;
  double size = std::abs(*number);
  return size == 0 || (size >= 0x1p-60 && size <= 0x1p60);
}

/// The product of two matrices of levels, as f32.
static Value multiply(FormulaBuilder &c, const Levels &left,
                      const Levels &right, int64_t terms) {
  // One side is unsigned and the other signed.
  bool areAlike = left.isSigned() == right.isSigned();
  Side a = makeSide(c, left, areAlike && left.isSigned() ? 128 : 0);
  Side b = makeSide(c, right, areAlike && !right.isSigned() ? -128 : 0);
  Type f32 = c.getBuilder().getF32Type(), i32 = c.getBuilder().getI32Type();
  Value first = a.scale, second = b.scale;
  if (!isModest(first) && isModest(second))
    std::swap(first, second);
  Type type = a.unknown || b.unknown || !isModest(first)
                  ? Type(c.getBuilder().getF64Type())
                  : f32;
  Value sum = c.mm(a.levels, b.levels);
  auto add = [&](Value levels, int64_t dim) {
    return c.sumOver(levels, {dim}, /*keepdim=*/true, i32);
  };
  // What is known first, in i32.
  Value columns, rows;
  if (a.zero != 0)
    columns = add(b.levels, 0);
  if (b.zero != 0)
    rows = add(a.levels, 1);
  if (a.zero && *a.zero != 0)
    sum = c.sub(sum, c.mul(columns, *a.zero));
  if (rows && a.zero && *a.zero != 0)
    rows = c.sub(rows, terms * *a.zero);
  if (b.zero && *b.zero != 0 && a.zero)
    sum = c.sub(sum, c.mul(rows, *b.zero));
  Value result = c.cast(sum, type);
  if (a.unknown)
    result = c.sub(result, c.mul(c.cast(columns, type), a.unknown));
  if (rows && (b.unknown || a.unknown)) {
    Value centred = c.cast(rows, type);
    if (a.unknown)
      centred = c.sub(centred, c.mul(a.unknown, double(terms)));
    result = c.sub(result, b.unknown ? c.mul(centred, b.unknown)
                                     : c.mul(centred, double(*b.zero)));
  }
  return c.cast(c.mul(c.mul(result, first), second), f32);
}

/// A product of floats and levels whose zero is 0, the scale behind it.
static Value multiplyWeight(FormulaBuilder &c, Value left,
                            const Levels &right) {
  Type f32 = c.getBuilder().getF32Type();
  Value weight = c.cast(show(c, right, right.bytes), f32);
  return c.cast(c.mul(c.mm(left, weight), show(c, right, right.scale)), f32);
}

/// The product `left @ right` if one of them has levels; else null.
static Value rewrite(FormulaBuilder &c, Value left, Value right,
                     bool weightsOnly) {
  if (!isSized(left) || !isSized(right) ||
      !FormulaBuilder::elementTypeOf(left).isF32())
    return {};
  auto b = findLevels(right);
  if (!b || !fit(*b, /*sum=*/0))
    return {};
  auto a = findLevels(left);
  auto terms = FormulaBuilder::dimOf(left, 1).getConstant();
  if (a && !weightsOnly && fit(*a, /*sum=*/1) && terms && *terms > 0 &&
      *terms <= kMostTerms)
    return multiply(c, *a, *b, *terms);
  if (getKnownZero(*b) == 0)
    return multiplyWeight(c, left, *b);
  return {};
}

void AtenMultiplyLevelsPass::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Capture, Stage::Joint})))
    return signalPassFailure();
  SmallVector<Operation *> products;
  getOperation().walk([&](Operation *op) {
    if (llvm::isa<MmOp, AddmmOp>(op))
      products.push_back(op);
  });
  for (Operation *op : products) {
    OpBuilder builder(op);
    FormulaBuilder c(builder, op->getLoc());
    Value result;
    if (auto product = llvm::dyn_cast<MmOp>(op)) {
      result = rewrite(c, product.getSelf(), product.getMat2(), weightsOnly);
    } else {
      auto sum = llvm::cast<AddmmOp>(op);
      if (!sum.getAlpha() && !sum.getBeta())
        result = rewrite(c, sum.getMat1(), sum.getMat2(), weightsOnly);
      if (result)
        result = c.add(result, sum.getSelf());
    }
    if (!result || result.getType() != op->getResult(0).getType())
      continue;
    op->replaceAllUsesWith(ValueRange{result});
    op->erase();
  }
}

} // namespace kiln::aten
