//===- EmbeddingBag.cpp - Sums of rows by bags ----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Offsets are first turned into the bag of each index: a mark where a bag
// begins, and the number of marks up to each place. Rows are then written to
// their bags one after the other, as in PyTorch.
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"

#include <cmath>

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace {

/// The operands that the operators have in common.
class Bags {
public:
  Bags(Converter &c)
      : c(c), weight(c.getTensor("weight")), indices(c.getTensor("indices")),
        offsets(c.getTensor("offsets")), table(c.getView(weight)),
        rows(c.getView(indices)), starts(c.getView(offsets)),
        i64(c.getBuilder().getI64Type()) {
    padding = c.getInt("padding_idx");
    // PyTorch counts from the end only below -1.
    if (padding < -1 && table.dims.size() == 2 && table.dims[0].isConstant())
      padding += table.dims[0].getPayload();
  }

  bool isSupported() const {
    auto isIndex = [](Type type) {
      return type.isInteger(32) || type.isInteger(64);
    };
    return table.dims.size() == 2 && rows.dims.size() == 1 &&
           starts.dims.size() == 1 && isa<FloatType>(c.getElement(weight)) &&
           isIndex(c.getElement(indices)) && isIndex(c.getElement(offsets)) &&
           (padding >= -1 || table.dims[0].isConstant());
  }
  /// Number of bags.
  ExprAttr getCount() const {
    return starts.dims[0] + (c.getBool("include_last_offset") ? -1 : 0);
  }

  Value readIndex(BodyContext body, ScalarBuilder &s, Value tensor,
                  ExprAttr at) {
    return s.convert(c.read(body, c.getView(tensor), {at}),
                     c.getElement(tensor), i64);
  }
  /// Offsets begin with 0, do not fall, and stay within the indices.
  void check();
  /// The bag of each index, i64.
  Value makeBagOf();
  /// What an index adds to its bag: `compute` at (index, column).
  Value scatter(Value init, ArrayRef<ExprAttr> extents, ScatterKind kind,
                Value bagOf,
                llvm::function_ref<Value(BodyContext, ScalarBuilder &, Value)>
                    compute);

  LogicalResult lowerForward(bool isForwardOnly);
  LogicalResult lowerWeightsBackward();

private:
  Value makeFilled(Type element, ArrayRef<ExprAttr> dims, double value) {
    return c.makePointwise(guard::makeTensorType(element, dims), element,
                           [&](BodyContext, ScalarBuilder &s) {
                             return isa<FloatType>(element)
                                        ? s.constant(element, value)
                                        : s.constant(element, int64_t(value));
                           });
  }

  Converter &c;
  Value weight, indices, offsets;
  View table, rows, starts;
  Type i64;
  int64_t padding;
};

} // namespace

void Bags::check() {
  c.checkIndex(indices, table.dims[0], /*negative=*/false);
  c.check(
      starts.dims,
      "offsets of an embedding bag must begin with 0, not fall, and be at most "
      "the number of indices",
      [&](BodyContext body) {
        ScalarBuilder s(body.builder, body.loc, i64);
        Value start = readIndex(body, s, offsets, c.dim(0));
        Value zero = s.constant(i64, int64_t(0));
        Value isFirst = s.eq(c.number(body, s, c.dim(0), i64), zero);
        Value before = readIndex(
            body, s, offsets, guard::max(c.dim(0) + -1, c.expr(0)));
        Value end = c.number(body, s, rows.dims[0], i64);
        Value fits = s.where(isFirst, s.eq(start, zero), s.le(before, start));
        return s.logicalAnd(fits, s.le(start, end));
      });
}

Value Bags::makeBagOf() {
  OpBuilder &builder = c.getBuilder();
  // Bags but the first mark their beginning; empty ones mark it again.
  Value marks = makeFilled(i64, rows.dims, 0);
  auto nest = ScatterOp::create(builder, c.getLoc(), marks, {getCount()},
                                ScatterKind::Add, c.getOrigins());
  OpBuilder inner = OpBuilder::atBlockEnd(&nest.getBody().front());
  BodyContext body{inner, c.getLoc(), nest.getBody().getArguments()};
  ScalarBuilder s(inner, c.getLoc(), i64);
  Value start = readIndex(body, s, offsets, c.dim(0));
  Value zero = s.constant(i64, int64_t(0));
  Value counts = s.logicalAnd(
      s.lt(zero, c.number(body, s, c.dim(0), i64)),
      s.logicalAnd(s.le(zero, start),
                   s.lt(start, c.number(body, s, rows.dims[0], i64))));
  Value at = arith::IndexCastOp::create(inner, c.getLoc(), inner.getIndexType(),
                                        start);
  YieldAtOp::create(inner, c.getLoc(), s.constant(i64, int64_t(1)),
                    ValueRange(at), counts);
  View marked = c.getView(nest.getResult());
  auto scan = ScanOp::create(
      builder, c.getLoc(), TypeRange(guard::makeTensorType(i64, rows.dims)),
      ValueRange(), ArrayRef<ExprAttr>(), rows.dims[0], 0,
      ArrayRef(ReductionKind::Sum), c.getOrigins());
  OpBuilder along = OpBuilder::atBlockEnd(&scan.getBody().front());
  BodyContext row{along, c.getLoc(), scan.getBody().getArguments()};
  YieldOp::create(along, c.getLoc(), c.read(row, marked, {c.dim(0)}));
  return scan->getResult(0);
}

Value Bags::scatter(
    Value init, ArrayRef<ExprAttr> extents, ScatterKind kind, Value bagOf,
    llvm::function_ref<Value(BodyContext, ScalarBuilder &, Value)> compute) {
  auto nest = ScatterOp::create(c.getBuilder(), c.getLoc(), init, extents, kind,
                                c.getOrigins());
  OpBuilder inner = OpBuilder::atBlockEnd(&nest.getBody().front());
  BodyContext body{inner, c.getLoc(), nest.getBody().getArguments()};
  ScalarBuilder s(inner, c.getLoc(), i64);
  Value row = readIndex(body, s, indices, c.dim(0));
  SmallVector<Value> position(body.indices);
  position[0] = c.toIndex(body, c.read(body, c.getView(bagOf), {c.dim(0)}),
                          i64, getCount(), /*negative=*/false);
  Value at = c.toIndex(body, row, i64, table.dims[0], /*negative=*/false);
  Value condition;
  if (padding >= 0)
    condition = s.ne(row, s.constant(i64, padding));
  YieldAtOp::create(inner, c.getLoc(), compute(body, s, at), position,
                    condition);
  return nest.getResult();
}

LogicalResult Bags::lowerForward(bool isForwardOnly) {
  int64_t mode = c.getInt("mode"); // 0 sum, 1 mean, 2 max
  Value scales = c.getTensor("per_sample_weights");
  Type stored = c.getElement(weight);
  Type acc = getBodyType(Converter::getComputeType(stored));
  if (mode < 0 || mode > 2 || table.dims[0].isConstant(0) ||
      (scales && (mode != 0 || c.getElement(scales) != stored ||
                  c.getView(scales).dims != rows.dims)) ||
      (getCount().isConstant() && getCount().getPayload() < 1))
    return c.refuse("an embedding bag of this kind has no kernel");
  check();
  Value bagOf = makeBagOf();
  ExprAttr width = table.dims[1];
  Exprs bags = {getCount(), width}, domain = {rows.dims[0], width};
  Value sizes = scatter(
      makeFilled(i64, {getCount()}, 0), {rows.dims[0]}, ScatterKind::Add, bagOf,
      [&](BodyContext, ScalarBuilder &s, Value) {
        return s.constant(i64, int64_t(1));
      });
  Value sums = scatter(
      makeFilled(acc, bags, mode == 2 ? -HUGE_VAL : 0.0), domain,
      mode == 2 ? ScatterKind::Max : ScatterKind::Add, bagOf,
      [&](BodyContext body, ScalarBuilder &s, Value at) {
        Value value =
            s.convert(c.readAt(body, table, {at, body.indices[1]}), stored, acc);
        if (scales)
          value = s.mul(value, s.convert(c.read(body, c.getView(scales),
                                                {c.dim(0)}),
                                         stored, acc));
        return value;
      });
  View size = c.getView(sizes), sum = c.getView(sums);
  Value output = c.makePointwise(
      c.getResultType(0), acc, [&](BodyContext body, ScalarBuilder &s) {
        Value value = c.read(body, sum, sum.map);
        if (mode == 0)
          return value;
        Value count = c.read(body, size, {c.dim(0)});
        Value isEmpty = s.eq(count, s.constant(i64, int64_t(0)));
        if (mode == 1)
          value = s.div(value, s.convert(count, i64, acc));
        return s.where(isEmpty, s.constant(acc, 0.0), value);
      });
  if (!output)
    return failure();
  c.setResult(0, output);

  // What the gradient needs, in the sizes that PyTorch has recorded.
  auto set = [&](unsigned i, Value value) {
    RankedTensorType type = c.getResultType(i);
    View view = value ? c.getView(value) : View();
    bool isThere = value && view.dims == Exprs(*guard::getDims(type));
    c.setResult(i, c.makePointwise(
                       type, i64, [&](BodyContext body, ScalarBuilder &s) {
                         return isThere ? c.read(body, view, view.map)
                                        : s.constant(i64, int64_t(0));
                       }));
  };
  set(1, bagOf);
  set(2, isForwardOnly && mode == 0 ? Value() : sizes);
  if (mode != 2 || c.isUnused(3)) {
    set(3, mode == 2 || (isForwardOnly && mode == 0) ? Value() : sizes);
    return success();
  }
  // The row that is the largest: of equal ones the first.
  Type f64 = c.getBuilder().getF64Type();
  SmallVector<Value> places = c.makeReduce(
      TypeRange({guard::makeTensorType(f64, bags),
                 guard::makeTensorType(i64, bags)}),
      bags, {rows.dims[0]}, ReductionKind::ArgMax, f64,
      [&](BodyContext body, ScalarBuilder &s) {
        Value row = readIndex(body, s, indices, c.dim(2));
        Value bag = c.read(body, c.getView(bagOf), {c.dim(2)});
        Value counts = s.eq(bag, c.number(body, s, c.dim(0), i64));
        if (padding >= 0)
          counts = s.logicalAnd(counts, s.ne(row, s.constant(i64, padding)));
        Value at = c.toIndex(body, row, i64, table.dims[0], false);
        Value value = s.convert(
            c.readAt(body, table, {at, body.indices[1]}), stored, f64);
        value = s.where(counts, value, s.constant(f64, -HUGE_VAL));
        Value place = s.where(counts, c.number(body, s, c.dim(2), i64),
                              s.constant(i64, int64_t(INT64_MAX)));
        return SmallVector<Value>{value, place};
      });
  View place = c.getView(places[1]);
  Value largest = c.makePointwise(
      guard::makeTensorType(i64, bags), i64,
      [&](BodyContext body, ScalarBuilder &s) {
        Value count = c.read(body, size, {c.dim(0)});
        Value at = c.toIndex(body, c.read(body, place, place.map), i64,
                             rows.dims[0], false);
        Value row = s.convert(c.readAt(body, rows, {at}),
                              c.getElement(indices), i64);
        Value zero = s.constant(i64, int64_t(0));
        return s.where(s.eq(count, zero), zero, row);
      });
  if (rows.dims[0].isConstant(0)) // there is no place to read
    largest = makeFilled(i64, bags, 0);
  set(3, largest);
  return success();
}

LogicalResult Bags::lowerWeightsBackward() {
  Value gradient = c.getTensor("grad"), known = c.getTensor("offset2bag");
  View grad = c.getView(gradient), given = c.getView(known);
  Type stored = c.getElement(weight);
  Type acc = getBodyType(Converter::getComputeType(stored));
  bool isGiven = !given.dims.empty() && !given.dims[0].isConstant(0);
  if (c.getInt("mode") != 0 || grad.dims.size() != 2 ||
      grad.dims[1] != table.dims[1] || c.getElement(gradient) != stored ||
      table.dims[0].isConstant(0) || grad.dims[0].isConstant(0) ||
      (isGiven && given.dims != rows.dims))
    return c.refuse("a gradient of this kind has no kernel");
  c.checkIndex(indices, table.dims[0], /*negative=*/false);
  Value bagOf = known;
  if (!isGiven) {
    check();
    bagOf = makeBagOf();
  }
  SmallVector<Value> sums = c.makeReduce(
      TypeRange(c.getResultType()), rows.dims, {table.dims[1]},
      ReductionKind::Sum, acc, [&](BodyContext body, ScalarBuilder &s) {
        Value row = readIndex(body, s, indices, c.dim(0));
        Value bag = readIndex(body, s, bagOf, c.dim(0));
        Value at = c.toIndex(body, row, i64, table.dims[0], false);
        Value from = c.toIndex(body, bag, i64, grad.dims[0], false);
        Value product = s.mul(
            s.convert(c.readAt(body, table, {at, body.indices[1]}), stored, acc),
            s.convert(c.readAt(body, grad, {from, body.indices[1]}), stored,
                      acc));
        Value counts = s.ne(row, s.constant(i64, c.getInt("padding_idx")));
        return SmallVector<Value>{
            s.where(counts, product, s.constant(acc, 0.0))};
      });
  c.setResult(0, sums[0]);
  return success();
}

static LogicalResult lowerBags(Converter &c, bool isForwardOnly) {
  Bags bags(c);
  return bags.isSupported()
             ? bags.lowerForward(isForwardOnly)
             : c.refuse("an embedding bag of these tensors has no kernel");
}

LogicalResult loop::lowerEmbeddingBag(Converter &c) {
  return lowerBags(c, /*isForwardOnly=*/false);
}

LogicalResult loop::lowerEmbeddingBagForwardOnly(Converter &c) {
  return lowerBags(c, /*isForwardOnly=*/true);
}

LogicalResult loop::lowerEmbeddingBagWeightsBackward(Converter &c) {
  Bags bags(c);
  return bags.isSupported()
             ? bags.lowerWeightsBackward()
             : c.refuse("an embedding bag of these tensors has no kernel");
}
