//===- ContractionShape.h - A contraction seen as a matrix product --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every parallel dimension of a contraction belongs to the rows (only the left
// operand moves along it), the columns (only the right one), or the batch. The
// dimensions of a group are one dimension of a matrix product if every operand
// walks them as one; batch dimensions that do not collapse are counted off
// outside of the product.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_LOOPTOSCF_CONTRACTIONSHAPE_H
#define KILN_LIB_CONVERSION_LOOPTOSCF_CONTRACTIONSHAPE_H

#include "kiln/Dialect/Guard/IR/Expr.h"
#include "kiln/Dialect/Loop/IR/Loop.h"

namespace kiln::loop {

/// Dimensions of the domain that act as one, outermost first.
struct DimGroup {
  SmallVector<unsigned> dims;
  guard::ExprAttr extent; ///< the product of their extents
  /// Elements that an operand advances for one step: A, B, C.
  guard::ExprAttr steps[3];
};

struct ContractionShape {
  DimGroup rows, columns, sum, batch;
  SmallVector<unsigned> outer; ///< batch dimensions beside `batch`
  /// Linear addresses of A, B and C in the domain's dims.
  guard::ExprAttr addresses[3];
};

/// The shape of a contraction whose operands have these strides; nothing if it
/// is no matrix product (masked operands, addresses that are not linear, rows
/// that do not collapse) or too small to be worth packing.
std::optional<ContractionShape>
analyzeContraction(ContractOp op, ArrayRef<guard::ExprAttr> lhsStrides,
                   ArrayRef<guard::ExprAttr> rhsStrides);

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_LOOPTOSCF_CONTRACTIONSHAPE_H
