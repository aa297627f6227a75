//===- Resampling.cpp - Changing the size of images -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every dimension has, for each output position, a few taps: input positions
// and weights. The forward reads them all at each element. Gradients, and
// filters as wide as the step, go dimension by dimension: a table of weights
// for each position, and a reduction that reads it. Gradients gather: the table
// holds what each input gets from the outputs around it.
//
// Positions are computed in f32 unless the elements are f64, as in PyTorch,
// because they decide which elements are read.
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"
#include "Windows.h"

#include <cmath>

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace {

/// One dimension: its sizes, and the scale that was given, if any.
struct Resize {
  ExprAttr input, output;
  std::optional<double> scale;

  /// The scale counts for nothing if the sizes are equal, or if one doubles.
  bool idlesIfKept = false, idlesIfDoubled = false;

  bool isConstant() const { return input.isConstant() && output.isConstant(); }
  /// True if each output may be looked at while the graph is compiled.
  bool isCountable() const {
    return loop::isCountable(input) && loop::isCountable(output);
  }
  bool keeps() const { return input == output; }
  bool doubles() const { return output == input * 2; }
};

struct Tap {
  Value input;  ///< an index
  Value weight; ///< f64
};

/// The outputs around an input: from `begin` of it, so many.
struct Reach {
  ExprAttr begin, extent;
};

class Resampler {
public:
  Resampler(Converter &converter, Filter filter, bool corners, Type stored)
      : c(converter), filter(filter), corners(corners), stored(stored) {
    Builder &b = c.getBuilder();
    compute = stored.isF64() ? Type(b.getF64Type()) : b.getF32Type();
  }

  SmallVector<Resize> resizes;

  LogicalResult lowerForward(Value source, RankedTensorType type);
  LogicalResult lowerBackward(Value gradient, RankedTensorType type);

private:
  bool isNearest() const { return filter <= Filter::NearestExact; }
  bool isWide() const { return filter >= Filter::LinearWide; }
  /// How far from its center a filter reaches.
  int64_t getRadius() const {
    return filter == Filter::Cubic || filter == Filter::CubicWide ? 2 : 1;
  }

  // When the sizes are known.
  double round(double value) const {
    return compute.isF64() ? value : double(float(value));
  }
  double getStep(const Resize &r) const;
  std::pair<int64_t, int64_t> getTouched(const Resize &r, int64_t output) const;
  ExprAttr getNearest(const Resize &r, ExprAttr output) const;
  std::optional<Window> getNearestOutputs(const Resize &r, ExprAttr input,
                                          ExprAttr index) const;
  std::optional<Reach> getReach(const Resize &r, ExprAttr input) const;
  ExprAttr getWidth(const Resize &r) const;

  // In a body.
  Value buildStep(BodyContext body, ScalarBuilder &s, const Resize &r);
  Value buildCenter(BodyContext body, ScalarBuilder &s, const Resize &r,
                    Value output, Type type);
  Value toIndex(BodyContext body, ScalarBuilder &s, Value position);
  Value clamp(BodyContext body, Value index, ExprAttr size);
  Value buildNearest(BodyContext body, ScalarBuilder &s, const Resize &r,
                     ExprAttr output);
  SmallVector<Tap> buildTaps(BodyContext body, ScalarBuilder &s,
                             const Resize &r, ExprAttr output);
  std::pair<Value, Value> buildWideRange(BodyContext body, ScalarBuilder &s,
                                         const Resize &r, Value output);
  Value buildWideWeight(BodyContext body, ScalarBuilder &s, const Resize &r,
                        Value output, Value input);
  Value buildCubic(ScalarBuilder &s, Value x, bool isNear);

  Value makeWideSums(const Resize &r);
  Value makeWidePass(Value source, unsigned dim, const Resize &r);
  Value makeGradientPass(Value gradient, unsigned dim, const Resize &r);
  LogicalResult finish(Value result, RankedTensorType type);

  Converter &c;
  Filter filter;
  bool corners;
  Type stored, compute;
};

} // namespace

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
      if (!make(c.expr(o), r.input, r.output)
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
                                 : c.expr(int64_t(*r.scale));
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
    return Reach{guard::floorDiv(input * out, in) + shift, c.expr(extent)};
  }
  // A scale that is not the ratio of the sizes could reach anywhere.
  if (r.scale && !corners &&
      r.output !=
          guard::simplify(
              *r.scale == std::floor(*r.scale)
                  ? r.input * int64_t(*r.scale)
                  : guard::build(guard::ExprKind::Floor,
                                 {guard::mul(guard::toFloat(r.input),
                                             guard::getFloat(c.getContext(),
                                                             *r.scale))}),
              c.getAssumptions()))
    return std::nullopt;
  int64_t radius = getRadius();
  ExprAttr in = corners ? guard::max(r.input + -1, c.expr(1)) : r.input;
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
    return (guard::ceilDiv(r.input, guard::max(r.output, c.expr(1))) + 2) *
               (2 * getRadius()) + 2;
  int64_t width = 1;
  for (int64_t o = 0; o < r.output.getPayload(); ++o) {
    auto [first, last] = getTouched(r, o);
    width = std::max(width, last - first + 1);
  }
  return c.expr(width);
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
      Value isSo = s.eq(c.number(body, s, r.output, f64),
                        c.number(body, s, size, f64));
      step = s.where(isSo, s.constant(compute, ratio), step);
    };
    if (r.idlesIfKept)
      idles(r.input, 1);
    if (r.idlesIfDoubled)
      idles(r.input * 2, 0.5);
    return step;
  }
  if (corners) {
    Value steps = c.number(body, s, r.output + -1, f64);
    step = s.div(c.number(body, s, r.input + -1, f64), steps);
    step = s.where(s.lt(s.constant(f64, 0.0), steps), step,
                   s.constant(f64, 0.0));
  } else {
    step = s.div(c.number(body, s, r.input, f64),
                 c.number(body, s, r.output, f64));
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
  Value last = c.index(body, size + -1);
  Value low = arith::MaxSIOp::create(b, body.loc, index, zero);
  return arith::MinSIOp::create(b, body.loc, low, last);
}

Value Resampler::buildNearest(BodyContext body, ScalarBuilder &s,
                              const Resize &r, ExprAttr output) {
  if (ExprAttr known = getNearest(r, output))
    return c.index(body, known);
  // Always in f32.
  Type i64 = body.builder.getI64Type(), f32 = body.builder.getF32Type();
  Value at = s.convert(arith::IndexCastOp::create(body.builder, body.loc, i64,
                                                  c.index(body, output)),
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
  Value at = buildCenter(body, s, r, c.index(body, output), f64);
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
          arith::MinSIOp::create(b, body.loc, end, c.index(body, r.input))};
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

//===----------------------------------------------------------------------===//
// Nests
//===----------------------------------------------------------------------===//

/// Rounds to the elements of the result; bytes are limited to their range.
LogicalResult Resampler::finish(Value result, RankedTensorType type) {
  View view = c.getView(result);
  if (result.getType() != type)
    result = c.makePointwise(
        type, compute, [&](BodyContext body, ScalarBuilder &s) {
          Value value = c.read(body, view, view.map);
          if (!isa<IntegerType>(stored))
            return value;
          Value low = s.floor(value), rest = s.sub(value, low);
          Value up = s.le(s.constant(compute, 0.5), rest);
          value = s.add(low, s.where(up, s.constant(compute, 1.0),
                                     s.constant(compute, 0.0)));
          return s.min(s.max(value, s.constant(compute, 0.0)),
                       s.constant(compute, 255.0));
        });
  if (!result)
    return failure();
  c.setResult(0, result);
  return success();
}

LogicalResult Resampler::lowerForward(Value source, RankedTensorType type) {
  unsigned lead = type.getRank() - resizes.size();
  if (isWide()) {
    for (unsigned d = resizes.size(); d-- > 0;)
      source = makeWidePass(source, lead + d, resizes[d]);
    return finish(source, type);
  }
  View view = c.getView(source);
  // Where expressions say which elements are nearest, it is a view.
  Exprs nearest = getIdentityMap(c.getContext(), lead);
  for (auto [d, r] : llvm::enumerate(resizes))
    if (ExprAttr known =
            isNearest() ? getNearest(r, c.dim(lead + d)) : ExprAttr())
      nearest.push_back(known);
  if (nearest.size() == view.dims.size()) {
    c.setResult(0, c.makePointwise(type, stored,
                                   [&](BodyContext body, ScalarBuilder &) {
                                     return c.read(body, view, nearest);
                                   }));
    return success();
  }
  auto accType = RankedTensorType(type.clone(compute));
  Value result = c.makePointwise(
      isNearest() ? type : accType, isNearest() ? stored : compute,
      [&](BodyContext body, ScalarBuilder &s) -> Value {
        SmallVector<SmallVector<Tap>> taps;
        for (auto [d, r] : llvm::enumerate(resizes))
          taps.push_back(buildTaps(body, s, r, c.dim(lead + d)));
        SmallVector<Value> index(body.indices.take_front(lead));
        index.resize(type.getRank());
        // Sums of the last dimension are inside of those before it.
        std::function<Value(unsigned)> sum = [&](unsigned d) -> Value {
          if (d == resizes.size()) {
            Value element = c.readAt(body, view, index);
            return isNearest() ? element : s.convert(element, stored, compute);
          }
          Value total;
          for (const Tap &tap : taps[d]) {
            index[lead + d] = tap.input;
            Value value = sum(d + 1);
            if (isNearest())
              return value;
            value = s.mul(s.convert(tap.weight, body.builder.getF64Type(),
                                    compute),
                          value);
            total = total ? s.add(total, value) : value;
          }
          return total;
        };
        return sum(0);
      });
  if (!result)
    return failure();
  return finish(result, type);
}

/// The sums of the weights of a wide filter.
Value Resampler::makeWideSums(const Resize &r) {
  Type f64 = c.getBuilder().getF64Type();
  return c.makeReduce(
      TypeRange(guard::makeTensorType(f64, {r.output})), {r.output},
      {getWidth(r)}, ReductionKind::Sum, f64,
      [&](BodyContext body, ScalarBuilder &s) {
        Value output = c.index(body, c.dim(0));
        auto [begin, end] = buildWideRange(body, s, r, output);
        Value input = arith::AddIOp::create(body.builder, body.loc, begin,
                                            c.index(body, c.dim(1)));
        Value inside = arith::CmpIOp::create(
            body.builder, body.loc, arith::CmpIPredicate::slt, input, end);
        Value weight = buildWideWeight(body, s, r, output, input);
        return SmallVector<Value>{
            s.where(inside, weight, s.constant(f64, 0.0))};
      })[0];
}

/// Dimension `dim` resized by a wide filter; elements of the computation type.
Value Resampler::makeWidePass(Value source, unsigned dim, const Resize &r) {
  View view = c.getView(source);
  Type from = c.getElement(source), f64 = c.getBuilder().getF64Type();
  View sums = c.getView(makeWideSums(r));
  Exprs parallel = view.dims;
  unsigned rank = parallel.size();
  parallel[dim] = r.output;
  return c.makeReduce(
      TypeRange(guard::makeTensorType(compute, parallel)), parallel,
      {getWidth(r)}, ReductionKind::Sum, compute,
      [&](BodyContext body, ScalarBuilder &s) {
        Value output = body.indices[dim];
        auto [begin, end] = buildWideRange(body, s, r, output);
        Value input = arith::AddIOp::create(body.builder, body.loc, begin,
                                            body.indices[rank]);
        Value inside = arith::CmpIOp::create(
            body.builder, body.loc, arith::CmpIPredicate::slt, input, end);
        Value weight = buildWideWeight(body, s, r, output, input);
        Value total = c.read(body, sums, {c.dim(dim)});
        Value isZero = s.eq(total, s.constant(f64, 0.0));
        weight = s.where(isZero, weight, s.div(weight, total));
        SmallVector<Value> index(body.indices.take_front(rank));
        index[dim] = input;
        Value zero = s.constant(from, int64_t(0));
        Value element =
            LoadOp::create(body.builder, body.loc, view.base, index, view.map,
                           inside, zero);
        Value value = s.mul(s.convert(weight, f64, compute),
                            s.convert(element, from, compute));
        return SmallVector<Value>{
            s.where(inside, value, s.constant(compute, 0.0))};
      })[0];
}

/// What dimension `dim` of the input gets from the outputs.
Value Resampler::makeGradientPass(Value gradient, unsigned dim,
                                  const Resize &r) {
  auto reach = getReach(r, c.dim(0));
  if (!reach) {
    (void)c.refuse("a scale that is not the ratio of the sizes has no kernel");
    return {};
  }
  Type f64 = c.getBuilder().getF64Type(), i1 = c.getBuilder().getI1Type();
  View sums;
  if (isWide())
    sums = c.getView(makeWideSums(r));
  // How much of output `begin + d1` input d0 gets, and whether it reads it.
  Exprs table = {r.input, reach->extent};
  auto build = [&](BodyContext body, ScalarBuilder &s) {
    ExprAttr output = reach->begin + c.dim(1);
    Value valid = c.condition(
        body, guard::logicalAnd(guard::ge(output, c.expr(0)),
                                guard::lt(output, r.output)));
    Value touched = s.constant(i1, int64_t(0));
    Value weight = s.constant(f64, 0.0);
    Value own = body.indices[0];
    auto compare = [&](arith::CmpIPredicate predicate, Value a, Value b) {
      return arith::CmpIOp::create(body.builder, body.loc, predicate, a, b)
          .getResult();
    };
    if (isWide()) {
      Value at = clamp(body, c.index(body, output), r.output);
      auto [begin, end] = buildWideRange(body, s, r, at);
      touched = s.logicalAnd(compare(arith::CmpIPredicate::sle, begin, own),
                             compare(arith::CmpIPredicate::slt, own, end));
      Value total = LoadOp::create(body.builder, body.loc, sums.base,
                                   ValueRange(at), sums.map);
      weight = buildWideWeight(body, s, r, at, own);
      weight = s.where(s.eq(total, s.constant(f64, 0.0)), weight,
                       s.div(weight, total));
    } else {
      for (const Tap &tap : buildTaps(body, s, r, output)) {
        Value hit = compare(arith::CmpIPredicate::eq, tap.input, own);
        weight = s.add(weight, s.where(hit, tap.weight, s.constant(f64, 0.0)));
        touched = s.logicalOr(touched, hit);
      }
    }
    if (valid)
      touched = s.logicalAnd(touched, valid);
    return std::pair(weight, touched);
  };
  Value weights = c.makePointwise(
      guard::makeTensorType(compute, table), f64,
      [&](BodyContext body, ScalarBuilder &s) { return build(body, s).first; });
  Value flags = c.makePointwise(
      guard::makeTensorType(i1, table), i1,
      [&](BodyContext body, ScalarBuilder &s) { return build(body, s).second; });
  if (!weights || !flags)
    return {};
  View weightTable = c.getView(weights), flagTable = c.getView(flags);
  View view = c.getView(gradient);
  Type from = c.getElement(gradient);
  Exprs parallel = view.dims;
  unsigned rank = parallel.size();
  parallel[dim] = r.input;
  ExprAttr begin = getReach(r, c.dim(dim))->begin;
  return c.makeReduce(
      TypeRange(guard::makeTensorType(compute, parallel)), parallel,
      {reach->extent}, ReductionKind::Sum, compute,
      [&](BodyContext body, ScalarBuilder &s) {
        Exprs place = {c.dim(dim), c.dim(rank)};
        Value touched = c.read(body, flagTable, place);
        Exprs index = getIdentityMap(c.getContext(), rank);
        index[dim] = begin + c.dim(rank);
        Value zero = s.constant(from, 0.0);
        Value element = s.convert(c.read(body, view, index, touched, zero),
                                  from, compute);
        return SmallVector<Value>{
            s.mul(c.read(body, weightTable, place), element)};
      })[0];
}

LogicalResult Resampler::lowerBackward(Value gradient, RankedTensorType type) {
  unsigned lead = type.getRank() - resizes.size();
  bool isDirect = isNearest() && llvm::all_of(resizes, [&](const Resize &r) {
    return bool(getNearest(r, c.dim(0)));
  });
  if (isDirect) {
    View view = c.getView(gradient);
    WindowNest nest(c, *guard::getDims(type), resizes.size(),
                    [&](unsigned k, ExprAttr place, ExprAttr index) {
                      return *getNearestOutputs(resizes[k], place, index);
                    });
    SmallVector<Value> sums = c.makeReduce(
        TypeRange(type), nest.parallel, nest.reduction, ReductionKind::Sum,
        compute, [&](BodyContext body, ScalarBuilder &s) {
          Value valid = c.condition(body, nest.valid);
          Value value = valid ? c.read(body, view, nest.at, valid,
                                       s.constant(stored, 0.0))
                              : c.read(body, view, nest.at);
          return SmallVector<Value>{s.convert(value, stored, compute)};
        });
    c.setResult(0, sums[0]);
    return success();
  }
  for (unsigned d = resizes.size(); d-- > 0;) {
    gradient = makeGradientPass(gradient, lead + d, resizes[d]);
    if (!gradient)
      return failure();
  }
  return finish(gradient, type);
}

/// Where PyTorch's kernels do not look at the scale that was given: they copy
/// what keeps its size, and some know a size that doubles.
static void dropIdleScales(MutableArrayRef<Resize> resizes, Filter filter,
                           bool isBackward) {
  bool allKeep = llvm::all_of(resizes, [](Resize &r) { return r.keeps(); });
  for (Resize &r : resizes) {
    switch (filter) {
    case Filter::Nearest:
      r.idlesIfKept = r.idlesIfDoubled = isBackward || resizes.size() == 2;
      break;
    case Filter::Linear:
      r.idlesIfKept = true;
      break;
    case Filter::Cubic:
      r.idlesIfKept = isBackward && allKeep;
      break;
    case Filter::LinearWide:
    case Filter::CubicWide:
      r.idlesIfKept = !isBackward;
      break;
    case Filter::NearestExact:
      break;
    }
    if ((r.idlesIfKept && r.keeps()) || (r.idlesIfDoubled && r.doubles()))
      r.scale.reset();
  }
}

LogicalResult loop::lowerResampling(Converter &c, Filter filter,
                                    unsigned spatial) {
  bool isBackward = !c.getArg("grad_output").isNone();
  // Those that take a list of sizes or of factors call their operand `input`.
  bool isList = !c.getArg("input").isNone();
  Value source = c.getTensor(isBackward ? StringRef("grad_output")
                             : isList   ? "input"
                                        : "self");
  RankedTensorType type = c.getResultType();
  Type stored = type.getElementType();
  bool isByte = stored.isUnsignedInteger(8) && !isBackward;
  Exprs small(*guard::getDims(type)), large = c.getView(source).dims;
  if ((!isa<FloatType>(stored) && !isByte) || c.getElement(source) != stored ||
      small.size() != spatial + 2 || large.size() != spatial + 2)
    return c.refuse("images of this kind have no kernel");
  Resampler resampler(c, filter, c.getBool("align_corners"), stored);
  if (!isBackward)
    std::swap(small, large); // `small` is the forward's input
  for (unsigned d = 0; d < small.size(); ++d)
    if (d > 0 && (small[d].isConstant(0) || large[d].isConstant(0)))
      return c.refuse("an image without elements has no kernel");
  Exprs wanted = c.getShape("output_size");
  auto factors = dyn_cast_if_present<DenseF64ArrayAttr>(
      c.getArg("scale_factors").getAttribute());
  if (isList && wanted.empty() == !factors)
    return c.refuse("expected either sizes or factors");
  for (unsigned d = 0; d < spatial; ++d) {
    const char *names[] = {"scales_d", "scales_h", "scales_w"};
    std::optional<double> scale =
        isList
            ? std::nullopt
            : c.getConstant(spatial == 1 ? "scales" : names[3 - spatial + d]);
    if (isList && factors)
      scale = factors[d];
    else if (wanted.size() != spatial || wanted[d] != large[2 + d])
      return c.refuse("a gradient of other sizes has no kernel");
    resampler.resizes.push_back({small[2 + d], large[2 + d], scale});
  }
  if (small[0] != large[0] || small[1] != large[1])
    return c.refuse("a gradient of other sizes has no kernel");
  dropIdleScales(resampler.resizes, filter, isBackward);
  return isBackward ? resampler.lowerBackward(source, type)
                    : resampler.lowerForward(source, type);
}
