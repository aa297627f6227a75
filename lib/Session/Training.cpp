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

#include "VariantStore.h"

#include "kiln/Eager/Registry.h"
#include "kiln/Runtime/Element.h"

using namespace kiln;
using namespace kiln::session;
using package::Slot;
using runtime::OpValue;
using runtime::Tensor;

static constexpr const char *kRate = "lr";
static constexpr const char *kStep = "step";

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
  for (const SlotTable::StateTensor &state : slots_->optimizerState()) {
    bool isRate = state.name == kRate, isStep = state.name == kStep;
    if (isRate || isStep)
      *std::get<Tensor>(slots_->values()[state.slot].value)
           .dataAs<double>() =
          isRate ? rate : static_cast<double>(stepCount_ + 1);
  }
  auto given = tangents((*variant)->package());
  if (!given)
    return given.takeError();
  // The numbers of a step depend on the seed and the step alone, so that a run
  // which continues draws those of a run that was not interrupted.
  eager::seedGenerator(options_.seed, stepCount_);
  auto values = variants_->function().callTraining(slots_->values(), *given);
  noteSkips();
  if (!values)
    return values.takeError();
  ++stepCount_;
  if (Status s = fetch(*values); !s)
    return s.takeError();
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
