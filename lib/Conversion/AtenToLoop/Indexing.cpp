//===- Indexing.cpp - Reading and writing at computed indices -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Converter.h"

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

void Converter::checkIndex(Value indices, guard::ExprAttr size,
                           bool negative) {
  if (!checkIndices)
    return;
  View view = getView(indices);
  Type type = getElement(indices);
  auto scalar = RankedTensorType::get({}, builder.getI1Type());
  Exprs extents = view.dims;
  if (extents.empty())
    extents.push_back(expr(1));
  auto nest = ReduceOp::create(
      builder, getLoc(), TypeRange(scalar), Exprs(), extents,
      ArrayRef(ReductionKind::All), getOrigins());
  OpBuilder inner = OpBuilder::atBlockEnd(&nest.getBody().front());
  BodyContext body{inner, getLoc(), nest.getBody().getArguments()};
  Type i64 = inner.getI64Type();
  ScalarBuilder scalars(inner, getLoc(), i64);
  Value value = scalars.convert(
      read(body, view, getIdentityMap(getContext(), view.dims.size())), type,
      i64);
  Value extent =
      arith::IndexCastOp::create(inner, getLoc(), i64, index(body, size));
  Value low =
      negative ? scalars.neg(extent) : scalars.constant(i64, int64_t(0));
  Value fits =
      scalars.logicalAnd(scalars.le(low, value), scalars.lt(value, extent));
  YieldOp::create(inner, getLoc(), fits);
  ExternOp::create(
      builder, getLoc(), TypeRange(), "aten._assert_async.msg",
      nest.getResult(0),
      builder.getArrayAttr(
          {OperandAttr::get(getContext(), 0),
           builder.getStringAttr("index out of range in self")}),
      StringAttr());
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
  View self = getView(getTensor("self")), index = getView(indices);
  RankedTensorType type = getResultType();
  int64_t rank = type.getRank();
  int64_t at = getInt("dim");
  at = at < 0 ? at + rank : at;
  if (int64_t(self.dims.size()) != rank)
    return refuse("an index into a tensor without dimensions has no kernel");
  if (rank)
    checkIndex(indices, self.dims[at], /*negative=*/false);
  Value result = makePointwise(
      type, type.getElementType(),
      [&](BodyContext body, ScalarBuilder &) -> Value {
        SmallVector<Value> position(body.indices);
        if (rank)
          position[at] = toIndex(
              body, read(body, index, getIdentityMap(getContext(), rank)),
              getElement(indices), self.dims[at], /*negative=*/false);
        return readAt(body, self, position);
      });
  if (!result)
    return failure();
  setResult(0, result);
  return success();
}

LogicalResult Converter::lowerIndexSelect() {
  Value indices = getTensor("index");
  View self = getView(getTensor("self")), index = getView(indices);
  RankedTensorType type = getResultType();
  int64_t rank = type.getRank();
  int64_t at = getInt("dim");
  at = at < 0 ? at + rank : at;
  if (rank == 0)
    return refuse("an index into a tensor without dimensions has no kernel");
  checkIndex(indices, self.dims[at], /*negative=*/false);
  Value result = makePointwise(
      type, type.getElementType(),
      [&](BodyContext body, ScalarBuilder &) -> Value {
        SmallVector<Value> position(body.indices);
        Exprs where;
        if (!index.dims.empty())
          where.push_back(dim(at));
        position[at] = toIndex(body, read(body, index, where),
                               getElement(indices), self.dims[at],
                               /*negative=*/false);
        return readAt(body, self, position);
      });
  if (!result)
    return failure();
  setResult(0, result);
  return success();
}

namespace {

/// What `index` and `index_put` have in common: which dimensions are indexed
/// and where the dimensions of the indices stand in the result.
struct Indexed {
  SmallVector<Value> tensors; ///< of each dimension; null: kept
  Exprs broadcast;            ///< common sizes of the index tensors
  unsigned position = 0;      ///< of their dimensions among the result's
};

} // namespace

static std::optional<Indexed> getIndexed(Converter &converter,
                                         const aten::ArgValue &list,
                                         unsigned rank) {
  Indexed indexed;
  indexed.tensors.assign(list.getValues().begin(), list.getValues().end());
  indexed.tensors.resize(rank);
  int first = -1, last = -1, count = 0;
  for (unsigned i = 0; i < rank; ++i) {
    Value tensor = indexed.tensors[i];
    if (!tensor)
      continue;
    Type element = Converter::getElement(tensor);
    if (element.isInteger(1) || element.isUnsignedInteger())
      return std::nullopt; // masks select an unknown number of elements
    first = first < 0 ? i : first;
    last = i;
    ++count;
    Exprs dims = converter.getView(tensor).dims;
    if (dims.size() > indexed.broadcast.size())
      indexed.broadcast.insert(indexed.broadcast.begin(),
                               dims.size() - indexed.broadcast.size(),
                               converter.expr(1));
    unsigned shift = indexed.broadcast.size() - dims.size();
    for (auto [k, size] : llvm::enumerate(dims))
      if (!size.isConstant(1))
        indexed.broadcast[k + shift] = size;
  }
  if (count == 0)
    return std::nullopt;
  // Neighbours stay where the first stands, others come in front.
  indexed.position = last - first + 1 == count ? first : 0;
  return indexed;
}

/// The index into the indexed tensor for the point `body.indices` of a domain
/// shaped as the result of `index`.
static SmallVector<Value> getPosition(Converter &converter, BodyContext body,
                                      const Indexed &indexed,
                                      const View &self,
                                      llvm::function_ref<Value(
                                          Value, unsigned)> toPosition) {
  unsigned width = indexed.broadcast.size();
  SmallVector<Value> position;
  unsigned next = 0; // among the result's dimensions that are kept
  for (unsigned i = 0; i < self.dims.size(); ++i) {
    Value tensor = indexed.tensors[i];
    if (!tensor) {
      if (next == indexed.position)
        next += width;
      position.push_back(body.indices[next++]);
      continue;
    }
    View view = converter.getView(tensor);
    Exprs index = converter.broadcast(view, indexed.broadcast);
    for (guard::ExprAttr &expr : index)
      if (expr.isDim())
        expr = converter.dim(expr.getPosition() + indexed.position);
    position.push_back(toPosition(converter.read(body, view, index), i));
  }
  return position;
}

LogicalResult Converter::lowerIndexTensor() {
  View self = getView(getTensor("self"));
  auto indexed = getIndexed(*this, getArg("indices"), self.dims.size());
  if (!indexed)
    return refuse("indices that are masks have no kernel");
  for (auto [i, tensor] : llvm::enumerate(indexed->tensors))
    if (tensor)
      checkIndex(tensor, self.dims[i], /*negative=*/true);
  RankedTensorType type = getResultType();
  Value result = makePointwise(
      type, type.getElementType(),
      [&](BodyContext body, ScalarBuilder &) -> Value {
        auto position = getPosition(
            *this, body, *indexed, self, [&](Value value, unsigned i) {
              return toIndex(body, value, getElement(indexed->tensors[i]),
                             self.dims[i], /*negative=*/true);
            });
        return readAt(body, self, position);
      });
  if (!result)
    return failure();
  setResult(0, result);
  return success();
}

LogicalResult Converter::lowerIndexPut() {
  Value selfValue = getTensor("self"), values = getTensor("values");
  View self = getView(selfValue), source = getView(values);
  auto indexed = getIndexed(*this, getArg("indices"), self.dims.size());
  if (!indexed)
    return refuse("indices that are masks have no kernel");
  for (auto [i, tensor] : llvm::enumerate(indexed->tensors))
    if (tensor)
      checkIndex(tensor, self.dims[i], /*negative=*/true);
  // The domain has the shape that `index` would give.
  Exprs extents;
  for (unsigned i = 0; i < self.dims.size(); ++i)
    if (!indexed->tensors[i])
      extents.push_back(self.dims[i]);
  extents.insert(extents.begin() + indexed->position,
                 indexed->broadcast.begin(), indexed->broadcast.end());
  Type stored = getResultType().getElementType();
  auto kind = getBool("accumulate") ? ScatterKind::Add : ScatterKind::Set;
  auto nest = ScatterOp::create(builder, getLoc(), materialize(selfValue),
                                extents, kind, getOrigins());
  OpBuilder inner = OpBuilder::atBlockEnd(&nest.getBody().front());
  BodyContext body{inner, getLoc(), nest.getBody().getArguments()};
  ScalarBuilder scalars(inner, getLoc(), stored);
  auto position = getPosition(
      *this, body, *indexed, self, [&](Value value, unsigned i) {
        return toIndex(body, value, getElement(indexed->tensors[i]),
                       self.dims[i], /*negative=*/true);
      });
  Value value = scalars.convert(read(body, source, broadcast(source, extents)),
                                getElement(values), stored);
  YieldAtOp::create(inner, getLoc(), value, position, Value());
  setResult(0, nest.getResult());
  return success();
}

LogicalResult Converter::lowerScatter(bool adds, bool isNumber) {
  Value selfValue = getTensor("self"), indices = getTensor("index");
  View self = getView(selfValue), index = getView(indices);
  int64_t rank = self.dims.size();
  if (rank == 0 || int64_t(index.dims.size()) != rank)
    return refuse("a scatter into a tensor without dimensions has no kernel");
  int64_t at = getInt("dim");
  at = at < 0 ? at + rank : at;
  checkIndex(indices, self.dims[at], /*negative=*/false);
  Type stored = getResultType().getElementType();
  auto nest =
      ScatterOp::create(builder, getLoc(), materialize(selfValue), index.dims,
                        adds ? ScatterKind::Add : ScatterKind::Set,
                        getOrigins());
  OpBuilder inner = OpBuilder::atBlockEnd(&nest.getBody().front());
  BodyContext body{inner, getLoc(), nest.getBody().getArguments()};
  ScalarBuilder scalars(inner, getLoc(), stored);
  Exprs identity = getIdentityMap(getContext(), rank);
  SmallVector<Value> position(body.indices);
  position[at] = toIndex(body, read(body, index, identity),
                         getElement(indices), self.dims[at],
                         /*negative=*/false);
  Value value;
  if (isNumber) {
    Value number = getArg("value").getValue();
    value = readNumber(body, number);
    if (!value) {
      nest.erase();
      return refuse("a float that only the run knows");
    }
    value = scalars.convert(value, number.getType(), stored);
  } else {
    Value source = getTensor("src");
    value = scalars.convert(read(body, getView(source), identity),
                            getElement(source), stored);
  }
  YieldAtOp::create(inner, getLoc(), value, position, Value());
  setResult(0, nest.getResult());
  return success();
}

LogicalResult Converter::lowerEmbeddingBackward() {
  if (getBool("scale_grad_by_freq"))
    return refuse("scaling gradients by frequency has no kernel");
  Value gradient = getTensor("grad_output"), indices = getTensor("indices");
  View source = getView(gradient), rows = getView(indices);
  RankedTensorType type = getResultType();
  Type stored = type.getElementType();
  guard::ExprAttr size = (*guard::getDims(type))[0];
  guard::ExprAttr padding = getExpr("padding_idx");
  Value zeros = makePointwise(type, stored,
                              [&](BodyContext, ScalarBuilder &scalars) {
                                return scalars.constant(stored, int64_t(0));
                              });
  if (!zeros)
    return failure();
  auto nest = ScatterOp::create(builder, getLoc(), zeros, source.dims,
                                ScatterKind::Add, getOrigins());
  OpBuilder inner = OpBuilder::atBlockEnd(&nest.getBody().front());
  BodyContext body{inner, getLoc(), nest.getBody().getArguments()};
  unsigned last = rows.dims.size();
  Value row = read(body, rows, getIdentityMap(getContext(), last));
  Value condition;
  if (padding) {
    ScalarBuilder scalars(inner, getLoc(), inner.getI64Type());
    Value wide =
        scalars.convert(row, getElement(indices), inner.getI64Type());
    Value skipped = arith::IndexCastOp::create(
        inner, getLoc(), inner.getI64Type(), index(body, padding));
    condition = scalars.ne(wide, skipped);
  }
  Value at = toIndex(body, row, getElement(indices), size, /*negative=*/false);
  Value value =
      read(body, source, getIdentityMap(getContext(), source.dims.size()));
  YieldAtOp::create(inner, getLoc(), value,
                    ValueRange{at, body.indices[last]}, condition);
  setResult(0, nest.getResult());
  return success();
}

std::optional<LogicalResult> Converter::lowerIndexing(StringRef name) {
  if (name == "aten.embedding")
    return lowerEmbedding();
  if (name == "aten.embedding_dense_backward")
    return lowerEmbeddingBackward();
  if (name == "aten.gather")
    return lowerGather();
  if (name == "aten.index_select")
    return lowerIndexSelect();
  if (name == "aten.index.Tensor")
    return lowerIndexTensor();
  if (name == "aten.index_put")
    return lowerIndexPut();
  if (name == "aten.scatter.value")
    return lowerScatter(/*adds=*/false, /*isNumber=*/true);
  if (name == "aten.scatter.src")
    return lowerScatter(/*adds=*/false, /*isNumber=*/false);
  if (name == "aten.scatter_add")
    return lowerScatter(/*adds=*/true, /*isNumber=*/false);
  return std::nullopt;
}
