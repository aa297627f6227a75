//===- AffineForm.cpp - Affine expressions as expressions -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Guard/IR/AffineForm.h"

using namespace kiln;
using namespace mlir;
using guard::ExprAttr;

static ExprAttr getLeaf(ArrayRef<ExprAttr> given, unsigned position) {
  return position < given.size() ? given[position] : ExprAttr();
}

ExprAttr guard::fromAffine(AffineExpr expr, ArrayRef<ExprAttr> dims,
                           ArrayRef<ExprAttr> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return getConstant(expr.getContext(), constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return getLeaf(dims, dim.getPosition());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return getLeaf(symbols, symbol.getPosition());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  ExprAttr left = fromAffine(binary.getLHS(), dims, symbols);
  ExprAttr right = fromAffine(binary.getRHS(), dims, symbols);
  if (!left || !right)
    return {};
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return left + right;
  case AffineExprKind::Mul:
    return left * right;
  case AffineExprKind::Mod:
    return mod(left, right);
  case AffineExprKind::FloorDiv:
    return floorDiv(left, right);
  case AffineExprKind::CeilDiv:
    return ceilDiv(left, right);
  default:
    llvm_unreachable("all others have no operands");
  }
}
