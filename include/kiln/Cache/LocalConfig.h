//===- LocalConfig.h - Settings of the local tier -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   variable                 default  meaning
//   KILN_LOCAL_MODE          rw       rw, ro, wo or off
//   KILN_CACHE_MAX_SIZE      10G      bytes on disk; K, M, G, T; 0: no limit
//   KILN_CACHE_MAX_FILES     200000   entries; 0: no limit
//   KILN_CACHE_MAX_AGE       none     seconds since the last use; s, m, h, d
//   KILN_CACHE_MIN_FREE      1G       nothing is written with less free space
//   KILN_CACHE_RECACHE       off      1: ignore what is there, overwrite it
//   KILN_CACHE_QUARANTINE    off      1: keep damaged entries in quarantine/
//   KILN_CACHE_FSYNC         off      1: entries survive a loss of power
//   KILN_CACHE_STRICT        off      1: a damaged entry is an error
//   KILN_CACHE_VERIFY        0        one of N hits is compiled and compared
//   KILN_CACHE_SHARED        none     group:NAME, the members share the folder
//   KILN_LOCK_TIMEOUT_S      600      longest wait for another compilation
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CACHE_LOCALCONFIG_H
#define KILN_CACHE_LOCALCONFIG_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kiln::cache {

enum class LocalMode { ReadWrite, ReadOnly, WriteOnly, Off };

struct LocalConfig {
  LocalMode mode = LocalMode::ReadWrite;
  uint64_t maxBytes = uint64_t(10) << 30; ///< on disk; 0: no limit
  uint64_t maxFiles = 200000;             ///< 0: no limit
  uint64_t maxAgeSeconds = 0;             ///< 0: no limit
  uint64_t minFreeBytes = uint64_t(1) << 30;
  bool recache = false;
  bool quarantine = false;
  bool sync = false;
  bool strict = false;
  uint64_t verifyEvery = 0; ///< one of so many hits is compiled again; 0: none
  /// Id of the group whose members share the cache.
  std::optional<uint32_t> group;
  double lockTimeoutSeconds = 600;

  bool reads() const {
    return mode == LocalMode::ReadWrite || mode == LocalMode::ReadOnly;
  }
  bool writes() const {
    return mode == LocalMode::ReadWrite || mode == LocalMode::WriteOnly;
  }
};

/// Reads the variables. One that cannot be understood leaves its default, and a
/// sentence in `warnings`; a group that does not exist switches the tier off,
/// since a private folder is not what was asked for.
LocalConfig readLocalConfig(std::vector<std::string> &warnings);

/// "64M" as bytes, "7d" as seconds; nothing for any other text.
std::optional<uint64_t> parseSize(const std::string &text);
std::optional<uint64_t> parseAge(const std::string &text);

} // namespace kiln::cache

#endif // KILN_CACHE_LOCALCONFIG_H
