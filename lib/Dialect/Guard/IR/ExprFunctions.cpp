//===- ExprFunctions.cpp - Division, comparison, evaluation ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builders of the functions that are no sums or products, with the rewrites
// that hold for all values, and the evaluation of functions on numbers.
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Guard/IR/Expr.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <numeric>

using namespace kiln;
using namespace kiln::guard;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

StringRef guard::getFunctionName(ExprKind kind) {
  static constexpr const char *kNames[] = {
      "constant", "float", "dim",   "symbol", "add",      "mul",     "pow",
      "min",      "max",   "floordiv", "ceildiv", "cleandiv", "mod", "shl",
      "shr",      "bitand", "bitor", "bitxor", "truediv", "tofloat", "trunc",
      "floor",    "ceil",  "round", "sqrt",   "exp",      "log",     "log2",
      "sin",      "cos",   "tan",   "sinh",   "cosh",     "tanh",    "asin",
      "acos",     "atan",  "asinh", "eq",     "ne",       "lt",      "le",
      "gt",       "ge",    "and",   "or",     "not",      "select"};
  static_assert(std::size(kNames) == size_t(ExprKind::Select) + 1);
  return kNames[size_t(kind)];
}

std::optional<ExprKind> guard::lookUpFunction(StringRef name) {
  for (size_t i = size_t(ExprKind::Add); i <= size_t(ExprKind::Select); ++i)
    if (getFunctionName(ExprKind(i)) == name)
      return ExprKind(i);
  return std::nullopt;
}

unsigned guard::getArity(ExprKind kind) {
  switch (kind) {
  case ExprKind::Add:
  case ExprKind::Mul:
  case ExprKind::Min:
  case ExprKind::Max:
  case ExprKind::And:
  case ExprKind::Or:
    return 0;
  case ExprKind::Not:
  case ExprKind::ToFloat:
  case ExprKind::Trunc:
  case ExprKind::Floor:
  case ExprKind::Ceil:
  case ExprKind::Round:
    return 1;
  case ExprKind::Select:
    return 3;
  default:
    return kind >= ExprKind::Sqrt && kind <= ExprKind::Asinh ? 1 : 2;
  }
}

//===----------------------------------------------------------------------===//
// Functions on numbers
//===----------------------------------------------------------------------===//

static std::optional<Number> applyUnary(ExprKind kind, Number x) {
  auto integer = [](double value) -> std::optional<Number> {
    // 2^63 is the first double that does not fit.
    if (!(value >= -9223372036854775808.0 && value < 9223372036854775808.0))
      return std::nullopt;
    return Number::of(int64_t(value));
  };
  double d = x.asDouble();
  switch (kind) {
  case ExprKind::Not:
    return Number::of(int64_t(d == 0));
  case ExprKind::ToFloat:
    return Number::of(d);
  case ExprKind::Trunc:
    return x.isFloat ? integer(std::trunc(d)) : x;
  case ExprKind::Floor:
    return x.isFloat ? integer(std::floor(d)) : x;
  case ExprKind::Ceil:
    return x.isFloat ? integer(std::ceil(d)) : x;
  case ExprKind::Round:
    return x.isFloat ? integer(std::nearbyint(d)) : x;
  case ExprKind::Sqrt:
    return Number::of(std::sqrt(d));
  case ExprKind::Exp:
    return Number::of(std::exp(d));
  case ExprKind::Log:
    return Number::of(std::log(d));
  case ExprKind::Log2:
    return Number::of(std::log2(d));
  case ExprKind::Sin:
    return Number::of(std::sin(d));
  case ExprKind::Cos:
    return Number::of(std::cos(d));
  case ExprKind::Tan:
    return Number::of(std::tan(d));
  case ExprKind::Sinh:
    return Number::of(std::sinh(d));
  case ExprKind::Cosh:
    return Number::of(std::cosh(d));
  case ExprKind::Tanh:
    return Number::of(std::tanh(d));
  case ExprKind::Asin:
    return Number::of(std::asin(d));
  case ExprKind::Acos:
    return Number::of(std::acos(d));
  case ExprKind::Atan:
    return Number::of(std::atan(d));
  case ExprKind::Asinh:
    return Number::of(std::asinh(d));
  default:
    return std::nullopt;
  }
}

static std::optional<int64_t> floorDivide(int64_t a, int64_t b) {
  if (b == 0 || (a == Interval::kMin && b == -1))
    return std::nullopt;
  return llvm::divideFloorSigned(a, b);
}

static std::optional<int64_t> integerPower(int64_t base, int64_t exponent) {
  if (exponent < 0)
    return std::nullopt;
  int64_t result = 1;
  while (true) {
    if (exponent & 1)
      if (llvm::MulOverflow(result, base, result))
        return std::nullopt;
    exponent >>= 1;
    if (exponent == 0)
      return result;
    if (llvm::MulOverflow(base, base, base))
      return std::nullopt;
  }
}

static std::optional<int64_t> applyIntegers(ExprKind kind, int64_t a,
                                            int64_t b) {
  int64_t result;
  switch (kind) {
  case ExprKind::Add:
    if (llvm::AddOverflow(a, b, result))
      return std::nullopt;
    return result;
  case ExprKind::Mul:
    if (llvm::MulOverflow(a, b, result))
      return std::nullopt;
    return result;
  case ExprKind::Min:
    return std::min(a, b);
  case ExprKind::Max:
    return std::max(a, b);
  case ExprKind::Pow:
    return integerPower(a, b);
  case ExprKind::FloorDiv:
    return floorDivide(a, b);
  case ExprKind::CeilDiv:
    if (b == 0 || (a == Interval::kMin && b == -1))
      return std::nullopt;
    return llvm::divideCeilSigned(a, b);
  case ExprKind::CleanDiv:
    if (b == 0 || (a == Interval::kMin && b == -1) || a % b != 0)
      return std::nullopt;
    return a / b;
  case ExprKind::Mod:
    if (b == 0)
      return std::nullopt;
    if (b == -1)
      return 0;
    result = a % b;
    return result != 0 && (result < 0) != (b < 0) ? result + b : result;
  case ExprKind::Shl:
    if (b < 0)
      return std::nullopt;
    if (a == 0)
      return 0;
    if (b > 62 || llvm::MulOverflow(a, int64_t(1) << b, result))
      return std::nullopt;
    return result;
  case ExprKind::Shr:
    if (b < 0)
      return std::nullopt;
    return a >> std::min<int64_t>(b, 63);
  case ExprKind::BitAnd:
    return a & b;
  case ExprKind::BitOr:
    return a | b;
  case ExprKind::BitXor:
    return a ^ b;
  default:
    return std::nullopt;
  }
}

static std::optional<Number> applyBinary(ExprKind kind, Number a, Number b) {
  double x = a.asDouble(), y = b.asDouble();
  bool integers = !a.isFloat && !b.isFloat;
  auto truth = [&](bool ofIntegers, bool ofFloats) {
    return Number::of(int64_t(integers ? ofIntegers : ofFloats));
  };
  switch (kind) {
  case ExprKind::TrueDiv:
    if (y == 0)
      return std::nullopt;
    return Number::of(x / y);
  case ExprKind::Eq:
    return truth(a.integer == b.integer, x == y);
  case ExprKind::Ne:
    return truth(a.integer != b.integer, x != y);
  case ExprKind::Lt:
    return truth(a.integer < b.integer, x < y);
  case ExprKind::Le:
    return truth(a.integer <= b.integer, x <= y);
  case ExprKind::Gt:
    return truth(a.integer > b.integer, x > y);
  case ExprKind::Ge:
    return truth(a.integer >= b.integer, x >= y);
  case ExprKind::And:
    return Number::of(int64_t(x != 0 && y != 0));
  case ExprKind::Or:
    return Number::of(int64_t(x != 0 || y != 0));
  default:
    break;
  }
  if (integers) {
    std::optional<int64_t> result = applyIntegers(kind, a.integer, b.integer);
    return result ? std::optional<Number>(Number::of(*result)) : std::nullopt;
  }
  switch (kind) {
  case ExprKind::Add:
    return Number::of(x + y);
  case ExprKind::Mul:
    return Number::of(x * y);
  case ExprKind::Min:
    return Number::of(y < x ? y : x);
  case ExprKind::Max:
    return Number::of(x < y ? y : x);
  case ExprKind::Pow:
    return Number::of(std::pow(x, y));
  default:
    return std::nullopt;
  }
}

std::optional<Number> guard::apply(ExprKind kind, ArrayRef<Number> operands) {
  unsigned arity = getArity(kind);
  if (operands.empty() || (arity != 0 && operands.size() != arity))
    return std::nullopt;
  if (arity == 1)
    return applyUnary(kind, operands.front());
  if (kind == ExprKind::Select)
    return operands[0].asDouble() != 0 ? operands[1] : operands[2];
  Number result = operands.front();
  for (Number operand : operands.drop_front()) {
    std::optional<Number> next = applyBinary(kind, result, operand);
    if (!next)
      return std::nullopt;
    result = *next;
  }
  return result;
}

std::optional<Number>
guard::evaluate(ExprAttr expr,
                function_ref<std::optional<Number>(ExprAttr)> leaf) {
  switch (expr.getKind()) {
  case ExprKind::Constant:
    return Number::of(expr.getPayload());
  case ExprKind::Float:
    return Number::of(expr.getFloat());
  case ExprKind::Dim:
  case ExprKind::Symbol:
    return leaf(expr);
  default:
    break;
  }
  SmallVector<Number> operands;
  for (ExprAttr operand : expr.getOperands()) {
    std::optional<Number> value = evaluate(operand, leaf);
    if (!value)
      return std::nullopt;
    operands.push_back(*value);
  }
  return apply(expr.getKind(), operands);
}

//===----------------------------------------------------------------------===//
// Builders
//===----------------------------------------------------------------------===//

static ExprAttr makeNode(ExprKind kind, ArrayRef<ExprAttr> operands) {
  return ExprAttr::get(operands.front().getContext(), kind, 0, StringAttr(),
                       operands);
}

static ExprAttr fold(ExprKind kind, ArrayRef<ExprAttr> operands) {
  SmallVector<Number> numbers;
  for (ExprAttr operand : operands) {
    if (operand.isConstant())
      numbers.push_back(Number::of(operand.getPayload()));
    else if (operand.isFloatConstant())
      numbers.push_back(Number::of(operand.getFloat()));
    else
      return {};
  }
  std::optional<Number> result = apply(kind, numbers);
  if (!result)
    return {};
  MLIRContext *context = operands.front().getContext();
  return result->isFloat ? getFloat(context, result->real)
                         : getConstant(context, result->integer);
}

static ExprAttr buildPlain(ExprKind kind, ArrayRef<ExprAttr> operands) {
  ExprAttr folded = fold(kind, operands);
  return folded ? folded : makeNode(kind, operands);
}

static ExprAttr boolean(ExprAttr like, bool value) {
  return getConstant(like.getContext(), value);
}

/// min and max: flat, sorted, without duplicates, constants folded.
static ExprAttr buildExtremum(ExprKind kind, ExprAttr a, ExprAttr b) {
  if (a == b)
    return a;
  if (a.isFloatTyped() || b.isFloatTyped())
    return buildPlain(kind, {a, b});
  // Operands that differ by a constant are ordered.
  if (std::optional<int64_t> difference = sub(a, b).getConstant())
    return (*difference < 0) == (kind == ExprKind::Min) ? a : b;
  SmallVector<ExprAttr> operands;
  for (ExprAttr e : {a, b}) {
    if (e.getKind() == kind)
      llvm::append_range(operands, e.getOperands());
    else
      operands.push_back(e);
  }
  llvm::sort(operands,
             [](ExprAttr x, ExprAttr y) { return compare(x, y) < 0; });
  operands.erase(llvm::unique(operands), operands.end());
  // Constants sort first.
  while (operands.size() > 1 && operands[1].isConstant()) {
    operands[1] = fold(kind, {operands[0], operands[1]});
    operands.erase(operands.begin());
  }
  return operands.size() == 1 ? operands.front() : makeNode(kind, operands);
}

ExprAttr guard::min(ExprAttr a, ExprAttr b) {
  return buildExtremum(ExprKind::Min, a, b);
}
ExprAttr guard::max(ExprAttr a, ExprAttr b) {
  return buildExtremum(ExprKind::Max, a, b);
}

ExprAttr guard::pow(ExprAttr a, ExprAttr b) {
  if (ExprAttr folded = fold(ExprKind::Pow, {a, b}))
    return folded;
  std::optional<int64_t> exponent = b.getConstant();
  if (a.isFloatTyped() || !exponent || *exponent < 0 || *exponent > 8)
    return makeNode(ExprKind::Pow, {a, b});
  return product(a.getContext(), SmallVector<ExprAttr>(*exponent, a));
}

/// Greatest common divisor of `start` and the coefficients of non-constants.
static int64_t getContent(ArrayRef<Term> terms, int64_t start) {
  int64_t result = start;
  for (Term term : terms)
    if (term.monomial) {
      if (term.coefficient == Interval::kMin)
        return 1;
      result = std::gcd(result, term.coefficient);
    }
  return result;
}

/// x floordiv divisor for a positive constant: whole multiples come out, the
/// constant is reduced, a common factor is cancelled.
static ExprAttr floorDivideBy(ExprAttr x, int64_t divisor) {
  MLIRContext *context = x.getContext();
  SmallVector<Term> whole, rest;
  int64_t constant = 0;
  for (Term term : getTerms(x)) {
    if (!term.monomial)
      constant = term.coefficient;
    else if (term.coefficient % divisor == 0)
      whole.push_back({term.monomial, term.coefficient / divisor});
    else
      rest.push_back(term);
  }
  int64_t quotient = llvm::divideFloorSigned(constant, divisor);
  if (quotient != 0)
    whole.push_back({ExprAttr(), quotient});
  constant -= quotient * divisor;
  ExprAttr outside = fromTerms(context, whole);
  if (rest.empty())
    return outside;
  // floordiv(g*a + k, g*c) = floordiv(a + k floordiv g, c).
  int64_t common = getContent(rest, divisor);
  if (common > 1) {
    for (Term &term : rest)
      term.coefficient /= common;
    constant /= common;
    divisor /= common;
  }
  if (constant != 0)
    rest.push_back({ExprAttr(), constant});
  ExprAttr inside = fromTerms(context, rest);
  if (divisor == 1)
    return add(outside, inside);
  if (inside.getKind() == ExprKind::FloorDiv &&
      inside.getOperand(1).isConstant() &&
      inside.getOperand(1).getPayload() > 0) {
    int64_t combined;
    if (!llvm::MulOverflow(inside.getOperand(1).getPayload(), divisor,
                           combined))
      return add(outside, floorDivideBy(inside.getOperand(0), combined));
  }
  ExprAttr node = makeNode(ExprKind::FloorDiv,
                           {inside, getConstant(context, divisor)});
  return add(outside, node);
}

ExprAttr guard::floorDiv(ExprAttr a, ExprAttr b) {
  if (ExprAttr folded = fold(ExprKind::FloorDiv, {a, b}))
    return folded;
  if (a.isFloatTyped() || b.isFloatTyped() || b.isConstant(0))
    return makeNode(ExprKind::FloorDiv, {a, b});
  if (b.isConstant() && b.getPayload() > 0)
    return floorDivideBy(a, b.getPayload());
  // A zero divisor is an error in any case, so exact quotients cancel.
  if (std::optional<ExprAttr> quotient = exactDivide(a, b))
    return *quotient;
  return makeNode(ExprKind::FloorDiv, {a, b});
}

ExprAttr guard::floorDiv(ExprAttr a, int64_t b) {
  return floorDiv(a, getConstant(a.getContext(), b));
}

ExprAttr guard::ceilDiv(ExprAttr a, ExprAttr b) {
  if (ExprAttr folded = fold(ExprKind::CeilDiv, {a, b}))
    return folded;
  if (b.isConstant() && b.getPayload() > 0 && !a.isFloatTyped())
    return floorDiv(add(a, b.getPayload() - 1), b);
  return neg(floorDiv(neg(a), b));
}

ExprAttr guard::ceilDiv(ExprAttr a, int64_t b) {
  return ceilDiv(a, getConstant(a.getContext(), b));
}

ExprAttr guard::cleanDiv(ExprAttr a, ExprAttr b) {
  if (ExprAttr folded = fold(ExprKind::CleanDiv, {a, b}))
    return folded;
  if (std::optional<ExprAttr> quotient = exactDivide(a, b))
    return *quotient;
  return makeNode(ExprKind::CleanDiv, {a, b});
}

/// x mod modulus for a positive constant: multiples go, the constant is
/// reduced, a factor common to everything comes out.
static ExprAttr modulo(ExprAttr x, int64_t modulus) {
  MLIRContext *context = x.getContext();
  SmallVector<Term> rest;
  for (Term term : getTerms(x)) {
    if (!term.monomial)
      term.coefficient = *applyIntegers(ExprKind::Mod, term.coefficient,
                                        modulus);
    if (term.coefficient % modulus != 0)
      rest.push_back(term);
  }
  int64_t common = getContent(rest, modulus);
  if (!rest.empty() && !rest.back().monomial)
    common = std::gcd(common, rest.back().coefficient);
  if (common > 1)
    for (Term &term : rest)
      term.coefficient /= common;
  modulus /= common;
  ExprAttr inside = fromTerms(context, rest);
  if (modulus == 1)
    return getConstant(context, 0);
  ExprAttr m = getConstant(context, modulus);
  if (ExprAttr folded = fold(ExprKind::Mod, {inside, m}))
    return mul(folded, common);
  if (inside.getKind() == ExprKind::Mod && inside.getOperand(1).isConstant() &&
      inside.getOperand(1).getPayload() > 0 &&
      inside.getOperand(1).getPayload() % modulus == 0)
    return mul(modulo(inside.getOperand(0), modulus), common);
  return mul(makeNode(ExprKind::Mod, {inside, m}), common);
}

ExprAttr guard::mod(ExprAttr a, ExprAttr b) {
  if (ExprAttr folded = fold(ExprKind::Mod, {a, b}))
    return folded;
  if (a.isFloatTyped() || b.isFloatTyped() || b.isConstant(0))
    return makeNode(ExprKind::Mod, {a, b});
  if (b.isConstant() && b.getPayload() > 0)
    return modulo(a, b.getPayload());
  if (exactDivide(a, b))
    return getConstant(a.getContext(), 0);
  return makeNode(ExprKind::Mod, {a, b});
}

ExprAttr guard::mod(ExprAttr a, int64_t b) {
  return mod(a, getConstant(a.getContext(), b));
}

ExprAttr guard::modularIndexing(ExprAttr a, ExprAttr divisor,
                                ExprAttr modulus) {
  return mod(floorDiv(a, divisor), modulus);
}

/// Integer comparisons look at the difference: decided if it is constant,
/// else brought to one form with its positive terms on the left.
static ExprAttr buildComparison(ExprKind kind, ExprAttr a, ExprAttr b) {
  if (ExprAttr folded = fold(kind, {a, b}))
    return folded;
  if (a.isFloatTyped() || b.isFloatTyped())
    return makeNode(kind, {a, b});
  ExprAttr difference = sub(a, b);
  MLIRContext *context = a.getContext();
  if (difference.isConstant())
    return fold(kind, {difference, getConstant(context, 0)});
  // An equation may not depend on which side was written first.
  if ((kind == ExprKind::Eq || kind == ExprKind::Ne) && compare(b, a) < 0)
    std::swap(a, b);
  // A constant on the left reads badly.
  if ((kind == ExprKind::Eq || kind == ExprKind::Ne) && a.isConstant())
    std::swap(a, b);
  return makeNode(kind, {a, b});
}

ExprAttr guard::eq(ExprAttr a, ExprAttr b) {
  return buildComparison(ExprKind::Eq, a, b);
}
ExprAttr guard::ne(ExprAttr a, ExprAttr b) {
  return buildComparison(ExprKind::Ne, a, b);
}
ExprAttr guard::lt(ExprAttr a, ExprAttr b) {
  return buildComparison(ExprKind::Lt, a, b);
}
ExprAttr guard::le(ExprAttr a, ExprAttr b) {
  return buildComparison(ExprKind::Le, a, b);
}
ExprAttr guard::gt(ExprAttr a, ExprAttr b) { return lt(b, a); }
ExprAttr guard::ge(ExprAttr a, ExprAttr b) { return le(b, a); }

static bool isTruth(ExprAttr e) {
  return (e.getKind() >= ExprKind::Eq && e.getKind() <= ExprKind::Not) ||
         e.isConstant(0) || e.isConstant(1);
}

static ExprAttr buildLogic(ExprKind kind, ExprAttr a, ExprAttr b) {
  if (ExprAttr folded = fold(kind, {a, b}))
    return folded;
  bool absorbing = kind == ExprKind::Or;
  for (auto [x, y] : {std::pair(a, b), std::pair(b, a)}) {
    if (!x.isConstant())
      continue;
    if ((x.getPayload() != 0) == absorbing)
      return boolean(x, absorbing);
    if (isTruth(y))
      return y;
  }
  if (a == b && isTruth(a))
    return a;
  return makeNode(kind, {a, b});
}

ExprAttr guard::logicalAnd(ExprAttr a, ExprAttr b) {
  return buildLogic(ExprKind::And, a, b);
}
ExprAttr guard::logicalOr(ExprAttr a, ExprAttr b) {
  return buildLogic(ExprKind::Or, a, b);
}

ExprAttr guard::logicalNot(ExprAttr a) {
  if (ExprAttr folded = fold(ExprKind::Not, {a}))
    return folded;
  if (a.getKind() == ExprKind::Not && isTruth(a.getOperand(0)))
    return a.getOperand(0);
  if (a.getKind() == ExprKind::Eq)
    return makeNode(ExprKind::Ne, a.getOperands());
  if (a.getKind() == ExprKind::Ne)
    return makeNode(ExprKind::Eq, a.getOperands());
  // Not of an order is another order only where nothing is unordered.
  bool isOrder = a.getKind() == ExprKind::Lt || a.getKind() == ExprKind::Le;
  if (isOrder && llvm::none_of(a.getOperands(), [](ExprAttr operand) {
        return operand.isFloatTyped();
      }))
    return a.getKind() == ExprKind::Lt ? le(a.getOperand(1), a.getOperand(0))
                                       : lt(a.getOperand(1), a.getOperand(0));
  return makeNode(ExprKind::Not, {a});
}

ExprAttr guard::select(ExprAttr condition, ExprAttr a, ExprAttr b) {
  if (a == b)
    return a;
  if (condition.isConstant())
    return condition.getPayload() != 0 ? a : b;
  return makeNode(ExprKind::Select, {condition, a, b});
}

ExprAttr guard::toFloat(ExprAttr a) {
  return a.isFloatTyped() ? a : buildPlain(ExprKind::ToFloat, {a});
}

ExprAttr guard::build(ExprKind kind, ArrayRef<ExprAttr> operands) {
  auto chain = [&](ExprAttr (*combine)(ExprAttr, ExprAttr)) {
    ExprAttr result = operands.front();
    for (ExprAttr operand : operands.drop_front())
      result = combine(result, operand);
    return result;
  };
  switch (kind) {
  case ExprKind::Add:
    return chain(add);
  case ExprKind::Mul:
    return chain(mul);
  case ExprKind::Min:
    return chain(guard::min);
  case ExprKind::Max:
    return chain(guard::max);
  case ExprKind::Pow:
    return guard::pow(operands[0], operands[1]);
  case ExprKind::FloorDiv:
    return floorDiv(operands[0], operands[1]);
  case ExprKind::CeilDiv:
    return ceilDiv(operands[0], operands[1]);
  case ExprKind::CleanDiv:
    return cleanDiv(operands[0], operands[1]);
  case ExprKind::Mod:
    return mod(operands[0], operands[1]);
  case ExprKind::Eq:
    return eq(operands[0], operands[1]);
  case ExprKind::Ne:
    return ne(operands[0], operands[1]);
  case ExprKind::Lt:
    return lt(operands[0], operands[1]);
  case ExprKind::Le:
    return le(operands[0], operands[1]);
  case ExprKind::Gt:
    return gt(operands[0], operands[1]);
  case ExprKind::Ge:
    return ge(operands[0], operands[1]);
  case ExprKind::And:
    return chain(logicalAnd);
  case ExprKind::Or:
    return chain(logicalOr);
  case ExprKind::Not:
    return logicalNot(operands[0]);
  case ExprKind::Select:
    return select(operands[0], operands[1], operands[2]);
  case ExprKind::ToFloat:
    return toFloat(operands[0]);
  case ExprKind::Trunc:
  case ExprKind::Floor:
  case ExprKind::Ceil:
  case ExprKind::Round:
    if (!operands[0].isFloatTyped())
      return operands[0];
    return buildPlain(kind, operands);
  default:
    return buildPlain(kind, operands);
  }
}
