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

#include "LoopInterpreter.h"

#include "mlir/IR/BuiltinOps.h"

namespace kiln::loop {

/// Which functions of a launch are run where both may be.
enum class IndexWidth { Narrow, Wide };

/// Runs the launches of the function `main` of `module`, whose `gpu.module`s are
/// lowered. A failure fails the test and gives nothing.
std::vector<Array> runGrids(mlir::ModuleOp module, IndexWidth width,
                            llvm::ArrayRef<Array> arguments,
                            const SymbolValues &symbols);

} // namespace kiln::loop

#endif // KILN_TEST_UNITTESTS_CONVERSION_GRIDRUNNER_H
