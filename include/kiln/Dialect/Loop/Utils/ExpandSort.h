//===- ExpandSort.h - Sorts as counts and a scatter -------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For lowerings without memory of their own, where a sort cannot merge runs:
//
//   %p = loop.sort parallel () in [] along (%j) in [n] at 0 { key(%j) }
//
// becomes
//
//   %r = loop.reduce parallel (%j) in [n] reduction (%k) in [n] <sum>
//       { key(%k) < key(%j), or equal and %k < %j }
//   %p = loop.scatter (%j) in [n] into %zeros <set> { %j at %r[%j] }
//
// where only places inside of what is kept are written.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_UTILS_EXPANDSORT_H
#define KILN_DIALECT_LOOP_UTILS_EXPANDSORT_H

#include "kiln/Dialect/Loop/IR/Loop.h"

namespace kiln::loop {

/// Rewrites a sort into a reduction that counts, for each element, those that
/// come before it, and a scatter of the positions to those places.
void expandSort(SortOp op);

} // namespace kiln::loop

#endif // KILN_DIALECT_LOOP_UTILS_EXPANDSORT_H
