//===- ProgramRunnerTest.cpp - Programs built by hand --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Package/SampleProgram.h"
#include "TestKernels.h"
#include "kiln/Runtime/Executable.h"

#include <chrono>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>

using namespace kiln;
using namespace kiln::runtime;
using namespace kiln::test;

namespace {

class Programs : public testing::Test {
protected:
  Programs() { registerTestOperators(registry); }

  /// Loads a package of `b`'s program and the test kernels; null on failure,
  /// which is kept in `error`.
  std::shared_ptr<Executable> load(ProgramBuilder &b,
                                   std::vector<ConstantTensor> constants = {}) {
    Package package;
    package.programs.push_back(b.program);
    package.image = testImage();
    package.constants = std::move(constants);
    auto loaded = Executable::load(std::move(package), registry);
    if (loaded)
      return *loaded;
    error = loaded.error();
    return nullptr;
  }

  static Tensor tensorOf(const OpValue &value) {
    return std::get<Tensor>(value.value);
  }

  /// y = (x + 3) + x on x : f32[s0], the sum x + 3 in the arena.
  static ProgramBuilder arenaProgram() {
    ProgramBuilder b;
    b.sizeSymbol("s0", 0, 0);
    ExprId n = b.symbol(0);
    ExprId zero = b.integer(0);
    ExprId three = b.integer(3);
    b.program.arenaBytes = b.expr(
        ExprBuilder().symbol(0).integer(4).op(KILN_EXPR_MUL).integer(64)
            .op(KILN_EXPR_ADD).build());
    ValueId x = b.slotValue(b.slot("x", {n}));
    ValueId t = b.arena(zero, {n});
    ValueId y = b.value(Value::Kind::New, {n});
    b.launch(kAddSymbol, {x, t}, {three}, n);
    b.launch(kAddBuffers, {t, x, y}, {}, n);
    b.output(y);
    return b;
  }

  OperatorRegistry registry;
  Error error{ErrorKind::Internal, ""};
};

std::vector<float> iota(size_t n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

} // namespace

TEST_F(Programs, KernelsShareTheArena) {
  ProgramBuilder b = arenaProgram();
  auto executable = load(b);
  ASSERT_TRUE(executable) << error.message;
  ThreadPool pool(2, 100);
  RunStats stats;
  RunOptions options;
  options.pool = &pool;
  options.stats = &stats;
  for (int64_t n : {4, 4, 0, 1000, 7, 1000}) {
    auto result = executable->forward().run(
        {floats({n}, iota(static_cast<size_t>(n)))}, options);
    ASSERT_TRUE(result) << result.error().message;
    std::vector<float> got = valuesOf(tensorOf((*result)[0]));
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(got[static_cast<size_t>(i)], 2 * i + 3) << n;
  }
  EXPECT_EQ(stats.kernelLaunches, 5u); // none for size 0
  EXPECT_EQ(stats.kernels, 10u);
  EXPECT_EQ(stats.layoutCopies, 0u);
}

TEST_F(Programs, ResultsAreFreshUnlessReuseIsAskedFor) {
  ProgramBuilder b = arenaProgram();
  auto executable = load(b);
  ASSERT_TRUE(executable) << error.message;
  Tensor x = floats({100}, iota(100));
  RunOptions reuse;
  reuse.reuseOutputs = true;
  auto first = executable->forward().run({x}, reuse);
  auto second = executable->forward().run({x}, reuse);
  const uint8_t *firstData = tensorOf((*first)[0]).data();
  EXPECT_NE(firstData, tensorOf((*second)[0]).data()) << "first is still held";
  const uint8_t *secondData = tensorOf((*second)[0]).data();
  second = Error::internal("dropped");
  auto third = executable->forward().run({x}, reuse);
  EXPECT_EQ(secondData, tensorOf((*third)[0]).data());
  EXPECT_EQ(valuesOf(tensorOf((*first)[0])), valuesOf(tensorOf((*third)[0])));
}

TEST_F(Programs, ProgramsThatTakeTurnsMayShareTheirMemory) {
  ProgramBuilder b = arenaProgram();
  auto one = load(b), other = load(b);
  std::vector<std::shared_ptr<Storage>> outputs;
  RunOptions shared;
  shared.reuseOutputs = true;
  shared.outputs = &outputs;
  auto call = [&](Executable &executable) {
    return tensorOf((*executable.forward().run({floats({3}, {1, 2, 3})}, shared))[0]);
  };
  const uint8_t *data = call(*one).data();
  Tensor second = call(*other);
  EXPECT_EQ(second.data(), data);
  EXPECT_EQ(valuesOf(second), (std::vector<float>{5, 7, 9}));
  EXPECT_NE(call(*one).data(), data) << "second is still held";
}

TEST_F(Programs, ArenaResultsKeepTheirArena) {
  ProgramBuilder b = arenaProgram();
  b.program.outputs[0].value = 1; // x + 3, in the arena
  auto executable = load(b);
  ASSERT_TRUE(executable) << error.message;
  auto first = executable->forward().run({floats({3}, {1, 2, 3})});
  auto second = executable->forward().run({floats({3}, {10, 20, 30})});
  EXPECT_EQ(valuesOf(tensorOf((*first)[0])), (std::vector<float>{4, 5, 6}));
  EXPECT_EQ(valuesOf(tensorOf((*second)[0])), (std::vector<float>{13, 23, 33}));
}

TEST_F(Programs, StridedAndUnalignedInputsAreLaidOut) {
  ProgramBuilder b = arenaProgram();
  auto executable = load(b);
  ASSERT_TRUE(executable) << error.message;
  RunStats stats;
  RunOptions options;
  options.stats = &stats;
  Tensor base = floats({8}, iota(8));
  auto strided =
      executable->forward().run({base.asStrided({4}, {2}, 1)}, options);
  ASSERT_TRUE(strided) << strided.error().message;
  EXPECT_EQ(valuesOf(tensorOf((*strided)[0])),
            (std::vector<float>{5, 9, 13, 17}));
  EXPECT_EQ(stats.layoutCopies, 1u);
  std::vector<uint8_t> memory(33);
  std::memcpy(memory.data() + 1, base.data(), 32);
  size_t shift = reinterpret_cast<uintptr_t>(memory.data()) % 4 == 3 ? 2 : 1;
  std::memmove(memory.data() + shift, memory.data() + 1, 31);
  auto storage = Storage::borrow(memory.data() + shift, 16, nullptr);
  auto unaligned = executable->forward().run(
      {*Tensor::view(storage, DType::F32, {4}, {1}, 0)}, options);
  ASSERT_TRUE(unaligned) << unaligned.error().message;
  EXPECT_EQ(valuesOf(tensorOf((*unaligned)[0])),
            (std::vector<float>{3, 5, 7, 9}));
  EXPECT_EQ(stats.layoutCopies, 2u);
}

TEST_F(Programs, ScratchBelongsToTheThread) {
  ProgramBuilder b;
  ExprId n = b.integer(50000);
  ExprId bytes = b.integer(4);
  ValueId x = b.slotValue(b.slot("x", {n}));
  ValueId y = b.value(Value::Kind::New, {n});
  b.launch(kThroughScratch, {x, y}, {}, n).scratchBytes = bytes;
  b.output(y);
  auto executable = load(b);
  ASSERT_TRUE(executable) << error.message;
  ThreadPool pool(2, 100);
  RunOptions options;
  options.pool = &pool;
  for (int round = 0; round < 20; ++round) {
    auto result = executable->forward().run({floats({50000}, iota(50000))},
                                            options);
    ASSERT_TRUE(result);
    std::vector<float> got = valuesOf(tensorOf((*result)[0]));
    for (size_t i = 0; i < got.size(); ++i)
      ASSERT_EQ(got[i], 2.0f * static_cast<float>(i));
  }
}

TEST_F(Programs, OperatorsAndDataDependentSizes) {
  ProgramBuilder b;
  ExprId four = b.integer(4);
  uint32_t u0 = b.stepSymbol("u0");
  b.program.symbols[u0].max = 3;
  ExprId count = b.symbol(u0);
  ExprId atLeastOne =
      b.expr(ExprBuilder().symbol(u0).integer(1).op(KILN_EXPR_GE).build());
  ValueId x = b.slotValue(b.slot("x", {four}));
  ValueId found = b.value(Value::Kind::Dynamic, {count}, DType::I64);
  ValueId scaled = b.value(Value::Kind::Dynamic, {four});
  ValueId y = b.value(Value::Kind::New, {count});
  ValueId head = b.view(scaled, kNone, {count});
  b.call("test.positive", {tensorArg(x)}, {found});
  b.program.steps.emplace_back(DefineSymbolStep{u0, found, 0});
  b.program.steps.emplace_back(AssertStep{atLeastOne, "u0 >= 1"});
  b.call("test.scale", {tensorArg(x), exprArg(count)}, {scaled}).reason =
      "no kernel";
  b.launch(kAddBuffers, {head, head, y}, {}, count);
  b.output(y);
  Output &number = b.output(kNone);
  number.kind = Output::Kind::Expr;
  number.expr = count;
  Output &condition = b.output(kNone);
  condition.kind = Output::Kind::Expr;
  condition.expr = atLeastOne;
  auto executable = load(b);
  ASSERT_TRUE(executable) << error.message;
  RunStats stats;
  RunOptions options;
  options.stats = &stats;
  for (int round = 0; round < 2; ++round) {
    auto result =
        executable->forward().run({floats({4}, {1, -1, 3, -1})}, options);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(valuesOf(tensorOf((*result)[0])), (std::vector<float>{4, -4}));
    EXPECT_EQ(std::get<int64_t>((*result)[1].value), 2);
    EXPECT_EQ(std::get<bool>((*result)[2].value), true);
    result = executable->forward().run({floats({4}, {1, 2, 3, -1})}, options);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(valuesOf(tensorOf((*result)[0])),
              (std::vector<float>{6, 12, 18}));
  }
  EXPECT_EQ(stats.externCalls, 8u);
  ASSERT_EQ(stats.externs.size(), 2u);
  EXPECT_EQ(stats.externs[0].op, "test.positive");
  EXPECT_EQ(stats.externs[0].count, 4u);
  EXPECT_EQ(stats.externs[0].reason, "");
  EXPECT_EQ(stats.externs[1].op, "test.scale");
  EXPECT_EQ(stats.externs[1].count, 4u);
  EXPECT_EQ(stats.externs[1].reason, "no kernel");
  auto none = executable->forward().run({floats({4}, {-1, -1, -1, -1})});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "assertion failed: u0 >= 1");
  auto many = executable->forward().run({floats({4}, {1, 1, 1, 1})});
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().message,
            "symbol 'u0' is out of range. expected 0 to 3, actual 4");
}

// The plan uses the arena's place of `t` again while `u`, which is `t`, lives.
TEST_F(Programs, WhatAnOperatorGivesBackLeavesTheArena) {
  ProgramBuilder b;
  ExprId two = b.integer(2), zero = b.integer(0);
  b.program.arenaBytes = b.integer(64);
  ValueId x = b.slotValue(b.slot("x", {two}));
  ValueId t = b.arena(zero, {two});
  ValueId u = b.value(Value::Kind::Dynamic, {two});
  ValueId again = b.arena(zero, {two});
  b.launch(kAddSymbol, {x, t}, {two}, two);
  b.call("test.same", {tensorArg(t)}, {u});
  b.launch(kAddSymbol, {x, again}, {zero}, two);
  b.output(u);
  auto executable = load(b);
  ASSERT_TRUE(executable) << error.message;
  auto result = executable->forward().run({floats({2}, {1, 5})});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(valuesOf(tensorOf((*result)[0])), (std::vector<float>{3, 7}));
}

TEST_F(Programs, ItemsBecomeNumbers) {
  ProgramBuilder b;
  ExprId one = b.integer(1);
  ValueId x = b.slotValue(b.slot("x", {one}));
  ValueId item = b.value(Value::Kind::Dynamic, {});
  ValueId y = b.value(Value::Kind::Dynamic, {one});
  ValueId z = b.value(Value::Kind::New, {one});
  b.call("test.item", {tensorArg(x)}, {item});
  b.call("test.scale", {tensorArg(x), {Argument::ScalarRef{item}}}, {y});
  b.call("test.scale", {tensorArg(y), {Argument::ScalarRef{x}}}, {z});
  b.output(z);
  Output &number = b.output(item);
  number.kind = Output::Kind::Scalar;
  auto executable = load(b);
  ASSERT_TRUE(executable) << error.message;
  auto result = executable->forward().run({floats({1}, {3})});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(valuesOf(tensorOf((*result)[0])), std::vector<float>{27});
  EXPECT_EQ(std::get<double>((*result)[1].value), 3.0);
}

TEST_F(Programs, AbsentResultsAreNone) {
  ProgramBuilder b;
  ExprId one = b.integer(1);
  ValueId x = b.slotValue(b.slot("x", {one}));
  ValueId y = b.value(Value::Kind::Dynamic, {one});
  ValueId absent = b.value(Value::Kind::Dynamic, {one});
  b.call("test.pair", {tensorArg(x)}, {y, absent});
  b.output(y);
  b.output(absent);
  auto executable = load(b);
  ASSERT_TRUE(executable) << error.message;
  auto result = executable->forward().run({floats({1}, {3})});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE((*result)[0].isTensor());
  EXPECT_TRUE((*result)[1].isNone());
}

TEST_F(Programs, OperatorErrorsSayWhere) {
  ProgramBuilder b;
  ExprId one = b.integer(1);
  ValueId x = b.slotValue(b.slot("x", {one}));
  b.call("test.fail", {tensorArg(x)}, {}).location = "model.py:12";
  auto executable = load(b);
  ASSERT_TRUE(executable) << error.message;
  auto result = executable->forward().run({floats({1}, {3})});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message,
            "test.fail: expected rank 2, found rank 1 (at model.py:12)");
}

TEST_F(Programs, MissingOperatorsAreListedWhenLoading) {
  ProgramBuilder b;
  b.call("user.foo", {}, {}).location = "model.py:3";
  b.call("test.fail", {}, {});
  b.call("user.bar", {}, {});
  EXPECT_FALSE(load(b));
  EXPECT_EQ(error.kind, ErrorKind::Unsupported);
  EXPECT_EQ(error.message,
            "program 'main' calls operators that this process does not have: "
            "'user.foo' (at model.py:3), 'user.bar'; register an "
            "implementation");
}

TEST_F(Programs, InputsThatDoNotFitAreRefused) {
  ProgramBuilder b = arenaProgram();
  auto executable = load(b);
  ASSERT_TRUE(executable) << error.message;
  auto run = [&](std::vector<OpValue> inputs) {
    auto result = executable->forward().run(inputs);
    return result ? std::string() : result.error().message;
  };
  EXPECT_EQ(run({}), "program 'main' expects 1 inputs, found 0");
  EXPECT_EQ(run({int64_t(1)}),
            "expected 'x' to be a tensor, but found an integer");
  EXPECT_EQ(run({*Tensor::empty(DType::I32, {4})}),
            "tensor 'x' dtype mismatch. expected Float, actual Int");
  EXPECT_EQ(run({floats({2, 2}, {1, 2, 3, 4})}),
            "tensor 'x' rank mismatch. expected 1, actual 2");
}

TEST_F(Programs, ConstantsAreReadOnlyAndMayBeLeftOut) {
  ProgramBuilder b;
  ExprId two = b.integer(2);
  uint32_t weight = b.slot("w", {two});
  b.program.slots[weight].payload = 0;
  ValueId w = b.slotValue(weight);
  ValueId c = b.value(Value::Kind::Constant, {two});
  b.program.values[c].slot = 0;
  ValueId y = b.value(Value::Kind::New, {two});
  b.launch(kAddBuffers, {w, c, y}, {}, two);
  b.output(y);
  b.output(c);
  float values[2] = {1.5f, 2.5f};
  std::vector<uint8_t> bytes(8);
  std::memcpy(bytes.data(), values, 8);
  ConstantTensor constant{DType::F32, {2}, SharedBytes::own(std::move(bytes))};
  auto executable = load(b, {constant});
  ASSERT_TRUE(executable) << error.message;
  auto result = executable->forward().run({OpValue()});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(valuesOf(tensorOf((*result)[0])), (std::vector<float>{3, 5}));
  EXPECT_TRUE(tensorOf((*result)[1]).storage()->readOnly());
  executable.reset();
  EXPECT_EQ(valuesOf(tensorOf((*result)[1])), (std::vector<float>{1.5, 2.5}));
  std::string failure;
}

TEST_F(Programs, MutationsSwapAndKeepOldValues) {
  ProgramBuilder b;
  ExprId two = b.integer(2);
  ValueId x = b.slotValue(b.slot("x", {two}));
  ValueId y = b.slotValue(b.slot("y", {two}));
  b.output(y, "x", Output::Role::InputMutation).aliasOfSlot = 0;
  b.output(x, "y", Output::Role::InputMutation).aliasOfSlot = 1;
  b.output(x, "old");                  // the old contents
  b.output(x, "new").aliasOfSlot = 0;  // the tensor itself
  auto executable = load(b);
  ASSERT_TRUE(executable) << error.message;
  Tensor a = floats({2}, {1, 2}), c = floats({2}, {3, 4});
  auto result = executable->forward().run({a, c});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(valuesOf(a), (std::vector<float>{3, 4}));
  EXPECT_EQ(valuesOf(c), (std::vector<float>{1, 2}));
  EXPECT_EQ(valuesOf(tensorOf((*result)[2])), (std::vector<float>{1, 2}));
  EXPECT_EQ(tensorOf((*result)[3]).data(), a.data());
  EXPECT_EQ(tensorOf((*result)[0]).data(), a.data());

  RunOptions keep;
  keep.writeBack = false;
  result = executable->forward().run({a, c}, keep);
  ASSERT_TRUE(result);
  EXPECT_EQ(valuesOf(a), (std::vector<float>{3, 4}));
  EXPECT_EQ(valuesOf(tensorOf((*result)[0])), (std::vector<float>{1, 2}));

  float memory[2] = {1, 2};
  Tensor fixed = *Tensor::view(
      Storage::borrow(memory, sizeof(memory), nullptr, true), DType::F32, {2},
      {1}, 0);
  auto refused = executable->forward().run({fixed, c});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "the program writes to 'x', whose storage is read-only; pass a "
            "copy");
}

TEST_F(Programs, UpdatesAreWrittenInPlaceUnlessSomethingSharesTheMemory) {
  // w = w + g, the kernel writes where it reads.
  ProgramBuilder b;
  ExprId two = b.integer(2);
  ValueId w = b.slotValue(b.slot("w", {two}));
  ValueId g = b.slotValue(b.slot("g", {two}));
  b.launch(kAddBuffers, {w, g, w}, {}, two);
  b.output(w, "w", Output::Role::InputMutation).aliasOfSlot = 0;
  auto executable = load(b);
  ASSERT_TRUE(executable) << error.message;
  RunStats stats;
  RunOptions options;
  options.stats = &stats;
  Tensor a = floats({2}, {1, 2}), c = floats({2}, {10, 20});
  auto result = executable->forward().run({a, c}, options);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(valuesOf(a), (std::vector<float>{11, 22}));
  EXPECT_EQ(tensorOf((*result)[0]).data(), a.data());
  EXPECT_EQ(stats.copies, 0u);

  // Overlapping inputs: every element is read before any is written.
  Tensor shared = floats({3}, {1, 2, 3});
  Tensor head = shared.asStrided({2}, {1}, 0), tail = shared.asStrided({2}, {1}, 1);
  result = executable->forward().run({head, tail}, options);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(valuesOf(shared), (std::vector<float>{3, 5, 3}));
  EXPECT_GT(stats.copies, 0u);

  // Strides the program was not compiled for: by way of a copy.
  Tensor wide = floats({4}, {1, 0, 2, 0});
  Tensor every = wide.asStrided({2}, {2}, 0);
  result = executable->forward().run({every, c}, options);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(valuesOf(wide), (std::vector<float>{11, 0, 22, 0}));

  // Without writing back the inputs keep their contents.
  RunOptions keep;
  keep.writeBack = false;
  result = executable->forward().run({a, c}, keep);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(valuesOf(a), (std::vector<float>{11, 22}));
  EXPECT_EQ(valuesOf(tensorOf((*result)[0])), (std::vector<float>{21, 42}));
}

TEST_F(Programs, HostileLayoutsAreErrors) {
  auto attempt = [&](auto change) {
    ProgramBuilder b = arenaProgram();
    change(b);
    auto executable = load(b);
    EXPECT_TRUE(executable) << error.message;
    auto result = executable->forward().run({floats({4}, iota(4))});
    EXPECT_FALSE(result);
    return result ? std::string() : result.error().message;
  };
  auto contains = [](const std::string &text, const std::string &part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  contains(attempt([](auto &b) { b.program.values[1].offset = b.integer(4); }),
           "multiple of 64, found 4");
  contains(attempt([](auto &b) {
             b.program.values[1].offset = b.integer(1 << 20);
           }),
           "in the arena");
  contains(attempt([](auto &b) { b.program.arenaBytes = b.integer(-1); }),
           "arena size");
  contains(attempt([](auto &b) {
             b.program.values[2].sizes = {b.integer(int64_t(1) << 50)};
           }),
           "step 1");
  contains(attempt([](auto &b) {
             std::get<LaunchStep>(b.program.steps[0]).workItems =
                 b.integer(-1);
           }),
           "work items");
  contains(attempt([](auto &b) {
             b.program.values[0].sizes = {b.integer(5)};
           }),
           "expected f32[5], found f32[4]");
  contains(attempt([](auto &b) {
             std::get<LaunchStep>(b.program.steps[0]).workItems =
                 b.expr(ExprBuilder().real(0.5).build());
           }),
           "expected an integer, found a float");
}

// A program without kernels, each byte of its encoding changed: what still
// decodes runs or ends in an error, and writes nowhere but into its own memory.
TEST_F(Programs, MutatedProgramsRunOrFail) {
  ProgramBuilder b;
  b.sizeSymbol("s0", 0, 0, 1, 100);
  uint32_t u0 = b.stepSymbol("u0");
  ExprId n = b.symbol(0), count = b.symbol(u0), zero = b.integer(0);
  ExprId two = b.integer(2);
  b.program.arenaBytes = b.integer(256);
  uint32_t slot = b.slot("x", {n});
  ValueId x = b.slotValue(slot);
  ValueId temp = b.arena(zero, {n});
  ValueId part = b.view(temp, two, {two}, {two});
  ValueId found = b.value(Value::Kind::Dynamic, {count}, DType::I64);
  ValueId fresh = b.value(Value::Kind::New, {two});
  b.call("test.scale", {tensorArg(x), {2.5}}, {temp});
  b.call("test.positive", {tensorArg(x)}, {found});
  b.program.steps.emplace_back(DefineSymbolStep{u0, found, 0});
  b.program.steps.emplace_back(CopyStep{part, fresh});
  b.output(fresh);
  b.output(part);
  b.output(temp, "x", Output::Role::InputMutation).aliasOfSlot = slot;
  std::vector<uint8_t> original;
  encodeProgram(b.program, original);
  unsigned ran = 0, failed = 0;
  auto attempt = [&](const std::vector<uint8_t> &bytes) {
    auto program = decodeProgram(bytes.data(), bytes.size());
    if (!program)
      return;
    Package package;
    package.programs.push_back(std::move(*program));
    auto executable = Executable::load(std::move(package), registry);
    if (!executable)
      return;
    auto result =
        (*executable)->forward().run({floats({6}, {1, -1, 2, 3, -4, 5})});
    ++(result ? ran : failed);
  };
  for (size_t i = 0; i < original.size(); ++i)
    for (uint8_t change : {0x01, 0x02, 0x04, 0x08, 0x40, 0x80, 0xff}) {
      std::vector<uint8_t> bytes = original;
      bytes[i] ^= change;
      attempt(bytes);
    }
  attempt(original);
  EXPECT_GT(ran, 100u);
  EXPECT_GT(failed, 50u);
}

TEST_F(Programs, SeveralThreadsMayCall) {
  ProgramBuilder b = arenaProgram();
  auto executable = load(b);
  ASSERT_TRUE(executable) << error.message;
  ThreadPool pool(2, 100);
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int c = 0; c < 4; ++c)
    callers.emplace_back([&, c] {
      RunOptions options;
      options.pool = &pool;
      for (int round = 0; round < 200; ++round) {
        int64_t n = 50 + 10 * c + round % 3;
        auto result = executable->forward().run(
            {floats({n}, iota(static_cast<size_t>(n)))}, options);
        if (!result ||
            valuesOf(tensorOf((*result)[0])).back() != 2 * (n - 1) + 3)
          ++wrong;
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Programs, WarmCallsCostLittle) {
  ProgramBuilder b = arenaProgram();
  auto executable = load(b);
  ASSERT_TRUE(executable) << error.message;
  std::vector<OpValue> inputs = {floats({16}, iota(16))};
  RunOptions options;
  options.reuseOutputs = true;
  options.inputsChecked = true;
  double best = 1e9;
  for (int attempt = 0; attempt < 10; ++attempt) {
    auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 2000; ++i)
      ASSERT_TRUE(executable->forward().run(inputs, options));
    std::chrono::duration<double, std::nano> time =
        std::chrono::steady_clock::now() - begin;
    best = std::min(best, time.count() / 2000);
  }
  std::printf("  call with two kernels of 16 elements: %.0f ns\n", best);
  EXPECT_LT(best, 100000);
}
