//===- ContractionShape.cpp - A contraction seen as a matrix product ------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionShape.h"

#include "kiln/Analysis/IndexExpr.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Multiply-adds below which plain loops are as fast as packing, and compile in
/// a fraction of the time.
static constexpr int64_t kMinProduct = 64 * 64 * 64;

namespace {
class Analysis {
public:
  Analysis(ContractOp op, ArrayRef<ExprAttr> lhsStrides,
           ArrayRef<ExprAttr> rhsStrides)
      : op(op), context(op.getContext()) {
    auto result = cast<RankedTensorType>(op.getResult().getType());
    extents = getExprs(op.getParallelExtents());
    parallel = extents.size();
    llvm::append_range(extents, getExprs(op.getReductionExtents()));
    // A reshape leaves divisions and remainders that only its extents undo.
    guard::Assumptions assumptions;
    analysis::addExtents(assumptions, context, extents);
    shape.addresses[0] = analysis::linearize(
        context, getExprs(op.getLhsIndices()), lhsStrides, assumptions);
    shape.addresses[1] = analysis::linearize(
        context, getExprs(op.getRhsIndices()), rhsStrides, assumptions);
    shape.addresses[2] = analysis::linearize(
        context, getIdentityMap(context, parallel),
        guard::getContiguousStrides(context, *guard::getDims(result)),
        assumptions);
  }

  std::optional<ContractionShape> run();

private:
  bool readSteps();
  bool collapse(ArrayRef<unsigned> dims, DimGroup &group);

  ContractOp op;
  MLIRContext *context;
  unsigned parallel = 0;
  SmallVector<ExprAttr> extents;
  SmallVector<std::array<ExprAttr, 3>> steps;
  ContractionShape shape;
};
} // namespace

/// Reads what one step along each dimension adds to each address.
bool Analysis::readSteps() {
  for (unsigned dim = 0; dim < extents.size(); ++dim) {
    std::array<ExprAttr, 3> step;
    for (unsigned k = 0; k < 3; ++k) {
      auto coefficient = guard::getCoefficient(shape.addresses[k],
                                               guard::getDim(context, dim));
      if (!coefficient || guard::hasDims(*coefficient))
        return false;
      step[k] = *coefficient;
    }
    steps.push_back(step);
  }
  return true;
}

/// Makes one dimension of several, or fails. An empty group has extent 1.
bool Analysis::collapse(ArrayRef<unsigned> dims, DimGroup &group) {
  group.dims.assign(dims.begin(), dims.end());
  group.extent = guard::getConstant(context, 1);
  for (ExprAttr &step : group.steps)
    step = guard::getConstant(context, 0);
  for (auto [position, dim] : llvm::enumerate(llvm::reverse(dims))) {
    if (position == 0)
      std::copy(steps[dim].begin(), steps[dim].end(), group.steps);
    else
      for (unsigned k = 0; k < 3; ++k)
        if (steps[dim][k] != group.steps[k] * group.extent)
          return false;
    group.extent = group.extent * extents[dim];
  }
  return true;
}

std::optional<ContractionShape> Analysis::run() {
  if (!isa<FloatType>(op.getAccType()) || !op.getMasks().empty() ||
      !readSteps())
    return std::nullopt;
  auto elementOf = [](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getElementType();
  };
  // A prologue sees the element before it is extended.
  if ((!op.getLhsPrologue().empty() &&
       elementOf(op.getLhs()) != op.getAccType()) ||
      (!op.getRhsPrologue().empty() &&
       elementOf(op.getRhs()) != op.getAccType()))
    return std::nullopt;
  for (Value operand :
       {Value(op.getLhs()), Value(op.getRhs()), Value(op.getResult())}) {
    Type element = elementOf(operand);
    if (!element.isF32() && !element.isF64() && !element.isBF16() &&
        !element.isF16())
      return std::nullopt;
  }

  SmallVector<unsigned> rows, columns, batch, sum;
  for (unsigned dim = 0; dim < extents.size(); ++dim) {
    if (extents[dim].isConstant(1))
      continue;
    bool moves[2] = {!steps[dim][0].isConstant(0),
                     !steps[dim][1].isConstant(0)};
    if (dim >= parallel)
      sum.push_back(dim);
    else if (moves[0] == moves[1])
      batch.push_back(dim);
    else
      (moves[0] ? rows : columns).push_back(dim);
  }
  if (!collapse(rows, shape.rows) || !collapse(columns, shape.columns) ||
      !collapse(sum, shape.sum))
    return std::nullopt;
  // The innermost batch dimensions that collapse are the product's; the others
  // are counted off.
  unsigned inner = batch.size();
  while (inner > 0 && collapse(ArrayRef(batch).drop_front(inner - 1),
                               shape.batch))
    --inner;
  if (!collapse(ArrayRef(batch).drop_front(inner), shape.batch))
    return std::nullopt;
  shape.outer.assign(batch.begin(), batch.begin() + inner);

  ExprAttr product = shape.rows.extent * shape.columns.extent *
                     shape.sum.extent;
  if (auto size = product.getConstant(); size && *size < kMinProduct)
    return std::nullopt;
  return shape;
}

std::optional<ContractionShape>
loop::analyzeContraction(ContractOp op, ArrayRef<ExprAttr> lhsStrides,
                         ArrayRef<ExprAttr> rhsStrides) {
  return Analysis(op, lhsStrides, rhsStrides).run();
}
