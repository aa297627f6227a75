//===- RecomputableOpInterface.h - What running an op again costs --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C++ side of RecomputableOpInterface.td, and the answer for ops that do
// not implement it.
//
//   if (getRecomputeClass(op) == RecomputeClass::Cheap)
//     recomputed.push_back(op);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERFACES_RECOMPUTABLEOPINTERFACE_H
#define KILN_INTERFACES_RECOMPUTABLEOPINTERFACE_H

#include "kiln/Interfaces/RecomputeClass.h"
#include "kiln/Support/LLVM.h"

#include "mlir/IR/OpDefinition.h"

namespace kiln {
/// The sizes of a tensor, all of them numbers.
using SizesFn = llvm::function_ref<llvm::SmallVector<int64_t>(Value)>;
} // namespace kiln

#include "kiln/Interfaces/RecomputableOpInterface.h.inc"

namespace kiln {

/// On an op: its results are wanted computed again, by the user's checkpoint; the
/// number of its region, an i64. What one region hands to a later one is saved.
/// Passes that rewrite the op pass it on to what the op becomes.
constexpr StringRef kRecomputeAttrName = "kiln.recompute";
/// On an op: its results are wanted saved. A unit.
constexpr StringRef kSaveAttrName = "kiln.save";

/// Gives `to` the wishes that stand on `from`, unless it has its own.
void copyRecomputeTags(Operation *from, Operation *to);

/// The class of any op: what its interface says, else what its traits tell.
RecomputeClass getRecomputeClass(Operation *op);

/// Floating-point operations of one run, where they are more than the elements.
double getFlops(Operation *op, SizesFn sizesOf);

/// True if the results of `op` hang on every bit of its operands.
bool comparesExactly(Operation *op);

/// The operand whose storage the results of `op` look at, or null.
OpOperand *getViewedOperand(Operation *op);

} // namespace kiln

#endif // KILN_INTERFACES_RECOMPUTABLEOPINTERFACE_H
