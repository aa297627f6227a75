//===- Guard.h - The guard dialect ------------------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One header for the dialect: attributes, builders of expressions, shape
// helpers and ops. Expressions alone are in kiln/Dialect/Guard/IR/Expr.h.
//
//   Assumptions assumptions;
//   collectSymbolRanges(module, assumptions);  // of all `guard.symbol`
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_GUARD_IR_GUARD_H
#define KILN_DIALECT_GUARD_IR_GUARD_H

#include "kiln/ABI/GuardABI.h"
#include "kiln/Dialect/Guard/IR/Expr.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "kiln/Dialect/Guard/IR/GuardDialect.h.inc"

namespace kiln::guard {
/// Refuses a check whose `expr` is no integer over symbols.
LogicalResult verifyCheck(Operation *check);
} // namespace kiln::guard

#include "kiln/Dialect/Guard/IR/GuardInterfaces.h.inc"

#define GET_OP_CLASSES
#include "kiln/Dialect/Guard/IR/GuardOps.h.inc"

namespace kiln::guard {

/// Parses an expression without `#guard.expr<...>` around it, for ops that show
/// sizes among their arguments. It prints with `ExprAttr::printExpression`.
ParseResult parseExpression(AsmParser &parser, ExprAttr &expr);

/// Fills `assumptions` with the ranges of all symbols declared in `module`.
void collectSymbolRanges(ModuleOp module, Assumptions &assumptions);

} // namespace kiln::guard

#endif // KILN_DIALECT_GUARD_IR_GUARD_H
