//===- GridInterpreter.h - What a grid of threads does --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs functions of a `gpu.module` in the llvm and nvvm dialects, as they are handed to
// code generation, decoded (GridProgram.h), a thread at a time: each until it waits for
// others at a barrier or at what a warp does together. Memory is watched (GridMemory.h),
// and threads that wait for each other at different places fail the test. What is copied
// asynchronously is NaN until the thread that copies has waited for it; what a copy engine
// brings, until a thread has waited at the barrier that counts it.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_UNITTESTS_CONVERSION_GRIDINTERPRETER_H
#define KILN_TEST_UNITTESTS_CONVERSION_GRIDINTERPRETER_H

#include "GridMemory.h"
#include "GridProgram.h"

namespace kiln::loop {

namespace grid {
/// The registers of each thread of a warp.
using Warp = llvm::ArrayRef<uint64_t *>;

/// `ldmatrix`. `read` gives a row, 16 bytes, for a thread; null if there is none.
void loadMatrices(
    const Instruction &of, Warp warp,
    llvm::function_ref<const uint8_t *(unsigned thread, uint64_t address)>
        read);
/// `mma.sync`.
void multiplyMatrices(const Instruction &of, Warp warp);
} // namespace grid

/// Runs `blocks` blocks of `threads` threads of `function`, each with `shared` bytes of
/// memory besides what is declared. False if one of them stops the device.
bool runGrid(mlir::LLVM::LLVMFuncOp function, int64_t blocks, int64_t threads,
             llvm::ArrayRef<uint64_t> arguments, GridMemory &memory,
             int64_t shared = 0);

} // namespace kiln::loop

#endif // KILN_TEST_UNITTESTS_CONVERSION_GRIDINTERPRETER_H
