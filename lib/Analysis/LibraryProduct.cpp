//===- LibraryProduct.cpp - Products that a library has -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibraryCalls.h"

#include "kiln/Analysis/ContractionShape.h"
#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "kiln/Dialect/Loop/IR/Precision.h"

using namespace kiln;
using namespace kiln::analysis;
using namespace mlir;
using loop::ContractOp;
using loop::KernelOp;
using loop::LoadOp;
using loop::ProductMatrixAttr;

/// Matrix `k` of a contraction (A, B or C); null if no library takes it as it
/// lies.
static ProductMatrixAttr getMatrix(ContractOp op, const ContractionShape &shape,
                                   unsigned k, int64_t pointer,
                                   const DimGroup &rows,
                                   const DimGroup &columns) {
  if (shape.isIrregular(k) || !shape.batch.steps[k])
    return {};
  ExprAttr down = rows.steps[k], along = columns.steps[k];
  bool isTransposed = !along.isConstant(1);
  if (isTransposed && !down.isConstant(1))
    return {};
  ExprAttr leading = isTransposed ? along : down;
  // Rows that overlap, or are the same.
  auto distance = leading.getConstant(),
       length = (isTransposed ? rows : columns).extent.getConstant();
  if (distance && *distance < length.value_or(1))
    return {};
  ExprAttr offset = guard::substitute(shape.addresses[k], [&](ExprAttr leaf) {
    return leaf.isDim() ? guard::getConstant(op.getContext(), 0) : leaf;
  });
  return ProductMatrixAttr::get(op.getContext(), pointer, offset, leading,
                                shape.batch.steps[k], isTransposed);
}

/// True if a load of the epilogue gives element j of its tensor in column j of
/// the result.
static bool isOfColumn(LoadOp load, ContractOp op,
                       const ContractionShape &shape,
                       const KernelLayout &layout) {
  MLIRContext *context = op.getContext();
  if (load.getMask() || !isa<BlockArgument>(load.getTensor()) ||
      getElement(load.getTensor()) != getElement(op.getResult()) ||
      shape.columns.dims.size() != 1)
    return false;
  SmallVector<ExprAttr> indices, map = loop::getExprs(load.getMap());
  for (Value index : load.getIndices()) {
    auto argument = dyn_cast<BlockArgument>(index);
    if (!argument || argument.getOwner() != &op.getEpilogue().front() ||
        argument.getArgNumber() == 0)
      return false;
    // Behind the sum come the indices of the domain.
    indices.push_back(guard::getDim(context, argument.getArgNumber() - 1));
  }
  for (ExprAttr &index : map)
    index = guard::substituteDims(index, indices);
  guard::Assumptions assumptions;
  addExtents(assumptions, context, loop::getExprs(op.getParallelExtents()));
  return linearize(context, map, layout.lookup(load.getTensor()),
                   assumptions) ==
         guard::getDim(context, shape.columns.dims.front());
}

loop::LibraryProductAttr
analysis::getLibraryProduct(KernelOp kernel, const KernelStrides &strides) {
  ContractOp op = getPlainContraction(kernel);
  if (!op || !op.getMasks().empty())
    return {};
  KernelLayout layout = getLayout(kernel, strides);
  auto shape = analyzeContraction(op, layout.lookup(op.getLhs()),
                                  layout.lookup(op.getRhs()),
                                  ContractionFrame::ofTiles());
  Type factors = getElement(op.getLhs()), results = getElement(op.getResult());
  if (!shape || !shape->outer.empty() || shape->rows.dims.empty() ||
      shape->columns.dims.empty() || shape->sum.dims.empty() ||
      getElement(op.getRhs()) != factors || !isFactor(factors) ||
      (results != factors && !results.isF32()))
    return {};
  Value left = shape->exchanged ? op.getRhs() : op.getLhs(),
        right = shape->exchanged ? op.getLhs() : op.getRhs();
  ProductMatrixAttr a = getMatrix(op, *shape, 0, pointerOf(left), shape->rows,
                                  shape->sum),
                    b = getMatrix(op, *shape, 1, pointerOf(right), shape->sum,
                                  shape->columns),
                    c = getMatrix(op, *shape, 2, kernel.getInputs().size(),
                                  shape->rows, shape->columns);
  std::optional<LoadOp> added = getAdded(op);
  if (!a || !b || !c || c.getTransposed() || !added ||
      (*added && !isOfColumn(*added, op, *shape, layout)))
    return {};
  return loop::LibraryProductAttr::get(
      op.getContext(), factors, results, shape->batch.extent,
      shape->rows.extent, shape->columns.extent, shape->sum.extent, a, b, c,
      *added ? pointerOf((*added).getTensor()) : -1,
      factors.isF32() && loop::permitsTf32(op));
}
