//===- ChooseSchedule.h - The schedule of one kernel ------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `loop-choose-schedule` does to a kernel: looks at its body, asks the
// functions of Schedules.h, and says their answer as an attribute.
//
//   auto strides = analysis::getInputStrides(kernel);
//   if (succeeded(strides))
//     kernel.setScheduleAttr(chooseSchedule(
//         kernel, *strides, getMachine(target), analysis::SizeHints(module)));
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_TRANSFORMS_CHOOSESCHEDULE_H
#define KILN_DIALECT_LOOP_TRANSFORMS_CHOOSESCHEDULE_H

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Analysis/KernelLayout.h"
#include "kiln/Dialect/Loop/Transforms/GPUSchedules.h"
#include "kiln/Dialect/Loop/Transforms/Schedules.h"

namespace kiln::loop {

/// The numbers of a target that schedules depend on.
Machine getMachine(TargetAttr target);
GPUMachine getMachine(GPUTargetAttr target);

/// The schedule of a product as an attribute.
ScheduleAttr toAttribute(mlir::MLIRContext *context,
                         const ProductSchedule &schedule);

/// The schedule for a kernel whose inputs have these strides.
ScheduleAttr chooseSchedule(KernelOp kernel,
                            const analysis::KernelStrides &strides,
                            const Machine &machine,
                            const analysis::SizeHints &hints);

/// The schedule in blocks of so many rows, for a kernel of contractions among
/// other nests; null if it has no such schedule.
ScheduleAttr chooseBlocks(KernelOp kernel,
                          const analysis::KernelStrides &strides,
                          const Machine &machine,
                          const analysis::SizeHints &hints, int64_t rows);

/// The product that a kernel is, if it is one and nothing else.
std::optional<ProductShape>
findProduct(KernelOp kernel, const analysis::KernelStrides &strides,
            const Machine &machine, const analysis::SizeHints &hints);

/// `chooseSchedule` on a GPU.
ScheduleAttr chooseGPUSchedule(KernelOp kernel,
                               const analysis::KernelStrides &strides,
                               const GPUMachine &machine,
                               const analysis::SizeHints &hints);

/// How a kernel of rows that sums up parts of them, too, goes on a GPU: its
/// rows are those of `kernel`, which need not have such sums yet, and `further`
/// is another sum of what `inputs` are, if it is not null. Nothing where blocks
/// cannot walk its rows.
std::optional<GPURowPartsSchedule> chooseGPURowParts(KernelOp kernel,
                                                     ReduceOp further,
                                                     mlir::ValueRange inputs,
                                                     const GPUMachine &machine);

/// The one of a kernel that writes at computed positions: atomic where the order makes no
/// difference, or may.
ScheduleAttr chooseGPUScatter(ScatterOp op, KernelOp kernel,
                              const analysis::KernelStrides &strides,
                              const GPUMachine &machine,
                              const analysis::SizeHints &hints);

/// The same for a kernel of contractions among other nests; null, and why, where it has
/// none.
ScheduleAttr chooseGPUBlocks(KernelOp kernel,
                             const analysis::KernelStrides &strides,
                             const GPUMachine &machine,
                             const analysis::SizeHints &hints, StringRef &why);

} // namespace kiln::loop

#endif // KILN_DIALECT_LOOP_TRANSFORMS_CHOOSESCHEDULE_H
