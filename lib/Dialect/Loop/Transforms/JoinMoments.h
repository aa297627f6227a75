//===- JoinMoments.h - A mean and distances from it -------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_TRANSFORMS_JOINMOMENTS_H
#define KILN_LIB_DIALECT_LOOP_TRANSFORMS_JOINMOMENTS_H

#include "kiln/Dialect/Loop/IR/Loop.h"

namespace kiln::loop {

/// Makes one reduction (`welford`) of each sum of squared distances from a mean
/// in `block` and the sum that the mean is made of, which nobody else reads,
/// both in f32, if `isWanted` is true of that:
///
///   s = sum x[i, k] over i,  m[k] = s[k] / n,  q = sum (x[i, k] - m[k])^2 over
///   i
///     ->  m, q, n = welford x[i, k] over i
///
/// What is read once then is read twice otherwise, since the second sum waits
/// for the first. The joined moments are as exact (Chan, Golub and LeVeque,
/// 1979).
void joinMoments(mlir::Block &block,
                 llvm::function_ref<bool(ReduceOp sum)> isWanted);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_JOINMOMENTS_H
