//===- SizeOrder.cpp - What holds of sizes, whatever the symbols ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Program/IR/SizeOrder.h"

#include "kiln/Base/CheckedMath.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"

#include <numeric>

using namespace kiln;
using namespace kiln::program;
using guard::ExprAttr;
using guard::ExprKind;
using guard::Interval;

/// How far a proof goes, and how many sums one looks at.
static constexpr unsigned kMaxDepth = 12, kMaxAttempts = 200;

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

void SizeOrder::Sum::add(int64_t number) {
  auto total = checkedAdd(constant, number);
  isExact &= total.has_value();
  constant = total.value_or(0);
}

void SizeOrder::Sum::add(ExprAttr expr, int64_t times) {
  for (guard::Term term : guard::getTerms(expr)) {
    auto amount = checkedMul(term.coefficient, times);
    isExact &= amount.has_value();
    if (!term.monomial) {
      add(amount.value_or(0));
      continue;
    }
    int64_t &coefficient = terms[term.monomial];
    auto total = checkedAdd(coefficient, amount.value_or(0));
    isExact &= total.has_value();
    coefficient = total.value_or(0);
  }
}

/// `expr` divided by what all of its coefficients have in common, so that
/// multiples of a size are the same; null for 0.
static ExprAttr withoutFactor(ExprAttr expr, int64_t sign) {
  int64_t factor = 0;
  SmallVector<guard::Term> terms = guard::getTerms(expr);
  for (const guard::Term &term : terms) {
    if (term.coefficient == Interval::kMin) // has no magnitude
      return {};
    factor = std::gcd(factor, term.coefficient);
  }
  if (factor == 0)
    return {};
  for (guard::Term &term : terms)
    term.coefficient = term.coefficient / factor * sign;
  return guard::fromTerms(expr.getContext(), terms);
}

//===----------------------------------------------------------------------===//
// What is known
//===----------------------------------------------------------------------===//

void SizeOrder::addSize(ExprAttr size) {
  if (size.isConstant())
    return;
  if (ExprAttr plain = withoutFactor(size, 1))
    if (sizes.insert({plain, 0}).second) {
      ranges.clear();
      known.clear();
    }
}

bool SizeOrder::isSize(ExprAttr expr) const {
  return expr && sizes.count(expr);
}

/// The numerator, if `expr` is a rounded division by a number above 0.
static ExprAttr getNumerator(ExprAttr expr, int64_t &divisor) {
  if (expr.getKind() != ExprKind::FloorDiv ||
      !expr.getOperand(1).isConstant() || expr.getOperand(1).getPayload() <= 0)
    return {};
  divisor = expr.getOperand(1).getPayload();
  return expr.getOperand(0);
}

/// The same where `expr` is a quotient of the quotient `inner`, which folding has
/// made one: floordiv(x, 24) is floordiv(floordiv(x, 3), 8).
static ExprAttr getNumerator(ExprAttr expr, ExprAttr inner, int64_t &divisor) {
  int64_t part = 1;
  ExprAttr numerator = getNumerator(expr, divisor);
  if (!numerator || expr == inner || getNumerator(inner, part) != numerator ||
      divisor % part != 0)
    return numerator;
  divisor /= part;
  return inner;
}

Interval SizeOrder::getRange(ExprAttr monomial) {
  auto [entry, isNew] = ranges.try_emplace(monomial);
  if (!isNew)
    return entry->second;
  Interval range = guard::getRange(monomial, assumptions);
  if (isSize(monomial))
    range.min = std::max<int64_t>(range.min, 0);
  int64_t divisor = 1;
  if (ExprAttr numerator = getNumerator(monomial, divisor)) {
    if (isSize(withoutFactor(numerator, -1)))
      range.max = std::min<int64_t>(range.max, 0);
    if (isSize(withoutFactor(numerator, 1)))
      range.min = std::max<int64_t>(range.min, 0);
  }
  return ranges[monomial] = range;
}

bool SizeOrder::isMultiple(ExprAttr expr, int64_t factor) {
  return llvm::all_of(guard::getTerms(expr), [&](const guard::Term &term) {
    return term.coefficient % factor == 0;
  });
}

//===----------------------------------------------------------------------===//
// Proofs
//===----------------------------------------------------------------------===//

ExprAttr SizeOrder::findObstacle(const Sum &sum, bool &isBounded) {
  ExprAttr lowest;
  std::optional<int64_t> bound = sum.constant;
  for (auto [monomial, coefficient] : sum.terms) {
    if (coefficient == 0)
      continue;
    Interval range = getRange(monomial);
    int64_t end = coefficient > 0 ? range.min : range.max;
    auto least = end == Interval::kMin || end == Interval::kMax
                     ? std::nullopt
                     : checkedMul(end, coefficient);
    if (!least) {
      isBounded = false;
      return monomial;
    }
    if (*least < 0 && !lowest)
      lowest = monomial;
    bound = bound ? checkedAdd(*bound, *least) : std::nullopt;
  }
  isBounded = bound && *bound >= 0;
  return lowest;
}

/// A sum is at least another one that is shown to be. The other has less of the
/// summand in the way: a rounded division gives way to what it was made of, and
/// sizes are taken off.
bool SizeOrder::isNonNegative(const Sum &sum, unsigned depth,
                              unsigned &attempts) {
  if (!sum.isExact || attempts++ > kMaxAttempts)
    return false;
  bool isBounded = true;
  ExprAttr obstacle = findObstacle(sum, isBounded);
  if (isBounded)
    return true;
  if (!obstacle || depth == 0)
    return false;
  int64_t amount = sum.terms.lookup(obstacle);
  if (amount == Interval::kMin) // has no magnitude
    return false;
  for (auto [monomial, coefficient] : sum.terms) {
    int64_t divisor = 1;
    ExprAttr numerator = getNumerator(monomial, obstacle, divisor);
    if (!numerator || coefficient == 0 || coefficient % divisor != 0)
      continue;
    int64_t times = coefficient / divisor;
    Sum rounded;
    rounded.add(numerator, times);
    int64_t gained = rounded.terms.lookup(obstacle);
    if (monomial != obstacle && (gained == 0 || (gained > 0) == (amount > 0)))
      continue;
    Sum other = sum;
    other.terms[monomial] = 0;
    other.add(numerator, times);
    // c*floordiv(x, c) is more than x - c, and not more than x.
    if (times > 0)
      other.add(-(coefficient - times));
    if (isNonNegative(other, depth - 1, attempts))
      return true;
  }
  for (const auto &entry : sizes) {
    Sum size;
    size.add(entry.first, 1);
    int64_t part = size.terms.lookup(obstacle);
    if (part == 0 || (part > 0) != (amount > 0) || amount / part == 0)
      continue;
    Sum other = sum;
    other.add(entry.first, -(amount / part));
    if (isNonNegative(other, depth - 1, attempts))
      return true;
  }
  return false;
}

bool SizeOrder::isAtMost(ExprAttr a, ExprAttr b) {
  if (a == b)
    return true;
  if (a.isConstant() && b.isConstant())
    return a.getPayload() <= b.getPayload();
  if (auto found = known.find({a, b}); found != known.end())
    return found->second;
  Sum difference;
  difference.add(b, 1);
  difference.add(a, -1);
  unsigned attempts = 0;
  // The other way shifts symbols to their least values: s0*s1 - 2*s0.
  bool isShown = isNonNegative(difference, kMaxDepth, attempts) ||
                 guard::isKnownNonNegative(b - a, assumptions);
  known[{a, b}] = isShown;
  return isShown;
}
