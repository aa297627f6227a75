//===- KnownIntegers.h - What the bounds of indices decide ------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_TRANSFORMS_KNOWNINTEGERS_H
#define KILN_LIB_DIALECT_LOOP_TRANSFORMS_KNOWNINTEGERS_H

#include "kiln/Analysis/AccessRelations.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::loop {

/// Indices that bodies compute from indices are expressions again, and bounds
/// that they keep anyway are gone:
///
///   %a = arith.index_cast %i : index to i64
///   %b = arith.index_cast %a : i64 to index
///   %c = arith.minsi %b, %c63                    // %i < 64
///   loop.load %w[%c, %j]                         // becomes loop.load %w[%i,
///   %j]
void foldKnownIndices(mlir::func::FuncOp function,
                      const analysis::SizeHints &hints);

/// Removes assertions of what holds at every point, and those of what is
/// asserted before.
void dropKnownAssertions(mlir::func::FuncOp function,
                         const analysis::SizeHints &hints);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_KNOWNINTEGERS_H
