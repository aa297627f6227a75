//===- GridColumns.h - Columns that threads keep on a GPU -------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_LOOPTONVVM_GRIDCOLUMNS_H
#define KILN_LIB_CONVERSION_LOOPTONVVM_GRIDCOLUMNS_H

#include "GridEmitter.h"

#include "kiln/Dialect/Loop/IR/KernelColumns.h"

namespace kiln::loop {

/// Nests that reduce across memory and read each other's columns.
class GridColumnsEmitter : public GridRowsEmitter {
public:
  GridColumnsEmitter(KernelOp kernel, const analysis::KernelStrides &strides,
                     GPUColumnsScheduleAttr tile, bool isNarrow)
      : GridRowsEmitter(kernel, strides,
                        GPURowsScheduleAttr::get(kernel.getContext(),
                                                 tile.getThreads(), /*rows=*/1,
                                                 /*lanes=*/1, /*steps=*/0,
                                                 /*stages=*/0),
                        isNarrow),
        tile(tile) {}

private:
  LogicalResult emitThread() override;
  void bindRow(Value) override {} // registers hold it
  void finish(Value result, const Position &position, Value value) override;
  Value loadStaged(LoadOp load, int64_t lanes) override;

  LogicalResult enterColumns();
  Position enterNest(NestOpInterface nest, const ColumnDims &dims);
  LogicalResult
  forEachElement(NestOpInterface nest, const ColumnDims &dims,
                 llvm::function_ref<LogicalResult(const Position &)> body);
  LogicalResult emitColumnsReduce(ReduceOp op, const ColumnDims &dims);
  LogicalResult emitColumnsPointwise(PointwiseOp op, const ColumnDims &dims);

  GPUColumnsScheduleAttr tile;
  KernelColumns columns;
  int64_t size = 0; ///< elements of a column
  Place place;
  /// Of the columns, as accesses walk them, and which one the first lane has.
  SmallVector<guard::ExprAttr> extents;
  SmallVector<Value> column;
  Value columnInside; ///< null where all are
};

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_LOOPTONVVM_GRIDCOLUMNS_H
