//===- ThreadPoolTest.cpp - Regions, partitions, sleep -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Runtime/ThreadPool.h"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>

using namespace kiln::runtime;

namespace {

/// Runs a region and checks that each item is visited once.
void checkPartition(ThreadPool &pool, int64_t items, int64_t grain) {
  std::vector<std::atomic<int>> visits(items);
  std::atomic<bool> badThread{false};
  std::atomic<int64_t> shortRanges{0};
  pool.parallelFor(items, grain, [&](int64_t begin, int64_t end, unsigned t) {
    if (t >= pool.threads())
      badThread = true;
    if (end - begin < grain && end != items)
      ++shortRanges;
    for (int64_t i = begin; i < end; ++i)
      ++visits[i];
  });
  EXPECT_FALSE(badThread);
  EXPECT_EQ(shortRanges, 0);
  EXPECT_TRUE(std::all_of(visits.begin(), visits.end(),
                          [](const auto &v) { return v == 1; }))
      << items << " items, grain " << grain;
}

} // namespace

TEST(ThreadPool, PartitionsExactly) {
  for (unsigned threads : {1u, 2u, 3u, 7u}) {
    ThreadPool pool(threads, 100);
    for (int64_t items : {0, 1, 2, 5, 63, 64, 1000, 12345})
      for (int64_t grain : {1, 7, 100})
        checkPartition(pool, items, grain);
  }
}

TEST(ThreadPool, StartsThreadsWhenWorkIsWorthIt) {
  ThreadPool pool(3);
  checkPartition(pool, 10, 10);
  pool.wake();
  EXPECT_EQ(pool.startedWorkers(), 0u);
  checkPartition(pool, 11, 10);
  EXPECT_EQ(pool.startedWorkers(), 2u);
  ThreadPool alone(1);
  checkPartition(alone, 1000, 1);
  EXPECT_EQ(alone.startedWorkers(), 0u);
}

TEST(ThreadPool, ManyShortRegions) {
  ThreadPool pool(2, 50);
  int64_t total = 0;
  for (int round = 0; round < 20000; ++round) {
    std::atomic<int64_t> sum{0};
    pool.parallelFor(16, 1, [&](int64_t begin, int64_t end, unsigned) {
      sum += end - begin;
    });
    total += sum;
  }
  EXPECT_EQ(total, 20000 * 16);
}

TEST(ThreadPool, WorkersThatSleepComeBack) {
  ThreadPool pool(2, 0); // sleeps at once
  for (int round = 0; round < 200; ++round) {
    pool.wake();
    checkPartition(pool, 64, 1);
  }
}

TEST(ThreadPool, CallersMayCompete) {
  ThreadPool pool(2, 100);
  std::vector<std::thread> callers;
  std::atomic<int64_t> total{0};
  for (int c = 0; c < 4; ++c)
    callers.emplace_back([&] {
      for (int round = 0; round < 500; ++round)
        pool.parallelFor(100, 1, [&](int64_t begin, int64_t end, unsigned) {
          total += end - begin;
        });
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(total, 4 * 500 * 100);
}

TEST(ThreadPool, RegionsNest) {
  ThreadPool pool(2, 100);
  std::atomic<int64_t> total{0};
  pool.parallelFor(8, 1, [&](int64_t begin, int64_t end, unsigned) {
    for (int64_t i = begin; i < end; ++i)
      pool.parallelFor(8, 1, [&](int64_t b, int64_t e, unsigned) {
        total += e - b;
      });
  });
  EXPECT_EQ(total, 64);
}

TEST(ThreadPool, RegionsCostMicroseconds) {
  ThreadPool pool(2);
  volatile int64_t sink = 0;
  auto region = [&] {
    pool.parallelFor(2, 1, [&](int64_t begin, int64_t, unsigned t) {
      if (t == 0)
        sink = begin;
    });
  };
  region();
  double best = 1e9;
  for (int attempt = 0; attempt < 20; ++attempt) {
    auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 200; ++i)
      region();
    std::chrono::duration<double, std::micro> time =
        std::chrono::steady_clock::now() - begin;
    best = std::min(best, time.count() / 200);
  }
  std::printf("  region of two tiles, back to back: %.2f us\n", best);
  EXPECT_LT(best, 1000);
}
