//===- RecomputableOpInterface.cpp - What running an op again costs -------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Interfaces/RecomputableOpInterface.h"

#include "kiln/Interfaces/LoopBodyOpInterface.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "kiln/Interfaces/RecomputableOpInterface.cpp.inc"

namespace kiln {

RecomputeClass getRecomputeClass(Operation *op) {
  if (auto known = llvm::dyn_cast<RecomputableOpInterface>(op))
    return known.getRecomputeClass();
  if (op->hasTrait<mlir::OpTrait::ConstantLike>())
    return RecomputeClass::Cheap;
  if (!mlir::isMemoryEffectFree(op) || op->getNumRegions() != 0)
    return RecomputeClass::Opaque;
  if (llvm::isa<mlir::ViewLikeOpInterface>(op))
    return RecomputeClass::View;
  // A number, or elements that depend on the elements at the same place.
  bool isScalar = llvm::none_of(op->getOperandTypes(), [](Type type) {
    return llvm::isa<mlir::ShapedType>(type);
  }) && llvm::none_of(op->getResultTypes(), [](Type type) {
    return llvm::isa<mlir::ShapedType>(type);
  });
  if (isScalar || llvm::isa<LoopBodyOpInterface>(op) ||
      op->hasTrait<mlir::OpTrait::Elementwise>())
    return RecomputeClass::Cheap;
  return RecomputeClass::Opaque;
}

void copyRecomputeTags(Operation *from, Operation *to) {
  for (StringRef name : {kRecomputeAttrName, kSaveAttrName})
    if (Attribute tag = from->getDiscardableAttr(name))
      if (!to->hasAttr(name))
        to->setDiscardableAttr(name, tag);
}

double getFlops(Operation *op, SizesFn sizesOf) {
  auto known = llvm::dyn_cast<RecomputableOpInterface>(op);
  return known ? known.getFlops(sizesOf) : 0;
}

bool comparesExactly(Operation *op) {
  auto known = llvm::dyn_cast<RecomputableOpInterface>(op);
  return known && known.comparesExactly();
}

OpOperand *getViewedOperand(Operation *op) {
  if (auto known = llvm::dyn_cast<RecomputableOpInterface>(op)) {
    int operand = known.getViewedOperand();
    if (operand < 0 || operand >= static_cast<int>(op->getNumOperands()))
      return nullptr;
    return &op->getOpOperand(operand);
  }
  if (auto view = llvm::dyn_cast<mlir::ViewLikeOpInterface>(op)) {
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get() == view.getViewSource())
        return &operand;
  }
  return nullptr;
}

} // namespace kiln
