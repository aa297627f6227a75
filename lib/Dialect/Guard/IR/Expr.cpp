//===- Expr.cpp - Building expressions in canonical form ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The polynomial algebra: leaves, sums, products, and everything that takes
// expressions apart. The other functions are in ExprFunctions.cpp.
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Guard/IR/Expr.h"

#include "kiln/Dialect/Guard/IR/ExprRange.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace kiln;
using namespace kiln::guard;

/// Products of sums with more terms than this stay factored.
static constexpr size_t kMaxDistributedTerms = 64;

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

static ExprAttr getNode(MLIRContext *context, ExprKind kind,
                        ArrayRef<ExprAttr> operands, int64_t payload = 0) {
  return ExprAttr::get(context, kind, payload, StringAttr(), operands);
}

/// A sum or product that takes no part in the algebra: it overflows, is of
/// floats, or is too long. Marked by payload 1 and written as a call.
static ExprAttr getOpaque(ExprKind kind, ArrayRef<ExprAttr> operands) {
  return getNode(operands.front().getContext(), kind, operands, 1);
}

static bool isSum(ExprAttr e) {
  return e.getKind() == ExprKind::Add && e.getPayload() == 0;
}
static bool isProduct(ExprAttr e) {
  return e.getKind() == ExprKind::Mul && e.getPayload() == 0;
}

ExprAttr guard::getConstant(MLIRContext *context, int64_t value) {
  return ExprAttr::get(context, ExprKind::Constant, value, StringAttr(), {});
}

ExprAttr guard::getFloat(MLIRContext *context, double value) {
  return ExprAttr::get(context, ExprKind::Float,
                       llvm::bit_cast<int64_t>(value), StringAttr(), {});
}

ExprAttr guard::getSymbol(MLIRContext *context, StringRef name) {
  return ExprAttr::get(context, ExprKind::Symbol, 0,
                       StringAttr::get(context, name), {});
}

ExprAttr guard::getDim(MLIRContext *context, unsigned position) {
  return ExprAttr::get(context, ExprKind::Dim, position, StringAttr(), {});
}

bool guard::isFloatSymbolName(StringRef name) {
  if (!name.consume_front("zuf") && !name.consume_front("zf"))
    return false;
  return !name.empty() && llvm::all_of(name, llvm::isDigit);
}

double ExprAttr::getFloat() const {
  return llvm::bit_cast<double>(getPayload());
}

//===----------------------------------------------------------------------===//
// Order and terms
//===----------------------------------------------------------------------===//

int guard::compare(ExprAttr a, ExprAttr b) {
  if (a == b)
    return 0;
  if (a.getKind() != b.getKind())
    return a.getKind() < b.getKind() ? -1 : 1;
  if (a.getKind() == ExprKind::Symbol)
    if (int order = a.getSymbol().getValue().compare_numeric(
            b.getSymbol().getValue()))
      return order;
  if (a.getKind() == ExprKind::Symbol)
    return a.getSymbol().getValue().compare(b.getSymbol().getValue());
  if (a.getPayload() != b.getPayload())
    return a.getPayload() < b.getPayload() ? -1 : 1;
  ArrayRef<ExprAttr> left = a.getOperands(), right = b.getOperands();
  for (auto [x, y] : llvm::zip(left, right))
    if (int order = compare(x, y))
      return order;
  return left.size() < right.size() ? -1 : 1;
}

ArrayRef<ExprAttr> guard::getFactors(const ExprAttr &monomial) {
  if (isProduct(monomial))
    return monomial.getOperands();
  return ArrayRef<ExprAttr>(monomial);
}

/// Monomials sort by their factors, so that `d0 * 4` and `d0 * s1` stand
/// together and indices come before symbols.
static int compareMonomials(ExprAttr a, ExprAttr b) {
  if (a == b)
    return 0;
  if (!a || !b)
    return a ? -1 : 1; // the constant is last
  ArrayRef<ExprAttr> left = getFactors(a), right = getFactors(b);
  for (auto [x, y] : llvm::zip(left, right))
    if (int order = compare(x, y))
      return order;
  return left.size() > right.size() ? -1 : 1;
}

static Term getTerm(ExprAttr e) {
  if (e.isConstant())
    return {ExprAttr(), e.getPayload()};
  if (isProduct(e) && e.getOperands().back().isConstant())
    return {e.getOperand(0), e.getOperand(1).getPayload()};
  return {e, 1};
}

SmallVector<Term> guard::getTerms(ExprAttr expr) {
  SmallVector<Term> terms;
  if (isSum(expr)) {
    terms.reserve(expr.getOperands().size());
    for (ExprAttr operand : expr.getOperands())
      terms.push_back(getTerm(operand));
  } else if (!expr.isConstant(0)) {
    terms.push_back(getTerm(expr));
  }
  return terms;
}

static ExprAttr fromTerm(MLIRContext *context, Term term) {
  if (!term.monomial)
    return getConstant(context, term.coefficient);
  if (term.coefficient == 1)
    return term.monomial;
  return getNode(context, ExprKind::Mul,
                 {term.monomial, getConstant(context, term.coefficient)});
}

/// floordiv(x, k) * k * c + mod(x, k) * c among `terms`, as x * c in place of these; null if
/// there is no such pair. It is how views that split a dimension and join it again read it.
static ExprAttr joinDivided(SmallVectorImpl<Term> &terms) {
  for (size_t i = 0; i < terms.size(); ++i) {
    ExprAttr part = terms[i].monomial;
    if (!part || part.getKind() != ExprKind::Mod ||
        !part.getOperand(1).isConstant() || part.getOperand(1).getPayload() <= 0)
      continue;
    int64_t wanted;
    if (llvm::MulOverflow(terms[i].coefficient, part.getOperand(1).getPayload(),
                          wanted))
      continue;
    ExprAttr whole = floorDiv(part.getOperand(0), part.getOperand(1));
    auto other = llvm::find_if(terms, [&](const Term &term) {
      return term.monomial == whole && term.coefficient == wanted;
    });
    if (other == terms.end())
      continue;
    ExprAttr joined = mul(part.getOperand(0), terms[i].coefficient);
    size_t j = other - terms.begin();
    terms.erase(terms.begin() + std::max(i, j));
    terms.erase(terms.begin() + std::min(i, j));
    return joined;
  }
  return {};
}

/// From sorted terms with distinct monomials and coefficients other than 0.
static ExprAttr fromSortedTerms(MLIRContext *context, ArrayRef<Term> terms) {
  if (terms.empty())
    return getConstant(context, 0);
  if (terms.size() == 1)
    return fromTerm(context, terms.front());
  SmallVector<Term> left(terms);
  if (ExprAttr joined = joinDivided(left))
    return add(fromSortedTerms(context, left), joined);
  SmallVector<ExprAttr> operands;
  operands.reserve(terms.size());
  for (Term term : terms)
    operands.push_back(fromTerm(context, term));
  return getNode(context, ExprKind::Add, operands);
}

/// Merges two sorted lists of terms; false if a coefficient overflows.
static bool mergeTerms(ArrayRef<Term> a, ArrayRef<Term> b,
                       SmallVectorImpl<Term> &out) {
  size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    int order = i == a.size() ? 1
                : j == b.size()
                    ? -1
                    : compareMonomials(a[i].monomial, b[j].monomial);
    if (order < 0) {
      out.push_back(a[i++]);
    } else if (order > 0) {
      out.push_back(b[j++]);
    } else {
      int64_t coefficient;
      if (llvm::AddOverflow(a[i].coefficient, b[j].coefficient, coefficient))
        return false;
      if (coefficient != 0)
        out.push_back({a[i].monomial, coefficient});
      ++i, ++j;
    }
  }
  return true;
}

ExprAttr guard::fromTerms(MLIRContext *context, ArrayRef<Term> terms) {
  SmallVector<Term> sorted(terms);
  llvm::sort(sorted, [](const Term &a, const Term &b) {
    return compareMonomials(a.monomial, b.monomial) < 0;
  });
  SmallVector<Term> merged;
  for (Term term : sorted) {
    if (merged.empty() || merged.back().monomial != term.monomial) {
      if (!merged.empty() && merged.back().coefficient == 0)
        merged.pop_back();
      merged.push_back(term);
      continue;
    }
    int64_t &coefficient = merged.back().coefficient;
    if (llvm::AddOverflow(coefficient, term.coefficient, coefficient)) {
      SmallVector<ExprAttr> operands;
      for (Term t : sorted)
        operands.push_back(fromTerm(context, t));
      return getOpaque(ExprKind::Add, operands);
    }
  }
  if (!merged.empty() && merged.back().coefficient == 0)
    merged.pop_back();
  return fromSortedTerms(context, merged);
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

/// Folds two constants, at least one of them a float.
static ExprAttr foldFloats(ExprKind kind, ExprAttr a, ExprAttr b) {
  auto number = [](ExprAttr e) -> std::optional<Number> {
    if (e.isConstant())
      return Number::of(e.getPayload());
    if (e.isFloatConstant())
      return Number::of(e.getFloat());
    return std::nullopt;
  };
  auto x = number(a), y = number(b);
  if (!x || !y)
    return {};
  std::optional<Number> result = apply(kind, {*x, *y});
  return result ? getFloat(a.getContext(), result->asDouble()) : ExprAttr();
}

static ExprAttr buildFloat(ExprKind kind, ExprAttr a, ExprAttr b) {
  if (ExprAttr folded = foldFloats(kind, a, b))
    return folded;
  return getOpaque(kind, {a, b});
}

ExprAttr guard::add(ExprAttr a, ExprAttr b) {
  if (a.isFloatTyped() || b.isFloatTyped())
    return buildFloat(ExprKind::Add, a, b);
  if (a.isConstant(0))
    return b;
  if (b.isConstant(0))
    return a;
  int64_t folded;
  if (a.isConstant() && b.isConstant() &&
      !llvm::AddOverflow(a.getPayload(), b.getPayload(), folded))
    return getConstant(a.getContext(), folded);
  SmallVector<Term> terms;
  if (!mergeTerms(getTerms(a), getTerms(b), terms))
    return getOpaque(ExprKind::Add, {a, b});
  return fromSortedTerms(a.getContext(), terms);
}

ExprAttr guard::add(ExprAttr a, int64_t b) {
  return b == 0 ? a : add(a, getConstant(a.getContext(), b));
}

ExprAttr guard::sub(ExprAttr a, ExprAttr b) {
  if (a == b && !a.isFloatTyped())
    return getConstant(a.getContext(), 0);
  return add(a, neg(b));
}

ExprAttr guard::neg(ExprAttr a) { return mul(a, -1); }

/// The product of two monomials (null is 1), with sorted factors.
static ExprAttr multiplyMonomials(MLIRContext *context, ExprAttr a,
                                  ExprAttr b) {
  if (!a)
    return b;
  if (!b)
    return a;
  ArrayRef<ExprAttr> left = getFactors(a), right = getFactors(b);
  SmallVector<ExprAttr> factors(left.size() + right.size());
  std::merge(left.begin(), left.end(), right.begin(), right.end(),
             factors.begin(),
             [](ExprAttr x, ExprAttr y) { return compare(x, y) < 0; });
  return getNode(context, ExprKind::Mul, factors);
}

ExprAttr guard::mul(ExprAttr a, ExprAttr b) {
  if (a.isFloatTyped() || b.isFloatTyped())
    return buildFloat(ExprKind::Mul, a, b);
  MLIRContext *context = a.getContext();
  if (a.isConstant())
    std::swap(a, b);
  if (b.isConstant(1))
    return a;
  if (b.isConstant(0))
    return b;
  SmallVector<Term> left = getTerms(a), right = getTerms(b);
  if (left.size() * right.size() > kMaxDistributedTerms)
    return getOpaque(ExprKind::Mul, {a, b});
  SmallVector<Term> terms;
  for (Term x : left)
    for (Term y : right) {
      int64_t coefficient;
      if (llvm::MulOverflow(x.coefficient, y.coefficient, coefficient))
        return getOpaque(ExprKind::Mul, {a, b});
      terms.push_back(
          {multiplyMonomials(context, x.monomial, y.monomial), coefficient});
    }
  if (right.size() == 1 && !right.front().monomial)
    return fromSortedTerms(context, terms); // scaling keeps the order
  return fromTerms(context, terms);
}

ExprAttr guard::mul(ExprAttr a, int64_t b) {
  return b == 1 ? a : mul(a, getConstant(a.getContext(), b));
}

ExprAttr guard::sum(MLIRContext *context, ArrayRef<ExprAttr> operands) {
  ExprAttr result = getConstant(context, 0);
  for (ExprAttr operand : operands)
    result = add(result, operand);
  return result;
}

ExprAttr guard::product(MLIRContext *context, ArrayRef<ExprAttr> operands) {
  ExprAttr result = getConstant(context, 1);
  for (ExprAttr operand : operands)
    result = mul(result, operand);
  return result;
}

//===----------------------------------------------------------------------===//
// Exact division
//===----------------------------------------------------------------------===//

/// a / b for terms; nothing if b's factors are not all among a's.
static std::optional<Term> divideTerm(MLIRContext *context, Term a, Term b) {
  if (b.coefficient == 0 || a.coefficient % b.coefficient != 0)
    return std::nullopt;
  if (a.coefficient == Interval::kMin && b.coefficient == -1)
    return std::nullopt;
  int64_t coefficient = a.coefficient / b.coefficient;
  if (!b.monomial)
    return Term{a.monomial, coefficient};
  if (!a.monomial)
    return std::nullopt;
  SmallVector<ExprAttr> factors(getFactors(a.monomial));
  for (ExprAttr factor : getFactors(b.monomial)) {
    auto *found = llvm::find(factors, factor);
    if (found == factors.end())
      return std::nullopt;
    factors.erase(found);
  }
  if (factors.empty())
    return Term{ExprAttr(), coefficient};
  if (factors.size() == 1)
    return Term{factors.front(), coefficient};
  return Term{getNode(context, ExprKind::Mul, factors), coefficient};
}

std::optional<ExprAttr> guard::exactDivide(ExprAttr a, ExprAttr b) {
  if (a.isFloatTyped() || b.isFloatTyped() || b.isConstant(0))
    return std::nullopt;
  MLIRContext *context = a.getContext();
  if (a == b)
    return getConstant(context, 1);
  SmallVector<Term> divisor = getTerms(b);
  if (divisor.size() == 1) {
    SmallVector<Term> quotient;
    for (Term term : getTerms(a)) {
      std::optional<Term> q = divideTerm(context, term, divisor.front());
      if (!q)
        return std::nullopt;
      quotient.push_back(*q);
    }
    return fromTerms(context, quotient);
  }
  // Long division by the first term. The order of terms is no monomial order,
  // so the number of steps is bounded instead of proven.
  ExprAttr rest = a, quotient = getConstant(context, 0);
  for (int step = 0; step < 16; ++step) {
    if (rest.isConstant(0))
      return quotient;
    std::optional<Term> q;
    for (Term term : getTerms(rest))
      if ((q = divideTerm(context, term, divisor.front())))
        break;
    if (!q)
      return std::nullopt;
    ExprAttr part = fromTerms(context, {*q});
    quotient = add(quotient, part);
    rest = sub(rest, mul(part, b));
    if (getTerms(rest).size() > kMaxDistributedTerms)
      return std::nullopt;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Walking and substitution
//===----------------------------------------------------------------------===//

void guard::walk(ExprAttr expr, function_ref<void(ExprAttr)> visit) {
  visit(expr);
  for (ExprAttr operand : expr.getOperands())
    walk(operand, visit);
}

bool guard::contains(ExprAttr expr, ExprAttr leaf) {
  if (expr == leaf)
    return true;
  return llvm::any_of(expr.getOperands(),
                      [&](ExprAttr e) { return contains(e, leaf); });
}

void guard::collectSymbols(ExprAttr expr,
                           SmallVectorImpl<StringAttr> &symbols) {
  walk(expr, [&](ExprAttr e) {
    if (e.isSymbol() && !llvm::is_contained(symbols, e.getSymbol()))
      symbols.push_back(e.getSymbol());
  });
}

unsigned guard::getNumDims(ExprAttr expr) {
  unsigned count = 0;
  walk(expr, [&](ExprAttr e) {
    if (e.isDim())
      count = std::max(count, e.getPosition() + 1);
  });
  return count;
}

bool guard::hasDims(ExprAttr expr) {
  if (expr.isDim())
    return true;
  return llvm::any_of(expr.getOperands(), hasDims);
}

std::optional<ExprAttr> guard::getCoefficient(ExprAttr expr, ExprAttr atom) {
  MLIRContext *context = expr.getContext();
  SmallVector<Term> factors;
  for (Term term : getTerms(expr)) {
    if (!term.monomial || !contains(term.monomial, atom))
      continue;
    std::optional<Term> factor = divideTerm(context, term, {atom, 1});
    if (!factor || (factor->monomial && contains(factor->monomial, atom)))
      return std::nullopt;
    factors.push_back(*factor);
  }
  return fromTerms(context, factors);
}

ExprAttr guard::substitute(ExprAttr expr,
                           function_ref<ExprAttr(ExprAttr)> replace) {
  ArrayRef<ExprAttr> operands = expr.getOperands();
  if (operands.empty()) {
    if (!expr.isSymbol() && !expr.isDim())
      return expr;
    ExprAttr replaced = replace(expr);
    return replaced ? replaced : expr;
  }
  SmallVector<ExprAttr> changed;
  changed.reserve(operands.size());
  for (ExprAttr operand : operands)
    changed.push_back(substitute(operand, replace));
  if (ArrayRef<ExprAttr>(changed) == operands)
    return expr;
  return build(expr.getKind(), changed);
}

ExprAttr guard::substituteDims(ExprAttr expr, ArrayRef<ExprAttr> dims) {
  return substitute(expr, [&](ExprAttr leaf) -> ExprAttr {
    if (leaf.isDim() && leaf.getPosition() < dims.size())
      return dims[leaf.getPosition()];
    return {};
  });
}

ExprAttr guard::dropUnitDims(ExprAttr expr, ArrayRef<ExprAttr> extents) {
  return substitute(expr, [&](ExprAttr leaf) -> ExprAttr {
    if (leaf.isDim() && leaf.getPosition() < extents.size() &&
        extents[leaf.getPosition()] &&
        extents[leaf.getPosition()].isConstant(1))
      return getConstant(expr.getContext(), 0);
    return {};
  });
}
