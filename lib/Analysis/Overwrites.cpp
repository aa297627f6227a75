//===- Overwrites.cpp - What a kernel may write over what it reads --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Analysis/KernelLayout.h"
#include "kiln/Analysis/StoredRows.h"
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

/// True if nothing reads an element of `argument` behind where `writer` has the element of
/// the same place, or of another row.
static bool isReadBefore(KernelOp kernel, Value argument,
                         NestOpInterface writer) {
  for (NestOpInterface nest : kernel.getNests()) {
    for (const analysis::Access &access : analysis::getReads(nest)) {
      if (access.tensor != argument)
        continue;
      if (writer->isBeforeInBlock(nest))
        return false; // reads what is overwritten already
      if (nest == writer ? !access.isIdentity() || access.indirect
                         : !readsOwnRow(kernel, nest, access))
        return false; // reads elements of other rows
    }
  }
  return true;
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
  Value result = body.getTerminator()->getOperand(index);
  // A part has its place already, and elements of others between its own.
  if (analysis::isPart(result))
    return false;
  auto writer = result.getDefiningOp<NestOpInterface>();
  // A scatter copies what it starts from, if it is not there already, and reads
  // nothing else of it.
  auto scatter = dyn_cast_if_present<ScatterOp>(writer.getOperation());
  bool isUpdate = scatter && scatter.getInit() == argument;
  if (!writer || (!writer.isPointwise() && !isUpdate))
    return false;
  if (isUpdate) // its points are visited in another order
    return llvm::none_of(kernel.getNests(), [&](NestOpInterface nest) {
      return llvm::any_of(analysis::getReads(nest),
                          [&](const analysis::Access &access) {
                            return access.tensor == argument;
                          });
    });
  return isReadBefore(kernel, argument, writer);
}

/// True if `result`, of `kernel`, may be written where `writer` has its elements, whatever
/// input it is placed over.
static bool mayBeWrittenIn(KernelOp kernel, unsigned result,
                           NestOpInterface writer) {
  Block &body = kernel.getBody().front();
  for (auto [input, argument] : llvm::enumerate(body.getArguments()))
    if (mayOverwrite(kernel, result, input) &&
        !isReadBefore(kernel, argument, writer))
      return false;
  return true;
}

/// True if `row` is stored by a pointwise nest, and read for the last time by the pointwise
/// nest `last`, element by element.
static bool isReadLastBy(KernelOp kernel, Value row, NestOpInterface last) {
  auto writer = row.getDefiningOp<NestOpInterface>();
  if (!writer || !writer.isPointwise() || !writer->isBeforeInBlock(last))
    return false;
  bool isRead = false;
  for (NestOpInterface nest : kernel.getNests()) {
    for (const analysis::Access &access : analysis::getReads(nest)) {
      if (access.tensor != row)
        continue;
      if (last->isBeforeInBlock(nest) ||
          (nest == last && (!access.isIdentity() || access.indirect)))
        return false;
      isRead |= nest == last;
    }
  }
  return isRead;
}

Value analysis::getPlaceOfRow(KernelOp kernel, Value row) {
  if (getRowParts(kernel))
    return {};
  Block &body = kernel.getBody().front();
  auto isPlaceOf = [&](unsigned number, Value stored) {
    Value result = body.getTerminator()->getOperand(number);
    auto last = result.getDefiningOp<NestOpInterface>();
    return last && last.isPointwise() && !analysis::isPart(result) &&
           stored.getType() == result.getType() &&
           result.getType() == kernel.getResult(number).getType() &&
           isReadLastBy(kernel, stored, last) &&
           mayBeWrittenIn(kernel, number,
                          stored.getDefiningOp<NestOpInterface>());
  };
  for (unsigned number = 0; number < kernel.getNumResults(); ++number) {
    if (!isPlaceOf(number, row))
      continue;
    // One of them has the place: the first.
    for (NestOpInterface nest : kernel.getNests())
      for (Value stored : nest->getResults())
        if (isPlaceOf(number, stored))
          return stored == row ? body.getTerminator()->getOperand(number)
                               : Value();
  }
  return {};
}

DenseI64ArrayAttr analysis::getOverwrites(KernelOp kernel) {
  // A tile is stored while others are made of what lies where it goes.
  if (isa_and_nonnull<GPUProductScheduleAttr>(kernel.getScheduleAttr()))
    return {};
  SmallVector<int64_t> pairs;
  for (unsigned result = 0; result < kernel.getNumResults(); ++result)
    for (unsigned input = 0; input < kernel.getInputs().size(); ++input)
      if (mayOverwrite(kernel, result, input))
        pairs.append({result, input});
  if (pairs.empty())
    return {};
  return DenseI64ArrayAttr::get(kernel.getContext(), pairs);
}
