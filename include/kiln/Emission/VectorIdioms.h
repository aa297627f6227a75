//===- VectorIdioms.h - Shuffles of loaded vectors ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   // four vector<4xf32>, rows of a tile: their columns
//   SmallVector<Value> columns = transposeLanes(b, loc, {r0, r1, r2, r3});
//
//===----------------------------------------------------------------------===//

#ifndef KILN_EMISSION_VECTORIDIOMS_H
#define KILN_EMISSION_VECTORIDIOMS_H

#include "kiln/Analysis/IndexExpr.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace kiln::loop {

/// Rows become columns: as many vectors as each has elements.
llvm::SmallVector<mlir::Value>
transposeLanes(mlir::OpBuilder &b, mlir::Location loc,
               llvm::SmallVector<mlir::Value> rows);

/// Loads elements 0, 2, 4, ... from `pointer` on, those inside `mask` if there is
/// one: loads and a shuffle, which is several times as fast as a gather. Without a mask
/// what lies between them is read, too. Masks are for targets that have them.
mlir::Value loadEverySecond(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Value pointer, mlir::VectorType type,
                            mlir::Value mask, unsigned alignment);

/// Loads elements for lanes that repeat them, for those inside `mask` if there is one. With
/// `areMasked`, for targets that have masks, the elements are one vector, else they come one
/// by one.
mlir::Value loadRepeated(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value pointer, mlir::VectorType type,
                         const analysis::Repeats &repeats, mlir::Value mask,
                         bool areMasked, unsigned alignment);

} // namespace kiln::loop

#endif // KILN_EMISSION_VECTORIDIOMS_H
