//===- ThreadPool.h - Threads for kernels of microseconds ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel may take a microsecond, a sleeping thread hundreds of them to wake.
// So idle workers spin for some milliseconds before they sleep, and kernels
// that follow each other are phases of one region: workers are called once, and
// whoever finishes the last items of a phase opens the next one.
//
// Nobody waits for a thread that has not arrived: each thread has a share of
// the items, the same one in each phase, so that it finds in its caches what it
// left there; it claims tiles of it one by one, and of the shares of others
// when its own is done. Losing a core to another process then costs a tile, not
// a scheduler quantum. A phase of one tile is run by whoever finished the phase
// before it.
//
// Threads start with the first region that is worth more than one thread.
//
// Example:
//
//   ThreadPool pool(2);
//   pool.parallelFor(rows, 16, [&](int64_t begin, int64_t end, unsigned) {
//     sumRows(begin, end);
//   });
//   Phase phases[] = {sumsOfRows, sumOfSums}; // function, items and grain each
//   pool.run(phases, 2);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_THREADPOOL_H
#define KILN_RUNTIME_THREADPOOL_H

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace kiln::runtime {

/// Work items that are done before those of the next phase begin.
struct Phase {
  /// Called for ranges that partition [0, workItems).
  using Function = void (*)(void *context, int64_t begin, int64_t end,
                            unsigned thread);
  Function function = nullptr;
  void *context = nullptr;
  int64_t workItems = 0;
  int64_t grain = 1; ///< smallest range worth a thread
  /// Instead of `function`: called once. If it returns false, the phases behind
  /// it are left out.
  bool (*gate)(void *context) = nullptr;

private:
  friend class ThreadPool;
  int64_t units_ = 0;            ///< ranges of `grain` items
  int64_t share_ = 0, rest_ = 0; ///< units of a share; shares with one more
  int64_t tile_ = 0;             ///< units that are claimed at a time

  /// The first unit of a share.
  int64_t begin(int64_t share) const {
    return share * share_ + std::min(share, rest_);
  }
};

class ThreadPool {
public:
  /// `threads` counts the caller; 0 means one per processor this process may
  /// use. Idle workers spin for `spinMicros` before they sleep, less where all
  /// pools of the process have more threads awake than there are processors.
  explicit ThreadPool(unsigned threads, unsigned spinMicros = 5000);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  unsigned threads() const { return threads_; }

  /// Calls `body(begin, end, threadIndex)` for ranges that partition [0, N).
  /// Ranges begin at multiples of `grain`, and hold at least `grain` items but
  /// for the last. Runs on the caller alone when N <= grain, with one thread,
  /// or when another caller's region is under way. `threadIndex` is below
  /// `threads()`, and no two running calls of one region share it. `body` must
  /// not throw; a region inside `body` runs on the thread that asks for it, as
  /// thread 0.
  template <typename F>
  void parallelFor(int64_t workItems, int64_t grain, F &&body) {
    using Body = std::remove_reference_t<F>;
    Phase phase;
    phase.function = [](void *context, int64_t begin, int64_t end,
                        unsigned thread) {
      (*static_cast<Body *>(context))(begin, end, thread);
    };
    phase.context = const_cast<void *>(static_cast<const void *>(&body));
    phase.workItems = workItems;
    phase.grain = grain;
    run(&phase, 1);
  }

  /// Runs phases one after the other, as one region. All that a phase wrote is
  /// seen by the phases behind it. While another caller's region is under way
  /// the caller runs them alone, from one phase to the next.
  void run(Phase *phases, size_t count);

  /// The same on the calling thread, as thread 0.
  static void runAlone(const Phase *phases, size_t count);

  /// Wakes sleeping workers, so that they are there when the first region of a
  /// program begins. Costs nothing while they spin.
  void wake();

  /// Worker threads running now; 0 before the first parallel region.
  unsigned startedWorkers() const { return started_; }

private:
  /// Tiles of a thread's share that were claimed, and of which phase, in one
  /// word: a thread that comes late for a phase claims in the present one.
  struct alignas(64) Share {
    std::atomic<uint64_t> next{0};
  };
  /// What a thread does in a region.
  struct Visit {
    unsigned thread;
    uint32_t phase = 0; ///< of `done` and of what was claimed last
    int64_t done = 0;   ///< items of it
  };

  void start();
  void workerLoop(unsigned thread);
  void sleep(uint64_t seen);
  bool visit(unsigned thread, bool isCaller);
  bool claim(Visit &visit, unsigned share);
  void finish(Visit &visit);
  void open(uint32_t phase);
  bool await(unsigned thread, uint32_t phase, bool isCaller);
  static bool runPhase(const Phase &phase);
  uint32_t runSingles(uint32_t phase);
  void runShared(Phase *phases, size_t count);

  const unsigned processors_; ///< that this process may run on
  const unsigned threads_;
  const unsigned spinMicros_;

  std::atomic<bool> busy_{false}; ///< a caller's region is under way
  std::vector<std::thread> workers_;
  std::atomic<unsigned> started_{0};

  // The region under way. Written by the caller before `open_` becomes true,
  // read by workers that registered in `active_` and then saw it true.
  Phase *phases_ = nullptr;
  uint32_t count_ = 0;
  std::unique_ptr<Share[]> shares_;
  alignas(64) std::atomic<int64_t> done_{0}; ///< items of the present phase
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
