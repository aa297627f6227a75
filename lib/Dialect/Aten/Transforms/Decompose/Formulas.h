//===- Formulas.h - What the records of decompositions call -----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions behind `Formula` in AtenFormulas.td. As in FormulaBuilder, null
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

Value viewLike(FormulaBuilder &c, Value x, Value like);
/// `view`, or a copy if it is `self`: the result of a copy is a tensor anew.
Value copyOfView(FormulaBuilder &c, Value view, Value self);
Value moveDim(FormulaBuilder &c, Value x, int64_t from, int64_t to);
Value fillLike(FormulaBuilder &c, Value like, Value number);
Value convertLike(FormulaBuilder &c, Value x, Value like, bool copies);
Value uninitialized(FormulaBuilder &c, Value like);

Value tile(FormulaBuilder &c, Value x, ArrayRef<ExprAttr> repeats);
Value repeatEach(FormulaBuilder &c, Value x, ExprAttr repeats, OptionalDim dim);
Value rotate(FormulaBuilder &c, Value x, int64_t quarters, Dims dims);
Value differences(FormulaBuilder &c, Value x, int64_t n, int64_t dim,
                  Value prepend, Value append);
/// Elements along a dimension, at positions that wrap around it; of all
/// elements in a row if there is none.
Value takeAlong(FormulaBuilder &c, Value x, Value indices, OptionalDim dim);
/// Tensors of at least `rank` dimensions, joined as rows; of at least one, as
/// columns.
Value join(FormulaBuilder &c, ValueRange tensors, int64_t rank);
Value cartesian(FormulaBuilder &c, ValueRange tensors);
/// Tensors of one dimension each, spread over a common grid.
SmallVector<Value> grid(FormulaBuilder &c, ValueRange tensors);

Value zerosOf(FormulaBuilder &c, Value like, ArrayRef<ExprAttr> sizes);
Value replaceDiagonal(FormulaBuilder &c, Value self, Value source,
                      int64_t offset, int64_t dim1, int64_t dim2);
Value embedDiagonal(FormulaBuilder &c, Value self, Value result, int64_t offset,
                    int64_t dim1, int64_t dim2);
Value scatterStrided(FormulaBuilder &c, Value self, Value source,
                     ArrayRef<ExprAttr> size, ArrayRef<ExprAttr> stride,
                     std::optional<ExprAttr> offset);
Value foldWindows(FormulaBuilder &c, Value windows, ArrayRef<ExprAttr> sizes,
                  int64_t dim, int64_t size, int64_t step);

Value half(FormulaBuilder &c, Value x, int64_t dim, int64_t which);
Value pair(FormulaBuilder &c, Value first, Value second, int64_t dim);
Value trace(FormulaBuilder &c, Value x);
Value asColumn(FormulaBuilder &c, Value x);
Value batchInColumns(FormulaBuilder &c, Value x);
Value batchInRows(FormulaBuilder &c, Value x);
/// A weight for each channel, at the dimension of the channels of `x`.
Value channelWeight(FormulaBuilder &c, Value x, Value weight);

//===--- Numbers (FormulasOfNumbers.cpp) -----------------------------------===//

Value logSigmoid(FormulaBuilder &c, Value x);
Value logSigmoidSlope(FormulaBuilder &c, Value x, Value buffer);
Value replaceSpecials(FormulaBuilder &c, Value x, OptionalNumber nan,
                      OptionalNumber posinf, OptionalNumber neginf);
Value crossProduct(FormulaBuilder &c, Value a, Value b, OptionalDim dim,
                   Value result);

Value correction(FormulaBuilder &c, bool unbiased);
Value vectorNorm(FormulaBuilder &c, Value x, Value order, Dims dims,
                 bool keepdim);
Value logSumExp(FormulaBuilder &c, Value x, Dims dims, bool keepdim);
Value extremum(FormulaBuilder &c, bool isGreatest, Value x, OptionalDim dim,
               bool keepdim);
Value countNonzero(FormulaBuilder &c, Value x, OptionalDim dim);
Value withoutNan(FormulaBuilder &c, Value x);
Value cosineSimilarity(FormulaBuilder &c, Value a, Value b, int64_t dim,
                       double eps);
Value pairwiseDistance(FormulaBuilder &c, Value a, Value b, double order,
                       double eps, bool keepdim);
Value limitNorms(FormulaBuilder &c, Value x, Value order, int64_t dim,
                 Value limit);

/// Losses as PyTorch's reductions say: 0 none, 1 mean, 2 sum.
Value reduced(FormulaBuilder &c, Value losses, int64_t reduction);
/// `factor`, for a mean divided by the number of elements of `x`.
Value shared(FormulaBuilder &c, double factor, Value x, int64_t reduction);
Value timesGiven(FormulaBuilder &c, Value x, Value factor);
Value smoothL1(FormulaBuilder &c, Value difference, double beta);
Value smoothL1Slope(FormulaBuilder &c, Value difference, double beta);
Value huber(FormulaBuilder &c, Value difference, double delta);
Value huberSlope(FormulaBuilder &c, Value difference, double delta);
Value divergence(FormulaBuilder &c, Value x, Value target, bool isLog);
Value bce(FormulaBuilder &c, Value x, Value target);
Value bceSlope(FormulaBuilder &c, Value x, Value target);
Value bceWithLogits(FormulaBuilder &c, Value x, Value target, Value positive);

} // namespace kiln::aten::formula

#endif // KILN_LIB_DIALECT_ATEN_TRANSFORMS_DECOMPOSE_FORMULAS_H
