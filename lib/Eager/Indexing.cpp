//===- Indexing.cpp - Operators that choose elements ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Formulas.h"
#include "Operators.h"
#include "Positions.h"
#include "TypePromotion.h"
#include "Views.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

using namespace kiln;
using namespace kiln::eager;

static Tensor gathered(const Tensor &x, const Positions &positions) {
  return gatherElements(x, positions.sizes, positions.elements);
}

//===----------------------------------------------------------------------===//
// By index
//===----------------------------------------------------------------------===//

static Values index(const Args &args) {
  const Tensor &x = args.tensor(0);
  return {gathered(x, advancedIndex(x, args.optTensors(1)))};
}

/// The unchecked form has no masks.
static Values unsafeIndex(const Args &args) {
  for (const Tensor &tensor : args.optTensors(1))
    require(!tensor.defined() || tensor.dtype() == DType::I64 ||
                tensor.dtype() == DType::I32,
            {"expected indices of i64 or i32, found ", tensor});
  return index(args);
}

static Values gather(const Args &args) {
  const Tensor &x = args.tensor(0);
  int64_t dim = wrapDim(args.integer(1), x.rank());
  require(args.tensor(2).numel() == 0 ||
              std::max<int64_t>(args.tensor(2).rank(), 1) ==
                  std::max<int64_t>(x.rank(), 1),
          {"expected an index of the rank of ", x});
  return {gathered(x, alongDim(x, dim, args.tensor(2)))};
}

static Values takeAlongDim(const Args &args) {
  Tensor x = args.tensor(0), indices = args.tensor(1);
  if (args.isNone(2))
    return {gathered(reshaped(x, {x.numel()}),
                     alongDim(reshaped(x, {x.numel()}), 0,
                              reshaped(indices, {indices.numel()})))};
  int64_t dim = wrapDim(args.integer(2), x.rank());
  require(x.rank() > 0 && x.rank() == indices.rank(),
          {"expected dimensions, and indices of the rank of ", x, ", found ",
           indices});
  Ints xSizes = x.sizes(), indexSizes = indices.sizes();
  xSizes[dim] = indexSizes[dim] = 1;
  Ints common = broadcastSizes(xSizes, indexSizes);
  xSizes = indexSizes = common;
  xSizes[dim] = x.size(dim);
  indexSizes[dim] = indices.size(dim);
  x = expandTo(x, xSizes);
  // Positions wrap around, however far they are out.
  auto positions = readAll<int64_t>(expandTo(indices, indexSizes));
  require(positions.empty() || x.size(dim) > 0,
          {"dimension ", dim, " has no elements, found ", x});
  for (int64_t &position : positions)
    position = formula::remainder(position, x.size(dim));
  return {gathered(x, alongDim(x, dim, makeTensor(DType::I64, indexSizes,
                                                  positions)))};
}

static Values takeElements(const Args &args) {
  const Tensor &x = args.tensor(0), &indices = args.tensor(1);
  require(indices.dtype() == DType::I64,
          {"expected i64 indices, found ", indices});
  Tensor flat = reshaped(x, {x.numel()});
  Positions positions =
      slicesAlong(flat, 0, reshaped(indices, {indices.numel()}), true);
  return {gatherElements(x, indices.sizes(), positions.elements)};
}

static Values indexSelect(const Args &args) {
  const Tensor &x = args.tensor(0);
  int64_t dim = wrapDim(args.integer(1), x.rank());
  return {gathered(x, slicesAlong(x, dim, args.tensor(2)))};
}

/// Rows of the weight matrix, arranged as the indices are.
static Values embedding(const Args &args) {
  const Tensor &weight = args.tensor(0), &indices = args.tensor(1);
  require(weight.rank() == 2, {"expected a weight of rank 2, found ", weight});
  Positions rows =
      slicesAlong(weight, 0, reshaped(indices, {indices.numel()}));
  Ints sizes = indices.sizes();
  sizes.push_back(weight.size(1));
  return {gatherElements(weight, sizes, rows.elements)};
}

//===----------------------------------------------------------------------===//
// By mask
//===----------------------------------------------------------------------===//

static Values maskedSelect(const Args &args) {
  const Tensor &x = args.tensor(0), &mask = args.tensor(1);
  require(mask.dtype() == DType::Bool, {"expected a bool mask, found ", mask});
  Ints sizes = broadcastSizes(x.sizes(), mask.sizes());
  auto positions = nonzeroPositions(expandTo(mask, sizes));
  return {gatherElements(expandTo(x, sizes), {int64_t(positions.size())},
                         positions)};
}

/// Coordinates of the elements that are not zero, one column per dimension.
static std::vector<std::vector<int64_t>> nonzeroCoordinates(const Tensor &x) {
  auto positions = nonzeroPositions(x);
  Ints strides = runtime::rowMajorStrides(x.sizes());
  std::vector<std::vector<int64_t>> result;
  for (int64_t d = 0; d < x.rank(); ++d) {
    std::vector<int64_t> column;
    for (int64_t position : positions)
      column.push_back(position / strides[d] % x.size(d));
    result.push_back(std::move(column));
  }
  return result;
}

static Tensor coordinateMatrix(const Tensor &x, std::optional<int64_t> rows,
                               int64_t fill) {
  auto columns = nonzeroCoordinates(x);
  int64_t count = int64_t(nonzeroPositions(x).size());
  int64_t height = rows.value_or(count);
  require(height >= 0, {"size must not be negative, found ", height});
  std::vector<int64_t> values;
  for (int64_t r = 0; r < height; ++r)
    for (auto &column : columns)
      values.push_back(r < count ? column[r] : fill);
  return makeTensor(DType::I64, {height, x.rank()}, values);
}
static Values nonzero(const Args &args) {
  return {coordinateMatrix(args.tensor(0), std::nullopt, 0)};
}
static Values nonzeroStatic(const Args &args) {
  return {coordinateMatrix(args.tensor(0), args.integer(1),
                           args.optInteger(2).value_or(-1))};
}
static Values whereNonzero(const Args &args) {
  Tensor x = args.tensor(0);
  if (x.rank() == 0)
    x = unsqueezed(x, 0);
  Values results;
  for (auto &column : nonzeroCoordinates(x))
    results.push_back(makeTensor(DType::I64, {int64_t(column.size())}, column));
  return results;
}

void eager::addIndexingOperators(Table &table) {
  table.op<index>("index.Tensor");
  table.op<unsafeIndex>("_unsafe_index.Tensor");
  table.op<gather>("gather.default");
  table.op<takeAlongDim>("take_along_dim.default");
  table.op<takeElements>("take.default");
  table.op<indexSelect>("index_select.default");
  table.op<embedding>("embedding.default");
  table.op<maskedSelect>("masked_select.default");
  table.op<nonzero>("nonzero.default");
  table.op<nonzeroStatic>("nonzero_static.default");
  table.op<whereNonzero>("where.default");
}
