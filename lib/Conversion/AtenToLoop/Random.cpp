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

#include "kiln/Dialect/Guard/IR/ExprRange.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

static LogicalResult drawUniform(LoopBuilder &loops, const Draws &draws,
                                 double from, double to) {
  Type stored = loops.getResultType().getElementType();
  if (!isa<FloatType>(stored) || !(from <= to) || !std::isfinite(to - from))
    return loops.refuse("the range is an error");
  Type in = LoopBuilder::getComputeType(stored);
  return drawElements(
      loops, draws, in, [&](BodyContext, ScalarBuilder &scalars, Words &words) {
        Value unit = words.getUnit(in, getUnitBits(stored));
        if (from == 0 && to == 1)
          return unit;
        return scalars.add(scalars.constant(in, from),
                           scalars.mul(scalars.constant(in, to - from), unit));
      });
}

static LogicalResult drawNormal(LoopBuilder &loops, const Draws &draws,
                                double mean, double deviation) {
  Type stored = loops.getResultType().getElementType();
  if (!isa<FloatType>(stored) || !(deviation >= 0))
    return loops.refuse("the deviation is an error");
  Type in = LoopBuilder::getComputeType(stored);
  int bits = in.isF64() ? 53 : 24;
  return drawElements(
      loops, draws, in, [&](BodyContext, ScalarBuilder &scalars, Words &words) {
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

static LogicalResult drawExponential(LoopBuilder &loops, const Draws &draws,
                                     double rate) {
  Type stored = loops.getResultType().getElementType();
  if (!isa<FloatType>(stored) || !(rate > 0))
    return loops.refuse("the rate is an error");
  Type in = LoopBuilder::getComputeType(stored);
  int bits = in.isF64() ? 53 : 24;
  return drawElements(
      loops, draws, in, [&](BodyContext, ScalarBuilder &scalars, Words &words) {
        Value time =
            scalars.neg(scalars.log(words.getPositiveUnit(in, 0, bits)));
        return scalars.div(time, scalars.constant(in, rate));
      });
}

static LogicalResult drawIntegers(LoopBuilder &loops, const Draws &draws,
                                  ExprAttr low, ExprAttr high) {
  if (!guard::isKnownLess(low, high, loops.getAssumptions()))
    return loops.refuse("it is not known that the range has a number");
  Type i64 = IntegerType::get(loops.getContext(), 64);
  return drawElements(
      loops, draws, i64,
      [&](BodyContext body, ScalarBuilder &scalars, Words &words) -> Value {
        auto number = [&](ExprAttr expr) -> Value {
          return arith::IndexCastOp::create(body.builder, body.loc, i64,
                                            loops.index(body, expr));
        };
        Value first = number(low), range = number(high - low);
        return scalars.add(first,
                           arith::RemUIOp::create(body.builder, body.loc,
                                                  words.getWide(), range));
      });
}

/// Numbers in the order of random keys.
LogicalResult loop::lowerRandperm(LoopBuilder &loops, aten::RandpermOp op) {
  Draw draw(loops, Draws::of(op));
  RankedTensorType type = loops.getResultType();
  ExprAttr extent = (*guard::getDims(type))[0];
  Value order = loops.makeSort(
      {extent}, {}, extent, 0, [&](BodyContext body) -> SmallVector<Value> {
        return {draw.atPosition(body, loops.dim(0)).getWide()};
      });
  return loops.setReshaped(
      0, loops.materialize(loops.getView(order), type.getElementType()));
}

//===----------------------------------------------------------------------===//
// Bernoulli
//===----------------------------------------------------------------------===//

static LogicalResult drawChance(LoopBuilder &loops, const Draws &draws,
                                double p) {
  if (!isProbability(p))
    return loops.refuse("the probability is an error");
  Type stored = loops.getResultType().getElementType();
  return drawElements(
      loops, draws, stored,
      [&](BodyContext body, ScalarBuilder &scalars, Words &words) {
        Type f64 = body.builder.getF64Type();
        return scalars.convert(words.isHit(scalars.constant(f64, p)),
                               body.builder.getI1Type(), stored);
      });
}

static LogicalResult drawChances(LoopBuilder &loops, const Draws &draws,
                                 Value chances) {
  Type stored = loops.getResultType().getElementType();
  Type from = cast<RankedTensorType>(chances.getType()).getElementType();
  if (!isa<FloatType>(from))
    return loops.refuse("the probabilities are an error");
  View view = loops.getView(chances);
  auto identity = getIdentityMap(loops.getContext(), view.dims.size());
  loops.check(
      view.dims, "Expected p_in >= 0 && p_in <= 1 to be true, but got false.",
      [&](BodyContext body) {
        Type in = LoopBuilder::getComputeType(from);
        ScalarBuilder scalars(body.builder, body.loc, in);
        Value p = scalars.convert(loops.read(body, view, identity), from, in);
        return scalars.logicalAnd(scalars.ge(p, scalars.constant(in, 0.0)),
                                  scalars.le(p, scalars.constant(in, 1.0)));
      });
  auto dims = *guard::getDims(loops.getResultType());
  Exprs index = loops.broadcast(view, dims);
  return drawElements(
      loops, draws, stored,
      [&](BodyContext body, ScalarBuilder &scalars, Words &words) {
        Value p = scalars.convert(loops.read(body, view, index), from,
                                  body.builder.getF64Type());
        return scalars.convert(words.isHit(p), body.builder.getI1Type(),
                               stored);
      });
}

LogicalResult loop::lowerRand(LoopBuilder &loops, const DrawArgs &args) {
  return drawUniform(loops, Draws::of(args), 0, 1);
}

LogicalResult loop::lowerUniform(LoopBuilder &loops, const DrawArgs &args) {
  return drawUniform(loops, Draws::of(args), args.from.value_or(0),
                     args.to.value_or(1));
}

LogicalResult loop::lowerRandn(LoopBuilder &loops, const DrawArgs &args) {
  return drawNormal(loops, Draws::of(args), 0, 1);
}

LogicalResult loop::lowerNormal(LoopBuilder &loops, const DrawArgs &args) {
  return drawNormal(loops, Draws::of(args), args.mean.value_or(0),
                    args.std_.value_or(1));
}

LogicalResult loop::lowerExponential(LoopBuilder &loops, const DrawArgs &args) {
  return drawExponential(loops, Draws::of(args), args.lambd.value_or(1));
}

LogicalResult loop::lowerRandint(LoopBuilder &loops, const DrawArgs &args) {
  return drawIntegers(loops, Draws::of(args),
                      args.low ? args.low : loops.expr(0), args.high);
}

LogicalResult loop::lowerBernoulli(LoopBuilder &loops, const DrawArgs &args) {
  return drawChances(loops, Draws::of(args), args.self);
}

LogicalResult loop::lowerBernoulliNumber(LoopBuilder &loops,
                                         const DrawArgs &args) {
  return drawChance(loops, Draws::of(args), args.p.value_or(0.5));
}

LogicalResult loop::lowerBernoulliTensor(LoopBuilder &loops,
                                         aten::BernoulliTensorOp op) {
  return drawChances(loops, Draws::of(op), op.getP());
}
