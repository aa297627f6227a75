//===- GridRunner.h - Run launched grids ----------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Does by hand what a runtime does with the `loop.launch_grid` ops of a function, on an
// interpreter that is less forgiving than a GPU (GridInterpreter.h).
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_UNITTESTS_CONVERSION_GRIDRUNNER_H
#define KILN_TEST_UNITTESTS_CONVERSION_GRIDRUNNER_H

#include "LoopCases.h"

#include "kiln/Dialect/Loop/IR/Loop.h"

#include "mlir/Pass/PassManager.h"

namespace kiln::loop {

/// What a runtime would hand to a GPU, so that a GPU can be handed the same.
struct GridRecord {
  struct Buffer {
    std::string type;             ///< of its elements: "f32", "i8"
    std::vector<uint8_t> content; ///< before the first step
    std::vector<uint8_t> expected; ///< after the last; empty where it does not matter
  };
  struct Argument {
    bool isBuffer;
    uint64_t value; ///< the number of a buffer, or the integer
  };
  struct Step {
    mlir::Operation *function;
    int64_t blocks, threads;
    std::vector<Argument> arguments;
    int64_t shared = 0; ///< bytes
    std::vector<size_t> maps;
  };
  /// A tensor map, as `#loop.tensor_map` says it.
  struct Map {
    uint64_t buffer;
    std::string type;
    int64_t offset, swizzle;
    std::vector<int64_t> sizes, strides, box;
  };
  std::vector<Map> maps;
  std::vector<Buffer> buffers;
  std::vector<Step> steps;
  std::vector<std::string> failures; ///< messages of assertions that did not hold
};

/// Which functions of a launch are run where both may be.
enum class IndexWidth { Narrow, Wide };

/// Lowers kernels with their schedules to the `gpu.module`s that `runGrids` runs.
bool lowerToNVVM(mlir::ModuleOp module);
/// The same of kernels whatever schedules they have, through linalg.
bool lowerThroughLinalg(mlir::ModuleOp module);

/// Runs the launches of the function `main` of `module`, whose `gpu.module`s are
/// lowered, and records it if there is a `record`. A failure fails the test and gives
/// nothing.
std::vector<Array> runGrids(mlir::ModuleOp module, IndexWidth width,
                            llvm::ArrayRef<Array> arguments,
                            const SymbolValues &symbols,
                            GridRecord *record = nullptr);

/// A GPU with the sizes of an H200, whose products of f32 are exact.
GPUTargetAttr getHopper(mlir::MLIRContext *context, bool deterministic);

/// Runs what the passes that `addPasses` adds make of a case for a GPU, with both widths of
/// indices, and compares with what the case gives. They leave kernels with schedules, which
/// `look` sees before they are lowered.
void checkPassesFor(
    llvm::function_ref<GPUTargetAttr(mlir::MLIRContext *)> getTarget,
    const LoopCase &test,
    llvm::function_ref<void(mlir::OpPassManager &)> addPasses,
    llvm::function_ref<void(mlir::ModuleOp)> look);
/// The same for `getHopper`.
void checkPasses(const LoopCase &test, bool deterministic,
                 llvm::function_ref<void(mlir::OpPassManager &)> addPasses,
                 llvm::function_ref<void(mlir::ModuleOp)> look);

/// Records launches of kernels that the interpreter of threads does not know, of warpgroups
/// and a copy engine, with results that they are `expected` to give.
void recordGrids(mlir::ModuleOp module, IndexWidth width,
                 llvm::ArrayRef<Array> arguments,
                 llvm::ArrayRef<Array> expected, const SymbolValues &symbols,
                 GridRecord &record);

} // namespace kiln::loop

#endif // KILN_TEST_UNITTESTS_CONVERSION_GRIDRUNNER_H
