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
#include "Selection.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

Value loop::searchRow(
    Converter &converter, BodyContext body, ExprAttr extent,
    llvm::function_ref<Value(Value position, Value mask)> isBehind) {
  // Rows of unknown length have less than 2^48 elements.
  int64_t steps = 48;
  if (auto constant = extent.getConstant())
    steps = llvm::bit_width(uint64_t(*constant));
  OpBuilder &b = body.builder;
  ScalarBuilder scalars(b, body.loc, b.getIndexType());
  Value low = scalars.constant(b.getIndexType(), int64_t(0));
  Value one = scalars.constant(b.getIndexType(), int64_t(1));
  Value high = converter.index(body, extent);
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
static Value readMasked(BodyContext body, const View &view, ValueRange index,
                        Value mask, Type element) {
  ScalarBuilder scalars(body.builder, body.loc, element);
  return LoadOp::create(body.builder, body.loc, view.base, index, view.map,
                        mask, scalars.constant(element, int64_t(0)));
}

static LogicalResult findPlaces(Converter &converter, Value sorted,
                                Value wanted, bool right, Value sorter) {
  View table = converter.getView(sorted);
  if (table.dims.empty())
    return converter.refuse("a sequence without dimensions is an error");
  unsigned last = table.dims.size() - 1;
  ExprAttr extent = table.dims[last];
  RankedTensorType type = converter.getResultType();
  Type tableType = Converter::getElement(sorted), wantedType = wanted.getType();
  bool isNumber = !isa<RankedTensorType>(wantedType);
  View values;
  if (!isNumber) {
    values = converter.getView(wanted);
    wantedType = Converter::getElement(wanted);
  }
  bool shared = table.dims.size() == 1;
  if (!shared &&
      (isNumber || values.dims.size() != table.dims.size() ||
       ArrayRef(values.dims).drop_back() != ArrayRef(table.dims).drop_back()))
    return converter.refuse("the sizes of sequence and values differ");
  // Compared in the type of both, wide enough for either.
  Type in = Converter::getComputeType(tableType);
  if (tableType != wantedType && !isNumber) {
    bool isFloat = isa<FloatType>(tableType) || isa<FloatType>(wantedType);
    in = isFloat ? Type(Float64Type::get(converter.getContext()))
                 : IntegerType::get(converter.getContext(), 64);
  } else if (isNumber && isa<FloatType>(wantedType) &&
             !isa<FloatType>(tableType)) {
    in = Float64Type::get(converter.getContext());
  }
  View places;
  if (sorter) {
    places = converter.getView(sorter);
    if (places.dims != table.dims)
      return converter.refuse("the sorter has other sizes");
    converter.checkIndex(sorter, extent, /*negative=*/false);
  }
  bool isKnown = true;
  Value result = converter.makePointwise(
      type, type.getElementType(),
      [&](BodyContext body, ScalarBuilder &) -> Value {
        OpBuilder &b = body.builder;
        ScalarBuilder scalars(b, body.loc, in);
        Value value = isNumber ? converter.readNumber(body, wanted)
                               : converter.readAt(body, values, body.indices);
        isKnown &= bool(value);
        if (!value)
          return {};
        value = scalars.convert(value, wantedType, in);
        SmallVector<Value> row;
        if (!shared)
          row.append(body.indices.begin(), body.indices.begin() + last);
        Value at = searchRow(
            converter, body, extent, [&](Value position, Value mask) {
              row.push_back(position);
              if (sorter) {
                Value place =
                    readMasked(body, places, row, mask,
                               Converter::getElement(sorter));
                row.back() = converter.toIndex(body, place,
                                               Converter::getElement(sorter),
                                               extent, /*negative=*/false);
              }
              Value element = scalars.convert(
                  readMasked(body, table, row, mask, tableType), tableType, in);
              row.pop_back();
              return right ? scalars.gt(element, value)
                           : scalars.ge(element, value);
            });
        Value wide = arith::IndexCastOp::create(b, body.loc, b.getI64Type(), at);
        return scalars.convert(wide, b.getI64Type(), type.getElementType());
      });
  if (!isKnown)
    return converter.refuse("a float that only the run knows");
  return converter.setReshaped(0, result);
}

static StringRef getText(Converter &converter, StringRef name) {
  auto text =
      dyn_cast_if_present<StringAttr>(converter.getArg(name).getAttribute());
  return text ? text.getValue() : StringRef();
}

//===----------------------------------------------------------------------===//
// Histograms
//===----------------------------------------------------------------------===//

/// Adds up what `compute` gives for each element of a row at its bin.
static Value
countBins(Converter &converter, ExprAttr extent, ExprAttr bins, Type type,
          llvm::function_ref<void(BodyContext, Value &bin, Value &value,
                                  Value &condition)>
              compute) {
  Value zeros = converter.makeZeros(guard::makeTensorType(type, bins));
  auto scatter = ScatterOp::create(converter.getBuilder(), converter.getLoc(),
                                   zeros, extent, ScatterKind::Add,
                                   converter.getOrigins());
  OpBuilder inner = OpBuilder::atBlockEnd(&scatter.getBody().front());
  BodyContext body{inner, converter.getLoc(), scatter.getBody().getArguments()};
  Value bin, value, condition;
  compute(body, bin, value, condition);
  YieldAtOp::create(inner, body.loc, value, bin, condition);
  return scatter.getResult();
}

/// A reduction of a row to one element.
static View reduceRow(Converter &converter, const View &row, Type in,
                      ReductionKind kind) {
  Type element = cast<RankedTensorType>(row.base.getType()).getElementType();
  auto nest = ReduceOp::create(
      converter.getBuilder(), converter.getLoc(),
      TypeRange{guard::makeTensorType(in, {})}, Exprs(), row.dims,
      ArrayRef(kind), converter.getOrigins());
  OpBuilder inner = OpBuilder::atBlockEnd(&nest.getBody().front());
  BodyContext body{inner, converter.getLoc(), nest.getBody().getArguments()};
  ScalarBuilder scalars(inner, body.loc, in);
  YieldOp::create(
      inner, body.loc,
      scalars.convert(converter.readAt(body, row, body.indices), element, in));
  return converter.getView(nest.getResult(0));
}

LogicalResult loop::lowerHistogram(Converter &converter) {
  Value tensor = converter.getTensor("self");
  View row = converter.asRow(converter.getView(tensor));
  Type stored = Converter::getElement(tensor);
  int64_t bins =
      converter.getArg("bins").isNone() ? 100 : converter.getInt("bins");
  auto number = [&](StringRef name) {
    return converter.getArg(name).isNone() ? std::optional<double>(0.0)
                                           : converter.getConstant(name);
  };
  auto least = number("min"), most = number("max");
  if (!isa<FloatType>(stored) || bins < 1 || bins > (1 << 20) || !least ||
      !most || !(*least <= *most))
    return converter.refuse("the range has no kernel");
  MLIRContext *context = converter.getContext();
  Type f64 = Float64Type::get(context);
  // Without a range it is that of the elements, and one more on both sides
  // where these are all alike.
  View ends[2];
  if (*least == *most && !row.dims[0].isConstant(0)) {
    if (!guard::isKnownNonNegative(row.dims[0] - converter.expr(1),
                                   converter.getAssumptions()))
      return converter.refuse("it is not known that there is an element");
    ends[0] = reduceRow(converter, row, f64, ReductionKind::Min);
    ends[1] = reduceRow(converter, row, f64, ReductionKind::Max);
    converter.check({}, "range of values is not finite", [&](BodyContext body) {
      ScalarBuilder scalars(body.builder, body.loc, f64);
      Value width = scalars.sub(converter.read(body, ends[1], {}),
                                converter.read(body, ends[0], {}));
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
    Value low = converter.read(body, ends[0], {});
    Value high = converter.read(body, ends[1], {});
    Value one = scalars.constant(f64, 1.0), same = scalars.eq(low, high);
    return {scalars.where(same, scalars.sub(low, one), low),
            scalars.where(same, scalars.add(high, one), high)};
  };
  // The edges between bins are numbers of the tensor's type.
  Value edges = converter.makePointwise(
      guard::makeTensorType(stored, converter.expr(bins + 1)), f64,
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
  View steps = converter.getView(edges);
  // Counted in integers, which 16-bit floats cannot count far in.
  Type i64 = IntegerType::get(context, 64);
  Value counts = countBins(
      converter, row.dims[0], converter.expr(bins), i64,
      [&](BodyContext body, Value &bin, Value &value, Value &condition) {
        ScalarBuilder scalars(body.builder, body.loc, f64);
        ScalarBuilder integers(body.builder, body.loc, i64);
        Value x = scalars.convert(converter.readAt(body, row, body.indices),
                                  stored, f64);
        auto [low, high] = getEnds(body);
        condition = scalars.logicalAnd(scalars.ge(x, low), scalars.le(x, high));
        Value after = searchRow(
            converter, body, converter.expr(bins + 1),
            [&](Value position, Value mask) {
              Value edge = readMasked(body, steps, position, mask, stored);
              return scalars.gt(scalars.convert(edge, stored, f64), x);
            });
        Value wide = arith::IndexCastOp::create(body.builder, body.loc, i64,
                                                after);
        bin = converter.toIndex(
            body, integers.sub(wide, integers.constant(i64, int64_t(1))), i64,
            converter.expr(bins), /*negative=*/false);
        value = integers.constant(i64, int64_t(1));
      });
  return converter.setReshaped(
      0, converter.materialize(converter.getView(counts), stored));
}

/// How often each number occurs, or the sum of its weights. The size is one
/// more than the largest number, or `minlength`.
LogicalResult loop::lowerBincount(Converter &converter) {
  Value tensor = converter.getTensor("self");
  Value weights = converter.getTensor("weights");
  Type from = Converter::getElement(tensor);
  RankedTensorType type = converter.getResultType();
  if (converter.getView(tensor).dims.size() != 1 || type.getRank() != 1 ||
      !isa<IntegerType>(from) || from.isInteger(1))
    return converter.refuse("counting these numbers is an error");
  View row = converter.getView(tensor);
  ExprAttr extent = row.dims[0], bins = (*guard::getDims(type))[0];
  MLIRContext *context = converter.getContext();
  Type i64 = IntegerType::get(context, 64);
  Type stored = type.getElementType();
  if (weights && converter.getView(weights).dims != row.dims)
    return converter.refuse("the weights have other sizes");
  auto getNumber = [&](BodyContext body) {
    ScalarBuilder scalars(body.builder, body.loc, i64);
    return scalars.convert(converter.readAt(body, row, body.indices), from,
                           i64);
  };
  converter.check(extent, "bincount only supports 1-d non-negative integral "
                          "inputs.",
                  [&](BodyContext body) {
                    ScalarBuilder scalars(body.builder, body.loc, i64);
                    return scalars.ge(getNumber(body),
                                      scalars.constant(i64, int64_t(0)));
                  });
  if (converter.isFoundHere(bins)) {
    View most = reduceRow(converter, row, i64, ReductionKind::Max);
    ExprAttr length = converter.getExpr("minlength");
    Value size = converter.makePointwise(
        guard::makeTensorType(i64, {}), i64,
        [&](BodyContext body, ScalarBuilder &scalars) {
          Value needed = scalars.add(
              scalars.max(converter.read(body, most, {}),
                          scalars.constant(i64, int64_t(-1))),
              scalars.constant(i64, int64_t(1)));
          Value wanted = scalars.constant(i64, int64_t(0));
          if (length)
            wanted = arith::IndexCastOp::create(
                body.builder, body.loc, i64, converter.index(body, length));
          return scalars.max(needed, wanted);
        });
    defineSymbol(converter, bins, size);
  } else {
    converter.check(extent, "a number is larger than the recorded size",
                    [&](BodyContext body) -> Value {
                      ScalarBuilder scalars(body.builder, body.loc, i64);
                      Value limit = arith::IndexCastOp::create(
                          body.builder, body.loc, i64,
                          converter.index(body, bins));
                      return scalars.lt(getNumber(body), limit);
                    });
  }
  Type acc = isa<FloatType>(stored) ? Type(Float64Type::get(context)) : stored;
  Value counts = countBins(
      converter, extent, bins, acc,
      [&](BodyContext body, Value &bin, Value &value, Value &) {
        ScalarBuilder scalars(body.builder, body.loc, acc);
        bin = converter.toIndex(body, getNumber(body), i64, bins,
                                /*negative=*/false);
        value = scalars.constant(acc, int64_t(1));
        if (weights)
          value = scalars.convert(
              converter.readAt(body, converter.getView(weights), body.indices),
              Converter::getElement(weights), acc);
      });
  return converter.setReshaped(
      0, converter.materialize(converter.getView(counts), stored));
}

LogicalResult loop::lowerBucketize(Converter &converter) {
  return findPlaces(converter, converter.getTensor("boundaries"),
                    converter.getTensor("self"), converter.getBool("right"),
                    {});
}

LogicalResult loop::lowerSearchSorted(Converter &converter) {
  StringRef side = getText(converter, "side");
  bool right = converter.getBool("right");
  if (side == "left" && right)
    return converter.refuse("side and right contradict each other");
  return findPlaces(converter, converter.getTensor("sorted_sequence"),
                    converter.getTensor("self"), right || side == "right",
                    converter.getTensor("sorter"));
}
