//===- Search.cpp - Places in sorted rows, and histograms -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A binary search halves its range as often as the longest row needs, each step
// a read and two selections, so that lanes search side by side.
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"

#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "Selection.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

Value loop::searchRow(
    LoopBuilder &loops, BodyContext body, ExprAttr extent,
    llvm::function_ref<Value(Value position, Value mask)> isBehind) {
  // Rows of unknown length have less than 2^48 elements.
  int64_t steps = 48;
  if (auto constant = extent.getConstant())
    steps = llvm::bit_width(uint64_t(*constant));
  OpBuilder &b = body.builder;
  ScalarBuilder scalars(b, body.loc, b.getIndexType());
  Value low = scalars.constant(b.getIndexType(), int64_t(0));
  Value one = scalars.constant(b.getIndexType(), int64_t(1));
  Value high = loops.index(body, extent);
  for (int64_t step = 0; step < steps; ++step) {
    Value goesOn = arith::CmpIOp::create(
        b, body.loc, arith::CmpIPredicate::slt, low, high);
    Value sum = arith::AddIOp::create(b, body.loc, low, high);
    Value middle = arith::ShRUIOp::create(b, body.loc, sum, one);
    Value isEnd = isBehind(middle, goesOn);
    Value next = arith::AddIOp::create(b, body.loc, middle, one);
    Value moved = arith::SelectOp::create(b, body.loc, isEnd, low, next);
    Value cut = arith::SelectOp::create(b, body.loc, isEnd, middle, high);
    low = arith::SelectOp::create(b, body.loc, goesOn, moved, low);
    high = arith::SelectOp::create(b, body.loc, goesOn, cut, high);
  }
  return low;
}

/// Reads `view` at `index` where `mask` is true.
static Value readMasked(LoopBuilder &loops, BodyContext body, const View &view,
                        ValueRange index, Value mask, Type element) {
  ScalarBuilder scalars(body.builder, body.loc, element);
  return loops.readAt(body, view, index, mask,
                      scalars.constant(element, int64_t(0)));
}

static LogicalResult findPlaces(LoopBuilder &loops, Value sorted, Value wanted,
                                bool right, Value sorter) {
  View table = loops.getView(sorted);
  if (table.dims.empty())
    return loops.refuse("a sequence without dimensions is an error");
  unsigned last = table.dims.size() - 1;
  ExprAttr extent = table.dims[last];
  RankedTensorType type = loops.getResultType();
  Type tableType = LoopBuilder::getElement(sorted),
       wantedType = wanted.getType();
  bool isNumber = !isa<RankedTensorType>(wantedType);
  View values;
  if (!isNumber) {
    values = loops.getView(wanted);
    wantedType = LoopBuilder::getElement(wanted);
  }
  bool shared = table.dims.size() == 1;
  if (!shared &&
      (isNumber || values.dims.size() != table.dims.size() ||
       ArrayRef(values.dims).drop_back() != ArrayRef(table.dims).drop_back()))
    return loops.refuse("the sizes of sequence and values differ");
  // Compared in the type of both, wide enough for either.
  Type in = LoopBuilder::getComputeType(tableType);
  if (tableType != wantedType && !isNumber) {
    bool isFloat = isa<FloatType>(tableType) || isa<FloatType>(wantedType);
    in = isFloat ? Type(Float64Type::get(loops.getContext()))
                 : IntegerType::get(loops.getContext(), 64);
  } else if (isNumber && isa<FloatType>(wantedType) &&
             !isa<FloatType>(tableType)) {
    in = Float64Type::get(loops.getContext());
  }
  View places;
  if (sorter) {
    places = loops.getView(sorter);
    if (places.dims != table.dims)
      return loops.refuse("the sorter has other sizes");
    loops.checkIndex(sorter, extent, /*negative=*/false);
  }
  bool isKnown = true;
  Value result = loops.makePointwise(
      type, type.getElementType(),
      [&](BodyContext body, ScalarBuilder &) -> Value {
        OpBuilder &b = body.builder;
        ScalarBuilder scalars(b, body.loc, in);
        Value value = isNumber ? loops.readNumber(body, wanted)
                               : loops.readAt(body, values, body.indices);
        isKnown &= bool(value);
        if (!value)
          return {};
        value = scalars.convert(value, wantedType, in);
        SmallVector<Value> row;
        if (!shared)
          row.append(body.indices.begin(), body.indices.begin() + last);
        Value at =
            searchRow(loops, body, extent, [&](Value position, Value mask) {
              row.push_back(position);
              if (sorter) {
                Value place = readMasked(loops, body, places, row, mask,
                                         LoopBuilder::getElement(sorter));
                row.back() =
                    loops.toIndex(body, place, LoopBuilder::getElement(sorter),
                                  extent, /*negative=*/false);
              }
              Value element = scalars.convert(
                  readMasked(loops, body, table, row, mask, tableType),
                  tableType, in);
              row.pop_back();
              return right ? scalars.gt(element, value)
                           : scalars.ge(element, value);
            });
        Value wide = arith::IndexCastOp::create(b, body.loc, b.getI64Type(), at);
        return scalars.convert(wide, b.getI64Type(), type.getElementType());
      });
  if (!isKnown)
    return loops.refuse("a float that only the run knows");
  return loops.setReshaped(0, result);
}

//===----------------------------------------------------------------------===//
// Histograms
//===----------------------------------------------------------------------===//

/// Adds up what `compute` gives for each element of a row at its bin.
static Value countBins(LoopBuilder &loops, ExprAttr extent, ExprAttr bins,
                       Type type,
                       llvm::function_ref<Written(BodyContext)> compute) {
  Value zeros = loops.makeZeros(guard::makeTensorType(type, bins));
  return loops.makeScatter(zeros, extent, ScatterKind::Add, compute);
}

/// A reduction of a row to one element.
static View reduceRow(LoopBuilder &loops, const View &row, Type in,
                      ReductionKind kind) {
  Type element = LoopBuilder::getElement(row.base);
  return loops.getView(loops.makeReduce(
      TypeRange(guard::makeTensorType(in, {})), {}, row.dims, ArrayRef(kind),
      in, [&](BodyContext body, ScalarBuilder &scalars) -> SmallVector<Value> {
        return {scalars.convert(loops.readAt(body, row, body.indices), element,
                                in)};
      })[0]);
}

/// Integers, which PyTorch counts on a GPU alone, by divisions of integers.
static LogicalResult countIntegers(LoopBuilder &loops, const View &row,
                                   Type stored, int64_t bins, int64_t least,
                                   int64_t most) {
  Type i64 = IntegerType::get(loops.getContext(), 64);
  Value counts = countBins(
      loops, row.dims[0], loops.expr(bins), i64,
      [&](BodyContext body) -> Written {
        ScalarBuilder scalars(body.builder, body.loc, i64);
        auto constant = [&](int64_t value) { return scalars.constant(i64, value); };
        Value x =
            scalars.convert(loops.readAt(body, row, body.indices), stored, i64);
        Value isInside = scalars.logicalAnd(scalars.ge(x, constant(least)),
                                            scalars.le(x, constant(most)));
        Value above = scalars.where(isInside, scalars.sub(x, constant(least)),
                                    constant(0));
        Value bin = arith::DivSIOp::create(
            body.builder, body.loc, scalars.mul(above, constant(bins)),
            constant(most - least));
        Value at = loops.toIndex(body, scalars.min(bin, constant(bins - 1)), i64,
                                 loops.expr(bins), /*negative=*/false);
        return {{at}, constant(1), isInside};
      });
  return loops.setReshaped(0, loops.materialize(loops.getView(counts), stored));
}

LogicalResult loop::lowerHistogram(LoopBuilder &loops, aten::HistcOp op) {
  Value tensor = op.getSelf();
  View row = loops.asRow(loops.getView(tensor));
  Type stored = LoopBuilder::getElement(tensor);
  int64_t bins = op.getBins();
  auto getEnd = [](Value end) {
    return end ? LoopBuilder::getConstant(end) : std::optional<double>(0.0);
  };
  auto least = getEnd(op.getMin()), most = getEnd(op.getMax());
  // Beyond these an integer is no f64, or its product with the bins no i64.
  constexpr double kLargest = double(int64_t(1) << 31);
  if (isa<IntegerType>(stored) && !stored.isInteger(1) && bins >= 1 &&
      bins <= (1 << 20) && least && most && *least < *most &&
      std::floor(*least) == *least && std::floor(*most) == *most &&
      *least >= -kLargest && *most <= kLargest)
    return countIntegers(loops, row, stored, bins, int64_t(*least), int64_t(*most));
  if (!isa<FloatType>(stored) || bins < 1 || bins > (1 << 20) || !least ||
      !most || !(*least <= *most))
    return loops.refuse("the range has no kernel");
  MLIRContext *context = loops.getContext();
  Type f64 = Float64Type::get(context);
  // Without a range it is that of the elements, and one more on both sides
  // where these are all alike.
  View ends[2];
  if (*least == *most && !row.dims[0].isConstant(0)) {
    if (!guard::isKnownNonNegative(row.dims[0] - loops.expr(1),
                                   loops.getAssumptions()))
      return loops.refuse("it is not known that there is an element");
    ends[0] = reduceRow(loops, row, f64, ReductionKind::Min);
    ends[1] = reduceRow(loops, row, f64, ReductionKind::Max);
    loops.check({}, "range of values is not finite", [&](BodyContext body) {
      ScalarBuilder scalars(body.builder, body.loc, f64);
      Value width = scalars.sub(loops.read(body, ends[1], {}),
                                loops.read(body, ends[0], {}));
      return scalars.logicalNot(scalars.logicalOr(scalars.isNan(width),
                                                  scalars.isInf(width)));
    });
  } else if (*least == *most) {
    least = *least - 1;
    most = *most + 1;
  }
  auto getEnds = [&](BodyContext body) -> std::pair<Value, Value> {
    ScalarBuilder scalars(body.builder, body.loc, f64);
    if (!ends[0].base)
      return {scalars.constant(f64, *least), scalars.constant(f64, *most)};
    Value low = loops.read(body, ends[0], {});
    Value high = loops.read(body, ends[1], {});
    Value one = scalars.constant(f64, 1.0), same = scalars.eq(low, high);
    return {scalars.where(same, scalars.sub(low, one), low),
            scalars.where(same, scalars.add(high, one), high)};
  };
  // The edges between bins are numbers of the tensor's type.
  Value edges = loops.makePointwise(
      guard::makeTensorType(stored, loops.expr(bins + 1)), f64,
      [&](BodyContext body, ScalarBuilder &scalars) {
        auto [low, high] = getEnds(body);
        Value at = arith::IndexCastOp::create(
            body.builder, body.loc, body.builder.getI64Type(), body.indices[0]);
        Value share = scalars.mul(
            scalars.sub(high, low),
            scalars.convert(at, body.builder.getI64Type(), f64));
        return scalars.add(
            low, scalars.div(share, scalars.constant(f64, double(bins))));
      });
  if (!edges)
    return failure();
  View steps = loops.getView(edges);
  // Counted in integers, which 16-bit floats cannot count far in.
  Type i64 = IntegerType::get(context, 64);
  Value counts = countBins(
      loops, row.dims[0], loops.expr(bins), i64,
      [&](BodyContext body) -> Written {
        ScalarBuilder scalars(body.builder, body.loc, f64);
        ScalarBuilder integers(body.builder, body.loc, i64);
        Value x =
            scalars.convert(loops.readAt(body, row, body.indices), stored, f64);
        auto [low, high] = getEnds(body);
        Value isInside =
            scalars.logicalAnd(scalars.ge(x, low), scalars.le(x, high));
        Value after = searchRow(
            loops, body, loops.expr(bins + 1), [&](Value position, Value mask) {
              Value edge =
                  readMasked(loops, body, steps, position, mask, stored);
              return scalars.gt(scalars.convert(edge, stored, f64), x);
            });
        Value wide = toI64(body, after);
        Value bin = loops.toIndex(
            body, integers.sub(wide, integers.constant(i64, int64_t(1))), i64,
            loops.expr(bins), /*negative=*/false);
        return {{bin}, integers.constant(i64, int64_t(1)), isInside};
      });
  return loops.setReshaped(0, loops.materialize(loops.getView(counts), stored));
}

/// How often each number occurs, or the sum of its weights. The size is one
/// more than the largest number, or `minlength`.
LogicalResult loop::lowerBincount(LoopBuilder &loops, aten::BincountOp op) {
  Value tensor = op.getSelf();
  Value weights = op.getWeights();
  Type from = LoopBuilder::getElement(tensor);
  RankedTensorType type = loops.getResultType();
  if (loops.getView(tensor).dims.size() != 1 || type.getRank() != 1 ||
      !isa<IntegerType>(from) || from.isInteger(1))
    return loops.refuse("counting these numbers is an error");
  View row = loops.getView(tensor);
  ExprAttr extent = row.dims[0], bins = (*guard::getDims(type))[0];
  MLIRContext *context = loops.getContext();
  Type i64 = IntegerType::get(context, 64);
  Type stored = type.getElementType();
  if (weights && loops.getView(weights).dims != row.dims)
    return loops.refuse("the weights have other sizes");
  auto getNumber = [&](BodyContext body) {
    ScalarBuilder scalars(body.builder, body.loc, i64);
    return scalars.convert(loops.readAt(body, row, body.indices), from, i64);
  };
  loops.check(extent,
              "bincount only supports 1-d non-negative integral "
              "inputs.",
              [&](BodyContext body) {
                ScalarBuilder scalars(body.builder, body.loc, i64);
                return scalars.ge(getNumber(body),
                                  scalars.constant(i64, int64_t(0)));
              });
  if (loops.isFoundHere(bins)) {
    View most = reduceRow(loops, row, i64, ReductionKind::Max);
    ExprAttr length = op.getMinlengthAttr();
    Value size = loops.makePointwise(
        guard::makeTensorType(i64, {}), i64,
        [&](BodyContext body, ScalarBuilder &scalars) {
          Value needed =
              scalars.add(scalars.max(loops.read(body, most, {}),
                                      scalars.constant(i64, int64_t(-1))),
                          scalars.constant(i64, int64_t(1)));
          Value wanted = scalars.constant(i64, int64_t(0));
          if (length)
            wanted = arith::IndexCastOp::create(body.builder, body.loc, i64,
                                                loops.index(body, length));
          return scalars.max(needed, wanted);
        });
    loops.defineSymbol(bins, size);
  } else {
    loops.check(extent, "a number is larger than the recorded size",
                [&](BodyContext body) -> Value {
                  ScalarBuilder scalars(body.builder, body.loc, i64);
                  Value limit = arith::IndexCastOp::create(
                      body.builder, body.loc, i64, loops.index(body, bins));
                  return scalars.lt(getNumber(body), limit);
                });
  }
  Type acc = isa<FloatType>(stored) ? Type(Float64Type::get(context)) : stored;
  Value counts =
      countBins(loops, extent, bins, acc, [&](BodyContext body) -> Written {
        ScalarBuilder scalars(body.builder, body.loc, acc);
        Value bin = loops.toIndex(body, getNumber(body), i64, bins,
                                  /*negative=*/false);
        Value value = scalars.constant(acc, int64_t(1));
        if (weights)
          value = scalars.convert(
              loops.readAt(body, loops.getView(weights), body.indices),
              LoopBuilder::getElement(weights), acc);
        return {{bin}, value, Value()};
      });
  return loops.setReshaped(0, loops.materialize(loops.getView(counts), stored));
}

LogicalResult loop::lowerBucketize(LoopBuilder &loops,
                                   aten::BucketizeTensorOp op) {
  return findPlaces(loops, op.getBoundaries(), op.getSelf(), op.getRight(), {});
}

LogicalResult loop::lowerSearchSorted(LoopBuilder &loops,
                                      aten::SearchsortedTensorOp op) {
  StringRef side = op.getSide().value_or("");
  bool right = op.getRight();
  if (side == "left" && right)
    return loops.refuse("side and right contradict each other");
  return findPlaces(loops, op.getSortedSequence(), op.getSelf(),
                    right || side == "right", op.getSorter());
}
