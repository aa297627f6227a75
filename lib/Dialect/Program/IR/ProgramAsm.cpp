//===- ProgramAsm.cpp - Expressions in the text of programs ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramAsm.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::program;

static void printOne(AsmPrinter &printer, guard::ExprAttr expr) {
  expr.printExpression(printer.getStream());
}

ParseResult program::parseExprs(AsmParser &parser,
                                SmallVectorImpl<guard::ExprAttr> &exprs) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return guard::parseExpression(parser, exprs.emplace_back());
  });
}

void program::printExprs(AsmPrinter &printer, ArrayRef<guard::ExprAttr> exprs) {
  printer << "[";
  llvm::interleaveComma(exprs, printer.getStream(), [&](guard::ExprAttr expr) {
    printOne(printer, expr);
  });
  printer << "]";
}

ParseResult program::parseExpr(OpAsmParser &parser, guard::ExprAttr &expr) {
  return guard::parseExpression(parser, expr);
}

void program::printExpr(OpAsmPrinter &printer, Operation *,
                        guard::ExprAttr expr) {
  printOne(printer, expr);
}

ParseResult program::parseExprList(OpAsmParser &parser, ArrayAttr &exprs) {
  SmallVector<guard::ExprAttr> list;
  if (parseExprs(parser, list))
    return failure();
  exprs = ArrayAttr::get(parser.getContext(),
                         SmallVector<Attribute>(list.begin(), list.end()));
  return success();
}

void program::printExprList(OpAsmPrinter &printer, Operation *,
                            ArrayAttr exprs) {
  printExprs(printer,
             llvm::map_to_vector(exprs.getAsRange<guard::ExprAttr>(),
                                 [](guard::ExprAttr expr) { return expr; }));
}

ParseResult program::parseAccess(OpAsmParser &parser,
                                 DenseBoolArrayAttr &writes) {
  SmallVector<bool> list;
  auto parseOne = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalKeyword("read")))
      list.push_back(false);
    else if (succeeded(parser.parseOptionalKeyword("write")))
      list.push_back(true);
    else
      return parser.emitError(parser.getCurrentLocation(),
                              "expected 'read' or 'write'");
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  writes = DenseBoolArrayAttr::get(parser.getContext(), list);
  return success();
}

void program::printAccess(OpAsmPrinter &printer, Operation *,
                          DenseBoolArrayAttr writes) {
  printer << "[";
  llvm::interleaveComma(writes.asArrayRef(), printer.getStream(),
                        [&](bool isWrite) {
                          printer << (isWrite ? "write" : "read");
                        });
  printer << "]";
}
