//===- ExprRange.h - What is known of an expression's value -----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bounds of expressions from those of their leaves:
//
//   Assumptions assumptions;
//   assumptions.setExtent(d0, s0);                     // 0 <= d0 < s0
//   isKnownLess(d0, s0 + 1, assumptions);              // true
//   simplify(floorDiv(d1, 4), assumptions);            // 0 if d1 is in [0, 4)
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_GUARD_IR_EXPRRANGE_H
#define KILN_DIALECT_GUARD_IR_EXPRRANGE_H

#include "kiln/Dialect/Guard/IR/Expr.h"

#include <limits>

namespace kiln::guard {

/// Inclusive bounds; the extreme 64-bit values mean "unbounded".
struct Interval {
  static constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  static constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

  int64_t min = kMin;
  int64_t max = kMax;

  bool isPoint() const { return min == max; }
  bool contains(int64_t value) const { return min <= value && value <= max; }
};

/// What is known of leaves. Sizes are never negative: a symbol without an
/// entry is unbounded unless `symbolsAreSizes`.
struct Assumptions {
  /// Bounds of symbols and indices.
  DenseMap<ExprAttr, Interval> ranges;
  /// Extents of indices: 0 <= index < extent, where the extent may be symbolic.
  DenseMap<ExprAttr, ExprAttr> extents;
  /// Integer symbols without a range are at least 0.
  bool symbolsAreSizes = true;

  void setRange(ExprAttr leaf, Interval range) { ranges[leaf] = range; }
  void setExtent(ExprAttr index, ExprAttr extent) { extents[index] = extent; }
};

/// Bounds of an integer expression by interval arithmetic.
Interval getRange(ExprAttr expr, const Assumptions &assumptions);
/// True if `expr >= 0` can be shown; uses symbolic extents too, so that
/// `s0 - d0 - 1` with d0 in [0, s0) is known.
bool isKnownNonNegative(ExprAttr expr, const Assumptions &assumptions);
/// True if `a < b` can be shown.
bool isKnownLess(ExprAttr a, ExprAttr b, const Assumptions &assumptions);
/// `floordiv`, `mod`, `min`, `max`, `select` and comparisons that the bounds
/// decide are gone: (d0 * 4 + d1) floordiv 4 is d0 if 0 <= d1 < 4.
ExprAttr simplify(ExprAttr expr, const Assumptions &assumptions);

} // namespace kiln::guard

#endif // KILN_DIALECT_GUARD_IR_EXPRRANGE_H
