//===- StoredRows.h - Rows of a result as they lie in memory ----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel may give a tensor whose rows are longer than what it makes of them (C4 of
// `loop.kernel`), so that they begin at multiples of a vector. What is behind their elements
// is nobody's: it may be written, and is not read.
//
//   %r = loop.kernel @k ... -> tensor<4x16xf32> {
//     %p = loop.pointwise (%i, %j) in [4, 13] : tensor<4x13xf32> { ... }
//     loop.return %p : tensor<4x13xf32>
//   }
//   getStoredType(%p) -> tensor<4x16xf32>
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ANALYSIS_STOREDROWS_H
#define KILN_ANALYSIS_STOREDROWS_H

#include "kiln/Analysis/ContractionShape.h"

namespace kiln::analysis {

/// The type that the result of a nest has in memory: that of the kernel's result where it is
/// returned, else its own.
RankedTensorType getStoredType(Value result);

/// Strides in elements of the result of a nest in memory: those with which it
/// is returned as a part of a larger tensor, else those of the rows of its
/// stored type, one behind the other.
SmallVector<guard::ExprAttr> getStoredStrides(Value result);

/// True if the result of a nest is returned as a part of a larger tensor
/// (`loop.assemble`).
bool isPart(Value result);

/// True if `lanes` neighbours of the result can be stored together, from each multiple of
/// `lanes` in a row on: they lie beside each other and in one dimension, or the last of them run
/// over the end of rows that are longer; not so where sums are `inParts`, which have memory of
/// their own.
bool canStoreVectors(loop::ContractOp op, const ContractionShape &shape,
                     int64_t lanes, bool inParts);

} // namespace kiln::analysis

#endif // KILN_ANALYSIS_STOREDROWS_H
