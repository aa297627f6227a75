//===- LinearAlgebra.cpp - Factorizations, triangular solves, FFT ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All compute in double precision and round once.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "Operators.h"
#include "Views.h"

#include <cmath>

using namespace kiln;
using namespace kiln::eager;

static void requireMatrices(const Tensor &x) {
  require(x.rank() >= 2, {"expected at least 2 dimensions, found ", x});
  if (x.numel() == 0 && isFloat(x.dtype())) // nothing to compute
    return;
  require(x.dtype() == DType::F32 || x.dtype() == DType::F64 ||
              x.dtype() == DType::C64 || x.dtype() == DType::C128,
          {"expected f32, f64 or complex, found ", x});
}
static void requireSquare(const Tensor &x) {
  requireMatrices(x);
  require(x.size(x.rank() - 1) == x.size(x.rank() - 2),
          {"expected square matrices, found ", x});
}
static Ints batchSizes(const Tensor &x) {
  return Ints(x.sizes().begin(), x.sizes().end() - 2);
}
static Ints matrixSizes(Ints batch, int64_t rows, int64_t columns) {
  batch.insert(batch.end(), {rows, columns});
  return batch;
}

/// {factor, info}; info is the order of the first minor that is not positive.
/// From there on the factor holds what LAPACK leaves: the pivot, then the
/// matrix itself.
static Values cholesky(const Args &args) {
  const Tensor &x = args.tensor(0);
  requireSquare(x);
  bool upper = args.flag(1), checks = args.flag(2);
  int64_t n = x.sizes().back(), batch = product(batchSizes(x));
  // the upper factor is the conjugate transpose of the lower one
  auto a = readAll<CDouble>(x);
  std::vector<CDouble> result(a.size(), 0);
  std::vector<int64_t> info(size_t(batch), 0);
  for (int64_t b = 0; b < batch; ++b) {
    auto in = [&](int64_t i, int64_t j) {
      return upper ? std::conj(a[(b * n + j) * n + i]) : a[(b * n + i) * n + j];
    };
    std::vector<CDouble> l(size_t(n * n), 0);
    for (int64_t j = 0; j < n && info[b] == 0; ++j) {
      double pivot = in(j, j).real();
      for (int64_t k = 0; k < j; ++k)
        pivot -= std::norm(l[j * n + k]);
      if (!(pivot > 0)) {
        info[b] = j + 1;
        l[j * n + j] = pivot;
        for (int64_t i = j + 1; i < n; ++i)
          for (int64_t k = j; k <= i; ++k)
            l[i * n + k] = in(i, k);
        break;
      }
      l[j * n + j] = std::sqrt(pivot);
      for (int64_t i = j + 1; i < n; ++i) {
        CDouble sum = in(i, j);
        for (int64_t k = 0; k < j; ++k)
          sum -= l[i * n + k] * std::conj(l[j * n + k]);
        l[i * n + j] = sum / l[j * n + j];
      }
    }
    require(!checks || info[b] == 0,
            {"the leading minor of order ", info[b], " is not positive"});
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        result[(b * n + i) * n + j] =
            upper ? std::conj(l[j * n + i]) : l[i * n + j];
  }
  return {makeTensor(x.dtype(), x.sizes(), result),
          makeTensor(DType::I32, batchSizes(x), info)};
}

/// Householder reflections with LAPACK's signs. Schema: A, mode.
static Values qr(const Args &args) {
  const Tensor &x = args.tensor(0);
  requireMatrices(x);
  std::string mode = args.optString(1).value_or("reduced");
  require(mode == "reduced" || mode == "complete" || mode == "r",
          {"unknown mode '", mode, "', expected reduced, complete or r"});
  int64_t m = x.size(x.rank() - 2), n = x.sizes().back(), k = std::min(m, n);
  int64_t qColumns = mode == "complete" ? m : k;
  int64_t rRows = mode == "complete" ? m : k, batch = product(batchSizes(x));
  auto a = readAll<CDouble>(x);
  std::vector<CDouble> qs, rs;
  for (int64_t b = 0; b < batch; ++b) {
    CDouble *r = a.data() + b * m * n;
    std::vector<CDouble> q(size_t(m * m), 0);
    for (int64_t i = 0; i < m; ++i)
      q[i * m + i] = 1;
    for (int64_t j = 0; j < k; ++j) {
      double tail = 0;
      for (int64_t i = j + 1; i < m; ++i)
        tail += std::norm(r[i * n + j]);
      CDouble alpha = r[j * n + j];
      if (tail == 0 && alpha.imag() == 0)
        continue;
      double norm = std::sqrt(std::norm(alpha) + tail);
      double beta = alpha.real() >= 0 ? -norm : norm;
      CDouble tau((beta - alpha.real()) / beta, -alpha.imag() / beta);
      std::vector<CDouble> v(size_t(m), 0);
      v[j] = 1;
      for (int64_t i = j + 1; i < m; ++i)
        v[i] = r[i * n + j] / (alpha - beta);
      for (int64_t c = j; c < n; ++c) { // R = H^H R
        CDouble dot = 0;
        for (int64_t i = j; i < m; ++i)
          dot += std::conj(v[i]) * r[i * n + c];
        for (int64_t i = j; i < m; ++i)
          r[i * n + c] -= std::conj(tau) * v[i] * dot;
      }
      for (int64_t i = 0; i < m; ++i) { // Q = Q H
        CDouble dot = 0;
        for (int64_t c = j; c < m; ++c)
          dot += q[i * m + c] * v[c];
        for (int64_t c = j; c < m; ++c)
          q[i * m + c] -= tau * dot * std::conj(v[c]);
      }
    }
    for (int64_t i = 0; i < m; ++i)
      qs.insert(qs.end(), q.begin() + i * m, q.begin() + i * m + qColumns);
    for (int64_t i = 0; i < rRows; ++i)
      for (int64_t c = 0; c < n; ++c)
        rs.push_back(i <= c ? r[i * n + c] : CDouble(0));
  }
  Ints lead = batchSizes(x);
  Tensor rTensor = makeTensor(x.dtype(), matrixSizes(lead, rRows, n), rs);
  if (mode == "r")
    return {empty(x.dtype(), {0}), rTensor};
  return {makeTensor(x.dtype(), matrixSizes(lead, m, qColumns), qs), rTensor};
}

/// Solves op(A) X = B for triangular A, batches broadcast.
static Tensor solveTriangular(Tensor a, Tensor b, bool upper, bool unit) {
  requireSameDType(a, b);
  requireSquare(a);
  requireMatrices(b);
  Ints batch = broadcastSizes(batchSizes(a), batchSizes(b));
  int64_t n = a.sizes().back(), columns = b.sizes().back();
  require(b.size(b.rank() - 2) == n, {"cannot solve ", a, " for ", b});
  auto m = readAll<CDouble>(expandTo(a, matrixSizes(batch, n, n)));
  auto x = readAll<CDouble>(expandTo(b, matrixSizes(batch, n, columns)));
  for (int64_t k = 0; k < product(batch); ++k)
    for (int64_t step = 0; step < n; ++step) {
      int64_t i = upper ? n - 1 - step : step;
      for (int64_t c = 0; c < columns; ++c) {
        CDouble &value = x[(k * n + i) * columns + c];
        for (int64_t j = upper ? i + 1 : 0; j < (upper ? n : i); ++j)
          value -= m[(k * n + i) * n + j] * x[(k * n + j) * columns + c];
        if (!unit)
          value /= m[(k * n + i) * n + i];
      }
    }
  return makeTensor(b.dtype(), matrixSizes(batch, n, columns), x);
}

/// Schema: self, B, *, upper, left, unitriangular.
static Values linalgSolveTriangular(const Args &args) {
  Tensor a = args.tensor(0), b = args.tensor(1);
  bool upper = args.flag(2), left = args.isNone(3) || args.flag(3);
  requireSquare(a);
  requireMatrices(b);
  if (left)
    return {solveTriangular(a, b, upper, args.flag(4))};
  // X A = B is A^T X^T = B^T
  Tensor result = solveTriangular(transposed(a, -1, -2), transposed(b, -1, -2),
                                  !upper, args.flag(4));
  return {take(transposed(result, -1, -2).contiguous())};
}
/// {solution, A}. Schema: self, A, upper, transpose, unitriangular.
static Values triangularSolve(const Args &args) {
  Tensor a = args.tensor(1);
  requireSquare(a);
  requireMatrices(args.tensor(0));
  Ints batch = broadcastSizes(batchSizes(a), batchSizes(args.tensor(0)));
  bool upper = args.isNone(2) || args.flag(2), flips = args.flag(3);
  Tensor clone = take(
      expandTo(a, matrixSizes(batch, a.sizes().back(), a.sizes().back()))
          .clone());
  Tensor solution =
      solveTriangular(flips ? transposed(a, -1, -2) : a, args.tensor(0),
                      upper != flips, args.flag(4));
  return {solution, clone};
}

/// Vectors of three along `dim`; by default the first dimension of `a` of size
/// 3.
static Values crossAlong(const Tensor &a, const Tensor &b,
                         std::optional<int64_t> dim) {
  require(a.rank() == b.rank(),
          {"expected operands of one rank, found ", a, " and ", b});
  requireSameDType(a, b);
  Ints sizes = broadcastSizes(a.sizes(), b.sizes());
  int64_t d = dim ? wrapDim(*dim, a.rank()) : 0;
  while (!dim && d < a.rank() && a.size(d) != 3)
    ++d;
  require(d < int64_t(sizes.size()) && a.size(d) == 3 && b.size(d) == 3,
          {"expected a dimension of size 3, found ", a, " and ", b});
  require(a.dtype() != DType::Bool, {"not defined for bool"});
  return {withNumber(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto x = readLines<T>(expandTo(a, sizes), d);
    auto y = readLines<T>(expandTo(b, sizes), d);
    std::vector<T> result(x.size());
    for (size_t i = 0; i < x.size(); i += 3)
      for (size_t k = 0; k < 3; ++k)
        result[i + k] = x[i + (k + 1) % 3] * y[i + (k + 2) % 3] -
                        x[i + (k + 2) % 3] * y[i + (k + 1) % 3];
    return makeFromLines(a.dtype(), sizes, d, result);
  })};
}
static Values linalgCross(const Args &args) {
  return crossAlong(args.tensor(0), args.tensor(1),
                    args.optInteger(2).value_or(-1));
}
static Values cross(const Args &args) {
  return crossAlong(args.tensor(0), args.tensor(1), args.optInteger(2));
}

/// Slices whose norm exceeds the bound are scaled to it. Schema: self, p, dim,
/// maxnorm.
static Values renorm(const Args &args) {
  const Tensor &x = args.tensor(0);
  double p = args.number(1), bound = args.number(3);
  require(x.rank() >= 2, {"expected at least 2 dimensions, found ", x});
  require(p > 0 && bound >= 0, {"expected a positive norm and a bound"});
  requireFloat(x);
  int64_t dim = wrapDim(args.integer(2), x.rank());
  return {withFloat(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto values = readLines<T>(x, dim);
    int64_t length = x.size(dim);
    std::vector<double> norms(size_t(length), 0);
    for (size_t i = 0; i < values.size(); ++i) {
      double &norm = norms[i % size_t(length)], a = std::fabs(values[i]);
      norm = std::isinf(p) ? std::max(norm, a) : norm + std::pow(a, p);
    }
    for (double &norm : norms) {
      norm = std::isinf(p) ? norm : std::pow(norm, 1 / p);
      norm = norm > bound ? bound / (norm + 1e-7) : 1;
    }
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = T(values[i] * norms[i % size_t(length)]);
    return makeFromLines(x.dtype(), x.sizes(), dim, values);
  })};
}

void eager::addLinearAlgebraOperators(Table &table) {
  table.op<cholesky>("linalg_cholesky_ex.default");
  table.op<qr>("linalg_qr.default");
  table.op<linalgSolveTriangular>("linalg_solve_triangular.default");
  table.op<triangularSolve>("triangular_solve.default");
  table.op<linalgCross>("linalg_cross.default");
  table.op<cross>("cross.default");
  table.both<renorm>("renorm", "default");
}
