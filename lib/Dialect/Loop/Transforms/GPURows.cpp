//===- GPURows.cpp - Rows that a copy engine brings -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPURows.h"

#include "kiln/Analysis/WholeRows.h"
#include "kiln/Dialect/Loop/IR/RowParts.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

GPURowsScheduleAttr loop::bringRows(KernelOp kernel,
                                    const analysis::KernelStrides &strides,
                                    const GPUMachine &machine,
                                    GPURowsScheduleAttr rows,
                                    bool onlyIfBetter) {
  MLIRContext *context = kernel.getContext();
  GPUBroughtShape shape;
  shape.isOfParts = getRowParts(kernel).has_value();
  if (machine.capability < kGPUBringsRows || rows.getRows() != 1 ||
      !shape.isOfParts)
    return {};
  for (const analysis::WholeRow &row :
       analysis::getWholeRows(kernel, analysis::getLayout(kernel, strides))) {
    // Rows of a part are in registers while they are computed, for all that reads them.
    if (!row.isAligned || !row.input.hasNUses(unsigned(row.loads.size())))
      continue;
    shape.least =
        shape.bytes == 0 ? row.bytes : std::min(shape.least, row.bytes);
    shape.bytes += row.bytes;
  }
  GPURowsSchedule first = {rows.getThreads(), rows.getRows(), rows.getLanes(),
                           rows.getSteps()};
  if (shape.bytes == 0 ||
      (onlyIfBetter && !paysBringingGPURows(first, shape, machine)))
    return {};
  auto s = bringGPURows(first, shape, machine);
  if (!s)
    return {};
  return GPURowsScheduleAttr::get(context, s->threads, s->rows, s->lanes,
                                  s->steps, s->stages);
}
