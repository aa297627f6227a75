//===- Blocks.cpp - Products and rows in blocks --------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Analysis/Blocks.h"

#include "kiln/Analysis/IndexExpr.h"

using namespace kiln;
using namespace kiln::analysis;
using namespace mlir;
using loop::ContractOp;
using loop::KernelOp;
using loop::NestOpInterface;

/// The nest of `kernel` that `op` stands in.
static Operation *getNestIn(KernelOp kernel, Operation *op) {
  return kernel.getBody().front().findAncestorOpInBlock(*op);
}

bool analysis::isKeptForBlock(KernelOp kernel, Value result) {
  Block &body = kernel.getBody().front();
  if (llvm::is_contained(body.getTerminator()->getOperands(), result))
    return false;
  Operation *writer = result.getDefiningOp();
  if (isa<ContractOp>(writer))
    return true;
  return llvm::any_of(result.getUsers(), [&](Operation *user) {
    for (Operation *op = writer; op != getNestIn(kernel, user);
         op = op->getNextNode())
      if (isa<ContractOp>(op))
        return true;
    return isa<ContractOp>(getNestIn(kernel, user));
  });
}

KernelLayout analysis::getBlockLayout(KernelOp kernel,
                                      const KernelStrides &inputs) {
  KernelLayout layout = getLayout(kernel, inputs);
  MLIRContext *context = kernel.getContext();
  unsigned shared = kernel.getShared().size();
  for (NestOpInterface nest : kernel.getNests())
    for (Value result : nest->getResults()) {
      if (!isKeptForBlock(kernel, result))
        continue;
      SmallVector<ExprAttr> own =
          *guard::getDims(cast<RankedTensorType>(result.getType()));
      own.erase(own.begin(), own.begin() + shared);
      SmallVector<ExprAttr> strides(shared, guard::getConstant(context, 0));
      strides.back() = guard::getNumElements(context, own);
      llvm::append_range(strides, guard::getContiguousStrides(context, own));
      layout[result] = strides;
    }
  return layout;
}

/// True for a product whose sum is the rows of the kernel, dimension `row`: its
/// operands begin in the middle of the sum for each block.
static bool isOverRows(const ContractionShape &shape, unsigned row) {
  return shape.sum.dims == SmallVector<unsigned>{row} &&
         shape.batch.dims.empty() && !shape.isIrregular(0) &&
         !shape.isIrregular(1) && !shape.isIrregular(2);
}

std::optional<SmallVector<BlockProduct, 0>>
analysis::getBlockProducts(KernelOp kernel, const KernelLayout &layout) {
  SmallVector<ExprAttr> shared = loop::getExprs(kernel.getShared());
  if (shared.empty())
    return std::nullopt;
  SmallVector<BlockProduct, 0> products;
  for (ContractOp op : kernel.getBody().getOps<ContractOp>()) {
    auto dims = loop::getSharedDims(op, shared);
    if (!dims || !dims->back())
      return std::nullopt;
    unsigned row = *dims->back();
    ContractionFrame frame;
    SmallVector<unsigned> outer;
    for (auto dim : ArrayRef(*dims).drop_back())
      if (dim)
        outer.push_back(*dim);
    frame.outer = outer;
    SmallVector<ExprAttr> strides = layout.lookup(op.getResult());
    frame.resultStrides = strides;
    if (row < op.getParallelExtents().size())
      frame.row = row;
    // What stays inside is addressed by the shared dimensions in their order.
    if (isKeptForBlock(kernel, op.getResult()))
      for (auto [k, dim] : llvm::enumerate(*dims))
        if (dim != unsigned(k))
          return std::nullopt;
    auto shape = analyzeContraction(op, layout.lookup(op.getLhs()),
                                    layout.lookup(op.getRhs()), frame);
    if (!shape || shape->outer.size() != outer.size() ||
        !isa<FloatType>(op.getAccType()))
      return std::nullopt;
    bool overRows = loop::sumsOverRows(op, shared);
    bool alongRows = shape->rows.dims == SmallVector<unsigned>{row} &&
                     shape->batch.dims.empty() && !shape->sum.dims.empty();
    if (overRows ? !isOverRows(*shape, row) : !alongRows)
      return std::nullopt;
    products.push_back({op, *shape, *dims, overRows});
  }
  return products;
}
