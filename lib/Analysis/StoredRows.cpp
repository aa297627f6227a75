//===- StoredRows.cpp - Rows of a result as they lie in memory ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Analysis/StoredRows.h"

#include "llvm/Support/MathExtras.h"

using namespace kiln;
using namespace kiln::analysis;
using namespace mlir;
using loop::ContractOp;

RankedTensorType analysis::getStoredType(Value result) {
  Type type = result.getType();
  for (OpOperand &use : result.getUses())
    if (isa<loop::ReturnOp>(use.getOwner()))
      if (auto kernel = dyn_cast<loop::KernelOp>(use.getOwner()->getParentOp()))
        type = kernel.getResult(use.getOperandNumber()).getType();
  return cast<RankedTensorType>(type);
}

/// The strides with which a result is returned as a part of a tensor; null if
/// it is none.
static guard::ShapeAttr getPartStrides(Value result) {
  for (OpOperand &use : result.getUses())
    if (auto returned = dyn_cast<loop::ReturnOp>(use.getOwner()))
      if (auto strides = returned.getPartStrides(use.getOperandNumber()))
        return strides;
  return {};
}

bool analysis::isPart(Value result) { return bool(getPartStrides(result)); }

SmallVector<guard::ExprAttr> analysis::getStoredStrides(Value result) {
  if (guard::ShapeAttr strides = getPartStrides(result))
    return llvm::to_vector(strides.getDims());
  return guard::getContiguousStrides(result.getContext(),
                                     *guard::getDims(getStoredType(result)));
}

/// True if every `lanes` neighbours of a row of what `op` makes, from multiples of `lanes` on,
/// lie beside each other and in one dimension.
static bool hasVectors(ContractOp op, const ContractionShape &shape,
                       int64_t lanes) {
  if (lanes == 1)
    return true;
  if (shape.columns.dims.empty() ||
      !shape.columns.runs.back().steps[2].isConstant(1))
    return false;
  auto extent = op.getDomain().all()[shape.columns.dims.back()].getConstant();
  return extent && *extent % lanes == 0;
}

bool analysis::canStoreVectors(ContractOp op, const ContractionShape &shape,
                               int64_t lanes, bool inParts) {
  RankedTensorType stored = getStoredType(op.getResult());
  if (lanes == 1 || stored == op.getResult().getType())
    return hasVectors(op, shape, lanes);
  // Vectors of longer rows begin where these do.
  auto length = guard::getDims(stored)->back().getConstant();
  if (!length || *length % lanes != 0)
    return false;
  if (hasVectors(op, shape, lanes))
    return true;
  // Nothing may be read for what is behind the end.
  ArrayRef<unsigned> dims = shape.columns.dims;
  unsigned last = op.getParallelExtents().size() - 1;
  if (inParts || dims.size() != 1 || dims[0] != last ||
      (!op.getEpilogue().empty() &&
       !op.getEpilogue().front().getOps<loop::LoadOp>().empty()))
    return false;
  auto size = op.getDomain().all()[last].getConstant();
  return size && shape.columns.steps[2] &&
         shape.columns.steps[2].isConstant(1) &&
         int64_t(llvm::alignTo(*size, lanes)) <= *length;
}
