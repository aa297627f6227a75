//===- ExprEvaluator.cpp - Evaluate expression bytecode ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Package/ExprEvaluator.h"
#include "ExprCode.h"

#include <algorithm>
#include <cmath>

namespace kiln::package {

namespace {

/// Checked power by squaring; `exponent` is not negative.
bool integerPower(int64_t base, int64_t exponent, int64_t &result) {
  result = 1;
  while (exponent > 0) {
    if (exponent & 1)
      if (__builtin_mul_overflow(result, base, &result))
        return false;
    exponent >>= 1;
    if (exponent > 0 && __builtin_mul_overflow(base, base, &base))
      return false;
  }
  return true;
}

ExprFailure truncate(double value, Cell &cell) {
  // The bounds are exact doubles; a NaN fails both comparisons.
  if (!(value >= -9223372036854775808.0 && value < 9223372036854775808.0))
    return ExprFailure::OutOfRange;
  cell = Cell::ofInteger(static_cast<int64_t>(value));
  return ExprFailure::None;
}

/// Half to even, whatever the rounding mode of the thread is.
double roundHalfEven(double value) {
  double rounded = std::round(value);
  if (std::fabs(value - std::trunc(value)) == 0.5)
    rounded = 2.0 * std::round(value / 2.0);
  return rounded;
}

ExprFailure convertToInteger(uint8_t opcode, Cell &cell) {
  if (cell.isInteger())
    return ExprFailure::None;
  switch (opcode) {
  case KILN_EXPR_TRUNC:
    return truncate(std::trunc(cell.real), cell);
  case KILN_EXPR_FLOOR:
    return truncate(std::floor(cell.real), cell);
  case KILN_EXPR_CEIL:
    return truncate(std::ceil(cell.real), cell);
  default:
    return truncate(roundHalfEven(cell.real), cell);
  }
}

double floatFunction(uint8_t opcode, double x) {
  switch (opcode) {
  case KILN_EXPR_TO_FLOAT:
    return x;
  case KILN_EXPR_SQRT:
    return std::sqrt(x);
  case KILN_EXPR_EXP:
    return std::exp(x);
  case KILN_EXPR_LOG:
    return std::log(x);
  case KILN_EXPR_LOG2:
    return std::log2(x);
  case KILN_EXPR_SIN:
    return std::sin(x);
  case KILN_EXPR_COS:
    return std::cos(x);
  case KILN_EXPR_TAN:
    return std::tan(x);
  case KILN_EXPR_SINH:
    return std::sinh(x);
  case KILN_EXPR_COSH:
    return std::cosh(x);
  case KILN_EXPR_TANH:
    return std::tanh(x);
  case KILN_EXPR_ASIN:
    return std::asin(x);
  case KILN_EXPR_ACOS:
    return std::acos(x);
  case KILN_EXPR_ATAN:
    return std::atan(x);
  default:
    return std::asinh(x);
  }
}

/// ADD to POW on two integers.
ExprFailure integerArithmetic(uint8_t opcode, int64_t a, int64_t b,
                              int64_t &result) {
  bool overflow = false;
  switch (opcode) {
  case KILN_EXPR_ADD:
    overflow = __builtin_add_overflow(a, b, &result);
    break;
  case KILN_EXPR_SUB:
    overflow = __builtin_sub_overflow(a, b, &result);
    break;
  case KILN_EXPR_MUL:
    overflow = __builtin_mul_overflow(a, b, &result);
    break;
  case KILN_EXPR_MIN:
    result = std::min(a, b);
    break;
  case KILN_EXPR_MAX:
    result = std::max(a, b);
    break;
  default:
    if (b < 0)
      return ExprFailure::NegativeExponent;
    overflow = !integerPower(a, b, result);
    break;
  }
  return overflow ? ExprFailure::Overflow : ExprFailure::None;
}

double floatArithmetic(uint8_t opcode, double a, double b) {
  switch (opcode) {
  case KILN_EXPR_ADD:
    return a + b;
  case KILN_EXPR_SUB:
    return a - b;
  case KILN_EXPR_MUL:
    return a * b;
  case KILN_EXPR_MIN:
    return b < a ? b : a;
  case KILN_EXPR_MAX:
    return b > a ? b : a;
  default:
    return std::pow(a, b);
  }
}

/// FLOORDIV to BIT_XOR.
ExprFailure integerOnly(uint8_t opcode, int64_t a, int64_t b,
                        int64_t &result) {
  switch (opcode) {
  case KILN_EXPR_FLOORDIV:
  case KILN_EXPR_CEILDIV:
  case KILN_EXPR_CLEANDIV:
  case KILN_EXPR_MOD: {
    if (b == 0)
      return ExprFailure::DivisionByZero;
    if (b == -1) {
      // Avoids the one quotient that the processor traps on.
      result = 0;
      if (opcode == KILN_EXPR_MOD)
        return ExprFailure::None;
      return __builtin_sub_overflow(int64_t(0), a, &result)
                 ? ExprFailure::Overflow
                 : ExprFailure::None;
    }
    int64_t quotient = a / b;
    int64_t rest = a % b;
    bool opposite = (rest < 0) != (b < 0);
    if (opcode == KILN_EXPR_CLEANDIV && rest != 0)
      return ExprFailure::InexactDivision;
    if (opcode == KILN_EXPR_MOD)
      result = rest != 0 && opposite ? rest + b : rest;
    else if (opcode == KILN_EXPR_CEILDIV)
      result = rest != 0 && !opposite ? quotient + 1 : quotient;
    else
      result = rest != 0 && opposite ? quotient - 1 : quotient;
    return ExprFailure::None;
  }
  case KILN_EXPR_SHL:
    if (b < 0)
      return ExprFailure::NegativeShift;
    if (a == 0) {
      result = 0;
      return ExprFailure::None;
    }
    if (b > 62)
      return ExprFailure::Overflow;
    return __builtin_mul_overflow(a, int64_t(1) << b, &result)
               ? ExprFailure::Overflow
               : ExprFailure::None;
  case KILN_EXPR_SHR:
    if (b < 0)
      return ExprFailure::NegativeShift;
    result = a >> std::min<int64_t>(b, 63);
    return ExprFailure::None;
  case KILN_EXPR_BIT_AND:
    result = a & b;
    return ExprFailure::None;
  case KILN_EXPR_BIT_OR:
    result = a | b;
    return ExprFailure::None;
  default:
    result = a ^ b;
    return ExprFailure::None;
  }
}

/// Exact for integers; a float compares as IEEE does.
bool compare(uint8_t opcode, const Cell &a, const Cell &b) {
  auto test = [opcode](auto x, auto y) {
    switch (opcode) {
    case KILN_EXPR_EQ:
      return x == y;
    case KILN_EXPR_NE:
      return x != y;
    case KILN_EXPR_LT:
      return x < y;
    case KILN_EXPR_LE:
      return x <= y;
    case KILN_EXPR_GT:
      return x > y;
    default:
      return x >= y;
    }
  };
  if (a.isInteger() && b.isInteger())
    return test(a.integer, b.integer);
  return test(a.asDouble(), b.asDouble());
}

/// Two cells to one.
ExprFailure binary(uint8_t opcode, const Cell &a, const Cell &b, Cell &out) {
  bool areIntegers = a.isInteger() && b.isInteger();
  int64_t integer = 0;
  ExprFailure failure = ExprFailure::None;
  switch (instructions[opcode].result) {
  case KILN_EXPR_RESULT_NUMBER:
    if (!areIntegers) {
      out = Cell::ofFloat(floatArithmetic(opcode, a.asDouble(), b.asDouble()));
      return failure;
    }
    failure = integerArithmetic(opcode, a.integer, b.integer, integer);
    break;
  case KILN_EXPR_RESULT_INTEGER:
    if (!areIntegers)
      return ExprFailure::ExpectedInteger;
    failure = integerOnly(opcode, a.integer, b.integer, integer);
    break;
  case KILN_EXPR_RESULT_FLOAT:
    if (b.asDouble() == 0.0)
      return ExprFailure::DivisionByZero;
    out = Cell::ofFloat(a.asDouble() / b.asDouble());
    return failure;
  default:
    integer = opcode == KILN_EXPR_AND  ? a.asBool() && b.asBool()
              : opcode == KILN_EXPR_OR ? a.asBool() || b.asBool()
                                       : compare(opcode, a, b);
    break;
  }
  out = Cell::ofInteger(integer);
  return failure;
}

ExprFailure unary(uint8_t opcode, Cell &cell) {
  switch (instructions[opcode].result) {
  case KILN_EXPR_RESULT_TRUTH:
    cell = Cell::ofInteger(!cell.asBool());
    return ExprFailure::None;
  case KILN_EXPR_RESULT_INTEGER:
    return convertToInteger(opcode, cell);
  default:
    cell = Cell::ofFloat(floatFunction(opcode, cell.asDouble()));
    return ExprFailure::None;
  }
}

} // namespace

const char *describe(ExprFailure failure) {
  switch (failure) {
  case ExprFailure::None:
    return "no failure";
  case ExprFailure::Overflow:
    return "integer overflow";
  case ExprFailure::DivisionByZero:
    return "division by zero";
  case ExprFailure::InexactDivision:
    return "division with a remainder";
  case ExprFailure::NegativeShift:
    return "shift by a negative count";
  case ExprFailure::NegativeExponent:
    return "integer power with a negative exponent";
  case ExprFailure::ExpectedInteger:
    return "a float where an integer is expected";
  case ExprFailure::OutOfRange:
    return "a float that no 64-bit integer holds";
  case ExprFailure::UndefinedSymbol:
    return "a symbol that has no value yet";
  }
  return "unknown failure";
}

Status checkExpr(const Expr &expr, size_t symbolCount) {
  size_t position = 0;
  uint32_t depth = 0;
  while (position < expr.code.size()) {
    std::string place = "expression, byte " + std::to_string(position) + ": ";
    uint8_t opcode = expr.code[position];
    const Instruction &instruction = instructions[opcode];
    if (!instruction.isKnown)
      return Error::malformed(place + "unknown instruction " +
                              std::to_string(opcode));
    if (expr.code.size() - position - 1 < instruction.operandBytes)
      return Error::malformed(place + "the operand is cut off");
    if (opcode == KILN_EXPR_PUSH_SYMBOL) {
      uint32_t symbol = readOperand<uint32_t>(expr.code.data() + position + 1);
      if (symbol >= symbolCount)
        return Error::malformed(place + "expected a symbol below " +
                                std::to_string(symbolCount) + ", found " +
                                std::to_string(symbol));
    }
    if (depth < instruction.pops)
      return Error::malformed(place + "expected " +
                              std::to_string(instruction.pops) +
                              " cells on the stack, found " +
                              std::to_string(depth));
    depth = depth - instruction.pops + 1;
    if (depth > kMaxExprStack)
      return Error::malformed(place + "expected at most " +
                              std::to_string(kMaxExprStack) +
                              " cells on the stack, found more");
    position += 1 + instruction.operandBytes;
  }
  if (depth != 1)
    return Error::malformed("expression leaves " + std::to_string(depth) +
                            " cells, expected 1");
  return Status::success();
}

ExprFailure applyFunction(uint8_t opcode, Cell *cells) {
  switch (instructions[opcode].pops) {
  case 1:
    return unary(opcode, cells[0]);
  case 2:
    return binary(opcode, cells[0], cells[1], cells[0]);
  default: // the only one of three
    cells[0] = cells[0].asBool() ? cells[1] : cells[2];
    return ExprFailure::None;
  }
}

ExprFailure evaluate(const Expr &expr, const Cell *symbols, Cell &result) {
  // Raw storage, since initializing all cells would take longer than a small
  // expression. `checkExpr` made sure that a cell is written before it is read.
  alignas(Cell) unsigned char storage[kMaxExprStack * sizeof(Cell)];
  Cell *const stack = reinterpret_cast<Cell *>(storage);
  Cell *top = stack; // one past the last cell
  const uint8_t *code = expr.code.data();
  const uint8_t *end = code + expr.code.size();
  while (code != end) {
    uint8_t opcode = *code++;
    ExprFailure failure = ExprFailure::None;
    if (opcode == KILN_EXPR_PUSH_SYMBOL) {
      *top = symbols[readOperand<uint32_t>(code)];
      if (!top->defined())
        return ExprFailure::UndefinedSymbol;
      ++top;
      code += 4;
    } else if (opcode == KILN_EXPR_PUSH_INT) {
      *top++ = Cell::ofInteger(readOperand<int64_t>(code));
      code += 8;
    } else if (opcode == KILN_EXPR_PUSH_FLOAT) {
      *top++ = Cell::ofFloat(readOperand<double>(code));
      code += 8;
    } else {
      top -= instructions[opcode].pops - 1;
      failure = applyFunction(opcode, top - 1);
    }
    if (failure != ExprFailure::None)
      return failure;
  }
  result = stack[0];
  return ExprFailure::None;
}

Result<Cell> evaluateExpr(const Expr &expr, const Program &program,
                          const std::vector<Cell> &symbols) {
  if (Status status = checkExpr(expr, symbols.size()); !status)
    return status.takeError();
  Cell result;
  ExprFailure failure = evaluate(expr, symbols.data(), result);
  if (failure != ExprFailure::None)
    return Error::guard("expression '" + printExpr(expr, program.symbols) +
                        "': " + describe(failure));
  return result;
}

std::optional<int64_t> constantSize(const Expr &expr) {
  Cell value;
  if (!symbolsOf(expr).empty() ||
      evaluate(expr, nullptr, value) != ExprFailure::None || !value.isInteger())
    return std::nullopt;
  return value.integer;
}

bool isCondition(const Expr &expr) {
  uint8_t last = 0;
  for (size_t position = 0; position < expr.code.size();) {
    last = expr.code[position];
    position += 1 + instructions[last].operandBytes;
  }
  return instructions[last].result == KILN_EXPR_RESULT_TRUTH;
}

std::vector<uint32_t> symbolsOf(const Expr &expr) {
  std::vector<uint32_t> result;
  size_t position = 0;
  while (position < expr.code.size()) {
    uint8_t opcode = expr.code[position];
    if (opcode == KILN_EXPR_PUSH_SYMBOL)
      result.push_back(readOperand<uint32_t>(expr.code.data() + position + 1));
    position += 1 + instructions[opcode].operandBytes;
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

} // namespace kiln::package
