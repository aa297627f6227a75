//===- RowParts.cpp - Sums over parts of a kernel's rows ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/IR/RowParts.h"

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

OwnRead loop::getOwnRead(KernelOp kernel, LoadOp load) {
  auto nest = load->getParentOfType<NestOpInterface>();
  SmallVector<ExprAttr> operands, indices;
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
  llvm::append_range(place.row, place.column);
  return indices == place.row ? OwnRead::Element : OwnRead::Other;
}

SmallVector<ExprAttr> loop::getColumns(ReduceOp op, const RowParts &parts) {
  SmallVector<ExprAttr> columns;
  for (ExprAttr extent :
       ArrayRef(op.getDomain().parallel).drop_front(parts.dim + 1))
    if (!extent.isConstant(1))
      columns.push_back(extent);
  return columns;
}
