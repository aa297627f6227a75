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
/// `kiln-expand-math` reads) where 1 is added to what they give and products and quotients of
/// the sum are rounded to 16 bits at once, so that its relative error is what counts:
///
///   e^x    off by |x| 2^-23: sigmoids, and gelu by tanh
///   erf    off by 2^-21 of 1, however small it is: gelu by erf
///
/// Half a unit of bf16 is 2^-9, of f16 2^-12, of 1; x is at most 88 where e^x is a number.
void allowCoarseMath(KernelOp kernel);

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_LOOPTONVVM_COARSEMATH_H
