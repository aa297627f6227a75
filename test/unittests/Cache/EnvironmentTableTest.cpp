//===- EnvironmentTableTest.cpp -------------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each of PyTorch's and Triton's variables with each kind of value: what of the
// configuration differs from the one without it. Nothing ends the process.
//
//===----------------------------------------------------------------------===//

#include "kiln/Cache/CacheConfig.h"

#include <array>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>

using namespace kiln::cache;

static std::string modeOf(bool isOn) { return isOn ? "on" : "off"; }

/// What variables of the table decide.
static std::map<std::string, std::string> describe() {
  CacheConfig config = readCacheConfig(std::nullopt);
  std::map<std::string, std::string> facts = {
      {"enabled", modeOf(config.enabled())},
      {"graphs", modeOf(config.fxGraph)},
      {"training", modeOf(config.aotAutograd)},
      {"remote graphs", modeOf(config.remote.fxGraph)},
      {"remote training", modeOf(config.remote.aotAutograd)},
      {"remote measurements", modeOf(config.remote.autotune)},
      {"bundled measurements", modeOf(config.remote.bundledAutotune)},
      {"remote", modeOf(config.remote.enabled())},
      {"root", config.root},
      {"kernels", config.kernelRoot},
      {"ttl", std::to_string(config.remote.ttlSeconds)},
      {"warnings", std::to_string(config.warnings.size())},
  };
  if (!config.remote.shards.empty())
    facts["server"] = config.remote.shards.front().text();
  return facts;
}

namespace {
using Facts = std::map<std::string, std::string>;
/// A value, and the facts that it changes.
struct Cell {
  const char *value;
  Facts changes;
};
struct Row {
  const char *name;
  /// Set beside it: the remote is off otherwise.
  bool withRemote;
  std::vector<Cell> cells;
};

/// All variables of the table are unset, but the remote may be on.
class CleanEnvironment {
public:
  explicit CleanEnvironment(bool withRemote) {
    for (const char *name : kNames)
      ::unsetenv(name);
    ::setenv("TMPDIR", "/tmp", 1);
    if (withRemote)
      ::setenv("TORCHINDUCTOR_FX_GRAPH_REMOTE_CACHE", "1", 1);
  }
  static constexpr const char *kNames[] = {
      "KILN_CACHE_DIR", "KILN_KERNEL_CACHE_DIR", "KILN_FX_GRAPH_CACHE",
      "KILN_AUTOGRAD_CACHE", "KILN_FX_GRAPH_REMOTE_CACHE",
      "KILN_AUTOGRAD_REMOTE_CACHE", "KILN_AUTOTUNE_REMOTE_CACHE",
      "TORCHINDUCTOR_AUTOTUNE_REMOTE_CACHE",
      "KILN_BUNDLED_AUTOTUNE_REMOTE_CACHE",
      "TORCHINDUCTOR_BUNDLED_AUTOTUNE_REMOTE_CACHE", "KILN_FORCE_DISABLE_CACHES",
      "KILN_REDIS_URL", "KILN_REDIS_HOST", "KILN_REDIS_PORT",
      "KILN_REDIS_TTL_S", "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR",
      "TORCHINDUCTOR_FX_GRAPH_CACHE", "TORCHINDUCTOR_AUTOGRAD_CACHE",
      "TORCHINDUCTOR_FX_GRAPH_REMOTE_CACHE",
      "TORCHINDUCTOR_AUTOGRAD_REMOTE_CACHE", "TORCHINDUCTOR_REDIS_HOST",
      "TORCHINDUCTOR_REDIS_PORT", "TORCHINDUCTOR_REDIS_URL",
      "TORCHINDUCTOR_REDIS_EXPIRE", "TORCHINDUCTOR_FORCE_DISABLE_CACHES",
      "TRITON_REDIS_HOST", "TRITON_REDIS_PORT", "TRITON_REDIS_KEY_FORMAT"};
};
} // namespace

static const Facts kNoGraphs = {
    {"enabled", "off"}, {"graphs", "off"}, {"training", "off"}};
static const Facts kNothing = {
    {"enabled", "off"}, {"graphs", "off"}, {"training", "off"}, {"root", ""}};
static const Facts kWarned = {{"warnings", "1"}};
static const Facts kNoRemote = {{"remote", "off"}};

static std::vector<Row> table() {
  return {
      {"TORCHINDUCTOR_FX_GRAPH_CACHE", false,
       {{"0", kNoGraphs}, {"1", {}}, {"true", kNoGraphs},
        {"garbage", kNoGraphs}}},
      {"TORCHINDUCTOR_AUTOGRAD_CACHE", false,
       {{"0", {{"training", "off"}}}, {"1", {}},
        {"true", {{"training", "off"}}}, {"garbage", {{"training", "off"}}}}},
      {"TORCHINDUCTOR_CACHE_DIR", false,
       {{"/tmp/there", {{"root", "/tmp/there"}}}, {"0", kWarned},
        {"1", kWarned}, {"true", kWarned}, {"garbage", kWarned},
        {"", kWarned}}},
      {"TRITON_CACHE_DIR", false,
       {{"/tmp/there", {{"kernels", "/tmp/there"}}}, {"0", kWarned},
        {"1", kWarned}, {"true", kWarned}, {"garbage", kWarned}}},
      {"TORCHINDUCTOR_FX_GRAPH_REMOTE_CACHE", false,
       {{"0", {}},
        {"1", {{"remote", "on"}, {"remote graphs", "on"},
               {"server", "redis://localhost:6379/0"}}},
        {"true", {}}, {"garbage", {}}}},
      // Needs the one before.
      {"TORCHINDUCTOR_AUTOGRAD_REMOTE_CACHE", false,
       {{"0", {}}, {"1", {}}, {"true", {}}, {"garbage", {}}}},
      {"TORCHINDUCTOR_AUTOGRAD_REMOTE_CACHE", true,
       {{"0", {}}, {"1", {{"remote training", "on"}}}, {"true", {}},
        {"garbage", {}}}},
      {"TORCHINDUCTOR_AUTOTUNE_REMOTE_CACHE", false,
       {{"0", {}},
        {"1", {{"remote", "on"}, {"remote measurements", "on"},
               {"server", "redis://localhost:6379/0"}}},
        {"true", {}}, {"garbage", {}}}},
      {"TORCHINDUCTOR_BUNDLED_AUTOTUNE_REMOTE_CACHE", false,
       {{"0", {}},
        {"1", {{"remote", "on"}, {"bundled measurements", "on"},
               {"server", "redis://localhost:6379/0"}}},
        {"true", {}}, {"garbage", {}}}},
      {"TORCHINDUCTOR_AUTOTUNE_REMOTE_CACHE", true,
       {{"0", {}}, {"1", {{"remote measurements", "on"}}}, {"true", {}}}},
      {"TORCHINDUCTOR_REDIS_HOST", true,
       {{"example.org", {{"server", "redis://example.org:6379/0"}}},
        {"0", {{"server", "redis://0:6379/0"}}},
        {"u:secret@example.org", kNoRemote}, {"", {}}}},
      {"TORCHINDUCTOR_REDIS_PORT", true,
       {{"0", kNoRemote}, {"1", {{"server", "redis://localhost:1/0"}}},
        {"true", kNoRemote}, {"garbage", kNoRemote}, {"65536", kNoRemote}}},
      {"TORCHINDUCTOR_REDIS_URL", true,
       {{"rediss://u:secret@[::1]:7/3", {{"server", "rediss://[::1]:7/3"}}},
        {"unix:///run/redis.sock", {{"server", "unix:///run/redis.sock"}}}}},
      {"TORCHINDUCTOR_REDIS_EXPIRE", true,
       {{"0", {{"ttl", "0"}}}, {"1", {{"ttl", "1"}}}, {"true", kNoRemote},
        {"garbage", kNoRemote}}},
      {"TORCHINDUCTOR_FORCE_DISABLE_CACHES", false,
       {{"0", {}}, {"1", kNothing}, {"true", {}}, {"garbage", {}}}},
      {"TRITON_REDIS_HOST", true,
       {{"example.org", {{"server", "redis://example.org:6379/0"}}}}},
      {"TRITON_REDIS_PORT", true,
       {{"0", kNoRemote}, {"1", {{"server", "redis://localhost:1/0"}}},
        {"true", kNoRemote}}},
      {"TRITON_REDIS_KEY_FORMAT", true,
       {{"0", kNoRemote}, {"1", kNoRemote}, {"true", kNoRemote},
        {"{key}:{filename}", kNoRemote}}},
  };
}

TEST(EnvironmentTable, EachValueChangesWhatItShould) {
  for (const Row &row : table()) {
    CleanEnvironment clean(row.withRemote);
    const Facts unset = describe();
    for (const Cell &cell : row.cells) {
      ::setenv(row.name, cell.value, 1);
      Facts expected = unset;
      for (const auto &[name, value] : cell.changes)
        expected[name] = value;
      Facts found = describe();
      // Where there is no remote, its server means nothing.
      if (found["remote"] == "off") {
        found.erase("server");
        expected.erase("server");
      }
      EXPECT_EQ(found, expected) << row.name << "=" << cell.value;
      ::unsetenv(row.name);
    }
  }
}

TEST(EnvironmentTable, KilnsOwnNamesWin) {
  CleanEnvironment clean(/*withRemote=*/true);
  const std::map<const char *, std::array<const char *, 2>> pairs = {
      {"root", {"KILN_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR"}},
      {"kernels", {"KILN_KERNEL_CACHE_DIR", "TRITON_CACHE_DIR"}}};
  for (const auto &[fact, names] : pairs) {
    ::setenv(names[0], "/tmp/own", 1);
    ::setenv(names[1], "/tmp/other", 1);
    EXPECT_EQ(describe()[fact], "/tmp/own");
  }
  ::setenv("KILN_REDIS_HOST", "own.example", 1);
  ::setenv("TORCHINDUCTOR_REDIS_HOST", "other.example", 1);
  EXPECT_EQ(describe()["server"], "redis://own.example:6379/0");
  ::setenv("KILN_REDIS_TTL_S", "5", 1);
  ::setenv("TORCHINDUCTOR_REDIS_EXPIRE", "6", 1);
  EXPECT_EQ(describe()["ttl"], "5");
}
