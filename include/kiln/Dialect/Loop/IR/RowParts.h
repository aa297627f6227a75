//===- RowParts.h - Sums over parts of a kernel's rows ----------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel's rows are the points of its shared domain, and nests over them fuse. A sum
// over all rows, with a value a column, has no row of its own; a sum over a part of
// them belongs to the work item that has these rows:
//
//   shared [8192]                     rows, with nests over [8192, 768]
//   parallel [128, 768], reduced [64] part p and column j; row 64 * p + b
//
// In general shared dimension `dim` is cut: the extents before it are parallel, then
// the number of parts, then the columns; reduced are the size of a part and the shared
// extents behind `dim`. So a part is consecutive rows.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_IR_ROWPARTS_H
#define KILN_DIALECT_LOOP_IR_ROWPARTS_H

#include "kiln/Dialect/Loop/IR/Loop.h"

namespace kiln::loop {

/// Registers of a thread of a GPU whose block walks the rows of a part, so many at a time: as
/// many blocks share a multiprocessor as have them, since one alone would wait for its row where
/// another one computes. Where warps have rows of their own, one computes while others wait.
inline int64_t getPartRegisters(int64_t rows) { return rows == 1 ? 64 : 256; }

/// How a reduction sums up parts of the rows of its kernel.
struct RowParts {
  unsigned dim = 0;   ///< the shared dimension that is cut
  int64_t size = 0;   ///< of a part, along that dimension
  /// The number of parts: the shared extents before `dim`, and how many it is cut into.
  llvm::SmallVector<guard::ExprAttr> outer;
  /// The rows of a part: `size`, and the shared extents behind `dim`.
  llvm::SmallVector<guard::ExprAttr> rows;

  bool operator==(const RowParts &other) const {
    return dim == other.dim && size == other.size;
  }
  bool operator!=(const RowParts &other) const { return !(*this == other); }

  /// The shared point of a row over the dimensions of `op`, the sum.
  llvm::SmallVector<guard::ExprAttr> getPoint(ReduceOp op) const;
};

/// The parts of `shared` that `op` sums up; nothing if it is no such sum, as one whose
/// parallel extents start with `shared`.
std::optional<RowParts> getRowParts(ReduceOp op,
                                    llvm::ArrayRef<guard::ExprAttr> shared);

/// The same of a nest of `kernel`; nothing for nests of other kinds.
std::optional<RowParts> getRowParts(KernelOp kernel, NestOpInterface nest);

/// Those of the first nest of `kernel` that has any: all others have the same.
std::optional<RowParts> getRowParts(KernelOp kernel);

/// An index operand in the body of `nest` over the nest's dimensions; null where it is
/// computed from something else.
guard::ExprAttr getIndexExpr(NestOpInterface nest, mlir::Value index);

/// True if `load`, in `op`, has the row of the kernel as its first indices.
bool readsOwnRow(ReduceOp op, LoadOp load, const RowParts &parts);

/// What a load reads of the row and the column that its nest is at, in a kernel
/// with sums over parts of its rows: with shared [8192] `%x[%i, %j]` of a nest
/// over [8192, 768] and `%x[64 * %p + %b, %j]` of a sum are both the element. Rows may be cut
/// up otherwise in memory: with shared [16, 512] that is `%x[512 * %i + %j, %k]`.
enum class OwnRead {
  Element, ///< of this row, in this column
  Point,   ///< of this row, which has no other
  Column,  ///< in this column, the same for all rows
  Other
};
OwnRead getOwnRead(KernelOp kernel, LoadOp load);

/// How many of the first of these sizes are `rows` elements together; nothing if none are.
std::optional<unsigned> countRowDims(llvm::ArrayRef<int64_t> sizes,
                                     int64_t rows);

/// The number of the point at `indices` in a space of these sizes, row by row.
guard::ExprAttr getPointNumber(mlir::MLIRContext *context,
                               llvm::ArrayRef<guard::ExprAttr> indices,
                               llvm::ArrayRef<int64_t> sizes);

/// The columns of a sum over parts, those of one element left out.
llvm::SmallVector<guard::ExprAttr> getColumns(ReduceOp op,
                                              const RowParts &parts);
/// The same of any nest: of a sum over parts, or of the row that it walks.
llvm::SmallVector<guard::ExprAttr> getColumns(KernelOp kernel,
                                              NestOpInterface nest);

} // namespace kiln::loop

#endif // KILN_DIALECT_LOOP_IR_ROWPARTS_H
