//===- SystemCommands.cpp - A system that refuses -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Chaos.h"
#include "Faults.h"

#include "kiln/Base/FileSystem.h"

#include <array>
#include <csignal>
#include <cstring>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kiln;
using namespace kiln::cache;
using namespace kiln::chaos;

//===----------------------------------------------------------------------===//
// failnth
//===----------------------------------------------------------------------===//

// 0 stands for a transfer of half of the bytes.
static const int kErrors[] = {EIO,    ENOSPC, EDQUOT, EMFILE, EACCES, EROFS,
                              ESTALE, EBUSY,  EINTR,  ENOLCK, ENOENT, 0};

namespace {
enum class Life { Right, Wrong, Unopened };
} // namespace

/// The life of a store: made, asked, filled, asked, evicted, closed. Wrong if
/// something wrong was served or a look-up was not counted as one thing.
static Life live(const std::string &root) {
  LocalConfig config = plainConfig();
  config.minFreeBytes = 1; // the free space is asked for
  config.maxBytes = 64 << 10;
  config.sync = true;
  config.lockTimeoutSeconds = 0.05;
  auto store = openStore(root, config);
  if (!store)
    return Life::Unopened;
  for (uint64_t number : {1, 2}) {
    if (lookUp(**store, number) == Found::Wrong)
      return Life::Wrong;
    FlightPtr flight = (*store)->enter(keyOf(number));
    (void)chaos::store(**store, number);
  }
  if (lookUp(**store, 1) == Found::Wrong)
    return Life::Wrong;
  (*store)->removeVariant(keyOf(2), payloadOf(2));
  (*store)->evict((*store)->configuredLimits());
  (*store)->sweep();
  return (*store)->stats().isConsistent() ? Life::Right : Life::Wrong;
}

namespace {
enum class End { Right, Wrong, Unopened, Crash, Hung };
} // namespace

/// One life with one fault, in a child, and a look at what it left.
static End tryFault(const Fault &fault) {
  Scratch scratch;
  pid_t child = spawn([&] {
    // Neither may it hang; a machine that is busy is given time.
    ::alarm(300);
    arm(fault);
    Life first = live(scratch.root());
    disarm();
    // Whatever is left, the next process gets on.
    uint64_t damaged = 0, wrong = 0;
    checkAll(scratch.root(), damaged, wrong);
    bool isRight = first != Life::Wrong && damaged + wrong == 0 &&
                   live(scratch.root()) == Life::Right;
    auto store = openStore(scratch.root());
    isRight = isRight && store && chaos::store(**store, 3) &&
              lookUp(**store, 3) == Found::Right &&
              filesIn(scratch.root() + "/tmp") <= 1;
    return int(!isRight                   ? End::Wrong
               : first == Life::Unopened ? End::Unopened
                                         : End::Right);
  });
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    return WTERMSIG(status) == SIGALRM ? End::Hung : End::Crash;
  int code = WEXITSTATUS(status);
  return code <= int(End::Unopened) ? End(code) : End::Crash;
}

static Result<int> failNth(int argc, char **argv) {
  tools::CommandLine line;
  uint64_t every = 1;
  bool all = false;
  numberFlag(line, "every", every);
  line.flag("all", all);
  if (Status s = line.parse(argc, argv); !s)
    return s.takeError();
  uint64_t calls;
  {
    Scratch scratch;
    arm({});
    Life life = live(scratch.root());
    calls = disarm();
    if (life != Life::Right)
      return Error::internal("without a fault something is wrong");
  }
  static const char *const names[] = {"right", "wrong", "right, not opened",
                                      "crash", "hung"};
  std::array<uint64_t, std::size(names)> ends{};
  uint64_t points = 0;
  for (uint64_t call = 1, point = 0; call <= calls; ++call)
    for (int error : kErrors) {
      if (!all && point++ % every != 0)
        continue;
      ++points;
      End end = tryFault({call, error});
      ++ends[size_t(end)];
      if (end != End::Right && end != End::Unopened)
        std::printf("call %llu, %s: %s\n",
                    static_cast<unsigned long long>(call),
                    error ? ::strerrorname_np(error) : "short transfer",
                    names[size_t(end)]);
    }
  uint64_t right = ends[size_t(End::Right)],
           unopened = ends[size_t(End::Unopened)];
  report("failnth", {{"calls", double(calls)},
                     {"points", double(points)},
                     {"unopened", double(unopened)},
                     {"wrong", double(ends[size_t(End::Wrong)])},
                     {"crash", double(ends[size_t(End::Crash)])},
                     {"hung", double(ends[size_t(End::Hung)])}});
  // Where no store opened there was nothing to go wrong.
  return right > unopened && right + unopened == points ? 0 : 1;
}

//===----------------------------------------------------------------------===//
// enospc
//===----------------------------------------------------------------------===//

/// Mounts a small file system in a name space of this process's own.
static bool mountSmall(const std::string &folder, uint64_t bytes) {
  if (::unshare(CLONE_NEWNS) != 0 &&
      ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
    return false;
  (void)::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
  std::string options = "size=" + std::to_string(bytes) + ",mode=0755";
  return ::mount("tmpfs", folder.c_str(), "tmpfs", 0, options.c_str()) == 0;
}

namespace {
struct FullFigures {
  uint64_t puts = 0, failed = 0, hits = 0, wrong = 0, left = 0, isMounted = 0,
           oldHits = 0, tries = 0;
};
} // namespace

static FullFigures fillDisk(const Scratch &scratch, uint64_t bytes,
                            uint64_t n) {
  FullFigures figures;
  std::string folder = scratch.path() + "/disk";
  ::mkdir(folder.c_str(), 0700);
  figures.isMounted = mountSmall(folder, bytes);
  if (!figures.isMounted) {
    // No file may be longer than a part of that.
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit = {bytes / 16, bytes / 16};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  std::mt19937_64 random(1);
  std::string root = folder + "/cache";
  // What is there before the disk is full is served to the end.
  uint64_t old = 0;
  while (payloadOf(old).size() > bytes / 40)
    ++old;
  if (auto store = openStore(root))
    (void)chaos::store(**store, old);
  for (uint64_t i = 0; i < n; i += 100) {
    auto store = openStore(root);
    if (!store)
      continue;
    for (uint64_t k = i; k < std::min(i + 100, n); ++k) {
      uint64_t number = 100 + random() % 200;
      Found found = lookUp(**store, number);
      figures.wrong += found == Found::Wrong;
      figures.hits += found == Found::Right;
      if (found == Found::Nothing)
        ++(chaos::store(**store, number) ? figures.puts : figures.failed);
    }
    ++figures.tries;
    figures.oldHits += lookUp(**store, old) == Found::Right;
  }
  checkAll(root, figures.wrong, figures.wrong);
  figures.left = filesIn(root + "/tmp");
  return figures;
}

static Result<int> enospc(int argc, char **argv) {
  tools::CommandLine line;
  uint64_t bytes = 512 << 10, n = 4000;
  numberFlag(line, "size", bytes);
  numberFlag(line, "n", n);
  if (Status s = line.parse(argc, argv); !s)
    return s.takeError();
  Scratch scratch;
  int pipe[2];
  if (::pipe(pipe) != 0)
    return Error::io("pipe: " + systemMessage(errno));
  pid_t child = spawn([&] {
    FullFigures figures = fillDisk(scratch, bytes, n);
    return ::write(pipe[1], &figures, sizeof(figures)) == sizeof(figures) ? 0
                                                                          : 1;
  });
  int failed = join(child);
  FullFigures figures;
  if (failed || ::read(pipe[0], &figures, sizeof(figures)) != sizeof(figures))
    return Error::internal("the process with the small disk ended");
  ::close(pipe[0]);
  ::close(pipe[1]);
  report(figures.isMounted ? "enospc (tmpfs)"
                           : "enospc (no mount permitted: short files instead)",
         {{"ops", double(n)},
          {"puts", double(figures.puts)},
          {"put_failures", double(figures.failed)},
          {"hits", double(figures.hits)},
          {"wrong", double(figures.wrong)},
          {"tmp_left", double(figures.left)},
          {"old_hits", double(figures.oldHits)},
          {"old_lookups", double(figures.tries)}});
  return figures.wrong + figures.left == 0 && figures.failed != 0 &&
                 figures.puts != 0 && figures.oldHits == figures.tries
             ? 0
             : 1;
}

std::vector<Command> chaos::systemCommands() {
  return {{"failnth", "[--all | --every=1]",
           "let each system call of a store's life fail with each errno",
           failNth},
          {"enospc", "[--size=512K] [--n=4000]",
           "a disk that is too small; a limit of file sizes where no disk may "
           "be mounted",
           enospc}};
}
