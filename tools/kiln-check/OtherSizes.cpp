//===- OtherSizes.cpp - A dynamic program on sizes it was not made for ----===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs repeat the elements of the case, so that indices stay in range. No
// values are stored for other sizes, so the reference is backend eager: the same
// graph, operator by operator. What guards and kernels let in and an operator
// refuses is a missing guard.
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include "common/Calls.h"
#include "common/Values.h"

#include <map>
#include <set>

using namespace kiln;
using namespace kiln::check;
using archive::CaseResult;
using archive::CaseTensor;
using archive::OpCase;
using runtime::OpValue;
using runtime::Tensor;

/// Old size to new size.
using Growth = std::map<int64_t, int64_t>;

/// Sizes to try, those that change the most first. Sizes only grow, so that
/// indices among the values stay in range; equal ones stay equal.
static std::vector<Growth> growths(const OpCase &opCase) {
  std::set<int64_t> sizes;
  int64_t elements = 1;
  for (const CaseTensor &tensor : opCase.tensors) {
    int64_t count = 1;
    for (int64_t size : tensor.sizes) {
      count *= std::max<int64_t>(size, 1);
      if (size >= 2)
        sizes.insert(size);
    }
    elements = std::max(elements, count);
  }
  std::vector<Growth> result;
  // Doubling a tensor of rank 5 is 32 times the work.
  constexpr int64_t kMaxElements = 1 << 16;
  if (sizes.empty() || elements > kMaxElements)
    return result;
  Growth byOrder, twice;
  int64_t more = 1;
  for (int64_t size : sizes) {
    byOrder[size] = size + more++;
    twice[size] = size * 2;
  }
  result.push_back(byOrder);
  result.push_back(twice);
  for (int64_t size : sizes)
    if (sizes.size() > 1)
      result.push_back({{size, size + 1}});
  return result;
}

static Result<std::vector<OpValue>>
makeInputs(const OpCase &opCase, const Growth &growth, bool isDense) {
  std::vector<OpValue> inputs;
  for (const CaseTensor &tensor : opCase.tensors) {
    std::vector<int64_t> sizes = tensor.sizes;
    for (int64_t &size : sizes)
      if (auto it = growth.find(size); it != growth.end())
        size = it->second;
    auto input = makeInput(sizes == tensor.sizes ? tensor
                                                 : tensor.withSizes(sizes));
    if (input && isDense)
      input = input->contiguous();
    if (!input)
      return input.takeError();
    inputs.emplace_back(std::move(*input));
  }
  return inputs;
}

//===----------------------------------------------------------------------===//
// What a forward operator gives to its backward operator
//===----------------------------------------------------------------------===//

/// The case of `X` from one of `X_backward`: without the gradient, and without
/// the integers that X may have given. Nothing for another operator.
static std::optional<OpCase> makeForwardCase(const OpCase &opCase) {
  constexpr std::string_view suffix = "_backward.";
  OpCase forward;
  forward.id = opCase.id;
  forward.node = opCase.node;
  size_t at = forward.node.target.find(suffix);
  if (at == std::string::npos)
    return std::nullopt;
  forward.node.target.erase(at, suffix.size() - 1);
  forward.node.inputs.clear();
  for (const archive::NamedArgument &input : opCase.node.inputs) {
    const auto *tensor = input.arg.as<archive::TensorArg>();
    const CaseTensor *found = nullptr;
    for (const CaseTensor &candidate : opCase.tensors)
      if (tensor && candidate.name == tensor->name)
        found = &candidate;
    if (input.name.rfind("grad", 0) == 0 ||
        (found && isInteger(found->dtype)))
      continue;
    forward.node.inputs.push_back(input);
    if (found)
      forward.tensors.push_back(*found);
  }
  forward.node.outputs.clear();
  for (const char *name : {"value", "position"})
    forward.node.outputs.push_back(
        archive::Argument{archive::TensorArg{name}});
  return forward;
}

/// Integers that the forward operator gives, the places of maxima say, obey more
/// than a range: `inputs` get those that it gives for them.
static void replaceForwardResults(const OpCase &opCase, const Config &config,
                                  std::vector<OpValue> &inputs) {
  auto forward = makeForwardCase(opCase);
  if (!forward)
    return;
  Config reference = config;
  reference.compile.backend = Backend::Eager;
  reference.dynamic = false;
  std::vector<OpValue> operands;
  for (CaseTensor &tensor : forward->tensors)
    for (size_t i = 0; i < inputs.size(); ++i)
      if (opCase.tensors[i].name == tensor.name) {
        tensor.sizes = std::get<Tensor>(inputs[i].value).sizes();
        tensor.strides = std::get<Tensor>(inputs[i].value).strides();
        operands.push_back(inputs[i]);
      }
  auto session = session::Session::open(
      archive::Source::of(forward->makeProgram()),
      sessionOptions(reference, /*training=*/false));
  // Not all of them take what is left.
  auto results = session ? tools::runCall(**session, operands, false, nullptr)
                         : Result<tools::CallResult>(session.takeError());
  if (!results)
    return;
  for (OpValue &input : inputs)
    for (const tools::CallOutput &output : results->outputs) {
      const auto &operand = std::get<Tensor>(input.value);
      const auto *result = std::get_if<Tensor>(&output.value.value);
      if (result && result->defined() && isInteger(operand.dtype()) &&
          result->dtype() == operand.dtype() &&
          result->sizes() == operand.sizes())
        input = output.value;
    }
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// True for a result whose elements an operator determines.
static bool hasValues(const OpCase &opCase, size_t output) {
  return !opCase.isRandom && output < opCase.expected.size() &&
         opCase.expected[output].kind != CaseResult::Kind::Meta;
}

/// What differs between the two calls, inputs that they changed included.
static std::string compareCalls(const OpCase &opCase,
                                const tools::CallResult &got,
                                const tools::CallResult &want) {
  for (size_t i = 0; i < want.outputs.size(); ++i) {
    const OpValue &a = got.outputs[i].value, &b = want.outputs[i].value;
    if (!isAskedFor(opCase, i))
      continue;
    if (!hasValues(opCase, i)) {
      const auto *x = std::get_if<Tensor>(&a.value);
      const auto *y = std::get_if<Tensor>(&b.value);
      if (x && y && x->defined() && y->defined() &&
          x->typeString() != y->typeString())
        return "result " + std::to_string(i) + ": is " + x->typeString() +
               ", expected " + y->typeString();
      continue;
    }
    // Sums are longer than those that the tolerance was measured for.
    double rtol = 4 * std::max(opCase.rtol, opCase.expected[i].rtol);
    double atol = 8 * std::max(opCase.atol, opCase.expected[i].atol);
    auto comparison = runtime::compareValues(a, b, {rtol, atol});
    if (!comparison.message.empty())
      return "result " + std::to_string(i) + ": " + comparison.message;
  }
  return "";
}

namespace {
/// The program at hand and the same one on backend eager.
class OtherSizes {
public:
  OtherSizes(const OpCase &opCase, const Config &config,
             session::Session &session)
      : case_(opCase), config_(config), session_(session) {}

  /// What is wrong; empty if nothing is. `wasRun` tells whether both ran.
  std::string compare(const Growth &growth, bool isDense, bool &wasRun);

private:
  Status openReference();

  const OpCase &case_;
  const Config &config_;
  session::Session &session_;
  std::unique_ptr<session::Session> eager_;
};
} // namespace

Status OtherSizes::openReference() {
  if (eager_)
    return Status::success();
  Config reference = config_;
  reference.compile.backend = Backend::Eager;
  auto opened = session::Session::open(
      archive::Source::of(case_.makeProgram()),
      sessionOptions(reference, /*training=*/false));
  if (!opened)
    return opened.takeError();
  eager_ = std::move(*opened);
  return Status::success();
}

std::string OtherSizes::compare(const Growth &growth, bool isDense,
                                bool &wasRun) {
  auto inputs = makeInputs(case_, growth, isDense);
  auto copies = makeInputs(case_, growth, isDense);
  if (!inputs || !copies)
    return "";
  replaceForwardResults(case_, config_, *inputs);
  replaceForwardResults(case_, config_, *copies);
  auto got = tools::runCall(session_, *inputs, false, nullptr);
  if (!got && got.error().kind == ErrorKind::Guard)
    return "";
  if (Status s = openReference(); !s)
    return s.error().message;
  auto want = tools::runCall(*eager_, *copies, false, nullptr);
  if (!want && !isDense)
    // A view that the strides do not allow is no matter of sizes.
    return compare(growth, /*isDense=*/true, wasRun);
  if (!want && !got)
    return ""; // a refusal, if a late one
  if (!want)
    return "accepted, but the operator says: " + want.error().message;
  if (!got)
    return got.error().message;
  wasRun = true;
  return compareCalls(case_, *got, *want);
}

std::string check::compareAtOtherSizes(const OpCase &opCase,
                                       const Config &config,
                                       session::Session &session,
                                       bool &wasRun) {
  wasRun = false;
  OtherSizes others(opCase, config, session);
  for (const Growth &growth : growths(opCase)) {
    std::string text = others.compare(growth, /*isDense=*/false, wasRun);
    if (text.empty() && !wasRun)
      continue;
    if (text.empty())
      return "";
    std::string sizes;
    for (auto [from, to] : growth)
      sizes += (sizes.empty() ? "sizes " : ", ") + std::to_string(from) +
               " to " + std::to_string(to);
    return sizes + ": " + text;
  }
  return "";
}
