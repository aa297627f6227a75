//===- AutotunerTest.cpp - What a tuner is asked for and told -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Archive/Source.h"
#include "kiln/Compiler/CompilerSession.h"
#include "kiln/Session/Trials.h"

#include <chrono>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <thread>

using namespace kiln;
using namespace kiln::compiler;

namespace {

/// A tuner with times of its own: by the names of kernels, all candidates alike, and for
/// programs.
class FakeTuner final : public package::KernelTuner {
public:
  package::MachineSpeed speed() override {
    ++speeds;
    return machine;
  }
  unsigned threads() const override { return 1; }
  std::vector<std::string> find(const Digest &key,
                                package::TuningSubject subject) override {
    const auto &known = subject == package::TuningSubject::Program ? programs
                                                                   : kept;
    auto text = known.find(key.hex());
    return text == known.end() ? std::vector<std::string>()
                               : std::vector<std::string>{text->second};
  }
  void keep(const Digest &key, const std::string &config) override {
    bool isProgram = config.find("\"kind\":\"program\"") != std::string::npos;
    (isProgram ? programs : kept)[key.hex()] = config;
  }
  std::vector<package::Trial>
  measure(const std::string &kernel,
          const std::vector<std::vector<uint8_t>> &packages,
          const package::TrialInputs &inputs) override {
    ++calls;
    if (inputs.subject == package::TuningSubject::Program) {
      EXPECT_EQ(packages.size(), 2u);
      EXPECT_NE(packages.front(), packages.back());
      ++comparisons;
      programBound = inputs.integersBelow;
      std::vector<package::Trial> both(2);
      both[0].nanoseconds = 1e6;
      both[1].nanoseconds = programRatio * 1e6;
      if (!programFailure.empty())
        both = std::vector<package::Trial>(2, {0, programFailure, false});
      return both;
    }
    bounds[kernel] = inputs.integersBelow;
    auto first = package::decodePackage(packages.front().data(),
                                        packages.front().size());
    EXPECT_TRUE(first);
    for (const package::Value &value : first->programs.front().values)
      isPrepared |= value.kind == package::Value::Kind::Prepared;
    seconds = inputs.maxSeconds;
    std::this_thread::sleep_for(pause);
    package::Trial trial;
    trial.nanoseconds = kernel.find("big") != std::string::npos ? 1e6 : 1e3;
    std::vector<package::Trial> trials(packages.size(), trial);
    for (size_t i = 1; i < trials.size(); ++i)
      trials[i].nanoseconds *= ratio;
    if (!failure.empty())
      trials.back() = {0, failure, isPassing};
    return trials;
  }
  void progress(const std::string &, unsigned, unsigned) override {}

  std::map<std::string, std::string> kept, programs;
  std::map<std::string, int64_t> bounds;
  std::chrono::duration<double> pause{0};
  double seconds = 0; ///< for the last kernel
  package::MachineSpeed machine = {1e10, 1e11};
  unsigned calls = 0, speeds = 0, comparisons = 0;
  double ratio = 1, programRatio = 1; ///< of all candidates to the default
  int64_t programBound = 0;
  std::string programFailure;
  std::string failure; ///< of the last candidate of each kernel
  bool isPassing = false;
  bool isPrepared = false; ///< a kernel had panels of a weight made ahead
};

/// Kernels that read `%n` and write 64 x 32 numbers each.
std::string kernel(const std::string &name, const std::string &body) {
  return "  %" + name + " = loop.kernel @" + name + R"( ins(%a = %x : tensor<64x32xf32>, %b = %n : tensor<64xi64>)
      shared [64, 32] -> tensor<64x32xf32> {
    %p = loop.pointwise (%i, %j) in [64, 32] : tensor<64x32xf32> {
      %k = loop.load %b[%i] : tensor<64xi64>
)" + body + R"(
      loop.yield %v : f32
    }
    loop.return %p : tensor<64x32xf32>
  }
)";
}

const char *const kGather = R"(
      %q = arith.index_cast %k : i64 to index
      %v = loop.load %a[%q, %j] : tensor<64x32xf32>)";
const char *const kComputed = R"(
      %m = arith.muli %k, %k : i64
      %q = arith.index_cast %m : i64 to index
      %v = loop.load %a[%i, %q] : tensor<64x32xf32>)";
const char *const kNumber = R"(
      %f = arith.sitofp %k : i64 to f32
      %y = loop.load %a[%i, %j] : tensor<64x32xf32>
      %v = arith.addf %y, %f : f32)";

Result<package::Package> compile(const std::vector<std::string> &kernels,
                                 FakeTuner &tuner, CompileOptions options) {
  std::string text =
      "func.func @main(%x: tensor<64x32xf32>, %n: tensor<64xi64>) -> (";
  std::string types, names, bodies;
  for (const std::string &one : kernels) {
    types += std::string(types.empty() ? "" : ", ") + "tensor<64x32xf32>";
    names += std::string(names.empty() ? "" : ", ") +
             one.substr(2, one.find(' ', 2) - 2);
    bodies += one;
  }
  text += types + ") {\n" + bodies + "  return " + names + " : " + types + "\n}\n";
  auto source =
      archive::Source::read(SharedBytes::own(std::move(text)), "module");
  if (!source)
    return source.takeError();
  options.maxAutotune = true;
  CompileHooks hooks;
  hooks.tuner = &tuner;
  CompilerSession session;
  auto variants = session.compileVariants(**source, options, {}, hooks);
  if (!variants)
    return variants.takeError();
  return std::move(variants->front());
}

TEST(Autotuner, IntegersAreInBoundsOfWhatTheyChooseFrom) {
  FakeTuner tuner;
  auto made = compile({kernel("gather", kGather), kernel("other", kComputed),
                       kernel("number", kNumber)},
                      tuner, {});
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_EQ(tuner.bounds.size(), 3u);
  EXPECT_EQ(tuner.bounds["gather"], 64);
  EXPECT_EQ(tuner.bounds["other"], 1);
  EXPECT_GT(tuner.bounds["number"], 127);
}

// Once half of the time is gone kernels keep what they have.
TEST(Autotuner, LeavesTimeForTheRest) {
  FakeTuner tuner;
  tuner.pause = std::chrono::seconds(4);
  CompileOptions options;
  options.maxSeconds = 8;
  auto made = compile({kernel("one", kGather), kernel("two", kNumber),
                       kernel("three", kComputed)},
                      tuner, options);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(tuner.calls, 1u);
  EXPECT_EQ(tuner.kept.size(), 1u);
  EXPECT_GT(tuner.seconds, 0);
  EXPECT_LE(tuner.seconds, options.maxSeconds / 2);
}

TEST(Autotuner, DescentThatDidNotEndIsNotSaidToHave) {
  CompileOptions options;
  options.coordinateDescentTuning = true;
  FakeTuner tuner;
  std::vector<std::string> both = {kernel("big", kNumber),
                                   kernel("little", kGather)};
  ASSERT_TRUE(compile(both, tuner, options));
  ASSERT_EQ(tuner.kept.size(), 2u);
  unsigned ended = 0;
  for (const auto &[key, text] : tuner.kept)
    ended += text.find("\"found_by_coordesc\":true") != std::string::npos;
  EXPECT_EQ(ended, 1u); // the small one was left alone
  // There it is as small as before, alone it is not.
  tuner.calls = 0;
  ASSERT_TRUE(compile(both, tuner, options));
  EXPECT_EQ(tuner.calls, 0u);
  // What was decided of a program is not looked for again, with or without it.
  tuner.programs.clear();
  ASSERT_TRUE(compile(both, tuner, options));
  EXPECT_EQ(tuner.calls, 0u);
  ASSERT_TRUE(compile({both[1]}, tuner, options));
  EXPECT_GT(tuner.calls, 0u);
}

// What was decided without a candidate that could not be run is not kept, what was
// decided without one that is bad is.
TEST(Autotuner, FailuresOfTheMomentAreNotKept) {
  FakeTuner tuner;
  tuner.failure = "cannot be run: cannot make a process for the trials";
  tuner.isPassing = true;
  ASSERT_TRUE(compile({kernel("big", kNumber)}, tuner, {}));
  EXPECT_GT(tuner.calls, 0u);
  EXPECT_TRUE(tuner.kept.empty());
  tuner.isPassing = false;
  ASSERT_TRUE(compile({kernel("big", kNumber)}, tuner, {}));
  EXPECT_EQ(tuner.kept.size(), 1u);
}

// Nobody measures the same machine twice with the same figures.
TEST(Autotuner, CandidatesDoNotDependOnNoise) {
  auto subjects = [](double factor) {
    FakeTuner tuner;
    tuner.machine = {factor * 17e9, factor * 68e9};
    EXPECT_TRUE(compile({kernel("one", kGather), kernel("two", kNumber)}, tuner,
                        {}));
    std::set<std::string> keys;
    for (const auto &[key, text] : tuner.kept)
      keys.insert(key);
    return keys;
  };
  EXPECT_EQ(subjects(1).size(), 2u);
  EXPECT_EQ(subjects(0.9), subjects(1.1));
}

// Who goes on by descent and who does not keep what they find beside each other.
TEST(Autotuner, DescentHasResultsOfItsOwn) {
  CompileOptions options;
  FakeTuner tuner;
  ASSERT_TRUE(compile({kernel("big", kNumber)}, tuner, options));
  EXPECT_EQ(tuner.kept.size(), 1u);
  options.coordinateDescentTuning = true;
  ASSERT_TRUE(compile({kernel("big", kNumber)}, tuner, options));
  EXPECT_EQ(tuner.kept.size(), 2u);
  tuner.calls = 0;
  ASSERT_TRUE(compile({kernel("big", kNumber)}, tuner, options));
  options.coordinateDescentTuning = false;
  ASSERT_TRUE(compile({kernel("big", kNumber)}, tuner, options));
  EXPECT_EQ(tuner.calls, 0u);
}

bool hasReason(const package::Package &package, package::ReasonId id) {
  return std::any_of(package.reasons.begin(), package.reasons.end(),
                     [&](const package::Reason &reason) {
                       return package::identify(reason) == id;
                     });
}

// What wins alone is compared with the default in the program, and the decision is
// kept.
TEST(Autotuner, AProgramThatIsSlowerKeepsItsDefault) {
  const std::vector<std::string> both = {kernel("big", kNumber),
                                         kernel("little", kGather)};
  FakeTuner tuner;
  auto plain = compile(both, tuner, {});
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_EQ(tuner.comparisons, 0u); // nothing was chosen
  for (double programRatio : {0.8, 1.0}) {
    FakeTuner other;
    other.ratio = 0.5;
    other.programRatio = programRatio;
    auto made = compile(both, other, {});
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_GT(other.comparisons, 0u);
    EXPECT_EQ(other.programBound, 64);
    EXPECT_EQ(made->image.bytes == plain->image.bytes, programRatio == 1.0);
    EXPECT_EQ(hasReason(*made, package::ReasonId::TakenBack),
              programRatio == 1.0);
    EXPECT_EQ(hasReason(*made, package::ReasonId::ProgramTuned),
              programRatio < 1.0);
    other.calls = 0;
    auto again = compile(both, other, {});
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(other.calls, 0u);
    EXPECT_EQ(made->image.bytes, again->image.bytes);
  }
}

TEST(Autotuner, AProgramThatCannotBeComparedKeepsItsChoices) {
  FakeTuner tuner;
  tuner.ratio = 0.5;
  tuner.programFailure = "cannot be run alone: it takes a number";
  auto made = compile({kernel("big", kNumber)}, tuner, {});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_TRUE(hasReason(*made, package::ReasonId::ProgramNotTuned));
  EXPECT_FALSE(hasReason(*made, package::ReasonId::TakenBack));
  tuner.calls = 0;
  auto again = compile({kernel("big", kNumber)}, tuner, {});
  ASSERT_TRUE(again);
  EXPECT_EQ(tuner.calls, 0u);
  EXPECT_EQ(made->image.bytes, again->image.bytes);
}

// What runs in each call is measured: the program packs a weight once.
TEST(Autotuner, WeightsArePackedAhead) {
  for (const char *kind : {"parameter", "user_input"}) {
    std::string text = R"(
func.func @main(
    %x: tensor<64x128xf32> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]">},
    %w: tensor<256x128xf32> {aten.input = #aten.input<kind = KIND, name = "w", path = "[0][1]">})
    -> (tensor<64x256xf32> {aten.output = #aten.output<kind = user_output, name = "y", path = "">}) {
  %0 = aten.linear(%x, %w) : (tensor<64x128xf32>, tensor<256x128xf32>) -> tensor<64x256xf32>
  return %0 : tensor<64x256xf32>
})";
    text.replace(text.find("KIND"), 4, kind);
    auto source =
        archive::Source::read(SharedBytes::own(std::move(text)), "module");
    ASSERT_TRUE(source) << source.error().message;
    CompileOptions options;
    options.maxAutotune = true;
    FakeTuner tuner;
    CompileHooks hooks;
    hooks.tuner = &tuner;
    CompilerSession session;
    auto made = session.compileVariants(**source, options, {}, hooks);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_GT(tuner.calls, 0u);
    EXPECT_EQ(tuner.isPrepared, std::string(kind) == "parameter");
  }
}

// A machine is not measured for a program that has no kernel.
TEST(Autotuner, LeavesTheMachineAloneWithoutKernels) {
  FakeTuner tuner;
  auto source = archive::Source::read(
      SharedBytes::own(std::string("func.func @main(%x: tensor<4xf32>) -> "
                                   "tensor<4xf32> {\n  return %x : "
                                   "tensor<4xf32>\n}\n")),
      "module");
  ASSERT_TRUE(source);
  CompileOptions options;
  options.maxAutotune = true;
  CompileHooks hooks;
  hooks.tuner = &tuner;
  CompilerSession session;
  ASSERT_TRUE(session.compileVariants(**source, options, {}, hooks));
  EXPECT_EQ(tuner.speeds, 0u);
}

/// `%v` of i64 numbers, as a package.
std::vector<uint8_t> withIntegers(const std::string &operation) {
  std::string text = R"(
func.func @main(%x: tensor<64x8xi64>) -> tensor<64x8xi64> {
  %r = loop.kernel @k ins(%a = %x : tensor<64x8xi64>) shared [64, 8]
      -> tensor<64x8xi64> {
    %p = loop.pointwise (%i, %j) in [64, 8] : tensor<64x8xi64> {
      %y = loop.load %a[%i, %j] : tensor<64x8xi64>
      %v = )" + operation + R"( %y, %y : i64
      loop.yield %v : i64
    }
    loop.return %p : tensor<64x8xi64>
  }
  return %r : tensor<64x8xi64>
})";
  auto source =
      archive::Source::read(SharedBytes::own(std::move(text)), "module");
  EXPECT_TRUE(source) << source.error().message;
  CompilerSession session;
  auto made = session.compileVariants(**source, {}, {});
  EXPECT_TRUE(made) << made.error().message;
  return package::encodePackage(made->front());
}

// Of zeros sums and products are the same.
TEST(Autotuner, WrongIntegersAreFoundOut) {
  session::TrialOptions options;
  options.seconds = 0.01;
  options.hangSeconds = 30;
  options.integersBelow = 50;
  std::vector<uint8_t> right = withIntegers("arith.addi");
  auto called = session::runTrials(
      {right, withIntegers("arith.muli"), right}, {}, options);
  ASSERT_TRUE(called) << called.error().message;
  const std::vector<package::Trial> &trials = *called;
  ASSERT_EQ(trials.size(), 3u);
  EXPECT_EQ(trials[0].failure, "");
  EXPECT_EQ(trials[1].failure.substr(0, 19), "gives other numbers");
  EXPECT_EQ(trials[2].failure, "");
}

} // namespace
