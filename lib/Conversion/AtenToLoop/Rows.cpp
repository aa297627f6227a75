//===- Rows.cpp - Running values, sorting, selection ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators along one dimension of a tensor: a scan, or a sort and what is then
// read at the sorted positions.
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

namespace {

/// The rows of a tensor along a dimension. A body over them has one index for
/// each other dimension and then the position in the row.
struct Rows {
  View self;
  Type element;
  int64_t dim;
  Exprs parallel;
  guard::ExprAttr extent;

  Rows(Converter &converter, Value tensor, int64_t dimension)
      : self(converter.getAtLeastRow(tensor)),
        element(Converter::getElement(tensor)),
        dim(dimension), parallel(self.dims) {
    dim = dim < 0 ? dim + int64_t(self.dims.size()) : dim;
    extent = self.dims[dim];
    parallel.erase(parallel.begin() + dim);
  }

  /// The index into the tensor of element `position` of the row of a body.
  SmallVector<Value> at(BodyContext body, Value position) const {
    SmallVector<Value> index(body.indices.take_front(parallel.size()));
    index.insert(index.begin() + dim, position);
    return index;
  }
};

} // namespace

static BodyContext getBody(Region &region, OpBuilder &inner, Location loc) {
  inner.setInsertionPointToEnd(&region.front());
  return {inner, loc, region.getArguments()};
}

static Value toI64(BodyContext body, Value index) {
  return arith::IndexCastOp::create(body.builder, body.loc,
                                    body.builder.getI64Type(), index);
}
static Value fromI64(BodyContext body, Value value) {
  return arith::IndexCastOp::create(body.builder, body.loc,
                                    body.builder.getIndexType(), value);
}

//===----------------------------------------------------------------------===//
// Running values
//===----------------------------------------------------------------------===//

using Kinds = ArrayRef<ReductionKind>;

/// A scan of `rows` with results of `types`; `compute` gives what is joined.
static ScanOp
makeScan(Converter &converter, const Rows &rows, ArrayRef<Type> types,
         ValueRange inits, Kinds kinds,
         llvm::function_ref<SmallVector<Value>(BodyContext, Value)> compute) {
  SmallVector<Type> tensors;
  for (Type type : types)
    tensors.push_back(guard::makeTensorType(type, rows.self.dims));
  auto scan = ScanOp::create(converter.getBuilder(), converter.getLoc(),
                             tensors, inits, rows.parallel, rows.extent,
                             rows.dim, kinds, converter.getOrigins());
  OpBuilder inner(converter.getContext());
  BodyContext body = getBody(scan.getBody(), inner, converter.getLoc());
  Value element = converter.readAt(body, rows.self,
                                   rows.at(body, body.indices.back()));
  YieldOp::create(inner, body.loc, compute(body, element));
  return scan;
}

/// The combiner of a scan: gets the accumulators and what is joined with them.
static void addCombiner(
    ScanOp scan,
    llvm::function_ref<SmallVector<Value>(OpBuilder &, ValueRange left,
                                          ValueRange right)>
        combine) {
  SmallVector<Type> types = Accumulation(scan).getTypes();
  size_t count = types.size();
  types.append(types.begin(), types.begin() + count);
  OpBuilder inner(scan.getContext());
  Block *block = inner.createBlock(
      &scan.getCombiner(), {}, types,
      SmallVector<Location>(types.size(), scan.getLoc()));
  ValueRange values = block->getArguments();
  YieldOp::create(
      inner, scan.getLoc(),
      combine(inner, values.take_front(count), values.drop_front(count)));
}

static LogicalResult lowerSums(Converter &converter, bool isProduct) {
  Rows rows(converter, converter.getTensor("self"), converter.getInt("dim"));
  Type stored = converter.getResultType().getElementType();
  // Sums of f32 accumulate in f64, as eager's do.
  Type acc = stored.isF32() ? Type(Float64Type::get(converter.getContext()))
                            : getBodyType(Converter::getComputeType(stored));
  ReductionKind kind = isProduct ? ReductionKind::Prod : ReductionKind::Sum;
  if (stored.isInteger(1))
    kind = isProduct ? ReductionKind::All : ReductionKind::Any;
  auto scan = makeScan(
      converter, rows, stored, {}, kind,
      [&](BodyContext body, Value x) -> SmallVector<Value> {
        ScalarBuilder scalars(body.builder, body.loc, acc);
        return {scalars.convert(scalars.convert(x, rows.element, stored),
                                stored, acc)};
      });
  return converter.setReshaped(0, scan.getResult(0));
}

/// The last of equal extremes is reported; NaN stays.
static LogicalResult lowerExtremes(Converter &converter, bool isMax) {
  Rows rows(converter, converter.getTensor("self"), converter.getInt("dim"));
  Type in = Converter::getComputeType(rows.element);
  Type i64 = IntegerType::get(converter.getContext(), 64);
  ScalarBuilder outside(converter.getBuilder(), converter.getLoc(), in);
  Value worst;
  if (isa<FloatType>(in)) {
    double infinity = std::numeric_limits<double>::infinity();
    worst = outside.constant(in, isMax ? -infinity : infinity);
  } else {
    unsigned width = in.getIntOrFloatBitWidth();
    bool isPlain = in.isUnsignedInteger() || width == 1;
    APInt low = isPlain ? APInt::getMinValue(width)
                        : APInt::getSignedMinValue(width);
    APInt high = isPlain ? APInt::getMaxValue(width)
                         : APInt::getSignedMaxValue(width);
    worst = outside.constant(in, (isMax ? low : high).getSExtValue());
  }
  Value first = outside.constant(i64, int64_t(0));
  auto scan = makeScan(
      converter, rows, {rows.element, i64}, {worst, first},
      ReductionKind::Generic,
      [&](BodyContext body, Value x) -> SmallVector<Value> {
        ScalarBuilder scalars(body.builder, body.loc, in);
        return {scalars.convert(x, rows.element, in),
                toI64(body, body.indices.back())};
      });
  addCombiner(scan, [&](OpBuilder &builder, ValueRange left, ValueRange right)
                        -> SmallVector<Value> {
    ScalarBuilder scalars(builder, scan.getLoc(), in);
    Value replaces = isMax ? scalars.ge(right[0], left[0])
                           : scalars.le(right[0], left[0]);
    if (isa<FloatType>(in))
      replaces = scalars.logicalOr(replaces, scalars.isNan(right[0]));
    return {scalars.where(replaces, right[0], left[0]),
            scalars.where(replaces, right[1], left[1])};
  });
  (void)converter.setReshaped(0, scan.getResult(0));
  return converter.setReshaped(1, scan.getResult(1));
}

static LogicalResult lowerLogSums(Converter &converter) {
  Rows rows(converter, converter.getTensor("self"), converter.getInt("dim"));
  Type acc = rows.element.isF32() ? Type(Float64Type::get(converter.getContext()))
                                  : Converter::getComputeType(rows.element);
  double infinity = std::numeric_limits<double>::infinity();
  ScalarBuilder outside(converter.getBuilder(), converter.getLoc(), acc);
  Value nothing = outside.constant(acc, -infinity);
  auto scan =
      makeScan(converter, rows, rows.element, nothing, ReductionKind::Generic,
               [&](BodyContext body, Value x) -> SmallVector<Value> {
                 ScalarBuilder scalars(body.builder, body.loc, acc);
                 return {scalars.convert(x, rows.element, acc)};
               });
  addCombiner(scan, [&](OpBuilder &builder, ValueRange left, ValueRange right)
                        -> SmallVector<Value> {
    ScalarBuilder scalars(builder, scan.getLoc(), acc);
    Value low = scalars.min(left[0], right[0]);
    Value high = scalars.max(left[0], right[0]);
    Value sum = scalars.add(high,
                            scalars.log1p(scalars.exp(scalars.sub(low, high))));
    // Two equal infinities have no difference.
    Value same = scalars.logicalAnd(scalars.eq(low, high), scalars.isInf(low));
    return {scalars.where(same, low, sum)};
  });
  return converter.setReshaped(0, scan.getResult(0));
}

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

Value loop::makeSortKey(BodyContext body, Value value, Type element,
                        bool descending) {
  OpBuilder &b = body.builder;
  Type type = value.getType();
  auto number = [&](APInt bits) -> Value {
    return arith::ConstantOp::create(
        b, body.loc,
        b.getIntegerAttr(b.getIntegerType(bits.getBitWidth()), bits));
  };
  Value key = value;
  if (isa<FloatType>(type)) {
    ScalarBuilder scalars(b, body.loc, Converter::getComputeType(type));
    value = scalars.convert(value, type, scalars.getType());
    unsigned width = value.getType().getIntOrFloatBitWidth();
    Value bits = arith::BitcastOp::create(b, body.loc, b.getIntegerType(width),
                                          value);
    // Below zero the larger magnitude is the lesser number.
    Value sign = arith::ShRSIOp::create(b, body.loc, bits,
                                        number(APInt(width, width - 1)));
    Value flips = arith::AndIOp::create(b, body.loc, sign,
                                        number(APInt::getSignedMaxValue(width)));
    key = arith::XOrIOp::create(b, body.loc, bits, flips);
    Value zero = scalars.constant(scalars.getType(), 0.0);
    key = arith::SelectOp::create(b, body.loc, scalars.eq(value, zero),
                                  number(APInt(width, 0)), key);
    key = arith::SelectOp::create(b, body.loc, scalars.isNan(value),
                                  number(APInt::getSignedMaxValue(width)), key);
  } else if (type.isInteger(1) || element.isUnsignedInteger()) {
    unsigned width = type.getIntOrFloatBitWidth();
    if (width == 64)
      key = arith::XOrIOp::create(b, body.loc, value,
                                  number(APInt::getSignedMinValue(64)));
    else
      key = arith::ExtUIOp::create(
          b, body.loc, b.getIntegerType(std::max(16u, 2 * width)), value);
  }
  if (!descending)
    return key;
  return arith::XOrIOp::create(
      b, body.loc, key,
      number(APInt::getAllOnes(key.getType().getIntOrFloatBitWidth())));
}

/// The positions of the elements of each row in sorted order.
static Value makeSort(Converter &converter, const Rows &rows,
                      bool descending) {
  Type i64 = IntegerType::get(converter.getContext(), 64);
  auto sort = SortOp::create(converter.getBuilder(), converter.getLoc(),
                             guard::makeTensorType(i64, rows.self.dims),
                             rows.parallel, rows.extent, rows.dim,
                             converter.getOrigins());
  OpBuilder inner(converter.getContext());
  BodyContext body = getBody(sort.getBody(), inner, converter.getLoc());
  Value element = converter.readAt(body, rows.self,
                                   rows.at(body, body.indices.back()));
  YieldOp::create(inner, body.loc,
                  makeSortKey(body, element, rows.element, descending));
  return sort.getResult();
}

/// The elements of `rows` at the first positions of `order`, as many as result
/// `i` has.
static LogicalResult readInOrder(Converter &converter, const Rows &rows,
                                 Value order, unsigned i) {
  RankedTensorType type = converter.getResultType(i);
  Exprs dims = *guard::getDims(type);
  if (dims.empty())
    dims.push_back(converter.expr(1));
  View positions = converter.getView(order);
  Value values = converter.makePointwise(
      guard::makeTensorType(type.getElementType(), dims), rows.element,
      [&](BodyContext body, ScalarBuilder &) {
        SmallVector<Value> index(body.indices);
        index[rows.dim] =
            fromI64(body, converter.readAt(body, positions, body.indices));
        return converter.readAt(body, rows.self, index);
      });
  return converter.setReshaped(i, values);
}

static LogicalResult lowerSorted(Converter &converter, bool withValues) {
  aten::ArgValue dim = converter.getArg("dim");
  Rows rows(converter, converter.getTensor("self"),
            dim.isNone() ? -1 : converter.getInt("dim"));
  Value order = makeSort(converter, rows, converter.getBool("descending"));
  (void)converter.setReshaped(withValues, order);
  return withValues ? readInOrder(converter, rows, order, 0) : success();
}

LogicalResult loop::lowerTopk(Converter &converter) {
  aten::ArgValue dim = converter.getArg("dim"),
                 largest = converter.getArg("largest");
  Rows rows(converter, converter.getTensor("self"),
            dim.isNone() ? -1 : converter.getInt("dim"));
  if (getBodyType(rows.element).isInteger(1))
    return converter.refuse("the largest of bools are an error");
  bool descending = largest.isNone() || converter.getBool("largest");
  Exprs dims = *guard::getDims(converter.getResultType());
  guard::ExprAttr count = dims.empty() ? converter.expr(1) : dims[rows.dim];
  if (!guard::isKnownNonNegative(rows.extent - count,
                                 converter.getAssumptions()))
    return converter.refuse("it is not known that so many elements exist");
  Value order = makeSort(converter, rows, descending);
  View positions = converter.getView(order);
  if (dims.empty()) {
    (void)converter.setReshaped(1, order);
  } else {
    positions.dims = dims;
    converter.setView(converter.getResult(1), positions);
  }
  return readInOrder(converter, rows, order, 0);
}

//===----------------------------------------------------------------------===//
// One element of each row
//===----------------------------------------------------------------------===//

/// Results: the element at the place `choose` gives of the sorted row, and its
/// position.
static LogicalResult
pick(Converter &converter, const Rows &rows, Value order,
     llvm::function_ref<Value(BodyContext)> choose) {
  Type i64 = IntegerType::get(converter.getContext(), 64);
  View places = converter.getView(order);
  Value position = converter.makePointwise(
      guard::makeTensorType(i64, rows.parallel), i64,
      [&](BodyContext body, ScalarBuilder &) {
        return converter.readAt(body, places, rows.at(body, choose(body)));
      });
  if (!position)
    return failure();
  View positions = converter.getView(position);
  Value value = converter.makePointwise(
      guard::makeTensorType(rows.element, rows.parallel), rows.element,
      [&](BodyContext body, ScalarBuilder &) {
        Value at = converter.readAt(body, positions, body.indices);
        return converter.readAt(body, rows.self,
                                rows.at(body, fromI64(body, at)));
      });
  if (failed(converter.setReshaped(0, value)))
    return failure();
  return converter.setReshaped(1, position);
}

/// True if every row has an element.
static bool isNeverEmpty(Converter &converter, const Rows &rows) {
  return guard::isKnownNonNegative(rows.extent - converter.expr(1),
                                   converter.getAssumptions());
}

LogicalResult loop::lowerKthValue(Converter &converter) {
  aten::ArgValue dim = converter.getArg("dim");
  Rows rows(converter, converter.getTensor("self"),
            dim.isNone() ? -1 : converter.getInt("dim"));
  guard::ExprAttr place = converter.getExpr("k") - converter.expr(1);
  const guard::Assumptions &assumptions = converter.getAssumptions();
  if (!guard::isKnownNonNegative(place, assumptions) ||
      !guard::isKnownLess(place, rows.extent, assumptions))
    return converter.refuse("it is not known that the element exists");
  Value order = makeSort(converter, rows, /*descending=*/false);
  return pick(converter, rows, order, [&](BodyContext body) {
    return converter.index(body, place);
  });
}

/// A reduction of `rows` to one i64 each.
static Value countRows(Converter &converter, const Rows &rows,
                       llvm::function_ref<Value(BodyContext)> compute) {
  Type i64 = IntegerType::get(converter.getContext(), 64);
  auto nest = ReduceOp::create(
      converter.getBuilder(), converter.getLoc(),
      TypeRange{guard::makeTensorType(i64, rows.parallel)}, rows.parallel,
      Exprs{rows.extent}, ReductionKind::Sum, converter.getOrigins());
  OpBuilder inner(converter.getContext());
  BodyContext body = getBody(nest.getBody(), inner, converter.getLoc());
  YieldOp::create(inner, body.loc, compute(body));
  return nest.getResult(0);
}

/// The lower of two middle values. A NaN wins, the first of several; NaNs stand
/// last in the order.
LogicalResult loop::lowerMedian(Converter &converter) {
  Rows rows(converter, converter.getTensor("self"), converter.getInt("dim"));
  if (!isNeverEmpty(converter, rows))
    return converter.refuse("it is not known that there is an element");
  Value order = makeSort(converter, rows, /*descending=*/false);
  guard::ExprAttr middle =
      guard::floorDiv(rows.extent - converter.expr(1), converter.expr(2));
  if (!isa<FloatType>(rows.element))
    return pick(converter, rows, order, [&](BodyContext body) {
      return converter.index(body, middle);
    });
  Type i64 = IntegerType::get(converter.getContext(), 64);
  View missing = converter.getView(
      countRows(converter, rows, [&](BodyContext body) -> Value {
        Value x = converter.readAt(body, rows.self,
                                   rows.at(body, body.indices.back()));
        ScalarBuilder scalars(body.builder, body.loc, i64);
        return scalars.convert(scalars.isNan(x), body.builder.getI1Type(), i64);
      }));
  return pick(converter, rows, order, [&](BodyContext body) -> Value {
    ScalarBuilder scalars(body.builder, body.loc, i64);
    Value count = converter.readAt(body, missing, body.indices);
    Value none = scalars.eq(count, scalars.constant(i64, int64_t(0)));
    Value extent = toI64(body, converter.index(body, rows.extent));
    Value usual = toI64(body, converter.index(body, middle));
    return fromI64(body,
                   scalars.where(none, usual, scalars.sub(extent, count)));
  });
}

/// The most frequent value, the smallest of several, at its last position.
LogicalResult loop::lowerMode(Converter &converter) {
  aten::ArgValue dim = converter.getArg("dim");
  Rows rows(converter, converter.getTensor("self"),
            dim.isNone() ? -1 : converter.getInt("dim"));
  if (!isNeverEmpty(converter, rows))
    return converter.refuse("it is not known that there is an element");
  View order =
      converter.getView(makeSort(converter, rows, /*descending=*/false));
  Type i64 = IntegerType::get(converter.getContext(), 64);
  OpBuilder &outside = converter.getBuilder();
  Location loc = converter.getLoc();
  Value zero = ScalarBuilder(outside, loc, i64).constant(i64, int64_t(0));

  // How many equal elements end at each place of the order.
  auto runs = ScanOp::create(
      outside, loc, TypeRange{guard::makeTensorType(i64, rows.self.dims)},
      zero, rows.parallel, rows.extent, rows.dim, ReductionKind::Generic,
      converter.getOrigins());
  {
    OpBuilder inner(converter.getContext());
    BodyContext body = getBody(runs.getBody(), inner, loc);
    Type in = Converter::getComputeType(rows.element);
    ScalarBuilder scalars(inner, loc, in), integers(inner, loc, i64);
    auto elementAt = [&](Value place) {
      Value at = converter.readAt(body, order, rows.at(body, place));
      return scalars.convert(
          converter.readAt(body, rows.self, rows.at(body, fromI64(body, at))),
          rows.element, in);
    };
    Value place = body.indices.back();
    Value none = integers.constant(inner.getIndexType(), int64_t(0));
    Value one = integers.constant(inner.getIndexType(), int64_t(1));
    Value isFirst = arith::CmpIOp::create(
        inner, loc, arith::CmpIPredicate::eq, place, none);
    Value before = arith::MaxSIOp::create(
        inner, loc, arith::SubIOp::create(inner, loc, place, one), none);
    Value same = scalars.logicalAnd(
        scalars.logicalNot(isFirst),
        scalars.eq(elementAt(place), elementAt(before)));
    YieldOp::create(inner, loc,
                    integers.convert(same, inner.getI1Type(), i64));
  }
  addCombiner(runs, [&](OpBuilder &builder, ValueRange left, ValueRange right)
                        -> SmallVector<Value> {
    ScalarBuilder scalars(builder, loc, i64);
    Value one = scalars.constant(i64, int64_t(1));
    return {scalars.add(scalars.mul(left[0], right[0]), one)};
  });

  View lengths = converter.getView(runs.getResult(0));
  Type best = guard::makeTensorType(i64, rows.parallel);
  auto longest = ReduceOp::create(
      outside, loc, TypeRange{best, best}, rows.parallel, Exprs{rows.extent},
      ReductionKind::ArgMax, converter.getOrigins());
  {
    OpBuilder inner(converter.getContext());
    BodyContext body = getBody(longest.getBody(), inner, loc);
    Value place = body.indices.back();
    Value length = converter.readAt(body, lengths, rows.at(body, place));
    YieldOp::create(inner, loc, ValueRange{length, toI64(body, place)});
  }
  View chosen = converter.getView(longest.getResult(1));
  return pick(converter, rows, order.base, [&](BodyContext body) {
    return fromI64(body, converter.readAt(body, chosen, body.indices));
  });
}

LogicalResult loop::lowerCumsum(Converter &converter) {
  return lowerSums(converter, /*isProduct=*/false);
}

LogicalResult loop::lowerCumprod(Converter &converter) {
  return lowerSums(converter, /*isProduct=*/true);
}

LogicalResult loop::lowerCummax(Converter &converter) {
  return lowerExtremes(converter, /*isMax=*/true);
}

LogicalResult loop::lowerCummin(Converter &converter) {
  return lowerExtremes(converter, /*isMax=*/false);
}

LogicalResult loop::lowerLogcumsumexp(Converter &converter) {
  if (!isa<FloatType>(converter.getResultType().getElementType()))
    return converter.refuse("integers have no logarithm");
  return lowerLogSums(converter);
}

LogicalResult loop::lowerSort(Converter &converter) {
  return lowerSorted(converter, /*withValues=*/true);
}

LogicalResult loop::lowerArgsort(Converter &converter) {
  return lowerSorted(converter, /*withValues=*/false);
}
