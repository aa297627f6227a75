//===- RoomCommands.cpp - Limits, with many who write ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Chaos.h"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace kiln;
using namespace kiln::cache;
using namespace kiln::chaos;
namespace fs = std::filesystem;

/// What all files and folders below a root take on disk, as du counts.
static uint64_t diskUse(const std::string &root) {
  uint64_t bytes = 0;
  std::error_code ignored;
  for (auto i = fs::recursive_directory_iterator(root, ignored);
       i != fs::recursive_directory_iterator(); i.increment(ignored)) {
    struct stat info;
    if (::lstat(i->path().c_str(), &info) == 0)
      bytes += static_cast<uint64_t>(info.st_blocks) * 512;
  }
  return bytes;
}

//===----------------------------------------------------------------------===//
// evict
//===----------------------------------------------------------------------===//

static int workAndEvict(const std::string &root, uint64_t seed, double until,
                        const LocalConfig &config, int hits) {
  std::mt19937_64 random(seed);
  uint64_t right = 0;
  // However slow the machine is, as often as it takes for a number to come again.
  for (int rounds = 0; rounds < 20 || secondsNow() < until; ++rounds) {
    auto store = openStore(root, config);
    if (!store)
      return 1;
    for (int i = 0; i < 50; ++i) {
      uint64_t number = random() % 400;
      Found found = lookUp(**store, number);
      if (found == Found::Wrong)
        return 1;
      right += found == Found::Right;
      if (found == Found::Nothing && !chaos::store(**store, number))
        return 1;
      if (random() % 40 == 0)
        (*store)->evict((*store)->configuredLimits());
    }
    if (!(*store)->stats().isConsistent())
      return 1;
  }
  (void)!::write(hits, &right, sizeof(right));
  return 0;
}

static Result<int> evict(int argc, char **argv) {
  tools::CommandLine line;
  uint64_t seconds = 5, processes = 8;
  numberFlag(line, "seconds", seconds);
  numberFlag(line, "procs", processes);
  if (Status s = line.parse(argc, argv); !s)
    return s.takeError();
  Scratch scratch;
  LocalConfig config = plainConfig();
  config.maxBytes = 4 << 20;
  int pipe[2];
  if (::pipe(pipe) != 0)
    return Error::io("pipe failed");
  double until = secondsNow() + double(seconds);
  std::vector<pid_t> children;
  for (uint64_t i = 0; i < processes; ++i)
    children.push_back(spawn([&] {
      return workAndEvict(scratch.root(), i, until, config, pipe[1]);
    }));
  uint64_t most = 0;
  while (secondsNow() < until) {
    most = std::max(most, diskUse(scratch.root()));
    ::usleep(20000);
  }
  uint64_t wrong = 0, damaged = 0, hits = 0;
  for (pid_t child : children)
    wrong += static_cast<uint64_t>(join(child));
  for (uint64_t i = wrong; i < processes; ++i) {
    uint64_t count = 0;
    if (::read(pipe[0], &count, sizeof(count)) == sizeof(count))
      hits += count;
  }
  ::close(pipe[0]);
  ::close(pipe[1]);
  checkAll(scratch.root(), damaged, wrong);
  EvictionResult left;
  if (auto store = openStore(scratch.root(), config))
    left = (*store)->evict({});
  // Each writer may be one entry and its folder ahead of the evictor. What was
  // seen from outside while others wrote is told, and bounds nothing: a walk
  // meets entries that come and others that are gone by then.
  uint64_t bound = config.maxBytes + processes * (76 << 10);
  report("evict", {{"procs", double(processes)},
                   {"hits", double(hits)},
                   {"wrong", double(wrong)},
                   {"corrupt", double(damaged)},
                   {"seen_bytes", double(most)},
                   {"end_bytes", double(left.leftBytes)},
                   {"bound_bytes", double(bound)}});
  return wrong + damaged == 0 && left.leftBytes <= bound && hits != 0 ? 0 : 1;
}

//===----------------------------------------------------------------------===//
// size
//===----------------------------------------------------------------------===//

static Result<int> size(int argc, char **argv) {
  tools::CommandLine line;
  uint64_t limit = 64 << 20, total = 1 << 30, processes = 8;
  uint64_t entry = 256 << 10;
  numberFlag(line, "limit", limit);
  numberFlag(line, "total", total);
  numberFlag(line, "procs", processes);
  numberFlag(line, "entry", entry);
  if (Status s = line.parse(argc, argv); !s)
    return s.takeError();
  Scratch scratch;
  LocalConfig config = plainConfig();
  config.maxBytes = limit;
  uint64_t each = total / entry / processes;
  std::vector<pid_t> children;
  for (uint64_t i = 0; i < processes; ++i)
    children.push_back(spawn([&] {
      auto store = openStore(scratch.root(), config);
      if (!store)
        return 1;
      for (uint64_t k = 0; k < each; ++k)
        if (!chaos::store(**store, i * each + k, KeyKind::FxGraph, entry))
          return 1;
      return 0;
    }));
  uint64_t failed = 0;
  for (pid_t child : children)
    failed += static_cast<uint64_t>(join(child));
  uint64_t after = diskUse(scratch.root());
  EvictionResult left;
  if (auto store = openStore(scratch.root(), config)) {
    EvictionLimits limits = (*store)->configuredLimits();
    limits.bytes = uint64_t(double(limit) * limits.lowWater);
    left = (*store)->evict(limits);
  }
  uint64_t afterEviction = diskUse(scratch.root());
  uint64_t bound = limit + processes * (entry + (12 << 10));
  report("size", {{"written_bytes", double(each * processes * entry)},
                  {"failed", double(failed)},
                  {"disk_bytes", double(after)},
                  {"bound_bytes", double(bound)},
                  {"after_eviction_bytes", double(afterEviction)},
                  {"entries_left", double(left.leftFiles)}});
  return failed == 0 && after <= bound && left.leftFiles != 0 &&
                 double(left.leftBytes) <= 0.8 * double(limit)
             ? 0
             : 1;
}

//===----------------------------------------------------------------------===//
// lru
//===----------------------------------------------------------------------===//

/// Lets every entry have been used two hours ago.
static void ageAll(const std::string &root) {
  timespec old = {::time(nullptr) - 7200, 0};
  timespec times[2] = {old, old};
  for (const auto &file : fs::recursive_directory_iterator(root))
    if (file.path().extension() == ".kc")
      (void)::utimensat(AT_FDCWD, file.path().c_str(), times, 0);
}

static Result<int> lru(int argc, char **argv) {
  tools::CommandLine line;
  if (Status s = line.parse(argc, argv); !s)
    return s.takeError();
  constexpr uint64_t wanted = 100, others = 250, bytes = 8192;
  Scratch scratch;
  LocalConfig config = plainConfig();
  config.maxFiles = 400;
  config.maxBytes = 0;
  auto store = openStore(scratch.root(), config);
  if (!store)
    return store.takeError();
  for (uint64_t i = 0; i < 2 * wanted; ++i)
    if (Status s = chaos::store(**store, i, KeyKind::FxGraph, bytes); !s)
      return s.takeError();
  ageAll(scratch.root());
  // Half of what is there is used, and then there is too much.
  for (uint64_t i = wanted; i < 2 * wanted; ++i)
    (void)lookUp(**store, i, KeyKind::FxGraph, bytes);
  for (uint64_t i = 0; i < others; ++i)
    if (Status s = chaos::store(**store, 10000 + i, KeyKind::FxGraph, bytes);
        !s)
      return s.takeError();
  uint64_t left = 0;
  for (uint64_t i = 0; i < wanted; ++i)
    left += (*store)->contains(keyOf(i));
  uint64_t hits = 0;
  for (uint64_t i = wanted; i < 2 * wanted; ++i)
    hits += lookUp(**store, i, KeyKind::FxGraph, bytes) == Found::Right;
  report("lru", {{"used", double(wanted)},
                 {"hits", double(hits)},
                 {"unused_left", double(left)},
                 {"evicted", double((*store)->stats().evictedFiles)}});
  return hits * 100 >= wanted * 99 && (*store)->stats().evictedFiles != 0 ? 0
                                                                          : 1;
}

//===----------------------------------------------------------------------===//
// hit
//===----------------------------------------------------------------------===//

static Result<int> hit(int argc, char **argv) {
  tools::CommandLine line;
  uint64_t n = 2000, bytes = 64 << 10;
  numberFlag(line, "n", n);
  numberFlag(line, "entry", bytes);
  if (Status s = line.parse(argc, argv); !s)
    return s.takeError();
  Scratch scratch;
  auto store = openStore(scratch.root());
  if (!store)
    return store.takeError();
  if (Status s = chaos::store(**store, 1, KeyKind::FxGraph, bytes); !s)
    return s.takeError();
  uint64_t hits = 0;
  std::vector<double> micros;
  for (uint64_t i = 0; i < n; ++i) {
    double start = secondsNow();
    hits += (*store)->get(keyOf(1), environmentOf()).hit();
    micros.push_back((secondsNow() - start) * 1e6);
  }
  std::sort(micros.begin(), micros.end());
  report("hit", {{"n", double(n)},
                 {"hits", double(hits)},
                 {"p50_us", micros[n / 2]},
                 {"p99_us", micros[n * 99 / 100]}});
  return hits == n ? 0 : 1;
}

std::vector<Command> chaos::roomCommands() {
  return {
      {"hit", "[--n=2000] [--entry=64K]", "what a hit takes", hit},
      {"evict", "[--seconds=5] [--procs=8]",
       "readers, writers and evictors in one small cache", evict},
      {"size", "[--limit=64M] [--total=1G] [--procs=8] [--entry=256K]",
       "many times the limit from several processes", size},
      {"lru", "", "entries that are used survive those that are not", lru}};
}
