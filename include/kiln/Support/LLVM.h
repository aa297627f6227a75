//===- LLVM.h - Names of LLVM and MLIR in namespace kiln --------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names of LLVM and MLIR that every file above the LLVM line uses, made
// visible in `kiln::`, so that code reads `Value`, not `mlir::Value`. Nothing
// below the line (kiln/{Base,Archive,Package,Runtime,Eager,Cache}) may include
// this header.
//
//   namespace kiln {
//   Value getSource(Operation *op) { return op->getOperand(0); }
//   } // namespace kiln
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SUPPORT_LLVM_H
#define KILN_SUPPORT_LLVM_H

#include "mlir/Support/LLVM.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

namespace mlir {
class AsmParser;
class AsmPrinter;
class Attribute;
class Block;
class Builder;
class DictionaryAttr;
class ImplicitLocOpBuilder;
class IRMapping;
class IRRewriter;
class InFlightDiagnostic;
class Location;
class MLIRContext;
class ModuleOp;
class NamedAttribute;
class NamedAttrList;
class OpAsmParser;
class OpAsmPrinter;
class OpBuilder;
class OpOperand;
class OpPassManager;
class OpResult;
class Operation;
class OperationName;
struct OperationState;
class PatternRewriter;
class RankedTensorType;
class Region;
class RewritePatternSet;
class RewriterBase;
class StringAttr;
class SymbolTable;
class Type;
class TypedAttr;
class TypeRange;
class Value;
class ValueRange;
} // namespace mlir

namespace kiln {

// Containers and views.
using llvm::ArrayRef;
using llvm::DenseMap;
using llvm::DenseSet;
using llvm::MutableArrayRef;
using llvm::SmallPtrSet;
using llvm::SmallString;
using llvm::SmallVector;
using llvm::SmallVectorImpl;
using llvm::StringRef;
using llvm::StringSwitch;
using llvm::Twine;
using llvm::function_ref;
using llvm::raw_ostream;

// Casting and iteration.
using llvm::cast;
using llvm::cast_if_present;
using llvm::cast_or_null;
using llvm::dyn_cast;
using llvm::dyn_cast_if_present;
using llvm::dyn_cast_or_null;
using llvm::isa;
using llvm::isa_and_nonnull;
using llvm::isa_and_present;

// Success and failure.
using llvm::LogicalResult;
using llvm::ParseResult;
using llvm::failed;
using llvm::failure;
using llvm::FailureOr;
using llvm::succeeded;
using llvm::success;

// The IR.
using mlir::AsmParser;
using mlir::AsmPrinter;
using mlir::Attribute;
using mlir::Block;
using mlir::Builder;
using mlir::DictionaryAttr;
using mlir::ImplicitLocOpBuilder;
using mlir::InFlightDiagnostic;
using mlir::IRMapping;
using mlir::IRRewriter;
using mlir::Location;
using mlir::MLIRContext;
using mlir::ModuleOp;
using mlir::NamedAttribute;
using mlir::NamedAttrList;
using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::OpBuilder;
using mlir::Operation;
using mlir::OperationName;
using mlir::OperationState;
using mlir::OpOperand;
using mlir::OpPassManager;
using mlir::OpResult;
using mlir::PatternRewriter;
using mlir::RankedTensorType;
using mlir::Region;
using mlir::RewritePatternSet;
using mlir::RewriterBase;
using mlir::StringAttr;
using mlir::SymbolTable;
using mlir::Type;
using mlir::TypedAttr;
using mlir::TypeRange;
using mlir::Value;
using mlir::ValueRange;

} // namespace kiln

#endif // KILN_SUPPORT_LLVM_H
