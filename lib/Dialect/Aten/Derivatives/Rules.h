//===- Rules.h - Derivative rules that do not fit a line ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that `VJPFunction` records of AtenDerivatives.td name. Each sets
// the gradients of the operands that are wanted, or fails with a diagnostic.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_ATEN_DERIVATIVES_RULES_H
#define KILN_LIB_DIALECT_ATEN_DERIVATIVES_RULES_H

#include "VjpState.h"
#include "kiln/Dialect/Aten/IR/Aten.h"

namespace kiln::aten {

// Pointwise.
LogicalResult vjpDivMode(DivTensorModeOp op, VjpState &state);
LogicalResult vjpHardtanh(HardtanhOp op, VjpState &state);
LogicalResult vjpPow(PowTensorScalarOp op, VjpState &state);
LogicalResult vjpPowTensor(PowTensorTensorOp op, VjpState &state);
LogicalResult vjpPowScalar(PowScalarOp op, VjpState &state);
LogicalResult vjpClamp(ClampOp op, VjpState &state);

// Reductions and normalizations.
LogicalResult vjpVarMean(VarMeanCorrectionOp op, VjpState &state);
LogicalResult vjpVectorNorm(LinalgVectorNormOp op, VjpState &state);
LogicalResult vjpLayerNorm(NativeLayerNormOp op, VjpState &state);
LogicalResult vjpNativeDropout(NativeDropoutOp op, VjpState &state);
LogicalResult vjpNllLoss(NllLossForwardOp op, VjpState &state);

// Views; the first takes any of the splits.
LogicalResult vjpSplitAlong(int64_t dim, VjpState &state);
template <typename OpT> LogicalResult vjpSplit(OpT op, VjpState &state) {
  return vjpSplitAlong(op.getDim(), state);
}
LogicalResult vjpUnbind(UnbindIntOp op, VjpState &state);
LogicalResult vjpCat(CatOp op, VjpState &state);
LogicalResult vjpStack(StackOp op, VjpState &state);
LogicalResult vjpRepeat(RepeatOp op, VjpState &state);
LogicalResult vjpRoll(RollOp op, VjpState &state);
LogicalResult vjpPad(ConstantPadNdOp op, VjpState &state);
LogicalResult vjpSelectScatter(SelectScatterOp op, VjpState &state);
LogicalResult vjpSliceScatter(SliceScatterOp op, VjpState &state);

// Indexing.
LogicalResult vjpIndex(IndexTensorOp op, VjpState &state);
LogicalResult vjpIndexPut(IndexPutOp op, VjpState &state);
LogicalResult vjpIndexSelect(IndexSelectOp op, VjpState &state);

/// Differentiates the ops that `op` decomposes into. They are built again where
/// the gradient is, so the forward keeps `op` whole and the backward computes
/// from its operands what it needs.
LogicalResult vjpByDecomposition(Operation *op, VjpState &state);

} // namespace kiln::aten

#endif // KILN_LIB_DIALECT_ATEN_DERIVATIVES_RULES_H
