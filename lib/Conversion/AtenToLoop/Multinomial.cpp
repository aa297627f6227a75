//===- Multinomial.cpp - Draws as often as weights say --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomDraws.h"

#include "kiln/Dialect/Guard/IR/ExprRange.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace {

/// Draws of positions in rows of weights.
class Multinomial {
public:
  Multinomial(LoopBuilder &loops, Value tensor)
      : loops(loops), weights(loops.getView(tensor)),
        from(LoopBuilder::getElement(tensor)),
        f64(loops.getBuilder().getF64Type()),
        i64(loops.getBuilder().getI64Type()), type(loops.getResultType()),
        dims(*guard::getDims(type)) {}

  bool isSupported() const {
    size_t rank = weights.dims.size();
    return (rank == 1 || rank == 2) && dims.size() == rank &&
           isa<FloatType>(from);
  }
  LogicalResult lower(const Draws &draws, bool withReplacement);

private:
  Value getWeight(BodyContext body) {
    ScalarBuilder scalars(body.builder, body.loc, f64);
    return scalars.convert(loops.readAt(body, weights, body.indices), from,
                           f64);
  }
  /// The sum of the weights of a row.
  Value getTotal(BodyContext body) {
    Exprs index = getIdentityMap(loops.getContext(), weights.dims.size() - 1);
    index.push_back(weights.dims.back() + -1);
    return loops.read(body, sums, index);
  }
  void checkWeights();
  /// Makes `sums`, and checks that they are positive.
  void addUp(ArrayRef<ExprAttr> rows);
  Value drawAgain(Draw &draw);
  Value drawOnce(Draw &draw, ArrayRef<ExprAttr> rows);

  LoopBuilder &loops;
  View weights, sums;
  Type from, f64, i64;
  RankedTensorType type;
  Exprs dims;
};

} // namespace

void Multinomial::checkWeights() {
  loops.check(weights.dims,
              "probability tensor contains either `inf`, `nan` or element < 0",
              [&](BodyContext body) {
                ScalarBuilder scalars(body.builder, body.loc, f64);
                Value weight = getWeight(body);
                return scalars.logicalAnd(
                    scalars.ge(weight, scalars.constant(f64, 0.0)),
                    scalars.logicalNot(scalars.isInf(weight)));
              });
}

void Multinomial::addUp(ArrayRef<ExprAttr> rows) {
  ScanOp sum =
      loops.makeScan(TypeRange(guard::makeTensorType(f64, weights.dims)), {},
                     rows, weights.dims.back(), rows.size(), ReductionKind::Sum,
                     [&](BodyContext body) -> SmallVector<Value> {
                       return {getWeight(body)};
                     });
  sums = loops.getView(sum ? sum.getResult(0) : Value());
  loops.check(rows,
              "invalid multinomial distribution (sum of probabilities <= 0)",
              [&](BodyContext body) {
                ScalarBuilder scalars(body.builder, body.loc, f64);
                return scalars.gt(getTotal(body), scalars.constant(f64, 0.0));
              });
}

/// Each by the place of a number between 0 and the sum.
Value Multinomial::drawAgain(Draw &draw) {
  ExprAttr extent = weights.dims.back();
  return loops.makePointwise(type, i64, [&](BodyContext body, ScalarBuilder &) {
    ScalarBuilder scalars(body.builder, body.loc, f64);
    Value unit = draw.at(body, dims).getUnit(f64, 53);
    Value wanted = scalars.mul(unit, getTotal(body));
    SmallVector<Value> row(body.indices);
    Value at = searchRow(loops, body, extent, [&](Value position, Value mask) {
      row.back() = position;
      Value here =
          loops.readAt(body, sums, row, mask, scalars.constant(f64, 0.0));
      return scalars.gt(here, wanted);
    });
    return toI64(body, loops.toIndex(body, toI64(body, at), i64, extent,
                                     /*negative=*/false));
  });
}

/// Of exponential variables the one with the highest rate most often comes
/// first; their order is that of drawing without replacement.
Value Multinomial::drawOnce(Draw &draw, ArrayRef<ExprAttr> rows) {
  return loops.makeSort(
      weights.dims, rows, weights.dims.back(), rows.size(),
      [&](BodyContext body) -> SmallVector<Value> {
        ScalarBuilder scalars(body.builder, body.loc, f64);
        Value weight = getWeight(body);
        Value unit = draw.at(body, weights.dims).getPositiveUnit(f64, 0, 53);
        Value time = scalars.div(scalars.neg(scalars.log(unit)), weight);
        Value never =
            scalars.constant(f64, std::numeric_limits<double>::infinity());
        Value isPossible = scalars.gt(weight, scalars.constant(f64, 0.0));
        time = scalars.where(isPossible, time, never);
        return {makeSortKey(body, time, f64, /*descending=*/false)};
      });
}

LogicalResult Multinomial::lower(const Draws &draws, bool withReplacement) {
  ExprAttr extent = weights.dims.back(), samples = dims.back();
  const guard::Assumptions &assumptions = loops.getAssumptions();
  bool isOnce = !withReplacement || samples.isConstant(1);
  if (!guard::isKnownNonNegative(samples + -1, assumptions) ||
      (isOnce && !guard::isKnownNonNegative(extent - samples, assumptions)))
    return loops.refuse("it is not known that there are so many");
  ArrayRef<ExprAttr> rows = ArrayRef(weights.dims).drop_back();
  checkWeights();
  addUp(rows);
  Draw draw(loops, draws);
  if (!isOnce)
    return loops.setReshaped(0, drawAgain(draw));
  View order = loops.getView(drawOnce(draw, rows));
  if (!order.base)
    return failure();
  order.dims = dims;
  loops.setView(loops.getResult(0), order);
  return success();
}

/// Indices of a row of weights, each as often as its weight says.
LogicalResult loop::lowerMultinomial(LoopBuilder &loops,
                                     aten::MultinomialOp op) {
  Multinomial multinomial(loops, op.getSelf());
  return multinomial.isSupported()
             ? multinomial.lower(Draws::of(op), op.getReplacement())
             : loops.refuse("drawing from these weights is an error");
}
