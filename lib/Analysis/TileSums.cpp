//===- TileSums.cpp - Sums over rows of a product's tiles -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Analysis/TileSums.h"

#include "kiln/Analysis/IndexExpr.h"

using namespace kiln;
using namespace kiln::analysis;
using namespace mlir;
using loop::ContractOp;
using loop::Domain;
using loop::ReduceOp;

std::optional<ResultMatrix>
analysis::getResultMatrix(ContractOp op, const ContractionShape &shape) {
  SmallVector<ExprAttr> extents = loop::getExprs(op.getParallelExtents());
  if (op.isGrouped() || shape.columns.dims.empty() || shape.rows.dims.empty() ||
      !llvm::is_sorted(shape.rows.dims) ||
      !llvm::is_sorted(shape.columns.dims) ||
      shape.rows.dims.back() >= shape.columns.dims.front())
    return std::nullopt;
  for (auto [dim, extent] : llvm::enumerate(extents))
    if (!extent.isConstant(1) && !llvm::is_contained(shape.rows.dims, dim) &&
        !llvm::is_contained(shape.columns.dims, dim))
      return std::nullopt;
  return ResultMatrix{shape.columns.dims.front(), shape.rows.extent,
                      shape.columns.extent};
}

int64_t analysis::getTileSumBytes(ReduceOp sum) {
  int64_t bytes = 0;
  for (Type type : sum.getBody().front().getTerminator()->getOperandTypes())
    bytes += getElementBytes(type);
  return bytes;
}

ExprAttr analysis::getTileRow(ReduceOp sum) {
  Domain domain = sum.getDomain();
  MLIRContext *context = sum.getContext();
  return guard::getDim(context, 0) * domain.reduction.front() +
         guard::getDim(context, domain.parallel.size());
}

SmallVector<ExprAttr> analysis::getTileRowIndices(ReduceOp sum, ContractOp op,
                                                  const ResultMatrix &matrix) {
  SmallVector<ExprAttr> extents = loop::getExprs(op.getParallelExtents());
  return delinearize(getTileRow(sum),
                     ArrayRef(extents).take_front(matrix.rowDims),
                     guard::Assumptions());
}

/// Dimensions `first` and following, of such extents, counted as one.
static ExprAttr countAsOne(MLIRContext *context, unsigned first,
                           ArrayRef<ExprAttr> extents,
                           const guard::Assumptions &assumptions) {
  SmallVector<ExprAttr> dims;
  for (unsigned k = 0; k < extents.size(); ++k)
    dims.push_back(extents[k].isConstant(1)
                       ? guard::getConstant(context, 0)
                       : guard::getDim(context, first + k));
  return linearize(context, dims, guard::getContiguousStrides(context, extents),
                   assumptions);
}

/// Some indices of the result, with its `extents` there, counted as one.
static ExprAttr countIndices(ReduceOp sum, ArrayRef<ExprAttr> indices,
                             ArrayRef<ExprAttr> extents,
                             const guard::Assumptions &assumptions) {
  MLIRContext *context = sum.getContext();
  SmallVector<ExprAttr> points;
  for (ExprAttr extent : sum.getDomain().all())
    points.push_back(extent.isConstant(1)
                         ? guard::getConstant(context, 0)
                         : guard::getDim(context, points.size()));
  ExprAttr all =
      linearize(context, indices, guard::getContiguousStrides(context, extents),
                assumptions);
  return guard::substituteDims(all, points);
}

static guard::Assumptions assumeDomain(ReduceOp sum) {
  guard::Assumptions assumptions;
  addExtents(assumptions, sum.getContext(), sum.getDomain().all());
  return assumptions;
}

bool analysis::readsOwnColumn(const Access &access, ReduceOp sum,
                              unsigned first, ContractOp op,
                              const ResultMatrix &matrix) {
  Domain domain = sum.getDomain();
  SmallVector<ExprAttr> extents = loop::getExprs(op.getParallelExtents());
  if (access.indirect || access.map.size() != extents.size() ||
      guard::product(sum.getContext(),
                     ArrayRef(domain.parallel).drop_front(first)) !=
          matrix.columns)
    return false;
  guard::Assumptions assumptions = assumeDomain(sum);
  return countIndices(sum, ArrayRef(access.map).drop_front(matrix.rowDims),
                      ArrayRef(extents).drop_front(matrix.rowDims),
                      assumptions) ==
         countAsOne(sum.getContext(), first,
                    ArrayRef(domain.parallel).drop_front(first), assumptions);
}

bool analysis::readsEachRow(const Access &access, ReduceOp sum, ContractOp op,
                            const ResultMatrix &matrix) {
  Domain domain = sum.getDomain();
  SmallVector<ExprAttr> extents = loop::getExprs(op.getParallelExtents());
  if (access.indirect || access.map.size() != extents.size() ||
      guard::product(sum.getContext(), domain.reduction) != matrix.rows)
    return false;
  guard::Assumptions assumptions = assumeDomain(sum);
  return countIndices(sum, ArrayRef(access.map).take_front(matrix.rowDims),
                      ArrayRef(extents).take_front(matrix.rowDims),
                      assumptions) == countAsOne(sum.getContext(),
                                                 domain.parallel.size(),
                                                 domain.reduction, assumptions);
}

bool analysis::isTileSum(ReduceOp sum, ContractOp op,
                         const ResultMatrix &matrix, int64_t rows) {
  Domain domain = sum.getDomain();
  if (domain.reduction.size() != 1 || !domain.reduction[0].isConstant(rows) ||
      domain.parallel.size() < 2 ||
      domain.parallel[0] != guard::ceilDiv(matrix.rows, rows))
    return false;
  SmallVector<ExprAttr> row = getTileRowIndices(sum, op, matrix);
  return llvm::all_of(
      getReads(cast<loop::NestOpInterface>(sum.getOperation())),
      [&](const Access &access) {
        return access.tensor != op.getResult() ||
               (ArrayRef(access.map).take_front(row.size()) == ArrayRef(row) &&
                readsOwnColumn(access, sum, /*first=*/1, op, matrix));
      });
}
