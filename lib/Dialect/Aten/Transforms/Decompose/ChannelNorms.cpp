//===- ChannelNorms.cpp - Batch, group, instance and RMS norm -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As PyTorch, moments of f32 are summed in f64: a batch norm sums so many
// elements that f32 would show. Elements are computed in f32 or f64 and rounded
// once. What is the same for all elements of a channel is computed once a channel, in f64,
// and one value a channel is a tensor of its own, next to the parameters: kernels make it
// behind the sums. Of 16 bits f64 is for the number of terms, and some are added in f32
// (SumMark.h); what that costs is in lib/Conversion/Numerics.md.
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

#include "kiln/Interfaces/SumMark.h"

namespace kiln::aten {

static Type typeOf(Operation *op, unsigned i = 0) {
  return mlir::getElementTypeOrSelf(op->getResult(i).getType());
}

/// In what sums of elements of this type are made.
static Type sumType(FormulaBuilder &c, Type element) {
  return element.isF32() ? Type(c.getBuilder().getF64Type())
                         : FormulaBuilder::computeType(element);
}

/// A sum in f64 of numbers of f32, a few of which may be added as such.
static Value withShortSums(FormulaBuilder &c, Value sum) {
  auto op = sum ? sum.getDefiningOp<SumDimIntListOp>() : SumDimIntListOp();
  if (op && FormulaBuilder::elementTypeOf(sum).isF64())
    op->setDiscardableAttr(kShortSumsAttrName,
                           mlir::UnitAttr::get(c.getContext()));
  return sum;
}

/// Nobody reads it; PyTorch gives an undefined tensor or an empty one.
static Value nothing(FormulaBuilder &c, Operation *op, unsigned i) {
  return c.full(c.dimsOf(op->getResult(i)), 0.0, typeOf(op, i));
}

namespace {

/// A tensor whose norm is taken over `dims`, as what it is computed in.
struct Moments {
  Value mean, rstd; ///< computation type
  Value variance;   ///< sum type
};

} // namespace

/// The first element of each sum over `dims`, which are kept; null if there may be none.
static Value firstOf(FormulaBuilder &c, Value x, ArrayRef<int64_t> dims) {
  for (int64_t dim : dims) {
    if (c.dimOf(x, dim).getConstant().value_or(0) < 1)
      return {};
    x = c.sliceTensor(x, dim, c.expr(0), c.expr(1));
  }
  return x;
}

/// Statistics keep `dims` as sizes of one if `keeps`. Elements of `x` were made of `narrow`.
static Moments momentsOf(FormulaBuilder &c, Value x, ArrayRef<int64_t> dims,
                         bool keeps, Value count, double eps, Type narrow) {
  Type compute = FormulaBuilder::computeType(FormulaBuilder::elementTypeOf(x));
  Type wide = sumType(c, FormulaBuilder::elementTypeOf(x));
  Sizes kept = c.dimsOf(x), left;
  for (auto [i, size] : llvm::enumerate(kept)) {
    if (llvm::is_contained(dims, int64_t(i)))
      size = c.expr(1);
    else
      left.push_back(size);
  }
  auto sum = [&](Value v) { return c.sumOver(v, dims, keeps); };
  Value wideX = c.cast(x, wide), mean, variance;
  if (wide != compute && narrow.getIntOrFloatBitWidth() == 16) {
    // Squares have 22 bits at most: where elements are so alike that their variance is little
    // of their square, 2^31 of them add up exactly. So sums know of no other element. Squares
    // of bf16 have 16: 16 of those add up exactly in f32.
    mean = c.div(withShortSums(c, sum(wideX)), count);
    Value squares = sum(c.square(wideX));
    if (narrow.isBF16())
      squares = withShortSums(c, squares);
    variance = c.relu(c.sub(c.div(squares, count), c.square(mean)));
  } else if (Value first = wide == compute ? Value() : firstOf(c, x, dims)) {
    // Both sums in one pass, of distances from an element. Its distance from the mean is at
    // most sqrt(count) deviations, so what the sums lose, which have 53 bits for elements
    // of 24, is at most `count` times as much of the difference.
    first = c.cast(first, wide);
    Value apart = c.sub(wideX, first);
    Value distance = c.div(sum(apart), count);
    variance = c.relu(c.sub(c.div(sum(c.square(apart)), count), c.square(distance)));
    mean = c.add(keeps ? first : c.view(first, left), distance);
  } else {
    mean = c.div(sum(wideX), count);
    Value centered = c.sub(wideX, keeps ? mean : c.view(mean, kept));
    variance = c.div(sum(c.square(centered)), count);
  }
  Value rstd = c.reciprocal(c.sqrt(c.add(variance, eps)));
  return {c.cast(mean, compute), c.cast(rstd, compute), variance};
}

//===----------------------------------------------------------------------===//
// Channels
//===----------------------------------------------------------------------===//

namespace {

/// Batch norms see [N, C, ...] by channel.
class Channels {
public:
  Channels(FormulaBuilder &c, Value input)
      : c(c), x(c.widen(input)),
        narrow(FormulaBuilder::elementTypeOf(input)) {
    Sizes sizes = c.dimsOf(x);
    count = c.expr(1);
    for (auto [i, size] : llvm::enumerate(sizes)) {
      if (i == 1) {
        channels = size;
        channelSizes.push_back(size);
        continue;
      }
      dims.push_back(i);
      count = count * size;
      channelSizes.push_back(c.expr(1));
    }
    keeps = sizes.front().isConstant(1);
  }

  Value number() { return c.number(count); }
  /// A value per channel, broadcast over the others; null stays null.
  Value spread(Value parameter) {
    return parameter ? c.view(c.widen(parameter), channelSizes) : Value();
  }
  /// A value per channel in the sizes of a statistic, widened.
  Value own(Value parameter) {
    return keeps ? spread(parameter) : c.widen(parameter);
  }
  /// The sum over all but the channels, in the type for sums, of what was made in f32 where
  /// elements have 16 bits.
  Value sum(Value v) {
    Value sum = c.sumOver(
        c.cast(v, sumType(c, FormulaBuilder::elementTypeOf(v))), dims, keeps);
    return narrow.getIntOrFloatBitWidth() == 16 ? withShortSums(c, sum) : sum;
  }
  Value gather(Value statistic, Type element) {
    return c.cast(c.view(statistic, Sizes{channels}), element);
  }
  Value normalize(Value mean, Value rstd, Value weight, Value bias) {
    Value result = c.mul(c.sub(x, spread(mean)), spread(rstd));
    if (weight)
      result = c.mul(result, spread(weight));
    return bias ? c.add(result, spread(bias)) : result;
  }

  FormulaBuilder &c;
  Value x;
  Type narrow; ///< of the elements of `x`
  SmallVector<int64_t> dims;
  Sizes channelSizes;
  ExprAttr count, channels;
  /// Statistics have the rank of the input. Where channels are its rows, as instances are,
  /// they are computed in one kernel with it.
  bool keeps = false;
};

} // namespace

/// {output, mean, invstd} by the statistics of the batch, and what running
/// statistics become.
template <typename OpT>
static SmallVector<Value> trainNorm(OpT op, FormulaBuilder &c,
                                    Value runningMean, Value runningVar) {
  Channels norm(c, op.getInput());
  double momentum = op.getMomentum().convertToDouble();
  Moments moments =
      momentsOf(c, norm.x, norm.dims, norm.keeps, norm.number(),
                op.getEps().convertToDouble(), norm.narrow);
  SmallVector<Value> results = {
      c.cast(norm.normalize(moments.mean, moments.rstd, op.getWeight(),
                            op.getBias()),
             typeOf(op, 0)),
      norm.gather(moments.mean, typeOf(op, 1)),
      norm.gather(moments.rstd, typeOf(op, 2))};
  auto move = [&](Value running, Value batch) {
    Value old = c.widen(running);
    batch = norm.gather(batch, FormulaBuilder::elementTypeOf(old));
    return c.cast(c.add(old, c.mul(c.sub(batch, old), momentum)),
                  FormulaBuilder::elementTypeOf(running));
  };
  if (runningMean)
    results.push_back(move(runningMean, moments.mean));
  if (runningVar)
    results.push_back(
        move(runningVar,
             c.div(c.mul(moments.variance, norm.number()),
                   c.number(norm.count + -1))));
  return results;
}

/// {output, nothing, nothing} by running statistics.
template <typename OpT>
static SmallVector<Value> evaluateNorm(OpT op, FormulaBuilder &c,
                                       Value runningMean, Value runningVar) {
  Channels norm(c, op.getInput());
  Type wide = sumType(c, FormulaBuilder::elementTypeOf(norm.x));
  Value variance = c.cast(norm.spread(runningVar), wide);
  Value rstd = c.cast(
      c.reciprocal(c.sqrt(c.add(variance, op.getEps().convertToDouble()))),
      FormulaBuilder::elementTypeOf(norm.x));
  Value mean =
      c.cast(norm.spread(runningMean), FormulaBuilder::elementTypeOf(norm.x));
  SmallVector<Value> results = {
      c.cast(norm.normalize(mean, rstd, op.getWeight(), op.getBias()),
             typeOf(op, 0))};
  for (unsigned i = 1; i < 3 && i < op->getNumResults(); ++i)
    results.push_back(nothing(c, op, i));
  return results;
}

SmallVector<Value>
decomposeBatchNormFunctional(NativeBatchNormLegitFunctionalOp op,
                             FormulaBuilder &c) {
  Value mean = op.getRunningMean(), variance = op.getRunningVar();
  if (op.getTraining())
    return trainNorm(op, c, mean, variance);
  SmallVector<Value> results = evaluateNorm(op, c, mean, variance);
  results.append({mean, variance});
  return results;
}

SmallVector<Value> decomposeBatchNormNoStats(NativeBatchNormLegitNoStatsOp op,
                                             FormulaBuilder &c) {
  if (!op.getTraining())
    return {}; // refused: there are no statistics to evaluate by
  return trainNorm(op, c, {}, {});
}

SmallVector<Value>
decomposeBatchNormNoTraining(NativeBatchNormLegitNoTrainingOp op,
                             FormulaBuilder &c) {
  return evaluateNorm(op, c, op.getRunningMean(), op.getRunningVar());
}

/// The op of the core set that does what `op` does. In training, running
/// statistics are written to: the importer makes the functional form of those.
template <typename OpT>
static SmallVector<Value> toCoreNorm(OpT op, FormulaBuilder &c) {
  Value mean = op.getRunningMean(), variance = op.getRunningVar();
  double momentum = op.getMomentum().convertToDouble();
  double eps = op.getEps().convertToDouble();
  OpResults norm;
  if (op.getTraining() && !mean && !variance)
    norm = c.nativeBatchNormLegitNoStats(op.getInput(), op.getWeight(),
                                         op.getBias(), true, momentum, eps);
  else if (!op.getTraining() && mean && variance)
    norm = c.nativeBatchNormLegitNoTraining(op.getInput(), op.getWeight(),
                                            op.getBias(), mean, variance,
                                            momentum, eps);
  SmallVector<Value> results = norm.all();
  results.truncate(std::min<size_t>(results.size(), op->getNumResults()));
  return results;
}

SmallVector<Value> decomposeNativeBatchNorm(NativeBatchNormOp op,
                                            FormulaBuilder &c) {
  return toCoreNorm(op, c);
}

Value decomposeBatchNorm(BatchNormOp op, FormulaBuilder &c) {
  // PyTorch refuses to train on one value a channel.
  Channels norm(c, op.getInput());
  if (op.getTraining() && norm.count.isConstant(1))
    return {};
  SmallVector<Value> results = toCoreNorm(op, c);
  return results.empty() ? Value() : results.front();
}

/// Every instance of a channel is a channel of its own.
Value decomposeInstanceNorm(InstanceNormOp op, FormulaBuilder &c) {
  Value x = op.getInput();
  Sizes sizes = c.dimsOf(x);
  bool trains = op.getUseInputStats();
  if (sizes.size() < 2 || (trains && (op.getRunningMean() ||
                                      op.getRunningVar())))
    return {}; // it writes its statistics
  ExprAttr spatial = c.expr(1);
  for (ExprAttr size : ArrayRef(sizes).drop_front(2))
    spatial = spatial * size;
  if (trains && spatial.isConstant(1) && !isEmpty(c, x))
    return {};
  Sizes flat = sizes;
  flat[0] = c.expr(1);
  flat[1] = sizes[0] * sizes[1];
  auto repeat = [&](Value parameter) {
    return parameter ? c.view(c.expand(c.view(parameter, {c.expr(1),
                                                          sizes[1]}),
                                       {sizes[0], sizes[1]}),
                              Sizes{flat[1]})
                     : Value();
  };
  Value result =
      c.nativeBatchNorm(
           c.view(x, flat), repeat(op.getWeight()), repeat(op.getBias()),
           repeat(op.getRunningMean()), repeat(op.getRunningVar()), trains,
           op.getMomentum().convertToDouble(), op.getEps().convertToDouble())
          .front();
  return c.view(result, sizes);
}

/// Gradients of a batch norm; `mean` and `rstd` (in the sizes of a statistic) are those it
/// used. Elements are computed as they are for the op: those of 16 bits in f32.
static SmallVector<Value> channelGradients(Operation *op, FormulaBuilder &c,
                                           Value gradient, Value input,
                                           Value weight, Value mean, Value rstd,
                                           bool trains, ArrayRef<bool> mask) {
  Channels norm(c, input);
  Type inner = sumType(c, FormulaBuilder::elementTypeOf(input));
  Type wide = sumType(c, FormulaBuilder::elementTypeOf(norm.x));
  auto ofChannel = [&](Value v) { return norm.spread(c.cast(v, inner)); };
  Value centered = c.sub(c.cast(norm.x, inner), ofChannel(c.widen(mean)));
  Value up = c.cast(c.widen(gradient), inner);
  Value scale = c.cast(rstd, wide);
  Value dBias = norm.sum(c.cast(up, wide));
  // A channel of no elements has no deviation, and its sums are zeros.
  bool mayBeEmpty = norm.count.getConstant().value_or(0) < 1;
  Value product = c.mul(c.cast(up, wide), c.cast(centered, wide));
  Value dWeight = mayBeEmpty ? norm.sum(c.mul(product, norm.spread(scale)))
                             : c.mul(norm.sum(product), scale);
  Value dInput = up;
  if (trains) {
    Value slope = c.div(c.mul(dWeight, scale), norm.number());
    dInput = c.sub(c.sub(dInput, ofChannel(c.div(dBias, norm.number()))),
                   c.mul(centered, ofChannel(slope)));
  }
  if (weight)
    scale = c.mul(scale, c.cast(norm.own(weight), wide));
  dInput = c.mul(dInput, ofChannel(scale));
  return {mask[0] ? c.cast(dInput, typeOf(op, 0)) : nothing(c, op, 0),
          mask[1] ? norm.gather(dWeight, typeOf(op, 1)) : nothing(c, op, 1),
          mask[2] ? norm.gather(dBias, typeOf(op, 2)) : nothing(c, op, 2)};
}

template <typename OpT>
static SmallVector<Value> channelNormBackward(OpT op, FormulaBuilder &c,
                                              bool trains, Value savedRstd) {
  Value mean = trains ? op.getSaveMean() : op.getRunningMean();
  Value rstd = trains ? savedRstd : op.getRunningVar();
  if (!mean || !rstd || op.getOutputMask().size() != 3)
    return {};
  Channels norm(c, op.getInput());
  rstd = norm.own(rstd);
  if (!trains) {
    Type wide = sumType(c, FormulaBuilder::elementTypeOf(norm.x));
    rstd = c.reciprocal(
        c.sqrt(c.add(c.cast(rstd, wide), op.getEps().convertToDouble())));
  }
  return channelGradients(op, c, op.getGradOut(), op.getInput(),
                          op.getWeight(), mean, rstd, trains,
                          op.getOutputMask());
}

SmallVector<Value>
decomposeNativeBatchNormBackward(NativeBatchNormBackwardOp op,
                                 FormulaBuilder &c) {
  return channelNormBackward(op, c, op.getTrain(), op.getSaveInvstd());
}

SmallVector<Value> decomposeBatchNormBackward(BatchNormBackwardOp op,
                                              FormulaBuilder &c) {
  return channelNormBackward(op, c, op.getUpdate(), op.getSaveVar());
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

Value decomposeGroupNorm(GroupNormOp op, FormulaBuilder &c) {
  Value x = op.getInput();
  Sizes sizes = c.dimsOf(x);
  if (sizes.size() < 2)
    return {};
  ExprAttr spatial = c.expr(1);
  for (ExprAttr size : ArrayRef(sizes).drop_front(2))
    spatial = spatial * size;
  if (sizes[1].isConstant(0) || spatial.isConstant(0))
    return {}; // refused
  return c
      .nativeGroupNorm(x, op.getWeight(), op.getBias(), sizes[0], sizes[1],
                       spatial, op.getNumGroups(),
                       op.getEps().convertToDouble())
      .front();
}

namespace {

/// [N, C, ...] as [N, groups, C / groups, HxW].
struct Groups {
  template <typename OpT> Groups(OpT op, FormulaBuilder &c) {
    int64_t groups = op.getGroup();
    if (groups < 1)
      return;
    ExprAttr inner = guard::floorDiv(op.getC(), groups);
    ExprAttr missing = inner * groups - op.getC();
    fits = !missing.isConstant() || missing.isConstant(0);
    ExprAttr g = c.expr(groups), one = c.expr(1);
    sizes = {op.getN(), g, inner, op.getHxW()};
    statistics = {op.getN(), g, one, one};
    parameters = {one, g, inner, one};
    count = inner * op.getHxW();
  }

  bool fits = false;
  Sizes sizes, statistics, parameters;
  ExprAttr count;
};

} // namespace

SmallVector<Value> decomposeNativeGroupNorm(NativeGroupNormOp op,
                                            FormulaBuilder &c) {
  Groups groups(op, c);
  if (!groups.fits)
    return {};
  if (isEmpty(c, op.getInput()))
    return {op.getInput(), nothing(c, op, 1), nothing(c, op, 2)};
  Value x = c.view(c.widen(op.getInput()), groups.sizes);
  Moments moments = momentsOf(c, x, {2, 3}, /*keeps=*/true,
                              c.number(groups.count),
                              op.getEps().convertToDouble(),
                              FormulaBuilder::elementTypeOf(op.getInput()));
  Value result = c.mul(c.sub(x, moments.mean), moments.rstd);
  if (op.getWeight())
    result =
        c.mul(result, c.view(c.widen(op.getWeight()), groups.parameters));
  if (op.getBias())
    result = c.add(result, c.view(c.widen(op.getBias()), groups.parameters));
  auto statistic = [&](Value value, unsigned i) {
    return c.cast(c.view(value, c.dimsOf(op->getResult(i))), typeOf(op, i));
  };
  return {c.cast(c.view(result, c.dimsOf(op.getInput())), typeOf(op)),
          statistic(moments.mean, 1), statistic(moments.rstd, 2)};
}

/// Sums over the places of each channel come first: from them follow, a few numbers a
/// channel, the gradients of the parameters and the sums over groups. So what is large is
/// read twice, whether channels or places are neighbours (PyTorch's `GroupNormBackward`).
SmallVector<Value>
decomposeNativeGroupNormBackward(NativeGroupNormBackwardOp op,
                                 FormulaBuilder &c) {
  Groups groups(op, c);
  ArrayRef<bool> mask = op.getOutputMask();
  if (!groups.fits || mask.size() != 3)
    return {};
  Type wide = sumType(c, FormulaBuilder::elementTypeOf(op.getInput()));
  Sizes sizes = c.dimsOf(op.getInput());
  if (sizes.size() < 3)
    sizes = {op.getN(), op.getC(), op.getHxW()};
  Sizes channel(sizes.size(), c.expr(1)), parameter = channel;
  channel[0] = op.getN();
  channel[1] = parameter[1] = op.getC();
  auto places = llvm::to_vector(llvm::seq<int64_t>(2, sizes.size()));
  Sizes channels = {op.getN(), op.getC()};
  Sizes members = {op.getN(), c.expr(op.getGroup()),
                   guard::floorDiv(op.getC(), op.getGroup())};
  Sizes statistics = {members[0], members[1], c.expr(1)};
  auto seen = [&](Value x, const Sizes &as) { return c.view(c.widen(x), as); };
  auto ofGroup = [&](Value x) { return c.cast(seen(x, statistics), wide); };
  // Of each channel what its group has.
  auto spread = [&](Value x, const Sizes &as) {
    return c.view(c.expand(x, members), as);
  };
  Value grad = seen(op.getGradOut(), sizes), x = seen(op.getInput(), sizes);
  Type compute = FormulaBuilder::elementTypeOf(x);
  auto ofElement = [&](Value x) { return c.cast(spread(x, channel), compute); };
  Value rstd = ofGroup(op.getRstd());
  Value centered = c.sub(x, ofElement(ofGroup(op.getMean())));
  Value up = c.cast(grad, wide);
  Value sum = c.sumOver(up, places);
  Value dotted = c.sumOver(c.mul(up, c.cast(centered, wide)), places);
  Value dWeight = c.sumOver(c.mul(dotted, spread(rstd, channels)), {0});
  Value dBias = c.sumOver(sum, {0});
  Value scaled = grad;
  if (Value weight = op.getWeight()) {
    scaled = c.mul(grad, seen(weight, parameter));
    weight = c.cast(seen(weight, {c.expr(1), op.getC()}), wide);
    sum = c.mul(sum, weight);
    dotted = c.mul(dotted, weight);
  }
  auto average = [&](Value ofChannels) {
    return c.div(c.sumOver(c.view(ofChannels, members), {2}, true),
                 c.number(groups.count));
  };
  Value slope = c.mul(average(dotted), c.mul(c.square(rstd), rstd));
  Value dInput =
      c.sub(c.mul(c.sub(scaled, ofElement(average(sum))), ofElement(rstd)),
            c.mul(centered, ofElement(slope)));
  auto finish = [&](Value value, unsigned i) {
    if (!mask[i])
      return nothing(c, op, i);
    return c.cast(c.view(value, c.dimsOf(op->getResult(i))), typeOf(op, i));
  };
  return {finish(dInput, 0), finish(dWeight, 1), finish(dBias, 2)};
}

//===----------------------------------------------------------------------===//
// Root mean square
//===----------------------------------------------------------------------===//

SmallVector<Value> decomposeFusedRmsNorm(FusedRmsNormOp op, FormulaBuilder &c) {
  Value x = c.widen(op.getInput());
  int64_t rank = FormulaBuilder::rankOf(x);
  auto dims = llvm::to_vector(llvm::seq<int64_t>(
      rank - static_cast<int64_t>(op.getNormalizedShape().size()), rank));
  ExprAttr count = c.expr(1);
  for (auto [dim, size] : llvm::zip(dims, op.getNormalizedShape())) {
    if (c.dimOf(x, dim) != c.expr(size))
      return {};
    count = count * size;
  }
  bool isDouble = FormulaBuilder::elementTypeOf(x).isF64();
  double eps = op.getEps() ? op.getEps()->convertToDouble()
               : isDouble  ? 0x1p-52
                           : 0x1p-23;
  Type wide = sumType(c, FormulaBuilder::elementTypeOf(x));
  Value squares = c.sumOver(c.square(c.cast(x, wide)), dims, true);
  Value rstd =
      c.cast(c.reciprocal(c.sqrt(c.add(c.div(squares, c.number(count)), eps))),
             FormulaBuilder::elementTypeOf(x));
  Value result = c.mul(x, rstd);
  if (op.getWeight())
    result = c.mul(result, c.widen(op.getWeight()));
  return {c.cast(result, typeOf(op, 0)), c.cast(rstd, typeOf(op, 1))};
}

Value decomposeRmsNorm(RmsNormOp op, FormulaBuilder &c) {
  SmallVector<int64_t> sizes;
  for (ExprAttr size : op.getNormalizedShape().getDims()) {
    if (!size.isConstant())
      return {};
    sizes.push_back(size.getPayload());
  }
  return c.fusedRmsNorm(op.getInput(), sizes, op.getWeight(), op.getEps())
      .front();
}

} // namespace kiln::aten
