//===- KernelColumns.h - Rows that lie across memory ------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is reduced along a dimension that is not the last has its points on both
// sides of it. Nests agree on these points, the columns, wherever they stand;
// dimensions of one element count for nothing:
//
//   reduce parallel [8, 1, 128, 128], reduction [64]   one value a column
//   pointwise [8, 64, 128, 128]                        elements of columns
//   pointwise [8, 1, 128, 128]                         one value a column
//   columns [8, 128, 128], elements [64], one column's dimension before those
//
//   auto columns = getKernelColumns(kernel);
//   columns->getDims(nest)->elements.empty() // one value a column
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_IR_KERNELCOLUMNS_H
#define KILN_DIALECT_LOOP_IR_KERNELCOLUMNS_H

#include "kiln/Dialect/Loop/IR/Loop.h"

namespace kiln::loop {

/// Which dimensions of a nest are those of columns and of their elements, in
/// order; others have one element.
struct ColumnDims {
  llvm::SmallVector<unsigned> columns, elements;
};

/// Extents of the columns that all nests of a kernel have, and of what each of
/// them walks.
struct KernelColumns {
  llvm::SmallVector<guard::ExprAttr> columns, elements;
  /// Dimensions of the columns that stand before those of the elements, where a
  /// nest makes these.
  unsigned before = 0;

  KernelColumns() = default;
  /// Those of a reduction with these extents.
  KernelColumns(llvm::ArrayRef<guard::ExprAttr> parallel,
                llvm::ArrayRef<guard::ExprAttr> reduction);

  /// Nothing for a nest of other extents.
  std::optional<ColumnDims> getDims(NestOpInterface nest) const;
  /// Of a nest with these extents, numbered one after the other.
  std::optional<ColumnDims> getDims(llvm::ArrayRef<guard::ExprAttr> parallel,
                                    llvm::ArrayRef<guard::ExprAttr> reduction,
                                    bool isReduction) const;
};

/// The columns of a kernel of pointwise nests and reductions over the same
/// elements of each column, which read of each other the element or the value
/// of their own place; nothing for other kernels, as those that reduce nothing
/// or to a single point.
std::optional<KernelColumns> getKernelColumns(KernelOp kernel);

} // namespace kiln::loop

#endif // KILN_DIALECT_LOOP_IR_KERNELCOLUMNS_H
