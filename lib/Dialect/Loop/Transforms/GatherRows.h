//===- GatherRows.h - Rows of points that share columns ------- -*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_TRANSFORMS_GATHERROWS_H
#define KILN_LIB_DIALECT_LOOP_TRANSFORMS_GATHERROWS_H

#include "kiln/Analysis/AccessRelations.h"

namespace kiln::loop {

/// Where a point of the shared domain has one row, and each `g` of its last
/// outer dimension multiply the same columns, these points become rows: a block
/// reads the columns once for all of them. So it is with heads of queries that
/// share one of keys.
///
///   shared [2, 32, 1], columns of d1 floordiv 4    becomes    shared [2, 8, 4]
///
/// The kernel is made beside `kernel`, which stays; its results have other
/// sizes, and the same elements in the same order. Null where nothing is
/// shared, or rows cannot be told apart.
KernelOp gatherRows(KernelOp kernel, const analysis::SizeHints &hints);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_GATHERROWS_H
