//===- CompileOptionsTest.cpp - All options of a compilation --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Options/CompileOptions.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace kiln;

namespace {

/// A text that is a value of the option and not its default: for each kind one.
std::string otherText(const OptionRow &row) {
  CompileOptions options;
  for (const char *text :
       {"1", "0.5", "7", "x:0[2..64],y:-1", "some,names[1,2]", "/some/folder"})
    if (row.set(options, text) && row.get(options) != row.fallback)
      return text;
  return row.shape.substr(row.shape.rfind('|') + 1); // the last of the choices
}

/// Options in which one differs from its default, and none contradict each other.
CompileOptions with(const OptionRow &row, const std::string &text) {
  CompileOptions options;
  // Some are about training alone.
  options.training = row.name != "training";
  if (row.name == "backend")
    options.training = false;
  EXPECT_TRUE(row.set(options, text)) << row.name << "=" << text;
  EXPECT_TRUE(bool(options.verify())) << options.verify().error().message;
  return options;
}

class EachOption : public testing::TestWithParam<OptionRow> {};

TEST_P(EachOption, GoesThroughText) {
  const OptionRow &row = GetParam();
  std::string text = otherText(row);
  CompileOptions options = with(row, text);
  auto record = options.record();
  ASSERT_TRUE(bool(record)) << record.error().message;
  EXPECT_NE(record->find(row.name + "=" + text + "\n"), std::string::npos)
      << *record;
  auto again = CompileOptions::parse(*record);
  ASSERT_TRUE(bool(again)) << again.error().message;
  EXPECT_EQ(row.get(*again), text);
  EXPECT_EQ(*again->record(), *record);
}

TEST_P(EachOption, IsPartOfTheKeyIfItChangesCode) {
  const OptionRow &row = GetParam();
  CompileOptions options = with(row, otherText(row));
  std::string key = *options.keyRecord();
  CompileOptions plain;
  plain.training = row.name != "training" && options.training;
  EXPECT_EQ(key != *plain.keyRecord(), row.changesCode) << key;
}

TEST_P(EachOption, IsPartOfTheKeyOfGraphsIfItActsBeforeCodeIsGenerated) {
  const OptionRow &row = GetParam();
  CompileOptions options = with(row, otherText(row));
  CompileOptions plain;
  plain.training = row.name != "training" && options.training;
  EXPECT_EQ(*options.graphRecord() != *plain.graphRecord(), row.changesGraph);
  EXPECT_TRUE(row.changesCode || !row.changesGraph);
}

TEST(GraphRecord, KnowsTargetsWhoseBackwardSavesOtherSums) {
  CompileOptions host, other, gpu;
  other.target = "x86-64-v4";
  gpu.target = "sm_80";
  EXPECT_EQ(*other.graphRecord(), *host.graphRecord());
  EXPECT_NE(*gpu.graphRecord(), *host.graphRecord());
}

TEST_P(EachOption, SaysWhatItTakes) {
  const OptionRow &row = GetParam();
  EXPECT_FALSE(row.expected.empty());
  EXPECT_FALSE(row.help.empty());
  EXPECT_NE(optionPage().find("`" + row.name + "`"), std::string::npos);
  for (OptionTool tool :
       {OptionTool::Compile, OptionTool::Run, OptionTool::Check})
    EXPECT_EQ(optionHelp(tool).find("  --" + row.flag +
                                    (row.isSwitch ? "" : "=")) !=
                  std::string::npos,
              row.isFlagOf(tool));
}

TEST_P(EachOption, IsWrittenOnceAndWithAValue) {
  const OptionRow &row = GetParam();
  std::string line = row.name + "=" + otherText(row) + "\n";
  EXPECT_FALSE(bool(CompileOptions::parse(line + line)));
  EXPECT_FALSE(bool(CompileOptions::parse(row.name + "\n")));
}

INSTANTIATE_TEST_SUITE_P(CompileOptions, EachOption,
                         testing::ValuesIn(optionTable()),
                         [](const testing::TestParamInfo<OptionRow> &info) {
                           return info.param.name;
                         });

TEST(CompileOptions, KeysAreInOrder) {
  EXPECT_TRUE(std::is_sorted(
      optionTable().begin(), optionTable().end(),
      [](const auto &a, const auto &b) { return a.name < b.name; }));
}

TEST(CompileOptions, DefaultsAreLeftOut) {
  EXPECT_EQ(*CompileOptions().record(), "");
  auto options = CompileOptions::parse("backend=inductor\nmemory_budget=1.0\n");
  ASSERT_TRUE(bool(options));
  EXPECT_EQ(*options->record(), "");
}

TEST(CompileOptions, SwitchesThatKeepCodeShareAKey) {
  CompileOptions plain, looked;
  looked.verifyEach = true;
  looked.dumpStages = "/tmp/stages";
  looked.maxSeconds = 10;
  EXPECT_EQ(*plain.keyRecord(), *looked.keyRecord());
  EXPECT_NE(*plain.record(), *looked.record());
}

TEST(CompileOptions, AWrongLineIsNamedWithWhatWouldWork) {
  const char *wrong[][2] = {
      {"backend=other", "expected inductor, aot_eager or eager"},
      {"training=2", "expected 0 or 1"},
      {"dynamic=maybe", "expected auto, true, false or first"},
      {"memory_budget=2", "expected a number from 0 to 1"},
      {"memory_budget=nan", "expected a number from 0 to 1"},
      {"max_operations=0", "expected an integer from 1 to"},
      {"max_operations=-1", "expected an integer from 1 to"},
      {"mark_dynamic=x", "expected 'input:dimension'"},
      {"lowering=none", "expected direct or linalg"},
      {"colour=red", "expected one of backend, coordinate_descent_tuning, "},
      // What a program runs on is no option of its compilation.
      {"threads=4", "expected one of backend"},
  };
  for (auto [line, expected] : wrong) {
    auto options = CompileOptions::parse(std::string(line) + "\n");
    ASSERT_FALSE(bool(options)) << line;
    EXPECT_EQ(options.error().kind, ErrorKind::Usage);
    for (const char *part : {line, expected})
      EXPECT_NE(options.error().message.find(part), std::string::npos)
          << options.error().message;
  }
}

TEST(CompileOptions, ContradictionsAreRefused) {
  for (const char *record :
       {"backend=eager\ntraining=1\n", "optimizer=sgd\n",
        "memory_budget=0.5\n", "input_gradients=[0][0]\n",
        "dynamic=false\nmark_dynamic=x:0\n"}) {
    auto options = CompileOptions::parse(record);
    ASSERT_FALSE(bool(options)) << record;
    EXPECT_EQ(options.error().kind, ErrorKind::Usage);
  }
}

TEST(CompileOptions, ATextThatALineCannotHoldIsRefused) {
  CompileOptions options;
  for (const char *path : {"0123:/a,b.so", "0123:/a\nb.so", ""}) {
    options.plugins = {path};
    auto record = options.record();
    ASSERT_FALSE(bool(record)) << path;
    EXPECT_EQ(record.error().kind, ErrorKind::Usage);
    EXPECT_NE(record.error().message.find("plugins"), std::string::npos);
  }
}

TEST(CompileOptions, ListsKeepBracketsTogether) {
  auto options = CompileOptions::parse(
      "input_gradients=[0]['a,b'],[1][0]\ntraining=1\n");
  ASSERT_TRUE(bool(options)) << options.error().message;
  EXPECT_EQ(options->inputGradients,
            (std::vector<std::string>{"[0]['a,b']", "[1][0]"}));
}

TEST(Specialization, GoesThroughText) {
  auto symbols = Specialization::parse("s3=-1\ns77=8\ns5=2..\n");
  ASSERT_TRUE(bool(symbols)) << symbols.error().message;
  EXPECT_EQ(symbols->values.at("s77"), 8);
  EXPECT_EQ(symbols->values.at("s3"), -1);
  EXPECT_EQ(symbols->values.count("s5"), 0u);
  EXPECT_EQ(symbols->lowerBounds.at("s5"), 2);
  EXPECT_EQ(symbols->text(), "s3=-1\ns77=8\ns5=2..\n");
  for (const char *wrong : {"s77=many\n", "s77=\n", "s77\n", "=3\n",
                            "s77=3.\n", "s77=3..4\n",
                            "s77=99999999999999999999\n"})
    EXPECT_FALSE(bool(Specialization::parse(wrong))) << wrong;
}

} // namespace
