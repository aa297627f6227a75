//===- Levels.cpp - What is quantized, and products of it -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Levels.h"

#include "kiln/Dialect/Guard/IR/Guard.h"

#include <cmath>

namespace kiln::aten {

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

bool isSized(Value tensor) {
  auto type = llvm::dyn_cast<RankedTensorType>(tensor.getType());
  return type && guard::getDims(type);
}

static bool isBytes(Value value) {
  Type type = FormulaBuilder::elementTypeOf(value);
  return FormulaBuilder::isTensor(value) && isSized(value) &&
         (type.isSignlessInteger(8) || type.isUnsignedInteger(8));
}

std::optional<Levels> findLevels(Value x) {
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

Value Levels::show(FormulaBuilder &c, Value value) const {
  if (!FormulaBuilder::isTensor(value))
    return value;
  if (value != bytes && isSingle(value))
    return c.view(value, SmallVector<int64_t>());
  for (Operation *op : llvm::reverse(path)) {
    if (auto permute = llvm::dyn_cast<PermuteOp>(op))
      value = c.permute(value, permute.getDims());
    else
      value = c.view(value, FormulaBuilder::dimsOf(op->getResult(0)));
  }
  return value;
}

/// True if a parameter does not change along dimension `dim` of what is shown.
static bool isFree(const Levels &levels, Value parameter, int64_t dim) {
  if (!parameter || isSingle(parameter))
    return true;
  for (Operation *op : levels.path) {
    auto dims = llvm::cast<PermuteOp>(op).getDims();
    dim = FormulaBuilder::wrapDim(dims[dim], int64_t(dims.size()));
  }
  return FormulaBuilder::dimsOf(parameter)[dim].isConstant(1);
}

bool Levels::areFree(ArrayRef<int64_t> dims) const {
  return llvm::all_of(dims,
                      [&](int64_t dim) {
                        return isFree(*this, scale, dim) &&
                               isFree(*this, zero, dim);
                      }) &&
         (getKnownZero() || FormulaBuilder::isTensor(zero));
}

std::optional<int64_t> Levels::getKnownZero() const {
  if (!zero)
    return 0;
  Value value = zero;
  // Of bytes, what is filled in may wrap.
  auto filled = value.getDefiningOp<FullOp>();
  if (filled &&
      FormulaBuilder::elementTypeOf(value).getIntOrFloatBitWidth() >= 32)
    value = filled.getFillValue();
  auto number = FormulaBuilder::isTensor(value)
                    ? std::nullopt
                    : FormulaBuilder::getConstantNumber(value);
  double least = isSigned() ? -128 : 0;
  if (!number || *number != std::round(*number) || *number < least ||
      *number > least + 255)
    return std::nullopt;
  return int64_t(*number);
}

/// The level that is nearest to `zero`, in i32, and in f32 what zero is more.
static std::pair<Value, Value> splitZero(FormulaBuilder &c, const Levels &of) {
  mlir::Builder &b = c.getBuilder();
  Value zero = of.show(c, of.zero);
  Type type = FormulaBuilder::elementTypeOf(zero);
  int64_t least = of.isSigned() ? -128 : 0;
  if (llvm::isa<mlir::FloatType>(type)) {
    Value level = c.clamp(c.round(zero), c.number(double(least)),
                          c.number(double(least + 255)));
    return {c.cast(level, b.getI32Type()),
            c.cast(c.sub(zero, level), b.getF32Type())};
  }
  zero = c.cast(zero, b.getI64Type());
  Value level = c.clamp(zero, c.number(least), c.number(least + 255));
  return {c.cast(level, b.getI32Type()),
          c.cast(c.sub(zero, level), b.getF32Type())};
}

LevelSum::LevelSum(FormulaBuilder &c, const Levels &left, const Levels &right) {
  if (left.isSigned() == right.isSigned())
    left.isSigned() ? shifts[0] = 128 : shifts[1] = -128;
  const Levels *factors[] = {&left, &right};
  for (auto [k, factor] : llvm::enumerate(factors)) {
    scales[k] = factor->show(c, factor->scale);
    zeros[k] = factor->getKnownZero();
    if (zeros[k]) {
      *zeros[k] += shifts[k];
      continue;
    }
    std::tie(levels[k], rests[k]) = splitZero(c, *factor);
    if (shifts[k] != 0)
      levels[k] = c.add(levels[k], shifts[k]);
  }
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

Value finishSum(FormulaBuilder &c, const LevelSum &sum, Value products,
                llvm::function_ref<Value()> sumLeft,
                llvm::function_ref<Value()> sumRight) {
  Type f32 = c.getBuilder().getF32Type();
  Value first = sum.scales[0], second = sum.scales[1];
  if (!isModest(first) && isModest(second))
    std::swap(first, second);
  Type type = isModest(first) ? f32 : Type(c.getBuilder().getF64Type());
  // `of` times a zero, as far as that is a level; null for 0.
  auto timesZero = [&](unsigned k, auto of) -> Value {
    if (sum.zeros[k] == 0)
      return {};
    if constexpr (std::is_same_v<decltype(of), int64_t>)
      return sum.zeros[k] ? c.number(of * *sum.zeros[k])
                          : c.mul(sum.levels[k], of);
    else
      return c.mul(of, sum.zeros[k] ? c.number(*sum.zeros[k]) : sum.levels[k]);
  };
  auto minus = [&](Value x, Value y) { return y ? c.sub(x, y) : x; };
  Value ofLeft, ofRight;
  if (sum.zeros[1] != 0)
    ofLeft = sumLeft();
  if (sum.zeros[0] != 0)
    ofRight = minus(sumRight(), timesZero(1, sum.terms));
  if (ofRight)
    products = minus(products, timesZero(0, ofRight));
  if (ofLeft)
    products = minus(products, timesZero(1, ofLeft));
  Value result = c.cast(products, type);
  if (Value rest = sum.rests[0])
    result = c.sub(result, c.mul(c.cast(ofRight, type), rest));
  if (Value rest = sum.rests[1]) {
    Value centred = c.cast(minus(ofLeft, timesZero(0, sum.terms)), type);
    if (sum.rests[0])
      centred = c.sub(centred, c.mul(sum.rests[0], double(sum.terms)));
    result = c.sub(result, c.mul(centred, rest));
  }
  return c.cast(c.mul(c.mul(result, first), second), f32);
}

} // namespace kiln::aten
