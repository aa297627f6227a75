//===- RowValues.h - Values of points and of their rows --------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A nest of a kernel has, at each point of the shared domain, a row or a single value.
// Dimensions of one element, as reductions keep them, make no row:
//
//   shared [8192]: reduce parallel [8192, 1], reduction [4096]: one value per point
//                  pointwise [8192, 1]: one value per point
//                  pointwise [8192, 4096]: a row of 4096
//
//   if (!isOnePerPoint(kernel, nest))
//     size = guard::product(context, getRowExtents(kernel, nest)); // 4096
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_IR_ROWVALUES_H
#define KILN_DIALECT_LOOP_IR_ROWVALUES_H

#include "kiln/Dialect/Loop/IR/Loop.h"

namespace kiln::loop {

/// True if the results of a nest of `kernel` are one value per point of the shared domain.
bool isOnePerPoint(KernelOp kernel, NestOpInterface nest);
/// The same of a tensor that a nest of the kernel makes.
bool isOnePerPoint(KernelOp kernel, mlir::Value value);

/// True if a pointwise nest or a reduction has rows as long as what a sort
/// keeps of its own: fewer elements than other rows of the kernel have, which
/// threads take one by one.
bool isOfKept(KernelOp kernel, NestOpInterface nest);

/// True if it makes such rows: what a sort keeps, or a pointwise nest of that.
bool makesKept(KernelOp kernel, NestOpInterface nest);

/// How many elements of rows a sort keeps, where these are so few that it is
/// worth to look for candidates and to sort them alone.
std::optional<int64_t> getSelected(SortOp op);

/// What a nest walks at a point: what it reduces, or the row that it makes.
/// Empty for a single value, and for the elements that a sort keeps.
llvm::SmallVector<guard::ExprAttr> getRowExtents(KernelOp kernel,
                                                 NestOpInterface nest);

/// The extent of a row along which neighbours lie: the last that is not 1.
guard::ExprAttr getLastExtent(llvm::ArrayRef<guard::ExprAttr> row);

/// The number of elements of the rows of a kernel, if they may begin and end
/// with fewer than a vector: nests are pointwise or reductions, and each row
/// has one dimension, of the same known extent, besides those of one element.
std::optional<int64_t> getPeelableSize(KernelOp kernel);

/// True if vectors of so many elements leave something of a row, so that
/// elements before and behind them are apart.
bool isPeeled(KernelOp kernel, int64_t lanes);

} // namespace kiln::loop

#endif // KILN_DIALECT_LOOP_IR_ROWVALUES_H
