//===- RowFactors.h - Factors of rows behind their product ------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_TRANSFORMS_ROWFACTORS_H
#define KILN_LIB_DIALECT_LOOP_TRANSFORMS_ROWFACTORS_H

#include "kiln/Dialect/Loop/IR/Loop.h"

namespace kiln::loop {

/// Multiplies exponentials by the factor of their row behind the product that they are a
/// side of, in its epilogue, rather than each of them before:
///
///   %w = pointwise (%i, %j) { %e[%i, %j] * %r[%i] }   contract lhs %w[d0, d2]
///
/// becomes `contract lhs %e[d0, d2] epilogue (%acc, %i, %c) { %acc * %r[%i] }`. Where
/// weights were rounded, exponentials are. They are of what a maximum was subtracted
/// from, so at most 1: nothing overflows that did not before. Contractions of which this
/// is not so are left alone.
///
/// `hasBF16Units` says that the processor multiplies pairs of bf16. Exponentials are then
/// rounded to bf16 where the other side is bf16, and the result of the product is or is
/// rounded to it by all who read it, as PyTorch's attention does; the greatest of a row
/// is 1 and stays exact. `results` are what other kernels read for the kernel's.
void scaleBehindProducts(KernelOp kernel, ArrayRef<OpResult> results,
                         bool hasBF16Units);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_ROWFACTORS_H
