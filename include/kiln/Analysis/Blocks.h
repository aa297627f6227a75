//===- Blocks.h - Products and rows in blocks ------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The problem: a kernel whose nests are contractions and what is done with their
// rows, such as the scores of attention, their softmax and the weighted sum of
// values. Emitted a block of rows at a time, what one nest leaves for the next
// stays in the cache. Three questions:
//
// - which results are kept for a block: those that a contraction reads or writes;
//   a result that only nests of one row read needs a row (getBlockLayout);
// - is each contraction a matrix product whose rows are those of the block, or whose
//   sum runs over them (getBlockProducts);
// - how far the rows reach: under a causal mask, columns beyond the last row of a
//   block have weight 0, and need no scores (getColumnLimit).
//
// A block is of neighbours in the last shared dimension.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ANALYSIS_BLOCKS_H
#define KILN_ANALYSIS_BLOCKS_H

#include "kiln/Analysis/ContractionShape.h"
#include "kiln/Analysis/KernelLayout.h"

namespace kiln::analysis {

/// True if `result`, of a nest of the kernel, is kept for a whole block: it stays
/// inside, and is written before and read behind the beginning or the end of a
/// contraction.
bool isKeptForBlock(loop::KernelOp kernel, Value result);

/// `getLayout`, with results that are kept for a block lying in rows: along the
/// last shared dimension they have the stride of a row, along the others 0.
KernelLayout getBlockLayout(loop::KernelOp kernel, const KernelStrides &inputs);

/// A contraction of such a kernel.
struct BlockProduct {
  loop::ContractOp op;
  ContractionShape shape; ///< the shared dimensions before the last are outer
  /// The dimension of the contraction that is the shared one in this place.
  SmallVector<std::optional<unsigned>> shared;
  /// It sums over the rows, as the gradient of keys and values does: each block adds
  /// its part.
  bool overRows = false;
};

/// The contractions of a kernel, in order; nothing if one of them is no product
/// with the block's rows as rows and one sum, and none of operands in single runs
/// whose sum they are.
std::optional<SmallVector<BlockProduct, 0>>
getBlockProducts(loop::KernelOp kernel, const KernelLayout &layout);

/// Rows need no columns from `d<row> + beyond` on, where `row` is the last shared
/// dimension and `beyond` is at least 1.
struct ColumnLimit {
  ExprAttr extent; ///< of the columns, all of them
  int64_t beyond;
  /// For each nest of the kernel its dimension that counts columns, if it has one.
  SmallVector<std::optional<unsigned>> dims;
};

/// The limit of the columns of a kernel of contractions and rows. There is one if
/// every nest reads the rows of the kernel at its own column only, and can do without
/// the columns behind the limit: they are 0 in what is summed, and minus infinity in
/// what a maximum is taken of.
///
///   select(j <= i, score, -inf)       limit i + 1: the maximum of scores does not
///                                     change, their exponentials and weights are 0
///   score + select(j <= i, 0, -inf)   the same, if scores behind it are finite
///   select(j <= i, s[i, n - j], 0)    none: scores behind it are read
///   select(j <= i, s[i, j], 0) * t[i, j]   none: t may be infinite there
///
/// A sum over the rows has no part of the columns behind the limit, and leaves its
/// result as it is there.
///
/// Columns inside the limit are computed as ever, and so is what is reduced, but for
/// values that are not finite:
/// - a NaN or an infinity in what a product multiplies by weights of 0 adds no NaN, nor
///   does one in a score that is multiplied by such a weight;
/// - a score behind the limit that is NaN or +infinity makes no NaN of its row, if the
///   mask is added and not selected;
/// - a value of the whole row (its maximum, sum or scale) that is no finite number
///   shows in the columns inside the limit alone.
/// A sum that cannot end at the limit, of an operand with a mask or in several runs,
/// is for who emits the kernel to refuse.
std::optional<ColumnLimit> getColumnLimit(loop::KernelOp kernel);

} // namespace kiln::analysis

#endif // KILN_ANALYSIS_BLOCKS_H
