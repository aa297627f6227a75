//===- StageTimer.h - Time of a stage of code generation --------*- C++ -*- ===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_CPU_STAGETIMER_H
#define KILN_LIB_TARGET_CPU_STAGETIMER_H

#include <chrono>

namespace kiln::target {

/// Adds the time of its life to a counter of milliseconds.
class StageTimer {
public:
  explicit StageTimer(double &milliseconds)
      : milliseconds(milliseconds), start(Clock::now()) {}
  ~StageTimer() {
    milliseconds +=
        std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  double &milliseconds;
  Clock::time_point start;
};

} // namespace kiln::target

#endif // KILN_LIB_TARGET_CPU_STAGETIMER_H
