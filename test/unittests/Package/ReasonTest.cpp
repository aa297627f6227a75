//===- ReasonTest.cpp - Reasons and their texts ---------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleProgram.h"
#include "kiln/Package/Explain.h"

#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::test;

namespace {

constexpr const char *names[][2] = {
#define KILN_REASON(id, pass, name) {pass, name},
#include "kiln/ABI/Reasons.def"
};

std::string explainTopic(const Package &package, std::string_view topic) {
  std::string text;
  for (const Explanation &explanation : explain(
           package, [&](std::string_view wanted) { return wanted == topic; }))
    text += explanation.text;
  return text;
}

} // namespace

TEST(Reason, EachOfTheListIsFoundOnce) {
  for (size_t i = 0; i < std::size(names); ++i)
    EXPECT_EQ(identify({Reason::Kind::Passed, names[i][0], names[i][1], "", {}}),
              static_cast<ReasonId>(i))
        << names[i][0] << ":" << names[i][1];
  EXPECT_EQ(identify({Reason::Kind::Passed, "my-pass", "fused", "", {}}),
            std::nullopt);
}

// What anybody may have written into a package can be told, whatever is missing.
TEST(Reason, WithoutArgumentsItIsStillText) {
  Package package = samplePackage();
  for (auto [pass, name] : names)
    package.reasons.push_back({Reason::Kind::Missed, pass, name, "main", {}});
  for (const char *topic :
       {"dynamic", "fusion", "memory", "partition", "schedule"})
    EXPECT_FALSE(explainTopic(package, topic).empty());
}

TEST(Reason, ChoicesOfAProgramAreTold) {
  Package package = samplePackage();
  auto add = [&](const char *name, std::vector<Reason::Argument> arguments) {
    package.reasons.push_back({Reason::Kind::Missed, "loop-autotune", name,
                               "main", std::move(arguments)});
  };
  add("program-tuned", {{"taken", "1"},
                        {"choices", "2"},
                        {"ns", "1500000"},
                        {"default_ns", "1600000"}});
  add("taken-back", {{"kernel", "k0"},
                     {"kernels", "3"},
                     {"schedule", "#loop.s<x = 1>"},
                     {"Reason", "why"}});
  add("program-not-tuned",
      {{"taken", "0"}, {"choices", "2"}, {"default_ns", "0"}, {"Reason", "so"}});
  EXPECT_EQ(explainTopic(package, "autotuning"),
            "Autotuning of the program:\n"
            "  took 1 of 2 choices, 1500.0 us instead of 1600.0 us\n"
            "  - took back in k0 (3 alike), why: #loop.s<x = 1>\n"
            "  took 0 of 2 choices: so\n");
}

TEST(Reason, TextsFollowTheOrderOfThePrograms) {
  Package package = samplePackage();
  auto add = [&](const char *function, const char *kernel) {
    package.reasons.push_back({Reason::Kind::Analysis, "loop-fuse", "kernel",
                               function, {{"kernel", kernel}, {"group", "op0"}}});
  };
  add("other", "k1");
  add("main", "k0");
  EXPECT_EQ(explainTopic(package, "fusion"),
            "Kernels:\n  - k0: `op0`\nKernels:\n  - k1: `op0`\n");
}

TEST(Reason, WhatIsNoPrologueIsToldBehindTheRest) {
  Package package = samplePackage();
  auto add = [&](const char *name, std::vector<Reason::Argument> arguments) {
    package.reasons.push_back({Reason::Kind::Missed, "loop-inline-virtual", name,
                               "main", std::move(arguments)});
  };
  add("no-prologue",
      {{"nest", "P"}, {"contraction", "C"}, {"bytes", "64"}, {"Reason", "why"}});
  add("stored", {{"nest", "mul"}, {"Reason", "so"}});
  EXPECT_EQ(explainTopic(package, "fusion"),
            "Stored: mul: so\nNo prologue: P of C, 64 bytes: why\n");
}

TEST(Reason, ARoundIsOneBlock) {
  Package package = samplePackage();
  auto add = [&](const char *name, std::vector<Reason::Argument> arguments) {
    package.reasons.push_back({Reason::Kind::Passed, "loop-fuse", name, "main",
                               std::move(arguments)});
  };
  add("no-epilogue", {{"contraction", "C"}, {"Reason", "why"}});
  add("candidate", {{"round", "1"}, {"group", "op0"}, {"nests", "A"}});
  add("candidate", {{"round", "1"}, {"group", "op1"}, {"nests", "B"}});
  add("fused", {{"round", "1"}, {"first", "op0"}, {"second", "op1"}});
  add("round", {{"round", "1"}, {"before", "3"}, {"after", "2"}});
  EXPECT_EQ(explainTopic(package, "fusion"), "=== Fusion Round 1 ===\n"
                                             "Candidates for fusion:\n"
                                             "  - LoopKernel(name='op0'), A\n"
                                             "  - LoopKernel(name='op1'), B\n"
                                             "Found 1 possible fusion:\n"
                                             "  - Fusing `op0` with `op1`\n"
                                             "Result:\n"
                                             "  - Fused 3 nodes into 2 nodes\n"
                                             "No epilogue: C: why\n");
}
