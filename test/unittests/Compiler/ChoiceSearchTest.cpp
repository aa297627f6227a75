//===- ChoiceSearchTest.cpp - Which choices a program keeps ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Compiler/BestConfig.h"
#include "../../../lib/Compiler/ChoiceSearch.h"

#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::compiler;

namespace {

/// A program that each choice makes longer or shorter by what the table says.
struct Program {
  explicit Program(std::vector<double> effects) : effects(std::move(effects)) {
    search.promised.assign(this->effects.size(), 0.05);
    search.compare = [this](const Choices &without, const Choices &with) {
      if (++comparisons > limit)
        return ProgramComparison();
      double ratio = time(with) / time(without);
      return ProgramComparison{ratio < 0.995 ? ProgramComparison::Faster
                                             : ProgramComparison::NotFaster,
                               ratio};
    };
  }
  double time(const Choices &choices) const {
    double sum = 1;
    for (size_t i = 0; i < choices.size(); ++i)
      sum += choices[i] ? effects[i] : 0;
    return sum;
  }

  std::vector<double> effects;
  ChoiceSearch search;
  unsigned comparisons = 0, limit = 1000;
};

TEST(ChoiceSearch, WhatIsFasterTogetherIsKept) {
  Program program({-0.05, -0.01, 0.02, -0.1});
  EXPECT_TRUE(program.search.run());
  EXPECT_EQ(program.search.kept, Choices(4, true));
  EXPECT_EQ(program.comparisons, 1u);
  EXPECT_NEAR(program.search.ratio, 0.86, 1e-9);
}

// Each looked better alone; the program is slower with them.
TEST(ChoiceSearch, ARegressionIsTakenBack) {
  for (size_t count : {1, 2, 5, 16}) {
    Program program(std::vector<double>(count, 0.02));
    EXPECT_TRUE(program.search.run());
    EXPECT_EQ(program.search.kept, Choices(count, false));
    EXPECT_EQ(program.search.ratio, 1);
    EXPECT_LE(program.comparisons, 2 * count);
  }
}

TEST(ChoiceSearch, TheOneThatHurtsIsFound) {
  for (size_t bad = 0; bad < 8; ++bad) {
    Program program(std::vector<double>(8, -0.03));
    program.effects[bad] = 0.5;
    EXPECT_TRUE(program.search.run());
    Choices expected(8, true);
    expected[bad] = false;
    EXPECT_EQ(program.search.kept, expected);
    EXPECT_NEAR(program.search.ratio, 0.79, 1e-9);
    EXPECT_LE(program.comparisons, 7u);
  }
}

TEST(ChoiceSearch, TiesKeepTheDefault) {
  Program program({0, -0.001, 0.001});
  EXPECT_TRUE(program.search.run());
  EXPECT_EQ(program.search.kept, Choices(3, false));
}

TEST(ChoiceSearch, WhatNobodySeesIsNotTried) {
  Program program({-0.5, -0.5, -0.5});
  program.search.promised = {0.001, 0.001, 0.001};
  EXPECT_TRUE(program.search.run());
  EXPECT_EQ(program.search.kept, Choices(3, false));
  EXPECT_EQ(program.comparisons, 0u);
  // Those that promise more are tried first.
  Program other({0.5, 0.5, -0.1, 0.5});
  other.search.promised = {0.001, 0.001, 0.1, 0.001};
  EXPECT_TRUE(other.search.run());
  EXPECT_EQ(other.search.kept, (Choices{false, false, true, false}));
}

TEST(ChoiceSearch, NobodyMayBeAbleToCompare) {
  Program program({-0.1, -0.1, 0.5});
  program.limit = 0;
  EXPECT_FALSE(program.search.run());
  // With time for a part of it what was found there counts.
  program.comparisons = 0;
  program.limit = 2;
  EXPECT_TRUE(program.search.run());
  EXPECT_EQ(program.search.kept, (Choices{true, false, false}));
  EXPECT_TRUE(Program({}).search.run());
}

TEST(BestProgram, IsReadAsItWasWritten) {
  const std::vector<std::string> choices = {"#loop.a<x = 1>", "#loop.b<x = 2>"};
  std::string text = encodeBestProgram({{true, false}, 1500, 2000}, choices);
  auto read = decodeBestProgram(text, choices);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->kept, (std::vector<bool>{true, false}));
  EXPECT_EQ(read->nanoseconds, 1500);
  EXPECT_EQ(read->defaultNanoseconds, 2000);
  EXPECT_TRUE(decodeBestProgram(encodeBestProgram({}, {}), {}));
  // It counts for these choices alone, and is looked at.
  EXPECT_FALSE(decodeBestProgram(text, {choices.front()}));
  EXPECT_FALSE(decodeBestProgram(text, {choices.back(), choices.front()}));
  for (const char *kept : {"1", "102", "1 ", ""}) {
    std::string other = text;
    other.replace(other.find("\"10\"") + 1, 2, kept);
    EXPECT_FALSE(decodeBestProgram(other, choices)) << kept;
  }
  for (const char *bad : {"", "[]", "{}", "{\"kind\":\"program\"}"})
    EXPECT_FALSE(decodeBestProgram(bad, choices)) << bad;
}

} // namespace
