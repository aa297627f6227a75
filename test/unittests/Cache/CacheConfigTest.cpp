//===- CacheConfigTest.cpp ------------------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Cache/CacheConfig.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace kiln::cache;

namespace {
/// Sets a variable for the length of a test.
class Variable {
public:
  Variable(const char *name, const char *value) : name_(name) {
    if (const char *old = std::getenv(name))
      old_ = old;
    value ? ::setenv(name, value, 1) : ::unsetenv(name);
  }
  ~Variable() {
    old_ ? ::setenv(name_, old_->c_str(), 1) : ::unsetenv(name_);
  }

private:
  const char *name_;
  std::optional<std::string> old_;
};
} // namespace

TEST(CacheConfig, SizesAndAges) {
  EXPECT_EQ(parseSize("64M"), uint64_t(64) << 20);
  EXPECT_EQ(parseSize("10g"), uint64_t(10) << 30);
  EXPECT_EQ(parseSize("512"), 512u);
  EXPECT_EQ(parseAge("2h"), 7200u);
  for (const char *text : {"", "M", "-1", "1.5G", "1GB", "99999999999999T"})
    EXPECT_FALSE(parseSize(text)) << text;
}

TEST(CacheConfig, WhatCannotBeUnderstoodIsIgnoredAndSaid) {
  Variable root("KILN_CACHE_DIR", "relative/folder");
  Variable size("KILN_CACHE_MAX_SIZE", "lots");
  Variable mode("KILN_LOCAL_MODE", "readonly");
  CacheConfig config = readCacheConfig(std::nullopt);
  EXPECT_EQ(config.local.maxBytes, LocalConfig().maxBytes);
  EXPECT_EQ(config.local.mode, LocalMode::ReadWrite);
  EXPECT_EQ(config.root[0], '/');
  ASSERT_EQ(config.warnings.size(), 3u);
}

TEST(CacheConfig, SwitchesAreLiteral) {
  struct Row {
    const char *value;
    bool isOn;
  };
  // Unset leaves the default, which is on.
  for (Row row : {Row{nullptr, true}, {"1", true}, {"0", false},
                  {"true", false}, {"", false}, {"garbage", false}}) {
    Variable own("KILN_FX_GRAPH_CACHE", nullptr);
    Variable variable("TORCHINDUCTOR_FX_GRAPH_CACHE", row.value);
    EXPECT_EQ(readCacheConfig(std::nullopt).fxGraph, row.isOn)
        << (row.value ? row.value : "unset");
  }
  for (const char *name :
       {"KILN_FORCE_DISABLE_CACHES", "TORCHINDUCTOR_FORCE_DISABLE_CACHES"}) {
    Variable variable(name, "1");
    CacheConfig config = readCacheConfig(std::string("/tmp/cache"));
    EXPECT_FALSE(config.enabled());
    EXPECT_EQ(config.root, "");
  }
}

TEST(CacheConfig, KilnsVariableWins) {
  Variable other("TORCHINDUCTOR_CACHE_DIR", "/tmp/other");
  Variable own("KILN_CACHE_DIR", "/tmp/own/");
  EXPECT_EQ(readCacheConfig(std::nullopt).root, "/tmp/own");
}

TEST(CacheConfig, TheFolderOfTheDesktop) {
  Variable own("KILN_CACHE_DIR", "xdg");
  {
    Variable cache("XDG_CACHE_HOME", "/home/me/caches");
    EXPECT_EQ(readCacheConfig(std::nullopt).root, "/home/me/caches/kiln");
  }
  Variable cache("XDG_CACHE_HOME", nullptr);
  Variable home("HOME", "/home/me");
  EXPECT_EQ(readCacheConfig(std::nullopt).root, "/home/me/.cache/kiln");
}

TEST(CacheConfig, AGroupThatDoesNotExistIsNoCache) {
  Variable shared("KILN_CACHE_SHARED", "group:no-such-group-of-kiln");
  CacheConfig config = readCacheConfig(std::nullopt);
  EXPECT_FALSE(config.enabled());
  EXPECT_EQ(config.warnings.size(), 1u);
}
