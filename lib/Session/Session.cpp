//===- Session.cpp - A model, its compiled variants and its cache ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Session/Session.h"

#include "VariantLog.h"
#include "VariantStore.h"

#include "kiln/Eager/Registry.h"
#include "kiln/Runtime/OperatorLibrary.h"
#include "kiln/Runtime/ReadOnly.h"
#include "kiln/RuntimeCUDA/CudaDevice.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

using namespace kiln;
using namespace kiln::session;
using runtime::OpValue;
using runtime::Tensor;

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

Session::Session(archive::SourcePtr source, SessionOptions options)
    : source_(std::move(source)), options_(std::move(options)),
      pool_(std::make_unique<runtime::ThreadPool>(options_.threads)),
      slots_(std::make_unique<SlotTable>(source_->program.get(),
                                         !options_.optimizer.empty())),
      variants_(std::make_unique<VariantStore>(source_, options_, registry_,
                                               *pool_, *slots_)) {}

Session::~Session() = default;

/// Operators of one's own. A package depends on the names that may be called
/// and on what the plugins hold.
Status Session::loadLibraries() {
  for (const std::string &path : options_.operatorLibraries) {
    auto names = runtime::loadOperatorLibrary(path, registry_);
    if (!names)
      return names.takeError();
    options_.operators.insert(options_.operators.end(), names->begin(),
                              names->end());
  }
  std::sort(options_.operators.begin(), options_.operators.end());
  for (const std::string &path : options_.dialectPlugins) {
    auto plugin = runtime::describePlugin(path);
    if (!plugin)
      return plugin.takeError();
    options_.plugins.push_back(std::move(*plugin));
  }
  return Status::success();
}

/// What to compile for a GPU of this instruction set, times ten.
static Result<std::string> getTarget(const runtime::Device &device) {
  static constexpr std::pair<unsigned, const char *> kTargets[] = {
      {120, "sm_120"}, {100, "sm_100"}, {91, "sm_90"}, {90, "sm_90a"},
      {89, "sm_89"},   {80, "sm_80"},   {75, "sm_75"}};
  for (auto [capability, target] : kTargets)
    if (device.capability() >= capability)
      return std::string(target);
  return Error::unsupported(device.name() + " is a GPU of sm_" +
                            std::to_string(device.capability()) +
                            "; expected sm_75 or later");
}

Status Session::openDevice() {
  const std::string &name = options_.device;
  bool isForGPU = options_.target.compare(0, 3, "sm_") == 0;
  if (name == "cpu" && isForGPU)
    return Error::usage("the target '" + options_.target +
                        "' is a GPU; expected --device=cuda");
  if (name == "cpu")
    return Status::success();
  cuda::DeviceOptions options;
  if (name.compare(0, 5, "cuda:") == 0) {
    const char *begin = name.data() + 5, *end = name.data() + name.size();
    auto [at, error] = std::from_chars(begin, end, options.ordinal);
    if (error != std::errc() || at != end)
      return Error::usage("device '" + name + "': expected cpu or cuda[:N]");
  } else if (name != "cuda") {
    return Error::usage("device '" + name + "': expected cpu or cuda[:N]");
  }
  // Said before anything is compiled.
  if (options_.target != "native" && !isForGPU)
    return Error::usage("the target '" + options_.target +
                        "' is a processor; expected --device=cpu");
  if (options_.backend != Backend::Inductor)
    return Error::usage("backend " + wordOf(options_.backend) +
                        " calls functions of the processor; expected "
                        "--device=cpu or the backend inductor");
  const char *blocking = std::getenv("KILN_LAUNCH_BLOCKING");
  options.blockingLaunches = blocking && std::string_view(blocking) == "1";
  auto device = cuda::openDevice(options);
  if (!device)
    return device.takeError();
  device_ = std::move(*device);
  slots_->setDevice(device_);
  if (options_.target == "native" &&
      source_->form != archive::SourceForm::Package) {
    auto target = getTarget(*device_);
    if (!target)
      return target.takeError();
    options_.target = std::move(*target);
  }
  return Status::success();
}

/// Contents of weights, buffers and optimizer state, which the session has.
static bool isKept(package::Output::Role role) {
  using Role = package::Output::Role;
  return role == Role::ParameterMutation || role == Role::BufferMutation;
}

/// Brings results to the host, where who called expects them, but for what the session
/// keeps: that would be a copy of the whole model in each step of training.
Status Session::fetch(const package::Program &program,
                      std::vector<OpValue> &results) const {
  for (size_t i = 0; device_ && !keepResults_ && i < results.size(); ++i) {
    OpValue &result = results[i];
    if (isKept(program.outputs[i].role))
      result = OpValue();
    auto *tensor = std::get_if<Tensor>(&result.value);
    if (!tensor || !tensor->isOnDevice())
      continue;
    auto host = tensor->toHost();
    if (!host)
      return host.takeError();
    result = OpValue(std::move(*host));
  }
  return Status::success();
}

Status Session::fetch(runtime::TrainingResult &result) const {
  const auto &programs = lastVariant().package().programs;
  Status outputs = fetch(programs[0], result.outputs);
  return outputs ? fetch(programs[1], result.gradients) : outputs;
}

Result<std::unique_ptr<Session>> Session::open(const std::string &path,
                                               SessionOptions options) {
  auto source = archive::Source::open(path);
  return source ? open(std::move(*source), std::move(options))
                : Result<std::unique_ptr<Session>>(source.takeError());
}

Result<std::unique_ptr<Session>> Session::open(archive::SourcePtr source,
                                               SessionOptions options) {
  if (Status s = options.verify(); !s)
    return s.takeError();
  std::unique_ptr<Session> session(
      new Session(std::move(source), std::move(options)));
  if (Status s = eager::registerAll(session->registry_); !s)
    return s.takeError();
  if (Status s = session->loadLibraries(); !s)
    return s.takeError();
  if (Status s = session->openDevice(); !s)
    return s.takeError();
  if (Status s = session->slots_->bindWeights(); !s)
    return s.takeError();
  if (Status s = session->variants_->open(session->device_); !s)
    return s.takeError();
  if (session->options_.asPackaged) {
    const runtime::Executable &variant = session->function().variant(0);
    session->options_.training = variant.hasBackward();
    session->options_.optimizer = variant.package().facts.optimizer;
  }
  return session;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Status Session::prepareSlots(const std::vector<OpValue> &inputs) {
  if (Status s = variants_->lookUp(); !s)
    return s;
  return slots_->setInputs(inputs);
}

Result<std::vector<OpValue>>
Session::call(const std::vector<OpValue> &inputs) {
  if (Status s = prepareSlots(inputs); !s)
    return s.takeError();
  auto results = variants_->function().call(slots_->values());
  noteSkips();
  if (results)
    if (Status s = fetch(lastVariant().package().programs[0], *results); !s)
      return s.takeError();
  return results;
}

Result<std::vector<OpValue>>
Session::callShared(const std::vector<OpValue> &inputs) const {
  auto values = slots_->withInputs(inputs);
  if (!values)
    return values.takeError();
  const runtime::Executable *variant = nullptr;
  auto results = function().callShared(*values, variant);
  if (results)
    if (Status s = fetch(variant->package().programs[0], *results); !s)
      return s.takeError();
  return results;
}

bool Session::changesWeights() const {
  using Role = package::Output::Role;
  for (size_t i = 0; i < function().variantCount(); ++i)
    for (const package::Output &output :
         function().variant(i).package().programs.front().outputs)
      if (output.role == Role::BufferMutation ||
          output.role == Role::ParameterMutation)
        return true;
  return false;
}

Result<runtime::TrainingResult>
Session::callTraining(const std::vector<OpValue> &inputs,
                      const std::vector<OpValue> &tangents) {
  if (Status s = prepareSlots(inputs); !s)
    return s.takeError();
  auto result = variants_->function().callTraining(slots_->values(), tangents);
  noteSkips();
  if (result)
    if (Status s = fetch(*result); !s)
      return s.takeError();
  return result;
}

/// Each reason is told once.
void Session::noteSkips() {
  const auto &skips = function().stats().graphSkips;
  while (skipsTold_ < skips.size())
    logGraphSkip(skips[skipsTold_++].reason);
  const auto &products = function().stats().librarySkips;
  while (productsTold_ < products.size())
    logLibrarySkip(products[productsTold_++].reason);
}

Result<const runtime::Executable *>
Session::prepareFor(const std::vector<OpValue> &inputs) {
  if (Status s = prepareSlots(inputs); !s)
    return s.takeError();
  runtime::CompiledFunction &function = variants_->function();
  // A source without an archive is one variant, whose weights may come later.
  if (!program() && function.variantCount() != 0)
    return &function.variant(0);
  return function.prepare(slots_->values());
}

//===----------------------------------------------------------------------===//
// What a session knows
//===----------------------------------------------------------------------===//

const std::vector<UserInput> &Session::inputs() const {
  return slots_->inputs();
}

const std::vector<OpValue> &Session::slotValues() const {
  return slots_->values();
}

const runtime::CompiledFunction &Session::function() const {
  return variants_->function();
}

const runtime::Executable &Session::lastVariant() const {
  return function().variant(function().lastCall().variant);
}

const SessionStats &Session::stats() const { return variants_->stats(); }

const cache::Store *Session::store() const { return variants_->cache(); }

/// On the host, unless the device is lost: then there is none.
static Tensor onHost(const Tensor &tensor) {
  auto host = tensor.toHost();
  return host ? *host : Tensor();
}

Tensor Session::weight(const std::string &name) const {
  Tensor own = runtime::readOnlyView(onHost(slots_->weight(name)));
  if (own.defined() || program() || function().variantCount() == 0)
    return own;
  // Nobody has changed it since it was packaged.
  const runtime::Executable &variant = function().variant(0);
  for (const package::Slot &slot : variant.package().programs.front().slots)
    if (slot.path == name && slot.payload != package::kNone)
      return onHost(variant.constant(slot.payload));
  return own;
}

bool Session::isTied(const std::string &name, const std::string &other) const {
  return slots_->isTied(name, other);
}

Status Session::setWeight(const std::string &name, const Tensor &contents) {
  return slots_->setWeight(name, contents);
}

Status Session::checkWeight(const std::string &name,
                            const Tensor &contents) const {
  return slots_->checkWeight(name, contents);
}

std::vector<std::string> Session::missingWeights() const {
  return slots_->missingWeights();
}

Status Session::resetWeights() {
  if (!program())
    return Status::success();
  if (Status s = slots_->reset(); !s)
    return s;
  stepCount_ = 0;
  for (size_t i = 0; i < function().variantCount(); ++i)
    if (Status s = slots_->prepare(function().variant(i).package()); !s)
      return s;
  return Status::success();
}
