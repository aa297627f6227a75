//===- FewWindows.h - Contractions that are walked where they lie -*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   if (isWorthPacking(product) && !walksFewWindows(op, product, strides, lanes))
//     ...                                                // packed, in tiles
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_TRANSFORMS_FEWWINDOWS_H
#define KILN_LIB_DIALECT_LOOP_TRANSFORMS_FEWWINDOWS_H

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Analysis/KernelLayout.h"
#include "kiln/Dialect/Loop/Transforms/Schedules.h"

namespace kiln::loop {

/// True if both operands move by `least` to `most` elements with index `dim`.
bool haveSteps(ContractOp op, const analysis::KernelStrides &strides, unsigned dim,
               int64_t least, int64_t most);

/// One more than the last dimension of [first, end) that is none of 1; `first` if all are.
unsigned getEnd(llvm::ArrayRef<guard::ExprAttr> extents, unsigned first,
                unsigned end);

/// True if windows that overlap have few columns, as those of an image's last convolution:
/// what is packed of them would be read for these alone, and fill little of a vector of
/// `lanes`. Neighbours are found along the image, or along what is summed up.
bool walksFewWindows(ContractOp op, const ProductShape &product,
                     const analysis::KernelStrides &strides, int64_t lanes);

/// True if the few channels of a result, its dimension `channels`, are made of an argument that
/// has its channels first: lanes walk it as it lies, and would not fill a vector in another
/// order.
bool makesFewInPlace(ContractOp op, unsigned channels,
                     const analysis::SizeHints &hints);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_FEWWINDOWS_H
