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
  View view = loops.getView(result);
  if (result.getType() != type)
    result = loops.makePointwise(
        type, compute, [&](BodyContext body, ScalarBuilder &s) {
          Value value = loops.read(body, view, view.map);
          if (!isa<IntegerType>(stored))
            return value;
          Value low = s.floor(value), rest = s.sub(value, low);
          Value up = s.le(s.constant(compute, 0.5), rest);
          value = s.add(low, s.where(up, s.constant(compute, 1.0),
                                     s.constant(compute, 0.0)));
          return s.min(s.max(value, s.constant(compute, 0.0)),
                       s.constant(compute, 255.0));
        });
  return loops.setMade(0, result);
}

LogicalResult Resampler::lowerForward(Value source, RankedTensorType type) {
  unsigned lead = type.getRank() - resizes.size();
  if (isWide()) {
    for (unsigned d = resizes.size(); d-- > 0;)
      source = makeWidePass(source, lead + d, resizes[d]);
    return finish(source, type);
  }
  View view = loops.getView(source);
  // Where expressions say which elements are nearest, it is a view.
  Exprs nearest = getIdentityMap(loops.getContext(), lead);
  for (auto [d, r] : llvm::enumerate(resizes))
    if (ExprAttr known =
            isNearest() ? getNearest(r, loops.dim(lead + d)) : ExprAttr())
      nearest.push_back(known);
  if (nearest.size() == view.dims.size()) {
    loops.setResult(
        0, loops.makePointwise(type, stored,
                               [&](BodyContext body, ScalarBuilder &) {
                                 return loops.read(body, view, nearest);
                               }));
    return success();
  }
  // Rows that are resized already are read by several of those that are made of them, if these
  // are not fewer.
  bool shrinks = llvm::any_of(resizes, [](const Resize &r) { return r.shrinks(); });
  for (unsigned last = resizes.size(), first; last > 0; last = first) {
    first = isNearest() || shrinks ? 0 : last - 1;
    source = makeTapSums(source, lead, first, last);
    if (!source)
      return failure();
  }
  return isNearest() ? loops.setMade(0, source) : finish(source, type);
}

/// The taps of each output of a dimension: which inputs they are and what these weigh is the
/// same in all rows and channels, and takes longer to compute than they do to add up.
SmallVector<TapTable> Resampler::makeTapTables(const Resize &r) {
  Builder &b = loops.getBuilder();
  SmallVector<TapTable> tables(isNearest() ? 1 : 2 * getRadius());
  auto make = [&](Type type, function_ref<Value(BodyContext, ScalarBuilder &, Tap)> take,
                  size_t k) {
    return loops.makePointwise(
        guard::makeTensorType(type, {r.output}), type,
        [&](BodyContext body, ScalarBuilder &s) {
          return take(body, s, buildTaps(body, s, r, loops.dim(0))[k]);
        });
  };
  for (auto [k, table] : llvm::enumerate(tables)) {
    table.inputs = make(
        b.getI64Type(),
        [](BodyContext body, ScalarBuilder &, Tap tap) -> Value {
          return arith::IndexCastOp::create(body.builder, body.loc,
                                            body.builder.getI64Type(), tap.input);
        },
        k);
    if (!isNearest())
      table.weights = make(
          compute,
          [&](BodyContext body, ScalarBuilder &s, Tap tap) {
            return s.convert(tap.weight, body.builder.getF64Type(), compute);
          },
          k);
  }
  return tables;
}

/// The source with resized dimensions `first` to `last`, the sums of the last of them inside of
/// those before it; elements of the computation type, or of the source if one is taken.
Value Resampler::makeTapSums(Value source, unsigned lead, unsigned first,
                             unsigned last) {
  View view = loops.getView(source);
  Type from = loops.getElement(source), to = isNearest() ? from : compute;
  Exprs parallel = view.dims;
  SmallVector<SmallVector<TapTable>> tables(last);
  for (unsigned d = first; d < last; ++d) {
    parallel[lead + d] = resizes[d].output;
    tables[d] = makeTapTables(resizes[d]);
  }
  return loops.makePointwise(
      guard::makeTensorType(to, parallel), to,
      [&](BodyContext body, ScalarBuilder &s) -> Value {
        SmallVector<Value> index(body.indices);
        std::function<Value(unsigned)> sum = [&](unsigned d) -> Value {
          if (d == last)
            return s.convert(loops.readAt(body, view, index), from, to);
          Value total;
          for (const TapTable &table : tables[d]) {
            Exprs place = {loops.dim(lead + d)};
            index[lead + d] = arith::IndexCastOp::create(
                body.builder, body.loc, body.builder.getIndexType(),
                loops.read(body, loops.getView(table.inputs), place));
            Value value = sum(d + 1);
            if (isNearest())
              return value;
            value = s.mul(
                loops.read(body, loops.getView(table.weights), place), value);
            total = total ? s.add(total, value) : value;
          }
          return total;
        };
        return sum(first);
      });
}

/// The sums of the weights of a wide filter.
Value Resampler::makeWideSums(const Resize &r) {
  Type f64 = loops.getBuilder().getF64Type();
  return loops.makeReduce(
      TypeRange(guard::makeTensorType(f64, {r.output})), {r.output},
      {getWidth(r)}, ReductionKind::Sum, f64,
      [&](BodyContext body, ScalarBuilder &s) {
        Value output = loops.index(body, loops.dim(0));
        auto [begin, end] = buildWideRange(body, s, r, output);
        Value input = arith::AddIOp::create(body.builder, body.loc, begin,
                                            loops.index(body, loops.dim(1)));
        Value inside = arith::CmpIOp::create(
            body.builder, body.loc, arith::CmpIPredicate::slt, input, end);
        Value weight = buildWideWeight(body, s, r, output, input);
        return SmallVector<Value>{
            s.where(inside, weight, s.constant(f64, 0.0))};
      })[0];
}

/// Dimension `dim` resized by a wide filter; elements of the computation type.
Value Resampler::makeWidePass(Value source, unsigned dim, const Resize &r) {
  View view = loops.getView(source);
  Type from = loops.getElement(source), f64 = loops.getBuilder().getF64Type();
  View sums = loops.getView(makeWideSums(r));
  Exprs parallel = view.dims;
  unsigned rank = parallel.size();
  parallel[dim] = r.output;
  return loops.makeReduce(
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
        Value total = loops.read(body, sums, {loops.dim(dim)});
        Value isZero = s.eq(total, s.constant(f64, 0.0));
        weight = s.where(isZero, weight, s.div(weight, total));
        SmallVector<Value> index(body.indices.take_front(rank));
        index[dim] = input;
        Value zero = s.constant(from, int64_t(0));
        Value element = loops.readAt(body, view, index, inside, zero);
        Value value = s.mul(s.convert(weight, f64, compute),
                            s.convert(element, from, compute));
        return SmallVector<Value>{
            s.where(inside, value, s.constant(compute, 0.0))};
      })[0];
}

/// What dimension `dim` of the input gets from the outputs.
Value Resampler::makeGradientPass(Value gradient, unsigned dim,
                                  const Resize &r) {
  auto reach = getReach(r, loops.dim(0));
  if (!reach) {
    (void)loops.refuse(
        "a scale that is not the ratio of the sizes has no kernel");
    return {};
  }
  Type f64 = loops.getBuilder().getF64Type(),
       i1 = loops.getBuilder().getI1Type();
  View sums;
  if (isWide())
    sums = loops.getView(makeWideSums(r));
  // How much of output `begin + d1` input d0 gets, and whether it reads it.
  Exprs table = {r.input, reach->extent};
  auto build = [&](BodyContext body, ScalarBuilder &s) {
    ExprAttr output = reach->begin + loops.dim(1);
    Value valid = loops.condition(
        body, guard::logicalAnd(guard::ge(output, loops.expr(0)),
                                guard::lt(output, r.output)));
    Value touched = s.constant(i1, int64_t(0));
    Value weight = s.constant(f64, 0.0);
    Value own = body.indices[0];
    auto compare = [&](arith::CmpIPredicate predicate, Value a, Value b) {
      return arith::CmpIOp::create(body.builder, body.loc, predicate, a, b)
          .getResult();
    };
    if (isWide()) {
      Value at = clamp(body, loops.index(body, output), r.output);
      auto [begin, end] = buildWideRange(body, s, r, at);
      touched = s.logicalAnd(compare(arith::CmpIPredicate::sle, begin, own),
                             compare(arith::CmpIPredicate::slt, own, end));
      Value total = loops.readAt(body, sums, at);
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
  Value weights = loops.makePointwise(
      guard::makeTensorType(compute, table), f64,
      [&](BodyContext body, ScalarBuilder &s) { return build(body, s).first; });
  Value flags = loops.makePointwise(guard::makeTensorType(i1, table), i1,
                                    [&](BodyContext body, ScalarBuilder &s) {
                                      return build(body, s).second;
                                    });
  if (!weights || !flags)
    return {};
  View weightTable = loops.getView(weights), flagTable = loops.getView(flags);
  View view = loops.getView(gradient);
  Type from = loops.getElement(gradient);
  Exprs parallel = view.dims;
  unsigned rank = parallel.size();
  parallel[dim] = r.input;
  ExprAttr begin = getReach(r, loops.dim(dim))->begin;
  return loops.makeReduce(
      TypeRange(guard::makeTensorType(compute, parallel)), parallel,
      {reach->extent}, ReductionKind::Sum, compute,
      [&](BodyContext body, ScalarBuilder &s) {
        Exprs place = {loops.dim(dim), loops.dim(rank)};
        Value touched = loops.read(body, flagTable, place);
        Exprs index = getIdentityMap(loops.getContext(), rank);
        index[dim] = begin + loops.dim(rank);
        Value zero = s.constant(from, 0.0);
        Value element = s.convert(loops.read(body, view, index, touched, zero),
                                  from, compute);
        return SmallVector<Value>{
            s.mul(loops.read(body, weightTable, place), element)};
      })[0];
}

LogicalResult Resampler::lowerBackward(Value gradient, RankedTensorType type) {
  unsigned lead = type.getRank() - resizes.size();
  bool isDirect = isNearest() && llvm::all_of(resizes, [&](const Resize &r) {
                    return bool(getNearest(r, loops.dim(0)));
                  });
  if (isDirect) {
    View view = loops.getView(gradient);
    WindowNest nest(loops, *guard::getDims(type), resizes.size(),
                    [&](unsigned k, ExprAttr place, ExprAttr index) {
                      return *getNearestOutputs(resizes[k], place, index);
                    });
    SmallVector<Value> sums = loops.makeReduce(
        TypeRange(type), nest.parallel, nest.reduction, ReductionKind::Sum,
        compute, [&](BodyContext body, ScalarBuilder &s) {
          Value valid = loops.condition(body, nest.valid);
          Value value =
              loops.read(body, view, nest.at, valid, s.constant(stored, 0.0));
          return SmallVector<Value>{s.convert(value, stored, compute)};
        });
    return loops.setMade(0, sums[0]);
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

LogicalResult loop::lowerResampling(LoopBuilder &loops,
                                    const ResamplingArgs &args, Filter filter,
                                    unsigned spatial) {
  bool isBackward = bool(args.gradOutput);
  // Those that take a list of sizes or of factors call their operand `input`.
  bool isList = bool(args.input);
  Value source = isBackward ? args.gradOutput : isList ? args.input : args.self;
  RankedTensorType type = loops.getResultType();
  Type stored = type.getElementType();
  bool isByte = stored.isUnsignedInteger(8) && !isBackward;
  Exprs small(*guard::getDims(type)), large = loops.getView(source).dims;
  if ((!isa<FloatType>(stored) && !isByte) ||
      loops.getElement(source) != stored || small.size() != spatial + 2 ||
      large.size() != spatial + 2)
    return loops.refuse("images of this kind have no kernel");
  Resampler resampler(loops, filter, args.alignCorners.value_or(false), stored);
  if (!isBackward)
    std::swap(small, large); // `small` is the forward's input
  for (unsigned d = 0; d < small.size(); ++d)
    if (d > 0 && (small[d].isConstant(0) || large[d].isConstant(0)))
      return loops.refuse("an image without elements has no kernel");
  Exprs wanted = args.outputSize;
  ArrayRef<double> factors = args.scaleFactors;
  if (isList && wanted.empty() == factors.empty())
    return loops.refuse("expected either sizes or factors");
  for (unsigned d = 0; d < spatial; ++d) {
    std::optional<double> given[] = {args.scalesD, args.scalesH, args.scalesW};
    std::optional<double> scale =
        spatial == 1 ? args.scales : given[3 - spatial + d];
    if (isList && !factors.empty())
      scale = factors[d];
    else if (wanted.size() != spatial || wanted[d] != large[2 + d])
      return loops.refuse("a gradient of other sizes has no kernel");
    resampler.resizes.push_back({small[2 + d], large[2 + d], scale});
  }
  if (small[0] != large[0] || small[1] != large[1])
    return loops.refuse("a gradient of other sizes has no kernel");
  dropIdleScales(resampler.resizes, filter, isBackward);
  return isBackward ? resampler.lowerBackward(source, type)
                    : resampler.lowerForward(source, type);
}
