//===- Program.h - The program dialect --------------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One header for the dialect: types, attributes, ops, and the order in which a
// package lists what stands in a `program.func`.
//
//   for (auto function : module.getOps<program::FuncOp>())
//     if (failed(program::verifyMemory(function)))
//       return failure();
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_PROGRAM_IR_PROGRAM_H
#define KILN_DIALECT_PROGRAM_IR_PROGRAM_H

#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Dialect/Guard/IR/GuardedOpInterface.h"
#include "kiln/Dialect/Program/IR/Arena.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "kiln/Dialect/Program/IR/ProgramDialect.h.inc"

#include "kiln/Dialect/Program/IR/ProgramEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "kiln/Dialect/Program/IR/ProgramTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "kiln/Dialect/Program/IR/ProgramAttrs.h.inc"

#define GET_OP_CLASSES
#include "kiln/Dialect/Program/IR/ProgramOps.h.inc"

namespace kiln::program {

/// Modules of a GPU's kernels: with addresses of 32 bits and of 64 bits. A kernel has
/// the same name in both; in an image that of the wide one ends with the suffix.
inline constexpr llvm::StringLiteral kKernels = "kernels",
                                     kWideKernels = "kernels_64",
                                     kWideSuffix = "$64";

/// The bytes of a resource; nothing where the text has left them out.
std::optional<llvm::ArrayRef<char>> getBytes(mlir::ElementsAttr value);

/// `bytes` rounded up to the alignment, as an expression.
guard::ExprAttr alignBytes(guard::ExprAttr bytes);

/// No two buffers of `function` hold at the same time what is still to be read,
/// in the same bytes. Reports the first step that reads what has been written
/// over, and the step that did it.
LogicalResult verifyMemory(FuncOp function);

/// True for what a caller passes as a weight and no output of its program changes: its
/// contents are the same in all calls, until the caller sets others.
bool staysTheSame(SlotOp slot);

/// What `buffer` is a view of, or itself.
mlir::Value getRoot(mlir::Value buffer);

/// The same; null if where the view lies depends on symbols.
mlir::Value getFixedRoot(mlir::Value buffer);

/// True if an expression of `launch` names a symbol.
bool dependsOnSymbols(LaunchOp launch);

/// What `function` prepares depends on weights alone, and nobody changes it.
LogicalResult verifyPreparation(FuncOp function);

/// Each expression of `function` is evaluated when its symbols have their values.
LogicalResult verifySymbols(FuncOp function);

/// What `backward` takes is what `forward` saves, and of the same types.
LogicalResult verifyTraining(FuncOp forward, FuncOp backward);

} // namespace kiln::program

#endif // KILN_DIALECT_PROGRAM_IR_PROGRAM_H
