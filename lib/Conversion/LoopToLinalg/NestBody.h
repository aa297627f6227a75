//===- NestBody.h - The body of a nest on tensor elements -------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_LOOPTOLINALG_NESTBODY_H
#define KILN_LIB_CONVERSION_LOOPTOLINALG_NESTBODY_H

#include "SymbolicValues.h"

#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "kiln/Dialect/Loop/IR/Loop.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/IRMapping.h"

namespace kiln::loop {

/// The indices of a body as expressions over the nest's own: its arguments from
/// `leading` on, and what `loop.index` makes of them. Values that are computed
/// in other ways have none.
llvm::DenseMap<Value, guard::ExprAttr> getIndexExprs(Block &body,
                                                     unsigned leading = 0);

/// The map from the indices of a nest to those of the element that `load`
/// reads, if it is affine, unmasked, and of the kind that `linalg` accepts: a
/// lone index runs over the whole dimension it reads.
std::optional<mlir::AffineMap>
getIndexingMap(LoadOp load,
               const llvm::DenseMap<Value, guard::ExprAttr> &exprs,
               ArrayRef<guard::ExprAttr> extents);

/// Emits the operations of a body, one element at a time.
class NestBody {
public:
  /// `dims` are the values of the nest's indices, whose extents are known.
  NestBody(ImplicitLocOpBuilder &b, SymbolicValues &symbols,
           ArrayRef<guard::ExprAttr> extents, ArrayRef<Value> dims);

  /// States the value of a load, which is then not emitted.
  void setLoaded(LoadOp load, Value value) {
    values.map(load.getResult(), value);
  }
  /// Emits all but the terminator of `block`. Its first arguments are
  /// `leading`, the others the nest's indices. Reports errors at the body's
  /// operations.
  LogicalResult emit(Block &block, ArrayRef<Value> leading = {});
  /// What has become of a value of the body.
  Value get(Value value);

private:
  LogicalResult emitLoad(LoadOp load);
  Value getIndex(guard::ExprAttr expr);
  guard::ExprAttr getExpr(Value index);

  ImplicitLocOpBuilder &b;
  SymbolicValues &symbols;
  guard::Assumptions assumptions;
  SmallVector<Value> dims;
  mlir::IRMapping values;
  llvm::DenseMap<Value, guard::ExprAttr> exprs;
};

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_LOOPTOLINALG_NESTBODY_H
