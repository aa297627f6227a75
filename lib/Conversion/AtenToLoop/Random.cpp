//===- Random.cpp - Random numbers in kernels -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Distributions over the words of RandomDraws.h.
//
//===----------------------------------------------------------------------===//

#include "RandomDraws.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

static LogicalResult drawUniform(Converter &converter, double from, double to) {
  Type stored = converter.getResultType().getElementType();
  if (!isa<FloatType>(stored) || !(from <= to) || !std::isfinite(to - from))
    return converter.refuse("the range is an error");
  Type in = Converter::getComputeType(stored);
  return drawElements(
      converter, in, [&](BodyContext, ScalarBuilder &scalars, Words &words) {
        Value unit = words.getUnit(in, getUnitBits(stored));
        if (from == 0 && to == 1)
          return unit;
        return scalars.add(scalars.constant(in, from),
                           scalars.mul(scalars.constant(in, to - from), unit));
      });
}

static LogicalResult drawNormal(Converter &converter, double mean,
                                double deviation) {
  Type stored = converter.getResultType().getElementType();
  if (!isa<FloatType>(stored) || !(deviation >= 0))
    return converter.refuse("the deviation is an error");
  Type in = Converter::getComputeType(stored);
  int bits = in.isF64() ? 53 : 24;
  return drawElements(
      converter, in, [&](BodyContext, ScalarBuilder &scalars, Words &words) {
        Value log = scalars.log(words.getPositiveUnit(in, 0, bits));
        Value radius =
            scalars.sqrt(scalars.mul(scalars.constant(in, -2.0), log));
        Value turn = scalars.mul(
            scalars.constant(in, 6.283185307179586),
            words.getPositiveUnit(in, bits == 53 ? 2 : 1, bits));
        Value value = scalars.mul(radius, scalars.cos(turn));
        return scalars.add(
            scalars.constant(in, mean),
            scalars.mul(scalars.constant(in, deviation), value));
      });
}

static LogicalResult drawExponential(Converter &converter, double rate) {
  Type stored = converter.getResultType().getElementType();
  if (!isa<FloatType>(stored) || !(rate > 0))
    return converter.refuse("the rate is an error");
  Type in = Converter::getComputeType(stored);
  int bits = in.isF64() ? 53 : 24;
  return drawElements(
      converter, in, [&](BodyContext, ScalarBuilder &scalars, Words &words) {
        Value time =
            scalars.neg(scalars.log(words.getPositiveUnit(in, 0, bits)));
        return scalars.div(time, scalars.constant(in, rate));
      });
}

static LogicalResult drawIntegers(Converter &converter, ExprAttr low,
                                  ExprAttr high) {
  if (!guard::isKnownLess(low, high, converter.getAssumptions()))
    return converter.refuse("it is not known that the range has a number");
  Type i64 = IntegerType::get(converter.getContext(), 64);
  return drawElements(
      converter, i64,
      [&](BodyContext body, ScalarBuilder &scalars, Words &words) -> Value {
        auto number = [&](ExprAttr expr) -> Value {
          return arith::IndexCastOp::create(body.builder, body.loc, i64,
                                            converter.index(body, expr));
        };
        Value first = number(low), range = number(high - low);
        return scalars.add(first,
                           arith::RemUIOp::create(body.builder, body.loc,
                                                  words.getWide(), range));
      });
}

/// Numbers in the order of random keys.
LogicalResult loop::lowerRandperm(Converter &converter) {
  Draw draw(converter);
  Type i64 = IntegerType::get(converter.getContext(), 64);
  RankedTensorType type = converter.getResultType();
  ExprAttr extent = (*guard::getDims(type))[0];
  auto sort = SortOp::create(converter.getBuilder(), converter.getLoc(),
                             guard::makeTensorType(i64, extent), Exprs(),
                             extent, 0, converter.getOrigins());
  OpBuilder inner = OpBuilder::atBlockEnd(&sort.getBody().front());
  BodyContext body{inner, converter.getLoc(), sort.getBody().getArguments()};
  YieldOp::create(inner, body.loc, draw.atPosition(body, converter.dim(0)).getWide());
  return converter.setReshaped(
      0, converter.materialize(converter.getView(sort.getResult()),
                               type.getElementType()));
}

/// Indices of a row of weights, each as often as its weight says.
LogicalResult loop::lowerMultinomial(Converter &converter) {
  Value tensor = converter.getTensor("self");
  View weights = converter.getView(tensor);
  Type from = cast<RankedTensorType>(tensor.getType()).getElementType();
  RankedTensorType type = converter.getResultType();
  Exprs dims = *guard::getDims(type);
  size_t rank = weights.dims.size();
  if ((rank != 1 && rank != 2) || dims.size() != rank || !isa<FloatType>(from))
    return converter.refuse("drawing from these weights is an error");
  ExprAttr extent = weights.dims.back(), samples = dims.back();
  Exprs rows = weights.dims;
  rows.pop_back();
  const guard::Assumptions &assumptions = converter.getAssumptions();
  bool isOnce = !converter.getBool("replacement") || samples.isConstant(1);
  if (!guard::isKnownNonNegative(samples + -1, assumptions) ||
      (isOnce && !guard::isKnownNonNegative(extent - samples, assumptions)))
    return converter.refuse("it is not known that there are so many");
  MLIRContext *context = converter.getContext();
  Type f64 = Float64Type::get(context), i64 = IntegerType::get(context, 64);
  auto getWeight = [&](BodyContext body) {
    ScalarBuilder scalars(body.builder, body.loc, f64);
    return scalars.convert(converter.readAt(body, weights, body.indices), from,
                           f64);
  };
  converter.check(
      weights.dims, "probability tensor contains either `inf`, `nan` or "
                    "element < 0",
      [&](BodyContext body) {
        ScalarBuilder scalars(body.builder, body.loc, f64);
        Value weight = getWeight(body);
        return scalars.logicalAnd(
            scalars.ge(weight, scalars.constant(f64, 0.0)),
            scalars.logicalNot(scalars.isInf(weight)));
      });
  auto sum = ScanOp::create(
      converter.getBuilder(), converter.getLoc(),
      TypeRange{guard::makeTensorType(f64, weights.dims)}, ValueRange(), rows,
      extent, rank - 1, ReductionKind::Sum, converter.getOrigins());
  {
    OpBuilder inner = OpBuilder::atBlockEnd(&sum.getBody().front());
    BodyContext body{inner, converter.getLoc(), sum.getBody().getArguments()};
    YieldOp::create(inner, body.loc, getWeight(body));
  }
  View sums = converter.getView(sum.getResult(0));
  auto getTotal = [&](BodyContext body) {
    Exprs index = getIdentityMap(context, rows.size());
    index.push_back(extent + -1);
    return converter.read(body, sums, index);
  };
  converter.check(rows, "invalid multinomial distribution (sum of "
                        "probabilities <= 0)",
                  [&](BodyContext body) {
                    ScalarBuilder scalars(body.builder, body.loc, f64);
                    return scalars.gt(getTotal(body),
                                      scalars.constant(f64, 0.0));
                  });
  Draw draw(converter);
  if (!isOnce)
    return converter.setReshaped(
        0, converter.makePointwise(
               type, i64, [&](BodyContext body, ScalarBuilder &) {
                 ScalarBuilder scalars(body.builder, body.loc, f64);
                 Value unit = draw.at(body, dims).getUnit(f64, 53);
                 Value wanted = scalars.mul(unit, getTotal(body));
                 SmallVector<Value> row(body.indices);
                 Value at = searchRow(
                     converter, body, extent, [&](Value position, Value mask) {
                       row.back() = position;
                       Value here = LoadOp::create(
                           body.builder, body.loc, sums.base, row, sums.map,
                           mask, scalars.constant(f64, 0.0));
                       return scalars.gt(here, wanted);
                     });
                 Value wide = arith::IndexCastOp::create(
                     body.builder, body.loc, i64, at);
                 return Value(arith::IndexCastOp::create(
                     body.builder, body.loc, i64,
                     converter.toIndex(body, wide, i64, extent,
                                       /*negative=*/false)));
               }));

  // Of exponential variables the one with the highest rate most often comes
  // first; their order is that of drawing without replacement.
  auto sort = SortOp::create(
      converter.getBuilder(), converter.getLoc(),
      guard::makeTensorType(i64, weights.dims), rows, extent, rank - 1,
      converter.getOrigins());
  OpBuilder inner = OpBuilder::atBlockEnd(&sort.getBody().front());
  BodyContext body{inner, converter.getLoc(), sort.getBody().getArguments()};
  ScalarBuilder scalars(inner, body.loc, f64);
  Value weight = getWeight(body);
  Value unit = draw.at(body, weights.dims).getPositiveUnit(f64, 0, 53);
  Value time = scalars.div(scalars.neg(scalars.log(unit)), weight);
  Value never =
      scalars.constant(f64, std::numeric_limits<double>::infinity());
  Value isPossible = scalars.gt(weight, scalars.constant(f64, 0.0));
  time = scalars.where(isPossible, time, never);
  YieldOp::create(inner, body.loc,
                  makeSortKey(body, time, f64, /*descending=*/false));
  View order = converter.getView(sort.getResult());
  order.dims = dims;
  converter.setView(converter.getResult(0), order);
  return success();
}

//===----------------------------------------------------------------------===//
// Bernoulli
//===----------------------------------------------------------------------===//

static LogicalResult drawChance(Converter &converter, double p) {
  if (!isProbability(p))
    return converter.refuse("the probability is an error");
  Type stored = converter.getResultType().getElementType();
  return drawElements(
      converter, stored,
      [&](BodyContext body, ScalarBuilder &scalars, Words &words) {
        Type f64 = body.builder.getF64Type();
        return scalars.convert(words.isHit(scalars.constant(f64, p)),
                               body.builder.getI1Type(), stored);
      });
}

static LogicalResult drawChances(Converter &converter, Value chances) {
  Type stored = converter.getResultType().getElementType();
  Type from = cast<RankedTensorType>(chances.getType()).getElementType();
  if (!isa<FloatType>(from))
    return converter.refuse("the probabilities are an error");
  View view = converter.getView(chances);
  auto identity = getIdentityMap(converter.getContext(), view.dims.size());
  converter.check(
      view.dims, "Expected p_in >= 0 && p_in <= 1 to be true, but got false.",
      [&](BodyContext body) {
        Type in = Converter::getComputeType(from);
        ScalarBuilder scalars(body.builder, body.loc, in);
        Value p = scalars.convert(converter.read(body, view, identity), from,
                                  in);
        return scalars.logicalAnd(scalars.ge(p, scalars.constant(in, 0.0)),
                                  scalars.le(p, scalars.constant(in, 1.0)));
      });
  auto dims = *guard::getDims(converter.getResultType());
  Exprs index = converter.broadcast(view, dims);
  return drawElements(
      converter, stored,
      [&](BodyContext body, ScalarBuilder &scalars, Words &words) {
        Value p = scalars.convert(converter.read(body, view, index), from,
                                  body.builder.getF64Type());
        return scalars.convert(words.isHit(p), body.builder.getI1Type(),
                               stored);
      });
}

/// A number among the arguments, or `otherwise` if it is absent; NaN if it is
/// not constant.
static double getNumber(Converter &converter, StringRef argument,
                        double otherwise) {
  return converter.getArg(argument).isNone()
             ? otherwise
             : converter.getConstant(argument).value_or(NAN);
}

LogicalResult loop::lowerRand(Converter &converter) {
  return drawUniform(converter, 0, 1);
}

LogicalResult loop::lowerUniform(Converter &converter) {
  return drawUniform(converter, getNumber(converter, "from", 0),
                     getNumber(converter, "to", 1));
}

LogicalResult loop::lowerRandn(Converter &converter) {
  return drawNormal(converter, 0, 1);
}

LogicalResult loop::lowerNormal(Converter &converter) {
  return drawNormal(converter, getNumber(converter, "mean", 0),
                    getNumber(converter, "std", 1));
}

LogicalResult loop::lowerExponential(Converter &converter) {
  return drawExponential(converter, getNumber(converter, "lambd", 1));
}

LogicalResult loop::lowerRandint(Converter &converter) {
  ExprAttr low = converter.getExpr("low"), high = converter.getExpr("high");
  return high ? drawIntegers(converter, low ? low : converter.expr(0), high)
              : converter.refuse("the range is not known");
}

LogicalResult loop::lowerBernoulli(Converter &converter) {
  return drawChances(converter, converter.getTensor("self"));
}

LogicalResult loop::lowerBernoulliNumber(Converter &converter) {
  return drawChance(converter, getNumber(converter, "p", 0.5));
}

LogicalResult loop::lowerBernoulliTensor(Converter &converter) {
  return drawChances(converter, converter.getTensor("p"));
}
