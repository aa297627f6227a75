//===- Dropout.cpp - Dropout, and slopes that are drawn -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomDraws.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

LogicalResult loop::lowerDropout(LoopBuilder &loops, aten::NativeDropoutOp op) {
  double p = toDouble(op.getP());
  if (!isProbability(p))
    return loops.refuse("the probability is an error");
  RankedTensorType type = loops.getResultType();
  RankedTensorType maskType = loops.getResultType(1);
  Type stored = type.getElementType();
  View self = loops.getView(op.getInput());
  auto identity = getIdentityMap(loops.getContext(), self.dims.size());
  Type i1 = IntegerType::get(loops.getContext(), 1);
  bool trains = op.getTrain().value_or(true);
  if (!trains) {
    Value kept = loops.makePointwise(maskType, i1,
                                     [&](BodyContext, ScalarBuilder &scalars) {
                                       return scalars.constant(i1, int64_t(1));
                                     });
    if (failed(loops.setReshaped(1, kept)))
      return failure();
    loops.setView(loops.getResult(0), self);
    return success();
  }
  if (!isa<FloatType>(stored))
    return loops.refuse("dropout of integers is an error");
  Draw draw(loops, Draws::of(op));
  Value mask = loops.makePointwise(
      maskType, i1, [&](BodyContext body, ScalarBuilder &scalars) {
        Type f64 = body.builder.getF64Type();
        return draw.at(body, self.dims).isHit(scalars.constant(f64, 1 - p));
      });
  if (failed(loops.setReshaped(1, mask)))
    return failure();
  View keeps = loops.getView(mask);
  Type in = LoopBuilder::getComputeType(stored);
  double scale = p == 1 ? 0 : 1 / (1 - p);
  return loops.setReshaped(
      0, loops.makePointwise(
             type, in, [&](BodyContext body, ScalarBuilder &scalars) {
               Value x = scalars.convert(loops.read(body, self, identity),
                                         stored, in);
               Value keep =
                   scalars.convert(loops.read(body, keeps, identity), i1, in);
               return scalars.mul(
                   x, scalars.mul(keep, scalars.constant(in, scale)));
             }));
}

LogicalResult loop::lowerRrelu(LoopBuilder &loops,
                               aten::RreluWithNoiseFunctionalOp op) {
  auto lower = LoopBuilder::getConstant(op.getLower());
  auto upper = LoopBuilder::getConstant(op.getUpper());
  double low = lower.value_or(0.125), high = upper.value_or(1.0 / 3);
  if (!(low <= high))
    return loops.refuse("the range is an error");
  RankedTensorType type = loops.getResultType();
  RankedTensorType noiseType = loops.getResultType(1);
  View self = loops.getView(op.getSelf());
  View noise = loops.getView(op.getNoise());
  Type stored = type.getElementType(), in = LoopBuilder::getComputeType(stored);
  auto identity = getIdentityMap(loops.getContext(), self.dims.size());
  bool trains = op.getTraining();
  if (!isa<FloatType>(stored) || (trains && noise.dims != self.dims))
    return loops.refuse("the noise is an error");
  auto getInput = [&](BodyContext body, ScalarBuilder &scalars) {
    return scalars.convert(loops.read(body, self, identity), stored, in);
  };
  if (!trains) {
    loops.setView(loops.getResult(1), noise);
    return loops.setReshaped(
        0, loops.makePointwise(
               type, in, [&](BodyContext body, ScalarBuilder &scalars) {
                 Value x = getInput(body, scalars);
                 Value zero = scalars.constant(in, 0.0);
                 Value slope = scalars.constant(in, (low + high) / 2);
                 return scalars.where(scalars.lt(x, zero),
                                      scalars.mul(x, slope), x);
               }));
  }
  Draw draw(loops, Draws::of(op));
  // The slopes, in the precision that they multiply with.
  Value slopes = loops.makePointwise(
      guard::makeTensorType(in, self.dims), in,
      [&](BodyContext body, ScalarBuilder &scalars) {
        Value unit = draw.at(body, self.dims).getUnit(in, 24);
        Value slope = scalars.add(
            scalars.constant(in, low),
            scalars.mul(scalars.constant(in, high - low), unit));
        Value scales = scalars.le(getInput(body, scalars),
                                  scalars.constant(in, 0.0));
        return scalars.where(scales, slope, scalars.constant(in, 1.0));
      });
  if (!slopes)
    return failure();
  View factors = loops.getView(slopes);
  Value values = loops.makePointwise(
      type, in, [&](BodyContext body, ScalarBuilder &scalars) {
        return scalars.mul(getInput(body, scalars),
                           loops.read(body, factors, identity));
      });
  if (failed(loops.setReshaped(0, values)))
    return failure();
  return loops.setReshaped(
      1, loops.materialize(factors, noiseType.getElementType()));
}
