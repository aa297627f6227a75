//===- TileSums.h - Sums over rows of a product's tiles ---------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel of a product may sum up columns of what it makes, each block the
// rows of its own tile, so that nobody reads the result again for it:
//
//   %c = loop.contract parallel [32, 56, 56, 256] ...     100,352 rows of 256
//   columns %s = loop.reduce parallel (%p, %j) in [784, 256] reduction (%r) in
//   [128] <sum> {
//     ... %c[(128 p + r) / 3136, (128 p + r) / 56 % 56, (128 p + r) % 56, j]
//     ...
//
// Rows are the first dimensions of the result, counted as one. The last part
// may have fewer than the others: its body gives 0 for those that there are
// not.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ANALYSIS_TILESUMS_H
#define KILN_ANALYSIS_TILESUMS_H

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Analysis/ContractionShape.h"

namespace kiln::analysis {

/// Bytes of the sums of one column, at most: those of 64 columns are where a
/// warp has finished 16 rows of them.
inline constexpr int64_t kMostTileSumBytes = 32;

/// The result of a product as one matrix.
struct ResultMatrix {
  unsigned rowDims = 0; ///< its first dimensions; the others are columns
  ExprAttr rows, columns;
};

/// Nothing where a product has several matrices, or counts rows or columns in
/// another order than its result has them.
std::optional<ResultMatrix> getResultMatrix(loop::ContractOp op,
                                            const ContractionShape &shape);

/// Bytes of the accumulators of a sum, for one column.
int64_t getTileSumBytes(loop::ReduceOp sum);

/// The row of the matrix that a sum over rows of tiles is at, over its
/// dimensions.
ExprAttr getTileRow(loop::ReduceOp sum);
/// The indices of that row in the result of `op`.
SmallVector<ExprAttr> getTileRowIndices(loop::ReduceOp sum, loop::ContractOp op,
                                        const ResultMatrix &matrix);

/// Whether `access`, in `sum`, has its points from parallel dimension `first`
/// on, counted as one, as the column of the matrix.
bool readsOwnColumn(const Access &access, loop::ReduceOp sum, unsigned first,
                    loop::ContractOp op, const ResultMatrix &matrix);
/// Whether `access`, in a sum over all rows, has its reduced points, counted as
/// one, as the row.
bool readsEachRow(const Access &access, loop::ReduceOp sum, loop::ContractOp op,
                  const ResultMatrix &matrix);

/// True if `sum`, in the kernel of the product `op`, is one over rows of tiles
/// of `rows` rows, and reads of what the product makes its own elements.
bool isTileSum(loop::ReduceOp sum, loop::ContractOp op,
               const ResultMatrix &matrix, int64_t rows);

} // namespace kiln::analysis

#endif // KILN_ANALYSIS_TILESUMS_H
