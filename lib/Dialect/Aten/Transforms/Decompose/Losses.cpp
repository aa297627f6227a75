//===- Losses.cpp - Cross entropy and negative log likelihood -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

namespace kiln::aten {

namespace {

enum Reduction : int64_t { kNone = 0, kMean = 1, kSum = 2 };

/// A likelihood's target, and what follows from it.
struct Target {
  Value safe;    ///< ignored entries replaced by 0
  Value isValid; ///< not ignored
  int64_t dim;   ///< the dimension of the classes in the input
};

/// Loss per element, and the weight it counts with.
struct Likelihood {
  Value losses;
  Value weights; ///< null: 1 for valid entries
};

} // namespace

static Target readTarget(FormulaBuilder &c, Value self, Value target,
                         ExprAttr ignoreIndex) {
  Value ignored = c.number(ignoreIndex);
  Target result;
  result.dim = FormulaBuilder::rankOf(self) < 2 ? 0 : 1;
  result.isValid = c.ne(target, ignored);
  result.safe = c.where(result.isValid, target, 0);
  return result;
}

/// The weights of classes, at the dimension of the classes in a tensor of rank
/// `rank`: [1, C, 1, 1].
static Value spread(FormulaBuilder &c, Value weight, int64_t rank,
                    int64_t dim) {
  Sizes sizes(rank, c.expr(1));
  sizes[dim] = c.dimOf(weight, 0);
  return c.view(weight, sizes);
}

/// -self[target] * weight[target], 0 where ignored.
static Likelihood pick(FormulaBuilder &c, Value self, const Target &target,
                       Value weight) {
  Value index = c.unsqueeze(target.safe, target.dim);
  auto pickFrom = [&](Value x) {
    return c.squeezeDim(c.gather(x, target.dim, index), target.dim);
  };
  Value scores = self;
  Likelihood result;
  if (weight) {
    Value spreadWeight =
        spread(c, weight, FormulaBuilder::rankOf(self), target.dim);
    scores = c.mul(self, spreadWeight);
    Value all = c.expand(spreadWeight, c.dimsOf(self));
    result.weights = c.where(target.isValid, pickFrom(all), 0.0);
  }
  result.losses = c.where(target.isValid, c.neg(pickFrom(scores)), 0.0);
  return result;
}

/// The sum of the weights, in the type of the losses.
static Value totalWeight(FormulaBuilder &c, const Target &target,
                         const Likelihood &likelihood) {
  if (likelihood.weights)
    return c.sumAll(likelihood.weights);
  Type element = FormulaBuilder::elementTypeOf(likelihood.losses);
  return c.sumAll(c.cast(target.isValid, element));
}

/// The loss and, for two results, the total weight. Of any rank.
SmallVector<Value> decomposeLikelihood(const LikelihoodArgs &args,
                                       FormulaBuilder &c) {
  Operation *op = args.op;
  Value self = c.widen(args.self);
  Value weight = c.widen(args.weight);
  Target target = readTarget(c, self, args.target, args.ignoreIndex);
  Likelihood likelihood = pick(c, self, target, weight);
  if (!likelihood.losses)
    return {};
  auto finish = [&](unsigned i, Value value) {
    return c.cast(value, mlir::getElementTypeOrSelf(op->getResult(i)));
  };
  Value total, loss = likelihood.losses;
  if (*args.reduction == kNone && FormulaBuilder::rankOf(self) > 1) {
    total = c.full(Sizes(), 0.0, FormulaBuilder::elementTypeOf(loss));
  } else {
    total = totalWeight(c, target, likelihood);
    loss = *args.reduction == kNone ? loss : c.sumAll(loss);
    if (*args.reduction == kMean)
      loss = c.div(loss, total);
  }
  if (!loss || !total)
    return {};
  SmallVector<Value> results = {finish(0, loss)};
  if (op->getNumResults() > 1)
    results.push_back(finish(1, total));
  return results;
}

/// Each row has its gradient at its class and zero elsewhere: a comparison with
/// the classes, which fuses, rather than a scatter, which does not.
Value decomposeLikelihoodBackward(const LikelihoodArgs &args,
                                  FormulaBuilder &c) {
  Value self = args.self;
  int64_t rank = FormulaBuilder::rankOf(self);
  Target target = readTarget(c, self, args.target, args.ignoreIndex);
  Value grad = c.widen(args.gradOutput);
  if (*args.reduction == kMean)
    grad = c.div(grad, c.widen(args.totalWeight));
  if (!grad)
    return {};
  if (FormulaBuilder::rankOf(grad) > 0 && FormulaBuilder::rankOf(grad) < rank)
    grad = c.unsqueeze(grad, target.dim);
  grad = c.neg(grad);
  if (args.weight)
    grad = c.mul(spread(c, c.widen(args.weight), rank, target.dim), grad);
  Value classes = spread(c,
                         c.iota(c.dimOf(self, target.dim),
                                FormulaBuilder::elementTypeOf(args.target)),
                         rank, target.dim);
  Value isClass = c.eq(classes, c.unsqueeze(args.target, target.dim));
  Value isHere =
      c.logicalAnd(isClass, c.unsqueeze(target.isValid, target.dim));
  Value result = c.where(isHere, grad, 0.0);
  return c.cast(c.expand(result, c.dimsOf(self)),
                FormulaBuilder::elementTypeOf(self));
}

//===----------------------------------------------------------------------===//
// Multi-class hinge
//===----------------------------------------------------------------------===//

/// The sum over the other classes of max(0, margin - x[target] + x[class])^p,
/// divided by the number of classes.
Value decomposeMultiMarginLoss(MultiMarginLossOp op, FormulaBuilder &c) {
  auto order = op.getP() ? FormulaBuilder::getConstantNumber(op.getP()) : 1.0;
  Value margin = op.getMargin() ? op.getMargin() : c.number(1);
  Value self = c.widen(op.getSelf());
  if (!order || (*order != 1 && *order != 2))
    return {};
  int64_t rank = FormulaBuilder::rankOf(self);
  ExprAttr classes = rank == 0 ? c.expr(1) : c.dimOf(self, -1);
  ExprAttr rows = rank < 2 ? c.expr(1) : c.dimOf(self, 0);
  Value x = c.view(self, {rows, classes});
  Value target = c.view(op.getTarget(), {rows, c.expr(1)});
  if (!x || !target)
    return {};
  Value distance = c.add(c.sub(x, c.gather(x, 1, target)), margin);
  Value loss = c.relu(distance);
  if (*order == 2)
    loss = c.square(loss);
  if (op.getWeight())
    loss = c.mul(loss, c.view(c.gather(c.widen(op.getWeight()), 0,
                                       c.view(target, {rows})),
                              {rows, c.expr(1)}));
  Value isTarget =
      c.eq(c.iota(classes, FormulaBuilder::elementTypeOf(target)), target);
  loss = c.sumOver(c.where(isTarget, 0.0, loss), {1});
  loss = c.div(loss, c.number(classes));
  if (op.getReduction() == kNone)
    loss = c.view(loss, c.dimsOf(op.getResult()));
  else
    loss = op.getReduction() == kMean ? c.meanAll(loss) : c.sumAll(loss);
  return loss ? c.cast(loss, mlir::getElementTypeOrSelf(op.getResult()))
              : loss;
}

//===----------------------------------------------------------------------===//
// Cross entropy
//===----------------------------------------------------------------------===//

/// Targets that are probabilities of the classes.
static Value crossEntropyOfProbabilities(CrossEntropyLossOp op,
                                         FormulaBuilder &c, Value input,
                                         int64_t dim) {
  Value target = op.getTarget();
  ExprAttr classes = c.dimOf(op.getSelf(), dim);
  double smoothing = op.getLabelSmoothing().convertToDouble();
  if (smoothing > 0.0) {
    Value share =
        c.div(c.full(Sizes(), smoothing, FormulaBuilder::elementTypeOf(target)),
              c.number(classes));
    target = c.add(c.mul(target, 1.0 - smoothing), share);
  }
  Value losses = c.mul(input, target);
  if (op.getWeight())
    losses = c.mul(
        losses, spread(c, op.getWeight(), FormulaBuilder::rankOf(input), dim));
  if (op.getReduction() == kNone)
    return c.neg(c.sumOver(losses, {dim}));
  Value sum = c.neg(c.sumAll(losses));
  if (op.getReduction() == kSum)
    return sum;
  ExprAttr count = c.numelOf(op.getSelf());
  ExprAttr rows = guard::exactDivide(count, classes)
                      .value_or(classes.isConstant(0)
                                    ? classes
                                    : guard::floorDiv(count, classes));
  return c.div(sum, c.number(rows));
}

/// Label smoothing takes a share of the mean loss over all classes.
static Value smoothLoss(CrossEntropyLossOp op, FormulaBuilder &c, Value input,
                        const Target &target, const Likelihood &likelihood) {
  Value scores = input;
  if (op.getWeight())
    scores = c.mul(input, spread(c, op.getWeight(),
                                 FormulaBuilder::rankOf(input), target.dim));
  Value losses = c.neg(c.sumOver(scores, {target.dim}));
  losses = c.where(target.isValid, losses, 0.0);
  if (op.getReduction() == kNone)
    return losses;
  Value sum = c.sumAll(losses);
  if (op.getReduction() == kSum)
    return sum;
  return c.div(sum, totalWeight(c, target, likelihood));
}

Value decomposeCrossEntropyLoss(CrossEntropyLossOp op, FormulaBuilder &c) {
  Value self = op.getSelf();
  int64_t dim = FormulaBuilder::rankOf(self) < 2 ? 0 : 1;
  Value input = c.logSoftmax(self, dim, false);
  if (!input)
    return {};
  if (llvm::isa<mlir::FloatType>(FormulaBuilder::elementTypeOf(op.getTarget())))
    return crossEntropyOfProbabilities(op, c, input, dim);

  double smoothing = op.getLabelSmoothing().convertToDouble();
  if (smoothing == 0.0 && FormulaBuilder::rankOf(self) <= 2)
    return c
        .nllLossForward(input, op.getTarget(), op.getWeight(),
                        op.getReduction(), op.getIgnoreIndex())
        .front();
  Target target = readTarget(c, self, op.getTarget(), op.getIgnoreIndex());
  Likelihood likelihood = pick(c, input, target, op.getWeight());
  Value loss = likelihood.losses;
  if (op.getReduction() != kNone)
    loss = c.sumAll(loss);
  if (op.getReduction() == kMean)
    loss = c.div(loss, totalWeight(c, target, likelihood));
  if (smoothing == 0.0)
    return loss;
  Value smooth = smoothLoss(op, c, input, target, likelihood);
  Value share = c.div(c.mul(smooth, smoothing), c.number(c.dimOf(self, dim)));
  return c.add(c.mul(loss, 1.0 - smoothing), share);
}

} // namespace kiln::aten
