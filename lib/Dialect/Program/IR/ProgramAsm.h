//===- ProgramAsm.h - Expressions in the text of programs -------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names that declarative formats use: expressions stand in the text without
// `#guard.expr<...>`.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_PROGRAM_IR_PROGRAMASM_H
#define KILN_LIB_DIALECT_PROGRAM_IR_PROGRAMASM_H

#include "kiln/Dialect/Program/IR/Program.h"

namespace kiln::program {

/// `[expr, ...]`
ParseResult parseExprs(mlir::AsmParser &parser,
                       SmallVectorImpl<guard::ExprAttr> &exprs);
void printExprs(mlir::AsmPrinter &printer, ArrayRef<guard::ExprAttr> exprs);

ParseResult parseExpr(OpAsmParser &parser, guard::ExprAttr &expr);
void printExpr(OpAsmPrinter &printer, Operation *op, guard::ExprAttr expr);
ParseResult parseExprList(OpAsmParser &parser, mlir::ArrayAttr &exprs);
void printExprList(OpAsmPrinter &printer, Operation *op, mlir::ArrayAttr exprs);

/// `[read, write]`
ParseResult parseAccess(OpAsmParser &parser, mlir::DenseBoolArrayAttr &writes);
void printAccess(OpAsmPrinter &printer, Operation *op,
                 mlir::DenseBoolArrayAttr writes);

} // namespace kiln::program

#endif // KILN_LIB_DIALECT_PROGRAM_IR_PROGRAMASM_H
