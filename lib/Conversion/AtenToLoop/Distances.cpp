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
// Euclidean distances of many rows are a product of matrices, as in PyTorch: the
// square of a distance is x x + y y - 2 x y. It says less of rows that are almost
// equal, so whoever calls may forbid it.
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
static std::pair<Value, Value> buildPair(LoopBuilder &loops, BodyContext body,
                                         ScalarBuilder &s, ExprAttr pair,
                                         ExprAttr n) {
  Type f64 = body.builder.getF64Type(), i64 = body.builder.getI64Type();
  auto real = [&](double value) { return s.constant(f64, value); };
  auto whole = [&](int64_t value) { return s.constant(i64, value); };
  Value half = s.sub(loops.number(body, s, n, f64), real(0.5));
  Value twice = s.mul(loops.number(body, s, pair, f64), real(2));
  Value root = s.sqrt(s.sub(s.sub(s.mul(half, half), twice), real(1)));
  Value i = s.convert(s.floor(s.sub(half, root)), f64, i64);
  Value number = loops.number(body, s, pair, i64),
        rows = loops.number(body, s, n, i64);
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
  Distances(LoopBuilder &loops, double p)
      : loops(loops), p(p), type(loops.getResultType()),
        stored(type.getElementType()), f64(loops.getBuilder().getF64Type()) {}

  bool isSupported() const {
    return p >= 0 && isa<FloatType>(stored) && guard::getDims(type);
  }
  LogicalResult lowerPairs(Value x1, Value x2,
                           std::optional<int64_t> mode); // _cdist_forward
  LogicalResult lowerPairsBackward(Value gradient, Value x1, Value x2,
                                   Value known); // _cdist_backward
  LogicalResult lowerSelf(Value rows);           // _pdist_forward
  LogicalResult lowerSelfBackward(Value gradient, Value rows,
                                  Value known); // _pdist_backward

private:
  bool multiplies(const View &a, const View &b,
                  std::optional<int64_t> mode) const;
  LogicalResult lowerProduct(Value x1, Value x2);
  /// The sum of squares of each row, in `acc`.
  View makeSquares(const View &rows, Type acc);
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
    return s.convert(loops.read(body, view, index), stored, f64);
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
                          ? loops.expr(0)
                          : loops.dim(i + shift));
    index.append({row, column});
    return index;
  }

  /// A difference as the tensors' type has it: by it the greatest is found again.
  Value round(ScalarBuilder &s, Value d) {
    return s.convert(s.convert(d, f64, stored), stored, f64);
  }

  LoopBuilder &loops;
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
  View sums = loops.getView(loops.makeReduce(
      TypeRange(guard::makeTensorType(f64, parallel)), parallel, {width}, kind,
      f64, [&](BodyContext body, ScalarBuilder &s) {
        return SmallVector<Value>{buildTerm(s, difference(body, s), p)};
      })[0]);
  Value result =
      loops.makePointwise(type, f64, [&](BodyContext body, ScalarBuilder &s) {
        return buildRoot(s, loops.read(body, sums, sums.map), p);
      });
  return loops.setMade(0, result);
}

LogicalResult Distances::sumSlopes(
    ExprAttr others,
    llvm::function_ref<Value(BodyContext, ScalarBuilder &)> slope) {
  Type acc = getBodyType(LoopBuilder::getComputeType(stored));
  SmallVector<Value> sums = loops.makeReduce(
      TypeRange(type), *guard::getDims(type), {others}, ReductionKind::Sum, acc,
      [&](BodyContext body, ScalarBuilder &s) {
        return SmallVector<Value>{s.convert(slope(body, s), f64, acc)};
      });
  return loops.setMade(0, sums[0]);
}

/// True if distances are found by a product: if rows are many, where it is up to us.
bool Distances::multiplies(const View &a, const View &b,
                           std::optional<int64_t> mode) const {
  enum Mode { IfNecessary, Always, Never };
  constexpr int64_t kFewRows = 25; // PyTorch's number
  if (p != 2 || mode == Never)
    return false;
  auto isMany = [&](const View &rows) {
    return guard::isKnownNonNegative(
        rows.dims[rows.dims.size() - 2] + -(kFewRows + 1),
        loops.getAssumptions());
  };
  return mode == Always || isMany(a) || isMany(b);
}

View Distances::makeSquares(const View &rows, Type acc) {
  Exprs parallel(ArrayRef(rows.dims).drop_back());
  return loops.getView(loops.makeReduce(
      TypeRange(guard::makeTensorType(acc, parallel)), parallel,
      {rows.dims.back()}, ReductionKind::Sum, acc,
      [&](BodyContext body, ScalarBuilder &s) {
        Value x = s.convert(loops.read(body, rows, rows.map), stored, acc);
        return SmallVector<Value>{s.mul(x, x)};
      })[0]);
}

LogicalResult Distances::lowerProduct(Value x1, Value x2) {
  View a = loops.getView(x1), b = loops.getView(x2);
  unsigned rank = type.getRank();
  Exprs dims(*guard::getDims(type));
  ArrayRef<ExprAttr> batch = ArrayRef(dims).drop_back(2);
  ExprAttr row = loops.dim(rank - 2), other = loops.dim(rank - 1),
           column = loops.dim(rank);
  Type acc = getBodyType(LoopBuilder::getComputeType(stored));
  View left = makeSquares(a, acc), right = makeSquares(b, acc);
  ContractOp nest =
      loops.makeContract(type, {x1, inBatch(a, batch, row, column)},
                         {x2, inBatch(b, batch, other, column)},
                         a.dims.back(), acc);
  if (!nest)
    return failure();
  auto finish = [&](BodyContext body, ScalarBuilder &s, Value product) {
    auto rest = [&](const View &squares, const View &of, ExprAttr at) {
      Exprs index = inBatch(of, batch, at, column);
      index.pop_back();
      return s.sub(loops.read(body, squares, index), product);
    };
    Value square = s.add(rest(left, a, row), rest(right, b, other));
    return s.sqrt(s.max(square, s.constant(acc, 0.0)));
  };
  if (failed(loops.addEpilogue(nest, finish)))
    return failure();
  return loops.setMade(0, nest.getResult());
}

LogicalResult Distances::lowerPairs(Value x1, Value x2,
                                    std::optional<int64_t> mode) {
  View a = loops.getView(x1), b = loops.getView(x2);
  Exprs dims(*guard::getDims(type));
  if (loops.getElement(x1) != stored || loops.getElement(x2) != stored ||
      dims.size() < 2 || a.dims.size() < 2 || b.dims.size() < 2)
    return loops.refuse("distances of these tensors have no kernel");
  ExprAttr missing = a.dims.back() - b.dims.back();
  if (missing.isConstant() && !missing.isConstant(0))
    return loops.refuse("distances of rows of different sizes have no kernel");
  if (multiplies(a, b, mode))
    return lowerProduct(x1, x2);
  unsigned rank = dims.size();
  ArrayRef<ExprAttr> batch = ArrayRef(dims).drop_back(2);
  return finish(a.dims.back(), [&](BodyContext body, ScalarBuilder &s) {
    return s.sub(read(body, s, a,
                      inBatch(a, batch, loops.dim(rank - 2), loops.dim(rank))),
                 read(body, s, b,
                      inBatch(b, batch, loops.dim(rank - 1), loops.dim(rank))));
  });
}

LogicalResult Distances::lowerPairsBackward(Value gradient, Value x1, Value x2,
                                            Value known) {
  View a = loops.getView(x1), b = loops.getView(x2);
  View grad = loops.getView(gradient), distance = loops.getView(known);
  Exprs dims(*guard::getDims(type));
  unsigned rank = dims.size();
  // No distances, no gradient: of any sizes.
  if (llvm::any_of(grad.dims,
                   [](ExprAttr size) { return size.isConstant(0); })) {
    loops.setResult(0, loops.makePointwise(type, stored,
                                           [&](BodyContext, ScalarBuilder &s) {
                                             return s.constant(stored, 0.0);
                                           }));
    return success();
  }
  for (Value tensor : {x1, x2, gradient, known})
    if (loops.getElement(tensor) != stored ||
        loops.getView(tensor).dims.size() < 2 ||
        loops.getView(tensor).dims.size() > rank)
      return loops.refuse(
          "a gradient of distances of these tensors has no kernel");
  Exprs expected(ArrayRef(dims).drop_back());
  expected.push_back(b.dims[b.dims.size() - 2]);
  if (grad.dims != expected || distance.dims != expected)
    return loops.refuse("a gradient of other sizes has no kernel");
  ArrayRef<ExprAttr> batch = ArrayRef(dims).drop_back(2);
  ExprAttr row = loops.dim(rank - 2), column = loops.dim(rank - 1),
           other = loops.dim(rank);
  return sumSlopes(expected.back(), [&](BodyContext body, ScalarBuilder &s) {
    Exprs pair = inBatch(grad, batch, row, other);
    Value d = s.sub(read(body, s, a, inBatch(a, batch, row, column)),
                    read(body, s, b, inBatch(b, batch, other, column)));
    return s.mul(read(body, s, grad, pair),
                 buildSlope(s, round(s, d), read(body, s, distance, pair), p));
  });
}

LogicalResult Distances::lowerSelf(Value rows) {
  View self = loops.getView(rows);
  if (self.dims.size() != 2)
    return loops.refuse("distances of rows of no matrix have no kernel");
  return finish(self.dims[1], [&](BodyContext body, ScalarBuilder &s) {
    auto [i, j] = buildPair(loops, body, s, loops.dim(0), self.dims[0]);
    Value a = loops.readAt(body, self, {i, body.indices[1]});
    Value b = loops.readAt(body, self, {j, body.indices[1]});
    return s.sub(s.convert(a, stored, f64), s.convert(b, stored, f64));
  });
}

LogicalResult Distances::lowerSelfBackward(Value gradient, Value rows,
                                           Value known) {
  View self = loops.getView(rows), grad = loops.getView(gradient),
       distance = loops.getView(known);
  if (self.dims.size() != 2 || grad.dims.size() != 1 ||
      distance.dims != grad.dims || loops.getElement(gradient) != stored ||
      loops.getElement(known) != stored)
    return loops.refuse(
        "a gradient of distances of these tensors has no kernel");
  ExprAttr n = self.dims[0], row = loops.dim(0), column = loops.dim(1),
           other = loops.dim(2);
  ExprAttr pairs = guard::floorDiv(n * (n + -1), 2) - grad.dims[0];
  if (pairs.isConstant() && !pairs.isConstant(0))
    return loops.refuse("a gradient of other sizes has no kernel");
  ExprAttr pair =
      getPair(guard::min(row, other), guard::max(row, other), n);
  return sumSlopes(n, [&](BodyContext body, ScalarBuilder &s) {
    Value differs = loops.condition(body, guard::ne(row, other));
    Value zero = s.constant(stored, 0.0);
    auto readPair = [&](const View &view) {
      Value value = loops.read(body, view, {pair}, differs, zero);
      return s.convert(value, stored, f64);
    };
    Value d = s.sub(read(body, s, self, {row, column}),
                    read(body, s, self, {other, column}));
    return s.mul(readPair(grad),
                 buildSlope(s, round(s, d), readPair(distance), p));
  });
}

/// What `lower` makes of distances by `p`, if there are kernels of them.
static LogicalResult
lowerDistance(LoopBuilder &loops, double p,
              llvm::function_ref<LogicalResult(Distances &)> lower) {
  Distances distances(loops, p);
  return distances.isSupported()
             ? lower(distances)
             : loops.refuse("distances of these tensors have no kernel");
}

LogicalResult loop::lowerCdist(LoopBuilder &loops, aten::CdistForwardOp op) {
  return lowerDistance(loops, toDouble(op.getP()), [&](Distances &distances) {
    return distances.lowerPairs(op.getX1(), op.getX2(), op.getComputeMode());
  });
}

LogicalResult loop::lowerCdistBackward(LoopBuilder &loops,
                                       aten::CdistBackwardOp op) {
  return lowerDistance(loops, toDouble(op.getP()), [&](Distances &distances) {
    return distances.lowerPairsBackward(op.getGradOutput(), op.getX1(),
                                        op.getX2(), op.getCdist());
  });
}

LogicalResult loop::lowerPdist(LoopBuilder &loops, aten::PdistForwardOp op) {
  return lowerDistance(loops, toDouble(op.getP()), [&](Distances &distances) {
    return distances.lowerSelf(op.getSelf());
  });
}

LogicalResult loop::lowerPdistBackward(LoopBuilder &loops,
                                       aten::PdistBackwardOp op) {
  return lowerDistance(loops, toDouble(op.getP()), [&](Distances &distances) {
    return distances.lowerSelfBackward(op.getGradOutput(), op.getSelf(),
                                       op.getPdist());
  });
}
