//===- Candidates.h - Schedules that are worth measuring --------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `loop-autotune` does to a kernel: looks at it, asks the functions of
// Tuning.h, and says their answer as attributes.
//
//   std::vector<RefusedSchedule> refused;
//   for (const std::string &text :
//        getCandidates(kernel, strides, machine, hints, refused))
//     measure(text);
//   std::string reason;
//   kernel.setScheduleAttr(parseSchedule(kernel, fastest, reason));
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_TRANSFORMS_CANDIDATES_H
#define KILN_DIALECT_LOOP_TRANSFORMS_CANDIDATES_H

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Analysis/KernelLayout.h"
#include "kiln/Dialect/Loop/IR/Loop.h"
#include "kiln/Dialect/Loop/Transforms/GPUSchedules.h"
#include "kiln/Dialect/Loop/Transforms/Tuning.h"

namespace kiln::loop {

/// On a `loop.kernel`, what was measured: an array of dictionaries with a
/// `schedule` and either its time in nanoseconds, `ns` (f64), or a `failure`, a
/// text. Several lines of one schedule are several measurements.
inline constexpr llvm::StringLiteral kMeasuredAttrName = "loop.measured";
/// On a `loop.kernel`, what is to be measured: an array of schedules.
inline constexpr llvm::StringLiteral kWantedAttrName = "loop.wanted";

/// A schedule that the kernel cannot have.
struct RefusedSchedule {
  std::string schedule;
  std::string reason; ///< the verifier's
};

/// The schedules to try for a kernel that has one, that one first. Of the rest
/// `refused` receives those that are not legal.
std::vector<std::string>
getCandidates(KernelOp kernel, const analysis::KernelStrides &strides,
              const TuneMachine &machine, const analysis::SizeHints &hints,
              std::vector<RefusedSchedule> &refused);

/// The same for a GPU; functions of its `libraries` are candidates, too.
std::vector<std::string>
getCandidates(KernelOp kernel, const analysis::KernelStrides &strides,
              const GPUMachine &machine, const analysis::SizeHints &hints,
              ArrayRef<GPULibrary> libraries, std::vector<RefusedSchedule> &refused);

/// The schedule of a text if `kernel` may have it; else null, and `reason` says
/// why.
ScheduleAttr parseSchedule(KernelOp kernel, llvm::StringRef text,
                           std::string &reason);

/// The text of a schedule, by which it is known in tables.
std::string printSchedule(ScheduleAttr schedule);

} // namespace kiln::loop

#endif // KILN_DIALECT_LOOP_TRANSFORMS_CANDIDATES_H
