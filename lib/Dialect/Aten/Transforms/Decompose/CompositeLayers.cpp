//===- CompositeLayers.cpp - Layers and losses made of others -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompositeFormulas.h"

#include <cmath>
#include <limits>

namespace kiln::aten {

/// The loss where a target is `which`, 0 elsewhere.
static Value whereTarget(Composite &c, Value target, int64_t which,
                         Value loss) {
  return c.where(c.eq(target, which), loss, c.filled(loss, 0));
}

Value decomposeCosineEmbeddingLoss(CosineEmbeddingLossOp op, Composite &c) {
  Value a = op.getInput1(), b = op.getInput2();
  int64_t dim = Composite::rankOf(op.getTarget());
  if (Composite::rankOf(a) != dim + 1)
    return {};
  double tiny = 1e-12;
  Value product = c.sumOver(c.mul(a, b), {dim});
  Value lengths = c.sqrt(c.mul(c.add(c.sumOver(c.mul(a, a), {dim}), tiny),
                               c.add(c.sumOver(c.mul(b, b), {dim}), tiny)));
  Value cosine = c.div(product, lengths);
  Value apart = c.clamp(c.sub(cosine, op.getMargin().convertToDouble()), 0);
  return c.reduce(c.add(whereTarget(c, op.getTarget(), 1, c.sub(1, cosine)),
                        whereTarget(c, op.getTarget(), -1, apart)),
                  int64_t(op.getReduction()));
}

Value decomposeHingeEmbeddingLoss(HingeEmbeddingLossOp op, Composite &c) {
  Value x = op.getSelf();
  Value apart = c.clamp(c.sub(op.getMargin().convertToDouble(), x), 0);
  Value target = op.getTarget(), zeros = c.filled(x, 0);
  Value losses = c.add(c.where(c.ne(target, 1), apart, zeros),
                       c.where(c.ne(target, -1), x, zeros));
  return c.reduce(losses, int64_t(op.getReduction()));
}

Value decomposeMarginRankingLoss(MarginRankingLossOp op, Composite &c) {
  Value difference = c.sub(op.getInput1(), op.getInput2());
  Value losses = c.clamp(c.add(c.mul(c.neg(op.getTarget()), difference),
                               op.getMargin().convertToDouble()),
                         0);
  return c.reduce(losses, int64_t(op.getReduction()));
}

Value decomposeTripletMarginLoss(TripletMarginLossOp op, Composite &c) {
  auto distance = [&](Value a, Value b) {
    return c.pairwiseDistance(a, b, op.getP(), op.getEps());
  };
  Value near = distance(op.getAnchor(), op.getPositive());
  Value far = distance(op.getAnchor(), op.getNegative());
  if (op.getSwap())
    far = c.minimum(far, distance(op.getPositive(), op.getNegative()));
  if (!near || !far)
    return {};
  return c.reduce(
      c.clamp(c.add(c.sub(near, far), op.getMargin().convertToDouble()), 0),
      int64_t(op.getReduction()));
}

Value decomposePoissonNllLoss(PoissonNllLossOp op, Composite &c) {
  Value x = op.getInput(), target = op.getTarget();
  Value losses =
      op.getLogInput()
          ? c.sub(c.exp(x), c.mul(target, x))
          : c.sub(x, c.mul(target,
                           c.log(c.add(x, op.getEps().convertToDouble()))));
  if (op.getFull()) {
    Value stirling = c.add(c.sub(c.mul(target, c.log(target)), target),
                           c.mul(c.log(c.mul(target, 2 * M_PI)), 0.5));
    losses = c.add(losses,
                   c.where(c.le(target, 1), c.filled(stirling, 0), stirling));
  }
  return c.reduce(losses, int64_t(op.getReduction()));
}

/// One step of a recurrent cell without gates.
Value decomposeRnnCell(const RnnCellArgs &cell, Composite &c,
                       Activation activation) {
  Value x = c.linear(cell.input, cell.wIh, cell.bIh);
  Value h = c.linear(cell.hx, cell.wHh, cell.bHh);
  Value sum = x && h ? c.add(x, h) : Value();
  if (!sum)
    return {};
  return activation == Activation::Tanh ? c.tanh(sum) : c.relu(sum);
}

SizesArg formula::sizesUnless(Composite &c, ArrayRef<ExprAttr> sizes,
                              std::optional<double> factor) {
  return factor ? SizesArg() : SizesArg(sizes);
}

FloatsArg formula::factorsFor(Composite &c, Value x, ArrayRef<ExprAttr> sizes,
                              ArrayRef<std::optional<double>> factors) {
  if (!factors.front())
    return {};
  SmallVector<double> values;
  int64_t rank = Composite::rankOf(x);
  for (auto [i, factor] : llvm::enumerate(factors)) {
    values.push_back(factor.value_or(0));
    auto before = c.fixed(x, rank - factors.size() + i);
    auto after = i < sizes.size() ? sizes[i].getConstant() : std::nullopt;
    if (!before || !after ||
        int64_t(std::floor(double(*before) * values.back())) != *after) {
      c.refuse("sizes and factors of an upsampling differ");
      return {};
    }
  }
  return values;
}

/// Weights whose slices along all dimensions but one have norms `g`, and the
/// norms that they had.
Values decomposeWeightNorm(const WeightNormArgs &args, Composite &c) {
  Value v = args.v;
  int64_t dim = c.place(*args.dim, Composite::rankOf(v));
  SmallVector<int64_t> others;
  for (int64_t k = 0; k < Composite::rankOf(v); ++k)
    if (k != dim)
      others.push_back(k);
  Value norm = c.linalgVectorNorm(v, 2.0, others, true);
  return {c.mul(v, c.div(args.g, norm)), norm};
}

/// Zeros, but for what a pooling has taken, at the places it came from.
Value decomposeMaxUnpool(const UnpoolArgs &args, Composite &c,
                         unsigned spatial) {
  Value x = args.self, indices = args.indices;
  int64_t rank = Composite::rankOf(x);
  ArrayRef<ExprAttr> sizes = args.outputSize;
  SmallVector<ExprAttr> dims = Composite::dimsOf(x);
  if ((rank != spatial + 1 && rank != spatial + 2) || sizes.size() != spatial)
    return {};
  SmallVector<ExprAttr> lead(dims.begin(), dims.end() - spatial),
      rows = lead, flat = lead, result = lead;
  rows.push_back(guard::product(c.getContext(),
                                ArrayRef<ExprAttr>(dims).take_back(spatial)));
  flat.push_back(guard::product(c.getContext(), sizes));
  llvm::append_range(result, sizes);
  auto row = [&](Value tensor) { return c.reshape(tensor, rows); };
  return c.view(c.scatterSrc(c.filled(flat, 0, Composite::elementTypeOf(x)), -1,
                             row(indices), row(x)),
                result);
}

/// Each class of a row that is none of its targets should be less than each of
/// them by one; targets end at the first that is negative.
Value decomposeMultilabelMarginLoss(MultilabelMarginLossOp op, Composite &c) {
  Value x = op.getSelf(), target = op.getTarget();
  bool isRow = Composite::rankOf(x) < 2;
  if (isRow) {
    ExprAttr count = Composite::numelOf(x);
    x = c.view(x, {c.expr(1), count});
    target = c.view(target, {c.expr(1), count});
  }
  Type i64 = c.getBuilder().getI64Type(), type = Composite::elementTypeOf(x);
  Value counted = c.cumprod(c.cast(c.ge(target, 0), i64), 1);
  Value place = c.mul(target, counted);
  if (!place)
    return {};
  Value isTarget =
      c.gt(c.scatterAdd(c.filled(counted, 0), 1, place, counted), 0);
  Value apart =
      c.sub(1, c.sub(c.unsqueeze(c.gather(x, 1, place), 2), c.unsqueeze(x, 1)));
  Value counts = c.mul(c.cast(c.unsqueeze(counted, 2), type),
                       c.cast(c.unsqueeze(c.logicalNot(isTarget), 1), type));
  Value sums = c.sumOver(c.mul(c.clamp(apart, 0), counts), {1, 2});
  Value classes = c.full(Sizes(), c.number(c.sizeOf(x, 1)), type);
  Value losses = c.div(sums, classes);
  int64_t reduction = int64_t(op.getReduction());
  return isRow && losses ? c.view(losses, ArrayRef<ExprAttr>())
                         : c.reduce(losses, reduction);
}

/// Softmax, with zeros in rows that are minus infinity throughout.
Value decomposeSafeSoftmax(SafeSoftmaxOp op, Composite &c) {
  Value x = op.getSelf();
  Value result = c.softmaxInt(x, op.getDim(), op.getDtype());
  Value isMasked = c.allDim(c.eq(x, -std::numeric_limits<double>::infinity()),
                            op.getDim(), true);
  return result && isMasked ? c.where(isMasked, c.filled(result, 0), result)
                            : Value();
}

/// A dropout of elements, or of whole features [n, c, ...] in each draw. With
/// `keepsMoments` what is dropped becomes the negative saturation of selu, and
/// the rest is moved so that mean and variance stay.
Value decomposeDrawnDropout(const DrawnDropoutArgs &args, Composite &c,
                            bool ofFeatures, bool keepsMoments) {
  Value x = args.input;
  double p = *args.p;
  if (!(p >= 0 && p <= 1))
    return c.complain(
        "dropout probability has to be between 0 and 1, but got " +
        std::to_string(p));
  Sizes drawn = Composite::dimsOf(x);
  if (p == 0 || !*args.train || Composite::numelOf(x).isConstant(0))
    return x;
  Type type = Composite::elementTypeOf(x);
  if (p == 1)
    return c.mul(x, c.filled(Sizes(), 0, type));
  if (ofFeatures) {
    if (drawn.size() < 2)
      return c.complain("feature dropout requires at least 2 dimensions in the "
                        "input, found " +
                        llvm::Twine(drawn.size()));
    std::fill(drawn.begin() + 2, drawn.end(), c.expr(1));
  }
  Value kept = c.bernoulliP(c.filled(drawn, 0, type), 1 - p);
  if (!keepsMoments)
    return c.mul(x, c.div(kept, 1 - p));
  constexpr double kAlpha = 1.7580993408473766; // scale * alpha of selu
  double scale = 1 / std::sqrt((kAlpha * kAlpha * p + 1) * (1 - p));
  Value shift =
      c.add(c.mul(c.sub(kept, 1), kAlpha * scale), kAlpha * scale * p);
  return c.add(c.mul(x, c.mul(kept, scale)), shift);
}

template <typename OpT>
static Values embeddingBag(Composite &c, OpT op, int64_t padding) {
  return c.rebuild<EmbeddingBagOp>(
      op, {op.getWeight(), op.getIndices(), op.getOffsets(),
           op.getScaleGradByFreqAttr(), op.getModeAttr(), op.getSparseAttr(),
           op.getPerSampleWeights(), op.getIncludeLastOffsetAttr(),
           c.getBuilder().getI64IntegerAttr(padding)});
}

Values decomposePlainEmbeddingBag(PlainEmbeddingBagOp op, Composite &c) {
  return embeddingBag(c, op, -1);
}

Values decomposeEmbeddingBagPaddingIdx(EmbeddingBagPaddingIdxOp op,
                                       Composite &c) {
  if (!op.getPaddingIdx())
    return embeddingBag(c, op, -1);
  auto padding = int64_t(*op.getPaddingIdx());
  auto rows = c.fixed(op.getWeight(), 0);
  if (padding < 0 && !rows)
    return {c.refuse("a padding index counts from an end that is "
                     "not known")};
  return embeddingBag(c, op, padding < 0 ? padding + *rows : padding);
}

Value decomposeRrelu(RreluOp op, Composite &c) {
  Value x = op.getSelf();
  if (op.getTraining())
    return c
        .rreluWithNoiseFunctional(x, c.filled(x, 0), op.getLower(),
                                  op.getUpper(), true)
        .front();
  double lower = Composite::known(op.getLower(), 0.125).value_or(0);
  double upper =
      Composite::known(op.getUpper(), 0.33333333333333331).value_or(0);
  return c.leakyRelu(x, (lower + upper) / 2);
}

Value decomposeConvTbc(ConvTbcOp op, Composite &c) {
  Value x = c.permute(op.getSelf(), {1, 2, 0});
  Value weight = c.permute(op.getWeight(), {2, 1, 0});
  Value result =
      c.conv1d(x, weight, op.getBias(), {c.expr(1)}, {c.expr(op.getPad())});
  return c.permute(result, {2, 0, 1});
}

Value decomposeBackendConvolution(const BackendConvolutionArgs &args,
                                  Composite &c) {
  return c.convolution(args.input, args.weight, args.bias, args.stride,
                       args.padding, args.dilation, args.transposed,
                       args.outputPadding, args.groups);
}

Value decomposeGridSampler(GridSamplerOp op, Composite &c) {
  if (Composite::rankOf(op.getInput()) == 5)
    return c.gridSampler3d(op.getInput(), op.getGrid(),
                           op.getInterpolationMode(), op.getPaddingMode(),
                           op.getAlignCorners());
  return c.gridSampler2d(op.getInput(), op.getGrid(), op.getInterpolationMode(),
                         op.getPaddingMode(), op.getAlignCorners());
}

} // namespace kiln::aten
