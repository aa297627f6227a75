//===- kiln-run.cpp - Run an exported program -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Benchmark.h"
#include "ToolMain.h"
#include "Training.h"

#include "common/Inputs.h"
#include "common/JsonWriter.h"
#include "common/Output.h"
#include "common/Values.h"

#include "kiln/Base/FileSystem.h"
#include "kiln/Runtime/MemoryUse.h"

#include <algorithm>
#include <cmath>
#include <deque>

using namespace kiln;
using namespace kiln::run;
using namespace kiln::tools;

namespace {
/// One run of the tool.
class Run {
public:
  explicit Run(Options options) : options_(std::move(options)) {}

  Result<int> main();

private:
  Status checkOutputs() const;
  Status openSession();
  Status readFiles();
  Status makeCalls();
  Status addCalls(const std::string &spec, const archive::IoFile *file);
  Status runCalls();
  Status writeOutputs(const Call &call, const CallResult &result,
                      size_t index) const;
  void check(const Call &call, const CallResult &result);
  void list(const CallResult &result);
  Status addSets(const Call &call, TimedCall &timed) const;
  Status measure();
  Status report();
  void print(const std::string &line) const;
  double maxRelativeError() const;

  Options options_;
  /// The io.json behind each --inputs, null for other kinds.
  std::deque<archive::IoFile> files_;
  std::vector<const archive::IoFile *> fileOf_;
  std::unique_ptr<session::Session> session_;
  std::vector<Call> calls_;
  std::vector<Checked> checks_;
  RunFacts facts_;
};
} // namespace

static bool isJson(const std::string &spec) {
  return spec.size() > 5 && spec.compare(spec.size() - 5, 5, ".json") == 0;
}

Status Run::readFiles() {
  for (const std::string &spec : options_.inputs) {
    fileOf_.push_back(nullptr);
    if (!isJson(spec)) {
      if (options_.check)
        return Error::usage("--check needs results; expected an io.json, found "
                            "--inputs=" + spec);
      if (options_.alt)
        return Error::usage("--alt is a set of an io.json, found --inputs=" +
                            spec);
      continue;
    }
    auto file = archive::loadIoFile(spec);
    if (!file)
      return file.takeError();
    files_.push_back(std::move(*file));
    fileOf_.back() = &files_.back();
    if (!files_.back().gradients || !options_.session.training ||
        options_.steps != 0)
      continue;
    std::vector<std::string> &wanted = options_.session.inputGradients;
    for (const archive::IoValue &input : files_.back().gradients->inputs)
      if (std::find(wanted.begin(), wanted.end(), input.path) == wanted.end())
        wanted.push_back(input.path);
  }
  if (options_.check && options_.inputs.empty())
    return Error::usage("--check needs results; expected --inputs=io.json");
  return Status::success();
}

Status Run::addCalls(const std::string &spec, const archive::IoFile *file) {
  if (!file) {
    bool random = spec.compare(0, 6, "random") == 0 &&
                  (spec.size() == 6 || spec[6] == ':' || spec[6] == ',');
    auto inputs = random ? randomInputs(*session_, spec)
                         : arrayInputs(*session_, spec);
    if (!inputs)
      return inputs.takeError();
    calls_.push_back({std::move(*inputs), nullptr, nullptr});
    return Status::success();
  }
  std::vector<const archive::IoSet *> sets = {&file->main};
  if (options_.alt) {
    if (file->alts.empty())
      return Error::usage("--alt: '" + spec + "' has no other set");
    sets = {&file->alts.front()};
  } else if (options_.benchmark != 0) {
    // An iteration is one call with each set.
    for (const archive::IoSet &alt : file->alts)
      sets.push_back(&alt);
  }
  for (const archive::IoSet *set : sets) {
    auto inputs = recordedInputs(*session_, *set);
    if (!inputs)
      return inputs.error().withContext("'" + spec + "'");
    calls_.push_back({std::move(*inputs), set, file});
  }
  return Status::success();
}

Status Run::makeCalls() {
  for (size_t i = 0; i < options_.inputs.size(); ++i)
    if (Status s = addCalls(options_.inputs[i], fileOf_[i]); !s)
      return s;
  if (!options_.inputs.empty())
    return Status::success();
  if (!session_->inputs().empty())
    return Error::usage("the model takes " +
                        std::to_string(session_->inputs().size()) +
                        " inputs; expected --inputs=io.json, .npy files or "
                        "random");
  calls_.emplace_back();
  return Status::success();
}

void Run::print(const std::string &line) const {
  // Standard output is the statistics' or the server's own.
  bool reserved =
      options_.serve || (options_.stats && isStandard(options_.statsFile));
  if (!reserved)
    tools::print(line + "\n");
}

static void addTo(const std::string &directory, const std::string &name,
                  const runtime::OpValue &value, Status &status) {
  if (!status)
    return;
  std::string file = name;
  for (char &c : file)
    if (c == '/' || c == '\\' || static_cast<unsigned char>(c) < 32)
      c = '_';
  status = writeNpy(directory + "/" + file, value);
}

Status Run::writeOutputs(const Call &call, const CallResult &result,
                         size_t index) const {
  std::string directory = options_.outputs;
  if (calls_.size() > 1)
    directory += "/call_" + std::to_string(index);
  if (Status s = createDirectories(directory, 0755); !s)
    return s;
  using Role = package::Output::Role;
  Status status;
  size_t next = 0;
  for (const CallOutput &output : result.outputs)
    switch (output.role) {
    case Role::BufferMutation:
    case Role::ParameterMutation:
      addTo(directory, "state_" + output.target,
            output.value.isNone()
                ? runtime::OpValue(session_->weight(output.target))
                : output.value,
            status);
      break;
    case Role::InputMutation:
      for (size_t i = 0; i < call.inputs.size(); ++i)
        if (session_->inputs()[i].name == output.target)
          addTo(directory, "input_" + output.target, call.inputs[i], status);
      break;
    case Role::Saved:
    case Role::Token:
      break;
    default:
      addTo(directory, "out_" + std::to_string(next++), output.value, status);
    }
  for (const CallOutput &gradient : result.gradients)
    addTo(directory, "grad_" + gradient.target, gradient.value, status);
  return status;
}

void Run::check(const Call &call, const CallResult &result) {
  CheckOptions options;
  options.rtol = options_.rtol;
  options.atol = options_.atol;
  options.values = !call.file->isRandom;
  std::vector<Checked> checks =
      checkCall(*session_, call.inputs, result, *call.expected, options);
  // Gradients are those of the main set.
  if (options_.session.training && call.file->gradients &&
      call.expected == &call.file->main)
    for (Checked &checked :
         checkGradients(*session_, result, *call.file->gradients, options))
      checks.push_back(std::move(checked));
  for (Checked &checked : checks) {
    char errors[96];
    std::snprintf(errors, sizeof(errors), "max abs err %.3g, max rel err %.3g",
                  checked.result.maxAbsErr, checked.result.maxRelErr);
    if (options_.check)
      print(checked.name + ": " + checked.type + " " +
            (checked.result.ok ? "ok, " + std::string(errors)
                               : "differs: " + checked.result.message));
    checks_.push_back(std::move(checked));
  }
}

void Run::list(const CallResult &result) {
  size_t next = 0;
  auto add = [&](std::string name, const runtime::OpValue &value) {
    Checked checked;
    checked.name = std::move(name);
    checked.type = describe(value);
    if (const auto *tensor = std::get_if<runtime::Tensor>(&value.value);
        tensor && tensor->defined()) {
      checked.dtype = tensor->dtype();
      checked.sizes = tensor->sizes();
    }
    print(checked.name + ": " + checked.type);
    checks_.push_back(std::move(checked));
  };
  for (const CallOutput &output : result.outputs)
    if (output.role == package::Output::Role::UserOutput ||
        output.role == package::Output::Role::Loss)
      add("out_" + std::to_string(next++), output.value);
  for (const CallOutput &gradient : result.gradients)
    add("grad:" + gradient.target, gradient.value);
}

Status Run::runCalls() {
  for (size_t i = 0; i < calls_.size(); ++i) {
    const Call &call = calls_[i];
    const std::vector<archive::IoValue> *tangents =
        call.file && call.file->gradients && call.expected == &call.file->main
            ? &call.file->gradients->tangents
            : nullptr;
    runtime::resetMemoryPeak();
    int64_t before = runtime::memoryUse().currentBytes;
    auto result = runCall(*session_, call.inputs, options_.session.training,
                          tangents);
    if (!result)
      return result.takeError();
    facts_.calls.push_back(session_->function().lastCall());
    facts_.measuredPeakBytes =
        std::max(facts_.measuredPeakBytes,
                 runtime::memoryUse().peakBytes - before);
    if (i == 0) {
      facts_.firstResultSeconds = processSeconds();
      facts_.memory = memoryNeed(*session_);
    }
    if (call.expected && (options_.check || options_.serve))
      check(call, *result);
    else
      list(*result);
    if (!options_.outputs.empty())
      if (Status s = writeOutputs(call, *result, i); !s)
        return s;
  }
  return Status::success();
}

double Run::maxRelativeError() const {
  double most = 0;
  for (const Checked &checked : checks_)
    most = std::isnan(checked.result.maxRelErr)
               ? HUGE_VAL
               : std::max(most, checked.result.maxRelErr);
  return most;
}

/// The inputs of a call; on a device as many copies as its io.json wants.
Status Run::addSets(const Call &call, TimedCall &timed) const {
  size_t count = session_->device() && call.file ? call.file->rotate : 1;
  for (size_t i = 0; i < count; ++i) {
    timed.sets.push_back(call.inputs);
    for (runtime::OpValue &input : timed.sets.back())
      if (Status s = placeOnDevice(*session_, input); !s)
        return s;
  }
  return Status::success();
}

Status Run::measure() {
  bool training = options_.session.training;
  // Calls that are timed neither copy their inputs nor wait for their results.
  session_->keepResultsOnDevice(true);
  std::vector<TimedCall> timed;
  for (const Call &call : calls_) {
    timed.emplace_back();
    if (Status s = addSets(call, timed.back()); !s)
      return s;
    if (!training || !call.file || !call.file->gradients ||
        call.expected != &call.file->main)
      continue;
    auto tangents = makeTangents(*session_, call.inputs,
                                 &call.file->gradients->tangents);
    if (!tangents)
      return tangents.takeError();
    for (runtime::OpValue &tangent : *tangents)
      if (Status s = placeOnDevice(*session_, tangent); !s)
        return s;
    timed.back().tangents = std::move(*tangents);
  }
  if (options_.serve) {
    JsonWriter json;
    json.beginObject().key("ready").flag(true);
    json.key("first_result_s").real(facts_.firstResultSeconds);
    json.key("max_rel_err").real(maxRelativeError()).endObject();
    tools::print(json.str() + "\n");
    std::fflush(stdout);
    return serve(*session_, training, timed);
  }
  auto seconds = timeCalls(*session_, training, timed, options_.benchmark);
  if (!seconds)
    return seconds.takeError();
  bool silent = options_.stats && isStandard(options_.statsFile);
  return silent ? Status::success()
                : printBenchmark(*session_, *seconds,
                                 files_.empty() ? "" : files_.front().path);
}

Status Run::report() {
  if (options_.timing) {
    const session::SessionStats &stats = session_->stats();
    char line[160];
    std::snprintf(line, sizeof(line),
                  "load %.3f ms, compile %.3f ms, first result after %.3f ms",
                  facts_.loadSeconds * 1e3, stats.compileSeconds * 1e3,
                  facts_.firstResultSeconds * 1e3);
    print(line);
    if (!stats.timing.empty())
      print("stages (ms): " + stats.timing);
  }
  if (!options_.stats)
    return Status::success();
  std::string json = statsJson(options_, *session_, facts_, checks_) + "\n";
  return writeOutput(options_.statsFile, ByteView(std::string_view(json)));
}

/// What the run is asked to write, before it takes minutes to get there.
Status Run::checkOutputs() const {
  if (options_.stats)
    if (Status s = checkOutput(options_.statsFile); !s)
      return s;
  if (!options_.outputs.empty())
    if (Status s = createDirectories(options_.outputs, 0755); !s)
      return s;
  return options_.checkpoint.empty() ? Status::success()
                                     : checkOutput(options_.checkpoint);
}

Status Run::openSession() {
  auto start = std::chrono::steady_clock::now();
  archive::LoadOptions load;
  load.model = options_.model;
  auto source = openModel(options_.path, load);
  if (!source)
    return source.takeError();
  // The driver of a GPU needs as much memory as the compiler when it has gone.
  options_.session.releaseCompiler = options_.session.device != "cpu";
  auto session = session::Session::open(std::move(*source), options_.session);
  if (!session)
    return session.takeError();
  session_ = std::move(*session);
  facts_.loadSeconds = std::chrono::duration<double>(
                           std::chrono::steady_clock::now() - start)
                           .count();
  return Status::success();
}

Result<int> Run::main() {
  if (Status s = checkOutputs(); !s)
    return s.takeError();
  if (Status s = readFiles(); !s)
    return s.takeError();
  if (Status s = openSession(); !s)
    return s.takeError();
  // Before the inputs: weights that are missing are said before large inputs are
  // drawn. Training may find its weights in a checkpoint.
  if (options_.steps == 0)
    if (Status s = prepareWeights(options_, *session_); !s)
      return s.takeError();
  if (Status s = makeCalls(); !s)
    return s.takeError();
  if (options_.steps != 0) {
    Status s = train(options_, *session_, calls_, facts_,
                     [this](const std::string &line) { print(line); });
    if (s)
      s = report();
    return s ? Result<int>(0) : Result<int>(s.takeError());
  }
  if (Status s = runCalls(); !s)
    return s.takeError();
  if (options_.benchmark != 0)
    if (Status s = measure(); !s)
      return s.takeError();
  if (Status s = report(); !s)
    return s.takeError();
  std::string failure = options_.check ? firstFailure(checks_) : "";
  if (!failure.empty())
    return Error{ErrorKind::CheckFailed, failure};
  return 0;
}

static int runModel(int argc, char **argv) {
  auto options = parseOptions(argc, argv);
  if (!options)
    return reportError("kiln-run", options.error());
  if (options->printedAbout)
    return 0;
  auto code = Run(std::move(*options)).main();
  return code ? *code : reportError("kiln-run", code.error());
}

int run::toolMain(int argc, char **argv) {
  return runTool("kiln-run", [&] { return runModel(argc, argv); });
}
