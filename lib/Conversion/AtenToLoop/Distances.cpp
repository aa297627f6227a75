//===- Distances.cpp - Distances of rows ----------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Distances in a p-norm, computed in f64: of all pairs of rows of two matrices,
// or of one. A gradient sums over the rows that a row was compared with.
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"

#include <cmath>

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

/// What a difference adds to the distance before its root.
static Value buildTerm(ScalarBuilder &s, Value difference, double p) {
  Type f64 = difference.getType();
  Value size = s.abs(difference);
  if (p == 0)
    return s.where(s.ne(size, s.constant(f64, 0.0)), s.constant(f64, 1.0),
                   s.constant(f64, 0.0));
  if (p == 1 || std::isinf(p))
    return size;
  return s.pow(size, s.constant(f64, p));
}

static Value buildRoot(ScalarBuilder &s, Value sum, double p) {
  Type f64 = sum.getType();
  if (std::isinf(p)) // of no terms it is 0
    return s.max(sum, s.constant(f64, 0.0));
  return p == 0 || p == 1 ? sum
         : p == 2         ? s.sqrt(sum)
                          : s.pow(sum, s.constant(f64, 1 / p));
}

/// The derivative of a distance in one of its differences.
static Value buildSlope(ScalarBuilder &s, Value d, Value distance, double p) {
  Type f64 = d.getType();
  Value zero = s.constant(f64, 0.0), one = s.constant(f64, 1.0);
  Value sign = s.where(s.lt(zero, d), one, s.constant(f64, -1.0));
  Value slope;
  if (p == 0)
    return zero;
  if (p == 1) {
    slope = sign;
  } else if (std::isinf(p)) {
    slope = s.where(s.eq(s.abs(d), distance), sign, zero);
  } else {
    Value ratio = s.div(s.abs(d), distance);
    slope = s.mul(s.pow(ratio, s.constant(f64, p - 1)), sign);
  }
  return s.where(s.logicalOr(s.eq(d, zero), s.eq(distance, zero)), zero,
                 slope);
}

/// Pairs (i, j) with i < j of n rows, in order: the number of a pair.
static ExprAttr getPair(ExprAttr i, ExprAttr j, ExprAttr n) {
  return n * i - guard::floorDiv(i * (i + 1), 2) + j - i + -1;
}

/// The inverse, in f64 and then exactly.
static std::pair<Value, Value> buildPair(Converter &c, BodyContext body,
                                         ScalarBuilder &s, ExprAttr pair,
                                         ExprAttr n) {
  Type f64 = body.builder.getF64Type(), i64 = body.builder.getI64Type();
  auto real = [&](double value) { return s.constant(f64, value); };
  auto whole = [&](int64_t value) { return s.constant(i64, value); };
  Value half = s.sub(c.number(body, s, n, f64), real(0.5));
  Value twice = s.mul(c.number(body, s, pair, f64), real(2));
  Value root = s.sqrt(s.sub(s.sub(s.mul(half, half), twice), real(1)));
  Value i = s.convert(s.floor(s.sub(half, root)), f64, i64);
  Value number = c.number(body, s, pair, i64), rows = c.number(body, s, n, i64);
  auto pairsBefore = [&](Value row) { // rows * row - row (row + 1) / 2
    Value triangle = s.shr(s.mul(row, s.add(row, whole(1))), whole(1));
    return s.sub(s.mul(rows, row), triangle);
  };
  // Rounding may have missed the row by one.
  i = s.where(s.lt(number, pairsBefore(i)), s.sub(i, whole(1)), i);
  Value next = s.add(i, whole(1));
  i = s.where(s.le(pairsBefore(next), number), next, i);
  i = s.max(s.min(i, s.sub(rows, whole(2))), whole(0));
  Value j = s.add(s.add(s.sub(number, pairsBefore(i)), i), whole(1));
  auto toIndex = [&](Value value) {
    return arith::IndexCastOp::create(body.builder, body.loc,
                                      body.builder.getIndexType(), value)
        .getResult();
  };
  return {toIndex(i), toIndex(j)};
}

namespace {

/// One lowering: its norm, and the element type.
class Distances {
public:
  Distances(Converter &c, double p)
      : c(c), p(p), type(c.getResultType()), stored(type.getElementType()),
        f64(c.getBuilder().getF64Type()) {}

  bool isSupported() const {
    return p >= 0 && isa<FloatType>(stored) && guard::getDims(type);
  }
  LogicalResult lowerPairs();         // _cdist_forward
  LogicalResult lowerPairsBackward(); // _cdist_backward
  LogicalResult lowerSelf();          // _pdist_forward
  LogicalResult lowerSelfBackward();  // _pdist_backward

private:
  /// Sums terms over `width` columns and takes the root.
  LogicalResult
  finish(ExprAttr width,
         llvm::function_ref<Value(BodyContext, ScalarBuilder &)> difference);
  /// Sums gradients over `others` rows.
  LogicalResult sumSlopes(
      ExprAttr others,
      llvm::function_ref<Value(BodyContext, ScalarBuilder &)> slope);
  Value read(BodyContext body, ScalarBuilder &s, const View &view,
             ArrayRef<ExprAttr> index) {
    return s.convert(c.read(body, view, index), stored, f64);
  }
  /// Row `row`, column `column` of a matrix in a batch that broadcasts to the
  /// result's.
  Exprs inBatch(const View &view, ArrayRef<ExprAttr> batch, ExprAttr row,
                ExprAttr column) {
    Exprs index;
    unsigned own = view.dims.size() - 2, shift = batch.size() - own;
    for (unsigned i = 0; i < own; ++i)
      index.push_back(view.dims[i].isConstant(1) &&
                              !batch[i + shift].isConstant(1)
                          ? c.expr(0)
                          : c.dim(i + shift));
    index.append({row, column});
    return index;
  }

  /// A difference as the tensors' type has it: by it the greatest is found again.
  Value round(ScalarBuilder &s, Value d) {
    return s.convert(s.convert(d, f64, stored), stored, f64);
  }

  Converter &c;
  double p;
  RankedTensorType type;
  Type stored, f64;
};

} // namespace

LogicalResult Distances::finish(
    ExprAttr width,
    llvm::function_ref<Value(BodyContext, ScalarBuilder &)> difference) {
  Exprs parallel(*guard::getDims(type));
  auto kind = std::isinf(p) ? ReductionKind::Max : ReductionKind::Sum;
  View sums = c.getView(
      c.makeReduce(TypeRange(guard::makeTensorType(f64, parallel)), parallel,
                   {width}, kind, f64,
                   [&](BodyContext body, ScalarBuilder &s) {
                     return SmallVector<Value>{
                         buildTerm(s, difference(body, s), p)};
                   })[0]);
  Value result = c.makePointwise(
      type, f64, [&](BodyContext body, ScalarBuilder &s) {
        return buildRoot(s, c.read(body, sums, sums.map), p);
      });
  if (!result)
    return failure();
  c.setResult(0, result);
  return success();
}

LogicalResult Distances::sumSlopes(
    ExprAttr others,
    llvm::function_ref<Value(BodyContext, ScalarBuilder &)> slope) {
  Type acc = getBodyType(Converter::getComputeType(stored));
  SmallVector<Value> sums = c.makeReduce(
      TypeRange(type), *guard::getDims(type), {others}, ReductionKind::Sum, acc,
      [&](BodyContext body, ScalarBuilder &s) {
        return SmallVector<Value>{s.convert(slope(body, s), f64, acc)};
      });
  c.setResult(0, sums[0]);
  return success();
}

LogicalResult Distances::lowerPairs() {
  View a = c.getView(c.getTensor("x1")), b = c.getView(c.getTensor("x2"));
  Exprs dims(*guard::getDims(type));
  if (c.getElement(c.getTensor("x1")) != stored ||
      c.getElement(c.getTensor("x2")) != stored || dims.size() < 2 ||
      a.dims.size() < 2 || b.dims.size() < 2)
    return c.refuse("distances of these tensors have no kernel");
  ExprAttr missing = a.dims.back() - b.dims.back();
  if (missing.isConstant() && !missing.isConstant(0))
    return c.refuse("distances of rows of different sizes have no kernel");
  unsigned rank = dims.size();
  ArrayRef<ExprAttr> batch = ArrayRef(dims).drop_back(2);
  return finish(a.dims.back(), [&](BodyContext body, ScalarBuilder &s) {
    return s.sub(
        read(body, s, a, inBatch(a, batch, c.dim(rank - 2), c.dim(rank))),
        read(body, s, b, inBatch(b, batch, c.dim(rank - 1), c.dim(rank))));
  });
}

LogicalResult Distances::lowerPairsBackward() {
  View a = c.getView(c.getTensor("x1")), b = c.getView(c.getTensor("x2"));
  View grad = c.getView(c.getTensor("grad_output")),
       distance = c.getView(c.getTensor("cdist"));
  Exprs dims(*guard::getDims(type));
  unsigned rank = dims.size();
  // No distances, no gradient: of any sizes.
  if (llvm::any_of(grad.dims,
                   [](ExprAttr size) { return size.isConstant(0); })) {
    c.setResult(0, c.makePointwise(type, stored,
                                   [&](BodyContext, ScalarBuilder &s) {
                                     return s.constant(stored, 0.0);
                                   }));
    return success();
  }
  for (StringRef name : {"x1", "x2", "grad_output", "cdist"}) {
    Value tensor = c.getTensor(name);
    if (c.getElement(tensor) != stored ||
        c.getView(tensor).dims.size() < 2 ||
        c.getView(tensor).dims.size() > rank)
      return c.refuse("a gradient of distances of these tensors has no kernel");
  }
  Exprs expected(ArrayRef(dims).drop_back());
  expected.push_back(b.dims[b.dims.size() - 2]);
  if (grad.dims != expected || distance.dims != expected)
    return c.refuse("a gradient of other sizes has no kernel");
  ArrayRef<ExprAttr> batch = ArrayRef(dims).drop_back(2);
  ExprAttr row = c.dim(rank - 2), column = c.dim(rank - 1), other = c.dim(rank);
  return sumSlopes(expected.back(), [&](BodyContext body, ScalarBuilder &s) {
    Exprs pair = inBatch(grad, batch, row, other);
    Value d = s.sub(read(body, s, a, inBatch(a, batch, row, column)),
                    read(body, s, b, inBatch(b, batch, other, column)));
    return s.mul(read(body, s, grad, pair),
                 buildSlope(s, round(s, d), read(body, s, distance, pair), p));
  });
}

LogicalResult Distances::lowerSelf() {
  View self = c.getView(c.getTensor("self"));
  if (self.dims.size() != 2)
    return c.refuse("distances of rows of no matrix have no kernel");
  return finish(self.dims[1], [&](BodyContext body, ScalarBuilder &s) {
    auto [i, j] = buildPair(c, body, s, c.dim(0), self.dims[0]);
    Value a = c.readAt(body, self, {i, body.indices[1]});
    Value b = c.readAt(body, self, {j, body.indices[1]});
    return s.sub(s.convert(a, stored, f64), s.convert(b, stored, f64));
  });
}

LogicalResult Distances::lowerSelfBackward() {
  View self = c.getView(c.getTensor("self")),
       grad = c.getView(c.getTensor("grad_output")),
       distance = c.getView(c.getTensor("pdist"));
  if (self.dims.size() != 2 || grad.dims.size() != 1 ||
      distance.dims != grad.dims ||
      c.getElement(c.getTensor("grad_output")) != stored ||
      c.getElement(c.getTensor("pdist")) != stored)
    return c.refuse("a gradient of distances of these tensors has no kernel");
  ExprAttr n = self.dims[0], row = c.dim(0), column = c.dim(1),
           other = c.dim(2);
  ExprAttr pairs = guard::floorDiv(n * (n + -1), 2) - grad.dims[0];
  if (pairs.isConstant() && !pairs.isConstant(0))
    return c.refuse("a gradient of other sizes has no kernel");
  ExprAttr pair =
      getPair(guard::min(row, other), guard::max(row, other), n);
  return sumSlopes(n, [&](BodyContext body, ScalarBuilder &s) {
    Value differs = c.condition(body, guard::ne(row, other));
    Value zero = s.constant(stored, 0.0);
    auto readPair = [&](const View &view) {
      Value value = differs ? c.read(body, view, {pair}, differs, zero)
                            : c.read(body, view, {pair});
      return s.convert(value, stored, f64);
    };
    Value d = s.sub(read(body, s, self, {row, column}),
                    read(body, s, self, {other, column}));
    return s.mul(readPair(grad),
                 buildSlope(s, round(s, d), readPair(distance), p));
  });
}

/// A lowering of the operator at hand, if it has distances that there are
/// kernels of.
static LogicalResult lowerDistance(Converter &c,
                                   LogicalResult (Distances::*lower)()) {
  Distances distances(c, c.getConstant("p").value_or(2));
  return distances.isSupported()
             ? (distances.*lower)()
             : c.refuse("distances of these tensors have no kernel");
}

LogicalResult loop::lowerCdist(Converter &c) {
  return lowerDistance(c, &Distances::lowerPairs);
}

LogicalResult loop::lowerCdistBackward(Converter &c) {
  return lowerDistance(c, &Distances::lowerPairsBackward);
}

LogicalResult loop::lowerPdist(Converter &c) {
  return lowerDistance(c, &Distances::lowerSelf);
}

LogicalResult loop::lowerPdistBackward(Converter &c) {
  return lowerDistance(c, &Distances::lowerSelfBackward);
}
