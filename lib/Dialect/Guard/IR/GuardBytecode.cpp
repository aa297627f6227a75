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
    code.push_back(expr.isConstant() ? KILN_EXPR_PUSH_INT
                                     : KILN_EXPR_PUSH_FLOAT);
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
