//===- CompositeQuantize.cpp - Quantization that is only simulated --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `fake_quantize_*` round to the levels of a grid and stay floats:
//
//   level = round(x / scale) + zero          (saturates at low and high)
//   y     = (clamp(level, low, high) - zero) * scale
//
// Rounding has no slope, so PyTorch gives them another gradient: that of x
// where the level is inside of the grid, and of the scale and zero, where they
// are learned, that of the last line. Here the value carries no gradient, and
// terms that are zero carry PyTorch's:
//
//   y.detach() + (p - p.detach()) * slope.detach()
//
//===----------------------------------------------------------------------===//

#include "Composites.h"

#include <cmath>
#include <limits>

namespace kiln::aten {

namespace {
/// Levels from `low` to `high`; `scale` and `zero` are of one element, or
/// broadcast along the channels.
struct Grid {
  Value scale, zero;
  int64_t low, high;
  bool isPerChannel = false;
};

/// What becomes of elements on a grid.
struct Quantized {
  Value output; ///< carries no gradient
  Value inside; ///< where the grid has the level
  Value level;  ///< before it saturates
};
} // namespace

/// Elements in the type to compute in; the tensors of a grid keep theirs.
static Value widen(Composite &c, Value x) {
  return Composite::elementTypeOf(x).getIntOrFloatBitWidth() < 32
             ? c.cast(x, c.getBuilder().getF32Type())
             : x;
}

static Value clampTo(Composite &c, Value x, double low, double high) {
  return c.clamp(x, c.number(low), c.number(high));
}

static Quantized quantize(Composite &c, Value x, const Grid &grid) {
  Value wide = c.detach(widen(c, x));
  Value scale = c.detach(grid.scale), zero = c.detach(grid.zero);
  Value quotient = c.mul(wide, c.reciprocal(scale));
  // A zero that is no integer is rounded with the steps.
  bool isWhole = !llvm::isa<mlir::FloatType>(Composite::elementTypeOf(zero));
  Value level =
      isWhole ? c.add(c.round(quotient), zero) : c.round(c.add(quotient, zero));
  // NaN has the lowest level. So has, where PyTorch's kernel for channels makes
  // an i64 of it, what is too large for one.
  Value fits = grid.isPerChannel ? c.lt(c.abs(level), std::ldexp(1.0, 63))
                                 : c.eq(level, level);
  level = c.where(fits, level, c.filled(level, -std::ldexp(1.0, 63)));
  Value inside = c.logicalAnd(c.ge(level, double(grid.low)),
                              c.le(level, double(grid.high)));
  Value steps =
      c.sub(clampTo(c, level, double(grid.low), double(grid.high)), zero);
  // The kernel for whole tensors multiplies in f32, whatever it is given.
  if (!grid.isPerChannel)
    steps = c.cast(steps, c.getBuilder().getF32Type());
  Value output = c.mul(steps, scale);
  return {c.cast(output, Composite::elementTypeOf(x)), inside, level};
}

/// Nothing, with the gradient `slope` for `x`.
static Value slopeOf(Composite &c, Value x, Value slope) {
  return c.mul(c.sub(x, c.detach(x)), c.detach(slope));
}

/// The output with the gradient of `x` inside of the grid, and the mask.
static Values passThrough(Composite &c, Value x, const Quantized &result) {
  if (!result.output)
    return {};
  Value held = c.where(result.inside, x, c.filled(x, 0));
  return {c.add(result.output, c.sub(held, c.detach(held))), result.inside};
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

template <typename OpT>
static Grid levelsOf(Composite &c, OpT op, Value scale, Value zero,
                     bool isPerChannel = false) {
  Grid grid{scale, zero, int64_t(op.getQuantMin()), int64_t(op.getQuantMax()),
            isPerChannel};
  if (grid.low > grid.high)
    grid.scale = c.refuse("a grid has its highest level below its lowest");
  return grid;
}

/// A tensor of one element, of any rank, as one that promotes like a tensor
/// with dimensions and adds none to `x`.
static Value single(Composite &c, Value value, Value x) {
  return value ? c.view(value, SmallVector<int64_t>(Composite::rankOf(x), 1))
               : value;
}

/// `parameter`, one for each channel, along `axis` of `x`.
template <typename OpT>
static Value alongAxis(Composite &c, OpT op, Value parameter, Value x) {
  int64_t rank = Composite::rankOf(x),
          axis = c.place(int64_t(op.getAxis()), rank);
  if (Composite::rankOf(parameter) != 1 || axis >= rank)
    return {};
  SmallVector<ExprAttr> dims(rank, c.expr(1));
  dims[axis] = c.sizeOf(x, axis);
  return c.view(parameter, dims);
}

/// A scale and a zero that are numbers; PyTorch's kernel keeps the scale as
/// f32.
template <typename OpT> static Grid gridOfNumbers(Composite &c, OpT op) {
  SmallVector<ExprAttr> dims(Composite::rankOf(op.getSelf()), c.expr(1));
  mlir::Builder &b = c.getBuilder();
  Grid grid = levelsOf(
      c, op, c.full(dims, op.getScale().convertToDouble(), b.getF32Type()),
      c.full(dims, int64_t(op.getZeroPoint()), b.getI64Type()));
  int64_t zero = int64_t(op.getZeroPoint());
  if (grid.scale && (zero < grid.low || zero > grid.high))
    grid.scale = c.refuse("the zero of a grid is none of its levels");
  return grid;
}

template <typename OpT> static Grid gridOfTensors(Composite &c, OpT op) {
  Value x = op.getSelf();
  return levelsOf(c, op, single(c, op.getScale(), x),
                  single(c, op.getZeroPoint(), x));
}

template <typename OpT> static Grid gridOfChannels(Composite &c, OpT op) {
  Value x = op.getSelf(), zero = op.getZeroPoint();
  return levelsOf(c, op, alongAxis(c, op, op.getScale(), x),
                  alongAxis(c, op, zero, x), /*isPerChannel=*/true);
}

/// The same; a zero that is an integer must be a level.
template <typename OpT>
static Grid gridOfCheckedChannels(Composite &c, OpT op) {
  Grid grid = gridOfChannels(c, op);
  if (grid.zero &&
      !llvm::isa<mlir::FloatType>(Composite::elementTypeOf(grid.zero)))
    c.check(c.logicalAnd(c.ge(grid.zero, grid.low), c.le(grid.zero, grid.high)),
            "`zero_point` must be between `quant_min` and `quant_max`.");
  return grid;
}

static Values fakeQuantize(Composite &c, Value x, const Grid &grid) {
  if (!grid.scale || !grid.zero)
    return {};
  return passThrough(c, x, quantize(c, x, grid));
}
/// Without the mask.
static Value output(const Values &both) {
  return both.empty() ? Value() : both.front();
}

/// `values`, or `x` and a mask that is true where a switch is off.
static Values ifEnabled(Composite &c, Value enabled, Value x, Values values) {
  if (values.empty() || !enabled)
    return {};
  Value on = c.ne(single(c, enabled, x), 0);
  return {
      c.where(on, values[0], x),
      c.where(on, values[1],
              c.filled(Composite::dimsOf(x), 1, c.getBuilder().getI1Type()))};
}

//===----------------------------------------------------------------------===//
// Grids that are learned
//===----------------------------------------------------------------------===//

namespace {
/// How outputs move with what makes them, as PyTorch's kernels say it.
struct Slopes {
  Value inside, scale, zero;
};
} // namespace

template <typename OpT>
static Slopes slopesOf(Composite &c, OpT op, Value x, const Grid &grid) {
  Quantized result = quantize(c, x, grid);
  Value scale = c.detach(grid.scale);
  Value error = c.mul(c.sub(result.output, c.detach(x)), c.reciprocal(scale));
  Value edge = c.sub(
      clampTo(c, result.level, double(grid.low), double(grid.high)), grid.zero);
  double factor = op.getGradFactor().convertToDouble();
  Value toScale = c.mul(c.where(result.inside, error, edge), factor);
  Value outside = c.logicalNot(result.inside);
  Value toZero = c.mul(
      c.mul(c.cast(outside, Composite::elementTypeOf(scale)), scale), -factor);
  return {result.inside, toScale, toZero};
}

/// The grid of the values and that of the gradients: PyTorch rounds a learned
/// zero to even, and for the gradients of a whole tensor half up, toward zero.
template <bool IsPerChannel, typename OpT>
static std::pair<Grid, Grid> learnedGrids(Composite &c, OpT op) {
  Grid grid;
  if constexpr (IsPerChannel)
    grid = gridOfChannels(c, op);
  else
    grid = gridOfTensors(c, op);
  if (!grid.scale || !grid.zero)
    return {};
  double low = double(grid.low), high = double(grid.high);
  mlir::Type whole = c.getBuilder().getI64Type();
  auto inGrid = [&](Value zero) {
    return c.cast(clampTo(c, zero, low, high), whole);
  };
  Value zero = c.detach(grid.zero);
  Grid forward = grid;
  forward.zero = inGrid(c.round(zero));
  Grid backward = forward;
  if (!IsPerChannel)
    backward.zero = inGrid(c.add(zero, 0.5));
  return {forward, backward};
}

template <bool IsPerChannel, typename OpT>
static Value learned(Composite &c, OpT op) {
  auto [forward, backward] = learnedGrids<IsPerChannel>(c, op);
  Value x = op.getSelf();
  if (!forward.zero || !backward.zero)
    return {};
  Quantized result = quantize(c, x, forward);
  Slopes slopes = slopesOf(c, op, x, backward);
  Value held = c.where(slopes.inside, x, c.filled(x, 0));
  Value y = c.add(result.output, c.sub(held, c.detach(held)));
  y = c.add(y, slopeOf(c, forward.scale, slopes.scale));
  Value zero;
  if constexpr (IsPerChannel)
    zero = alongAxis(c, op, op.getZeroPoint(), x);
  else
    zero = single(c, op.getZeroPoint(), x);
  return c.cast(c.add(y, slopeOf(c, zero, slopes.zero)),
                Composite::elementTypeOf(x));
}

template <bool IsPerChannel, typename OpT>
static Values learnedBackward(Composite &c, OpT op) {
  Value grad = op.getGrad(), x = op.getSelf();
  Grid grid = learnedGrids<IsPerChannel>(c, op).second;
  if (!grid.zero)
    return {};
  Slopes slopes = slopesOf(c, op, x, grid);
  auto total = [&](Value each, Value parameter) {
    Value sum = c.sumToSize(each, Composite::dimsOf(grid.scale));
    return c.cast(c.view(sum, Composite::dimsOf(parameter)),
                  Composite::elementTypeOf(parameter));
  };
  return {c.mul(grad, slopes.inside),
          total(c.mul(grad, slopes.scale), op.getScale()),
          total(c.mul(grad, slopes.zero), op.getZeroPoint())};
}

//===----------------------------------------------------------------------===//
// Observed ranges
//===----------------------------------------------------------------------===//

/// The grid that holds [least, greatest] and zero
/// (ATen/native/quantized/cpu/QuantUtils.h): an f32 scale and an i32 zero.
static std::pair<Value, Value> chooseGrid(Composite &c, Value least,
                                          Value greatest, int64_t low,
                                          int64_t high, bool isSymmetric) {
  mlir::Builder &b = c.getBuilder();
  auto f32 = [&](Value x) { return c.cast(x, b.getF32Type()); };
  auto f64 = [&](Value x) { return c.cast(x, b.getF64Type()); };
  auto lit = [&](Value like, double value) { return c.filled(like, value); };
  Value bothSigns = c.logicalAnd(c.lt(least, 0), c.gt(greatest, 0));
  if (isSymmetric) {
    double highest = double((high - low) / 2), lowest = -(highest + 1);
    Value step = f64(c.maximum(c.abs(c.div(least, lowest)),
                               c.abs(c.div(greatest, highest))));
    least = c.where(bothSigns, f32(c.mul(step, lowest)), least);
    greatest = c.where(bothSigns, f32(c.mul(step, highest)), greatest);
  }
  least = c.minimum(least, c.filled(least, 0));
  greatest = c.maximum(greatest, c.filled(greatest, 0));
  double count = double(high - low);
  Value rounded = f32(c.div(c.sub(f64(greatest), f64(least)), count));
  Value isNothing = c.logicalOr(
      c.eq(rounded, 0),
      c.eq(c.reciprocal(rounded), std::numeric_limits<double>::infinity()));
  Value scale = c.where(isNothing, lit(rounded, 0.1), rounded);
  // A scale that is too small widens the range.
  const float smallest = 6.1e-5f;
  Value isSmall = c.lt(scale, double(smallest));
  Value wider = c.div(lit(least, double(smallest)), scale);
  Value span = lit(least, double(smallest * float(count)));
  Value hasNoLow = c.eq(least, 0), hasNoHigh = c.eq(greatest, 0);
  Value newLeast = c.where(
      hasNoLow, least, c.where(hasNoHigh, c.neg(span), c.mul(least, wider)));
  Value newGreatest = c.where(
      hasNoLow, span, c.where(hasNoHigh, greatest, c.mul(greatest, wider)));
  least = c.where(isSmall, newLeast, least);
  greatest = c.where(isSmall, newGreatest, greatest);
  scale = c.where(isSmall, lit(scale, double(smallest)), scale);
  // The zero from the end at which it errs less.
  Value fromLeast = c.div(f64(least), f64(scale));
  Value fromGreatest = c.div(f64(greatest), f64(scale));
  Value errsLess = c.lt(c.sub(std::fabs(double(low)), c.abs(fromLeast)),
                        c.sub(std::fabs(double(high)), c.abs(fromGreatest)));
  Value zero = c.where(errsLess, c.sub(double(low), fromLeast),
                       c.sub(double(high), fromGreatest));
  if (isSymmetric)
    zero = c.where(bothSigns, lit(zero, double(low + high) / 2), zero);
  zero = c.round(clampTo(c, zero, double(low), double(high)));
  return {scale, c.cast(zero, b.getIntegerType(32))};
}

/// Observes the range of `self` where `observer_on` says so, and where
/// `fake_quant_on` does rounds to the grid that the range asks for. Gives the
/// output, its mask and what is remembered.
Values decomposeFusedMovingAvgObsFqHelperFunctional(
    FusedMovingAvgObsFqHelperFunctionalOp op, Composite &c) {
  Value x = op.getSelf(), least = op.getRunningMin(),
        greatest = op.getRunningMax(), scale = op.getScale(),
        zero = op.getZeroPoint();
  bool isPerRow = op.getPerRowFakeQuant();
  int64_t rank = Composite::rankOf(x);
  if (isPerRow && (rank == 0 || op.getChAxis() != 0)) {
    c.refuse("ranges of channels are observed along another dimension than the "
             "first, as PyTorch does not");
    return {};
  }
  SmallVector<ExprAttr> dims(rank, c.expr(1));
  if (isPerRow)
    dims[0] = c.sizeOf(x, 0);
  auto others = llvm::to_vector(llvm::seq<int64_t>(isPerRow ? 1 : 0, rank));
  Value data = c.detach(x);
  double part = op.getAveragingConst().convertToDouble();
  auto remember = [&](Value before, Value now) {
    if (!before || !now)
      return Value();
    now = c.cast(c.view(now, Composite::dimsOf(before)),
                 Composite::elementTypeOf(before));
    Value isFirst =
        c.eq(c.abs(before), std::numeric_limits<double>::infinity());
    return c.where(isFirst, now,
                   c.add(before, c.mul(c.sub(now, before), part)));
  };
  Value newLeast = remember(least, c.aminOver(data, others));
  Value newGreatest = remember(greatest, c.amaxOver(data, others));
  if (!newLeast || !newGreatest)
    return {};
  auto replaceIf = [&](Value flag, Value now, Value before) {
    if (!now || !before)
      return Value();
    now = c.cast(c.view(now, Composite::dimsOf(before)),
                 Composite::elementTypeOf(before));
    return c.where(c.ne(single(c, flag, before), 0), now, before);
  };
  least = replaceIf(op.getObserverOn(), newLeast, least);
  greatest = replaceIf(op.getObserverOn(), newGreatest, greatest);
  auto [newScale, newZero] =
      chooseGrid(c, least, greatest, int64_t(op.getQuantMin()),
                 int64_t(op.getQuantMax()), op.getSymmetricQuant());
  scale = replaceIf(op.getFakeQuantOn(), newScale, scale);
  zero = replaceIf(op.getFakeQuantOn(), newZero, zero);
  if (!scale || !zero || !least || !greatest)
    return {};
  Values result =
      ifEnabled(c, op.getFakeQuantOn(), x,
                passThrough(c, x,
                            quantize(c, x,
                                     levelsOf(c, op, c.view(scale, dims),
                                              c.view(zero, dims), isPerRow))));
  if (result.empty())
    return {};
  result.append({least, greatest, scale, zero});
  return result;
}

Value decomposeFakeQuantizePerTensorAffine(FakeQuantizePerTensorAffineOp op,
                                           Composite &c) {
  return output(fakeQuantize(c, op.getSelf(), gridOfNumbers(c, op)));
}

Value decomposeFakeQuantizePerTensorAffineTensorQparams(
    FakeQuantizePerTensorAffineTensorQparamsOp op, Composite &c) {
  return output(fakeQuantize(c, op.getSelf(), gridOfTensors(c, op)));
}

Values decomposeFakeQuantizePerTensorAffineCachemask(
    FakeQuantizePerTensorAffineCachemaskOp op, Composite &c) {
  return fakeQuantize(c, op.getSelf(), gridOfNumbers(c, op));
}

Values decomposeFakeQuantizePerTensorAffineCachemaskTensorQparams(
    FakeQuantizePerTensorAffineCachemaskTensorQparamsOp op, Composite &c) {
  return ifEnabled(c, op.getFakeQuantEnabled(), op.getSelf(),
                   fakeQuantize(c, op.getSelf(), gridOfTensors(c, op)));
}

Value decomposeFakeQuantizePerChannelAffine(FakeQuantizePerChannelAffineOp op,
                                            Composite &c) {
  return output(fakeQuantize(c, op.getSelf(), gridOfCheckedChannels(c, op)));
}

Values decomposeFakeQuantizePerChannelAffineCachemask(
    FakeQuantizePerChannelAffineCachemaskOp op, Composite &c) {
  return fakeQuantize(c, op.getSelf(), gridOfCheckedChannels(c, op));
}

Value decomposeFakeQuantizeLearnablePerTensorAffine(
    FakeQuantizeLearnablePerTensorAffineOp op, Composite &c) {
  return learned<false>(c, op);
}

Values decomposeFakeQuantizeLearnablePerTensorAffineBackward(
    FakeQuantizeLearnablePerTensorAffineBackwardOp op, Composite &c) {
  return learnedBackward<false>(c, op);
}

Value decomposeFakeQuantizeLearnablePerChannelAffine(
    FakeQuantizeLearnablePerChannelAffineOp op, Composite &c) {
  return learned<true>(c, op);
}

Values decomposeFakeQuantizeLearnablePerChannelAffineBackward(
    FakeQuantizeLearnablePerChannelAffineBackwardOp op, Composite &c) {
  return learnedBackward<true>(c, op);
}

} // namespace kiln::aten
