//===- FuseChecks.h - What is asserted of all points ------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_TRANSFORMS_FUSECHECKS_H
#define KILN_LIB_DIALECT_LOOP_TRANSFORMS_FUSECHECKS_H

#include "kiln/Dialect/Loop/IR/Loop.h"

namespace kiln::loop {

/// True for `aten._assert_async` of one operand, which must be true.
bool isAssertion(Operation *op);

/// True if `op` finds whether all points of its domain have something, for assertions alone.
bool isCheck(ReduceOp op);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_FUSECHECKS_H
