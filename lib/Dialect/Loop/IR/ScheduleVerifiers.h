//===- ScheduleVerifiers.h - What schedules are refused for ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of schedules for processors and for GPUs alike.
//
//   return failure(failed(verifyRange(emitError, "stages", stages, 2, 8)));
//     -> "stages of a schedule is in 2..8, but found 9"
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_IR_SCHEDULEVERIFIERS_H
#define KILN_LIB_DIALECT_LOOP_IR_SCHEDULEVERIFIERS_H

#include "kiln/Dialect/Loop/IR/Loop.h"

#include "llvm/Support/MathExtras.h"

namespace kiln::loop {

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

inline llvm::LogicalResult verifyRange(EmitError emitError,
                                       llvm::StringRef field, int64_t value,
                                       int64_t low, int64_t high) {
  if (value >= low && value <= high)
    return llvm::success();
  return emitError() << field << " of a schedule is in " << low << ".." << high
                     << ", but found " << value;
}

inline llvm::LogicalResult verifyPower(EmitError emitError,
                                       llvm::StringRef field, int64_t value,
                                       int64_t low, int64_t high) {
  if (value >= low && value <= high && llvm::isPowerOf2_64(value))
    return llvm::success();
  return emitError() << field << " of a schedule is a power of two in " << low
                     << ".." << high << ", but found " << value;
}

/// Threads of a block are whole warps.
inline llvm::LogicalResult verifyThreads(EmitError emitError, int64_t threads) {
  if (threads >= 32 && threads <= 1024 && threads % 32 == 0)
    return llvm::success();
  return emitError() << "threads of a schedule is a multiple of 32 in 32..1024, "
                        "but found "
                     << threads;
}

/// An error at the kernel, that `attr` is no schedule for it.
inline mlir::InFlightDiagnostic refuse(KernelOp kernel, mlir::Attribute attr) {
  return kernel.emitOpError() << "cannot be emitted as '" << attr << "', ";
}

/// Whether the target, if it is known, has the instructions of a schedule.
inline llvm::LogicalResult verifyChip(KernelOp kernel, mlir::Attribute schedule,
                                      bool needsWarpgroups,
                                      int64_t capability = kGPUCopiesAhead) {
  GPUTargetAttr target = getGPUTarget(kernel);
  if (!target || (needsWarpgroups ? target.hasWarpgroups()
                                  : target.getCapability() >= capability))
    return llvm::success();
  mlir::InFlightDiagnostic error = refuse(kernel, schedule) << "which is for ";
  if (needsWarpgroups)
    error << "sm_90a";
  else
    error << "sm_" << capability << " and later";
  return error << ", but its target is " << target.getChip();
}

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_IR_SCHEDULEVERIFIERS_H
