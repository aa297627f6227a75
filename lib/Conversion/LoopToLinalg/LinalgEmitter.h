//===- LinalgEmitter.h - Nests as structured ops ----------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_LOOPTOLINALG_LINALGEMITTER_H
#define KILN_LIB_CONVERSION_LOOPTOLINALG_LINALGEMITTER_H

#include "NestBody.h"

namespace kiln::loop {

/// Rewrites the nests of one function. While it works, tensors keep their
/// `#guard.shape` encodings, new ones get them too, because sizes are read off
/// them; the caller strips all types at the end.
class LinalgEmitter {
public:
  explicit LinalgEmitter(mlir::func::FuncOp function) : symbols(function) {}

  /// Replaces a nest and erases it. A contraction must be one that
  /// `hasNamedForm` accepts.
  LogicalResult convert(NestOpInterface nest);
  /// Replaces a `guard.value` or `guard.assert` and erases it.
  LogicalResult convertGuard(Operation *op);

  /// True if linalg has an op for this contraction, but for its epilogue.
  static bool hasNamedForm(ContractOp op);

private:
  LogicalResult convert(PointwiseOp op);
  LogicalResult convert(ReduceOp op);
  LogicalResult convert(ContractOp op);
  LogicalResult convert(ScanOp op);
  LogicalResult convert(ScatterOp op);

  /// The accumulators of a reduction or scan, joined.
  FailureOr<SmallVector<Value>> combine(ImplicitLocOpBuilder &b,
                                        AccumulationOpInterface op,
                                        ArrayRef<Value> left,
                                        ArrayRef<Value> right);
  /// An uninitialized tensor; null if a size has no value.
  Value createEmpty(ImplicitLocOpBuilder &b, Type elementType,
                    ArrayRef<guard::ExprAttr> sizes);
  /// The same, filled.
  Value createFilled(ImplicitLocOpBuilder &b, Value element,
                     ArrayRef<guard::ExprAttr> sizes);
  /// A `linalg.generic` over `domain` with the body of a nest. `finish` gets
  /// the body and the current elements of `outs` and gives the new ones.
  FailureOr<SmallVector<Value>> createGeneric(
      ImplicitLocOpBuilder &b, const Domain &domain, Block &body,
      ValueRange outs,
      llvm::function_ref<FailureOr<SmallVector<Value>>(
          ImplicitLocOpBuilder &, NestBody &, ValueRange)>
          finish);

  SymbolicValues symbols;
};

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_LOOPTOLINALG_LINALGEMITTER_H
