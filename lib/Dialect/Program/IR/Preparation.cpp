//===- Preparation.cpp - What depends on weights alone --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The preparation of a program are its launches that write `prepared` buffers.
// The runtime leaves them out of a call whose weights are those of the call
// before, so nothing they read may be written in between, and nothing they
// write is written by anybody else.
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Program/IR/Program.h"

#include "Writes.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::program;

bool program::writesOperand(OpOperand &use) {
  Operation *op = use.getOwner();
  unsigned number = use.getOperandNumber();
  if (auto launch = dyn_cast<LaunchOp>(op))
    return launch.getWrites()[number];
  if (auto copy = dyn_cast<CopyOp>(op))
    return use.get() == copy.getTarget();
  auto call = dyn_cast<CallOp>(op);
  if (!call || call.getArguments().empty())
    return false;
  // "aten.add_.Tensor"; see kiln/Runtime/Operator.h.
  StringRef name = call.getOverload().split('.').second.split('.').first;
  bool isFound = false;
  if (name.ends_with("_"))
    call.getArguments()[0].walk([&](OperandAttr operand) {
      isFound |= operand.getIndex() == int64_t(number);
    });
  return isFound;
}

/// True if a step writes to a buffer, to a view of it, or to what a call or a
/// body may have returned of it.
static bool isWritten(Value buffer) {
  SmallVector<Value> names = {buffer};
  llvm::DenseSet<Value> seen;
  while (!names.empty())
    for (OpOperand &use : names.pop_back_val().getUses()) {
      if (writesOperand(use))
        return true;
      if (isa<ViewOp, CallOp, InvokeOp>(use.getOwner()))
        for (Value result : use.getOwner()->getResults())
          if (isa<BufferType>(result.getType()) && seen.insert(result).second)
            names.push_back(result);
    }
  return false;
}

bool program::staysTheSame(SlotOp slot) {
  if (slot.getKind() != SlotKind::Parameter &&
      slot.getKind() != SlotKind::Buffer &&
      slot.getKind() != SlotKind::Constant)
    return false;
  auto function = slot->getParentOfType<FuncOp>();
  ReturnOp returned = function.getReturn();
  return llvm::none_of(
             returned.getOutputs().getAsRange<OutputAttr>(),
             [&](OutputAttr output) {
               return returned.getTarget(output) == slot;
             }) &&
         !isWritten(slot.getResult());
}

Value program::getRoot(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewOp>())
    buffer = view.getBase();
  return buffer;
}

Value program::getFixedRoot(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewOp>()) {
    auto size = view.getType().getByteSize();
    if (!view.getOffset().isConstant() || !size || !size->isConstant())
      return {};
    buffer = view.getBase();
  }
  return buffer;
}

bool program::dependsOnSymbols(LaunchOp launch) {
  bool found = false;
  for (NamedAttribute attribute : launch->getAttrs())
    attribute.getValue().walk([&](guard::ExprAttr expr) {
      SmallVector<StringAttr> names;
      guard::collectSymbols(expr, names);
      found |= !names.empty();
    });
  return found;
}

static AllocOp getPrepared(Value buffer) {
  auto alloc = getRoot(buffer).getDefiningOp<AllocOp>();
  return alloc && alloc.getIsPrepared() ? alloc : AllocOp();
}

bool LaunchOp::isPreparation() {
  for (auto [buffer, isWritten] : llvm::zip_equal(getBuffers(), getWrites()))
    if (isWritten && getPrepared(buffer))
      return true;
  return false;
}

/// What a preparation reads is there before any call, and stays.
static bool isLasting(Value buffer) {
  Value root = getFixedRoot(buffer);
  if (!root)
    return false;
  auto slot = root.getDefiningOp<SlotOp>();
  return slot ? staysTheSame(slot)
              : root.getDefiningOp<GetOp>() || getPrepared(root);
}

static LogicalResult verifyLaunch(LaunchOp launch) {
  if (dependsOnSymbols(launch))
    return launch.emitOpError("prepares a buffer and depends on symbols");
  for (auto [k, buffer] : llvm::enumerate(launch.getBuffers()))
    if (launch.getWrites()[k] ? !getPrepared(buffer) || !getFixedRoot(buffer)
                              : !isLasting(buffer))
      return launch.emitOpError("prepares a buffer and ")
             << (launch.getWrites()[k] ? "writes" : "reads") << " operand " << k
             << (launch.getWrites()[k]
                     ? ", which is not prepared, or in no fixed place"
                     : ", expected a weight that stays, a constant or a "
                       "prepared buffer");
  return success();
}

LogicalResult program::verifyPreparation(FuncOp function) {
  llvm::DenseMap<AllocOp, Operation *> writers;
  for (Operation &op : function.getBody().front()) {
    auto launch = dyn_cast<LaunchOp>(op);
    if (launch && launch.isPreparation() && failed(verifyLaunch(launch)))
      return failure();
    for (auto [k, operand] : llvm::enumerate(op.getOperands())) {
      AllocOp alloc = getPrepared(operand);
      if (!alloc || isa<ViewOp>(op))
        continue;
      if (!launch)
        return op.emitOpError("uses operand ")
               << k << ", which is prepared; expected launches alone";
      if (launch.getWrites()[k] && !writers.try_emplace(alloc, launch).second)
        return launch.emitOpError("writes operand ")
               << k << ", which is prepared by another launch";
    }
  }
  for (auto alloc : function.getBody().getOps<AllocOp>())
    if (alloc.getIsPrepared() &&
        !llvm::all_of(alloc.getType().getSizes(),
                      [](guard::ExprAttr size) { return size.isConstant(); }))
      return alloc.emitOpError("is prepared, expected sizes that are numbers");
  return success();
}
