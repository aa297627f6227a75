//===- kiln-cache.cpp - Look at a cache and look after it -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "common/Output.h"

#include <cstring>

using namespace kiln;
using namespace kiln::cachetool;
using namespace kiln::tools;

static const char kHelp[] =
    R"(kiln-cache: looks at a cache of compiled programs, and looks after it

usage: kiln-cache COMMAND [flags]

commands
)";

static const char kMoreHelp[] = R"(
flags of every command
  --cache-dir=DIR        instead of KILN_CACHE_DIR or <tmp>/kiln_<user>
  --version              of Kiln, and the build id

A cache that does not exist is an empty one, and is not made.

environment, besides the folder (all tools)
  KILN_LOCAL_MODE        rw, ro, wo or off
  KILN_CACHE_MAX_SIZE    most bytes on disk, default 10G
  KILN_CACHE_MAX_FILES   most entries, default 200000
  KILN_CACHE_MAX_AGE     longest time since the last use: 30d, 12h
  KILN_CACHE_MIN_FREE    nothing is written to a disk with less room, 1G
  KILN_CACHE_RECACHE=1   compile what is there again
  KILN_CACHE_SHARED=group:NAME
                         the members of a group share the folder
  KILN_CACHE_QUARANTINE=1, KILN_CACHE_STRICT=1, KILN_CACHE_VERIFY=N
                         keep damaged entries, make them errors, compile one of
                         N hits again and compare
  KILN_LOCK_TIMEOUT_S    longest wait for another compilation of a key, 600
  KILN_FORCE_DISABLE_CACHES=1
                         no cache, whatever else is said
  KILN_CACHE_KEY_FILE, KILN_CACHE_KEY
                         the own key: a file closed to others, or 64 digits
  KILN_CACHE_TRUSTED_KEYS, KILN_CACHE_REVOKED_KEYS
                         public keys NAME:BASE64, or the absolute path of a
                         list; besides those of 'trust' and 'revoke'
  KILN_CACHE_HMAC_KEY_FILE
                         a secret that machines share, instead of names
  KILN_KERNEL_CACHE_DIR  a cache of its own for the code of kernels
  KILN_CACHE_NAMESPACE   keeps entries of one project from those of others
  KILN_FX_GRAPH_REMOTE_CACHE=1, KILN_AUTOGRAD_REMOTE_CACHE=1,
  KILN_AUTOTUNE_REMOTE_CACHE=1, KILN_BUNDLED_AUTOTUNE_REMOTE_CACHE=1,
  KILN_REDIS_URL, KILN_REMOTE_MODE
                         a remote, for the tools that compile: this one looks
                         at the folder

exit codes: 0 done, 1 an entry is damaged, 2 wrong command line, 3 the cache or
a file cannot be read or written, 4 not supported, 5 internal error

examples:
  kiln-cache info
  kiln-cache evict --max-size=2G --older-than=30d
  KILN_CACHE_DIR=/srv/kiln kiln-cache verify
)";

static std::string help() {
  std::string text = kHelp;
  for (const Command &command : allCommands()) {
    std::string head = "  " + std::string(command.name) + " " +
                       command.arguments;
    while (head.back() == ' ')
      head.pop_back();
    constexpr size_t column = 25;
    if (head.size() + 1 < column)
      head.resize(column, ' ');
    else
      head += "\n" + std::string(column, ' ');
    for (const char *c = command.summary; *c; ++c)
      head += *c == '\n' ? "\n" + std::string(column, ' ') : std::string(1, *c);
    text += head + "\n";
  }
  return text + kMoreHelp;
}

static Result<int> run(int argc, char **argv) {
  bool isWord = argc > 1 && argv[1][0] != '-';
  if (isWord)
    for (const Command &command : allCommands())
      if (std::strcmp(command.name, argv[1]) == 0) {
        for (int i = 2; i < argc; ++i)
          if (std::strcmp(argv[i], "--help") == 0 ||
              std::strcmp(argv[i], "-h") == 0) {
            print(help());
            return 0;
          }
        return command.run(argc - 1, argv + 1);
      }
  CommandLine line;
  if (!isWord) {
    if (Status s = line.parse(argc, argv); !s)
      return s.takeError();
    if (printAbout(line, "kiln-cache", help()))
      return 0;
  }
  std::string names;
  for (const Command &command : allCommands())
    names += (names.empty() ? "" : ", ") + std::string(command.name);
  return Error::usage((isWord ? "unknown command '" + std::string(argv[1]) + "'"
                              : std::string("no command")) +
                      ", expected one of " + names);
}

int main(int argc, char **argv) {
  return runTool("kiln-cache", [&] {
    auto code = run(argc, argv);
    return code ? *code : reportError("kiln-cache", code.error());
  });
}
