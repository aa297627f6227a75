//===- GPURows.h - Rows that threads of a GPU share -------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What threads that share a row read of it may come by a copy engine (`stages` of
// `#loop.gpu_rows`). Rows that lie across memory are columns, of which a block has some beside
// each other (`#loop.gpu_columns`).
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_TRANSFORMS_GPUROWS_H
#define KILN_LIB_DIALECT_LOOP_TRANSFORMS_GPUROWS_H

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Analysis/KernelLayout.h"
#include "kiln/Dialect/Loop/Transforms/GPUSchedules.h"

namespace kiln::loop {

/// A schedule of a kernel whose threads share rows and read them themselves; null if they are not
/// worth sharing.
GPURowsScheduleAttr chooseOwnRows(KernelOp kernel, const GPUMachine &machine);

/// `rows`, the schedule of a kernel without, with a copy engine; null where it has nothing to
/// bring, or no room. With `onlyIfBetter` also where that is not expected to be better.
GPURowsScheduleAttr bringRows(KernelOp kernel,
                              const analysis::KernelStrides &strides,
                              const GPUMachine &machine,
                              GPURowsScheduleAttr rows, bool onlyIfBetter);

/// A schedule of a kernel that reduces across memory and has several nests of
/// columns; null for other kernels, or where registers do not hold them.
ScheduleAttr chooseColumns(KernelOp kernel,
                           const analysis::KernelStrides &strides,
                           const GPUMachine &machine,
                           const analysis::SizeHints &hints);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_GPUROWS_H
