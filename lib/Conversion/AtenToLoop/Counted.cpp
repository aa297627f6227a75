//===- Counted.cpp - Results whose sizes depend on values -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nonzero, masked_select, unique and their like: what is selected is counted,
// which gives the size, and then written to its place.
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"
#include "Selection.h"

#include "kiln/Analysis/IndexExpr.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

static Value toI64(BodyContext body, Value index) {
  return arith::IndexCastOp::create(body.builder, body.loc,
                                    body.builder.getI64Type(), index);
}
static Value fromI64(BodyContext body, Value value) {
  return arith::IndexCastOp::create(body.builder, body.loc,
                                    body.builder.getIndexType(), value);
}

//===----------------------------------------------------------------------===//
// Positions and elements where a mask is true
//===----------------------------------------------------------------------===//

/// The coordinates of each selected element of a tensor of sizes `dims` over a
/// row of positions, as expressions over one index.
static Exprs getCoordinates(Converter &converter, ExprAttr extent,
                            ArrayRef<ExprAttr> dims) {
  return analysis::reshapeIndices(converter.getContext(), converter.dim(0),
                                  extent, dims, converter.getAssumptions());
}

/// A refused call is recorded with whatever sizes.
static bool hasRank(Converter &converter, int64_t rank) {
  return converter.getNumResults() > 0 &&
         converter.getResultType().getRank() == rank;
}

static LogicalResult findNonzero(Converter &converter, bool isStatic) {
  if (!hasRank(converter, 2))
    return converter.refuse("the result has an unexpected rank");
  Value tensor = converter.getTensor("self");
  Exprs dims = converter.getView(tensor).dims;
  RankedTensorType type = converter.getResultType();
  ExprAttr count = (*guard::getDims(type))[0];
  Selection selection = selectTrue(converter, tensor);
  if (!isStatic)
    selection.define(count);
  View positions = converter.getView(selection.getPositions(count));
  Exprs coordinates =
      getCoordinates(converter, selection.getExtent(), dims);
  Type i64 = type.getElementType();
  // What a static result has no elements for holds the fill value.
  int64_t filler = isStatic && !converter.getArg("fill_value").isNone()
                       ? converter.getInt("fill_value")
                       : -1;
  return converter.setReshaped(
      0, converter.makePointwise(
             type, i64, [&](BodyContext body, ScalarBuilder &scalars) {
               Value at = fromI64(
                   body, converter.readAt(body, positions, body.indices[0]));
               Value value = scalars.constant(i64, int64_t(0));
               for (auto [k, coordinate] : llvm::enumerate(coordinates)) {
                 Value here = toI64(
                     body, converter.index({body.builder, body.loc, at},
                                           coordinate));
                 Value isHere = arith::CmpIOp::create(
                     body.builder, body.loc, arith::CmpIPredicate::eq,
                     body.indices[1],
                     scalars.constant(body.builder.getIndexType(), int64_t(k)));
                 value = k ? scalars.where(isHere, here, value) : here;
               }
               if (!isStatic)
                 return value;
               Value exists =
                   scalars.lt(toI64(body, body.indices[0]),
                              selection.countAll(body));
               return scalars.where(exists, value,
                                    scalars.constant(i64, filler));
             }));
}

LogicalResult loop::lowerNonzero(Converter &converter) {
  return findNonzero(converter, /*isStatic=*/false);
}

LogicalResult loop::lowerNonzeroStatic(Converter &converter) {
  return findNonzero(converter, /*isStatic=*/true);
}

/// A row of positions for each dimension.
LogicalResult loop::lowerWhere(Converter &converter) {
  if (!hasRank(converter, 1))
    return converter.refuse("the result has an unexpected rank");
  Value tensor = converter.getTensor("condition");
  Exprs dims = converter.getView(tensor).dims;
  if (dims.empty()) // counts as a row of one
    dims.push_back(converter.expr(1));
  ExprAttr count = (*guard::getDims(converter.getResultType()))[0];
  Selection selection = selectTrue(converter, tensor);
  selection.define(count);
  View positions = converter.getView(selection.getPositions(count));
  Exprs coordinates = getCoordinates(converter, selection.getExtent(), dims);
  for (unsigned k = 0; k < coordinates.size(); ++k) {
    RankedTensorType type = converter.getResultType(k);
    Value values = converter.makePointwise(
        type, type.getElementType(), [&](BodyContext body, ScalarBuilder &) {
          Value at = fromI64(
              body, converter.readAt(body, positions, body.indices[0]));
          return toI64(body, converter.index({body.builder, body.loc, at},
                                             coordinates[k]));
        });
    if (failed(converter.setReshaped(k, values)))
      return failure();
  }
  return success();
}

/// `view` grown to `dims`, as one row.
static View spread(Converter &converter, const View &view,
                   ArrayRef<ExprAttr> dims) {
  Exprs index = converter.broadcast(view, dims);
  View result{view.base, {}, Exprs(dims)};
  for (ExprAttr expr : view.map)
    result.map.push_back(guard::substituteDims(expr, index));
  return converter.asRow(result);
}

LogicalResult loop::lowerMaskedSelect(Converter &converter) {
  if (!hasRank(converter, 1))
    return converter.refuse("the result has an unexpected rank");
  Value tensor = converter.getTensor("self"), mask = converter.getTensor("mask");
  View self = converter.getView(tensor), truth = converter.getView(mask);
  if (!isMask(mask))
    return converter.refuse("the mask is none");
  // The sizes that both have in common.
  Exprs dims = self.dims.size() >= truth.dims.size() ? self.dims : truth.dims;
  for (const Exprs &own : {self.dims, truth.dims})
    for (auto [i, size] : llvm::enumerate(own)) {
      ExprAttr &common = dims[i + dims.size() - own.size()];
      if (!common.isConstant(1) && !size.isConstant(1) && common != size)
        return converter.refuse("the mask has other sizes");
      if (!size.isConstant(1))
        common = size;
    }
  View elements = spread(converter, self, dims);
  View flags = spread(converter, truth, dims);
  Type maskType = Converter::getElement(mask);
  Selection selection(converter, flags.dims[0], [&, flags](BodyContext body) {
    ScalarBuilder scalars(body.builder, body.loc, maskType);
    return scalars.toBool(converter.readAt(body, flags, body.indices[0]));
  });
  ExprAttr count = (*guard::getDims(converter.getResultType()))[0];
  selection.define(count);
  return converter.setReshaped(
      0, selection.compact(count, Converter::getElement(tensor),
                           [&](BodyContext body) {
        return converter.readAt(body, elements, body.indices[0]);
      }));
}

//===----------------------------------------------------------------------===//
// Distinct elements and slices
//===----------------------------------------------------------------------===//

namespace {

/// Slices of a tensor along a dimension, in sorted order if there is one.
struct Slices {
  View self;
  Type element;
  int64_t dim;
  ExprAttr extent;
  View order; ///< no base: as they are
};

} // namespace

/// The element of slice number `place` at the other `coordinates`.
static Value readSlice(Converter &converter, BodyContext body,
                       const Slices &slices, Value place,
                       ValueRange coordinates) {
  if (slices.order.base)
    place = fromI64(body, converter.readAt(body, slices.order, place));
  SmallVector<Value> index(coordinates);
  index.insert(index.begin() + slices.dim, place);
  return converter.readAt(body, slices.self, index);
}

/// A tensor that tells of each slice whether it differs from the one before.
static View markChanges(Converter &converter, const Slices &slices) {
  OpBuilder &builder = converter.getBuilder();
  Location loc = converter.getLoc();
  Exprs others = slices.self.dims;
  others.erase(others.begin() + slices.dim);
  if (others.empty())
    others.push_back(converter.expr(1));
  auto nest = ReduceOp::create(
      builder, loc,
      TypeRange{guard::makeTensorType(builder.getI1Type(), slices.extent)},
      slices.extent, others, ReductionKind::Any, converter.getOrigins());
  OpBuilder inner = OpBuilder::atBlockEnd(&nest.getBody().front());
  BodyContext body{inner, loc, nest.getBody().getArguments()};
  Type in = Converter::getComputeType(slices.element);
  ScalarBuilder scalars(inner, loc, in);
  Value place = body.indices[0];
  Value zero = scalars.constant(inner.getIndexType(), int64_t(0));
  Value one = scalars.constant(inner.getIndexType(), int64_t(1));
  Value isFirst = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::eq,
                                        place, zero);
  Value before = arith::MaxSIOp::create(
      inner, loc, arith::SubIOp::create(inner, loc, place, one), zero);
  ValueRange coordinates = body.indices.drop_front();
  if (slices.self.dims.size() == 1)
    coordinates = {};
  auto element = [&](Value at) {
    return scalars.convert(
        readSlice(converter, body, slices, at, coordinates), slices.element,
        in);
  };
  Value differs = scalars.ne(element(place), element(before));
  YieldOp::create(inner, loc, scalars.logicalOr(isFirst, differs));
  return converter.getView(nest.getResult(0));
}

/// The stable order of slices, by their elements one after the other.
static std::optional<View> sortSlices(Converter &converter,
                                      const Slices &slices) {
  // Every element of a slice is a key that is carried along.
  constexpr int64_t mostKeys = 64;
  Exprs others = slices.self.dims;
  others.erase(others.begin() + slices.dim);
  auto count = guard::product(converter.getContext(), others).getConstant();
  if (!count || *count > mostKeys)
    return std::nullopt;
  Type i64 = IntegerType::get(converter.getContext(), 64);
  auto sort = SortOp::create(converter.getBuilder(), converter.getLoc(),
                             guard::makeTensorType(i64, slices.extent), Exprs(),
                             slices.extent, 0, converter.getOrigins());
  OpBuilder inner = OpBuilder::atBlockEnd(&sort.getBody().front());
  BodyContext body{inner, converter.getLoc(), sort.getBody().getArguments()};
  Exprs coordinates =
      getCoordinates(converter, converter.expr(*count), others);
  SmallVector<Value> keys;
  for (int64_t k = 0; k < *count; ++k) {
    SmallVector<Value> index;
    for (ExprAttr coordinate : coordinates)
      index.push_back(converter.index(
          body, guard::substituteDims(coordinate, converter.expr(k))));
    keys.push_back(makeSortKey(
        body, readSlice(converter, body, slices, body.indices[0], index),
        slices.element, /*descending=*/false));
  }
  if (keys.empty()) // slices without elements are all alike
    keys.push_back(ScalarBuilder(inner, body.loc, i64)
                       .constant(i64, int64_t(0)));
  YieldOp::create(inner, body.loc, keys);
  return converter.getView(sort.getResult());
}

/// Results: the distinct slices, which of them each slice is, how many of each
/// there are. What was not asked for has no elements.
static LogicalResult findUnique(Converter &converter, Slices slices,
                                bool isSorted, bool wantsInverse,
                                bool wantsCounts) {
  Type i64 = IntegerType::get(converter.getContext(), 64);
  if (isSorted) {
    auto order = sortSlices(converter, slices);
    if (!order)
      return converter.refuse("slices of so many elements are not sorted");
    slices.order = *order;
  }
  RankedTensorType type = converter.getResultType();
  auto dims = *guard::getDims(type);
  ExprAttr count = dims.size() == slices.self.dims.size()
                       ? dims[slices.dim]
                       : guard::product(converter.getContext(), dims);
  View changes = markChanges(converter, slices);
  Selection selection(converter, slices.extent, [&, changes](BodyContext body) {
    return converter.readAt(body, changes, body.indices[0]);
  });
  selection.define(count);

  View starts = converter.getView(selection.getPositions(count));
  Exprs sizes = slices.self.dims;
  sizes[slices.dim] = count;
  Value values = converter.makePointwise(
      guard::makeTensorType(slices.element, sizes), slices.element,
      [&](BodyContext body, ScalarBuilder &) {
        SmallVector<Value> others(body.indices);
        others.erase(others.begin() + slices.dim);
        Value at = converter.readAt(body, starts, body.indices[slices.dim]);
        return readSlice(converter, body, slices, fromI64(body, at), others);
      });
  if (failed(converter.setReshaped(0, values)))
    return failure();

  auto nothing = [&](unsigned i) {
    return converter.setReshaped(
        i, converter.makeZeros(converter.getResultType(i)));
  };
  if (!wantsInverse) {
    if (failed(nothing(1)))
      return failure();
  } else {
    auto number = [&](BodyContext body) -> Value {
      ScalarBuilder scalars(body.builder, body.loc, i64);
      return scalars.sub(selection.countUpTo(body, body.indices[0]),
                         scalars.constant(i64, int64_t(1)));
    };
    auto row = guard::makeTensorType(i64, slices.extent);
    Value inverse = converter.makePointwise(
        row, i64, [&](BodyContext body, ScalarBuilder &) {
          return number(body);
        });
    if (slices.order.base) {
      // Back from the sorted order.
      auto scatter = ScatterOp::create(
          converter.getBuilder(), converter.getLoc(), inverse, slices.extent,
          ScatterKind::Set, converter.getOrigins());
      OpBuilder inner = OpBuilder::atBlockEnd(&scatter.getBody().front());
      BodyContext body{inner, converter.getLoc(),
                       scatter.getBody().getArguments()};
      Value at = fromI64(
          body, converter.readAt(body, slices.order, body.indices[0]));
      YieldAtOp::create(inner, body.loc, number(body), at, Value());
      inverse = scatter.getResult();
    }
    if (failed(converter.setReshaped(1, inverse)))
      return failure();
  }
  if (!wantsCounts)
    return nothing(2);
  Value counts = converter.makePointwise(
      guard::makeTensorType(i64, count), i64,
      [&](BodyContext body, ScalarBuilder &scalars) -> Value {
        OpBuilder &b = body.builder;
        ExprAttr next = converter.dim(0) + 1;
        Value isLast = arith::CmpIOp::create(
            b, body.loc, arith::CmpIPredicate::sge, converter.index(body, next),
            converter.index(body, count));
        Value end = toI64(body, converter.index(body, slices.extent));
        Value follows = converter.read(body, starts, next,
                                       scalars.logicalNot(isLast), end);
        return scalars.sub(follows,
                           converter.readAt(body, starts, body.indices[0]));
      });
  return converter.setReshaped(2, counts);
}

/// Of slices along `dim` if `byDim`, otherwise of elements.
static LogicalResult findUnique(Converter &converter, bool byDim,
                                bool consecutive) {
  Value tensor = converter.getTensor("self");
  View self = converter.getAtLeastRow(tensor);
  Slices slices{self, Converter::getElement(tensor), 0, {}, {}};
  int64_t rank = converter.getView(tensor).dims.size();
  Type i64 = IntegerType::get(converter.getContext(), 64);
  for (unsigned i : {1u, 2u})
    if (converter.getResultType(i).getElementType() != i64)
      return converter.refuse("the results have unexpected types");
  if (converter.getResultType().getRank() != (byDim ? rank : 1))
    return converter.refuse("the result has an unexpected rank");
  if (byDim) {
    slices.dim = converter.getInt("dim");
    slices.dim = slices.dim < 0 ? slices.dim + rank : slices.dim;
    // Only slices of several dimensions always give all results.
    bool flat = consecutive && rank == 1 && converter.getInt("dim") == 0;
    slices.extent = self.dims[slices.dim];
    return findUnique(converter, slices, !consecutive,
                      !flat || converter.getBool("return_inverse"),
                      !flat || converter.getBool("return_counts"));
  }
  slices.self = converter.asRow(self);
  slices.extent = slices.self.dims[0];
  return findUnique(converter, slices, !consecutive,
                    converter.getBool("return_inverse"),
                    converter.getBool("return_counts"));
}

LogicalResult loop::lowerUnique(Converter &converter) {
  return findUnique(converter, /*byDim=*/false, /*consecutive=*/false);
}

LogicalResult loop::lowerUniqueDim(Converter &converter) {
  return findUnique(converter, /*byDim=*/true, /*consecutive=*/false);
}

LogicalResult loop::lowerUniqueConsecutive(Converter &converter) {
  return findUnique(converter, !converter.getArg("dim").isNone(),
                    /*consecutive=*/true);
}

/// As many classes as the largest index needs.
LogicalResult loop::lowerOneHot(Converter &converter) {
  Value tensor = converter.getTensor("self");
  View self = converter.getAtLeastRow(tensor);
  if (converter.getResultType().getRank() !=
      cast<RankedTensorType>(tensor.getType()).getRank() + 1)
    return converter.refuse("the result has an unexpected rank");
  Type i64 = IntegerType::get(converter.getContext(), 64);
  Exprs identity = getIdentityMap(converter.getContext(), self.dims.size());
  converter.check(self.dims, "class values must be non-negative",
                  [&](BodyContext body) {
                    ScalarBuilder scalars(body.builder, body.loc, i64);
                    return scalars.ge(converter.read(body, self, identity),
                                      scalars.constant(i64, int64_t(0)));
                  });
  View largest = converter.getView(converter.makeReduce(
      guard::makeTensorType(i64, {}), {}, self.dims, ReductionKind::Max, i64,
      [&](BodyContext body, ScalarBuilder &) -> SmallVector<Value> {
        return {converter.read(body, self, identity)};
      })[0]);
  auto count = [&](BodyContext body) {
    ScalarBuilder scalars(body.builder, body.loc, i64);
    return scalars.add(converter.read(body, largest, {}),
                       scalars.constant(i64, int64_t(1)));
  };
  ExprAttr classes = guard::getDims(converter.getResultType())->back();
  if (classes.isSymbol())
    defineSymbol(converter, classes,
                 converter.makePointwise(
                     guard::makeTensorType(i64, {}), i64,
                     [&](BodyContext body, ScalarBuilder &) {
                       return count(body);
                     }));
  else
    converter.check({}, "the number of classes is not the recorded one",
                    [&](BodyContext body) {
                      ScalarBuilder scalars(body.builder, body.loc, i64);
                      return scalars.eq(
                          count(body),
                          converter.number(body, scalars, classes, i64));
                    });
  Exprs dims = self.dims;
  dims.push_back(classes);
  return converter.setReshaped(
      0, converter.makePointwise(
             guard::makeTensorType(i64, dims), i64,
             [&](BodyContext body, ScalarBuilder &scalars) {
               Value same = scalars.eq(
                   converter.read(body, self, identity),
                   toI64(body, body.indices.back()));
               return scalars.convert(same, body.builder.getI1Type(), i64);
             }));
}
