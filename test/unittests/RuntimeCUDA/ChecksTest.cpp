//===- ChecksTest.cpp - Assertions that a GPU looks at by itself ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTest.h"
#include "kiln/Package/GraphPlan.h"

#include <dlfcn.h>
#include <set>

using namespace kiln;
using namespace kiln::test;

namespace {

class Checks : public kiln::test::CudaDevice {
protected:
  Checks() {
    options.graphs = true;
    options.stats = &stats;
  }
  /// r = 2 t + x with t = 2 x + x: 7 x, if `flag` holds between the two.
  void load(DType dtype, const char *overload = "aten._assert_async.msg") {
    ProgramBuilder b;
    ExprId n = b.integer(128);
    ValueId x = b.slotValue(b.slot("x", {n}));
    ValueId flag = b.slotValue(b.slot("flag", {b.integer(1)}, dtype));
    b.program.arenaBytes = b.integer(512);
    ValueId t = b.arena(b.integer(0), {n});
    ValueId r = b.value(Value::Kind::New, {n});
    b.program.steps.emplace_back(saxpy(b, x, x, t));
    b.call(overload, {tensorArg(flag), {std::string("no index")}}, {})
        .location = "model.py:3";
    b.program.steps.emplace_back(saxpy(b, t, x, r));
    b.output(r);
    auto loaded = Executable::load(packageOf(b), registry, device);
    ASSERT_TRUE(loaded) << loaded.error().message;
    executable = *loaded;
  }
  /// What is wrong after a call with the flag whose bytes these are; "": nothing.
  template <typename T> std::string call(DType dtype, T bytes) {
    Tensor flag = *Tensor::empty(dtype, {1});
    std::memcpy(flag.data(), &bytes, sizeof(bytes));
    Tensor input = *count({128}).toDevice(*device);
    auto results = executable->forward().run({input, *flag.toDevice(*device)},
                                             options);
    if (!results) // the next launch was told of it
      return results.error().message;
    auto host = std::get<Tensor>((*results)[0].value).toHost();
    if (!host)
      return host.error().message;
    EXPECT_EQ(host->dataAs<float>()[127], 7.0f * 127);
    return "";
  }
  /// The same of a kernel that looks at what it reads, with two messages.
  void loadChecked() {
    static const char text[] =
        ".version 8.0\n.target sm_90a\n.visible .entry fake_checked(.param .u64 "
        "x, .param .u64 y, .param .u64 r, .param .u64 w, .param .u64 c, .param "
        ".u64 d)\n{ ret; }\n";
    ProgramBuilder b;
    ExprId n = b.integer(128);
    ValueId x = b.slotValue(b.slot("x", {n}));
    b.program.arenaBytes = b.integer(512);
    ValueId t = b.arena(b.integer(0), {n});
    ValueId r = b.value(Value::Kind::New, {n});
    for (auto [from, to] : {std::pair(x, t), std::pair(t, r)}) {
      GridStep grid = saxpy(b, from, x, to);
      grid.checks = messages;
      b.program.steps.emplace_back(grid);
    }
    b.output(r);
    Package package = packageOf(b);
    package.image.kernels = {{"fake_checked", 0}};
    package.image.bytes.assign(std::begin(text), std::end(text));
    auto loaded = Executable::load(std::move(package), registry, device);
    ASSERT_TRUE(loaded) << loaded.error().message;
    executable = *loaded;
  }
  void runChecked(int calls) {
    Tensor input = *count({128}).toDevice(*device);
    for (int i = 0; i < calls; ++i) {
      auto results = executable->forward().run({input}, options);
      ASSERT_TRUE(results) << results.error().message;
      EXPECT_EQ(contentsOf(std::get<Tensor>((*results)[0].value))[127],
                7.0f * 127);
    }
  }
  /// Without what is open, the driver is as at the start of a process.
  void restart() {
    executable.reset();
    device.reset();
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    auto reset = reinterpret_cast<void (*)()>(
        dlsym(driver, "kiln_fake_cuda_reset"));
    ASSERT_TRUE(reset);
    reset();
    device = *cuda::openDevice({});
  }
  /// Whether a flag of these bytes does.
  template <typename T> bool holds(DType dtype, T bytes) {
    load(dtype);
    bool isTrue = call(dtype, bytes).empty();
    restart();
    return isTrue;
  }

  std::shared_ptr<Executable> executable;
  const std::vector<std::string> messages = {"x is large (at model.py:3)",
                                             "y is large (at model.py:4)"};
  RunStats stats;
  RunOptions options;
};

TEST_F(Checks, ArePartOfTheGraph) {
  load(DType::Bool);
  DeviceStats before = device->stats();
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(call(DType::Bool, true), "");
  DeviceStats after = device->stats();
  EXPECT_EQ(after.graphLaunches - before.graphLaunches, 4u);
  EXPECT_EQ(stats.kernelLaunches, 18u);
  EXPECT_EQ(stats.hostArguments, 0u);
  // Of the results, which the test reads.
  EXPECT_EQ(after.synchronizations - before.synchronizations, 6u);
}

TEST_F(Checks, FailWithTheirMessage) {
  for (int replays : {0, 4}) {
    load(DType::Bool);
    for (int i = 0; i < replays; ++i)
      EXPECT_EQ(call(DType::Bool, true), "");
    std::string failed = call(DType::Bool, false);
    EXPECT_NE(failed.find("aten._assert_async.msg: no index (at model.py:3)"),
              std::string::npos)
        << failed;
    // Everything behind it has the same error.
    Status waited = device->synchronize();
    ASSERT_FALSE(waited);
    EXPECT_EQ(waited.error().kind, ErrorKind::Usage);
    auto memory = device->allocate(1 << 20, "test");
    ASSERT_FALSE(memory);
    EXPECT_EQ(memory.error().message,
              "aten._assert_async.msg: no index (at model.py:3)");
    restart();
  }
}

// An element of a mask is one byte.
TEST_F(Checks, ArePartOfTheGraphWhereverTheirValueBegins) {
  load(DType::Bool);
  Tensor mask = *Tensor::empty(DType::Bool, {16});
  std::memset(mask.data(), 1, 16);
  mask = *mask.toDevice(*device);
  Tensor input = *count({128}).toDevice(*device);
  for (int64_t i = 0; i < 6; ++i) {
    auto results = executable->forward().run(
        {input, mask.asStrided({1}, {1}, 3 + i)}, options);
    ASSERT_TRUE(results) << results.error().message;
  }
  EXPECT_EQ(stats.graphReplays, 4u);
}

TEST_F(Checks, ReadValuesOfEveryWidth) {
  EXPECT_TRUE(holds(DType::U8, uint8_t(128)));
  EXPECT_TRUE(holds(DType::F16, uint16_t(1)));
  EXPECT_FALSE(holds(DType::BF16, uint16_t(0x8000)));
  EXPECT_FALSE(holds(DType::F32, -0.0f));
  EXPECT_TRUE(holds(DType::F32, std::numeric_limits<float>::quiet_NaN()));
  EXPECT_TRUE(holds(DType::I64, int64_t(1) << 40));
  EXPECT_FALSE(holds(DType::I64, int64_t(0)));
  EXPECT_FALSE(holds(DType::F64, -0.0));
  EXPECT_FALSE(holds(DType::C64, std::complex<float>(-0.0f, -0.0f)));
  EXPECT_TRUE(holds(DType::C64, std::complex<float>(0.0f, 2.0f)));
}

TEST_F(Checks, AreTheHostsWhereTheDeviceCannot) {
  ProgramBuilder b;
  ExprId one = b.integer(1), two = b.integer(2);
  auto isCheck = [&](ValueId value, const char *overload) {
    return isDeviceCheck(b.program, b.call(overload, {tensorArg(value)}, {}));
  };
  const char *name = "aten._assert_async.default";
  EXPECT_TRUE(isCheck(b.value(Value::Kind::New, {one}), name));
  EXPECT_TRUE(isCheck(b.value(Value::Kind::New, {}, DType::Bool), name));
  EXPECT_FALSE(isCheck(b.value(Value::Kind::New, {}), "aten.item.default"));
  EXPECT_FALSE(isCheck(b.value(Value::Kind::New, {one, two}), name));
  EXPECT_FALSE(isCheck(b.value(Value::Kind::Dynamic, {}), name));
  EXPECT_FALSE(isCheck(b.value(Value::Kind::New, {}, DType::C128), name));
  ExprId symbol = b.symbol(b.sizeSymbol("s0", 0, 0));
  EXPECT_FALSE(isCheck(b.value(Value::Kind::New, {symbol}), name));
  EXPECT_FALSE(isDeviceCheck(b.program, b.call(name, {}, {})));
}

// A kernel that looks at what it reads has a cell for each message, in graphs as well.
TEST_F(Checks, AreTheKernelsOwn) {
  for (int replays : {0, 4})
    for (size_t wrong : {0, 1}) {
      loadChecked();
      runChecked(replays);
      setenv("KILN_FAKE_CUDA", wrong ? "wrong=1" : "wrong=0", 1);
      (void)executable->forward().run({*count({128}).toDevice(*device)},
                                      options);
      unsetenv("KILN_FAKE_CUDA");
      Status waited = device->synchronize();
      ASSERT_FALSE(waited);
      EXPECT_EQ(waited.error().kind, ErrorKind::Usage);
      EXPECT_EQ(waited.error().message, messages[wrong]);
      restart();
    }
  EXPECT_EQ(stats.graphReplays, 2u * 2); // those that fail are none
  EXPECT_EQ(stats.hostArguments, 0u);
}

// Which is more than the functions of a package declare.
TEST_F(Checks, FitTheFunctionsThatHaveThem) {
  ProgramBuilder b;
  ExprId n = b.integer(128);
  ValueId x = b.slotValue(b.slot("x", {n}));
  ValueId r = b.value(Value::Kind::New, {n});
  b.program.steps.emplace_back(saxpy(b, x, x, r));
  b.output(r);
  Package package = packageOf(b);
  static const char text[] =
      ".version 8.0\n.target sm_90a\n.visible .entry fake_checked(.param .u64 x, "
      ".param .u64 y, .param .u64 r, .param .u64 w, .param .u64 c)\n{ ret; }\n";
  package.image.kernels = {{"fake_checked", 0}};
  package.image.bytes.assign(std::begin(text), std::end(text));
  auto loaded = Executable::load(std::move(package), registry, device);
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().message.find("declares 5 parameters, which are not "
                                        "the 4 that program"),
            std::string::npos)
      << loaded.error().message;
}

TEST_F(Checks, ShareACellWhenThereAreMany) {
  std::set<uint64_t> cells;
  for (int i = 0; i < 2000; ++i)
    cells.insert(*device->checkCell(Error::usage(std::to_string(i))));
  EXPECT_EQ(cells.size(), 1024u);
  EXPECT_EQ(*device->checkCell(Error::usage("7")),
            *device->checkCell(Error::usage("7")));
}

// What the last cell stands for is not told by who came last.
TEST_F(Checks, KeepTheirMessageWhenThereAreMany) {
  for (int before : {1022, 1023}) {
    for (int i = 0; i < before; ++i)
      ASSERT_TRUE(device->checkCell(Error::usage(std::to_string(i))));
    load(DType::Bool);
    std::string failed = call(DType::Bool, false);
    const char *expected = before == 1022 ? "no index (at model.py:3)"
                                          : "an assertion of the program failed";
    EXPECT_NE(failed.find(expected), std::string::npos) << failed;
    restart();
  }
}

} // namespace
