//===- Benchmark.h - Timing calls -----------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_RUN_BENCHMARK_H
#define KILN_TOOLS_KILN_RUN_BENCHMARK_H

#include "Stats.h"

namespace kiln::run {

/// A call that is made again and again, by turns with each of its sets of inputs, which
/// hold the same.
struct TimedCall {
  std::vector<std::vector<runtime::OpValue>> sets;
  std::vector<runtime::OpValue> tangents;
};

/// Seconds of `count` iterations; an iteration makes every call once, and waits for
/// the device if there is one. Results are dropped before the next call.
Result<std::vector<double>> timeCalls(session::Session &session, bool training,
                                      const std::vector<TimedCall> &calls,
                                      unsigned count);

/// Prints median, minimum, bytes and operations per second, and the share of
/// what this machine can do. `ioPath` may name an io.json with `limits`; otherwise
/// what the kernels do counts.
Status printBenchmark(const session::Session &session,
                      std::vector<double> seconds, const std::string &ioPath);

/// Answers `time N` lines until standard input ends: with `seconds` of N iterations and,
/// on a device, `device_seconds` of iterations that were queued behind a device that was
/// held meanwhile, so that it never waited for the host; `device_calls` in all.
Status serve(session::Session &session, bool training,
             const std::vector<TimedCall> &calls);

} // namespace kiln::run

#endif // KILN_TOOLS_KILN_RUN_BENCHMARK_H
