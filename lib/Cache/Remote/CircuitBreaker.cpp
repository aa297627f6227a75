//===- CircuitBreaker.cpp - When a server is left alone -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CircuitBreaker.h"

#include <algorithm>

using namespace kiln::cache;
using namespace std::chrono_literals;

void CircuitBreaker::note(bool isFailure, TimePoint now) {
  outcomes_.push_back({now, isFailure});
  while (outcomes_.size() > 20 || now - outcomes_.front().time > 10s)
    outcomes_.pop_front();
}

void CircuitBreaker::succeeded(TimePoint now) {
  connectFailures_ = 0;
  note(false, now);
}

void CircuitBreaker::failed(Failure failure, TimePoint now) {
  note(true, now);
  connectFailures_ =
      failure == Failure::Connect ? connectFailures_ + 1 : 0;
  if (!isClosed())
    return;
  size_t failures = static_cast<size_t>(
      std::count_if(outcomes_.begin(), outcomes_.end(),
                    [](const Outcome &outcome) { return outcome.isFailure; }));
  if (failure == Failure::Configuration || connectFailures_ >= 3 ||
      (failures >= 5 && 2 * failures > outcomes_.size()))
    open(now, failure);
}

void CircuitBreaker::open(TimePoint now, Failure failure) {
  state_ = State::Open;
  ++opens_;
  openedAt_ = now;
  outcomes_.clear();
  schedule(now, failure);
}

void CircuitBreaker::schedule(TimePoint now, Failure failure) {
  if (failure == Failure::Configuration) {
    probeTime_ = now + 300s;
    return;
  }
  // xorshift64: spreads processes, secret from nobody.
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  double spread = 1 + double(random_ % 1024) / 2048;
  auto pause = std::clamp<Clock::duration>((now - openedAt_) / 4, 1s, 40s);
  probeTime_ =
      now + std::chrono::duration_cast<Clock::duration>(pause * spread);
}

bool CircuitBreaker::startProbe(TimePoint now) {
  if (state_ != State::Open || now < probeTime_)
    return false;
  state_ = State::HalfOpen;
  return true;
}

void CircuitBreaker::probeSucceeded() {
  state_ = State::Closed;
  connectFailures_ = 0;
  outcomes_.clear();
}

void CircuitBreaker::probeFailed(Failure failure, TimePoint now) {
  state_ = State::Open;
  schedule(now, failure);
}
