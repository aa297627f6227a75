//===- Batcher.h - Requests that run together ------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BATCHER_H
#define BATCHER_H

#include "Rows.h"

#include "kiln/Session/Session.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>

/// Puts the rows of requests that come at about the same time into one call. A
/// session is not for several threads, so one thread has it.
class Batcher {
public:
  /// `maxRows` a call; a request that finds the queue empty waits for others as
  /// long as `patience`.
  Batcher(std::unique_ptr<kiln::session::Session> session, size_t maxRows,
          std::chrono::microseconds patience);
  /// Answers what is queued, then ends.
  ~Batcher();

  /// The answer to some rows, at most `maxRows` of them. Fails at once if too many
  /// are waiting.
  kiln::Result<std::future<kiln::Result<Rows>>> submit(Rows rows);

  uint64_t calls() const { return calls_; }
  uint64_t rows() const { return rows_; }

private:
  struct Request {
    Rows rows;
    std::promise<kiln::Result<Rows>> answer;
  };
  void work();
  std::vector<Request> takeBatch();
  kiln::Result<Rows> run(const std::vector<Request> &batch, size_t count);

  std::unique_ptr<kiln::session::Session> session_;
  size_t maxRows_, queuedRows_ = 0;
  std::chrono::microseconds patience_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Request> queue_;
  bool ending_ = false;
  std::atomic<uint64_t> calls_{0}, rows_{0};
  std::thread worker_;
};

#endif // BATCHER_H
