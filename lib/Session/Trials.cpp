//===- Trials.cpp - Packages that are run by turns ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Session/Trials.h"

#include "TrialCalls.h"

#include "kiln/Base/ChildProcess.h"
#include "kiln/Session/ProgramKey.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <unistd.h>

using namespace kiln;
using namespace kiln::session;
using package::Trial;
using Clock = std::chrono::steady_clock;

/// Messages of who calls them: what became of one, and what to call.
static constexpr uint8_t kNote = 1, kWork = 2;
/// How much longer than at first a package may take when it is tried again.
static constexpr double kPatience = 3;
/// The part of the time that is left which second tries may take.
static constexpr double kSecondPart = 0.25;

namespace {
/// Who is to blame for a failure.
enum class Blame {
  Candidate, ///< always
  Doubt,     ///< the candidate, if it fails again
  Machine    ///< the machine at that moment
};

/// The packages and what is known of them.
class Trials {
public:
  Trials(const std::vector<std::vector<uint8_t>> &packages,
         const package::SymbolValues &symbols, const TrialOptions &options)
      : packages(packages), symbols(symbols), options(options),
        trials(packages.size()), isDoubtful(packages.size()),
        end(after(options.maxSeconds)) {}

  Result<std::vector<Trial>> run();

private:
  /// Lets a child call what has not failed. False if it did not come to its end.
  bool runChild();
  void take(const TrialNote &note);
  /// Until one is left that has not failed, or all have run.
  void callAll();
  /// Takes back failures that may be of the moment. False if there is none.
  bool forgive();
  /// How long the child may say nothing.
  double limitSeconds() const;
  ChildEnd watch(const ChildOptions &child);
  static Clock::time_point after(double seconds);
  double secondsLeft() const;
  Blame blameFor(const ChildEnd &how) const;
  void fail(uint32_t candidate, std::string why, Blame blame);
  void failAll(const std::string &why, bool isPassing);
  /// Whom nobody came to has no time.
  void failUntimed();

  const std::vector<std::vector<uint8_t>> &packages;
  const package::SymbolValues &symbols;
  const TrialOptions &options;
  std::vector<Trial> trials;
  std::vector<bool> isDoubtful; ///< of failures, unless they are tried again
  std::vector<Trial> before;    ///< they are tried again
  Clock::time_point end;        ///< of all trials
  uint32_t current = 0;    ///< whose call has begun
  bool hasBegun = false;   ///< there is one
  bool isLoading = false;  ///< all of them, side by side
  bool isLoadingOne = false;
  bool hasServed = false;  ///< a child has come to one of them
  std::string whyNotBegun; ///< of the last child that came to none
  bool loadsTogether = true;
  bool hasCalled = false;  ///< numbers are compared now, which ends
  double firstSeconds = 0; ///< of the first package's first call
  double patience = 1;     ///< factor of limits
};
} // namespace

void Trials::failAll(const std::string &why, bool isPassing) {
  for (Trial &trial : trials)
    if (trial.failure.empty())
      trial = {0, why, isPassing};
}

Clock::time_point Trials::after(double seconds) {
  // A year is as good as for ever, and fits the clock.
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(
             std::chrono::duration<double>(std::clamp(seconds, 0.0, 3e7)));
}

double Trials::secondsLeft() const {
  return std::chrono::duration<double>(end - Clock::now()).count();
}

void Trials::fail(uint32_t candidate, std::string why, Blame blame) {
  trials[candidate] = {0, std::move(why), blame == Blame::Machine};
  isDoubtful[candidate] = blame == Blame::Doubt;
}

void Trials::failUntimed() {
  for (size_t i = 0; i < trials.size(); ++i) {
    if (packages[i].empty() || !trials[i].failure.empty() ||
        trials[i].nanoseconds != 0)
      continue;
    if (i < before.size() && !before[i].failure.empty())
      trials[i] = before[i];
    else
      trials[i] = {0, "was not measured: the time for it was over", false};
  }
}

double Trials::limitSeconds() const {
  if (hasCalled)
    return std::max(secondsLeft(), 0.0);
  return patience * (firstSeconds == 0 || isLoadingOne
                         ? 10 * options.hangSeconds
                         : options.hangSeconds + 30 * firstSeconds);
}

void Trials::take(const TrialNote &note) {
  if (note.candidate >= trials.size())
    return;
  Trial &trial = trials[note.candidate];
  isLoading = note.kind == TrialNote::Loads;
  isLoadingOne = note.kind == TrialNote::LoadsOne;
  hasCalled = note.kind == TrialNote::Called;
  if (isLoading)
    return;
  current = note.candidate;
  hasBegun = hasServed = true;
  if (hasCalled && note.candidate == 0)
    firstSeconds = note.value;
  else if (note.kind == TrialNote::Failed || note.kind == TrialNote::Passing)
    fail(note.candidate,
         std::string(note.text, ::strnlen(note.text, sizeof(note.text))),
         note.kind == TrialNote::Passing ? Blame::Machine : Blame::Candidate);
  else if (note.kind == TrialNote::Timed)
    trial.nanoseconds = note.value;
}

/// What is to be said of the package that a child was at when it ended so.
static std::string whyEnded(const ChildEnd &how, double limitSeconds) {
  switch (how.kind) {
  case ChildEnd::Answered:
  case ChildEnd::NotMade:
    return "cannot be run: " + how.answer.error().message;
  case ChildEnd::Late:
    return "hangs: nothing came of it in " +
           std::to_string(static_cast<int64_t>(1000 * limitSeconds)) + " ms";
  case ChildEnd::Signalled:
    return std::string("crashes: ") + ::strsignal(how.code);
  case ChildEnd::Exited:
    return "ends the process with " + std::to_string(how.code);
  case ChildEnd::Lost:
    break;
  }
  return "ends the process";
}

/// Code is to blame for what it does, not for a machine that had no time, no memory or
/// no process for it. Where the default came through in the same process the machine is
/// not so short of them: who fails so again is to blame.
Blame Trials::blameFor(const ChildEnd &how) const {
  const Blame unclear =
      hasBegun && current != 0 ? Blame::Doubt : Blame::Machine;
  switch (how.kind) {
  case ChildEnd::Answered: // with an error
    return how.answer.error().kind == ErrorKind::Internal ? Blame::Candidate
                                                          : Blame::Machine;
  case ChildEnd::NotMade:
    return Blame::Machine;
  case ChildEnd::Exited:
    return Blame::Candidate;
  case ChildEnd::Late:
  case ChildEnd::Lost:
    return unclear;
  case ChildEnd::Signalled:
    break;
  }
  switch (how.code) {
  case SIGSEGV:
  case SIGBUS:
  case SIGILL:
  case SIGFPE:
  case SIGABRT:
  case SIGTRAP:
  case SIGSYS:
    return Blame::Candidate;
  default:
    return unclear;
  }
}

//===----------------------------------------------------------------------===//
// A program that calls them
//===----------------------------------------------------------------------===//

// What it is told: u32 threads, f64 seconds, f64 gain, u8 are they programs, i64 above all
// integers, u8 may they be loaded together, text of the device, list of packages, each with
// u8 (is it to be called), list of symbols (text, i64). A text is its length and its bytes,
// a list its length and its elements.

namespace {
/// What all candidates are, of one kernel.
struct TrialWork {
  std::vector<std::vector<uint8_t>> packages;
  std::vector<Trial> trials;
  package::SymbolValues symbols;
  TrialOptions options;
  bool loadsTogether = false;
};
} // namespace

static std::vector<uint8_t>
encodeWork(const std::vector<std::vector<uint8_t>> &packages,
           const std::vector<Trial> &trials,
           const package::SymbolValues &symbols, const TrialOptions &options,
           bool loadsTogether) {
  std::vector<uint8_t> bytes;
  ByteWriter writer(bytes);
  auto text = [&](std::string_view text) {
    writer.u64(text.size());
    writer.text(text);
  };
  writer.u32(options.threads);
  writer.f64(options.seconds);
  writer.f64(options.gain);
  writer.u8(options.isProgram);
  writer.i64(options.integersBelow);
  writer.u8(loadsTogether);
  text(options.device);
  writer.u64(packages.size());
  for (size_t i = 0; i < packages.size(); ++i) {
    text(ByteView(packages[i]).text());
    writer.u8(trials[i].failure.empty());
  }
  writer.u64(symbols.size());
  for (const auto &[name, value] : symbols) {
    text(name);
    writer.i64(value);
  }
  return bytes;
}

static Result<TrialWork> decodeWork(ByteView bytes) {
  ByteReader reader(bytes);
  TrialWork work;
  work.options.threads = reader.u32();
  work.options.seconds = reader.f64();
  work.options.gain = reader.f64();
  work.options.isProgram = reader.u8() != 0;
  work.options.integersBelow = reader.i64();
  work.loadsTogether = reader.u8() != 0;
  work.options.device = reader.text(reader.u64());
  for (uint64_t count = reader.u64(); count > 0 && reader.ok(); --count) {
    ByteView package = reader.bytes(reader.u64());
    work.packages.emplace_back(package.begin(), package.end());
    work.trials.emplace_back();
    if (reader.u8() == 0)
      work.trials.back().failure = "is not called again";
  }
  for (uint64_t count = reader.u64(); count > 0 && reader.ok(); --count) {
    std::string name(reader.text(reader.u64()));
    work.symbols.push_back({std::move(name), reader.i64()});
  }
  if (!reader.ok() || !reader.atEnd())
    return Error::internal("what to call was not understood");
  return work;
}

/// Tells a parent what becomes of candidates.
static std::function<void(const TrialNote &)> teller(ChildChannel &parent) {
  return [&parent](const TrialNote &note) {
    parent.tell(kNote, ByteView(reinterpret_cast<const uint8_t *>(&note),
                                sizeof(note)));
  };
}

void session::serveTrials() {
  // A driver takes longer to start than candidates to run.
  std::shared_ptr<runtime::Device> device;
  serveParent([&](ChildChannel &parent) -> Result<std::vector<uint8_t>> {
    std::vector<uint8_t> told = parent.ask(kWork, ByteView());
    auto work = decodeWork(told);
    if (!work)
      return work.takeError();
    auto opened = openDevice(work->options);
    if (!opened)
      return opened.takeError();
    device = std::move(*opened);
    if (device)
      if (Status s = device->clearKept(); !s)
        return s.takeError();
    if (Status s = callCandidates(work->packages, work->trials, work->symbols,
                                  work->options, device, work->loadsTogether,
                                  teller(parent));
        !s)
      return s.takeError();
    return std::vector<uint8_t>();
  });
}

std::string session::findTrialProgram() {
  // There and nowhere else: no path of the environment leads to a program, and none
  // that depends on the working directory.
  const std::string folder = libraryFolder();
  const std::string path = folder + "/kiln-trial";
  const bool isAbsolute = !folder.empty() && folder.front() == '/';
  return isAbsolute && ::access(path.c_str(), X_OK) == 0 ? path : "";
}

std::string session::whyNoTrialProgram() {
  return "'kiln-trial', which calls them on a GPU, is not beside "
         "libKilnRuntime.so in '" +
         libraryFolder() + "'";
}

/// A child, or a program, that calls what has not failed.
ChildEnd Trials::watch(const ChildOptions &child) {
  auto hear = [this](uint8_t tag, ByteView message) {
    if (tag == kWork)
      return encodeWork(packages, trials, symbols, options, loadsTogether);
    TrialNote note;
    if (message.size() == sizeof(note)) {
      std::memcpy(&note, message.data(), sizeof(note));
      take(note);
    }
    return std::vector<uint8_t>();
  };
  if (options.program)
    return options.program->watch(child, hear);
  auto call = [this](ChildChannel &parent) -> Result<std::vector<uint8_t>> {
    if (Status s = callCandidates(packages, trials, symbols, options,
                                  /*device=*/nullptr, /*loadsTogether=*/false,
                                  teller(parent));
        !s)
      return s.takeError();
    return std::vector<uint8_t>();
  };
  return watchChild(child, call, hear);
}

bool Trials::runChild() {
  hasBegun = isLoading = isLoadingOne = hasCalled = false;
  firstSeconds = 0;
  ChildOptions child;
  child.what = "the trials";
  child.seconds = std::max(secondsLeft(), 0.0);
  child.silence = [this] { return limitSeconds(); };
  child.isQuiet = true;
  ChildEnd how = watch(child);
  if (how.kind == ChildEnd::Answered && how.answer)
    return true;
  // Not its own limit has ended it.
  if (how.kind == ChildEnd::Late && secondsLeft() <= 0)
    return true;
  // Nobody knows whose code it was: they are loaded one by one.
  if (isLoading) {
    loadsTogether = false;
    return false;
  }
  hasCalled = false;
  std::string why = whyEnded(how, limitSeconds());
  const Blame blame = blameFor(how);
  if (!hasBegun) {
    // A program that does not begin says nothing of candidates.
    whyNotBegun = how.kind == ChildEnd::Answered ||
                          how.kind == ChildEnd::NotMade || !options.program
                      ? why
                      : "cannot be run: '" + options.program->getPath() +
                            "' " + why;
    failAll(whyNotBegun, options.program || blame == Blame::Machine);
    return true;
  }
  fail(current, std::move(why), blame);
  return false;
}

void Trials::callAll() {
  // Each child that fails leaves one package fewer.
  while (trials.front().failure.empty() && secondsLeft() > 0 && !runChild())
    ;
}

bool Trials::forgive() {
  before = trials;
  bool isAny = false;
  for (size_t i = 0; i < trials.size(); ++i)
    if (trials[i].isPassing || isDoubtful[i]) {
      trials[i] = {};
      isAny = true;
    }
  return isAny;
}

Result<std::vector<Trial>> Trials::run() {
  if (!options.device.empty() && !options.program)
    return Error::unsupported("cannot be run: " + whyNoTrialProgram());
  if (packages.empty() || packages.front().empty()) {
    failAll("cannot be run: the default does not compile", /*isPassing=*/false);
    return std::move(trials);
  }
  callAll();
  // A machine that was busy for a moment may not be any more.
  if (secondsLeft() > 0 && forgive()) {
    patience = kPatience;
    end = after(kSecondPart * secondsLeft());
    callAll();
  }
  if (options.program && !hasServed && !whyNotBegun.empty())
    return Error::io(whyNotBegun);
  if (const Trial &first = trials.front(); !first.failure.empty())
    failAll("the default " + first.failure, first.isPassing);
  failUntimed();
  return std::move(trials);
}

Result<std::vector<Trial>>
session::runTrials(const std::vector<std::vector<uint8_t>> &packages,
                   const package::SymbolValues &symbols,
                   const TrialOptions &options) {
  return Trials(packages, symbols, options).run();
}
