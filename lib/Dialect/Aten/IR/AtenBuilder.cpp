//===- AtenBuilder.cpp - Expressions of aten ops -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/IR/AtenBuilder.h"

#include "kiln/Dialect/Guard/IR/Guard.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace kiln;
using namespace kiln::aten;
using guard::ExprAttr;

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

SmallVector<ExprAttr> AtenBuilder::dimsOf(Value tensor) {
  std::optional<SmallVector<ExprAttr>> dims = guard::getDims(typeOf(tensor));
  assert(dims && "the verifier of aten ops asks for known sizes");
  return *dims;
}

ExprAttr AtenBuilder::dimOf(Value tensor, int64_t dim) {
  return dimsOf(tensor)[wrapDim(dim, rankOf(tensor))];
}

ExprAttr AtenBuilder::numelOf(Value tensor) {
  return guard::getNumElements(tensor.getContext(), dimsOf(tensor));
}

static bool hasDims(Value x, ArrayRef<ExprAttr> dims) {
  return ArrayRef<ExprAttr>(AtenBuilder::dimsOf(x)) == dims;
}

//===----------------------------------------------------------------------===//
// Numbers and tensors made from nothing
//===----------------------------------------------------------------------===//

Value AtenBuilder::number(double value) {
  return mlir::arith::ConstantOp::create(builder, loc,
                                         builder.getF64FloatAttr(value));
}

Value AtenBuilder::number(int64_t value) {
  return mlir::arith::ConstantOp::create(builder, loc,
                                         builder.getI64IntegerAttr(value));
}

Value AtenBuilder::number(bool value) {
  return mlir::arith::ConstantOp::create(builder, loc,
                                         builder.getBoolAttr(value));
}

Value AtenBuilder::number(ExprAttr value) {
  if (std::optional<int64_t> constant = value.getConstant())
    return number(*constant);
  if (value.isFloatConstant())
    return number(value.getFloat());
  Type type = value.isFloatTyped() ? Type(builder.getF64Type())
                                   : Type(builder.getI64Type());
  return guard::ValueOp::create(builder, loc, type, value);
}

Value AtenBuilder::numberLike(Value x, double value) {
  Type element = elementTypeOf(x);
  bool isWhole = value == double(int64_t(value));
  return llvm::isa<mlir::IntegerType>(element) && isWhole
             ? number(int64_t(value))
             : number(value);
}

Value AtenBuilder::full(Exprs dims, Value fill, Type elementType) {
  if (!fill)
    return {};
  return FormulaBuilder::full(dims, fill, elementType);
}

Value AtenBuilder::full(Exprs dims, double fill, Type elementType) {
  bool isWhole = fill == double(int64_t(fill));
  Value value = llvm::isa<mlir::IntegerType>(elementType) && isWhole
                    ? number(int64_t(fill))
                    : number(fill);
  return full(dims, value, elementType);
}

Value AtenBuilder::arange(Expr start, Expr end, Expr step, Type elementType) {
  return arangeStartStep(start, end, step, elementType);
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

Value AtenBuilder::add(Value a, double b) {
  if (!a || b == 0)
    return a;
  return add(a, numberLike(a, b));
}

Value AtenBuilder::mul(Value a, double b) {
  if (!a || b == 1)
    return a;
  if (b == -1 && !elementTypeOf(a).isInteger(1))
    return neg(a);
  return mul(a, numberLike(a, b));
}

Value AtenBuilder::div(Value a, double b) {
  if (!a || (b == 1 && llvm::isa<mlir::FloatType>(elementTypeOf(a))))
    return a;
  return div(a, number(b));
}

Value AtenBuilder::rsub(double a, Value x) {
  return x ? rsubScalar(x, numberLike(x, a)) : Value();
}

Value AtenBuilder::pow(Value x, double exponent) {
  if (!x || exponent == 1)
    return x;
  if (exponent == 2)
    return mul(x, x);
  return powTensorScalar(x, numberLike(x, exponent));
}

Value AtenBuilder::pow(Value x, Value exponent) {
  if (!x || !exponent)
    return {};
  bool isTensor = llvm::isa<RankedTensorType>(exponent.getType());
  return isTensor ? powTensorTensor(x, exponent) : powTensorScalar(x, exponent);
}

Value AtenBuilder::clamp(Value x, Value low, Value high) {
  if (!x || (!low && !high))
    return x;
  return FormulaBuilder::clamp(x, low, high);
}

Value AtenBuilder::where(Value condition, Value a, Value b) {
  if (!condition || !a || !b)
    return {};
  return whereSelf(condition, a, b);
}

Value AtenBuilder::cast(Value x, Type elementType) {
  if (!x || elementTypeOf(x) == elementType)
    return x;
  return toCopy(x, elementType);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Value AtenBuilder::sum(Value x, Ints dims, bool keepdim, Type dtype) {
  if (!x || dims.empty())
    return x && dtype ? cast(x, dtype) : x;
  return sumDimIntList(x, dims, keepdim, dtype);
}

Value AtenBuilder::mean(Value x, Ints dims, bool keepdim) {
  if (!x || dims.empty())
    return x;
  return meanDim(x, dims, keepdim);
}

Value AtenBuilder::amax(Value x, Ints dims, bool keepdim) {
  if (!x || dims.empty())
    return x;
  return FormulaBuilder::amax(x, dims, keepdim);
}

Value AtenBuilder::amin(Value x, Ints dims, bool keepdim) {
  if (!x || dims.empty())
    return x;
  return FormulaBuilder::amin(x, dims, keepdim);
}

/// 0, 1 ... rank - 1.
static SmallVector<int64_t> everyDim(Value x) {
  return llvm::to_vector(llvm::seq<int64_t>(0, AtenBuilder::rankOf(x)));
}

Value AtenBuilder::sumAll(Value x) { return x ? sum(x, everyDim(x)) : Value(); }

Value AtenBuilder::meanAll(Value x) {
  return x ? mean(x, everyDim(x)) : Value();
}

Value AtenBuilder::prod(Value x, int64_t dim, bool keepdim) {
  if (!x)
    return {};
  return prodDimInt(x, dim, keepdim);
}

Value AtenBuilder::any(Value x, int64_t dim, bool keepdim) {
  if (!x)
    return {};
  return anyDim(x, dim, keepdim);
}

Value AtenBuilder::sumToSize(Value x, Exprs dims) {
  if (!x || hasDims(x, dims))
    return x;
  SmallVector<Expr> from = dimsOf(x);
  assert(from.size() >= dims.size() && "a sum cannot add dimensions");
  size_t leading = from.size() - dims.size();
  SmallVector<int64_t> reduced;
  for (size_t i = 0; i < from.size(); ++i)
    if (i < leading ||
        (dims[i - leading].isConstant(1) && !from[i].isConstant(1)))
      reduced.push_back(i);
  return view(sum(x, reduced, /*keepdim=*/true, elementTypeOf(x)), dims);
}

//===----------------------------------------------------------------------===//
// Views and rearrangements
//===----------------------------------------------------------------------===//

Value AtenBuilder::view(Value x, Exprs dims) {
  if (!x || hasDims(x, dims))
    return x;
  return FormulaBuilder::view(x, dims);
}

Value AtenBuilder::view(Value x, Ints dims) {
  return view(x, guard::getConstants(getContext(), dims));
}

Value AtenBuilder::expand(Value x, Exprs dims) {
  if (!x || hasDims(x, dims))
    return x;
  return FormulaBuilder::expand(x, dims);
}

Value AtenBuilder::permute(Value x, Ints dims) {
  if (!x)
    return {};
  int64_t rank = rankOf(x);
  bool isIdentity = true;
  for (auto [i, dim] : llvm::enumerate(dims))
    isIdentity &= wrapDim(dim, rank) == int64_t(i);
  return isIdentity ? x : FormulaBuilder::permute(x, dims);
}

Value AtenBuilder::transpose(Value x, int64_t i, int64_t j) {
  if (!x)
    return {};
  SmallVector<int64_t> order = everyDim(x);
  std::swap(order[wrapDim(i, order.size())], order[wrapDim(j, order.size())]);
  return permute(x, order);
}

Value AtenBuilder::squeeze(Value x, int64_t dim) {
  return x ? squeezeDim(x, dim) : Value();
}

Value AtenBuilder::squeeze(Value x, Ints dims) {
  if (!x || dims.empty())
    return x;
  return squeezeDims(x, dims);
}

Value AtenBuilder::slice(Value x, int64_t dim, Expr start, Expr end,
                         int64_t step) {
  if (!x || (start.isConstant(0) && end == dimOf(x, dim) && step == 1))
    return x;
  return sliceTensor(x, dim, start, end, step);
}

Value AtenBuilder::select(Value x, int64_t dim, Expr index) {
  return x ? selectInt(x, dim, index) : Value();
}

Value AtenBuilder::cat(ArrayRef<Value> tensors, int64_t dim) {
  if (llvm::is_contained(tensors, Value()))
    return {};
  if (tensors.size() == 1)
    return tensors.front();
  return FormulaBuilder::cat(tensors, dim);
}

Value AtenBuilder::constantPad(Value x, Exprs widths, double fill) {
  bool isNothing =
      llvm::all_of(widths, [](Expr width) { return width.isConstant(0); });
  if (!x || isNothing)
    return x;
  return constantPadNd(x, widths, numberLike(x, fill));
}

//===----------------------------------------------------------------------===//
// Indexing
//===----------------------------------------------------------------------===//

Value AtenBuilder::index(Value x, ArrayRef<Value> indices) {
  return x ? indexTensor(x, indices) : Value();
}
