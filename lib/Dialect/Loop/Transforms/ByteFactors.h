//===- ByteFactors.h - Factors that are made of bytes -----------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_TRANSFORMS_BYTEFACTORS_H
#define KILN_LIB_DIALECT_LOOP_TRANSFORMS_BYTEFACTORS_H

#include "GPUProducts.h"

namespace kiln::loop {

/// Lets the product that a kernel is read integers of 8 bits as they lie, and make its factors of
/// them on the way, where another kernel does nothing else and that gains: weights of bytes by
/// few rows take the time to read them, which as floats are five times as many bytes, read,
/// written, and read again. True if it does; the other kernel is gone then.
///
///   %f = pointwise (%i, %j) { sitofp %w[%i, %j] }     contract rhs %f[d1, d2]
///
/// becomes `contract rhs %w[d1, d2] rhs_prologue { sitofp }`.
bool readBytes(KernelOp kernel, const GPUMachine &machine,
               const analysis::SizeHints &hints);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_BYTEFACTORS_H
