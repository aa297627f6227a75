//===- Selection.cpp - Lists of indices, masks, counted elements ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Selection.h"

#include "Lowerings.h"

#include "kiln/Analysis/IndexExpr.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

//===----------------------------------------------------------------------===//
// Selected elements
//===----------------------------------------------------------------------===//

Selection::Selection(Converter &converter, ExprAttr extent, Flag flag)
    : converter(converter), extent(extent), flag(std::move(flag)) {
  Type i64 = IntegerType::get(converter.getContext(), 64);
  auto scan = ScanOp::create(
      converter.getBuilder(), converter.getLoc(),
      TypeRange{guard::makeTensorType(i64, extent)}, ValueRange(), Exprs(),
      extent, 0, ReductionKind::Sum, converter.getOrigins());
  OpBuilder inner = OpBuilder::atBlockEnd(&scan.getBody().front());
  BodyContext body{inner, converter.getLoc(), scan.getBody().getArguments()};
  ScalarBuilder scalars(inner, body.loc, i64);
  YieldOp::create(inner, body.loc,
                  scalars.convert(this->flag(body), inner.getI1Type(), i64));
  counts = converter.getView(scan.getResult(0));
}

Value Selection::countUpTo(BodyContext body, Value index) {
  return converter.readAt(body, counts, index);
}

Value Selection::getPlace(BodyContext body, Value index, ExprAttr count) {
  Type i64 = body.builder.getI64Type();
  ScalarBuilder scalars(body.builder, body.loc, i64);
  Value place =
      scalars.sub(countUpTo(body, index), scalars.constant(i64, int64_t(1)));
  return converter.toIndex(body, place, i64, count, /*negative=*/false);
}

Value Selection::countAll(BodyContext body) {
  ScalarBuilder scalars(body.builder, body.loc, body.builder.getI64Type());
  Value zero = scalars.constant(body.builder.getI64Type(), int64_t(0));
  if (extent.isConstant(0))
    return zero;
  Value any = arith::CmpIOp::create(
      body.builder, body.loc, arith::CmpIPredicate::sgt,
      converter.index(body, extent),
      scalars.constant(body.builder.getIndexType(), int64_t(0)));
  return converter.read(body, counts, extent - converter.expr(1), any, zero);
}

void Selection::define(ExprAttr count) {
  OpBuilder &builder = converter.getBuilder();
  Location loc = converter.getLoc();
  Type i64 = builder.getI64Type();
  if (!converter.isFoundHere(count)) {
    converter.check({}, "the number of selected elements is not the expected one",
                    [&](BodyContext body) {
                      ScalarBuilder scalars(body.builder, loc, i64);
                      Value wanted = arith::IndexCastOp::create(
                          body.builder, loc, i64, converter.index(body, count));
                      return scalars.eq(countAll(body), wanted);
                    });
    return;
  }
  Value number = converter.makePointwise(
      guard::makeTensorType(i64, {}), i64,
      [&](BodyContext body, ScalarBuilder &) { return countAll(body); });
  defineSymbol(converter, count, number);
}

void loop::defineSymbol(Converter &converter, ExprAttr size, Value number) {
  OpBuilder &builder = converter.getBuilder();
  auto item = ExternOp::create(
      builder, converter.getLoc(), TypeRange{builder.getI64Type()},
      "aten.item.default", number,
      builder.getArrayAttr({OperandAttr::get(converter.getContext(), 0)}),
      StringAttr());
  item->setAttr("symbol", size.getSymbol());
}

Value Selection::compact(ExprAttr count, Type type,
                         llvm::function_ref<Value(BodyContext)> compute) {
  Value zeros = converter.makeZeros(guard::makeTensorType(type, count));
  auto scatter = ScatterOp::create(converter.getBuilder(), converter.getLoc(),
                                   zeros, extent, ScatterKind::Set,
                                   converter.getOrigins());
  OpBuilder inner = OpBuilder::atBlockEnd(&scatter.getBody().front());
  BodyContext body{inner, converter.getLoc(), scatter.getBody().getArguments()};
  Value place = getPlace(body, body.indices[0], count);
  Value value = compute(body);
  // No more than have a place.
  ScalarBuilder scalars(inner, body.loc, inner.getI64Type());
  Value limit = arith::IndexCastOp::create(
      inner, body.loc, inner.getI64Type(), converter.index(body, count));
  Value exists = scalars.le(countUpTo(body, body.indices[0]), limit);
  YieldAtOp::create(inner, body.loc, value, place,
                    scalars.logicalAnd(flag(body), exists));
  return scatter.getResult();
}

Value Selection::getPositions(ExprAttr count) {
  return compact(count, IntegerType::get(converter.getContext(), 64),
                 [](BodyContext body) -> Value {
                   return arith::IndexCastOp::create(body.builder, body.loc,
                                                     body.builder.getI64Type(),
                                                     body.indices[0]);
                 });
}

Selection loop::selectTrue(Converter &converter, Value tensor) {
  View flat = converter.asRow(converter.getView(tensor));
  Type element = Converter::getElement(tensor);
  return Selection(converter, flat.dims[0], [&converter, flat,
                                             element](BodyContext body) {
    ScalarBuilder scalars(body.builder, body.loc, element);
    return scalars.toBool(converter.readAt(body, flat, body.indices[0]));
  });
}

//===----------------------------------------------------------------------===//
// Lists of indices
//===----------------------------------------------------------------------===//

bool loop::isMask(Value tensor) {
  Type element = Converter::getElement(tensor);
  return element.isInteger(1) || element.isUnsignedInteger(8);
}

/// The coordinates of the `count` elements that a mask selects.
static SmallVector<Value> expandMask(Converter &converter, Value mask,
                                     ExprAttr count) {
  Type i64 = IntegerType::get(converter.getContext(), 64);
  Selection selection = selectTrue(converter, mask);
  selection.define(count);
  View flat = converter.getView(selection.getPositions(count));
  Exprs dims = converter.getView(mask).dims;
  guard::Assumptions assumptions = converter.getAssumptions();
  Exprs coordinates =
      analysis::reshapeIndices(converter.getContext(), converter.dim(0),
                               selection.getExtent(), dims, assumptions);
  SmallVector<Value> tensors;
  for (ExprAttr coordinate : coordinates)
    tensors.push_back(converter.makePointwise(
        guard::makeTensorType(i64, count), i64,
        [&](BodyContext body, ScalarBuilder &) -> Value {
          Value at = arith::IndexCastOp::create(
              body.builder, body.loc, body.builder.getIndexType(),
              converter.readAt(body, flat, body.indices[0]));
          return arith::IndexCastOp::create(
              body.builder, body.loc, i64,
              converter.index({body.builder, body.loc, at}, coordinate));
        }));
  return tensors;
}

bool loop::covers(Converter &converter, Value mask, ArrayRef<ExprAttr> dims,
                  unsigned first) {
  Exprs own = converter.getView(mask).dims;
  return !own.empty() && first + own.size() <= dims.size() &&
         dims.slice(first, own.size()) == ArrayRef(own);
}

std::optional<Indexed>
loop::getIndexed(Converter &converter, const aten::ArgValue &list,
                 ArrayRef<ExprAttr> dims,
                 std::optional<ArrayRef<ExprAttr>> result) {
  Indexed indexed;
  unsigned rank = dims.size();
  unsigned masks = 0, numbers = 0, first = ~0u, place = 0;
  for (Value tensor : list.getValues()) {
    bool isTrue = tensor && isMask(tensor);
    if (tensor)
      first = std::min(first, place);
    masks += isTrue;
    numbers += tensor && !isTrue;
    place += isTrue ? converter.getView(tensor).dims.size() : 1;
  }
  if (masks + numbers == 0 || place > rank ||
      (masks && (masks > 1 || numbers || !result)))
    return std::nullopt;
  for (Value tensor : list.getValues()) {
    if (!tensor || !isMask(tensor)) {
      indexed.tensors.push_back(tensor);
      continue;
    }
    if (!covers(converter, tensor, dims, first) || first >= result->size())
      return std::nullopt;
    indexed.isMask = true;
    llvm::append_range(indexed.tensors,
                       expandMask(converter, tensor, (*result)[first]));
  }
  indexed.tensors.resize(rank);
  unsigned last = 0, count = 0;
  for (unsigned i = 0; i < rank; ++i) {
    Value tensor = indexed.tensors[i];
    if (!tensor)
      continue;
    last = i;
    ++count;
    Exprs own = converter.getView(tensor).dims;
    if (own.size() > indexed.broadcast.size())
      indexed.broadcast.insert(indexed.broadcast.begin(),
                               own.size() - indexed.broadcast.size(),
                               converter.expr(1));
    unsigned shift = indexed.broadcast.size() - own.size();
    for (auto [k, size] : llvm::enumerate(own))
      if (!size.isConstant(1))
        indexed.broadcast[k + shift] = size;
  }
  // Neighbours stay where the first stands, others come in front.
  indexed.position = last - first + 1 == count ? first : 0;
  return indexed;
}

SmallVector<Value> loop::getPosition(Converter &converter, BodyContext body,
                                     const Indexed &indexed,
                                     ArrayRef<ExprAttr> dims) {
  unsigned width = indexed.broadcast.size();
  SmallVector<Value> position;
  unsigned next = 0; // among the result's dimensions that are kept
  for (auto [i, tensor] : llvm::enumerate(indexed.tensors)) {
    if (!tensor) {
      if (next == indexed.position)
        next += width;
      position.push_back(body.indices[next++]);
      continue;
    }
    View view = converter.getView(tensor);
    Exprs index = converter.broadcast(view, indexed.broadcast);
    for (ExprAttr &expr : index)
      if (expr.isDim())
        expr = converter.dim(expr.getPosition() + indexed.position);
    position.push_back(converter.toIndex(body, converter.read(body, view, index),
                                         Converter::getElement(tensor), dims[i],
                                         /*negative=*/!indexed.isMask));
  }
  return position;
}
