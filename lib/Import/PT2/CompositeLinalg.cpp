//===- CompositeLinalg.cpp - Products, norms and systems made of others ---===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Composites.h"

#include "kiln/Dialect/Guard/IR/Guard.h"

#include <cmath>
#include <limits>

using namespace kiln;
using namespace kiln::pt2;
using guard::ExprAttr;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Sums products over the dimensions `left` of `a` and `right` of `b`.
static Value tensorDot(Composite &c, Value a, Value b, ArrayRef<int64_t> left,
                       ArrayRef<int64_t> right) {
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
    ExprAttr sizeA = c.dimOf(a, i), sizeB = c.dimOf(b, j);
    // A size of one stands for any.
    if (sizeA.isConstant(1) != sizeB.isConstant(1)) {
      if (sizeB.isConstant(1))
        a = c.sum(a, {i}, /*keepdim=*/true);
      else
        b = c.sum(b, {j}, /*keepdim=*/true);
    }
    inner.push_back(c.dimOf(a, i));
  }
  for (int64_t i = 0; i < rankA; ++i)
    if (!summedA[i]) {
      orderA.push_back(i);
      dims.push_back(c.dimOf(a, i));
    }
  ExprAttr rows = guard::product(c.getContext(), dims);
  for (int64_t i : left)
    orderA.push_back(c.place(i, rankA));
  SmallVector<ExprAttr> columnDims;
  for (int64_t j = 0; j < rankB; ++j)
    if (!summedB[j]) {
      orderB.push_back(j);
      columnDims.push_back(c.dimOf(b, j));
    }
  ExprAttr columns = guard::product(c.getContext(), columnDims);
  ExprAttr depth = guard::product(c.getContext(), inner);
  auto matrix = [&](Value x, ArrayRef<int64_t> order, ExprAttr m, ExprAttr n) {
    Value moved = c.permute(x, order);
    return moved ? c.call("aten.reshape", {moved, c.shape({m, n})}) : moved;
  };
  Value product = c.mm(matrix(a, orderA, rows, depth),
                       matrix(b, orderB, depth, columns));
  llvm::append_range(dims, columnDims);
  return c.view(product, dims);
}

static Value inner(Composite &c, Value a, Value b) {
  if (Composite::rankOf(a) == 0 || Composite::rankOf(b) == 0)
    return c.mul(a, b);
  return tensorDot(c, a, b, {-1}, {-1});
}

/// Every element of `a` times all of `b`.
static Value kronecker(Composite &c, Value a, Value b) {
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
    ExprAttr m = c.dimOf(a, k), n = c.dimOf(b, k);
    left.append({m, c.expr(1)});
    right.append({c.expr(1), n});
    dims.push_back(m * n);
  }
  auto spread = [&](Value x, ArrayRef<ExprAttr> sizes) {
    return c.call("aten.reshape", {x, c.shape(sizes)});
  };
  return c.view(c.mul(spread(a, left), spread(b, right)), dims);
}

static Value chain(Composite &c, ArrayRef<Value> matrices) {
  Value product;
  for (Value matrix : matrices)
    product = product ? c.call("aten.matmul", {product, matrix}) : matrix;
  return product;
}

/// By repeated squaring.
static Value matrixPower(Composite &c, Value x, int64_t n) {
  if (Composite::rankOf(x) < 2)
    return {};
  Value power;
  for (; n > 0; n >>= 1) {
    if (n & 1)
      power = power ? c.call("aten.matmul", {power, x}) : x;
    if (n > 1)
      x = c.call("aten.matmul", {x, x});
  }
  return power;
}

static Value identity(Composite &c, ExprAttr n, Type type) {
  return c.call("aten.eye", {n, c.type(type)});
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

static Value vectorNorm(Composite &c, Value x, aten::ArgValue order,
                        aten::ArgValue dims, bool keepdim, Type type) {
  return c.call("aten.linalg_vector_norm",
                {x, order, dims, c.boolean(keepdim),
                 type ? aten::ArgValue(c.type(type)) : aten::ArgValue()});
}

static aten::ArgValue two(Composite &c) {
  return aten::ArgValue(c.number(2.0));
}

/// The norm of matrices: by name, or the greatest or least sum of a row
/// (infinite order) or column (1).
static Value matrixNorm(Composite &c, Value x, StringRef name,
                        std::optional<double> order, ArrayRef<int64_t> dims,
                        bool keepdim, Type type) {
  if (dims.size() != 2)
    return {};
  if (name == "fro")
    return vectorNorm(c, x, two(c), aten::ArgValue(c.ints(dims)), keepdim,
                      type);
  bool isInfinite = order && std::isinf(*order);
  if (!order || (!isInfinite && std::fabs(*order) != 1))
    return c.refuse("norms of singular values are asked for, expected \"fro\" "
                    "or the order 1, -1 or infinity");
  int64_t rank = Composite::rankOf(x);
  int64_t row = c.place(dims[0], rank);
  int64_t column = c.place(dims[1], rank);
  int64_t summed = isInfinite ? column : row, left = isInfinite ? row : column;
  if (type)
    x = c.cast(x, type);
  Value sums = c.sum(c.abs(x), {summed}, /*keepdim=*/true);
  Value norm = *order > 0 ? c.amax(sums, {left}, true) : c.amin(sums, {left}, true);
  return keepdim ? norm : c.squeeze(norm, {row, column});
}

/// `linalg.norm`: of vectors unless an order and a matrix are meant.
static Value norm(Composite &c, StringRef name) {
  Value x = c.self();
  Type type = c.type("dtype");
  bool keepdim = c.flag("keepdim"), hasDim = c.has("dim");
  SmallVector<int64_t> dims = c.list("dim");
  bool hasOrder = !name.empty() || c.has("ord");
  int64_t rank = Composite::rankOf(x);
  if (!hasOrder)
    return vectorNorm(c, x, two(c), c.arg("dim"), keepdim, type);
  bool isMatrix = hasDim ? dims.size() == 2 : rank == 2;
  if (!isMatrix && name.empty())
    return vectorNorm(c, x, aten::ArgValue(c.scalar("ord")), c.arg("dim"),
                      keepdim, type);
  if (!hasDim)
    dims = {0, 1};
  return matrixNorm(c, x, name, name.empty() ? c.known("ord") : std::nullopt,
                    dims, keepdim, type);
}

/// Norms of the slices along all dimensions but one.
static Value normExceptDim(Composite &c, Value x, double power, int64_t dim) {
  SmallVector<int64_t> others;
  for (int64_t k = 0; k < Composite::rankOf(x); ++k)
    if (k != dim)
      others.push_back(k);
  return vectorNorm(c, x, aten::ArgValue(c.number(power)),
                    dim < 0 ? aten::ArgValue() : aten::ArgValue(c.ints(others)),
                    /*keepdim=*/dim >= 0, {});
}

//===----------------------------------------------------------------------===//
// Systems
//===----------------------------------------------------------------------===//

static Value solveTriangular(Composite &c, Value a, Value b, bool upper) {
  return c.call("aten.linalg_solve_triangular", {a, b, c.boolean(upper)});
}

/// A X = B by A = Q R: R X = Q^T B.
static Value solve(Composite &c, Value a, Value b) {
  auto factors = c.callMany("aten.linalg_qr", {a});
  if (factors.empty())
    return {};
  Value right = c.call("aten.matmul", {c.t(factors[0]), b});
  return right ? solveTriangular(c, factors[1], right, /*upper=*/true) : right;
}

static Value inverse(Composite &c, Value a) {
  auto factors = c.callMany("aten.linalg_qr", {a});
  return factors.empty() ? Value()
                         : solveTriangular(c, factors[1], c.t(factors[0]),
                                           /*upper=*/true);
}

static Value noInfo(Composite &c, Value a) {
  auto dims = Composite::dimsOf(a);
  if (dims.size() < 2)
    return {};
  return c.full(ArrayRef<ExprAttr>(dims).drop_back(2), 0.0,
                c.getBuilder().getI32Type());
}

static Value linalgSolve(Composite &c) {
  Value a = c.tensor("A"), b = c.tensor("B");
  int64_t rank = Composite::rankOf(a);
  if (rank < 2)
    return {};
  auto dims = Composite::dimsOf(a), right = Composite::dimsOf(b);
  bool isVector = right.size() == 1 ||
                  ArrayRef<ExprAttr>(dims).drop_back() == ArrayRef(right);
  bool left = c.flag("left");
  if (isVector)
    return left ? c.squeeze(solve(c, a, c.unsqueeze(b, -1)), -1) : Value();
  // X A = B is A^T X^T = B^T.
  return left ? solve(c, a, b) : c.t(solve(c, c.t(a), c.t(b)));
}

namespace {
/// What determinants are made of.
struct Pivots {
  Value values; ///< [batch..., n]
  Value sign;   ///< [batch...], of the order of rows
};
} // namespace

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
  if (c.dimOf(a, -2) != c.dimOf(a, -1))
    return {};
  auto dims = Composite::dimsOf(a);
  SmallVector<ExprAttr> batch(ArrayRef<ExprAttr>(dims).drop_back(2));
  Type type = Composite::elementTypeOf(a), i64 = c.getBuilder().getI64Type();
  Pivots pivots{{}, c.ones(batch, type)};
  SmallVector<Value> values;
  ExprAttr zero = c.expr(0), one = c.expr(1);
  for (int64_t left = *size; left > 0; --left) {
    ExprAttr count = c.expr(left);
    Value row = c.call("aten.argmax", {c.abs(c.select(a, -1, zero)),
                                       c.AtenBuilder::integer(-1)});
    if (!row)
      return {};
    SmallVector<ExprAttr> rowDims(batch);
    rowDims.append({one, count});
    Value at = c.expand(c.unsqueeze(c.unsqueeze(row, -1), -1), rowDims);
    Value chosen = c.gather(a, -2, at);
    Value head = c.slice(chosen, -1, zero, one);
    values.push_back(c.squeeze(head, -1));
    if (left == 1)
      break;
    pivots.sign = c.mul(pivots.sign,
                        c.add(c.mul(c.cast(c.eq(row, 0), type), 2), -1));
    // The first row takes the place of the chosen one.
    Value isChosen = c.eq(c.arange(one, count, one, i64), c.unsqueeze(row, -1));
    Value others = c.where(c.unsqueeze(isChosen, -1), c.slice(a, -2, zero, one),
                           c.slice(a, -2, one, count));
    Value column = c.slice(others, -1, zero, one);
    // Where the pivot is 0, so is the column.
    Value divisor = c.where(c.eq(head, 0), c.onesLike(head), head);
    a = c.sub(c.slice(others, -1, one, count),
              c.mul(c.div(column, divisor), c.slice(chosen, -1, one, count)));
    if (!a)
      return {};
  }
  pivots.values = c.cat(values, -1);
  return pivots;
}

static Value determinant(Composite &c) {
  Pivots pivots = eliminate(c, c.self());
  return pivots.values ? c.mul(c.prod(pivots.values, -1), pivots.sign)
                       : Value();
}

/// The sign of the determinant, and the logarithm of its magnitude.
static Values signAndLog(Composite &c) {
  Pivots pivots = eliminate(c, c.self());
  if (!pivots.values)
    return {};
  return {c.mul(c.prod(c.sign(pivots.values), -1), pivots.sign),
          c.sum(c.log(c.abs(pivots.values)), {-1})};
}

static Value cholesky(Composite &c) {
  auto both = c.callMany("aten.linalg_cholesky_ex",
                         {c.self(), c.arg("upper"), c.boolean(true)});
  return both.empty() ? Value() : both[0];
}

/// A X = B where A = L L^T, of which `factor` is one.
static Value choleskySolve(Composite &c, Value b, Value factor, bool upper) {
  Value lower = upper ? c.t(factor) : factor;
  Value half = solveTriangular(c, lower, b, /*upper=*/false);
  return half ? solveTriangular(c, c.t(lower), half, /*upper=*/true) : half;
}

/// Powers of `x` in columns.
static Value vandermonde(Composite &c, Value x, ExprAttr count,
                         bool increasing) {
  Type i64 = c.getBuilder().getI64Type();
  Value powers = c.arange(c.expr(0), count, c.expr(1), i64);
  if (!increasing)
    powers = c.call("aten.flip", {powers, c.ints({0})});
  if (Composite::elementTypeOf(x).isInteger(1))
    x = c.cast(x, i64);
  return c.call("aten.pow.Tensor_Tensor", {c.unsqueeze(x, -1), powers});
}

/// Rows that lie together by their expert, each with the expert's matrix: what
/// transformers calls where PyTorch's kernel does not serve.
static Value expertProducts(Composite &c) {
  Value ends = c.cast(c.tensor("offs"), c.getBuilder().getI32Type());
  return c.call("aten._grouped_mm",
                {c.tensor("input"), c.tensor("weight"), ends});
}

static Values expertGradients(Composite &c) {
  Value ends = c.cast(c.tensor("offs"), c.getBuilder().getI32Type());
  Value input = c.tensor("input"), weight = c.tensor("weight"),
        grad = c.tensor("grad_output");
  return {c.call("aten._grouped_mm", {grad, c.t(weight), ends}),
          c.call("aten._grouped_mm", {c.t(input), grad, ends})};
}

void pt2::addCompositeLinalg(CompositeTable &table) {
  table.add("transformers::grouped_mm_fallback(Tensor input, Tensor weight, "
            "Tensor offs) -> Tensor",
            [](Composite &c) { return Values{expertProducts(c)}; });
  table.add("transformers::grouped_mm_fallback_backward(Tensor input, Tensor "
            "weight, Tensor offs, Tensor grad_output) -> (Tensor, Tensor)",
            expertGradients);
  table.add("aten::tensordot(Tensor self, Tensor other, int[] dims_self, int[] "
            "dims_other) -> Tensor",
            [](Composite &c) {
              return Values{tensorDot(c, c.self(), c.tensor("other"),
                                      c.list("dims_self"),
                                      c.list("dims_other"))};
            });
  table.add("aten::inner(Tensor self, Tensor other) -> Tensor",
            [](Composite &c) {
              return Values{inner(c, c.self(), c.tensor("other"))};
            });
  table.add("aten::kron(Tensor self, Tensor other) -> Tensor",
            [](Composite &c) {
              return Values{kronecker(c, c.self(), c.tensor("other"))};
            });
  table.add("aten::vdot(Tensor self, Tensor other) -> Tensor",
            [](Composite &c) -> Values {
              Value x = c.self();
              if (llvm::isa<mlir::ComplexType>(Composite::elementTypeOf(x)))
                x = c.call("aten._conj", {x});
              return {c.call("aten.dot", {x, c.tensor("other")})};
            });
  table.add("aten::linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor",
            [](Composite &c) {
              return Values{c.sum(c.mul(c.tensor("x"), c.tensor("y")),
                                  {c.integer("dim")})};
            });
  table.add("aten::addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, "
            "Scalar alpha=1) -> Tensor",
            [](Composite &c) {
              Value outer =
                  c.call("aten.outer", {c.tensor("vec1"), c.tensor("vec2")});
              if (c.known("alpha") != 1.0)
                outer = c.mul(outer, c.scalar("alpha"));
              if (c.known("beta") == 0.0) // what it was does not matter
                return Values{outer};
              Value self = c.self();
              if (c.known("beta") != 1.0)
                self = c.mul(self, c.scalar("beta"));
              return Values{c.add(self, outer)};
            });
  table.add("aten::chain_matmul(Tensor[] matrices) -> Tensor",
            [](Composite &c) { return Values{chain(c, c.tensors("matrices"))}; });
  table.add("aten::linalg_multi_dot(Tensor[] tensors) -> Tensor",
            [](Composite &c) { return Values{chain(c, c.tensors("tensors"))}; });
  table.add("aten::linalg_matrix_power(Tensor self, int n) -> Tensor",
            [](Composite &c) -> Values {
              Value x = c.self();
              int64_t n = c.integer("n");
              if (n == 0)
                return {c.expand(identity(c, c.dimOf(x, -1),
                                          Composite::elementTypeOf(x)),
                                 Composite::dimsOf(x))};
              if (n < 0)
                x = inverse(c, x);
              return {x ? matrixPower(c, x, std::abs(n)) : x};
            });

  table.add("aten::frobenius_norm.dim(Tensor self, int[1] dim, bool "
            "keepdim=False) -> Tensor",
            [](Composite &c) {
              return Values{vectorNorm(c, c.self(), two(c), c.arg("dim"),
                                       c.flag("keepdim"), {})};
            });
  table.add("aten::norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, "
            "bool keepdim, *, ScalarType dtype) -> Tensor",
            [](Composite &c) {
              return Values{vectorNorm(
                  c, c.self(), c.has("p") ? c.arg("p") : two(c), c.arg("dim"),
                  c.flag("keepdim"), c.type("dtype"))};
            });
  table.add("aten::norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType "
            "dtype) -> Tensor",
            [](Composite &c) {
              return Values{vectorNorm(c, c.self(),
                                       c.has("p") ? c.arg("p") : two(c), {},
                                       false, c.type("dtype"))};
            });
  table.add("aten::linalg_norm(Tensor self, Scalar? ord=None, int[1]? dim=None, "
            "bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
            [](Composite &c) { return Values{norm(c, "")}; });
  table.add("aten::linalg_norm.ord_str(Tensor self, str ord, int[1]? dim=None, "
            "bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
            [](Composite &c) { return Values{norm(c, c.text("ord"))}; });
  table.add("aten::linalg_matrix_norm(Tensor self, Scalar ord, int[] dim=[-2, "
            "-1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
            [](Composite &c) {
              return Values{matrixNorm(c, c.self(), "", c.known("ord"),
                                       c.list("dim"), c.flag("keepdim"),
                                       c.type("dtype"))};
            });
  table.add("aten::linalg_matrix_norm.str_ord(Tensor self, str ord=\"fro\", "
            "int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None) "
            "-> Tensor",
            [](Composite &c) {
              return Values{matrixNorm(c, c.self(), c.text("ord"), {},
                                       c.list("dim"), c.flag("keepdim"),
                                       c.type("dtype"))};
            });
  table.add("aten::norm_except_dim(Tensor v, int pow=2, int dim=0) -> Tensor",
            [](Composite &c) {
              return Values{normExceptDim(c, c.self(), c.real("pow"),
                                          c.integer("dim"))};
            });
  table.add("aten::linalg_cholesky(Tensor self, *, bool upper=False) -> Tensor",
            [](Composite &c) { return Values{cholesky(c)}; });
  table.add("aten::cholesky(Tensor self, bool upper=False) -> Tensor",
            [](Composite &c) { return Values{cholesky(c)}; });
  table.add("aten::cholesky_solve(Tensor self, Tensor input2, bool upper=False) "
            "-> Tensor",
            [](Composite &c) {
              return Values{choleskySolve(c, c.self(), c.tensor("input2"),
                                          c.flag("upper"))};
            });
  table.add("aten::cholesky_inverse(Tensor self, bool upper=False) -> Tensor",
            [](Composite &c) {
              Value x = c.self();
              return Values{choleskySolve(
                  c,
                  identity(c, c.dimOf(x, -1),
                           Composite::elementTypeOf(x)),
                  x, c.flag("upper"))};
            });
  for (StringRef schema :
       {"aten::inverse(Tensor self) -> Tensor", "aten::linalg_inv(Tensor A) -> Tensor"})
    table.add(schema, [](Composite &c) { return Values{inverse(c, c.self())}; });
  table.add("aten::linalg_inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor "
            "inverse, Tensor info)",
            [](Composite &c) {
              return Values{inverse(c, c.self()), noInfo(c, c.self())};
            });
  table.add("aten::linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor",
            [](Composite &c) { return Values{linalgSolve(c)}; });
  table.add("aten::linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool "
            "check_errors=False) -> (Tensor result, Tensor info)",
            [](Composite &c) {
              return Values{linalgSolve(c), noInfo(c, c.self())};
            });
  for (StringRef schema :
       {"aten::det(Tensor self) -> Tensor", "aten::linalg_det(Tensor A) -> Tensor"})
    table.add(schema, [](Composite &c) { return Values{determinant(c)}; });
  table.add("aten::_linalg_det(Tensor A) -> (Tensor result, Tensor LU, Tensor "
            "pivots)",
            [](Composite &c) {
              return Values{determinant(c),
                            c.unread(1, "factors of a determinant"),
                            c.unread(2, "pivots of a determinant")};
            });
  for (StringRef schema :
       {"aten::slogdet(Tensor self) -> (Tensor sign, Tensor logabsdet)",
        "aten::linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet)"})
    table.add(schema, [](Composite &c) { return signAndLog(c); });
  table.add("aten::_linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet, "
            "Tensor LU, Tensor pivots)",
            [](Composite &c) {
              Values both = signAndLog(c);
              both.resize(2);
              both.push_back(c.unread(2, "factors of a determinant"));
              both.push_back(c.unread(3, "pivots of a determinant"));
              return both;
            });
  table.add("aten::logdet(Tensor self) -> Tensor", [](Composite &c) -> Values {
    Values both = signAndLog(c);
    if (both.empty())
      return {};
    return {c.where(c.lt(both[0], 0),
                    c.fullLike(both[1],
                               std::numeric_limits<double>::quiet_NaN()),
                    both[1])};
  });
  table.add("aten::_linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool "
            "check_errors=False) -> (Tensor result, Tensor LU, Tensor pivots, "
            "Tensor info)",
            [](Composite &c) {
              return Values{linalgSolve(c), c.unread(1, "factors of a system"),
                            c.unread(2, "pivots of a system"),
                            noInfo(c, c.self())};
            });
  table.add("aten::_linalg_check_errors(Tensor info, str api_name, *, bool "
            "is_matrix) -> ()",
            [](Composite &c) {
              c.check(c.eq(c.tensor("info"), 0),
                      (c.text("api_name") +
                       ": it could not be completed; the input is singular, "
                       "not positive-definite or not a number")
                          .str());
              return Values();
            });
  table.add("aten::vander(Tensor x, int? N=None, bool increasing=False) -> Tensor",
            [](Composite &c) {
              Value x = c.self();
              ExprAttr count = c.has("N") ? c.expr(c.integer("N"))
                                          : c.dimOf(x, 0);
              return Values{vandermonde(c, x, count, c.flag("increasing"))};
            });
  table.add("aten::linalg_vander(Tensor x, *, SymInt? N=None) -> Tensor",
            [](Composite &c) {
              Value x = c.self();
              ExprAttr count =
                  c.has("N") ? c.size("N") : c.dimOf(x, -1);
              return Values{vandermonde(c, x, count, /*increasing=*/true)};
            });
}
