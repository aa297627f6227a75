//===- Overwrites.cpp - What a kernel may write over what it reads --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Analysis/KernelLayout.h"
#include "kiln/Dialect/Loop/IR/RowParts.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

/// True if `nest` reads rows of its own work item: an earlier row of it may be
/// overwritten by then, so of these it reads the one at hand.
static bool readsOwnRow(KernelOp kernel, NestOpInterface nest,
                        const analysis::Access &access) {
  if (auto parts = getRowParts(kernel, nest))
    return loop::readsOwnRow(cast<ReduceOp>(nest.getOperation()), access.load,
                             *parts);
  return access.getAlignment() >= kernel.getShared().size();
}

/// True if the result `index` may be written over the input `input`.
static bool mayOverwrite(KernelOp kernel, unsigned index, unsigned input) {
  auto from = cast<RankedTensorType>(kernel.getInputs()[input].getType());
  auto to = cast<RankedTensorType>(kernel.getResultTypes()[index]);
  if (guard::getDims(from) != guard::getDims(to) ||
      analysis::getElementBytes(from.getElementType()) !=
          analysis::getElementBytes(to.getElementType()))
    return false;
  if (llvm::count(kernel.getInputs(), kernel.getInputs()[input]) != 1)
    return false;
  Block &body = kernel.getBody().front();
  Value argument = body.getArgument(input);
  auto writer = body.getTerminator()
                    ->getOperand(index)
                    .getDefiningOp<NestOpInterface>();
  // A scatter copies what it starts from, if it is not there already, and reads
  // nothing else of it.
  auto scatter = dyn_cast_if_present<ScatterOp>(writer.getOperation());
  bool isUpdate = scatter && scatter.getInit() == argument;
  if (!writer || (!writer.isPointwise() && !isUpdate))
    return false;
  for (NestOpInterface nest : kernel.getNests()) {
    for (const analysis::Access &access : analysis::getReads(nest)) {
      if (access.tensor != argument)
        continue;
      if (isUpdate)
        return false; // its points are visited in another order
      if (writer->isBeforeInBlock(nest))
        return false; // reads what is overwritten already
      if (nest == writer ? !access.isIdentity() || access.indirect
                        : !readsOwnRow(kernel, nest, access))
        return false; // reads elements of other rows
    }
  }
  return true;
}

DenseI64ArrayAttr analysis::getOverwrites(KernelOp kernel) {
  SmallVector<int64_t> pairs;
  for (unsigned result = 0; result < kernel.getNumResults(); ++result)
    for (unsigned input = 0; input < kernel.getInputs().size(); ++input)
      if (mayOverwrite(kernel, result, input))
        pairs.append({result, input});
  if (pairs.empty())
    return {};
  return DenseI64ArrayAttr::get(kernel.getContext(), pairs);
}
