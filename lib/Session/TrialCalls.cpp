//===- TrialCalls.cpp - The calls of a trial ------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TrialCalls.h"

#include "kiln/Runtime/Compare.h"
#include "kiln/Runtime/Executable.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <unistd.h>

using namespace kiln;
using namespace kiln::session;
using runtime::OpValue;
using runtime::Tensor;
using Clock = std::chrono::steady_clock;

/// A sample is long enough for the clock.
static constexpr double kSampleSeconds = 200e-6;
static constexpr size_t kMinRounds = 7, kMaxRounds = 25;
/// A candidate that is slower by this factor after some rounds is not timed further.
static constexpr size_t kFirstRounds = 3;
static constexpr double kHopeless = 1.5;
/// The part of memory that one set of inputs may take, of what is there and of what is
/// free: results and scratch of candidates come to it.
static constexpr double kMemoryPart = 0.125;
/// What integers of any type can be.
static constexpr int64_t kMaxInteger = 127;
/// Most sets of inputs, and bytes of all of them.
static constexpr size_t kMaxSets = 8, kMaxInputBytes = 256 << 20;

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

namespace {
/// Inputs of one call: what all slots of a program take.
using Inputs = std::vector<OpValue>;

/// Makes inputs of a program.
class InputMaker {
public:
  InputMaker(const package::Program &program,
             const package::SymbolValues &symbols, int64_t integersBelow)
      : program(program),
        integersBelow(static_cast<uint32_t>(
            std::clamp<int64_t>(integersBelow, 1, kMaxInteger + 1))),
        cells(program.symbols.size()) {
    for (size_t i = 0; i < cells.size(); ++i)
      for (const auto &[name, value] : symbols)
        if (program.symbols[i].name == name)
          cells[i] = package::Cell::ofInteger(value);
  }

  Result<Inputs> make();
  /// Of the inputs that were made last.
  size_t bytes() const { return total; }

private:
  Result<std::vector<int64_t>>
  evaluate(const std::vector<package::ExprId> &exprs) const;
  Result<Tensor> makeTensor(const package::Slot &slot);

  const package::Program &program;
  const uint32_t integersBelow;
  std::vector<package::Cell> cells;
  size_t total = 0;
  uint64_t state = 1;
};
} // namespace

Result<std::vector<int64_t>>
InputMaker::evaluate(const std::vector<package::ExprId> &exprs) const {
  std::vector<int64_t> values;
  for (package::ExprId expr : exprs) {
    package::Cell cell;
    if (package::evaluate(program.exprs[expr], cells.data(), cell) !=
            package::ExprFailure::None ||
        !cell.isInteger() || cell.integer < 0)
      return Error::unsupported("the size of an input is not known");
    values.push_back(cell.integer);
  }
  return values;
}

MemoryBytes session::readMemoryBytes(std::istream &file) {
  MemoryBytes memory;
  auto take = [](const std::string &line, std::string_view name, double &bytes) {
    if (line.compare(0, name.size(), name) == 0)
      bytes = double(std::strtoull(line.c_str() + name.size(), nullptr, 10)) *
              1024;
  };
  for (std::string line; std::getline(file, line);) {
    take(line, "MemTotal:", memory.all);
    take(line, "MemAvailable:", memory.available);
  }
  return memory;
}

Status session::checkInputBytes(double needed, const MemoryBytes &memory) {
  const std::string size =
      std::to_string(int64_t(std::min(needed, 1e18) / (1 << 20))) + " MiB";
  if (needed > kMemoryPart * memory.all)
    return Error::unsupported("its inputs need " + size +
                              ", too much for this machine");
  // What else runs may have ended the next time.
  if (needed > kMemoryPart * memory.available)
    return Error::io("its inputs need " + size +
                     ", too much beside what runs here now");
  return Status::success();
}

/// Fills memory with elements of a dtype.
static void fill(uint8_t *data, size_t count, DType dtype,
                 uint32_t integersBelow, uint64_t &state) {
  auto next = [&state] {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<uint32_t>(state >> 40); // 24 bits
  };
  for (size_t i = 0; i < count; ++i) {
    float number = 0.25f + static_cast<float>(next()) * 0x1p-24f;
    switch (dtype) {
    case DType::F32:
      std::memcpy(data + 4 * i, &number, 4);
      break;
    case DType::F64: {
      double wide = number;
      std::memcpy(data + 8 * i, &wide, 8);
      break;
    }
    case DType::BF16: {
      uint32_t bits;
      std::memcpy(&bits, &number, 4);
      uint16_t half = static_cast<uint16_t>(bits >> 16);
      std::memcpy(data + 2 * i, &half, 2);
      break;
    }
    case DType::F16: {
      // From 0.5 to 1.
      uint16_t half = static_cast<uint16_t>(0x3800u | (next() & 0x3ffu));
      std::memcpy(data + 2 * i, &half, 2);
      break;
    }
    case DType::Bool:
      data[i] = i & 1;
      break;
    default:
      std::memset(data + i * itemSize(dtype), 0, itemSize(dtype));
      if (isInteger(dtype))
        data[i * itemSize(dtype)] = uint8_t(next() % integersBelow);
      break;
    }
  }
}

Result<Tensor> InputMaker::makeTensor(const package::Slot &slot) {
  auto sizes = evaluate(slot.sizes);
  if (!sizes)
    return sizes.takeError();
  std::vector<int64_t> strides = runtime::rowMajorStrides(*sizes);
  if (!slot.strides.empty()) {
    auto stated = evaluate(slot.strides);
    if (!stated)
      return stated.takeError();
    strides = std::move(*stated);
  }
  double count = 1;
  bool isEmpty = false;
  for (size_t d = 0; d < sizes->size(); ++d) {
    count += double((*sizes)[d] - 1) * double(strides[d]);
    isEmpty |= (*sizes)[d] == 0;
  }
  count = isEmpty ? 0 : count;
  double needed = double(total) + count * double(itemSize(slot.dtype));
  std::ifstream file("/proc/meminfo");
  if (Status s = checkInputBytes(needed, readMemoryBytes(file)); !s)
    return s.error();
  size_t elements = static_cast<size_t>(count);
  auto storage = runtime::Storage::allocate(elements * itemSize(slot.dtype));
  if (!storage)
    return storage.takeError();
  fill((*storage)->data(), elements, slot.dtype, integersBelow, state);
  total += elements * itemSize(slot.dtype);
  return Tensor::view(std::move(*storage), slot.dtype, *sizes, strides, 0);
}

Result<Inputs> InputMaker::make() {
  Inputs inputs;
  total = 0;
  for (const package::Slot &slot : program.slots) {
    if (slot.payload != package::kNone) {
      inputs.emplace_back();
      continue;
    }
    if (!slot.isTensor)
      return Error::unsupported("it takes a number");
    auto tensor = makeTensor(slot);
    if (!tensor)
      return tensor.takeError();
    inputs.push_back(std::move(*tensor));
  }
  return inputs;
}

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

/// Empty if the results agree.
static std::string compare(const std::vector<OpValue> &got,
                           const std::vector<OpValue> &want) {
  if (got.size() != want.size())
    return "gives another number of results";
  for (size_t i = 0; i < got.size(); ++i) {
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
         const std::function<void(const TrialNote &)> &tell)
      : packages(packages), symbols(symbols), options(options), tell(tell),
        pool(options.threads), executables(packages.size()) {
    run.pool = &pool;
    run.reuseOutputs = run.inputsChecked = true;
  }

  /// False if the first package failed.
  bool check(uint32_t candidate);
  void time();

private:
  void note(TrialNote::Kind kind, uint32_t candidate, double value,
            const std::string &text = "") const;
  Status load(uint32_t candidate);
  Status callFirst(uint32_t candidate);
  Status makeInputs(const package::Program &program);
  double sample(uint32_t candidate, unsigned calls);

  const std::vector<std::vector<uint8_t>> &packages;
  const package::SymbolValues &symbols;
  const TrialOptions &options;
  const std::function<void(const TrialNote &)> &tell;
  runtime::OperatorRegistry registry;
  runtime::ThreadPool pool;
  runtime::RunOptions run;
  std::vector<std::shared_ptr<runtime::Executable>> executables;
  std::vector<Inputs> inputs;
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

Status Caller::makeInputs(const package::Program &program) {
  InputMaker maker(program, symbols, options.integersBelow);
  auto first = maker.make();
  if (!first)
    return first.takeError();
  inputs.push_back(std::move(*first));
  size_t bytes = std::max<size_t>(maker.bytes(), 1);
  long cache = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
  size_t wanted = 2 * static_cast<size_t>(cache > 0 ? cache : 1 << 20) *
                  options.threads;
  size_t sets = std::clamp<size_t>(wanted / bytes + 1, 1, kMaxSets);
  while (inputs.size() < sets && inputs.size() * bytes < kMaxInputBytes) {
    auto more = maker.make();
    if (!more)
      return more.takeError();
    inputs.push_back(std::move(*more));
  }
  return Status::success();
}

static Status because(const char *what, Error error) {
  error.message = what + error.message;
  return error;
}

/// Says why there is nothing to call.
Status Caller::load(uint32_t candidate) {
  const std::vector<uint8_t> &bytes = packages[candidate];
  auto package = package::decodePackage(bytes.data(), bytes.size());
  if (!package)
    return because("does not load: ", package.error());
  auto loaded = runtime::Executable::load(std::move(*package), registry);
  if (!loaded)
    return because("does not load: ", loaded.error());
  executables[candidate] = std::move(*loaded);
  if (!inputs.empty())
    return Status::success();
  Status made =
      makeInputs(executables[candidate]->package().programs.front());
  return made ? made : because("cannot be run alone: ", made.error());
}

/// Loads it and compares what it gives.
Status Caller::callFirst(uint32_t candidate) {
  if (Status s = load(candidate); !s)
    return s;
  auto begin = Clock::now();
  auto got = executables[candidate]->forward().run(inputs.front(), run);
  std::chrono::duration<double> spent = Clock::now() - begin;
  if (!got)
    return because("fails: ", got.error());
  if (candidate == 0) {
    results = std::move(*got);
    firstSeconds = spent.count();
  } else if (std::string failure = compare(*got, results); !failure.empty()) {
    return Error{ErrorKind::CheckFailed, failure};
  }
  note(TrialNote::Right, candidate, spent.count());
  return Status::success();
}

bool Caller::check(uint32_t candidate) {
  note(TrialNote::Begins, candidate, 0);
  Status called = callFirst(candidate);
  if (called)
    return true;
  executables[candidate] = nullptr;
  // What the system has not now, memory above all, it may have another time.
  const Error &error = called.error();
  note(error.kind == ErrorKind::Io ? TrialNote::Passing : TrialNote::Failed,
       candidate, 0, error.message);
  return candidate != 0;
}

/// Seconds of a call.
double Caller::sample(uint32_t candidate, unsigned calls) {
  note(TrialNote::Begins, candidate, 0);
  auto begin = Clock::now();
  for (unsigned i = 0; i < calls; ++i)
    (void)executables[candidate]->forward().run(
        inputs[next++ % inputs.size()], run);
  std::chrono::duration<double> spent = Clock::now() - begin;
  return spent.count() / calls;
}

static double quantile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(part * double(values.size() - 1))];
}

void Caller::time() {
  // Calls that nobody counts: the first ones fetch code and memory.
  double seconds = firstSeconds;
  for (int i = 0; i < 3; ++i)
    seconds = std::min(seconds, sample(0, 1));
  unsigned calls = static_cast<unsigned>(
      std::clamp(kSampleSeconds / std::max(seconds, 1e-9), 1.0, 1000.0));
  std::vector<uint32_t> active;
  for (uint32_t i = 0; i < executables.size(); ++i)
    if (executables[i])
      active.push_back(i);
  std::vector<double> first;
  std::vector<std::vector<double>> ratios(executables.size());
  auto begin = Clock::now();
  for (size_t round = 0; round < kMaxRounds; ++round) {
    std::chrono::duration<double> spent = Clock::now() - begin;
    if (round >= kMinRounds && spent.count() > options.seconds)
      break;
    double reference = 0;
    for (uint32_t candidate : active) {
      double sampled = sample(candidate, calls);
      if (candidate == 0)
        first.push_back(reference = sampled);
      ratios[candidate].push_back(sampled / reference);
    }
    if (round + 1 == kFirstRounds)
      active.erase(std::remove_if(active.begin() + 1, active.end(),
                                  [&](uint32_t candidate) {
                                    if (quantile(ratios[candidate], 0) <=
                                        kHopeless)
                                      return false;
                                    executables[candidate] = nullptr;
                                    return true;
                                  }),
                   active.end());
  }
  double reference = quantile(first, 0.5) * 1e9;
  for (uint32_t i = 0; i < executables.size(); ++i) {
    if (ratios[i].empty())
      continue;
    double ratio = quantile(ratios[i], 0.5);
    // Faster now and then is not faster.
    if (ratio < 1 && quantile(ratios[i], 0.75) >= 1)
      ratio = 1;
    note(TrialNote::Timed, i, ratio * reference);
  }
}

void session::callCandidates(
    const std::vector<std::vector<uint8_t>> &packages,
    const std::vector<package::Trial> &trials,
    const package::SymbolValues &symbols, const TrialOptions &options,
    const std::function<void(const TrialNote &)> &tell) {
  Caller caller(packages, symbols, options, tell);
  for (uint32_t i = 0; i < packages.size(); ++i)
    if (!packages[i].empty() && trials[i].failure.empty() && !caller.check(i))
      return;
  caller.time();
}
