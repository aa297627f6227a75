//===- LoopBuilder.cpp - Views and bodies of a lowering -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Lowering/LoopBuilder.h"

#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "kiln/Dialect/Guard/IR/Guard.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

//===----------------------------------------------------------------------===//
// The op at hand
//===----------------------------------------------------------------------===//

void LoopBuilder::start(Operation *next, ArrayAttr name) {
  op = next;
  origins = name;
  reason.clear();
  builder.setInsertionPoint(op);
}

LogicalResult LoopBuilder::refuse(const Twine &why) {
  if (reason.empty())
    reason = why.str();
  return failure();
}

void LoopBuilder::setResult(unsigned i, Value value) {
  Value old = op->getResult(i);
  View view = getView(old);
  view.base = value;
  views[old] = std::move(view);
}

LogicalResult LoopBuilder::setMade(unsigned i, Value value) {
  if (!value)
    return failure();
  setResult(i, value);
  return success();
}

LogicalResult LoopBuilder::setReshaped(unsigned i, Value value) {
  if (!value)
    return failure();
  setView(op->getResult(i),
          reshape(getView(value), *guard::getDims(getResultType(i))));
  return success();
}

RankedTensorType LoopBuilder::getResultType(unsigned i) {
  return cast<RankedTensorType>(op->getResult(i).getType());
}

Type LoopBuilder::getComputeType(Type type) {
  if (type.isBF16() || type.isF16() || isSmallFloat(type))
    return Float32Type::get(type.getContext());
  return type;
}

bool LoopBuilder::isSupported(Type type, bool smallFloats) {
  Type element = getElementTypeOrSelf(type);
  return isa<IntegerType>(element) || element.isF64() || element.isF32() ||
         element.isBF16() || element.isF16() ||
         (smallFloats && isSmallFloat(element));
}

bool LoopBuilder::isFoundHere(guard::ExprAttr size) const {
  if (!size.isSymbol() || knownSymbols.contains(size))
    return false;
  auto symbol = SymbolTable::lookupNearestSymbolFrom<guard::SymbolOp>(
      function, size.getSymbol());
  return symbol && symbol.getUnbacked();
}

void LoopBuilder::noteSizes(TypeRange types) {
  for (Type type : types)
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      if (auto dims = guard::getDims(tensor))
        for (guard::ExprAttr dim : *dims)
          if (dim.isSymbol())
            knownSymbols.insert(dim);
}

void LoopBuilder::defineSymbol(guard::ExprAttr size, Value number) {
  if (!number)
    return;
  auto item = ExternOp::create(
      builder, getLoc(), TypeRange{builder.getI64Type()}, "aten.item.default",
      number, builder.getArrayAttr({OperandAttr::get(getContext(), 0)}),
      StringAttr());
  item->setAttr("symbol", size.getSymbol());
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

View LoopBuilder::getView(Value tensor) {
  if (!tensor) // of a nest that was refused
    return {};
  auto known = views.find(tensor);
  if (known != views.end())
    return known->second;
  auto dims = guard::getDims(cast<RankedTensorType>(tensor.getType()));
  View view;
  view.base = tensor;
  if (dims)
    view.dims = Exprs(dims->begin(), dims->end());
  for (unsigned i = 0; i < view.dims.size(); ++i)
    view.map.push_back(dim(i));
  return view;
}

Value LoopBuilder::materialize(Value tensor) {
  if (!tensor)
    return {};
  View view = getView(tensor);
  if (view.base.getType() == tensor.getType() &&
      ArrayRef(view.map) ==
          ArrayRef(getIdentityMap(getContext(), view.map.size())))
    return view.base;
  return copy(tensor);
}

Value LoopBuilder::copy(Value tensor) {
  if (Value known = copies.lookup(tensor))
    return known;
  View view = getView(tensor);
  auto type = cast<RankedTensorType>(tensor.getType());
  return copies[tensor] = makePointwise(
             type, type.getElementType(),
             [&](BodyContext body, ScalarBuilder &) {
               return read(body, view,
                           getIdentityMap(getContext(), view.dims.size()));
             });
}

View LoopBuilder::getStraight(Value tensor, ArrayRef<guard::ExprAttr> extents,
                              ArrayRef<guard::ExprAttr> index) {
  View view = getView(tensor);
  for (guard::ExprAttr &expr : view.map)
    expr = guard::substituteDims(expr, index);
  if (!analysis::isStraight(cast<RankedTensorType>(view.base.getType()),
                            view.map, extents, getAssumptions())) {
    view.base = materialize(tensor);
    view.map = Exprs(index);
  }
  return view;
}

View LoopBuilder::reshape(const View &view, ArrayRef<guard::ExprAttr> dims) {
  if (!view.base)
    return {};
  guard::Assumptions assumptions = getAssumptions();
  analysis::addExtents(assumptions, getContext(), dims);
  Exprs index = analysis::reshapeIndices(
      getContext(), getIdentityMap(getContext(), dims.size()), dims, view.dims,
      assumptions);
  View result{view.base, {}, Exprs(dims)};
  for (guard::ExprAttr expr : view.map)
    result.map.push_back(
        guard::simplify(guard::substituteDims(expr, index), assumptions));
  return result;
}

View LoopBuilder::expand(const View &view, ArrayRef<guard::ExprAttr> dims) {
  if (!view.base)
    return {};
  Exprs index = broadcast(view, dims);
  View result{view.base, {}, Exprs(dims)};
  for (guard::ExprAttr expr : view.map)
    result.map.push_back(guard::substituteDims(expr, index));
  return result;
}

View LoopBuilder::getAtLeastRow(Value tensor) {
  View view = getView(tensor);
  if (view.dims.empty())
    view.dims.push_back(expr(1));
  return view;
}

Value LoopBuilder::materialize(const View &view, Type in) {
  if (!view.base)
    return {};
  auto type = guard::makeTensorType(in, view.dims);
  auto identity = getIdentityMap(getContext(), view.dims.size());
  if (view.base.getType() == type && ArrayRef(view.map) == ArrayRef(identity))
    return view.base;
  Type from = cast<RankedTensorType>(view.base.getType()).getElementType();
  return makePointwise(type, in, [&](BodyContext body, ScalarBuilder &scalars) {
    return scalars.convert(read(body, view, identity), from, in);
  });
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

Value LoopBuilder::read(BodyContext body, const View &view,
                        ArrayRef<guard::ExprAttr> index, Value mask,
                        Value other) {
  Exprs map;
  for (guard::ExprAttr expr : view.map)
    map.push_back(guard::substituteDims(expr, index));
  return LoadOp::create(body.builder, body.loc, view.base, body.indices, map,
                        mask, mask ? other : Value());
}

Value LoopBuilder::readAt(BodyContext body, const View &view, ValueRange index,
                          Value mask, Value other) {
  return LoadOp::create(body.builder, body.loc, view.base, index, view.map,
                        mask, mask ? other : Value());
}

Exprs LoopBuilder::broadcast(const View &view, ArrayRef<guard::ExprAttr> dims) {
  Exprs index;
  unsigned shift = dims.size() - view.dims.size();
  for (auto [i, size] : llvm::enumerate(view.dims))
    index.push_back(size.isConstant(1) && !dims[i + shift].isConstant(1)
                        ? expr(0)
                        : dim(i + shift));
  return index;
}

Value LoopBuilder::index(BodyContext body, guard::ExprAttr expr) {
  if (expr.isDim())
    return body.indices[expr.getPosition()];
  if (auto constant = expr.getConstant())
    return arith::ConstantIndexOp::create(body.builder, body.loc, *constant);
  return IndexOp::create(body.builder, body.loc, body.builder.getIndexType(),
                         body.indices, expr);
}

Value LoopBuilder::condition(BodyContext body, guard::ExprAttr expr) {
  if (expr.isConstant() && !expr.isConstant(0))
    return {};
  OpBuilder &b = body.builder;
  Value zero = arith::ConstantIndexOp::create(b, body.loc, 0);
  return arith::CmpIOp::create(b, body.loc, arith::CmpIPredicate::ne,
                               index(body, expr), zero);
}

Value LoopBuilder::number(BodyContext body, ScalarBuilder &scalars,
                          guard::ExprAttr expr, Type type) {
  if (auto constant = expr.getConstant())
    return isa<FloatType>(type) ? scalars.constant(type, double(*constant))
                                : scalars.constant(type, *constant);
  Type i64 = body.builder.getI64Type();
  Value integer = arith::IndexCastOp::create(body.builder, body.loc, i64,
                                             index(body, expr));
  return scalars.convert(integer, i64, type);
}

Value LoopBuilder::readNumber(BodyContext body, Value number) {
  OpBuilder &b = body.builder;
  Attribute constant;
  if (matchPattern(number, m_Constant(&constant)))
    return arith::ConstantOp::create(b, body.loc, cast<TypedAttr>(constant));
  Operation *definer = number.getDefiningOp();
  if (auto value = dyn_cast_if_present<guard::ValueOp>(definer)) {
    if (value.getExpr().isFloatTyped())
      return guard::ValueOp::create(b, body.loc, b.getF64Type(),
                                    value.getExpr());
    Value at = IndexOp::create(b, body.loc, b.getIndexType(), ValueRange(),
                               value.getExpr());
    Value integer = arith::IndexCastOp::create(b, body.loc, b.getI64Type(), at);
    ScalarBuilder scalars(b, body.loc, number.getType());
    return scalars.convert(integer, b.getI64Type(), number.getType());
  }
  // A number read from a tensor is read again, in the kernel.
  if (Value tensor = numbers.lookup(number)) {
    View view = getView(tensor);
    Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
    if (isa<ComplexType>(element))
      return {};
    Exprs zeros(view.dims.size(), expr(0));
    ScalarBuilder scalars(b, body.loc, number.getType());
    return scalars.convert(read(body, view, zeros), element, number.getType());
  }
  return {};
}

std::optional<double> LoopBuilder::getConstant(Value number) {
  Attribute attribute;
  if (!number || !matchPattern(number, m_Constant(&attribute)))
    return std::nullopt;
  if (auto real = dyn_cast<FloatAttr>(attribute))
    return real.getValueAsDouble();
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return integer.getType().isInteger(1)
               ? double(!integer.getValue().isZero())
               : double(integer.getValue().getSExtValue());
  return std::nullopt;
}

Value LoopBuilder::toIndex(BodyContext body, Value value, Type type,
                           guard::ExprAttr size, bool negative) {
  OpBuilder &b = body.builder;
  Type i64 = b.getI64Type();
  ScalarBuilder scalars(b, body.loc, i64);
  Value at = arith::IndexCastOp::create(b, body.loc, b.getIndexType(),
                                        scalars.convert(value, type, i64));
  Value zero = scalars.constant(b.getIndexType(), int64_t(0));
  Value extent = index(body, size);
  if (negative) {
    Value below =
        arith::CmpIOp::create(b, body.loc, arith::CmpIPredicate::slt, at, zero);
    Value wrapped = arith::AddIOp::create(b, body.loc, at, extent);
    at = arith::SelectOp::create(b, body.loc, below, wrapped, at);
  }
  Value one = scalars.constant(b.getIndexType(), int64_t(1));
  Value last = arith::SubIOp::create(b, body.loc, extent, one);
  at = arith::MinSIOp::create(b, body.loc, at, last);
  return arith::MaxSIOp::create(b, body.loc, at, zero);
}
