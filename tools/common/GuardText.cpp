//===- GuardText.cpp - Guards in words ------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GuardText.h"

#include "kiln/Package/ExprEvaluator.h"

using namespace kiln;

static std::string constantText(const package::Constant &constant) {
  if (const auto *flag = std::get_if<bool>(&constant))
    return *flag ? "True" : "False";
  if (const auto *integer = std::get_if<int64_t>(&constant))
    return std::to_string(*integer);
  if (const auto *real = std::get_if<double>(&constant))
    return std::to_string(*real);
  if (const auto *text = std::get_if<std::string>(&constant))
    return "'" + *text + "'";
  return "None";
}

static std::string checkText(const package::Program &program,
                             const package::Guard &guard) {
  std::string expr =
      guard.expr == package::kNone
          ? ""
          : package::printExpr(program.exprs[guard.expr], program.symbols);
  if (guard.kind == KILN_GUARD_EXPR)
    return expr;
  std::string name = guard.slot < program.slots.size()
                         ? program.slots[guard.slot].name
                         : std::to_string(guard.slot);
  std::string dim = "[" + std::to_string(guard.dim) + "]";
  std::string value = std::to_string(guard.value);
  switch (guard.kind) {
  case KILN_GUARD_KIND_TENSOR:
    return name + " is a tensor";
  case KILN_GUARD_DTYPE:
    return name + ".dtype == " +
           std::string(dtypeName(static_cast<DType>(guard.value)));
  case KILN_GUARD_RANK:
    return name + ".dim() == " + value;
  case KILN_GUARD_SIZE:
    return name + ".size" + dim + " == " + value;
  case KILN_GUARD_SIZE_EXPR:
    return name + ".size" + dim + " == " + expr;
  case KILN_GUARD_STRIDE:
    return name + ".stride" + dim + " == " + value;
  case KILN_GUARD_SCALAR_VALUE:
    return name + " == " + constantText(guard.constant);
  default:
    return name + ": check " + std::to_string(guard.kind) + " " + value;
  }
}

std::string tools::guardTable(const package::Package &package) {
  const package::Program &program = package.programs.front();
  std::string table;
  for (const package::Guard &guard : package.guards) {
    std::string check = checkText(program, guard);
    table += check;
    if (!guard.text.empty() && guard.text != check)
      table += "   # " + guard.text;
    table += "\n";
  }
  for (const package::Symbol &symbol : program.symbols) {
    if (symbol.source == package::Symbol::Source::Step)
      continue;
    table += std::to_string(symbol.min) + " <= " + symbol.name;
    if (symbol.max != std::numeric_limits<int64_t>::max())
      table += " <= " + std::to_string(symbol.max);
    table += "\n";
  }
  return table;
}
