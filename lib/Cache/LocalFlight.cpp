//===- LocalFlight.cpp - Single flight by lock files ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LocalFlight.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

using namespace kiln::cache;
using Clock = std::chrono::steady_clock;

Flight::~Flight() = default;

namespace {
/// What threads of this process make. It outlives every flight.
struct Registry {
  std::mutex mutex;
  std::condition_variable ended;
  std::set<std::string> names;
};

class LocalFlight : public Flight {
public:
  LocalFlight(Registry &registry, std::string name, bool isFirst)
      : registry_(registry), name_(std::move(name)), isFirst_(isFirst) {}
  ~LocalFlight() override {
    // The file first: whoever wakes up finds it free.
    lock.unlock();
    if (!isFirst_)
      return;
    {
      std::lock_guard<std::mutex> guard(registry_.mutex);
      registry_.names.erase(name_);
    }
    registry_.ended.notify_all();
  }

  FileLock lock;

private:
  Registry &registry_;
  std::string name_;
  bool isFirst_; ///< of this process
};
} // namespace

static Registry &registry() {
  static Registry *const instance = new Registry;
  return *instance;
}

/// Polls the lock file: 1 ms at first, then longer, up to 50 ms.
static bool waitForFile(FileLock &lock, const Directory &directory,
                        const std::string &path, Clock::time_point deadline) {
  std::chrono::milliseconds pause(1);
  for (;;) {
    // Without locks on this file system nothing is waited for.
    if (lock.tryLock(directory, path) != LockResult::Held)
      return true;
    if (Clock::now() >= deadline)
      return false;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(50));
  }
}

FlightResult kiln::cache::enterFlight(const Directory *directory,
                                      const std::string &root,
                                      const std::string &lockFile,
                                      double seconds) {
  Clock::time_point start = Clock::now();
  Clock::time_point deadline =
      start + std::chrono::duration_cast<Clock::duration>(
                  std::chrono::duration<double>(std::min(seconds, 1e6)));
  Registry &shared = registry();
  std::string name = root + "\n" + lockFile;
  bool isFirst;
  {
    std::unique_lock<std::mutex> guard(shared.mutex);
    isFirst = shared.ended.wait_until(
        guard, deadline, [&] { return shared.names.count(name) == 0; });
    if (isFirst)
      shared.names.insert(name);
  }
  auto flight = std::make_unique<LocalFlight>(shared, name, isFirst);
  FlightResult result;
  result.isTimedOut =
      !isFirst || (directory && !waitForFile(flight->lock, *directory, lockFile,
                                             deadline));
  result.waitedMicros = static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() -
                                                            start)
          .count());
  result.flight = std::move(flight);
  return result;
}
