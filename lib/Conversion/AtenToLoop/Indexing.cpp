//===- Indexing.cpp - Reading and writing at computed indices -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Selection.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

Value Converter::toIndex(BodyContext body, Value value, Type type,
                         guard::ExprAttr size, bool negative) {
  OpBuilder &b = body.builder;
  Type i64 = b.getI64Type();
  ScalarBuilder scalars(b, body.loc, i64);
  Value at = arith::IndexCastOp::create(b, body.loc, b.getIndexType(),
                                        scalars.convert(value, type, i64));
  Value zero = scalars.constant(b.getIndexType(), int64_t(0));
  Value extent = index(body, size);
  if (negative) {
    Value below = arith::CmpIOp::create(b, body.loc, arith::CmpIPredicate::slt,
                                        at, zero);
    Value wrapped = arith::AddIOp::create(b, body.loc, at, extent);
    at = arith::SelectOp::create(b, body.loc, below, wrapped, at);
  }
  Value one = scalars.constant(b.getIndexType(), int64_t(1));
  Value last = arith::SubIOp::create(b, body.loc, extent, one);
  at = arith::MinSIOp::create(b, body.loc, at, last);
  return arith::MaxSIOp::create(b, body.loc, at, zero);
}

void Converter::check(ArrayRef<guard::ExprAttr> extents, StringRef message,
                      llvm::function_ref<Value(BodyContext)> compute) {
  auto scalar = RankedTensorType::get({}, builder.getI1Type());
  Exprs domain(extents);
  if (domain.empty())
    domain.push_back(expr(1));
  auto nest =
      ReduceOp::create(builder, getLoc(), TypeRange(scalar), Exprs(), domain,
                       ArrayRef(ReductionKind::All), getOrigins());
  OpBuilder inner = OpBuilder::atBlockEnd(&nest.getBody().front());
  BodyContext body{inner, getLoc(), nest.getBody().getArguments()};
  YieldOp::create(inner, getLoc(), compute(body));
  ExternOp::create(builder, getLoc(), TypeRange(), "aten._assert_async.msg",
                   nest.getResult(0),
                   builder.getArrayAttr({OperandAttr::get(getContext(), 0),
                                         builder.getStringAttr(message)}),
                   StringAttr());
}

void Converter::checkIndex(Value indices, guard::ExprAttr size,
                           bool negative) {
  if (!checkIndices)
    return;
  View view = getView(indices);
  Type type = getElement(indices);
  check(view.dims, "index out of range in self", [&](BodyContext body) {
    OpBuilder &inner = body.builder;
    Type i64 = inner.getI64Type();
    ScalarBuilder scalars(inner, getLoc(), i64);
    Value value = scalars.convert(
        read(body, view, getIdentityMap(getContext(), view.dims.size())), type,
        i64);
    Value extent =
        arith::IndexCastOp::create(inner, getLoc(), i64, index(body, size));
    Value low =
        negative ? scalars.neg(extent) : scalars.constant(i64, int64_t(0));
    return scalars.logicalAnd(scalars.le(low, value),
                              scalars.lt(value, extent));
  });
}

LogicalResult Converter::lowerEmbedding() {
  Value weight = getTensor("weight"), indices = getTensor("indices");
  View table = getView(weight), rows = getView(indices);
  checkIndex(indices, table.dims[0], /*negative=*/false);
  RankedTensorType type = getResultType();
  unsigned last = rows.dims.size();
  Value result = makePointwise(
      type, type.getElementType(),
      [&](BodyContext body, ScalarBuilder &) -> Value {
        Value row = read(body, rows, getIdentityMap(getContext(), last));
        Value at = toIndex(body, row, getElement(indices), table.dims[0],
                           /*negative=*/false);
        return readAt(body, table, {at, body.indices[last]});
      });
  if (!result)
    return failure();
  setResult(0, result);
  return success();
}

LogicalResult Converter::lowerGather() {
  Value indices = getTensor("index");
  View self = getAtLeastRow(getTensor("self")), index = getAtLeastRow(indices);
  int64_t rank = self.dims.size();
  int64_t at = getInt("dim");
  at = at < 0 ? at + rank : at;
  const Exprs &dims = index.dims;
  if (int64_t(dims.size()) != rank) // an index without elements
    return setReshaped(0, materialize(index, getResultType().getElementType()));
  checkIndex(indices, self.dims[at], /*negative=*/false);
  Type stored = getResultType().getElementType();
  return setReshaped(
      0, makePointwise(
             guard::makeTensorType(stored, dims), stored,
             [&](BodyContext body, ScalarBuilder &) {
               SmallVector<Value> position;
               for (int64_t d = 0; d < rank; ++d)
                 position.push_back(
                     d == at
                         ? toIndex(body,
                                   readAt(body, index, body.indices),
                                   getElement(indices), self.dims[at],
                                   /*negative=*/false)
                         : body.indices[d]);
               return readAt(body, self, position);
             }));
}

LogicalResult Converter::lowerIndexSelect() {
  Value indices = getTensor("index");
  View self = getAtLeastRow(getTensor("self"));
  View index = getAtLeastRow(indices);
  int64_t at = getInt("dim");
  at = at < 0 ? at + int64_t(self.dims.size()) : at;
  checkIndex(indices, self.dims[at], /*negative=*/false);
  Exprs dims = self.dims;
  dims[at] = index.dims[0];
  Type stored = getResultType().getElementType();
  return setReshaped(
      0, makePointwise(guard::makeTensorType(stored, dims), stored,
                       [&](BodyContext body, ScalarBuilder &) {
                         SmallVector<Value> position(body.indices);
                         position[at] = toIndex(
                             body, readAt(body, index, position[at]),
                             getElement(indices), self.dims[at],
                             /*negative=*/false);
                         return readAt(body, self, position);
                       }));
}

LogicalResult Converter::lowerIndexTensor() {
  View self = getView(getTensor("self"));
  RankedTensorType type = getResultType();
  auto indexed = getIndexed(*this, getArg("indices"), self.dims,
                            *guard::getDims(type));
  if (!indexed)
    return refuse("a mask among other indices has no kernel");
  for (auto [i, tensor] : llvm::enumerate(indexed->tensors))
    if (tensor && !indexed->isMask)
      checkIndex(tensor, self.dims[i], /*negative=*/true);
  Value result = makePointwise(
      type, type.getElementType(),
      [&](BodyContext body, ScalarBuilder &) -> Value {
        return readAt(body, self,
                      getPosition(*this, body, *indexed, self.dims));
      });
  if (!result)
    return failure();
  setResult(0, result);
  return success();
}

LogicalResult Converter::lowerUnsafeIndex() {
  if (llvm::any_of(getArg("indices").getValues(),
                   [](Value tensor) { return tensor && isMask(tensor); }))
    return refuse("a mask is an error");
  return lowerIndexTensor();
}

/// The elements of the flat tensor at `index`.
LogicalResult Converter::lowerTake() {
  Value indices = getTensor("index");
  View self = asRow(getView(getTensor("self"))), index = getView(indices);
  checkIndex(indices, self.dims[0], /*negative=*/true);
  RankedTensorType type = getResultType();
  return setReshaped(
      0, makePointwise(type, type.getElementType(),
                       [&](BodyContext body, ScalarBuilder &) {
                         return readAt(
                             body, self,
                             toIndex(body, readAt(body, index, body.indices),
                                     getElement(indices), self.dims[0],
                                     /*negative=*/true));
                       }));
}
