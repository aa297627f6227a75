//===- GuardExport.cpp - guard.program as a flat table --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Target/ProgramExport.h"

#include "Constants.h"
#include "ExprTable.h"

#include "kiln/Dialect/Guard/IR/ElementTypes.h"
#include "kiln/Package/ExprEvaluator.h"

using namespace kiln;
using namespace kiln::target;
using package::Guard;

static Status setExpr(Guard &entry, guard::ExprAttr expr, ExprTable &exprs,
                      const package::Program &program) {
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
}

Result<std::vector<Guard>> target::exportGuards(guard::ProgramOp guards,
                                                package::Program &program) {
  std::vector<Guard> table;
  ExprTable exprs(program);
  for (auto check : guards.getBody().getOps<guard::CheckOpInterface>()) {
    Guard entry;
    entry.kind = check.getGuardKind();
    // Fields are attributes of the same names, whatever the kind.
    if (auto slot = check->getAttrOfType<mlir::IntegerAttr>("slot"))
      entry.slot = slot.getInt();
    if (auto dim = check->getAttrOfType<mlir::IntegerAttr>("dim"))
      entry.dim = dim.getInt();
    if (auto value = check->getAttrOfType<mlir::IntegerAttr>("value"))
      entry.value = value.getInt();
    if (auto type = check->getAttrOfType<mlir::TypeAttr>("type")) {
      auto dtype = guard::getDType(type.getValue());
      if (!dtype)
        return Error::unsupported("a guard names an element type that has no "
                                  "counterpart at run time");
      entry.value = static_cast<int64_t>(*dtype);
    }
    if (Attribute constant = check->getAttr("constant"))
      entry.constant = toConstant(constant);
    if (auto source = check->getAttrOfType<StringAttr>("source"))
      entry.text = source.getValue().str();
    if (auto expr = check->getAttrOfType<guard::ExprAttr>("expr"))
      if (Status s = setExpr(entry, expr, exprs, program); !s)
        return s.takeError();
    table.push_back(std::move(entry));
  }
  return table;
}
