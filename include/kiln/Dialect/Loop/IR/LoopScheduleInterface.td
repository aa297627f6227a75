//===- LoopScheduleInterface.td - What is common to schedules -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_IR_LOOPSCHEDULEINTERFACE
#define KILN_DIALECT_LOOP_IR_LOOPSCHEDULEINTERFACE

include "mlir/IR/OpBase.td"

def Loop_ScheduleAttr : AttrInterface<"ScheduleAttr"> {
  let description = [{
    How the code of a kernel is laid out. There is one attribute for each way of
    emitting a kernel, and it holds every number that its emitter uses; emitters
    have none of their own. `loop-choose-schedule` makes them, a person or a
    tuner may write others.

    A schedule decides how fast a kernel is and never which elements it writes;
    the order in which a sum of floats is added up follows from it.
  }];
  let cppNamespace = "::kiln::loop";
  let methods = [
    InterfaceMethod<[{
        The work items below which it does not pay to wake another thread of the
        CPU; 1 for schedules of other processors.
      }], "int64_t", "getGrain", (ins), [{}], [{ return 1; }]>,
    InterfaceMethod<[{
        Fails, with an error at the kernel, if the kernel cannot be emitted in
        this way whatever the strides of its inputs are.
      }], "::llvm::LogicalResult", "verifyKernel",
      (ins "::mlir::Operation *":$kernel)>
  ];
}

#endif // KILN_DIALECT_LOOP_IR_LOOPSCHEDULEINTERFACE
