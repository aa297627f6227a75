//===- AtenProgramOps.cpp - Numbers, assertions, unknown operators -------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/IR/AtenProgramOps.h"
#include "kiln/Dialect/Guard/IR/SymbolEffects.h"

using namespace kiln;
using namespace kiln::aten;

using mlir::ArrayAttr;

/// The operands that an argument names, an argument being an attribute, an
/// operand or a list of both.
static LogicalResult verifyArgument(OperatorOp op, Attribute argument) {
  if (auto list = llvm::dyn_cast<ArrayAttr>(argument)) {
    for (Attribute element : list)
      if (failed(verifyArgument(op, element)))
        return failure();
    return success();
  }
  auto operand = llvm::dyn_cast<OperandAttr>(argument);
  if (!operand || operand.getIndex() < op.getInputs().size()) // C2
    return success();
  return op.emitOpError() << "has " << op.getInputs().size()
                          << " operands, but an argument names operand "
                          << operand.getIndex();
}

LogicalResult OperatorOp::verify() {
  if (!getName().contains("::")) // C1
    return emitOpError() << "expects a name with a namespace "
                            "(\"mylib::scale\"), but found \""
                         << getName() << "\"";
  return verifyArgument(*this, getArgs());
}

#define GET_OP_CLASSES
#include "kiln/Dialect/Aten/IR/AtenProgramOps.cpp.inc"

void AtenDialect::registerProgramOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Aten/IR/AtenProgramOps.cpp.inc"
      >();
}
