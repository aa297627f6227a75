//===- GraphTest.cpp - Launches that are replayed --------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTest.h"
#include "kiln/Package/GraphPlan.h"

using namespace kiln;
using namespace kiln::runtime;
using namespace kiln::test;

namespace {

class Graphs : public CudaDevice {
protected:
  Graphs() {
    options.graphs = true;
    options.stats = &stats;
  }
  /// r = 2 t + x with t = 2 x + x in the arena: 7 x.
  void make(ProgramBuilder &b, ExprId n) {
    ValueId x = b.slotValue(b.slot("x", {n}));
    b.program.arenaBytes = b.integer(512);
    ValueId t = b.arena(b.integer(0), {n});
    ValueId r = b.value(Value::Kind::New, {n});
    b.program.steps.emplace_back(saxpy(b, x, x, t));
    b.program.steps.emplace_back(saxpy(b, t, x, r));
    b.output(r);
  }
  void load(const ProgramBuilder &b) {
    auto loaded = Executable::load(packageOf(b), registry, device);
    ASSERT_TRUE(loaded) << loaded.error().message;
    executable = *loaded;
  }
  /// Calls with `input`, whose last element it returns times what the program does.
  float call(const Tensor &input) {
    auto results = executable->forward().run({input}, options);
    EXPECT_TRUE(results) << results.error().message;
    return results ? contentsOf(std::get<Tensor>((*results)[0].value)).back()
                   : 0;
  }

  std::shared_ptr<Executable> executable;
  RunStats stats;
  RunOptions options;
};

TEST_F(Graphs, ReplayWithTheAddressesOfTheCall) {
  ProgramBuilder b;
  make(b, b.integer(128));
  load(b);
  DeviceStats before = device->stats();
  std::vector<Tensor> kept;
  for (int i = 0; i < 6; ++i) {
    // Memory of its own each time, on the host at the end.
    Tensor input = count({128});
    input.dataAs<float>()[127] = float(i);
    kept.push_back(i < 4 ? *input.toDevice(*device) : input);
    EXPECT_EQ(call(kept.back()), 7.0f * i) << i;
  }
  DeviceStats after = device->stats();
  EXPECT_EQ(after.graphs - before.graphs, 1u);
  EXPECT_EQ(after.graphLaunches - before.graphLaunches, 4u);
  EXPECT_EQ(after.launches - before.launches, 4u); // of the first two calls
  EXPECT_EQ(stats.kernelLaunches, 12u);
  EXPECT_EQ(stats.graphReplays, 4u);
  ASSERT_EQ(stats.graphSkips.size(), 2u);
  EXPECT_EQ(stats.graphSkips[0].reason, "first call with these sizes");
}

TEST_F(Graphs, MapsOfResultsFollowThem) {
  // r = 2 t + x with t = 2 x + x, both stored by way of tensor maps.
  static constexpr char kByMap[] =
      ".version 8.0\n.target sm_90a\n.visible .entry "
      "fake_saxpy_by_map(.param .u64 x, .param .u64 y, .param .u64 r, "
      ".param .u64 w, .param .align 64 .b8 m[128])\n{ ret; }\n";
  ProgramBuilder b;
  ExprId n = b.integer(128);
  ValueId x = b.slotValue(b.slot("x", {n})), from = x;
  for (int i = 0; i < 2; ++i) {
    ValueId r = b.value(Value::Kind::New, {n});
    GridStep grid = saxpy(b, from, x, r);
    GridStep::TensorMap map;
    map.buffer = 2;
    map.offset = b.integer(0);
    map.sizes = {b.integer(16), b.integer(8)};
    map.strides = {b.integer(64)};
    map.box = {16, 8};
    grid.parts[0].maps = {map};
    b.program.steps.emplace_back(grid);
    from = r;
  }
  b.output(from);
  Package package = packageOf(b);
  package.image.kernels = {{"fake_saxpy_by_map", 0}};
  package.image.bytes.assign(std::begin(kByMap), std::end(kByMap));
  auto loaded = Executable::load(std::move(package), registry, device);
  ASSERT_TRUE(loaded) << loaded.error().message;
  std::vector<Tensor> results; // which have memory of their own
  for (int i = 0; i < 6; ++i) {
    Tensor input = count({128});
    input.dataAs<float>()[127] = float(i);
    auto called = (*loaded)->forward().run({*input.toDevice(*device)}, options);
    ASSERT_TRUE(called) << called.error().message;
    results.push_back(std::get<Tensor>((*called)[0].value));
  }
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(contentsOf(results[i]).back(), 7.0f * i) << i;
  EXPECT_EQ(stats.graphReplays, 4u);
}

TEST_F(Graphs, ASteadyCallAsksForNothingElse) {
  ProgramBuilder b;
  make(b, b.integer(128));
  load(b);
  options.reuseOutputs = true;
  Tensor input = *count({128}).toDevice(*device);
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(executable->forward().run({input}, options));
  DeviceStats before = device->stats();
  for (int i = 0; i < 10; ++i)
    ASSERT_TRUE(executable->forward().run({input}, options));
  DeviceStats after = device->stats();
  EXPECT_EQ(after.graphLaunches - before.graphLaunches, 10u);
  EXPECT_EQ(after.launches, before.launches);
  EXPECT_EQ(after.graphUpdates, before.graphUpdates);
  EXPECT_EQ(after.allocations, before.allocations);
  EXPECT_EQ(after.synchronizations, before.synchronizations);
  EXPECT_EQ(after.uploads, before.uploads);
}

TEST_F(Graphs, EachSizeHasItsOwn) {
  ProgramBuilder b;
  make(b, b.symbol(b.sizeSymbol("s0", 0, 0)));
  load(b);
  for (int i = 0; i < 3; ++i)
    for (int64_t size : {32, 64})
      EXPECT_EQ(call(count({size})), 7.0f * (size - 1));
  EXPECT_EQ(stats.graphReplays, 2u);
  // Sizes that never come back are walked, and that ends.
  uint64_t graphs = device->stats().graphs;
  for (int64_t size = 1; size <= 100; ++size)
    call(count({size}));
  EXPECT_EQ(device->stats().graphs, graphs);
  EXPECT_EQ(stats.graphSkips.back().reason, "sizes are others in every call");
}

TEST_F(Graphs, AViewThatIsNotAlignedIsWalked) {
  ProgramBuilder b;
  make(b, b.integer(124));
  load(b);
  Tensor all = *count({128}).toDevice(*device);
  Tensor whole = all.asStrided({124}, {1}, 4), odd = all.asStrided({124}, {1}, 1);
  for (const Tensor &input : {whole, whole, whole, odd, whole})
    EXPECT_EQ(call(input), 7.0f * float(123 + input.storageOffset()));
  EXPECT_EQ(stats.graphReplays, 2u);
  EXPECT_EQ(stats.graphSkips.back().reason,
            "an input begins 4 bytes behind a multiple of 16");
}

TEST_F(Graphs, AStepOfTheHostEndsThem) {
  ProgramBuilder b;
  ExprId n = b.integer(128);
  ValueId x = b.slotValue(b.slot("x", {n}));
  auto three = [&](ValueId from) {
    for (int i = 0; i < 3; ++i) {
      ValueId to = b.value(Value::Kind::New, {n});
      b.program.steps.emplace_back(saxpy(b, from, from, to));
      from = to;
    }
    return from;
  };
  ValueId middle = three(x), back = b.value(Value::Kind::Dynamic, {n});
  ExternStep step;
  step.overload = "test.same";
  step.location = "model.py:3";
  step.arguments = {{Argument::TensorRef{middle}}};
  step.results = {back};
  b.program.steps.emplace_back(step);
  b.output(three(back));
  ASSERT_TRUE(registry.add("test.same", [](const OpArguments &arguments) {
    return Result<std::vector<OpValue>>(std::vector<OpValue>{arguments[0]});
  }));
  std::string text = package::graphText(packageOf(b));
  EXPECT_NE(text.find("2 graphs of 6 kernels\n  ends where test.same runs on "
                      "the host (at model.py:3)"),
            std::string::npos)
      << text;
  load(b);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(call(count({128})), 127.0f * 729);
  EXPECT_EQ(stats.graphReplays, 4u);
}

TEST_F(Graphs, LaunchesThatAreWaitedForAreNotReplayed) {
  cuda::DeviceOptions blocking;
  blocking.blockingLaunches = true;
  device = *cuda::openDevice(blocking);
  ProgramBuilder b;
  make(b, b.integer(128));
  load(b);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(call(count({128})), 7.0f * 127);
  EXPECT_EQ(stats.graphSkips.back().reason,
            "each kernel is waited for (KILN_LAUNCH_BLOCKING=1)");
}

} // namespace
