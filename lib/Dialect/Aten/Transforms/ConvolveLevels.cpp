//===- ConvolveLevels.cpp - Convolutions of quantized images --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is outside of an image is 0, and so the zero of its grid: the levels are
// padded with it, and each window has as many terms as any other.
//
//===----------------------------------------------------------------------===//

#include "Levels.h"

#include "kiln/Dialect/Guard/IR/Guard.h"

#include "llvm/Support/MathExtras.h"

namespace kiln::aten {

/// Bytes that are multiplied together.
static constexpr int64_t kTogether = 4;
/// Terms of floats that take as long as what is done to a sum of bytes: zeros,
/// a scale more, the conversion. On an EPYC (Genoa) 16 terms take 2 to 9 %
/// longer as bytes, 24 less than half of the time.
static constexpr int64_t kTermsBehind = 12;
/// Channels that a group has at least, both ways. There 16 take three fifths of
/// the time of floats, 8 take 8 % longer, and channels of their own four times
/// as long.
static constexpr int64_t kLeastGroup = 16;

/// Terms of an element of the result; nothing if they are not known.
static std::optional<int64_t> countTerms(Value weight) {
  int64_t terms = 1;
  for (ExprAttr size : ArrayRef(FormulaBuilder::dimsOf(weight)).drop_front()) {
    auto constant = size.getConstant();
    if (!constant || *constant < 1 || *constant > kMostTerms)
      return std::nullopt;
    terms *= *constant;
    if (terms > kMostTerms)
      return std::nullopt;
  }
  return terms;
}

/// The amounts on both sides of each dimension, the last dimension first;
/// nothing if they are not known.
static std::optional<Sizes> getWidths(ConvolutionOp op, int64_t spatial) {
  ArrayRef<ExprAttr> padding = op.getPadding().getDims();
  Sizes widths;
  for (int64_t k = spatial; k-- > 0;) {
    ExprAttr width = padding[padding.size() == 1 ? 0 : k];
    if (!width.isConstant() || width.getPayload() < 0)
      return std::nullopt;
    widths.append(2, width);
  }
  return widths;
}

/// `perChannel`, a number or [channels, 1, ...] as a weight has it, as it
/// broadcasts to images.
static Value alongChannels(FormulaBuilder &c, Value perChannel) {
  if (!FormulaBuilder::isTensor(perChannel) ||
      FormulaBuilder::rankOf(perChannel) == 0)
    return perChannel;
  Sizes dims = FormulaBuilder::dimsOf(perChannel);
  dims.erase(dims.begin() + 1);
  return c.view(perChannel, dims);
}

/// Zeros behind the weights of a window, after which factors that are summed up
/// come in fours as they lie in memory: behind the taps of a row, where an
/// image has few channels and keeps them first, else behind the channels.
/// Amounts on both sides of dimensions, the last one first.
static Sizes getFilling(FormulaBuilder &c, ConvolutionOp op) {
  int64_t spatial = FormulaBuilder::rankOf(op.getWeight()) - 2;
  auto channels = FormulaBuilder::dimOf(op.getWeight(), 1).getConstant();
  auto taps = FormulaBuilder::dimOf(op.getWeight(), -1).getConstant();
  if (!op.getGroups().isConstant(1) || *channels % kTogether == 0)
    return {};
  auto rest = [&](int64_t size) {
    return c.expr(int64_t(llvm::alignTo(size, kTogether)) - size);
  };
  if (*channels < kTogether && *taps > 1 &&
      op.getDilation().getDims().back().isConstant(1))
    return {c.expr(0), rest(*taps)};
  if (*channels < kTogether - 1)
    return {};
  Sizes widths(2 * spatial, c.expr(0));
  widths.append({c.expr(0), rest(*channels)});
  return widths;
}

/// True of zeros behind the taps of a row, not behind the channels.
static bool isBehindTaps(const Sizes &filling) { return filling.size() == 2; }

/// The sums of the windows over all channels of a group, for each channel of
/// the result.
static Value sumWindows(FormulaBuilder &c, ConvolutionOp op, Value image,
                        const Sizes &filling, const Sizes &inside) {
  Type i32 = c.getBuilder().getI32Type();
  Sizes apart = FormulaBuilder::dimsOf(image),
        taps = FormulaBuilder::dimsOf(op.getWeight()),
        result = FormulaBuilder::dimsOf(op.getResult());
  ExprAttr groups = op.getGroups();
  ExprAttr ofGroup = guard::floorDiv(apart[1], groups);
  apart[1] = groups;
  apart.insert(apart.begin() + 2, ofGroup);
  Value channels = c.sumOver(c.view(image, apart), {2}, /*keepdim=*/false, i32);
  taps[0] = groups;
  taps[1] = c.expr(1);
  Value ones = c.filled(taps, 1, i32);
  if (isBehindTaps(filling))
    ones = c.constantPad(ones, filling, 0);
  Value sums =
      c.convolution(channels, ones, Value(), op.getStride(), inside,
                    op.getDilation(), /*transposed=*/false, inside, groups);
  if (groups.isConstant(1))
    return sums;
  // Each channel of a group has the sum of the group.
  Sizes wide = FormulaBuilder::dimsOf(sums), repeated;
  wide.insert(wide.begin() + 2, c.expr(1));
  repeated = wide;
  repeated[2] = guard::floorDiv(result[1], groups);
  return c.view(c.expand(c.view(sums, wide), repeated), result);
}

/// The levels of an image with `shift` added, and around it the zero of its
/// grid.
static Value padImage(FormulaBuilder &c, const Levels &levels, int64_t shift,
                      std::optional<int64_t> zero, Sizes widths,
                      const Sizes &filling) {
  mlir::Builder &b = c.getBuilder();
  // Of bytes, so that whoever reads them often reads no more.
  Value image = levels.show(c, levels.bytes);
  if (shift != 0)
    image = c.cast(c.add(c.cast(image, b.getI32Type()), shift),
                   b.getIntegerType(8, /*isSigned=*/false));
  if (isBehindTaps(filling))
    widths[1] = widths[1] + filling[1];
  image = c.constantPad(image, widths, double(zero.value_or(0)));
  return isBehindTaps(filling) ? image : c.constantPad(image, filling, 0);
}

/// True if a convolution of so many terms takes less time as bytes, zeros
/// behind its weights included.
static bool isWorthBytes(ConvolutionOp op, int64_t terms,
                         const Sizes &filling) {
  Sizes taps = FormulaBuilder::dimsOf(op.getWeight());
  auto results = taps[0].getConstant(), groups = op.getGroups().getConstant();
  if (!results || !groups || *groups < 1)
    return false;
  int64_t channels = *taps[1].getConstant(), ofGroup = *results / *groups;
  if (*groups > 1 && std::min(channels, ofGroup) < kLeastGroup)
    return false;
  // Amounts come in pairs, from the last dimension on.
  int64_t filled = terms;
  for (auto [k, size] : llvm::enumerate(llvm::reverse(taps)))
    if (2 * k + 1 < filling.size())
      filled = filled / *size.getConstant() *
               (*size.getConstant() + filling[2 * k + 1].getPayload());
  // The sums of windows are of one channel, and of all channels before.
  int64_t ofWindows = channels + terms / channels;
  return ofGroup * (filled / kTogether + kTermsBehind) + ofWindows <
         ofGroup * terms;
}

Value convolveLevels(FormulaBuilder &c, ConvolutionOp op, StringRef &why) {
  Value weight = op.getWeight();
  if (op.getTransposed() || !isSized(op.getInput()) || !isSized(weight) ||
      !isSized(op.getResult()))
    return {};
  int64_t rank = FormulaBuilder::rankOf(weight), spatial = rank - 2;
  auto a = findLevels(op.getInput()), b = findLevels(weight);
  auto terms = countTerms(weight);
  auto widths = getWidths(op, spatial);
  SmallVector<int64_t> inner = llvm::to_vector(llvm::seq<int64_t>(1, rank));
  if (!a || !b)
    return {};
  why = "its scales change along the sum, or the sum or padding is not known";
  if (!terms || !widths || !a->areFree(inner) || !b->areFree(inner))
    return {};
  Sizes filling = getFilling(c, op), inside(spatial, c.expr(0));
  bool isPadded = llvm::any_of(
      *widths, [](ExprAttr width) { return !width.isConstant(0); });
  why = "its sums are short, or its groups narrow";
  if (!isWorthBytes(op, *terms, filling))
    return {};
  why = "the zero around the image is not known";
  if (isPadded && !a->getKnownZero())
    return {};
  LevelSum sum(c, *a, *b);
  sum.terms = *terms;
  for (Value *value : {&sum.scales[1], &sum.levels[1], &sum.rests[1]})
    *value = alongChannels(c, *value);
  Type i32 = c.getBuilder().getI32Type();
  Value image = c.cast(
      padImage(c, *a, sum.shifts[0], sum.zeros[0], *widths, filling), i32);
  // What is filled in is 0 when it is moved.
  Value filter = c.cast(
      c.constantPad(b->show(c, b->bytes), filling, double(-sum.shifts[1])),
      i32);
  if (sum.shifts[1] != 0)
    filter = c.add(filter, sum.shifts[1]);
  Value products = c.convolution(image, filter, Value(), op.getStride(), inside,
                                 op.getDilation(), /*transposed=*/false, inside,
                                 op.getGroups());
  Value result = finishSum(
      c, sum, products,
      [&] { return sumWindows(c, op, image, filling, inside); },
      [&]() -> Value {
        return alongChannels(c,
                             c.sumOver(filter, inner, /*keepdim=*/true, i32));
      });
  if (Value bias = op.getBias()) {
    Sizes ofBias(rank - 1, c.expr(1));
    ofBias[0] = FormulaBuilder::dimOf(bias, 0);
    result = c.add(result, c.view(bias, ofBias));
  }
  return result;
}

} // namespace kiln::aten
