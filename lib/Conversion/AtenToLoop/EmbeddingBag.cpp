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
// their bags one after the other, as in PyTorch. Where offsets are multiples of
// one number, as those of a matrix of indices, bags are its rows: each is a sum
// over as many places, and nothing is looked for.
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"

#include "kiln/Dialect/Guard/IR/Guard.h"

#include <cmath>

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace {

/// The operands that the operators have in common.
class Bags {
public:
  Bags(LoopBuilder &loops, const BagArgs &args)
      : loops(loops), args(args), weight(args.weight), indices(args.indices),
        offsets(args.offsets), table(loops.getView(weight)),
        rows(loops.getView(indices)), starts(loops.getView(offsets)),
        i64(loops.getBuilder().getI64Type()) {
    padding = args.paddingIdx.value_or(0);
    // PyTorch counts from the end only below -1.
    if (padding < -1 && table.dims.size() == 2 && table.dims[0].isConstant())
      padding += table.dims[0].getPayload();
    if (rows.dims.size() == 1 && starts.dims.size() == 1)
      length = findLength();
  }

  bool isSupported() const {
    auto isIndex = [](Type type) {
      return type.isInteger(32) || type.isInteger(64);
    };
    return table.dims.size() == 2 && rows.dims.size() == 1 &&
           starts.dims.size() == 1 &&
           isa<FloatType>(loops.getElement(weight)) &&
           isIndex(loops.getElement(indices)) &&
           isIndex(loops.getElement(offsets)) &&
           (padding >= -1 || table.dims[0].isConstant());
  }
  /// Number of bags.
  ExprAttr getCount() const {
    return starts.dims[0] + (args.includeLastOffset.value_or(false) ? -1 : 0);
  }

  Value readIndex(BodyContext body, ScalarBuilder &s, Value tensor,
                  ExprAttr at) {
    return s.convert(loops.read(body, loops.getView(tensor), {at}),
                     loops.getElement(tensor), i64);
  }
  /// Offsets begin with 0, do not fall, and stay within the indices.
  void check();
  /// The bag of each index, i64.
  Value makeBagOf();
  /// The number of indices in each bag, i64.
  Value makeSizes(Value bagOf);
  /// What an index adds to its bag: `compute` at (index, column).
  Value scatter(Value init, ArrayRef<ExprAttr> extents, ScatterKind kind,
                Value bagOf,
                llvm::function_ref<Value(BodyContext, ScalarBuilder &, Value)>
                    compute);

  LogicalResult lowerForward(bool isForwardOnly);
  LogicalResult lowerWeightsBackward();

private:
  enum Mode { Sum, Mean, Max };
  ExprAttr findLength() const;
  /// Joins what the indices of each bag add to it, all of which have as many:
  /// `compute` over the dimensions of `bags` and then the places of a bag, with
  /// the place of an index and its row.
  Value reduceBags(
      ArrayRef<ExprAttr> bags, Type acc, ReductionKind kind,
      llvm::function_ref<Value(BodyContext, ScalarBuilder &, ExprAttr, Value)>
          compute);
  /// What the index at `place` adds to a bag, of type `acc`.
  Value readRow(BodyContext body, ScalarBuilder &s, Type acc, ExprAttr place,
                Value at);
  Value makeSums(Mode mode, Type acc, Value bagOf);
  Value makeOutput(Mode mode, Type acc, const View &sum, const View &size);
  Value makeLargest(Value bagOf, const View &size);
  void setRecorded(unsigned i, Value value);
  Value makeFilled(Type element, ArrayRef<ExprAttr> dims, double value) {
    return loops.makePointwise(
        guard::makeTensorType(element, dims), element,
        [&](BodyContext, ScalarBuilder &s) {
          return isa<FloatType>(element) ? s.constant(element, value)
                                         : s.constant(element, int64_t(value));
        });
  }

  LoopBuilder &loops;
  const BagArgs &args;
  Value weight, indices, offsets;
  View table, rows, starts;
  Type i64;
  int64_t padding;
  ExprAttr length; ///< of each bag, where that is one expression; else null
};

} // namespace

/// The step of offsets that count from 0 by it, if bags of that length are all there is.
ExprAttr Bags::findLength() const {
  auto range = offsets.getDefiningOp<aten::ArangeStartStepOp>();
  if (!range || loops.getConstant(range.getStart()) != 0.0)
    return {};
  ExprAttr step = loops.expr(1);
  if (Value given = range.getStep()) {
    auto symbolic = given.getDefiningOp<guard::ValueOp>();
    auto constant = loops.getConstant(given);
    if (constant && *constant >= 1 && given.getType().isInteger(64))
      step = loops.expr(int64_t(*constant));
    else if (symbolic && !symbolic.getExpr().isFloatTyped())
      step = symbolic.getExpr();
    else
      return {};
  }
  return getCount() * step == rows.dims[0] ? step : ExprAttr();
}

void Bags::check() {
  loops.checkIndex(indices, table.dims[0], /*negative=*/false);
  if (length)
    return;
  loops.check(
      starts.dims,
      "offsets of an embedding bag must begin with 0, not fall, and be at most "
      "the number of indices",
      [&](BodyContext body) {
        ScalarBuilder s(body.builder, body.loc, i64);
        Value start = readIndex(body, s, offsets, loops.dim(0));
        Value zero = s.constant(i64, int64_t(0));
        Value isFirst = s.eq(loops.number(body, s, loops.dim(0), i64), zero);
        Value before = readIndex(body, s, offsets,
                                 guard::max(loops.dim(0) + -1, loops.expr(0)));
        Value end = loops.number(body, s, rows.dims[0], i64);
        Value fits = s.where(isFirst, s.eq(start, zero), s.le(before, start));
        return s.logicalAnd(fits, s.le(start, end));
      });
}

Value Bags::makeBagOf() {
  if (length)
    return loops.makePointwise(
        guard::makeTensorType(i64, rows.dims), i64,
        [&](BodyContext body, ScalarBuilder &s) {
          return loops.number(body, s, guard::floorDiv(loops.dim(0), length),
                              i64);
        });
  // Bags but the first mark their beginning; empty ones mark it again.
  View marks = loops.getView(loops.makeScatter(
      makeFilled(i64, rows.dims, 0), {getCount()}, ScatterKind::Add,
      [&](BodyContext body) -> Written {
        ScalarBuilder s(body.builder, body.loc, i64);
        Value start = readIndex(body, s, offsets, loops.dim(0));
        Value zero = s.constant(i64, int64_t(0));
        Value counts = s.logicalAnd(
            s.lt(zero, loops.number(body, s, loops.dim(0), i64)),
            s.logicalAnd(
                s.le(zero, start),
                s.lt(start, loops.number(body, s, rows.dims[0], i64))));
        Value at = fromI64(body, start);
        return {{at}, s.constant(i64, int64_t(1)), counts};
      }));
  ScanOp scan =
      loops.makeScan(TypeRange(guard::makeTensorType(i64, rows.dims)), {}, {},
                     rows.dims[0], 0, ArrayRef(ReductionKind::Sum),
                     [&](BodyContext body) -> SmallVector<Value> {
                       return {loops.read(body, marks, {loops.dim(0)})};
                     });
  return scan ? scan.getResult(0) : Value();
}

Value Bags::scatter(
    Value init, ArrayRef<ExprAttr> extents, ScatterKind kind, Value bagOf,
    llvm::function_ref<Value(BodyContext, ScalarBuilder &, Value)> compute) {
  return loops.makeScatter(
      init, extents, kind, [&](BodyContext body) -> Written {
        ScalarBuilder s(body.builder, body.loc, i64);
        Value row = readIndex(body, s, indices, loops.dim(0));
        SmallVector<Value> position(body.indices);
        Value bag = loops.read(body, loops.getView(bagOf), {loops.dim(0)});
        position[0] =
            loops.toIndex(body, bag, i64, getCount(), /*negative=*/false);
        Value at =
            loops.toIndex(body, row, i64, table.dims[0], /*negative=*/false);
        Value condition;
        if (padding >= 0)
          condition = s.ne(row, s.constant(i64, padding));
        return {position, compute(body, s, at), condition};
      });
}

Value Bags::reduceBags(
    ArrayRef<ExprAttr> bags, Type acc, ReductionKind kind,
    llvm::function_ref<Value(BodyContext, ScalarBuilder &, ExprAttr, Value)>
        compute) {
  ExprAttr place = loops.dim(0) * length + loops.dim(bags.size());
  double neutral = kind == ReductionKind::Max ? -HUGE_VAL : 0.0;
  return loops.makeReduce(
      TypeRange(guard::makeTensorType(acc, bags)), bags, {length}, kind, acc,
      [&](BodyContext body, ScalarBuilder &s) {
        Value row = readIndex(body, s, indices, place);
        Value at =
            loops.toIndex(body, row, i64, table.dims[0], /*negative=*/false);
        Value value = compute(body, s, place, at);
        if (padding >= 0) {
          Value other = isa<FloatType>(acc) ? s.constant(acc, neutral)
                                            : s.constant(acc, int64_t(0));
          value = s.where(s.ne(row, s.constant(i64, padding)), value, other);
        }
        return SmallVector<Value>{value};
      })[0];
}

Value Bags::makeSizes(Value bagOf) {
  if (length)
    return reduceBags({getCount()}, i64, ReductionKind::Sum,
                      [&](BodyContext, ScalarBuilder &s, ExprAttr, Value) {
                        return s.constant(i64, int64_t(1));
                      });
  return scatter(makeFilled(i64, {getCount()}, 0), {rows.dims[0]},
                 ScatterKind::Add, bagOf,
                 [&](BodyContext, ScalarBuilder &s, Value) {
                   return s.constant(i64, int64_t(1));
                 });
}

Value Bags::readRow(BodyContext body, ScalarBuilder &s, Type acc,
                    ExprAttr place, Value at) {
  Type stored = LoopBuilder::getElement(weight);
  Value value = s.convert(
      loops.readAt(body, table, {at, body.indices[1]}), stored, acc);
  if (Value scales = args.perSampleWeights)
    value = s.mul(value,
                  s.convert(loops.read(body, loops.getView(scales), {place}),
                            stored, acc));
  return value;
}

/// The sums of rows by bags, of type `acc`; the greatest elements for `Max`.
Value Bags::makeSums(Mode mode, Type acc, Value bagOf) {
  Exprs bags = {getCount(), table.dims[1]};
  if (length)
    return reduceBags(
        bags, acc, mode == Max ? ReductionKind::Max : ReductionKind::Sum,
        [&](BodyContext body, ScalarBuilder &s, ExprAttr place, Value at) {
          return readRow(body, s, acc, place, at);
        });
  return scatter(
      makeFilled(acc, bags, mode == Max ? -HUGE_VAL : 0.0),
      {rows.dims[0], table.dims[1]},
      mode == Max ? ScatterKind::Max : ScatterKind::Add, bagOf,
      [&](BodyContext body, ScalarBuilder &s, Value at) {
        return readRow(body, s, acc, loops.dim(0), at);
      });
}

/// What a bag gives; an empty one gives 0.
Value Bags::makeOutput(Mode mode, Type acc, const View &sum, const View &size) {
  return loops.makePointwise(
      loops.getResultType(0), acc, [&](BodyContext body, ScalarBuilder &s) {
        Value value = loops.read(body, sum, sum.map);
        if (mode == Sum)
          return value;
        Value count = loops.read(body, size, {loops.dim(0)});
        Value isEmpty = s.eq(count, s.constant(i64, int64_t(0)));
        if (mode == Mean)
          value = s.div(value, s.convert(count, i64, acc));
        return s.where(isEmpty, s.constant(acc, 0.0), value);
      });
}

/// The row that holds the greatest element of a bag: of equal ones the first.
Value Bags::makeLargest(Value bagOf, const View &size) {
  Type f64 = loops.getBuilder().getF64Type();
  Type stored = LoopBuilder::getElement(weight);
  Exprs bags = {getCount(), table.dims[1]};
  SmallVector<Value> places = loops.makeReduce(
      TypeRange(
          {guard::makeTensorType(f64, bags), guard::makeTensorType(i64, bags)}),
      bags, {rows.dims[0]}, ReductionKind::ArgMax, f64,
      [&](BodyContext body, ScalarBuilder &s) {
        Value row = readIndex(body, s, indices, loops.dim(2));
        Value bag = loops.read(body, loops.getView(bagOf), {loops.dim(2)});
        Value counts = s.eq(bag, loops.number(body, s, loops.dim(0), i64));
        if (padding >= 0)
          counts = s.logicalAnd(counts, s.ne(row, s.constant(i64, padding)));
        Value at = loops.toIndex(body, row, i64, table.dims[0], false);
        Value value = s.convert(
            loops.readAt(body, table, {at, body.indices[1]}), stored, f64);
        value = s.where(counts, value, s.constant(f64, -HUGE_VAL));
        Value place = s.where(counts, loops.number(body, s, loops.dim(2), i64),
                              s.constant(i64, int64_t(INT64_MAX)));
        return SmallVector<Value>{value, place};
      });
  if (rows.dims[0].isConstant(0)) // there is no place to read
    return makeFilled(i64, bags, 0);
  View place = loops.getView(places[1]);
  return loops.makePointwise(
      guard::makeTensorType(i64, bags), i64,
      [&](BodyContext body, ScalarBuilder &s) {
        Value count = loops.read(body, size, {loops.dim(0)});
        Value at = loops.toIndex(body, loops.read(body, place, place.map), i64,
                                 rows.dims[0], false);
        Value row = s.convert(loops.readAt(body, rows, {at}),
                              LoopBuilder::getElement(indices), i64);
        Value zero = s.constant(i64, int64_t(0));
        return s.where(s.eq(count, zero), zero, row);
      });
}

/// What the gradient needs, in the sizes that PyTorch has recorded; zeros if
/// there is none.
void Bags::setRecorded(unsigned i, Value value) {
  RankedTensorType type = loops.getResultType(i);
  View view = value ? loops.getView(value) : View();
  bool isThere = value && view.dims == Exprs(*guard::getDims(type));
  loops.setResult(i, loops.makePointwise(
                         type, i64, [&](BodyContext body, ScalarBuilder &s) {
                           return isThere ? loops.read(body, view, view.map)
                                          : s.constant(i64, int64_t(0));
                         }));
}

LogicalResult Bags::lowerForward(bool isForwardOnly) {
  int64_t mode = args.mode.value_or(Sum);
  Value scales = args.perSampleWeights;
  Type stored = LoopBuilder::getElement(weight);
  Type acc = getBodyType(LoopBuilder::getComputeType(stored));
  if (mode < Sum || mode > Max || table.dims[0].isConstant(0) ||
      (scales && (mode != Sum || LoopBuilder::getElement(scales) != stored ||
                  loops.getView(scales).dims != rows.dims)) ||
      (getCount().isConstant() && getCount().getPayload() < 1))
    return loops.refuse("an embedding bag of this kind has no kernel");
  check();
  Value bagOf = makeBagOf();
  Value sizes = makeSizes(bagOf);
  View size = loops.getView(sizes);
  View sum = loops.getView(makeSums(Mode(mode), acc, bagOf));
  if (failed(loops.setMade(0, makeOutput(Mode(mode), acc, sum, size))))
    return failure();
  bool isBare = isForwardOnly && mode == Sum;
  setRecorded(1, bagOf);
  setRecorded(2, isBare ? Value() : sizes);
  if (mode != Max)
    setRecorded(3, isBare ? Value() : sizes);
  else
    setRecorded(3, loops.isUnused(3) ? Value() : makeLargest(bagOf, size));
  return success();
}

LogicalResult Bags::lowerWeightsBackward() {
  Value gradient = args.grad, known = args.offset2bag;
  View grad = loops.getView(gradient), given = loops.getView(known);
  Type stored = loops.getElement(weight);
  Type acc = getBodyType(LoopBuilder::getComputeType(stored));
  bool isGiven = !given.dims.empty() && !given.dims[0].isConstant(0);
  if (args.mode.value_or(0) != 0 || grad.dims.size() != 2 ||
      grad.dims[1] != table.dims[1] || loops.getElement(gradient) != stored ||
      table.dims[0].isConstant(0) || grad.dims[0].isConstant(0) ||
      (isGiven && given.dims != rows.dims))
    return loops.refuse("a gradient of this kind has no kernel");
  loops.checkIndex(indices, table.dims[0], /*negative=*/false);
  Value bagOf = known;
  if (!isGiven) {
    check();
    bagOf = makeBagOf();
  }
  SmallVector<Value> sums = loops.makeReduce(
      TypeRange(loops.getResultType()), rows.dims, {table.dims[1]},
      ReductionKind::Sum, acc, [&](BodyContext body, ScalarBuilder &s) {
        Value row = readIndex(body, s, indices, loops.dim(0));
        Value bag = readIndex(body, s, bagOf, loops.dim(0));
        Value at = loops.toIndex(body, row, i64, table.dims[0], false);
        Value from = loops.toIndex(body, bag, i64, grad.dims[0], false);
        Value product =
            s.mul(s.convert(loops.readAt(body, table, {at, body.indices[1]}),
                            stored, acc),
                  s.convert(loops.readAt(body, grad, {from, body.indices[1]}),
                            stored, acc));
        Value counts = s.ne(row, s.constant(i64, args.paddingIdx.value_or(0)));
        return SmallVector<Value>{
            s.where(counts, product, s.constant(acc, 0.0))};
      });
  return loops.setMade(0, sums[0]);
}

static LogicalResult lowerBags(LoopBuilder &loops, const BagArgs &args,
                               bool isForwardOnly) {
  Bags bags(loops, args);
  return bags.isSupported()
             ? bags.lowerForward(isForwardOnly)
             : loops.refuse("an embedding bag of these tensors has no kernel");
}

LogicalResult loop::lowerEmbeddingBag(LoopBuilder &loops, const BagArgs &args) {
  return lowerBags(loops, args, /*isForwardOnly=*/false);
}

LogicalResult loop::lowerEmbeddingBagForwardOnly(LoopBuilder &loops,
                                                 const BagArgs &args) {
  return lowerBags(loops, args, /*isForwardOnly=*/true);
}

LogicalResult loop::lowerEmbeddingBagWeightsBackward(LoopBuilder &loops,
                                                     const BagArgs &args) {
  Bags bags(loops, args);
  return bags.isSupported()
             ? bags.lowerWeightsBackward()
             : loops.refuse("an embedding bag of these tensors has no kernel");
}
