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
#include <memory>

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

/// Phases of a region, each of which counts how often its items are done, and whether
/// everything before it was done when one of its ranges began.
class Region {
public:
  /// A phase of `items`; one of 0 items has nothing to do.
  void add(int64_t items, int64_t grain) {
    auto &work = works.emplace_back(std::make_unique<Work>(items));
    work->region = this;
    work->index = works.size() - 1;
    Phase phase;
    phase.context = work.get();
    phase.workItems = items;
    phase.grain = grain;
    phase.function = [](void *context, int64_t begin, int64_t end,
                        unsigned thread) {
      static_cast<Work *>(context)->run(begin, end, thread);
    };
    phases.push_back(phase);
  }

  /// A phase that ends the region if `holds` is false.
  void addGate(bool holds) {
    add(0, 1);
    works.back()->holds = holds;
    phases.back().gate = [](void *context) {
      auto &work = *static_cast<Work *>(context);
      work.run(0, 0, 0);
      return work.holds;
    };
  }

  void run(ThreadPool &pool) {
    for (auto &work : works)
      for (auto &visits : work->visits)
        visits = 0;
    wrong = 0;
    threads = pool.threads();
    pool.run(phases.data(), phases.size());
  }

  /// True if the phases before `end`, and no others, did each item once.
  bool isDone(size_t end) const {
    for (size_t i = 0; i < works.size(); ++i)
      if (works[i]->doneItems() != (i < end ? works[i]->visits.size() : 0))
        return false;
    return wrong == 0;
  }
  bool isDone() const { return isDone(works.size()); }

private:
  struct Work {
    explicit Work(int64_t items) : visits(static_cast<size_t>(items)) {}
    void run(int64_t begin, int64_t end, unsigned thread) {
      if (index > 0 && region->works[index - 1]->doneItems() !=
                           region->works[index - 1]->visits.size())
        ++region->wrong;
      if (thread >= region->threads)
        ++region->wrong;
      for (int64_t i = begin; i < end; ++i)
        ++visits[static_cast<size_t>(i)];
    }
    size_t doneItems() const {
      size_t done = 0;
      for (int count : visits)
        done += static_cast<size_t>(count);
      return done;
    }
    Region *region = nullptr;
    size_t index = 0;
    bool holds = true;
    std::vector<int> visits; ///< plain: that they are seen is what is tested
  };
  std::vector<std::unique_ptr<Work>> works;
  std::vector<Phase> phases;
  std::atomic<int> wrong{0};
  unsigned threads = 1;
};

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

TEST(ThreadPool, PhasesFollowEachOther) {
  for (unsigned threads : {1u, 2u, 3u, 8u}) {
    ThreadPool pool(threads, 100);
    Region region;
    for (int64_t items : {1, 64, 3, 1, 1, 0, 200, 2, 1, 5, 1000, 1})
      for (int64_t grain : {1, 7})
        region.add(items, grain);
    for (int round = 0; round < 300; ++round) {
      region.run(pool);
      ASSERT_TRUE(region.isDone()) << threads << " threads, round " << round;
    }
  }
}

TEST(ThreadPool, PhasesOfOneTileNeedNoThreads) {
  ThreadPool pool(3, 100);
  Region region;
  for (int64_t items : {1, 10, 0, 7})
    region.add(items, 10);
  region.run(pool);
  EXPECT_TRUE(region.isDone());
  EXPECT_EQ(pool.startedWorkers(), 0u);
}

TEST(ThreadPool, WorkersSleepBetweenPhases) {
  ThreadPool pool(3, 0); // sleeps as soon as it may
  Region region;
  for (int i = 0; i < 20; ++i) {
    region.add(50, 1);
    region.add(1, 1);
  }
  for (int round = 0; round < 100; ++round) {
    region.run(pool);
    ASSERT_TRUE(region.isDone()) << round;
  }
}

TEST(ThreadPool, PhasesBehindAGateThatIsShutAreLeftOut) {
  for (unsigned threads : {1u, 2u, 5u}) {
    ThreadPool pool(threads, 100);
    for (bool isParallel : {false, true})
      for (bool holds : {true, false}) {
        Region region;
        region.add(isParallel ? 100 : 1, 1);
        region.addGate(holds);
        region.add(isParallel ? 100 : 1, 1);
        region.add(1, 1);
        for (int round = 0; round < 50; ++round) {
          region.run(pool);
          ASSERT_TRUE(region.isDone(holds ? 4 : 2)) << threads;
        }
      }
  }
}

TEST(ThreadPool, CallersOfPhasesMayCompete) {
  ThreadPool pool(2, 100);
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int c = 0; c < 4; ++c)
    callers.emplace_back([&] {
      Region region;
      for (int64_t items : {20, 1, 30, 2})
        region.add(items, 1);
      for (int round = 0; round < 500; ++round) {
        region.run(pool);
        wrong += !region.isDone();
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(wrong, 0);
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

TEST(ThreadPool, PoolsTakeTurns) {
  // More threads than processors: workers of the pools that wait fall asleep, and are
  // there again when it is their turn.
  std::vector<std::unique_ptr<ThreadPool>> pools;
  for (int p = 0; p < 8; ++p)
    pools.push_back(std::make_unique<ThreadPool>(8));
  for (int round = 0; round < 100; ++round)
    for (auto &pool : pools) {
      std::atomic<int64_t> total{0};
      pool->parallelFor(64, 1, [&](int64_t begin, int64_t end, unsigned) {
        total += end - begin;
      });
      EXPECT_EQ(total, 64);
    }
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

TEST(ThreadPool, PhasesCostLessThanRegions) {
  ThreadPool pool(2);
  std::atomic<int64_t> total{0};
  std::vector<Phase> phases(200);
  for (Phase &phase : phases) {
    phase.context = &total;
    phase.workItems = 2;
    phase.function = [](void *context, int64_t begin, int64_t end, unsigned) {
      *static_cast<std::atomic<int64_t> *>(context) += end - begin;
    };
  }
  double best = 1e9;
  for (int attempt = 0; attempt < 20; ++attempt) {
    auto begin = std::chrono::steady_clock::now();
    pool.run(phases.data(), phases.size());
    std::chrono::duration<double, std::micro> time =
        std::chrono::steady_clock::now() - begin;
    best = std::min(best, time.count() / 200);
  }
  EXPECT_EQ(total, 20 * 200 * 2);
  std::printf("  phase of two tiles: %.2f us\n", best);
  EXPECT_LT(best, 1000);
}
