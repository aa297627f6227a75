//===- Writes.h - What steps write ------------------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_PROGRAM_IR_WRITES_H
#define KILN_LIB_DIALECT_PROGRAM_IR_WRITES_H

#include "mlir/IR/Value.h"

namespace kiln::program {

/// True if the step that `use` belongs to writes it: what a launch writes, the
/// target of a copy, the first argument of a call of `foo_`.
bool writesOperand(mlir::OpOperand &use);

} // namespace kiln::program

#endif // KILN_LIB_DIALECT_PROGRAM_IR_WRITES_H
