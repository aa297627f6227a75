//===- GridSampling.cpp - Sampling images at given positions --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sample is a weighted sum of elements; weights are products of one list of
// taps per dimension. A tap also knows how its weight changes with the grid's
// coordinate, which gives the gradients. Positions are computed in f64, or of f32
// on a processor in f32, as PyTorch's are: there as many lanes are gathered at a time.
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"

#include <cmath>

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace {

/// A coordinate and its derivative in the one it came from.
struct Coordinate {
  Value at, slope;
};

struct GridTap {
  Value input;  ///< an index
  Value inside; ///< i1
  Value weight, slope;
};

/// Builds the taps of one dimension of `size` elements.
class Sampler {
public:
  Sampler(LoopBuilder &loops, const GridArgs &args, BodyContext body,
          ScalarBuilder &s, ExprAttr size, Type type)
      : loops(loops), body(body), s(s), size(size), type(type),
        interpolation(args.interpolationMode.value_or(0)),
        padding(args.paddingMode.value_or(0)),
        corners(args.alignCorners.value_or(false)),
        count(loops.number(body, s, size, type)), last(s.sub(count, number(1))) {
  }

  SmallVector<GridTap> build(Value grid);

private:
  Value number(double value) { return s.constant(type, value); }
  Coordinate unnormalize(Value grid);
  Coordinate clip(Coordinate x);
  Coordinate reflect(Coordinate x);
  Coordinate pad(Coordinate x);
  /// Positions that no image reaches, and that are safe to convert.
  Value limit(Value at) {
    return s.where(s.lt(s.abs(at), number(type.isF32() ? 1e9 : 1e15)), at,
                   number(-100));
  }
  GridTap makeTap(Value at, Value weight, Value slope);

  LoopBuilder &loops;
  BodyContext body;
  ScalarBuilder &s;
  ExprAttr size;
  Type type; ///< of coordinates and weights
  int64_t interpolation; ///< 0 linear, 1 nearest, 2 cubic
  int64_t padding;       ///< 0 zeros, 1 border, 2 reflection
  bool corners;
  Value count, last;
};

} // namespace

Coordinate Sampler::unnormalize(Value grid) {
  Value scale = s.mul(corners ? last : count, number(0.5));
  Value at = s.mul(s.add(grid, number(1)), scale);
  return {corners ? at : s.sub(at, number(0.5)), scale};
}

Coordinate Sampler::clip(Coordinate x) {
  Value zero = number(0);
  Value above = s.lt(zero, x.at), beyond = s.le(last, x.at);
  Value at = s.where(above, s.where(beyond, last, x.at), zero);
  Value slope = s.where(above, s.where(beyond, zero, x.slope), zero);
  return {at, slope};
}

/// Folds a coordinate into the image by reflections at its borders.
Coordinate Sampler::reflect(Coordinate x) {
  Value zero = number(0), one = number(1);
  Value low = number(corners ? 0 : -0.5), span = corners ? last : count;
  Value in = s.sub(x.at, low);
  Value sign = s.where(s.lt(in, zero), number(-1), one);
  in = s.abs(in);
  Value extra = s.fmod(in, span);
  Value turns = s.fmod(s.floor(s.div(in, span)), number(2));
  Value even = s.eq(turns, zero);
  Value at = s.add(s.where(even, extra, s.sub(span, extra)), low);
  Value slope =
      s.mul(s.mul(x.slope, sign), s.where(even, one, number(-1)));
  Value isPoint = s.eq(span, zero);
  return {s.where(isPoint, zero, at), s.where(isPoint, zero, slope)};
}

Coordinate Sampler::pad(Coordinate x) {
  if (padding == 2)
    x = reflect(x);
  if (padding != 0)
    x = clip(x);
  return {limit(x.at), x.slope};
}

GridTap Sampler::makeTap(Value at, Value weight, Value slope) {
  OpBuilder &b = body.builder;
  Value integer; // of f32 one of 32 bits, which `limit` has seen to
  if (type.isF32())
    integer = arith::FPToSIOp::create(b, body.loc, b.getI32Type(), at);
  else
    integer = s.convert(at, type, b.getI64Type());
  Value index = arith::IndexCastOp::create(b, body.loc, b.getIndexType(),
                                           integer);
  Value zero = arith::ConstantIndexOp::create(b, body.loc, 0);
  Value low = arith::CmpIOp::create(b, body.loc, arith::CmpIPredicate::sge,
                                    index, zero);
  Value high = arith::CmpIOp::create(b, body.loc, arith::CmpIPredicate::slt,
                                     index, loops.index(body, size));
  return {index, s.logicalAnd(low, high), weight, slope};
}

SmallVector<GridTap> Sampler::build(Value grid) {
  Coordinate raw = unnormalize(grid);
  Value one = number(1);
  if (interpolation == 2) {
    Value at = limit(raw.at), base = s.floor(at), t = s.sub(at, base);
    const double a = -0.75;
    Value x[4] = {s.add(t, one), t, s.sub(one, t), s.sub(number(2), t)};
    SmallVector<GridTap> taps;
    for (int i = 0; i < 4; ++i) {
      bool isNear = i == 1 || i == 2;
      Value v = x[i], weight, slope;
      if (isNear) {
        weight = s.sub(s.mul(number(a + 2), v), number(a + 3));
        weight = s.add(s.mul(s.mul(weight, v), v), one);
        slope = s.mul(
            s.sub(s.mul(number(3 * (a + 2)), v), number(2 * (a + 3))), v);
      } else {
        weight = s.sub(s.mul(number(a), v), number(5 * a));
        weight = s.add(s.mul(weight, v), number(8 * a));
        weight = s.sub(s.mul(weight, v), number(4 * a));
        slope = s.sub(s.mul(number(3 * a), v), number(10 * a));
        slope = s.add(s.mul(slope, v), number(8 * a));
      }
      slope = s.mul(slope, s.mul(number(i < 2 ? 1 : -1), raw.slope));
      // Each tap is padded by itself.
      Coordinate own = pad({s.add(base, number(i - 1)), one});
      taps.push_back(makeTap(own.at, weight, slope));
    }
    return taps;
  }
  Coordinate x = pad(raw);
  if (interpolation == 1)
    return {makeTap(s.round(x.at), one, number(0))};
  Value base = s.floor(x.at), t = s.sub(x.at, base);
  return {makeTap(base, s.sub(one, t), s.neg(x.slope)),
          makeTap(s.add(base, one), t, x.slope)};
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

namespace {

/// An operator with an image [n, loops, ...] and a grid [n, ..., coordinates].
struct Sampling {
  Sampling(LoopBuilder &loops, const GridArgs &args)
      : loops(loops), args(args), input(args.input), grid(args.grid),
        image(loops.getView(input)), places(loops.getView(grid)),
        spatial(image.dims.size() - 2), type(loops.getBuilder().getF64Type()) {
    Type stored = loops.getElement(input);
    isOnGPU = bool(getGPUTarget(loops.getBuilder().getBlock()->getParentOp()));
    if (stored.isF32() && !isOnGPU)
      type = stored;
  }

  bool isSupported() const;
  /// Of each dimension, at the point whose index begins with those `leading`,
  /// then the position in the grid.
  SmallVector<SmallVector<GridTap>> buildTaps(BodyContext body,
                                              ScalarBuilder &s,
                                              ArrayRef<ExprAttr> place) const;
  LogicalResult lowerForward();
  LogicalResult lowerBackward();
  Value makeInputGradient();
  Value addToRows();
  Value makeGridGradient();

  LoopBuilder &loops;
  const GridArgs &args;
  Value input, grid;
  View image, places;
  unsigned spatial;
  Type type; ///< that is computed in
  bool isOnGPU = false;
};

/// Calls `f(chosen)` for every combination of one tap per dimension.
void forEachSample(ArrayRef<SmallVector<GridTap>> taps,
                   llvm::function_ref<void(ArrayRef<const GridTap *>)> f) {
  SmallVector<const GridTap *> chosen;
  std::function<void()> next = [&] {
    if (chosen.size() == taps.size())
      return f(chosen);
    for (const GridTap &tap : taps[chosen.size()]) {
      chosen.push_back(&tap);
      next();
      chosen.pop_back();
    }
  };
  next();
}

} // namespace

bool Sampling::isSupported() const {
  Type stored = loops.getElement(input);
  int64_t interpolation = args.interpolationMode.value_or(0),
          padding = args.paddingMode.value_or(0);
  if (!isa<FloatType>(stored) || loops.getElement(grid) != stored ||
      spatial < 2 || spatial > 3 || places.dims.size() != spatial + 2 ||
      padding < 0 || padding > 2 || interpolation < 0 ||
      interpolation > (spatial == 2 ? 2 : 1))
    return false;
  return llvm::none_of(ArrayRef(image.dims).drop_front(2), [](ExprAttr size) {
    return size.isConstant(0);
  });
}

SmallVector<SmallVector<GridTap>>
Sampling::buildTaps(BodyContext body, ScalarBuilder &s,
                    ArrayRef<ExprAttr> place) const {
  SmallVector<SmallVector<GridTap>> taps;
  for (unsigned d = 0; d < spatial; ++d) {
    // The innermost dimension comes first in the grid.
    Exprs index(place);
    index.push_back(loops.expr(spatial - 1 - d));
    Value g = s.convert(loops.read(body, places, index), loops.getElement(grid),
                        type);
    taps.push_back(
        Sampler(loops, args, body, s, image.dims[2 + d], type).build(g));
  }
  return taps;
}

/// The image's element at the taps; 0 outside.
static Value readSample(const Sampling &sampling, BodyContext body,
                        ScalarBuilder &s, Value n, Value channel,
                        ArrayRef<const GridTap *> chosen) {
  Type stored = sampling.loops.getElement(sampling.input);
  SmallVector<Value> index = {n, channel};
  Value inside;
  for (const GridTap *tap : chosen) {
    index.push_back(tap->input);
    inside = inside ? s.logicalAnd(inside, tap->inside) : tap->inside;
  }
  Value element = sampling.loops.readAt(body, sampling.image, index, inside,
                                        s.constant(stored, 0.0));
  return s.convert(element, stored, sampling.type);
}

/// Both 0 and not a number outside of the image would differ: what lies there
/// does not count, whatever its weight.
static Value keepInside(ScalarBuilder &s, Value value,
                        ArrayRef<const GridTap *> chosen) {
  Value inside;
  for (const GridTap *tap : chosen)
    inside = inside ? s.logicalAnd(inside, tap->inside) : tap->inside;
  return s.where(inside, value, s.constant(value.getType(), 0.0));
}

LogicalResult Sampling::lowerForward() {
  Exprs place = {loops.dim(0)};
  for (unsigned d = 0; d < spatial; ++d)
    place.push_back(loops.dim(2 + d));
  Value result =
      loops.makePointwise(loops.getResultType(), type, [&](BodyContext body, ScalarBuilder &s) {
        Value sum = s.constant(type, 0.0);
        forEachSample(
            buildTaps(body, s, place), [&](ArrayRef<const GridTap *> chosen) {
              Value weight;
              for (const GridTap *tap : chosen)
                weight = weight ? s.mul(weight, tap->weight) : tap->weight;
              Value element = readSample(*this, body, s, body.indices[0],
                                         body.indices[1], chosen);
              sum = s.add(sum, keepInside(s, s.mul(weight, element), chosen));
            });
        return sum;
      });
  return loops.setMade(0, result);
}

/// Adds each sample's gradient to the elements it was made of.
Value Sampling::makeInputGradient() {
  Value gradient = args.gradOutput;
  View source = loops.getView(gradient);
  Value zeros = loops.makePointwise(
      guard::makeTensorType(type, image.dims), type,
      [&](BodyContext, ScalarBuilder &s) { return s.constant(type, 0.0); });
  // (n, place..., tap..., channel): taps are the same for all channels.
  int64_t interpolation = args.interpolationMode.value_or(0);
  ExprAttr taps = loops.expr(interpolation == 0   ? 2
                             : interpolation == 1 ? 1
                                                  : 4);
  Exprs extents(ArrayRef(places.dims).drop_back());
  Exprs place = getIdentityMap(loops.getContext(), extents.size());
  unsigned firstTap = extents.size(), channel = firstTap + spatial;
  extents.append(spatial, taps);
  extents.push_back(image.dims[1]);
  return loops.makeScatter(
      zeros, extents, ScatterKind::Add, [&](BodyContext body) -> Written {
        OpBuilder &inner = body.builder;
        ScalarBuilder s(inner, body.loc, type);
        SmallVector<Value> position = {body.indices[0], body.indices[channel]};
        Value inside, weight;
        for (auto [d, list] : llvm::enumerate(buildTaps(body, s, place))) {
          // The tap that the domain is at.
          GridTap chosen = list.back();
          for (unsigned i = list.size() - 1; i-- > 0;) {
            Value here = arith::CmpIOp::create(
                inner, body.loc, arith::CmpIPredicate::eq,
                body.indices[firstTap + d],
                arith::ConstantIndexOp::create(inner, body.loc, i));
            chosen.input = s.where(here, list[i].input, chosen.input);
            chosen.inside = s.where(here, list[i].inside, chosen.inside);
            chosen.weight = s.where(here, list[i].weight, chosen.weight);
          }
          position.push_back(chosen.input);
          inside = inside ? s.logicalAnd(inside, chosen.inside) : chosen.inside;
          weight = weight ? s.mul(weight, chosen.weight) : chosen.weight;
        }
        Exprs at = {loops.dim(0), loops.dim(channel)};
        for (unsigned d = 0; d < spatial; ++d)
          at.push_back(loops.dim(1 + d));
        Value up = s.convert(loops.read(body, source, at),
                             LoopBuilder::getElement(gradient), type);
        return {position, s.mul(weight, up), inside};
      });
}

/// The same on a processor: what each sample weighs and where it lies, which all channels
/// have in common, is found once; and each channel of an image is a row that it is added
/// to, which has a thread of its own. Null where there are too many samples of a point.
Value Sampling::addToRows() {
  constexpr int kMostSamples = 8;
  int64_t interpolation = args.interpolationMode.value_or(0);
  int count = interpolation == 0 ? 1 << spatial : 1;
  if (isOnGPU || interpolation == 2 || count > kMostSamples)
    return {};
  MLIRContext *context = loops.getContext();
  Value gradient = args.gradOutput;
  View source = loops.getView(gradient);
  Exprs points(ArrayRef(places.dims).drop_back());
  Exprs place = getIdentityMap(context, points.size());
  ExprAttr length = guard::product(context, ArrayRef(image.dims).drop_front(2));
  auto known = length.getConstant();
  bool isNarrow = known && *known <= INT32_MAX;
  Type integer = loops.getBuilder().getIntegerType(isNarrow ? 32 : 64);

  // Sample `number` of a point.
  auto choose = [&](BodyContext body, ScalarBuilder &s, int number) {
    SmallVector<GridTap> chosen;
    for (const SmallVector<GridTap> &taps : buildTaps(body, s, place)) {
      chosen.push_back(taps[number % taps.size()]);
      number /= taps.size();
    }
    return chosen;
  };
  auto getWeight = [&](BodyContext body, int number) {
    ScalarBuilder s(body.builder, body.loc, type);
    Value weight;
    for (const GridTap &tap : choose(body, s, number))
      weight = weight ? s.mul(weight, tap.weight) : tap.weight;
    return weight;
  };
  auto getPlace = [&](BodyContext body, int number) {
    OpBuilder &b = body.builder;
    ScalarBuilder s(b, body.loc, type);
    Value at, inside;
    for (auto [d, tap] : llvm::enumerate(choose(body, s, number))) {
      Value size = loops.index(body, image.dims[2 + d]);
      at = at ? arith::MulIOp::create(b, body.loc, at, size).getResult() : at;
      at = at ? arith::AddIOp::create(b, body.loc, at, tap.input).getResult()
              : tap.input;
      inside = inside ? s.logicalAnd(inside, tap.inside) : tap.inside;
    }
    at = arith::IndexCastOp::create(b, body.loc, integer, at);
    return s.where(inside, at, s.constant(integer, int64_t(-1)));
  };

  Exprs rows = {image.dims[0], image.dims[1], length};
  Value sums = loops.makeZeros(guard::makeTensorType(type, rows));
  Exprs extents = {image.dims[0], image.dims[1]};
  extents.append(points.begin() + 1, points.end());
  Exprs point = {loops.dim(0)};
  for (unsigned d = 0; d < spatial; ++d)
    point.push_back(loops.dim(2 + d));
  for (int number = 0; number < count; ++number) {
    Value weights = loops.makePointwise(
        guard::makeTensorType(type, points), type,
        [&](BodyContext body, ScalarBuilder &) { return getWeight(body, number); });
    Value at = loops.makePointwise(
        guard::makeTensorType(integer, points), integer,
        [&](BodyContext body, ScalarBuilder &) { return getPlace(body, number); });
    sums = loops.makeScatter(
        sums, extents, ScatterKind::Add, [&](BodyContext body) -> Written {
          OpBuilder &b = body.builder;
          ScalarBuilder s(b, body.loc, type);
          Value place = loops.read(body, loops.getView(at), point);
          Value up = loops.read(body, source,
                                getIdentityMap(context, extents.size()));
          Value weight = loops.read(body, loops.getView(weights), point);
          Value index = arith::IndexCastOp::create(b, body.loc,
                                                   b.getIndexType(), place);
          return {{body.indices[0], body.indices[1], index},
                  s.mul(weight, s.convert(up, loops.getElement(gradient), type)),
                  s.ge(place, s.constant(integer, int64_t(0)))};
        });
  }
  return sums;
}

/// Sums over channels what a step of each coordinate changes.
Value Sampling::makeGridGradient() {
  Value gradient = args.gradOutput;
  View source = loops.getView(gradient);
  Exprs parallel(ArrayRef(places.dims).drop_back());
  Exprs place = getIdentityMap(loops.getContext(), parallel.size());
  unsigned channel = parallel.size();
  Type sumType = guard::makeTensorType(type, parallel);
  SmallVector<Type> types(spatial, sumType);
  SmallVector<ReductionKind> kinds(spatial, ReductionKind::Sum);
  SmallVector<Value> sums = loops.makeReduce(
      types, parallel, {image.dims[1]}, kinds, type,
      [&](BodyContext body, ScalarBuilder &s) {
        Exprs at = {loops.dim(0), loops.dim(channel)};
        at.append(place.begin() + 1, place.end());
        Value up = s.convert(loops.read(body, source, at),
                             loops.getElement(gradient), type);
        SmallVector<Value> totals(spatial, s.constant(type, 0.0));
        forEachSample(
            buildTaps(body, s, place), [&](ArrayRef<const GridTap *> chosen) {
              Value element = readSample(*this, body, s, body.indices[0],
                                         body.indices[channel], chosen);
              Value share = s.mul(up, element);
              for (unsigned d = 0; d < spatial; ++d) {
                Value slope;
                for (unsigned e = 0; e < spatial; ++e) {
                  Value factor = d == e ? chosen[e]->slope : chosen[e]->weight;
                  slope = slope ? s.mul(slope, factor) : factor;
                }
                totals[d] = s.add(
                    totals[d], keepInside(s, s.mul(slope, share), chosen));
              }
            });
        return totals;
      });
  return loops.makePointwise(
      loops.getResultType(1), type, [&](BodyContext body, ScalarBuilder &s) {
        Value result;
        for (unsigned d = 0; d < spatial; ++d) {
          Value own = loops.read(body, loops.getView(sums[d]), place);
          Value here = arith::CmpIOp::create(
              body.builder, body.loc, arith::CmpIPredicate::eq,
              body.indices.back(),
              arith::ConstantIndexOp::create(body.builder, body.loc,
                                             spatial - 1 - d));
          result = result ? s.where(here, own, result) : own;
        }
        return result;
      });
}

LogicalResult Sampling::lowerBackward() {
  ArrayRef<bool> mask = args.outputMask;
  View source = loops.getView(args.gradOutput);
  Exprs expected = {image.dims[0], image.dims[1]};
  expected.append(places.dims.begin() + 1, places.dims.end() - 1);
  if (mask.size() != 2 || source.dims != expected)
    return loops.refuse("a gradient of other sizes has no kernel");
  Value added = mask[0] ? addToRows() : Value();
  View sums;
  if (added)
    sums = loops.reshape(loops.getView(added), image.dims);
  else if (mask[0])
    sums = loops.getView(makeInputGradient());
  Exprs element = getIdentityMap(loops.getContext(), image.dims.size());
  bool isDone = added && type == loops.getResultType().getElementType();
  if (isDone && failed(loops.setReshaped(0, added)))
    return failure();
  if (!isDone)
    loops.setResult(0, loops.makePointwise(
                           loops.getResultType(), type,
                           [&](BodyContext body, ScalarBuilder &s) {
                             // Nobody reads what was not asked for.
                             return mask[0] ? loops.read(body, sums, element)
                                            : s.constant(type, 0.0);
                           }));
  Value result = makeGridGradient();
  return loops.setMade(1, result);
}

/// Positions of an output image under an affine map. On a processor each coordinate is an
/// image, seen as the last dimension: vectors are along rows of it, and so is who reads it.
LogicalResult loop::lowerAffineGrid(LoopBuilder &loops,
                                    aten::AffineGridGeneratorOp op) {
  Value theta = op.getTheta();
  View maps = loops.getView(theta);
  RankedTensorType type = loops.getResultType();
  Type stored = type.getElementType(), f64 = loops.getBuilder().getF64Type();
  Exprs sizes(*guard::getDims(type));
  unsigned dims = sizes.size() - 2;
  bool corners = op.getAlignCorners();
  auto differ = [](ExprAttr a, ExprAttr b) {
    ExprAttr rest = a - b;
    return rest.isConstant() && !rest.isConstant(0);
  };
  if (!isa<FloatType>(stored) || maps.dims.size() != 3 ||
      differ(maps.dims[0], sizes[0]) ||
      differ(maps.dims[1], loops.expr(dims)) ||
      differ(maps.dims[2], loops.expr(dims + 1)))
    return loops.refuse("maps of these sizes have no kernel");
  bool isApart = !getGPUTarget(loops.getBuilder().getBlock()->getParentOp());
  unsigned coordinate = isApart ? 1 : dims + 1, shift = isApart ? 1 : 0;
  Exprs made(sizes);
  if (isApart)
    std::rotate(made.begin() + 1, made.end() - 1, made.end());
  Value result = loops.makePointwise(
      guard::makeTensorType(stored, made), f64,
      [&](BodyContext body, ScalarBuilder &s) {
        Value sum;
        for (unsigned k = 0; k <= dims; ++k) {
          Value element = s.convert(
              loops.read(body, maps,
                         {loops.dim(0), loops.dim(coordinate), loops.expr(k)}),
              stored, f64);
          if (k < dims) { // the innermost dimension first
            unsigned d = dims - k;
            Value twice = loops.number(body, s, loops.dim(d + shift) * 2, f64);
            Value one = s.constant(f64, 1.0), zero = s.constant(f64, 0.0);
            Value count = loops.number(body, s, sizes[d], f64);
            Value base;
            if (corners) {
              Value last = s.sub(count, one);
              base = s.where(s.lt(zero, last),
                             s.sub(s.div(twice, last), one), zero);
            } else {
              base = s.sub(s.div(s.add(twice, one), count), one);
            }
            element = s.mul(element, base);
          }
          sum = sum ? s.add(sum, element) : element;
        }
        return sum;
      });
  if (!isApart || !result)
    return loops.setMade(0, result);
  Exprs map = {loops.dim(0), loops.dim(dims + 1)};
  for (unsigned d = 1; d <= dims; ++d)
    map.push_back(loops.dim(d));
  loops.setView(loops.getResult(0), {result, map, sizes});
  return success();
}

static LogicalResult lowerSampling(LoopBuilder &loops, const GridArgs &args,
                                   LogicalResult (Sampling::*lower)()) {
  Sampling sampling(loops, args);
  return sampling.isSupported()
             ? (sampling.*lower)()
             : loops.refuse("sampling of these tensors has no kernel");
}

LogicalResult loop::lowerGridSampler(LoopBuilder &loops, const GridArgs &args) {
  return lowerSampling(loops, args, &Sampling::lowerForward);
}

LogicalResult loop::lowerGridSamplerBackward(LoopBuilder &loops,
                                             const GridArgs &args) {
  return lowerSampling(loops, args, &Sampling::lowerBackward);
}
