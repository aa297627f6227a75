//===- ScheduleAttributes.cpp - Targets and schedules as plain data -------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Schedules are chosen over plain data: what stands in attributes becomes such data
// here, and what was chosen becomes an attribute.
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/Transforms/ChooseSchedule.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

Machine loop::getMachine(TargetAttr target) {
  Machine machine;
  machine.vectorBits = target.getVectorBits();
  machine.registers = target.getRegisters();
  machine.masks = target.getMasks();
  machine.l2Bytes = target.getL2();
  machine.grainPoints = target.getGrainPoints();
  machine.bf16 = target.getBf16();
  machine.bytes = target.getBytes();
  machine.threads = target.getThreads();
  machine.streamBytes = target.getStream();
  return machine;
}

ScheduleAttr loop::toAttribute(MLIRContext *context,
                               const ProductSchedule &any) {
  if (auto *s = std::get_if<SkinnyRowsSchedule>(&any))
    return SkinnyRowsScheduleAttr::get(context, s->lanes, s->itemColumns,
                                       s->unroll, s->masked, s->grain);
  if (auto *s = std::get_if<SkinnyColumnsSchedule>(&any))
    return SkinnyColumnsScheduleAttr::get(context, s->lanes, s->itemColumns,
                                          s->columns, s->masked, s->grain);
  const auto &s = std::get<PackedSchedule>(any);
  return PackedScheduleAttr::get(context, s.lanes, s.tileRows, s.tileColumns,
                                 s.blockRows, s.blockDepth, s.itemRows,
                                 s.itemColumns, s.unroll, s.masked, s.grain,
                                 s.unit, s.inPlace);
}
