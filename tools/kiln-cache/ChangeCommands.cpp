//===- ChangeCommands.cpp - evict, clear ----------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "common/Output.h"

using namespace kiln;
using namespace kiln::cache;
using namespace kiln::cachetool;
using kiln::tools::print;

/// The cache to change; null if there is none.
static Result<std::unique_ptr<LocalStore>>
openToChange(const CacheFlags &flags) {
  if (!flags.config().local.writes())
    return Error::usage("KILN_LOCAL_MODE permits no change of the cache; "
                        "expected rw or wo");
  return flags.open();
}

/// The exit code of a command that removed what it could.
static Result<int> exitCode(const EvictionResult &result) {
  if (result.failedFiles != 0)
    return Error::io(std::to_string(result.failedFiles) +
                     " entries cannot be removed; is the folder or its disk "
                     "read-only?");
  return 0;
}

static Result<int> evict(int argc, char **argv) {
  CacheFlags flags;
  std::optional<uint64_t> size, age;
  auto number = [](const char *flag, std::optional<uint64_t> &target,
                   std::optional<uint64_t> (*parse)(const std::string &),
                   const char *expected) {
    return [=, &target](const std::string &text) -> Status {
      target = parse(text);
      if (target)
        return Status::success();
      return Error::usage(std::string(flag) + "=" + text + ": expected " +
                          expected);
    };
  };
  flags.line.value("max-size",
                   number("--max-size", size, parseSize,
                          "a number of bytes such as 500M"));
  flags.line.value("older-than", number("--older-than", age, parseAge,
                                        "a number of seconds such as 7d"));
  if (Status s = flags.parse(argc, argv); !s)
    return s.takeError();
  auto store = openToChange(flags);
  if (!store)
    return store.takeError();
  EvictionResult result;
  if (*store && size && *size == 0) {
    // Nothing is to be left; as a limit 0 would mean none.
    EvictionLimits limits;
    limits.bytes = 1;
    result = (*store)->evict(limits);
  } else if (*store) {
    EvictionLimits limits = (*store)->configuredLimits();
    if (size || age) {
      limits = EvictionLimits();
      limits.bytes = size.value_or(0);
      limits.ageSeconds = age.value_or(0);
    }
    result = (*store)->evict(limits);
    (*store)->sweep();
  }
  print("removed " + std::to_string(result.evictedFiles) + " entries, " +
        showBytes(result.evictedBytes) + "; left " +
        std::to_string(result.leftFiles) + ", " + showBytes(result.leftBytes) +
        "\n");
  return exitCode(result);
}

static Result<int> clear(int argc, char **argv) {
  CacheFlags flags;
  if (Status s = flags.parse(argc, argv); !s)
    return s.takeError();
  auto store = openToChange(flags);
  if (!store)
    return store.takeError();
  EvictionResult result;
  if (*store)
    result = (*store)->clear();
  print("removed " + std::to_string(result.evictedFiles) + " entries\n");
  return exitCode(result);
}

std::vector<Command> cachetool::changeCommands() {
  return {
      {"evict", "[--max-size=N] [--older-than=AGE]",
       "remove what was used longest ago until N bytes are\n"
       "left (500M, 2G), and what was not used for AGE\n"
       "(90m, 7d); without flags as the limits of the\n"
       "environment say",
       evict},
      {"clear", "", "remove all entries and counters", clear},
  };
}
