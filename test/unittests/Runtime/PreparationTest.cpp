//===- PreparationTest.cpp - What depends on weights alone ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Package/SampleProgram.h"
#include "TestKernels.h"
#include "kiln/Package/Verifier.h"
#include "kiln/Runtime/Executable.h"
#include "kiln/Runtime/MemoryUse.h"

#include <gtest/gtest.h>
#include <thread>

using namespace kiln;
using namespace kiln::runtime;
using namespace kiln::test;

namespace {

/// y = x + (w + 1), where the sum in brackets is prepared. With `changes`, the
/// new contents of input x are y.
ProgramBuilder sumProgram(bool changes = false) {
  ProgramBuilder b;
  ExprId two = b.integer(2), one = b.integer(1);
  uint32_t x = b.slot("x", {two}), w = b.slot("w", {two});
  b.program.slots[w].kind = Slot::Kind::Parameter;
  ValueId input = b.slotValue(x), weight = b.slotValue(w);
  ValueId prepared = b.value(Value::Kind::Prepared, {two});
  b.launch(kAddSymbol, {weight, prepared}, {one}, two).writes = {1};
  ValueId y = b.value(Value::Kind::New, {two});
  b.launch(kAddBuffers, {input, prepared, y}, {}, two).writes = {2};
  if (changes)
    b.output(y, "y", Output::Role::InputMutation).aliasOfSlot = x;
  else
    b.output(y);
  return b;
}

/// The same of a package that has w + 1, and not w.
ProgramBuilder frozenProgram(bool changes = false) {
  ProgramBuilder b = sumProgram(changes);
  b.program.slots[1].path = "fc.weight";
  b.program.slots[1].isFrozen = true;
  b.program.values[2].slot = 0;
  return b;
}

ConstantTensor constantOf(const std::vector<float> &values) {
  auto *begin = reinterpret_cast<const uint8_t *>(values.data());
  return {
      DType::F32,
      {static_cast<int64_t>(values.size())},
      SharedBytes::own(std::vector<uint8_t>(begin, begin + values.size() * 4))};
}

std::shared_ptr<Executable> load(const ProgramBuilder &b,
                                 std::vector<ConstantTensor> constants = {}) {
  Package package;
  package.programs.push_back(b.program);
  package.image = testImage();
  package.constants = std::move(constants);
  auto loaded = Executable::load(std::move(package), OperatorRegistry());
  EXPECT_TRUE(loaded) << loaded.error().message;
  return loaded ? *loaded : nullptr;
}

/// What a call gives, and how many kernels it launched.
struct Call {
  std::vector<float> values;
  uint64_t launches = 0;
};

Call call(Executable &executable, const Tensor &x, const OpValue &w,
          std::atomic<uint64_t> *version) {
  RunStats stats;
  RunOptions options;
  options.stats = &stats;
  options.weightsVersion = version;
  auto result = executable.forward().run({x, w}, options);
  EXPECT_TRUE(result) << result.error().message;
  if (!result)
    return {};
  return {valuesOf(std::get<Tensor>((*result)[0].value)), stats.kernels};
}

using Floats = std::vector<float>;

} // namespace

TEST(Preparation, RunsOnceForAVersionOfTheWeights) {
  auto executable = load(sumProgram());
  ASSERT_TRUE(executable);
  std::atomic<uint64_t> version{1};
  Tensor x = floats({2}, {1, 2}), w = floats({2}, {10, 20});
  Call first = call(*executable, x, w, &version);
  EXPECT_EQ(first.values, (Floats{12, 23}));
  EXPECT_EQ(first.launches, 2u);
  Call second = call(*executable, floats({2}, {3, 4}), w, &version);
  EXPECT_EQ(second.values, (Floats{14, 25}));
  EXPECT_EQ(second.launches, 1u);
  // Others in the same memory, said by the version; then others in other
  // memory.
  w.dataAs<float>()[0] = 100;
  ++version;
  EXPECT_EQ(call(*executable, x, w, &version).values, (Floats{102, 23}));
  Tensor other = floats({2}, {0, 0});
  EXPECT_EQ(call(*executable, x, other, &version).values, (Floats{2, 3}));
}

TEST(Preparation, IsReadWhereThatOfTheCallIs) {
  auto executable = load(sumProgram());
  ASSERT_TRUE(executable);
  std::atomic<uint64_t> version{1};
  Tensor x = floats({2}, {1, 2}), w = floats({2}, {10, 20});
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(call(*executable, x, w, &version).values, (Floats{12, 23}));
  // Beside what others have: memory of this call alone.
  w.dataAs<float>()[0] = 100;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(call(*executable, x, w, nullptr).values, (Floats{102, 23}));
    EXPECT_EQ(call(*executable, x, w, &version).values, (Floats{12, 23}));
  }
  ++version;
  EXPECT_EQ(call(*executable, x, w, &version).values, (Floats{102, 23}));
}

TEST(Preparation, LetsGoOfWhatItAloneReads) {
  // y = x + ((w + 1) + 1): of 1 MiB each, of which one stays.
  ProgramBuilder b;
  const int64_t count = 1 << 18;
  ExprId size = b.integer(count), one = b.integer(1);
  uint32_t x = b.slot("x", {size}), w = b.slot("w", {size});
  b.program.slots[w].kind = Slot::Kind::Parameter;
  ValueId input = b.slotValue(x), weight = b.slotValue(w);
  ValueId passing = b.value(Value::Kind::Prepared, {size});
  ValueId stays = b.value(Value::Kind::Prepared, {size});
  b.launch(kAddSymbol, {weight, passing}, {one}, size).writes = {1};
  b.launch(kAddSymbol, {passing, stays}, {one}, size).writes = {1};
  ValueId y = b.value(Value::Kind::New, {size});
  b.launch(kAddBuffers, {input, stays, y}, {}, size).writes = {2};
  b.output(y);
  auto executable = load(b);
  ASSERT_TRUE(executable);
  std::atomic<uint64_t> version{1};
  Tensor ones = floats({count}, std::vector<float>(count, 1));
  const int64_t before = memoryUse().currentBytes;
  for (uint64_t launches : {3, 1, 1}) {
    Call result = call(*executable, ones, ones, &version);
    EXPECT_EQ(result.launches, launches);
    EXPECT_EQ(result.values, std::vector<float>(count, 4));
    EXPECT_LT(memoryUse().currentBytes - before, int64_t(3) << 19);
  }
  ++version;
  EXPECT_EQ(call(*executable, ones, ones, &version).launches, 3u);
}

TEST(Preparation, RunsInEachCallWhereNothingIsSaidOfWeights) {
  auto executable = load(sumProgram());
  ASSERT_TRUE(executable);
  Tensor x = floats({2}, {1, 2}), w = floats({2}, {10, 20});
  EXPECT_EQ(call(*executable, x, w, nullptr).values, (Floats{12, 23}));
  w.dataAs<float>()[1] = 0;
  Call second = call(*executable, x, w, nullptr);
  EXPECT_EQ(second.values, (Floats{12, 3}));
  EXPECT_EQ(second.launches, 2u);
}

TEST(Preparation, IsMadeAgainWhereAnInputIsTheWeight) {
  auto executable = load(sumProgram(/*changes=*/true));
  ASSERT_TRUE(executable);
  std::atomic<uint64_t> version{1};
  Tensor w = floats({2}, {10, 20}), x = floats({2}, {1, 2});
  EXPECT_EQ(call(*executable, x, w, &version).values, (Floats{12, 23}));
  // The call reads what the weight held, and writes over it.
  EXPECT_EQ(call(*executable, w, w, &version).values, (Floats{21, 41}));
  EXPECT_EQ(valuesOf(w), (Floats{21, 41}));
  EXPECT_EQ(call(*executable, floats({2}, {0, 0}), w, &version).values,
            (Floats{22, 42}));
}

TEST(Preparation, GivesOutWeightsToReadAlone) {
  ProgramBuilder b = sumProgram();
  ExprId one = b.integer(1);
  b.output(1, "w");
  ValueId view = b.value(Value::Kind::View, {one});
  b.program.values[view].base = 1;
  b.program.values[view].offset = one;
  b.output(view, "v");
  b.output(0, "x");
  auto executable = load(b);
  ASSERT_TRUE(executable);
  std::atomic<uint64_t> version{1};
  Tensor x = floats({2}, {1, 2}), w = floats({2}, {10, 20});
  auto isReadOnly = [](const OpValue &value) {
    return std::get<Tensor>(value.value).storage()->readOnly();
  };
  RunOptions options;
  options.weightsVersion = &version;
  auto result = executable->forward().run({x, w}, options);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(isReadOnly((*result)[0]));
  EXPECT_TRUE(isReadOnly((*result)[1]));
  EXPECT_TRUE(isReadOnly((*result)[2]));
  EXPECT_FALSE(isReadOnly((*result)[3]));
  EXPECT_EQ(valuesOf(std::get<Tensor>((*result)[1].value)), (Floats{10, 20}));
  EXPECT_EQ(valuesOf(std::get<Tensor>((*result)[2].value)), (Floats{20}));
  // Nor does another program write to it.
  auto changing = load(sumProgram(/*changes=*/true));
  ASSERT_TRUE(changing);
  EXPECT_FALSE(changing->forward().run({(*result)[1], w}, options));
  EXPECT_EQ(call(*executable, x, w, &version).values, (Floats{12, 23}));
}

TEST(Preparation, LeavesNothingBehindWhenItFails) {
  auto executable = load(sumProgram());
  ASSERT_TRUE(executable);
  std::atomic<uint64_t> version{1};
  RunOptions options;
  options.weightsVersion = &version;
  // A weight of another type is found where the preparation reads it.
  options.inputsChecked = true;
  Tensor x = floats({2}, {1, 2}), w = floats({2}, {10, 20});
  auto wrong = Tensor::empty(DType::F64, {2});
  EXPECT_FALSE(executable->forward().run({x, *wrong}, options));
  EXPECT_EQ(call(*executable, x, w, &version).values, (Floats{12, 23}));
  EXPECT_FALSE(executable->forward().run({x, OpValue()}, options));
  Call last = call(*executable, x, w, &version);
  EXPECT_EQ(last.values, (Floats{12, 23}));
}

TEST(Preparation, IsSharedByThreads) {
  auto executable = load(sumProgram());
  ASSERT_TRUE(executable);
  std::atomic<uint64_t> version{1};
  Tensor w = floats({2}, {10, 20});
  std::atomic<uint64_t> launches{0};
  std::vector<std::thread> threads;
  for (int n = 0; n < 4; ++n)
    threads.emplace_back([&, n] {
      for (int i = 0; i < 50; ++i) {
        Call got =
            call(*executable, floats({2}, {float(n), float(i)}), w, &version);
        EXPECT_EQ(got.values, (Floats{float(n) + 11, float(i) + 21}));
        launches += got.launches;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(launches, 201u);
}

TEST(Preparation, ComesWithThePackage) {
  // Not what the weight would give, so that it is seen where it is from.
  auto executable = load(frozenProgram(), {constantOf({100, 200})});
  ASSERT_TRUE(executable);
  std::atomic<uint64_t> version{1};
  Tensor x = floats({2}, {1, 2}), w = floats({2}, {10, 20});
  for (std::atomic<uint64_t> *known :
       {&version, static_cast<std::atomic<uint64_t> *>(nullptr)}) {
    Call stored = call(*executable, x, OpValue(), known);
    EXPECT_EQ(stored.values, (Floats{101, 202}));
    EXPECT_EQ(stored.launches, 1u);
  }
  // Of a weight that is passed it is computed, and nothing is left of that
  // behind it.
  Call given = call(*executable, x, w, &version);
  EXPECT_EQ(given.values, (Floats{12, 23}));
  EXPECT_EQ(given.launches, 2u);
  EXPECT_EQ(call(*executable, x, w, &version).launches, 1u);
  ++version;
  EXPECT_EQ(call(*executable, x, OpValue(), &version).values,
            (Floats{101, 202}));
  // So it is where a call writes to other memory.
  auto changing = load(frozenProgram(/*changes=*/true), {constantOf({5, 6})});
  ASSERT_TRUE(changing);
  EXPECT_EQ(call(*changing, x, OpValue(), &version).values, (Floats{6, 8}));
  EXPECT_EQ(call(*changing, x, OpValue(), &version).values, (Floats{11, 14}));
}

// z = x + (w + v), where one of the two that are in brackets is given.
TEST(Preparation, OfFrozenWeightsTakesAllOfThem) {
  ProgramBuilder b;
  ExprId two = b.integer(2);
  uint32_t x = b.slot("x", {two});
  ValueId input = b.slotValue(x);
  std::vector<ValueId> weights;
  for (const char *name : {"w", "v"}) {
    uint32_t slot = b.slot(name, {two});
    b.program.slots[slot].kind = Slot::Kind::Parameter;
    b.program.slots[slot].path = name;
    b.program.slots[slot].isFrozen = true;
    weights.push_back(b.slotValue(slot));
  }
  ValueId prepared = b.value(Value::Kind::Prepared, {two});
  b.program.values[prepared].slot = 0;
  b.launch(kAddBuffers, {weights[0], weights[1], prepared}, {}, two).writes = {
      2};
  ValueId z = b.value(Value::Kind::New, {two});
  b.launch(kAddBuffers, {input, prepared, z}, {}, two).writes = {2};
  b.output(z);
  auto executable = load(b, {constantOf({7, 8})});
  ASSERT_TRUE(executable);
  std::atomic<uint64_t> version{1};
  RunOptions options;
  options.weightsVersion = &version;
  Tensor zeros = floats({2}, {0, 0}), w = floats({2}, {1, 2});
  auto half = executable->forward().run({zeros, w, OpValue()}, options);
  ASSERT_FALSE(half);
  EXPECT_EQ(half.error().kind, ErrorKind::Usage);
  EXPECT_EQ(half.error().message,
            "weight 'v' is frozen and has no contents beside new ones of "
            "others; expected new ones of all");
  auto whole = executable->forward().run({zeros, w, w}, options);
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_EQ(valuesOf(std::get<Tensor>((*whole)[0].value)), (Floats{2, 4}));
  auto none = executable->forward().run({zeros, OpValue(), OpValue()}, options);
  ASSERT_TRUE(none) << none.error().message;
  EXPECT_EQ(valuesOf(std::get<Tensor>((*none)[0].value)), (Floats{7, 8}));
}

TEST(Preparation, RunsAloneOnWhatIsStored) {
  ProgramBuilder b = sumProgram();
  b.program.slots[1].payload = 0;
  auto executable = load(b, {constantOf({3, 4})});
  ASSERT_TRUE(executable);
  std::vector<bool> wanted = package::findLasting(b.program);
  EXPECT_EQ(wanted, (std::vector<bool>{false, false, true, false}));
  auto tensors = executable->forward().prepare(wanted);
  ASSERT_TRUE(tensors) << tensors.error().message;
  EXPECT_EQ(valuesOf((*tensors)[2]), (Floats{4, 5}));
  EXPECT_FALSE((*tensors)[3].defined());
  auto without = load(sumProgram());
  ASSERT_TRUE(without);
  EXPECT_FALSE(without->forward().prepare(wanted));
}

TEST(Preparation, ThatIsStoredIsWhole) {
  auto complaint = [](const ProgramBuilder &b,
                      std::vector<ConstantTensor> constants) {
    Package package;
    package.programs.push_back(b.program);
    package.image = testImage();
    package.constants = std::move(constants);
    Status s = package::verifyPackage(package);
    return s ? std::string() : s.error().message;
  };
  ConstantTensor sum = constantOf({100, 200});
  EXPECT_EQ(complaint(frozenProgram(), {sum}), "");
  auto has = [&](const ProgramBuilder &b, std::vector<ConstantTensor> constants,
                 const char *text) {
    std::string found = complaint(b, std::move(constants));
    EXPECT_NE(found.find(text), std::string::npos) << found;
  };
  const char *whole = "value 2: constant 0 has";
  has(frozenProgram(), {constantOf({1})}, whole);
  has(frozenProgram(), {constantOf({1, 2, 3})}, whole);
  has(frozenProgram(), {{DType::F32, {1, 2}, sum.bytes}}, whole);
  has(frozenProgram(), {{DType::I32, {2}, sum.bytes}}, whole);
  has(frozenProgram(), {}, "value 2: constant 0 does not exist");

  const char *frozen = "slot 'w' is frozen, expected a weight that preparation "
                       "alone reads, and what that makes of it";
  ProgramBuilder nothing = frozenProgram();
  nothing.program.values[2].slot = package::kNone;
  has(nothing, {}, frozen);
  ProgramBuilder both = frozenProgram();
  both.program.slots[1].payload = 0;
  has(both, {sum}, frozen);
  ProgramBuilder returned = frozenProgram();
  returned.output(1, "w");
  has(returned, {sum}, frozen);
  ProgramBuilder passed = frozenProgram();
  passed.call("aten.neg.default", {tensorArg(1)}, {});
  has(passed, {sum}, frozen);
  ProgramBuilder read = frozenProgram();
  read.launch(kAddBuffers, {0, 1, 3}, {}, read.integer(2)).writes = {2};
  has(read, {sum}, frozen);
  ProgramBuilder input = frozenProgram();
  input.program.slots[0].isFrozen = true;
  has(input, {sum}, "slot 'x' is frozen");

  // Of two that calls read, one is stored.
  ProgramBuilder half = frozenProgram();
  ExprId two = half.integer(2);
  ValueId other = half.value(Value::Kind::Prepared, {two});
  half.launch(kAddSymbol, {1, other}, {half.integer(1)}, two).writes = {1};
  EXPECT_EQ(complaint(half, {sum}), "");
  half.launch(kAddBuffers, {0, other, 3}, {}, two).writes = {2};
  has(half, {sum}, "value 4 is prepared and not stored, as others are");
  ProgramBuilder passing = frozenProgram();
  ValueId unread = passing.value(Value::Kind::Prepared, {passing.integer(2)});
  passing.program.values[unread].slot = 1;
  has(passing, {sum, constantOf({1, 2})}, "value 4 is stored and passes");
}

TEST(Preparation, OfWhatMayChangeIsRefused) {
  auto complaint = [](const ProgramBuilder &b) {
    Status s = package::verifyProgram(b.program);
    return s ? std::string() : s.error().message;
  };
  EXPECT_EQ(complaint(sumProgram()), "");
  auto has = [&](const ProgramBuilder &b, const char *text) {
    std::string found = complaint(b);
    EXPECT_NE(found.find(text), std::string::npos) << found;
  };
  ProgramBuilder ofInput = sumProgram();
  ofInput.program.slots[1].kind = Slot::Kind::UserInput;
  has(ofInput, "expected a weight that stays");
  ProgramBuilder changed = sumProgram();
  changed
      .output(changed.program.outputs[0].value, "w",
              Output::Role::ParameterMutation)
      .aliasOfSlot = 1;
  has(changed, "expected a weight that stays");
  // Written by steps of the program: launch, copy, operator, by another name.
  ProgramBuilder launched = sumProgram();
  launched
      .launch(kAddSymbol, {0, 1}, {launched.integer(1)}, launched.integer(2))
      .writes = {1};
  has(launched, "expected a weight that stays");
  ProgramBuilder copied = sumProgram();
  copied.program.steps.push_back(package::CopyStep{0, 1});
  has(copied, "expected a weight that stays");
  ProgramBuilder called = sumProgram();
  called.call("aten.relu_.default", {tensorArg(1)}, {});
  has(called, "expected a weight that stays");
  ProgramBuilder behind = sumProgram();
  ValueId view = behind.value(Value::Kind::Dynamic, {});
  behind.call("test.same.default", {tensorArg(1)}, {view});
  EXPECT_EQ(complaint(behind), "");
  behind.program.steps.push_back(package::CopyStep{0, view});
  has(behind, "expected a weight that stays");
  ProgramBuilder returned = sumProgram();
  returned.output(2, "z");
  has(returned, "a prepared value is returned");
  ProgramBuilder passed = sumProgram();
  passed.call("test.same", {tensorArg(2)},
              {passed.value(Value::Kind::Dynamic, {})});
  has(passed, "passed to a call");
  ProgramBuilder twice = sumProgram();
  twice.program.steps.push_back(twice.program.steps.front());
  has(twice, "prepared twice");
  ProgramBuilder symbolic = sumProgram();
  symbolic.sizeSymbol("s0", 0, 0);
  std::get<LaunchStep>(symbolic.program.steps[0]).workItems =
      symbolic.symbol(0);
  has(symbolic, "depends on symbols");
  // There is no storage of the call yet.
  ProgramBuilder lent = sumProgram();
  package::GridStep grid;
  grid.buffers = {1, 2, lent.value(Value::Kind::Prepared, {lent.integer(2)})};
  grid.writes = {1, 2};
  grid.hasWorkspace = true;
  grid.parts.resize(1);
  grid.parts[0].blocks = lent.integer(1);
  grid.parts[0].threads = 1;
  lent.program.steps[0] = grid;
  EXPECT_EQ(complaint(lent), "");
  ProgramBuilder own = lent;
  std::get<package::GridStep>(own.program.steps[0]).buffers[2] =
      own.value(Value::Kind::New, {own.integer(2)});
  has(own, "is written with what is prepared");
  ProgramBuilder mixed = sumProgram();
  auto &launch = std::get<LaunchStep>(mixed.program.steps[0]);
  launch.buffers.push_back(mixed.value(Value::Kind::New, {mixed.integer(2)}));
  launch.writes = {1, 2};
  has(mixed, "is written with what is prepared");
}
