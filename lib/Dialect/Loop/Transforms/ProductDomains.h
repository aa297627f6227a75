//===- ProductDomains.h - Contractions over the points of rows --*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction walks the rows that a kernel works on, seldom by the same
// dimensions: a batched product has heads and batch as one, a softmax has them
// apart. What follows brings them together.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_TRANSFORMS_PRODUCTDOMAINS_H
#define KILN_LIB_DIALECT_LOOP_TRANSFORMS_PRODUCTDOMAINS_H

#include "Bodies.h"

namespace kiln::loop {

/// A contraction of `op`'s values whose parallel extents are `shared` and then the
/// last ones of `op`, made at `builder`. `lead` are the other indices of `op` over
/// the shared ones; `mapping` has its operands and what its bodies capture.
///
///   [6, n, m] with lead [d0 * 3 + d1, d2] over [2, 3, n]  becomes  [2, 3, n, m]
ContractOp moveToShared(OpBuilder &builder, ContractOp op,
                        ArrayRef<guard::ExprAttr> shared,
                        ArrayRef<guard::ExprAttr> lead,
                        const IRMapping &mapping,
                        const analysis::SizeHints &hints);

/// A contraction in the place of `op`, which stands last at `builder` in a kernel
/// and sums up rows that the kernel computes: one that reads them at shared
/// dimensions of its own. That is `op` if it does; else where it walks several of
/// them as one, they come apart, and the result has other sizes. Null if neither
/// is possible.
ContractOp alignConsumer(OpBuilder &builder, ContractOp op,
                         ArrayRef<guard::ExprAttr> shared,
                         const analysis::SizeHints &hints);

/// True if all that use `value` are nests of kernels that say where they read it.
bool canReshape(Value value);

/// Lets the kernels that read `from` read `to` instead: the same elements in the
/// same order, of other sizes. For values that `canReshape`.
void replaceReshaped(Value from, Value to, const analysis::SizeHints &hints);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_PRODUCTDOMAINS_H
