//===- AffineForm.h - Affine expressions as expressions ---------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What upstream dialects say by affine maps, over the leaves that stand for its dimensions
// and symbols:
//
//   fromAffine(map.getResult(0), {d0, d1});            // d0 * 4 + d1, of (i, j) -> (i * 4 + j)
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_GUARD_IR_AFFINEFORM_H
#define KILN_DIALECT_GUARD_IR_AFFINEFORM_H

#include "kiln/Dialect/Guard/IR/Expr.h"

#include "mlir/IR/AffineExpr.h"

namespace kiln::guard {

/// `expr` with an expression for each of its dimensions and symbols; null if it has one that
/// is not given.
ExprAttr fromAffine(mlir::AffineExpr expr, llvm::ArrayRef<ExprAttr> dims,
                    llvm::ArrayRef<ExprAttr> symbols = {});

} // namespace kiln::guard

#endif // KILN_DIALECT_GUARD_IR_AFFINEFORM_H
