//===- ThreadPool.h - Threads for kernels of microseconds ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel may take a microsecond, a sleeping thread hundreds of them to wake.
// So idle workers spin for some milliseconds before they sleep, and the caller
// never waits for a worker that has not arrived: tiles are claimed one by one
// from a shared counter, the caller claims too, and a worker that comes too
// late finds nothing left. Losing a core to another process then costs a tile,
// not a scheduler quantum.
//
// Threads start with the first region that is worth more than one thread.
//
// Example:
//
//   ThreadPool pool(2);
//   pool.parallelFor(rows, 16, [&](int64_t begin, int64_t end, unsigned) {
//     sumRows(begin, end);
//   });
//
//===----------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_THREADPOOL_H
#define KILN_RUNTIME_THREADPOOL_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace kiln::runtime {

class ThreadPool {
public:
  /// `threads` counts the caller; 0 means one per processor this process may
  /// use. Idle workers spin for `spinMicros` before they sleep.
  explicit ThreadPool(unsigned threads, unsigned spinMicros = 5000);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  unsigned threads() const { return threads_; }

  /// Calls `body(begin, end, threadIndex)` for ranges that partition [0, N).
  /// Ranges hold at least `grain` items but for the last. Runs on the caller
  /// alone when N <= grain, with one thread, or when another caller's region is
  /// under way. `threadIndex` is below `threads()`, and no two running calls of
  /// one region share it. `body` must not throw; a region inside `body` runs on
  /// the thread that asks for it, as thread 0.
  template <typename F>
  void parallelFor(int64_t workItems, int64_t grain, F &&body) {
    if (workItems <= 0)
      return;
    if (threads_ == 1 || workItems <= grain) {
      body(int64_t(0), workItems, 0u);
      return;
    }
    using Body = std::remove_reference_t<F>;
    run(workItems, grain,
        [](void *context, int64_t begin, int64_t end, unsigned thread) {
          (*static_cast<Body *>(context))(begin, end, thread);
        },
        const_cast<void *>(static_cast<const void *>(&body)));
  }

  /// Wakes sleeping workers, so that they are there when the first region of a
  /// program begins. Costs nothing while they spin.
  void wake();

  /// Worker threads running now; 0 before the first parallel region.
  unsigned startedWorkers() const { return started_; }

private:
  using Function = void (*)(void *, int64_t, int64_t, unsigned);

  void run(int64_t workItems, int64_t grain, Function function, void *context);
  void claimTiles(unsigned thread);
  void start();
  void workerLoop(unsigned thread);
  void sleep(uint64_t seen);

  const unsigned threads_;
  const unsigned spinMicros_;

  std::atomic<bool> busy_{false}; ///< a caller's region is under way
  std::vector<std::thread> workers_;
  std::atomic<unsigned> started_{0};

  // The region under way. Written by the caller before `open_` becomes true,
  // read by workers that registered in `active_` and then saw it true.
  Function function_ = nullptr;
  void *context_ = nullptr;
  int64_t workItems_ = 0;
  int64_t tile_ = 0;
  alignas(64) std::atomic<int64_t> next_{0};
  alignas(64) std::atomic<bool> open_{false};
  alignas(64) std::atomic<unsigned> active_{0};
  /// Counts regions and calls of `wake`; what idle workers watch.
  alignas(64) std::atomic<uint64_t> signal_{0};
  std::atomic<unsigned> sleepers_{0};
  std::atomic<bool> stop_{false};
  std::mutex sleepMutex_;
  std::condition_variable sleepCondition_;
};

} // namespace kiln::runtime

#endif // KILN_RUNTIME_THREADPOOL_H
