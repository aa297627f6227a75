//===- Nests.h - What the lowerings of loop nests share ---------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The meaning of a reduction's kinds as operations, and contractions as
// reductions. Every lowering uses these, so that they agree on ties, NaN and
// empty reductions.
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

/// The strides, in elements, of the tensors that a kernel reads: those of a
/// function argument's `loop.strides` attribute, else row-major. An error at
/// the kernel where a tensor has dynamic sizes without names, or strides for
/// another rank; that includes the sizes of tensors it writes.
FailureOr<SmallVector<SmallVector<guard::ExprAttr>>>
getInputStrides(KernelOp kernel);

/// Rewrites a sort into a reduction that counts, for each element, those that
/// come before it, and a scatter of the positions to those places. For lowerings
/// without memory of their own.
void expandSort(SortOp op);

/// Rewrites a contraction into a reduction and, where the sum is not yet the
/// result, a pointwise nest over the same indices, which any lowering has.
void expandContraction(ContractOp op);

/// The second half of `expandContraction`: replaces `op` by its epilogue, a
/// pointwise nest that reads `sum`, a tensor of accumulators.
void expandEpilogue(ContractOp op, Value sum);

} // namespace kiln::loop

#endif // KILN_CONVERSION_LOOPTOSCF_NESTS_H
