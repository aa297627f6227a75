//===- SymbolUses.cpp - What guards speak of exists -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolUses.h"

#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Dialect/Guard/IR/GuardedOpInterface.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "kiln/Dialect/Guard/IR/GuardedOpInterface.cpp.inc"

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

namespace {
/// The inputs of a function, or of what it became.
struct Inputs {
  Operation *owner;
  SmallVector<Type> types;

  std::optional<uint64_t> getRank(unsigned slot) const {
    if (auto guarded = llvm::dyn_cast<GuardedOpInterface>(owner))
      return guarded.getInputRank(slot);
    auto tensor = llvm::dyn_cast<RankedTensorType>(types[slot]);
    return tensor ? std::optional<uint64_t>(tensor.getRank()) : std::nullopt;
  }
};
} // namespace

/// Nothing if there is no such function.
static std::optional<Inputs> findInputs(ProgramOp program,
                                        SymbolTableCollection &tables) {
  Operation *owner = tables.lookupNearestSymbolFrom(program.getOperation(),
                                                    program.getFunctionAttr());
  if (auto function = llvm::dyn_cast_if_present<mlir::FunctionOpInterface>(owner))
    return Inputs{owner, llvm::to_vector(function.getArgumentTypes())};
  if (auto guarded = llvm::dyn_cast_if_present<GuardedOpInterface>(owner))
    return Inputs{owner, guarded.getInputTypes()};
  return std::nullopt;
}

/// An input that is checked is there, and so is its dimension.
static LogicalResult verifyInputs(Operation *check, const Inputs &inputs) {
  auto slot = check->getAttrOfType<mlir::IntegerAttr>("slot");
  if (!slot)
    return success();
  if (uint64_t(slot.getInt()) >= inputs.types.size())
    return (check->emitOpError()
            << "checks input " << slot.getInt() << " of '"
            << SymbolTable::getSymbolName(inputs.owner).getValue()
            << "', expected one below " << inputs.types.size())
               .attachNote(inputs.owner->getLoc())
           << "the function is here";
  auto dim = check->getAttrOfType<mlir::IntegerAttr>("dim");
  if (!dim)
    return success();
  auto rank = inputs.getRank(slot.getInt());
  if (rank && dim.getInt() >= 0 && uint64_t(dim.getInt()) < *rank)
    return success();
  return check->emitOpError() << "checks dimension " << dim.getInt()
                              << " of input " << slot.getInt()
                              << ", which is of type "
                              << inputs.types[slot.getInt()];
}

namespace {
struct ProgramUses
    : mlir::SymbolUserOpInterface::ExternalModel<ProgramUses, ProgramOp> {
  LogicalResult verifySymbolUses(Operation *op,
                                 SymbolTableCollection &tables) const {
    auto program = llvm::cast<ProgramOp>(op);
    std::optional<Inputs> inputs = findInputs(program, tables);
    if (!inputs)
      return program.emitOpError() << "checks the inputs of '"
                                   << program.getFunction()
                                   << "', but there is no such function";
    for (Operation &check : program.getBody().front()) {
      if (failed(verifyInputs(&check, *inputs)))
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
