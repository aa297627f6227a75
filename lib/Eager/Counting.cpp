//===- Counting.cpp - Unique values and histograms ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "Positions.h"
#include "Views.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

using namespace kiln;
using namespace kiln::eager;

/// Groups equal rows of `x` along `dim`. Rows are sorted first unless only
/// consecutive ones are merged.
static Values uniqueRows(const Tensor &x, int64_t dim, bool consecutive) {
  int64_t n = x.size(dim);
  Ints order(x.rank());
  std::iota(order.begin(), order.end(), 0);
  order.erase(order.begin() + dim);
  order.insert(order.begin(), dim);
  Tensor rows = permuted(x, order);
  int64_t width = n ? x.numel() / n : 0;
  std::vector<int64_t> inverse(n), counts, kept;
  withReal(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto values = readAll<T>(rows);
    auto row = [&](int64_t i) { return values.begin() + i * width; };
    std::vector<int64_t> sorted(n);
    std::iota(sorted.begin(), sorted.end(), 0);
    auto less = [](T a, T b) { return b != b ? a == a : a < b; };
    if (!consecutive)
      std::sort(sorted.begin(), sorted.end(), [&](int64_t a, int64_t b) {
        if (std::lexicographical_compare(row(a), row(a) + width, row(b),
                                         row(b) + width, less))
          return true;
        return a < b && std::equal(row(a), row(a) + width, row(b));
      });
    for (int64_t i = 0; i < n; ++i) {
      int64_t at = sorted[i];
      if (i == 0 || !std::equal(row(at), row(at) + width, row(kept.back()))) {
        kept.push_back(at);
        counts.push_back(0);
      }
      inverse[at] = int64_t(kept.size()) - 1;
      ++counts.back();
    }
  });
  Tensor index = makeTensor(DType::I64, {int64_t(kept.size())}, kept);
  Positions slices = slicesAlong(x, dim, index);
  return {gatherElements(x, slices.sizes, slices.elements),
          makeTensor(DType::I64, {n}, inverse),
          makeTensor(DType::I64, {int64_t(counts.size())}, counts)};
}

/// {values, inverse, counts} of the flattened tensor; what was not asked for
/// is empty.
static Values uniqueFlat(const Tensor &x, bool consecutive, bool wantsInverse,
                         bool wantsCounts) {
  Values results =
      uniqueRows(reshaped(x, {x.numel()}), 0, consecutive);
  results[1] = wantsInverse
                   ? reshaped(std::get<Tensor>(results[1].value), x.sizes())
                   : empty(DType::I64, {0});
  if (!wantsCounts)
    results[2] = empty(DType::I64, {0});
  return results;
}
static Values unique2(const Args &args) {
  return uniqueFlat(args.tensor(0), false, args.flag(2), args.flag(3));
}
static Values uniqueConsecutive(const Args &args) {
  const Tensor &x = args.tensor(0);
  // like PyTorch, which takes the general path only where dim matters
  if (args.isNone(3) || (x.rank() == 1 && args.integer(3) == 0))
    return uniqueFlat(x, true, args.flag(1), args.flag(2));
  require(x.rank() > 0, {"expected at least one dimension"});
  return uniqueRows(x, wrapDim(args.integer(3), x.rank()), true);
}
static Values uniqueDim(const Args &args) {
  const Tensor &x = args.tensor(0);
  require(x.rank() > 0, {"expected at least one dimension"});
  return uniqueRows(x, wrapDim(args.integer(1), x.rank()), false);
}

static Values bincount(const Args &args) {
  const Tensor &x = args.tensor(0);
  require(isInteger(x.dtype()) && x.rank() == 1,
          {"expected an integer vector, found ", x});
  Tensor weights = args.optTensor(1);
  int64_t bins = args.optInteger(2).value_or(0);
  require(bins >= 0, {"minlength must not be negative, found ", bins});
  auto values = readAll<int64_t>(x);
  for (int64_t value : values) {
    require(value >= 0 && value < int64_t(1) << 40,
            {"expected values that are not negative, found ", value});
    bins = std::max(bins, value + 1);
  }
  bool weighted = weights.defined() && weights.numel() > 0;
  require(!weighted || weights.sizes() == x.sizes(),
          {"expected one weight per element of ", x});
  if (!weighted) {
    std::vector<int64_t> counts(bins);
    for (int64_t value : values)
      ++counts[value];
    return {makeTensor(DType::I64, {bins}, counts)};
  }
  auto weight = readAll<double>(weights);
  std::vector<double> sums(bins);
  for (size_t i = 0; i < values.size(); ++i)
    sums[values[i]] += weight[i];
  DType dtype = weights.dtype() == DType::F32 ? DType::F32 : DType::F64;
  return {makeTensor(dtype, {bins}, sums)};
}

/// Of integers, as PyTorch has it on a GPU: ends and places of bins are integers, too.
static Values countIntegers(const Tensor &x, int64_t bins, int64_t low,
                            int64_t high) {
  auto values = readAll<int64_t>(x);
  if (low == high && !values.empty()) {
    low = *std::min_element(values.begin(), values.end());
    high = *std::max_element(values.begin(), values.end());
  }
  if (low == high) {
    --low;
    ++high;
  }
  require(low < high && high - low < int64_t(1) << 40,
          {"expected a range from low to high, found ", low, " to ", high});
  std::vector<int64_t> counts(bins);
  for (int64_t value : values)
    if (value >= low && value <= high)
      ++counts[std::min(int64_t(__int128(value - low) * bins / (high - low)),
                        bins - 1)];
  return {makeTensor(x.dtype(), {bins}, counts)};
}

static Values histc(const Args &args) {
  const Tensor &x = args.tensor(0);
  int64_t bins = args.optInteger(1).value_or(100);
  require(bins > 0 && bins < int64_t(1) << 40,
          {"expected a positive number of bins, found ", bins});
  if (isInteger(x.dtype()))
    return countIntegers(x, bins, int64_t(args.optNumber(2).value_or(0)),
                         int64_t(args.optNumber(3).value_or(0)));
  requireFloat(x);
  double low = args.optNumber(2).value_or(0),
         high = args.optNumber(3).value_or(0);
  auto values = readAll<double>(x);
  if (low == high && !values.empty()) {
    low = *std::min_element(values.begin(), values.end());
    high = *std::max_element(values.begin(), values.end());
  }
  if (low == high) {
    low -= 1;
    high += 1;
  }
  require(std::isfinite(low) && std::isfinite(high) && low < high,
          {"expected a finite range from low to high"});
  std::vector<double> counts(bins);
  // the edges between bins are numbers of the tensor's type
  std::vector<double> edges(bins + 1);
  for (int64_t i = 0; i <= bins; ++i)
    edges[i] =
        roundTo(x.dtype(), low + (high - low) * double(i) / double(bins));
  for (double value : values) {
    if (!(value >= low && value <= high))
      continue;
    int64_t bin =
        std::upper_bound(edges.begin(), edges.end(), value) - edges.begin() - 1;
    ++counts[std::min(std::max<int64_t>(bin, 0), bins - 1)];
  }
  return {makeTensor(x.dtype(), {bins}, counts)};
}

static Values oneHot(const Args &args) {
  const Tensor &x = args.tensor(0);
  require(x.dtype() == DType::I64, {"expected i64 classes, found ", x});
  auto classes = readAll<int64_t>(x);
  int64_t count = args.optInteger(1).value_or(-1), highest = -1;
  for (int64_t value : classes) {
    require(value >= 0, {"expected classes that are not negative, found ",
                         value});
    highest = std::max(highest, value);
  }
  require(count == -1 || count > 0 || (count == 0 && classes.empty()),
          {"expected a positive number of classes, found ", count});
  require(count != -1 || !classes.empty(),
          {"cannot infer the number of classes of an empty tensor"});
  if (count == -1)
    count = highest + 1;
  require(highest < count,
          {"class ", highest, " is out of range for ", count, " classes"});
  Ints sizes = x.sizes();
  sizes.push_back(count);
  std::vector<int64_t> values(size_t(product(sizes)));
  for (size_t i = 0; i < classes.size(); ++i)
    values[int64_t(i) * count + classes[i]] = 1;
  return {makeTensor(DType::I64, sizes, values)};
}

void eager::addCountingOperators(Table &table) {
  table.op<unique2>("_unique2.default");
  table.op<uniqueConsecutive>("unique_consecutive.default");
  table.op<uniqueDim>("unique_dim.default");
  table.op<bincount>("bincount.default");
  table.op<histc>("histc.default");
  table.op<oneHot>("one_hot.default");
}
