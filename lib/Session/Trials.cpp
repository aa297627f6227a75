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

#include <algorithm>
#include <csignal>
#include <cstring>

using namespace kiln;
using namespace kiln::session;
using package::Trial;

static constexpr uint8_t kNote = 1;
/// All candidates of a kernel are done long before; each has its own limit.
static constexpr double kLongest = 24 * 3600;
/// How much longer than at first a package may take when it is tried again.
static constexpr double kPatience = 10;

namespace {
/// The packages and what is known of them.
class Trials {
public:
  Trials(const std::vector<std::vector<uint8_t>> &packages,
         const package::SymbolValues &symbols, const TrialOptions &options)
      : packages(packages), symbols(symbols), options(options),
        trials(packages.size()) {}

  std::vector<Trial> run();

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
  void failAll(const std::string &why, bool isPassing);

  const std::vector<std::vector<uint8_t>> &packages;
  const package::SymbolValues &symbols;
  const TrialOptions &options;
  std::vector<Trial> trials;
  uint32_t current = 0;    ///< whose call has begun
  bool hasBegun = false;   ///< there is one
  double firstSeconds = 0; ///< of the first package's first call
  double patience = 1;     ///< factor of limits
};
} // namespace

void Trials::failAll(const std::string &why, bool isPassing) {
  for (Trial &trial : trials)
    if (trial.failure.empty())
      trial = {0, why, isPassing};
}

double Trials::limitSeconds() const {
  return patience * (firstSeconds == 0
                         ? 10 * options.hangSeconds
                         : options.hangSeconds + 30 * firstSeconds);
}

void Trials::take(const TrialNote &note) {
  if (note.candidate >= trials.size())
    return;
  Trial &trial = trials[note.candidate];
  current = note.candidate;
  hasBegun = true;
  if (note.kind == TrialNote::Right && note.candidate == 0)
    firstSeconds = note.value;
  else if (note.kind == TrialNote::Failed || note.kind == TrialNote::Passing)
    trial = {0, std::string(note.text, ::strnlen(note.text, sizeof(note.text))),
             note.kind == TrialNote::Passing};
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

/// Whether an end may have come from outside: code is to blame for what it does, not
/// for a machine that had no time, no memory or no process for it.
static bool mayBePassing(const ChildEnd &how) {
  if (how.kind == ChildEnd::Answered) // with an error
    return how.answer.error().kind != ErrorKind::Internal;
  if (how.kind == ChildEnd::Exited)
    return false;
  if (how.kind != ChildEnd::Signalled)
    return true;
  switch (how.code) {
  case SIGSEGV:
  case SIGBUS:
  case SIGILL:
  case SIGFPE:
  case SIGABRT:
  case SIGTRAP:
  case SIGSYS:
    return false;
  default:
    return true;
  }
}

bool Trials::runChild() {
  hasBegun = false;
  firstSeconds = 0;
  ChildOptions child;
  child.what = "the trials";
  child.seconds = kLongest;
  child.silence = [this] { return limitSeconds(); };
  child.isQuiet = true;
  ChildEnd how = watchChild(
      child,
      [this](ChildChannel &parent) -> Result<std::vector<uint8_t>> {
        callCandidates(packages, trials, symbols, options,
                       [&](const TrialNote &note) {
                         parent.tell(kNote, ByteView(
                             reinterpret_cast<const uint8_t *>(&note),
                             sizeof(note)));
                       });
        return std::vector<uint8_t>();
      },
      [this](uint8_t, ByteView message) {
        TrialNote note;
        if (message.size() == sizeof(note)) {
          std::memcpy(&note, message.data(), sizeof(note));
          take(note);
        }
        return std::vector<uint8_t>();
      });
  if (how.kind == ChildEnd::Answered && how.answer)
    return true;
  std::string why = whyEnded(how, limitSeconds());
  if (!hasBegun) {
    failAll(why, mayBePassing(how));
    return true;
  }
  trials[current] = {0, std::move(why), mayBePassing(how)};
  return false;
}

void Trials::callAll() {
  // Each child that fails leaves one package fewer.
  while (trials.front().failure.empty() && !runChild())
    ;
}

bool Trials::forgive() {
  bool isAny = false;
  for (Trial &trial : trials)
    if (trial.isPassing) {
      trial = {};
      isAny = true;
    }
  return isAny;
}

std::vector<Trial> Trials::run() {
  if (packages.empty() || packages.front().empty()) {
    failAll("cannot be run: the default does not compile", /*isPassing=*/false);
    return std::move(trials);
  }
  callAll();
  // A machine that was busy for a moment may not be any more.
  if (forgive()) {
    patience = kPatience;
    callAll();
  }
  if (const Trial &first = trials.front(); !first.failure.empty())
    failAll("the default " + first.failure, first.isPassing);
  return std::move(trials);
}

std::vector<Trial>
session::runTrials(const std::vector<std::vector<uint8_t>> &packages,
                   const package::SymbolValues &symbols,
                   const TrialOptions &options) {
  return Trials(packages, symbols, options).run();
}
