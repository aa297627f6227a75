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

LogicalResult loop::lowerDropout(Converter &converter) {
  auto p = converter.getConstant("p");
  if (!p || !isProbability(*p))
    return converter.refuse("the probability is an error");
  RankedTensorType type = converter.getResultType();
  RankedTensorType maskType = converter.getResultType(1);
  Type stored = type.getElementType();
  View self = converter.getView(converter.getTensor("input"));
  auto identity = getIdentityMap(converter.getContext(), self.dims.size());
  Type i1 = IntegerType::get(converter.getContext(), 1);
  bool trains =
      converter.getArg("train").isNone() || converter.getBool("train");
  if (!trains) {
    Value kept = converter.makePointwise(
        maskType, i1, [&](BodyContext, ScalarBuilder &scalars) {
          return scalars.constant(i1, int64_t(1));
        });
    if (failed(converter.setReshaped(1, kept)))
      return failure();
    converter.setView(converter.getResult(0), self);
    return success();
  }
  if (!isa<FloatType>(stored))
    return converter.refuse("dropout of integers is an error");
  Draw draw(converter);
  Value mask = converter.makePointwise(
      maskType, i1, [&](BodyContext body, ScalarBuilder &scalars) {
        Type f64 = body.builder.getF64Type();
        return draw.at(body, self.dims)
            .isHit(scalars.constant(f64, 1 - *p));
      });
  if (failed(converter.setReshaped(1, mask)))
    return failure();
  View keeps = converter.getView(mask);
  Type in = Converter::getComputeType(stored);
  double scale = *p == 1 ? 0 : 1 / (1 - *p);
  return converter.setReshaped(
      0, converter.makePointwise(
             type, in, [&](BodyContext body, ScalarBuilder &scalars) {
               Value x = scalars.convert(converter.read(body, self, identity),
                                         stored, in);
               Value keep = scalars.convert(
                   converter.read(body, keeps, identity), i1, in);
               return scalars.mul(
                   x, scalars.mul(keep, scalars.constant(in, scale)));
             }));
}

/// Dropped elements become the negative saturation value of selu; the affine
/// map restores mean and variance.
LogicalResult loop::lowerAlphaDropout(Converter &converter) {
  auto p = converter.getConstant("p");
  if (!p || !isProbability(*p))
    return converter.refuse("the probability is an error");
  View self = converter.getView(converter.getTensor("input"));
  bool isEmpty = guard::product(converter.getContext(), self.dims).isConstant(0);
  if (!converter.getBool("train") || *p == 0 || isEmpty) {
    converter.setView(converter.getResult(0), self);
    return success();
  }
  Type stored = converter.getResultType().getElementType();
  if (!isa<FloatType>(stored))
    return converter.refuse("dropout of integers is an error");
  Type in = Converter::getComputeType(stored);
  const double alpha = 1.7580993408473766;
  double a = *p == 1 ? 0 : 1 / std::sqrt((alpha * alpha * *p + 1) * (1 - *p));
  auto identity = getIdentityMap(converter.getContext(), self.dims.size());
  return drawElements(
      converter, in,
      [&](BodyContext body, ScalarBuilder &scalars, Words &words) {
        Type f64 = body.builder.getF64Type();
        Value x = scalars.convert(converter.read(body, self, identity), stored,
                                  in);
        Value kept = scalars.add(scalars.mul(x, scalars.constant(in, a)),
                                 scalars.constant(in, alpha * a * *p));
        Value dropped = scalars.constant(in, -alpha * a + alpha * a * *p);
        Value isDropped = words.isHit(scalars.constant(f64, *p));
        Value value = scalars.where(isDropped, dropped, kept);
        return *p == 1 ? scalars.constant(in, 0.0) : value;
      });
}

LogicalResult loop::lowerRrelu(Converter &converter) {
  auto lower = converter.getConstant("lower");
  auto upper = converter.getConstant("upper");
  double low = lower.value_or(0.125), high = upper.value_or(1.0 / 3);
  if (!(low <= high))
    return converter.refuse("the range is an error");
  RankedTensorType type = converter.getResultType();
  RankedTensorType noiseType = converter.getResultType(1);
  View self = converter.getView(converter.getTensor("self"));
  View noise = converter.getView(converter.getTensor("noise"));
  Type stored = type.getElementType(), in = Converter::getComputeType(stored);
  auto identity = getIdentityMap(converter.getContext(), self.dims.size());
  bool trains = converter.getBool("training");
  if (!isa<FloatType>(stored) || (trains && noise.dims != self.dims))
    return converter.refuse("the noise is an error");
  auto getInput = [&](BodyContext body, ScalarBuilder &scalars) {
    return scalars.convert(converter.read(body, self, identity), stored, in);
  };
  if (!trains) {
    converter.setView(converter.getResult(1), noise);
    return converter.setReshaped(
        0, converter.makePointwise(
               type, in, [&](BodyContext body, ScalarBuilder &scalars) {
                 Value x = getInput(body, scalars);
                 Value zero = scalars.constant(in, 0.0);
                 Value slope = scalars.constant(in, (low + high) / 2);
                 return scalars.where(scalars.lt(x, zero),
                                      scalars.mul(x, slope), x);
               }));
  }
  Draw draw(converter);
  // The slopes, in the precision that they multiply with.
  Value slopes = converter.makePointwise(
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
  View factors = converter.getView(slopes);
  Value values = converter.makePointwise(
      type, in, [&](BodyContext body, ScalarBuilder &scalars) {
        return scalars.mul(getInput(body, scalars),
                           converter.read(body, factors, identity));
      });
  if (failed(converter.setReshaped(0, values)))
    return failure();
  return converter.setReshaped(
      1, converter.materialize(factors, noiseType.getElementType()));
}
