//===- ProductOperands.h - Operands as they lie in memory -------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_TRANSFORMS_PRODUCTOPERANDS_H
#define KILN_LIB_DIALECT_LOOP_TRANSFORMS_PRODUCTOPERANDS_H

#include "kiln/Analysis/AccessRelations.h"

namespace kiln::loop {

/// Lets the contractions of a kernel read what another kernel has only moved or extended
/// from where that has it: heads of queries that were parted from one product, keys
/// that several heads share. Matrix units extend by themselves.
///
///   %p = pointwise (%i, %j) { extf %qkv[%i, %j + 64] }    contract lhs %p[d0, d2]
///
/// becomes `contract lhs %qkv[d0, d2 + 64] lhs_prologue { extf }`. The other kernels
/// stay as they are; `readFrom` gets those that are no longer read here. With `only` a
/// type, elements of others are left where they were moved to.
void readOperandsInPlace(KernelOp kernel, const analysis::SizeHints &hints,
                         SmallVectorImpl<KernelOp> &readFrom, Type only = {});

/// The indices by which an operand reads what the nest that makes it reads by `map`.
SmallVector<guard::ExprAttr>
getIndicesThrough(ContractOp op, bool isLeft, ArrayRef<guard::ExprAttr> map,
                  const analysis::SizeHints &hints);
/// Lets an operand of a kernel's contraction be read by these indices from an input, `from`, of
/// the kernel that makes it.
void readThrough(KernelOp kernel, ContractOp op, bool isLeft,
                 mlir::BlockArgument from, ArrayRef<guard::ExprAttr> indices);

/// Drops prologues that extend both operands of a contraction from one type of 16 bits
/// to that of its sum, in which they are multiplied anyway.
void dropExtensions(ContractOp op);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_PRODUCTOPERANDS_H
