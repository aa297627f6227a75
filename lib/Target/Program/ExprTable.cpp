//===- ExprTable.cpp - Symbols and expressions of one program -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExprTable.h"

#include "kiln/Dialect/Guard/IR/GuardBytecode.h"

using namespace kiln;
using namespace kiln::target;

ExprTable::ExprTable(package::Program &program) : program(program) {
  for (auto [index, symbol] : llvm::enumerate(program.symbols))
    symbols[symbol.name] = index;
}

Result<package::ExprId> ExprTable::get(guard::ExprAttr expr) {
  auto [it, inserted] = ids.try_emplace(expr, program.exprs.size());
  if (!inserted)
    return it->second;
  package::Expr encoded;
  std::string error;
  auto index = [&](StringRef name) -> std::optional<uint32_t> {
    auto found = symbols.find(name);
    if (found == symbols.end())
      return std::nullopt;
    return found->second;
  };
  if (failed(guard::encodeExpr(expr, index, encoded.code, error))) {
    ids.erase(expr);
    return Error::unsupported("expression '" + expr.str() + "': " + error);
  }
  package::ExprId id = it->second;
  program.exprs.push_back(std::move(encoded));
  return id;
}

Result<std::vector<package::ExprId>>
ExprTable::get(ArrayRef<guard::ExprAttr> exprs) {
  std::vector<package::ExprId> result;
  for (guard::ExprAttr expr : exprs) {
    auto id = get(expr);
    if (!id)
      return id.takeError();
    result.push_back(*id);
  }
  return result;
}
