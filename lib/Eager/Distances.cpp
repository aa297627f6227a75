//===- Distances.cpp - Distances and similarities of rows -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Formulas.h"
#include "Operators.h"
#include "PointwiseEngine.h"
#include "Reductions.h"
#include "TypePromotion.h"
#include "Views.h"

using namespace kiln;
using namespace kiln::eager;
using namespace kiln::eager::formula;

/// Schema: x1, x2, dim, eps.
static Values cosineSimilarity(const Args &args) {
  Promotion promotion;
  promotion.add(args.tensor(0));
  promotion.add(args.tensor(1));
  DType dtype = promotion.result();
  Ints sizes = broadcastSizes(args.tensor(0).sizes(), args.tensor(1).sizes());
  Tensor a = expandTo(args.tensor(0), sizes),
         b = expandTo(args.tensor(1), sizes);
  int64_t dim = wrapDim(args.optInteger(2).value_or(1), int64_t(sizes.size()));
  double eps = args.optNumber(3).value_or(1e-8);
  return {withFloat(dtype, [&](auto zero) {
    using T = decltype(zero);
    auto x = readLines<T>(a, dim), y = readLines<T>(b, dim);
    int64_t length = sizes.empty() ? 1 : sizes[dim];
    Ints resultSizes = sizes;
    if (!sizes.empty())
      resultSizes.erase(resultSizes.begin() + dim);
    std::vector<T> result(size_t(product(resultSizes)));
    for (size_t i = 0; i < result.size(); ++i) {
      double dot = 0, xx = 0, yy = 0;
      for (size_t j = i * size_t(length); j < (i + 1) * size_t(length); ++j) {
        dot += double(x[j]) * y[j];
        xx += double(x[j]) * x[j];
        yy += double(y[j]) * y[j];
      }
      result[i] = T(dot / (std::max(std::sqrt(xx), eps) *
                           std::max(std::sqrt(yy), eps)));
    }
    return makeTensor(dtype, resultSizes, result);
  })};
}

/// The p-norm of a difference of `n` elements.
template <typename T>
static T distance(const T *a, const T *b, int64_t n, double p, double eps = 0) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    double d = std::fabs(double(a[i]) - double(b[i]) + eps);
    if (std::isinf(p))
      sum = formula::maximum(sum, d);
    else
      sum += p == 0 ? double(d != 0) : p == 1 ? d : std::pow(d, p);
  }
  return T(std::isinf(p) || p == 0 || p == 1 ? sum
           : p == 2                          ? std::sqrt(sum)
                                             : std::pow(sum, 1 / p));
}

/// The derivative of that distance in the difference `d`.
static double distanceSlope(double d, double dist, double p) {
  if (dist == 0 || p == 0 || d == 0)
    return 0;
  if (p == 1)
    return d > 0 ? 1 : -1;
  if (std::isinf(p))
    return std::fabs(d) == dist ? (d > 0 ? 1 : -1) : 0;
  return std::copysign(std::pow(std::fabs(d) / dist, p - 1), d);
}

/// Schema: x1, x2, p, eps, keepdim.
static Values pairwiseDistance(const Args &args) {
  Promotion promotion;
  promotion.add(args.tensor(0));
  promotion.add(args.tensor(1));
  DType common = promotion.result(), dtype = common;
  if (isBoolOrInteger(dtype)) // eps makes them floats
    dtype = DType::F32;
  Ints sizes = broadcastSizes(args.tensor(0).sizes(), args.tensor(1).sizes());
  require(!sizes.empty(), {"expected at least one dimension"});
  Tensor a = expandTo(args.tensor(0), sizes),
         b = expandTo(args.tensor(1), sizes);
  if (isBoolOrInteger(common)) {
    require(common != DType::Bool,
            {"expected numbers, found two tensors of bool"});
    // Their difference wraps before it becomes a float.
    auto x = readAll<int64_t>(a), y = readAll<int64_t>(b);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<int64_t>(uint64_t(x[i]) - uint64_t(y[i]));
    a = makeTensor(common, sizes, x);
    b = expandTo(makeTensor(common, {}, std::vector<int64_t>{0}), sizes);
  }
  int64_t length = sizes.back();
  sizes.pop_back();
  if (args.flag(4))
    sizes.push_back(1);
  return {withFloat(dtype, [&](auto zero) {
    using T = decltype(zero);
    auto x = readAll<T>(a), y = readAll<T>(b);
    std::vector<T> result(size_t(product(sizes)));
    for (size_t i = 0; i < result.size(); ++i)
      result[i] = distance(x.data() + int64_t(i) * length,
                           y.data() + int64_t(i) * length, length,
                           args.optNumber(2).value_or(2),
                           args.optNumber(3).value_or(1e-6));
    return makeTensor(dtype, sizes, result);
  })};
}

namespace {
/// Row sets [batch, p, m] and [batch, r, m].
struct RowSets {
  Tensor a, b;
  Ints batch;
  int64_t count, p, r, m;
};
} // namespace

static RowSets rowSets(const Tensor &x, const Tensor &y) {
  requireSameDType(x, y);
  requireFloat(x);
  require(x.rank() >= 2 && y.rank() >= 2 &&
              x.sizes().back() == y.sizes().back(),
          {"expected matrices of one width, found ", x, " and ", y});
  RowSets sets;
  sets.batch = broadcastSizes(Ints(x.sizes().begin(), x.sizes().end() - 2),
                              Ints(y.sizes().begin(), y.sizes().end() - 2));
  sets.count = product(sets.batch);
  sets.p = x.size(x.rank() - 2);
  sets.r = y.size(y.rank() - 2);
  sets.m = x.sizes().back();
  auto whole = [&](const Tensor &t, int64_t rows) {
    Ints sizes = sets.batch;
    sizes.insert(sizes.end(), {rows, sets.m});
    return expandTo(t, sizes);
  };
  sets.a = whole(x, sets.p);
  sets.b = whole(y, sets.r);
  return sets;
}

static void requireNorm(double p) {
  require(p >= 0, {"expected a norm that is not negative"});
}

/// Schema: x1, x2, p, compute_mode.
static Values cdist(const Args &args) {
  RowSets sets = rowSets(args.tensor(0), args.tensor(1));
  double p = args.number(2);
  requireNorm(p);
  Ints sizes = sets.batch;
  sizes.insert(sizes.end(), {sets.p, sets.r});
  return {withFloat(sets.a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto x = readAll<T>(sets.a), y = readAll<T>(sets.b);
    std::vector<T> result;
    for (int64_t i = 0; i < sets.count * sets.p; ++i)
      for (int64_t j = 0; j < sets.r; ++j)
        result.push_back(
            distance(x.data() + i * sets.m,
                     y.data() + (i / sets.p * sets.r + j) * sets.m, sets.m, p));
    return makeTensor(sets.a.dtype(), sizes, result);
  })};
}
/// Schema: grad_output, x1, x2, p, cdist. The gradient of x1.
static Values cdistBackward(const Args &args) {
  RowSets sets = rowSets(args.tensor(1), args.tensor(2));
  double p = args.number(3);
  int64_t expected = sets.count * sets.p * sets.r;
  require(args.tensor(0).numel() == expected &&
              args.tensor(4).numel() == expected,
          {"expected a gradient and distances of ", expected, " elements"});
  if (expected == 0)
    return {filled(sets.a.dtype(), args.tensor(1).sizes(), int64_t(0))};
  return {withFloat(sets.a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto g = readAll<T>(args.tensor(0)), dist = readAll<T>(args.tensor(4));
    auto x = readAll<T>(sets.a), y = readAll<T>(sets.b);
    std::vector<T> result(x.size(), T(0));
    for (int64_t i = 0; i < sets.count * sets.p; ++i)
      for (int64_t j = 0; j < sets.r; ++j)
        for (int64_t m = 0; m < sets.m; ++m) {
          T d = x[i * sets.m + m] - y[(i / sets.p * sets.r + j) * sets.m + m];
          result[i * sets.m + m] +=
              T(g[i * sets.r + j] * distanceSlope(d, dist[i * sets.r + j], p));
        }
    return makeTensor(sets.a.dtype(), sets.a.sizes(), result);
  })};
}

static void requireMatrix(const Tensor &x) {
  requireFloat(x);
  require(x.rank() == 2, {"expected a matrix, found ", x});
}

/// Distances of all pairs of rows. Schema: self, p.
static Values pdist(const Args &args) {
  const Tensor &x = args.tensor(0);
  double p = args.optNumber(1).value_or(2);
  requireMatrix(x);
  requireNorm(p);
  return {withFloat(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto rows = readAll<T>(x);
    int64_t m = x.size(1);
    std::vector<T> result;
    for (int64_t i = 0; i < x.size(0); ++i)
      for (int64_t j = i + 1; j < x.size(0); ++j)
        result.push_back(
            distance(rows.data() + i * m, rows.data() + j * m, m, p));
    return makeTensor(x.dtype(), {int64_t(result.size())}, result);
  })};
}
/// Schema: grad_output, self, p, pdist.
static Values pdistBackward(const Args &args) {
  const Tensor &x = args.tensor(1);
  double p = args.number(2);
  requireMatrix(x);
  int64_t pairs = x.size(0) * (x.size(0) - 1) / 2;
  require(args.tensor(0).numel() == pairs && args.tensor(3).numel() == pairs,
          {"expected a gradient and distances of ", pairs, " elements"});
  return {withFloat(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto rows = readAll<T>(x), g = readAll<T>(args.tensor(0)),
         dist = readAll<T>(args.tensor(3));
    std::vector<T> result(rows.size(), T(0));
    int64_t m = x.size(1), pair = 0;
    for (int64_t i = 0; i < x.size(0); ++i)
      for (int64_t j = i + 1; j < x.size(0); ++j, ++pair)
        for (int64_t c = 0; c < m; ++c) {
          T d = rows[i * m + c] - rows[j * m + c];
          T slope = T(g[pair] * distanceSlope(d, dist[pair], p));
          result[i * m + c] += slope;
          result[j * m + c] -= slope;
        }
    return makeTensor(x.dtype(), x.sizes(), result);
  })};
}

void eager::addDistanceOperators(Table &table) {
  table.op<cosineSimilarity>("cosine_similarity.default");
  table.op<pairwiseDistance>("pairwise_distance.default");
  table.op<cdist>("_cdist_forward.default");
  table.op<cdistBackward>("_cdist_backward.default");
  table.op<pdist>("_pdist_forward.default");
  table.op<pdistBackward>("_pdist_backward.default");
}
