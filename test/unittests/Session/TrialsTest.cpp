//===- TrialsTest.cpp - Packages that crash, hang or are wrong ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Candidates with planted code: none of them does the caller harm, and each is told
// from the others. What is fast is not tested, only that there are times.
//
//===----------------------------------------------------------------------===//

#include "kiln/Session/Trials.h"

#include "../../../lib/Session/TrialCalls.h"

#include "kiln/ABI/CompilerABI.h"
#include "kiln/Archive/Source.h"
#include "kiln/Package/Package.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

using namespace kiln;
using namespace kiln::session;

namespace {

using Bytes = std::vector<uint8_t>;

/// A package of one kernel.
const Bytes &getPackage() {
  static const Bytes package = [] {
    std::string path = "/tmp/kiln-trials-XXXXXX";
    int file = ::mkstemp(path.data());
    const char *text = R"(
func.func @main(%x: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<64x8xf32>) shared [64, 8]
      schedule #loop.across<lanes = 8, chunk = 8, sum_block = 0, masked = false, grain = 64>
      -> tensor<64x8xf32> {
    %p = loop.pointwise (%i, %j) in [64, 8] : tensor<64x8xf32> {
      %v = loop.load %a[%i, %j] : tensor<64x8xf32>
      %n = arith.mulf %v, %v : f32
      loop.yield %n : f32
    }
    loop.return %p : tensor<64x8xf32>
  }
  return %r : tensor<64x8xf32>
})";
    EXPECT_EQ(::write(file, text, std::strlen(text)),
              ssize_t(std::strlen(text)));
    ::close(file);
    std::string named = path + ".mlir";
    EXPECT_EQ(std::rename(path.c_str(), named.c_str()), 0);
    void *library = ::dlopen("libKilnCompiler.so", RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library, nullptr);
    auto get = reinterpret_cast<kiln_compiler_get_t>(
        ::dlsym(library, KILN_COMPILER_ENTRY));
    const kiln_compiler_api *api = get(KILN_COMPILER_ABI_VERSION);
    auto source = archive::Source::open(named);
    EXPECT_TRUE(source) << source.error().message;
    kiln_compile_request request = {};
    request.struct_size = sizeof(request);
    request.source = reinterpret_cast<const kiln_source *>(source->get());
    kiln_compile_result result = {};
    result.struct_size = sizeof(result);
    EXPECT_EQ(api->compile(&request, &result), 0) << result.message;
    Bytes bytes(result.package, result.package + result.package_size);
    api->release(&result);
    ::unlink(named.c_str());
    return bytes;
  }();
  return package;
}

/// The package with this code where its kernel begins.
Bytes withCode(const Bytes &code) {
  const Bytes &bytes = getPackage();
  auto package = package::decodePackage(bytes.data(), bytes.size());
  EXPECT_TRUE(package);
  uint64_t entry = package->image.kernels.front().entry;
  std::copy(code.begin(), code.end(),
            package->image.bytes.begin() + static_cast<ptrdiff_t>(entry));
  return package::encodePackage(*package);
}

const Bytes kCrashes = {0x0f, 0x0b}; // ud2
const Bytes kHangs = {0xeb, 0xfe};   // jumps to itself
const Bytes kReturns = {0xc3};       // leaves results as they were

/// A good package has this long for its first call: on a machine that does other
/// things as well, too.
TrialOptions quick(double hangSeconds = 60) {
  TrialOptions options;
  options.seconds = 0.01;
  options.hangSeconds = hangSeconds;
  return options;
}

std::vector<package::Trial> run(const std::vector<Bytes> &packages,
                                const package::SymbolValues &symbols,
                                const TrialOptions &options) {
  auto trials = runTrials(packages, symbols, options);
  EXPECT_TRUE(trials) << trials.error().message;
  return trials ? *trials : std::vector<package::Trial>();
}

TEST(Trials, GoodOnesHaveTimes) {
  auto trials = run({getPackage(), getPackage()}, {}, quick());
  ASSERT_EQ(trials.size(), 2u);
  for (const package::Trial &trial : trials) {
    EXPECT_EQ(trial.failure, "");
    EXPECT_GT(trial.nanoseconds, 0);
  }
}

TEST(Trials, BadOnesAreToldAndHarmNobody) {
  auto trials = run({getPackage(), withCode(kCrashes), getPackage(),
                     withCode(kReturns), Bytes{1, 2, 3}, Bytes(), getPackage()},
                    {}, quick());
  ASSERT_EQ(trials.size(), 7u);
  for (size_t good : {0, 2, 6}) {
    EXPECT_EQ(trials[good].failure, "") << good;
    EXPECT_GT(trials[good].nanoseconds, 0) << good;
  }
  auto begins = [&](size_t i, const std::string &what) {
    EXPECT_EQ(trials[i].failure.substr(0, what.size()), what);
    EXPECT_EQ(trials[i].nanoseconds, 0);
  };
  begins(1, "crashes: Illegal instruction");
  begins(3, "gives other numbers: ");
  begins(4, "does not load: ");
  begins(5, ""); // there was nothing to run
  for (const package::Trial &trial : trials)
    EXPECT_FALSE(trial.isPassing) << trial.failure;
}

// kill(getpid(), SIGKILL), as the system does that has no memory.
TEST(Trials, WhatMayBeOfTheMomentIsToldFromWhatIsBad) {
  const Bytes killed = {0xb8, 39, 0, 0, 0, 0x0f, 0x05, 0x89, 0xc7, 0xbe, 9,
                        0,    0,  0, 0xb8, 62,   0,    0,    0,    0x0f, 0x05};
  auto trials =
      run({getPackage(), withCode(killed), getPackage(), withCode(kCrashes)},
          {}, quick());
  ASSERT_EQ(trials.size(), 4u);
  // The first came through beside it, twice.
  EXPECT_EQ(trials[1].failure.find("crashes: Killed"), 0u) << trials[1].failure;
  EXPECT_FALSE(trials[1].isPassing);
  EXPECT_EQ(trials[2].failure, "");
  EXPECT_FALSE(trials[3].isPassing) << trials[3].failure;
  // All share the fate of the first.
  trials = run({withCode(killed), getPackage()}, {}, quick());
  ASSERT_EQ(trials.size(), 2u);
  for (const package::Trial &trial : trials) {
    EXPECT_NE(trial.failure, "");
    EXPECT_TRUE(trial.isPassing);
  }
}

TEST(Trials, WithoutAProcessNothingIsSaidOfCandidates) {
  struct rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  struct rlimit none = {0, before.rlim_max};
  (void)getPackage(); // is compiled with files
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  auto trials = run({getPackage(), getPackage()}, {}, quick());
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  for (const package::Trial &trial : trials) {
    EXPECT_NE(trial.failure.find("cannot make a process"), std::string::npos)
        << trial.failure;
    EXPECT_TRUE(trial.isPassing);
  }
}

// Whatever the machine does meanwhile, it is a hang; and for good, unless the machine
// did not come to the first one either.
TEST(Trials, AHangIsTold) {
  auto trials =
      run({getPackage(), withCode(kHangs)}, {}, quick(/*hangSeconds=*/0.1));
  ASSERT_EQ(trials.size(), 2u);
  EXPECT_NE(trials[1].failure.find("hangs: nothing came of it in "),
            std::string::npos)
      << trials[1].failure;
  EXPECT_EQ(trials[1].isPassing, !trials[0].failure.empty());
}

// How it ended is not known there.
TEST(Trials, WhoIsLostAgainIsBad) {
  auto old = ::signal(SIGCHLD, SIG_IGN);
  auto trials = run({getPackage(), withCode(kCrashes), getPackage()}, {},
                    quick());
  ::signal(SIGCHLD, old);
  ASSERT_EQ(trials.size(), 3u);
  EXPECT_EQ(trials[1].failure, "ends the process");
  EXPECT_FALSE(trials[1].isPassing);
  for (size_t good : {0, 2})
    EXPECT_GT(trials[good].nanoseconds, 0) << good;
}

// With a limit of its own that nobody waits for. What is over is over for good: else
// each compilation would spend as much again.
TEST(Trials, AllEndWithTheirTime) {
  TrialOptions options = quick(/*hangSeconds=*/24 * 3600);
  options.maxSeconds = 1;
  auto trials =
      run({getPackage(), withCode(kHangs), getPackage()}, {}, options);
  ASSERT_EQ(trials.size(), 3u);
  for (const package::Trial &trial : trials) {
    EXPECT_EQ(trial.failure, "was not measured: the time for it was over");
    EXPECT_FALSE(trial.isPassing);
  }
}

// An eighth of the memory; of that which is free now, another time it may be more.
TEST(Trials, InputsThatFitTheMachineMayFitAnotherTime) {
  std::istringstream file("MemTotal:        8388608 kB\n"
                          "MemFree:          100000 kB\n"
                          "MemAvailable:    1048576 kB\n");
  const MemoryBytes memory = readMemoryBytes(file);
  EXPECT_EQ(memory.all, 8.0 * (1 << 30));
  EXPECT_EQ(memory.available, 1.0 * (1 << 30));
  EXPECT_TRUE(checkInputBytes(100e6, memory));
  Status now = checkInputBytes(200 << 20, memory);
  ASSERT_FALSE(now);
  EXPECT_EQ(now.error().kind, ErrorKind::Io);
  EXPECT_EQ(now.error().message,
            "its inputs need 200 MiB, too much beside what runs here now");
  for (double never : {1.1 * (1 << 30), 1e300}) {
    Status s = checkInputBytes(never, memory);
    ASSERT_FALSE(s);
    EXPECT_EQ(s.error().kind, ErrorKind::Unsupported);
  }
  std::istringstream silent("");
  EXPECT_TRUE(checkInputBytes(1e18, readMemoryBytes(silent)));
}

TEST(Trials, CandidatesHaveNoFilesOfTheHost) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  int fd = ::fcntl(ends[1], F_DUPFD_CLOEXEC, 100);
  ASSERT_GE(fd, 100);
  // write(fd, this code, 1); return
  Bytes code = {0xb8, 1,    0,    0, 0, 0xbf, 0,    0,    0, 0, 0x48, 0x8d, 0x35,
                0,    0,    0,    0, 0xba, 1, 0,    0,    0, 0x0f, 0x05, 0xc3};
  std::memcpy(&code[6], &fd, sizeof(fd));
  auto trials = run({getPackage(), withCode(code)}, {}, quick());
  ASSERT_EQ(trials.size(), 2u);
  EXPECT_EQ(trials[1].failure.find("gives other numbers: "), 0u)
      << trials[1].failure;
  char byte;
  EXPECT_LT(::read(ends[0], &byte, 1), 0) << "a candidate wrote into it";
  for (int file : {ends[0], ends[1], fd})
    ::close(file);
}

TEST(Trials, AProgramThatDoesNotBeginSaysNothingOfCandidates) {
  TrialOptions options = quick();
  options.device = "cuda:0";
  auto trials = runTrials({getPackage(), getPackage()}, {}, options);
  ASSERT_FALSE(trials);
  EXPECT_EQ(trials.error().kind, ErrorKind::Unsupported);
  for (auto [path, why] :
       {std::pair("/nowhere/at/all", "ends the process with 127"),
        std::pair("/bin/false", "ends the process with 1")}) {
    ChildProgram program(path);
    options.program = &program;
    trials = runTrials({getPackage(), getPackage()}, {}, options);
    ASSERT_FALSE(trials);
    EXPECT_EQ(trials.error().kind, ErrorKind::Io);
    EXPECT_EQ(trials.error().message,
              "cannot be run: '" + std::string(path) + "' " + why);
  }
}

TEST(Trials, WithoutTheFirstThereIsNoComparison) {
  auto trials =
      run({withCode(kCrashes), getPackage()}, {}, quick());
  ASSERT_EQ(trials.size(), 2u);
  for (const package::Trial &trial : trials)
    EXPECT_NE(trial.failure.find("crashes"), std::string::npos);
  EXPECT_TRUE(run({}, {}, quick()).empty());
  EXPECT_NE(run({Bytes(), getPackage()}, {}, quick())[1].failure, "");
}

} // namespace
