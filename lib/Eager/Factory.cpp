//===- Factory.cpp - Tensors from sizes and numbers -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// "Empty" tensors are filled with zeros: a program that reads them is wrong,
// but it is wrong in the same way every time.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "MemoryFormat.h"
#include "Operators.h"

#include <algorithm>
#include <cmath>

using namespace kiln;
using namespace kiln::eager;

static Tensor filledInFormat(DType dtype, const Ints &sizes,
                             const std::optional<std::string> &format,
                             const OpValue &value) {
  Tensor result = emptyInFormat(dtype, sizes, format);
  fillWith(result, value);
  return result;
}

/// zeros, ones, empty: size, *, dtype, layout, device, pin_memory[, format].
template <int Value> static Values sized(const Args &args) {
  return {filledInFormat(args.dtypeOr(1, DType::F32), args.ints(0),
                         args.optString(5), int64_t(Value))};
}
/// The `_like` forms: self, *, dtype, layout, device, pin_memory, format.
template <int Value> static Values like(const Args &args) {
  const Tensor &x = args.tensor(0);
  return {filledInFormat(args.dtypeOr(1, x.dtype()), x.sizes(),
                         args.optString(5), int64_t(Value))};
}
/// The `new_` forms: self, size, *, dtype, ...
template <int Value> static Values fresh(const Args &args) {
  return {filled(args.dtypeOr(2, args.tensor(0).dtype()), args.ints(1),
                 int64_t(Value))};
}

static Values full(const Args &args) {
  DType dtype = args.isNone(2) ? numberDType(args[1]) : *args.optDType(2);
  return {filled(dtype, args.ints(0), args[1])};
}
static Values fullLike(const Args &args) {
  const Tensor &x = args.tensor(0);
  return {filledInFormat(args.dtypeOr(2, x.dtype()), x.sizes(),
                         args.optString(6), args[1])};
}
static Values newFull(const Args &args) {
  return {filled(args.dtypeOr(3, args.tensor(0).dtype()), args.ints(1),
                 args[2])};
}
static Values scalarTensor(const Args &args) {
  return {filled(args.dtypeOr(1, DType::F32), {}, args[0])};
}

/// A zeroed storage that just holds the given strides.
static Tensor strided(DType dtype, const Ints &sizes, const Ints &strides) {
  requireSizes(sizes);
  require(sizes.size() == strides.size(),
          {"expected as many strides as sizes, found ", strides, " for ",
           sizes});
  int64_t last = 0;
  for (size_t d = 0; d < sizes.size(); ++d) {
    int64_t reach = 0;
    require(strides[d] >= 0, {"negative stride in ", strides});
    require(!__builtin_mul_overflow(std::max<int64_t>(sizes[d] - 1, 0),
                                    strides[d], &reach) &&
                !__builtin_add_overflow(last, reach, &last),
            {"strides ", strides, " overflow"});
  }
  require(last < INT64_MAX, {"strides ", strides, " overflow"});
  Tensor storage = filled(dtype, {last + 1}, int64_t(0));
  return restrided(storage, sizes, strides);
}
static Values emptyStrided(const Args &args) {
  return {strided(args.dtypeOr(2, DType::F32), args.ints(0), args.ints(1))};
}
static Values newEmptyStrided(const Args &args) {
  return {strided(args.dtypeOr(3, args.tensor(0).dtype()), args.ints(1),
                  args.ints(2))};
}
static Values emptyPermuted(const Args &args) {
  Ints sizes = args.ints(0), order = args.ints(1), sorted = order;
  require(order.size() == sizes.size(),
          {"expected ", sizes.size(), " dimensions, found ", order});
  std::sort(sorted.begin(), sorted.end());
  for (size_t d = 0; d < sorted.size(); ++d)
    require(sorted[d] == int64_t(d), {"expected a permutation of all "
                                      "dimensions, found ",
                                      order});
  requireSizes(sizes);
  Ints strides(sizes.size());
  int64_t stride = 1;
  for (size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = stride;
    stride *= std::max<int64_t>(sizes[order[i]], 1);
  }
  return {strided(args.dtypeOr(2, DType::F32), sizes, strides)};
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

static bool isIntegral(const OpValue &value) {
  return isBoolOrInteger(numberDType(value));
}

static Tensor sequence(const OpValue &start, const OpValue &end,
                       const OpValue &step, std::optional<DType> asked) {
  bool integral = isIntegral(start) && isIntegral(end) && isIntegral(step);
  DType dtype = asked.value_or(integral ? DType::I64 : DType::F32);
  double first = toNumber(start, "start"), last = toNumber(end, "end"),
         by = toNumber(step, "step");
  require(by != 0, {"step must not be zero"});
  require(std::isfinite(first) && std::isfinite(last) && !std::isnan(by),
          {"start and end of a range must be finite"});
  require(by > 0 ? last >= first : last <= first,
          {"start and end of the range contradict the sign of its step"});
  int64_t count;
  if (integral) {
    __int128 span = __int128(toInteger(end, "end")) - toInteger(start, "start");
    int64_t stride = toInteger(step, "step");
    __int128 steps = (span + stride - (stride > 0 ? 1 : -1)) / stride;
    require(steps <= INT32_MAX * int64_t(64), {"the range is too long"});
    count = int64_t(steps);
  } else {
    double steps = std::ceil((last - first) / by);
    require(steps < 1e12, {"the range is too long"});
    count = int64_t(steps);
  }
  if (isBoolOrInteger(dtype)) {
    int64_t from = integral ? toInteger(start, "start") : int64_t(first);
    int64_t stride = integral ? toInteger(step, "step") : int64_t(by);
    std::vector<int64_t> values(count);
    for (int64_t i = 0; i < count; ++i)
      values[i] = int64_t(uint64_t(from) + uint64_t(i) * uint64_t(stride));
    return makeTensor(dtype, {count}, values);
  }
  std::vector<double> values(count);
  for (int64_t i = 0; i < count; ++i)
    values[i] = first + double(i) * by;
  return makeTensor(dtype, {count}, values);
}

static Values arange(const Args &args) {
  return {sequence(int64_t(0), args[0], int64_t(1), args.optDType(1))};
}
static Values arangeStart(const Args &args) {
  return {sequence(args[0], args[1], int64_t(1), args.optDType(2))};
}
static Values arangeStep(const Args &args) {
  return {sequence(args[0], args[1],
                   args.isNone(2) ? OpValue(int64_t(1)) : args[2],
                   args.optDType(3))};
}

/// Evenly spaced, counted from the nearer end so that both ends are exact.
static std::vector<double> spaced(double start, double end, int64_t steps) {
  require(steps >= 0, {"number of steps must not be negative, found ", steps});
  require(steps < int64_t(1) << 40, {"the range is too long"});
  std::vector<double> values(steps);
  double step = steps > 1 ? (end - start) / double(steps - 1) : 0;
  for (int64_t i = 0; i < steps; ++i)
    values[i] = i < (steps + 1) / 2 ? start + step * double(i)
                                    : end - step * double(steps - i - 1);
  return values;
}
static Values linspace(const Args &args) {
  int64_t steps = args.integer(2);
  return {makeTensor(args.dtypeOr(3, DType::F32), {steps},
                     spaced(args.number(0), args.number(1), steps))};
}
static Values logspace(const Args &args) {
  int64_t steps = args.integer(2);
  auto values = spaced(args.number(0), args.number(1), steps);
  for (double &value : values)
    value = std::pow(args.optNumber(3).value_or(10), value);
  return {makeTensor(args.dtypeOr(4, DType::F32), {steps}, values)};
}

static Tensor identity(int64_t rows, int64_t columns, DType dtype) {
  Tensor result = filled(dtype, {rows, columns}, int64_t(0));
  fillWith(restrided(result, {std::min(rows, columns)}, {columns + 1}),
           int64_t(1));
  return result;
}
static Values eye(const Args &args) {
  return {identity(args.integer(0), args.integer(0),
                   args.dtypeOr(1, DType::F32))};
}
static Values eyeRectangle(const Args &args) {
  return {identity(args.integer(0), args.integer(1),
                   args.dtypeOr(2, DType::F32))};
}

template <bool Upper> static Values triangleIndices(const Args &args) {
  int64_t rows = args.integer(0), columns = args.integer(1);
  int64_t offset = args.optInteger(2).value_or(0);
  require(rows >= 0 && columns >= 0,
          {"sizes must not be negative, found ", rows, " and ", columns});
  std::vector<int64_t> row, column;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      if (Upper ? c - r < offset : c - r > offset)
        continue;
      row.push_back(r);
      column.push_back(c);
    }
  }
  int64_t count = int64_t(row.size());
  row.insert(row.end(), column.begin(), column.end());
  return {makeTensor(args.dtypeOr(3, DType::I64), {2, count}, row)};
}

void eager::addFactoryOperators(Table &table) {
  table.op<sized<0>>("empty.memory_format");
  table.op<sized<0>>("zeros.default");
  table.op<sized<1>>("ones.default");
  table.op<like<0>>("empty_like.default");
  table.op<like<0>>("zeros_like.default");
  table.op<like<1>>("ones_like.default");
  table.op<fresh<0>>("new_empty.default");
  table.op<fresh<0>>("new_zeros.default");
  table.op<fresh<1>>("new_ones.default");
  table.op<full>("full.default");
  table.op<fullLike>("full_like.default");
  table.op<newFull>("new_full.default");
  table.op<scalarTensor>("scalar_tensor.default");
  table.op<emptyStrided>("empty_strided.default");
  table.op<newEmptyStrided>("new_empty_strided.default");
  table.op<emptyPermuted>("empty_permuted.default");
  table.op<arange>("arange.default");
  table.op<arangeStart>("arange.start");
  table.op<arangeStep>("arange.start_step");
  table.op<linspace>("linspace.default");
  table.op<logspace>("logspace.default");
  table.op<eye>("eye.default");
  table.op<eyeRectangle>("eye.m");
  table.op<triangleIndices<false>>("tril_indices.default");
  table.op<triangleIndices<true>>("triu_indices.default");
}
