//===- Weights.h - Tensors that are the same in each call -------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that reads such tensors alone runs once
// (`program-hoist-preparation`), so what it makes costs a call nothing: a
// transform may lay weights out as their readers want them.
//
//   if (isFrozen(kernel.getInputs()[k]))
//     ... // a kernel that copies it costs nothing
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_IR_WEIGHTS_H
#define KILN_DIALECT_LOOP_IR_WEIGHTS_H

#include "kiln/Dialect/Loop/IR/Loop.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/Support/MathExtras.h"

namespace kiln::loop {

/// Of an argument of a function of inference: a weight that no call changes.
inline constexpr llvm::StringLiteral kFrozenAttrName = "loop.frozen";

/// Of a contraction in a kernel of the schedule `packed` or `blocks`: the
/// panels of B are made by a kernel before it (`loop-pack-weights`).
inline constexpr llvm::StringLiteral kPackedAheadAttrName = "loop.packed_ahead";

/// Of a launch: the inputs of which it reads a few elements, as an embedding does of its table
/// (`getSparseInputs`). Pages of a weight that nobody touches are not in memory.
inline constexpr llvm::StringLiteral kSparseAttrName = "loop.sparse";

/// True for a weight that no call changes, and for what kernels make of such
/// alone.
inline bool isFrozen(mlir::Value tensor) {
  if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(tensor)) {
    auto function = llvm::dyn_cast<mlir::FunctionOpInterface>(
        argument.getOwner()->getParentOp());
    return function &&
           function.getArgAttr(argument.getArgNumber(), kFrozenAttrName);
  }
  auto kernel = tensor.getDefiningOp<KernelOp>();
  return kernel && !kernel.getInputs().empty() &&
         llvm::all_of(kernel.getInputs(), isFrozen);
}

/// Factors of a word of a panel, which are neighbours along the depth.
inline int64_t getFactorsOfWord(DotUnit unit) {
  if (unit == DotUnit::Quads)
    return 4;
  return unit == DotUnit::Fma ? 1 : 2;
}

/// Steps of the depth that a block of `depth` has in a panel: words, padded to
/// whole vectors.
inline int64_t getPackedSteps(PackedScheduleAttr schedule, int64_t depth) {
  const int64_t together = getFactorsOfWord(schedule.getUnit());
  return int64_t(llvm::alignTo(depth, schedule.getLanes() * together)) /
         together;
}

/// Elements, of the type of the sums, that the panels of B take: of one block
/// of the depth after the other, of each all panels of `tile_columns` columns.
inline int64_t getPackedElements(PackedScheduleAttr schedule, int64_t depth,
                                 int64_t columns) {
  const int64_t block = schedule.getBlockDepth();
  const int64_t steps = depth / block * getPackedSteps(schedule, block) +
                        getPackedSteps(schedule, depth % block);
  return steps * int64_t(llvm::alignTo(columns, schedule.getTileColumns()));
}

} // namespace kiln::loop

#endif // KILN_DIALECT_LOOP_IR_WEIGHTS_H
