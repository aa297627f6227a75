//===- Tuning.h - Which of several schedules is the best --------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The problem: given the schedules that are worth trying and what was measured so
// far, say which is the best, or what to measure next. Plain data: schedules are
// their texts, times are numbers, and nothing here looks at a clock.
//
//   TuneInput input;
//   input.candidates = {"#loop.across<...>", ...};   // the default is the first
//   TuneDecision first = decide(input);              // wants all of them
//   input.measured[...] = ...;
//   TuneDecision last = decide(input);               // best, and why
//
// The default wins unless another is faster by more than the noise of measuring. Whoever
// measures gives a schedule a shorter time than the default only if turns have shown it. A candidate
// that has no time because it failed never wins.
//
// The fastest of many is often one that was lucky: before it wins it is wanted once
// more, and its longer time counts.
//
// With coordinate descent the search goes on from the winner: its neighbours are
// wanted, which differ in one number each; the fastest of them takes over if it
// gains more than the noise, and so on until nothing gains.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_TRANSFORMS_TUNING_H
#define KILN_DIALECT_LOOP_TRANSFORMS_TUNING_H

#include "kiln/Dialect/Loop/Transforms/Schedules.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kiln::loop {

//===----------------------------------------------------------------------===//
// What to try
//===----------------------------------------------------------------------===//

/// What a cost model asks of the machine that kernels run on.
struct TuneMachine {
  Machine machine;
  int64_t l1Bytes = 32 << 10;
  int64_t threads = 1;
  /// Of all threads together: bytes of memory, multiplications and additions of
  /// f32, in a second.
  double bytesPerSecond = 2e10, flopsPerSecond = 1e11;
};

/// Nanoseconds that a packed product is expected to take: its multiply-adds on
/// whole tiles, packing, loads and stores of sums, and threads that wait.
double estimate(const ProductShape &product, const PackedSchedule &schedule,
                const TuneMachine &machine);

/// Schedules of a product besides `first`, the most promising ones, at most
/// `count`, and of each register tile at most two.
std::vector<PackedSchedule> getCandidates(const ProductShape &product,
                                          const PackedSchedule &first,
                                          const TuneMachine &machine,
                                          unsigned count);

/// Schedules across the last dimension besides `first`: more and fewer lanes, and
/// larger and smaller items.
std::vector<AcrossSchedule> getCandidates(const AcrossSchedule &first,
                                          Size last);

/// Lists of lanes of a kernel of rows besides `first`: for all nests that have
/// lanes twice and half as many, and each reduction of its own.
std::vector<std::vector<int64_t>>
getLaneCandidates(const std::vector<int64_t> &first);

//===----------------------------------------------------------------------===//
// What to take
//===----------------------------------------------------------------------===//

/// What is known of a schedule.
struct TuneTime {
  double nanoseconds = 0; ///< the longest, if it was measured several times
  std::string failure; ///< why there is no time; empty if there is
  unsigned times = 1;  ///< that it was measured
  bool failed() const { return !failure.empty(); }
};

struct TuneInput {
  std::vector<std::string> candidates; ///< the default is the first
  std::map<std::string, TuneTime> measured; ///< by schedule
  /// The part of its time by which a schedule must beat another.
  double gain = 0.03;
  /// Neighbours of a schedule that are legal; none: no coordinate descent.
  std::function<std::vector<std::string>(const std::string &)> neighbours;
};

struct TuneDecision {
  std::string best;
  bool byDescent = false;          ///< `best` is no candidate
  std::vector<std::string> wanted; ///< to be measured; empty: `best` is final
};

/// Deterministic: of equally fast schedules the first in order wins. With anything
/// wanted, `best` is the best so far. If the default failed, it stays.
TuneDecision decide(const TuneInput &input);

} // namespace kiln::loop

#endif // KILN_DIALECT_LOOP_TRANSFORMS_TUNING_H
