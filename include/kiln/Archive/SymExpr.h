//===- SymExpr.h - Symbolic sizes of exported programs -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes in an exported program are expressions over symbols, written as SymPy's
// constructor text (`srepr`):
//
//   expr := 'Symbol' '(' quoted (',' ident '=' ('True'|'False'))* ')'
//         | 'Integer' '(' '-'? digits ')' | 'Rational' '(' int ',' int ')'
//         | 'Float' '(' quoted-decimal ',' 'precision' '=' digits ')'
//         | 'true' | 'false' | NAME '(' expr (',' expr)* ')'
//
// and guards are Python comparisons over inputs, `L['x'].size()[0] >= 2`. Both
// are parsed into the same small immutable tree; nothing is ever evaluated as
// Python. Limits: 64 KiB of text, 256 levels, 10 000 nodes.
//
// Example: Add(Mul(Integer(2), Symbol('s77', integer=True)), Integer(1)) with
// s77 = 4 evaluates to the integer 9.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ARCHIVE_SYMEXPR_H
#define KILN_ARCHIVE_SYMEXPR_H

#include "kiln/Base/Result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kiln::archive {

enum class SymKind : uint8_t {
  // Leaves.
  Symbol,   ///< `name`; floats are named zf<n> or zuf<n>
  Integer,  ///< `integer`
  Rational, ///< `integer` / `denominator`, denominator > 1
  Float,    ///< `number`
  Bool,     ///< `integer` is 0 or 1
  // Leaves of guards: a property of the input whose source text is `name`.
  InputSize,          ///< L['x'].size()[integer]
  InputStride,        ///< L['x'].stride()[integer]
  InputStorageOffset, ///< L['x'].storage_offset()
  InputValue,         ///< L['n'], a number passed by the caller
  // Arithmetic. Integers are exact; an overflow of 64 bits is an error.
  Add, ///< n-ary
  Mul, ///< n-ary
  Pow, ///< any base, integer exponent (may be negative)
  PowByNatural,
  FloatPow,
  FloorDiv, ///< toward minus infinity
  CleanDiv, ///< exact
  CeilDiv,
  Mod,             ///< operands are not negative
  PythonMod,       ///< sign of the divisor
  ModularIndexing, ///< (a // d) mod m
  Max,             ///< n-ary
  Min,             ///< n-ary
  LShift,
  RShift,
  BitwiseAnd,
  BitwiseOr,
  BitwiseXor,
  Abs,
  // Conversions and floats.
  ToFloat,
  IntTrueDiv,
  FloatTrueDiv,
  TruncToInt,
  FloorToInt,
  CeilToInt,
  RoundToInt, ///< half to even
  TruncToFloat,
  RoundDecimal,
  UnaryFn, ///< `name` is sqrt, cos, cosh, sin, sinh, tan, tanh, asin, acos,
           ///< atan, exp, log, log2 or asinh
  // Selection, comparison, logic.
  Where,     ///< condition, then, else
  Piecewise, ///< ExprCondPair operands, first that holds
  ExprCondPair,
  Identity,
  Eq,
  Ne,
  Le,
  Lt,
  Ge,
  Gt,
  And,
  Or,
  Not,
  IsNonOverlappingAndDense, ///< sizes, then strides; 1 or 0
};

/// "FloorDiv", as in the text of an archive.
std::string_view symKindName(SymKind kind);

struct SymExpr;
using SymExprPtr = std::shared_ptr<const SymExpr>;

/// One node of an expression; see `SymKind` for the meaning of each field.
struct SymExpr {
  SymKind kind = SymKind::Integer;
  std::string name;
  int64_t integer = 0;
  int64_t denominator = 1;
  double number = 0;
  std::vector<SymExprPtr> operands;
};

/// A value of an expression.
using SymValue = std::variant<bool, int64_t, double>;

/// Parses the `srepr` text of an archive. Malformed for text outside of the
/// grammar or over the limits, Unsupported for an unknown function name.
Result<SymExprPtr> parseSymExpr(std::string_view text);

/// Parses one Python comparison of `guards_code`: + - * / // % **, comparisons
/// (also chained), and or not, min, max, abs, math.trunc, math.floor,
/// math.ceil, math.sqrt, torch.sym_float, torch.sym_int, torch.sym_max,
/// torch.sym_min, int, float, and properties of inputs: size, stride,
/// storage_offset. Unsupported for anything else; the caller skips such a guard
/// with a warning.
Result<SymExprPtr> parseGuardCode(std::string_view text);

/// Parses an expression over symbols as SymPy prints it, "2*s77 + 1"; the same
/// operators and limits.
Result<SymExprPtr> parseInfix(std::string_view text);

/// What an expression is evaluated over. Return nothing for an unknown leaf.
using SymEnvironment =
    std::function<std::optional<SymValue>(const SymExpr &leaf)>;

/// The value of an expression. Unsupported if a leaf has no value, Malformed
/// for a division by zero, an overflow or operands of a wrong kind.
Result<SymValue> evaluate(const SymExpr &expr,
                          const SymEnvironment &environment);

/// Calls `visit` for every symbol, in order, repeatedly if it repeats.
void forEachSymbol(const SymExpr &expr,
                   const std::function<void(const std::string &)> &visit);

/// Infix text for people: "2*s77 + 1", "(s0 - 1) // 2".
std::string toString(const SymExpr &expr);

} // namespace kiln::archive

#endif // KILN_ARCHIVE_SYMEXPR_H
