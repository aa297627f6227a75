//===- KernelTuningTest.cpp - Limits of a machine, kept and read ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Session/KernelTuning.h"
#include "kiln/Session/MachineText.h"
#include "kiln/Session/ProgramKey.h"

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace kiln;
using namespace kiln::session;

namespace {

constexpr auto kKernel = package::TuningSubject::Kernel;

runtime::MachineLimits getLimits() {
  runtime::MachineLimits limits = runtime::describeMachine(1);
  limits.memoryBytesPerSecond = 1.5e10;
  limits.cacheBytesPerSecond = 9.25e10;
  limits.readBytesPerSecond = 2e10;
  limits.f32FlopsPerSecond = 1.25e11;
  return limits;
}

TEST(MachineText, IsReadAsItWasWritten) {
  for (const char *processor : {"A \"name\" \\ of one", "", "\xc3\xa9"}) {
    runtime::MachineLimits limits = getLimits();
    limits.processor = processor;
    auto read = parseLimits(printLimits(limits));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->processor, processor);
    EXPECT_EQ(read->l2Bytes, limits.l2Bytes);
    EXPECT_EQ(read->memoryBytesPerSecond, 1.5e10);
    EXPECT_EQ(read->bf16FlopsPerSecond, 0);
  }
}

TEST(MachineText, IsTheSameInEveryLocale) {
  std::string text = printLimits(getLimits());
  std::string before = std::setlocale(LC_NUMERIC, nullptr);
  for (const char *name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE"})
    if (std::setlocale(LC_NUMERIC, name)) {
      EXPECT_EQ(printLimits(getLimits()), text) << name;
      EXPECT_TRUE(parseLimits(text)) << name;
    }
  std::setlocale(LC_NUMERIC, before.c_str());
}

TEST(MachineText, NumbersThatNoMachineHasAreRefused) {
  std::string text = printLimits(getLimits());
  auto with = [&](const std::string &key, const std::string &value) {
    size_t begin = text.find('"' + key + "\":") + key.size() + 3;
    size_t end = text.find_first_of(",}", begin);
    return text.substr(0, begin) + value + text.substr(end);
  };
  ASSERT_TRUE(parseLimits(with("l2_bytes", "4096")));
  for (const char *value : {"-1", "1e300", "\"NaN\"", "null", "1,5"}) {
    EXPECT_FALSE(parseLimits(with("bf16_flops_per_second", value))) << value;
    EXPECT_FALSE(parseLimits(with("memory_bytes_per_second", value))) << value;
    EXPECT_FALSE(parseLimits(with("l2_bytes", value))) << value;
    EXPECT_FALSE(parseLimits(with("threads", value))) << value;
  }
  EXPECT_FALSE(parseLimits(with("memory_bytes_per_second", "0")));
  EXPECT_FALSE(parseLimits(""));
  EXPECT_FALSE(parseLimits(text.substr(0, text.size() - 1)));
}

/// A folder for one test.
struct Folder {
  Folder() { EXPECT_NE(::mkdtemp(path.data()), nullptr); }
  ~Folder() { (void)!std::system(("rm -rf " + path).c_str()); }
  std::string path = "/tmp/kiln-tuning-XXXXXX";
};

// Limits of a machine with other caches are not those of this one.
TEST(KernelTuning, LimitsOfAnotherMachineDoNotCount) {
  Folder folder;
  cache::CacheConfig config = cache::readCacheConfig(folder.path);
  const Digest subject = sha256(ByteView(std::string_view("the machine")));
  runtime::MachineLimits other = getLimits();
  other.l2Bytes += 4096;
  KernelTuning::open(config, 1, {})->keep(subject, printLimits(other));
  EXPECT_EQ(KernelTuning::open(config, 1, {})->machine().l2Bytes,
            runtime::describeMachine(1).l2Bytes);
  // Those of this one do, from a folder that holds no others of it.
  Folder another;
  config = cache::readCacheConfig(another.path);
  runtime::MachineLimits own = getLimits();
  own.memoryBytesPerSecond = 12345;
  KernelTuning::open(config, 1, {})->keep(subject, printLimits(own));
  EXPECT_EQ(KernelTuning::open(config, 1, {})->machine().memoryBytesPerSecond,
            12345);
}

// By them candidates are chosen, so measurements are of little use without them.
TEST(KernelTuning, AProgramBringsTheLimitsOfItsMachine) {
  Folder folder;
  cache::CacheConfig config = cache::readCacheConfig(folder.path);
  const Digest program = sha256(std::string_view("a program"));
  runtime::MachineLimits own = getLimits();
  own.memoryBytesPerSecond = 12345;
  KernelTuning::open(config, 1, {})
      ->keep(sha256(std::string_view("the machine")), printLimits(own));
  auto tuning = KernelTuning::open(config, 1, {});
  tuning->beginProgram(program);
  EXPECT_EQ(tuning->machine().memoryBytesPerSecond, 12345);
  tuning->endProgram();
  std::filesystem::remove_all(folder.path + "/autotune");
  tuning = KernelTuning::open(config, 1, {});
  tuning->beginProgram(program);
  EXPECT_EQ(tuning->machine().memoryBytesPerSecond, 12345);
}

// What was found and measured for a program goes to others in one value.
TEST(KernelTuning, AProgramBringsAllOfItsMeasurements) {
  Folder folder;
  cache::CacheConfig config = cache::readCacheConfig(folder.path);
  const Digest program = sha256(std::string_view("a program"));
  const Digest first = sha256(std::string_view("a kernel")),
               second = sha256(std::string_view("another"));
  KernelTuning::open(config, 1, {})->keep(first, "{\"a\":1}");
  auto tuning = KernelTuning::open(config, 1, {});
  tuning->beginProgram(program);
  EXPECT_EQ(tuning->find(first, kKernel).size(), 1u);
  tuning->keep(second, "{\"b\":2}");
  // A compilation that fails leaves nothing.
  EXPECT_FALSE(std::filesystem::exists(folder.path + "/bundles"));
  tuning->endProgram();
  std::filesystem::remove_all(folder.path + "/autotune");
  tuning = KernelTuning::open(config, 1, {});
  EXPECT_TRUE(tuning->find(second, kKernel).empty());
  tuning->keep(second, "{\"newer\":3}");
  tuning->beginProgram(program);
  EXPECT_EQ(tuning->find(first, kKernel),
            std::vector<std::string>{"{\"a\":1}"});
  // What is here stays.
  EXPECT_EQ(tuning->find(second, kKernel),
            std::vector<std::string>{"{\"newer\":3}"});
}

/// Entries in memory, and how often somebody asked.
struct CountingStore final : cache::Store {
  cache::Lookup get(const cache::CacheKey &key, const Digest &) override {
    ++questions;
    return find(key);
  }
  std::vector<cache::Lookup> getAll(const std::vector<cache::CacheKey> &keys,
                                    const Digest &) override {
    ++questions;
    std::vector<cache::Lookup> lookups;
    for (const cache::CacheKey &key : keys)
      lookups.push_back(find(key));
    return lookups;
  }
  Status put(const cache::CacheKey &key, const Digest &,
             const cache::EntryInfo &, ByteView payload) override {
    kept[key.digest].assign(payload.begin(), payload.end());
    return Status::success();
  }
  void remove(const cache::CacheKey &) override {}
  void removeVariant(const cache::CacheKey &, ByteView) override {}
  bool contains(const cache::CacheKey &key,
                const std::set<std::string> &) override {
    return kept.count(key.digest) != 0;
  }

  cache::Lookup find(const cache::CacheKey &key) const {
    cache::Lookup lookup;
    if (auto found = kept.find(key.digest); found != kept.end()) {
      lookup.variants.emplace_back();
      lookup.variants.back().payload = found->second;
    }
    return lookup;
  }
  std::map<Digest, std::vector<uint8_t>> kept;
  unsigned questions = 0;
};

// Each question may be a round trip to a server.
TEST(KernelTuning, AProgramIsTakenApartWithTwoQuestions) {
  CountingStore store;
  const Digest program = sha256(std::string_view("a program"));
  KernelTuning first(&store, Digest(), "", 1, {});
  first.beginProgram(program);
  for (int i = 0; i < 100; ++i)
    first.keep(sha256(std::string_view(std::to_string(i))), "{}");
  first.endProgram();
  ASSERT_EQ(store.kept.size(), 101u);
  // A machine that has the bundle, and of the kernels one.
  CountingStore other;
  KernelTuning second(&other, Digest(), "", 1, {});
  second.keep(sha256(std::string_view("7")), "{\"own\":1}");
  for (const auto &[key, bytes] : store.kept)
    if (bytes.size() > 100)
      other.kept[key] = bytes;
  ASSERT_EQ(other.kept.size(), 2u);
  other.questions = 0;
  second.beginProgram(program);
  EXPECT_EQ(other.questions, 2u);
  EXPECT_EQ(other.kept.size(), 101u);
  EXPECT_EQ(second.find(sha256(std::string_view("7")), kKernel),
            std::vector<std::string>{"{\"own\":1}"});
}

// How often kernels were known is told, whatever was decided of programs.
TEST(KernelTuning, LookUpsOfProgramsAreNotCounted) {
  Folder folder;
  auto tuning =
      KernelTuning::open(cache::readCacheConfig(folder.path), 1, {});
  const Digest key = sha256(std::string_view("a program"));
  tuning->keep(key, "{}");
  EXPECT_EQ(tuning->find(key, package::TuningSubject::Program).size(), 1u);
  EXPECT_EQ(tuning->stats().hits, 0u);
  EXPECT_EQ(tuning->find(key, kKernel).size(), 1u);
  EXPECT_EQ(tuning->stats().hits, 1u);
}

// A program that nobody can compare now has its kernels as they were measured.
TEST(KernelTuning, ProgramsThatDoNotRunAreNoFailures) {
  auto tuning = KernelTuning::open(std::nullopt, 1, {});
  package::TrialInputs inputs;
  inputs.subject = package::TuningSubject::Program;
  auto trials = tuning->measure("the program", {{1, 2}, {3}}, inputs);
  ASSERT_EQ(trials.size(), 2u);
  EXPECT_NE(trials[0].failure, "");
  EXPECT_EQ(tuning->stats().failures, 0u);
  EXPECT_EQ(tuning->stats().passing, 0u);
}

TEST(KernelTuning, OnlyWhatRanIsCounted) {
  auto tuning = KernelTuning::open(std::nullopt, 1, {});
  tuning->measure("k", {{}, {}, {1, 2}}, {});
  EXPECT_EQ(tuning->stats().measurements, 0u);
  EXPECT_EQ(tuning->stats().failures, 1u);
}

TEST(KernelTuning, KeysNameThreads) {
  auto digest = [](unsigned threads) {
    cache::CacheKeyBuilder builder(cache::KeyKind::Autotune);
    addTuningThreads(builder, threads);
    return builder.finish().digest;
  };
  EXPECT_NE(digest(1), digest(2));
}

TEST(KernelTuning, KeysNameGPUs) {
  auto digest = [](const std::string &hardware) {
    cache::CacheKeyBuilder builder(cache::KeyKind::Autotune);
    addTuningDevice(builder, hardware);
    return builder.finish().digest;
  };
  EXPECT_NE(digest("A, sm_90, driver 13000"), digest("A, sm_90, driver 13010"));
}

} // namespace
