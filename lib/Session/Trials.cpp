//===- Trials.cpp - Packages that are run by turns ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Session/Trials.h"

#include "TrialCalls.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kiln;
using namespace kiln::session;
using package::Trial;

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
  [[noreturn]] void work(int file) const;
  /// Reads notes until the child is silent. False if it had to be ended.
  bool listen(int file);
  void take(const TrialNote &note);
  int limitMillis() const;
  void failAll(const std::string &why);

  const std::vector<std::vector<uint8_t>> &packages;
  const package::SymbolValues &symbols;
  const TrialOptions &options;
  std::vector<Trial> trials;
  bool isFinished = false;
  uint32_t current = 0;    ///< whose call has begun
  bool hasBegun = false;   ///< there is one
  double firstSeconds = 0; ///< of the first package's first call
};
} // namespace

void Trials::failAll(const std::string &why) {
  for (Trial &trial : trials)
    if (trial.failure.empty())
      trial = {0, why};
}

int Trials::limitMillis() const {
  double seconds = firstSeconds == 0
                       ? 10 * options.hangSeconds
                       : options.hangSeconds + 30 * firstSeconds;
  return static_cast<int>(std::min(1000 * seconds, 1e8));
}

void Trials::take(const TrialNote &note) {
  if (note.kind == TrialNote::Finished) {
    isFinished = true;
    return;
  }
  if (note.candidate >= trials.size())
    return;
  Trial &trial = trials[note.candidate];
  current = note.candidate;
  hasBegun = true;
  if (note.kind == TrialNote::Right && note.candidate == 0)
    firstSeconds = note.value;
  else if (note.kind == TrialNote::Failed)
    trial.failure =
        std::string(note.text, ::strnlen(note.text, sizeof(note.text)));
  else if (note.kind == TrialNote::Timed)
    trial.nanoseconds = note.value;
}

bool Trials::listen(int file) {
  TrialNote note;
  size_t have = 0;
  for (;;) {
    struct pollfd wait = {file, POLLIN, 0};
    int ready = ::poll(&wait, 1, limitMillis());
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready <= 0)
      return false;
    ssize_t size = ::read(file, reinterpret_cast<char *>(&note) + have,
                          sizeof(note) - have);
    if (size < 0 && errno == EINTR)
      continue;
    if (size <= 0)
      return true;
    have += static_cast<size_t>(size);
    if (have < sizeof(note))
      continue;
    take(note);
    have = 0;
  }
}

/// What the child does; it does not return.
void Trials::work(int file) const {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct rlimit noCore = {0, 0};
  ::setrlimit(RLIMIT_CORE, &noCore);
  // Nobody's handler is to tell of a crash that is expected.
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP})
    ::signal(signal, SIG_DFL);
  if (int null = ::open("/dev/null", O_WRONLY); null >= 0) {
    ::dup2(null, STDOUT_FILENO);
    ::dup2(null, STDERR_FILENO);
  }
  auto tell = [file](const TrialNote &note) {
    // Shorter than what a pipe takes at once. If the parent is gone, so is this.
    (void)!::write(file, &note, sizeof(note));
  };
  callCandidates(packages, trials, symbols, options, tell);
  TrialNote last;
  last.kind = TrialNote::Finished;
  tell(last);
  ::_exit(0);
}

bool Trials::runChild() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    failAll("cannot be run: no pipe");
    return true;
  }
  hasBegun = false;
  firstSeconds = 0;
  pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    work(ends[1]);
  }
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    failAll("cannot be run: no process");
    return true;
  }
  int limit = 0;
  bool ended = listen(ends[0]);
  if (!ended) {
    limit = limitMillis();
    ::kill(child, SIGKILL);
  }
  ::close(ends[0]);
  int state = 0;
  while (::waitpid(child, &state, 0) < 0 && errno == EINTR)
    ;
  if (isFinished)
    return true;
  if (!hasBegun) {
    failAll("cannot be run: the process ended at once");
    return true;
  }
  trials[current].failure =
      !ended ? "hangs: nothing came of it in " + std::to_string(limit) + " ms"
      : WIFSIGNALED(state)
          ? std::string("crashes: ") + ::strsignal(WTERMSIG(state))
          : "ends the process with " + std::to_string(WEXITSTATUS(state));
  return false;
}

std::vector<Trial> Trials::run() {
  if (packages.empty() || packages.front().empty()) {
    failAll("cannot be run: the default does not compile");
    return std::move(trials);
  }
  // Each child that fails leaves one package fewer.
  while (trials.front().failure.empty() && !runChild())
    ;
  if (!trials.front().failure.empty())
    failAll("the default " + trials.front().failure);
  return std::move(trials);
}

std::vector<Trial>
session::runTrials(const std::vector<std::vector<uint8_t>> &packages,
                   const package::SymbolValues &symbols,
                   const TrialOptions &options) {
  return Trials(packages, symbols, options).run();
}
