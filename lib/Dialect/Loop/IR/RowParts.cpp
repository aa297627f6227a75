//===- RowParts.cpp - Sums over parts of a kernel's rows ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/IR/RowParts.h"

#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "kiln/Dialect/Loop/IR/RowValues.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

std::optional<RowParts> loop::getRowParts(ReduceOp op,
                                          ArrayRef<ExprAttr> shared) {
  Domain domain = op.getDomain();
  ArrayRef<ExprAttr> parallel = domain.parallel;
  RowParts parts;
  while (parts.dim < shared.size() && parts.dim < parallel.size() &&
         parallel[parts.dim] == shared[parts.dim])
    ++parts.dim;
  unsigned dim = parts.dim;
  if (dim == shared.size() || dim == parallel.size() ||
      domain.reduction.size() != shared.size() - dim ||
      ArrayRef(domain.reduction).drop_front() != shared.drop_front(dim + 1))
    return std::nullopt;
  auto all = shared[dim].getConstant(), size = domain.reduction[0].getConstant(),
       count = parallel[dim].getConstant();
  if (!all || !size || !count || *size < 2 || *all % *size != 0 ||
      *all / *size != *count)
    return std::nullopt;
  parts.size = *size;
  parts.outer.assign(parallel.begin(), parallel.begin() + dim + 1);
  parts.rows = domain.reduction;
  return parts;
}

SmallVector<ExprAttr> RowParts::getPoint(ReduceOp op) const {
  MLIRContext *context = op.getContext();
  unsigned parallel = op.getDomain().parallel.size();
  SmallVector<ExprAttr> point;
  for (unsigned k = 0; k <= dim; ++k)
    point.push_back(guard::getDim(context, k));
  point.back() = point.back() * size + guard::getDim(context, parallel);
  for (unsigned k = 1; k < rows.size(); ++k)
    point.push_back(guard::getDim(context, parallel + k));
  return point;
}

std::optional<RowParts> loop::getRowParts(KernelOp kernel,
                                          NestOpInterface nest) {
  auto op = dyn_cast<ReduceOp>(nest.getOperation());
  if (!op)
    return std::nullopt;
  return getRowParts(op, getExprs(kernel.getShared()));
}

std::optional<RowParts> loop::getRowParts(KernelOp kernel) {
  for (NestOpInterface nest : kernel.getNests())
    if (auto parts = getRowParts(kernel, nest))
      return parts;
  return std::nullopt;
}

ExprAttr loop::getIndexExpr(NestOpInterface nest, Value index) {
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    auto dimension = nest.getDimensionOf(argument);
    return dimension ? guard::getDim(index.getContext(), *dimension)
                     : ExprAttr();
  }
  auto computed = index.getDefiningOp<IndexOp>();
  if (!computed)
    return {};
  SmallVector<ExprAttr> operands;
  for (Value operand : computed.getIndices()) {
    operands.push_back(getIndexExpr(nest, operand));
    if (!operands.back())
      return {};
  }
  return guard::substituteDims(computed.getExpr(), operands);
}

bool loop::readsOwnRow(ReduceOp op, LoadOp load, const RowParts &parts) {
  SmallVector<ExprAttr> point = parts.getPoint(op);
  SmallVector<ExprAttr> map = getExprs(load.getMap());
  if (map.size() < point.size())
    return false;
  auto nest = cast<NestOpInterface>(op.getOperation());
  SmallVector<ExprAttr> operands;
  for (Value index : load.getIndices()) {
    ExprAttr expr = getIndexExpr(nest, index);
    // A dimension that there is not: equal to no index of a row.
    operands.push_back(
        expr ? expr : guard::getDim(op.getContext(), op.getDomain().rank()));
  }
  for (auto [index, own] : llvm::zip(map, point))
    if (guard::substituteDims(index, operands) != own)
      return false;
  return true;
}

namespace {
/// The indices of an element of a kernel over the dimensions of a nest, those
/// of one element left out.
struct OwnPlace {
  SmallVector<ExprAttr> row, column;
};
} // namespace

static OwnPlace getOwnPlace(KernelOp kernel, NestOpInterface nest) {
  OwnPlace place;
  SmallVector<ExprAttr> shared = getExprs(kernel.getShared()),
                        extents = nest.getDomain().all(), point;
  unsigned begin = shared.size(), end = extents.size();
  if (auto parts = getRowParts(kernel, nest)) {
    point = parts->getPoint(cast<ReduceOp>(nest.getOperation()));
    begin = parts->dim + 1;
    end = nest.getDomain().parallel.size();
  } else {
    point = getIdentityMap(kernel.getContext(), shared.size());
  }
  for (auto [index, extent] : llvm::zip_equal(point, shared))
    if (!extent.isConstant(1))
      place.row.push_back(index);
  for (unsigned dim = begin; dim < end; ++dim)
    if (!extents[dim].isConstant(1))
      place.column.push_back(guard::getDim(kernel.getContext(), dim));
  return place;
}

std::optional<unsigned> loop::countRowDims(ArrayRef<int64_t> sizes,
                                           int64_t rows) {
  int64_t count = 1;
  for (unsigned k = 0; k < sizes.size(); ++k) {
    if (sizes[k] <= 0 || llvm::MulOverflow(count, sizes[k], count))
      return std::nullopt;
    if (count >= rows)
      return count == rows ? std::optional(k + 1) : std::nullopt;
  }
  return std::nullopt;
}

ExprAttr loop::getPointNumber(MLIRContext *context, ArrayRef<ExprAttr> indices,
                              ArrayRef<int64_t> sizes) {
  ExprAttr number = guard::getConstant(context, 0);
  for (auto [index, size] : llvm::zip_equal(indices, sizes))
    number = number * size + index;
  return number;
}

/// The same of indices of sizes other than those of the rows: if they are that of the row
/// itself, by its number, and then those of a column or none.
static OwnRead getOwnReshaped(KernelOp kernel, NestOpInterface nest,
                              const OwnPlace &place, ArrayRef<ExprAttr> indices,
                              ArrayRef<int64_t> sizes) {
  MLIRContext *context = kernel.getContext();
  SmallVector<int64_t> shared;
  int64_t rows = 1;
  for (ExprAttr extent : getExprs(kernel.getShared())) {
    auto size = extent.getConstant();
    if (!size || llvm::MulOverflow(rows, *size, rows))
      return OwnRead::Other;
    if (*size != 1)
      shared.push_back(*size);
  }
  auto count = countRowDims(sizes, rows);
  if (!count)
    return OwnRead::Other;
  guard::Assumptions assumptions;
  for (auto [k, extent] : llvm::enumerate(nest.getDomain().all()))
    assumptions.setExtent(guard::getDim(context, k), extent);
  auto number = [&](ArrayRef<ExprAttr> point, ArrayRef<int64_t> of) {
    return guard::simplify(getPointNumber(context, point, of), assumptions);
  };
  if (number(indices.take_front(*count), sizes.take_front(*count)) !=
      number(place.row, shared))
    return OwnRead::Other;
  indices = indices.drop_front(*count);
  if (indices.empty())
    return OwnRead::Point;
  return indices == ArrayRef(place.column) ? OwnRead::Element : OwnRead::Other;
}

OwnRead loop::getOwnRead(KernelOp kernel, LoadOp load) {
  auto nest = load->getParentOfType<NestOpInterface>();
  SmallVector<ExprAttr> operands, indices;
  SmallVector<int64_t> sizes;
  for (Value index : load.getIndices()) {
    operands.push_back(getIndexExpr(nest, index));
    if (!operands.back())
      return OwnRead::Other;
  }
  auto type = cast<RankedTensorType>(load.getTensor().getType());
  SmallVector<ExprAttr> extents = nest.getDomain().all();
  bool isMade = load.getTensor().getDefiningOp() != nullptr;
  for (auto [k, index] : llvm::enumerate(getExprs(load.getMap()))) {
    if (type.getDimSize(k) == 1)
      continue;
    indices.push_back(guard::substituteDims(index, operands));
    sizes.push_back(type.getDimSize(k));
    // Rows of one size that are cut up otherwise have other places.
    auto extent = indices.back().isDim()
                      ? extents[indices.back().getPosition()].getConstant()
                      : std::optional<int64_t>();
    if (isMade && extent && !type.isDynamicDim(k) &&
        *extent != type.getDimSize(k))
      return OwnRead::Other;
  }
  OwnPlace place = getOwnPlace(kernel, nest);
  if (indices == place.row)
    return OwnRead::Point;
  if (indices == place.column)
    return OwnRead::Column;
  SmallVector<ExprAttr> element(place.row);
  llvm::append_range(element, place.column);
  if (indices == element)
    return OwnRead::Element;
  return isMade ? OwnRead::Other
                : getOwnReshaped(kernel, nest, place, indices, sizes);
}

SmallVector<ExprAttr> loop::getColumns(ReduceOp op, const RowParts &parts) {
  SmallVector<ExprAttr> columns;
  for (ExprAttr extent :
       ArrayRef(op.getDomain().parallel).drop_front(parts.dim + 1))
    if (!extent.isConstant(1))
      columns.push_back(extent);
  return columns;
}

SmallVector<ExprAttr> loop::getColumns(KernelOp kernel, NestOpInterface nest) {
  if (auto parts = getRowParts(kernel, nest))
    return getColumns(cast<ReduceOp>(nest.getOperation()), *parts);
  SmallVector<ExprAttr> row = getRowExtents(kernel, nest);
  llvm::erase_if(row, [](ExprAttr extent) { return extent.isConstant(1); });
  return row;
}
