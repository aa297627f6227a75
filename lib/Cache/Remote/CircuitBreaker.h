//===- CircuitBreaker.h - When a server is left alone -----------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Closed, everything is sent. It opens at a rate of failures, not at a count,
// since a long fast run has some:
//
//   - at least 5 failures that are more than half of the last 20 operations of
//     10 s, or 3 connections in a row that could not be made;
//   - at once and for 300 s when the configuration is at fault (a password, a
//     certificate), which no repetition mends.
//
// Open, nothing is sent but one probe of the owner when `probeTime` has come.
// The pause grows with the outage, a quarter of it between 1 s and 40 s, times 1
// to 1.5 so that many processes do not come back at once: a server that was away
// for 5 s is found within 2 s, and nobody probes more often than once a second.
// A probe of two operations that succeed closes it.
//
// Owns no clock: times are given, and must not run backwards.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CACHE_REMOTE_CIRCUITBREAKER_H
#define KILN_LIB_CACHE_REMOTE_CIRCUITBREAKER_H

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>

namespace kiln::cache {

using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;

/// What kind of failure an operation had.
enum class Failure { Connect, Operation, Configuration };

class CircuitBreaker {
public:
  explicit CircuitBreaker(uint64_t seed) : random_(seed | 1) {}

  enum class State { Closed, Open, HalfOpen };
  State state() const { return state_; }
  bool isClosed() const { return state_ == State::Closed; }
  uint64_t opens() const { return opens_; }
  TimePoint probeTime() const { return probeTime_; }

  void succeeded(TimePoint now);
  void failed(Failure failure, TimePoint now);
  /// Open, and the time has come: the caller sends a probe and says how it was.
  bool startProbe(TimePoint now);
  void probeSucceeded();
  void probeFailed(Failure failure, TimePoint now);

private:
  void note(bool isFailure, TimePoint now);
  void open(TimePoint now, Failure failure);
  void schedule(TimePoint now, Failure failure);

  struct Outcome {
    TimePoint time;
    bool isFailure;
  };
  State state_ = State::Closed;
  std::deque<Outcome> outcomes_;
  unsigned connectFailures_ = 0;
  uint64_t opens_ = 0;
  TimePoint openedAt_, probeTime_;
  uint64_t random_;
};

} // namespace kiln::cache

#endif // KILN_LIB_CACHE_REMOTE_CIRCUITBREAKER_H
