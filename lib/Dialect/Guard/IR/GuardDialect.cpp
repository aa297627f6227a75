//===- GuardDialect.cpp - The guard dialect -------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolUses.h"

#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "kiln/Dialect/Guard/IR/Guard.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace kiln;
using namespace kiln::guard;

#include "kiln/Dialect/Guard/IR/GuardDialect.cpp.inc"
#include "kiln/Dialect/Guard/IR/GuardInterfaces.cpp.inc"

namespace {
/// Values and assertions mean the same in any function.
struct GuardInlinerInterface : mlir::DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void GuardDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Guard/IR/GuardOps.cpp.inc"
      >();
  addInterfaces<GuardInlinerInterface>();
  attachSymbolUses(getContext());
}

Operation *GuardDialect::materializeConstant(OpBuilder &builder,
                                             Attribute value, Type type,
                                             Location loc) {
  return mlir::arith::ConstantOp::materialize(builder, value, type, loc);
}

void guard::collectSymbolRanges(ModuleOp module, Assumptions &assumptions) {
  for (SymbolOp symbol : module.getOps<SymbolOp>()) {
    if (symbol.getIsFloat() || (!symbol.getMin() && !symbol.getMax()))
      continue;
    assumptions.setRange(
        getSymbol(module.getContext(), symbol.getSymName()),
        {symbol.getLowerBound(), symbol.getUpperBound()});
  }
}
