//===- TrialCalls.cpp - The calls of a trial ------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TrialCalls.h"

#include "TrialInputs.h"
#include "Turns.h"

#include "kiln/Runtime/Compare.h"
#include "kiln/Runtime/Executable.h"
#include "kiln/RuntimeCUDA/CudaDevice.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>
#include <unistd.h>

using namespace kiln;
using namespace kiln::session;
using runtime::OpValue;
using runtime::Tensor;
using Clock = std::chrono::steady_clock;

/// A sample is long enough for the clock.
static constexpr double kSampleSeconds = 200e-6;
/// Most sets of inputs, and bytes of all of them; the same on a GPU, whose cache is
/// larger.
static constexpr size_t kMaxSets = 8, kMaxInputBytes = 256 << 20;
static constexpr size_t kMaxDeviceSets = 64, kMaxDeviceBytes = size_t(1) << 30;
/// Calls that a GPU is asked for before it begins, and how long it waits for them.
static constexpr double kMaxQueued = 100, kHoldSeconds = 0.05;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// The error that another order of sums may make, beside the largest element.
static double allowedError(DType dtype) {
  switch (dtype) {
  case DType::F64:
    return 1e-11;
  case DType::F32:
    return 1e-4;
  case DType::F16:
    return 5e-3;
  case DType::BF16:
    return 4e-2;
  default:
    return 0;
  }
}

/// True if the same bytes lie there, as they do for most candidates.
static bool isSame(const OpValue &got, const OpValue &want) {
  const auto *a = std::get_if<Tensor>(&got.value);
  const auto *b = std::get_if<Tensor>(&want.value);
  return a && b && a->defined() && b->defined() && a->dtype() == b->dtype() &&
         a->sizes() == b->sizes() && a->isContiguous() && b->isContiguous() &&
         a->numel() > 0 &&
         std::memcmp(a->data(), b->data(),
                     size_t(a->numel()) * itemSize(a->dtype())) == 0;
}

/// Empty if the results agree.
static std::string compare(const std::vector<OpValue> &got,
                           const std::vector<OpValue> &want) {
  if (got.size() != want.size())
    return "gives another number of results";
  for (size_t i = 0; i < got.size(); ++i) {
    if (isSame(got[i], want[i]))
      continue;
    const auto *tensor = std::get_if<Tensor>(&want[i].value);
    runtime::Tolerance tolerance =
        tensor ? runtime::defaultTolerance(tensor->dtype())
               : runtime::Tolerance();
    runtime::Comparison found =
        runtime::compareValues(got[i], want[i], tolerance);
    bool isClose = tensor && std::isfinite(found.maxAbsErr) &&
                   found.maxRelErr <= allowedError(tensor->dtype());
    if (!found.ok && !isClose)
      return "gives other numbers: " + found.message;
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {
class Caller {
public:
  Caller(const std::vector<std::vector<uint8_t>> &packages,
         const package::SymbolValues &symbols, const TrialOptions &options,
         std::shared_ptr<runtime::Device> device,
         const std::function<void(const TrialNote &)> &tell)
      : packages(packages), symbols(symbols), options(options), tell(tell),
        device(std::move(device)), pool(options.threads), executables(packages.size()) {
    run.pool = &pool;
    run.inputsChecked = true;
    run.weightsVersion = &weightsVersion;
    run.needsLibraries = true;
    // A device keeps results itself.
    run.reuseOutputs = !this->device;
    run.arena = &arena;
    run.scratch = &scratch;
    run.outputs = &outputs;
  }

  void loadTogether(const std::vector<package::Trial> &trials);
  /// False if the first package failed.
  Result<bool> check(uint32_t candidate);
  Status time();

private:
  void note(TrialNote::Kind kind, uint32_t candidate, double value,
            const std::string &text = "") const;
  Result<std::shared_ptr<runtime::Executable>> make(uint32_t candidate) const;
  Status load(uint32_t candidate);
  /// A call of the package's program, or of both, forward and backward.
  Result<std::vector<OpValue>> call(uint32_t candidate, const Inputs &set);
  Status spoilMemory();
  Status callFirst(uint32_t candidate);
  Status makeInputs(const package::Program &program);
  Result<Inputs> copyInputs() const;
  void copyMoreInputs();
  Result<unsigned> chooseCalls();
  Result<double> sample(uint32_t candidate, unsigned calls);
  Result<double> sampleOnDevice(uint32_t candidate, unsigned calls);

  const std::vector<std::vector<uint8_t>> &packages;
  const package::SymbolValues &symbols;
  const TrialOptions &options;
  const std::function<void(const TrialNote &)> &tell;
  std::shared_ptr<runtime::Device> device; ///< null: this processor
  runtime::OperatorRegistry registry;
  runtime::ThreadPool pool;
  runtime::RunOptions run;
  std::atomic<uint64_t> weightsVersion{1};
  /// Of all: memory of one's own would be in caches for who was called last.
  std::shared_ptr<runtime::Storage> arena, scratch;
  std::vector<std::shared_ptr<runtime::Storage>> outputs;
  std::vector<std::shared_ptr<runtime::Executable>> executables;
  std::vector<Inputs> inputs;
  Inputs hostInputs;      ///< where `inputs` are on a device
  size_t inputBytes = 0;  ///< of one set
  size_t deviceBytes = 0; ///< that a call needs besides: the most of all candidates
  std::vector<OpValue> results; ///< of the first package
  size_t next = 0;              ///< of the sets of inputs
  double firstSeconds = 0;
};
} // namespace

void Caller::note(TrialNote::Kind kind, uint32_t candidate, double value,
                  const std::string &text) const {
  TrialNote note;
  note.kind = kind;
  note.candidate = candidate;
  note.value = value;
  text.copy(note.text, sizeof(note.text) - 1);
  tell(note);
}

Result<std::shared_ptr<runtime::Device>>
session::openDevice(const TrialOptions &options) {
  if (options.device.empty())
    return std::shared_ptr<runtime::Device>();
  cuda::DeviceOptions wanted;
  // "cuda:0", as a device calls itself.
  wanted.ordinal = static_cast<unsigned>(
      std::strtoul(options.device.c_str() + options.device.find(':') + 1,
                   nullptr, 10));
  return cuda::openDevice(wanted);
}

/// Weights are the same in all sets: what is made of them is made once.
static bool isShared(const package::Slot &slot) {
  return slot.kind == package::Slot::Kind::Parameter ||
         slot.kind == package::Slot::Kind::Buffer;
}

/// One set on the device.
Result<Inputs> Caller::copyInputs() const {
  Inputs set;
  const std::vector<package::Slot> &slots =
      executables.front()->package().programs.front().slots;
  for (size_t i = 0; i < hostInputs.size(); ++i) {
    const OpValue &value = hostInputs[i];
    const auto *tensor = std::get_if<Tensor>(&value.value);
    if (!inputs.empty() && isShared(slots[i])) {
      set.push_back(inputs.front()[i]);
      continue;
    }
    if (!tensor) {
      set.push_back(value);
      continue;
    }
    auto there = tensor->toDevice(*device, "inputs of candidates");
    if (!there)
      return there.takeError();
    set.push_back(std::move(*there));
  }
  return set;
}

/// As many sets as the device's cache does not hold, where calls keep the memory that
/// they need and as much again.
void Caller::copyMoreInputs() {
  size_t wanted = std::clamp<size_t>(3 * device->cacheBytes() / inputBytes + 1,
                                     1, kMaxDeviceSets);
  auto reserve = device->allocate(2 * deviceBytes, "results of candidates");
  while (reserve && inputs.size() < wanted &&
         inputs.size() * inputBytes < kMaxDeviceBytes) {
    auto set = copyInputs();
    // Fewer of them where memory is scarce.
    if (!set)
      break;
    inputs.push_back(std::move(*set));
  }
  hostInputs.clear();
}

Status Caller::makeInputs(const package::Program &program) {
  InputMaker maker(program, symbols, options.integersBelow);
  auto first = maker.make();
  if (!first)
    return first.takeError();
  const size_t bytes = inputBytes = std::max<size_t>(maker.bytes(), 1);
  if (device) {
    hostInputs = std::move(*first);
    auto set = copyInputs();
    if (!set)
      return set.takeError();
    inputs.push_back(std::move(*set));
    return Status::success();
  }
  inputs.push_back(std::move(*first));
  long cache = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
  size_t wanted = 2 * static_cast<size_t>(cache > 0 ? cache : 1 << 20) *
                  options.threads;
  size_t sets = std::clamp<size_t>(wanted / bytes + 1, 1, kMaxSets);
  while (inputs.size() < sets && inputs.size() * bytes < kMaxInputBytes) {
    auto more = maker.make();
    if (!more)
      return more.takeError();
    for (size_t i = 0; i < more->size(); ++i)
      if (isShared(program.slots[i]))
        (*more)[i] = inputs.front()[i];
    inputs.push_back(std::move(*more));
  }
  return Status::success();
}

static Status because(const char *what, Error error) {
  error.message = what + error.message;
  return error;
}

Result<std::shared_ptr<runtime::Executable>>
Caller::make(uint32_t candidate) const {
  const std::vector<uint8_t> &bytes = packages[candidate];
  auto package = package::decodePackage(bytes.data(), bytes.size());
  if (!package)
    return package.takeError();
  return runtime::Executable::load(std::move(*package), registry, device);
}

/// What a driver assembles takes longer than its calls. Whose code is not there
/// afterwards is loaded by itself.
void Caller::loadTogether(const std::vector<package::Trial> &trials) {
  std::vector<uint32_t> wanted;
  for (uint32_t i = 0; i < packages.size(); ++i)
    if (!packages[i].empty() && trials[i].failure.empty())
      wanted.push_back(i);
  if (wanted.size() < 2)
    return;
  note(TrialNote::Loads, 0, 0);
  std::atomic<size_t> following{0};
  auto work = [&] {
    for (size_t i; (i = following++) < wanted.size();)
      if (auto loaded = make(wanted[i]))
        executables[wanted[i]] = std::move(*loaded);
  };
  std::vector<std::thread> others;
  try {
    for (size_t i = 1; i < std::min<size_t>(wanted.size(), options.threads); ++i)
      others.emplace_back(work);
  } catch (const std::system_error &) {
    // Those that there are do the work.
  }
  work();
  for (std::thread &other : others)
    other.join();
}

Result<std::vector<OpValue>> Caller::call(uint32_t candidate,
                                          const Inputs &set) {
  const runtime::Executable &executable = *executables[candidate];
  if (!executable.hasBackward())
    return executable.forward().run(set, run);
  // Ones for whatever has a gradient. Results of two programs have the same numbers.
  const size_t count = executable.package().programs.front().outputs.size();
  runtime::RunOptions both = run;
  both.outputs = nullptr;
  auto got = executable.runTraining(
      set, std::vector<OpValue>(count, OpValue(1.0)), both);
  return got ? Result<std::vector<OpValue>>(std::move(got->outputs))
             : Result<std::vector<OpValue>>(got.takeError());
}

/// Says why there is nothing to call.
Status Caller::load(uint32_t candidate) {
  if (!executables[candidate]) {
    // A driver assembles it now.
    if (device)
      note(TrialNote::LoadsOne, candidate, 0);
    auto loaded = make(candidate);
    if (device)
      note(TrialNote::Begins, candidate, 0);
    if (!loaded)
      return because("does not load: ", loaded.error());
    executables[candidate] = std::move(*loaded);
  }
  // What registers do not hold goes through memory: it would not be faster.
  size_t local = device ? executables[candidate]->localBytes() : 0;
  if (candidate != 0 && local > 0 && executables[0] &&
      local > executables[0]->localBytes())
    return Error{ErrorKind::CheckFailed,
                 "spills: " + std::to_string(local) +
                     " bytes of a thread are in memory"};
  if (!inputs.empty())
    return Status::success();
  Status made =
      makeInputs(executables[candidate]->package().programs.front());
  return made ? made : because("cannot be run alone: ", made.error());
}

/// Leaves nothing of an earlier call in the memory that all share: NaNs, if anything.
Status Caller::spoilMemory() {
  if (device) {
    arena = nullptr;
    return device->clearKept();
  }
  auto spoil = [](runtime::Storage *memory) {
    if (memory)
      std::memset(memory->data(), 0xff, memory->bytes());
  };
  spoil(arena.get());
  spoil(scratch.get());
  for (auto &output : outputs)
    if (output.use_count() == 1) // `results` are others'
      spoil(output.get());
  return Status::success();
}

/// Loads it and compares what it gives.
Status Caller::callFirst(uint32_t candidate) {
  if (Status s = load(candidate); !s)
    return s;
  // What one computed before must not lie where another forgets to write.
  if (Status s = spoilMemory(); !s)
    return because("fails: ", s.error());
  const size_t before = device ? device->stats().usedBytes : 0;
  auto begin = Clock::now();
  auto got = call(candidate, inputs.front());
  if (got && device)
    if (Status s = device->synchronize(); !s)
      got = s.takeError();
  std::chrono::duration<double> spent = Clock::now() - begin;
  if (got)
    note(TrialNote::Called, candidate, spent.count());
  // With results and scratch memory.
  if (got && device)
    deviceBytes = std::max(deviceBytes, device->stats().usedBytes - before);
  for (size_t i = 0; device && got && i < got->size(); ++i)
    if (auto *tensor = std::get_if<Tensor>(&(*got)[i].value)) {
      auto host = tensor->toHost();
      if (host)
        *tensor = std::move(*host);
      else
        got = host.takeError();
    }
  if (!got)
    return because("fails: ", got.error());
  if (candidate == 0) {
    results = std::move(*got);
    firstSeconds = spent.count();
  } else if (options.isProgram) {
    // Its kernels were compared one by one: rounding adds up on the way.
    return Status::success();
  } else if (std::string failure = compare(*got, results); !failure.empty()) {
    return Error{ErrorKind::CheckFailed, failure};
  }
  return Status::success();
}

Result<bool> Caller::check(uint32_t candidate) {
  note(TrialNote::Begins, candidate, 0);
  Status called = callFirst(candidate);
  if (called)
    return true;
  // After the failure of a kernel nothing works in this process.
  if (device && !device->synchronize())
    return called.takeError();
  executables[candidate] = nullptr;
  // What the system has not now, memory above all, it may have another time. A GPU that
  // had it for the default has not enough for this candidate.
  const Error &error = called.error();
  const bool isPassing =
      error.kind == ErrorKind::Io && !(device && candidate != 0);
  note(isPassing ? TrialNote::Passing : TrialNote::Failed, candidate, 0,
       error.message);
  return candidate != 0;
}

/// Seconds of the device for a call of those that follow each other.
Result<double> Caller::sampleOnDevice(uint32_t candidate, unsigned calls) {
  auto gate = device->hold(kHoldSeconds);
  if (!gate)
    return gate.takeError();
  auto begin = device->record();
  if (!begin)
    return begin.takeError();
  for (unsigned i = 0; i < calls; ++i) {
    auto got = call(candidate, inputs[next++ % inputs.size()]);
    if (!got)
      return got.takeError();
  }
  auto end = device->record();
  if (!end)
    return end.takeError();
  gate->reset();
  if (Status s = (*end)->wait(); !s)
    return s.takeError();
  auto seconds = (*end)->secondsSince(**begin);
  if (!seconds)
    return seconds.takeError();
  // Events tell microseconds: nothing takes no time, and nobody divides by it.
  return std::max(*seconds, 1e-9) / calls;
}

/// Seconds of a call.
Result<double> Caller::sample(uint32_t candidate, unsigned calls) {
  note(TrialNote::Begins, candidate, 0);
  if (device)
    return sampleOnDevice(candidate, calls);
  auto begin = Clock::now();
  for (unsigned i = 0; i < calls; ++i) {
    auto got = call(candidate, inputs[next++ % inputs.size()]);
    if (!got)
      return got.takeError();
  }
  std::chrono::duration<double> spent = Clock::now() - begin;
  return spent.count() / calls;
}

/// Calls of one turn, by the least time of a few of the first package.
Result<unsigned> Caller::chooseCalls() {
  double seconds = firstSeconds;
  for (int i = 0; i < 3; ++i) {
    auto sampled = sample(0, 1);
    if (!sampled)
      return sampled.takeError();
    seconds = std::min(seconds, *sampled);
  }
  return static_cast<unsigned>(
      std::clamp(kSampleSeconds / std::max(seconds, 1e-9), 1.0,
                 device ? kMaxQueued : 1000.0));
}

Status Caller::time() {
  std::vector<uint32_t> active;
  for (uint32_t i = 0; i < executables.size(); ++i)
    if (executables[i])
      active.push_back(i);
  if (device)
    copyMoreInputs();
  // Calls that nobody counts: the first ones fetch code and memory.
  for (size_t i = 1; device && i < active.size(); ++i)
    if (auto sampled = sample(active[i], 1); !sampled)
      return sampled.takeError();
  auto calls = chooseCalls();
  if (!calls)
    return calls.takeError();
  Turns turns;
  turns.sample = [&](uint32_t candidate) { return sample(candidate, *calls); };
  turns.now = [] {
    return std::chrono::duration<double>(Clock::now().time_since_epoch())
        .count();
  };
  turns.seconds = options.seconds;
  turns.gain = options.gain;
  auto results = turns.compare(active);
  if (!results)
    return results.takeError();
  for (size_t i = 0; i < active.size(); ++i)
    note(TrialNote::Timed, active[i],
         (*results)[i].ratio * (*results)[i].seconds * 1e9);
  return Status::success();
}

Status session::callCandidates(
    const std::vector<std::vector<uint8_t>> &packages,
    const std::vector<package::Trial> &trials,
    const package::SymbolValues &symbols, const TrialOptions &options,
    std::shared_ptr<runtime::Device> device, bool loadsTogether,
    const std::function<void(const TrialNote &)> &tell) {
  Caller caller(packages, symbols, options, std::move(device), tell);
  if (loadsTogether)
    caller.loadTogether(trials);
  for (uint32_t i = 0; i < packages.size(); ++i) {
    if (packages[i].empty() || !trials[i].failure.empty())
      continue;
    auto goesOn = caller.check(i);
    if (!goesOn)
      return goesOn.takeError();
    if (!*goesOn)
      return Status::success();
  }
  return caller.time();
}
