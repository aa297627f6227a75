//===- ShapeEnv.h - What a program assumes of its symbols -------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PyTorch's shape environment: symbols with the values of an example run, and
// the questions that a trace asks about them. A question that ranges do not
// answer is answered by the example, and the answer is kept, so that what was
// traced is right for all sizes for which the answers hold:
//
//   ShapeEnv env;
//   env.addSymbol(s0, {6, {2, Interval::kMax}});
//   env.addSymbol(s1, {3, {2, Interval::kMax}});
//   env.decide(eq(s0, s1 * 2), true); // true, and s0 is written as 2*s1
//   env.decide(gt(s1, 2), true);      // true, and a condition
//   env.decide(ge(s1, 1), true);      // true for the whole range: nothing kept
//
// A size that values decide, `u0` of a nonzero, is a symbol too. No answer is read
// off its example, and no size of an input is written in terms of it.
//
// An answer may change how sizes are written. Whoever infers types then begins
// again: `restart` forgets the conditions, which will be asked for once more in
// terms of what is left, and keeps the replacements.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_GUARD_IR_SHAPEENV_H
#define KILN_DIALECT_GUARD_IR_SHAPEENV_H

#include "kiln/Dialect/Guard/IR/Expr.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"

#include "llvm/ADT/MapVector.h"

namespace kiln::guard {

class ShapeEnv {
public:
  struct Symbol {
    std::optional<int64_t> hint; ///< its value in the example
    Interval range;
    /// May be written in terms of others.
    bool isReplaceable = true;
    /// Defined by the result of an operator, not by an input.
    bool isData = false;
    /// What it is written as, in terms of symbols that stay; null: itself.
    ExprAttr replacement;
    std::string reason;   ///< whose question replaced it
    bool isFixed = false; ///< that asked for a number
  };

  void addSymbol(ExprAttr symbol, Symbol properties) {
    symbols[symbol] = std::move(properties);
    assumptions.setRange(symbol, symbols[symbol].range);
  }
  /// What a symbol that values decide is in the example, for `fix`.
  void setHint(ExprAttr symbol, int64_t hint) { symbols[symbol].hint = hint; }

  /// `expr` in terms of the symbols that stay.
  ExprAttr rewrite(ExprAttr expr) const;
  /// Likewise, with what ranges decide gone: `min(2, s0)` is 2.
  ExprAttr simplify(ExprAttr expr) const;
  /// True if `expr` has a symbol that may yet be written in terms of others.
  bool isOpen(ExprAttr expr) const;
  /// True if `expr` has a symbol that values decide.
  bool dependsOnData(ExprAttr expr) const;

  /// Whether a condition holds, by ranges, else by hints; `otherwise` is the
  /// answer for symbols without a hint. `asker` says who wants to know.
  bool decide(ExprAttr condition, bool otherwise, StringRef asker = "");
  /// The number that a size is in the example, and is to be from now on.
  std::optional<int64_t> fix(ExprAttr size, StringRef asker = "");

  /// True once an answer has replaced a symbol, until `restart`.
  bool hasNewReplacement() const { return isOutdated; }
  /// Forgets conditions, keeps replacements.
  void restart();

  const llvm::MapVector<ExprAttr, Symbol> &getSymbols() const {
    return symbols;
  }
  /// What must hold of the symbols that stay, with who asked.
  ArrayRef<std::pair<ExprAttr, std::string>> getConditions() const {
    return conditions;
  }

private:
  std::optional<int64_t> getHint(ExprAttr expr) const;
  void assume(ExprAttr condition, StringRef asker, bool isFixed = false);
  bool solve(ExprAttr equation, StringRef asker, bool isFixed);
  void replace(ExprAttr symbol, ExprAttr by, StringRef asker, bool isFixed);

  llvm::MapVector<ExprAttr, Symbol> symbols;
  Assumptions assumptions;
  SmallVector<std::pair<ExprAttr, std::string>> conditions;
  bool isOutdated = false;
};

} // namespace kiln::guard

#endif // KILN_DIALECT_GUARD_IR_SHAPEENV_H
