//===- StructuredOp.h - What a linalg op says ------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A structured op in the terms of a nest. Dimensions of its domain are numbered
// anew: the parallel ones first, in the order in which results have them, then
// those that are reduced.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_LINALGTOLOOP_STRUCTUREDOP_H
#define KILN_LIB_CONVERSION_LINALGTOLOOP_STRUCTUREDOP_H

#include "kiln/Dialect/Loop/IR/Loop.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace kiln {

using Exprs = llvm::SmallVector<guard::ExprAttr>;

/// How a result of a reduction is accumulated.
struct Accumulation {
  loop::ReductionKind kind;
  Value value; ///< what the body adds, of the body
};

struct StructuredOp {
  mlir::linalg::LinalgOp op;
  llvm::SmallVector<unsigned> order; ///< place of each iterator in the nest
  Exprs parallel, reduction;         ///< extents
  llvm::SmallVector<Exprs> indices;  ///< of each operand, inputs first

  /// Reads the op, or reports what a nest cannot express.
  static llvm::FailureOr<StructuredOp> read(mlir::linalg::LinalgOp op);

  /// How result `i` is accumulated; reports other combiners.
  llvm::FailureOr<Accumulation> getAccumulation(unsigned i);

private:
  explicit StructuredOp(mlir::linalg::LinalgOp op) : op(op) {}
  LogicalResult readOrder();
  LogicalResult readIndices();
  LogicalResult readExtents();
};

} // namespace kiln

#endif // KILN_LIB_CONVERSION_LINALGTOLOOP_STRUCTUREDOP_H
