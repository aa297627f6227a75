//===- KnapsackTest.cpp - The frontier against all choices ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Joint/Transforms/Knapsack.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <random>

using namespace kiln::joint;

namespace {

using Items = std::vector<std::vector<Tradeoff>>;

Tradeoff sumOf(const Items &items, const std::vector<int> &states) {
  Tradeoff sum;
  for (size_t i = 0; i < items.size(); ++i) {
    sum.bytes += items[i][states[i]].bytes;
    sum.cost += items[i][states[i]].cost;
  }
  return sum;
}

/// The best sum by trying every choice; that of fewest bytes if none fits.
Tradeoff bestSum(const Items &items, int64_t capacity) {
  std::vector<int> states(items.size(), 0);
  Tradeoff best, smallest;
  bool fits = false, any = false;
  while (true) {
    Tradeoff sum = sumOf(items, states);
    auto isBetter = [&](const Tradeoff &than) {
      return sum.cost != than.cost ? sum.cost < than.cost
                                   : sum.bytes < than.bytes;
    };
    if (sum.bytes <= capacity && (!fits || isBetter(best))) {
      best = sum;
      fits = true;
    }
    if (!any || sum.bytes < smallest.bytes ||
        (sum.bytes == smallest.bytes && sum.cost < smallest.cost))
      smallest = sum;
    any = true;
    size_t i = 0;
    while (i < items.size() &&
           ++states[i] == static_cast<int>(items[i].size()))
      states[i++] = 0;
    if (i == items.size())
      break;
  }
  return fits ? best : smallest;
}

TEST(KnapsackTest, KeepsWhatCostsMost) {
  Knapsack sack({{{100, 0}, {0, 7}}, {{60, 0}, {0, 2}}});
  EXPECT_EQ(sack.choose(160), (std::vector<int>{0, 0}));
  EXPECT_EQ(sack.choose(120), (std::vector<int>{0, 1}));
  EXPECT_EQ(sack.choose(99), (std::vector<int>{1, 0}));
  EXPECT_EQ(sack.choose(0), (std::vector<int>{1, 1}));
}

TEST(KnapsackTest, TakesTheFewestBytesIfNothingFits) {
  Knapsack sack({{{100, 0}, {40, 7}}});
  EXPECT_EQ(sack.choose(10), std::vector<int>{1});
  EXPECT_EQ(Knapsack({}).choose(-1), std::vector<int>{});
}

TEST(KnapsackTest, AgreesWithAllChoicesOfRandomItems) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    Items items(1 + random() % 7);
    int64_t most = 0;
    for (std::vector<Tradeoff> &item : items) {
      item.resize(1 + random() % 4);
      int64_t largest = 0;
      for (Tradeoff &state : item) {
        state = {static_cast<int64_t>(random() % 50),
                 static_cast<int64_t>(random() % 30)};
        largest = std::max(largest, state.bytes);
      }
      most += largest;
    }
    Knapsack sack(items);
    for (int64_t capacity = -1; capacity <= most; capacity += 1 + most / 16) {
      Tradeoff found = sumOf(items, sack.choose(capacity));
      Tradeoff best = bestSum(items, capacity);
      EXPECT_EQ(found.bytes, best.bytes) << "round " << round;
      EXPECT_EQ(found.cost, best.cost) << "round " << round;
    }
  }
}

/// The least cost by a table over all capacities.
std::vector<int64_t> leastCosts(const Items &items, int64_t capacity) {
  const int64_t none = int64_t(1) << 60;
  std::vector<int64_t> costs(capacity + 1, 0);
  for (const std::vector<Tradeoff> &item : items) {
    std::vector<int64_t> next(capacity + 1, none);
    for (int64_t room = 0; room <= capacity; ++room)
      for (const Tradeoff &state : item)
        if (state.bytes <= room)
          next[room] =
              std::min(next[room], costs[room - state.bytes] + state.cost);
    costs = std::move(next);
  }
  return costs;
}

TEST(KnapsackTest, StaysCloseToTheBestWhenThinned) {
  // 60 items of 1 to 1000 bytes have more sums than a frontier of 512 points.
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    Items items(60);
    int64_t all = 0, cost = 0;
    for (std::vector<Tradeoff> &item : items) {
      int64_t bytes = 1 + static_cast<int64_t>(random() % 1000);
      int64_t price = 1 + static_cast<int64_t>(random() % 1000);
      item = {{bytes, 0}, {0, price}};
      all += bytes;
      cost += price;
    }
    Knapsack sack(items, 512);
    std::vector<int64_t> best = leastCosts(items, all);
    int64_t last = -1;
    for (int64_t capacity = 0; capacity <= all; capacity += all / 40) {
      Tradeoff found = sumOf(items, sack.choose(capacity));
      EXPECT_LE(found.bytes, capacity);
      EXPECT_GE(found.bytes, last) << "more room, fewer bytes";
      last = found.bytes;
      // Each of 60 thinnings loses 1/512 of the bytes at most, and what is lost
      // is at the margin, where a byte costs least.
      EXPECT_LE(found.cost - best[capacity], cost / 50) << "round " << round;
    }
    EXPECT_EQ(sumOf(items, sack.choose(all)).cost, 0);
  }
}

TEST(KnapsackTest, FrontierLeavesOutWhatIsBeaten) {
  EXPECT_EQ(findFrontier({{10, 0}, {5, 3}, {5, 2}, {7, 2}, {0, 9}, {10, 0}}),
            (std::vector<int>{4, 2, 0}));
}

} // namespace
