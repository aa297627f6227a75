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

#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "Selection.h"

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

  Rows(LoopBuilder &loops, const RowArgs &args)
      : self(loops.getAtLeastRow(args.self)),
        element(LoopBuilder::getElement(args.self)),
        dim(wrapDim(args.dim.value_or(-1), self.dims.size())),
        parallel(self.dims) {
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

//===----------------------------------------------------------------------===//
// Running values
//===----------------------------------------------------------------------===//

using Kinds = ArrayRef<ReductionKind>;

/// A scan of `rows` with results of `types`; `compute` gives what is joined.
static ScanOp
makeScan(LoopBuilder &loops, const Rows &rows, ArrayRef<Type> types,
         ValueRange inits, Kinds kinds,
         llvm::function_ref<SmallVector<Value>(BodyContext, Value)> compute) {
  SmallVector<Type> tensors;
  for (Type type : types)
    tensors.push_back(guard::makeTensorType(type, rows.self.dims));
  return loops.makeScan(
      tensors, inits, rows.parallel, rows.extent, rows.dim, kinds,
      [&](BodyContext body) {
        SmallVector<Value> index = rows.at(body, body.indices.back());
        return compute(body, loops.readAt(body, rows.self, index));
      });
}

static LogicalResult lowerSums(LoopBuilder &loops, const RowArgs &args,
                               bool isProduct) {
  Rows rows(loops, args);
  Type stored = loops.getResultType().getElementType();
  // Sums of f32 accumulate in f64, as eager's do.
  Type acc = stored.isF32() ? Type(Float64Type::get(loops.getContext()))
                            : getBodyType(LoopBuilder::getComputeType(stored));
  ReductionKind kind = isProduct ? ReductionKind::Prod : ReductionKind::Sum;
  if (stored.isInteger(1))
    kind = isProduct ? ReductionKind::All : ReductionKind::Any;
  auto scan = makeScan(
      loops, rows, stored, {}, kind,
      [&](BodyContext body, Value x) -> SmallVector<Value> {
        ScalarBuilder scalars(body.builder, body.loc, acc);
        return {scalars.convert(scalars.convert(x, rows.element, stored),
                                stored, acc)};
      });
  return scan ? loops.setReshaped(0, scan.getResult(0)) : failure();
}

/// The last of equal extremes is reported; NaN stays. Where nobody asks for positions there
/// is a kind for them, of which vectors are joined.
static LogicalResult lowerExtremes(LoopBuilder &loops, const RowArgs &args,
                                   bool isMax) {
  Rows rows(loops, args);
  Type in = LoopBuilder::getComputeType(rows.element);
  if (isa<FloatType>(rows.element) && loops.isUnused(1)) {
    auto scan = makeScan(
        loops, rows, rows.element, {},
        isMax ? ReductionKind::Max : ReductionKind::Min,
        [&](BodyContext body, Value x) -> SmallVector<Value> {
          ScalarBuilder scalars(body.builder, body.loc, in);
          return {scalars.convert(x, rows.element, in)};
        });
    return scan ? loops.setReshaped(0, scan.getResult(0)) : failure();
  }
  Type i64 = IntegerType::get(loops.getContext(), 64);
  ScalarBuilder outside(loops.getBuilder(), loops.getLoc(), in);
  Value worst =
      outside.neutral(isMax ? ReductionKind::Max : ReductionKind::Min, in);
  Value first = outside.constant(i64, int64_t(0));
  auto scan = makeScan(
      loops, rows, {rows.element, i64}, {worst, first}, ReductionKind::Generic,
      [&](BodyContext body, Value x) -> SmallVector<Value> {
        ScalarBuilder scalars(body.builder, body.loc, in);
        return {scalars.convert(x, rows.element, in),
                toI64(body, body.indices.back())};
      });
  auto combine = [&](OpBuilder &builder, ValueRange left,
                     ValueRange right) -> SmallVector<Value> {
    ScalarBuilder scalars(builder, loops.getLoc(), in);
    Value replaces = isMax ? scalars.ge(right[0], left[0])
                           : scalars.le(right[0], left[0]);
    if (isa<FloatType>(in))
      replaces = scalars.logicalOr(replaces, scalars.isNan(right[0]));
    return {scalars.where(replaces, right[0], left[0]),
            scalars.where(replaces, right[1], left[1])};
  };
  if (!scan || failed(loops.addCombiner(scan, combine)))
    return failure();
  (void)loops.setReshaped(0, scan.getResult(0));
  return loops.setReshaped(1, scan.getResult(1));
}

static LogicalResult lowerLogSums(LoopBuilder &loops, const RowArgs &args) {
  Rows rows(loops, args);
  Type acc = rows.element.isF32() ? Type(Float64Type::get(loops.getContext()))
                                  : LoopBuilder::getComputeType(rows.element);
  double infinity = std::numeric_limits<double>::infinity();
  ScalarBuilder outside(loops.getBuilder(), loops.getLoc(), acc);
  Value nothing = outside.constant(acc, -infinity);
  auto scan =
      makeScan(loops, rows, rows.element, nothing, ReductionKind::Generic,
               [&](BodyContext body, Value x) -> SmallVector<Value> {
                 ScalarBuilder scalars(body.builder, body.loc, acc);
                 return {scalars.convert(x, rows.element, acc)};
               });
  auto combine = [&](OpBuilder &builder, ValueRange left,
                     ValueRange right) -> SmallVector<Value> {
    ScalarBuilder scalars(builder, loops.getLoc(), acc);
    Value low = scalars.min(left[0], right[0]);
    Value high = scalars.max(left[0], right[0]);
    Value sum =
        scalars.add(high, scalars.log1p(scalars.exp(scalars.sub(low, high))));
    // Two equal infinities have no difference.
    Value same = scalars.logicalAnd(scalars.eq(low, high), scalars.isInf(low));
    return {scalars.where(same, low, sum)};
  };
  if (!scan || failed(loops.addCombiner(scan, combine)))
    return failure();
  return loops.setReshaped(0, scan.getResult(0));
}

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

/// What the element at a position of a row is sorted by.
static Value getKey(LoopBuilder &loops, const Rows &rows, BodyContext body,
                    bool descending) {
  Value element =
      loops.readAt(body, rows.self, rows.at(body, body.indices.back()));
  return makeSortKey(body, element, rows.element, descending);
}

/// The positions of the elements of each row in sorted order, of the first
/// `kept` or of all.
static Value makeSort(LoopBuilder &loops, const Rows &rows, bool descending,
                      guard::ExprAttr kept = {}) {
  Exprs dims(rows.self.dims);
  if (kept)
    dims[rows.dim] = kept;
  return loops.makeSort(dims, rows.parallel, rows.extent, rows.dim,
                        [&](BodyContext body) -> SmallVector<Value> {
                          return {getKey(loops, rows, body, descending)};
                        });
}

/// The elements of `rows` at the first positions of `order`, as many as result
/// `i` has.
static LogicalResult readInOrder(LoopBuilder &loops, const Rows &rows,
                                 Value order, unsigned i) {
  RankedTensorType type = loops.getResultType(i);
  Exprs dims = *guard::getDims(type);
  if (dims.empty())
    dims.push_back(loops.expr(1));
  View positions = loops.getView(order);
  Value values = loops.makePointwise(
      guard::makeTensorType(type.getElementType(), dims), rows.element,
      [&](BodyContext body, ScalarBuilder &) {
        SmallVector<Value> index(body.indices);
        index[rows.dim] =
            fromI64(body, loops.readAt(body, positions, body.indices));
        return loops.readAt(body, rows.self, index);
      });
  return loops.setReshaped(i, values);
}

static LogicalResult lowerSorted(LoopBuilder &loops, const RowArgs &args,
                                 bool withValues) {
  Rows rows(loops, args);
  Value order = makeSort(loops, rows, args.descending.value_or(false));
  if (failed(loops.setReshaped(withValues, order)))
    return failure();
  return withValues ? readInOrder(loops, rows, order, 0) : success();
}

LogicalResult loop::lowerTopk(LoopBuilder &loops, const RowArgs &args) {
  Rows rows(loops, args);
  if (getBodyType(rows.element).isInteger(1))
    return loops.refuse("the largest of bools are an error");
  bool descending = args.largest.value_or(true);
  Exprs dims = *guard::getDims(loops.getResultType());
  guard::ExprAttr count = dims.empty() ? loops.expr(1) : dims[rows.dim];
  if (!guard::isKnownNonNegative(rows.extent - count, loops.getAssumptions()))
    return loops.refuse("it is not known that so many elements exist");
  // One element is an extremum; but a NaN is behind all numbers here, and wins
  // there.
  if (count.isConstant(1) && !dims.empty() &&
      (descending || !isa<FloatType>(rows.element)))
    return lowerArg(loops, args.self, rows.dim, /*isMax=*/descending,
                    /*withValues=*/true);
  Value order = makeSort(loops, rows, descending, count);
  if (!order || failed(loops.setReshaped(1, order)))
    return failure();
  return readInOrder(loops, rows, order, 0);
}

//===----------------------------------------------------------------------===//
// One element of each row
//===----------------------------------------------------------------------===//

/// Results: the element at the place `choose` gives of the sorted row, and its
/// position.
static LogicalResult pick(LoopBuilder &loops, const Rows &rows, Value order,
                          llvm::function_ref<Value(BodyContext)> choose) {
  Type i64 = IntegerType::get(loops.getContext(), 64);
  View places = loops.getView(order);
  Value position = loops.makePointwise(
      guard::makeTensorType(i64, rows.parallel), i64,
      [&](BodyContext body, ScalarBuilder &) {
        return loops.readAt(body, places, rows.at(body, choose(body)));
      });
  if (!position)
    return failure();
  View positions = loops.getView(position);
  Value value = loops.makePointwise(
      guard::makeTensorType(rows.element, rows.parallel), rows.element,
      [&](BodyContext body, ScalarBuilder &) {
        Value at = loops.readAt(body, positions, body.indices);
        return loops.readAt(body, rows.self, rows.at(body, fromI64(body, at)));
      });
  if (failed(loops.setReshaped(0, value)))
    return failure();
  return loops.setReshaped(1, position);
}

/// True if every row has an element.
static bool isNeverEmpty(LoopBuilder &loops, const Rows &rows) {
  return guard::isKnownNonNegative(rows.extent - loops.expr(1),
                                   loops.getAssumptions());
}

LogicalResult loop::lowerKthValue(LoopBuilder &loops, const RowArgs &args) {
  Rows rows(loops, args);
  guard::ExprAttr place = args.k - loops.expr(1);
  const guard::Assumptions &assumptions = loops.getAssumptions();
  if (!guard::isKnownNonNegative(place, assumptions) ||
      !guard::isKnownLess(place, rows.extent, assumptions))
    return loops.refuse("it is not known that the element exists");
  Value order = makeSort(loops, rows, /*descending=*/false, args.k);
  return pick(loops, rows, order,
              [&](BodyContext body) { return loops.index(body, place); });
}

/// The lower of two middle values. A NaN wins, the first of several; NaNs stand
/// last in the order.
LogicalResult loop::lowerMedian(LoopBuilder &loops, const RowArgs &args) {
  Rows rows(loops, args);
  if (!isNeverEmpty(loops, rows))
    return loops.refuse("it is not known that there is an element");
  Value order = makeSort(loops, rows, /*descending=*/false);
  guard::ExprAttr middle =
      guard::floorDiv(rows.extent - loops.expr(1), loops.expr(2));
  if (!isa<FloatType>(rows.element))
    return pick(loops, rows, order,
                [&](BodyContext body) { return loops.index(body, middle); });
  Type i64 = IntegerType::get(loops.getContext(), 64);
  View missing = loops.getView(loops.makeReduce(
      TypeRange(guard::makeTensorType(i64, rows.parallel)), rows.parallel,
      rows.extent, ReductionKind::Sum, i64,
      [&](BodyContext body, ScalarBuilder &scalars) -> SmallVector<Value> {
        Value x =
            loops.readAt(body, rows.self, rows.at(body, body.indices.back()));
        return {
            scalars.convert(scalars.isNan(x), body.builder.getI1Type(), i64)};
      })[0]);
  return pick(loops, rows, order, [&](BodyContext body) -> Value {
    ScalarBuilder scalars(body.builder, body.loc, i64);
    Value count = loops.readAt(body, missing, body.indices);
    Value none = scalars.eq(count, scalars.constant(i64, int64_t(0)));
    Value extent = toI64(body, loops.index(body, rows.extent));
    Value usual = toI64(body, loops.index(body, middle));
    return fromI64(body,
                   scalars.where(none, usual, scalars.sub(extent, count)));
  });
}

/// The place in the order where the equal elements that end at each place begin; null if
/// refused.
static Value findRuns(LoopBuilder &loops, const Rows &rows, const View &order) {
  Type i64 = IntegerType::get(loops.getContext(), 64);
  ScanOp runs = loops.makeScan(
      TypeRange(guard::makeTensorType(i64, rows.self.dims)), {}, rows.parallel,
      rows.extent, rows.dim, ReductionKind::Max,
      [&](BodyContext body) -> SmallVector<Value> {
        OpBuilder &inner = body.builder;
        Location loc = body.loc;
        Type in = LoopBuilder::getComputeType(rows.element);
        ScalarBuilder scalars(inner, loc, in), integers(inner, loc, i64);
        auto elementAt = [&](Value place) {
          Value at = loops.readAt(body, order, rows.at(body, place));
          return scalars.convert(
              loops.readAt(body, rows.self, rows.at(body, fromI64(body, at))),
              rows.element, in);
        };
        Value place = body.indices.back();
        auto [isFirst, before] = getNeighbour(body, place);
        Value same =
            scalars.logicalAnd(scalars.logicalNot(isFirst),
                               scalars.eq(elementAt(place), elementAt(before)));
        return {integers.where(same, integers.constant(i64, int64_t(0)),
                               toI64(body, place))};
      });
  return runs ? runs.getResult(0) : Value();
}

/// The most frequent value, the smallest of several, at its last position.
LogicalResult loop::lowerMode(LoopBuilder &loops, const RowArgs &args) {
  Rows rows(loops, args);
  if (!isNeverEmpty(loops, rows))
    return loops.refuse("it is not known that there is an element");
  View order = loops.getView(makeSort(loops, rows, /*descending=*/false));
  Value runs = findRuns(loops, rows, order);
  if (!runs)
    return failure();
  View begins = loops.getView(runs);
  Type i64 = IntegerType::get(loops.getContext(), 64);
  Type best = guard::makeTensorType(i64, rows.parallel);
  SmallVector<Value> longest = loops.makeReduce(
      TypeRange({best, best}), rows.parallel, rows.extent,
      ReductionKind::ArgMax, i64,
      [&](BodyContext body, ScalarBuilder &scalars) -> SmallVector<Value> {
        Value place = body.indices.back(), last = toI64(body, place);
        Value begin = loops.readAt(body, begins, rows.at(body, place));
        return {scalars.sub(last, begin), last};
      });
  View chosen = loops.getView(longest[1]);
  return pick(loops, rows, order.base, [&](BodyContext body) {
    return fromI64(body, loops.readAt(body, chosen, body.indices));
  });
}

LogicalResult loop::lowerCumsum(LoopBuilder &loops, const RowArgs &args) {
  return lowerSums(loops, args, /*isProduct=*/false);
}

LogicalResult loop::lowerCumprod(LoopBuilder &loops, const RowArgs &args) {
  return lowerSums(loops, args, /*isProduct=*/true);
}

LogicalResult loop::lowerCummax(LoopBuilder &loops, const RowArgs &args) {
  return lowerExtremes(loops, args, /*isMax=*/true);
}

LogicalResult loop::lowerCummin(LoopBuilder &loops, const RowArgs &args) {
  return lowerExtremes(loops, args, /*isMax=*/false);
}

LogicalResult loop::lowerLogcumsumexp(LoopBuilder &loops, const RowArgs &args) {
  if (!isa<FloatType>(loops.getResultType().getElementType()))
    return loops.refuse("integers have no logarithm");
  return lowerLogSums(loops, args);
}

LogicalResult loop::lowerSort(LoopBuilder &loops, const RowArgs &args) {
  return lowerSorted(loops, args, /*withValues=*/true);
}

LogicalResult loop::lowerArgsort(LoopBuilder &loops, const RowArgs &args) {
  return lowerSorted(loops, args, /*withValues=*/false);
}
