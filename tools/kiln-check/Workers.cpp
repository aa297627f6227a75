//===- Workers.cpp - Cases run in processes that may die ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parent never compiles. It tells a worker "ITEM FIRST\n"; the worker
// answers with one line per case, and "D\n" after the last, or "Q\n" where another
// worker has to go on:
//
//   P <compile seconds> <run seconds> <launches> <symbols?> <other sizes?> <text>
//
// Before it stand lines "+ TEXT", one for each operator left to a function.
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

using namespace kiln;
using namespace kiln::check;

using Clock = std::chrono::steady_clock;

namespace {
struct Worker {
  pid_t pid = -1;
  int commands = -1; ///< to the worker
  int answers = -1;  ///< from the worker
  std::string buffer;
  /// Of the case at hand, sent ahead of its outcome.
  std::vector<std::string> fallbacks, fixedSizes;
  std::map<std::string, double> stages;
  bool busy = false;
  size_t item = 0;
  size_t nextCase = 0;
  Clock::time_point since;
};
} // namespace

//===----------------------------------------------------------------------===//
// In the worker
//===----------------------------------------------------------------------===//

static void writeAll(int file, const std::string &text) {
  for (size_t at = 0; at < text.size();) {
    ssize_t wrote = ::write(file, text.data() + at, text.size() - at);
    if (wrote < 0 && errno != EINTR)
      ::_exit(0); // the parent is gone
    if (wrote > 0)
      at += static_cast<size_t>(wrote);
  }
}

static std::string oneLine(std::string text) {
  text.resize(std::min<size_t>(text.size(), 4000));
  for (char &c : text)
    if (c == '\n' || c == '\r')
      c = ' ';
  return text + "\n";
}

static void answer(int file, const Outcome &outcome) {
  for (const std::string &fallback : outcome.fallbacks)
    writeAll(file, oneLine("+ " + fallback));
  for (const auto &[stage, spent] : outcome.stages)
    writeAll(file, oneLine("~ " + std::to_string(spent) + " " + stage));
  for (const std::string &fixed : outcome.fixedSizes)
    writeAll(file, oneLine("= " + fixed));
  char head[96];
  std::snprintf(head, sizeof(head), "%c %.6f %.6f %u %d %d ",
                char(outcome.kind), outcome.compileSeconds, outcome.runSeconds,
                outcome.launches, outcome.hasSymbols, outcome.ranOtherSizes);
  writeAll(file, oneLine(head + outcome.text));
}

/// Whether this process can run another case. A device that works is not asked for
/// after each of thousands of cases that pass.
static bool canGoOn(const Outcome &outcome, const Config &config) {
  bool mayHaveBroken =
      outcome.kind == Outcome::Failed || outcome.kind == Outcome::Refused;
  return !mayHaveBroken || isDeviceWorking(config);
}

/// False if another process has to go on.
static bool runItem(const Item &item, const Config &config, size_t first,
                    int answers) {
  if (item.pack.empty()) {
    if (first != 0)
      return true;
    Outcome outcome = runArchive(item, config);
    answer(answers, outcome);
    return canGoOn(outcome, config);
  }
  auto pack = archive::loadOpPack(item.pack);
  if (!pack) {
    if (first == 0)
      answer(answers, {Outcome::Unreadable, pack.error().message});
    return true;
  }
  for (size_t i = first; i < pack->cases.size(); ++i) {
    Outcome outcome = runOpCase(pack->cases[i], config);
    answer(answers, outcome);
    if (!canGoOn(outcome, config))
      return false;
  }
  return true;
}

[[noreturn]] static void serve(const std::vector<Item> &items,
                               const Config &config, int commands,
                               int answers) {
  // To open one takes a driver longer than most cases do.
  std::shared_ptr<runtime::Device> device = findDevice(config);
  FILE *in = ::fdopen(commands, "r");
  size_t item, first;
  while (in && std::fscanf(in, "%zu %zu", &item, &first) == 2) {
    bool goesOn = runItem(items[item], config, first, answers);
    writeAll(answers, goesOn ? "D\n" : "Q\n");
    if (!goesOn)
      break;
  }
  ::_exit(0);
}

//===----------------------------------------------------------------------===//
// In the parent
//===----------------------------------------------------------------------===//

static Status start(Worker &worker, const std::vector<Worker> &others,
                    const std::vector<Item> &items, const Config &config) {
  int commands[2], answers[2];
  if (::pipe(commands) != 0 || ::pipe(answers) != 0)
    return Error::io(std::string("cannot make a pipe: ") +
                     std::strerror(errno));
  std::fflush(nullptr);
  pid_t pid = ::fork();
  if (pid < 0)
    return Error::io(std::string("cannot start a worker: ") +
                     std::strerror(errno));
  if (pid == 0) {
    ::close(commands[1]);
    ::close(answers[0]);
    // So that a sibling's pipe closes when the parent closes it.
    for (const Worker &other : others)
      if (other.pid > 0 && &other != &worker) {
        ::close(other.commands);
        ::close(other.answers);
      }
    struct rlimit noCore = {0, 0};
    ::setrlimit(RLIMIT_CORE, &noCore);
    serve(items, config, commands[0], answers[1]);
  }
  ::close(commands[0]);
  ::close(answers[1]);
  worker.pid = pid;
  worker.commands = commands[1];
  worker.answers = answers[0];
  worker.buffer.clear();
  worker.fallbacks.clear();
  worker.stages.clear();
  worker.fixedSizes.clear();
  return Status::success();
}

/// Waits for a worker and says how it ended.
static std::string stop(Worker &worker, bool kill) {
  if (worker.pid < 0)
    return "";
  if (kill)
    ::kill(worker.pid, SIGKILL);
  ::close(worker.commands);
  int state = 0;
  while (::waitpid(worker.pid, &state, 0) < 0 && errno == EINTR)
    ;
  ::close(worker.answers);
  worker.pid = -1;
  if (WIFSIGNALED(state))
    return std::string("the process died: ") + ::strsignal(WTERMSIG(state));
  return "the process ended with status " +
         std::to_string(WEXITSTATUS(state));
}

/// Takes what is said of a case ahead of its outcome; false if it is that.
static bool takeAhead(Worker &worker, const std::string &line) {
  if (line[0] == '+') {
    worker.fallbacks.push_back(line.substr(2));
  } else if (line[0] == '~') {
    char *stage = nullptr;
    double spent = std::strtod(line.c_str() + 2, &stage);
    worker.stages[stage + (*stage == ' ')] = spent;
  } else if (line[0] == '=') {
    worker.fixedSizes.push_back(line.substr(2));
  } else {
    return false;
  }
  return true;
}

static Outcome parseAnswer(const std::string &line) {
  Outcome outcome;
  outcome.kind = static_cast<Outcome::Kind>(line[0]);
  int used = 0, hasSymbols = 0, ranOtherSizes = 0;
  std::sscanf(line.c_str() + 1, "%lf %lf %u %d %d%n",
              &outcome.compileSeconds, &outcome.runSeconds, &outcome.launches,
              &hasSymbols, &ranOtherSizes, &used);
  outcome.hasSymbols = hasSymbols != 0;
  outcome.ranOtherSizes = ranOtherSizes != 0;
  size_t text = static_cast<size_t>(used) + 2;
  if (text < line.size())
    outcome.text = line.substr(text);
  return outcome;
}

static bool send(Worker &worker) {
  std::string command = std::to_string(worker.item) + " " +
                        std::to_string(worker.nextCase) + "\n";
  worker.busy = true;
  worker.since = Clock::now();
  return ::write(worker.commands, command.data(), command.size()) ==
         static_cast<ssize_t>(command.size());
}

Status check::runItems(
    const std::vector<Item> &items, const Config &config,
    const std::function<bool(size_t, const Outcome &)> &report,
    const std::function<void(size_t)> &done) {
  ::signal(SIGPIPE, SIG_IGN);
  std::vector<Worker> workers(
      std::max<size_t>(1, std::min<size_t>(config.jobs, items.size())));
  size_t next = 0;
  bool goOn = true;
  Status status;

  auto finish = [&](Worker &worker) {
    done(worker.item);
    worker.busy = false;
  };
  // Another worker goes on with the next case.
  auto goOnWithAnother = [&](Worker &worker) {
    status = start(worker, workers, items, config);
    if (!status)
      goOn = false;
    else if (items[worker.item].pack.empty())
      finish(worker);
    else
      send(worker);
  };
  // A dead worker fails its case.
  auto replace = [&](Worker &worker, const std::string &why) {
    Outcome outcome;
    outcome.kind = Outcome::Failed;
    outcome.text = "case " + std::to_string(worker.nextCase) + ": " + why;
    goOn = report(worker.item, outcome) && goOn;
    ++worker.nextCase;
    goOnWithAnother(worker);
  };

  for (Worker &worker : workers)
    if (status = start(worker, workers, items, config); !status)
      goOn = false;
  while (goOn) {
    bool anyBusy = false;
    std::vector<pollfd> files;
    for (Worker &worker : workers) {
      if (!worker.busy && next < items.size()) {
        worker.item = next++;
        worker.nextCase = 0;
        send(worker);
      }
      anyBusy |= worker.busy;
      files.push_back({worker.answers, POLLIN, 0});
    }
    if (!anyBusy)
      break;
    ::poll(files.data(), files.size(), 1000);
    for (size_t i = 0; i < workers.size() && goOn; ++i) {
      Worker &worker = workers[i];
      if (!worker.busy)
        continue;
      if (files[i].revents == 0) {
        if (Clock::now() - worker.since >
            std::chrono::seconds(config.secondsPerCase)) {
          stop(worker, /*kill=*/true);
          replace(worker, "no result after " +
                              std::to_string(config.secondsPerCase) + " s");
        }
        continue;
      }
      char bytes[4096];
      ssize_t size = ::read(worker.answers, bytes, sizeof(bytes));
      if (size <= 0) {
        replace(worker, stop(worker, /*kill=*/false));
        continue;
      }
      worker.since = Clock::now();
      worker.buffer.append(bytes, static_cast<size_t>(size));
      for (size_t end; goOn && (end = worker.buffer.find('\n')) !=
                                   std::string::npos;) {
        std::string line = worker.buffer.substr(0, end);
        worker.buffer.erase(0, end + 1);
        if (line == "D") {
          finish(worker);
        } else if (line == "Q") {
          stop(worker, /*kill=*/false);
          goOnWithAnother(worker);
          break; // its buffer is the new worker's
        } else if (!takeAhead(worker, line)) {
          ++worker.nextCase;
          Outcome outcome = parseAnswer(line);
          outcome.fallbacks = std::exchange(worker.fallbacks, {});
          outcome.fixedSizes = std::exchange(worker.fixedSizes, {});
          outcome.stages = std::exchange(worker.stages, {});
          goOn = report(worker.item, outcome);
        }
      }
    }
  }
  for (Worker &worker : workers)
    stop(worker, /*kill=*/!goOn);
  return status;
}

bool check::matchesGlob(const std::string &pattern, const std::string &text) {
  size_t p = 0, t = 0, star = std::string::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (star != std::string::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*')
    ++p;
  return p == pattern.size();
}
