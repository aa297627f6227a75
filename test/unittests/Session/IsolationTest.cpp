//===- IsolationTest.cpp --------------------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever ends the compiler is an error of the call that compiles, and this process
// goes on.
//
//===----------------------------------------------------------------------===//

#include "SessionTestSupport.h"

#include "kiln/Base/Log.h"
#include "kiln/Cache/Store.h"

#include <dlfcn.h>

using namespace kiln;
using namespace kiln::test;
using session::Session;

/// What a call of a program gives whose compilation ends in this way; empty if
/// the numbers are right.
static std::string callEnding(const char *way,
                              const session::SessionOptions &wanted) {
  ::setenv("KILN_TEST_END", way, 1);
  auto io = archive::loadIoFile(inputs("attention_static/io.json"));
  auto session = Session::open(inputs("attention_static/train.pt2"), wanted);
  std::string text = !io        ? io.error().message
                     : !session ? session.error().message
                                : callAndCompare(**session, io->main);
  ::unsetenv("KILN_TEST_END");
  return text;
}

static session::SessionOptions withPlugin(const std::string &cache) {
  session::SessionOptions wanted = options(cache);
  wanted.dialectPlugins = {KILN_TEST_ENDING_PLUGIN};
  return wanted;
}

TEST(Isolation, WhateverEndsTheCompilerIsAnError) {
  ScratchFolder scratch;
  session::SessionOptions wanted = withPlugin(scratch / "cache");
  EXPECT_EQ(callEnding("crash", wanted),
            "error: the compilation was ended by signal SIGSEGV");
  EXPECT_EQ(callEnding("abort", wanted),
            "error: the compilation was ended by signal SIGABRT");
  std::string afterExit = ": the compilation ended its process with ";
  EXPECT_NE(callEnding("fatal", wanted).find(afterExit + "5"),
            std::string::npos);
  EXPECT_NE(callEnding("exit", wanted).find(afterExit + "0"),
            std::string::npos);
  // Nothing was kept of it, and the same program compiles when nothing ends it.
  EXPECT_EQ(callEnding("", wanted), "");
}

TEST(Isolation, ACompilationThatDoesNotEndIsEnded) {
  session::SessionOptions wanted = withPlugin("");
  wanted.cache = cache::CacheConfig();
  wanted.maxSeconds = 0.01;
  wanted.isolationGraceSeconds = 0.2;
  EXPECT_NE(callEnding("hang", wanted).find("the compilation took longer than"),
            std::string::npos);
}

TEST(Isolation, KernelsProgressAndLogComeThrough) {
  ScratchFolder scratch;
  auto io = archive::loadIoFile(inputs("attention_static/io.json"));
  ASSERT_TRUE(bool(io));
  std::string logged;
  ASSERT_TRUE(bool(log::configure("aot_graphs,fusion")));
  log::setSink([&](std::string_view category, log::Level, std::string_view) {
    logged += std::string(category) + " ";
  });
  for (bool isolated : {true, false}) {
    SCOPED_TRACE(isolated);
    logged.clear();
    std::string stages;
    session::SessionOptions wanted =
        options(scratch / (isolated ? "a" : "b"), Backend::Inductor);
    wanted.isolated = isolated;
    wanted.threads = 2;
    wanted.progress = [&](const std::string &stage) { stages += stage + " "; };
    auto open = [&] {
      return Session::open(inputs("attention_static/train.pt2"), wanted);
    };
    auto first = open();
    ASSERT_TRUE(bool(first)) << first.error().message;
    EXPECT_EQ(callAndCompare(**first, io->main), "");
    const unsigned kernels = (*first)->stats().kernelsCompiled;
    EXPECT_GT(kernels, 0u);
    EXPECT_NE(stages.find("import "), std::string::npos);
    EXPECT_NE(logged.find("aot_graphs "), std::string::npos);
    // Another program of the same kernels finds them.
    wanted.maxFusionSize = 63;
    auto second = open();
    ASSERT_TRUE(bool(second)) << second.error().message;
    EXPECT_EQ(callAndCompare(**second, io->main), "");
    EXPECT_EQ((*second)->stats().kernelsFound, kernels);
    EXPECT_EQ((*second)->stats().kernelsCompiled, 0u);
  }
  log::setSink(nullptr);
  ASSERT_TRUE(bool(log::configure("")));
}

//===----------------------------------------------------------------------===//
// A machine that has no process more
//===----------------------------------------------------------------------===//

static bool hasNoProcess = false;

/// The one that libKilnRuntime.so calls as well.
extern "C" pid_t fork() {
  if (hasNoProcess) {
    errno = EAGAIN;
    return -1;
  }
  static auto next = reinterpret_cast<pid_t (*)()>(::dlsym(RTLD_NEXT, "fork"));
  return next();
}

// The host ends with the compiler only if it has allowed that.
TEST(Isolation, WithoutAProcessOfItsOwnItCompilesHereOnlyIfThatIsAllowed) {
  ScratchFolder scratch;
  session::SessionOptions wanted = withPlugin(scratch / "cache");
  hasNoProcess = true;
  std::string refused = callEnding("abort", wanted);
  wanted.isolated = false;
  std::string allowed = callEnding("", wanted);
  hasNoProcess = false;
  EXPECT_EQ(refused.find("error: cannot make a process for the compilation: "),
            0u)
      << refused;
  EXPECT_NE(refused.find("switch `isolated` off"), std::string::npos) << refused;
  EXPECT_EQ(allowed, "");
}

/// Statistics of a session whose schedules are measured.
static session::SessionStats callTuned(const std::string &cache) {
  session::SessionOptions wanted = options(cache, Backend::Inductor);
  wanted.maxAutotunePointwise = true;
  wanted.isolated = false;
  auto io = archive::loadIoFile(inputs("attention_static/io.json"));
  EXPECT_TRUE(bool(io));
  auto session = Session::open(inputs("attention_static/train.pt2"), wanted);
  EXPECT_TRUE(bool(session)) << session.error().message;
  EXPECT_EQ(callAndCompare(**session, io->main), "");
  return (*session)->stats();
}

// What could not be measured for want of a process says nothing about schedules.
TEST(Isolation, AProgramThatCouldNotBeMeasuredIsNotKept) {
  ScratchFolder scratch;
  const std::string cache = scratch / "cache";
  hasNoProcess = true;
  session::SessionStats stats = callTuned(cache);
  hasNoProcess = false;
  EXPECT_EQ(stats.tuning.measurements, 0u);
  EXPECT_GT(stats.tuning.passing, 0u);
  ASSERT_FALSE(stats.missReasons.empty());
  EXPECT_NE(stats.missReasons.back().find("could not be measured now"),
            std::string::npos);
  stats = callTuned(cache);
  EXPECT_EQ(stats.graphsCompiled, 1u);
  EXPECT_GT(stats.tuning.measurements, 0u);
  stats = callTuned(cache);
  EXPECT_EQ(stats.graphsCompiled, 0u);
  EXPECT_EQ(stats.tuning.measurements, 0u);
}
