//===- LoopAsm.h - Expressions in the text of loop ops ----------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expressions are written without `#guard.expr<...>` in the ops of this
// dialect, and in a load their leaves are SSA values:
//
//   expr   := '-'? term (('+' | '-') term)*
//   term   := factor ('*' factor)*
//   factor := integer | '(' expr ')' | function '(' expr (',' expr)* ')'
//           | symbol | "symbol" | d<k> | %value
//
// Where `%value` is allowed, `d<k>` is not, and the reverse.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_IR_LOOPASM_H
#define KILN_LIB_DIALECT_LOOP_IR_LOOPASM_H

#include "kiln/Dialect/Loop/IR/Loop.h"

namespace kiln::loop {

using Operands = SmallVectorImpl<OpAsmParser::UnresolvedOperand>;

/// Parses one expression. With `operands`, leaves are SSA values, which are
/// appended to it (each once) and numbered by their position there.
ParseResult parseIndexExpression(AsmParser &parser, guard::ExprAttr &expr,
                            Operands *operands = nullptr);
/// Parses `[expr, ...]`.
ParseResult parseExpressions(AsmParser &parser, mlir::ArrayAttr &exprs,
                             Operands *operands = nullptr);

/// Prints an expression, `d<k>` as the name of `values[k]` if there are any.
void printExpression(OpAsmPrinter &printer, guard::ExprAttr expr,
                     mlir::OperandRange values);
void printExpressions(OpAsmPrinter &printer, mlir::ArrayAttr exprs,
                      mlir::OperandRange values);
void printExpressions(OpAsmPrinter &printer, mlir::ArrayAttr exprs);

// The names that declarative formats use.
ParseResult parseExpr(OpAsmParser &parser, guard::ExprAttr &expr);
void printExpr(OpAsmPrinter &printer, Operation *op, guard::ExprAttr expr);
ParseResult parseExprList(OpAsmParser &parser, mlir::ArrayAttr &exprs);
void printExprList(OpAsmPrinter &printer, Operation *op, mlir::ArrayAttr exprs);

/// `(%i, %j) in [4, 8]`: arguments of a body and their extents.
ParseResult parseDomain(OpAsmParser &parser,
                        SmallVectorImpl<OpAsmParser::Argument> &arguments,
                        mlir::ArrayAttr &extents);
void printDomain(OpAsmPrinter &printer, Block::BlockArgListType arguments,
                 mlir::ArrayAttr extents);

/// ` origins ["exp", "div"]`, or nothing.
ParseResult parseOrigins(OpAsmParser &parser, OperationState &result,
                         StringAttr name);
void printOrigins(OpAsmPrinter &printer, mlir::ArrayAttr origins);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_IR_LOOPASM_H
