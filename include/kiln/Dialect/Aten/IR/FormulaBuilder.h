//===- FormulaBuilder.h - Ops as formulas -----------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What decompositions, derivatives and the importer build ops with. Each
// overload is a method that kiln-tblgen makes of its schema: parameters, their
// kinds and defaults. A misspelt op, or an argument of another kind, does not
// compile.
//
//   FormulaBuilder b(builder, loc);
//   Value shifted = b.sub(x, b.amax(x, {-1}, /*keepdim=*/true));
//   Value e = b.exp(shifted);
//   return b.mul(b.div(e, b.sumOver(e, {-1}, /*keepdim=*/true)), 0.5);
//
// What is written is what is built: types follow from PyTorch's promotion, and
// `mul(x, 1.0)` is a product, of an integer tensor one of floats.
// `aten-simplify` knows which products are nothing. There is one exception,
// which holds for whatever a tensor has in it: a view that shows its operand as
// it is, is its operand (`getSameView`), as with `OpBuilder::createOrFold`.
//
// Null for an argument that is required gives null; what does not fit the rules
// of the op gives null after a diagnostic. So one check at the end of a formula
// is enough. Dimensions may be negative.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_FORMULABUILDER_H
#define KILN_DIALECT_ATEN_IR_FORMULABUILDER_H

#include "kiln/Dialect/Aten/IR/FormulaArgs.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

#include <complex>

namespace kiln::aten {

using guard::ExprAttr;
using Sizes = SmallVector<ExprAttr>;

class FormulaBuilder {
public:
  using Expr = ExprAttr;
  using Exprs = ArrayRef<ExprAttr>;
  using Ints = ArrayRef<int64_t>;

  FormulaBuilder(OpBuilder &builder, Location loc)
      : builder(builder), loc(loc) {}

  OpBuilder &getBuilder() { return builder; }
  Location getLoc() const { return loc; }
  MLIRContext *getContext() { return builder.getContext(); }

  // A method for each overload: `addTensor`, `sumDimIntList`, `view` ...
#include "kiln/Dialect/Aten/IR/AtenFormulas.h.inc"

  //===--- Asking ------------------------------------------------------------//

  static RankedTensorType typeOf(Value tensor) {
    return llvm::cast<RankedTensorType>(tensor.getType());
  }
  static Type elementTypeOf(Value value) {
    return mlir::getElementTypeOrSelf(value.getType());
  }
  static bool isTensor(Value value) {
    return value && llvm::isa<RankedTensorType>(value.getType());
  }
  /// Of a tensor or a number.
  static bool isComplex(Value value) {
    return llvm::isa<mlir::ComplexType>(elementTypeOf(value));
  }
  static int64_t rankOf(Value tensor) { return typeOf(tensor).getRank(); }
  /// The sizes; the tensor's type must know them all.
  static Sizes dimsOf(Value tensor);
  /// One size; `dim` may be negative.
  static Expr dimOf(Value tensor, int64_t dim);
  /// Product of the sizes.
  static Expr numelOf(Value tensor);
  /// `dim` counted from the front.
  static int64_t wrapDim(int64_t dim, int64_t rank) {
    return dim < 0 ? dim + rank : dim;
  }
  /// Dimensions counted from the front, sorted; all of them if empty.
  static SmallVector<int64_t> wrapAll(Ints dims, int64_t rank);
  /// The type that bf16 and f16 are computed in; others stay.
  static Type computeType(Type element);
  Expr expr(int64_t value) { return guard::getConstant(getContext(), value); }

  //===--- Numbers -----------------------------------------------------------//

  /// A number in the IR (i1, i64, f64); a value is returned as it is.
  Value number(Operand operand);
  Value complexNumber(std::complex<double> value);
  /// The number if it is real and known when compiling.
  static std::optional<double> getConstantNumber(Value value);
  /// The number if it is known when compiling.
  static std::optional<std::complex<double>> getConstantComplex(Value value);

  //===--- The overload that operands ask for --------------------------------//

  Value add(Operand a, Operand b) { return addTensor(a, b); }
  Value sub(Operand a, Operand b) { return subTensor(a, b); }
  Value mul(Operand a, Operand b) { return mulTensor(a, b); }
  Value div(Operand a, Operand b) { return divTensor(a, b); }
  Value pow(Value a, Operand b) {
    return ofTensorOr(a, b, &FormulaBuilder::powTensorTensor,
                      &FormulaBuilder::powTensorScalar);
  }
#define KILN_COMPARISON(name)                                                  \
  Value name(Value a, Operand b) {                                             \
    return ofTensorOr(a, b, &FormulaBuilder::name##Tensor,                     \
                      &FormulaBuilder::name##Scalar);                          \
  }
  KILN_COMPARISON(eq)
  KILN_COMPARISON(ne)
  KILN_COMPARISON(lt)
  KILN_COMPARISON(le)
  KILN_COMPARISON(gt)
  KILN_COMPARISON(ge)
#undef KILN_COMPARISON
  /// A number becomes a tensor of the other side's element type, as fills do: an
  /// integer wraps, and is true or false beside bools. A fraction beside integers
  /// makes floats, and of two numbers the result is as PyTorch's.
  Value where(Value condition, Operand a, Operand b);
  /// The complex conjugate of a tensor or a constant number; reals stay.
  Value conjugate(Value a);

  //===--- What an op is not asked for where nothing is to be done -----------//

  /// To another element type (`aten._to_copy`).
  Value cast(Value x, Type elementType);
  /// The operand in the type that it is computed in.
  Value widen(Value a) {
    return a ? cast(a, computeType(elementTypeOf(a))) : a;
  }
  /// Over a set of dimensions; over none, the operand itself (PyTorch's ops
  /// take an empty list for all of them).
  Value sumOver(Value x, Ints dims, bool keepdim = false, Type dtype = {});
  Value meanOver(Value x, Ints dims, bool keepdim = false);
  Value amaxOver(Value x, Ints dims, bool keepdim = false);
  Value aminOver(Value x, Ints dims, bool keepdim = false);
  /// Of integers an i64, whatever the rank.
  Value sumAll(Value x);
  Value meanAll(Value x);
  /// Sums `x` down to `dims`, undoing a broadcast from there.
  Value sumToSize(Value x, Exprs dims);
  /// `aten.cat`; of one tensor, the tensor.
  Value concat(ArrayRef<Value> tensors, int64_t dim);
  /// Pairs of widths, the last dimension first, filled with a number as the
  /// elements are.
  Value constantPad(Value x, Exprs widths, double fill);

  //===--- Others ------------------------------------------------------------//

  /// Filled with a number as the elements are: 0 for integers, 0.0 for floats.
  Value filled(Exprs dims, double fill, Type elementType);
  /// The same in sizes and type of `like`, on whose elements it does not
  /// depend.
  Value filled(Value like, double fill) {
    return like ? filled(dimsOf(like), fill, elementTypeOf(like)) : like;
  }
  /// 0, 1 ... size - 1.
  Value iota(Expr size, Type element);
  /// In sizes that are numbers.
  Value view(Value x, Ints dims);
  /// Two dimensions exchanged, by `aten.permute`.
  Value transpose(Value x, int64_t i, int64_t j);
  Value transposeLast(Value x) { return transpose(x, -2, -1); }

protected:
  OpBuilder &builder;
  Location loc;

private:
  /// An op by the place of its record in `getAllOverloads()`; null if a
  /// required argument is null, or after a diagnostic.
  Operation *build(unsigned record, ArrayRef<ArgValue> args);
  /// The same for one result, which may be the operand of a view.
  Value buildOne(unsigned record, ArrayRef<ArgValue> args);

  ArgValue get(Value value) { return value; }
  ArgValue get(const Operand &arg);
  ArgValue get(const IntArg &arg);
  ArgValue get(const BoolArg &arg);
  ArgValue get(const FloatArg &arg);
  ArgValue get(const TextArg &arg);
  ArgValue get(const TypeArg &arg);
  ArgValue get(const SizeArg &arg);
  ArgValue get(const IntsArg &arg);
  ArgValue get(const BoolsArg &arg);
  ArgValue get(const FloatsArg &arg);
  ArgValue get(const SizesArg &arg);
  ArgValue get(const TensorsArg &arg);

  /// The overload for a tensor on the right, or that for a number.
  Value ofTensorOr(Value a, Operand b,
                   Value (FormulaBuilder::*ofTensor)(Value, Value),
                   Value (FormulaBuilder::*ofNumber)(Value, Operand)) {
    Value right = number(b);
    return isTensor(right) ? (this->*ofTensor)(a, right)
                           : (this->*ofNumber)(a, right);
  }
  /// The elements of a tensor that a number becomes beside `beside`, which is null
  /// for another number.
  Type elementFor(Value number, Type beside);
  /// `value` as an integer for integer elements, else as a float.
  Value numberFor(Type elementType, double value);
};

} // namespace kiln::aten

#endif // KILN_DIALECT_ATEN_IR_FORMULABUILDER_H
