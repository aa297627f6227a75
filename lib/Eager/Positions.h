//===- Positions.h - Element positions that index operators compute -------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Indexing and scattering share one idea: an operator computes a list of
// positions in the row-major order of a tensor. Gathering copies from there
// (`gatherElements`), scattering combines into there (`combineInto`).
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_EAGER_POSITIONS_H
#define KILN_LIB_EAGER_POSITIONS_H

#include "Elements.h"

namespace kiln::eager {

/// Positions and the shape in which they are arranged.
struct Positions {
  Ints sizes;
  std::vector<int64_t> elements;
};

/// What `x[indices]` addresses: index tensors (i64, i32; bool and u8 are
/// masks), undefined ones stand for whole dimensions.
Positions advancedIndex(const Tensor &x, std::vector<Tensor> indices);

/// For gather and scatter: the multi-index of each element of `index` with its
/// component `dim` replaced by the element. Out of range is refused.
Positions alongDim(const Tensor &x, int64_t dim, const Tensor &index);

/// The slices `index[i]` of dimension `dim`: for index_select and index_add.
Positions slicesAlong(const Tensor &x, int64_t dim, const Tensor &index,
                      bool allowsNegative = false);

/// Positions of the elements of `mask` (of any dtype) that are not zero.
std::vector<int64_t> nonzeroPositions(const Tensor &mask);

enum class Combine { Set, Add, Multiply, Min, Max, Mean };
/// "sum", "add", "prod", "multiply", "amin", "amax", "mean".
Combine parseCombine(const std::string &name);

/// A copy of `x` with the elements of `source` (row-major, of x's dtype)
/// combined in at `positions`, in order.
/// \param includeSelf false: the first value at a position replaces x's.
/// \param roundsEach  16-bit floats are rounded at every step.
Tensor combineInto(const Tensor &x, const std::vector<int64_t> &positions,
                   const Tensor &source, Combine how, bool includeSelf = true,
                   bool roundsEach = false);

/// Joins along a dimension; promotes dtypes and skips empty vectors.
Tensor concatenated(const std::vector<Tensor> &tensors, int64_t dim);

} // namespace kiln::eager

#endif // KILN_LIB_EAGER_POSITIONS_H
