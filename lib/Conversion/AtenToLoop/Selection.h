//===- Selection.h - Lists of indices, masks, counted elements --*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many elements a mask selects is known once it has been read. It becomes a
// running count (a scan), whose last value defines the symbol of the size where
// the program has one, and a scatter of what is selected to its place.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_ATENTOLOOP_SELECTION_H
#define KILN_LIB_CONVERSION_ATENTOLOOP_SELECTION_H

#include "kiln/Lowering/LoopBuilder.h"

namespace kiln::loop {

/// Elements of a row that are selected.
class Selection {
public:
  /// Truth of the element at the only index of a body.
  using Flag = std::function<Value(BodyContext)>;

  Selection(LoopBuilder &loops, guard::ExprAttr extent, Flag flag);

  guard::ExprAttr getExtent() const { return extent; }
  Value isSelected(BodyContext body) { return flag(body); }
  /// How many are selected up to and with the element at `index`, as `i64`.
  Value countUpTo(BodyContext body, Value index);
  /// How many are selected, as `i64`.
  Value countAll(BodyContext body);
  /// The place of the selected element at `index` among the selected, which
  /// are `count`: clamped, as an index.
  Value getPlace(BodyContext body, Value index, guard::ExprAttr count);
  /// `count` is the number of those selected: defines it if nothing else does,
  /// and ends the run if it is wrong else.
  void define(guard::ExprAttr count);
  /// A tensor of `count` elements of `type`: what `compute` gives for the first
  /// of those selected, in order, and then zeros.
  Value compact(guard::ExprAttr count, Type type,
                llvm::function_ref<Value(BodyContext)> compute);
  /// Of each selected element the position in the row, as `i64`.
  Value getPositions(guard::ExprAttr count);

private:
  LoopBuilder &loops;
  guard::ExprAttr extent;
  Flag flag;
  View counts;
};

/// The truth of the elements of a tensor, as one row.
Selection selectTrue(LoopBuilder &loops, Value tensor);

/// What stands before an element of a row.
struct Neighbour {
  Value isFirst; ///< an `i1`: nothing does
  Value before;  ///< the index of what does, of the first one its own
};
Neighbour getNeighbour(BodyContext body, Value place);

/// What `index` and `index_put` have in common: which dimensions are indexed
/// and where the dimensions of the indices stand in the result.
struct Indexed {
  llvm::SmallVector<Value> tensors; ///< of each dimension; null: kept
  Exprs broadcast;                  ///< common sizes of the index tensors
  unsigned position = 0;            ///< of their dimensions among the result's
  bool isMask = false;              ///< positions in a mask: never out of range
};

/// Reads a list of indices into a tensor of sizes `dims`. A mask counts what it
/// selects in `result`, the sizes of what is indexed; without them, or among
/// other indices, there is none.
std::optional<Indexed>
getIndexed(LoopBuilder &loops, llvm::ArrayRef<Value> list,
           llvm::ArrayRef<guard::ExprAttr> dims,
           std::optional<llvm::ArrayRef<guard::ExprAttr>> result);

/// True if `mask` selects elements of dimensions `first`, ... of sizes `dims`.
bool covers(LoopBuilder &loops, Value mask,
            llvm::ArrayRef<guard::ExprAttr> dims, unsigned first);

/// The index into the indexed tensor, of sizes `dims`, for a point of a domain
/// shaped as the result of `index`.
llvm::SmallVector<Value> getPosition(LoopBuilder &loops, BodyContext body,
                                     const Indexed &indexed,
                                     llvm::ArrayRef<guard::ExprAttr> dims);

/// True for what selects by truth: bools and, of old, bytes.
bool isMask(Value tensor);

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_ATENTOLOOP_SELECTION_H
