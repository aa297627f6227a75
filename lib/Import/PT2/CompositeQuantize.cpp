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
// Rounding has no slope, so PyTorch gives them another gradient: that of x where
// the level is inside of the grid, and of the scale and zero, where they are
// learned, that of the last line. Here the value carries no gradient, and terms
// that are zero carry PyTorch's:
//
//   y.detach() + (p - p.detach()) * slope.detach()
//
//===----------------------------------------------------------------------===//

#include "Composites.h"

#include "kiln/Dialect/Guard/IR/Guard.h"

#include <cmath>

using namespace kiln;
using namespace kiln::pt2;
using guard::ExprAttr;

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
  return c.AtenBuilder::clamp(x, c.number(low), c.number(high));
}

static Quantized quantize(Composite &c, Value x, const Grid &grid) {
  Value wide = c.detach(widen(c, x));
  Value scale = c.detach(grid.scale), zero = c.detach(grid.zero);
  Value quotient = c.mul(wide, c.reciprocal(scale));
  // A zero that is no integer is rounded with the steps.
  bool isWhole = !llvm::isa<mlir::FloatType>(Composite::elementTypeOf(zero));
  Value level = isWhole ? c.add(c.unary("aten.round", quotient), zero)
                        : c.unary("aten.round", c.add(quotient, zero));
  // NaN has the lowest level. So has, where PyTorch's kernel for channels makes an
  // i64 of it, what is too large for one.
  Value fits = grid.isPerChannel
                   ? c.lt(c.abs(level), std::ldexp(1.0, 63))
                   : c.eq(level, level);
  level = c.where(fits, level, c.fullLike(level, -std::ldexp(1.0, 63)));
  Value inside = c.logicalAnd(c.ge(level, double(grid.low)),
                              c.le(level, double(grid.high)));
  Value steps = c.sub(
      clampTo(c, level, double(grid.low), double(grid.high)), zero);
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
  Value held = c.where(result.inside, x, c.zerosLike(x));
  return {c.add(result.output, c.sub(held, c.detach(held))), result.inside};
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

static Grid levelsOf(Composite &c, Value scale, Value zero,
                     bool isPerChannel = false) {
  Grid grid{scale, zero, c.integer("quant_min"), c.integer("quant_max"),
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
static Value alongAxis(Composite &c, Value parameter, Value x) {
  int64_t rank = Composite::rankOf(x), axis = c.place(c.integer("axis"), rank);
  if (Composite::rankOf(parameter) != 1 || axis >= rank)
    return {};
  SmallVector<ExprAttr> dims(rank, c.expr(1));
  dims[axis] = c.dimOf(x, axis);
  return c.view(parameter, dims);
}

/// A scale and a zero that are numbers; PyTorch's kernel keeps the scale as f32.
static Grid gridOfNumbers(Composite &c) {
  SmallVector<ExprAttr> dims(Composite::rankOf(c.self()), c.expr(1));
  mlir::Builder &b = c.getBuilder();
  Grid grid = levelsOf(c, c.full(dims, c.real("scale"), b.getF32Type()),
                       c.full(dims, c.real("zero_point"), b.getI64Type()));
  int64_t zero = c.integer("zero_point");
  if (grid.scale && (zero < grid.low || zero > grid.high))
    grid.scale = c.refuse("the zero of a grid is none of its levels");
  return grid;
}

static Grid gridOfTensors(Composite &c) {
  Value x = c.tensor("self");
  return levelsOf(c, single(c, c.tensor("scale"), x),
                  single(c, c.tensor("zero_point"), x));
}

static Grid gridOfChannels(Composite &c) {
  Value x = c.tensor("self"), zero = c.tensor("zero_point");
  return levelsOf(c, alongAxis(c, c.tensor("scale"), x),
                  alongAxis(c, zero, x), /*isPerChannel=*/true);
}

/// The same; a zero that is an integer must be a level.
static Grid gridOfCheckedChannels(Composite &c) {
  Grid grid = gridOfChannels(c);
  if (grid.zero && !llvm::isa<mlir::FloatType>(
                       Composite::elementTypeOf(grid.zero)))
    c.check(c.logicalAnd(c.ge(grid.zero, double(grid.low)),
                         c.le(grid.zero, double(grid.high))),
            "`zero_point` must be between `quant_min` and `quant_max`.");
  return grid;
}

template <Grid (*Make)(Composite &)> static Values fakeQuantize(Composite &c) {
  Grid grid = Make(c);
  if (!grid.scale || !grid.zero)
    return {};
  return passThrough(c, c.self(), quantize(c, c.self(), grid));
}
template <Grid (*Make)(Composite &)> static Values output(Composite &c) {
  Values both = fakeQuantize<Make>(c);
  return both.empty() ? both : Values{both.front()};
}

/// `values`, or `x` and a mask that is true where a switch is off.
static Values ifEnabled(Composite &c, Value enabled, Value x, Values values) {
  if (values.empty() || !enabled)
    return {};
  Value on = c.ne(single(c, enabled, x), 0);
  return {c.where(on, values[0], x),
          c.where(on, values[1],
                  c.ones(Composite::dimsOf(x), c.getBuilder().getI1Type()))};
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

static Slopes slopesOf(Composite &c, Value x, const Grid &grid) {
  Quantized result = quantize(c, x, grid);
  Value scale = c.detach(grid.scale);
  Value error = c.mul(c.sub(result.output, c.detach(x)), c.reciprocal(scale));
  Value edge = c.sub(clampTo(c, result.level, double(grid.low),
                             double(grid.high)),
                     grid.zero);
  double factor = c.real("grad_factor");
  Value toScale = c.mul(c.where(result.inside, error, edge), factor);
  Value outside = c.logicalNot(result.inside);
  Value toZero = c.mul(c.mul(c.cast(outside, Composite::elementTypeOf(scale)),
                             scale),
                       -factor);
  return {result.inside, toScale, toZero};
}

/// The grid of the values and that of the gradients: PyTorch rounds a learned
/// zero to even, and for the gradients of a whole tensor half up, toward zero.
static std::pair<Grid, Grid> learnedGrids(Composite &c, bool isPerChannel) {
  Grid grid = isPerChannel ? gridOfChannels(c) : gridOfTensors(c);
  if (!grid.scale || !grid.zero)
    return {};
  double low = double(grid.low), high = double(grid.high);
  mlir::Type whole = c.getBuilder().getI64Type();
  auto inGrid = [&](Value zero) {
    return c.cast(clampTo(c, zero, low, high), whole);
  };
  Value zero = c.detach(grid.zero);
  Grid forward = grid;
  forward.zero = inGrid(c.unary("aten.round", zero));
  Grid backward = forward;
  if (!isPerChannel)
    backward.zero = inGrid(c.add(zero, 0.5));
  return {forward, backward};
}

template <bool IsPerChannel> static Values learned(Composite &c) {
  auto [forward, backward] = learnedGrids(c, IsPerChannel);
  Value x = c.self();
  if (!forward.zero || !backward.zero)
    return {};
  Quantized result = quantize(c, x, forward);
  Slopes slopes = slopesOf(c, x, backward);
  Value held = c.where(slopes.inside, x, c.zerosLike(x));
  Value y = c.add(result.output, c.sub(held, c.detach(held)));
  y = c.add(y, slopeOf(c, forward.scale, slopes.scale));
  Value zero = IsPerChannel ? alongAxis(c, c.tensor("zero_point"), x)
                            : single(c, c.tensor("zero_point"), x);
  return {c.cast(c.add(y, slopeOf(c, zero, slopes.zero)),
                 Composite::elementTypeOf(x))};
}

template <bool IsPerChannel> static Values learnedBackward(Composite &c) {
  Value grad = c.tensor("grad"), x = c.tensor("self");
  Grid grid = learnedGrids(c, IsPerChannel).second;
  if (!grid.zero)
    return {};
  Slopes slopes = slopesOf(c, x, grid);
  auto total = [&](Value each, StringRef of) {
    Value parameter = c.tensor(of);
    Value sum = c.sumToSize(each, Composite::dimsOf(grid.scale));
    return c.cast(c.view(sum, Composite::dimsOf(parameter)),
                  Composite::elementTypeOf(parameter));
  };
  return {c.mul(grad, slopes.inside), total(c.mul(grad, slopes.scale), "scale"),
          total(c.mul(grad, slopes.zero), "zero_point")};
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
  auto lit = [&](Value like, double value) { return c.fullLike(like, value); };
  Value bothSigns = c.logicalAnd(c.lt(least, 0), c.gt(greatest, 0));
  if (isSymmetric) {
    double highest = double((high - low) / 2), lowest = -(highest + 1);
    Value step = f64(c.maximum(c.abs(c.div(least, lowest)),
                               c.abs(c.div(greatest, highest))));
    least = c.where(bothSigns, f32(c.mul(step, lowest)), least);
    greatest = c.where(bothSigns, f32(c.mul(step, highest)), greatest);
  }
  least = c.minimum(least, c.zerosLike(least));
  greatest = c.maximum(greatest, c.zerosLike(greatest));
  double count = double(high - low);
  Value rounded = f32(c.div(c.sub(f64(greatest), f64(least)), count));
  Value isNothing =
      c.logicalOr(c.eq(rounded, 0),
                  c.eq(c.reciprocal(rounded),
                       std::numeric_limits<double>::infinity()));
  Value scale = c.where(isNothing, lit(rounded, 0.1), rounded);
  // A scale that is too small widens the range.
  const float smallest = 6.1e-5f;
  Value isSmall = c.lt(scale, double(smallest));
  Value wider = c.div(lit(least, double(smallest)), scale);
  Value span = lit(least, double(smallest * float(count)));
  Value hasNoLow = c.eq(least, 0), hasNoHigh = c.eq(greatest, 0);
  Value newLeast = c.where(hasNoLow, least,
                           c.where(hasNoHigh, c.neg(span), c.mul(least, wider)));
  Value newGreatest =
      c.where(hasNoLow, span,
              c.where(hasNoHigh, greatest, c.mul(greatest, wider)));
  least = c.where(isSmall, newLeast, least);
  greatest = c.where(isSmall, newGreatest, greatest);
  scale = c.where(isSmall, lit(scale, double(smallest)), scale);
  // The zero from the end at which it errs less.
  Value fromLeast = c.div(f64(least), f64(scale));
  Value fromGreatest = c.div(f64(greatest), f64(scale));
  Value errsLess = c.lt(c.rsub(std::fabs(double(low)), c.abs(fromLeast)),
                        c.rsub(std::fabs(double(high)), c.abs(fromGreatest)));
  Value zero = c.where(errsLess, c.rsub(double(low), fromLeast),
                       c.rsub(double(high), fromGreatest));
  if (isSymmetric)
    zero = c.where(bothSigns, lit(zero, double(low + high) / 2), zero);
  zero = c.unary("aten.round", clampTo(c, zero, double(low), double(high)));
  return {scale, c.cast(zero, b.getIntegerType(32))};
}

/// Observes the range of `self` where `observer_on` says so, and where
/// `fake_quant_on` does rounds to the grid that the range asks for. Gives the
/// output, its mask and what is remembered.
static Values observed(Composite &c) {
  Value x = c.self(), least = c.tensor("running_min"),
        greatest = c.tensor("running_max"), scale = c.tensor("scale"),
        zero = c.tensor("zero_point");
  bool isPerRow = c.flag("per_row_fake_quant");
  int64_t rank = Composite::rankOf(x);
  if (isPerRow && (rank == 0 || c.integer("ch_axis") != 0)) {
    c.refuse("ranges of channels are observed along another dimension than the "
             "first, as PyTorch does not");
    return {};
  }
  SmallVector<ExprAttr> dims(rank, c.expr(1));
  if (isPerRow)
    dims[0] = c.dimOf(x, 0);
  auto others = llvm::to_vector(llvm::seq<int64_t>(isPerRow ? 1 : 0, rank));
  Value data = c.detach(x);
  double part = c.real("averaging_const");
  auto remember = [&](Value before, Value now) {
    if (!before || !now)
      return Value();
    now = c.cast(c.view(now, Composite::dimsOf(before)),
                 Composite::elementTypeOf(before));
    Value isFirst = c.eq(c.abs(before), std::numeric_limits<double>::infinity());
    return c.where(isFirst, now,
                   c.add(before, c.mul(c.sub(now, before), part)));
  };
  Value newLeast = remember(least, c.amin(data, others));
  Value newGreatest = remember(greatest, c.amax(data, others));
  if (!newLeast || !newGreatest)
    return {};
  auto replaceIf = [&](StringRef flag, Value now, Value before) {
    if (!now || !before)
      return Value();
    now = c.cast(c.view(now, Composite::dimsOf(before)),
                 Composite::elementTypeOf(before));
    return c.where(c.ne(single(c, c.tensor(flag), before), 0), now, before);
  };
  least = replaceIf("observer_on", newLeast, least);
  greatest = replaceIf("observer_on", newGreatest, greatest);
  auto [newScale, newZero] =
      chooseGrid(c, least, greatest, c.integer("quant_min"),
                 c.integer("quant_max"), c.flag("symmetric_quant"));
  scale = replaceIf("fake_quant_on", newScale, scale);
  zero = replaceIf("fake_quant_on", newZero, zero);
  if (!scale || !zero || !least || !greatest)
    return {};
  Values result = ifEnabled(
      c, c.tensor("fake_quant_on"), x,
      passThrough(c, x,
                  quantize(c, x, levelsOf(c, c.view(scale, dims),
                                          c.view(zero, dims), isPerRow))));
  if (result.empty())
    return {};
  result.append({least, greatest, scale, zero});
  return result;
}

void pt2::addCompositeQuantize(CompositeTable &table) {
  auto add = [&](StringRef name, StringRef grid, StringRef result,
                 Values (*build)(Composite &)) {
    table.add(("aten::" + name + "(Tensor self, " + grid +
               ", int quant_min, int quant_max) -> " + result)
                  .str(),
              build);
  };
  StringRef both = "(Tensor output, Tensor mask)", tensor = "Tensor";
  StringRef numbers = "float scale, int zero_point";
  StringRef tensors = "Tensor scale, Tensor zero_point";
  StringRef channels = "Tensor scale, Tensor zero_point, int axis";
  add("fake_quantize_per_tensor_affine", numbers, tensor,
      output<gridOfNumbers>);
  add("fake_quantize_per_tensor_affine.tensor_qparams", tensors, tensor,
      output<gridOfTensors>);
  add("fake_quantize_per_tensor_affine_cachemask", numbers, both,
      fakeQuantize<gridOfNumbers>);
  add("_fake_quantize_per_tensor_affine_cachemask_tensor_qparams",
      "Tensor scale, Tensor zero_point, Tensor fake_quant_enabled", both,
      [](Composite &c) {
        return ifEnabled(c, c.tensor("fake_quant_enabled"), c.self(),
                         fakeQuantize<gridOfTensors>(c));
      });
  add("fake_quantize_per_channel_affine", channels, tensor,
      output<gridOfCheckedChannels>);
  add("fake_quantize_per_channel_affine_cachemask", channels, both,
      fakeQuantize<gridOfCheckedChannels>);
  for (StringRef name : {"fake_quantize_per_tensor_affine_cachemask_backward",
                         "fake_quantize_per_channel_affine_cachemask_backward"})
    table.add(("aten::" + name + "(Tensor grad, Tensor mask) -> Tensor").str(),
              [](Composite &c) {
                return Values{c.mul(c.tensor("grad"), c.tensor("mask"))};
              });
  auto addLearned = [&](StringRef what, StringRef grid,
                        Values (*forward)(Composite &),
                        Values (*backward)(Composite &)) {
    std::string name = ("aten::_fake_quantize_learnable_per_" + what).str();
    std::string rest =
        (grid + ", int quant_min, int quant_max, float grad_factor=1.) -> ")
            .str();
    table.add(name + "(Tensor self, " + rest + "Tensor", forward);
    table.add(name + "_backward(Tensor grad, Tensor self, " + rest +
                  "(Tensor, Tensor, Tensor)",
              backward);
  };
  addLearned("tensor_affine", tensors, learned<false>, learnedBackward<false>);
  addLearned("channel_affine", channels, learned<true>, learnedBackward<true>);
  table.add("aten::_fused_moving_avg_obs_fq_helper_functional(Tensor self, "
            "Tensor observer_on, Tensor fake_quant_on, Tensor running_min, "
            "Tensor running_max, Tensor scale, Tensor zero_point, float "
            "averaging_const, int quant_min, int quant_max, int ch_axis, bool "
            "per_row_fake_quant=False, bool symmetric_quant=False) -> (Tensor "
            "output, Tensor mask, Tensor running_min_out, Tensor "
            "running_max_out, Tensor scale_out, Tensor zero_point_out)",
            observed);
}
