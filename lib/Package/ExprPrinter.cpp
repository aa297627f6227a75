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

/// How tightly an operator binds; atoms and calls bind tightest.
enum Precedence {
  kOr,
  kAnd,
  kCompare,
  kBitwise,
  kShift,
  kSum,
  kProduct,
  kAtom
};

struct Infix {
  const char *sign;
  Precedence precedence;
};

std::optional<Infix> infixOf(uint8_t opcode) {
  switch (opcode) {
  case KILN_EXPR_ADD:
    return Infix{" + ", kSum};
  case KILN_EXPR_SUB:
    return Infix{" - ", kSum};
  case KILN_EXPR_MUL:
    return Infix{"*", kProduct};
  case KILN_EXPR_FLOORDIV:
    return Infix{"//", kProduct};
  case KILN_EXPR_MOD:
    return Infix{" % ", kProduct};
  case KILN_EXPR_TRUEDIV:
    return Infix{" / ", kProduct};
  case KILN_EXPR_SHL:
    return Infix{" << ", kShift};
  case KILN_EXPR_SHR:
    return Infix{" >> ", kShift};
  case KILN_EXPR_BIT_AND:
    return Infix{" & ", kBitwise};
  case KILN_EXPR_BIT_OR:
    return Infix{" | ", kBitwise};
  case KILN_EXPR_BIT_XOR:
    return Infix{" ^ ", kBitwise};
  case KILN_EXPR_EQ:
    return Infix{" == ", kCompare};
  case KILN_EXPR_NE:
    return Infix{" != ", kCompare};
  case KILN_EXPR_LT:
    return Infix{" < ", kCompare};
  case KILN_EXPR_LE:
    return Infix{" <= ", kCompare};
  case KILN_EXPR_GT:
    return Infix{" > ", kCompare};
  case KILN_EXPR_GE:
    return Infix{" >= ", kCompare};
  case KILN_EXPR_AND:
    return Infix{" and ", kAnd};
  case KILN_EXPR_OR:
    return Infix{" or ", kOr};
  default:
    return std::nullopt;
  }
}

const char *callOf(uint8_t opcode) {
  switch (opcode) {
  case KILN_EXPR_MIN:
    return "min";
  case KILN_EXPR_MAX:
    return "max";
  case KILN_EXPR_POW:
    return "pow";
  case KILN_EXPR_CEILDIV:
    return "ceildiv";
  case KILN_EXPR_CLEANDIV:
    return "cleandiv";
  case KILN_EXPR_TO_FLOAT:
    return "float";
  case KILN_EXPR_TRUNC:
    return "trunc";
  case KILN_EXPR_FLOOR:
    return "floor";
  case KILN_EXPR_CEIL:
    return "ceil";
  case KILN_EXPR_ROUND:
    return "round";
  case KILN_EXPR_SQRT:
    return "sqrt";
  case KILN_EXPR_EXP:
    return "exp";
  case KILN_EXPR_LOG:
    return "log";
  case KILN_EXPR_LOG2:
    return "log2";
  case KILN_EXPR_SIN:
    return "sin";
  case KILN_EXPR_COS:
    return "cos";
  case KILN_EXPR_TAN:
    return "tan";
  case KILN_EXPR_SINH:
    return "sinh";
  case KILN_EXPR_COSH:
    return "cosh";
  case KILN_EXPR_TANH:
    return "tanh";
  case KILN_EXPR_ASIN:
    return "asin";
  case KILN_EXPR_ACOS:
    return "acos";
  case KILN_EXPR_ATAN:
    return "atan";
  case KILN_EXPR_ASINH:
    return "asinh";
  case KILN_EXPR_NOT:
    return "not";
  default:
    return "select";
  }
}

struct Piece {
  std::string text;
  Precedence precedence = kAtom;

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
    Shape shape = *shapeOf(opcode);
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
    } else if (auto infix = infixOf(opcode)) {
      const Piece &left = stack[stack.size() - 2];
      const Piece &right = stack.back();
      Precedence tighter = static_cast<Precedence>(infix->precedence + 1);
      piece.text =
          left.inside(infix->precedence) + infix->sign + right.inside(tighter);
      piece.precedence = infix->precedence;
    } else {
      piece.text = std::string(callOf(opcode)) + "(";
      for (size_t i = shape.pops; i > 0; --i)
        piece.text += stack[stack.size() - i].text + (i > 1 ? ", " : ")");
    }
    stack.resize(stack.size() - shape.pops);
    stack.push_back(std::move(piece));
    code += shape.operandBytes;
  }
  return stack.back().text;
}

} // namespace kiln::package
