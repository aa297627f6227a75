//===- PlaceCommands.cpp - Folders and clocks that change -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Chaos.h"
#include "Faults.h"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace kiln;
using namespace kiln::cache;
using namespace kiln::chaos;
namespace fs = std::filesystem;

//===----------------------------------------------------------------------===//
// owner
//===----------------------------------------------------------------------===//

namespace {
struct Shape {
  const char *name;
  std::function<void(const std::string &root)> make;
};
} // namespace

static void makeFolder(const std::string &path, mode_t mode) {
  (void)::mkdir(path.c_str(), 0700);
  (void)::chmod(path.c_str(), mode);
}

/// What another user may have put where the cache is to be.
static std::vector<Shape> shapes() {
  auto give = [](const std::string &path) {
    (void)!::lchown(path.c_str(), 12345, 12345);
  };
  return {
      {"folder of another user",
       [=](const std::string &root) {
         makeFolder(root, 0755);
         give(root);
       }},
      {"link to a folder",
       [=](const std::string &root) {
         makeFolder(root + ".target", 0700);
         (void)!::symlink((root + ".target").c_str(), root.c_str());
       }},
      {"link that leads nowhere",
       [=](const std::string &root) {
         (void)!::symlink("/nonexistent/kiln", root.c_str());
       }},
      {"FIFO",
       [=](const std::string &root) { (void)::mkfifo(root.c_str(), 0600); }},
      {"folder that everybody writes",
       [=](const std::string &root) { makeFolder(root, 0777); }},
      {"file",
       [=](const std::string &root) { std::ofstream(root) << "mine"; }},
  };
}

static Result<int> owner(int argc, char **argv) {
  tools::CommandLine line;
  if (Status s = line.parse(argc, argv); !s)
    return s.takeError();
  uint64_t tried = 0, refused = 0, skipped = 0, touched = 0;
  for (const Shape &shape : shapes()) {
    bool needsRoot = std::string(shape.name) == "folder of another user";
    if (needsRoot && ::geteuid() != 0) {
      ++skipped;
      continue;
    }
    Scratch scratch;
    shape.make(scratch.root());
    ++tried;
    auto store = openStore(scratch.root());
    refused += !store;
    std::printf("%s: %s\n", shape.name,
                store ? "ACCEPTED" : store.error().message.c_str());
    // What the name leads to has nothing of ours in it.
    for (const std::string &folder :
         {scratch.root(), scratch.root() + ".target"})
      if (fs::is_directory(folder))
        touched += filesIn(folder);
  }
  {
    // The folder around is everybody's.
    Scratch scratch;
    makeFolder(scratch.path() + "/open", 0777);
    ++tried;
    auto store =
        openStore(scratch.path() + "/open/cache");
    refused += !store;
    std::printf("folder in a folder of everybody: %s\n",
                store ? "ACCEPTED" : store.error().message.c_str());
  }
  // Below a root of ours nothing leads out of it.
  uint64_t escaped = 0;
  for (const char *level : {"fxgraph", "tmp", "stats", "locks"}) {
    Scratch scratch;
    makeFolder(scratch.root(), 0700);
    makeFolder(scratch.path() + "/outside", 0700);
    (void)!::symlink((scratch.path() + "/outside").c_str(),
                     (scratch.root() + "/" + level).c_str());
    auto store = openStore(scratch.root());
    if (store) {
      FlightPtr flight = (*store)->enter(keyOf(1));
      (void)chaos::store(**store, 1);
      escaped += lookUp(**store, 1) == Found::Wrong;
      (*store)->evict((*store)->configuredLimits());
      (*store)->sweep();
    }
    escaped += filesIn(scratch.path() + "/outside");
  }
  report("owner", {{"shapes", double(tried)},
                   {"refused", double(refused)},
                   {"skipped_without_root", double(skipped)},
                   {"files_in_refused", double(touched)},
                   {"files_outside", double(escaped)}});
  return refused == tried && touched + escaped == 0 ? 0 : 1;
}

//===----------------------------------------------------------------------===//
// rmrf
//===----------------------------------------------------------------------===//

static Result<int> rmrf(int argc, char **argv) {
  tools::CommandLine line;
  uint64_t seconds = 10, processes = 3;
  numberFlag(line, "seconds", seconds);
  numberFlag(line, "procs", processes);
  if (Status s = line.parse(argc, argv); !s)
    return s.takeError();
  Scratch scratch;
  double until = secondsNow() + double(seconds);
  std::vector<pid_t> children;
  for (uint64_t i = 0; i < processes; ++i)
    children.push_back(spawn([&] {
      std::mt19937_64 random(i);
      while (secondsNow() < until) {
        auto store = openStore(scratch.root());
        for (int k = 0; store && k < 30; ++k) {
          uint64_t number = random() % 50;
          FlightPtr flight = (*store)->enter(keyOf(number));
          Found found = lookUp(**store, number);
          if (found == Found::Wrong || !(*store)->stats().isConsistent())
            return 1;
          if (found == Found::Nothing)
            (void)chaos::store(**store, number);
        }
      }
      return 0;
    }));
  uint64_t removals = 0;
  while (secondsNow() < until) {
    std::error_code ignored;
    fs::remove_all(scratch.root(), ignored);
    ++removals;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  uint64_t wrong = 0, damaged = 0;
  for (pid_t child : children)
    wrong += static_cast<uint64_t>(join(child));
  checkAll(scratch.root(), damaged, wrong);
  report("rmrf", {{"seconds", double(seconds)},
                  {"removals", double(removals)},
                  {"wrong", double(wrong)},
                  {"corrupt", double(damaged)}});
  return wrong + damaged == 0 && removals != 0 ? 0 : 1;
}

//===----------------------------------------------------------------------===//
// clock
//===----------------------------------------------------------------------===//

/// Files get the time of the clock as it is said to be.
static void stamp(const std::string &root, uint64_t number, int64_t seconds) {
  timespec when = {seconds, 0};
  timespec times[2] = {when, when};
  std::string path = root + "/" + entryDirectory(keyOf(number)) + "/" +
                     variantName(payloadOf(number));
  (void)::utimensat(AT_FDCWD, path.c_str(), times, 0);
}

/// Stores a few, with the clock at `shift`, then evicts half of them. False if
/// something wrong is served, or one is evicted before another that was used
/// earlier.
static bool liveAt(const std::string &root, int64_t shift, int64_t step) {
  constexpr uint64_t count = 8;
  int64_t start = ::time(nullptr);
  bool isRight = true;
  for (uint64_t i = 0; i < count; ++i) {
    shiftClock(shift + static_cast<int64_t>(i) * step);
    auto store = openStore(root);
    if (!store)
      return false;
    FlightPtr flight = (*store)->enter(keyOf(i));
    isRight &= lookUp(**store, i) != Found::Wrong &&
               bool(chaos::store(**store, i));
    stamp(root, i, start + shift + static_cast<int64_t>(i) * step);
    isRight &= lookUp(**store, i) == Found::Right;
  }
  auto store = openStore(root);
  if (!store)
    return false;
  (*store)->sweep();
  EvictionLimits limits;
  limits.files = count / 2;
  EvictionResult result = (*store)->evict(limits);
  uint64_t kept = 0;
  for (uint64_t i = 0; i < count; ++i)
    kept += lookUp(**store, i) == Found::Right;
  isRight &= result.leftFiles == count / 2 && kept == count / 2;
  // With a clock that goes forwards the last ones stay.
  for (uint64_t i = count / 2; step > 0 && i < count; ++i)
    isRight &= lookUp(**store, i) == Found::Right;
  shiftClock(0);
  // Back in the present everything goes on.
  auto now = openStore(root);
  isRight &= bool(now) && bool(chaos::store(**now, 100)) &&
             lookUp(**now, 100) == Found::Right;
  return isRight;
}

static Result<int> clock(int argc, char **argv) {
  tools::CommandLine line;
  uint64_t n = 4;
  numberFlag(line, "n", n);
  if (Status s = line.parse(argc, argv); !s)
    return s.takeError();
  constexpr int64_t day = 86400, year = 365 * day;
  uint64_t lives = 0, wrong = 0;
  for (uint64_t i = 0; i < n; ++i)
    for (int64_t shift : {-day, 10 * year, int64_t(0)})
      for (int64_t step : {int64_t(10), day, -3600 * int64_t(2)}) {
        Scratch scratch;
        ++lives;
        wrong += !liveAt(scratch.root(), shift, step);
        shiftClock(0);
      }
  report("clock", {{"lives", double(lives)}, {"wrong", double(wrong)}});
  return wrong == 0 ? 0 : 1;
}

std::vector<Command> chaos::placeCommands() {
  return {{"owner", "", "what others may put where the cache is to be", owner},
          {"rmrf", "[--seconds=10] [--procs=3]",
           "remove the whole cache every 50 ms while it is used", rmrf},
          {"clock", "[--n=4]",
           "a clock a day back, ten years ahead, and one that jumps", clock}};
}
