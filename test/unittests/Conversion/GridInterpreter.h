//===- GridInterpreter.h - What a grid of threads does --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs functions of a `gpu.module` in the llvm and nvvm dialects, as they are handed to
// code generation, a thread at a time: each until it waits for others at a barrier or at
// what a warp does together. Memory is watched (GridMemory.h), and threads that wait for
// each other at different places fail the test. What is copied asynchronously is NaN until
// the thread that copies has waited for it.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_UNITTESTS_CONVERSION_GRIDINTERPRETER_H
#define KILN_TEST_UNITTESTS_CONVERSION_GRIDINTERPRETER_H

#include "GridMemory.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace kiln::loop {

/// The bits of a value: one entry for each lane of a vector or field of a struct.
using Bits = llvm::SmallVector<uint64_t, 4>;

/// What an op that touches no memory and knows no thread gives; false if it is not
/// interpreted.
bool evaluateOp(mlir::Operation &op, llvm::ArrayRef<const Bits *> operands,
                Bits &result);

/// What all threads of a warp do together besides shuffles, `ldmatrix` and `mma.sync`:
/// operands of each thread by number, and each thread's result. False if it is not
/// interpreted. `read` gives 16 bits of memory for a thread.
bool evaluateTogether(
    mlir::Operation &op,
    llvm::function_ref<const Bits &(unsigned thread, mlir::Value)> get,
    llvm::function_ref<uint64_t(unsigned thread, uint64_t address,
                                unsigned alignment)>
        read,
    llvm::MutableArrayRef<Bits> results);

/// Runs `blocks` blocks of `threads` threads of `function`, each with `shared` bytes of
/// memory besides what is declared.
void runGrid(mlir::LLVM::LLVMFuncOp function, int64_t blocks, int64_t threads,
             llvm::ArrayRef<uint64_t> arguments, GridMemory &memory,
             int64_t shared = 0);

} // namespace kiln::loop

#endif // KILN_TEST_UNITTESTS_CONVERSION_GRIDINTERPRETER_H
