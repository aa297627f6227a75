//===- ResamplerTaps.cpp - Where taps lie and what they weigh -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Resampler.h"

#include "kiln/Dialect/Guard/IR/ExprRange.h"

#include <cmath>

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

//===----------------------------------------------------------------------===//
// When the sizes are known
//===----------------------------------------------------------------------===//

/// Input units per output unit.
double Resampler::getStep(const Resize &r) const {
  double input = r.input.getPayload(), output = r.output.getPayload();
  if (corners)
    return round(output > 1 ? (input - 1) / (output - 1) : 0);
  return round(r.scale && *r.scale > 0 ? 1 / *r.scale : input / output);
}

/// The first and the last input that an output reads.
std::pair<int64_t, int64_t> Resampler::getTouched(const Resize &r,
                                                  int64_t output) const {
  double step = getStep(r), o = double(output);
  int64_t last = r.input.getPayload() - 1;
  if (isNearest()) {
    float at = filter == Filter::Nearest ? float(o) : float(o + 0.5);
    int64_t index =
        std::min(int64_t(std::floor(at * float(step))), last);
    return {index, index};
  }
  if (isWide()) {
    double support = std::max(step, 1.0) * double(getRadius());
    double center = step * (o + 0.5);
    return {std::max<int64_t>(int64_t(center - support + 0.5), 0),
            std::min(int64_t(center + support + 0.5), last + 1) - 1};
  }
  double center = corners ? round(step * o)
                          : round(round(step * (o + 0.5)) - 0.5);
  int64_t low = int64_t(std::floor(std::max(center, -4.0)));
  int64_t radius = getRadius();
  return {std::clamp<int64_t>(low - radius + 1, 0, last),
          std::clamp<int64_t>(low + radius, 0, last)};
}

/// The nearest input as an expression; null if it takes floats to know it.
ExprAttr Resampler::getNearest(const Resize &r, ExprAttr output) const {
  bool isExact = filter == Filter::NearestExact;
  auto make = [&](ExprAttr o, ExprAttr in, ExprAttr out) {
    return isExact ? guard::floorDiv((o * 2 + 1) * in, out * 2)
                   : guard::floorDiv(o * in, out);
  };
  if (r.isCountable()) {
    for (int64_t o = 0; o < r.output.getPayload(); ++o)
      if (!make(loops.expr(o), r.input, r.output)
               .isConstant(getTouched(r, o).first))
        return {};
    return make(output, r.input, r.output);
  }
  // A power of two is exact in f32, whatever the size.
  int exponent = 0;
  if (!r.scale || corners || std::frexp(*r.scale, &exponent) != 0.5 ||
      exponent < 1 || exponent > 16)
    return {};
  return guard::floorDiv(output, int64_t(*r.scale));
}

/// The outputs whose nearest input is `input`; none if floats decide.
std::optional<Window> Resampler::getNearestOutputs(const Resize &r,
                                                   ExprAttr input,
                                                   ExprAttr index) const {
  if (!getNearest(r, input))
    return std::nullopt;
  bool isExact = filter == Filter::NearestExact && r.isConstant();
  auto begin = [&](ExprAttr i) {
    if (!r.isConstant())
      return i * int64_t(*r.scale);
    return isExact ? guard::ceilDiv(r.output * i * 2 - r.input, r.input * 2)
                   : guard::ceilDiv(r.output * i, r.input);
  };
  Window window;
  window.at = begin(input) + index;
  window.tap = index;
  window.extent = r.isConstant() ? guard::ceilDiv(r.output, r.input)
                                 : loops.expr(int64_t(*r.scale));
  // Between two beginnings lies the same number of outputs, or one less.
  window.valid = guard::logicalAnd(guard::lt(window.at, begin(input + 1)),
                                   guard::lt(window.at, r.output));
  return window;
}

/// The outputs that may read `input`.
std::optional<Reach> Resampler::getReach(const Resize &r,
                                         ExprAttr input) const {
  if (r.isCountable()) {
    // In steps of the ratio of the sizes, and then what is missing at the ends.
    int64_t in = r.input.getPayload(), out = r.output.getPayload();
    std::vector<std::pair<int64_t, int64_t>> range(
        in, {std::numeric_limits<int64_t>::max(), -1});
    for (int64_t o = 0; o < out; ++o) {
      auto [first, last] = getTouched(r, o);
      for (int64_t i = first; i <= last; ++i)
        range[i] = {std::min(range[i].first, o), std::max(range[i].second, o)};
    }
    auto base = [&](int64_t i) { return i * out / in; };
    int64_t shift = 0, extent = 1;
    for (int64_t i = 0; i < in; ++i)
      if (range[i].second >= 0)
        shift = std::min(shift, range[i].first - base(i));
    for (int64_t i = 0; i < in; ++i)
      extent = std::max(extent, range[i].second - base(i) - shift + 1);
    return Reach{guard::floorDiv(input * out, in) + shift, loops.expr(extent)};
  }
  // A scale that is not the ratio of the sizes could reach anywhere.
  if (r.scale && !corners &&
      r.output !=
          guard::simplify(
              *r.scale == std::floor(*r.scale)
                  ? r.input * int64_t(*r.scale)
                  : guard::build(guard::ExprKind::Floor,
                                 {guard::mul(guard::toFloat(r.input),
                                             guard::getFloat(loops.getContext(),
                                                             *r.scale))}),
              loops.getAssumptions()))
    return std::nullopt;
  int64_t radius = getRadius();
  ExprAttr in = corners ? guard::max(r.input + -1, loops.expr(1)) : r.input;
  ExprAttr out = corners ? r.output + -1 : r.output;
  if (isWide())
    radius *= 2;
  // Where the step is below one, a filter is as wide as its input alone.
  ExprAttr shift = guard::ceilDiv(out * radius, in) + radius + 3;
  return Reach{guard::floorDiv(input * out, in) - shift, shift * 2};
}

/// The longest range that a wide filter reads.
ExprAttr Resampler::getWidth(const Resize &r) const {
  if (!r.isCountable())
    return (guard::ceilDiv(r.input, guard::max(r.output, loops.expr(1))) + 2) *
               (2 * getRadius()) +
           2;
  int64_t width = 1;
  for (int64_t o = 0; o < r.output.getPayload(); ++o) {
    auto [first, last] = getTouched(r, o);
    width = std::max(width, last - first + 1);
  }
  return loops.expr(width);
}

//===----------------------------------------------------------------------===//
// In a body
//===----------------------------------------------------------------------===//

Value Resampler::buildStep(BodyContext body, ScalarBuilder &s,
                           const Resize &r) {
  if (r.isConstant())
    return s.constant(compute, getStep(r));
  Type f64 = body.builder.getF64Type();
  Value step;
  if (!corners && r.scale && *r.scale > 0) {
    step = s.constant(compute, 1 / *r.scale);
    auto idles = [&](ExprAttr size, double ratio) {
      Value isSo = s.eq(loops.number(body, s, r.output, f64),
                        loops.number(body, s, size, f64));
      step = s.where(isSo, s.constant(compute, ratio), step);
    };
    if (r.idlesIfKept)
      idles(r.input, 1);
    if (r.idlesIfDoubled)
      idles(r.input * 2, 0.5);
    return step;
  }
  if (corners) {
    Value steps = loops.number(body, s, r.output + -1, f64);
    step = s.div(loops.number(body, s, r.input + -1, f64), steps);
    step = s.where(s.lt(s.constant(f64, 0.0), steps), step,
                   s.constant(f64, 0.0));
  } else {
    step = s.div(loops.number(body, s, r.input, f64),
                 loops.number(body, s, r.output, f64));
  }
  return s.convert(step, f64, compute);
}

/// The position of `output` (an index) in the input.
Value Resampler::buildCenter(BodyContext body, ScalarBuilder &s,
                             const Resize &r, Value output, Type type) {
  Type i64 = body.builder.getI64Type();
  Value at = s.convert(
      arith::IndexCastOp::create(body.builder, body.loc, i64, output), i64,
      compute);
  Value step = buildStep(body, s, r);
  if (corners && !isWide())
    return s.convert(s.mul(step, at), compute, type);
  Value half = s.constant(compute, 0.5);
  Value center = s.mul(step, s.add(at, half));
  return s.convert(isWide() ? center : s.sub(center, half), compute, type);
}

Value Resampler::toIndex(BodyContext body, ScalarBuilder &s, Value position) {
  Value integer = s.convert(position, position.getType(),
                            body.builder.getI64Type());
  return arith::IndexCastOp::create(body.builder, body.loc,
                                    body.builder.getIndexType(), integer);
}

/// `index` within a dimension of `size`.
Value Resampler::clamp(BodyContext body, Value index, ExprAttr size) {
  OpBuilder &b = body.builder;
  Value zero = arith::ConstantIndexOp::create(b, body.loc, 0);
  Value last = loops.index(body, size + -1);
  Value low = arith::MaxSIOp::create(b, body.loc, index, zero);
  return arith::MinSIOp::create(b, body.loc, low, last);
}

Value Resampler::buildNearest(BodyContext body, ScalarBuilder &s,
                              const Resize &r, ExprAttr output) {
  if (ExprAttr known = getNearest(r, output))
    return loops.index(body, known);
  // Always in f32.
  Type i64 = body.builder.getI64Type(), f32 = body.builder.getF32Type();
  Value at = s.convert(arith::IndexCastOp::create(body.builder, body.loc, i64,
                                                  loops.index(body, output)),
                       i64, f32);
  if (filter == Filter::NearestExact)
    at = s.add(at, s.constant(f32, 0.5));
  Value step = s.convert(buildStep(body, s, r), compute, f32);
  return clamp(body, toIndex(body, s, s.floor(s.mul(at, step))), r.input);
}

/// The cubic kernel with slope -0.75 (-0.5 if it is wide): within one of the
/// center, or between one and two.
Value Resampler::buildCubic(ScalarBuilder &s, Value x, bool isNear) {
  Type type = x.getType();
  double a = isWide() ? -0.5 : -0.75;
  auto number = [&](double value) { return s.constant(type, value); };
  if (isNear) {
    Value inner = s.sub(s.mul(number(a + 2), x), number(a + 3));
    return s.add(s.mul(s.mul(inner, x), x), number(1));
  }
  Value inner = s.sub(s.mul(number(a), x), number(5 * a));
  inner = s.add(s.mul(inner, x), number(8 * a));
  return s.sub(s.mul(inner, x), number(4 * a));
}

SmallVector<Tap> Resampler::buildTaps(BodyContext body, ScalarBuilder &s,
                                      const Resize &r, ExprAttr output) {
  OpBuilder &b = body.builder;
  Type f64 = b.getF64Type();
  if (isNearest())
    return {{buildNearest(body, s, r, output), s.constant(f64, 1.0)}};
  Value at = buildCenter(body, s, r, loops.index(body, output), f64);
  if (filter == Filter::Linear) {
    Value zero = s.constant(f64, 0.0), one = s.constant(f64, 1.0);
    at = s.max(at, zero);
    Value low = clamp(body, toIndex(body, s, at), r.input);
    Value next = arith::AddIOp::create(
        b, body.loc, low, arith::ConstantIndexOp::create(b, body.loc, 1));
    Value from = s.convert(
        arith::IndexCastOp::create(b, body.loc, b.getI64Type(), low),
        b.getI64Type(), f64);
    Value weight = s.min(s.max(s.sub(at, from), zero), one);
    return {{low, s.sub(one, weight)}, {clamp(body, next, r.input), weight}};
  }
  Value floor = s.floor(at), t = s.sub(at, floor);
  Value base = toIndex(body, s, floor), one = s.constant(f64, 1.0);
  Value weights[4] = {buildCubic(s, s.add(t, one), false),
                      buildCubic(s, t, true),
                      buildCubic(s, s.sub(one, t), true),
                      buildCubic(s, s.sub(s.constant(f64, 2.0), t), false)};
  SmallVector<Tap> taps;
  for (int64_t i = 0; i < 4; ++i) {
    Value moved = arith::AddIOp::create(
        b, body.loc, base, arith::ConstantIndexOp::create(b, body.loc, i - 1));
    taps.push_back({clamp(body, moved, r.input), weights[i]});
  }
  return taps;
}

/// The first input that a wide filter reads for `output`, and the one behind
/// the last; indices.
std::pair<Value, Value> Resampler::buildWideRange(BodyContext body,
                                                  ScalarBuilder &s,
                                                  const Resize &r,
                                                  Value output) {
  OpBuilder &b = body.builder;
  Type f64 = b.getF64Type();
  Value step = s.convert(buildStep(body, s, r), compute, f64);
  Value support = s.mul(s.max(step, s.constant(f64, 1.0)),
                        s.constant(f64, double(getRadius())));
  Value half = s.constant(f64, 0.5);
  Type i64 = b.getI64Type();
  Value at = s.convert(
      arith::IndexCastOp::create(b, body.loc, i64, output), i64, f64);
  Value center = s.mul(step, s.add(at, half));
  Value begin = toIndex(body, s, s.add(s.sub(center, support), half));
  Value end = toIndex(body, s, s.add(s.add(center, support), half));
  Value zero = arith::ConstantIndexOp::create(b, body.loc, 0);
  return {arith::MaxSIOp::create(b, body.loc, begin, zero),
          arith::MinSIOp::create(b, body.loc, end, loops.index(body, r.input))};
}

/// The weight of `input`, not yet normalized; f64.
Value Resampler::buildWideWeight(BodyContext body, ScalarBuilder &s,
                                 const Resize &r, Value output, Value input) {
  OpBuilder &b = body.builder;
  Type f64 = b.getF64Type(), i64 = b.getI64Type();
  auto real = [&](Value index) {
    return s.convert(arith::IndexCastOp::create(b, body.loc, i64, index), i64,
                     f64);
  };
  Value one = s.constant(f64, 1.0), zero = s.constant(f64, 0.0);
  Value step = s.convert(buildStep(body, s, r), compute, f64);
  Value half = s.constant(f64, 0.5);
  Value center = s.mul(step, s.add(real(output), half));
  Value distance = s.abs(s.div(s.add(s.sub(real(input), center), half),
                               s.max(step, one)));
  if (filter == Filter::LinearWide)
    return s.max(zero, s.sub(one, distance));
  Value outer = s.where(s.lt(distance, s.constant(f64, 2.0)),
                        buildCubic(s, distance, false), zero);
  return s.where(s.lt(distance, one), buildCubic(s, distance, true), outer);
}
