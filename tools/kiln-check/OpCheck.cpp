//===- OpCheck.cpp - Operator cases against stored values -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A case becomes a program of one node, which takes the way of every program:
// importer, stages, package, session.
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include "common/Calls.h"
#include "common/Values.h"

#include "kiln/Runtime/Element.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace kiln;
using namespace kiln::check;
using archive::CaseResult;
using archive::CaseTensor;
using archive::OpCase;
using package::Output;
using runtime::OpValue;
using runtime::Tensor;

Result<Tensor> check::makeInput(const CaseTensor &input) {
  auto storage =
      runtime::Storage::allocate(std::max<size_t>(input.storage.size(), 1));
  if (!storage)
    return storage.takeError();
  if (!input.storage.empty())
    std::memcpy((*storage)->data(), input.storage.data(),
                input.storage.size());
  return Tensor::view(*storage, input.dtype, input.sizes, input.strides,
                      input.storageOffset);
}

static bool isNone(const OpValue &value) {
  const auto *tensor = std::get_if<Tensor>(&value.value);
  return value.isNone() || (tensor && !tensor->defined());
}

static std::string compareTensor(const OpValue &got, const CaseResult &want) {
  const auto *tensor = std::get_if<Tensor>(&got.value);
  if (!tensor || isNone(got))
    return "is " + tools::describe(got) + ", expected a tensor";
  if (want.kind == CaseResult::Kind::Meta) {
    if (tensor->dtype() == want.dtype && tensor->sizes() == want.sizes)
      return "";
    auto wanted = Tensor::empty(want.dtype, want.sizes);
    return "is " + tensor->typeString() + ", expected " +
           (wanted ? wanted->typeString() : "another type");
  }
  auto wanted = tools::copyOf(want.dtype, want.sizes, want.bytes.view());
  if (!wanted)
    return wanted.error().message;
  return runtime::compareTensors(*tensor, *wanted, {want.rtol, want.atol})
      .message;
}

static std::string compareNumber(const OpValue &got,
                                 const archive::SymValue &want) {
  OpValue wanted = std::visit([](auto v) { return OpValue(v); }, want);
  return runtime::compareValues(got, wanted, {0, 0}).message;
}

static std::string compareResult(const OpValue &got, const CaseResult &want) {
  switch (want.kind) {
  case CaseResult::Kind::None:
    return isNone(got) ? "" : "is " + tools::describe(got) + ", expected none";
  case CaseResult::Kind::Number:
    return compareNumber(got, want.number);
  default:
    return compareTensor(got, want);
  }
}

bool check::isAskedFor(const OpCase &opCase, size_t result) {
  const archive::Argument *mask = opCase.node.find("output_mask");
  const auto *flags = mask ? mask->as<std::vector<bool>>() : nullptr;
  return !flags || result >= flags->size() || (*flags)[result];
}

static double numberOf(const OpValue &value) {
  if (const auto *flag = std::get_if<bool>(&value.value))
    return *flag;
  if (const auto *integer = std::get_if<int64_t>(&value.value))
    return static_cast<double>(*integer);
  if (const auto *real = std::get_if<double>(&value.value))
    return *real;
  return NAN;
}

static std::string compareStatistics(const Tensor &got,
                                     const archive::CaseStatistics &want) {
  auto dense = got.contiguous();
  if (!dense)
    return dense.error().message;
  double sum = 0;
  double eps = got.dtype() == DType::F64   ? 1e-15
               : got.dtype() == DType::F32 ? 1e-7
                                           : 4e-3;
  std::vector<double> values;
  size_t size = itemSize(got.dtype());
  for (int64_t i = 0; i < got.numel(); ++i) {
    double value = numberOf(runtime::loadElement(
        got.dtype(), dense->data() + static_cast<size_t>(i) * size));
    values.push_back(value);
    sum += value;
    std::string text = tools::describe(OpValue(value));
    if ((want.min && !(value >= *want.min)) ||
        (want.max && !(value <= *want.max)) ||
        (want.isInteger && value != std::floor(value)))
      return "random element " + text + " is out of range";
    bool allowed = want.values.empty();
    for (double known : want.values)
      allowed |= std::fabs(value - known) <= eps * std::fabs(known);
    if (!allowed)
      return "random element " + text + " is not one of those allowed";
  }
  if (want.isPermutation) {
    std::sort(values.begin(), values.end());
    for (size_t i = 0; i < values.size(); ++i)
      if (values[i] != static_cast<double>(i))
        return "result is no permutation";
  }
  double mean = sum / static_cast<double>(std::max<int64_t>(got.numel(), 1));
  if (want.mean && got.numel() >= 400 &&
      !(std::fabs(mean - *want.mean) <= want.meanTolerance))
    return "mean is " + tools::describe(OpValue(mean)) + ", expected " +
           tools::describe(OpValue(*want.mean));
  return "";
}

namespace {
/// One case: its inputs, its session, what came out.
class CaseRun {
public:
  CaseRun(const OpCase &opCase, const Config &config)
      : case_(opCase), config_(config) {}

  Outcome run();

private:
  Status makeInputs();
  Result<tools::CallResult> call();
  Result<tools::CallResult> callSession();
  std::string compareAgain(const tools::CallResult &first);
  std::string compareOutputs(const tools::CallResult &result) const;
  std::string compareInputs(const tools::CallResult &result) const;
  std::string compareGradients(const tools::CallResult &result) const;
  Outcome finish(Outcome outcome) const;

  const OpCase &case_;
  const Config &config_;
  std::vector<OpValue> inputs_;
  std::unique_ptr<session::Session> session_;
};
} // namespace

Status CaseRun::makeInputs() {
  inputs_.clear();
  for (const CaseTensor &tensor : case_.tensors) {
    auto input = makeInput(tensor);
    if (!input)
      return input.takeError();
    inputs_.emplace_back(std::move(*input));
  }
  return Status::success();
}

Result<tools::CallResult> CaseRun::call() {
  if (Status s = makeInputs(); !s)
    return s.takeError();
  session::SessionOptions options = sessionOptions(config_, config_.gradients);
  auto session = session::Session::open(
      archive::Source::of(case_.makeProgram()),
      std::move(options));
  if (!session)
    return session.takeError();
  session_ = std::move(*session);
  return callSession();
}

Result<tools::CallResult> CaseRun::callSession() {
  if (!config_.gradients)
    return tools::runCall(*session_, inputs_, false, nullptr);
  // Tangents by the path of the output, as makeProgram writes it.
  std::vector<archive::IoValue> tangents;
  size_t count = case_.gradients->tangents.size();
  for (size_t i = 0; i < count; ++i) {
    const CaseResult &tangent = case_.gradients->tangents[i];
    if (tangent.kind != CaseResult::Kind::Tensor)
      continue;
    archive::IoValue value;
    value.path = case_.expected.size() == 1 ? ""
                                            : "[" + std::to_string(i) + "]";
    value.isTensor = true;
    value.dtype = tangent.dtype;
    value.sizes = tangent.sizes;
    value.bytes = tangent.bytes;
    tangents.push_back(std::move(value));
  }
  return tools::runCall(*session_, inputs_, true, &tangents);
}

std::string CaseRun::compareOutputs(const tools::CallResult &result) const {
  std::vector<const tools::CallOutput *> outputs;
  for (const tools::CallOutput &output : result.outputs)
    if (output.role == Output::Role::UserOutput)
      outputs.push_back(&output);
  if (outputs.size() != case_.expected.size())
    return "gave " + std::to_string(outputs.size()) + " results, expected " +
           std::to_string(case_.expected.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!isAskedFor(case_, i))
      continue;
    std::string text = compareResult(outputs[i]->value, case_.expected[i]);
    if (!text.empty())
      return "result " + std::to_string(i) + ": " + text;
  }
  if (case_.statistics && case_.statistics->output < outputs.size())
    if (const auto *tensor = std::get_if<Tensor>(
            &outputs[case_.statistics->output]->value.value))
      return compareStatistics(*tensor, *case_.statistics);
  return "";
}

/// True for `t_` and its like, whose result is their first argument.
static bool changesInPlace(const archive::Node &node, const std::string &name) {
  std::string overload(node.overload());
  size_t dot = overload.rfind('.');
  const archive::TensorArg *self =
      node.inputs.empty() ? nullptr
                          : node.inputs[0].arg.as<archive::TensorArg>();
  return self && self->name == name && dot != std::string::npos && dot > 0 &&
         overload[dot - 1] == '_';
}

std::string CaseRun::compareInputs(const tools::CallResult &result) const {
  for (const archive::NamedResult &mutated : case_.mutated)
    for (size_t i = 0; i < case_.tensors.size(); ++i) {
      if (case_.tensors[i].name != mutated.name)
        continue;
      OpValue after = inputs_[i];
      // A caller's tensor keeps its sizes and strides: what an in-place `t_`
      // makes of it is its result.
      const CaseResult *first =
          case_.expected.empty() ? nullptr : &case_.expected.front();
      if (first && changesInPlace(case_.node, mutated.name) &&
          (first->sizes != case_.tensors[i].sizes ||
           first->strides != case_.tensors[i].strides))
        for (const tools::CallOutput &output : result.outputs)
          if (output.role == Output::Role::UserOutput) {
            after = output.value;
            break;
          }
      std::string text = compareResult(after, mutated.result);
      if (!text.empty())
        return "input " + mutated.name + " afterwards: " + text;
    }
  for (size_t i = 0; i < case_.tensors.size(); ++i) {
    const auto &storage = std::get<Tensor>(inputs_[i].value).storage();
    if (!storage)
      continue;
    if (auto byte = case_.tensors[i].findChangeOutside(
            ByteView(storage->data(), storage->bytes())))
      return "input " + case_.tensors[i].name + ": byte " +
             std::to_string(*byte) + " outside of the view has changed";
  }
  return "";
}

/// True for a tensor of zeros, which is what a missing gradient means.
static bool isZero(const OpValue &value) {
  const auto *tensor = std::get_if<Tensor>(&value.value);
  auto dense = tensor ? tensor->contiguous() : Result<Tensor>(Tensor());
  if (!dense || !dense->defined())
    return false;
  size_t size = itemSize(dense->dtype());
  for (int64_t i = 0; i < dense->numel(); ++i)
    if (numberOf(runtime::loadElement(dense->dtype(),
                                      dense->data() + size_t(i) * size)) != 0)
      return false;
  return true;
}

std::string CaseRun::compareGradients(const tools::CallResult &result) const {
  for (const archive::NamedResult &want : case_.gradients->inputs) {
    std::string path;
    for (const session::UserInput &input : session_->inputs())
      if (input.name == want.name)
        path = input.path;
    OpValue got;
    for (const tools::CallOutput &gradient : result.gradients)
      if (gradient.role == Output::Role::InputGradient &&
          gradient.target == path)
        got = gradient.value;
    if (want.result.kind == CaseResult::Kind::None && (isNone(got) || isZero(got)))
      continue;
    std::string text = compareResult(got, want.result);
    if (!text.empty())
      return "gradient of " + want.name + ": " + text;
  }
  return "";
}

/// Other calls of the same inputs must give the same bits, but for random results and
/// those without contents.
std::string CaseRun::compareAgain(const tools::CallResult &first) {
  for (const CaseResult &result : case_.expected)
    if (case_.isRandom || result.kind == CaseResult::Kind::Meta)
      return "";
  std::vector<OpValue> changed = std::move(inputs_);
  // A GPU replays its launches as graphs from the third call on.
  const unsigned calls = config_.device == "cpu" ? 2 : 4;
  for (unsigned number = 2; number <= calls; ++number) {
    const std::string call = "call " + std::to_string(number) + ": ";
    if (Status s = makeInputs(); !s)
      return s.error().message;
    auto again = callSession();
    if (!again)
      return call + again.error().message;
    std::string text = compareBits(first.outputs, again->outputs);
    if (!text.empty())
      return call + "result " + text;
    text = compareBits(first.gradients, again->gradients);
    if (!text.empty())
      return call + "gradient " + text;
    for (size_t i = 0; i < changed.size(); ++i)
      if (text = compareBits(changed[i], inputs_[i]); !text.empty())
        return call + "an input afterwards " + text;
  }
  return "";
}

Outcome CaseRun::finish(Outcome outcome) const {
  if (!outcome.text.empty())
    outcome.text = case_.id + ": " + outcome.text;
  if (session_)
    addStats(*session_, config_, outcome);
  return outcome;
}

Outcome CaseRun::run() {
  if (config_.gradients && !case_.gradients)
    return {Outcome::NotApplicable};
  auto result = call();
  if (!case_.error.empty()) {
    if (result)
      return finish({Outcome::Failed,
                     "accepted, expected a refusal: " + case_.message});
    return finish({Outcome::Refused, result.error().message});
  }
  if (!result)
    return finish(outcomeOf(result.error()));
  std::string text = compareOutputs(*result);
  if (text.empty())
    text = compareInputs(*result);
  if (text.empty() && config_.gradients) {
    text = compareGradients(*result);
    if (!text.empty())
      if (std::string noise = describeNoise(case_, config_); !noise.empty())
        return finish({Outcome::NotApplicable, noise});
  }
  if (text.empty() && config_.twice)
    text = compareAgain(*result);
  bool ranOtherSizes = false;
  if (text.empty() && config_.dynamic && !config_.gradients)
    text = compareAtOtherSizes(case_, config_, *session_, ranOtherSizes);
  Outcome outcome = {text.empty() ? Outcome::Passed : Outcome::Failed, text};
  outcome.ranOtherSizes = ranOtherSizes;
  return finish(std::move(outcome));
}

Outcome check::runOpCase(const OpCase &opCase, const Config &config) {
  return CaseRun(opCase, config).run();
}
