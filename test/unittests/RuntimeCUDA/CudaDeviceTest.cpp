//===- CudaDeviceTest.cpp - A GPU through its driver ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On the driver without a GPU (test/fake-cuda), which runs one kernel: r = 2 x + y.
//
//===----------------------------------------------------------------------===//

#include "CudaTest.h"
#include "kiln/Runtime/Element.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <thread>

using namespace kiln;
using namespace kiln::runtime;
using namespace kiln::test;

namespace {

TEST_F(CudaDevice, MemoryIsUsedAgain) {
  uint64_t before = device->stats().allocations;
  void *first = (*device->allocate(1000, "test"))->data();
  auto again = device->allocate(900, "test");
  EXPECT_EQ((*again)->data(), first);
  EXPECT_EQ(device->stats().allocations, before + 1);
  // One that is much larger than what is asked for stays for others.
  again = Error::usage("given back");
  auto small = device->allocate(10, "test");
  EXPECT_NE((*small)->data(), first);
  EXPECT_EQ(device->stats().usedBytes, 512u);
  EXPECT_EQ(device->stats().cachedBytes, 1024u);
}

TEST_F(CudaDevice, MemoryComesBackInTheOrderInWhichItWent) {
  auto take = [&](size_t bytes) { return *device->allocate(bytes, "results"); };
  // No other test has sizes like these.
  constexpr size_t kSmall = 90 * 512, kLarger = 100 * 512, kLargest = 200 * 512;
  std::vector<std::shared_ptr<Storage>> held = {
      take(kSmall), take(kLargest), take(kSmall), take(kLarger), take(kSmall)};
  std::vector<uint8_t *> places;
  for (const auto &storage : held)
    places.push_back(storage->data());
  uint64_t allocations = device->stats().allocations;
  for (int round = 0; round < 3; ++round) {
    for (auto &storage : held)
      storage.reset();
    for (size_t i : {0, 2, 4})
      held[i] = take(kSmall - 8 * i);
    held[3] = take(kSmall); // a little too large
    held[1] = take(kLargest);
    for (size_t i = 0; i < held.size(); ++i)
      EXPECT_EQ(held[i]->data(), places[i]) << i;
  }
  EXPECT_EQ(device->stats().allocations, allocations);
  auto tooSmall = take(kSmall); // the largest is not for it
  held[1].reset();
  auto another = take(kSmall);
  EXPECT_NE(another->data(), places[1]);
  EXPECT_EQ(device->stats().allocations, allocations + 2);
}

TEST_F(CudaDevice, WhatIsKeptIsGivenBackBeforeMemoryRunsOut) {
  const size_t most = size_t(1) << 24;
  ::setenv("KILN_FAKE_CUDA", "memory=16777216", 1);
  { auto block = *device->allocate(most / 4 * 3, "first"); }
  EXPECT_TRUE(device->allocate(most / 8 * 7, "second"));
  auto weights = *device->allocate(most / 2, "weights");
  auto inputs = *device->allocate(most / 4, "inputs");
  auto refused = device->allocate(most / 2, "results");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Io);
  EXPECT_EQ(refused.error().message,
            "out of memory on the device: 8388608 bytes were asked for, "
            "4194304 of 16777216 are free, the weights hold 8388608");
  ::unsetenv("KILN_FAKE_CUDA");
}

TEST_F(CudaDevice, TensorsGoThereAndBack) {
  Tensor host = count({3, 4});
  Tensor columns = host.asStrided({4, 2}, {1, 4}, 1);
  auto there = columns.toDevice(*device);
  ASSERT_TRUE(there);
  EXPECT_EQ(there->strides(), columns.strides());
  EXPECT_EQ(contentsOf(*there), contentsOf(columns));
  EXPECT_EQ(contentsOf(*there->clone()), contentsOf(columns));
  EXPECT_TRUE(there->clone()->isOnDevice());
  Tensor one = there->asStrided({}, {}, there->storageOffset() + 4);
  EXPECT_EQ(std::get<double>(itemOf(one)->value), 5.0);
}

TEST_F(CudaDevice, CopiesLeaveWhatIsBetweenElements) {
  Tensor target = *count({3, 4}).toDevice(*device);
  Tensor column = target.asStrided({3}, {4}, 1);
  ASSERT_TRUE(copyElements(count({3}), column));
  EXPECT_EQ(contentsOf(target),
            (std::vector<float>{0, 0, 2, 3, 4, 1, 6, 7, 8, 2, 10, 11}));
  Tensor host = count({3});
  ASSERT_TRUE(copyElements(target.asStrided({3}, {4}, 2), host));
  EXPECT_EQ(contentsOf(host), (std::vector<float>{2, 6, 10}));
}

TEST_F(CudaDevice, AProgramRunsThere) {
  ProgramBuilder b;
  ExprId n = b.integer(128);
  ValueId x = b.slotValue(b.slot("x", {n})), y = b.slotValue(b.slot("y", {n}));
  b.program.arenaBytes = b.integer(512);
  ValueId t = b.arena(b.integer(0), {n});
  ValueId r = b.value(Value::Kind::New, {n});
  b.program.steps.emplace_back(saxpy(b, x, y, t));
  b.program.steps.emplace_back(saxpy(b, t, y, r));
  b.output(r);
  auto loaded = Executable::load(packageOf(b), registry, device);
  ASSERT_TRUE(loaded) << loaded.error().message;
  Tensor input = count({128});
  for (const Tensor &given : {input, *input.toDevice(*device)}) {
    uint64_t uploads = device->stats().uploads;
    auto results = (*loaded)->forward().run({given, input});
    ASSERT_TRUE(results) << results.error().message;
    const Tensor &result = std::get<Tensor>((*results)[0].value);
    EXPECT_TRUE(result.isOnDevice());
    EXPECT_EQ(contentsOf(result)[100], 700.0f);
    EXPECT_EQ(device->stats().uploads - uploads, given.isOnDevice() ? 1u : 2u);
  }
}

TEST_F(CudaDevice, KernelsGetAlignedCopiesOfViews) {
  ProgramBuilder b;
  ExprId n = b.integer(128), part = b.integer(64), one = b.integer(1);
  ValueId x = b.slotValue(b.slot("x", {n}));
  ValueId all = b.value(Value::Kind::New, {n});
  b.program.steps.emplace_back(saxpy(b, x, x, all));
  ValueId read = b.view(x, one, {part}), written = b.view(all, one, {part});
  b.program.steps.emplace_back(saxpy(b, read, written, written));
  b.output(all);
  auto loaded = Executable::load(packageOf(b), registry, device);
  ASSERT_TRUE(loaded) << loaded.error().message;
  RunStats stats;
  RunOptions options;
  options.stats = &stats;
  auto results = (*loaded)->forward().run({count({128})}, options);
  ASSERT_TRUE(results) << results.error().message;
  std::vector<float> found = contentsOf(std::get<Tensor>((*results)[0].value));
  EXPECT_EQ(found[0], 0.0f);
  EXPECT_EQ(found[64], 320.0f);
  EXPECT_EQ(found[65], 195.0f);
  EXPECT_EQ(found[127], 381.0f);
  EXPECT_EQ(stats.layoutCopies, 3u);
}

// Copied back, the one would undo what the kernel wrote through the other.
TEST_F(CudaDevice, ViewsThatMeetAreRefused) {
  ProgramBuilder b;
  ExprId n = b.integer(128), part = b.integer(64);
  ValueId x = b.slotValue(b.slot("x", {n}));
  ValueId all = b.value(Value::Kind::New, {n});
  b.program.steps.emplace_back(saxpy(b, x, x, all));
  ValueId read = b.view(all, b.integer(4), {part});
  ValueId written = b.view(all, b.integer(1), {part});
  b.program.steps.emplace_back(saxpy(b, read, x, written));
  b.output(all);
  auto loaded = Executable::load(packageOf(b), registry, device);
  ASSERT_TRUE(loaded) << loaded.error().message;
  auto results = (*loaded)->forward().run({count({128})});
  ASSERT_FALSE(results);
  EXPECT_NE(results.error().message.find(
                "begins 4 bytes behind a multiple of 16"),
            std::string::npos)
      << results.error().message;
}

TEST_F(CudaDevice, ChangedInputsAreWrittenBack) {
  ProgramBuilder b;
  ExprId n = b.integer(128);
  ValueId x = b.slotValue(b.slot("x", {n}));
  ValueId r = b.value(Value::Kind::New, {n});
  b.program.steps.emplace_back(saxpy(b, x, x, r));
  Output &output = b.output(r, "x", Output::Role::InputMutation);
  output.aliasOfSlot = 0;
  auto loaded = Executable::load(packageOf(b), registry, device);
  ASSERT_TRUE(loaded) << loaded.error().message;
  Tensor onHost = count({128}), onDevice = *onHost.toDevice(*device);
  ASSERT_TRUE((*loaded)->forward().run({onHost}));
  EXPECT_EQ(onHost.dataAs<float>()[100], 300.0f);
  ASSERT_TRUE((*loaded)->forward().run({onDevice}));
  EXPECT_EQ(contentsOf(onDevice)[100], 300.0f);
}

TEST_F(CudaDevice, AnImageIsForItsKindOfDevice) {
  ProgramBuilder b;
  b.output(b.slotValue(b.slot("x", {b.integer(2)})));
  auto refused = Executable::load(packageOf(b), registry);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "the package is compiled for 'sm_90a'; "
                                     "expected --device=cuda");
  Package later = packageOf(b);
  later.image.requiredFeatures = 100;
  refused = Executable::load(std::move(later), registry, device);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "the kernels are for sm_100 and later GPUs, cuda:0 is sm_90; "
            "compile with --target=sm_90");
}

TEST_F(CudaDevice, AProgramOfTheProcessorTakesItsTensors) {
  ProgramBuilder b;
  ValueId x = b.slotValue(b.slot("x", {b.integer(4)}));
  ValueId view = b.view(x, b.integer(1), {b.integer(2)});
  b.output(view);
  Package package;
  package.programs.push_back(b.program);
  auto loaded = Executable::load(std::move(package), registry);
  ASSERT_TRUE(loaded) << loaded.error().message;
  auto results = (*loaded)->forward().run({*count({4}).toDevice(*device)});
  ASSERT_TRUE(results) << results.error().message;
  const Tensor &result = std::get<Tensor>((*results)[0].value);
  EXPECT_FALSE(result.isOnDevice());
  EXPECT_EQ(contentsOf(result), (std::vector<float>{1, 2}));
}

TEST_F(CudaDevice, TensorMapsStayWithinTheirBuffer) {
  // Offset, rows and bytes from row to row, of 16 columns in 8 x 16 floats.
  struct Case {
    int64_t offset, rows, stride;
    bool isAccepted;
  } cases[] = {{0, 8, 64, true},        {16, 7, 64, true},
               {16, 8, 64, false},      {-16, 1, 64, false},
               {INT64_MAX, 8, 64, false}, {0, -1, 64, false},
               {0, 8, -64, false},      {0, INT64_MAX, 64, false},
               {0, 8, 60, false},       {1, 1, 64, false},
               {0, 0, 64, true},        {0, 0, 60, true}};
  for (const Case &c : cases) {
    ProgramBuilder b;
    ExprId n = b.integer(128);
    ValueId x = b.slotValue(b.slot("x", {n}));
    ValueId r = b.value(Value::Kind::New, {n});
    GridStep grid = saxpy(b, x, x, r);
    GridStep::TensorMap map;
    map.offset = b.integer(c.offset);
    map.sizes = {b.integer(16), b.integer(c.rows)};
    map.strides = {b.integer(c.stride)};
    map.box = {8, 1};
    grid.parts[0].maps = {map};
    b.program.steps.emplace_back(grid);
    b.output(r);
    auto loaded = Executable::load(packageOf(b), registry, device);
    ASSERT_TRUE(loaded) << loaded.error().message;
    auto results = (*loaded)->forward().run({count({128})});
    EXPECT_EQ(bool(results), c.isAccepted) << c.offset << " " << c.rows;
    if (!results)
      EXPECT_EQ(results.error().kind, ErrorKind::Malformed);
  }
}

TEST_F(CudaDevice, AnyThreadMakesTensorMaps) {
  auto memory = *device->allocate(1024, "test");
  TensorMapLayout layout;
  layout.address = memory->data();
  layout.dtype = DType::F32;
  layout.sizes = {16, 16};
  layout.strides = {64};
  layout.box = {8, 8};
  std::thread([&] {
    auto map = device->encode(layout);
    EXPECT_TRUE(map) << map.error().message;
  }).join();
}

TEST_F(CudaDevice, BytesWithASignHaveTensorMaps) {
  auto memory = *device->allocate(1024, "test");
  TensorMapLayout layout;
  layout.address = memory->data();
  layout.sizes = {32, 32};
  layout.strides = {32};
  layout.box = {32, 8};
  for (auto [dtype, isKnown] :
       {std::pair(DType::I8, true), std::pair(DType::U8, true),
        std::pair(DType::Bool, false)}) {
    layout.dtype = dtype;
    auto map = device->encode(layout);
    EXPECT_EQ(bool(map), isKnown) << dtypeName(dtype);
  }
}

TEST_F(CudaDevice, UnknownRequirementsAreRefused) {
  ProgramBuilder b;
  b.output(b.slotValue(b.slot("x", {b.integer(2)})));
  Package package = packageOf(b);
  package.image.requiredFeatures |= 1u << 17;
  auto refused = Executable::load(std::move(package), registry, device);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Unsupported);
}

TEST_F(CudaDevice, NoDeviceIsNoMistakeOfTheCaller) {
  device.reset(); // or it would be found
  ::setenv("KILN_FAKE_CUDA", "devices=0", 1);
  auto none = cuda::openDevice({});
  ::unsetenv("KILN_FAKE_CUDA");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::Unsupported);
}

TEST_F(CudaDevice, EventsMeasure) {
  auto begin = device->record(), end = device->record();
  ASSERT_TRUE(begin && end);
  EXPECT_TRUE((*end)->wait());
  EXPECT_GT(*(*end)->secondsSince(**begin), 0.0);
}

TEST_F(CudaDevice, SessionsShareADevice) {
  EXPECT_EQ(*cuda::openDevice({}), device);
  cuda::DeviceOptions blocking;
  blocking.blockingLaunches = true;
  auto other = *cuda::openDevice(blocking);
  ASSERT_NE(other, device);
  // Of two devices of one GPU each has a stream of its own.
  Tensor here = *count({4, 4}).toDevice(*device);
  Tensor there = *Tensor::emptyOn(other.get(), DType::F32, {4, 4});
  ASSERT_TRUE(copyElements(here, there));
  EXPECT_EQ(contentsOf(there), contentsOf(here));
}

// The driver without a GPU takes memory that begins so for page-locked.
TEST_F(CudaDevice, UploadsAreOverWhenTheyReturn) {
  auto memory = *device->allocate(64, "test");
  char locked[64] = "page-locked", other[64] = "pageable";
  uint64_t waits = device->stats().synchronizations;
  ASSERT_TRUE(device->upload(memory->data(), other, 64));
  EXPECT_EQ(device->stats().synchronizations, waits);
  ASSERT_TRUE(device->upload(memory->data(), locked, 64));
  EXPECT_EQ(device->stats().synchronizations, waits + 1);
}

TEST_F(CudaDevice, MoreParametersThanArePassedAreRefused) {
  ProgramBuilder b;
  ExprId n = b.integer(128);
  ValueId x = b.slotValue(b.slot("x", {n}));
  b.program.steps.emplace_back(saxpy(b, x, x, b.value(Value::Kind::New, {n})));
  b.output(x);
  for (const char *parameter : {", .param .u64 more", ""}) {
    Package package = packageOf(b);
    std::string text(kPTX);
    text.replace(text.find(", .param .u64 w"), 15,
                 *parameter ? std::string(", .param .u64 w") + parameter
                            : ", .param .align 64 .b8 w[128]");
    package.image.bytes.assign(text.c_str(), text.c_str() + text.size() + 1);
    auto refused = Executable::load(std::move(package), registry, device);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::Malformed);
  }
}

/// Keeps what it is told, or something else.
struct Code : package::KernelStore {
  std::map<Digest, package::KernelImage> images;
  unsigned kept = 0;
  std::vector<std::optional<package::KernelImage>>
  find(const std::vector<Digest> &keys) override {
    std::vector<std::optional<package::KernelImage>> found;
    for (const Digest &key : keys) {
      found.emplace_back();
      if (images.count(key))
        found.back() = images[key];
    }
    return found;
  }
  void keep(const Digest &key, const package::KernelImage &image,
            uint64_t) override {
    images[key] = image;
    ++kept;
  }
};

TEST_F(CudaDevice, MachineCodeThatDoesNotLoadIsAssembledAgain) {
  ProgramBuilder b;
  ExprId n = b.integer(128);
  ValueId x = b.slotValue(b.slot("x", {n}));
  b.program.steps.emplace_back(saxpy(b, x, x, b.value(Value::Kind::New, {n})));
  b.output(x);
  Code code;
  auto load = [&] {
    auto loaded = Executable::load(packageOf(b), registry, device, &code);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_TRUE((*loaded)->forward().run({count({128})}));
  };
  load();
  load();
  EXPECT_EQ(code.kept, 1u);
  std::vector<uint8_t> &bytes = code.images.begin()->second.bytes;
  const std::vector<uint8_t> good = bytes;
  bytes.resize(3); // cut off
  load();
  EXPECT_EQ(bytes, good);
  std::fill(bytes.begin() + 64, bytes.end(), 'x'); // the driver says no
  load();
  EXPECT_EQ(bytes, good);
  bytes[41] = 0xff; // tables beyond the end
  load();
  EXPECT_EQ(code.kept, 4u);
  code.images.begin()->second.requiredFeatures = 100; // another GPU's
  load();
  EXPECT_EQ(code.kept, 5u);
}

// What the driver links it spoils, so there is no machine code to keep.
TEST_F(CudaDevice, KernelsOfWarpgroupsAreNotLinked) {
  ProgramBuilder b;
  ExprId n = b.integer(128);
  ValueId x = b.slotValue(b.slot("x", {n}));
  ValueId r = b.value(Value::Kind::New, {n});
  b.program.steps.emplace_back(saxpy(b, x, x, r));
  b.output(r);
  auto load = [&](const char *body, const char *version, Code &code) {
    Package package = packageOf(b);
    std::string text(kPTX);
    text.replace(text.find("{ ret; }"), 8, body);
    text.replace(text.find("8.0"), 3, version);
    package.image.bytes.assign(text.c_str(), text.c_str() + text.size() + 1);
    return Executable::load(std::move(package), registry, device, &code);
  };
  for (const char *body : {"{ wgmma.fence.sync.aligned; ret; }",
                           "{ setmaxnreg.inc.sync.aligned.u32 240; ret; }"}) {
    Code code;
    auto loaded = load(body, "8.0", code);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(code.kept, 0u);
    auto results = (*loaded)->forward().run({count({128})});
    ASSERT_TRUE(results) << results.error().message;
    EXPECT_EQ(contentsOf(std::get<Tensor>((*results)[0].value))[100], 300.0f);
    auto refused = load(body, "9.9", code);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::Unsupported);
    EXPECT_NE(refused.error().message.find("is too old for kernel 'fake_saxpy'"),
              std::string::npos);
  }
}

TEST_F(CudaDevice, WhatIsHeldGoesOnAfterAWhile) {
  auto gate = device->hold(10);
  ASSERT_TRUE(gate);
  gate->reset();
  EXPECT_TRUE(device->synchronize());
  auto kept = device->hold(0.01);
  EXPECT_TRUE(device->synchronize());
}

TEST_F(CudaDevice, AnOperatorWritesToItsArgument) {
  ProgramBuilder b;
  ValueId x = b.slotValue(b.slot("x", {b.integer(4)}));
  ExternStep step;
  step.overload = "test.negate_.default";
  step.arguments = {{Argument::TensorRef{x}}};
  step.results = {kNone};
  b.program.steps.emplace_back(step);
  b.output(x);
  ASSERT_TRUE(registry.add(step.overload, [](const OpArguments &arguments) {
    const Tensor &tensor = std::get<Tensor>(arguments[0].value);
    for (int64_t i = 0; i < tensor.numel(); ++i)
      tensor.dataAs<float>()[i] *= -1;
    return Result<std::vector<OpValue>>(std::vector<OpValue>{arguments[0]});
  }));
  auto loaded = Executable::load(packageOf(b), registry, device);
  ASSERT_TRUE(loaded) << loaded.error().message;
  Tensor input = *count({4}).toDevice(*device);
  ASSERT_TRUE((*loaded)->forward().run({input}));
  EXPECT_EQ(contentsOf(input), (std::vector<float>{0, -1, -2, -3}));
}

/// The driver stays failed, so this one is the last.
class Broken : public CudaDevice {};

TEST_F(Broken, AnAllocationTellsOfTheKernelThatFailed) {
  ProgramBuilder b;
  ExprId n = b.integer(128);
  ValueId x = b.slotValue(b.slot("x", {n}));
  b.program.steps.emplace_back(saxpy(b, x, x, b.value(Value::Kind::New, {n})));
  b.output(x);
  Package package = packageOf(b);
  std::string text(kPTX);
  text.replace(text.find("fake_saxpy"), 10, "fake_fault");
  package.image.kernels = {{"fake_fault", 0}};
  package.image.bytes.assign(text.c_str(), text.c_str() + text.size() + 1);
  auto loaded = Executable::load(std::move(package), registry, device);
  ASSERT_TRUE(loaded) << loaded.error().message;
  ASSERT_TRUE((*loaded)->forward().run({count({128})}));
  auto refused = device->allocate(size_t(1) << 20, "test");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Internal);
  EXPECT_NE(refused.error().message.find("fake_fault"), std::string::npos);
}

} // namespace
