//===- CompiledFunction.cpp - A function with several compiled variants --===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Runtime/CompiledFunction.h"
#include "KnownInputs.h"

#include <chrono>
#include <utility>

namespace kiln::runtime {

namespace {

std::string joined(const std::vector<std::string> &lines) {
  std::string text;
  for (const std::string &line : lines)
    text += (text.empty() ? "" : "; ") + line;
  return text;
}

} // namespace

std::string recompileLog(const std::string &name,
                         const std::vector<std::string> &reasons) {
  std::string text = "Recompiling function " + name +
                     " triggered by the following guard failure(s):";
  for (const std::string &reason : reasons)
    text += "\n  - " + reason;
  return text;
}

CompiledFunction::CompiledFunction(const OperatorRegistry &registry,
                                   Options options)
    : registry_(registry), options_(std::move(options)),
      known_(std::make_unique<KnownInputs>()) {
  options_.run.stats = &stats_;
  options_.run.inputsChecked = true;
}

CompiledFunction::~CompiledFunction() = default;

Status CompiledFunction::addVariant(package::Package package) {
  auto executable = Executable::load(std::move(package), registry_,
                                     options_.device, options_.deviceCode);
  if (!executable)
    return executable.takeError();
  variants_.push_back(std::move(*executable));
  std::vector<bool> own;
  for (const auto &variant : variants_)
    variant->guards().findOwn(own);
  *known_ = KnownInputs(std::move(own));
  knownVariant_ = -1;
  return Status::success();
}

/// The first variant that fits, or null; `record` then has all reasons.
Executable *CompiledFunction::find(const std::vector<OpValue> &inputs,
                                   CallRecord &record) const {
  std::string failure;
  for (size_t i = 0; i < variants_.size(); ++i) {
    if (variants_[i]->guards().check(inputs, failure)) {
      record.variant = static_cast<int>(i);
      record.reasons.clear();
      return variants_[i].get();
    }
    record.reasons.push_back(std::to_string(options_.id) + "/" +
                             std::to_string(i) + ": " + failure);
  }
  return nullptr;
}

/// True if `knownVariant_` is the first that fits these inputs, too. Guards of it and of those
/// before it see something else only if sizes, strides or numbers are others, or if one is about
/// memory of inputs that some of them share.
bool CompiledFunction::isKnown(const std::vector<OpValue> &inputs) {
  const int variant = std::exchange(knownVariant_, -1);
  const bool shared = known_->overlaps();
  known_->update(inputs);
  if (known_->hasSameLayouts() &&
      (known_->changed().empty() || (!shared && !known_->overlaps())))
    knownVariant_ = variant;
  return knownVariant_ >= 0;
}

Error CompiledFunction::noVariant(const CallRecord &record) const {
  return Error::guard("function '" + options_.name +
                      "' has no variant for its inputs, guard failure(s): " +
                      joined(record.reasons));
}

Result<Executable *>
CompiledFunction::select(const std::vector<OpValue> &inputs,
                         CallRecord &record) {
  if (isKnown(inputs)) {
    record.variant = knownVariant_;
    return variants_[static_cast<size_t>(knownVariant_)].get();
  }
  if (Executable *found = find(inputs, record)) {
    knownVariant_ = record.variant;
    return found;
  }
  if (!options_.recompile)
    return noVariant(record);
  if (limitReached())
    return Error::guard("function '" + options_.name +
                        "' reached its limit of " +
                        std::to_string(options_.limit) +
                        " variants, guard failure(s): " +
                        joined(record.reasons));
  record.recompiled = !variants_.empty();
  if (record.recompiled && options_.log)
    options_.log(recompileLog(options_.name, record.reasons));
  auto package = options_.recompile(inputs, record.reasons);
  if (!package)
    return package.takeError();
  if (Status s = addVariant(std::move(*package)); !s)
    return s.takeError();
  Executable *added = variants_.back().get();
  std::string failure;
  if (!added->guards().check(inputs, failure))
    return Error::guard("function '" + options_.name +
                        "': the inputs are outside of what the model allows, "
                        "guard failure: " + failure);
  record.variant = static_cast<int>(variants_.size() - 1);
  return added;
}

Result<const Executable *>
CompiledFunction::prepare(const std::vector<OpValue> &inputs) {
  CallRecord record;
  auto executable = select(inputs, record);
  if (!executable)
    return executable.takeError();
  if (record.recompiled)
    prepared_ = std::move(record);
  return *executable;
}

template <typename T, typename F>
Result<T> CompiledFunction::timed(const std::vector<OpValue> &inputs,
                                  F run) {
  CallRecord record;
  auto executable = select(inputs, record);
  if (executable && prepared_ && prepared_->variant == record.variant) {
    record = std::move(*prepared_);
    prepared_.reset();
  }
  Result<T> result = executable ? Result<T>(T()) : executable.error();
  if (executable) {
    auto begin = std::chrono::steady_clock::now();
    result = run(**executable);
    record.seconds = std::chrono::duration<double>(
                         std::chrono::steady_clock::now() - begin)
                         .count();
  }
  ++stats_.calls;
  stats_.seconds += record.seconds;
  lastCall_ = std::move(record);
  return result;
}

Result<std::vector<OpValue>>
CompiledFunction::call(const std::vector<OpValue> &inputs) {
  return timed<std::vector<OpValue>>(
      inputs, [&](Executable &executable) {
        return executable.forward().run(inputs, options_.run);
      });
}

Result<std::vector<OpValue>>
CompiledFunction::callShared(const std::vector<OpValue> &inputs,
                             const Executable *&variant) const {
  CallRecord record;
  Executable *executable = find(inputs, record);
  if (!executable)
    return noVariant(record);
  variant = executable;
  RunOptions options = options_.run;
  options.stats = nullptr;
  options.reuseOutputs = false;
  return executable->forward().run(inputs, options);
}

Result<TrainingResult>
CompiledFunction::callTraining(const std::vector<OpValue> &inputs,
                               const std::vector<OpValue> &tangents) {
  return timed<TrainingResult>(
      inputs, [&](Executable &executable) {
        return executable.runTraining(inputs, tangents, options_.run);
      });
}

} // namespace kiln::runtime
