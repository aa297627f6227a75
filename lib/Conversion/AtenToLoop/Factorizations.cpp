//===- Factorizations.cpp - Triangular systems, Cholesky, QR --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each is one scatter over a matrix that it reads as it has written it so far
// (its state): what LAPACK's unblocked routines do with nested loops, a step of
// which changes one element. Matrices of a batch are independent, and so are the
// right-hand sides of a system. All compute in f64 and round once.
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace {

/// One point of a sweep, where its body is built.
struct Step {
  Converter &converter;
  BodyContext body;
  ScalarBuilder scalars;
  View state;

  /// The element of the state at an index over the domain.
  Value at(ArrayRef<ExprAttr> index) {
    return converter.read(body, state, index);
  }
  /// The element of another tensor, in f64.
  Value read(const View &view, ArrayRef<ExprAttr> index) {
    return scalars.convert(converter.read(body, view, index),
                           Converter::getElement(view.base),
                           scalars.getType());
  }
  /// Where an expression over the domain is not 0.
  Value is(ExprAttr condition) {
    Value value = converter.condition(body, condition);
    return value ? value
                 : arith::ConstantIntOp::create(body.builder, body.loc, 1, 1);
  }
  Value constant(double value) {
    return scalars.constant(scalars.getType(), value);
  }
};

/// What a step writes and where.
struct Written {
  Value value;
  Exprs position;
  Value condition;
};

} // namespace

/// Starts from `init`, which holds f64, and visits a domain in order.
static View sweep(Converter &converter, Value init, ArrayRef<ExprAttr> extents,
                  int64_t independent,
                  llvm::function_ref<Written(Step &)> compute) {
  auto scatter = ScatterOp::create(converter.getBuilder(), converter.getLoc(),
                                   init, extents, ScatterKind::Set,
                                   converter.getOrigins(), independent);
  Value written = scatter.addWritten();
  OpBuilder inner = OpBuilder::atBlockEnd(&scatter.getBody().front());
  BodyContext body{inner, converter.getLoc(),
                   scatter.getBody().getArguments().take_front(extents.size())};
  Step step{converter, body,
            ScalarBuilder(inner, body.loc, inner.getF64Type()),
            converter.getView(written)};
  Written out = compute(step);
  SmallVector<Value> position;
  for (ExprAttr expr : out.position)
    position.push_back(converter.index(body, expr));
  YieldAtOp::create(inner, body.loc, out.value, position, out.condition);
  return converter.getView(scatter.getResult());
}

/// A tensor of f64 to start from.
static Value makeState(Converter &converter, ArrayRef<ExprAttr> dims,
                       llvm::function_ref<Value(Step &)> compute) {
  Type f64 = converter.getBuilder().getF64Type();
  return converter.makePointwise(
      guard::makeTensorType(f64, dims), f64,
      [&](BodyContext body, ScalarBuilder &scalars) {
        Step step{converter, body, scalars, View()};
        return compute(step);
      });
}

/// Result `i` of the operator at hand, of sizes `dims` but for the batch, which is
/// one dimension here, from its elements in f64.
static LogicalResult setMatrices(Converter &converter, unsigned i,
                                 ArrayRef<ExprAttr> dims,
                                 llvm::function_ref<Value(Step &)> compute) {
  Type element = converter.getResultType(i).getElementType();
  return converter.setReshaped(
      i, converter.makePointwise(
             guard::makeTensorType(element, dims),
             converter.getBuilder().getF64Type(),
             [&](BodyContext body, ScalarBuilder &scalars) {
               Step step{converter, body, scalars, View()};
               return compute(step);
             }));
}

/// `view` as a batch of matrices, after its own batch has grown to `batch`.
static View asMatrices(Converter &converter, const View &view,
                       ArrayRef<ExprAttr> batch) {
  Exprs dims(batch);
  llvm::append_range(dims, ArrayRef(view.dims).take_back(2));
  Exprs index = converter.broadcast(view, dims);
  View grown{view.base, {}, dims};
  for (ExprAttr expr : view.map)
    grown.map.push_back(guard::substituteDims(expr, index));
  return converter.reshape(grown,
                           {guard::product(converter.getContext(), batch),
                            dims[batch.size()], dims[batch.size() + 1]});
}

static Exprs getBatch(const View &view) {
  return Exprs(ArrayRef(view.dims).drop_back(2));
}

static bool isEmpty(const View &view) {
  return llvm::any_of(view.dims,
                      [](ExprAttr size) { return size.isConstant(0); });
}

/// What eager refuses unless it is empty.
static bool hasKernel(const View &view) {
  Type element = Converter::getElement(view.base);
  return element.isF32() || element.isF64() || isEmpty(view);
}

/// The factor of matrices without elements: an identity (there may be rows of
/// it), or zeros.
static LogicalResult setFactorOfNothing(Converter &converter, unsigned i,
                                        bool isIdentity) {
  Exprs dims = *guard::getDims(converter.getResultType(i));
  size_t rank = dims.size();
  return setMatrices(converter, i, dims, [&](Step &step) {
    return isIdentity ? step.scalars.where(
                            step.is(guard::eq(converter.dim(rank - 2),
                                              converter.dim(rank - 1))),
                            step.constant(1), step.constant(0))
                      : step.constant(0);
  });
}

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
static View solve(Converter &converter, const System &system) {
  ExprAttr batch = system.matrix.dims[0], n = system.matrix.dims[1];
  ExprAttr columns = system.right.dims[system.areRows ? 1 : 2];
  ExprAttr b = converter.dim(0), c = converter.dim(1), i = converter.dim(2);
  Value init = makeState(converter, {batch, columns, n}, [&](Step &step) {
    return step.read(system.right,
                     system.areRows ? Exprs{b, c, i} : Exprs{b, i, c});
  });
  return sweep(
      converter, init, {batch, columns, n, n}, 2, [&](Step &step) -> Written {
        ExprAttr k = converter.dim(2), after = converter.dim(3);
        ExprAttr last = n - converter.expr(1);
        bool descends = system.isUpper != system.isTransposed;
        ExprAttr pivot = descends ? last - k : k;
        ExprAttr row = descends
                           ? guard::max(pivot - after, converter.expr(0))
                           : guard::min(pivot + after, last);
        Value x = step.at({b, c, row}), known = step.at({b, c, pivot});
        Value factor = step.read(system.matrix,
                                 system.isTransposed ? Exprs{b, pivot, row}
                                                     : Exprs{b, row, pivot});
        ScalarBuilder &s = step.scalars;
        Value found = system.isUnit ? x : s.div(x, factor);
        Value rest = s.sub(x, s.mul(factor, known));
        return {s.where(step.is(guard::eq(after, converter.expr(0))), found,
                        rest),
                {b, c, row},
                step.is(guard::lt(k + after, n))};
      });
}

static LogicalResult lowerSolve(Converter &converter, StringRef matrix,
                                StringRef right, bool isUpper,
                                bool isTransposed, bool areRows) {
  View a = converter.getView(converter.getTensor(matrix));
  View b = converter.getView(converter.getTensor(right));
  if (!hasKernel(a) || !hasKernel(b))
    return converter.refuse("systems of this type have no kernels");
  Exprs dims = *guard::getDims(converter.getResultType());
  Exprs batch(ArrayRef(dims).drop_back(2));
  System system{asMatrices(converter, a, batch),
                asMatrices(converter, b, batch),
                isUpper,
                isTransposed,
                areRows,
                converter.getBool("unitriangular")};
  if (isEmpty(system.matrix)) // no unknowns, no results
    return setFactorOfNothing(converter, 0, /*isIdentity=*/false);
  View x = solve(converter, system);
  return setMatrices(converter, 0, system.right.dims, [&](Step &step) {
    ExprAttr i = converter.dim(1), j = converter.dim(2);
    return step.read(x, areRows ? Exprs{converter.dim(0), i, j}
                                : Exprs{converter.dim(0), j, i});
  });
}

LogicalResult loop::lowerTriangularSolve(Converter &converter) {
  if (failed(lowerSolve(converter, "A", "self", converter.getBool("upper"),
                        converter.getBool("transpose"), /*areRows=*/false)))
    return failure();
  View a = converter.getView(converter.getTensor("A"));
  Exprs dims = *guard::getDims(converter.getResultType(1));
  View copy{a.base, {}, dims};
  Exprs index = converter.broadcast(a, dims);
  for (ExprAttr expr : a.map)
    copy.map.push_back(guard::substituteDims(expr, index));
  converter.setView(converter.getResult(1), copy);
  return success();
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
LogicalResult loop::lowerCholesky(Converter &converter) {
  View self = converter.getView(converter.getTensor("self"));
  if (!hasKernel(self))
    return converter.refuse("factorizations of this type have no kernels");
  if (isEmpty(self))
    return success(
        succeeded(setFactorOfNothing(converter, 0, /*isIdentity=*/false)) &&
        succeeded(setFactorOfNothing(converter, 1, /*isIdentity=*/false)));
  View a = asMatrices(converter, self, getBatch(self));
  bool isUpper = converter.getBool("upper");
  ExprAttr batch = a.dims[0], n = a.dims[1], more = n + converter.expr(1);
  ExprAttr zero = converter.expr(0), b = converter.dim(0);
  Value init = makeState(converter, {batch, more, more}, [&](Step &step) {
    ExprAttr i = converter.dim(1), k = converter.dim(2);
    Type element = Converter::getElement(a.base);
    Value isLower = step.is(
        guard::logicalAnd(guard::lt(i, n), guard::le(k, i)));
    Value other = step.scalars.constant(element, 0.0);
    Value value = converter.read(
        step.body, a, isUpper ? Exprs{b, k, i} : Exprs{b, i, k}, isLower,
        other);
    return step.scalars.convert(value, element, step.scalars.getType());
  });
  View state = sweep(
      converter, init, {batch, n, more, n}, 1, [&](Step &step) -> Written {
        ExprAttr j = converter.dim(1), i = converter.dim(2),
                 k = converter.dim(3);
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
        Value order = converter.number(step.body, s, j + converter.expr(1),
                                       s.getType());
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
  if (converter.getBool("check_errors"))
    converter.check(
        batch,
        "linalg.cholesky: the factorization could not be completed because the "
        "input is not positive-definite",
        [&](BodyContext body) {
          ScalarBuilder s(body.builder, body.loc, body.builder.getF64Type());
          return s.eq(converter.read(body, state, {b, n, zero}),
                      s.constant(s.getType(), 0.0));
        });
  if (failed(setMatrices(converter, 0, a.dims, [&](Step &step) {
        ExprAttr i = converter.dim(1), j = converter.dim(2);
        return step.read(state, isUpper ? Exprs{b, j, i} : Exprs{b, i, j});
      })))
    return failure();
  return setMatrices(converter, 1, batch, [&](Step &step) {
    return step.read(state, {b, n, zero});
  });
}

//===----------------------------------------------------------------------===//
// QR
//===----------------------------------------------------------------------===//

/// Householder reflections with LAPACK's signs, applied to [A | I]: they leave
/// [R | Q^T]. Column j makes the reflection of step j and keeps its vector below
/// the diagonal; three more rows hold, by column,
///
///   sums   the squares below the diagonal in column j, v . column in others
///   taus   of column j
///   betas  what column j has on the diagonal in the end
///
/// The points of a column are m for the sum, one each for beta and tau, m to
/// divide or to reflect, and one that writes beta to the diagonal.
LogicalResult loop::lowerQr(Converter &converter) {
  View self = converter.getView(converter.getTensor("A"));
  if (!hasKernel(self))
    return converter.refuse("factorizations of this type have no kernels");
  auto mode = cast<StringAttr>(converter.getArg("mode").getAttribute());
  bool wantsQ = mode != "r";
  if (isEmpty(self))
    return success(succeeded(setFactorOfNothing(converter, 0, wantsQ)) &&
                   succeeded(setFactorOfNothing(converter, 1,
                                                /*isIdentity=*/false)));
  View a = asMatrices(converter, self, getBatch(self));
  ExprAttr batch = a.dims[0], m = a.dims[1], n = a.dims[2];
  ExprAttr width = wantsQ ? n + m : n;
  ExprAttr zero = converter.expr(0), one = converter.expr(1);
  ExprAttr sums = m, taus = m + one, betas = m + converter.expr(2);
  ExprAttr height = m + converter.expr(3), b = converter.dim(0);
  Value init = makeState(converter, {batch, height, width}, [&](Step &step) {
    ExprAttr i = converter.dim(1), c = converter.dim(2);
    ScalarBuilder &s = step.scalars;
    Type element = Converter::getElement(a.base);
    Value isIn =
        step.is(guard::logicalAnd(guard::lt(i, m), guard::lt(c, n)));
    Value isDiagonal = step.is(
        guard::logicalAnd(guard::lt(i, m), guard::eq(c - n, i)));
    Value value = converter.read(step.body, a, {b, i, c}, isIn,
                                 s.constant(element, 0.0));
    return s.where(isDiagonal, step.constant(1),
                   s.convert(value, element, s.getType()));
  });
  ExprAttr points = m * 2 + converter.expr(3);
  View state = sweep(
      converter, init, {batch, guard::min(m, n), width, points}, 1,
      [&](Step &step) -> Written {
        ExprAttr j = converter.dim(1), c = converter.dim(2),
                 t = converter.dim(3);
        ScalarBuilder &s = step.scalars;
        ExprAttr second = t - betas; // counts the points that divide or reflect
        ExprAttr isSumPoint = guard::lt(t, m), isOwn = guard::eq(c, j);
        ExprAttr isEnd = guard::eq(t, points - one);
        ExprAttr i = guard::select(
            isSumPoint, t,
            guard::min(guard::max(second, zero), m - one));
        Value element = step.at({b, i, c}), below = step.at({b, i, j});
        Value alpha = step.at({b, j, j}), tail = step.at({b, sums, j});
        Value sum = step.at({b, sums, c}), beta = step.at({b, betas, j});
        Value own = step.is(isOwn), none = step.constant(0);
        Value isNothing = s.eq(tail, none); // already a multiple of e_j
        Value isDiagonal = step.is(guard::eq(i, j));

        Value first = s.where(own, none, step.at({b, j, c}));
        Value summed = s.where(isDiagonal, first,
                               s.add(sum, s.mul(below, element)));
        Value norm = s.sqrt(s.add(s.mul(alpha, alpha), tail));
        Value opposite = s.where(s.ge(alpha, none), s.neg(norm), norm);
        Value newBeta = s.where(isNothing, alpha, opposite);
        Value newTau =
            s.where(isNothing, none, s.div(s.sub(beta, alpha), beta));
        Value vector =
            s.where(isNothing, below, s.div(below, s.sub(alpha, beta)));
        Value weight = s.where(isDiagonal, step.constant(1), below);
        Value reflected = s.sub(
            element, s.mul(s.mul(step.at({b, taus, j}), weight), sum));

        Value value = s.where(own, vector, reflected);
        value = s.where(step.is(isEnd), beta, value);
        value = s.where(step.is(guard::eq(t, taus)), newTau, value);
        value = s.where(step.is(guard::eq(t, sums)), newBeta, value);
        value = s.where(step.is(isSumPoint), summed, value);

        ExprAttr isScalar = guard::logicalOr(
            guard::logicalOr(guard::eq(t, sums), guard::eq(t, taus)), isEnd);
        ExprAttr isBelow = guard::select(isOwn, guard::gt(second, j),
                                         guard::ge(second, j));
        ExprAttr isPoint = guard::select(
            isSumPoint, guard::ge(t, j),
            guard::select(isScalar, isOwn, isBelow));
        ExprAttr row = guard::select(
            isSumPoint, sums,
            guard::select(guard::eq(t, sums), betas,
                          guard::select(guard::eq(t, taus), taus,
                                        guard::select(isEnd, j, i))));
        return {value,
                {b, row, c},
                step.is(guard::logicalAnd(guard::ge(c, j), isPoint))};
      });

  auto matrix = [&](unsigned i) {
    Exprs dims = *guard::getDims(converter.getResultType(i));
    return Exprs{batch, dims[dims.size() - 2], dims.back()};
  };
  ExprAttr i = converter.dim(1), j = converter.dim(2);
  if (failed(setMatrices(converter, 1, matrix(1), [&](Step &step) {
        return step.scalars.where(step.is(guard::le(i, j)),
                                  step.read(state, {b, i, j}),
                                  step.constant(0));
      })))
    return failure();
  if (!wantsQ) // has no elements
    return setMatrices(converter, 0, zero,
                       [&](Step &step) { return step.constant(0); });
  return setMatrices(converter, 0, matrix(0), [&](Step &step) {
    return step.read(state, {b, j, n + i});
  });
}

LogicalResult loop::lowerSolveTriangular(Converter &converter) {
  // X A = B is A^T X^T = B^T.
  bool areRows = !converter.getBool("left");
  return lowerSolve(converter, "self", "B", converter.getBool("upper"), areRows,
                    areRows);
}
