//===- BlockWalks.h - Products and rows, walked several times ---*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel of products and the rows between them whose tensors of rows and columns fit
// nowhere: what is at row i and column j is computed again whenever it is needed, from
// factors in memory and from values of row i.
//
//   scores   s[i, j] = sum over k of a[i, k] * b[j, k]       any number of them
//   columns  nests of rows and columns, each of what is at its own place
//   rows     reductions of those over the columns, and nests of one value a row
//   sums     o[i, c] = sum over j of w[i, j] * m[j, c]       over the columns, or
//            o[j, c] = sum over i of w[i, j] * m[i, c]       over the rows
//
// A reduction whose elements need the value of another one needs a walk of its own over
// the columns. With all values of rows known, sums over the columns take one more walk,
// and sums over the rows walk the rows, for some columns at a time. The backward of
// attention is such a kernel: the maximum and the total of a row, then the sum of slopes
// times weights, then the gradient of queries; and those of keys and values over the rows.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ANALYSIS_BLOCKWALKS_H
#define KILN_ANALYSIS_BLOCKWALKS_H

#include "kiln/Analysis/OnlineRows.h"

#include "llvm/ADT/DenseMap.h"

namespace kiln::analysis {

struct BlockWalks {
  /// Weights of the kernel times rows of memory.
  struct Sum {
    BlockProduct product;
    Value weights;
    unsigned memory = 0; ///< which operand of the shape lies in memory: A (0) or B (1)

    /// Columns of the memory, and what its rows are: the columns or rows of weights.
    const DimGroup &inner() const {
      return memory == 0 ? product.shape.rows : product.shape.columns;
    }
    /// The dimension of the result that weights have.
    const DimGroup &outer() const {
      return memory == 0 ? product.shape.columns : product.shape.rows;
    }
  };

  SmallVector<BlockProduct, 0> scores;
  SmallVector<Sum, 0> sums;
  /// All nests but the sums, in their order.
  SmallVector<loop::NestOpInterface> nests;
  /// Values of rows, by the number of walks after which they are known.
  llvm::DenseMap<Value, unsigned> rowLevels;
  unsigned walks = 0; ///< before the sums
  Type type;          ///< of all factors, and weights are rounded to it: bf16 or f16
  ExprAttr columns;   ///< how many there are
  std::optional<ColumnLimit> limit;

  bool isOfRow(Value tensor) const { return rowLevels.contains(tensor); }
  bool sumsOverRows() const {
    return llvm::any_of(sums,
                        [](const Sum &sum) { return sum.product.overRows; });
  }
  /// The nests of rows and columns, scores among them, that `targets` need, values of
  /// rows being known, in their order.
  SmallVector<loop::NestOpInterface> getNeeded(ArrayRef<Value> targets) const;
  /// True if a score has what a sum reads of memory as a factor on the side
  /// that the sum runs over, so that both are one copy of it.
  bool isFactor(const Sum &sum) const;
  /// Values of rows that are read by these nests.
  SmallVector<Value> getRowsRead(ArrayRef<loop::NestOpInterface> needed) const;
};

/// The parts of such a kernel whose factors are copied 16 bytes at a time; nothing, and a
/// sentence that begins with a word in lower case, where it is none.
std::optional<BlockWalks> getBlockWalks(loop::KernelOp kernel,
                                        const KernelStrides &inputs,
                                        StringRef &why);

/// The address of operand `k` (A or B) at the shared dimensions but the last
/// alone, by their numbers.
ExprAttr getPointAddress(const BlockProduct &product, unsigned k);

/// Why a copy engine cannot bring the operands of its products; empty where it can.
StringRef whyNotBrought(const BlockWalks &walks);

/// Why a walk over the rows cannot add parts of the sum over the columns to memory; empty
/// where it can: there is one such sum, for whose weights the walk makes a sum over the rows
/// anyway, what it reads is a factor of scores that blocks have, and rows have no values but
/// those in memory.
StringRef whyNotAdded(const BlockWalks &walks);

} // namespace kiln::analysis

#endif // KILN_ANALYSIS_BLOCKWALKS_H
