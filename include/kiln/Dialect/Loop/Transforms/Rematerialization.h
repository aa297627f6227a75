//===- Rematerialization.h - What is computed again ------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The choice between keeping a tensor and making it again, over plain data:
// least time under a limit of the bytes that a program needs at once.
//
// A program is a sequence of steps; that of a training step is a forward and,
// behind it, a backward. A cut `c` of a step says that what it makes is not
// kept for readers from step `c` on: right before the first of them it runs
// again, reading what it reads. Where nothing is left that reads the first
// results the step has moved, at no cost.
//
//   RematProblem problem;               // a -> b -> c, where c reads a, too
//   problem.addStep(...), ...
//   RematResult result = rematerialize(problem, limit);
//   result.state.peak <= limit          // or as near as was found
//   result.state.order                  // steps with those that run again
//
// The bytes are those of the memory plan (`program-plan-memory`): what the
// caller receives and what is saved have memory of their own; both functions
// have one arena; a backward writes into what is saved once it has been read
// for the last time.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_TRANSFORMS_REMATERIALIZATION_H
#define KILN_DIALECT_LOOP_TRANSFORMS_REMATERIALIZATION_H

#include <cstdint>
#include <utility>
#include <vector>

namespace kiln::loop {

/// A tensor that a step makes.
struct RematValue {
  int64_t bytes = 0;
  unsigned step = 0;      ///< that makes it
  unsigned type = 0;      ///< equal numbers: of one type
  bool isStatic = true;   ///< its size is a number
  bool isOutput = false;  ///< the caller receives it
  bool mayBeSaved = true; ///< a forward can hand it to the backward
};

struct RematStep {
  int64_t cost = 0; ///< of running it: bytes that could be moved in that time
  bool mayRepeat = false;
  bool mayRepeatInBackward = false; ///< what it reads is there, too
  std::vector<unsigned> reads;      ///< values, each once
  std::vector<unsigned> makes;
  /// What it makes that may be written over what it reads, if that ends there.
  std::vector<std::pair<unsigned, unsigned>> overwrites;
};

struct RematProblem {
  std::vector<RematValue> values;
  std::vector<RematStep> steps;
  unsigned numForward = 0;       ///< all steps, if there is no backward
  std::vector<unsigned> outputs; ///< of the backward, in their order
  int64_t fixedBytes = 0;        ///< that are there besides: tangents
};

/// A step that runs, in the place of step `slot` or right before it.
struct RematRun {
  unsigned step = 0, slot = 0;
  bool isAgain = false;
  std::vector<unsigned> sources; ///< of what it reads: positions in the order
};

/// Cuts of each step, in increasing order.
using RematCuts = std::vector<std::vector<unsigned>>;

/// What comes of a set of cuts.
struct RematState {
  std::vector<RematRun> order;
  bool isPossible = true; ///< nothing is saved that cannot be
  int64_t peak = 0;
  unsigned peakPosition = 0; ///< in `order`
  int64_t savedBytes = 0;
  int64_t cost = 0;          ///< beside that of the program as it was
  std::vector<int64_t> live; ///< bytes while each of `order` runs
  /// The sum over `order` of the bytes over `limit`.
  int64_t getExcess(int64_t limit) const;
};

RematState simulate(const RematProblem &problem, const RematCuts &cuts);

struct RematResult {
  RematCuts cuts;
  RematState before, state;
};

/// Cuts for a peak of at most `limit` bytes, of the least cost that was found;
/// of the lowest peak that was found if there are none.
RematResult rematerialize(const RematProblem &problem, int64_t limit);

} // namespace kiln::loop

#endif // KILN_DIALECT_LOOP_TRANSFORMS_REMATERIALIZATION_H
