//===- GridParts.h - Reductions in parts on a GPU ---------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_LOOPTONVVM_GRIDPARTS_H
#define KILN_LIB_CONVERSION_LOOPTONVVM_GRIDPARTS_H

#include "GridEmitter.h"

namespace kiln::loop {

/// Parts that a thread joins by itself, one after the other: fewer than this.
inline constexpr int64_t kMostInOrder = 16;

/// The first or the second function of reductions in parts, or the only one of one part.
class GridPartsEmitter : public GridRowsEmitter {
public:
  GridPartsEmitter(KernelOp kernel, const analysis::KernelStrides &strides,
                   GPUPartsScheduleAttr parts, bool isFirst, bool isNarrow)
      : GridRowsEmitter(kernel, strides,
                        GPURowsScheduleAttr::get(kernel.getContext(),
                                                 parts.getThreads(),
                                                 /*rows=*/1, /*lanes=*/1,
                                                 /*steps=*/0, /*stages=*/0),
                        isNarrow),
        parts(parts), isFirst(isFirst) {}

private:
  using Sums = FailureOr<SmallVector<Value>>;

  LogicalResult emitThread() override;
  /// The memory of all parts is one thing.
  guard::ExprAttr countOwners() override {
    return guard::getConstant(context, 1);
  }
  void finish(Value result, const Position &position, Value value) override;

  // A part of a row for each block.
  LogicalResult reduceWithin();
  LogicalResult combineWithin();

  // Columns side by side (GridPartsColumns.cpp).
  Place getPlaceInBlock(int64_t columns);
  Sums reduceColumn(const Position &position, Value part, const Place &place);
  LogicalResult reduceColumns();
  Sums joinParts(const Position &position, Value first, int64_t step);
  LogicalResult combineInOrder();
  LogicalResult combineColumns();
  /// Numbers of elements or parts that are under way together, and whether each is one:
  /// null where that is known.
  struct Batch {
    SmallVector<Value> numbers, inside;
  };
  Sums emitStrided(Value first, Value end, int64_t step, int64_t count,
                   ArrayRef<Value> sums,
                   llvm::function_ref<Sums(const Batch &, ArrayRef<Value>)> body);
  int64_t countRowsAtOnce();
  Sums accumulateRows(ArrayRef<Position> rows, ArrayRef<Value> inside,
                      ArrayRef<Value> sums);
  LogicalResult
  finishFirst(Sums sums, const Place &place, Value isInside,
             llvm::function_ref<LogicalResult(ArrayRef<Value>)> body);

  void bindParts();
  Position getPlace(const Position &position, Value part);
  void storePart(const Position &position, Value part, ArrayRef<Value> values);
  SmallVector<Value> loadPart(const Position &position, Value part);
  Sums addPart(ArrayRef<Value> sums, ArrayRef<Value> part);

  Sums forEachReduction(
      ArrayRef<Value> sums,
      llvm::function_ref<Sums(ReduceOp op, ArrayRef<Value> sums, unsigned first)>
          body);
  SmallVector<Value> getNeutral(int64_t lanes);
  Sums emitFor(Value from, Value to, int64_t step, ArrayRef<Value> sums,
               llvm::function_ref<Sums(Value, ArrayRef<Value>)> body);
  std::pair<Value, Value> getBounds(Value part, int64_t unit);
  void bindReduced();
  Position enterReduced(const Position &point, Value element, int64_t lanes);
  Sums accumulateAll(const Position &position, ArrayRef<Value> sums);
  Sums combineBlock(ArrayRef<Value> sums, int64_t lanes);
  LogicalResult finishPoint(const Position &position, ArrayRef<Value> sums);

  GPUPartsScheduleAttr parts;
  const bool isFirst;
  SmallVector<ReduceOp> reductions;
  /// Extents of what is reduced, of which memory has some as one.
  SmallVector<guard::ExprAttr> reduced;
  SmallVector<Buffer> partials; ///< of each accumulator, [parts, shared...]
};

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_LOOPTONVVM_GRIDPARTS_H
