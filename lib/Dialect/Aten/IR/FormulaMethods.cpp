//===- FormulaMethods.cpp - Methods of FormulaBuilder of no overload ------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/IR/FormulaBuilder.h"
#include "kiln/Dialect/Guard/IR/Guard.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace kiln;
using namespace kiln::aten;

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

Sizes FormulaBuilder::dimsOf(Value tensor) {
  std::optional<Sizes> dims = guard::getDims(typeOf(tensor));
  assert(dims && "the verifier of aten ops asks for known sizes");
  return *dims;
}

ExprAttr FormulaBuilder::dimOf(Value tensor, int64_t dim) {
  return dimsOf(tensor)[wrapDim(dim, rankOf(tensor))];
}

ExprAttr FormulaBuilder::numelOf(Value tensor) {
  return guard::getNumElements(tensor.getContext(), dimsOf(tensor));
}

SmallVector<int64_t> FormulaBuilder::wrapAll(Ints dims, int64_t rank) {
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

Type FormulaBuilder::computeType(Type element) {
  if (element.isF16() || element.isBF16())
    return mlir::Float32Type::get(element.getContext());
  return element;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Value FormulaBuilder::number(Operand operand) {
  if (Value *value = std::get_if<Value>(&operand.content))
    return *value;
  auto constant = [&](mlir::TypedAttr attr) {
    return mlir::arith::ConstantOp::create(builder, loc, attr);
  };
  if (int64_t *integer = std::get_if<int64_t>(&operand.content))
    return constant(builder.getI64IntegerAttr(*integer));
  if (double *real = std::get_if<double>(&operand.content))
    return constant(builder.getF64FloatAttr(*real));
  if (bool *truth = std::get_if<bool>(&operand.content))
    return constant(builder.getBoolAttr(*truth));
  auto expr = std::get<ExprAttr>(operand.content);
  if (std::optional<int64_t> known = expr.getConstant())
    return constant(builder.getI64IntegerAttr(*known));
  if (expr.isFloatConstant())
    return constant(builder.getF64FloatAttr(expr.getFloat()));
  Type type = expr.isFloatTyped() ? Type(builder.getF64Type())
                                  : Type(builder.getI64Type());
  return guard::ValueOp::create(builder, loc, type, expr);
}

Value FormulaBuilder::numberFor(Type elementType, double value) {
  // What no i64 holds, infinities and NaN among it, must not be converted to one.
  bool isWhole = std::abs(value) < 0x1p63 && value == std::trunc(value);
  return llvm::isa<mlir::IntegerType>(elementType) && isWhole
             ? number(int64_t(value))
             : number(value);
}

Value FormulaBuilder::complexNumber(std::complex<double> value) {
  return mlir::complex::ConstantOp::create(
      builder, loc, mlir::ComplexType::get(builder.getF64Type()),
      builder.getArrayAttr({builder.getF64FloatAttr(value.real()),
                            builder.getF64FloatAttr(value.imag())}));
}

std::optional<double> FormulaBuilder::getConstantNumber(Value value) {
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

std::optional<std::complex<double>>
FormulaBuilder::getConstantComplex(Value value) {
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

//===----------------------------------------------------------------------===//
// The overload that operands ask for
//===----------------------------------------------------------------------===//

/// Truths, integers, reals, complex numbers: PyTorch's categories, of which a later one
/// decides the type of a result.
static int getCategoryNumber(Type element) {
  if (llvm::isa<mlir::ComplexType>(element))
    return 3;
  if (llvm::isa<mlir::FloatType>(element))
    return 2;
  return element.isInteger(1) ? 0 : 1;
}

Type FormulaBuilder::elementFor(Value number, Type beside) {
  int category = getCategoryNumber(number.getType());
  Type real = builder.getF32Type();
  if (beside && category == 2 && getCategoryNumber(beside) < 2) {
    auto known = getConstantNumber(number);
    bool isWhole =
        known && std::isfinite(*known) && *known == std::trunc(*known);
    return isWhole ? beside : real;
  }
  if (beside && category == 3 && getCategoryNumber(beside) < 3)
    return mlir::ComplexType::get(getCategoryNumber(beside) == 2 ? beside : real);
  if (beside)
    return beside;
  return category == 0   ? builder.getI1Type()
         : category == 1 ? builder.getI64Type()
         : category == 2 ? real
                         : mlir::ComplexType::get(real);
}

Value FormulaBuilder::where(Value condition, Operand a, Operand b) {
  Value left = number(a), right = number(b);
  if (!condition || !left || !right)
    return {};
  bool isLeftTensor = isTensor(left), isRightTensor = isTensor(right);
  if (!isLeftTensor)
    left = scalarTensor(
        left, elementFor(left, isRightTensor ? elementTypeOf(right) : Type()));
  if (!isRightTensor)
    right = scalarTensor(
        right, elementFor(right, isLeftTensor ? elementTypeOf(left) : Type()));
  return whereSelf(condition, left, right);
}

Value FormulaBuilder::conjugate(Value a) {
  if (!a || !isComplex(a))
    return a;
  if (isTensor(a))
    return conj(a);
  auto known = getConstantComplex(a);
  if (!known) {
    mlir::emitError(getLoc()) << "a complex number is not a constant, expected "
                                 "one to conjugate";
    return {};
  }
  return complexNumber(std::conj(*known));
}

//===----------------------------------------------------------------------===//
// What an op is not asked for where nothing is to be done
//===----------------------------------------------------------------------===//

Value FormulaBuilder::cast(Value x, Type elementType) {
  if (!x || elementTypeOf(x) == elementType)
    return x;
  return toCopy(x, elementType);
}

Value FormulaBuilder::sumOver(Value x, Ints dims, bool keepdim, Type dtype) {
  if (!x || dims.empty())
    return x && dtype ? cast(x, dtype) : x;
  return sumDimIntList(x, dims, keepdim, dtype);
}

Value FormulaBuilder::meanOver(Value x, Ints dims, bool keepdim) {
  return dims.empty() ? x : meanDim(x, dims, keepdim);
}

Value FormulaBuilder::amaxOver(Value x, Ints dims, bool keepdim) {
  return dims.empty() ? x : amax(x, dims, keepdim);
}

Value FormulaBuilder::aminOver(Value x, Ints dims, bool keepdim) {
  return dims.empty() ? x : amin(x, dims, keepdim);
}

/// 0, 1 ... rank - 1.
static SmallVector<int64_t> everyDim(Value x) {
  return llvm::to_vector(llvm::seq<int64_t>(0, FormulaBuilder::rankOf(x)));
}

Value FormulaBuilder::sumAll(Value x) {
  if (!x)
    return {};
  // Without dimensions nothing is summed, and the type is that of any other sum.
  if (rankOf(x) == 0 && llvm::isa<mlir::IntegerType>(elementTypeOf(x)))
    return cast(x, builder.getI64Type());
  return sumOver(x, everyDim(x));
}

Value FormulaBuilder::meanAll(Value x) {
  return x ? meanOver(x, everyDim(x)) : x;
}

Value FormulaBuilder::sumToSize(Value x, Exprs dims) {
  if (!x || ArrayRef<ExprAttr>(dimsOf(x)) == dims)
    return x;
  Sizes from = dimsOf(x);
  assert(from.size() >= dims.size() && "a sum cannot add dimensions");
  size_t leading = from.size() - dims.size();
  SmallVector<int64_t> reduced;
  for (size_t i = 0; i < from.size(); ++i)
    if (i < leading ||
        (dims[i - leading].isConstant(1) && !from[i].isConstant(1)))
      reduced.push_back(i);
  return view(sumOver(x, reduced, /*keepdim=*/true, elementTypeOf(x)), dims);
}

Value FormulaBuilder::concat(ArrayRef<Value> tensors, int64_t dim) {
  return tensors.size() == 1 ? tensors.front() : cat(tensors, dim);
}

Value FormulaBuilder::constantPad(Value x, Exprs widths, double fill) {
  bool isNothing =
      llvm::all_of(widths, [](Expr width) { return width.isConstant(0); });
  if (!x || isNothing)
    return x;
  return constantPadNd(x, widths, numberFor(elementTypeOf(x), fill));
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

Value FormulaBuilder::filled(Exprs dims, double fill, Type elementType) {
  return full(dims, numberFor(elementType, fill), elementType);
}

Value FormulaBuilder::iota(Expr size, Type element) {
  return arangeStartStep(0, size, 1, element);
}

Value FormulaBuilder::view(Value x, Ints dims) {
  return view(x, guard::getConstants(getContext(), dims));
}

Value FormulaBuilder::transpose(Value x, int64_t i, int64_t j) {
  if (!x)
    return {};
  SmallVector<int64_t> order = everyDim(x);
  std::swap(order[wrapDim(i, order.size())], order[wrapDim(j, order.size())]);
  return permute(x, order);
}
