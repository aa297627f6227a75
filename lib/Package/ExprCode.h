//===- ExprCode.h - The expression instructions --------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the checker, the printer and the evaluator know of each instruction.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_PACKAGE_EXPRCODE_H
#define KILN_LIB_PACKAGE_EXPRCODE_H

#include "kiln/ABI/GuardABI.h"

#include <array>
#include <cstring>

namespace kiln::package {

/// How tightly an operator binds; atoms and calls bind tightest.
enum class Precedence : uint8_t {
  Or,
  And,
  Compare,
  Bitwise,
  Shift,
  Sum,
  Product,
  Call
};

struct Instruction {
  bool isKnown = false;
  uint8_t pops = 0; ///< every instruction pushes one cell
  uint8_t operandBytes = 0;
  kiln_expr_result result = KILN_EXPR_RESULT_NUMBER;
  const char *text = ""; ///< of a function, as ExprFunctions.def says
  Precedence binds = Precedence::Call;
};

/// By opcode.
constexpr std::array<Instruction, 256> makeInstructions() {
  std::array<Instruction, 256> table{};
  auto push = [&](uint8_t opcode, uint8_t operandBytes) {
    table[opcode].isKnown = true;
    table[opcode].operandBytes = operandBytes;
  };
  push(KILN_EXPR_PUSH_INT, 8);
  push(KILN_EXPR_PUSH_FLOAT, 8);
  push(KILN_EXPR_PUSH_SYMBOL, 4);
#define KILN_EXPR_INSTRUCTION(OPCODE, code, arity, result, text, binds)        \
  table[code] = {true, arity == 0 ? 2 : arity, 0,                              \
                 KILN_EXPR_RESULT_##result, text, Precedence::binds};
#include "kiln/ABI/ExprFunctions.def"
  return table;
}

inline constexpr std::array<Instruction, 256> instructions =
    makeInstructions();

/// An operand of the little-endian code; hosts are little-endian.
template <typename T> T readOperand(const uint8_t *at) {
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

} // namespace kiln::package

#endif // KILN_LIB_PACKAGE_EXPRCODE_H
