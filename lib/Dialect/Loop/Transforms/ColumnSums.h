//===- ColumnSums.h - Sums over rows, and how these are cut -- -*- C++ -*--===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_TRANSFORMS_COLUMNSUMS_H
#define KILN_LIB_DIALECT_LOOP_TRANSFORMS_COLUMNSUMS_H

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Dialect/Loop/IR/RowParts.h"

#include "llvm/ADT/SetVector.h"

namespace kiln::loop {

/// True if `access`, in a sum over `domain`, has the summed dimensions as its first indices, or
/// their number where memory has as many rows in other dimensions.
bool readsRow(const analysis::Access &access, const Domain &domain);

/// A part of rows that are the points of `extents`, which begins with dimension `dim`, `size`
/// of it.
RowParts makeParts(ArrayRef<guard::ExprAttr> extents, unsigned dim,
                   int64_t size);

/// Cuts rows of known number into parts, as many as `blocks` if they can be,
/// and not far fewer.
std::optional<RowParts> cutInto(int64_t blocks,
                                ArrayRef<guard::ExprAttr> extents);

/// The kernels of the same block that make or read some of `tensors`, which `columns` reads.
llvm::SetVector<mlir::Operation *> getKernelsOf(KernelOp columns,
                                          mlir::ValueRange tensors);

/// Replaces `sum` by one over as many rows, those of `rows`, in the same order.
void reshapeRows(ReduceOp sum, ArrayRef<guard::ExprAttr> rows);

/// A kernel before `kernel` that has its inputs and its body, and returns
/// `made` of it as tensors of these types; the origins of `further` come to its
/// own. What reads `kernel` is left to the caller.
KernelOp withResults(KernelOp kernel, mlir::ValueRange made,
                     mlir::TypeRange types, mlir::Operation *further);

/// `kernel` with the results of `made`, which stands in it, as further results; it takes the
/// place of what it was.
KernelOp addResults(KernelOp kernel, ReduceOp made);

/// The argument of `kernel` that `input` is, which it may not have had yet.
Value addInput(KernelOp kernel, Value input);

/// Adds up `tensors`, what other kernels have summed up of parts whose numbers are the points of
/// `outer`, in place of `sum` over all of them.
void joinParts(ReduceOp sum, ArrayRef<guard::ExprAttr> outer,
               mlir::ValueRange tensors);

/// Bytes that a kernel reads, each input once, and writes.
std::pair<int64_t, int64_t> getMoved(KernelOp kernel,
                                     const analysis::SizeHints &hints);

/// Says that this is what a kernel moves, of `unfused` bytes or more that its
/// nests would.
void setMoved(KernelOp kernel, const analysis::SizeHints &hints,
              int64_t unfused);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_COLUMNSUMS_H
