//===- GPUProducts.h - Products as schedules for a GPU see them -*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   GPUProductShape product = getGPUProductShape(op, shape, machine, hints);
//   if (!product.inBoxes && !fitsBoxes(op, shape, 0, product.bytes))
//     ...                            // A would have to be laid out anew
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_TRANSFORMS_GPUPRODUCTS_H
#define KILN_LIB_DIALECT_LOOP_TRANSFORMS_GPUPRODUCTS_H

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Analysis/ContractionShape.h"
#include "kiln/Dialect/Loop/Transforms/GPUSchedules.h"

namespace kiln::loop {

/// A contraction that is a product of matrices, in numbers.
GPUProductShape getGPUProductShape(ContractOp op,
                                   const analysis::ContractionShape &shape,
                                   const GPUMachine &machine,
                                   const analysis::SizeHints &hints);

/// True if a copy engine can bring operand `k` (A or B), whose factors have so many bytes,
/// as warpgroups take it.
bool fitsBoxes(ContractOp op, const analysis::ContractionShape &shape,
               unsigned k, int64_t bytes);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_GPUPRODUCTS_H
