//===- CompositeLinalg.cpp - Products, norms and systems made of others ---===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompositeFormulas.h"

#include <cmath>
#include <limits>

namespace kiln::aten {

using formula::choleskySolve;
using formula::determinant;
using formula::invert;
using formula::noInfo;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Value formula::tensorDot(Composite &c, Value a, Value b, Dims left,
                         Dims right) {
  int64_t rankA = Composite::rankOf(a), rankB = Composite::rankOf(b);
  if (left.size() != right.size())
    return {};
  SmallVector<bool> summedA(rankA, false), summedB(rankB, false);
  SmallVector<int64_t> orderA, orderB;
  SmallVector<ExprAttr> inner, dims;
  for (auto [first, second] : llvm::zip_equal(left, right)) {
    int64_t i = c.place(first, rankA);
    int64_t j = c.place(second, rankB);
    if (i < 0 || i >= rankA || j < 0 || j >= rankB || summedA[i] || summedB[j])
      return {};
    summedA[i] = summedB[j] = true;
    orderB.push_back(j);
    ExprAttr sizeA = c.sizeOf(a, i), sizeB = c.sizeOf(b, j);
    // A size of one stands for any.
    if (sizeA.isConstant(1) != sizeB.isConstant(1)) {
      if (sizeB.isConstant(1))
        a = c.sumOver(a, {i}, /*keepdim=*/true);
      else
        b = c.sumOver(b, {j}, /*keepdim=*/true);
    }
    inner.push_back(c.sizeOf(a, i));
  }
  for (int64_t i = 0; i < rankA; ++i)
    if (!summedA[i]) {
      orderA.push_back(i);
      dims.push_back(c.sizeOf(a, i));
    }
  ExprAttr rows = guard::product(c.getContext(), dims);
  for (int64_t i : left)
    orderA.push_back(c.place(i, rankA));
  SmallVector<ExprAttr> columnDims;
  for (int64_t j = 0; j < rankB; ++j)
    if (!summedB[j]) {
      orderB.push_back(j);
      columnDims.push_back(c.sizeOf(b, j));
    }
  ExprAttr columns = guard::product(c.getContext(), columnDims);
  ExprAttr depth = guard::product(c.getContext(), inner);
  auto matrix = [&](Value x, ArrayRef<int64_t> order, ExprAttr m, ExprAttr n) {
    Value moved = c.permute(x, order);
    return moved ? c.reshape(moved, {m, n}) : moved;
  };
  Value product =
      c.mm(matrix(a, orderA, rows, depth), matrix(b, orderB, depth, columns));
  llvm::append_range(dims, columnDims);
  return c.view(product, dims);
}

Value formula::inner(Composite &c, Value a, Value b) {
  if (Composite::rankOf(a) == 0 || Composite::rankOf(b) == 0)
    return c.mul(a, b);
  return tensorDot(c, a, b, {-1}, {-1});
}

Value formula::kronecker(Composite &c, Value a, Value b) {
  auto grow = [&](Value x, int64_t rank) {
    while (Composite::rankOf(x) < rank)
      x = c.unsqueeze(x, 0);
    return x;
  };
  int64_t rank = std::max(Composite::rankOf(a), Composite::rankOf(b));
  a = grow(a, rank);
  b = grow(b, rank);
  SmallVector<ExprAttr> left, right, dims;
  for (int64_t k = 0; k < rank; ++k) {
    ExprAttr m = c.sizeOf(a, k), n = c.sizeOf(b, k);
    left.append({m, c.expr(1)});
    right.append({c.expr(1), n});
    dims.push_back(m * n);
  }
  auto spread = [&](Value x, ArrayRef<ExprAttr> sizes) {
    return c.reshape(x, sizes);
  };
  return c.view(c.mul(spread(a, left), spread(b, right)), dims);
}

Value decomposeChain(const ChainArgs &args, Composite &c) {
  Value product;
  for (Value matrix : llvm::concat<const Value>(args.matrices, args.tensors))
    product = product ? c.matmul(product, matrix) : matrix;
  return product;
}

/// By repeated squaring.
static Value matrixPower(Composite &c, Value x, int64_t n) {
  if (Composite::rankOf(x) < 2)
    return {};
  Value power;
  for (; n > 0; n >>= 1) {
    if (n & 1)
      power = power ? c.matmul(power, x) : x;
    if (n > 1)
      x = c.matmul(x, x);
  }
  return power;
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

Value formula::matrixNorm(Composite &c, Value x, Value order,
                          std::optional<Dims> dims, bool keepdim,
                          std::optional<Type> type) {
  std::optional<double> known = Composite::known(order);
  bool isInfinite = known && std::isinf(*known);
  if (!known || (!isInfinite && std::fabs(*known) != 1))
    return c.refuse("norms of singular values are asked for, expected \"fro\" "
                    "or the order 1, -1 or infinity");
  if (dims && dims->size() != 2)
    return {};
  int64_t rank = Composite::rankOf(x);
  int64_t row = c.place(dims ? (*dims)[0] : 0, rank);
  int64_t column = c.place(dims ? (*dims)[1] : 1, rank);
  int64_t summed = isInfinite ? column : row, left = isInfinite ? row : column;
  if (type)
    x = c.cast(x, *type);
  Value sums = c.sumDimIntList(c.abs(x), {summed}, /*keepdim=*/true);
  Value norm =
      *known > 0 ? c.amax(sums, {left}, true) : c.amin(sums, {left}, true);
  return keepdim ? norm : c.squeezeDims(norm, {row, column});
}

Value formula::namedNorm(Composite &c, Value x, StringRef name,
                         std::optional<Dims> dims, bool keepdim,
                         std::optional<Type> type) {
  if (dims && dims->size() != 2)
    return {};
  if (name != "fro")
    return matrixNorm(c, x, Value(), dims, keepdim, type);
  return c.linalgVectorNorm(x, 2.0, dims.value_or(Dims({0, 1})), keepdim, type);
}

/// `linalg.norm`: of vectors unless an order and a matrix are meant.
Value decomposeLinalgNorm(LinalgNormOp op, Composite &c) {
  Value x = op.getSelf(), order = op.getOrd();
  auto dims = op.getDim();
  bool isMatrix = dims ? dims->size() == 2 : Composite::rankOf(x) == 2;
  if (!order || !isMatrix)
    return c.linalgVectorNorm(x, order ? Operand(order) : Operand(2.0), dims,
                              op.getKeepdim(), op.getDtype());
  return formula::matrixNorm(c, x, order, dims, op.getKeepdim(), op.getDtype());
}

/// Norms of the slices along all dimensions but one.
Value decomposeNormExceptDim(NormExceptDimOp op, Composite &c) {
  Value x = op.getV();
  auto power = double(int64_t(op.getPow()));
  auto dim = int64_t(op.getDim());
  if (dim < 0)
    return c.linalgVectorNorm(x, power, nullptr, /*keepdim=*/false);
  SmallVector<int64_t> others;
  for (int64_t k = 0; k < Composite::rankOf(x); ++k)
    if (k != dim)
      others.push_back(k);
  return c.linalgVectorNorm(x, power, others, /*keepdim=*/true);
}

//===----------------------------------------------------------------------===//
// Systems
//===----------------------------------------------------------------------===//

/// A X = B by A = Q R: R X = Q^T B.
static Value solve(Composite &c, Value a, Value b) {
  OpResults factors = c.linalgQr(a);
  if (!factors)
    return {};
  Value right = c.matmul(c.transposeLast(factors[0]), b);
  return c.linalgSolveTriangular(factors[1], right, /*upper=*/true);
}

Value formula::invert(Composite &c, Value a) {
  OpResults factors = c.linalgQr(a);
  return c.linalgSolveTriangular(factors[1], c.transposeLast(factors[0]),
                                 /*upper=*/true);
}

Value formula::noInfo(Composite &c, Value a) {
  auto dims = Composite::dimsOf(a);
  if (dims.size() < 2)
    return {};
  return c.full(ArrayRef<ExprAttr>(dims).drop_back(2), 0.0,
                c.getBuilder().getI32Type());
}

template <typename OpT> static Value linalgSolve(Composite &c, OpT op) {
  Value a = op.getA(), b = op.getB();
  int64_t rank = Composite::rankOf(a);
  if (rank < 2)
    return {};
  auto dims = Composite::dimsOf(a), right = Composite::dimsOf(b);
  bool isVector = right.size() == 1 ||
                  ArrayRef<ExprAttr>(dims).drop_back() == ArrayRef(right);
  bool left = op.getLeft();
  if (isVector)
    return left ? c.squeezeDim(solve(c, a, c.unsqueeze(b, -1)), -1) : Value();
  // X A = B is A^T X^T = B^T.
  return left ? solve(c, a, b)
              : c.transposeLast(
                    solve(c, c.transposeLast(a), c.transposeLast(b)));
}

namespace {
/// What determinants are made of.
struct Pivots {
  Value values; ///< [batch..., n]
  Value sign;   ///< [batch...], of the order of rows
};
} // namespace

/// Factors and pivots that PyTorch gives besides, which nobody may read.
static Value factors(Composite &c, Value a, mlir::OpResult result) {
  return c.unread(result, "factors of a matrix", Composite::dimsOf(a),
                  Composite::elementTypeOf(a));
}
static Value pivots(Composite &c, Value a, mlir::OpResult result) {
  SmallVector<ExprAttr> dims = Composite::dimsOf(a);
  return c.unread(result, "pivots of a matrix",
                  ArrayRef<ExprAttr>(dims).drop_back(dims.empty() ? 0 : 1),
                  c.getBuilder().getI32Type());
}

/// Eliminates one column after the other, by the row that has most in it, of a
/// matrix of known size.
static Pivots eliminate(Composite &c, Value a) {
  int64_t rank = Composite::rankOf(a);
  auto size = rank < 2 ? std::nullopt : c.fixed(a, -1);
  if (!size || *size == 0) {
    if (rank >= 2)
      c.refuse("a determinant of matrices whose size is not known, or 0");
    return {};
  }
  if (c.sizeOf(a, -2) != c.sizeOf(a, -1))
    return {};
  auto dims = Composite::dimsOf(a);
  SmallVector<ExprAttr> batch(ArrayRef<ExprAttr>(dims).drop_back(2));
  Type type = Composite::elementTypeOf(a), i64 = c.getBuilder().getI64Type();
  Pivots pivots{{}, c.filled(batch, 1, type)};
  SmallVector<Value> values;
  ExprAttr zero = c.expr(0), one = c.expr(1);
  for (int64_t left = *size; left > 0; --left) {
    ExprAttr count = c.expr(left);
    Value row = c.argmax(c.abs(c.selectInt(a, -1, zero)), -1);
    if (!row)
      return {};
    SmallVector<ExprAttr> rowDims(batch);
    rowDims.append({one, count});
    Value at = c.expand(c.unsqueeze(c.unsqueeze(row, -1), -1), rowDims);
    Value chosen = c.gather(a, -2, at);
    Value head = c.sliceTensor(chosen, -1, zero, one);
    values.push_back(c.squeezeDim(head, -1));
    if (left == 1)
      break;
    pivots.sign =
        c.mul(pivots.sign, c.add(c.mul(c.cast(c.eq(row, 0), type), 2), -1));
    // The first row takes the place of the chosen one.
    Value isChosen =
        c.eq(c.arangeStartStep(one, count, one, i64), c.unsqueeze(row, -1));
    Value others =
        c.where(c.unsqueeze(isChosen, -1), c.sliceTensor(a, -2, zero, one),
                c.sliceTensor(a, -2, one, count));
    Value column = c.sliceTensor(others, -1, zero, one);
    // Where the pivot is 0, so is the column.
    Value divisor = c.where(c.eq(head, 0), c.filled(head, 1), head);
    a = c.sub(
        c.sliceTensor(others, -1, one, count),
        c.mul(c.div(column, divisor), c.sliceTensor(chosen, -1, one, count)));
    if (!a)
      return {};
  }
  pivots.values = c.concat(values, -1);
  return pivots;
}

Value formula::determinant(Composite &c, Value matrix) {
  Pivots pivots = eliminate(c, matrix);
  return pivots.values ? c.mul(c.prodDimInt(pivots.values, -1), pivots.sign)
                       : Value();
}

/// The sign of the determinant, and the logarithm of its magnitude.
static Values signAndLog(Composite &c, Value matrix) {
  Pivots pivots = eliminate(c, matrix);
  if (!pivots.values)
    return {};
  return {c.mul(c.prodDimInt(c.sign(pivots.values), -1), pivots.sign),
          c.sumOver(c.log(c.abs(pivots.values)), {-1})};
}

Value decomposeCholesky(const CholeskyArgs &args, Composite &c) {
  return c.linalgCholeskyEx(args.self, args.upper, true).front();
}

Value formula::choleskySolve(Composite &c, Value b, Value factor, bool upper) {
  Value lower = upper ? c.transposeLast(factor) : factor;
  Value half = c.linalgSolveTriangular(lower, b, /*upper=*/false);
  return c.linalgSolveTriangular(c.transposeLast(lower), half, /*upper=*/true);
}

Value formula::unitLike(Composite &c, Value a) {
  return c.eye(c.sizeOf(a, -1), Composite::elementTypeOf(a));
}

/// Powers of `x` in columns.
static Value vandermonde(Composite &c, Value x, ExprAttr count,
                         bool increasing) {
  Type i64 = c.getBuilder().getI64Type();
  Value powers = c.iota(count, i64);
  if (!increasing)
    powers = c.flip(powers, {0});
  if (Composite::elementTypeOf(x).isInteger(1))
    x = c.cast(x, i64);
  return c.powTensorTensor(c.unsqueeze(x, -1), powers);
}

/// Rows that lie together by their expert, each with the expert's matrix: what
/// transformers calls where PyTorch's kernel does not serve.
Value decomposeGroupedMmFallback(GroupedMmFallbackOp op, Composite &c) {
  Value ends = c.cast(op.getOffs(), c.getBuilder().getI32Type());
  return c.groupedMm(op.getInput(), op.getWeight(), ends);
}

Values decomposeGroupedMmFallbackBackward(GroupedMmFallbackBackwardOp op,
                                          Composite &c) {
  Value ends = c.cast(op.getOffs(), c.getBuilder().getI32Type());
  Value input = op.getInput(), weight = op.getWeight(),
        grad = op.getGradOutput();
  return {c.groupedMm(grad, c.transposeLast(weight), ends),
          c.groupedMm(c.transposeLast(input), grad, ends)};
}

Value decomposeLinalgVecdot(LinalgVecdotOp op, Composite &c) {
  return c.sumDimIntList(c.mul(op.getX(), op.getY()), {int64_t(op.getDim())});
}

Value decomposeAddr(AddrOp op, Composite &c) {
  Value outer = c.outer(op.getVec1(), op.getVec2());
  if (c.known(op.getAlpha(), 1) != 1.0)
    outer = c.mul(outer, c.numberOr(op.getAlpha(), 1));
  if (c.known(op.getBeta(), 1) == 0.0) // what it was does not matter
    return outer;
  Value self = op.getSelf();
  if (c.known(op.getBeta(), 1) != 1.0)
    self = c.mul(self, c.numberOr(op.getBeta(), 1));
  return c.add(self, outer);
}

Value decomposeLinalgMatrixPower(LinalgMatrixPowerOp op, Composite &c) {
  Value x = op.getSelf();
  int64_t n = int64_t(op.getN());
  if (n == 0)
    return c.expand(c.eye(c.sizeOf(x, -1), Composite::elementTypeOf(x)),
                    Composite::dimsOf(x));
  if (n < 0)
    x = invert(c, x);
  return x ? matrixPower(c, x, std::abs(n)) : x;
}

Value decomposeNorm(const NormArgs &args, Composite &c) {
  return c.linalgVectorNorm(args.self, c.numberOr(args.p, 2.0),
                            args.dim ? IntsArg(*args.dim) : IntsArg(),
                            args.keepdim.value_or(false), args.dtype);
}

static Value getMatrix(const MatrixArgs &args) {
  return args.self ? args.self : args.A;
}

Values decomposeSlogdet(const MatrixArgs &args, Composite &c) {
  return signAndLog(c, getMatrix(args));
}

Value decomposeLinalgSolve(LinalgSolveOp op, Composite &c) {
  return linalgSolve(c, op);
}

Values decomposeLinalgSolveEx(LinalgSolveExOp op, Composite &c) {
  return Values{linalgSolve(c, op), noInfo(c, op.getA())};
}

Values decomposeLinalgDetFactors(LinalgDetFactorsOp op, Composite &c) {
  Value a = op.getA();
  return Values{determinant(c, a), factors(c, a, op->getResult(1)),
                pivots(c, a, op->getResult(2))};
}

Values decomposeLinalgSlogdetFactors(LinalgSlogdetFactorsOp op, Composite &c) {
  Value a = op.getA();
  Values both = signAndLog(c, a);
  both.resize(2);
  both.push_back(factors(c, a, op->getResult(2)));
  both.push_back(pivots(c, a, op->getResult(3)));
  return both;
}

Value decomposeLogdet(LogdetOp op, Composite &c) {
  Values both = signAndLog(c, op.getSelf());
  if (both.empty())
    return {};
  return c.where(c.lt(both[0], 0),
                 c.filled(both[1], std::numeric_limits<double>::quiet_NaN()),
                 both[1]);
}

Values decomposeLinalgSolveFactors(LinalgSolveFactorsOp op, Composite &c) {
  Value a = op.getA();
  return Values{linalgSolve(c, op), factors(c, a, op->getResult(1)),
                pivots(c, a, op->getResult(2)), noInfo(c, a)};
}

Values decomposeLinalgCheckErrors(LinalgCheckErrorsOp op, Composite &c) {
  c.check(c.eq(op.getInfo_(), 0),
          (op.getApiName() +
           ": it could not be completed; the input is singular, "
           "not positive-definite or not a number")
              .str());
  return Values();
}

Value decomposeVander(VanderOp op, Composite &c) {
  Value x = op.getX();
  ExprAttr count = op.getN() ? c.expr(*op.getN()) : c.sizeOf(x, 0);
  return vandermonde(c, x, count, op.getIncreasing());
}

Value decomposeLinalgVander(LinalgVanderOp op, Composite &c) {
  Value x = op.getX();
  ExprAttr count = op.getN() ? *op.getN() : c.sizeOf(x, -1);
  return vandermonde(c, x, count, /*increasing=*/true);
}

} // namespace kiln::aten
