//===- KnownInputsTest.cpp - What is the same as in the last call ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Runtime/KnownInputs.h"
#include "TestKernels.h"

#include <gtest/gtest.h>

#include <limits>

using namespace kiln;
using namespace kiln::runtime;
using namespace kiln::test;

using Slots = std::vector<uint32_t>;

static Tensor eight() { return floats({8}, std::vector<float>(8)); }

TEST(KnownInputs, ViewsOfTheSameStorageAreTheSame) {
  Tensor x = floats({4, 2}, std::vector<float>(8));
  KnownInputs known;
  known.update({x, int64_t(1)});
  EXPECT_EQ(known.changed(), (Slots{0, 1}));
  EXPECT_FALSE(known.hasSameLayouts());
  known.update({x, int64_t(1)});
  EXPECT_EQ(known.changed(), Slots());
  EXPECT_TRUE(known.hasSameLayouts());
  // A handle of its own.
  known.update({x.asStrided({4, 2}, {2, 1}, 0), int64_t(1)});
  EXPECT_EQ(known.changed(), Slots());

  known.forget();
  known.update({x, int64_t(1)});
  EXPECT_EQ(known.changed(), (Slots{0, 1}));
  EXPECT_FALSE(known.hasSameLayouts());
}

TEST(KnownInputs, OtherPlacesAndOtherLayouts) {
  Tensor x = floats({4, 2}, std::vector<float>(8));
  const auto small = [&](int64_t offset) {
    return x.asStrided({2, 2}, {2, 1}, offset);
  };
  KnownInputs known;
  known.update({x, small(0)});
  auto isMoved = [&](const OpValue &second) {
    known.update({x, second});
    EXPECT_EQ(known.changed(), Slots{1});
    return known.hasSameLayouts();
  };
  EXPECT_TRUE(isMoved(small(4)));
  EXPECT_TRUE(isMoved(floats({2, 2}, {1, 2, 3, 4})));
  EXPECT_FALSE(isMoved(x.asStrided({2, 2}, {1, 2}, 0))); // strides
  EXPECT_FALSE(isMoved(x.asStrided({2, 3}, {1, 2}, 0))); // sizes
  EXPECT_FALSE(
      isMoved(*Tensor::view(x.storage(), DType::I32, {2, 3}, {1, 2}, 0)));
  EXPECT_FALSE(isMoved(OpValue()));
  EXPECT_FALSE(isMoved(x.asStrided({2, 3}, {1, 2}, 0)));
  EXPECT_FALSE(isMoved(int64_t(3)));
  // More of them, or fewer.
  known.update({x});
  EXPECT_EQ(known.changed(), Slots{0});
  EXPECT_FALSE(known.hasSameLayouts());
}

TEST(KnownInputs, NumbersAreTheSameByKindAndBits) {
  KnownInputs known;
  auto isSame = [&](const OpValue &value) {
    known.update({value});
    EXPECT_EQ(known.changed().empty(), known.hasSameLayouts());
    return known.changed().empty();
  };
  isSame(int64_t(1));
  EXPECT_TRUE(isSame(int64_t(1)));
  EXPECT_FALSE(isSame(int64_t(2)));
  EXPECT_FALSE(isSame(2.0));
  EXPECT_TRUE(isSame(2.0));
  EXPECT_FALSE(isSame(true));
  EXPECT_FALSE(isSame(int64_t(1)));
  EXPECT_FALSE(isSame(0.0));
  EXPECT_FALSE(isSame(-0.0));
  EXPECT_FALSE(isSame(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_TRUE(isSame(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(isSame(OpValue()));
  EXPECT_TRUE(isSame(OpValue()));
  // Nobody looks into these.
  EXPECT_FALSE(isSame(std::string("mean")));
  EXPECT_FALSE(isSame(std::string("mean")));
}

TEST(KnownInputs, AStorageInThePlaceOfAnotherIsAnother) {
  float memory[16] = {};
  KnownInputs known;
  auto call = [&](size_t elements) {
    auto storage = Storage::borrow(memory, elements * sizeof(float), nullptr);
    OpValue input = *Tensor::view(storage, DType::F32, {4}, {1}, 0);
    storage.reset();
    known.update({input});
    EXPECT_EQ(std::get<Tensor>(input.value).storage().use_count(), 1)
        << "kept alive";
  };
  // The system gives the same memory for the next one, as a rule.
  for (size_t i = 0; i < 20; ++i) {
    call(i % 2 ? 16 : 4);
    EXPECT_EQ(known.changed(), Slots{0}) << i;
    EXPECT_EQ(known.hasSameLayouts(), i != 0);
  }
}

TEST(KnownInputs, WhatIsWrittenMayShareMemory) {
  Tensor w = eight(), x = eight(), y = eight();
  OpValue head = w.asStrided({4}, {1}, 0), tail = w.asStrided({4}, {1}, 4);
  KnownInputs known({true, false});
  known.update({w, x, y});
  EXPECT_FALSE(known.overlaps());
  known.update({w, x, x}); // none of the two is written
  EXPECT_FALSE(known.overlaps());
  known.update({w, x, w});
  EXPECT_EQ(known.changed(), Slots{2});
  EXPECT_TRUE(known.overlaps());
  known.update({w, x, w});
  EXPECT_EQ(known.changed(), Slots());
  EXPECT_TRUE(known.overlaps());
  known.update({w, w, y}); // another one does
  EXPECT_TRUE(known.overlaps());
  known.update({w, x, y});
  EXPECT_FALSE(known.overlaps());
  known.update({head, tail, y}); // neighbours
  EXPECT_FALSE(known.overlaps());
  known.update({head, w.asStrided({4}, {1}, 3), y});
  EXPECT_TRUE(known.overlaps());
  known.update({head, w.asStrided({0}, {1}, 3), y});
  EXPECT_FALSE(known.overlaps());
  known.update({y, w.asStrided({0}, {1}, 3), y}); // what is written moves
  EXPECT_EQ(known.changed(), Slots{0});
  EXPECT_TRUE(known.overlaps());
}

// Each of many that are written is found by one that is read, wherever it lies.
TEST(KnownInputs, OneThatMovesMeetsThoseThatAreWritten) {
  constexpr int64_t kWritten = 5;
  Tensor all = floats({32}, std::vector<float>(32));
  std::vector<OpValue> inputs;
  std::vector<bool> written;
  for (int64_t i = 0; i < kWritten; ++i) { // 4 of each 6, from 1 on
    inputs.emplace_back(all.asStrided({4}, {1}, 6 * (kWritten - 1 - i) + 1));
    written.push_back(true);
  }
  KnownInputs known(written);
  for (int64_t begin = 0; begin < 30; ++begin)
    for (int64_t size = 1; size <= 2; ++size) {
      inputs.resize(kWritten);
      inputs.emplace_back(all.asStrided({size}, {1}, begin));
      known.update(inputs);
      auto isWritten = [](int64_t at) { return at % 6 >= 1 && at % 6 <= 4; };
      EXPECT_EQ(known.overlaps(),
                isWritten(begin) || (size == 2 && isWritten(begin + 1)))
          << begin << " " << size;
    }
}
