//===- Calls.cpp - Call a session and compare what it gives ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calls.h"

#include "Values.h"

#include "kiln/Base/CheckedMath.h"
#include "kiln/Package/ExprEvaluator.h"

#include <cmath>

using namespace kiln;
using namespace kiln::tools;
using package::Output;
using runtime::OpValue;
using runtime::Tensor;

//===----------------------------------------------------------------------===//
// Calling
//===----------------------------------------------------------------------===//

static bool isUserOutput(Output::Role role) {
  return role == Output::Role::UserOutput || role == Output::Role::Loss;
}

static std::vector<CallOutput> named(const package::Program &program,
                                     std::vector<OpValue> values) {
  std::vector<CallOutput> outputs;
  for (size_t i = 0; i < program.outputs.size() && i < values.size(); ++i) {
    const Output &output = program.outputs[i];
    outputs.push_back(
        {output.role, output.path, output.target, std::move(values[i])});
  }
  return outputs;
}

/// What the backward counts on for the tangent of an output, where these are
/// numbers.
static std::vector<int64_t> getTangentStrides(const package::Package &package,
                                              size_t output) {
  std::vector<int64_t> strides;
  if (package.programs.size() < 2)
    return strides;
  const package::Program &backward = package.programs[1];
  for (const package::Value &value : backward.values) {
    if (value.kind != package::Value::Kind::Slot)
      continue;
    const package::Slot &slot = backward.slots[value.slot];
    if (slot.kind != package::Slot::Kind::Tangent || slot.ofOutput != output)
      continue;
    for (package::ExprId id : value.strides)
      if (auto stride = package::constantSize(backward.exprs[id]))
        strides.push_back(*stride);
    if (strides.size() != value.sizes.size())
      strides.clear();
    break;
  }
  return strides;
}

/// A tensor of a file, which is row-major, with these strides: no call has to
/// copy it.
static Result<OpValue> layOut(OpValue value, std::vector<int64_t> strides) {
  auto *given = std::get_if<Tensor>(&value.value);
  if (!given || strides.size() != given->sizes().size() ||
      given->strides() == strides || given->numel() == 0)
    return value;
  auto bytes = storageExtent(given->dtype(), given->sizes(), strides, 0);
  if (!bytes)
    return bytes.takeError();
  auto storage = runtime::Storage::allocate(static_cast<size_t>(*bytes));
  if (!storage)
    return storage.takeError();
  auto laid = Tensor::view(std::move(*storage), given->dtype(), given->sizes(),
                           std::move(strides), 0);
  if (!laid)
    return laid.takeError();
  if (Status s = copyElements(*given, *laid); !s)
    return s.takeError();
  return OpValue(std::move(*laid));
}

Status tools::placeOnDevice(const session::Session &session, OpValue &value) {
  auto *tensor = std::get_if<Tensor>(&value.value);
  if (!tensor || !session.device())
    return Status::success();
  auto there = tensor->toDevice(*session.device());
  if (!there)
    return there.takeError();
  value = OpValue(std::move(*there));
  return Status::success();
}

Result<std::vector<OpValue>>
tools::makeTangents(session::Session &session,
                    const std::vector<OpValue> &inputs,
                    const std::vector<archive::IoValue> *tangents) {
  std::vector<OpValue> given;
  if (!tangents || tangents->empty())
    return given;
  // The order of outputs is known when there is a variant.
  auto variant = session.prepareFor(inputs);
  if (!variant)
    return variant.takeError();
  const package::Program &forward = (*variant)->package().programs[0];
  for (const Output &output : forward.outputs) {
    given.emplace_back();
    if (!isUserOutput(output.role))
      continue;
    for (const archive::IoValue &tangent : *tangents) {
      if (tangent.path != output.path)
        continue;
      auto value = valueOf(tangent);
      if (value)
        value =
            layOut(std::move(*value),
                   getTangentStrides((*variant)->package(), given.size() - 1));
      if (!value)
        return value.takeError();
      given.back() = std::move(*value);
    }
  }
  return given;
}

Result<CallResult>
tools::runCall(session::Session &session, const std::vector<OpValue> &inputs,
               bool training, const std::vector<archive::IoValue> *tangents) {
  CallResult result;
  if (!training) {
    auto values = session.call(inputs);
    if (!values)
      return values.takeError();
    result.outputs = named(session.lastVariant().package().programs[0],
                           std::move(*values));
    return result;
  }
  auto given = makeTangents(session, inputs, tangents);
  if (!given)
    return given.takeError();
  auto values = session.callTraining(inputs, *given);
  if (!values)
    return values.takeError();
  const auto &programs = session.lastVariant().package().programs;
  result.outputs = named(programs[0], std::move(values->outputs));
  result.gradients = named(programs[1], std::move(values->gradients));
  return result;
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

static runtime::Comparison different(std::string message) {
  runtime::Comparison comparison;
  comparison.ok = false;
  comparison.maxAbsErr = comparison.maxRelErr = HUGE_VAL;
  comparison.message = std::move(message);
  return comparison;
}

static Checked compare(std::string name, const OpValue &got,
                       const archive::IoValue &want,
                       const CheckOptions &options) {
  Checked checked;
  checked.name = std::move(name);
  checked.type = describe(got);
  if (const auto *tensor = std::get_if<Tensor>(&got.value);
      tensor && tensor->defined()) {
    checked.dtype = tensor->dtype();
    checked.sizes = tensor->sizes();
  }
  if (!want.isTensor) {
    OpValue wanted = valueOf(want.constant);
    if (!options.values && wanted.value.index() == got.value.index())
      return checked;
    checked.result =
        runtime::compareValues(got, wanted, runtime::defaultTolerance(DType::F64));
    return checked;
  }
  const auto *tensor = std::get_if<Tensor>(&got.value);
  if (!tensor || !tensor->defined()) {
    checked.result = different("is " + describe(got) + ", expected a tensor");
    return checked;
  }
  auto wanted = copyOf(want.dtype, want.sizes, want.bytes.view());
  if (!wanted) {
    checked.result = different(wanted.error().message);
    return checked;
  }
  if (!options.values) {
    if (tensor->dtype() != want.dtype || tensor->sizes() != want.sizes)
      checked.result = different("is " + tensor->typeString() +
                                 ", expected " + wanted->typeString());
    return checked;
  }
  runtime::Tolerance tolerance = runtime::defaultTolerance(want.dtype);
  bool exact = !isFloat(want.dtype) && !isComplex(want.dtype);
  if (options.rtol && !exact)
    tolerance.rtol = *options.rtol;
  if (options.atol && !exact)
    tolerance.atol = *options.atol;
  checked.result = runtime::compareTensors(*tensor, *wanted, tolerance);
  return checked;
}

std::vector<Checked>
tools::checkCall(const session::Session &session,
                 const std::vector<OpValue> &inputs, const CallResult &result,
                 const archive::IoSet &expected, const CheckOptions &options) {
  std::vector<Checked> checks;
  // A joint file lists every output of the graph.
  bool isJoint = false;
  for (const archive::IoValue &value : expected.outputs)
    isJoint |= !value.role.empty();
  std::vector<const CallOutput *> outputs;
  for (const CallOutput &output : result.outputs)
    if (output.role != Output::Role::Saved &&
        output.role != Output::Role::Token &&
        (isJoint || isUserOutput(output.role)))
      outputs.push_back(&output);
  if (outputs.size() != expected.outputs.size()) {
    Checked count;
    count.name = "outputs";
    count.result = different("there are " + std::to_string(outputs.size()) +
                             ", expected " +
                             std::to_string(expected.outputs.size()));
    checks.push_back(std::move(count));
    return checks;
  }
  for (size_t i = 0; i < outputs.size(); ++i)
    checks.push_back(compare("out_" + std::to_string(i), outputs[i]->value,
                             expected.outputs[i], options));
  for (const archive::IoValue &state : expected.stateAfter) {
    OpValue got;
    if (Tensor weight = session.weight(state.path); weight.defined())
      got = weight;
    for (const CallOutput &output : result.outputs)
      if (got.isNone() && output.target == state.path)
        got = output.value;
    checks.push_back(compare("state:" + state.path, got, state, options));
  }
  for (const archive::IoValue &changed : expected.inputsAfter) {
    OpValue got;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (session.inputs()[i].path == changed.path)
        got = inputs[i];
    checks.push_back(compare("input:" + changed.path, got, changed, options));
  }
  return checks;
}

std::vector<Checked>
tools::checkGradients(const session::Session &session,
                      const CallResult &result,
                      const archive::IoGradients &expected,
                      const CheckOptions &options) {
  std::vector<Checked> checks;
  auto check = [&](Output::Role role, const archive::IoValue &want) {
    const CallOutput *found = nullptr;
    for (const CallOutput &gradient : result.gradients)
      if (gradient.role == role &&
          (gradient.target == want.path ||
           (role == Output::Role::ParameterGradient &&
            session.isTied(gradient.target, want.path))))
        found = &gradient;
    checks.push_back(compare("grad:" + want.path,
                             found ? found->value : OpValue(), want, options));
  };
  for (const archive::IoValue &want : expected.parameters)
    if (!want.isNoise)
      check(Output::Role::ParameterGradient, want);
  for (const archive::IoValue &want : expected.inputs)
    if (!want.isNoise)
      check(Output::Role::InputGradient, want);
  return checks;
}

std::string tools::firstFailure(const std::vector<Checked> &checks) {
  for (const Checked &checked : checks)
    if (!checked.result.ok)
      return checked.name + ": " + checked.result.message;
  return "";
}
