//===- NestAsm.h - What the text of nests has in common ---------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A nest is its domain, its body and its origins, in text and when it is built.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_IR_NESTASM_H
#define KILN_LIB_DIALECT_LOOP_IR_NESTASM_H

#include "LoopAsm.h"

namespace kiln::loop {

/// Adds a region with one block of `indices` index arguments to `state`.
void addBody(OpBuilder &builder, OperationState &state, unsigned indices);

/// Reduction kinds as an attribute.
mlir::ArrayAttr getKindArray(mlir::MLIRContext *context,
                             llvm::ArrayRef<ReductionKind> kinds);

/// Names the arguments of a body, which are indices from `first` on.
void nameIndices(mlir::Region &region, unsigned first,
                 mlir::OpAsmSetValueNameFn setName);

/// Names the arguments of the body and the combiner.
void nameAccumulationArguments(mlir::Region &region,
                               mlir::OpAsmSetValueNameFn setName);

/// `origins, {attributes} : types`, what stands before the body of every nest.
ParseResult parseTypes(OpAsmParser &parser, OperationState &result,
                       mlir::StringAttr originsName);
/// The same and the body, the end of every nest.
ParseResult parseTypesAndBody(OpAsmParser &parser, OperationState &result,
                              llvm::ArrayRef<OpAsmParser::Argument> arguments,
                              mlir::StringAttr originsName);
void printTypesAndBody(OpAsmPrinter &printer, Operation *op,
                       mlir::Region &body);

/// `<kinds> init(values : types)`, the end of a nest, `combine (...) {...}`.
ParseResult parseAccumulation(OpAsmParser &parser, OperationState &result,
                              llvm::ArrayRef<OpAsmParser::Argument> arguments,
                              mlir::StringAttr kindsName,
                              mlir::StringAttr originsName);
void printAccumulation(OpAsmPrinter &printer, AccumulationOpInterface op);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_IR_NESTASM_H
