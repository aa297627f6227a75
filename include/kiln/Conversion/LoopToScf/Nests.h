//===- Nests.h - What the lowerings of loop nests share ---------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The meaning of a reduction's kinds as operations, and sorts as reductions.
// Every lowering uses these, so that they agree on ties, NaN and empty
// reductions.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CONVERSION_LOOPTOSCF_NESTS_H
#define KILN_CONVERSION_LOOPTOSCF_NESTS_H

#include "kiln/Dialect/Loop/IR/Loop.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace kiln::loop {

/// True if the elements of a tensor compare as unsigned numbers; bools do.
bool hasUnsignedElements(Value tensor);

/// The value that changes nothing when combined, or, where there is none (min
/// and max of no values), the one that every other value replaces. `position`
/// is that of the accumulator within its kind. Not for `generic`, whose values
/// are operands of the reduction.
TypedAttr getIdentity(Builder &builder, ReductionKind kind, unsigned position,
                      Type type, bool isUnsigned);

/// Emits the combiner region of a `generic` reduction.
using GenericCombiner = llvm::function_ref<FailureOr<SmallVector<Value>>(
    ArrayRef<Value> left, ArrayRef<Value> right)>;

/// Emits one step of `op`: the accumulators of `left` and `right` joined.
/// Values may be scalars or vectors, all of the same number of lanes.
FailureOr<SmallVector<Value>>
combineAccumulators(ImplicitLocOpBuilder &b, const Accumulation &op,
                    ArrayRef<Value> left, ArrayRef<Value> right,
                    GenericCombiner generic);

/// `value`, of the type of the body, joined with the element `old` of a scatter
/// whose result has elements of `type`. The result has the type of `value`.
Value combineScattered(ImplicitLocOpBuilder &b, ScatterKind kind, Value old,
                       Value value, Type type);

/// Rewrites a sort into a reduction that counts, for each element, those that
/// come before it, and a scatter of the positions to those places. For lowerings
/// without memory of their own.
void expandSort(SortOp op);

} // namespace kiln::loop

#endif // KILN_CONVERSION_LOOPTOSCF_NESTS_H
