//===- Scan.cpp - Running values, sorting, selection along a line ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators whose result along one dimension depends on the whole line: each
// reads its lines, transforms them, and writes them back.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "Formulas.h"
#include "Operators.h"
#include "Views.h"

#include <algorithm>
#include <numeric>

using namespace kiln;
using namespace kiln::eager;
using namespace kiln::eager::formula;

static int64_t lineLength(const Tensor &x, int64_t dim) {
  return x.rank() == 0 ? 1 : x.size(dim);
}

/// Calls `f(begin, length)` for every line of `values`.
template <typename V, typename F>
static void forEachLine(std::vector<V> &values, int64_t length, F f) {
  for (size_t i = 0; length > 0 && i < values.size(); i += size_t(length))
    f(values.data() + i, length);
}

//===----------------------------------------------------------------------===//
// Running values
//===----------------------------------------------------------------------===//

template <bool Product> static Values cumulative(const Args &args) {
  const Tensor &x = args.tensor(0);
  int64_t dim = wrapDim(args.integer(1), x.rank());
  DType dtype = args.dtypeOr(
      2, isBoolOrInteger(x.dtype()) ? DType::I64 : x.dtype());
  // sums of f32 accumulate in f64
  DType accumulated = dtype == DType::F32   ? DType::F64
                      : dtype == DType::C64 ? DType::C128
                                            : dtype;
  return {withNumber(accumulated, [&](auto zero) {
    using T = decltype(zero);
    auto values = readLines<T>(inDType(x, dtype), dim);
    forEachLine(values, lineLength(x, dim), [](T *line, int64_t n) {
      for (int64_t i = 1; i < n; ++i)
        line[i] = Product ? mul(line[i - 1], line[i])
                          : add(line[i - 1], line[i]);
    });
    return makeFromLines(dtype, x.sizes(), dim, values);
  })};
}

/// In place, another dtype would have to be converted back.
template <bool Product> static Values cumulativeInPlace(const Args &args) {
  DType dtype = args.tensor(0).dtype();
  require(args.dtypeOr(2, dtype) == dtype,
          {"expected dtype ", dtype, " in place"});
  return cumulative<Product>(args);
}

/// The last of equal extremes is reported; NaN stays.
template <bool Largest> static Values cumulativeExtreme(const Args &args) {
  const Tensor &x = args.tensor(0);
  int64_t dim = wrapDim(args.integer(1), x.rank());
  return withReal(x.dtype(), [&](auto zero) -> Values {
    using T = decltype(zero);
    auto values = readLines<T>(x, dim);
    std::vector<int64_t> indices(values.size(), 0);
    forEachLine(values, lineLength(x, dim), [&](T *line, int64_t n) {
      int64_t *index = indices.data() + (line - values.data());
      for (int64_t i = 1; i < n; ++i) {
        T best = line[i - 1];
        bool replaces = isNan(line[i]) ||
                        (!isNan(best) && (Largest ? line[i] >= best
                                                  : line[i] <= best));
        index[i] = replaces ? i : index[i - 1];
        line[i] = replaces ? line[i] : best;
      }
    });
    return {makeFromLines(x.dtype(), x.sizes(), dim, values),
            makeFromLines(DType::I64, x.sizes(), dim, indices)};
  });
}

static Values logcumsumexp(const Args &args) {
  const Tensor &x = args.tensor(0);
  int64_t dim = wrapDim(args.integer(1), x.rank());
  return {withFloat(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto values = readLines<T>(x, dim);
    forEachLine(values, lineLength(x, dim), [](T *line, int64_t n) {
      double running = -INFINITY;
      for (int64_t i = 0; i < n; ++i) {
        double value = line[i], low = std::min(running, value),
               high = std::max(running, value);
        if (isNan(value) || isNan(running))
          running = NAN;
        else
          running = low == high && std::isinf(low)
                        ? low
                        : high + std::log1p(std::exp(low - high));
        line[i] = T(running);
      }
    });
    return makeFromLines(x.dtype(), x.sizes(), dim, values);
  })};
}

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

/// Positions of a line in stable sorted order; NaN counts as largest.
template <typename T>
static std::vector<int64_t> sortedOrder(const T *line, int64_t n,
                                        bool descending) {
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  auto less = [](T a, T b) { return isNan(b) ? !isNan(a) : a < b; };
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    if (less(line[a], line[b]))
      return !descending;
    return less(line[b], line[a]) ? descending : a < b;
  });
  return order;
}

/// The first `keep` elements of the sorted lines, with their positions.
static Values sortLines(const Tensor &x, int64_t dim, bool descending,
                        int64_t keep) {
  dim = wrapDim(dim, x.rank());
  int64_t length = lineLength(x, dim);
  Ints sizes = x.sizes();
  if (x.rank() > 0)
    sizes[dim] = keep;
  return withReal(x.dtype(), [&](auto zero) -> Values {
    using T = decltype(zero);
    auto values = readLines<T>(x, dim);
    std::vector<T> sorted;
    std::vector<int64_t> indices;
    forEachLine(values, length, [&](T *line, int64_t n) {
      auto order = sortedOrder(line, n, descending);
      for (int64_t i = 0; i < keep; ++i) {
        sorted.push_back(line[order[i]]);
        indices.push_back(order[i]);
      }
    });
    return {makeFromLines(x.dtype(), sizes, dim, sorted),
            makeFromLines(DType::I64, sizes, dim, indices)};
  });
}

static Values sortWith(const Args &args, size_t dim, size_t descending) {
  const Tensor &x = args.tensor(0);
  int64_t d = wrapDim(args.optInteger(dim).value_or(-1), x.rank());
  return sortLines(x, d, args.flag(descending), lineLength(x, d));
}
static Values sort(const Args &args) { return sortWith(args, 1, 2); }
static Values sortStable(const Args &args) { return sortWith(args, 2, 3); }
static Values argsort(const Args &args) { return {sort(args)[1]}; }
static Values argsortStable(const Args &args) { return {sortStable(args)[1]}; }

static Values topk(const Args &args) {
  const Tensor &x = args.tensor(0);
  require(x.dtype() != DType::Bool, {"not defined for bool"});
  int64_t k = args.integer(1);
  int64_t dim = wrapDim(args.optInteger(2).value_or(-1), x.rank());
  require(k >= 0 && k <= lineLength(x, dim),
          {"cannot select ", k, " elements of ", lineLength(x, dim)});
  return sortLines(x, dim, args.isNone(3) || args.flag(3),
                   x.rank() ? k : 1);
}

/// One element of every line, chosen by `choose(line, n)`, with its position.
template <typename F>
static Values chooseFromLines(const Tensor &x, int64_t dim, bool keepdim,
                              F choose) {
  dim = wrapDim(dim, x.rank());
  int64_t length = lineLength(x, dim);
  require(length > 0, {"cannot reduce dimension ", dim, " of ", x,
                       ": it is empty"});
  Ints sizes = x.sizes();
  if (x.rank() > 0 && keepdim)
    sizes[dim] = 1;
  else if (x.rank() > 0)
    sizes.erase(sizes.begin() + dim);
  return withReal(x.dtype(), [&](auto zero) -> Values {
    using T = decltype(zero);
    auto values = readLines<T>(x, dim);
    std::vector<T> chosen;
    std::vector<int64_t> indices;
    forEachLine(values, length, [&](T *line, int64_t n) {
      int64_t index = choose(static_cast<const T *>(line), n);
      chosen.push_back(line[index]);
      indices.push_back(index);
    });
    return {makeTensor(x.dtype(), sizes, chosen),
            makeTensor(DType::I64, sizes, indices)};
  });
}

static Values kthvalue(const Args &args) {
  const Tensor &x = args.tensor(0);
  int64_t k = args.integer(1);
  int64_t dim = wrapDim(args.optInteger(2).value_or(-1), x.rank());
  require(k >= 1 && k <= lineLength(x, dim),
          {"cannot select element ", k, " of ", lineLength(x, dim)});
  return chooseFromLines(x, dim, args.flag(3), [k](auto *line, int64_t n) {
    return sortedOrder(line, n, false)[k - 1];
  });
}

/// The lower of two middle values; NaN wins.
static Values median(const Args &args) {
  return chooseFromLines(
      args.tensor(0), args.integer(1), args.flag(2),
      [](auto *line, int64_t n) {
        for (int64_t i = 0; i < n; ++i)
          if (isNan(line[i]))
            return i;
        return sortedOrder(line, n, false)[(n - 1) / 2];
      });
}

/// The most frequent value, the smallest of several; its last position.
static Values mode(const Args &args) {
  return chooseFromLines(
      args.tensor(0), args.optInteger(1).value_or(-1), args.flag(2),
      [](auto *line, int64_t n) {
        auto order = sortedOrder(line, n, false);
        int64_t best = 0, bestCount = 0;
        for (int64_t i = 0, count = 0; i < n; ++i) {
          count = i > 0 && line[order[i]] == line[order[i - 1]] ? count + 1 : 1;
          if (count > bestCount) {
            bestCount = count;
            best = order[i];
          }
        }
        return best;
      });
}

//===----------------------------------------------------------------------===//
// Searching
//===----------------------------------------------------------------------===//

static Tensor insertionPoints(const Tensor &sorted, const Tensor &values,
                              bool right, bool int32, const Tensor &sorter) {
  auto table = readAll<double>(sorted);
  auto wanted = readAll<double>(values);
  int64_t n = sorted.sizes().empty() ? 1 : sorted.sizes().back();
  bool shared = sorted.rank() == 1;
  int64_t perRow = values.rank() ? std::max<int64_t>(values.sizes().back(), 1)
                                 : 1;
  if (!shared) {
    require(values.rank() == sorted.rank() &&
                std::equal(sorted.sizes().begin(), sorted.sizes().end() - 1,
                           values.sizes().begin()),
            {"expected values of ", sorted.sizes(),
             " but for the last dimension, found ", values});
  }
  if (sorter.defined()) {
    require(sorter.sizes() == sorted.sizes(),
            {"expected a sorter of sizes ", sorted.sizes(), ", found ",
             sorter});
    auto order = readIndices(sorter);
    std::vector<double> unsortedTable = table;
    for (size_t i = 0; i < order.size(); ++i) {
      require(order[i] >= 0 && order[i] < n,
              {"sorter index ", order[i], " is out of range"});
      table[i] = unsortedTable[i / size_t(n) * size_t(n) + size_t(order[i])];
    }
  }
  std::vector<int64_t> result(wanted.size());
  auto less = [](double a, double b) { return isNan(b) ? !isNan(a) : a < b; };
  for (size_t i = 0; i < wanted.size(); ++i) {
    const double *row =
        table.data() + (shared ? 0 : int64_t(i) / perRow * n);
    const double *at = right ? std::upper_bound(row, row + n, wanted[i], less)
                             : std::lower_bound(row, row + n, wanted[i], less);
    result[i] = at - row;
  }
  return makeTensor(int32 ? DType::I32 : DType::I64, values.sizes(), result);
}

/// Schema: self, boundaries, *, out_int32, right.
static Values bucketize(const Args &args) {
  const Tensor &boundaries = args.tensor(1);
  require(boundaries.rank() == 1,
          {"expected boundaries of rank 1, found ", boundaries});
  Tensor values = args[0].isNumber() ? numberTensor(args[0]) : args.tensor(0);
  return {insertionPoints(boundaries, values, args.flag(3), args.flag(2),
                          Tensor())};
}
/// Schema: sorted_sequence, self, *, out_int32, right, side, sorter.
static Values searchsorted(const Args &args) {
  const Tensor &sorted = args.tensor(0);
  require(sorted.rank() > 0, {"expected at least one dimension"});
  auto side = args.optString(4);
  require(!side || *side == "left" || *side == "right",
          {"expected side 'left' or 'right', found '", side.value_or(""), "'"});
  require(!side || *side == "right" || !args.flag(3),
          {"side 'left' contradicts right = true"});
  Tensor values = args[1].isNumber() ? numberTensor(args[1]) : args.tensor(1);
  bool right = side ? *side == "right" : args.flag(3);
  return {insertionPoints(sorted, values, right, args.flag(2),
                          args.optTensor(5))};
}

/// Differences of neighbours, n times. Schema: self, n, dim, prepend, append.
static Values diff(const Args &args) {
  Tensor x = args.tensor(0);
  require(x.rank() > 0, {"expected at least one dimension"});
  int64_t n = args.optInteger(1).value_or(1);
  int64_t dim = wrapDim(args.optInteger(2).value_or(-1), x.rank());
  require(n >= 0, {"order must not be negative, found ", n});
  if (n == 0)
    return {x};
  std::vector<Tensor> parts;
  for (const Tensor &part : {args.optTensor(3), x, args.optTensor(4)}) {
    if (!part.defined())
      continue;
    require(part.rank() == x.rank(),
            {"expected ", x.rank(), " dimensions, found ", part});
    for (int64_t d = 0; d < x.rank(); ++d)
      require(d == dim || part.size(d) == x.size(d),
              {"expected sizes of ", x, " but for dimension ", dim, ", found ",
               part});
    parts.push_back(part);
  }
  Ints sizes = x.sizes();
  sizes[dim] = 0;
  for (const Tensor &part : parts)
    sizes[dim] += part.size(dim);
  Tensor joined = empty(x.dtype(), sizes);
  int64_t begin = 0;
  for (const Tensor &part : parts) {
    assign(narrowed(joined, dim, begin, part.size(dim)), part);
    begin += part.size(dim);
  }
  return {withNumber(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    Tensor current = joined;
    for (int64_t step = 0; step < n; ++step) {
      int64_t length = current.size(dim);
      auto values = readLines<T>(current, dim);
      std::vector<T> differences;
      forEachLine(values, length, [&](T *line, int64_t count) {
        for (int64_t i = 1; i < count; ++i)
          differences.push_back(sub(line[i], line[i - 1]));
      });
      Ints smaller = current.sizes();
      smaller[dim] = std::max<int64_t>(length - 1, 0);
      current = makeFromLines(x.dtype(), smaller, dim, differences);
    }
    return current;
  })};
}

void eager::addScanOperators(Table &table) {
  table.op<cumulative<false>>("cumsum.default");
  table.inPlace<cumulativeInPlace<false>>("cumsum_.default");
  table.op<cumulative<true>>("cumprod.default");
  table.inPlace<cumulativeInPlace<true>>("cumprod_.default");
  table.op<cumulativeExtreme<true>>("cummax.default");
  table.op<cumulativeExtreme<false>>("cummin.default");
  table.op<logcumsumexp>("logcumsumexp.default");
  table.op<sort>("sort.default");
  table.op<sortStable>("sort.stable");
  table.op<argsort>("argsort.default");
  table.op<argsortStable>("argsort.stable");
  table.op<topk>("topk.default");
  table.op<kthvalue>("kthvalue.default");
  table.op<median>("median.dim");
  table.op<mode>("mode.default");
  table.op<bucketize>("bucketize.Tensor");
  table.op<bucketize>("bucketize.Scalar");
  table.op<searchsorted>("searchsorted.Tensor");
  table.op<searchsorted>("searchsorted.Scalar");
  table.op<diff>("diff.default");
}
