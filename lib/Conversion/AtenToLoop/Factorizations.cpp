//===- Factorizations.cpp - Triangular systems, Cholesky ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sweeps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

//===----------------------------------------------------------------------===//
// Triangular systems
//===----------------------------------------------------------------------===//

namespace {
/// How the operands of a triangular system stand.
struct System {
  View matrix; ///< [batch, n, n]
  View right;  ///< [batch, n, m], or [batch, m, n]
  bool isUpper;
  bool isTransposed; ///< the matrix is
  bool areRows;      ///< right-hand sides are
  bool isUnit;       ///< the diagonal is 1, whatever it holds
};
} // namespace

/// Solutions as [batch, m, n]. When an unknown is found (a pivot), it leaves the
/// equations that are still to be solved:
///
///   for each pivot p, then for each row i after it:
///     x[p] /= A[p, p];   x[i] -= A[i, p] x[p]
static View solve(LoopBuilder &loops, const System &system) {
  ExprAttr batch = system.matrix.dims[0], n = system.matrix.dims[1];
  ExprAttr columns = system.right.dims[system.areRows ? 1 : 2];
  ExprAttr b = loops.dim(0), c = loops.dim(1), i = loops.dim(2);
  Value init = makeState(loops, {batch, columns, n}, [&](Step &step) {
    return step.read(system.right,
                     system.areRows ? Exprs{b, c, i} : Exprs{b, i, c});
  });
  return sweep(
      loops, init, {batch, columns, n, n}, 2, [&](Step &step) -> Change {
        ExprAttr k = loops.dim(2), after = loops.dim(3);
        ExprAttr last = n - loops.expr(1);
        bool descends = system.isUpper != system.isTransposed;
        ExprAttr pivot = descends ? last - k : k;
        ExprAttr row = descends ? guard::max(pivot - after, loops.expr(0))
                                : guard::min(pivot + after, last);
        Value x = step.at({b, c, row}), known = step.at({b, c, pivot});
        Value factor = step.read(system.matrix,
                                 system.isTransposed ? Exprs{b, pivot, row}
                                                     : Exprs{b, row, pivot});
        ScalarBuilder &s = step.scalars;
        Value found = system.isUnit ? x : s.div(x, factor);
        Value rest = s.sub(x, s.mul(factor, known));
        return {s.where(step.is(guard::eq(after, loops.expr(0))), found, rest),
                {b, c, row},
                step.is(guard::lt(k + after, n))};
      });
}

static LogicalResult lowerSolve(LoopBuilder &loops, Value matrix, Value right,
                                const SystemArgs &args, bool isTransposed,
                                bool areRows) {
  View a = loops.getView(matrix), b = loops.getView(right);
  if (!hasKernel(a) || !hasKernel(b))
    return loops.refuse("systems of this type have no kernels");
  Exprs dims = *guard::getDims(loops.getResultType());
  Exprs batch(ArrayRef(dims).drop_back(2));
  System system{asMatrices(loops, a, batch),
                asMatrices(loops, b, batch),
                args.upper.value_or(false),
                isTransposed,
                areRows,
                args.unitriangular.value_or(false)};
  if (isEmpty(system.matrix)) // no unknowns, no results
    return setFactorOfNothing(loops, 0, /*isIdentity=*/false);
  View x = solve(loops, system);
  return setMatrices(loops, 0, system.right.dims, [&](Step &step) {
    ExprAttr i = loops.dim(1), j = loops.dim(2);
    return step.read(x, areRows ? Exprs{loops.dim(0), i, j}
                                : Exprs{loops.dim(0), j, i});
  });
}

LogicalResult loop::lowerTriangularSolve(LoopBuilder &loops,
                                         const SystemArgs &args) {
  if (failed(lowerSolve(loops, args.A, args.self, args,
                        args.transpose.value_or(false), /*areRows=*/false)))
    return failure();
  loops.setView(loops.getResult(1),
                loops.expand(loops.getView(args.A),
                             *guard::getDims(loops.getResultType(1))));
  return success();
}

LogicalResult loop::lowerSolveTriangular(LoopBuilder &loops,
                                         const SystemArgs &args) {
  // X A = B is A^T X^T = B^T.
  bool areRows = !args.left.value_or(true);
  return lowerSolve(loops, args.self, args.B, args, areRows, areRows);
}

//===----------------------------------------------------------------------===//
// Cholesky
//===----------------------------------------------------------------------===//

/// L with A = L L^T, column by column:
///
///   for each column j, for each row i from j on:
///     L[i, j] = (A[i, j] - sum of L[i, k] L[j, k] over k < j) / L[j, j]
///
/// of which the diagonal is the root instead. A pivot that is not positive is
/// left as it is and ends it, with what is behind as it was; one more row
/// remembers in its first element which it was (`info`), 0 if none.
LogicalResult loop::lowerCholesky(LoopBuilder &loops,
                                  aten::LinalgCholeskyExOp op) {
  View self = loops.getView(op.getSelf());
  if (!hasKernel(self))
    return loops.refuse("factorizations of this type have no kernels");
  if (isEmpty(self))
    return success(
        succeeded(setFactorOfNothing(loops, 0, /*isIdentity=*/false)) &&
        succeeded(setFactorOfNothing(loops, 1, /*isIdentity=*/false)));
  View a = asMatrices(loops, self, getBatch(self));
  bool isUpper = op.getUpper();
  ExprAttr batch = a.dims[0], n = a.dims[1], more = n + loops.expr(1);
  ExprAttr zero = loops.expr(0), b = loops.dim(0);
  Value init = makeState(loops, {batch, more, more}, [&](Step &step) {
    ExprAttr i = loops.dim(1), k = loops.dim(2);
    Type element = LoopBuilder::getElement(a.base);
    Value isLower = step.is(
        guard::logicalAnd(guard::lt(i, n), guard::le(k, i)));
    Value other = step.scalars.constant(element, 0.0);
    Value value =
        loops.read(step.body, a, isUpper ? Exprs{b, k, i} : Exprs{b, i, k},
                   isLower, other);
    return step.scalars.convert(value, element, step.scalars.getType());
  });
  View state =
      sweep(loops, init, {batch, n, more, n}, 1, [&](Step &step) -> Change {
        ExprAttr j = loops.dim(1), i = loops.dim(2), k = loops.dim(3);
        ScalarBuilder &s = step.scalars;
        Value none = step.constant(0);
        Value element = step.at({b, i, j}), pivot = step.at({b, j, j});
        Value info = step.at({b, n, zero});
        Value isPositive = s.gt(pivot, none), isSound = s.eq(info, none);
        Value product = s.mul(step.at({b, i, k}), step.at({b, j, k}));
        Value isPivot = step.is(guard::eq(i, j));
        Value root = s.where(isPositive, s.sqrt(pivot), pivot);
        Value finished = s.where(isPivot, root, s.div(element, pivot));
        Value value = s.where(step.is(guard::eq(k, j)), finished,
                              s.sub(element, product));
        Value order =
            loops.number(step.body, s, j + loops.expr(1), s.getType());
        Value isLast = step.is(guard::eq(i, n));
        Value verdict = s.where(s.logicalAnd(isSound, s.logicalNot(isPositive)),
                                order, info);
        Value goesOn = s.logicalAnd(isSound, s.logicalOr(isPivot, isPositive));
        Value isIn = step.is(guard::logicalAnd(guard::ge(i, j),
                                               guard::le(k, j)));
        return {s.where(isLast, verdict, value),
                {b, i, guard::select(guard::eq(i, n), zero, j)},
                s.where(isLast, step.is(guard::eq(k, zero)),
                        s.logicalAnd(isIn, goesOn))};
      });
  if (op.getCheckErrors())
    loops.check(
        batch,
        "linalg.cholesky: the factorization could not be completed because the "
        "input is not positive-definite",
        [&](BodyContext body) {
          ScalarBuilder s(body.builder, body.loc, body.builder.getF64Type());
          return s.eq(loops.read(body, state, {b, n, zero}),
                      s.constant(s.getType(), 0.0));
        });
  if (failed(setMatrices(loops, 0, a.dims, [&](Step &step) {
        ExprAttr i = loops.dim(1), j = loops.dim(2);
        return step.read(state, isUpper ? Exprs{b, j, i} : Exprs{b, i, j});
      })))
    return failure();
  return setMatrices(loops, 1, batch, [&](Step &step) {
    return step.read(state, {b, n, zero});
  });
}
