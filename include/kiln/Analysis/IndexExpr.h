//===- IndexExpr.h - Addresses as functions of loop indices -----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The problem: a loop nest reads a tensor at `[d0, d2 + 3, floordiv(d1, 4)]`.
// Is that a run of neighbours in memory as d2 grows? The same element for all
// d1? In bounds? Where views have been folded into indices (a transposition is
// an exchange of d0 and d1, a reshape a `floordiv` and a `mod`), questions
// about layouts are questions about one expression: the linear address.
//
// For a dense row-major tensor with sizes [s0, 4, 8] the address of [a, b, c]
// is `a * 32 + b * 8 + c`, a polynomial in the indices after simplification:
//
//   load                              address            along d0   d1   d2
//   [d0, d1, d2]                      d0*32 + d1*8 + d2        32    8    1
//   [d1, d0, d2]  (transposed)        d1*32 + d0*8 + d2         8   32    1
//   [d0, 0, d2]   (broadcast)         d0*32 + d2               32    0    1
//   view as [s0, 32]: [d0, floordiv(d1, 8), mod(d1, 8)], d1 < 32
//                                     d0*32 + d1               32    1
//
// In the last row, the address of a reshape becomes simple again although its
// indices are not: `floordiv(d1, 8) * 8 + mod(d1, 8)` is d1. So the address,
// not the list of indices, decides contiguity.
//
// Considered and left: AffineMap cannot hold products of symbols (`d0 * s1`)
// nor symbolic divisors, which dynamic shapes have everywhere. Presburger
// relations answer more (emptiness, projection), and none of it is asked here.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ANALYSIS_INDEXEXPR_H
#define KILN_ANALYSIS_INDEXEXPR_H

#include "kiln/Dialect/Guard/IR/Expr.h"

namespace kiln::analysis {

using guard::ExprAttr;

/// Bounds for the indices d0, d1, ... of a domain: 0 <= d<k> < extents[k].
void addExtents(guard::Assumptions &assumptions, MLIRContext *context,
                ArrayRef<ExprAttr> extents);

/// The address, in elements, of the element at `indices` of a tensor whose
/// dimensions lie `strides` apart: their sum of products, simplified.
ExprAttr linearize(MLIRContext *context, ArrayRef<ExprAttr> indices,
                   ArrayRef<ExprAttr> strides,
                   const guard::Assumptions &assumptions);

/// The indices of the element number `address` of a dense tensor of these
/// sizes. The inverse of `linearize` with contiguous strides.
SmallVector<ExprAttr> delinearize(ExprAttr address, ArrayRef<ExprAttr> sizes,
                                  const guard::Assumptions &assumptions);

/// Rewrites the indices of one element of a tensor of sizes `from` into those
/// of the same element when its data is seen with sizes `to`. Dimensions that
/// both lists group alike are handled apart, so that a reshape of two trailing
/// dimensions leaves the leading ones as they are:
///
///   [a, b] of [s0, 32] seen as [s0, 4, 8] gives [a, floordiv(b, 8), mod(b, 8)]
///
/// Both have the same number of elements.
SmallVector<ExprAttr> reshapeIndices(MLIRContext *context,
                                     ArrayRef<ExprAttr> indices,
                                     ArrayRef<ExprAttr> from,
                                     ArrayRef<ExprAttr> to,
                                     const guard::Assumptions &assumptions);

/// True if the elements at `map` of a dense tensor of these sizes are, over a
/// domain, the first ones of the tensor in their order, as [d0] of [8] over [4].
bool isInOrder(MLIRContext *context, ArrayRef<ExprAttr> domain,
               ArrayRef<ExprAttr> sizes, ArrayRef<ExprAttr> map,
               const guard::Assumptions &assumptions);
/// True if they are all of them: the same points, in other groups at most, as
/// [floordiv(d0, 4), mod(d0, 4)] of [s0, 4] over [s0 * 4].
bool isRegrouped(MLIRContext *context, ArrayRef<ExprAttr> domain,
                 ArrayRef<ExprAttr> sizes, ArrayRef<ExprAttr> map,
                 const guard::Assumptions &assumptions);

/// How an address moves along one index.
struct Stride {
  enum class Kind {
    Constant, ///< by `value` elements a step (0: it stays)
    Symbolic, ///< by `expr` elements a step, not known to be a number
    Irregular ///< by a varying number of elements
  };
  Kind kind = Kind::Irregular;
  int64_t value = 0;
  ExprAttr expr;

  bool isZero() const { return kind == Kind::Constant && value == 0; }
  bool isOne() const { return kind == Kind::Constant && value == 1; }
};

/// How `address` moves as d<dim> grows by one.
Stride getStride(ExprAttr address, unsigned dim);

/// An address of which so many neighbours along an index are the same, the next as many lie
/// `step` behind them: 4 floordiv(d3, 4) of the channels that a group of four reads.
struct Repeats {
  int64_t count = 1, step = 1;
  int64_t shift = 0; ///< the number of index 0 among those that are the same as it
};

/// How `address` repeats as d<dim> grows; nothing if it does not.
std::optional<Repeats> getRepeats(ExprAttr address, unsigned dim);

/// True if neighbours along d<dim> are neighbours at `address`, or groups of them have as many
/// neighbouring elements in common.
bool areNeighbours(ExprAttr address, unsigned dim);

} // namespace kiln::analysis

#endif // KILN_ANALYSIS_INDEXEXPR_H
