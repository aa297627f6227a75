//===- ThreadPool.cpp - Threads for kernels of microseconds --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
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

/// Tiles a thread claims in a region, on average: enough to level out threads
/// of unequal speed, few enough that claiming costs nothing.
constexpr int64_t kTilesPerThread = 8;

} // namespace

ThreadPool::ThreadPool(unsigned threads, unsigned spinMicros)
    : threads_(std::min(threads == 0 ? allowedProcessors() : threads, 1024u)),
      spinMicros_(spinMicros) {}

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

void ThreadPool::claimTiles(unsigned thread) {
  for (;;) {
    int64_t begin = next_.fetch_add(tile_, std::memory_order_relaxed);
    if (begin >= workItems_)
      return;
    function_(context_, begin, std::min(begin + tile_, workItems_), thread);
  }
}

void ThreadPool::run(int64_t workItems, int64_t grain, Function function,
                     void *context) {
  // Counters run up to `threads_` tiles past the end; keep clear of overflow.
  if (workItems > (int64_t(1) << 50) ||
      busy_.exchange(true, std::memory_order_acquire)) {
    function(context, 0, workItems, 0);
    return;
  }
  if (workers_.empty())
    start();
  function_ = function;
  context_ = context;
  workItems_ = workItems;
  tile_ = std::max<int64_t>(
      std::max<int64_t>(grain, 1),
      (workItems - 1) / (int64_t(threads_) * kTilesPerThread) + 1);
  tile_ = std::min(tile_, workItems);
  next_.store(0, std::memory_order_relaxed);
  open_.store(true);
  signal_.fetch_add(1);
  if (sleepers_.load() != 0) {
    { std::lock_guard<std::mutex> sleepLock(sleepMutex_); }
    sleepCondition_.notify_all();
  }
  claimTiles(0);
  open_.store(false);
  // Workers still here are in their last tile.
  for (unsigned spins = 0; active_.load() != 0; ++spins) {
    pause();
    if (spins > 4096)
      std::this_thread::yield();
  }
  busy_.store(false, std::memory_order_release);
}

void ThreadPool::workerLoop(unsigned thread) {
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
        if (std::chrono::steady_clock::now() >= deadline) {
          sleep(seen);
          break;
        }
      }
      now = signal_.load();
    }
    seen = now;
    active_.fetch_add(1);
    if (open_.load())
      claimTiles(thread);
    active_.fetch_sub(1);
  }
}

void ThreadPool::sleep(uint64_t seen) {
  std::unique_lock<std::mutex> lock(sleepMutex_);
  sleepers_.fetch_add(1);
  sleepCondition_.wait(lock, [&] { return signal_.load() != seen; });
  sleepers_.fetch_sub(1);
}

} // namespace kiln::runtime
