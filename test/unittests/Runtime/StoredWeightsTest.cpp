//===- StoredWeightsTest.cpp - Weights that lie in the package ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Package/SampleProgram.h"
#include "TestKernels.h"
#include "kiln/Runtime/Executable.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::runtime;
using namespace kiln::test;

/// A program whose slot 0 is stored with `values`; null on failure.
static std::shared_ptr<Executable> load(ProgramBuilder &b,
                                        std::vector<int64_t> sizes,
                                        const std::vector<float> &values) {
  std::vector<uint8_t> bytes(values.size() * 4);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  ConstantTensor constant{DType::F32, std::move(sizes),
                          SharedBytes::own(std::move(bytes))};
  Package package;
  package.programs.push_back(b.program);
  package.image = testImage();
  package.constants = {constant};
  auto loaded = Executable::load(std::move(package), OperatorRegistry());
  EXPECT_TRUE(loaded) << loaded.error().message;
  return loaded ? *loaded : nullptr;
}

static const Tensor &tensorOf(const OpValue &value) {
  return std::get<Tensor>(value.value);
}

TEST(StoredWeights, AreReturnedAsTheyAre) {
  ProgramBuilder b;
  ExprId two = b.integer(2);
  uint32_t slot = b.slot("w", {two});
  b.program.slots[slot].payload = 0;
  b.output(b.slotValue(slot)).aliasOfSlot = slot;
  auto executable = load(b, {2}, {1.5f, 2.5f});
  ASSERT_TRUE(executable);
  auto stored = executable->forward().run({OpValue()});
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(valuesOf(tensorOf((*stored)[0])), (std::vector<float>{1.5, 2.5}));
  Tensor own = floats({2}, {3, 4});
  auto given = executable->forward().run({own});
  ASSERT_TRUE(given) << given.error().message;
  EXPECT_EQ(tensorOf((*given)[0]).data(), own.data());
}

TEST(StoredWeights, HaveTheStridesOfTheProgram) {
  ProgramBuilder b;
  ExprId two = b.integer(2), three = b.integer(3);
  uint32_t slot = b.slot("w", {two, three});
  b.program.slots[slot].payload = 0;
  ValueId w = b.slotValue(slot);
  // Rows that are the same memory.
  b.program.values[w].strides = {b.integer(0), b.integer(1)};
  b.output(w);
  ValueId y = b.value(Value::Kind::New, {three});
  b.launch(kAddBuffers, {w, w, y}, {}, three);
  b.output(y);
  auto executable = load(b, {2, 3}, {1, 2, 3, 1, 2, 3});
  ASSERT_TRUE(executable);
  RunStats stats;
  RunOptions options;
  options.stats = &stats;
  auto result = executable->forward().run({OpValue()}, options);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(tensorOf((*result)[0]).strides(), (std::vector<int64_t>{0, 1}));
  EXPECT_TRUE(tensorOf((*result)[0]).storage()->readOnly());
  EXPECT_EQ(valuesOf(tensorOf((*result)[1])), (std::vector<float>{2, 4, 6}));
  EXPECT_EQ(stats.layoutCopies, 0u);
}
