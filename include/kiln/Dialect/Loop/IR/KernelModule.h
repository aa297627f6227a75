//===- KernelModule.h - The module that holds emitted kernels ---*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emission, by whichever lowering, puts its functions into a module inside of
// the program's, from where they are compiled:
//
//   ModuleOp home = getOrCreateKernelModule(module);
//   std::string name = getFreeName(home, kernel.getName());
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_IR_KERNELMODULE_H
#define KILN_DIALECT_LOOP_IR_KERNELMODULE_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace kiln::loop {

class KernelOp;

/// The module with the kernels of a program; null before there are any.
mlir::ModuleOp getKernelModule(mlir::ModuleOp program);
/// The same, made at the end of the program if need be.
mlir::ModuleOp getOrCreateKernelModule(mlir::ModuleOp program);

/// `name`, or `name_1`, `name_2`, ... if it is taken in `home`.
std::string getFreeName(mlir::Operation *home, llvm::StringRef name);

/// Reports each nest that is in no `loop.kernel`: code is made of kernels alone.
llvm::LogicalResult verifyNestsInKernels(mlir::ModuleOp program);
/// Reports what a kernel computes with elements that are no integers or floats,
/// such as complex ones: no emitter makes code of it.
llvm::LogicalResult verifyElements(KernelOp kernel);

} // namespace kiln::loop

#endif // KILN_DIALECT_LOOP_IR_KERNELMODULE_H
