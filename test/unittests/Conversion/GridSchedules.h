//===- GridSchedules.h - Schedules that cases have on a GPU -----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_UNITTESTS_CONVERSION_GRIDSCHEDULES_H
#define KILN_TEST_UNITTESTS_CONVERSION_GRIDSCHEDULES_H

#include "GridRunner.h"
#include "LoopCases.h"

#include "kiln/Dialect/Loop/Transforms/ChooseSchedule.h"

namespace kiln::loop {

/// How a case is emitted, where it can be.
enum class Way {
  Point,  ///< a thread for each point
  Vector, ///< several lanes, where they may be
  Rows,   ///< threads share rows, where they can
  Columns, ///< reductions in parts of columns, where they can; or tiles
  Parts,  ///< and of rows
  Products, ///< tiles of products in shared memory, where they can
  Rounded, ///< the same of f32, rounded to tf32
  Early,   ///< the same on sm_75: units of f16 alone, and copies by way of registers
  Chosen
};

struct Schedule {
  const char *name;
  Way way;
  IndexWidth width = IndexWidth::Narrow;
  int64_t threads = 32, rows = 1;
};

/// The schedule of a kernel, or another one for kernels that it is not for; one that is
/// chosen is for `machine`, whose default is so small that vectors pay at the sizes of tests.
ScheduleAttr getSchedule(KernelOp kernel, const Schedule &schedule,
                         const GPUMachine &machine = {0, 0});

/// Each case under all schedules, a contraction under those that differ for it.
std::vector<std::tuple<LoopCase, Schedule>> getRuns();

/// How rows with products between them are emitted.
struct Blocks {
  const char *name;
  IndexWidth width;
  int64_t rows, columns, partRows, stages, group; ///< 0: chosen
  int64_t parts = 0; ///< of the columns; 0: one walk
  bool isApart = false; ///< each sum has a walk of its own
};

/// Of one walk, or parts of one; of several.
llvm::ArrayRef<Blocks> getBlocks(), getWalks();
/// The schedule of such a kernel.
ScheduleAttr getSchedule(KernelOp kernel, const Blocks &blocks,
                         const GPUMachine &machine = {});

/// The same by warpgroups.
struct Warpgroups {
  const char *name;
  IndexWidth width;
  int64_t rows, columns, stages;
  bool isApart = false, isAdded = false;
};
/// Of one walk; of several; of several that add sums over columns to memory.
llvm::ArrayRef<Warpgroups> getWarpgroups(), getWarpgroupWalks(),
    getAddedWalks();
ScheduleAttr getSchedule(KernelOp kernel, const Warpgroups &blocks);

} // namespace kiln::loop

#endif // KILN_TEST_UNITTESTS_CONVERSION_GRIDSCHEDULES_H
