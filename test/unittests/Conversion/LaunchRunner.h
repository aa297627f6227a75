//===- LaunchRunner.h - Compile launched kernels and run them -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Does by hand what a runtime does with the `loop.launch` ops of a function,
// and is less forgiving: a kernel's work items are run in several pieces, every
// buffer and the scratch lie between guard bytes that must survive, and inputs
// have only the alignment of their element type.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_UNITTESTS_CONVERSION_LAUNCHRUNNER_H
#define KILN_TEST_UNITTESTS_CONVERSION_LAUNCHRUNNER_H

#include "LoopInterpreter.h"

#include "kiln/Target/CPU/CPUTarget.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace kiln::loop {

/// Compiles the nested module `kernels` of `module` for `target` and runs the
/// launches of its function `main`. A failure fails the test and gives nothing.
std::vector<Array> runLaunches(mlir::ModuleOp module,
                               const target::CPUTarget &target,
                               llvm::ArrayRef<Array> arguments,
                               const SymbolValues &symbols);

} // namespace kiln::loop

#endif // KILN_TEST_UNITTESTS_CONVERSION_LAUNCHRUNNER_H
