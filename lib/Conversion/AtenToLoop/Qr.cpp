//===- Qr.cpp - Orthogonal factors ----------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Householder reflections with LAPACK's signs, applied to [A | I]: they leave
// [R | Q^T]. Column j makes the reflection of step j and keeps its vector below
// the diagonal; three more rows hold, by column,
//
//   sums   the squares below the diagonal in column j, v . column in others
//   taus   of column j
//   betas  what column j has on the diagonal in the end
//
// The points of a column are m for the sum, one each for beta and tau, m to
// divide or to reflect, and one that writes beta to the diagonal.
//
//===----------------------------------------------------------------------===//

#include "Sweeps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace {

class Reflections {
public:
  Reflections(LoopBuilder &loops, const View &a, bool wantsQ)
      : loops(loops), a(a), batch(a.dims[0]), m(a.dims[1]), n(a.dims[2]),
        width(wantsQ ? n + m : n), zero(loops.expr(0)), one(loops.expr(1)),
        sums(m), taus(m + one), betas(m + loops.expr(2)),
        points(m * 2 + loops.expr(3)), b(loops.dim(0)), j(loops.dim(1)),
        c(loops.dim(2)), t(loops.dim(3)) {}

  /// [R | Q^T] over three more rows.
  View run();

private:
  Value makeStart(Step &step);
  Value makeValue(Step &step);
  ExprAttr isPoint();
  ExprAttr getRow();

  /// Which points of a column do what.
  ExprAttr isSum() { return guard::lt(t, m); }
  ExprAttr isEnd() { return guard::eq(t, points - one); }
  ExprAttr isOwn() { return guard::eq(c, j); }
  /// Counts the points that divide or reflect.
  ExprAttr getSecond() { return t - betas; }
  /// The row that a point looks at.
  ExprAttr getElementRow() {
    return guard::select(isSum(), t,
                         guard::min(guard::max(getSecond(), zero), m - one));
  }

  LoopBuilder &loops;
  const View &a;
  ExprAttr batch, m, n, width, zero, one;
  ExprAttr sums, taus, betas, points;
  ExprAttr b, j, c, t; ///< matrix, step, column, point
};

} // namespace

Value Reflections::makeStart(Step &step) {
  ExprAttr i = loops.dim(1), column = loops.dim(2);
  ScalarBuilder &s = step.scalars;
  Type element = LoopBuilder::getElement(a.base);
  Value isIn =
      step.is(guard::logicalAnd(guard::lt(i, m), guard::lt(column, n)));
  Value isDiagonal =
      step.is(guard::logicalAnd(guard::lt(i, m), guard::eq(column - n, i)));
  Value value =
      loops.read(step.body, a, {b, i, column}, isIn, s.constant(element, 0.0));
  return s.where(isDiagonal, step.constant(1),
                 s.convert(value, element, s.getType()));
}

Value Reflections::makeValue(Step &step) {
  ScalarBuilder &s = step.scalars;
  ExprAttr i = getElementRow();
  Value element = step.at({b, i, c}), below = step.at({b, i, j});
  Value alpha = step.at({b, j, j}), tail = step.at({b, sums, j});
  Value sum = step.at({b, sums, c}), beta = step.at({b, betas, j});
  Value own = step.is(isOwn()), none = step.constant(0);
  Value isNothing = s.eq(tail, none); // already a multiple of e_j
  Value isDiagonal = step.is(guard::eq(i, j));

  Value first = s.where(own, none, step.at({b, j, c}));
  Value summed = s.where(isDiagonal, first, s.add(sum, s.mul(below, element)));
  Value norm = s.sqrt(s.add(s.mul(alpha, alpha), tail));
  Value opposite = s.where(s.ge(alpha, none), s.neg(norm), norm);
  Value newBeta = s.where(isNothing, alpha, opposite);
  Value newTau = s.where(isNothing, none, s.div(s.sub(beta, alpha), beta));
  Value vector = s.where(isNothing, below, s.div(below, s.sub(alpha, beta)));
  Value weight = s.where(isDiagonal, step.constant(1), below);
  Value reflected =
      s.sub(element, s.mul(s.mul(step.at({b, taus, j}), weight), sum));

  Value value = s.where(own, vector, reflected);
  value = s.where(step.is(isEnd()), beta, value);
  value = s.where(step.is(guard::eq(t, taus)), newTau, value);
  value = s.where(step.is(guard::eq(t, sums)), newBeta, value);
  return s.where(step.is(isSum()), summed, value);
}

/// Where a point has something to do.
ExprAttr Reflections::isPoint() {
  ExprAttr isScalar = guard::logicalOr(
      guard::logicalOr(guard::eq(t, sums), guard::eq(t, taus)), isEnd());
  ExprAttr isBelow = guard::select(isOwn(), guard::gt(getSecond(), j),
                                   guard::ge(getSecond(), j));
  return guard::select(isSum(), guard::ge(t, j),
                       guard::select(isScalar, isOwn(), isBelow));
}

/// The row that a point writes.
ExprAttr Reflections::getRow() {
  ExprAttr own = guard::select(isEnd(), j, getElementRow());
  ExprAttr atTau = guard::select(guard::eq(t, taus), taus, own);
  return guard::select(isSum(), sums,
                       guard::select(guard::eq(t, sums), betas, atTau));
}

View Reflections::run() {
  Value start = makeState(loops, {batch, m + loops.expr(3), width},
                          [&](Step &step) { return makeStart(step); });
  return sweep(loops, start, {batch, guard::min(m, n), width, points}, 1,
               [&](Step &step) -> Change {
                 Value value = makeValue(step);
                 return {
                     value,
                     {b, getRow(), c},
                     step.is(guard::logicalAnd(guard::ge(c, j), isPoint()))};
               });
}

LogicalResult loop::lowerQr(LoopBuilder &loops, aten::LinalgQrOp op) {
  View self = loops.getView(op.getA());
  if (!hasKernel(self))
    return loops.refuse("factorizations of this type have no kernels");
  bool wantsQ = op.getMode() != "r";
  if (isEmpty(self))
    return success(succeeded(setFactorOfNothing(loops, 0, wantsQ)) &&
                   succeeded(setFactorOfNothing(loops, 1,
                                                /*isIdentity=*/false)));
  View a = asMatrices(loops, self, getBatch(self));
  ExprAttr batch = a.dims[0], n = a.dims[2];
  View state = Reflections(loops, a, wantsQ).run();
  auto matrix = [&](unsigned i) {
    Exprs dims = *guard::getDims(loops.getResultType(i));
    return Exprs{batch, dims[dims.size() - 2], dims.back()};
  };
  ExprAttr b = loops.dim(0), i = loops.dim(1), j = loops.dim(2);
  if (failed(setMatrices(loops, 1, matrix(1), [&](Step &step) {
        return step.scalars.where(step.is(guard::le(i, j)),
                                  step.read(state, {b, i, j}),
                                  step.constant(0));
      })))
    return failure();
  if (!wantsQ) // has no elements
    return setMatrices(loops, 0, loops.expr(0),
                       [&](Step &step) { return step.constant(0); });
  return setMatrices(loops, 0, matrix(0), [&](Step &step) {
    return step.read(state, {b, j, n + i});
  });
}
