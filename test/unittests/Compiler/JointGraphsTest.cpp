//===- JointGraphsTest.cpp - Training steps that were cut before ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Archive/Source.h"
#include "kiln/Compiler/CompilerSession.h"
#include "kiln/Compiler/StagePipelines.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::compiler;

namespace {

/// Keeps one step in memory.
class FakeStore final : public package::JointStore {
public:
  std::optional<std::vector<uint8_t>> find() override {
    return kept.empty() ? std::nullopt : std::optional(kept);
  }
  void refuse(const std::string &reason) override {
    reasons.push_back(reason);
    kept.clear();
  }
  void keep(ByteView bytes, uint64_t) override {
    ++stores;
    kept.assign(bytes.begin(), bytes.end());
  }

  std::vector<uint8_t> kept;
  std::vector<std::string> reasons;
  unsigned stores = 0;
};

std::string inputs(const std::string &name) {
  const char *root = std::getenv("KILN_TEST_INPUTS");
  return std::string(root ? root : "test/Inputs") + "/pt2/" + name +
         "/train.pt2";
}

CompileOptions training(const std::string &target) {
  CompileOptions options;
  options.training = true;
  options.target = target;
  options.verifyEach = true;
  return options;
}

/// The bytes of a package, and whether its program was imported.
struct Made {
  std::vector<uint8_t> package;
  bool isImported = false;
};

Made compile(const std::string &model, const CompileOptions &options,
             package::JointStore *store) {
  Made made;
  auto source = archive::Source::open(inputs(model));
  EXPECT_TRUE(source) << source.error().message;
  CompileHooks hooks;
  hooks.joint = store;
  CompilerSession session;
  auto package = session.compile(**source, options, hooks);
  EXPECT_TRUE(package) << package.error().message;
  if (!package)
    return made;
  made.package = package::encodePackage(*package);
  for (const StageTime &time : session.times())
    made.isImported |= time.stage == "import";
  return made;
}

// Another target takes the graphs up, and its package is that of a compilation from
// the program, reasons included.
TEST(JointGraphs, ASecondTargetMakesTheSamePackageOfThem) {
  // What is saved on a GPU is not what is saved on a processor: their keys differ.
  const std::pair<const char *, const char *> pairs[] = {
      {"x86-64-v4", "x86-64-v3"}, {"sm_80", "sm_90a"}};
  for (const char *model : {"attention_static", "attention_dynamic_batch"})
    for (auto [first, second] : pairs) {
      FakeStore store;
      EXPECT_TRUE(compile(model, training(first), &store).isImported);
      EXPECT_EQ(store.stores, 1u);
      Made found = compile(model, training(second), &store);
      EXPECT_FALSE(found.isImported) << second;
      EXPECT_EQ(found.package, compile(model, training(second), nullptr).package)
          << model << " for " << second;
      CompileOptions calls = training(second);
      calls.backend = Backend::AotEager;
      // Operator by operator nothing is saved for the sake of a kernel.
      if (std::string(second) == "x86-64-v3")
        EXPECT_EQ(compile(model, calls, &store).package,
                  compile(model, calls, nullptr).package);
      EXPECT_EQ(store.stores, 1u);
      EXPECT_TRUE(store.reasons.empty());
    }
  EXPECT_NE(*training("x86-64-v3").graphRecord(), *training("sm_90a").graphRecord());
}

TEST(JointGraphs, AreKeptOfTrainingAlone) {
  FakeStore store;
  CompileOptions inference = training("x86-64-v3");
  inference.training = false;
  compile("attention_static", inference, &store);
  EXPECT_EQ(store.stores, 0u);
}

// What is cut off or is something else is refused, and the program is compiled.
TEST(JointGraphs, WhatIsNotReadIsMadeAgain) {
  FakeStore store;
  CompileOptions options = training("x86-64-v3");
  const std::vector<uint8_t> right =
      compile("attention_static", options, &store).package;
  const std::vector<uint8_t> good = store.kept;
  auto madeOf = [&](std::vector<uint8_t> bytes) {
    store = FakeStore();
    store.kept = std::move(bytes);
    Made made = compile("attention_static", options, &store);
    EXPECT_EQ(made.package, right);
    EXPECT_EQ(store.reasons.size(), 1u);
    EXPECT_EQ(store.kept, good);
  };
  for (size_t size : {size_t(1), size_t(11), size_t(40), good.size() / 2,
                      good.size() - 1})
    madeOf(std::vector<uint8_t>(good.begin(), good.begin() + long(size)));
  std::vector<uint8_t> longer = good;
  longer.push_back(0);
  madeOf(longer);
  // Lengths that point behind the end, and text where bytecode is wanted.
  for (size_t place : {size_t(4), size_t(11)}) {
    std::vector<uint8_t> changed = good;
    changed[place] = 0xff;
    madeOf(changed);
  }
  std::vector<uint8_t> text;
  ByteWriter writer(text);
  writer.u32(1);
  std::vector<uint8_t> none = package::encodeReasons({});
  writer.u64(none.size());
  writer.bytes(none);
  const std::string module = "module {}";
  writer.u64(module.size());
  writer.text(module);
  madeOf(text);
}

/// The lines of the stages up to the cut.
std::string graphStages(const CompileOptions &options) {
  auto text = printStagePipelines(options);
  EXPECT_TRUE(text) << text.error().message;
  std::string lines;
  size_t begin = 0;
  while (text && begin < text->size()) {
    size_t end = text->find('\n', begin) + 1;
    std::string line = text->substr(begin, end - begin);
    begin = end;
    for (const char *stage : {"capture:", "core:", "joint:"})
      if (line.compare(0, std::string(stage).size(), stage) == 0)
        lines += line;
  }
  return lines;
}

// What the key of the graphs does not hold no pass before the cut sees.
TEST(JointGraphs, OptionsThatKeepGraphsRunTheSamePassesUpToTheCut) {
  CompileOptions plain;
  plain.training = true;
  const std::string original = graphStages(plain);
  EXPECT_NE(original.find("joint:"), std::string::npos);
  unsigned flips = 0, changed = 0;
  for (const OptionRow &row : optionTable())
    for (const char *text : {"1", "0", "0.5", "7", "x:0", "aot_eager", "linalg",
                             "x86-64-v3", "sm_90a", "true", "/tmp/folder"}) {
      CompileOptions options = plain;
      if (!row.set(options, text) || row.isEqual(options, plain) ||
          !options.training || !options.verify() || !checkOptions(options))
        continue;
      bool isSame = graphStages(options) == original;
      changed += !isSame;
      auto key = options.graphRecord(), plainKey = plain.graphRecord();
      ASSERT_TRUE(key && plainKey);
      if (*key != *plainKey)
        continue;
      ++flips;
      EXPECT_TRUE(isSame) << row.name << "=" << text;
    }
  EXPECT_GT(flips, 10u);
  EXPECT_GT(changed, 2u);
}

} // namespace
