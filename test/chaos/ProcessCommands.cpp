//===- ProcessCommands.cpp - Processes that meet, or end ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Chaos.h"

#include "kiln/Base/FileSystem.h"
#include "kiln/Session/SizeProfile.h"

#include <fcntl.h>
#include <filesystem>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace kiln;
using namespace kiln::cache;
using namespace kiln::chaos;
namespace fs = std::filesystem;

static void pause(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

//===----------------------------------------------------------------------===//
// kill9
//===----------------------------------------------------------------------===//

/// Looks up and stores without end. A byte in `ready` says that it began.
static int workUntilKilled(const std::string &root, uint64_t seed, int ready) {
  std::mt19937_64 random(seed);
  (void)!::write(ready, "", 1);
  for (;;) {
    auto store = openStore(root);
    if (!store)
      return 1;
    for (int i = 0; i < 20; ++i) {
      uint64_t number = random() % 500;
      KeyKind kind = kKinds[random() % std::size(kKinds)].kind;
      if (lookUp(**store, number, kind) == Found::Wrong)
        return 1;
      FlightPtr flight = (*store)->enter(keyOf(number, kind));
      (void)chaos::store(**store, number, kind);
    }
  }
}

/// Lets all files of a folder be two hours old.
static void age(const std::string &folder) {
  timespec old = {::time(nullptr) - 7200, 0};
  timespec times[2] = {old, old};
  std::error_code ignored;
  for (const auto &file : fs::directory_iterator(folder, ignored))
    (void)::utimensat(AT_FDCWD, file.path().c_str(), times, 0);
}

static Result<int> kill9(int argc, char **argv) {
  tools::CommandLine line;
  uint64_t rounds = 100, seed = 1;
  numberFlag(line, "rounds", rounds);
  numberFlag(line, "seed", seed);
  if (Status s = line.parse(argc, argv); !s)
    return s.takeError();
  Scratch scratch;
  std::mt19937_64 random(seed);
  uint64_t killed = 0, failed = 0, damaged = 0, wrong = 0;
  for (uint64_t round = 0; round < rounds; ++round) {
    int ready[2];
    if (::pipe(ready) != 0)
      return Error::io("pipe: " + systemMessage(errno));
    pid_t child = spawn(
        [&] { return workUntilKilled(scratch.root(), round, ready[1]); });
    char byte;
    (void)!::read(ready[0], &byte, 1);
    ::close(ready[0]);
    ::close(ready[1]);
    pause(double(random() % 8000) * 1e-6);
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    killed += WIFSIGNALED(status);
    failed += !WIFSIGNALED(status);
    if (round % 50 == 49 || round + 1 == rounds)
      checkAll(scratch.root(), damaged, wrong);
  }
  std::string tmp = scratch.root() + "/tmp";
  size_t orphans = filesIn(tmp);
  age(tmp);
  uint64_t swept = 0;
  bool consistent = true;
  if (auto store = openStore(scratch.root())) {
    swept = (*store)->sweep();
    consistent = (*store)->mergedReports()["local"].total().isConsistent();
  }
  size_t left = filesIn(tmp);
  report("kill9", {{"killed", double(killed)},
                   {"wrong", double(wrong + failed)},
                   {"corrupt", double(damaged)},
                   {"orphans", double(orphans)},
                   {"swept", double(swept)},
                   {"orphans_after_sweep", double(left)},
                   {"consistent", double(consistent)}});
  return wrong + failed + damaged + left == 0 && consistent ? 0 : 1;
}

//===----------------------------------------------------------------------===//
// herd
//===----------------------------------------------------------------------===//

/// One process that wants the value of a key, which takes `seconds` to make.
static int wantOne(const std::string &root, uint64_t number, double seconds,
                   const std::string &made) {
  auto store = openStore(root);
  if (!store)
    return 1;
  Found found = lookUp(**store, number);
  if (found != Found::Nothing)
    return found != Found::Right;
  FlightPtr flight = (*store)->enter(keyOf(number));
  found = lookUp(**store, number);
  if (found != Found::Nothing)
    return found != Found::Right;
  int fd = ::open(made.c_str(), O_WRONLY | O_APPEND | O_CREAT, 0600);
  if (::write(fd, "x", 1) != 1)
    return 1;
  ::close(fd);
  pause(seconds);
  return chaos::store(**store, number) ? 0 : 1;
}

/// kiln-run with the cache of the round; its statistics say whether it compiled.
static int runCommand(const std::vector<std::string> &words,
                      const std::string &root, const std::string &stats) {
  std::vector<std::string> all = words;
  all.push_back("--cache-dir=" + root);
  all.push_back("--stats=" + stats);
  std::vector<char *> arguments;
  for (std::string &word : all)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int null = ::open("/dev/null", O_WRONLY);
  ::dup2(null, 1);
  ::execvp(arguments[0], arguments.data());
  return 127;
}

static uint64_t graphsCompiled(const std::string &stats) {
  auto bytes = readFile(stats);
  std::string text = bytes ? std::string(ByteView(*bytes).text()) : "";
  const std::string field = "\"graphs_compiled\":";
  size_t at = text.find(field);
  return at == std::string::npos
             ? 1000
             : std::strtoull(text.c_str() + at + field.size(), nullptr, 10);
}

static Result<int> herd(int argc, char **argv) {
  tools::CommandLine line;
  uint64_t processes = 64, rounds = 20, milliseconds = 200;
  numberFlag(line, "procs", processes);
  numberFlag(line, "rounds", rounds);
  numberFlag(line, "compile-ms", milliseconds);
  if (Status s = line.parse(argc, argv); !s)
    return s.takeError();
  const std::vector<std::string> &words = line.positional();
  uint64_t compiles = 0, wrong = 0;
  double worst = 0;
  for (uint64_t round = 0; round < rounds; ++round) {
    Scratch scratch;
    double start = secondsNow();
    std::vector<pid_t> children;
    for (uint64_t i = 0; i < processes; ++i)
      children.push_back(spawn([&] {
        return words.empty()
                   ? wantOne(scratch.root(), round, double(milliseconds) / 1e3,
                             scratch.path() + "/made")
                   : runCommand(words, scratch.root(),
                                scratch.path() + "/" + std::to_string(i));
      }));
    for (pid_t child : children)
      wrong += static_cast<uint64_t>(join(child));
    worst = std::max(worst, secondsNow() - start);
    if (words.empty()) {
      auto made = readFile(scratch.path() + "/made");
      compiles += made ? made->size() : 0;
      checkAll(scratch.root(), wrong, wrong);
    } else {
      for (uint64_t i = 0; i < processes; ++i)
        compiles += graphsCompiled(scratch.path() + "/" + std::to_string(i));
    }
  }
  report("herd", {{"rounds", double(rounds)},
                  {"procs", double(processes)},
                  {"compiles", double(compiles)},
                  {"wrong", double(wrong)},
                  {"worst_wall_s", worst}});
  return wrong == 0 && compiles == rounds ? 0 : 1;
}

//===----------------------------------------------------------------------===//
// lockdeath
//===----------------------------------------------------------------------===//

/// A child that holds the flight of key 0 until it is ended.
static pid_t holdFlight(const std::string &root) {
  int ready[2];
  if (::pipe(ready) != 0)
    return -1;
  pid_t holder = spawn([&] {
    auto store = openStore(root);
    if (!store)
      return 1;
    FlightPtr flight = (*store)->enter(keyOf(0));
    (void)!::write(ready[1], "", 1);
    pause(60);
    return 0;
  });
  char byte;
  (void)!::read(ready[0], &byte, 1);
  ::close(ready[0]);
  ::close(ready[1]);
  return holder;
}

/// Waits for the flight while `signal` comes to its holder; the seconds from
/// then on.
static double waitAfter(int signal, const LocalConfig &config, double delay,
                        uint64_t &timeouts) {
  Scratch scratch;
  pid_t holder = holdFlight(scratch.root());
  auto store = openStore(scratch.root(), config);
  double sent = 0;
  std::thread killer([&] {
    pause(delay);
    sent = secondsNow();
    ::kill(holder, signal);
  });
  FlightPtr flight = (*store)->enter(keyOf(0));
  double entered = secondsNow();
  killer.join();
  ::kill(holder, SIGKILL);
  (void)join(holder);
  timeouts += (*store)->stats().lockTimeouts;
  return entered - sent;
}

static Result<int> lockDeath(int argc, char **argv) {
  tools::CommandLine line;
  uint64_t n = 20;
  numberFlag(line, "n", n);
  if (Status s = line.parse(argc, argv); !s)
    return s.takeError();
  std::mt19937_64 random(1);
  double worstKilled = 0, worstStopped = 0;
  uint64_t early = 0, timeouts = 0, stoppedTimeouts = 0;
  LocalConfig hasty = plainConfig();
  hasty.lockTimeoutSeconds = 0.3;
  for (uint64_t i = 0; i < n; ++i) {
    double delay = 0.01 + double(random() % 100) * 1e-3;
    double waited = waitAfter(SIGKILL, plainConfig(), delay, timeouts);
    early += waited < 0;
    worstKilled = std::max(worstKilled, waited);
    // A holder that stands still is waited for until the limit.
    worstStopped = std::max(
        worstStopped, waitAfter(SIGSTOP, hasty, 0.01, stoppedTimeouts));
  }
  report("lockdeath", {{"n", double(n)},
                       {"entered_early", double(early)},
                       {"max_wait_after_kill_s", worstKilled},
                       {"max_wait_after_stop_s", worstStopped},
                       {"timeouts_after_stop", double(stoppedTimeouts)}});
  return early == 0 && timeouts == 0 && stoppedTimeouts == n ? 0 : 1;
}

//===----------------------------------------------------------------------===//
// merge
//===----------------------------------------------------------------------===//

/// Adds facts of its own to the profile that all processes share.
static int addFacts(const std::string &root, const CacheKey &key, uint64_t first,
                    uint64_t facts) {
  for (uint64_t i = first; i < first + facts; ++i) {
    auto store = openStore(root);
    if (!store)
      return 1;
    session::SizeProfile seen;
    seen.note("s" + std::to_string(i), int64_t(i));
    seen.note("shared", int64_t(first));
    (void)session::mergeProfile(**store, key, seen);
  }
  return 0;
}

static Result<int> merge(int argc, char **argv) {
  tools::CommandLine line;
  uint64_t processes = 32, facts = 10;
  numberFlag(line, "procs", processes);
  numberFlag(line, "facts", facts);
  if (Status s = line.parse(argc, argv); !s)
    return s.takeError();
  Scratch scratch;
  CacheKey key = keyOf(1, KeyKind::Pgo);
  std::vector<pid_t> children;
  for (uint64_t i = 0; i < processes; ++i)
    children.push_back(spawn(
        [&] { return addFacts(scratch.root(), key, i * facts, facts); }));
  uint64_t failed = 0;
  for (pid_t child : children)
    failed += static_cast<uint64_t>(join(child));
  auto store = openStore(scratch.root());
  if (!store)
    return store.takeError();
  session::SizeProfile all = session::mergeProfile(**store, key, {});
  uint64_t expected = processes * facts + 1;
  report("merge", {{"procs", double(processes)},
                   {"facts", double(expected)},
                   {"found", double(all.size())},
                   {"lost", double(expected) - double(all.size())},
                   {"varies", double(all.varies("shared"))},
                   {"failed", double(failed)}});
  return failed == 0 && all.size() == expected &&
                 all.varies("shared") == (processes > 1)
             ? 0
             : 1;
}

std::vector<Command> chaos::processCommands() {
  return {
      {"kill9", "[--rounds=100] [--seed=1]",
       "kill processes that store entries of all kinds at random times", kill9},
      {"herd", "[--procs=64] [--rounds=20] [--compile-ms=200] [-- kiln-run ...]",
       "processes that want one key at once; one of them may make it. With a "
       "command that is run instead",
       herd},
      {"merge", "[--procs=32] [--facts=10]",
       "processes that add to the profile of one program at once; nothing may be "
       "lost",
       merge},
      {"lockdeath", "[--n=20]",
       "kill or stop the process that others wait for", lockDeath}};
}
