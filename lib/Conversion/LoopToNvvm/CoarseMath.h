//===- CoarseMath.h - Functions whose last digits nobody sees ---*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_LOOPTONVVM_COARSEMATH_H
#define KILN_LIB_CONVERSION_LOOPTONVVM_COARSEMATH_H

#include "kiln/Dialect/Loop/IR/Loop.h"

namespace kiln::loop {

/// Lets functions of f32 in the bodies of a kernel be coarse (fastmath `afn`, which
/// `kiln-expand-math` reads):
///
///   e^x    off by |x| 2^-23, and 0 below 2^-126: sigmoids, gelu by tanh, softmax and its
///          gradient
///   erf    off by 2^-21 of 1, however small it is: gelu by erf
///
/// where products and quotients are rounded to 16 bits at once of what they give or, for erf,
/// of its sum with 1, so that a relative error is what counts. Half a unit of bf16 is 2^-9,
/// of f16 2^-12, of 1; x is at most 88 where e^x is a number. A row of exponentials of numbers
/// of 16 bits behind the largest of them is added up as well: the sum is off by the mean of
/// |x| 2^-23 by their weights, which is below 2^-19 for a row of 100,000.
void allowCoarseMath(KernelOp kernel);

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_LOOPTONVVM_COARSEMATH_H
