//===- Composer.h - Formulas over tensors and C++ numbers -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What decompositions and derivatives are written with: AtenBuilder, and on top
// of it operands that are C++ numbers on either side.
//
//   Composer c(builder, loc);
//   Value gelu = c.mul(c.mul(x, 0.5), c.add(c.erf(c.mul(x, M_SQRT1_2)), 1));
//
// As in AtenBuilder, an op that can not be built leaves a diagnostic and gives
// a null value, and null operands give null.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_TRANSFORMS_COMPOSER_H
#define KILN_DIALECT_ATEN_TRANSFORMS_COMPOSER_H

#include "kiln/Dialect/Aten/IR/AtenBase.h"
#include "kiln/Dialect/Aten/IR/AtenBuilder.h"
#include "kiln/Dialect/Aten/IR/Composites.h"
#include "kiln/Support/LLVM.h"

#include <complex>
#include <variant>

namespace kiln::aten {

using guard::ExprAttr;
using Sizes = SmallVector<ExprAttr>;

class Composer : public AtenBuilder {
public:
  using AtenBuilder::AtenBuilder;
  /// Of a composite; `opened` says why it stands for nothing, if it does.
  Composer(OpBuilder &builder, Location loc, OpenedComposite &opened,
           IsReadFn isRead)
      : AtenBuilder(builder, loc), opened(&opened), reads(isRead) {}

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

  /// Of a tensor or a number.
  static bool isComplex(Value value) {
    return llvm::isa<mlir::ComplexType>(elementTypeOf(value));
  }
  /// Dimensions counted from the front, sorted; all of them if empty.
  static SmallVector<int64_t> wrapAll(ArrayRef<int64_t> dims, int64_t rank);
  /// The type that bf16 and f16 are computed in; others stay.
  static Type computeType(Type element);
  /// The operand in the type that it is computed in.
  Value widen(Value a) {
    return a ? cast(a, computeType(elementTypeOf(a))) : a;
  }

  //===--- Pointwise ---------------------------------------------------------//

  Value add(Operand a, Operand b) { return addTensor(number(a), number(b)); }
  Value sub(Operand a, Operand b) { return subTensor(number(a), number(b)); }
  Value mul(Operand a, Operand b) { return mulTensor(number(a), number(b)); }
  Value div(Operand a, Operand b) { return divTensor(number(a), number(b)); }
  Value square(Value a) { return mul(a, a); }
  /// The complex conjugate of a tensor or a constant number; reals stay.
  Value conj(Value a);
  /// The sign; of complex numbers the direction.
  Value sgn(Value a);
  Value eq(Value a, Operand b) { return AtenBuilder::eq(a, number(b)); }
  Value ne(Value a, Operand b) { return AtenBuilder::ne(a, number(b)); }
  Value lt(Value a, Operand b) { return AtenBuilder::lt(a, number(b)); }
  Value le(Value a, Operand b) { return AtenBuilder::le(a, number(b)); }
  Value gt(Value a, Operand b) { return AtenBuilder::gt(a, number(b)); }
  Value ge(Value a, Operand b) { return AtenBuilder::ge(a, number(b)); }
  Value pow(Value a, Operand b);
  /// A number becomes a tensor of the other side's element type.
  Value where(Value condition, Operand a, Operand b);

  //===--- Tensors from nothing ----------------------------------------------//

  Value full(ArrayRef<ExprAttr> sizes, Operand fill, Type element);
  Value scalarTensor(Operand value, Type element);
  /// 0, 1 ... size - 1.
  Value iota(ExprAttr size, Type element);

private:
  friend class Composite;

  OpenedComposite *opened = nullptr;
  IsReadFn reads;
};

} // namespace kiln::aten

#endif // KILN_DIALECT_ATEN_TRANSFORMS_COMPOSER_H
