//===- ShapeRules.h - Inference of result types -----------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shape rule is a function of the arguments that appends result types. It
// finds arguments by their schema names, so that one rule serves all overloads
// of a family. Records name rules in their field `shape`.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_ATEN_IR_SHAPERULES_H
#define KILN_LIB_DIALECT_ATEN_IR_SHAPERULES_H

#include "kiln/Dialect/Aten/IR/SizeOracle.h"
#include "kiln/Dialect/Guard/IR/Expr.h"

#include "mlir/IR/Location.h"

namespace kiln::aten {

using guard::ExprAttr;
using Dims = SmallVector<ExprAttr>;

/// Arguments of one op, and the types that a rule finds for its results.
class Inference {
public:
  Inference(MLIRContext *context, std::optional<Location> loc,
            const OpInfo &info, ArrayRef<ArgValue> args,
            SmallVectorImpl<Type> &types, SizeOracle *oracle = nullptr)
      : context(context), info(info), loc(loc), args(args), types(types),
        oracle(oracle) {}

  MLIRContext *context;
  const OpInfo &info;

  //===--------------------------------------------------------------------===//
  // Arguments by name
  //===--------------------------------------------------------------------===//

  /// False for an argument that the schema lacks or the op leaves out.
  bool has(StringRef name) const;
  const ArgValue &get(StringRef name) const;
  RankedTensorType getTensorType(StringRef name) const;
  Type getElementType(StringRef name) const;
  /// The sizes of a tensor argument; failure if they are not known.
  FailureOr<Dims> getDims(StringRef name);
  FailureOr<Dims> getDims(Value tensor, StringRef name);
  /// The first tensor of the schema.
  StringRef getFirstTensor() const;

  std::optional<int64_t> getInt(StringRef name) const;
  bool getBool(StringRef name) const;
  std::optional<SmallVector<int64_t>> getInts(StringRef name) const;
  ExprAttr getExpr(StringRef name) const;
  std::optional<Dims> getExprs(StringRef name) const;
  StringRef getString(StringRef name) const;
  /// A number that is a constant or `guard.value`; null for another.
  ExprAttr getNumber(StringRef name) const;
  /// The element type that `dtype` asks for; null if it does not.
  Type getDType(StringRef name = "dtype") const;
  ExprAttr constant(int64_t value) {
    return guard::getConstant(context, value);
  }

  /// Argument `name` as a dimension of a tensor of `rank`, from the front. A
  /// rank of 0 allows what a rank of 1 allows.
  FailureOr<int64_t> getDim(StringRef name, int64_t rank);
  FailureOr<int64_t> wrapDim(int64_t dim, int64_t rank);
  /// A list of dimensions as flags; all if absent or (if `emptyIsAll`) empty.
  FailureOr<SmallVector<bool>> getDimFlags(StringRef name, int64_t rank,
                                           bool emptyIsAll);
  /// Checks the rank of a tensor argument.
  FailureOr<Dims> getDimsOfRank(StringRef name, int64_t rank);

  //===--------------------------------------------------------------------===//
  // Questions about sizes
  //===--------------------------------------------------------------------===//
  //
  // What the expressions leave open an oracle answers. Without one the program
  // is taken to be right: sizes that may agree do, and none is 1 by chance.

  /// False if the condition cannot hold.
  bool holds(ExprAttr condition);
  /// True if two sizes are not the same.
  bool differ(ExprAttr a, ExprAttr b);
  /// True if a size is this number.
  bool is(ExprAttr size, int64_t value);
  bool isAtLeast(ExprAttr size, int64_t value) {
    return holds(guard::ge(size, constant(value)));
  }
  bool divides(int64_t divisor, ExprAttr size) {
    return holds(guard::eq(guard::mod(size, divisor), constant(0)));
  }
  /// A size as a number, for rules that need one. `reason` continues "fixed for
  /// 'aten.unbind.int', ".
  std::optional<int64_t>
  getFixed(ExprAttr size, StringRef reason = "whose number of results it is");
  /// The operands have the sizes of the example: for what no rule tells.
  void fixSizes();
  /// A size that the operands' values decide; null without an oracle.
  ExprAttr getDataSize(guard::Interval range);

  //===--------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------===//

  void addResult(ArrayRef<ExprAttr> dims, Type elementType) {
    types.push_back(guard::makeTensorType(elementType, dims));
  }
  void addNumber(Type type) { types.push_back(type); }
  /// For a result whose size nothing tells but the program, which is about the
  /// operands that it was recorded with: the builder must be given its type,
  /// which the verifier does not check.
  void addUnknown() {
    fixSizes();
    types.push_back(Type());
  }
  /// Likewise, where values decide about some sizes: those that are null.
  void addDataDependent(ArrayRef<ExprAttr> dims, Type elementType);
  /// Likewise, where programs differ about the rank: an oracle is told what it
  /// is as a rule.
  void addRecorded(ArrayRef<ExprAttr> usualDims, Type elementType);
  /// With the element type of the promotion kind.
  LogicalResult addPromoted(ArrayRef<ExprAttr> dims);
  /// The element type by the promotion kind; failure if there is none.
  FailureOr<Type> getPromotedType();

  /// The same arguments, with other results.
  Inference withResults(SmallVectorImpl<Type> &others) const {
    return Inference(context, loc, info, args, others, oracle);
  }

  /// Reports "'aten.mm' op <message>".
  LogicalResult fail(const llvm::Twine &message);

private:
  std::optional<Location> loc;
  unsigned numDataSizes = 0;
  ArrayRef<ArgValue> args;
  SmallVectorImpl<Type> &types;
  SizeOracle *oracle;
};

/// The more specific of two sizes that must be the same.
ExprAttr unify(ExprAttr a, ExprAttr b);
/// Checks the sizes of a tensor argument.
LogicalResult checkSizes(Inference &infer, StringRef name,
                         ArrayRef<ExprAttr> expected);
/// The sizes two tensors broadcast to.
FailureOr<Dims> broadcastDims(Inference &infer, ArrayRef<ExprAttr> a,
                              ArrayRef<ExprAttr> b);
/// The join of two element types by PyTorch's table.
Type joinTypes(Type a, Type b);
bool isIntegral(Type type); ///< integers and bool

/// One function per rule.
namespace rules {
// Pointwise
LogicalResult broadcast(Inference &infer);
LogicalResult scaledSum(Inference &infer);
LogicalResult sameAsFirst(Inference &infer);
LogicalResult sameWithDim(Inference &infer);
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
LogicalResult reduceGivenDims(Inference &infer);
LogicalResult reduceDimsTwice(Inference &infer);
LogicalResult reduceDim(Inference &infer);
LogicalResult reduceOptionalDim(Inference &infer);
LogicalResult reduceDimWithIndex(Inference &infer);
LogicalResult place(Inference &infer);
// Views
LogicalResult view(Inference &infer);
LogicalResult flatten(Inference &infer);
LogicalResult expand(Inference &infer);
LogicalResult permute(Inference &infer);
LogicalResult transpose(Inference &infer);
LogicalResult t(Inference &infer);
LogicalResult reverseDims(Inference &infer);
LogicalResult select(Inference &infer);
LogicalResult slice(Inference &infer);
LogicalResult squeeze(Inference &infer);
LogicalResult squeezeDim(Inference &infer);
LogicalResult squeezeDims(Inference &infer);
LogicalResult unsqueeze(Inference &infer);
LogicalResult split(Inference &infer);
LogicalResult splitWithSizes(Inference &infer);
LogicalResult chunk(Inference &infer);
LogicalResult unbind(Inference &infer);
LogicalResult unfold(Inference &infer);
LogicalResult cat(Inference &infer);
LogicalResult stack(Inference &infer);
LogicalResult repeat(Inference &infer);
LogicalResult pad(Inference &infer);
LogicalResult inputSizes(Inference &infer);
LogicalResult flip(Inference &infer);
LogicalResult roll(Inference &infer);
LogicalResult selectScatter(Inference &infer);
LogicalResult sliceScatter(Inference &infer);
LogicalResult upsample2d(Inference &infer);
// Contractions
LogicalResult mm(Inference &infer);
LogicalResult bmm(Inference &infer);
LogicalResult addmm(Inference &infer);
LogicalResult bmmAdd(Inference &infer);
LogicalResult matmul(Inference &infer);
LogicalResult linear(Inference &infer);
LogicalResult einsum(Inference &infer);
LogicalResult convolution(Inference &infer);
LogicalResult conv2d(Inference &infer);
LogicalResult convNd(Inference &infer);
LogicalResult convNamedPadding(Inference &infer);
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
LogicalResult realParts(Inference &infer);
LogicalResult viewAsComplex(Inference &infer);
LogicalResult viewAsReal(Inference &infer);
LogicalResult viewDtype(Inference &infer);
LogicalResult sizesOfOther(Inference &infer);
LogicalResult diagonal(Inference &infer);
LogicalResult diagEmbed(Inference &infer);
LogicalResult movedim(Inference &infer);
LogicalResult narrow(Inference &infer);
LogicalResult unflatten(Inference &infer);
LogicalResult tensorSplit(Inference &infer);
LogicalResult tile(Inference &infer);
LogicalResult repeatInterleave(Inference &infer);
LogicalResult rot90(Inference &infer);
LogicalResult diff(Inference &infer);
LogicalResult broadcastTensors(Inference &infer);
LogicalResult meshgrid(Inference &infer);
LogicalResult cartesianProd(Inference &infer);
LogicalResult hstack(Inference &infer);
LogicalResult vstack(Inference &infer);
// Images
LogicalResult pool(Inference &infer);
LogicalResult adaptivePool(Inference &infer);
LogicalResult upsample(Inference &infer);
LogicalResult upsampleTo(Inference &infer);
LogicalResult pixelShuffle(Inference &infer);
LogicalResult im2col(Inference &infer);
LogicalResult col2im(Inference &infer);
LogicalResult gridSampler(Inference &infer);
LogicalResult gridSamplerBackward(Inference &infer);
LogicalResult affineGrid(Inference &infer);
// Layers of networks
LogicalResult likeSelf(Inference &infer);
LogicalResult likeSelfTwice(Inference &infer);
LogicalResult withBuffer(Inference &infer);
LogicalResult glu(Inference &infer);
LogicalResult loss(Inference &infer);
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
LogicalResult recurrent(Inference &infer);
LogicalResult recurrentCell(Inference &infer);
// Search, count, distance
LogicalResult nonzero(Inference &infer);
LogicalResult nonzeroPerDim(Inference &infer);
LogicalResult maskedSelect(Inference &infer);
LogicalResult unique(Inference &infer);
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
LogicalResult triangleIndices(Inference &infer);
LogicalResult embeddingBag(Inference &infer);
LogicalResult bagWeightsBackward(Inference &infer);
LogicalResult maskedScatter(Inference &infer);
LogicalResult take(Inference &infer);
LogicalResult takeAlongDim(Inference &infer);
LogicalResult cdist(Inference &infer);
LogicalResult cdistBackward(Inference &infer);
LogicalResult pdist(Inference &infer);
LogicalResult pairwise(Inference &infer);
LogicalResult cholesky(Inference &infer);
LogicalResult qr(Inference &infer);
LogicalResult solveTriangular(Inference &infer);
LogicalResult triangularSolve(Inference &infer);
LogicalResult fft(Inference &infer);
// Gradients
LogicalResult padBackward(Inference &infer);
LogicalResult poolBackward(Inference &infer);
LogicalResult adaptivePoolBackward(Inference &infer);
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
