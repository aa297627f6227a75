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

#include "kiln/Dialect/Guard/IR/GuardBytecode.h"

#include "kiln/ABI/GuardABI.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "kiln/Package/ExprEvaluator.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace kiln;
using namespace kiln::guard;

//===----------------------------------------------------------------------===//
// Functions and their instructions
//===----------------------------------------------------------------------===//

namespace {

/// A line of kiln/ABI/ExprFunctions.def.
struct Function {
  const char *name;
  uint8_t opcode;
  uint8_t arity;
  kiln_expr_result result;
};

constexpr Function functions[] = {
#define KILN_EXPR_FUNCTION(kind, OPCODE, code, name, arity, result, text, binds) \
  {name, code, arity, KILN_EXPR_RESULT_##result},
#include "kiln/ABI/ExprFunctions.def"
};

constexpr size_t firstFunction = size_t(ExprKind::Symbol) + 1;

} // namespace

/// Null for a leaf.
static const Function *lookUp(ExprKind kind) {
  return size_t(kind) < firstFunction ? nullptr
                                      : &functions[size_t(kind) - firstFunction];
}

StringRef guard::getFunctionName(ExprKind kind) { return lookUp(kind)->name; }

std::optional<ExprKind> guard::lookUpFunction(StringRef name) {
  for (auto [i, function] : llvm::enumerate(functions))
    if (function.name == name)
      return ExprKind(firstFunction + i);
  return std::nullopt;
}

unsigned guard::getArity(ExprKind kind) { return lookUp(kind)->arity; }

bool guard::isTruthFunction(ExprKind kind) {
  const Function *function = lookUp(kind);
  return function && function->result == KILN_EXPR_RESULT_TRUTH;
}

uint8_t guard::getOpcode(ExprKind kind) { return lookUp(kind)->opcode; }

bool ExprAttr::isFloatTyped() const {
  const Function *function = lookUp(getKind());
  if (!function)
    return isFloatConstant() ||
           (isSymbol() && isFloatSymbolName(getSymbol().getValue()));
  auto isFloat = [](ExprAttr e) { return e.isFloatTyped(); };
  switch (function->result) {
  case KILN_EXPR_RESULT_NUMBER:
    // Sums and products of floats are always opaque.
    if ((getKind() == ExprKind::Add || getKind() == ExprKind::Mul) &&
        getPayload() == 0)
      return false;
    return llvm::any_of(getOperands(), isFloat);
  case KILN_EXPR_RESULT_CHOSEN:
    return llvm::any_of(getOperands().drop_front(), isFloat);
  case KILN_EXPR_RESULT_FLOAT:
    return true;
  case KILN_EXPR_RESULT_INTEGER:
  case KILN_EXPR_RESULT_TRUTH:
    return false;
  }
  llvm_unreachable("all results are listed");
}

//===----------------------------------------------------------------------===//
// Functions on numbers
//===----------------------------------------------------------------------===//

static package::Cell toCell(const Number &number) {
  return number.isFloat ? package::Cell::ofFloat(number.real)
                        : package::Cell::ofInteger(number.integer);
}

static Number toNumber(const package::Cell &cell) {
  return cell.isInteger() ? Number::of(cell.integer) : Number::of(cell.real);
}

std::optional<Number> guard::apply(ExprKind kind, ArrayRef<Number> operands) {
  const Function *function = lookUp(kind);
  if (!function || operands.empty() ||
      (function->arity != 0 && operands.size() != function->arity))
    return std::nullopt;
  auto run = [&](MutableArrayRef<package::Cell> cells) {
    return package::applyFunction(function->opcode, cells.data()) ==
           package::ExprFailure::None;
  };
  SmallVector<package::Cell, 3> cells = llvm::map_to_vector<3>(operands, toCell);
  if (function->arity != 0)
    return run(cells) ? std::optional(toNumber(cells[0])) : std::nullopt;
  package::Cell pair[] = {cells[0], {}};
  for (const package::Cell &cell : ArrayRef(cells).drop_front()) {
    pair[1] = cell;
    if (!run(pair))
      return std::nullopt;
  }
  return toNumber(pair[0]);
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
      term.coefficient = apply(ExprKind::Mod, {Number::of(term.coefficient),
                                               Number::of(modulus)})
                             ->integer;
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
  return isTruthFunction(e.getKind()) || e.isConstant(0) || e.isConstant(1);
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
