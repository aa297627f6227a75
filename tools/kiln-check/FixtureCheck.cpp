//===- FixtureCheck.cpp - Exported programs against stored values ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include "common/Calls.h"
#include "common/Inputs.h"

#include "kiln/Compiler/CompilerSession.h"
#include "kiln/RuntimeCUDA/CudaDevice.h"

#include <algorithm>
#include <charconv>
#include <chrono>

using namespace kiln;
using namespace kiln::check;
using runtime::OpValue;

/// What compiling spent since the last case ended, by stage.
static std::map<std::string, double> &stageTimes() {
  static std::map<std::string, double> times;
  return times;
}

session::SessionOptions check::sessionOptions(const Config &config,
                                              bool training) {
  session::SessionOptions options;
  static_cast<CompileOptions &>(options) = config.compile;
  options.training = training;
  options.verifyEach = true;
  options.threads = config.threads;
  // Operators of the other backends are on the host alone.
  if (options.backend == Backend::Inductor)
    options.device = config.device;
  if (config.dynamic)
    options.dynamic = Dynamic::True;
  // One compiler per process: it keeps the code generators of its targets.
  static compiler::CompilerSession compilerSession;
  options.compiler =
      [](const archive::Source &source,
         const CompileOptions &wanted) -> Result<package::Package> {
    auto package = compilerSession.compile(source, wanted);
    for (const compiler::StageTime &time : compilerSession.times())
      if (time.stage != "native") // its parts are counted
        stageTimes()[time.stage.substr(0, time.stage.find(' '))] +=
            time.milliseconds;
    for (const compiler::StageTime &time : compilerSession.nativeTimes())
      stageTimes()["native." + time.stage] += time.milliseconds;
    return package;
  };
  return options;
}

void check::addStats(const session::Session &session, const Config &config,
                     Outcome &outcome) {
  const runtime::RunStats &stats = session.function().stats();
  outcome.compileSeconds += session.stats().compileSeconds;
  outcome.runSeconds += stats.seconds;
  outcome.launches += static_cast<unsigned>(stats.kernels);
  for (const auto &calls : stats.externs)
    if (!calls.reason.empty())
      outcome.fallbacks.push_back(calls.op + ": " + calls.reason);
    else if (config.device != "cpu") // arguments are copied to the host
      outcome.fallbacks.push_back(calls.op + ": called on the host");
  outcome.stages = std::move(stageTimes());
  stageTimes().clear();
  if (session.function().variantCount() == 0)
    return;
  const package::Package &package = session.function().variant(0).package();
  for (const package::Reason &reason : package.reasons)
    if (package::identify(reason) == package::ReasonId::FixedSize)
      outcome.fixedSizes.push_back(std::string(reason.get("Reason")));
  outcome.hasSymbols = !package.programs.front().symbols.empty();
}

std::shared_ptr<runtime::Device> check::findDevice(const Config &config) {
  if (config.device == "cpu")
    return nullptr;
  cuda::DeviceOptions options;
  const std::string &name = config.device; // "cuda:1"
  size_t number = std::min(name.find(':') + 1, name.size());
  std::from_chars(name.data() + number, name.data() + name.size(),
                  options.ordinal);
  auto device = cuda::openDevice(options);
  return device ? *device : nullptr;
}

bool check::isDeviceWorking(const Config &config) {
  if (config.device == "cpu")
    return true;
  auto device = findDevice(config);
  return device && device->synchronize();
}

Outcome check::outcomeOf(const Error &error) {
  Outcome outcome;
  outcome.kind = error.kind == ErrorKind::Unsupported ? Outcome::Unsupported
                                                      : Outcome::Failed;
  outcome.text = error.message;
  return outcome;
}

static Outcome failed(std::string text) {
  Outcome outcome;
  outcome.kind = Outcome::Failed;
  outcome.text = std::move(text);
  return outcome;
}

static std::string lowered(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// Empty if the refusal is the expected one.
static std::string compareRefusal(const Error &error, int exitCode,
                                  const std::string &reason) {
  if (error.exitCode() != exitCode)
    return "refused with exit code " + std::to_string(error.exitCode()) +
           ", expected " + std::to_string(exitCode) + ": " + error.message;
  std::string message = lowered(error.message), words = lowered(reason);
  for (size_t at = 0; at < words.size();) {
    size_t end = std::min(words.find(' ', at), words.size());
    std::string word = words.substr(at, end - at);
    if (message.find(word) == std::string::npos)
      return "the refusal does not mention '" + word + "': " + error.message;
    at = end + 1;
  }
  return "";
}

namespace {
/// One archive and what it is compared with.
class ArchiveCheck {
public:
  ArchiveCheck(const Item &item, const Config &config)
      : item_(item), expectation_(item.expectation), config_(config) {}

  Outcome run();

private:
  Result<std::unique_ptr<session::Session>> open(bool training) const;
  const archive::IoSet *find(const std::string &set) const;
  Outcome runRefused() const;
  std::string runSet(session::Session &session, const archive::IoSet &set,
                     const std::string &name, Outcome &outcome) const;
  std::string runRefusedSet(session::Session &session,
                            const archive::RefusedSet &refused) const;
  Outcome runGradients() const;
  tools::CheckOptions checkOptions() const;

  const Item &item_;
  const archive::Expectation &expectation_;
  const Config &config_;
  archive::IoFile io_;
};
} // namespace

Result<std::unique_ptr<session::Session>>
ArchiveCheck::open(bool training) const {
  archive::LoadOptions load;
  load.model = item_.model;
  auto source = archive::Source::open(item_.file, load);
  if (!source)
    return source.takeError();
  session::SessionOptions options = sessionOptions(config_, training);
  if (training && io_.gradients)
    for (const archive::IoValue &input : io_.gradients->inputs)
      options.inputGradients.push_back(input.path);
  return session::Session::open(std::move(*source), std::move(options));
}

const archive::IoSet *ArchiveCheck::find(const std::string &set) const {
  if (set == "main")
    return &io_.main;
  if (set == "alt" && !io_.alts.empty())
    return &io_.alts.front();
  return nullptr;
}

tools::CheckOptions ArchiveCheck::checkOptions() const {
  tools::CheckOptions options;
  options.rtol = expectation_.rtol;
  options.atol = expectation_.atol;
  options.values = expectation_.comparesValues && !io_.isRandom;
  return options;
}

/// Refused when read, imported, compiled or called, whichever is natural.
Outcome ArchiveCheck::runRefused() const {
  auto refusal = [&]() -> Result<bool> {
    auto session = open(/*training=*/false);
    if (!session)
      return session.takeError();
    auto inputs = tools::recordedInputs(**session, io_.main);
    if (!inputs)
      return inputs.takeError();
    auto result = tools::runCall(**session, *inputs, false, nullptr);
    if (!result)
      return result.takeError();
    return true;
  }();
  if (refusal)
    return failed("ran, expected a refusal with exit code " +
                  std::to_string(expectation_.exitCode) + " and '" +
                  expectation_.reason + "'");
  std::string text = compareRefusal(refusal.error(), expectation_.exitCode,
                                    expectation_.reason);
  return text.empty() ? Outcome() : failed(text);
}

std::string ArchiveCheck::runSet(session::Session &session,
                                 const archive::IoSet &set,
                                 const std::string &name,
                                 Outcome &outcome) const {
  auto fail = [&](const Error &error) {
    outcome.kind = outcomeOf(error).kind;
    return "set " + name + ": " + error.message;
  };
  // Each set was recorded with the state that the archive holds.
  if (Status s = session.resetWeights(); !s)
    return fail(s.error());
  auto inputs = tools::recordedInputs(session, set);
  if (!inputs)
    return fail(inputs.error());
  auto result = tools::runCall(session, *inputs, false, nullptr);
  if (!result)
    return fail(result.error());
  std::string text = tools::firstFailure(
      tools::checkCall(session, *inputs, *result, set, checkOptions()));
  if (text.empty())
    return "";
  outcome.kind = Outcome::Failed;
  return "set " + name + ": " + text;
}

std::string
ArchiveCheck::runRefusedSet(session::Session &session,
                            const archive::RefusedSet &refused) const {
  const archive::IoSet *set = find(refused.set);
  if (!set)
    return "the io file has no set '" + refused.set + "'";
  auto inputs = tools::recordedInputs(session, *set);
  if (!inputs)
    return inputs.error().message;
  auto result = tools::runCall(session, *inputs, false, nullptr);
  if (result)
    return "set " + refused.set + " ran, expected a refusal: " +
           refused.reason;
  std::string text =
      compareRefusal(result.error(), refused.exitCode, refused.reason);
  return text.empty() ? "" : "set " + refused.set + ": " + text;
}

Outcome ArchiveCheck::runGradients() const {
  if (!expectation_.hasGradients || !io_.gradients) {
    Outcome outcome;
    outcome.kind = Outcome::NotApplicable;
    outcome.text = "no gradients are stored";
    return outcome;
  }
  auto session = open(/*training=*/true);
  if (!session)
    return outcomeOf(session.error());
  auto inputs = tools::recordedInputs(**session, io_.main);
  if (!inputs)
    return outcomeOf(inputs.error());
  auto result =
      tools::runCall(**session, *inputs, true, &io_.gradients->tangents);
  if (!result)
    return outcomeOf(result.error());
  std::string text = tools::firstFailure(tools::checkCall(
      **session, *inputs, *result, io_.main, checkOptions()));
  if (text.empty())
    text = tools::firstFailure(
        tools::checkGradients(**session, *result, *io_.gradients,
                              checkOptions()));
  Outcome outcome = text.empty() ? Outcome() : failed(text);
  addStats(**session, config_, outcome);
  return outcome;
}

Outcome ArchiveCheck::run() {
  auto io = archive::loadIoFile(item_.folder + "/" + expectation_.io);
  if (io)
    io_ = std::move(*io);
  else if (expectation_.passes)
    return {Outcome::Unreadable, io.error().message};
  if (!expectation_.passes)
    return config_.gradients ? Outcome{Outcome::NotApplicable}
                             : runRefused();
  if (expectation_.outputsOverride)
    io_.main.outputs = *expectation_.outputsOverride;
  if (config_.gradients)
    return runGradients();
  auto session = open(/*training=*/false);
  if (!session)
    return outcomeOf(session.error());
  Outcome outcome;
  for (const std::string &name : expectation_.sets) {
    const archive::IoSet *set = find(name);
    if (!set)
      return failed("the io file has no set '" + name + "'");
    outcome.text = runSet(**session, *set, name, outcome);
    if (!outcome.text.empty())
      break;
  }
  if (outcome.text.empty())
    for (const archive::RefusedSet &refused : expectation_.refusedSets)
      if (outcome.text = runRefusedSet(**session, refused);
          !outcome.text.empty()) {
        outcome.kind = Outcome::Failed;
        break;
      }
  addStats(**session, config_, outcome);
  return outcome;
}

Outcome check::runArchive(const Item &item, const Config &config) {
  return ArchiveCheck(item, config).run();
}
