//===- CompositeFormulas.h - What records of composites call ----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions behind `Formula` in the formulas of composites. As everywhere,
// null operands give null, and so does what does not fit.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_ATEN_TRANSFORMS_DECOMPOSE_COMPOSITEFORMULAS_H
#define KILN_LIB_DIALECT_ATEN_TRANSFORMS_DECOMPOSE_COMPOSITEFORMULAS_H

#include "Composites.h"

namespace kiln::aten::formula {

using Dims = ArrayRef<int64_t>;

//===--- Linear algebra (CompositeLinalg.cpp) ------------------------------===//

/// Sums products over the dimensions `left` of `a` and `right` of `b`.
Value tensorDot(Composite &c, Value a, Value b, Dims left, Dims right);
/// Sums of products over the last dimensions.
Value inner(Composite &c, Value a, Value b);
/// Every element of `a` times all of `b`.
Value kronecker(Composite &c, Value a, Value b);
/// The norm of matrices by an order: infinite, 1, or one of them negative. No
/// dimensions are the first two.
Value matrixNorm(Composite &c, Value x, Value order, std::optional<Dims> dims,
                 bool keepdim, std::optional<Type> type);
/// The same by its name, "fro".
Value namedNorm(Composite &c, Value x, StringRef name, std::optional<Dims> dims,
                bool keepdim, std::optional<Type> type);
Value invert(Composite &c, Value a);
Value determinant(Composite &c, Value a);
/// Zeros for matrices that nothing was wrong with.
Value noInfo(Composite &c, Value a);
/// The solution of A X = B where A = L L^T, of which `factor` is one.
Value choleskySolve(Composite &c, Value b, Value factor, bool upper);
/// The identity, in the size of the matrix.
Value unitLike(Composite &c, Value a);

//===--- Quantiles (CompositeMath.cpp) -------------------------------------===//

/// Values between sorted elements, at shares `q` of the way.
Value quantile(Composite &c, Value x, Value q, std::optional<int64_t> dim,
               bool keepdim, StringRef how, bool skipsNan);
/// A number as a tensor of the type of `x`.
Value shareOf(Composite &c, Value x, double number);

//===--- Images (CompositeLayers.cpp) --------------------------------------===//

/// The sizes of an upsampling: none if factors are given, which decide where
/// elements lie.
SizesArg sizesUnless(Composite &c, ArrayRef<ExprAttr> sizes,
                     std::optional<double> factor);
/// The factors of an upsampling of `x` to `sizes`, which they must give.
FloatsArg factorsFor(Composite &c, Value x, ArrayRef<ExprAttr> sizes,
                     ArrayRef<std::optional<double>> factors);
template <typename... Ts>
FloatsArg factorsFor(Composite &c, Value x, ArrayRef<ExprAttr> sizes,
                     std::optional<double> first, Ts... others) {
  return factorsFor(c, x, sizes,
                    ArrayRef<std::optional<double>>({first, others...}));
}

} // namespace kiln::aten::formula

#endif // KILN_LIB_DIALECT_ATEN_TRANSFORMS_DECOMPOSE_COMPOSITEFORMULAS_H
