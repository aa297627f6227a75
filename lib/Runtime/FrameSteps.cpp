//===- FrameSteps.cpp - Steps and outputs of a call ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Frame.h"
#include "kiln/Runtime/ReadOnly.h"

#include <algorithm>

namespace kiln::runtime {

using package::Argument;
using package::Cell;
using package::kNone;
using package::Output;
using package::ValueId;

namespace {

bool isMutation(Output::Role role) {
  return role == Output::Role::BufferMutation ||
         role == Output::Role::ParameterMutation ||
         role == Output::Role::InputMutation;
}

OpValue constantValue(const package::Constant &constant) {
  if (auto *b = std::get_if<bool>(&constant))
    return *b;
  if (auto *i = std::get_if<int64_t>(&constant))
    return *i;
  if (auto *f = std::get_if<double>(&constant))
    return *f;
  if (auto *s = std::get_if<std::string>(&constant))
    return *s;
  return {};
}

bool isGiven(const OpValue &input) {
  auto *tensor = std::get_if<Tensor>(&input.value);
  return tensor ? tensor->defined() : !input.isNone();
}

bool sameView(const Tensor &a, const Tensor &b) {
  return a.data() == b.data() && a.dtype() == b.dtype() &&
         a.sizes() == b.sizes() && a.strides() == b.strides();
}

} // namespace

Result<std::vector<OpValue>>
ProgramRunner::Frame::run(const std::vector<OpValue> &inputs,
                          const RunOptions &options) {
  inputs_ = &inputs;
  options_ = options;
  if (options_.pool && parallel_)
    options_.pool->wake();
  parallel_ = false;
  std::vector<OpValue> results;
  Status status = bind();
  if (status && !plan_.isPreparation.empty())
    status = prepare();
  // Not beside what preparation lets go of.
  if (status)
    status = prepareArena();
  if (status)
    status = steps();
  if (status)
    status = outputs(results);
  reset();
  if (!status)
    return status.takeError();
  return results;
}

// --- Steps -----------------------------------------------------------------

Status ProgramRunner::Frame::steps() {
  size_t next = 0, nextChain = 0;
  bool isTimed = options_.timeLaunches && options_.stats;
  for (size_t i = 0; i < program_.steps.size(); ++i) {
    if (!plan_.isPreparation.empty() && plan_.isPreparation[i])
      continue;
    if (!isTimed && nextChain < plan_.chains.size() &&
        plan_.chains[nextChain].begin == i) {
      const Plan::Chain &chain = plan_.chains[nextChain++];
      if (Status s = launch(chain.begin, chain.end); !s)
        return s;
      i = chain.end - 1;
      continue;
    }
    bool isSegment = !isTimed && options_.graphs && next < plan_.segments.size() &&
                     plan_.segments[next].begin == i;
    if (Status s = isSegment ? segment(next) : step(i); !s)
      return s;
    if (isSegment)
      i = plan_.segments[next++].end - 1;
  }
  return Status::success();
}

Status ProgramRunner::Frame::step(size_t index) {
  const package::Step &step = program_.steps[index];
  bool isTimed = options_.timeLaunches && options_.stats;
  if (std::holds_alternative<package::LaunchStep>(step))
    return isTimed ? timeLaunch(index) : launch(index, index + 1);
  if (auto *gridStep = std::get_if<package::GridStep>(&step)) {
    if (Status s = isTimed ? timeGrid(*gridStep) : grid(*gridStep); !s)
      return s.error().withContext("program '" + program_.name + "', step " +
                                   std::to_string(index));
    return Status::success();
  }
  if (!plan_.checks.empty() && plan_.checks[index])
    return check(*plan_.checks[index]);
  if (auto *externStep = std::get_if<package::ExternStep>(&step))
    return call(*externStep, plan_.functions[index]);
  if (auto *copy = std::get_if<package::CopyStep>(&step)) {
    const Tensor *source = nullptr;
    const Tensor *target = nullptr;
    if (Status s = tensor(copy->source, source); !s)
      return s;
    if (Status s = tensor(copy->target, target); !s)
      return s;
    if (options_.stats)
      ++options_.stats->copies;
    return copyElements(*source, *target);
  }
  if (auto *definition = std::get_if<package::DefineSymbolStep>(&step))
    return define(*definition);
  if (auto *check = std::get_if<package::AssertStep>(&step)) {
    Cell condition;
    if (Status s = cell(check->condition, condition); !s)
      return s;
    if (condition.asBool())
      return Status::success();
    return Error::guard("assertion failed: " + check->message);
  }
  if (auto *controlStep = std::get_if<package::ControlStep>(&step))
    return control(*controlStep);
  for (ValueId id : std::get<package::ReleaseStep>(step).values)
    forget(id);
  return Status::success();
}

/// What a value is, tensor or not.
Status ProgramRunner::Frame::held(ValueId id, OpValue &value) {
  const Entry &entry = entries_[id];
  if (entry.set && !entry.tensor) { // a number, or an absent result
    value = entry.own;
    return Status::success();
  }
  const Tensor *found = nullptr;
  Status status = tensor(id, found);
  if (status) {
    value = *found;
    return status;
  }
  if (!entry.set)
    return status;
  value = entry.own; // an input that is no tensor
  return Status::success();
}

Status ProgramRunner::Frame::argument(const Argument &argument,
                                      OpValue &value) {
  const auto &v = argument.value;
  if (auto *ref = std::get_if<Argument::TensorRef>(&v))
    return held(ref->value, value);
  if (auto *ref = std::get_if<Argument::ExprRef>(&v)) {
    Cell result;
    if (Status s = cell(ref->expr, result); !s)
      return s;
    value = exprValue(ref->expr, result);
    return Status::success();
  }
  if (auto *ref = std::get_if<Argument::ScalarRef>(&v))
    return number(ref->value, value);
  if (auto *list = std::get_if<Argument::List>(&v)) {
    OpValue::List values(list->size());
    for (size_t i = 0; i < list->size(); ++i)
      if (Status s = this->argument((*list)[i], values[i]); !s)
        return s;
    value = std::move(values);
    return Status::success();
  }
  if (auto *b = std::get_if<bool>(&v))
    value = *b;
  else if (auto *i = std::get_if<int64_t>(&v))
    value = *i;
  else if (auto *f = std::get_if<double>(&v))
    value = *f;
  else if (auto *s = std::get_if<std::string>(&v))
    value = *s;
  else if (auto *dtype = std::get_if<Argument::DTypeRef>(&v))
    value = dtype->dtype;
  else if (auto *complex = std::get_if<std::complex<double>>(&v))
    value = *complex;
  else
    value = OpValue();
  return Status::success();
}

/// What a call returns may be what it was given, or a view of it (a conversion
/// that changes nothing). The plan of the arena only knows the argument, whose
/// place it uses again, so such a result gets memory of its own.
Status ProgramRunner::Frame::leaveArena(OpValue &value) const {
  auto *tensor = std::get_if<Tensor>(&value.value);
  if (!tensor || !tensor->defined() || tensor->storage() != arena_)
    return Status::success();
  auto copy = tensor->clone();
  if (!copy)
    return copy.takeError();
  value = OpValue(std::move(*copy));
  return Status::success();
}

/// Operators read bytes of the host.
Status ProgramRunner::Frame::toHost(OpValue &value) {
  if (auto *list = std::get_if<OpValue::List>(&value.value)) {
    for (OpValue &element : *list)
      if (Status s = toHost(element); !s)
        return s;
    return Status::success();
  }
  auto *tensor = std::get_if<Tensor>(&value.value);
  if (!tensor || !tensor->isOnDevice())
    return Status::success();
  auto host = tensor->toHost();
  if (!host)
    return host.takeError();
  if (options_.stats)
    ++options_.stats->hostArguments;
  value = OpValue(std::move(*host));
  return Status::success();
}

/// `foo_` overloads; see Operator.h.
static bool writesItsArgument(const std::string &overload) {
  size_t name = overload.find('.');
  size_t end = name == std::string::npos ? name : overload.find('.', name + 1);
  return end != std::string::npos && overload[end - 1] == '_';
}

/// What an operator has written to the host's copy of its first argument, and returns,
/// is the argument itself.
static Status takeBack(const OpValue &copy, const OpValue &argument,
                       std::vector<OpValue> &results) {
  auto *written = std::get_if<Tensor>(&copy.value);
  auto *target = std::get_if<Tensor>(&argument.value);
  if (!written || !target || !target->isOnDevice())
    return Status::success();
  auto *result =
      results.empty() ? nullptr : std::get_if<Tensor>(&results[0].value);
  if (result && result->defined() && sameView(*result, *written))
    results[0] = argument;
  return copyElements(*written, *target);
}

Error describeCall(const package::ExternStep &step, const Error &error) {
  Error result = error.withContext(step.overload);
  if (!step.location.empty())
    result.message += " (at " + step.location + ")";
  return result;
}

Status ProgramRunner::Frame::call(const package::ExternStep &step,
                                  const OpFunction &function) {
  auto located = [&](const Error &error) { return describeCall(step, error); };
  OpArguments arguments(step.arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i)
    if (Status s = argument(step.arguments[i], arguments[i]); !s)
      return located(s.error());
  OpValue first = device() && !arguments.empty() ? arguments[0] : OpValue();
  for (size_t i = 0; device() && i < arguments.size(); ++i)
    if (Status s = toHost(arguments[i]); !s)
      return located(s.error());
  auto results = function(arguments);
  if (!results)
    return located(results.error());
  if (device() && writesItsArgument(step.overload))
    if (Status s = takeBack(arguments[0], first, *results); !s)
      return located(s.error());
  if (options_.stats)
    options_.stats->addExtern(step.overload, step.reason);
  if (results->size() < step.results.size())
    return located(Error::internal(
        "expected " + std::to_string(step.results.size()) +
        " results, found " + std::to_string(results->size())));
  for (size_t i = 0; i < step.results.size(); ++i) {
    if (step.results[i] == kNone)
      continue;
    if (Status s = leaveArena((*results)[i]); !s)
      return located(s.error());
    if (Status s = assign(step.results[i], std::move((*results)[i])); !s)
      return located(s.error());
  }
  return Status::success();
}

Status ProgramRunner::Frame::define(const package::DefineSymbolStep &step) {
  const package::Symbol &symbol = program_.symbols[step.symbol];
  Cell value;
  if (step.dim != kNone) {
    const Tensor *held = nullptr;
    if (Status s = tensor(step.value, held); !s)
      return s;
    if (step.dim >= held->sizes().size())
      return Error::malformed("symbol '" + symbol.name +
                              "': expected a tensor with dimension " +
                              std::to_string(step.dim) + ", found " +
                              held->typeString());
    value = Cell::ofInteger(held->sizes()[step.dim]);
  } else {
    OpValue found;
    if (Status s = number(step.value, found); !s)
      return s.error().withContext("symbol '" + symbol.name + "'");
    if (auto *i = std::get_if<int64_t>(&found.value))
      value = Cell::ofInteger(*i);
    else if (auto *b = std::get_if<bool>(&found.value))
      value = Cell::ofInteger(*b);
    else if (auto *f = std::get_if<double>(&found.value))
      value = Cell::ofFloat(*f);
    else
      return Error::unsupported("symbol '" + symbol.name +
                                "': expected a real number, found a complex "
                                "one");
    if (symbol.isFloat)
      value = Cell::ofFloat(value.asDouble());
    else if (!value.isInteger())
      return Error::malformed("symbol '" + symbol.name +
                              "': expected an integer, found a float");
  }
  if (value.isInteger() &&
      (value.integer < symbol.min || value.integer > symbol.max))
    return Error::guard("symbol '" + symbol.name +
                        "' is out of range. expected " +
                        std::to_string(symbol.min) + " to " +
                        std::to_string(symbol.max) + ", actual " +
                        std::to_string(value.integer));
  symbols_[step.symbol] = value;
  for (uint32_t expr : plan_.exprsOfSymbol[step.symbol])
    cells_[expr] = Cell();
  return Status::success();
}

// --- After the steps -------------------------------------------------------

Status ProgramRunner::Frame::outputs(std::vector<OpValue> &results) {
  results.resize(program_.outputs.size());
  // Nothing has to be written back where all that changes was changed in place, and no
  // other result may share memory with it.
  bool isInPlace = !plan_.mayReturnInputs;
  for (size_t i = 0; i < results.size(); ++i) {
    const Output &output = program_.outputs[i];
    bool isInput = output.aliasOfSlot != kNone && options_.writeBack;
    if (isMutation(output.role)) {
      isInput &= plan_.isUpdate[i] && !isCopied(output.value);
      isInPlace &= isInput;
    }
    if (Status s = this->output(output, isInput, results[i]); !s)
      return s.error().withContext("output " + std::to_string(i));
  }
  if (plan_.mutates && options_.writeBack && !isInPlace)
    if (Status s = writeBack(results); !s)
      return s;
  if (options_.weightsVersion)
    protectWeights(results);
  return Status::success();
}

/// One result, which is an input if that was given: one that was left out lies in the
/// package.
Status ProgramRunner::Frame::output(const Output &output, bool isInput,
                                    OpValue &result) {
  switch (output.kind) {
  case Output::Kind::Tensor:
    if (!isInput || !isGiven((*inputs_)[output.aliasOfSlot]))
      return held(output.value, result);
    result = (*inputs_)[output.aliasOfSlot];
    return Status::success();
  case Output::Kind::Expr: {
    Cell value;
    if (Status s = cell(output.expr, value); !s)
      return s;
    result = exprValue(output.expr, value);
    return Status::success();
  }
  case Output::Kind::Constant:
    result = constantValue(output.constant);
    return Status::success();
  case Output::Kind::Scalar:
    return number(output.value, result);
  }
  return Status::success();
}

/// Memory of the weights that this program does not change.
std::unordered_set<const Storage *>
ProgramRunner::Frame::getUnchangedWeights() const {
  using Kind = package::Slot::Kind;
  std::vector<bool> changes(program_.slots.size());
  for (const Output &output : program_.outputs)
    if (isMutation(output.role))
      changes[output.aliasOfSlot] = true;
  std::unordered_set<const Storage *> weights;
  for (size_t i = 0; i < program_.slots.size(); ++i) {
    Kind kind = program_.slots[i].kind;
    auto *held = std::get_if<Tensor>(&(*inputs_)[i].value);
    if (held && held->defined() && !changes[i] &&
        (kind == Kind::Parameter || kind == Kind::Buffer ||
         kind == Kind::Constant))
      weights.insert(held->storage().get());
  }
  return weights;
}

/// Where versions of weights are counted, nobody may change one unnoticed: a
/// result that is a weight or a view of one is to be read alone.
void ProgramRunner::Frame::protectWeights(std::vector<OpValue> &results) const {
  std::optional<std::unordered_set<const Storage *>> weights;
  for (size_t i = 0; i < results.size(); ++i) {
    const Output &output = program_.outputs[i];
    auto *tensor = std::get_if<Tensor>(&results[i].value);
    if (!tensor || !tensor->defined() || tensor->storage()->readOnly() ||
        isMutation(output.role) || output.kind != Output::Kind::Tensor)
      continue;
    // Memory of this call is nobody's weight.
    package::Value::Kind root = program_.values[plan_.root[output.value]].kind;
    if (root != package::Value::Kind::Slot &&
        root != package::Value::Kind::Dynamic)
      continue;
    if (!weights)
      weights = getUnchangedWeights();
    if (weights->count(tensor->storage().get()))
      results[i] = readOnlyView(*tensor);
  }
}

Status ProgramRunner::Frame::checkWritable() const {
  for (const Output &output : program_.outputs) {
    if (!isMutation(output.role))
      continue;
    const auto *target =
        std::get_if<Tensor>(&(*inputs_)[output.aliasOfSlot].value);
    const std::string &name = program_.slots[output.aliasOfSlot].name;
    if (!target || !target->defined())
      return Error::guard("expected '" + name +
                          "' to be a tensor, since the program writes to it");
    if (target->storage()->readOnly())
      return Error::usage("the program writes to '" + name +
                          "', whose storage is read-only; pass a copy");
  }
  return Status::success();
}

/// All new contents exist before the first write. What still shares storage
/// with a tensor that is about to change (an old value that is returned, or two
/// inputs that swap contents) is copied first.
Status ProgramRunner::Frame::writeBack(std::vector<OpValue> &results) {
  std::unordered_set<const Storage *> written;
  for (const Output &output : program_.outputs)
    if (isMutation(output.role))
      written.insert(std::get<Tensor>((*inputs_)[output.aliasOfSlot].value)
                         .storage()
                         .get());
  for (size_t i = 0; i < results.size(); ++i) {
    const Output &output = program_.outputs[i];
    auto *tensor = std::get_if<Tensor>(&results[i].value);
    if (!tensor || !tensor->defined() ||
        !written.count(tensor->storage().get()))
      continue;
    if (output.aliasOfSlot != kNone &&
        (!isMutation(output.role) ||
         sameView(*tensor, std::get<Tensor>(
                               (*inputs_)[output.aliasOfSlot].value))))
      continue;
    auto copy = tensor->clone();
    if (!copy)
      return copy.takeError();
    results[i] = std::move(*copy);
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const Output &output = program_.outputs[i];
    if (!isMutation(output.role))
      continue;
    const Tensor &target =
        std::get<Tensor>((*inputs_)[output.aliasOfSlot].value);
    auto *contents = std::get_if<Tensor>(&results[i].value);
    if (!contents || !contents->defined())
      return Error::internal("new contents of '" +
                             program_.slots[output.aliasOfSlot].name +
                             "' are not a tensor");
    if (!sameView(*contents, target)) {
      if (Status s = copyElements(*contents, target); !s)
        return s.error().withContext(
            "new contents of '" + program_.slots[output.aliasOfSlot].name +
            "'");
      if (options_.stats)
        ++options_.stats->copies;
    }
    results[i] = target;
  }
  return Status::success();
}

} // namespace kiln::runtime
