//===- AtenBuilder.h - Expressions of aten ops ------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds aten ops as one writes formulas; meant for decompositions and
// derivatives:
//
//   AtenBuilder b(rewriter, op.getLoc());
//   Value shifted = b.sub(x, b.amax(x, {dim}, /*keepdim=*/true));
//   Value e = b.exp(shifted);
//   return b.div(e, b.sum(e, {dim}, /*keepdim=*/true));
//
// What would change nothing is not built: a view to the same shape, a cast to
// the same type, an expand to the same sizes, times 1 return the operand.
// Dimensions may be negative. If the types do not fit, a diagnostic is emitted
// and the result is null; null operands give null, so that one check at the end
// of a formula is enough.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENBUILDER_H
#define KILN_DIALECT_ATEN_IR_ATENBUILDER_H

#include "kiln/Dialect/Aten/IR/FormulaBuilder.h"
#include "kiln/Dialect/Guard/IR/Expr.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

namespace kiln::aten {

class AtenBuilder : public FormulaBuilder {
public:
  using FormulaBuilder::FormulaBuilder;
  using Expr = guard::ExprAttr;
  using Exprs = ArrayRef<guard::ExprAttr>;
  using Ints = ArrayRef<int64_t>;

  //===--------------------------------------------------------------------===//
  // Asking
  //===--------------------------------------------------------------------===//

  static RankedTensorType typeOf(Value tensor) {
    return llvm::cast<RankedTensorType>(tensor.getType());
  }
  static Type elementTypeOf(Value tensor) {
    return mlir::getElementTypeOrSelf(tensor.getType());
  }
  static bool isTensor(Value value) {
    return value && llvm::isa<RankedTensorType>(value.getType());
  }
  static int64_t rankOf(Value tensor) { return typeOf(tensor).getRank(); }
  /// The sizes; the tensor's type must know them all.
  static SmallVector<Expr> dimsOf(Value tensor);
  /// One size; `dim` may be negative.
  static Expr dimOf(Value tensor, int64_t dim);
  /// Product of the sizes.
  static Expr numelOf(Value tensor);
  /// `dim` counted from the front.
  static int64_t wrapDim(int64_t dim, int64_t rank) {
    return dim < 0 ? dim + rank : dim;
  }
  Expr expr(int64_t value) { return guard::getConstant(getContext(), value); }

  //===--------------------------------------------------------------------===//
  // Numbers and tensors made from nothing
  //===--------------------------------------------------------------------===//

  Value number(double value);
  Value number(int64_t value);
  Value number(int value) { return number(int64_t(value)); }
  Value number(bool value);
  /// An integer or float expression as a number (`i64`, `f64`).
  Value number(Expr value);
  /// Filled with a number (any of the above, as a value).
  Value full(Exprs dims, Value fill, Type elementType);
  Value full(Exprs dims, double fill, Type elementType);
  Value zeros(Exprs dims, Type elementType) {
    return full(dims, 0.0, elementType);
  }
  Value ones(Exprs dims, Type elementType) {
    return full(dims, 1.0, elementType);
  }
  Value fullLike(Value x, double fill) {
    return x ? full(dimsOf(x), fill, elementTypeOf(x)) : Value();
  }
  Value zerosLike(Value x) { return fullLike(x, 0.0); }
  Value onesLike(Value x) { return fullLike(x, 1.0); }
  /// start, start + step... below end.
  Value arange(Expr start, Expr end, Expr step, Type elementType);

  //===--------------------------------------------------------------------===//
  // Element by element
  //===--------------------------------------------------------------------===//

  /// Operands of binary functions are tensors; in arithmetic, numbers too.
  Value add(Value a, Value b) { return addTensor(a, b); }
  Value sub(Value a, Value b) { return subTensor(a, b); }
  Value mul(Value a, Value b) { return mulTensor(a, b); }
  Value div(Value a, Value b) { return divTensor(a, b); }
  Value add(Value a, double b);
  Value sub(Value a, double b) { return add(a, -b); }
  Value mul(Value a, double b);
  Value div(Value a, double b);
  /// a - x.
  Value rsub(double a, Value x);
  Value pow(Value x, double exponent);
  Value pow(Value x, Value exponent);
  /// `low` and `high` are numbers; a null one is no limit.
  Value clamp(Value x, Value low, Value high);

  /// Comparisons: a number or a tensor stands on the right.
  Value eq(Value a, Value b) {
    return isTensor(b) ? eqTensor(a, b) : eqScalar(a, b);
  }
  Value ne(Value a, Value b) {
    return isTensor(b) ? neTensor(a, b) : neScalar(a, b);
  }
  Value lt(Value a, Value b) {
    return isTensor(b) ? ltTensor(a, b) : ltScalar(a, b);
  }
  Value le(Value a, Value b) {
    return isTensor(b) ? leTensor(a, b) : leScalar(a, b);
  }
  Value gt(Value a, Value b) {
    return isTensor(b) ? gtTensor(a, b) : gtScalar(a, b);
  }
  Value ge(Value a, Value b) {
    return isTensor(b) ? geTensor(a, b) : geScalar(a, b);
  }
  Value eq(Value a, double b) { return eq(a, numberLike(a, b)); }
  Value ne(Value a, double b) { return ne(a, numberLike(a, b)); }
  Value lt(Value a, double b) { return lt(a, numberLike(a, b)); }
  Value le(Value a, double b) { return le(a, numberLike(a, b)); }
  Value gt(Value a, double b) { return gt(a, numberLike(a, b)); }
  Value ge(Value a, double b) { return ge(a, numberLike(a, b)); }
  Value where(Value condition, Value a, Value b);

  /// To another element type (`aten._to_copy`).
  Value cast(Value x, Type elementType);

  //===--------------------------------------------------------------------===//
  // Reductions
  //===--------------------------------------------------------------------===//

  /// No dimensions given: over nothing, the operand itself.
  Value sum(Value x, Ints dims, bool keepdim = false, Type dtype = {});
  Value mean(Value x, Ints dims, bool keepdim = false);
  Value amax(Value x, Ints dims, bool keepdim = false);
  Value amin(Value x, Ints dims, bool keepdim = false);
  Value sumAll(Value x);
  Value meanAll(Value x);
  Value prod(Value x, int64_t dim, bool keepdim = false);
  Value any(Value x, int64_t dim, bool keepdim = false);
  /// Sums `x` down to `dims`, undoing a broadcast from there.
  Value sumToSize(Value x, Exprs dims);

  //===--------------------------------------------------------------------===//
  // Views and rearrangements
  //===--------------------------------------------------------------------===//

  Value view(Value x, Exprs dims);
  Value view(Value x, Ints dims);
  Value reshape(Value x, Exprs dims) { return view(x, dims); }
  Value expand(Value x, Exprs dims);
  Value permute(Value x, Ints dims);
  Value transpose(Value x, int64_t i, int64_t j);
  /// The last two dimensions exchanged.
  Value t(Value x) { return transpose(x, -2, -1); }
  /// Drops a dimension of size one.
  Value squeeze(Value x, int64_t dim);
  Value squeeze(Value x, Ints dims);
  Value slice(Value x, int64_t dim, Expr start, Expr end, int64_t step = 1);
  Value select(Value x, int64_t dim, Expr index);
  Value cat(ArrayRef<Value> tensors, int64_t dim);
  /// Pairs of widths, the last dimension first.
  Value constantPad(Value x, Exprs widths, double fill);

  //===--------------------------------------------------------------------===//
  // Indexing
  //===--------------------------------------------------------------------===//

  /// A null index keeps its dimension.
  Value index(Value x, ArrayRef<Value> indices);

private:
  /// `value` as an integer for integer tensors, else as a float, so that it
  /// does not change the type.
  Value numberLike(Value x, double value);
};

} // namespace kiln::aten

#endif // KILN_DIALECT_ATEN_IR_ATENBUILDER_H
