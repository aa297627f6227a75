//===- MemoryTest.cpp - What a compilation leaves in memory ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SessionTestSupport.h"

#include <fstream>
#include <sstream>

using namespace kiln;
using namespace kiln::test;
using session::Session;

/// Kilobytes in memory of what is mapped from the compiler's libraries and not
/// written to.
static long residentCode() {
  std::ifstream maps("/proc/self/smaps");
  std::string line;
  long kilobytes = 0;
  bool isCode = false;
  while (std::getline(maps, line)) {
    std::istringstream words(line);
    std::string first, second;
    words >> first >> second;
    if (first.back() != ':')
      isCode = second.find('w') == std::string::npos &&
               (line.find("libLLVM") != std::string::npos ||
                line.find("libMLIR") != std::string::npos ||
                line.find("libKilnCompiler") != std::string::npos);
    else if (isCode && first == "Rss:")
      kilobytes += std::stol(second);
  }
  return kilobytes;
}

TEST(Memory, TheCompilerLeavesItWhereThatIsWanted) {
  constexpr long few = 16384;
  auto io = archive::loadIoFile(inputs("attention_static/io.json"));
  ASSERT_TRUE(bool(io));
  session::SessionOptions wanted = options("", Backend::Inductor);
  wanted.cache = cache::CacheConfig();
  wanted.isolated = false;
  auto compile = [&] {
    auto session = Session::open(inputs("attention_static/train.pt2"), wanted);
    return session ? callAndCompare(**session, io->main)
                   : session.error().message;
  };
  EXPECT_EQ(compile(), "");
  EXPECT_GT(residentCode(), few);
  wanted.releaseCompiler = true;
  EXPECT_EQ(compile(), "");
  EXPECT_LT(residentCode(), few);
  // It is there again when it is needed.
  EXPECT_EQ(compile(), "");
  EXPECT_LT(residentCode(), few);
}
