//===- GuardBytecode.cpp - Expressions for the runtime --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Guard/IR/GuardBytecode.h"

#include "kiln/ABI/GuardABI.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/bit.h"
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

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static Error badCode(const Twine &what) {
  return Error::malformed(("expression code: " + what).str());
}

/// The function of an instruction; a difference is none.
static std::optional<ExprKind> getFunction(uint8_t opcode) {
#define KILN_EXPR_FUNCTION(kind, OPCODE, code, name, arity, result, text, binds) \
  if (opcode == KILN_EXPR_##OPCODE)                                            \
    return ExprKind::kind;
#include "kiln/ABI/ExprFunctions.def"
  return std::nullopt;
}

namespace {

/// A stack of expressions, each with its extent: short code may stand for what
/// has very many nodes, because products are multiplied out.
class ExprDecoder {
public:
  ExprDecoder(MLIRContext *context, ArrayRef<ExprAttr> symbols)
      : context(context), symbols(symbols) {}

  Result<ExprAttr> run(ArrayRef<uint8_t> code) {
    unsigned instructions = 0;
    while (!code.empty()) {
      if (++instructions > kMaxNodes)
        return badCode("more than " + Twine(kMaxNodes) + " instructions");
      if (Status s = step(code); !s)
        return s.takeError();
    }
    if (stack.size() != 1)
      return badCode("leaves " + Twine(stack.size()) + " numbers, expected one");
    return stack.front();
  }

private:
  static constexpr uint64_t kMaxNodes = 10000, kMaxDepth = 256;
  struct Extent {
    uint64_t nodes = 1, depth = 1;
  };

  template <typename T> std::optional<T> take(ArrayRef<uint8_t> &code) {
    if (code.size() < sizeof(T))
      return std::nullopt;
    T value = llvm::support::endian::read<T>(code.data(),
                                             llvm::endianness::little);
    code = code.drop_front(sizeof(T));
    return value;
  }

  Status step(ArrayRef<uint8_t> &code) {
    uint8_t opcode = code.front();
    code = code.drop_front();
    if (opcode == KILN_EXPR_PUSH_INT || opcode == KILN_EXPR_PUSH_FLOAT) {
      auto payload = take<int64_t>(code);
      if (!payload)
        return badCode("ends within a number");
      return push(opcode == KILN_EXPR_PUSH_INT
                      ? getConstant(context, *payload)
                      : getFloat(context, llvm::bit_cast<double>(*payload)));
    }
    if (opcode == KILN_EXPR_PUSH_SYMBOL) {
      auto index = take<uint32_t>(code);
      if (!index || *index >= symbols.size())
        return badCode("names a symbol that does not exist");
      return push(symbols[*index]);
    }
    std::optional<ExprKind> kind = getFunction(opcode);
    if (!kind && opcode != KILN_EXPR_SUB)
      return badCode("instruction " + Twine(opcode) + " does not exist");
    unsigned arity = kind && getArity(*kind) ? getArity(*kind) : 2;
    if (stack.size() < arity)
      return badCode("takes more numbers than there are");
    SmallVector<ExprAttr> operands(ArrayRef(stack).take_back(arity));
    stack.truncate(stack.size() - arity);
    return push(kind ? build(*kind, operands) : sub(operands[0], operands[1]));
  }

  Status push(ExprAttr expr) {
    Extent extent = measure(expr);
    if (extent.nodes > kMaxNodes || extent.depth > kMaxDepth)
      return badCode("more than " + Twine(kMaxNodes) + " nodes or " +
                     Twine(kMaxDepth) + " levels");
    stack.push_back(expr);
    return Status::success();
  }

  Extent measure(ExprAttr expr) {
    if (auto known = extents.find(expr); known != extents.end())
      return known->second;
    Extent extent;
    for (ExprAttr operand : expr.getOperands()) {
      Extent inner = measure(operand);
      extent.nodes += inner.nodes;
      extent.depth = std::max(extent.depth, inner.depth + 1);
    }
    extents[expr] = extent;
    return extent;
  }

  MLIRContext *context;
  ArrayRef<ExprAttr> symbols;
  SmallVector<ExprAttr> stack;
  llvm::DenseMap<ExprAttr, Extent> extents;
};

} // namespace

Result<ExprAttr> guard::decodeExpr(MLIRContext *context,
                                   ArrayRef<uint8_t> code,
                                   ArrayRef<ExprAttr> symbols) {
  return ExprDecoder(context, symbols).run(code);
}
