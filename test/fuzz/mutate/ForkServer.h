//===- ForkServer.h - Jobs in processes that may die ------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A job takes a mutant along its routes: passes, pipelines, tools. It runs in a
// fork of a process that holds the loaded compiler, so starting one costs some
// milliseconds; a process whose mutant was refused takes the next one, since no
// route has run in it. Where a route ends by a signal or does not end, the
// server notes the place by a trace of the stack, and starts the job again
// behind it.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_FUZZ_FORKSERVER_H
#define KILN_TEST_FUZZ_FORKSERVER_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace kiln::fuzz {

/// Before the first route: reading the mutant.
constexpr size_t kPreparation = ~size_t(0);

/// How a route ended.
struct Finding {
  enum Kind { Signal, Hang, ExitCode } kind;
  size_t job = 0;
  size_t route = 0; ///< kPreparation: none yet
  int exitCode = 0;
  /// Names of the innermost functions, or the message of an exit with 5.
  std::string cause;
};

/// What the routes of all jobs did, besides findings.
struct Totals {
  size_t jobs = 0, refused = 0, runs = 0;
  size_t exits[6] = {}; ///< by exit code; others count as 5
};

/// Shared with the process of a job, which fills it.
struct Slot {
  std::atomic<size_t> job; ///< the one at hand
  /// When the route at hand began, in milliseconds: of the clock, and of the
  /// time for which the process had run.
  std::atomic<int64_t> since, ranSince;
  std::atomic<uint32_t> route;
  std::atomic<bool> refused, prepared; ///< of the job at hand
  std::atomic<uint32_t> refusals, runs;
  std::atomic<uint32_t> exits[6];
  std::atomic<int32_t> alienRoute; ///< a route that ended with 5
  char message[600];               ///< its message
  char trace[1800];                ///< of a signal
};

class JobContext {
public:
  JobContext(Slot &slot, size_t first, std::string folder)
      : slot_(slot), first_(first), folder_(std::move(folder)) {}

  /// The mutant does not even parse: nothing behind that ran.
  void refuse() {
    slot_.refused = true;
    ++slot_.refusals;
  }
  /// From here on the job is in its routes. What ends it before ends it for
  /// good.
  void prepared() { slot_.prepared = true; }
  /// Runs one route, unless an earlier process did. Its result is an exit code.
  void run(size_t route, const std::function<int()> &body);
  /// A folder for this job's files, gone afterwards.
  const std::string &folder() const { return folder_; }
  /// Standard error of the routes so far goes to this file.
  std::string errorFile() const { return folder_ + "/stderr"; }

private:
  Slot &slot_;
  size_t first_;
  std::string folder_;
};

struct ServerOptions {
  size_t workers = 2;
  /// For which a route may run. One that waits may take thirty times as long:
  /// on a machine with other work, or a stopped one, a process may not run for
  /// long.
  int64_t milliseconds = 10000;
  int64_t deadline = 0; ///< of all, milliseconds from now; 0: none
};

/// Runs `count` jobs. `report` is called for each finding.
Totals serve(size_t first, size_t count, const ServerOptions &options,
             const std::function<void(size_t job, JobContext &)> &job,
             const std::function<void(const Finding &)> &report);

} // namespace kiln::fuzz

#endif // KILN_TEST_FUZZ_FORKSERVER_H
