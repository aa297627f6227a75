//===- Commands.h - The commands of kiln-cache ------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each group of commands is one file, with a function that returns its table and
// a place in `allCommands`. A command reads the flags behind its name:
//
//   static Result<int> list(int argc, char **argv) {
//     CacheFlags flags;
//     auto store = flags.parseAndOpen(argc, argv); // null: there is no cache
//     if (!store)
//       return store.takeError();
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_CACHE_COMMANDS_H
#define KILN_TOOLS_KILN_CACHE_COMMANDS_H

#include "common/CommandLine.h"

#include "kiln/Cache/CacheConfig.h"
#include "kiln/Cache/LocalStore.h"

#include <optional>

namespace kiln::cachetool {

struct Command {
  const char *name;
  const char *arguments; ///< "[--json]"
  const char *summary;   ///< lines of the help, at most 58 columns each
  /// `argv[0]` is the name of the command. Returns the exit code.
  Result<int> (*run)(int argc, char **argv);
};

// One function a file.
std::vector<Command> lookCommands();   ///< info, stats, list, verify
std::vector<Command> changeCommands(); ///< evict, clear
std::vector<Command> explainCommands(); ///< key, why-miss, diff
std::vector<Command> keyCommands();     ///< key-gen, keys, trust, revoke
std::vector<Command> artifactCommands(); ///< save, load

/// All of them, in the order of the help.
std::vector<Command> allCommands();

/// What every command reads, `--cache-dir` and the environment, and flags of its
/// own that are registered with `line` before.
class CacheFlags {
public:
  CacheFlags();

  /// `words` is how many there are besides the flags; up to `more` may follow.
  Status parse(int argc, char **argv, size_t words = 0, size_t more = 0);

  /// The cache folder, or null where there is none. It is not made. Usage error
  /// if the environment permits no cache.
  Result<std::unique_ptr<cache::LocalStore>> open() const;
  /// Both; what a command that reads a cache begins with.
  Result<std::unique_ptr<cache::LocalStore>>
  parseAndOpen(int argc, char **argv, size_t words = 0) {
    if (Status s = parse(argc, argv, words); !s)
      return s.takeError();
    return open();
  }
  const cache::CacheConfig &config() const { return config_; }
  const std::vector<std::string> &words() const { return line.positional(); }

  tools::CommandLine line;

private:
  std::optional<std::string> directory_;
  cache::CacheConfig config_;
};

/// Prints what a package is: variants, inputs, outputs, weights, ranges of sizes.
/// Malformed if the file is none.
Result<int> describePackage(const std::string &path, bool asJson);

/// "1.5 MiB"
std::string showBytes(uint64_t bytes);

} // namespace kiln::cachetool

#endif // KILN_TOOLS_KILN_CACHE_COMMANDS_H
