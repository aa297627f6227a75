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
#include "kiln/Dialect/Guard/IR/ExprRange.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

//===----------------------------------------------------------------------===//
// Selected elements
//===----------------------------------------------------------------------===//

Selection::Selection(LoopBuilder &loops, ExprAttr extent, Flag flag)
    : loops(loops), extent(extent), flag(std::move(flag)) {
  Type i64 = IntegerType::get(loops.getContext(), 64);
  ScanOp scan = loops.makeScan(
      TypeRange(guard::makeTensorType(i64, extent)), {}, {}, extent, 0,
      ReductionKind::Sum, [&](BodyContext body) -> SmallVector<Value> {
        ScalarBuilder scalars(body.builder, body.loc, i64);
        return {
            scalars.convert(this->flag(body), body.builder.getI1Type(), i64)};
      });
  counts = loops.getView(scan ? scan.getResult(0) : Value());
}

Value Selection::countUpTo(BodyContext body, Value index) {
  return loops.readAt(body, counts, index);
}

Value Selection::getPlace(BodyContext body, Value index, ExprAttr count) {
  Type i64 = body.builder.getI64Type();
  ScalarBuilder scalars(body.builder, body.loc, i64);
  Value place =
      scalars.sub(countUpTo(body, index), scalars.constant(i64, int64_t(1)));
  return loops.toIndex(body, place, i64, count, /*negative=*/false);
}

Value Selection::countAll(BodyContext body) {
  ScalarBuilder scalars(body.builder, body.loc, body.builder.getI64Type());
  Value zero = scalars.constant(body.builder.getI64Type(), int64_t(0));
  if (extent.isConstant(0))
    return zero;
  Value any = arith::CmpIOp::create(
      body.builder, body.loc, arith::CmpIPredicate::sgt,
      loops.index(body, extent),
      scalars.constant(body.builder.getIndexType(), int64_t(0)));
  return loops.read(body, counts, extent - loops.expr(1), any, zero);
}

void Selection::define(ExprAttr count) {
  OpBuilder &builder = loops.getBuilder();
  Location loc = loops.getLoc();
  Type i64 = builder.getI64Type();
  if (!loops.isFoundHere(count)) {
    loops.check({}, "the number of selected elements is not the expected one",
                [&](BodyContext body) {
                  ScalarBuilder scalars(body.builder, loc, i64);
                  Value wanted = arith::IndexCastOp::create(
                      body.builder, loc, i64, loops.index(body, count));
                  return scalars.eq(countAll(body), wanted);
                });
    return;
  }
  Value number = loops.makePointwise(
      guard::makeTensorType(i64, {}), i64,
      [&](BodyContext body, ScalarBuilder &) { return countAll(body); });
  loops.defineSymbol(count, number);
}

Value Selection::compact(ExprAttr count, Type type,
                         llvm::function_ref<Value(BodyContext)> compute) {
  Value zeros = loops.makeZeros(guard::makeTensorType(type, count));
  return loops.makeScatter(
      zeros, extent, ScatterKind::Set, [&](BodyContext body) -> Written {
        Value place = getPlace(body, body.indices[0], count);
        Value value = compute(body);
        // No more than have a place.
        ScalarBuilder scalars(body.builder, body.loc,
                              body.builder.getI64Type());
        Value limit = toI64(body, loops.index(body, count));
        Value exists = scalars.le(countUpTo(body, body.indices[0]), limit);
        return {{place}, value, scalars.logicalAnd(flag(body), exists)};
      });
}

Value Selection::getPositions(ExprAttr count) {
  return compact(count, IntegerType::get(loops.getContext(), 64),
                 [](BodyContext body) -> Value {
                   return arith::IndexCastOp::create(body.builder, body.loc,
                                                     body.builder.getI64Type(),
                                                     body.indices[0]);
                 });
}

Neighbour loop::getNeighbour(BodyContext body, Value place) {
  OpBuilder &b = body.builder;
  Value zero = arith::ConstantIndexOp::create(b, body.loc, 0);
  Value one = arith::ConstantIndexOp::create(b, body.loc, 1);
  Value isFirst = arith::CmpIOp::create(b, body.loc, arith::CmpIPredicate::eq,
                                        place, zero);
  Value before = arith::MaxSIOp::create(
      b, body.loc, arith::SubIOp::create(b, body.loc, place, one), zero);
  return {isFirst, before};
}

Selection loop::selectTrue(LoopBuilder &loops, Value tensor) {
  View flat = loops.asRow(loops.getView(tensor));
  Type element = LoopBuilder::getElement(tensor);
  return Selection(
      loops, flat.dims[0], [&loops, flat, element](BodyContext body) {
        ScalarBuilder scalars(body.builder, body.loc, element);
        return scalars.toBool(loops.readAt(body, flat, body.indices[0]));
      });
}

//===----------------------------------------------------------------------===//
// Lists of indices
//===----------------------------------------------------------------------===//

bool loop::isMask(Value tensor) {
  Type element = LoopBuilder::getElement(tensor);
  return element.isInteger(1) || element.isUnsignedInteger(8);
}

/// The coordinates of the `count` elements that a mask selects.
static SmallVector<Value> expandMask(LoopBuilder &loops, Value mask,
                                     ExprAttr count) {
  Type i64 = IntegerType::get(loops.getContext(), 64);
  Selection selection = selectTrue(loops, mask);
  selection.define(count);
  View flat = loops.getView(selection.getPositions(count));
  Exprs dims = loops.getView(mask).dims;
  guard::Assumptions assumptions = loops.getAssumptions();
  Exprs coordinates =
      analysis::reshapeIndices(loops.getContext(), loops.dim(0),
                               selection.getExtent(), dims, assumptions);
  SmallVector<Value> tensors;
  for (ExprAttr coordinate : coordinates)
    tensors.push_back(loops.makePointwise(
        guard::makeTensorType(i64, count), i64,
        [&](BodyContext body, ScalarBuilder &) -> Value {
          Value at = arith::IndexCastOp::create(
              body.builder, body.loc, body.builder.getIndexType(),
              loops.readAt(body, flat, body.indices[0]));
          return arith::IndexCastOp::create(
              body.builder, body.loc, i64,
              loops.index({body.builder, body.loc, at}, coordinate));
        }));
  return tensors;
}

bool loop::covers(LoopBuilder &loops, Value mask, ArrayRef<ExprAttr> dims,
                  unsigned first) {
  Exprs own = loops.getView(mask).dims;
  return !own.empty() && first + own.size() <= dims.size() &&
         dims.slice(first, own.size()) == ArrayRef(own);
}

std::optional<Indexed>
loop::getIndexed(LoopBuilder &loops, ArrayRef<Value> list,
                 ArrayRef<ExprAttr> dims,
                 std::optional<ArrayRef<ExprAttr>> result) {
  Indexed indexed;
  unsigned rank = dims.size();
  unsigned masks = 0, numbers = 0, first = ~0u, place = 0;
  for (Value tensor : list) {
    bool isTrue = tensor && isMask(tensor);
    if (tensor)
      first = std::min(first, place);
    masks += isTrue;
    numbers += tensor && !isTrue;
    place += isTrue ? loops.getView(tensor).dims.size() : 1;
  }
  if (masks + numbers == 0 || place > rank ||
      (masks && (masks > 1 || numbers || !result)))
    return std::nullopt;
  for (Value tensor : list) {
    if (!tensor || !isMask(tensor)) {
      indexed.tensors.push_back(tensor);
      continue;
    }
    if (!covers(loops, tensor, dims, first) || first >= result->size())
      return std::nullopt;
    indexed.isMask = true;
    llvm::append_range(indexed.tensors,
                       expandMask(loops, tensor, (*result)[first]));
  }
  indexed.tensors.resize(rank);
  unsigned last = 0, count = 0;
  for (unsigned i = 0; i < rank; ++i) {
    Value tensor = indexed.tensors[i];
    if (!tensor)
      continue;
    last = i;
    ++count;
    Exprs own = loops.getView(tensor).dims;
    if (own.size() > indexed.broadcast.size())
      indexed.broadcast.insert(indexed.broadcast.begin(),
                               own.size() - indexed.broadcast.size(),
                               loops.expr(1));
    unsigned shift = indexed.broadcast.size() - own.size();
    for (auto [k, size] : llvm::enumerate(own))
      if (!size.isConstant(1))
        indexed.broadcast[k + shift] = size;
  }
  // Neighbours stay where the first stands, others come in front.
  indexed.position = last - first + 1 == count ? first : 0;
  return indexed;
}

SmallVector<Value> loop::getPosition(LoopBuilder &loops, BodyContext body,
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
    View view = loops.getView(tensor);
    Exprs index = loops.broadcast(view, indexed.broadcast);
    for (ExprAttr &expr : index)
      if (expr.isDim())
        expr = loops.dim(expr.getPosition() + indexed.position);
    position.push_back(loops.toIndex(body, loops.read(body, view, index),
                                     LoopBuilder::getElement(tensor), dims[i],
                                     /*negative=*/!indexed.isMask));
  }
  return position;
}
