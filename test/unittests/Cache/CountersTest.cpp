//===- CountersTest.cpp ---------------------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoreTest.h"

#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace kiln;
using namespace kiln::cache;
namespace fs = std::filesystem;

namespace {
class CountersTest : public StoreTest {
protected:
  /// One process's use of the cache: a miss, a put, a hit.
  void useOnce(std::string_view name) {
    auto store = LocalStore::open(root, keys, config);
    ASSERT_TRUE(bool(store));
    CacheKeyBuilder builder(KeyKind::Kernel);
    builder.addText(KeyTag::Options, "name", name);
    CacheKey key = builder.finish();
    (*store)->get(key, environment);
    EntryInfo info;
    info.compileTimeMicros = 1000;
    ASSERT_TRUE((*store)->put(key, environment, info, name));
    EXPECT_TRUE((*store)->get(key, environment).hit());
  }
  CacheReport merged() {
    auto store = LocalStore::open(root, keys, config);
    return (*store)->mergedReports()["local"];
  }
};
} // namespace

TEST_F(CountersTest, ProcessesAddUp) {
  useOnce("a");
  useOnce("b");
  StoreStats kernels = merged().kinds[size_t(KeyKind::Kernel)];
  EXPECT_EQ(kernels.lookups, 4u);
  EXPECT_EQ(kernels.hits, 2u);
  EXPECT_EQ(kernels.misses, 2u);
  EXPECT_EQ(kernels.puts, 2u);
  EXPECT_EQ(kernels.timeSavedMicros, 2000u);
  EXPECT_GT(kernels.bytesIn, 0u);
  EXPECT_TRUE(kernels.isConsistent());
  EXPECT_EQ(merged().kinds[size_t(KeyKind::FxGraph)].lookups, 0u);
}

TEST_F(CountersTest, ADamagedFileCountsFromZero) {
  useOnce("a");
  for (const auto &file : fs::directory_iterator(root + "/stats"))
    if (file.path().filename().string().compare(0, 8, "counters") == 0)
      std::ofstream(file.path(), std::ios::app) << "local kernel 7 hit\n";
  EXPECT_TRUE(merged().isEmpty());
  useOnce("b");
  EXPECT_EQ(merged().total().hits, 1u);
}

TEST_F(CountersTest, EveryLookUpHasOneOutcome) {
  auto store = LocalStore::open(root, keys, config);
  CacheKeyBuilder builder(KeyKind::FxGraph);
  builder.addText(KeyTag::Options, "name", "x");
  CacheKey key = builder.finish();
  Digest other = sha256(std::string_view("other"));
  (*store)->get(key, environment);
  ASSERT_TRUE((*store)->put(key, environment, {}, std::string_view("x")));
  (*store)->get(key, environment);
  (*store)->noteGuardMiss(key);
  (*store)->noteBypass(key, "a reason");
  (*store)->get(key, other);
  fs::path path = root + "/" + entryDirectory(key) + "/" +
                  variantName(std::string_view("x"));
  fs::resize_file(path, 100);
  (*store)->get(key, environment);
  fs::create_directory(path);
  (*store)->get(key, environment);
  StoreStats stats = (*store)->stats();
  EXPECT_EQ(stats.lookups, 6u);
  EXPECT_EQ(stats.misses, 1u);
  EXPECT_EQ(stats.guardMisses, 1u);
  EXPECT_EQ(stats.bypasses, 1u);
  EXPECT_EQ(stats.foreignEnvironment, 1u);
  EXPECT_EQ(stats.corrupt, 1u);
  EXPECT_EQ(stats.ioErrors, 1u);
  EXPECT_TRUE(stats.isConsistent());
  CacheReport report = (*store)->report();
  EXPECT_EQ(report.reasons.count("bypass: a reason"), 1u);
  EXPECT_EQ(report.reasons.size(), 3u);
}

TEST(CacheReport, TextIsReadBack) {
  Counters counters;
  counters.add(KeyKind::Pgo, &StoreStats::lookups, 5);
  counters.outcome(KeyKind::Pgo, &StoreStats::corrupt, "two\nlines and blanks");
  counters.latency(KeyKind::Pgo, 100);
  std::map<std::string, CacheReport> tiers;
  parseReport(printReport("local", counters.report()), tiers);
  const CacheReport &read = tiers["local"];
  EXPECT_EQ(read.kinds[size_t(KeyKind::Pgo)].lookups, 5u);
  EXPECT_EQ(read.kinds[size_t(KeyKind::Pgo)].latencyQuantile(0.5), 128u);
  EXPECT_EQ(read.reasons.at("corrupt: two lines and blanks"), 1u);
}

TEST(CacheReport, NonsenseIsSkipped) {
  std::map<std::string, CacheReport> tiers;
  std::string hostile = "local fxgraph\nlocal fxgraph x hit\n\n  \nlocal\n"
                        "local fxgraph 99999999999999999999999 hit\n"
                        "local fxgraph 1 latency_99\nlocal fxgraph 3 hit";
  for (int i = 0; i < 100; ++i)
    hostile += "\ntier" + std::to_string(i) + " fxgraph 1 hit";
  for (int i = 0; i < 1000; ++i)
    hostile += "\nlocal reason 1 number " + std::to_string(i);
  parseReport(hostile, tiers);
  EXPECT_EQ(tiers["local"].total().hits, 3u);
  EXPECT_LE(tiers.size(), 8u);
  EXPECT_LE(tiers["local"].reasons.size(), 256u);
}

TEST(CacheReport, QuantilesAreUpperBounds) {
  Counters counters;
  for (uint64_t micros : {3, 3, 3, 3, 3, 3, 3, 3, 3, 5000})
    counters.latency(KeyKind::FxGraph, micros);
  StoreStats stats = counters.report().total();
  EXPECT_EQ(stats.latencyQuantile(0.5), 4u);
  EXPECT_EQ(stats.latencyQuantile(0.9), 4u);
  EXPECT_EQ(stats.latencyQuantile(0.99), 8192u);
  EXPECT_EQ(StoreStats().latencyQuantile(0.5), 0u);
}
