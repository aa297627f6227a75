//===- Training.cpp - Steps of training -----------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A training package with an optimizer has slots of a kind of their own: what
// the optimizer keeps for each parameter, and the two numbers `lr` and `step`.
// A session owns the first and fills in the second before each step.
//
//===----------------------------------------------------------------------===//

#include "kiln/Session/Session.h"

#include "kiln/Eager/Registry.h"
#include "kiln/Package/ExprEvaluator.h"
#include "kiln/Runtime/Element.h"

#include <cstring>

using namespace kiln;
using namespace kiln::session;
using package::Slot;
using runtime::OpValue;
using runtime::Tensor;

static constexpr const char *kRate = "lr";
static constexpr const char *kStep = "step";

/// A tensor of zeros for a slot, whose sizes must be constants.
static Result<Tensor> zeros(const package::Program &program,
                            const Slot &slot) {
  std::vector<int64_t> sizes;
  for (package::ExprId id : slot.sizes) {
    package::Cell cell;
    const package::Expr &expr = program.exprs[id];
    if (!package::symbolsOf(expr).empty() ||
        package::evaluate(expr, nullptr, cell) != package::ExprFailure::None)
      return Error::unsupported("optimizer state '" + slot.path +
                                "' has a symbolic size");
    sizes.push_back(cell.integer);
  }
  auto tensor = Tensor::empty(slot.dtype, std::move(sizes));
  if (tensor)
    std::memset(tensor->data(), 0,
                static_cast<size_t>(tensor->numel()) * itemSize(slot.dtype));
  return tensor;
}

Status Session::bindOptimizer(const package::Package &package) {
  const package::Program &forward = package.programs.front();
  if (slots_.size() < forward.slots.size())
    slots_.resize(forward.slots.size());
  for (size_t i = 0; i < forward.slots.size(); ++i) {
    const Slot &slot = forward.slots[i];
    if (slot.kind != Slot::Kind::OptimizerState || !slots_[i].isNone())
      continue;
    auto tensor = zeros(forward, slot);
    if (!tensor)
      return tensor.takeError();
    slots_[i] = std::move(*tensor);
    optimizerState_.push_back({slot.path, i});
  }
  // Two updates of one memory would each see only their part of the gradient.
  std::map<const uint8_t *, std::string> owners;
  for (const package::Program &program : package.programs)
    for (const package::Output &output : program.outputs) {
      auto weight = weights_.find(output.target);
      if (output.role != package::Output::Role::ParameterMutation ||
          weight == weights_.end() || !weight->second.tensor.defined() ||
          weight->second.tensor.numel() == 0)
        continue;
      auto [owner, isNew] =
          owners.try_emplace(weight->second.tensor.data(), output.target);
      if (!isNew && owner->second != output.target)
        return Error::unsupported(
            "parameters '" + owner->second + "' and '" + output.target +
            "' share memory; expected a program that was exported with one "
            "name for them");
    }
  return Status::success();
}

std::vector<std::string> Session::missingWeights() const {
  std::vector<std::string> names;
  if (program_)
    return names;
  for (const auto &[name, bound] : weights_)
    if (!bound.tensor.defined() &&
        function_->variant(0)
                .package()
                .programs[0]
                .slots[bound.slots.front()]
                .payload == package::kNone)
      names.push_back(name);
  return names;
}

/// Nothing but a loss: 1 for it, and zeros for what else could have a gradient.
Result<std::vector<OpValue>>
Session::tangents(const package::Package &package) const {
  const package::Program &forward = package.programs[0];
  std::optional<uint32_t> loss;
  std::string found;
  for (const Slot &slot : package.programs[1].slots) {
    if (slot.kind != Slot::Kind::Tangent)
      continue;
    if (!slot.sizes.empty())
      continue;
    found += (found.empty() ? "'" : ", '") +
             forward.outputs[slot.ofOutput].name + "'";
    loss = slot.ofOutput;
  }
  if (!loss || found.find(',') != std::string::npos)
    return Error::unsupported(
        "training needs one differentiable output without dimensions as its "
        "loss, found " + (found.empty() ? "none" : found));
  std::vector<OpValue> given(forward.outputs.size());
  given[*loss] = 1.0;
  return given;
}

Result<StepResult> Session::step(const std::vector<OpValue> &inputs,
                                 double rate) {
  if (options_.optimizer.empty())
    return Error::usage("a training step needs an optimizer");
  auto variant = prepareFor(inputs);
  if (!variant)
    return variant.takeError();
  for (const StateTensor &state : optimizerState_) {
    bool isRate = state.name == kRate, isStep = state.name == kStep;
    if (isRate || isStep)
      *std::get<Tensor>(slots_[state.slot].value).dataAs<double>() =
          isRate ? rate : static_cast<double>(stepCount_ + 1);
  }
  auto given = tangents((*variant)->package());
  if (!given)
    return given.takeError();
  // The numbers of a step depend on the seed and the step alone, so that a run
  // which continues draws those of a run that was not interrupted.
  eager::seedGenerator(options_.seed, stepCount_);
  auto values = function_->callTraining(slots_, *given);
  if (!values)
    return values.takeError();
  ++stepCount_;
  StepResult result;
  for (size_t i = 0; i < given->size(); ++i)
    if (!(*given)[i].isNone()) {
      auto number =
          runtime::itemOf(std::get<Tensor>(values->outputs[i].value));
      if (!number)
        return number.takeError();
      if (const auto *real = std::get_if<double>(&number->value))
        result.loss = *real;
    }
  result.values = std::move(*values);
  return result;
}
