//===- CompileOptionsTest.cpp - The options record ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Compiler/CompilerSession.h"

#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::compiler;

namespace {

TEST(CompileOptions, AnEmptyRecordIsTheDefaults) {
  auto options = CompileOptions::parse("");
  ASSERT_TRUE(bool(options));
  EXPECT_EQ(options->backend, Backend::Inductor);
  EXPECT_FALSE(options->training);
  EXPECT_FALSE(options->sizes.any());
  EXPECT_TRUE(options->specialization.empty());
}

TEST(CompileOptions, MarksAreLists) {
  auto options = CompileOptions::parse("backend=aot_eager\n"
                                       "dynamic=true\n"
                                       "mark_dynamic=x:0[2..64],y:-1\n"
                                       "mark_static=z:0\n"
                                       "mark_unbacked=u:0\n",
                                       "s77=8\ns3=-1\ns5=2..\n");
  ASSERT_TRUE(bool(options));
  EXPECT_EQ(options->backend, Backend::AotEager);
  EXPECT_TRUE(options->sizes.all);
  EXPECT_EQ(options->sizes.dynamic,
            (std::vector<std::string>{"x:0[2..64]", "y:-1"}));
  EXPECT_EQ(options->sizes.fixed, std::vector<std::string>{"z:0"});
  EXPECT_EQ(options->sizes.unbacked, std::vector<std::string>{"u:0"});
  EXPECT_EQ(options->specialization.at("s77"), 8);
  EXPECT_EQ(options->specialization.at("s3"), -1);
  EXPECT_EQ(options->specialization.count("s5"), 0u);
  EXPECT_EQ(options->lowerBounds.at("s5"), 2);
}

TEST(CompileOptions, OnlyDynamicSizesNeedThePass) {
  EXPECT_FALSE(CompileOptions::parse("dynamic=false\n")->sizes.any());
  EXPECT_FALSE(CompileOptions::parse("mark_static=x:0\n")->sizes.any());
  EXPECT_TRUE(CompileOptions::parse("mark_unbacked=x:0\n")->sizes.any());
}

TEST(CompileOptions, AWrongLineIsNamed) {
  for (const char *record :
       {"backend=other\n", "training=2\n", "threads=0\n", "dynamic=maybe\n",
        "memory_budget=2\n", "colour=red\n", "lowering=none\n"}) {
    auto options = CompileOptions::parse(record);
    ASSERT_FALSE(bool(options)) << record;
    EXPECT_EQ(options.error().kind, ErrorKind::Usage);
    std::string line(record);
    line.pop_back();
    EXPECT_NE(options.error().message.find(line), std::string::npos)
        << options.error().message;
  }
  EXPECT_FALSE(bool(CompileOptions::parse("", "s77=many\n")));
}

} // namespace
