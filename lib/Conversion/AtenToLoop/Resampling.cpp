//===- Resampling.cpp - Changing the size of images -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nests that add up the taps of Resampler.h.
//
//===----------------------------------------------------------------------===//

#include "Resampler.h"

#include <cmath>

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

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
