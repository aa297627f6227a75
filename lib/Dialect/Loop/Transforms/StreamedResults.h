//===- StreamedResults.h - Results that caches would not keep ---*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_TRANSFORMS_STREAMEDRESULTS_H
#define KILN_LIB_DIALECT_LOOP_TRANSFORMS_STREAMEDRESULTS_H

#include "kiln/Dialect/Loop/IR/Loop.h"

namespace kiln::loop {

/// The results of `kernel` of at least `least` bytes (0: of no size) that are
/// better written past the caches: made by a pointwise nest, for the caller of
/// the function alone, and not written where something lies that the kernel has
/// just read, whose lines are in the caches anyway.
SmallVector<int64_t> getStreamedResults(KernelOp kernel, int64_t least);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_STREAMEDRESULTS_H
