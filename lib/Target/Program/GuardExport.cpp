//===- GuardExport.cpp - guard.program as a flat table --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Target/ProgramExport.h"

#include "ExprTable.h"

#include "kiln/Dialect/Guard/IR/ElementTypes.h"
#include "kiln/Package/ExprEvaluator.h"

using namespace kiln;
using namespace kiln::target;
using package::Guard;

Result<std::vector<Guard>> target::exportGuards(guard::ProgramOp guards,
                                                package::Program &program) {
  std::vector<Guard> table;
  ExprTable exprs(program);
  for (auto record : guards.getBody().getOps<guard::CheckOpInterface>()) {
    Operation *op = record;
    Guard entry;
    entry.kind = record.getGuardKind();
    if (auto slot = op->getAttrOfType<mlir::IntegerAttr>("slot"))
      entry.slot = slot.getInt();
    auto useExpr = [&](guard::ExprAttr expr) -> Status {
      auto id = exprs.get(expr);
      if (!id)
        return id.takeError();
      for (uint32_t symbol : package::symbolsOf(program.exprs[*id]))
        if (program.symbols[symbol].source == package::Symbol::Source::Step)
          return Error::malformed("a guard uses the symbol '" +
                                  program.symbols[symbol].name +
                                  "', which no input gives a value");
      entry.expr = *id;
      return Status::success();
    };
    Status status = Status::success();
    if (auto check = llvm::dyn_cast<guard::CheckDTypeOp>(op)) {
      auto dtype = guard::getDType(check.getType());
      if (!dtype)
        return Error::unsupported("a guard names an element type that has no "
                                  "counterpart at run time");
      entry.value = static_cast<int64_t>(*dtype);
    } else if (auto check = llvm::dyn_cast<guard::CheckRankOp>(op)) {
      entry.value = check.getRank();
    } else if (auto check = llvm::dyn_cast<guard::CheckSizeOp>(op)) {
      entry.dim = check.getDim();
      entry.value = check.getSize();
    } else if (auto check = llvm::dyn_cast<guard::CheckSizeExprOp>(op)) {
      entry.dim = check.getDim();
      status = useExpr(check.getExpr());
    } else if (auto check = llvm::dyn_cast<guard::CheckStrideOp>(op)) {
      entry.dim = check.getDim();
      entry.value = check.getStride();
    } else if (auto check = llvm::dyn_cast<guard::CheckDeviceOp>(op)) {
      entry.value = check.getDevice() == "cuda";
    } else if (auto check = llvm::dyn_cast<guard::CheckRequiresGradOp>(op)) {
      entry.value = check.getRequires();
    } else if (auto check = llvm::dyn_cast<guard::CheckNoAliasOp>(op)) {
      entry.value = check.getOther();
    } else if (auto check = llvm::dyn_cast<guard::CheckSameStorageOp>(op)) {
      entry.value = check.getOther();
    } else if (auto check = llvm::dyn_cast<guard::CheckAlignmentOp>(op)) {
      entry.value = check.getBytes();
    } else if (auto check = llvm::dyn_cast<guard::CheckScalarOp>(op)) {
      Attribute value = check.getValue();
      if (auto flag = llvm::dyn_cast<mlir::BoolAttr>(value))
        entry.constant = flag.getValue();
      else if (auto integer = llvm::dyn_cast<mlir::IntegerAttr>(value))
        entry.constant = integer.getInt();
      else if (auto number = llvm::dyn_cast<mlir::FloatAttr>(value))
        entry.constant = number.getValueAsDouble();
      else if (auto text = llvm::dyn_cast<StringAttr>(value))
        entry.constant = text.getValue().str();
    } else if (auto check = llvm::dyn_cast<guard::CheckExprOp>(op)) {
      entry.text = check.getSource().str();
      status = useExpr(check.getExpr());
    }
    if (!status)
      return status.takeError();
    table.push_back(std::move(entry));
  }
  return table;
}
