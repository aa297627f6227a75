//===- ExprCode.h - Shapes of expression instructions --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many cells an instruction pops and how many operand bytes follow it; for
// the checker, the printer and the evaluator.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_PACKAGE_EXPRCODE_H
#define KILN_LIB_PACKAGE_EXPRCODE_H

#include "kiln/ABI/GuardABI.h"

#include <cstring>
#include <optional>

namespace kiln::package {

struct Shape {
  uint32_t pops; ///< every instruction pushes one cell
  uint32_t operandBytes;
};

/// Nothing for an unknown opcode.
inline std::optional<Shape> shapeOf(uint8_t opcode) {
  switch (opcode) {
  case KILN_EXPR_PUSH_INT:
  case KILN_EXPR_PUSH_FLOAT:
    return Shape{0, 8};
  case KILN_EXPR_PUSH_SYMBOL:
    return Shape{0, 4};
  case KILN_EXPR_SELECT:
    return Shape{3, 0};
  case KILN_EXPR_NOT:
    return Shape{1, 0};
  default:
    break;
  }
  if ((opcode >= KILN_EXPR_TO_FLOAT && opcode <= KILN_EXPR_ROUND) ||
      (opcode >= KILN_EXPR_SQRT && opcode <= KILN_EXPR_ASINH))
    return Shape{1, 0};
  if ((opcode >= KILN_EXPR_ADD && opcode <= KILN_EXPR_POW) ||
      (opcode >= KILN_EXPR_FLOORDIV && opcode <= KILN_EXPR_BIT_XOR) ||
      opcode == KILN_EXPR_TRUEDIV ||
      (opcode >= KILN_EXPR_EQ && opcode <= KILN_EXPR_GE) ||
      opcode == KILN_EXPR_AND || opcode == KILN_EXPR_OR)
    return Shape{2, 0};
  return std::nullopt;
}

/// An operand of the little-endian code; hosts are little-endian.
template <typename T> T readOperand(const uint8_t *at) {
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

} // namespace kiln::package

#endif // KILN_LIB_PACKAGE_EXPRCODE_H
