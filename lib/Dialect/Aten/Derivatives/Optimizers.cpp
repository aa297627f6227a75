//===- Optimizers.cpp - Updates of parameters as aten ops -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows `torch.optim` operation by operation (its path for single tensors):
// what is a Python float there is an f64 tensor without dimensions here, so
// corrections of the bias are exact in f64 before they meet a parameter.
//
//===----------------------------------------------------------------------===//

#include "Optimizers.h"

#include "kiln/Dialect/Aten/IR/FormulaBuilder.h"

namespace kiln::aten {

namespace {

using Kind = OptimizerConfig::Kind;

/// Builds the updates of one step; what all parameters share is built once.
class UpdateBuilder {
public:
  UpdateBuilder(OpBuilder &builder, Location loc, const OptimizerConfig &config,
                Value rate, Value step)
      : b(builder, loc), config(config), rate(rate), step(step) {}

  LogicalResult run(MutableArrayRef<ParameterUpdate> updates);

private:
  void clip(MutableArrayRef<ParameterUpdate> updates);
  void updateSGD(ParameterUpdate &update);
  void updateAdam(ParameterUpdate &update);
  /// Complex numbers are updated as pairs of reals, with a spread for each.
  Value asPairs(Value v) { return v ? b.viewAsReal(v) : v; }
  Value asComplex(Value v) { return v ? b.viewAsComplex(v) : v; }
  /// `number` (f64, no dimensions) in the type that `like` is computed in.
  Value scalar(Value number, Value like) {
    Type type =
        FormulaBuilder::computeType(FormulaBuilder::elementTypeOf(like));
    Value &known = casts[{number, type}];
    if (!known)
      known = b.cast(number, type);
    return known;
  }
  /// 1 - beta^step.
  Value correction(double beta) { return b.sub(1.0, b.powScalar(beta, step)); }

  FormulaBuilder b;
  const OptimizerConfig &config;
  Value rate, step;
  llvm::DenseMap<std::pair<Value, Type>, Value> casts;
  Value minusRate, keep, minusStepSize, rootCorrection, isFirst;
};

} // namespace

/// As `torch.nn.utils.clip_grad_norm_`: all gradients as one vector.
void UpdateBuilder::clip(MutableArrayRef<ParameterUpdate> updates) {
  SmallVector<Value> norms;
  for (ParameterUpdate &update : updates)
    norms.push_back(b.unsqueeze(
        b.cast(b.linalgVectorNorm(update.gradient, 2.0),
               FormulaBuilder::computeType(
                   FormulaBuilder::elementTypeOf(updates.front().gradient))),
        0));
  Value total = b.linalgVectorNorm(b.concat(norms, 0), 2.0);
  Value factor = b.div(*config.clipNorm, b.add(total, 1e-6));
  factor = b.clamp(factor, Value(), b.number(1.0));
  for (ParameterUpdate &update : updates)
    update.gradient = b.mul(update.gradient, scalar(factor, update.gradient));
}

void UpdateBuilder::updateSGD(ParameterUpdate &update) {
  Value gradient = update.gradient;
  if (config.weightDecay != 0)
    gradient =
        b.add(gradient, b.mul(update.parameter, config.weightDecay));
  if (config.momentum != 0) {
    Value kept = b.mul(update.state[0], config.momentum);
    Value taken = config.dampening == 0
                      ? gradient
                      : b.mul(gradient, 1 - config.dampening);
    Value moved = b.add(kept, taken);
    // The first gradient is taken as it is, not dampened.
    if (config.dampening != 0) {
      if (!isFirst)
        isFirst = b.eq(step, 1.0);
      moved = b.where(isFirst, gradient, moved);
    }
    update.newState = {moved};
    gradient = config.nesterov
                   ? b.add(gradient, b.mul(moved, config.momentum))
                   : moved;
  }
  if (!minusRate)
    minusRate = b.neg(rate);
  update.newParameter =
      b.add(update.parameter,
            b.mul(gradient, scalar(minusRate, update.parameter)));
}

void UpdateBuilder::updateAdam(ParameterUpdate &update) {
  if (!rootCorrection) {
    minusStepSize = b.neg(b.div(rate, correction(config.beta1)));
    rootCorrection = b.sqrt(correction(config.beta2));
    keep = b.sub(1.0, b.mul(rate, config.weightDecay));
  }
  Value parameter = update.parameter, gradient = update.gradient;
  if (config.weightDecay != 0) {
    if (config.kind == Kind::AdamW)
      parameter = b.mul(parameter, scalar(keep, parameter));
    else
      gradient = b.add(gradient, b.mul(parameter, config.weightDecay));
  }
  Value average = b.lerpScalar(update.state[0], gradient, 1 - config.beta1);
  Value square = b.addcmul(b.mul(update.state[1], config.beta2), gradient,
                           gradient, 1 - config.beta2);
  update.newState = {average, square};
  Value largest = square;
  if (config.amsgrad) {
    largest = b.maximum(update.state[2], square);
    update.newState.push_back(largest);
  }
  Value root = b.div(b.sqrt(largest), scalar(rootCorrection, parameter));
  Value scaled = b.mul(average, scalar(minusStepSize, parameter));
  update.newParameter = b.add(parameter, b.div(scaled, b.add(root, config.eps)));
}

LogicalResult UpdateBuilder::run(MutableArrayRef<ParameterUpdate> updates) {
  SmallVector<ParameterUpdate> work(updates.begin(), updates.end());
  for (ParameterUpdate &update : work) {
    if (!update.gradient)
      return failure();
    if (!FormulaBuilder::isComplex(update.parameter))
      continue;
    update.parameter = asPairs(update.parameter);
    update.gradient = asPairs(update.gradient);
    for (Value &state : update.state)
      state = asPairs(state);
  }
  if (config.clipNorm && !work.empty())
    clip(work);
  for (auto [given, update] : llvm::zip_equal(updates, work)) {
    if (config.maximize)
      update.gradient = b.neg(update.gradient);
    if (config.kind == Kind::SGD)
      updateSGD(update);
    else
      updateAdam(update);
    bool isOfPairs = FormulaBuilder::isComplex(given.parameter);
    auto result = [&](Value v) { return isOfPairs ? asComplex(v) : v; };
    given.newParameter = result(update.newParameter);
    given.newState = llvm::map_to_vector(update.newState, result);
    if (!given.newParameter || llvm::is_contained(given.newState, Value()))
      return failure();
  }
  return success();
}

LogicalResult buildOptimizerUpdates(OpBuilder &builder, Location loc,
                                    const OptimizerConfig &config, Value rate,
                                    Value step,
                                    MutableArrayRef<ParameterUpdate> updates) {
  return UpdateBuilder(builder, loc, config, rate, step).run(updates);
}

} // namespace kiln::aten
