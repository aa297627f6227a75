//===- ScheduleEmitters.cpp - The emitter of a kernel ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleEmitters.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

FailureOr<EmittedKernel>
loop::emitKernel(KernelOp kernel, const analysis::KernelStrides &inputStrides,
                 OpBuilder &builder, StringRef name) {
  auto emit = [&](auto &&emitter) { return emitter.emit(builder, name); };
  return llvm::TypeSwitch<Attribute, FailureOr<EmittedKernel>>(
             kernel.getScheduleAttr())
      .Case([&](AcrossScheduleAttr schedule) {
        return emit(AcrossEmitter(kernel, inputStrides, schedule));
      })
      .Case([&](WithinScheduleAttr schedule) {
        return emit(WithinEmitter(kernel, inputStrides, schedule));
      })
      .Case([&](TransposeScheduleAttr schedule) {
        return emit(TransposeEmitter(kernel, inputStrides, schedule));
      })
      .Case([&](ScatterScheduleAttr schedule) {
        return emit(ScatterEmitter(kernel, inputStrides, schedule));
      })
      .Case([&](BlocksScheduleAttr schedule) {
        return emit(BlocksEmitter(kernel, inputStrides, schedule));
      })
      .Case<PackedScheduleAttr, SkinnyRowsScheduleAttr,
            SkinnyColumnsScheduleAttr>([&](auto schedule) {
        return emit(ProductEmitter(kernel, inputStrides, schedule));
      })
      .Default([&](Attribute schedule) {
        return kernel.emitOpError() << "has the schedule '" << schedule
                                    << "', which is not for this processor";
      });
}
