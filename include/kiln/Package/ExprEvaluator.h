//===- ExprEvaluator.h - Evaluate expression bytecode --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates the bytecode of GuardABI.h over the symbols of a program. Checking
// is split from evaluating: `checkExpr` is called once when a program is
// decoded, `evaluate` then runs without bounds checks in tens of nanoseconds.
//
//   if (Status s = checkExpr(expr, symbols.size()); !s)
//     return s;
//   Cell size;
//   if (ExprFailure failure = evaluate(expr, symbols.data(), size);
//       failure != ExprFailure::None)
//     return Error::guard(describe(failure));
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PACKAGE_EXPREVALUATOR_H
#define KILN_PACKAGE_EXPREVALUATOR_H

#include "kiln/Package/Program.h"

#include <optional>

namespace kiln::package {

/// A number of an expression, or a symbol that has no value yet.
struct Cell {
  enum class Kind : uint8_t { Undefined, Integer, Float };
  union {
    int64_t integer = 0;
    double real;
  };
  Kind kind = Kind::Undefined;

  Cell() = default;
  static Cell ofInteger(int64_t value) {
    Cell cell;
    cell.integer = value;
    cell.kind = Kind::Integer;
    return cell;
  }
  static Cell ofFloat(double value) {
    Cell cell;
    cell.real = value;
    cell.kind = Kind::Float;
    return cell;
  }
  bool defined() const { return kind != Kind::Undefined; }
  bool isInteger() const { return kind == Kind::Integer; }
  double asDouble() const {
    return isInteger() ? static_cast<double>(integer) : real;
  }
  /// Nonzero, as a condition.
  bool asBool() const { return isInteger() ? integer != 0 : real != 0.0; }
  /// Bitwise, so that a NaN equals itself.
  bool identical(const Cell &other) const {
    return kind == other.kind && integer == other.integer;
  }
};

/// Why an evaluation ended without a number.
enum class ExprFailure : uint8_t {
  None,
  Overflow,
  DivisionByZero,
  InexactDivision,
  NegativeShift,
  NegativeExponent,
  ExpectedInteger,
  OutOfRange, ///< a float that no 64-bit integer holds
  UndefinedSymbol,
};

/// "integer overflow", "division by zero", ... for messages.
const char *describe(ExprFailure failure);

/// Evaluates one function: `cells` are its operands, and the first becomes its
/// result. `opcode` is a function of ExprFunctions.def; one that takes any
/// number of operands takes two here.
ExprFailure applyFunction(uint8_t opcode, Cell *cells);

/// The deepest stack an expression may need.
constexpr uint32_t kMaxExprStack = 64;

/// Malformed unless `expr` is a sequence of known instructions over symbols
/// below `symbolCount` that leaves one cell and stays within kMaxExprStack.
Status checkExpr(const Expr &expr, size_t symbolCount);

/// Evaluates an expression that `checkExpr` accepted. Allocates nothing.
ExprFailure evaluate(const Expr &expr, const Cell *symbols, Cell &result);

/// `evaluate` with errors as sentences that quote the expression, for places
/// where speed does not matter. Checks the expression first. Guard error if the
/// evaluation fails.
Result<Cell> evaluateExpr(const Expr &expr, const Program &program,
                          const std::vector<Cell> &symbols);

/// The symbols that `expr` reads, each once, ascending. `expr` must be checked.
std::vector<uint32_t> symbolsOf(const Expr &expr);

/// The value of a size without symbols; nothing if it varies or is no integer.
/// `expr` must be checked.
std::optional<int64_t> constantSize(const Expr &expr);

/// True if `expr` ends in a comparison or in logic, so that its 0 or 1 is a
/// bool to operators and callers. `expr` must be checked.
bool isCondition(const Expr &expr);

/// Source form, "4*s0 + 1", with the symbol names of `program` ("?3" where it
/// has none). Malformed code gives "<malformed>".
std::string printExpr(const Expr &expr, const std::vector<Symbol> &symbols);

} // namespace kiln::package

#endif // KILN_PACKAGE_EXPREVALUATOR_H
