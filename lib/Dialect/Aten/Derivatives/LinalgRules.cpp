//===- LinalgRules.cpp - Derivatives of linear algebra --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

namespace kiln::aten {

/// The solution of `a x = rhs`, or of `x a = rhs` from the right.
static Value solve(FormulaBuilder &b, Value a, Value rhs, bool upper,
                   bool fromLeft = true, bool hasUnitDiagonal = false) {
  if (!a || !rhs)
    return {};
  // A recorded size: the result is as large as the right-hand side.
  OpBuilder &builder = b.getBuilder();
  auto op = create<LinalgSolveTriangularOp>(
      builder, b.getLoc(),
      {a, rhs, builder.getBoolAttr(upper), builder.getBoolAttr(fromLeft),
       builder.getBoolAttr(hasUnitDiagonal)},
      rhs.getType());
  return op ? op.getResult() : Value();
}

static Value product(FormulaBuilder &b, Value x, Value y) {
  return b.matmul(x, y);
}

/// The conjugate of the transposed matrices.
static Value adjoint(FormulaBuilder &b, Value x) {
  return b.conjugate(b.transposeLast(x));
}

LogicalResult vjpCross(CrossOp op, VjpState &state) {
  FormulaBuilder &b = state.builder;
  Value grad = state.grad(0);
  // Without a dimension, the first of size three.
  int64_t dim = op.getDim().value_or(0);
  if (!op.getDim())
    while (!b.dimOf(grad, dim).isConstant(3))
      if (++dim == FormulaBuilder::rankOf(grad))
        return state.refuse("has no dimension that is known to have size 3, "
                            "expected one for its derivative");
  auto cross = [&](Value x, Value y) { return b.linalgCross(x, y, dim); };
  if (state.isWanted(op, 0))
    state.set(op, 0, cross(b.conjugate(op.getOther()), grad));
  if (state.isWanted(op, 1))
    state.set(op, 1, cross(grad, b.conjugate(op.getSelf())));
  return success();
}

/// With A = L L^H, the symmetric part of L^-H phi(L^H gL) L^-1, where phi takes
/// the lower triangle with half of the diagonal.
LogicalResult vjpCholesky(LinalgCholeskyExOp op, VjpState &state) {
  if (!state.isWanted(op, 0) || !state.grad(0))
    return success();
  FormulaBuilder &b = state.builder;
  Value lower = op->getResult(0), grad = state.grad(0);
  if (op.getUpper()) {
    lower = adjoint(b, lower);
    grad = adjoint(b, grad);
  }
  Value inner = b.tril(product(b, adjoint(b, lower), grad), b.expr(0));
  inner = b.mul(b.add(inner, adjoint(b, b.tril(inner, b.expr(-1)))), 0.5);
  Value left = solve(b, adjoint(b, lower), inner, /*upper=*/true);
  state.set(op, 0, solve(b, lower, left, /*upper=*/false, /*fromLeft=*/false));
  return success();
}

/// Of a triangle that becomes hermitian, with the imaginary part of its diagonal
/// left out.
static Value withRealDiagonal(FormulaBuilder &b, Value upper) {
  if (!FormulaBuilder::isComplex(upper))
    return upper;
  Value diagonal = b.tril(upper, b.expr(0));
  return b.sub(upper, b.mul(b.sub(diagonal, b.conjugate(diagonal)), 0.5));
}

/// The lower triangle of a skew matrix, whose diagonal is imaginary.
static Value withHalfDiagonal(FormulaBuilder &b, Value skew) {
  Value strict = b.tril(skew, b.expr(-1));
  if (!FormulaBuilder::isComplex(skew))
    return strict;
  return b.mul(b.add(b.tril(skew, b.expr(0)), strict), 0.5);
}

/// A solution with R, after a projection on what keeps Q orthogonal (Walter and
/// Lehmann 2013).
LogicalResult vjpQr(LinalgQrOp op, VjpState &state) {
  Value gq = state.grad(0), gr = state.grad(1);
  if (!state.isWanted(op, 0) || (!gq && !gr))
    return success();
  FormulaBuilder &b = state.builder;
  Value q = op->getResult(0), r = op->getResult(1);
  if (op.getMode() == "r")
    return state.refuse("gives no Q, which its derivative needs; expected mode "
                        "'reduced'");
  ExprAttr rows = b.dimOf(op.getA(), -2), columns = b.dimOf(op.getA(), -1);
  ExprAttr surplus = guard::sub(rows, columns);
  if (!surplus.isConstant())
    return state.refuse("has sizes whose order is not known, expected "
                        "constants for its derivative");
  bool isTall = surplus.getPayload() >= 0;
  if (op.getMode() == "complete" && surplus.getPayload() > 0)
    return state.refuse("completes Q beyond the columns, which is not unique; "
                        "expected mode 'reduced' for its derivative");
  Value inner;
  if (isTall) {
    if (gr)
      inner = product(b, gr, adjoint(b, r));
    if (gq) {
      Value part = b.neg(product(b, adjoint(b, q), gq));
      inner = inner ? b.add(inner, part) : part;
    }
    // Hermitian, from the upper triangle.
    Value strict = b.triu(inner, b.expr(1));
    Value hermitian = b.add(withRealDiagonal(b, b.triu(inner, b.expr(0))),
                            adjoint(b, strict));
    Value grad = product(b, q, hermitian);
    if (gq)
      grad = b.add(grad, gq);
    state.set(op, 0, solve(b, adjoint(b, r), grad, /*upper=*/false,
                           /*fromLeft=*/false));
    return success();
  }
  // Wide: the first columns decide about Q.
  Value square = b.sliceTensor(r, -1, b.expr(0), rows);
  Value grad;
  if (gq)
    inner = product(b, adjoint(b, q), gq);
  if (gr) {
    Value part = product(b, gr, adjoint(b, r));
    inner = inner ? b.sub(inner, part) : b.neg(part);
  }
  Value skew = withHalfDiagonal(b, b.sub(inner, adjoint(b, inner)));
  grad = solve(b, adjoint(b, square), product(b, q, skew), /*upper=*/false,
               /*fromLeft=*/false);
  Sizes rest = b.dimsOf(op.getA());
  rest.back() = guard::sub(columns, rows);
  grad =
      b.concat({grad, b.full(rest, 0.0, FormulaBuilder::elementTypeOf(r))}, -1);
  if (gr)
    grad = b.add(grad, product(b, q, gr));
  state.set(op, 0, grad);
  return success();
}

/// The part of a gradient that a triangular matrix can have.
static Value triangle(FormulaBuilder &b, Value grad, bool upper,
                      bool hasUnits) {
  return upper ? b.triu(grad, b.expr(hasUnits ? 1 : 0))
               : b.tril(grad, b.expr(hasUnits ? -1 : 0));
}

LogicalResult vjpSolveTriangular(LinalgSolveTriangularOp op, VjpState &state) {
  FormulaBuilder &b = state.builder;
  Value a = op.getSelf(), x = op.getResult();
  bool upper = op.getUpper(), left = op.getLeft(), unit = op.getUnitriangular();
  Value rhs = solve(b, adjoint(b, a), state.grad(0), !upper, left, unit);
  if (state.isWanted(op, 1))
    state.set(op, 1, rhs);
  if (state.isWanted(op, 0)) {
    Value pairs =
        left ? product(b, rhs, adjoint(b, x)) : product(b, adjoint(b, x), rhs);
    state.set(op, 0, triangle(b, b.neg(pairs), upper, unit));
  }
  return success();
}

LogicalResult vjpTriangularSolve(TriangularSolveOp op, VjpState &state) {
  // The second result is a copy of the matrix.
  Value copied = state.grad(1);
  if (copied && state.isWanted(op, 1))
    state.set(op, 1, copied);
  if (!state.grad(0))
    return success();
  FormulaBuilder &b = state.builder;
  Value a = op.getA(), x = op->getResult(0);
  bool upper = op.getUpper(), transposes = op.getTranspose();
  bool unit = op.getUnitriangular();
  // The system is op(A) x = rhs; its adjoint takes the gradient back.
  Value rhs = transposes
                  ? solve(b, b.conjugate(a), state.grad(0), upper, true, unit)
                  : solve(b, adjoint(b, a), state.grad(0), !upper, true, unit);
  if (state.isWanted(op, 0))
    state.set(op, 0, rhs);
  if (state.isWanted(op, 1)) {
    Value pairs = transposes ? product(b, b.conjugate(x), b.transposeLast(rhs))
                             : product(b, rhs, adjoint(b, x));
    Value grad = triangle(b, b.neg(pairs), upper, unit);
    state.set(op, 1, copied ? b.add(grad, copied) : grad);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Fourier transforms
//===----------------------------------------------------------------------===//

/// The transform back, with zeros for the half that a one-sided one leaves out;
/// the real part of it is the gradient.
LogicalResult vjpFftOfReals(FftR2cOp op, VjpState &state) {
  if (!state.isOperandWanted(0))
    return success();
  FormulaBuilder &b = state.builder;
  Value grad = state.grad(0);
  ArrayRef<int64_t> dims = op.getDim();
  if (op.getOnesided() && !dims.empty()) {
    int64_t rank = FormulaBuilder::rankOf(grad);
    int64_t dim = FormulaBuilder::wrapDim(dims.back(), rank);
    Sizes widths(2 * (rank - dim), b.expr(0));
    widths.back() =
        guard::sub(b.dimOf(op.getSelf(), dim), b.dimOf(grad, dim));
    grad = b.constantPad(grad, widths, 0.0);
  }
  Sizes along = guard::getConstants(b.getContext(), dims);
  state.setOperand(0, b.fftC2c(grad, along, op.getNormalization(), false));
  return success();
}

/// The one-sided transform, in which a number that stands for its mirror image
/// too counts twice.
LogicalResult vjpFftToReals(FftC2rOp op, VjpState &state) {
  if (!state.isOperandWanted(0))
    return success();
  FormulaBuilder &b = state.builder;
  Value grad = state.grad(0);
  Value spectrum = b.fftR2c(grad, op.getDim(), op.getNormalization(), true);
  if (!spectrum || op.getDim().empty()) {
    state.setOperand(0, spectrum);
    return success();
  }
  int64_t rank = FormulaBuilder::rankOf(grad);
  int64_t dim = FormulaBuilder::wrapDim(op.getDim().back(), rank);
  // The mirror image of k is n - k, which is left out if it lies beyond.
  ExprAttr kept = b.dimOf(spectrum, dim);
  ExprAttr leftOut = guard::sub(b.dimOf(grad, dim), kept);
  Value k = b.iota(kept, b.getBuilder().getI64Type());
  Value isTwice = b.logicalAnd(b.ge(k, 1), b.le(k, b.number(leftOut)));
  Value weights =
      b.add(b.cast(isTwice, FormulaBuilder::elementTypeOf(grad)), 1);
  Sizes sizes(rank, b.expr(1));
  sizes[dim] = kept;
  state.setOperand(0, b.mul(spectrum, b.view(weights, sizes)));
  return success();
}

} // namespace kiln::aten
