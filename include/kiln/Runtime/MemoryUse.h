//===- MemoryUse.h - How much memory tensors hold ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts the bytes of all storages from `Storage::allocate` in this process,
// for `--stats` and for tests of the memory planner. Borrowed memory does not
// count. Exact for one thread; with several, the peak may miss an instant.
//
//   resetMemoryPeak();
//   runner.run(inputs);
//   int64_t bytes = memoryUse().peakBytes;
//
//===----------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_MEMORYUSE_H
#define KILN_RUNTIME_MEMORYUSE_H

#include <cstdint>

namespace kiln::runtime {

struct MemoryUse {
  int64_t currentBytes = 0;
  int64_t peakBytes = 0; ///< since the start or the last `resetMemoryPeak`
};

/// What is allocated now; an instant of it where other threads run.
MemoryUse memoryUse();

/// Starts a new measurement: the peak becomes the current use.
void resetMemoryPeak();

} // namespace kiln::runtime

#endif // KILN_RUNTIME_MEMORYUSE_H
