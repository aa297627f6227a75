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

/// What is kept from call to call is where inputs are: here each of them changes, behind
/// calls in which it did not. x = 2 x + 3 y in place, r = 6 y + x.
class KeptPlaces : public Graphs {
protected:
  KeptPlaces() {
    ProgramBuilder b;
    ExprId n = b.integer(kSize);
    ValueId x = b.slotValue(b.slot("x", {n}));
    ValueId y = b.slotValue(b.slot("y", {n}));
    b.program.arenaBytes = b.integer(512);
    ValueId t = b.arena(b.integer(0), {n});
    ValueId r = b.value(Value::Kind::New, {n});
    b.program.steps.emplace_back(saxpy(b, y, y, t));
    b.program.steps.emplace_back(saxpy(b, x, t, x));
    b.program.steps.emplace_back(saxpy(b, t, x, r));
    b.output(x, "x", Output::Role::InputMutation).aliasOfSlot = 0;
    b.output(r);
    load(b);
    options.reuseOutputs = true;
  }
  static Tensor hostOf(float value) {
    Tensor tensor = *Tensor::empty(DType::F32, {kSize});
    std::fill_n(tensor.dataAs<float>(), kSize, value);
    return tensor;
  }
  Tensor on(float value) { return *hostOf(value).toDevice(*device); }
  static float valueOf(const OpValue &value) {
    std::vector<float> all = contentsOf(std::get<Tensor>(value.value));
    EXPECT_EQ(all, std::vector<float>(all.size(), all[0]));
    return all[0];
  }
  /// Calls, and compares with what `x` and `y` held.
  void call(const OpValue &x, const OpValue &y) {
    float before = valueOf(x), other = valueOf(y);
    auto results = executable->forward().run({x, y}, options);
    ASSERT_TRUE(results) << results.error().message;
    float after = 2 * before + 3 * other;
    EXPECT_EQ(valueOf((*results)[0]), after);
    EXPECT_EQ(valueOf((*results)[1]), 6 * other + after);
    EXPECT_EQ(valueOf(x), options.writeBack ? after : before);
  }
  /// So often that the next call would be replayed, with nothing else to do.
  void warmUp(const OpValue &x, const OpValue &y) {
    for (int i = 0; i < 4; ++i)
      call(x, y);
  }

  static constexpr int64_t kSize = 128;
};

TEST_F(KeptPlaces, InputsThatMove) {
  Tensor x = on(1), y = on(0.5f);
  warmUp(x, y);
  uint64_t updates = device->stats().graphUpdates, replays = stats.graphReplays;
  call(x, y);
  EXPECT_EQ(device->stats().graphUpdates, updates);
  call(x, on(2)); // read by one launch
  EXPECT_EQ(device->stats().graphUpdates, updates + 1);
  Tensor other = on(3);
  call(other, y); // read by two, beside the one of y
  EXPECT_EQ(device->stats().graphUpdates, updates + 4);
  call(x, y);
  call(other, on(4));
  EXPECT_EQ(stats.graphReplays, replays + 5);
  EXPECT_EQ(stats.copies, 0u);
}

TEST_F(KeptPlaces, InputsThatComeToLieWhereOthersWere) {
  Tensor x = on(1);
  warmUp(x, on(0.5f));
  void *place = nullptr;
  for (int i = 0; i < 4; ++i) {
    Tensor y = on(float(i));
    if (i != 0)
      EXPECT_EQ(y.data(), place) << "the device gives other memory";
    place = y.data();
    call(x, y);
  }
}

TEST_F(KeptPlaces, InputsOfOtherStrides) {
  Tensor x = on(1), y = on(0.5f);
  warmUp(x, y);
  // The same storage, every second element of it, and of other storages.
  Tensor wide = *Tensor::empty(DType::F32, {2 * kSize});
  std::fill_n(wide.dataAs<float>(), 2 * kSize, 3.0f);
  wide = *wide.toDevice(*device);
  Tensor half = wide.asStrided({kSize}, {1}, 0),
         every = wide.asStrided({kSize}, {2}, 0);
  call(x, half);
  for (int i = 0; i < 3; ++i) {
    call(x, every); // by way of a copy, in each call
    EXPECT_EQ(stats.layoutCopies, uint64_t(i + 1));
    ASSERT_TRUE(copyElements(on(float(i)), every));
  }
  call(x, y);
  EXPECT_EQ(stats.layoutCopies, 3u);
  // What is written in place is written back by way of a copy.
  call(every, y);
  call(every, y);
  call(x, y);
}

TEST_F(KeptPlaces, InputsOfTheHostMayChange) {
  Tensor x = on(1), y = hostOf(0.5f);
  warmUp(x, y);
  for (int i = 0; i < 3; ++i) {
    std::fill_n(y.dataAs<float>(), kSize, float(i));
    call(x, y);
  }
  Tensor there = *y.toDevice(*device);
  call(x, there);
  call(x, y);
}

TEST_F(KeptPlaces, InputsThatShareMemory) {
  Tensor x = on(1), y = on(0.5f);
  warmUp(x, y);
  for (int i = 0; i < 2; ++i) {
    uint64_t copies = stats.copies;
    call(x, x);
    EXPECT_GT(stats.copies, copies);
    copies = stats.copies;
    call(x, y);
    call(x, y);
    EXPECT_EQ(stats.copies, copies);
  }
}

TEST_F(KeptPlaces, InputsThatKeepTheirContents) {
  Tensor x = on(1), y = on(0.5f);
  warmUp(x, y);
  for (bool writeBack : {false, true, true, false, false, true}) {
    options.writeBack = writeBack;
    call(x, y);
  }
}

TEST_F(KeptPlaces, InputsThatAreToBeReadAlone) {
  Tensor x = on(1), y = on(0.5f);
  warmUp(x, y);
  auto fixed = Storage::onDevice(x.data(), x.storage()->bytes(), *device,
                                 x.storage(), /*readOnly=*/true);
  Tensor readOnly = *Tensor::view(fixed, DType::F32, {kSize}, {1}, 0);
  for (int i = 0; i < 2; ++i) {
    auto refused = executable->forward().run({readOnly, y}, options);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message,
              "the program writes to 'x', whose storage is read-only; pass a "
              "copy");
  }
  call(x, y);
}

TEST_F(KeptPlaces, InputsThatAreRefused) {
  Tensor x = on(1), y = on(0.5f);
  warmUp(x, y);
  for (int i = 0; i < 2; ++i) {
    auto refused = executable->forward().run(
        {x, *Tensor::emptyOn(device.get(), DType::F32, {kSize / 2})}, options);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "tensor 'y' size mismatch at index 0. "
                                       "expected 128, actual 64");
  }
  call(x, y);
}

TEST_F(KeptPlaces, ResultsThatAreStillHeld) {
  Tensor x = on(0), y = on(1);
  warmUp(x, y);
  std::vector<OpValue> held;
  std::vector<float> expected;
  for (int i = 0; i < 4; ++i) {
    Tensor input = on(float(i));
    auto results = executable->forward().run({on(0), input}, options);
    ASSERT_TRUE(results) << results.error().message;
    held.push_back((*results)[1]);
    expected.push_back(9.0f * float(i));
  }
  for (size_t i = 0; i < held.size(); ++i)
    EXPECT_EQ(valueOf(held[i]), expected[i]);
}

TEST_F(Graphs, OtherSizesInThePlaceOfAnInput) {
  ProgramBuilder b;
  make(b, b.symbol(b.sizeSymbol("s0", 0, 0)));
  load(b);
  options.reuseOutputs = true;
  auto memory = *device->allocate(256, "inputs");
  for (int round = 0; round < 4; ++round)
    for (int64_t size : {64, 32}) {
      auto storage = Storage::onDevice(
          memory->data(), size_t(size) * sizeof(float), *device, memory);
      Tensor input = *Tensor::view(storage, DType::F32, {size}, {1}, 0);
      ASSERT_TRUE(copyElements(count({size}), input));
      EXPECT_EQ(call(input), 7.0f * float(size - 1));
    }
  EXPECT_EQ(stats.graphReplays, 4u);
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
