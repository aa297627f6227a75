//===- OnlineRows.h - Weights that are known as columns come ---*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The problem: two products with rows between them, whose rows are too long to be kept.
// Walked a tile of columns at a time, the sum of one row is known at its end only, and
// so is the maximum that exponentials are taken behind. Where the weights of a row are
//
//   w[j] = exp(x[j] - max x) * factor        factor: any value of the row
//
// for any x of the score, the column, and what is read from memory, both products can be
// done in one walk: what was added up before a larger maximum was found is scaled by the
// exponential of the difference, and the factor is for the end.
//
//   scores    s[i, j] = sum over k of q[i, k] * k[j, k]
//   maximum   m[i]    = max over j of x(s[i, j], i, j)
//   weights   e[i, j] = exp(x(s[i, j], i, j) - m[i])
//   total     z[i]    = sum over j of e[i, j]
//   rows      nests of one value a row
//   factor    w[i, j] = e[i, j] * f, e[i, j] / f, or 0 in rows of which that is known
//   sums      o[i, c] = sum over j of w[i, j] * v[j, c]
//
// What x is does not matter: scales, masks and biases are its body.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ANALYSIS_ONLINEROWS_H
#define KILN_ANALYSIS_ONLINEROWS_H

#include "kiln/Analysis/Blocks.h"

namespace kiln::analysis {

struct OnlineRows {
  BlockProduct scores, sums;
  loop::ReduceOp maximum;          ///< yields x
  loop::PointwiseOp exponentials;
  loop::ReduceOp total;
  loop::PointwiseOp weights;       ///< the exponentials themselves, if null
  /// Nests of one value a row, in their order; they may read the maximum and the total.
  SmallVector<loop::NestOpInterface> rows;
  /// What the weights yield before it is rounded: exponentials times the factor.
  Value weight;
  ExprAttr columns;                ///< how many there are
  std::optional<ColumnLimit> limit;
};

/// The parts of such a kernel; nothing, and a sentence that begins with a word in lower
/// case, where it is none.
std::optional<OnlineRows> getOnlineRows(loop::KernelOp kernel,
                                        const KernelStrides &inputs,
                                        StringRef &why);

/// An operand that a matrix unit may read as it lies in memory: its type, of 16 bits.
/// Null where it is none, or a prologue does more than to extend it.
Type getUnitType(loop::ContractOp op, bool isLeft);

/// True if neighbours of operand `k` (A or B) lie along `inner`, one of the
/// groups of the product, a known number of them, and all that moves it
/// otherwise is a multiple of 16 bytes. Dimensions that are counted off outside
/// may be divided on the way. Of the last 16 bytes of a row some may be what
/// follows it.
bool isCopied(const BlockProduct &product, unsigned k, const DimGroup &inner);

/// True if a nest reads `tensor`, of the kernel, in its own row and column alone.
bool readsOwnColumn(loop::KernelOp kernel, loop::NestOpInterface nest,
                    Value tensor);

/// True if two values of bodies, each of a nest of the kernel, are the same at the same
/// row and column. Columns are what remains behind the first `shared` dimensions.
bool isSameInRow(unsigned shared, Value left, loop::NestOpInterface leftNest,
                 Value right, loop::NestOpInterface rightNest);

/// Why the factors of both products cannot be copied 16 bytes at a time, a row
/// of either one after the other: rows of factors and of what is multiplied by
/// weights have a known number of elements, lie beside each other, and begin at
/// multiples of 16 bytes. Empty where they can.
StringRef whyNotCopied(const OnlineRows &rows);

/// Rows of an operand as a copy engine sees them, for which all points are one dimension: the
/// place of a point's first element, of 16 bits, counted in units of 16 bytes.
struct OperandPlanes {
  ExprAttr address; ///< of a point, in elements, by the dimensions of its product
  ExprAttr count;   ///< one more than the last place, in units
};

/// Operand `k` (A or B), whose neighbours lie along another group than `rows`. Nothing where
/// rows are not known to be apart, or a dimension may move a point downwards.
std::optional<OperandPlanes> getOperandPlanes(const BlockProduct &product,
                                              unsigned k, const DimGroup &rows);

/// True if x reads memory besides the score, as a bias does.
bool readsColumns(const OnlineRows &rows);

/// Why a copy engine cannot bring what can be copied 16 bytes at a time; empty where it can.
StringRef whyNotBrought(const OnlineRows &rows);

} // namespace kiln::analysis

#endif // KILN_ANALYSIS_ONLINEROWS_H
