//===- Composer.h - Formulas over tensors and C++ numbers -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What decompositions and derivatives are written with: AtenBuilder, and on top
// of it operands that are C++ numbers on either side, arguments as attributes,
// and the backward ops that PyTorch has.
//
//   Composer c(builder, loc);
//   Value gelu = c.mul(c.mul(x, 0.5), c.add(c.erf(c.mul(x, M_SQRT1_2)), 1));
//
// As in AtenBuilder, an op that can not be built leaves a diagnostic and gives a
// null value, and null operands give null.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_TRANSFORMS_COMPOSER_H
#define KILN_DIALECT_ATEN_TRANSFORMS_COMPOSER_H

#include "kiln/Dialect/Aten/IR/AtenBase.h"
#include "kiln/Dialect/Aten/IR/AtenBuilder.h"
#include "kiln/Support/LLVM.h"

#include <complex>
#include <variant>

namespace kiln::aten {

using guard::ExprAttr;
using Sizes = SmallVector<ExprAttr>;

/// A tensor, a number in the IR, or a C++ number.
class Operand {
public:
  Operand(Value value) : content(value) {}
  template <typename T,
            typename = std::enable_if_t<std::is_convertible_v<T, Value> &&
                                        !std::is_same_v<T, Value>>>
  Operand(T value) : content(Value(value)) {}
  Operand(int64_t number) : content(number) {}
  Operand(int number) : content(int64_t(number)) {}
  Operand(double number) : content(number) {}
  Operand(bool number) : content(number) {}

  std::variant<Value, int64_t, double, bool> content;
};

class Composer : public AtenBuilder {
public:
  using AtenBuilder::AtenBuilder;

  //===--- Any op, without "aten." -------------------------------------------//

  /// The op with arguments in schema order; null if a required one is null or
  /// the types do not fit.
  Operation *emitOp(StringRef overload, ArrayRef<ArgValue> args);
  /// Its only, or first, result.
  Value emit(StringRef overload, ArrayRef<ArgValue> args);

  //===--- Numbers and sizes -------------------------------------------------//

  /// A number in the IR (i1, i64, f64); a value is returned as it is.
  Value number(Operand operand);
  /// The value of an expression as a number: i64, or f64 for float ones.
  Value number(ExprAttr expr) { return AtenBuilder::number(expr); }
  Value complexNumber(std::complex<double> value);
  /// The number if it is real and known when compiling.
  static std::optional<double> getConstantNumber(Value value);
  /// The number if it is known when compiling.
  static std::optional<std::complex<double>> getConstantComplex(Value value);
  ExprAttr constant(int64_t value) { return expr(value); }
  Attribute real(double value) { return getBuilder().getF64FloatAttr(value); }
  Attribute text(StringRef value) { return getBuilder().getStringAttr(value); }

  static bool isTensor(Value value) {
    return llvm::isa<RankedTensorType>(value.getType());
  }
  static Type elementType(Value value) { return elementTypeOf(value); }
  /// Of a tensor or a number.
  static bool isComplex(Value value) {
    return llvm::isa<mlir::ComplexType>(elementTypeOf(value));
  }
  static int64_t rank(Value tensor) { return rankOf(tensor); }
  Sizes sizes(Value tensor) { return dimsOf(tensor); }
  ExprAttr size(Value tensor, int64_t dim) { return dimOf(tensor, dim); }
  ExprAttr numElements(Value tensor) { return numelOf(tensor); }
  /// Dimensions counted from the front, sorted; all of them if empty.
  static SmallVector<int64_t> wrapAll(ArrayRef<int64_t> dims, int64_t rank);
  /// The type that bf16 and f16 are computed in; others stay.
  static Type computeType(Type element);
  /// The operand in the type that it is computed in.
  Value widen(Value a) {
    return a ? cast(a, computeType(elementType(a))) : a;
  }

  //===--- Pointwise ---------------------------------------------------------//

  Value add(Operand a, Operand b) { return arithmetic("add.Tensor", a, b); }
  Value sub(Operand a, Operand b) { return arithmetic("sub.Tensor", a, b); }
  Value mul(Operand a, Operand b) { return arithmetic("mul.Tensor", a, b); }
  Value div(Operand a, Operand b) { return arithmetic("div.Tensor", a, b); }
  Value square(Value a) { return mul(a, a); }
  /// The complex conjugate of a tensor or a constant number; reals stay.
  Value conj(Value a);
  /// The sign; of complex numbers the direction.
  Value sgn(Value a);
  Value sinh(Value a) { return emit("sinh", {a}); }
  Value cosh(Value a) { return emit("cosh", {a}); }
  Value eq(Value a, Operand b) { return compareWith("eq", a, b); }
  Value ne(Value a, Operand b) { return compareWith("ne", a, b); }
  Value lt(Value a, Operand b) { return compareWith("lt", a, b); }
  Value le(Value a, Operand b) { return compareWith("le", a, b); }
  Value gt(Value a, Operand b) { return compareWith("gt", a, b); }
  Value ge(Value a, Operand b) { return compareWith("ge", a, b); }
  Value pow(Value a, Operand b);
  Value isNan(Value a) { return emit("isnan", {a}); }
  Value isInf(Value a) { return emit("isinf", {a}); }
  /// A number becomes a tensor of the other side's element type.
  Value where(Value condition, Operand a, Operand b);
  Value tril(Value a, ExprAttr diagonal) { return emit("tril", {a, diagonal}); }
  Value triu(Value a, ExprAttr diagonal) { return emit("triu", {a, diagonal}); }

  //===--- Tensors from nothing ----------------------------------------------//

  Value full(ArrayRef<ExprAttr> sizes, Operand fill, Type element);
  Value scalarTensor(Operand value, Type element);
  /// 0, 1 ... size - 1.
  Value iota(ExprAttr size, Type element);

  //===--- Rearranging and indexing ------------------------------------------//

  Value flip(Value a, ArrayRef<int64_t> dims) {
    return emit("flip", {a, ints(dims)});
  }
  Value scatter(Value a, int64_t dim, Value index, Operand value);

  //===--- Backward ops of PyTorch -------------------------------------------//

  Value tanhBackward(Value grad, Value output) {
    return emit("tanh_backward", {grad, output});
  }
  Value sigmoidBackward(Value grad, Value output) {
    return emit("sigmoid_backward", {grad, output});
  }
  Value thresholdBackward(Value grad, Value self, Operand threshold) {
    return emit("threshold_backward", {grad, self, number(threshold)});
  }
  Value geluBackward(Value grad, Value self, StringRef approximate) {
    return emit("gelu_backward", {grad, self, text(approximate)});
  }
  Value softmaxBackwardData(Value grad, Value output, int64_t dim,
                            Type inputType);
  Value logSoftmaxBackwardData(Value grad, Value output, int64_t dim,
                               Type inputType);
  Value embeddingDenseBackward(Value grad, Value indices, ExprAttr numWeights,
                               ExprAttr paddingIdx, bool scaleGradByFreq);

private:
  Value arithmetic(StringRef overload, Operand a, Operand b);
  Value compareWith(StringRef name, Value a, Operand b);
};

} // namespace kiln::aten

#endif // KILN_DIALECT_ATEN_TRANSFORMS_COMPOSER_H
