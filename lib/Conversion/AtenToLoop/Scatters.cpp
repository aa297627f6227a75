//===- Scatters.cpp - Writing at computed positions -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All of them are one scatter that joins values in some way, and what is done
// to the tensor before and to the sums after.
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"
#include "Selection.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace {

/// How values join what is there.
struct Joining {
  ScatterKind kind = ScatterKind::Set;
  bool isMean = false;
  bool includesSelf = true;
  /// 16-bit sums are rounded at each step and not once.
  bool roundsEach = false;
};

/// What one point of a scatter's domain does.
struct Point {
  SmallVector<Value> position;
  Value value; ///< of the type asked for
  Value condition;
};
using PointFn = llvm::function_ref<Point(BodyContext, Type)>;

} // namespace

/// What changes nothing when joined with an element.
static Value getNeutral(ScalarBuilder &scalars, ScatterKind kind, Type type) {
  if (kind == ScatterKind::Add || kind == ScatterKind::Prod)
    return scalars.constant(type, int64_t(kind == ScatterKind::Prod));
  bool isLowest = kind == ScatterKind::Max;
  if (isa<FloatType>(type)) {
    double infinity = std::numeric_limits<double>::infinity();
    return scalars.constant(type, isLowest ? -infinity : infinity);
  }
  unsigned width = type.getIntOrFloatBitWidth();
  bool isPlain = type.isUnsignedInteger() || width == 1;
  APInt low = isPlain ? APInt::getMinValue(width)
                      : APInt::getSignedMinValue(width);
  APInt high = isPlain ? APInt::getMaxValue(width)
                       : APInt::getSignedMaxValue(width);
  return scalars.constant(type, (isLowest ? low : high).getSExtValue());
}

/// A scatter over `extents` into `init`.
static Value makeScatter(Converter &converter, Value init,
                         ArrayRef<ExprAttr> extents, ScatterKind kind,
                         llvm::function_ref<Point(BodyContext)> point) {
  auto nest = ScatterOp::create(converter.getBuilder(), converter.getLoc(),
                                init, extents, kind, converter.getOrigins());
  OpBuilder inner = OpBuilder::atBlockEnd(&nest.getBody().front());
  Point made = point({inner, converter.getLoc(), nest.getBody().getArguments()});
  YieldAtOp::create(inner, converter.getLoc(), made.value, made.position,
                    made.condition);
  return nest.getResult();
}

/// How often each element of a tensor of sizes `dims` is written.
static Value countWrites(Converter &converter, ArrayRef<ExprAttr> dims,
                         ArrayRef<ExprAttr> extents, PointFn point) {
  Type i64 = IntegerType::get(converter.getContext(), 64);
  Value zeros = converter.makeZeros(guard::makeTensorType(i64, dims));
  return makeScatter(converter, zeros, extents, ScatterKind::Add,
                     [&](BodyContext body) {
                       Point made = point(body, i64);
                       ScalarBuilder scalars(body.builder, body.loc, i64);
                       made.value = scalars.constant(i64, int64_t(1));
                       return made;
                     });
}

/// `self`, of elements `stored`, with the points of a domain joined.
static Value join(Converter &converter, const View &self, Type stored,
                  ArrayRef<ExprAttr> extents, const Joining &how,
                  PointFn point) {
  bool isSet = how.kind == ScatterKind::Set;
  Type acc = isSet || how.roundsEach ? stored
                                     : Converter::getComputeType(stored);
  auto identity = getIdentityMap(converter.getContext(), self.dims.size());
  auto type = guard::makeTensorType(acc, self.dims);
  Type i64 = IntegerType::get(converter.getContext(), 64);
  View counts;
  if (how.isMean || !how.includesSelf)
    counts = converter.getView(
        countWrites(converter, self.dims, extents, point));
  auto isTouched = [&](BodyContext body) {
    ScalarBuilder scalars(body.builder, body.loc, i64);
    return scalars.ne(converter.read(body, counts, identity),
                      scalars.constant(i64, int64_t(0)));
  };

  Value init = converter.materialize(self, acc);
  if (!how.includesSelf && !isSet) {
    View before = converter.getView(init);
    init = converter.makePointwise(
        type, acc, [&](BodyContext body, ScalarBuilder &scalars) {
          return scalars.where(isTouched(body),
                               getNeutral(scalars, how.kind, acc),
                               converter.read(body, before, identity));
        });
  }
  Value joined = makeScatter(converter, init, extents, how.kind,
                             [&](BodyContext body) { return point(body, acc); });
  if (!how.isMean)
    return converter.materialize(converter.getView(joined), stored);
  View sums = converter.getView(joined);
  return converter.makePointwise(
      guard::makeTensorType(stored, self.dims), acc,
      [&](BodyContext body, ScalarBuilder &scalars) {
        Value sum = converter.read(body, sums, identity);
        ScalarBuilder integers(body.builder, body.loc, i64);
        Value count = integers.add(
            converter.read(body, counts, identity),
            integers.constant(i64, int64_t(how.includesSelf)));
        Value mean = scalars.floorDiv(sum, scalars.convert(count, i64, acc));
        if (isa<FloatType>(acc))
          mean = scalars.div(sum, scalars.convert(count, i64, acc));
        return scalars.where(isTouched(body), mean, sum);
      });
}

static std::optional<Joining> getJoining(StringRef reduce) {
  Joining how;
  auto kind = llvm::StringSwitch<std::optional<ScatterKind>>(reduce)
                  .Cases({"sum", "add", "mean"}, ScatterKind::Add)
                  .Cases({"prod", "multiply"}, ScatterKind::Prod)
                  .Case("amin", ScatterKind::Min)
                  .Case("amax", ScatterKind::Max)
                  .Default(std::nullopt);
  if (!kind)
    return std::nullopt;
  how.kind = *kind;
  how.isMean = reduce == "mean";
  return how;
}

/// The `reduce` and `include_self` of the operator at hand.
static std::optional<Joining> getJoining(Converter &converter) {
  auto text = dyn_cast_if_present<StringAttr>(
      converter.getArg("reduce").getAttribute());
  if (!text)
    return std::nullopt;
  auto how = getJoining(text.getValue());
  if (how && !converter.getArg("include_self").isNone())
    how->includesSelf = converter.getBool("include_self");
  return how;
}

//===----------------------------------------------------------------------===//
// scatter
//===----------------------------------------------------------------------===//

static LogicalResult joinElements(Converter &converter, Joining how) {
  Value indices = converter.getTensor("index");
  Type stored = converter.getResultType().getElementType();
  View self = converter.getAtLeastRow(converter.getTensor("self"));
  View index = converter.getAtLeastRow(indices);
  int64_t rank = self.dims.size(), at = converter.getInt("dim");
  at = at < 0 ? at + rank : at;
  if (int64_t(index.dims.size()) != rank) // an index without elements
    return converter.setReshaped(0, converter.materialize(self, stored));
  converter.checkIndex(indices, self.dims[at], /*negative=*/false);
  Value source = converter.getTensor("src");
  Value number = source ? Value() : converter.getTensor("value");
  bool isKnown = true;
  Value result = join(
      converter, self, stored, index.dims, how,
      [&](BodyContext body, Type type) -> Point {
        ScalarBuilder scalars(body.builder, body.loc, type);
        Point point;
        point.position = SmallVector<Value>(body.indices);
        point.position[at] = converter.toIndex(
            body, converter.readAt(body, index, body.indices),
            Converter::getElement(indices), self.dims[at], /*negative=*/false);
        if (source) {
          Type from = Converter::getElement(source);
          Value value = converter.readAt(
              body, converter.getAtLeastRow(source), body.indices);
          point.value = scalars.convert(value, from, type);
          return point;
        }
        Value value = converter.readNumber(body, number);
        isKnown &= bool(value);
        point.value = value ? scalars.convert(
                                  scalars.convert(value, number.getType(),
                                                  stored),
                                  stored, type)
                            : scalars.constant(type, int64_t(0));
        return point;
      });
  if (!isKnown)
    return converter.refuse("a float that only the run knows");
  return converter.setReshaped(0, result);
}

//===----------------------------------------------------------------------===//
// Slices at indices
//===----------------------------------------------------------------------===//

/// `index_add` and its like: slices of a source, or a number, go to slices.
static LogicalResult joinSlices(Converter &converter, const Joining &how,
                                StringRef source, bool negative) {
  Value indices = converter.getTensor("index");
  Type stored = converter.getResultType().getElementType();
  View self = converter.getAtLeastRow(converter.getTensor("self"));
  View index = converter.getAtLeastRow(indices);
  int64_t at = converter.getInt("dim");
  at = at < 0 ? at + int64_t(self.dims.size()) : at;
  converter.checkIndex(indices, self.dims[at], negative);
  Exprs extents = self.dims;
  extents[at] = index.dims[0];
  Value from = converter.getTensor(source);
  aten::ArgValue alpha = converter.getArg("alpha");
  bool isKnown = true;
  auto getNumber = [&](BodyContext body, ScalarBuilder &scalars, Value number) {
    Value value = converter.readNumber(body, number);
    isKnown &= bool(value);
    return value ? scalars.convert(value, number.getType(), scalars.getType())
                 : scalars.constant(scalars.getType(), int64_t(0));
  };
  Value result = join(
      converter, self, stored, extents, how,
      [&](BodyContext body, Type type) -> Point {
        ScalarBuilder scalars(body.builder, body.loc, type);
        Point point;
        point.position = SmallVector<Value>(body.indices);
        point.position[at] = converter.toIndex(
            body, converter.readAt(body, index, body.indices[at]),
            Converter::getElement(indices), self.dims[at], negative);
        if (!isa<RankedTensorType>(from.getType())) {
          point.value = getNumber(body, scalars, from);
          return point;
        }
        View view = converter.getAtLeastRow(from);
        Value value = converter.read(body, view, converter.broadcast(view, extents));
        point.value = scalars.convert(value, Converter::getElement(from), type);
        if (alpha.isValue())
          point.value =
              scalars.mul(point.value, getNumber(body, scalars, alpha.getValue()));
        return point;
      });
  if (!isKnown)
    return converter.refuse("a float that only the run knows");
  return converter.setReshaped(0, result);
}

/// Elements of the flat tensor.
LogicalResult loop::lowerPut(Converter &converter) {
  Value indices = converter.getTensor("index");
  Value source = converter.getTensor("source");
  Type stored = converter.getResultType().getElementType();
  View self = converter.asRow(converter.getView(converter.getTensor("self")));
  View index = converter.asRow(converter.getView(indices));
  View values = converter.asRow(converter.getView(source));
  converter.checkIndex(indices, self.dims[0], /*negative=*/true);
  Joining how;
  if (converter.getBool("accumulate"))
    how.kind = ScatterKind::Add;
  return converter.setReshaped(
      0, join(converter, self, stored, index.dims, how,
              [&](BodyContext body, Type type) -> Point {
                ScalarBuilder scalars(body.builder, body.loc, type);
                Value at = converter.toIndex(
                    body, converter.readAt(body, index, body.indices),
                    Converter::getElement(indices), self.dims[0],
                    /*negative=*/true);
                Value value = converter.readAt(body, values, body.indices);
                return {{at},
                        scalars.convert(value, Converter::getElement(source),
                                        type),
                        {}};
              }));
}

//===----------------------------------------------------------------------===//
// index_put
//===----------------------------------------------------------------------===//

/// Where the mask is true stands the next of the values, or the only one. No
/// element is written twice, so this is read and not scattered.
static LogicalResult putMasked(Converter &converter, Value mask,
                               unsigned first) {
  Value values = converter.getTensor("values");
  Type stored = converter.getResultType().getElementType();
  View self = converter.getView(converter.getTensor("self"));
  View source = converter.getView(values);
  unsigned rank = self.dims.size();
  unsigned width = converter.getView(mask).dims.size();
  if (!covers(converter, mask, self.dims, first) ||
      source.dims.size() > rank - width + 1)
    return converter.refuse("a mask of other sizes has no kernel");
  Selection selection = selectTrue(converter, mask);
  // The dimensions of the values, from the last, are those behind the mask,
  // the one of the selected elements, and those in front.
  unsigned behind = rank - first - width;
  int64_t counted = int64_t(source.dims.size()) - 1 - int64_t(behind);
  bool isCounted = counted >= 0 && !source.dims[counted].isConstant(1);
  ExprAttr count = isCounted ? source.dims[counted] : converter.expr(1);
  if (isCounted)
    selection.define(count);
  View flat = converter.asRow(converter.getView(mask));
  Exprs maskDims = converter.getView(mask).dims;
  ExprAttr position = converter.expr(0);
  for (unsigned i = 0; i < width; ++i)
    position = position * maskDims[i] + converter.dim(first + i);
  bool adds = converter.getBool("accumulate");
  Type in = adds ? Converter::getComputeType(stored) : stored;
  Value result = converter.makePointwise(
      converter.getResultType(), in,
      [&](BodyContext body, ScalarBuilder &scalars) {
        Value at = converter.index(body, position);
        Value isTrue = selection.isSelected({body.builder, body.loc, at});
        SmallVector<Value> index;
        for (unsigned d = 0; d < source.dims.size(); ++d) {
          int64_t shifted = int64_t(d) - counted; // 0: the counted one
          if (source.dims[d].isConstant(1))
            index.push_back(converter.index(body, converter.expr(0)));
          else if (shifted == 0)
            index.push_back(selection.getPlace(body, at, count));
          else
            index.push_back(body.indices[shifted < 0 ? first + shifted
                                                     : first + width - 1 +
                                                           shifted]);
        }
        // There may be no value to read where the mask is false.
        Exprs map = source.map;
        Value zero =
            scalars.constant(Converter::getElement(values), int64_t(0));
        Value value = LoadOp::create(body.builder, body.loc, source.base, index,
                                     map, isTrue, zero);
        value = scalars.convert(value, Converter::getElement(values), in);
        Value old = scalars.convert(
            converter.readAt(body, self, body.indices), stored, in);
        return scalars.where(isTrue, adds ? scalars.add(old, value) : value,
                             old);
      });
  return converter.setReshaped(0, result);
}

LogicalResult loop::lowerIndexPut(Converter &converter) {
  aten::ArgValue list = converter.getArg("indices");
  unsigned given = 0, place = 0, first = 0;
  Value mask;
  for (Value tensor : list.getValues()) {
    if (tensor) {
      ++given;
      first = place;
      if (isMask(tensor))
        mask = tensor;
    }
    ++place;
  }
  if (mask && given == 1)
    return putMasked(converter, mask, first);
  View self = converter.getView(converter.getTensor("self"));
  auto indexed = getIndexed(converter, list, self.dims, std::nullopt);
  if (!indexed)
    return converter.refuse("a mask among other indices has no kernel");
  for (auto [i, tensor] : llvm::enumerate(indexed->tensors))
    if (tensor)
      converter.checkIndex(tensor, self.dims[i], /*negative=*/true);
  // The domain has the shape that `index` would give.
  Exprs extents;
  for (unsigned i = 0; i < self.dims.size(); ++i)
    if (!indexed->tensors[i])
      extents.push_back(self.dims[i]);
  extents.insert(extents.begin() + indexed->position,
                 indexed->broadcast.begin(), indexed->broadcast.end());
  Value values = converter.getTensor("values");
  View source = converter.getView(values);
  while (source.dims.size() > extents.size()) // leading sizes of 1
    source = converter.reshape(source, ArrayRef(source.dims).drop_front());
  Joining how;
  how.roundsEach = true;
  if (converter.getBool("accumulate"))
    how.kind = ScatterKind::Add;
  Type stored = converter.getResultType().getElementType();
  return converter.setReshaped(
      0, join(converter, self, stored, extents, how,
              [&](BodyContext body, Type type) -> Point {
                ScalarBuilder scalars(body.builder, body.loc, type);
                Value value = converter.read(
                    body, source, converter.broadcast(source, extents));
                return {getPosition(converter, body, *indexed, self.dims),
                        scalars.convert(value, Converter::getElement(values),
                                        type),
                        {}};
              }));
}

/// The source's elements go, in order, where the mask is true.
LogicalResult loop::lowerMaskedScatter(Converter &converter) {
  RankedTensorType type = converter.getResultType();
  Type stored = type.getElementType();
  auto dims = *guard::getDims(type);
  Value mask = converter.getTensor("mask"), from = converter.getTensor("source");
  View truth = converter.getView(mask);
  View self = converter.getView(converter.getTensor("self"));
  View source = converter.asRow(converter.getView(from));
  View spread{truth.base, {}, Exprs(dims)};
  Exprs index = converter.broadcast(truth, dims);
  for (ExprAttr expr : truth.map)
    spread.map.push_back(guard::substituteDims(expr, index));
  View flat = converter.asRow(spread);
  Selection selection(converter, flat.dims[0], [&](BodyContext body) {
    return converter.readAt(body, flat, body.indices[0]);
  });
  ExprAttr available = source.dims[0];
  Type i64 = IntegerType::get(converter.getContext(), 64);
  converter.check(flat.dims, "masked_scatter: expected self and source to have "
                             "the same number of selected elements",
                  [&](BodyContext body) -> Value {
                    ScalarBuilder scalars(body.builder, body.loc, i64);
                    Value limit = arith::IndexCastOp::create(
                        body.builder, body.loc, i64,
                        converter.index(body, available));
                    return scalars.le(
                        selection.countUpTo(body, body.indices[0]), limit);
                  });
  View old{self.base, {}, Exprs(dims)};
  index = converter.broadcast(self, dims);
  for (ExprAttr expr : self.map)
    old.map.push_back(guard::substituteDims(expr, index));
  View oldFlat = converter.asRow(old);
  Value result = converter.makePointwise(
      guard::makeTensorType(stored, flat.dims), stored,
      [&](BodyContext body, ScalarBuilder &scalars) {
        Value isTrue = selection.isSelected(body);
        Value place = selection.getPlace(body, body.indices[0], available);
        Value zero = scalars.constant(stored, int64_t(0));
        Value value = LoadOp::create(body.builder, body.loc, source.base, place,
                                     source.map, isTrue, zero);
        return scalars.where(isTrue, value,
                             converter.readAt(body, oldFlat, body.indices));
      });
  return converter.setReshaped(0, result);
}

//===----------------------------------------------------------------------===//
// Embeddings
//===----------------------------------------------------------------------===//

LogicalResult loop::lowerEmbeddingBackward(Converter &converter) {
  Value gradient = converter.getTensor("grad_output");
  Value indices = converter.getTensor("indices");
  View source = converter.getView(gradient), rows = converter.getView(indices);
  RankedTensorType type = converter.getResultType();
  Type stored = type.getElementType();
  auto dims = *guard::getDims(type);
  ExprAttr size = dims[0], padding = converter.getExpr("padding_idx");
  Type i64 = IntegerType::get(converter.getContext(), 64);
  auto rank = rows.dims.size();
  // The row that a point of the indices writes, and whether it does.
  auto getRow = [&](BodyContext body) -> std::pair<Value, Value> {
    Value row = converter.readAt(body, rows, body.indices.take_front(rank));
    Value condition;
    if (padding) {
      ScalarBuilder scalars(body.builder, body.loc, i64);
      Value skipped = arith::IndexCastOp::create(
          body.builder, body.loc, i64, converter.index(body, padding));
      condition = scalars.ne(scalars.convert(row, Converter::getElement(indices),
                                             i64),
                             skipped);
    }
    return {converter.toIndex(body, row, Converter::getElement(indices), size,
                              /*negative=*/false),
            condition};
  };
  View counts;
  if (converter.getBool("scale_grad_by_freq"))
    counts = converter.getView(
        countWrites(converter, size, rows.dims, [&](BodyContext body, Type) {
          auto [row, condition] = getRow(body);
          return Point{{row}, {}, condition};
        }));
  Value zeros = converter.makeZeros(type);
  Joining how;
  how.kind = ScatterKind::Add;
  how.roundsEach = true;
  return converter.setReshaped(
      0, join(converter, converter.getView(zeros), stored, source.dims, how,
              [&](BodyContext body, Type) -> Point {
                auto [row, condition] = getRow(body);
                Value value = converter.readAt(body, source, body.indices);
                if (counts.base) {
                  Type in = Converter::getComputeType(stored);
                  ScalarBuilder scalars(body.builder, body.loc, in);
                  Value count = scalars.convert(
                      converter.readAt(body, counts, row), i64, in);
                  value = scalars.convert(
                      scalars.div(scalars.convert(value, stored, in), count),
                      in, stored);
                }
                return {{row, body.indices[rank]}, value, condition};
              }));
}

//===----------------------------------------------------------------------===//
// Ways of joining
//===----------------------------------------------------------------------===//

static Joining getSum() {
  Joining add;
  add.kind = ScatterKind::Add;
  return add;
}

LogicalResult loop::lowerScatter(Converter &converter) {
  return joinElements(converter, Joining());
}

LogicalResult loop::lowerScatterAdd(Converter &converter) {
  return joinElements(converter, getSum());
}

LogicalResult loop::lowerScatterReduce(Converter &converter) {
  auto how = getJoining(converter);
  return how ? joinElements(converter, *how)
             : converter.refuse("it is not known how values are joined");
}

LogicalResult loop::lowerIndexAdd(Converter &converter) {
  return joinSlices(converter, getSum(), "source", /*negative=*/false);
}

LogicalResult loop::lowerIndexCopy(Converter &converter) {
  return joinSlices(converter, Joining(), "source", /*negative=*/false);
}

LogicalResult loop::lowerIndexFill(Converter &converter) {
  return joinSlices(converter, Joining(), "value", /*negative=*/true);
}

LogicalResult loop::lowerIndexReduce(Converter &converter) {
  auto how = getJoining(converter);
  return how ? joinSlices(converter, *how, "source", /*negative=*/false)
             : converter.refuse("it is not known how values are joined");
}
