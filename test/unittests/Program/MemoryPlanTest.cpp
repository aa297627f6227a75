//===- MemoryPlanTest.cpp - Places for buffers ----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Program/Transforms/MemoryPlan.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <functional>
#include <limits>
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
  MemoryPlan plan =
      planMemory({makeBuffer(65536, 0, 1), makeBuffer(32768, 1, 3),
                  makeBuffer(65536, 2, 3)});
  EXPECT_EQ(plan.places[0].offset, plan.places[2].offset);
  EXPECT_EQ(plan.staticBytes, 98304);
  EXPECT_EQ(plan.lowerBound, 98304);
  EXPECT_EQ(plan.withoutReuse, 163840);
}

TEST(MemoryPlan, BuffersThatAreApartShareNoByte) {
  std::vector<PlanBuffer> buffers = {
      makeBuffer(64, 0, 1), makeBuffer(64, 2, 3), makeBuffer(64, 4, 5)};
  EXPECT_EQ(planMemory(buffers).staticBytes, 64);
  // The last one may lie where the second was, or the first, but not these in one place.
  MemoryPlan plan = planMemory(buffers, [](unsigned earlier, unsigned later) {
    return earlier == 0 && later == 1;
  });
  EXPECT_EQ(plan.staticBytes, 128);
  EXPECT_NE(plan.places[0].offset, plan.places[1].offset);
}

TEST(MemoryPlan, WhatIsHandedOnIsApartAsAWhole) {
  PlanBuffer second = makeBuffer(64, 1, 2);
  second.overwrites = 0;
  MemoryPlan plan =
      planMemory({makeBuffer(64, 0, 1), second, makeBuffer(64, 3, 4)},
                 [](unsigned earlier, unsigned) { return earlier == 0; });
  EXPECT_EQ(plan.places[0].offset, plan.places[1].offset);
  EXPECT_NE(plan.places[1].offset, plan.places[2].offset);
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
      buffers.push_back(makeBuffer(1 + random() % 5000, i, i + random() % 10));
    MemoryPlan plan = planMemory(buffers);
    EXPECT_GE(plan.staticBytes, plan.lowerBound);
    EXPECT_LE(plan.staticBytes, plan.withoutReuse);
    for (unsigned i = 0; i < buffers.size(); ++i) {
      EXPECT_EQ(plan.places[i].offset % kArenaAlignment, 0);
      for (unsigned j = 0; j < i; ++j) {
        bool sameTime = buffers[i].first <= buffers[j].last &&
                        buffers[j].first <= buffers[i].last;
        bool apart =
            plan.places[i].offset >= plan.places[j].offset + buffers[j].bytes ||
            plan.places[j].offset >= plan.places[i].offset + buffers[i].bytes;
        EXPECT_TRUE(!sameTime || apart);
      }
    }
  }
}

/// The fewest bytes of any plan: some order of placing each buffer at the
/// lowest gap makes it, that of its offsets. Nothing is below `bound`.
static int64_t getOptimum(const std::vector<PlanBuffer> &buffers,
                          int64_t bound) {
  int64_t best = std::numeric_limits<int64_t>::max();
  std::vector<std::pair<unsigned, int64_t>> placed;
  std::function<void(int64_t)> extend = [&](int64_t bytes) {
    if (bytes >= best || best == bound)
      return;
    if (placed.size() == buffers.size()) {
      best = bytes;
      return;
    }
    for (unsigned i = 0; i < buffers.size(); ++i) {
      if (std::any_of(placed.begin(), placed.end(),
                      [&](auto &other) { return other.first == i; }))
        continue;
      std::vector<std::pair<int64_t, int64_t>> taken;
      for (auto [j, offset] : placed)
        if (buffers[i].first <= buffers[j].last &&
            buffers[j].first <= buffers[i].last)
          taken.push_back({offset, offset + alignBytes(buffers[j].bytes)});
      std::sort(taken.begin(), taken.end());
      int64_t offset = 0, size = alignBytes(buffers[i].bytes);
      for (auto [from, to] : taken) {
        if (from - offset >= size)
          break;
        offset = std::max(offset, to);
      }
      placed.push_back({i, offset});
      extend(std::max(bytes, offset + size));
      placed.pop_back();
    }
  };
  extend(0);
  return best;
}

TEST(MemoryPlan, SmallPlansAreWithinTheTwentiethPartOfTheBest) {
  std::mt19937 random(5);
  unsigned numBest = 0, numPlans = 400;
  for (unsigned round = 0; round < numPlans; ++round) {
    std::vector<PlanBuffer> buffers;
    unsigned steps = 3 + random() % 6;
    for (unsigned i = 0, count = 4 + random() % 4; i < count; ++i) {
      unsigned first = random() % steps;
      unsigned last = std::min(steps - 1, first + unsigned(random() % steps));
      buffers.push_back(makeBuffer(64 * (1 + random() % (round % 2 ? 12 : 100)),
                                   first, last));
    }
    MemoryPlan plan = planMemory(buffers);
    int64_t optimum = getOptimum(buffers, plan.lowerBound);
    int64_t found = plan.staticBytes;
    EXPECT_GE(found, optimum);
    EXPECT_LE(double(found), 1.05 * double(optimum)) << "round " << round;
    numBest += found == optimum;
  }
  EXPECT_GE(numBest, numPlans * 99 / 100);
}

TEST(MemoryPlan, LargePlansAreCloseToWhatIsLive) {
  // Many short lives, some long ones, few large: what a training step looks
  // like.
  std::mt19937 random(5);
  double sum = 0;
  for (unsigned round = 0; round < 20; ++round) {
    std::vector<PlanBuffer> buffers;
    for (unsigned i = 0; i < 300; ++i)
      buffers.push_back(
          makeBuffer(64 * (1 + random() % 1000) * (random() % 4 ? 1 : 16), i,
                     i + 1 + random() % (random() % 8 ? 4 : 100)));
    MemoryPlan plan = planMemory(buffers);
    sum += double(plan.staticBytes) / double(plan.lowerBound);
  }
  EXPECT_LE(sum / 20, 1.025);
}

TEST(MemoryPlan, EqualProblemsHaveEqualPlans) {
  std::mt19937 random(9);
  std::vector<PlanBuffer> buffers;
  for (unsigned i = 0; i < 60; ++i)
    buffers.push_back(makeBuffer(1 + random() % 9000, i, i + random() % 20));
  MemoryPlan first = planMemory(buffers), second = planMemory(buffers);
  for (unsigned i = 0; i < buffers.size(); ++i)
    EXPECT_EQ(first.places[i].offset, second.places[i].offset);
}
