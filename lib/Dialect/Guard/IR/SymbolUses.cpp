//===- SymbolUses.cpp - What guards speak of exists -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolUses.h"

#include "kiln/Dialect/Guard/IR/Guard.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace kiln;
using namespace kiln::guard;
using mlir::SymbolTable;
using mlir::SymbolTableCollection;

/// Symbols of a program are declared in its module; kernels have a module of
/// their own inside of it.
static bool isDeclared(Operation *op, StringAttr name,
                       SymbolTableCollection &tables) {
  for (Operation *table = SymbolTable::getNearestSymbolTable(op); table;
       table = table->getParentOp()
                   ? SymbolTable::getNearestSymbolTable(table->getParentOp())
                   : nullptr)
    if (llvm::isa_and_present<SymbolOp>(tables.lookupSymbolIn(table, name)))
      return true;
  return false;
}

static LogicalResult verifySymbols(Operation *op, ExprAttr expr,
                                   SymbolTableCollection &tables) {
  SmallVector<StringAttr> names;
  collectSymbols(expr, names);
  for (StringAttr name : names)
    if (!isDeclared(op, name, tables))
      return op->emitOpError()
             << "uses the symbol '" << name.getValue()
             << "', which no 'guard.symbol' declares";
  return success();
}

/// An input that is checked is there, and so is its dimension.
static LogicalResult verifyInputs(Operation *check,
                                  mlir::FunctionOpInterface function) {
  auto slot = check->getAttrOfType<mlir::IntegerAttr>("slot");
  if (!slot)
    return success();
  if (uint64_t(slot.getInt()) >= function.getNumArguments())
    return (check->emitOpError()
            << "checks input " << slot.getInt() << " of '"
            << function.getName() << "', expected one below "
            << function.getNumArguments())
               .attachNote(function.getLoc())
           << "the function is here";
  auto dim = check->getAttrOfType<mlir::IntegerAttr>("dim");
  if (!dim)
    return success();
  Type type = function.getArgumentTypes()[slot.getInt()];
  auto tensor = llvm::dyn_cast<RankedTensorType>(type);
  if (tensor && dim.getInt() < tensor.getRank())
    return success();
  return check->emitOpError() << "checks dimension " << dim.getInt()
                              << " of input " << slot.getInt()
                              << ", which is of type " << type;
}

namespace {
struct ProgramUses
    : mlir::SymbolUserOpInterface::ExternalModel<ProgramUses, ProgramOp> {
  LogicalResult verifySymbolUses(Operation *op,
                                 SymbolTableCollection &tables) const {
    auto program = llvm::cast<ProgramOp>(op);
    auto function = tables.lookupNearestSymbolFrom<mlir::FunctionOpInterface>(
        op, program.getFunctionAttr());
    if (!function)
      return program.emitOpError() << "checks the inputs of '"
                                   << program.getFunction()
                                   << "', but there is no such function";
    for (Operation &check : program.getBody().front()) {
      if (failed(verifyInputs(&check, function)))
        return failure();
      auto expr = check.getAttrOfType<ExprAttr>("expr");
      if (expr && failed(verifySymbols(&check, expr, tables)))
        return failure();
    }
    return success();
  }
};

struct ValueUses
    : mlir::SymbolUserOpInterface::ExternalModel<ValueUses, ValueOp> {
  LogicalResult verifySymbolUses(Operation *op,
                                 SymbolTableCollection &tables) const {
    return verifySymbols(op, llvm::cast<ValueOp>(op).getExpr(), tables);
  }
};

struct AssertUses
    : mlir::SymbolUserOpInterface::ExternalModel<AssertUses, AssertOp> {
  LogicalResult verifySymbolUses(Operation *op,
                                 SymbolTableCollection &tables) const {
    return verifySymbols(op, llvm::cast<AssertOp>(op).getCondition(), tables);
  }
};
} // namespace

void guard::attachSymbolUses(MLIRContext *context) {
  ProgramOp::attachInterface<ProgramUses>(*context);
  ValueOp::attachInterface<ValueUses>(*context);
  AssertOp::attachInterface<AssertUses>(*context);
}
