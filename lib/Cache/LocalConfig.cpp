//===- LocalConfig.cpp - Variables of the local tier ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Cache/LocalConfig.h"

#include <charconv>
#include <cstdlib>
#include <grp.h>

using namespace kiln::cache;

/// A number and one of `units`, whose factors stand beside it.
static std::optional<uint64_t>
parseScaled(const std::string &text,
            const std::vector<std::pair<char, uint64_t>> &units) {
  uint64_t number = 0;
  const char *end = text.data() + text.size();
  auto [rest, code] = std::from_chars(text.data(), end, number);
  if (code != std::errc() || rest == text.data())
    return std::nullopt;
  if (rest == end)
    return number;
  for (const auto &[letter, factor] : units) {
    uint64_t scaled = 0;
    if ((*rest | 32) == letter && rest + 1 == end &&
        !__builtin_mul_overflow(number, factor, &scaled))
      return scaled;
  }
  return std::nullopt;
}

std::optional<uint64_t> kiln::cache::parseSize(const std::string &text) {
  return parseScaled(text, {{'k', uint64_t(1) << 10},
                            {'m', uint64_t(1) << 20},
                            {'g', uint64_t(1) << 30},
                            {'t', uint64_t(1) << 40}});
}

std::optional<uint64_t> kiln::cache::parseAge(const std::string &text) {
  return parseScaled(text, {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}});
}

namespace {
/// Reads variables, and says which could not be understood.
class Variables {
public:
  explicit Variables(std::vector<std::string> &warnings)
      : warnings_(warnings) {}

  void number(const char *name, uint64_t &target,
              std::optional<uint64_t> (*parse)(const std::string &),
              const char *expected) {
    const char *value = std::getenv(name);
    if (!value)
      return;
    if (auto parsed = parse(value))
      target = *parsed;
    else
      warn(name, value, expected);
  }

  /// As PyTorch's switches: 1 enables, any other value disables.
  void flag(const char *name, bool &target) {
    if (const char *value = std::getenv(name))
      target = std::string(value) == "1";
  }

  void warn(const char *name, const std::string &value, const char *expected) {
    warnings_.push_back(std::string(name) + "=" + value +
                        " is ignored: expected " + expected);
  }

private:
  std::vector<std::string> &warnings_;
};
} // namespace

static void readMode(Variables &variables, LocalConfig &config) {
  const char *value = std::getenv("KILN_LOCAL_MODE");
  if (!value)
    return;
  std::string word = value;
  if (word == "rw")
    config.mode = LocalMode::ReadWrite;
  else if (word == "ro")
    config.mode = LocalMode::ReadOnly;
  else if (word == "wo")
    config.mode = LocalMode::WriteOnly;
  else if (word == "off")
    config.mode = LocalMode::Off;
  else
    variables.warn("KILN_LOCAL_MODE", word, "rw, ro, wo or off");
}

static void readGroup(Variables &variables, LocalConfig &config) {
  const char *value = std::getenv("KILN_CACHE_SHARED");
  if (!value || !*value)
    return;
  std::string text = value;
  struct group record;
  struct group *found = nullptr;
  std::vector<char> buffer(16384);
  if (text.compare(0, 6, "group:") == 0)
    (void)getgrnam_r(text.c_str() + 6, &record, buffer.data(), buffer.size(),
                     &found);
  if (found) {
    config.group = found->gr_gid;
    return;
  }
  config.mode = LocalMode::Off;
  variables.warn("KILN_CACHE_SHARED", text,
                 "group:NAME of a group that exists; there is no cache");
}

LocalConfig
kiln::cache::readLocalConfig(std::vector<std::string> &warnings) {
  LocalConfig config;
  Variables variables(warnings);
  const char *size = "a number of bytes such as 64M";
  variables.number("KILN_CACHE_MAX_SIZE", config.maxBytes, parseSize, size);
  variables.number("KILN_CACHE_MIN_FREE", config.minFreeBytes, parseSize, size);
  variables.number("KILN_CACHE_MAX_FILES", config.maxFiles, parseSize,
                   "a number of entries");
  variables.number("KILN_CACHE_MAX_AGE", config.maxAgeSeconds, parseAge,
                   "a number of seconds such as 7d");
  variables.number("KILN_CACHE_VERIFY", config.verifyEvery, parseSize,
                   "a number of hits");
  uint64_t timeout = static_cast<uint64_t>(config.lockTimeoutSeconds);
  variables.number("KILN_LOCK_TIMEOUT_S", timeout, parseAge,
                   "a number of seconds");
  config.lockTimeoutSeconds = static_cast<double>(timeout);
  variables.flag("KILN_CACHE_RECACHE", config.recache);
  variables.flag("KILN_CACHE_QUARANTINE", config.quarantine);
  variables.flag("KILN_CACHE_FSYNC", config.sync);
  variables.flag("KILN_CACHE_STRICT", config.strict);
  readMode(variables, config);
  readGroup(variables, config);
  return config;
}
