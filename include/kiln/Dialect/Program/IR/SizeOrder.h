//===- SizeOrder.h - What holds of sizes, whatever the symbols --*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shows that one expression is at most another for all values that symbols may
// have. A place behind another is a sum of rounded sizes, so three rules go far:
//
//   range      4*s0 is at least 8 where s0 is at least 2
//   rounding   k*floordiv(x, c) lies within |k| of k/c*x
//   size       what is the size of a buffer is not negative, also where ranges
//              would allow it: 4*s0 - 12 of a buffer of s0 - 3 elements
//
//   SizeOrder order;
//   order.setRange(s0, {2, 64});
//   order.isAtMost(s0 * 4, alignBytes(s0 * 4));      // true
//   order.isAtMost(s0 * 4, getConstant(context, 64)); // false: s0 may be 17
//
// What cannot be shown counts as false, and may be true.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_PROGRAM_IR_SIZEORDER_H
#define KILN_DIALECT_PROGRAM_IR_SIZEORDER_H

#include "kiln/Dialect/Guard/IR/Expr.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace kiln::program {

class SizeOrder {
public:
  /// The values of a symbol, both ends included.
  void setRange(guard::ExprAttr symbol, guard::Interval range) {
    assumptions.setRange(symbol, range);
  }
  /// `size` is not negative wherever it matters.
  void addSize(guard::ExprAttr size);

  /// True if `a <= b` for all values of the symbols.
  bool isAtMost(guard::ExprAttr a, guard::ExprAttr b);
  /// True if `expr` is a multiple of `factor` for all values.
  static bool isMultiple(guard::ExprAttr expr, int64_t factor);

private:
  /// A sum; the constant by itself.
  struct Sum {
    llvm::MapVector<guard::ExprAttr, int64_t> terms;
    int64_t constant = 0;
    bool isExact = true; ///< no number was too large

    /// Adds `expr` so many times.
    void add(guard::ExprAttr expr, int64_t times);
    void add(int64_t number);
  };

  bool isNonNegative(const Sum &sum, unsigned depth, unsigned &attempts);
  guard::Interval getRange(guard::ExprAttr monomial);
  /// A summand that stands in the way of a lower bound of 0; null if there is
  /// none, or if the constant alone is too low.
  guard::ExprAttr findObstacle(const Sum &sum, bool &isBounded);
  bool isSize(guard::ExprAttr expr) const;

  guard::Assumptions assumptions;
  llvm::MapVector<guard::ExprAttr, char> sizes; ///< without common factors
  llvm::DenseMap<guard::ExprAttr, guard::Interval> ranges;
  llvm::DenseMap<std::pair<guard::ExprAttr, guard::ExprAttr>, bool> known;
};

} // namespace kiln::program

#endif // KILN_DIALECT_PROGRAM_IR_SIZEORDER_H
