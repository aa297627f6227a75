//===- FewWindows.cpp - Contractions that are walked where they lie -------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FewWindows.h"
#include "ImageWindows.h"

#include "kiln/Analysis/ContractionShape.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

bool loop::haveSteps(ContractOp op, const analysis::KernelStrides &strides,
                     unsigned dim, int64_t least, int64_t most) {
  MLIRContext *context = op.getContext();
  for (auto [tensor, map] : {std::pair(op.getLhs(), op.getLhsIndices()),
                             std::pair(op.getRhs(), op.getRhsIndices())}) {
    auto argument = cast<BlockArgument>(tensor);
    ExprAttr address = guard::getConstant(context, 0);
    for (auto [index, stride] :
         llvm::zip_equal(getExprs(map), strides[argument.getArgNumber()]))
      address = address + index * stride;
    auto step = guard::getCoefficient(address, guard::getDim(context, dim));
    auto size = step ? step->getConstant() : std::nullopt;
    if (!size || *size < least || *size > most)
      return false;
  }
  return true;
}

unsigned loop::getEnd(ArrayRef<ExprAttr> extents, unsigned first, unsigned end) {
  while (end > first && extents[end - 1].isConstant(1))
    --end;
  return end;
}

bool loop::walksFewWindows(ContractOp op, const ProductShape &product,
                           const analysis::KernelStrides &strides,
                           int64_t lanes) {
  int64_t most = countFewColumns(lanes, product.ofBF16);
  auto isFew = [&](Size size) { return size && *size <= most; };
  if (op.isGrouped() || !isa<FloatType>(op.getAccType()) ||
      (!isFew(product.m) && !isFew(product.n)))
    return false;
  unsigned parallel = op.getParallelExtents().size();
  SmallVector<ExprAttr> extents = op.getDomain().all();
  Windows windows(op);
  bool overlap = llvm::any_of(
      llvm::seq<unsigned>(parallel, extents.size()), [&](unsigned dim) {
        return !extents[dim].isConstant(1) &&
               windows.isWalked(guard::getDim(op.getContext(), dim));
      });
  if (windows.empty() || !overlap)
    return false;
  auto isLong = [&](unsigned dim) {
    return extents[dim].getConstant().value_or(0) >= lanes;
  };
  unsigned across = getEnd(extents, 0, parallel),
           row = getEnd(extents, parallel, extents.size());
  return (across > 0 && isLong(across - 1) &&
          haveSteps(op, strides, across - 1, 0, 1)) ||
         (row > parallel && isLong(row - 1) &&
          haveSteps(op, strides, row - 1, 1, 1));
}

bool loop::makesFewInPlace(ContractOp op, unsigned channels,
                           const analysis::SizeHints &hints) {
  SmallVector<ExprAttr> parallel = op.getDomain().parallel;
  int64_t lanes =
      getTarget(op).getVectorBits() / op.getAccType().getIntOrFloatBitWidth();
  if (hints.evaluate(parallel[channels]) >
      countFewColumns(lanes, analysis::hasFactorsOfBF16(op)))
    return false;
  Windows windows(op);
  for (unsigned side = 0; side < 2; ++side)
    if (auto step = getStep(op, side, channels); step && step->isConstant(0)) {
      if (!isa<BlockArgument>(side == 0 ? op.getLhs() : op.getRhs()))
        return false;
      auto along = getNeighbours(op, side);
      return !along || windows.isWalked(guard::getDim(op.getContext(),
                                                      parallel.size() + *along));
    }
  return false;
}
