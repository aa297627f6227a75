//===- ExprRange.cpp - Bounds of expressions and what they decide ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interval arithmetic in 128 bits, saturated to 64, where the extreme values
// stand for "unbounded", and the simplifications that bounds allow.
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Guard/IR/Expr.h"

#include "kiln/Dialect/Guard/IR/ExprRange.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace kiln;
using namespace kiln::guard;

using Wide = __int128;

static int64_t saturate(Wide value) {
  if (value > Interval::kMax)
    return Interval::kMax;
  if (value < Interval::kMin)
    return Interval::kMin;
  return int64_t(value);
}

static bool isInfinite(int64_t bound) {
  return bound == Interval::kMin || bound == Interval::kMax;
}

static int64_t addBounds(int64_t a, int64_t b) {
  if (isInfinite(a))
    return a;
  if (isInfinite(b))
    return b;
  return saturate(Wide(a) + b);
}

static int64_t multiplyBounds(int64_t a, int64_t b) {
  if (a == 0 || b == 0)
    return 0;
  if (isInfinite(a) || isInfinite(b))
    return (a < 0) == (b < 0) ? Interval::kMax : Interval::kMin;
  return saturate(Wide(a) * b);
}

static Interval multiply(Interval a, Interval b) {
  int64_t corners[] = {multiplyBounds(a.min, b.min),
                       multiplyBounds(a.min, b.max),
                       multiplyBounds(a.max, b.min),
                       multiplyBounds(a.max, b.max)};
  auto [low, high] =
      std::minmax_element(std::begin(corners), std::end(corners));
  return {*low, *high};
}

static Interval divideFloor(Interval a, Interval b) {
  if (b.min <= 0)
    return {};
  auto divide = [](int64_t x, int64_t y) -> int64_t {
    if (isInfinite(x))
      return y == Interval::kMax ? (x < 0 ? -1 : 0) : x;
    return llvm::divideFloorSigned(x, y);
  };
  // The quotient grows with `a` and shrinks in magnitude with `b`; an unbounded
  // numerator stays unbounded unless `b` is known to be unbounded only above.
  Interval result;
  result.min = a.min == Interval::kMin
                   ? Interval::kMin
                   : std::min(divide(a.min, b.min), divide(a.min, b.max));
  result.max = a.max == Interval::kMax
                   ? Interval::kMax
                   : std::max(divide(a.max, b.min), divide(a.max, b.max));
  return result;
}

static Interval getModRange(Interval a, Interval b) {
  if (b.min <= 0)
    return {};
  int64_t top = b.max == Interval::kMax ? Interval::kMax : b.max - 1;
  if (a.min >= 0)
    return {a.max < b.min ? a.min : 0, std::min(a.max, top)};
  return {0, top};
}

static Interval compareRanges(ExprKind kind, Interval a, Interval b) {
  auto decide = [](bool yes, bool no) -> Interval {
    if (yes)
      return {1, 1};
    return no ? Interval{0, 0} : Interval{0, 1};
  };
  // A saturated bound is no statement about equality.
  bool bounded = !isInfinite(a.min) && !isInfinite(b.min);
  bool same = bounded && a.isPoint() && b.isPoint() && a.min == b.min;
  bool apart = a.max < b.min || b.max < a.min;
  switch (kind) {
  case ExprKind::Eq:
    return decide(same, apart);
  case ExprKind::Ne:
    return decide(apart, same);
  case ExprKind::Lt:
    return decide(a.max < b.min,
                  a.min >= b.max && !isInfinite(a.min) && !isInfinite(b.max));
  default:
    return decide(a.max <= b.min && !isInfinite(a.max) && !isInfinite(b.min),
                  a.min > b.max);
  }
}

static Interval getLeafRange(ExprAttr leaf, const Assumptions &assumptions) {
  Interval range;
  if (leaf.isDim() ||
      (leaf.isSymbol() && assumptions.symbolsAreSizes && !leaf.isFloatTyped()))
    range.min = 0;
  auto found = assumptions.ranges.find(leaf);
  if (found != assumptions.ranges.end())
    range = found->second;
  auto extent = assumptions.extents.find(leaf);
  if (extent != assumptions.extents.end()) {
    Interval size = getRange(extent->second, assumptions);
    range.min = std::max<int64_t>(range.min, 0);
    if (!isInfinite(size.max))
      range.max = std::min(range.max, size.max - 1);
  }
  return range;
}

Interval guard::getRange(ExprAttr expr, const Assumptions &assumptions) {
  auto operand = [&](unsigned i) {
    return getRange(expr.getOperand(i), assumptions);
  };
  switch (expr.getKind()) {
  case ExprKind::Constant:
    return {expr.getPayload(), expr.getPayload()};
  case ExprKind::Dim:
  case ExprKind::Symbol:
    return getLeafRange(expr, assumptions);
  case ExprKind::Add: {
    Interval result = {0, 0};
    for (ExprAttr e : expr.getOperands()) {
      Interval r = getRange(e, assumptions);
      result = {r.min == Interval::kMin ? r.min : addBounds(result.min, r.min),
                r.max == Interval::kMax ? r.max : addBounds(result.max, r.max)};
    }
    return result;
  }
  case ExprKind::Mul: {
    Interval result = {1, 1};
    for (ExprAttr e : expr.getOperands())
      result = multiply(result, getRange(e, assumptions));
    // A square is not negative.
    ArrayRef<ExprAttr> factors = expr.getOperands();
    if (factors.size() == 2 && factors[0] == factors[1])
      result.min = std::max<int64_t>(result.min, 0);
    return result;
  }
  case ExprKind::Min:
  case ExprKind::Max: {
    Interval result = operand(0);
    bool isMin = expr.getKind() == ExprKind::Min;
    for (ExprAttr e : expr.getOperands().drop_front()) {
      Interval r = getRange(e, assumptions);
      result = isMin ? Interval{std::min(result.min, r.min),
                                std::min(result.max, r.max)}
                     : Interval{std::max(result.min, r.min),
                                std::max(result.max, r.max)};
    }
    return result;
  }
  case ExprKind::FloorDiv:
  case ExprKind::CleanDiv:
    return divideFloor(operand(0), operand(1));
  case ExprKind::Mod:
    return getModRange(operand(0), operand(1));
  case ExprKind::Shr: {
    Interval a = operand(0);
    return a.min >= 0 ? Interval{0, a.max} : Interval{};
  }
  case ExprKind::BitAnd: {
    Interval a = operand(0), b = operand(1);
    if (a.min < 0 && b.min < 0)
      return {};
    int64_t top = Interval::kMax;
    if (a.min >= 0)
      top = std::min(top, a.max);
    if (b.min >= 0)
      top = std::min(top, b.max);
    return {0, top};
  }
  case ExprKind::Eq:
  case ExprKind::Ne:
  case ExprKind::Lt:
  case ExprKind::Le:
    if (expr.getOperand(0).isFloatTyped() || expr.getOperand(1).isFloatTyped())
      return {0, 1};
    return compareRanges(expr.getKind(), operand(0), operand(1));
  case ExprKind::And:
  case ExprKind::Or:
  case ExprKind::Not:
    return {0, 1};
  case ExprKind::Select: {
    Interval a = operand(1), b = operand(2);
    return {std::min(a.min, b.min), std::max(a.max, b.max)};
  }
  default:
    return {};
  }
}

/// Replaces each index that has a symbolic extent by the end of its range that
/// makes `expr` smallest; nothing if it occurs in a way that is not linear.
static std::optional<ExprAttr>
minimizeOverIndices(ExprAttr expr, const Assumptions &assumptions) {
  SmallVector<ExprAttr> indices;
  walk(expr, [&](ExprAttr e) {
    if (assumptions.extents.count(e) && !llvm::is_contained(indices, e))
      indices.push_back(e);
  });
  for (ExprAttr index : indices) {
    std::optional<ExprAttr> factor = getCoefficient(expr, index);
    if (!factor)
      return std::nullopt;
    Interval range = getRange(*factor, assumptions);
    ExprAttr end;
    if (range.min >= 0)
      end = getConstant(expr.getContext(), 0);
    else if (range.max <= 0)
      end = assumptions.extents.find(index)->second + -1;
    else
      return std::nullopt;
    expr = substitute(expr, [&](ExprAttr leaf) {
      return leaf == index ? end : ExprAttr();
    });
  }
  return expr;
}

/// Rewrites a polynomial over its lower bounds: with s = lo + s', all terms
/// with s' >= 0 and positive factors are at least their constant.
static bool isPositiveAroundBounds(ExprAttr expr,
                                   const Assumptions &assumptions) {
  ExprAttr shifted = substitute(expr, [&](ExprAttr leaf) -> ExprAttr {
    Interval range = getRange(leaf, assumptions);
    if (range.min == Interval::kMin || range.min == 0)
      return {};
    return leaf + range.min;
  });
  for (Term term : getTerms(shifted)) {
    if (term.coefficient < 0)
      return false;
    if (!term.monomial)
      continue;
    for (ExprAttr factor : getFactors(term.monomial)) {
      bool isLeaf = factor.isSymbol() || factor.isDim();
      Interval range = getRange(factor, assumptions);
      if (range.min < 0 && !(isLeaf && range.min != Interval::kMin))
        return false;
    }
  }
  return true;
}

bool guard::isKnownNonNegative(ExprAttr expr, const Assumptions &assumptions) {
  if (expr.isConstant())
    return expr.getPayload() >= 0;
  if (expr.isFloatTyped())
    return false;
  if (getRange(expr, assumptions).min >= 0)
    return true;
  std::optional<ExprAttr> smallest = minimizeOverIndices(expr, assumptions);
  if (!smallest)
    smallest = expr;
  if (getRange(*smallest, assumptions).min >= 0)
    return true;
  return isPositiveAroundBounds(*smallest, assumptions);
}

bool guard::isKnownLess(ExprAttr a, ExprAttr b,
                        const Assumptions &assumptions) {
  return isKnownNonNegative(b - a + -1, assumptions);
}

//===----------------------------------------------------------------------===//
// Simplification
//===----------------------------------------------------------------------===//

/// Splits x = divisor * quotient + rest with 0 <= rest < divisor, the rest
/// being those summands that the divisor does not divide.
static bool splitByDivisor(ExprAttr x, ExprAttr divisor,
                           const Assumptions &assumptions, ExprAttr &quotient,
                           ExprAttr &rest) {
  MLIRContext *context = x.getContext();
  SmallVector<Term> whole, others;
  for (Term term : getTerms(x)) {
    ExprAttr single = fromTerms(context, {term});
    if (exactDivide(single, divisor))
      whole.push_back(term);
    else
      others.push_back(term);
  }
  rest = fromTerms(context, others);
  if (!isKnownNonNegative(rest, assumptions) ||
      !isKnownLess(rest, divisor, assumptions))
    return false;
  std::optional<ExprAttr> q = exactDivide(fromTerms(context, whole), divisor);
  if (!q)
    return false;
  quotient = *q;
  return true;
}

static ExprAttr simplifyNode(ExprAttr expr, const Assumptions &assumptions) {
  ArrayRef<ExprAttr> operands = expr.getOperands();
  MLIRContext *context = expr.getContext();
  ExprAttr quotient, rest;
  switch (expr.getKind()) {
  case ExprKind::FloorDiv:
  case ExprKind::CleanDiv:
    if (splitByDivisor(operands[0], operands[1], assumptions, quotient, rest))
      return quotient;
    return expr;
  case ExprKind::Mod:
    if (splitByDivisor(operands[0], operands[1], assumptions, quotient, rest))
      return rest;
    return expr;
  case ExprKind::Min:
  case ExprKind::Max: {
    bool isMin = expr.getKind() == ExprKind::Min;
    SmallVector<ExprAttr> kept(operands);
    for (size_t i = 0; i < kept.size(); ++i)
      for (size_t j = 0; j < kept.size(); ++j) {
        if (i == j)
          continue;
        ExprAttr difference = isMin ? kept[j] - kept[i] : kept[i] - kept[j];
        if (!isKnownNonNegative(difference, assumptions))
          continue;
        kept.erase(kept.begin() + j);
        return simplifyNode(build(expr.getKind(), kept), assumptions);
      }
    return expr;
  }
  case ExprKind::Lt:
    if (isKnownLess(operands[0], operands[1], assumptions))
      return getConstant(context, 1);
    if (isKnownNonNegative(operands[0] - operands[1], assumptions))
      return getConstant(context, 0);
    return expr;
  case ExprKind::Le:
    if (isKnownNonNegative(operands[1] - operands[0], assumptions))
      return getConstant(context, 1);
    if (isKnownLess(operands[1], operands[0], assumptions))
      return getConstant(context, 0);
    return expr;
  case ExprKind::Eq:
  case ExprKind::Ne:
    if (isKnownLess(operands[0], operands[1], assumptions) ||
        isKnownLess(operands[1], operands[0], assumptions))
      return getConstant(context, expr.getKind() == ExprKind::Ne);
    return expr;
  default:
    return expr;
  }
}

ExprAttr guard::simplify(ExprAttr expr, const Assumptions &assumptions) {
  if (expr.getOperands().empty())
    return expr;
  SmallVector<ExprAttr> operands;
  for (ExprAttr operand : expr.getOperands())
    operands.push_back(simplify(operand, assumptions));
  if (ArrayRef<ExprAttr>(operands) != expr.getOperands())
    expr = build(expr.getKind(), operands);
  if (expr.isFloatTyped() ||
      llvm::any_of(expr.getOperands(),
                   [](ExprAttr e) { return e.isFloatTyped(); }))
    return expr;
  return simplifyNode(expr, assumptions);
}
