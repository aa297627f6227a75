//===- ShapeEnv.cpp - What a program assumes of its symbols ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Guard/IR/ShapeEnv.h"

#include "kiln/Dialect/Guard/IR/ExprRange.h"

using namespace kiln;
using namespace kiln::guard;

ExprAttr ShapeEnv::rewrite(ExprAttr expr) const {
  return substitute(expr, [&](ExprAttr leaf) -> ExprAttr {
    auto it = symbols.find(leaf);
    return it == symbols.end() ? ExprAttr() : it->second.replacement;
  });
}

ExprAttr ShapeEnv::simplify(ExprAttr expr) const {
  return guard::simplify(rewrite(expr), assumptions);
}

/// True if a symbol of `expr` has a property.
template <typename Predicate>
static bool
hasSymbol(ExprAttr expr,
          const llvm::MapVector<ExprAttr, ShapeEnv::Symbol> &symbols,
          Predicate predicate) {
  bool found = false;
  walk(expr, [&](ExprAttr leaf) {
    auto it = symbols.find(leaf);
    found |= it != symbols.end() && predicate(it->second);
  });
  return found;
}

bool ShapeEnv::isOpen(ExprAttr expr) const {
  return hasSymbol(rewrite(expr), symbols,
                   [](const Symbol &symbol) { return symbol.isReplaceable; });
}

bool ShapeEnv::dependsOnData(ExprAttr expr) const {
  return hasSymbol(expr, symbols,
                   [](const Symbol &symbol) { return symbol.isData; });
}

std::optional<int64_t> ShapeEnv::getHint(ExprAttr expr) const {
  auto value = evaluate(expr, [&](ExprAttr leaf) -> std::optional<Number> {
    auto it = symbols.find(leaf);
    if (it == symbols.end() || !it->second.hint)
      return std::nullopt;
    return Number::of(*it->second.hint);
  });
  if (!value || value->isFloat)
    return std::nullopt;
  return value->integer;
}

void ShapeEnv::restart() {
  conditions.clear();
  isOutdated = false;
  // What a replaced symbol was known to be, its replacement must be.
  for (auto &entry : symbols) {
    const Symbol &symbol = entry.second;
    ExprAttr by = symbol.replacement;
    if (!by || by.isConstant())
      continue;
    auto keep = [&](ExprAttr condition) {
      condition = guard::simplify(condition, assumptions);
      if (!condition.isConstant())
        conditions.push_back({condition, symbol.reason});
    };
    MLIRContext *context = by.getContext();
    if (symbol.range.min != Interval::kMin)
      keep(ge(by, getConstant(context, symbol.range.min)));
    if (symbol.range.max != Interval::kMax)
      keep(le(by, getConstant(context, symbol.range.max)));
  }
}

void ShapeEnv::replace(ExprAttr symbol, ExprAttr by, StringRef asker,
                       bool isFixed) {
  symbols[symbol].replacement = by;
  isOutdated = true;
  for (auto &[other, properties] : symbols) {
    ExprAttr before = properties.replacement;
    if (!before || (before.isConstant() && other != symbol))
      continue;
    properties.replacement = rewrite(before);
    // Who made it a number tells more than who wrote it in terms of another.
    if (other == symbol || properties.replacement.isConstant()) {
      properties.reason = asker.str();
      properties.isFixed = isFixed;
    }
  }
}

/// Writes a symbol of the equation in terms of the others, if one stands alone
/// with a factor of 1 or -1, or is the only one.
bool ShapeEnv::solve(ExprAttr equation, StringRef asker, bool isFixed) {
  ExprAttr difference =
      sub(equation.getOperand(0), equation.getOperand(1));
  SmallVector<StringAttr> names;
  collectSymbols(difference, names);
  for (StringAttr name : names) {
    ExprAttr symbol = getSymbol(difference.getContext(), name.getValue());
    auto it = symbols.find(symbol);
    if (it == symbols.end() || !it->second.isReplaceable)
      continue;
    std::optional<ExprAttr> factor = getCoefficient(difference, symbol);
    if (!factor || !factor->isConstant() || factor->isConstant(0))
      continue;
    // symbol * factor + rest = 0
    ExprAttr rest = sub(difference, mul(symbol, *factor));
    std::optional<ExprAttr> value = exactDivide(neg(rest), *factor);
    if (!value || (!it->second.isData && dependsOnData(*value)))
      continue;
    replace(symbol, *value, asker, isFixed);
    return true;
  }
  return false;
}

void ShapeEnv::assume(ExprAttr condition, StringRef asker, bool isFixed) {
  if (condition.getKind() == ExprKind::Eq && solve(condition, asker, isFixed))
    return;
  for (auto &[known, by] : conditions)
    if (known == condition)
      return;
  conditions.push_back({condition, asker.str()});
}

bool ShapeEnv::decide(ExprAttr condition, bool otherwise, StringRef asker) {
  condition = simplify(condition);
  if (std::optional<int64_t> known = condition.getConstant())
    return *known != 0;
  std::optional<int64_t> hint;
  if (!dependsOnData(condition))
    hint = getHint(condition);
  bool answer = hint ? *hint != 0 : otherwise;
  assume(answer ? condition : logicalNot(condition), asker);
  return answer;
}

std::optional<int64_t> ShapeEnv::fix(ExprAttr size, StringRef asker) {
  size = simplify(size);
  if (std::optional<int64_t> known = size.getConstant())
    return known;
  std::optional<int64_t> hint = getHint(size);
  if (hint)
    assume(eq(size, getConstant(size.getContext(), *hint)), asker,
           /*isFixed=*/true);
  return hint;
}
