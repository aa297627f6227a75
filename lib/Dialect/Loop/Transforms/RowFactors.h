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
/// weights were rounded, exponentials are. They are of what the maximum of the same row
/// was subtracted from, so each is at most 1.
///
/// Their sum is not: with values of 1e37 it is infinite for some hundred columns where
/// the product of normalized weights is finite. So only contractions that have
/// `kAttentionAttrName` are changed, which are of attention operators whose kernel in
/// PyTorch divides behind the product as well, and overflows there. What a program spells
/// as a softmax and a product keeps its order, and its weights are not rounded.
///
/// `hasBF16Units` says that the processor multiplies pairs of bf16. Exponentials are then
/// rounded to bf16 where the other side is bf16, and the result of the product is or is
/// rounded to it by all who read it, as PyTorch's attention does; the greatest of a row
/// is 1 and stays exact. `results` are what other kernels read for the kernel's.
void scaleBehindProducts(KernelOp kernel, ArrayRef<OpResult> results,
                         bool hasBF16Units);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_ROWFACTORS_H
