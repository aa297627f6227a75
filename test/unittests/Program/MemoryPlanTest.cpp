//===- MemoryPlanTest.cpp - Places for buffers ----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Program/Transforms/MemoryPlan.h"

#include "gtest/gtest.h"

#include <random>

using namespace kiln::program;

static PlanBuffer makeBuffer(int64_t bytes, unsigned first, unsigned last) {
  PlanBuffer buffer;
  buffer.bytes = bytes;
  buffer.first = first;
  buffer.last = last;
  return buffer;
}

TEST(MemoryPlan, NothingNeedsNoArena) {
  MemoryPlan plan = planMemory({});
  EXPECT_EQ(plan.staticBytes, 0);
  EXPECT_EQ(plan.lowerBound, 0);
}

TEST(MemoryPlan, ReusesThePlaceOfADeadBuffer) {
  MemoryPlan plan = planMemory({makeBuffer(65536, 0, 1),
                                makeBuffer(32768, 1, 3),
                                makeBuffer(65536, 2, 3)});
  EXPECT_EQ(plan.places[0].offset, plan.places[2].offset);
  EXPECT_EQ(plan.staticBytes, 98304);
  EXPECT_EQ(plan.lowerBound, 98304);
  EXPECT_EQ(plan.withoutReuse, 163840);
}

TEST(MemoryPlan, ABufferThatIsReadIsNotOverwritten) {
  // Both are live in step 1.
  MemoryPlan plan = planMemory({makeBuffer(64, 0, 1), makeBuffer(64, 1, 2)});
  EXPECT_NE(plan.places[0].offset, plan.places[1].offset);
}

TEST(MemoryPlan, OverwritesElementByElementWhereAllowed) {
  PlanBuffer second = makeBuffer(64, 1, 2);
  second.overwrites = 0;
  MemoryPlan plan = planMemory({makeBuffer(64, 0, 1), second});
  EXPECT_TRUE(plan.places[1].inPlace);
  EXPECT_EQ(plan.places[0].offset, plan.places[1].offset);
  EXPECT_EQ(plan.staticBytes, 64);
}

TEST(MemoryPlan, OverwritesOnceOnly) {
  PlanBuffer b = makeBuffer(64, 1, 2), c = makeBuffer(64, 1, 2);
  b.overwrites = c.overwrites = 0;
  MemoryPlan plan = planMemory({makeBuffer(64, 0, 1), b, c});
  EXPECT_NE(plan.places[1].offset, plan.places[2].offset);
}

TEST(MemoryPlan, SymbolicSizesShareOnlyWithTheirEqual) {
  PlanBuffer a = makeBuffer(64, 0, 1), b = makeBuffer(64, 2, 3),
             c = makeBuffer(64, 4, 5);
  a.symbolicSize = 0;
  b.symbolicSize = 1;
  c.symbolicSize = 0;
  MemoryPlan plan = planMemory({a, b, c});
  EXPECT_EQ(*plan.places[0].slot, *plan.places[2].slot);
  EXPECT_NE(*plan.places[0].slot, *plan.places[1].slot);
  EXPECT_EQ(plan.slotSizes.size(), 2u);
}

TEST(MemoryPlan, RandomPlansHaveNoOverlapAndStayAboveTheBound) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<PlanBuffer> buffers;
    for (unsigned i = 0; i < 40; ++i)
      buffers.push_back(
          makeBuffer(1 + random() % 5000, i, i + random() % 10));
    MemoryPlan plan = planMemory(buffers);
    EXPECT_GE(plan.staticBytes, plan.lowerBound);
    EXPECT_LE(plan.staticBytes, plan.withoutReuse);
    for (unsigned i = 0; i < buffers.size(); ++i) {
      EXPECT_EQ(plan.places[i].offset % kArenaAlignment, 0);
      for (unsigned j = 0; j < i; ++j) {
        bool sameTime = buffers[i].first <= buffers[j].last &&
                        buffers[j].first <= buffers[i].last;
        bool apart = plan.places[i].offset >=
                         plan.places[j].offset + buffers[j].bytes ||
                     plan.places[j].offset >=
                         plan.places[i].offset + buffers[i].bytes;
        EXPECT_TRUE(!sameTime || apart);
      }
    }
  }
}
