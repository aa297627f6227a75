//===- Stats.h - What a run reports of itself -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_RUN_STATS_H
#define KILN_TOOLS_KILN_RUN_STATS_H

#include "Options.h"

#include "common/Calls.h"

namespace kiln::run {

/// Seconds since this process was started, counting what the loader did before
/// the first constructor.
double processSeconds();

/// Bytes that the program of the last call needs for its inputs.
struct MemoryNeed {
  int64_t plannedPeak = 0;  ///< arena, fresh results, tangents, scratch
  int64_t lowerBound = 0;   ///< most that is alive between two steps
  int64_t savedForBackward = 0;
};
MemoryNeed memoryNeed(const session::Session &session);

/// What only the run knows.
struct RunFacts {
  /// The calls that were asked for; of steps the first with each batch and
  /// those that compiled. Repetitions are not kept.
  std::vector<runtime::CallRecord> calls;
  double loadSeconds = 0; ///< reading the model, and preparing to call it
  double firstResultSeconds = 0;
  int64_t measuredPeakBytes = 0;
  MemoryNeed memory;
};

/// The JSON object of --stats.
std::string statsJson(const Options &options, const session::Session &session,
                      const RunFacts &facts,
                      const std::vector<tools::Checked> &checks);

} // namespace kiln::run

#endif // KILN_TOOLS_KILN_RUN_STATS_H
