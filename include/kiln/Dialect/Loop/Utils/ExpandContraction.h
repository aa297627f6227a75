//===- ExpandContraction.h - Contractions as reductions ---------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   kernel.walk([](loop::ContractOp op) { loop::expandContraction(op); });
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_UTILS_EXPANDCONTRACTION_H
#define KILN_DIALECT_LOOP_UTILS_EXPANDCONTRACTION_H

#include "kiln/Dialect/Loop/IR/Loop.h"

namespace kiln::loop {

/// Rewrites a contraction into a reduction and, where the sum is not yet the
/// result, a pointwise nest over the same indices, which any lowering has.
void expandContraction(ContractOp op);

/// The second half of `expandContraction`: replaces `op` by its epilogue, a
/// pointwise nest that reads `sum`, a tensor of accumulators.
void expandEpilogue(ContractOp op, mlir::Value sum);

} // namespace kiln::loop

#endif // KILN_DIALECT_LOOP_UTILS_EXPANDCONTRACTION_H
