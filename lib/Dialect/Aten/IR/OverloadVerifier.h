//===- OverloadVerifier.h - Ops against their declarations ------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What has to hold before the arguments of an op can be read at all: how many
// operands it has, their types, and the kinds of its attributes. What the values
// mean together is inferred after that (Inference.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_ATEN_IR_OVERLOADVERIFIER_H
#define KILN_LIB_DIALECT_ATEN_IR_OVERLOADVERIFIER_H

#include "kiln/Dialect/Aten/IR/OpInfo.h"

namespace kiln::aten {

/// How many operands every op of the overload has; more are those of arguments of
/// variable length.
inline unsigned countFixedOperands(const OpInfo &info) {
  return llvm::count_if(info.args, [](const ArgInfo &arg) {
    return arg.isOperand() && !arg.isVariable();
  });
}

/// Compares operands, results and attributes of `op` with its record.
LogicalResult verifyDeclaration(Operation *op, const OpInfo &info);

/// Compares the attribute of a slot of the properties with its kind. A null one is
/// right.
LogicalResult verifyAttribute(const OpInfo &info, unsigned slot,
                              Attribute attribute,
                              function_ref<InFlightDiagnostic()> emitError);

/// Compares a dictionary of properties with what the record has.
LogicalResult verifyProperties(const OpInfo &info, DictionaryAttr properties,
                               function_ref<InFlightDiagnostic()> emitError);

} // namespace kiln::aten

#endif // KILN_LIB_DIALECT_ATEN_IR_OVERLOADVERIFIER_H
