//===- Chaos.h - What the faults have in common -----------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every key stands for a number, and every number for one payload: what a cache
// serves is right or wrong, whatever was done to it before. A command ends with
// one line of figures and exit code 0, or 1 if one of them must be zero.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_CHAOS_H
#define KILN_TEST_CHAOS_H

#include "common/CommandLine.h"

#include "kiln/Cache/LocalStore.h"

#include <functional>
#include <random>
#include <sys/types.h>

namespace kiln::chaos {

/// A folder that ends with the object, in the process that made it.
class Scratch {
public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  const std::string &path() const { return path_; }
  std::string root() const { return path_ + "/cache"; }

private:
  std::string path_;
  pid_t owner_;
};

/// Limits that a test machine's disk does not decide.
cache::LocalConfig plainConfig();
Result<std::unique_ptr<cache::LocalStore>>
openStore(const std::string &root,
          const cache::LocalConfig &config = plainConfig());
cache::CacheKey keyOf(uint64_t number,
                      cache::KeyKind kind = cache::KeyKind::FxGraph);
/// Up to 64 KiB, half of it hard to compress; or exactly `bytes`.
std::vector<uint8_t> payloadOf(uint64_t number, size_t bytes = 0);
Digest environmentOf();

enum class Found { Nothing, Right, Wrong };
Found lookUp(cache::Store &store, uint64_t number,
             cache::KeyKind kind = cache::KeyKind::FxGraph, size_t bytes = 0);
Status store(cache::Store &store, uint64_t number,
             cache::KeyKind kind = cache::KeyKind::FxGraph, size_t bytes = 0);

/// The only entry file below a root; empty if there is not exactly one.
std::string onlyEntry(const std::string &root);
/// Checks all entries by their names and contents: those that are damaged, and
/// those that hold another number's payload.
void checkAll(const std::string &root, uint64_t &damaged, uint64_t &wrong);
size_t filesIn(const std::string &folder);

/// Runs `work` in a child; the child's exit code is its result.
pid_t spawn(const std::function<int()> &work);
/// 0 if it ended with exit code 0, else 1.
int join(pid_t child);

double secondsNow(); ///< monotonic

struct Command {
  const char *name;
  const char *flags;
  const char *summary;
  Result<int> (*run)(int argc, char **argv);
};
std::vector<Command> damageCommands();  ///< bitflip, trunc
std::vector<Command> processCommands(); ///< kill9, herd, merge, lockdeath
std::vector<Command> systemCommands();  ///< failnth, enospc
std::vector<Command> placeCommands();   ///< owner, rmrf, clock
std::vector<Command> roomCommands();    ///< hit, evict, size, lru
std::vector<Command> diffCommands();    ///< diff
std::vector<Command> callCommands();    ///< calls

/// Registers a flag with a number.
void numberFlag(tools::CommandLine &line, const char *name, uint64_t &target);

/// Prints "name: a=1 b=2".
void report(const char *name,
            const std::vector<std::pair<std::string, double>> &figures);

} // namespace kiln::chaos

#endif // KILN_TEST_CHAOS_H
