//===- Formulas.h - What the records of decompositions call -----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions behind `Formula` in AtenFormulas.td. As in Composer, null
// operands give null, and null says that there is no decomposition.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_ATEN_TRANSFORMS_DECOMPOSE_FORMULAS_H
#define KILN_LIB_DIALECT_ATEN_TRANSFORMS_DECOMPOSE_FORMULAS_H

#include "Decompose.h"

namespace kiln::aten::formula {

using Dims = ArrayRef<int64_t>;
using OptionalDim = std::optional<int64_t>;
using OptionalNumber = std::optional<double>;

//===--- Views (FormulasOfViews.cpp) ---------------------------------------===//

Value viewLike(Composer &c, Value x, Value like);
/// `view`, or a copy if it is `self`: the result of a copy is a tensor anew.
Value copyOfView(Composer &c, Value view, Value self);
Value moveDim(Composer &c, Value x, int64_t from, int64_t to);
Value fillLike(Composer &c, Value like, Value number);
Value convertLike(Composer &c, Value x, Value like, bool copies);
Value uninitialized(Composer &c, Value like);

Value tile(Composer &c, Value x, ArrayRef<ExprAttr> repeats);
Value repeatEach(Composer &c, Value x, ExprAttr repeats, OptionalDim dim);
Value rotate(Composer &c, Value x, int64_t quarters, Dims dims);
Value differences(Composer &c, Value x, int64_t n, int64_t dim, Value prepend,
                  Value append);
/// Elements along a dimension, at positions that wrap around it; of all
/// elements in a row if there is none.
Value takeAlong(Composer &c, Value x, Value indices, OptionalDim dim);
/// Tensors of at least `rank` dimensions, joined as rows; of at least one, as
/// columns.
Value join(Composer &c, ValueRange tensors, int64_t rank);
Value cartesian(Composer &c, ValueRange tensors);
/// Tensors of one dimension each, spread over a common grid.
SmallVector<Value> grid(Composer &c, ValueRange tensors);

Value zerosOf(Composer &c, Value like, ArrayRef<ExprAttr> sizes);
Value replaceDiagonal(Composer &c, Value self, Value source, int64_t offset,
                      int64_t dim1, int64_t dim2);
Value embedDiagonal(Composer &c, Value self, Value result, int64_t offset,
                    int64_t dim1, int64_t dim2);
Value scatterStrided(Composer &c, Value self, Value source,
                     ArrayRef<ExprAttr> size, ArrayRef<ExprAttr> stride,
                     std::optional<ExprAttr> offset);
Value foldWindows(Composer &c, Value windows, ArrayRef<ExprAttr> sizes,
                  int64_t dim, int64_t size, int64_t step);

Value half(Composer &c, Value x, int64_t dim, int64_t which);
Value pair(Composer &c, Value first, Value second, int64_t dim);
Value trace(Composer &c, Value x);
Value asColumn(Composer &c, Value x);
Value batchInColumns(Composer &c, Value x);
Value batchInRows(Composer &c, Value x);
/// A weight for each channel, at the dimension of the channels of `x`.
Value channelWeight(Composer &c, Value x, Value weight);

//===--- Numbers (FormulasOfNumbers.cpp) -----------------------------------===//

Value logSigmoid(Composer &c, Value x);
Value logSigmoidSlope(Composer &c, Value x, Value buffer);
Value replaceSpecials(Composer &c, Value x, OptionalNumber nan,
                      OptionalNumber posinf, OptionalNumber neginf);
Value crossProduct(Composer &c, Value a, Value b, OptionalDim dim,
                   Value result);

Value correction(Composer &c, bool unbiased);
Value vectorNorm(Composer &c, Value x, Value order, Dims dims, bool keepdim);
Value logSumExp(Composer &c, Value x, Dims dims, bool keepdim);
Value extremum(Composer &c, bool isGreatest, Value x, OptionalDim dim,
               bool keepdim);
Value countNonzero(Composer &c, Value x, OptionalDim dim);
Value withoutNan(Composer &c, Value x);
Value cosineSimilarity(Composer &c, Value a, Value b, int64_t dim, double eps);
Value pairwiseDistance(Composer &c, Value a, Value b, double order, double eps,
                       bool keepdim);
Value limitNorms(Composer &c, Value x, Value order, int64_t dim, Value limit);

/// Losses as PyTorch's reductions say: 0 none, 1 mean, 2 sum.
Value reduced(Composer &c, Value losses, int64_t reduction);
/// `factor`, for a mean divided by the number of elements of `x`.
Value shared(Composer &c, double factor, Value x, int64_t reduction);
Value timesGiven(Composer &c, Value x, Value factor);
Value smoothL1(Composer &c, Value difference, double beta);
Value smoothL1Slope(Composer &c, Value difference, double beta);
Value huber(Composer &c, Value difference, double delta);
Value huberSlope(Composer &c, Value difference, double delta);
Value divergence(Composer &c, Value x, Value target, bool isLog);
Value bce(Composer &c, Value x, Value target);
Value bceSlope(Composer &c, Value x, Value target);
Value bceWithLogits(Composer &c, Value x, Value target, Value positive);

} // namespace kiln::aten::formula

#endif // KILN_LIB_DIALECT_ATEN_TRANSFORMS_DECOMPOSE_FORMULAS_H
