//===- ProgramKeyTest.cpp -------------------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keys are complete and no more than that: whatever may change code changes the
// key, one thing at a time, and nothing else does.
//
//===----------------------------------------------------------------------===//

#include "kiln/Session/ProgramKey.h"

#include "kiln/Base/HostUnits.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <unistd.h>

using namespace kiln;
using namespace kiln::session;

namespace {
class ProgramKeyTest : public ::testing::Test {
protected:
  ProgramKeyTest() {
    source.form = archive::SourceForm::Module;
    source.digest = sha256(std::string_view("source"));
  }

  Digest key() const {
    auto made = programKey(source, options, environmentKey(environment));
    EXPECT_TRUE(bool(made)) << (made ? "" : made.error().message);
    return made ? made->digest : Digest();
  }

  /// That of the graphs of a training step.
  Digest graphsKey() const {
    auto made = jointKey(source, options, compilerKey(environment));
    EXPECT_TRUE(bool(made)) << (made ? "" : made.error().message);
    return made ? made->digest : Digest();
  }

  archive::Source source;
  CompileOptions options;
  EnvironmentRecord environment = currentEnvironment();
};

/// Texts of which each kind of option takes at least one that is not its
/// default.
const char *const kTexts[] = {"1",       "0.5",     "17",       "some/folder",
                              "x:0",     "[0][0]",  "a.b.default",
                              "adamw",   "x86-64-v3"};
} // namespace

/// The values of an option besides its default.
static std::vector<std::string> otherValues(const OptionRow &row) {
  std::vector<std::string> candidates(std::begin(kTexts), std::end(kTexts));
  std::vector<std::string> words = option::splitList(row.shape, '|');
  if (words.size() > 1)
    candidates = words;
  std::vector<std::string> values;
  for (const std::string &text : candidates) {
    CompileOptions changed;
    if (row.set(changed, text) && !row.isEqual(changed, CompileOptions()))
      values.push_back(text);
  }
  return values;
}

TEST_F(ProgramKeyTest, AnOptionIsInTheKeyIfAndOnlyIfItChangesCode) {
  const Digest original = key();
  unsigned changing = 0, keeping = 0;
  for (const OptionRow &row : optionTable()) {
    std::vector<std::string> values = otherValues(row);
    EXPECT_FALSE(values.empty()) << row.name << " has no value to flip to";
    std::set<Digest> seen = {original};
    for (const std::string &value : values) {
      options = CompileOptions();
      ASSERT_TRUE(row.set(options, value));
      if (row.changesCode)
        EXPECT_TRUE(seen.insert(key()).second) << row.name << "=" << value;
      else
        EXPECT_EQ(key(), original) << row.name << "=" << value;
    }
    ++(row.changesCode ? changing : keeping);
  }
  RecordProperty("options_that_change_code", int(changing));
  RecordProperty("options_that_keep_code", int(keeping));
  EXPECT_GT(changing, 0u);
  EXPECT_GT(keeping, 0u);
}

TEST_F(ProgramKeyTest, AnOptionIsInTheKeyOfGraphsIfAndOnlyIfItChangesGraphs) {
  const Digest original = graphsKey();
  unsigned changing = 0, keeping = 0;
  for (const OptionRow &row : optionTable()) {
    std::set<Digest> seen = {original};
    for (const std::string &value : otherValues(row)) {
      options = CompileOptions();
      ASSERT_TRUE(row.set(options, value));
      if (row.changesGraph)
        EXPECT_TRUE(seen.insert(graphsKey()).second) << row.name << "=" << value;
      else
        EXPECT_EQ(graphsKey(), original) << row.name << "=" << value;
    }
    ++(row.changesGraph ? changing : keeping);
  }
  RecordProperty("options_that_change_graphs", int(changing));
  RecordProperty("options_that_keep_graphs", int(keeping));
  EXPECT_GT(changing, 0u);
  EXPECT_GT(keeping, 0u);
}

TEST_F(ProgramKeyTest, GraphsAreOfTheCompilerAndNotOfTheMachine) {
  const Digest original = graphsKey();
  environment.processor.front().value += "x";
  ++environment.kernelAbi;
  EXPECT_EQ(graphsKey(), original);
  for (cache::KeyPart &id : environment.buildIds) {
    std::string before = id.value;
    id.value[0] ^= 1;
    EXPECT_NE(graphsKey(), original) << id.label;
    id.value = before;
  }
  ++environment.formatEpoch;
  EXPECT_NE(graphsKey(), original);
  --environment.formatEpoch;
  source.digest.bytes[7] ^= 1;
  EXPECT_NE(graphsKey(), original);
  source.digest.bytes[7] ^= 1;
  EXPECT_EQ(graphsKey(), original);
}

TEST_F(ProgramKeyTest, WhatAVariantMakesOfSymbolsIsInTheKeyOfGraphs) {
  std::set<Digest> seen = {graphsKey()};
  options.specialization.values["s0"] = 8;
  EXPECT_TRUE(seen.insert(graphsKey()).second);
  options.specialization.values["s0"] = 16;
  EXPECT_TRUE(seen.insert(graphsKey()).second);
  options.specialization = {};
  options.specialization.lowerBounds["s0"] = 8;
  EXPECT_TRUE(seen.insert(graphsKey()).second);
}

TEST_F(ProgramKeyTest, ADefaultThatIsSaidIsTheDefault) {
  const Digest original = key();
  for (const OptionRow &row : optionTable()) {
    options = CompileOptions();
    if (row.set(options, row.fallback))
      EXPECT_EQ(key(), original) << row.name << "=" << row.fallback;
  }
}

TEST_F(ProgramKeyTest, EveryBitOfTheProcessorCounts) {
  const Digest original = key();
  std::set<Digest> seen = {original};
  unsigned flips = 0;
  for (cache::KeyPart &part : environment.processor)
    for (char &c : part.value)
      for (int bit = 0; bit < 4; ++bit) {
        char before = c;
        c = static_cast<char>(c ^ (1 << bit));
        EXPECT_TRUE(seen.insert(key()).second) << part.label;
        c = before;
        ++flips;
      }
  // Vendor, model, and at least the words of features that every x86-64 has.
  EXPECT_GT(flips, 100u);
  RecordProperty("processor_bits", int(flips));
  EXPECT_EQ(key(), original);
}

// Two processors with the same features are two if code for them is.
TEST_F(ProgramKeyTest, WhatCodeOfThisMachineIsCutForCounts) {
  const Digest original = key();
  std::map<std::string, std::string> wanted = {
      {"bf16 unit", getName(getFastestUnit())},
      {"processors", std::to_string(::sysconf(_SC_NPROCESSORS_ONLN))},
      {"l1 bytes", std::to_string(::sysconf(_SC_LEVEL1_DCACHE_SIZE))},
      {"l2 bytes", std::to_string(::sysconf(_SC_LEVEL2_CACHE_SIZE))},
      {"l3 bytes", std::to_string(::sysconf(_SC_LEVEL3_CACHE_SIZE))}};
  for (cache::KeyPart &part : environment.processor)
    if (auto found = wanted.find(part.label); found != wanted.end()) {
      EXPECT_EQ(part.value, found->second) << part.label;
      part.value += "0";
      EXPECT_NE(key(), original) << part.label;
      part.value = found->second;
      wanted.erase(found);
    }
  EXPECT_TRUE(wanted.empty()) << wanted.begin()->first << " is in no key";
  EXPECT_STRNE(getName(BF16Unit::Fma), getName(BF16Unit::Pairs));
  EXPECT_STRNE(getName(BF16Unit::Pairs), getName(BF16Unit::Tiles));
}

TEST_F(ProgramKeyTest, AFeatureThatIsNotKnownIsNotAFeatureThatIsOff) {
  const Digest original = key();
  environment.processor.pop_back();
  EXPECT_NE(key(), original);
}

TEST_F(ProgramKeyTest, EveryBuildIdCounts) {
  const Digest original = key();
  std::set<std::string> labels;
  for (cache::KeyPart &id : environment.buildIds) {
    labels.insert(id.label);
    EXPECT_NE(id.value, "none") << id.label << " has no build id";
    std::string before = id.value;
    id.value[0] ^= 1;
    EXPECT_NE(key(), original) << id.label;
    id.value = before;
  }
  EXPECT_EQ(labels,
            (std::set<std::string>{"compiler", "runtime", "mlir", "llvm"}));
}

TEST_F(ProgramKeyTest, FormatAndAbiCount) {
  const Digest original = key();
  ++environment.formatEpoch;
  const Digest format = key();
  ++environment.kernelAbi;
  EXPECT_EQ((std::set<Digest>{original, format, key()}).size(), 3u);
}

TEST_F(ProgramKeyTest, EveryByteOfTheSourceCounts) {
  const Digest original = key();
  for (uint8_t &byte : source.digest.bytes) {
    byte ^= 0x10;
    EXPECT_NE(key(), original);
    byte ^= 0x10;
  }
}

TEST_F(ProgramKeyTest, TheModelOfAnArchiveCounts) {
  auto keyOfModel = [&](const char *name) {
    auto program = std::make_unique<archive::ExportedProgram>();
    program->model = name;
    source.program = std::move(program);
    return key();
  };
  EXPECT_NE(keyOfModel("a"), keyOfModel("b"));
}

TEST_F(ProgramKeyTest, VariablesThatDecideHowToRunDoNotCount) {
  const Digest original = key();
  unsigned flips = 0;
  for (const char *name :
       {"KILN_CACHE_DIR", "KILN_CACHE_MAX_SIZE", "KILN_CACHE_MAX_FILES",
        "KILN_CACHE_MAX_AGE", "KILN_CACHE_MIN_FREE", "KILN_CACHE_RECACHE",
        "KILN_CACHE_QUARANTINE", "KILN_CACHE_FSYNC", "KILN_CACHE_STRICT",
        "KILN_CACHE_SHARED", "KILN_LOCAL_MODE", "KILN_LOCK_TIMEOUT_S",
        "KILN_ISOLATE", "TORCH_LOGS", "TORCH_COMPILE_DEBUG",
        "TORCHINDUCTOR_CACHE_DIR", "TORCHINDUCTOR_FX_GRAPH_CACHE", "TMPDIR",
        "HOME", "USER", "OMP_NUM_THREADS", "CUDA_VISIBLE_DEVICES"})
    for (const char *value : {"0", "1", "/elsewhere"}) {
      const char *old = std::getenv(name);
      std::string before = old ? old : "";
      ::setenv(name, value, 1);
      environment = currentEnvironment();
      EXPECT_EQ(key(), original) << name << "=" << value;
      old ? ::setenv(name, before.c_str(), 1) : ::unsetenv(name);
      ++flips;
    }
  RecordProperty("variables", int(flips));
}

TEST_F(ProgramKeyTest, NothingOfTheProcessOrItsPlaceIsInTheKey) {
  const Digest original = key();
  char folder[4096];
  ASSERT_NE(::getcwd(folder, sizeof(folder)), nullptr);
  ASSERT_EQ(::chdir("/"), 0);
  source.path = "/elsewhere/model.mlir";
  environment = currentEnvironment();
  EXPECT_EQ(key(), original);
  ASSERT_EQ(::chdir(folder), 0);
  for (const cache::KeyPart &part : environmentKey(environment).parts)
    EXPECT_EQ(part.value.find('/'), std::string::npos) << part.label;
}

TEST_F(ProgramKeyTest, DifferencesAreTold) {
  auto first = programKey(source, options, environmentKey(environment));
  options.backend = Backend::Eager;
  environment.buildIds[0].value = "other";
  auto second = programKey(source, options, environmentKey(environment));
  auto found = cache::differences(first->parts, second->parts);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].label, "build id compiler");
  EXPECT_EQ(found[0].second, "other");
  EXPECT_EQ(found[1].label, "option backend");
  EXPECT_EQ(found[1].first, "");
  EXPECT_EQ(found[1].second, "eager");
}
