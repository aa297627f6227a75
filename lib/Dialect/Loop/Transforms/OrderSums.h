//===- OrderSums.h - In which order a convolution sums up -------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_TRANSFORMS_ORDERSUMS_H
#define KILN_LIB_DIALECT_LOOP_TRANSFORMS_ORDERSUMS_H

#include "kiln/Dialect/Loop/IR/Loop.h"

namespace kiln::loop {

/// Puts the dimension along which both operands of a convolution have neighbours, or else
/// the one that does, innermost into its sum.
void orderSum(ContractOp op);

/// The same of sums, maxima and minima that read a tensor with another order than theirs: groups of
/// channels of an image that has them last are neighbours, its places are not.
void orderSum(ReduceOp op);

/// True if a reduction is of sums, maxima and minima, whose values may be joined in any order.
bool joinsInAnyOrder(ReduceOp op);

/// Weights are packed along the sum, images along their places. So where taps
/// are walked from the last one to the first, as in the gradient of an image,
/// weights would be gathered element by element: the image is walked backwards
/// instead, which costs it nothing.
void turnSum(ContractOp op);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_ORDERSUMS_H
