//===- ThreadPool.cpp - Threads for kernels of microseconds --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a phase ends. Threads count the items that they have done in `done_`,
// once for all that they claimed. Who brings it to the number of the phase is
// the last one, and everything in the phase is done: it runs phases of one tile
// itself, then opens the next one by giving each share its number. What a share
// holds says of which phase it is, so whoever claims from it, however late,
// gets a tile that is to be done now. A thread cannot hold items that are not
// counted while a later phase is open.
//
// How a region ends. A worker first adds itself to `active_`, then looks at
// `open_`; the caller first closes `open_`, then waits until `active_` is zero.
// All four accesses are sequentially consistent, so a worker that the caller
// did not see in `active_` sees `open_` false (or the next region, fully
// written) and touches nothing of the region that ended.
//
//===----------------------------------------------------------------------===//

#include "kiln/Runtime/ThreadPool.h"

#include <algorithm>
#include <chrono>
#include <sched.h>
#include <system_error>

namespace kiln::runtime {

namespace {

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

/// Processors this process may run on.
unsigned allowedProcessors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

/// Threads of all pools that work or look for work. Where they are more than there
/// are processors, who has no work goes to sleep instead of taking the time of a
/// thread that has.
std::atomic<unsigned> awake{0};

/// Tiles of a share: enough to level out threads of unequal speed, few enough
/// that claiming costs nothing.
constexpr int64_t kTilesOfShare = 8;

/// A share's word: the phase above, tiles below.
constexpr unsigned kPhaseShift = 32;
uint32_t phaseOf(uint64_t word) {
  return static_cast<uint32_t>(word >> kPhaseShift);
}
int64_t tilesOf(uint64_t word) { return static_cast<uint32_t>(word); }

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Looks at a wait without looking at the clock, and then while it gives way to
/// others.
constexpr unsigned kPauses = 4096;

} // namespace

ThreadPool::ThreadPool(unsigned threads, unsigned spinMicros)
    : processors_(allowedProcessors()),
      threads_(std::min(threads == 0 ? processors_ : threads, 1024u)),
      spinMicros_(spinMicros), shares_(new Share[threads_]) {}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(sleepMutex_);
    stop_ = true;
    ++signal_;
  }
  sleepCondition_.notify_all();
  for (std::thread &worker : workers_)
    worker.join();
}

void ThreadPool::start() {
  workers_.reserve(threads_ - 1);
  for (unsigned i = 1; i < threads_; ++i) {
    try {
      workers_.emplace_back([this, i] { workerLoop(i); });
    } catch (const std::system_error &) {
      break; // the caller does the work of threads that cannot be had
    }
  }
  started_ = static_cast<unsigned>(workers_.size());
}

void ThreadPool::wake() {
  if (sleepers_.load() == 0)
    return;
  {
    std::lock_guard<std::mutex> lock(sleepMutex_);
    ++signal_;
  }
  sleepCondition_.notify_all();
}

/// Claims a tile of a share and does it. False if there is none.
bool ThreadPool::claim(Visit &visit, unsigned share) {
  std::atomic<uint64_t> &next = shares_[share].next;
  // The first look writes nothing: an empty share stays where it is looked at.
  uint64_t word = next.load(std::memory_order_acquire);
  for (bool isClaimed : {false, true}) {
    if (isClaimed)
      word = next.fetch_add(1, std::memory_order_acquire);
    uint32_t number = phaseOf(word);
    if (number == count_)
      return false;
    const Phase &phase = phases_[number];
    int64_t first = phase.begin(share) + tilesOf(word) * phase.tile_;
    int64_t end = phase.begin(share + 1);
    if (first >= end)
      return false;
    if (!isClaimed)
      continue;
    end = std::min(first + phase.tile_, end);
    int64_t beginItem = first * phase.grain;
    int64_t endItem = std::min(end * phase.grain, phase.workItems);
    phase.function(phase.context, beginItem, endItem, visit.thread);
    visit.phase = number;
    visit.done += endItem - beginItem;
  }
  return true;
}

/// Runs a phase on the calling thread, as thread 0. False if nothing shall
/// follow.
bool ThreadPool::runPhase(const Phase &phase) {
  if (phase.gate)
    return phase.gate(phase.context);
  if (phase.workItems > 0)
    phase.function(phase.context, 0, phase.workItems, 0);
  return true;
}

/// Runs phases of one tile, from `phase` on: nothing else runs meanwhile.
/// Returns the first one behind them.
uint32_t ThreadPool::runSingles(uint32_t phase) {
  for (; phase < count_ && phases_[phase].units_ <= 1; ++phase)
    if (!runPhase(phases_[phase]))
      return count_;
  return phase;
}

/// Lets all claim tiles of a phase; of `count_`, which has none, when all is
/// done.
void ThreadPool::open(uint32_t phase) {
  // Sequentially consistent, so that what this thread has stored past the
  // caches is seen by who sees a share.
  done_.store(0);
  uint64_t word = uint64_t(phase) << kPhaseShift;
  for (unsigned share = threads_; share-- > 0;)
    shares_[share].next.store(word, std::memory_order_release);
}

/// Counts what a thread has done. If that was the end of a phase, what follows
/// begins.
void ThreadPool::finish(Visit &visit) {
  if (visit.done == 0)
    return;
  int64_t before = done_.fetch_add(visit.done, std::memory_order_acq_rel);
  bool isLast = before + visit.done == phases_[visit.phase].workItems;
  visit.done = 0;
  if (!isLast)
    return;
  open(runSingles(visit.phase + 1));
  if (sleepers_.load() != 0)
    wake();
}

/// Waits until a thread's share is of another phase than `phase`. False if a
/// worker has waited for so long that it sleeps better.
bool ThreadPool::await(unsigned thread, uint32_t phase, bool isCaller) {
  std::atomic<uint64_t> &next = shares_[thread].next;
  auto isChanged = [&] {
    return phaseOf(next.load(std::memory_order_acquire)) != phase;
  };
  for (unsigned i = 0; i < kPauses; ++i) {
    if (isChanged())
      return true;
    pause();
  }
  auto deadline =
      std::chrono::steady_clock::now() + std::chrono::microseconds(spinMicros_);
  while (!isChanged()) {
    // Who is waited for may want this processor.
    std::this_thread::yield();
    if (!isCaller && std::chrono::steady_clock::now() >= deadline)
      return false;
  }
  return true;
}

/// Works in the region under way until its end. False if a worker has left
/// before.
bool ThreadPool::visit(unsigned thread, bool isCaller) {
  Visit work{thread};
  for (;;) {
    uint32_t phase =
        phaseOf(shares_[thread].next.load(std::memory_order_acquire));
    if (phase == count_)
      return true;
    while (claim(work, thread)) {
    }
    for (unsigned k = 1; k < threads_; ++k)
      while (claim(work, (thread + k) % threads_)) {
      }
    finish(work);
    if (!await(thread, phase, isCaller))
      return false;
  }
}

void ThreadPool::runAlone(const Phase *phases, size_t count) {
  for (const Phase *phase = phases; phase != phases + count; ++phase)
    if (!runPhase(*phase))
      return;
}

void ThreadPool::run(Phase *phases, size_t count) {
  for (Phase *phase = phases; phase != phases + count; ++phase) {
    phase->grain = std::max<int64_t>(phase->grain, 1);
    // Counters run past the end; keep clear of overflow.
    bool isWhole = phase->gate || phase->workItems > (int64_t(1) << 50);
    phase->units_ =
        isWhole || threads_ == 1 ? 1 : ceilDiv(phase->workItems, phase->grain);
    phase->share_ = phase->units_ / threads_;
    phase->rest_ = phase->units_ % threads_;
    phase->tile_ = std::max<int64_t>(1, ceilDiv(phase->share_, kTilesOfShare));
  }
  for (; count > 0; ++phases, --count) {
    if (phases->units_ > 1 &&
        !busy_.exchange(true, std::memory_order_acquire)) {
      runShared(phases, count);
      busy_.store(false, std::memory_order_release);
      return;
    }
    if (!runPhase(*phases))
      return;
  }
}

/// Runs phases, the first of which is of several tiles, with the workers.
void ThreadPool::runShared(Phase *phases, size_t count) {
  if (workers_.empty())
    start();
  awake.fetch_add(1, std::memory_order_relaxed);
  phases_ = phases;
  count_ = static_cast<uint32_t>(count);
  open(0);
  open_.store(true);
  signal_.fetch_add(1);
  if (sleepers_.load() != 0) {
    { std::lock_guard<std::mutex> sleepLock(sleepMutex_); }
    sleepCondition_.notify_all();
  }
  visit(0, /*isCaller=*/true);
  open_.store(false);
  // Workers still here are on their way out.
  for (unsigned spins = 0; active_.load() != 0; ++spins) {
    pause();
    if (spins > kPauses)
      std::this_thread::yield();
  }
  awake.fetch_sub(1, std::memory_order_relaxed);
}

void ThreadPool::workerLoop(unsigned thread) {
  awake.fetch_add(1, std::memory_order_relaxed);
  uint64_t seen = 0;
  while (!stop_.load(std::memory_order_relaxed)) {
    uint64_t now = signal_.load();
    if (now == seen) {
      // A region lasts microseconds: look often, read the clock rarely.
      auto deadline = std::chrono::steady_clock::now() +
                      std::chrono::microseconds(spinMicros_);
      for (;;) {
        for (int i = 0; i < 256 && now == seen; ++i) {
          pause();
          now = signal_.load(std::memory_order_relaxed);
        }
        if (now != seen)
          break;
        if (awake.load(std::memory_order_relaxed) > processors_ ||
            std::chrono::steady_clock::now() >= deadline) {
          sleep(seen);
          break;
        }
      }
      now = signal_.load();
    }
    seen = now;
    active_.fetch_add(1);
    bool isDone = !open_.load() || visit(thread, /*isCaller=*/false);
    active_.fetch_sub(1);
    if (!isDone)
      sleep(seen);
  }
  awake.fetch_sub(1, std::memory_order_relaxed);
}

void ThreadPool::sleep(uint64_t seen) {
  std::unique_lock<std::mutex> lock(sleepMutex_);
  sleepers_.fetch_add(1);
  awake.fetch_sub(1, std::memory_order_relaxed);
  sleepCondition_.wait(lock, [&] { return signal_.load() != seen; });
  awake.fetch_add(1, std::memory_order_relaxed);
  sleepers_.fetch_sub(1);
}

} // namespace kiln::runtime
