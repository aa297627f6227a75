//===- KernelProgram.h - One kernel as a program of its own -----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that does nothing but run a kernel, so that it can be measured with all
// that a compilation and a run of it take:
//
//   module attributes {loop.target = ...} {
//     func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
//       %r = loop.kernel @kernel ins(%a = %x : tensor<8xf32>) ...
//       return %r : tensor<8xf32>
//     }
//   }
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_COMPILER_KERNELPROGRAM_H
#define KILN_LIB_COMPILER_KERNELPROGRAM_H

#include "kiln/Base/Digest.h"
#include "kiln/Base/Result.h"
#include "kiln/Dialect/Loop/IR/Loop.h"
#include "kiln/Package/KernelTuner.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace kiln::compiler {

/// The program of a kernel with this schedule; without one for a null schedule.
/// What only names (the kernel's name, origins, traffic) is left out.
mlir::OwningOpRef<ModuleOp> makeKernelProgram(loop::KernelOp kernel,
                                              loop::ScheduleAttr schedule);

/// The digest of that program without a schedule: equal kernels have equal ones, in
/// all processes.
Digest digestKernel(loop::KernelOp kernel);

/// What a kernel is called with alone: its symbols have the values that are expected
/// of them, and integers that it uses as positions are in bounds. Positions that
/// are computed in another way than by counting from the end can only be 0.
package::TrialInputs getTrialInputs(loop::KernelOp kernel);

/// Takes the program down to `@kernels` and a program of the runtime.
Status lowerKernelProgram(ModuleOp module);

} // namespace kiln::compiler

#endif // KILN_LIB_COMPILER_KERNELPROGRAM_H
