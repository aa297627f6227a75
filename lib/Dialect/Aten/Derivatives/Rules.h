//===- Rules.h - Derivative rules that do not fit a line ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that `VJPFunction` records name. Each sets the gradients of the
// operands that are wanted, or fails with a diagnostic.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_ATEN_DERIVATIVES_RULES_H
#define KILN_LIB_DIALECT_ATEN_DERIVATIVES_RULES_H

#include "VjpState.h"
#include "kiln/Dialect/Aten/IR/Aten.h"

namespace kiln::aten {

// Pointwise.
LogicalResult vjpDivMode(DivTensorModeOp op, VjpState &state);
LogicalResult vjpDivScalarMode(DivScalarModeOp op, VjpState &state);
LogicalResult vjpPow(PowTensorScalarOp op, VjpState &state);
LogicalResult vjpPowTensor(PowTensorTensorOp op, VjpState &state);
LogicalResult vjpPowScalar(PowScalarOp op, VjpState &state);
LogicalResult vjpPolygamma(PolygammaOp op, VjpState &state);
LogicalResult vjpClamp(ClampOp op, VjpState &state);
LogicalResult vjpClampTensor(ClampTensorOp op, VjpState &state);
LogicalResult vjpNativeDropout(NativeDropoutOp op, VjpState &state);
LogicalResult vjpRrelu(RreluWithNoiseFunctionalOp op, VjpState &state);
LogicalResult vjpRenorm(RenormOp op, VjpState &state);

// Reductions and scans.
LogicalResult vjpAminmax(AminmaxOp op, VjpState &state);
LogicalResult vjpProd(ProdOp op, VjpState &state);
LogicalResult vjpProdDim(ProdDimIntOp op, VjpState &state);
LogicalResult vjpCumprod(CumprodOp op, VjpState &state);
LogicalResult vjpLogcumsumexp(LogcumsumexpOp op, VjpState &state);
LogicalResult vjpVarMean(VarMeanCorrectionOp op, VjpState &state);
LogicalResult vjpVarMeanDim(VarMeanDimOp op, VjpState &state);
LogicalResult vjpStdMean(StdMeanCorrectionOp op, VjpState &state);
LogicalResult vjpVectorNorm(LinalgVectorNormOp op, VjpState &state);
LogicalResult vjpNorm(NormScalarOp op, VjpState &state);
LogicalResult vjpNormDim(NormScalarOptDimOp op, VjpState &state);
LogicalResult vjpCosineSimilarity(CosineSimilarityOp op, VjpState &state);
/// The gradient of `self` below a norm of any order.
Value vectorNormGrad(VjpState &state, Value grad, Value self, Value norm,
                     double order, OptionalDims dims, bool keepdim);

// Norms; those over the batch differ in where statistics come from.
LogicalResult vjpLayerNorm(NativeLayerNormOp op, VjpState &state);
LogicalResult vjpGroupNorm(NativeGroupNormOp op, VjpState &state);
LogicalResult vjpRmsNorm(FusedRmsNormOp op, VjpState &state);
LogicalResult vjpBatchNormWith(VjpState &state, Value input, Value weight,
                               Value bias, Value runningMean,
                               Value runningVariance, bool isTraining,
                               FloatArg eps);
template <typename OpT> LogicalResult vjpBatchNorm(OpT op, VjpState &state) {
  Value mean, variance;
  bool isTraining = false;
  if constexpr (!std::is_same_v<OpT, NativeBatchNormLegitNoStatsOp>) {
    mean = op.getRunningMean();
    variance = op.getRunningVar();
  }
  if constexpr (!std::is_same_v<OpT, NativeBatchNormLegitNoTrainingOp>)
    isTraining = op.getTraining();
  return vjpBatchNormWith(state, op.getInput(), op.getWeight(), op.getBias(),
                          mean, variance, isTraining, op.getEps());
}

// Views: any op that has maps, and rearrangements.
LogicalResult vjpView(Operation *op, VjpState &state);
LogicalResult vjpCat(CatOp op, VjpState &state);
LogicalResult vjpStack(StackOp op, VjpState &state);
LogicalResult vjpRepeat(RepeatOp op, VjpState &state);
LogicalResult vjpTile(TileOp op, VjpState &state);
LogicalResult vjpRepeatInterleave(RepeatInterleaveSelfIntOp op,
                                  VjpState &state);
LogicalResult vjpRoll(RollOp op, VjpState &state);
LogicalResult vjpPad(ConstantPadNdOp op, VjpState &state);
LogicalResult vjpSelectScatter(SelectScatterOp op, VjpState &state);
LogicalResult vjpSliceScatter(SliceScatterOp op, VjpState &state);

// Contractions. A window is what all convolutions have in common.
struct Window {
  SizesArg stride, padding, dilation;
  bool isTransposed;
  SizesArg outputPadding;
  ExprAttr groups;
};
LogicalResult vjpConvolution(ConvolutionOp op, VjpState &state);
LogicalResult vjpWindow(VjpState &state, Value input, Value weight, Value bias,
                        guard::ShapeAttr stride, guard::ShapeAttr padding,
                        guard::ShapeAttr dilation, bool isTransposed,
                        guard::ShapeAttr outputPadding, ExprAttr groups);
template <typename OpT> LogicalResult vjpConvNd(OpT op, VjpState &state) {
  return vjpWindow(state, op.getInput(), op.getWeight(), op.getBias(),
                   op.getStride(), op.getPadding(), op.getDilation(), false, {},
                   op.getGroups());
}
template <typename OpT>
LogicalResult vjpConvTranspose(OpT op, VjpState &state) {
  return vjpWindow(state, op.getInput(), op.getWeight(), op.getBias(),
                   op.getStride(), op.getPadding(), op.getDilation(), true,
                   op.getOutputPadding(), op.getGroups());
}
LogicalResult vjpFlashAttention(ScaledDotProductFlashAttentionForCpuOp op,
                                VjpState &state);
LogicalResult vjpBilinear(BilinearOp op, VjpState &state);

// Linear algebra.
LogicalResult vjpCross(CrossOp op, VjpState &state);
LogicalResult vjpCholesky(LinalgCholeskyExOp op, VjpState &state);
LogicalResult vjpQr(LinalgQrOp op, VjpState &state);
LogicalResult vjpSolveTriangular(LinalgSolveTriangularOp op, VjpState &state);
LogicalResult vjpTriangularSolve(TriangularSolveOp op, VjpState &state);
LogicalResult vjpFftOfReals(FftR2cOp op, VjpState &state);
LogicalResult vjpFftToReals(FftC2rOp op, VjpState &state);

// Indexing.
/// The index list with null for absent ones.
template <typename OpT> SmallVector<Value> readIndices(OpT op) {
  SmallVector<Value> indices;
  auto given = op.getIndices().begin();
  for (bool isPresent : op.getIndicesPresent())
    indices.push_back(isPresent ? *given++ : Value());
  return indices;
}
LogicalResult vjpIndexed(VjpState &state, Value self, ArrayRef<Value> indices);
LogicalResult vjpIndexedPut(VjpState &state, ArrayRef<Value> indices,
                            unsigned valuesOperand, bool accumulates);
template <typename OpT> LogicalResult vjpIndex(OpT op, VjpState &state) {
  return vjpIndexed(state, op.getSelf(), readIndices(op));
}
template <typename OpT> LogicalResult vjpIndexPut(OpT op, VjpState &state) {
  return vjpIndexedPut(state, readIndices(op),
                       op.getODSOperandIndexAndLength(2).first,
                       op.getAccumulate());
}
LogicalResult vjpMaskedScatter(MaskedScatterOp op, VjpState &state);
LogicalResult vjpMaskedSelect(MaskedSelectOp op, VjpState &state);
LogicalResult vjpPut(PutOp op, VjpState &state);
LogicalResult vjpScatterReduce(ScatterReduceTwoOp op, VjpState &state);
LogicalResult vjpIndexReduce(IndexReduceOp op, VjpState &state);

/// What both forms of `_embedding_bag` are given. A mode is 0 for sums, 1 for
/// means, 2 for maxima.
struct BagArguments {
  Value weight, indices, offsets, perSampleWeights;
  unsigned weightsOperand;
  int64_t mode, padding;
  bool scalesByFrequency, includesLast;
};
LogicalResult vjpBags(VjpState &state, const BagArguments &bag);
template <typename OpT> LogicalResult vjpEmbeddingBag(OpT op, VjpState &state) {
  return vjpBags(state, {op.getWeight(), op.getIndices(), op.getOffsets(),
                         op.getPerSampleWeights(), 3, int64_t(op.getMode()),
                         int64_t(op.getPaddingIdx()), op.getScaleGradByFreq(),
                         op.getIncludeLastOffset()});
}

// Images.
LogicalResult vjpAvgPool1d(AvgPool1dOp op, VjpState &state);
LogicalResult vjpGridSampler(GridSampler2dOp op, VjpState &state);
LogicalResult vjpGridSampler(GridSampler3dOp op, VjpState &state);
LogicalResult vjpAffineGrid(AffineGridGeneratorOp op, VjpState &state);
LogicalResult vjpPadCircular(PadCircularOp op, VjpState &state);

// Losses.
LogicalResult vjpBceWithLogits(BinaryCrossEntropyWithLogitsOp op,
                               VjpState &state);
LogicalResult vjpKlDiv(KlDivOp op, VjpState &state);
LogicalResult vjpMultiMarginLoss(MultiMarginLossOp op, VjpState &state);

/// Differentiates the ops that `op` decomposes into. They are built again where
/// the gradient is, so the forward keeps `op` whole and the backward computes
/// from its operands what it needs.
LogicalResult vjpByDecomposition(Operation *op, VjpState &state);

} // namespace kiln::aten

#endif // KILN_LIB_DIALECT_ATEN_DERIVATIVES_RULES_H
