//===- GridModule.h - The modules that hold kernels of a GPU ----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every lowering for a GPU puts its functions into one of two `gpu.module`s
// inside of the program's: `@kernels`, where `index` has 32 bits, or
// `@kernels_64`, where it has 64.
//
//   gpu::GPUModuleOp home = getOrCreateGridModule(module, /*isNarrow=*/false);
//   LLVM::LLVMFuncOp kernel = createGridFunction(builder, loc, name, types,
//   256);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_UTILS_GRIDMODULE_H
#define KILN_DIALECT_LOOP_UTILS_GRIDMODULE_H

#include "kiln/Support/LLVM.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace kiln::loop {

/// The name of the module of kernels with indices of 32 bits, or of 64.
StringRef getGridModuleName(bool isNarrow);

/// The module of that name, made at the end of the program if need be.
mlir::gpu::GPUModuleOp getOrCreateGridModule(mlir::ModuleOp program,
                                             bool isNarrow);

/// A function, without a body yet, that runs on a grid of blocks of so many
/// threads.
mlir::LLVM::LLVMFuncOp createGridFunction(mlir::OpBuilder &builder,
                                          mlir::Location loc, StringRef name,
                                          ArrayRef<Type> arguments,
                                          int64_t threads);

} // namespace kiln::loop

#endif // KILN_DIALECT_LOOP_UTILS_GRIDMODULE_H
