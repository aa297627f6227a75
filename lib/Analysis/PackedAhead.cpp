//===- PackedAhead.cpp - Products whose panels can be made ahead ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Analysis/PackedAhead.h"

#include "kiln/Analysis/Blocks.h"
#include "kiln/Dialect/Loop/IR/Weights.h"

#include "mlir/Transforms/RegionUtils.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::analysis;
using namespace kiln::loop;

/// Fills `input` and `elements`; false where the panels are made as they are
/// used. Those of several matrices follow each other, where `hasBatch` permits it.
static bool fits(KernelOp kernel, PackableProduct &product, bool hasBatch) {
  ContractOp op = product.op;
  const ContractionShape &shape = product.shape;
  auto argument =
      dyn_cast<BlockArgument>(shape.exchanged ? op.getLhs() : op.getRhs());
  if (!argument || argument.getOwner() != &kernel.getBody().front() ||
      !argument.hasOneUse())
    return false;
  auto dims = guard::getDims(cast<RankedTensorType>(argument.getType()));
  auto isNumber = [](ExprAttr size) { return size.isConstant(); };
  if (!dims || !llvm::all_of(*dims, isNumber))
    return false;
  auto depth = shape.sum.extent.getConstant();
  auto columns = shape.columns.extent.getConstant();
  auto matrices = shape.batch.extent.getConstant();
  if (!depth || !columns || !matrices || *depth < 1 || *columns < 1 ||
      *matrices < 1)
    return false;
  // One matrix for all of a batch is packed once.
  ExprAttr step = shape.batch.steps[1];
  if (*matrices > 1 && (!hasBatch || !step.isConstant() || step.isConstant(0)))
    return false;
  // Of runs and addresses no part may be known only in a call.
  for (const DimGroup *group : {&shape.sum, &shape.columns})
    for (const DimGroup::Run &run : group->runs)
      if (!run.extent.isConstant())
        return false;
  for (ExprAttr expr : {shape.addresses[1], shape.masks[1]}) {
    if (!expr)
      continue;
    SmallVector<StringAttr> symbols;
    guard::collectSymbols(expr, symbols);
    if (!symbols.empty())
      return false;
    // The only place in a window is 0 in every call.
    for (auto [dim, extent] : llvm::enumerate(op.getDomain().all()))
      if (!extent.isConstant(1) && !llvm::is_contained(shape.sum.dims, dim) &&
          !llvm::is_contained(shape.columns.dims, dim) &&
          !llvm::is_contained(shape.batch.dims, dim) &&
          guard::contains(expr, guard::getDim(op.getContext(), dim)))
        return false;
  }
  llvm::SetVector<Value> outside;
  getUsedValuesDefinedAbove(
      shape.exchanged ? op.getLhsPrologue() : op.getRhsPrologue(), outside);
  if (!outside.empty())
    return false;
  product.input = argument.getArgNumber();
  return !llvm::MulOverflow(
      *matrices, getPackedElements(product.schedule, *depth, *columns),
      product.elements);
}

SmallVector<PackableProduct, 0>
analysis::getPackableProducts(KernelOp kernel,
                              const KernelStrides &inputStrides) {
  SmallVector<PackableProduct, 0> found;
  auto add = [&](ContractOp op, const ContractionShape &shape,
                 PackedScheduleAttr schedule, bool hasBatch) {
    PackableProduct product{op, shape, schedule};
    if (fits(kernel, product, hasBatch))
      found.push_back(std::move(product));
  };
  if (auto packed =
          dyn_cast_or_null<PackedScheduleAttr>(kernel.getScheduleAttr())) {
    KernelLayout layout = getLayout(kernel, inputStrides);
    auto contracts = kernel.getBody().getOps<ContractOp>();
    if (!llvm::hasSingleElement(contracts))
      return found;
    ContractOp op = *contracts.begin();
    if (auto shape = analyzeContraction(op, layout.lookup(op.getLhs()),
                                        layout.lookup(op.getRhs())))
      add(op, *shape, packed, /*hasBatch=*/true);
    return found;
  }
  auto blocks = dyn_cast_or_null<BlocksScheduleAttr>(kernel.getScheduleAttr());
  // Columns that end at a limit are known only as the kernel runs.
  if (!blocks || getColumnLimit(kernel))
    return found;
  auto products =
      getBlockProducts(kernel, getBlockLayout(kernel, inputStrides));
  if (!products || products->size() != blocks.getProducts().size())
    return found;
  for (auto [product, schedule] :
       llvm::zip_equal(*products, blocks.getProducts()))
    if (!product.overRows)
      add(product.op, product.shape, cast<PackedScheduleAttr>(schedule),
          /*hasBatch=*/false);
  return found;
}
