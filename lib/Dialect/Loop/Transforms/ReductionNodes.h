//===- ReductionNodes.h - Reductions that a GPU fuses -----------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_TRANSFORMS_REDUCTIONNODES_H
#define KILN_LIB_DIALECT_LOOP_TRANSFORMS_REDUCTIONNODES_H

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Dialect/Loop/Transforms/Fusion.h"

namespace kiln::loop {

/// True if a GPU would do a reduction, alone, in parts. `across` says that it
/// reads rows side by side.
bool isInParts(NestOpInterface nest, bool across, GPUTargetAttr gpu,
               const analysis::SizeHints &hints);

/// True if a GPU would do a sum in parts and no block has registers for what it
/// adds up, so that another reduction that waits for it reads memory again.
bool isReadAgain(ReduceOp sum, GPUTargetAttr gpu,
                 const analysis::SizeHints &hints);

/// Says of a reduction on a GPU whether it would be done in parts, and whether
/// threads may share its columns.
void setReduction(FusionNode &node, NestOpInterface nest, GPUTargetAttr gpu,
                  const analysis::SizeHints &hints);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_REDUCTIONNODES_H
