//===- ReaderOrder.h - The order in which a result is read ---- -*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_TRANSFORMS_READERORDER_H
#define KILN_LIB_DIALECT_LOOP_TRANSFORMS_READERORDER_H

#include "kiln/Analysis/AccessRelations.h"

namespace kiln::loop {

/// A domain in which what is written by one nest is read in order by another.
struct ReaderOrder {
  SmallVector<guard::ExprAttr> extents;
  SmallVector<guard::ExprAttr>
      written; ///< index of the element, over the extents
  SmallVector<guard::ExprAttr> reader; ///< index of the reader's point
};

/// The domain of a reader of a dense tensor of sizes `sizes`, whose dimensions
/// `domain` come apart where `map`, the index that it reads, divides them:
/// heads of attention, which are counted before the rows, as columns of a row.
///
///   [256, 256] reads [32, 64, 32] at [d0 floordiv 64 * 8 + d1 floordiv 32, d0
///   mod 64, d1 mod 32] [4, 64, 8, 32]                at [d0 * 8 + d2, d1, d3]
///
/// Nothing where that does not visit each element once, or takes neighbours
/// apart.
std::optional<ReaderOrder> getReaderOrder(ArrayRef<guard::ExprAttr> domain,
                                          ArrayRef<guard::ExprAttr> sizes,
                                          ArrayRef<guard::ExprAttr> map,
                                          const analysis::SizeHints &hints);

/// True if all that use `tensor` are nests that say where they read it,
/// contractions each of their elements.
bool readsCanReshape(Value tensor);

/// The same of another size that is known. A contraction whose windows leave the tensor may
/// do so where only dimensions change that they never leave: the channels of an image.
bool readsCanReshape(Value tensor, ArrayRef<guard::ExprAttr> from,
                     ArrayRef<guard::ExprAttr> to,
                     const analysis::SizeHints &hints);

/// Lets them read the same elements in the same order from a tensor of other
/// sizes.
void reshapeReads(Value tensor, ArrayRef<guard::ExprAttr> from,
                  ArrayRef<guard::ExprAttr> to,
                  const analysis::SizeHints &hints);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_READERORDER_H
