//===- StreamedResults.cpp - Results that caches would not keep -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamedResults.h"

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Analysis/KernelLayout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

/// The size of a tensor, if it is known.
static std::optional<int64_t> countBytes(RankedTensorType type) {
  auto dims = guard::getDims(type);
  if (!dims)
    return std::nullopt;
  auto elements = guard::getNumElements(type.getContext(), *dims).getConstant();
  if (!elements || *elements < 0)
    return std::nullopt;
  uint64_t bytes = llvm::SaturatingMultiply<uint64_t>(
      *elements, analysis::getElementBytes(type.getElementType()));
  return std::min<uint64_t>(bytes, INT64_MAX);
}

/// True if nothing behind `kernel` uses `value`.
static bool isLastUse(KernelOp kernel, Value value) {
  return llvm::none_of(value.getUsers(), [&](Operation *user) {
    Operation *other = kernel->getBlock()->findAncestorOpInBlock(*user);
    return !other || (other != kernel && kernel->isBeforeInBlock(other));
  });
}

/// True if `result` is for the caller of the function alone: no kernel reads
/// it, and its memory is not what another tensor had before.
static bool isForCaller(KernelOp kernel, Value result) {
  return isa<func::FuncOp>(kernel->getParentOp()) && !result.use_empty() &&
         llvm::all_of(result.getUsers(), [](Operation *user) {
           return isa<func::ReturnOp>(user);
         });
}

/// True if memory is planned so that `result`, which is for the caller, lies
/// where `input` did, which nothing reads afterwards: what a forward saved, or
/// what the result is the new contents of.
static bool liesOver(KernelOp kernel, Value result, Value input) {
  auto argument = dyn_cast<BlockArgument>(input);
  if (!argument || !isLastUse(kernel, input))
    return false;
  auto function = cast<func::FuncOp>(kernel->getParentOp());
  if (function.getArgAttr(argument.getArgNumber(), kSavedAttrName))
    return true;
  return llvm::any_of(result.getUses(), [&](OpOperand &use) {
    auto updated = function.getResultAttrOfType<IntegerAttr>(
        use.getOperandNumber(), kUpdatesAttrName);
    return updated && updated.getValue() == argument.getArgNumber();
  });
}

/// True if the kernel stores the result once, and never loads it.
static bool isStoredOnly(KernelOp kernel, unsigned number) {
  Value value = kernel.getBody().front().getTerminator()->getOperand(number);
  auto writer = value.getDefiningOp<NestOpInterface>();
  if (!writer || !writer.isPointwise() ||
      value.getType() != kernel.getResult(number).getType())
    return false;
  // One value per point of the shared domain stays in a register.
  auto type = cast<RankedTensorType>(value.getType());
  return type.getRank() == int64_t(kernel.getShared().size()) ||
         llvm::hasSingleElement(value.getUses());
}

SmallVector<int64_t> loop::getStreamedResults(KernelOp kernel, int64_t least) {
  SmallVector<int64_t> numbers;
  if (least <= 0)
    return numbers;
  for (auto [number, result] : llvm::enumerate(kernel.getResults())) {
    auto bytes = countBytes(cast<RankedTensorType>(result.getType()));
    if (bytes && *bytes >= least && isForCaller(kernel, result) &&
        isStoredOnly(kernel, number))
      numbers.push_back(number);
  }
  if (numbers.empty())
    return numbers;
  DenseI64ArrayAttr overwrites = analysis::getOverwrites(kernel);
  ArrayRef<int64_t> pairs =
      overwrites ? overwrites.asArrayRef() : ArrayRef<int64_t>();
  llvm::erase_if(numbers, [&](int64_t number) {
    for (size_t k = 0; k < pairs.size(); k += 2)
      if (pairs[k] == number && liesOver(kernel, kernel.getResult(number),
                                         kernel.getInputs()[pairs[k + 1]]))
        return true;
    return false;
  });
  return numbers;
}
