//===- ExprPrinter.cpp - Expressions as text -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExprCode.h"
#include "kiln/Package/ExprEvaluator.h"

#include <cstdio>

namespace kiln::package {

namespace {

struct Piece {
  std::string text;
  Precedence precedence = Precedence::Call;

  std::string inside(Precedence outer) const {
    return precedence < outer ? "(" + text + ")" : text;
  }
};

std::string floatText(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof(buffer), "%.17g", value);
  std::string text = buffer;
  if (text.find_first_of(".enai") == std::string::npos)
    text += ".0";
  return text;
}

} // namespace

std::string printExpr(const Expr &expr, const std::vector<Symbol> &symbols) {
  if (!checkExpr(expr, std::numeric_limits<uint32_t>::max()))
    return "<malformed>";
  std::vector<Piece> stack;
  const uint8_t *code = expr.code.data();
  const uint8_t *end = code + expr.code.size();
  while (code != end) {
    uint8_t opcode = *code++;
    const Instruction &instruction = instructions[opcode];
    Piece piece;
    if (opcode == KILN_EXPR_PUSH_INT) {
      piece.text = std::to_string(readOperand<int64_t>(code));
    } else if (opcode == KILN_EXPR_PUSH_FLOAT) {
      piece.text = floatText(readOperand<double>(code));
    } else if (opcode == KILN_EXPR_PUSH_SYMBOL) {
      uint32_t id = readOperand<uint32_t>(code);
      piece.text = id < symbols.size() && !symbols[id].name.empty()
                       ? symbols[id].name
                       : "?" + std::to_string(id);
    } else if (instruction.binds != Precedence::Call) {
      const Piece &left = stack[stack.size() - 2];
      const Piece &right = stack.back();
      piece.precedence = instruction.binds;
      piece.text = left.inside(piece.precedence) + instruction.text +
                   right.inside(Precedence(int(piece.precedence) + 1));
    } else {
      piece.text = std::string(instruction.text) + "(";
      for (size_t i = instruction.pops; i > 0; --i)
        piece.text += stack[stack.size() - i].text + (i > 1 ? ", " : ")");
    }
    stack.resize(stack.size() - instruction.pops);
    stack.push_back(std::move(piece));
    code += instruction.operandBytes;
  }
  return stack.back().text;
}

} // namespace kiln::package
