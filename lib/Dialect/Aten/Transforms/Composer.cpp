//===- Composer.cpp - Formulas over tensors and C++ numbers ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/Transforms/Composer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/Matchers.h"

namespace kiln::aten {

Value Composer::number(Operand operand) {
  if (Value *value = std::get_if<Value>(&operand.content))
    return *value;
  if (int64_t *integer = std::get_if<int64_t>(&operand.content))
    return AtenBuilder::number(*integer);
  if (double *real = std::get_if<double>(&operand.content))
    return AtenBuilder::number(*real);
  if (ExprAttr *expr = std::get_if<ExprAttr>(&operand.content))
    return AtenBuilder::number(*expr);
  return AtenBuilder::number(std::get<bool>(operand.content));
}

Value Composer::complexNumber(std::complex<double> value) {
  OpBuilder &b = getBuilder();
  return mlir::complex::ConstantOp::create(
      b, getLoc(), mlir::ComplexType::get(b.getF64Type()),
      b.getArrayAttr(
          {b.getF64FloatAttr(value.real()), b.getF64FloatAttr(value.imag())}));
}

std::optional<double> Composer::getConstantNumber(Value value) {
  Attribute attr;
  if (!value || !mlir::matchPattern(value, mlir::m_Constant(&attr)))
    return std::nullopt;
  if (auto real = llvm::dyn_cast<mlir::FloatAttr>(attr))
    return real.getValueAsDouble();
  if (auto integer = llvm::dyn_cast<mlir::IntegerAttr>(attr)) {
    if (integer.getType().isInteger(1))
      return integer.getValue().isZero() ? 0.0 : 1.0;
    return static_cast<double>(integer.getInt());
  }
  return std::nullopt;
}

std::optional<std::complex<double>> Composer::getConstantComplex(Value value) {
  if (auto real = getConstantNumber(value))
    return *real;
  auto constant =
      value ? value.getDefiningOp<mlir::complex::ConstantOp>() : nullptr;
  if (!constant)
    return std::nullopt;
  auto part = [&](unsigned i) {
    return llvm::cast<mlir::FloatAttr>(constant.getValue()[i])
        .getValueAsDouble();
  };
  return std::complex<double>(part(0), part(1));
}

SmallVector<int64_t> Composer::wrapAll(ArrayRef<int64_t> dims, int64_t rank) {
  SmallVector<int64_t> wrapped;
  if (rank == 0)
    return wrapped;
  for (int64_t dim : dims)
    wrapped.push_back(wrapDim(dim, rank));
  if (dims.empty())
    llvm::append_range(wrapped, llvm::seq<int64_t>(0, rank));
  llvm::sort(wrapped);
  return wrapped;
}

Type Composer::computeType(Type element) {
  if (element.isF16() || element.isBF16())
    return mlir::Float32Type::get(element.getContext());
  return element;
}

Value Composer::conj(Value a) {
  if (!a || !isComplex(a))
    return a;
  if (isTensor(a))
    return FormulaBuilder::conj(a);
  auto known = getConstantComplex(a);
  if (!known) {
    mlir::emitError(getLoc()) << "a complex number is not a constant, expected "
                                 "one to conjugate";
    return {};
  }
  return complexNumber(std::conj(*known));
}

Value Composer::sgn(Value a) {
  return a && isComplex(a) ? FormulaBuilder::sgn(a) : sign(a);
}

Value Composer::pow(Value a, Operand b) {
  Value exponent = number(b);
  return a && exponent ? AtenBuilder::pow(a, exponent) : Value();
}

Value Composer::where(Value condition, Operand a, Operand b) {
  Value left = number(a), right = number(b);
  if (!condition || !left || !right)
    return {};
  if (!isTensor(left))
    left = scalarTensor(left, elementTypeOf(right));
  if (!isTensor(right))
    right = scalarTensor(right, elementTypeOf(left));
  return whereSelf(condition, left, right);
}

Value Composer::full(ArrayRef<ExprAttr> sizes, Operand fill, Type element) {
  return FormulaBuilder::full(sizes, number(fill), element);
}

Value Composer::scalarTensor(Operand value, Type element) {
  return FormulaBuilder::scalarTensor(number(value), element);
}

Value Composer::iota(ExprAttr size, Type element) {
  return arange(expr(0), size, expr(1), element);
}

} // namespace kiln::aten
