//===- GuardBytecode.cpp - Expressions for the runtime --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Guard/IR/GuardBytecode.h"

#include "kiln/ABI/GuardABI.h"

#include "llvm/Support/Endian.h"

using namespace kiln;
using namespace kiln::guard;

static uint8_t getOpcode(ExprKind kind) {
  switch (kind) {
  case ExprKind::Constant:
    return KILN_EXPR_PUSH_INT;
  case ExprKind::Float:
    return KILN_EXPR_PUSH_FLOAT;
  case ExprKind::Symbol:
  case ExprKind::Dim:
    return KILN_EXPR_PUSH_SYMBOL;
  case ExprKind::Add:
    return KILN_EXPR_ADD;
  case ExprKind::Mul:
    return KILN_EXPR_MUL;
  case ExprKind::Pow:
    return KILN_EXPR_POW;
  case ExprKind::Min:
    return KILN_EXPR_MIN;
  case ExprKind::Max:
    return KILN_EXPR_MAX;
  case ExprKind::FloorDiv:
    return KILN_EXPR_FLOORDIV;
  case ExprKind::CeilDiv:
    return KILN_EXPR_CEILDIV;
  case ExprKind::CleanDiv:
    return KILN_EXPR_CLEANDIV;
  case ExprKind::Mod:
    return KILN_EXPR_MOD;
  case ExprKind::Shl:
    return KILN_EXPR_SHL;
  case ExprKind::Shr:
    return KILN_EXPR_SHR;
  case ExprKind::BitAnd:
    return KILN_EXPR_BIT_AND;
  case ExprKind::BitOr:
    return KILN_EXPR_BIT_OR;
  case ExprKind::BitXor:
    return KILN_EXPR_BIT_XOR;
  case ExprKind::TrueDiv:
    return KILN_EXPR_TRUEDIV;
  case ExprKind::ToFloat:
    return KILN_EXPR_TO_FLOAT;
  case ExprKind::Trunc:
    return KILN_EXPR_TRUNC;
  case ExprKind::Floor:
    return KILN_EXPR_FLOOR;
  case ExprKind::Ceil:
    return KILN_EXPR_CEIL;
  case ExprKind::Round:
    return KILN_EXPR_ROUND;
  case ExprKind::Sqrt:
    return KILN_EXPR_SQRT;
  case ExprKind::Exp:
    return KILN_EXPR_EXP;
  case ExprKind::Log:
    return KILN_EXPR_LOG;
  case ExprKind::Log2:
    return KILN_EXPR_LOG2;
  case ExprKind::Sin:
    return KILN_EXPR_SIN;
  case ExprKind::Cos:
    return KILN_EXPR_COS;
  case ExprKind::Tan:
    return KILN_EXPR_TAN;
  case ExprKind::Sinh:
    return KILN_EXPR_SINH;
  case ExprKind::Cosh:
    return KILN_EXPR_COSH;
  case ExprKind::Tanh:
    return KILN_EXPR_TANH;
  case ExprKind::Asin:
    return KILN_EXPR_ASIN;
  case ExprKind::Acos:
    return KILN_EXPR_ACOS;
  case ExprKind::Atan:
    return KILN_EXPR_ATAN;
  case ExprKind::Asinh:
    return KILN_EXPR_ASINH;
  case ExprKind::Eq:
    return KILN_EXPR_EQ;
  case ExprKind::Ne:
    return KILN_EXPR_NE;
  case ExprKind::Lt:
    return KILN_EXPR_LT;
  case ExprKind::Le:
    return KILN_EXPR_LE;
  case ExprKind::Gt:
    return KILN_EXPR_GT;
  case ExprKind::Ge:
    return KILN_EXPR_GE;
  case ExprKind::And:
    return KILN_EXPR_AND;
  case ExprKind::Or:
    return KILN_EXPR_OR;
  case ExprKind::Not:
    return KILN_EXPR_NOT;
  case ExprKind::Select:
    return KILN_EXPR_SELECT;
  }
  llvm_unreachable("all kinds are listed");
}

template <typename T>
static void append(std::vector<uint8_t> &code, T value) {
  uint8_t bytes[sizeof(T)];
  llvm::support::endian::write<T>(bytes, value, llvm::endianness::little);
  code.insert(code.end(), bytes, bytes + sizeof(T));
}

static LogicalResult
encode(ExprAttr expr,
       function_ref<std::optional<uint32_t>(StringRef)> symbolIndex,
       std::vector<uint8_t> &code, std::string &error) {
  if (expr.isDim()) {
    error = "loop index '" + expr.str() + "' has no value outside of a kernel";
    return failure();
  }
  if (expr.isSymbol()) {
    StringRef name = expr.getSymbol().getValue();
    std::optional<uint32_t> index = symbolIndex(name);
    if (!index) {
      error = ("symbol '" + name + "' is not bound by any input or step").str();
      return failure();
    }
    code.push_back(KILN_EXPR_PUSH_SYMBOL);
    append<uint32_t>(code, *index);
    return success();
  }
  if (expr.isConstant() || expr.isFloatConstant()) {
    code.push_back(getOpcode(expr.getKind()));
    append<int64_t>(code, expr.getPayload());
    return success();
  }
  // Functions of any number of operands become a chain of binary ones.
  for (auto [i, operand] : llvm::enumerate(expr.getOperands())) {
    if (failed(encode(operand, symbolIndex, code, error)))
      return failure();
    if (i > 0 && getArity(expr.getKind()) == 0)
      code.push_back(getOpcode(expr.getKind()));
  }
  if (getArity(expr.getKind()) != 0)
    code.push_back(getOpcode(expr.getKind()));
  return success();
}

LogicalResult guard::encodeExpr(
    ExprAttr expr, function_ref<std::optional<uint32_t>(StringRef)> symbolIndex,
    std::vector<uint8_t> &code, std::string &error) {
  size_t before = code.size();
  if (succeeded(encode(expr, symbolIndex, code, error)))
    return success();
  code.resize(before);
  return failure();
}
