//===- GPUCandidates.h - Schedules to measure on a GPU ----------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for (Attribute other : collectGPUSchedules(kernel, strides, machine, hints,
//                                              first, /*libraries=*/{}))
//     ...                 // a few, none of them `first`, perhaps not legal
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_TRANSFORMS_GPUCANDIDATES_H
#define KILN_LIB_DIALECT_LOOP_TRANSFORMS_GPUCANDIDATES_H

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Analysis/KernelLayout.h"
#include "kiln/Dialect/Loop/Transforms/GPUSchedules.h"

namespace kiln::loop {

/// Schedules that may be better than `first`, the likeliest first. Each costs a
/// driver a tenth of a second or more, so there are few. The last ones are
/// `first` with those of `libraries` that have what the kernel computes.
std::vector<mlir::Attribute>
collectGPUSchedules(KernelOp kernel, const analysis::KernelStrides &strides,
                    const GPUMachine &machine, const analysis::SizeHints &hints,
                    ScheduleAttr first, ArrayRef<GPULibrary> libraries);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_GPUCANDIDATES_H
