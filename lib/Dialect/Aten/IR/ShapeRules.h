//===- ShapeRules.h - Inference of result types -----------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules that the records of aten ops name in their field `shape`; what a
// rule is stands in kiln/Dialect/Aten/IR/Inference.h.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_ATEN_IR_SHAPERULES_H
#define KILN_LIB_DIALECT_ATEN_IR_SHAPERULES_H

#include "kiln/Dialect/Aten/IR/Inference.h"
#include "kiln/Dialect/Aten/IR/ViewMaps.h"

namespace kiln::aten {

/// The maps of views, one function a record; see ViewMaps.h.
namespace maps {
#define KILN_VIEW(id, overload, copies, call)                                  \
  LogicalResult id(Inference &infer, ViewMaps &maps);
#include "kiln/Dialect/Aten/IR/AtenViews.inc"
} // namespace maps

/// The overloads that PyTorch composes take an average of everything for a mean.
enum class AdaptivePool { Maximum, Average, AverageOrMean };
enum class Spectrum { OfComplex, OfReals, ToReals };

/// The type of indices and counts.
inline Type getI64(Inference &infer) {
  return mlir::IntegerType::get(infer.context, 64);
}

/// One function per rule. What one takes beside the op is in its records:
/// "upsample(2)".
namespace rules {
// Composites
LogicalResult composed(Inference &infer);
LogicalResult repeatedSlices(Inference &infer);
// Pointwise
LogicalResult scaledSum(Inference &infer);
LogicalResult scaledDifference(Inference &infer); ///< not of bool
LogicalResult scaledQuotient(Inference &infer);
LogicalResult clamp(Inference &infer);
LogicalResult sameAsFirst(Inference &infer);
LogicalResult sameWithDim(Inference &infer);
LogicalResult expandsToFirst(Inference &infer);
LogicalResult maskedBroadcast(Inference &infer);
LogicalResult triangle(Inference &infer);
LogicalResult copy(Inference &infer);
LogicalResult prelu(Inference &infer);
LogicalResult softshrink(Inference &infer);
LogicalResult square(Inference &infer);
LogicalResult none(Inference &infer);
LogicalResult item(Inference &infer);
// Reductions
LogicalResult reduceAll(Inference &infer);
LogicalResult reduceDims(Inference &infer);
LogicalResult reduceElements(Inference &infer);
LogicalResult reduceGivenDims(Inference &infer);
LogicalResult reduceDimsTwice(Inference &infer);
LogicalResult reduceDim(Inference &infer);
LogicalResult reduceOptionalDim(Inference &infer);
LogicalResult reduceDimWithIndex(Inference &infer);
LogicalResult place(Inference &infer);
// Views
LogicalResult viewed(Inference &infer); ///< the sizes of the op's maps
LogicalResult cat(Inference &infer);
LogicalResult stack(Inference &infer);
LogicalResult repeat(Inference &infer);
LogicalResult pad(Inference &infer);
LogicalResult reflectionPad(Inference &infer, size_t spatial);
LogicalResult replicationPad(Inference &infer, size_t spatial);
LogicalResult inputSizes(Inference &infer);
LogicalResult flip(Inference &infer);
LogicalResult roll(Inference &infer);
LogicalResult selectScatter(Inference &infer);
LogicalResult sliceScatter(Inference &infer);
// Contractions
LogicalResult mm(Inference &infer);
LogicalResult bmm(Inference &infer);
LogicalResult addmm(Inference &infer);
LogicalResult bmmAdd(Inference &infer);
LogicalResult groupedMm(Inference &infer);
LogicalResult matmul(Inference &infer);
LogicalResult linear(Inference &infer);
LogicalResult einsum(Inference &infer);
LogicalResult convolution(Inference &infer);
LogicalResult conv(Inference &infer, size_t spatial);
LogicalResult convTransposed(Inference &infer, size_t spatial);
LogicalResult convNamedPadding(Inference &infer, size_t spatial);
LogicalResult attention(Inference &infer);
// Normalization
LogicalResult softmax(Inference &infer);
LogicalResult softmaxBackward(Inference &infer);
LogicalResult layerNorm(Inference &infer);
LogicalResult nativeLayerNorm(Inference &infer);
LogicalResult nativeLayerNormBackward(Inference &infer);
LogicalResult nativeDropout(Inference &infer);
LogicalResult crossEntropy(Inference &infer);
LogicalResult nllLossForward(Inference &infer);
LogicalResult nllLossBackward(Inference &infer);
// Indexing
LogicalResult embedding(Inference &infer);
LogicalResult embeddingBackward(Inference &infer);
LogicalResult gather(Inference &infer);
LogicalResult index(Inference &infer);
LogicalResult indexPut(Inference &infer);
LogicalResult indexSelect(Inference &infer);
LogicalResult indexWrite(Inference &infer);
LogicalResult scatter(Inference &infer);
// Factories
LogicalResult fromSize(Inference &infer);
LogicalResult emptyPermuted(Inference &infer);
LogicalResult scalarTensor(Inference &infer);
LogicalResult arange(Inference &infer);
LogicalResult linspace(Inference &infer);
LogicalResult eye(Inference &infer);
// Arrangement
LogicalResult angle(Inference &infer);
LogicalResult makeComplex(Inference &infer);
LogicalResult diagEmbed(Inference &infer);
LogicalResult tile(Inference &infer);
LogicalResult repeatInterleave(Inference &infer);
LogicalResult rot90(Inference &infer);
LogicalResult diff(Inference &infer);
LogicalResult cartesianProd(Inference &infer);
LogicalResult hstack(Inference &infer);
LogicalResult vstack(Inference &infer);
// Images
LogicalResult pool(Inference &infer);
LogicalResult averagePool3d(Inference &infer);
LogicalResult adaptivePool(Inference &infer, AdaptivePool kind);
LogicalResult upsample(Inference &infer, size_t spatial);
LogicalResult upsampleTo(Inference &infer);
LogicalResult pixelShuffle(Inference &infer);
LogicalResult im2col(Inference &infer);
LogicalResult col2im(Inference &infer);
LogicalResult gridSampler(Inference &infer, size_t spatial);
LogicalResult gridSamplerBackward(Inference &infer, size_t spatial);
LogicalResult affineGrid(Inference &infer);
// Layers of networks
LogicalResult likeSelf(Inference &infer);
LogicalResult likeSelfTwice(Inference &infer);
LogicalResult withBuffer(Inference &infer);
LogicalResult glu(Inference &infer);
LogicalResult loss(Inference &infer);
LogicalResult floatLoss(Inference &infer);
LogicalResult lossInSelf(Inference &infer);
LogicalResult lossInTarget(Inference &infer);
LogicalResult lossBackward(Inference &infer);
LogicalResult lossBackwardLikeSelf(Inference &infer);
LogicalResult multiMarginLoss(Inference &infer);
LogicalResult nllLoss(Inference &infer);
LogicalResult channelNorm(Inference &infer);
LogicalResult batchNormStats(Inference &infer);
LogicalResult groupNormStats(Inference &infer);
LogicalResult normBackward(Inference &infer);
LogicalResult fusedRmsNorm(Inference &infer);
LogicalResult convolutionBackward(Inference &infer);
LogicalResult addbmm(Inference &infer);
LogicalResult mv(Inference &infer);
LogicalResult dot(Inference &infer);
LogicalResult outer(Inference &infer);
LogicalResult bilinear(Inference &infer);
LogicalResult flashAttention(Inference &infer);
LogicalResult flashAttentionBackward(Inference &infer);
LogicalResult recurrent(Inference &infer, int64_t gates);
LogicalResult recurrentCell(Inference &infer, int64_t gates);
// Search, count, distance
LogicalResult nonzero(Inference &infer);
LogicalResult nonzeroPerDim(Inference &infer);
LogicalResult maskedSelect(Inference &infer);
LogicalResult unique(Inference &infer);
LogicalResult uniqueSlices(Inference &infer);
LogicalResult bincount(Inference &infer);
LogicalResult scanWithIndex(Inference &infer);
LogicalResult topk(Inference &infer);
LogicalResult aminmax(Inference &infer);
LogicalResult bucketize(Inference &infer);
LogicalResult histc(Inference &infer);
LogicalResult nonzeroStatic(Inference &infer);
LogicalResult oneHot(Inference &infer);
LogicalResult multinomial(Inference &infer);
LogicalResult randperm(Inference &infer);
LogicalResult lowerIndices(Inference &infer);
LogicalResult upperIndices(Inference &infer);
LogicalResult embeddingBag(Inference &infer);
LogicalResult bagWeightsBackward(Inference &infer);
LogicalResult maskedScatter(Inference &infer);
LogicalResult take(Inference &infer);
LogicalResult put(Inference &infer);
LogicalResult indexFill(Inference &infer);
LogicalResult takeAlongDim(Inference &infer);
LogicalResult cdist(Inference &infer);
LogicalResult cdistBackward(Inference &infer);
LogicalResult pdist(Inference &infer);
LogicalResult pairwise(Inference &infer);
LogicalResult cholesky(Inference &infer);
LogicalResult qr(Inference &infer);
LogicalResult solveTriangular(Inference &infer);
LogicalResult triangularSolve(Inference &infer);
LogicalResult fft(Inference &infer, Spectrum kind);
// Gradients
LogicalResult reflectionPadBackward(Inference &infer, size_t spatial);
LogicalResult replicationPadBackward(Inference &infer, size_t spatial);
LogicalResult poolBackward(Inference &infer);
LogicalResult adaptivePoolBackward(Inference &infer, size_t spatial);
LogicalResult upsampleBackward(Inference &infer);
LogicalResult gluBackward(Inference &infer);
LogicalResult pdistBackward(Inference &infer);
LogicalResult selectBackward(Inference &infer);
LogicalResult sliceBackward(Inference &infer);
LogicalResult diagonalBackward(Inference &infer);
LogicalResult unfoldBackward(Inference &infer);
// What must divide or agree
LogicalResult diagonalScatter(Inference &infer);
LogicalResult stridedScatter(Inference &infer);
LogicalResult channelShuffle(Inference &infer);
LogicalResult groupNorm(Inference &infer);
LogicalResult cross(Inference &infer);
} // namespace rules

} // namespace kiln::aten

#endif // KILN_LIB_DIALECT_ATEN_IR_SHAPERULES_H
