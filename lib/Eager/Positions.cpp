//===- Positions.cpp ------------------------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Positions.h"
#include "Formulas.h"

#include <cstring>

using namespace kiln;
using namespace kiln::eager;

static int64_t checkedIndex(int64_t index, int64_t size, int64_t dim,
                            bool allowsNegative) {
  require(index < size && index >= (allowsNegative ? -size : 0),
          {"index ", index, " is out of range for dimension ", dim,
           " of size ", size});
  return index < 0 ? index + size : index;
}

std::vector<int64_t> eager::nonzeroPositions(const Tensor &mask) {
  std::vector<int64_t> result;
  withNumber(mask.dtype(), [&](auto zero) {
    auto values = readAll<decltype(zero)>(mask);
    for (size_t i = 0; i < values.size(); ++i)
      if (values[i] != zero)
        result.push_back(int64_t(i));
  });
  return result;
}

/// Replaces a mask by one vector of indices per dimension it covers.
static std::vector<Tensor> withoutMasks(const Tensor &x,
                                        const std::vector<Tensor> &indices) {
  std::vector<Tensor> result;
  for (const Tensor &index : indices) {
    if (!index.defined() ||
        (index.dtype() != DType::Bool && index.dtype() != DType::U8)) {
      result.push_back(index);
      continue;
    }
    size_t first = result.size();
    for (int64_t d = 0; d < index.rank(); ++d)
      require(int64_t(first) + d < x.rank() &&
                  x.size(int64_t(first) + d) == index.size(d),
              {"mask ", index, " does not fit ", x, " at dimension ", first});
    auto positions = nonzeroPositions(index);
    if (index.rank() == 0) // a 0-d mask selects the whole or nothing
      refuse({"a mask of rank 0 is not supported, expected at least rank 1"});
    Ints strides = runtime::rowMajorStrides(index.sizes());
    for (int64_t d = 0; d < index.rank(); ++d) {
      std::vector<int64_t> values;
      for (int64_t position : positions)
        values.push_back(position / strides[d] % index.size(d));
      result.push_back(
          makeTensor(DType::I64, {int64_t(values.size())}, values));
    }
  }
  return result;
}

Positions eager::advancedIndex(const Tensor &x, std::vector<Tensor> indices) {
  indices = withoutMasks(x, indices);
  require(int64_t(indices.size()) <= x.rank(),
          {"too many indices for ", x, ", found ", indices.size()});
  indices.resize(x.rank());
  Ints indexSizes, strides = runtime::rowMajorStrides(x.sizes());
  int64_t firstIndexed = -1, lastIndexed = -1, numIndexed = 0;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (!indices[d].defined())
      continue;
    firstIndexed = firstIndexed < 0 ? d : firstIndexed;
    lastIndexed = d;
    ++numIndexed;
    indexSizes = broadcastSizes(indexSizes, indices[d].sizes());
  }
  require(numIndexed > 0, {"expected at least one index tensor"});
  bool adjacent = lastIndexed - firstIndexed + 1 == numIndexed;

  // positions contributed by the index tensors, broadcast together
  std::vector<int64_t> bases(size_t(product(indexSizes)), 0);
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (!indices[d].defined())
      continue;
    auto values = readIndices(expandTo(indices[d], indexSizes));
    for (size_t i = 0; i < values.size(); ++i)
      bases[i] += checkedIndex(values[i], x.size(d), d, true) * strides[d];
  }
  // dimensions before, index dimensions, dimensions after
  Ints before, after, beforeStrides, afterStrides;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (indices[d].defined())
      continue;
    bool leads = adjacent && d < firstIndexed;
    (leads ? before : after).push_back(x.size(d));
    (leads ? beforeStrides : afterStrides).push_back(strides[d]);
  }
  Positions result;
  result.sizes = before;
  result.sizes.insert(result.sizes.end(), indexSizes.begin(), indexSizes.end());
  result.sizes.insert(result.sizes.end(), after.begin(), after.end());
  result.elements.reserve(size_t(product(result.sizes)));
  auto offset = [](const Ints &index, const Ints &by) {
    int64_t sum = 0;
    for (size_t d = 0; d < by.size(); ++d)
      sum += index[d] * by[d];
    return sum;
  };
  forEachIndex(before, [&](const Ints &b, int64_t) {
    for (int64_t base : bases)
      forEachIndex(after, [&](const Ints &a, int64_t) {
        result.elements.push_back(offset(b, beforeStrides) + base +
                                  offset(a, afterStrides));
      });
  });
  return result;
}

Positions eager::alongDim(const Tensor &x, int64_t dim, const Tensor &index) {
  if (index.numel() == 0) // of whatever type
    return {index.sizes(), {}};
  Positions result{index.sizes(), readIndices(index)};
  require(std::max<int64_t>(index.rank(), 1) == std::max<int64_t>(x.rank(), 1),
          {"expected an index of the rank of ", x, ", found ", index});
  if (x.rank() == 0) {
    for (int64_t element : result.elements)
      checkedIndex(element, 1, 0, false);
    return result;
  }
  Ints sizes = index.rank() ? index.sizes() : Ints{1};
  for (int64_t d = 0; d < x.rank(); ++d)
    require(d == dim || sizes[d] <= x.size(d),
            {"index ", index, " is larger than ", x, " in dimension ", d});
  Ints strides = runtime::rowMajorStrides(x.sizes());
  forEachIndex(sizes, [&](const Ints &at, int64_t i) {
    int64_t position =
        checkedIndex(result.elements[i], x.size(dim), dim, false) *
        strides[dim];
    for (int64_t d = 0; d < x.rank(); ++d)
      if (d != dim)
        position += at[d] * strides[d];
    result.elements[i] = position;
  });
  return result;
}

Positions eager::slicesAlong(const Tensor &x, int64_t dim, const Tensor &index,
                             bool allowsNegative) {
  require(index.rank() <= 1, {"expected an index vector, found ", index});
  auto slices = readIndices(index);
  Positions result{x.sizes(), {}};
  if (x.rank() > 0)
    result.sizes[dim] = int64_t(slices.size());
  int64_t size = x.rank() ? x.size(dim) : 1;
  Ints outer(x.sizes().begin(), x.sizes().begin() + (x.rank() ? dim : 0));
  Ints inner(x.sizes().begin() + (x.rank() ? dim + 1 : 0), x.sizes().end());
  int64_t innerCount = product(inner), outerCount = product(outer);
  for (int64_t &slice : slices)
    slice = checkedIndex(slice, size, dim, allowsNegative);
  for (int64_t o = 0; o < outerCount; ++o)
    for (int64_t slice : slices)
      for (int64_t i = 0; i < innerCount; ++i)
        result.elements.push_back((o * size + slice) * innerCount + i);
  return result;
}

Combine eager::parseCombine(const std::string &name) {
  if (name == "sum" || name == "add")
    return Combine::Add;
  if (name == "prod" || name == "multiply")
    return Combine::Multiply;
  if (name == "amin")
    return Combine::Min;
  if (name == "amax")
    return Combine::Max;
  require(name == "mean", {"unknown reduction '", name,
                           "', expected sum, prod, mean, amin or amax"});
  return Combine::Mean;
}

/// Min and max exist for ordered types only.
template <typename T> static T combine(Combine how, T a, T b) {
  if (how == Combine::Multiply)
    return formula::mul(a, b);
  if constexpr (std::is_arithmetic_v<T>) {
    if (how == Combine::Min)
      return formula::minimum(a, b);
    if (how == Combine::Max)
      return formula::maximum(a, b);
  } else {
    require(how == Combine::Add || how == Combine::Mean,
            {"complex numbers have no order"});
  }
  return formula::add(a, b);
}

template <typename T>
static Tensor combineTyped(const Tensor &x,
                           const std::vector<int64_t> &positions,
                           const Tensor &source, Combine how, bool includeSelf,
                           bool roundsEach) {
  auto values = readAll<T>(x);
  auto updates = readAll<T>(source);
  std::vector<int64_t> counts(values.size(), 0);
  for (size_t i = 0; i < positions.size(); ++i) {
    T &value = values[positions[i]];
    bool first = counts[positions[i]]++ == 0 && !includeSelf;
    value = first ? updates[i] : combine(how, value, updates[i]);
    if (roundsEach)
      value = roundTo(x.dtype(), value);
  }
  for (size_t i = 0; how == Combine::Mean && i < values.size(); ++i) {
    if (counts[i] == 0)
      continue;
    T divisor = static_cast<T>(counts[i] + includeSelf);
    if constexpr (formula::isInt<T>)
      values[i] = formula::floorDivide(values[i], divisor);
    else
      values[i] /= divisor;
  }
  return makeTensor(x.dtype(), x.sizes(), values);
}

Tensor eager::combineInto(const Tensor &x,
                          const std::vector<int64_t> &positions,
                          const Tensor &source, Combine how, bool includeSelf,
                          bool roundsEach) {
  requireSameDType(x, source);
  require(source.numel() == int64_t(positions.size()),
          {"expected ", positions.size(), " values, found ", source});
  if (how != Combine::Set)
    return withNumber(x.dtype(), [&](auto zero) {
      return combineTyped<decltype(zero)>(x, positions, source, how,
                                          includeSelf, roundsEach);
    });
  Tensor result = take(x.clone()), dense = take(source.contiguous());
  size_t size = itemSize(x.dtype());
  for (size_t i = 0; i < positions.size(); ++i)
    std::memcpy(result.data() + size_t(positions[i]) * size,
                dense.data() + i * size, size);
  return result;
}
