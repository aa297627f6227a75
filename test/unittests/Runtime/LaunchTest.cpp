//===- LaunchTest.cpp - Kernels that are launched at once -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Package/SampleProgram.h"
#include "TestKernels.h"
#include "kiln/Runtime/Element.h"
#include "kiln/Runtime/Executable.h"

#include <gtest/gtest.h>
#include <numeric>

using namespace kiln;
using namespace kiln::runtime;
using namespace kiln::test;

namespace {

/// As the assertion of the operator library.
Result<std::vector<OpValue>> assertTrue(const OpArguments &arguments) {
  auto item = itemOf(std::get<Tensor>(arguments[0].value));
  if (!item)
    return item.takeError();
  if (std::get<double>(item->value) != 0)
    return std::vector<OpValue>{};
  return Error::usage(std::get<std::string>(arguments[1].value));
}

class Launches : public testing::TestWithParam<unsigned> {
protected:
  Launches() : pool(GetParam(), 100) {
    registerTestOperators(registry);
    (void)registry.add("aten._assert_async.msg", assertTrue);
    options.pool = &pool;
    options.stats = &stats;
  }

  void load(ProgramBuilder &b) {
    Package package;
    package.programs.push_back(b.program);
    package.image = testImage();
    auto loaded = Executable::load(std::move(package), registry);
    ASSERT_TRUE(loaded) << loaded.error().message;
    executable = *loaded;
  }

  OperatorRegistry registry;
  std::shared_ptr<Executable> executable;
  ThreadPool pool;
  RunStats stats;
  RunOptions options;
};

std::vector<float> countUp(size_t n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

} // namespace

// Sums of neighbours in time, each in the place of the one before the last, so
// that a kernel that begins too early reads or overwrites what it must not.
TEST_P(Launches, RunOneAfterTheOther) {
  constexpr int64_t kItems = 5000;
  ProgramBuilder b;
  ExprId n = b.integer(kItems), one = b.integer(1);
  ExprId places[] = {b.integer(0), b.integer(20032)};
  b.program.arenaBytes = b.integer(2 * 20032);
  ValueId x = b.slotValue(b.slot("x", {n}));
  ValueId last = x;
  for (int i = 0; i < 40; ++i) {
    ValueId next = b.arena(places[i % 2], {n});
    if (i % 3 == 2)
      b.launch(kThroughScratch, {last, next}, {}, n).scratchBytes =
          b.integer(4);
    else
      b.launch(kAddSymbol, {last, next}, {one}, n).grain =
          i % 4 == 3 ? kItems : 1;
    last = next;
  }
  ValueId y = b.value(Value::Kind::New, {n});
  b.launch(kAddBuffers, {last, x, y}, {}, n);
  b.output(y);
  load(b);
  std::vector<float> expected = countUp(kItems);
  for (float &value : expected) {
    float start = value;
    value = 0;
    for (int i = 0; i < 40; ++i) {
      float before = i == 0 ? start : value;
      value = i % 3 == 2 ? 2 * before : before + 1;
    }
    value += start;
  }
  for (int round = 0; round < 50; ++round) {
    auto result =
        executable->forward().run({floats({kItems}, countUp(kItems))}, options);
    ASSERT_TRUE(result) << result.error().message;
    ASSERT_EQ(valuesOf(std::get<Tensor>((*result)[0].value)), expected);
  }
  EXPECT_EQ(stats.kernelLaunches, 50u);
  EXPECT_EQ(stats.kernels, 50u * 41);
}

// x += 1 once `flag` was found to be other than 0.
TEST_P(Launches, EndAtAnAssertionThatDoesNotHold) {
  constexpr int64_t kItems = 1000;
  ProgramBuilder b;
  ExprId n = b.integer(kItems), one = b.integer(1), zero = b.integer(0);
  b.program.arenaBytes = b.integer(64);
  uint32_t slot = b.slot("x", {n});
  ValueId x = b.slotValue(slot);
  ValueId flag = b.slotValue(b.slot("flag", {one}));
  ValueId found = b.arena(zero, {one});
  b.launch(kAddSymbol, {flag, found}, {zero}, one).writes = {1};
  ExternStep &check = b.call("aten._assert_async.msg",
                             {tensorArg(found), {std::string("no flag")}}, {});
  check.location = "model.py:3";
  b.launch(kAddSymbol, {x, x}, {one}, n).writes = {1};
  b.output(x, "x", Output::Role::InputMutation).aliasOfSlot = slot;
  load(b);
  Tensor input = floats({kItems}, countUp(kItems));
  auto call = [&](float value) {
    auto result =
        executable->forward().run({input, floats({1}, {value})}, options);
    return result ? "" : result.error().message;
  };
  EXPECT_EQ(call(1), "");
  EXPECT_EQ(valuesOf(input)[7], 8);
  EXPECT_EQ(call(0), "aten._assert_async.msg: no flag (at model.py:3)");
  EXPECT_EQ(valuesOf(input)[7], 8);
  EXPECT_EQ(call(2), "");
  EXPECT_EQ(valuesOf(input)[7], 9);
  EXPECT_EQ(stats.kernelLaunches, 2u) << "of the calls that ended";
  EXPECT_EQ(stats.kernels, 4u);
}

TEST_P(Launches, AreMadeReadyBeforeTheFirstKernel) {
  ProgramBuilder b;
  ExprId n = b.integer(100), one = b.integer(1), bad = b.integer(-1);
  uint32_t slot = b.slot("x", {n});
  ValueId x = b.slotValue(slot);
  b.launch(kAddSymbol, {x, x}, {one}, n).writes = {1};
  b.launch(kAddSymbol, {x, x}, {one}, bad).writes = {1};
  b.output(x, "x", Output::Role::InputMutation).aliasOfSlot = slot;
  load(b);
  Tensor input = floats({100}, countUp(100));
  auto result = executable->forward().run({input}, options);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message,
            "program 'main', step 1: expected at least 0 work items, found -1");
  EXPECT_EQ(valuesOf(input)[7], 7);
}

// More threads than this machine has, and than there are items.
INSTANTIATE_TEST_SUITE_P(Threads, Launches, testing::Values(1, 2, 3, 16));
