//===- AtenControlOps.cpp - Ops that are no overloads ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/IR/AtenControlOps.h"
#include "kiln/Dialect/Guard/IR/SymbolEffects.h"

#include "mlir/IR/TypeUtilities.h"

using namespace kiln;
using namespace kiln::aten;

using mlir::ArrayAttr;
using mlir::TypeRange;

//===----------------------------------------------------------------------===//
// Unknown operators
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Operators that run graphs
//===----------------------------------------------------------------------===//

/// Equal up to how symbolic sizes are spelled.
static bool agree(Type a, Type b) {
  return mlir::getElementTypeOrSelf(a) == mlir::getElementTypeOrSelf(b) &&
         succeeded(mlir::verifyCompatibleShape(a, b));
}

/// C1: `body` takes `types`.
static LogicalResult verifyArguments(Operation *op, Region &body,
                                     StringRef name, ArrayRef<Type> types) {
  Block &block = body.front();
  if (block.getNumArguments() != types.size())
    return op->emitOpError()
           << "expects its " << name << " to take " << types.size()
           << " arguments, but found " << block.getNumArguments();
  for (auto [k, expected, found] :
       llvm::enumerate(types, block.getArgumentTypes()))
    if (!agree(expected, found))
      return op->emitOpError()
             << "expects argument " << k << " of its " << name
             << " to be of type " << expected << ", but found " << found;
  return success();
}

/// C2: `body` yields `types`.
static LogicalResult verifyYields(Operation *op, Region &body, StringRef name,
                                  ArrayRef<Type> types) {
  auto yield = llvm::dyn_cast<YieldOp>(body.front().back());
  if (!yield)
    return op->emitOpError()
           << "expects its " << name << " to end with 'aten.yield'";
  if (yield.getValues().size() != types.size())
    return op->emitOpError()
           << "expects its " << name << " to yield " << types.size()
           << " values, but found " << yield.getValues().size();
  for (auto [k, expected, found] :
       llvm::enumerate(types, yield.getValues().getTypes()))
    if (!agree(expected, found))
      return op->emitOpError()
             << "expects value " << k << " that its " << name
             << " yields to be of type " << expected << ", but found " << found;
  return success();
}

static bool isBool(Type type) {
  return mlir::getElementTypeOrSelf(type).isInteger(1);
}

/// The type of a slice along the first dimension; null if there is none.
static Type sliceOf(Type type) {
  auto tensor = llvm::cast<RankedTensorType>(type);
  if (tensor.getRank() == 0)
    return {};
  // The sizes that are left keep their expressions, which `agree` ignores.
  return RankedTensorType::get(tensor.getShape().drop_front(),
                               tensor.getElementType());
}

//===----------------------------------------------------------------------===//
// CondOp
//===----------------------------------------------------------------------===//

LogicalResult CondOp::verify() {
  if (!isBool(getPredicate().getType())) // C3
    return emitOpError() << "expects a predicate of type i1, but found "
                         << getPredicate().getType();
  return success();
}

LogicalResult CondOp::verifyRegions() {
  SmallVector<Type> arguments(getInputs().getTypes());
  SmallVector<Type> results(getResultTypes());
  for (auto [body, name] : {std::pair(&getThenBody(), "'then'"),
                            std::pair(&getElseBody(), "'else'")})
    if (failed(verifyArguments(*this, *body, name, arguments)) ||
        failed(verifyYields(*this, *body, name, results)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// WhileLoopOp
//===----------------------------------------------------------------------===//

LogicalResult WhileLoopOp::verify() {
  if (getCarried().size() != getNumResults()) // C2
    return emitOpError() << "carries " << getCarried().size()
                         << " tensors, but has " << getNumResults()
                         << " results";
  for (auto [k, carried, result] :
       llvm::enumerate(getCarried().getTypes(), getResultTypes()))
    if (!agree(carried, result)) // C2
      return emitOpError() << "expects result " << k << " to be of type "
                           << carried << ", but found " << result;
  return success();
}

LogicalResult WhileLoopOp::verifyRegions() {
  SmallVector<Type> arguments(getOperandTypes());
  if (failed(verifyArguments(*this, getCondition(), "'cond'", arguments)) ||
      failed(verifyArguments(*this, getBody(), "'do'", arguments)) ||
      failed(verifyYields(*this, getBody(), "'do'",
                          SmallVector<Type>(getResultTypes()))))
    return failure();
  auto yield = llvm::dyn_cast<YieldOp>(getCondition().front().back());
  if (!yield || yield.getValues().size() != 1 ||
      !isBool(yield.getValues()[0].getType())) // C3
    return emitOpError("expects its 'cond' to yield one value of type i1");
  return success();
}

//===----------------------------------------------------------------------===//
// ScanOp and MapOp
//===----------------------------------------------------------------------===//

/// C3 of a scan and a map.
static LogicalResult verifyScanned(Operation *op, mlir::ValueRange scanned) {
  if (scanned.empty())
    return op->emitOpError("expects at least one tensor to take slices of");
  for (Type type : scanned.getTypes())
    if (!sliceOf(type))
      return op->emitOpError()
             << "cannot take slices of " << type << ", which has no dimension";
  return success();
}

static LogicalResult verifyScan(Operation *op, Region &body,
                                mlir::ValueRange carried,
                                mlir::ValueRange scanned,
                                mlir::ValueRange extras) {
  SmallVector<Type> arguments(carried.getTypes());
  for (Type type : scanned.getTypes())
    arguments.push_back(sliceOf(type));
  llvm::append_range(arguments, extras.getTypes());
  SmallVector<Type> yields;
  for (auto [k, type] : llvm::enumerate(op->getResultTypes())) {
    Type slice = k < carried.size() ? type : sliceOf(type);
    if (!slice)
      return op->emitOpError()
             << "cannot stack slices in result " << k << " of type " << type;
    yields.push_back(slice);
  }
  if (failed(verifyArguments(op, body, "'do'", arguments)))
    return failure();
  return verifyYields(op, body, "'do'", yields);
}

LogicalResult ScanOp::verify() {
  if (getNumResults() < getCarried().size()) // C2
    return emitOpError() << "carries " << getCarried().size()
                         << " tensors, but has " << getNumResults()
                         << " results";
  for (auto [k, carried] : llvm::enumerate(getCarried().getTypes()))
    if (!agree(carried, getResult(k).getType())) // C2
      return emitOpError() << "expects result " << k << " to be of type "
                           << carried << ", but found "
                           << getResult(k).getType();
  return verifyScanned(*this, getScanned());
}

LogicalResult ScanOp::verifyRegions() {
  return verifyScan(*this, getBody(), getCarried(), getScanned(), getExtras());
}

LogicalResult MapOp::verify() { return verifyScanned(*this, getScanned()); }

LogicalResult MapOp::verifyRegions() {
  return verifyScan(*this, getBody(), {}, getScanned(), getExtras());
}

#define GET_OP_CLASSES
#include "kiln/Dialect/Aten/IR/AtenControlOps.cpp.inc"

void AtenDialect::registerControlOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Aten/IR/AtenControlOps.cpp.inc"
      >();
}
