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
#include "kiln/Dialect/Guard/IR/ExprRange.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

//===----------------------------------------------------------------------===//
// Positions and elements where a mask is true
//===----------------------------------------------------------------------===//

/// The coordinates of each selected element of a tensor of sizes `dims` over a
/// row of positions, as expressions over one index.
static Exprs getCoordinates(LoopBuilder &loops, ExprAttr extent,
                            ArrayRef<ExprAttr> dims) {
  return analysis::reshapeIndices(loops.getContext(), loops.dim(0), extent,
                                  dims, loops.getAssumptions());
}

/// A refused call is recorded with whatever sizes.
static bool hasRank(LoopBuilder &loops, int64_t rank) {
  return loops.getNumResults() > 0 && loops.getResultType().getRank() == rank;
}

/// A static result, of which `filler` is given, holds that behind its elements.
static LogicalResult findNonzero(LoopBuilder &loops, Value tensor,
                                 std::optional<int64_t> filler) {
  bool isStatic = filler.has_value();
  if (!hasRank(loops, 2))
    return loops.refuse("the result has an unexpected rank");
  Exprs dims = loops.getView(tensor).dims;
  RankedTensorType type = loops.getResultType();
  ExprAttr count = (*guard::getDims(type))[0];
  Selection selection = selectTrue(loops, tensor);
  if (!isStatic)
    selection.define(count);
  View positions = loops.getView(selection.getPositions(count));
  Exprs coordinates = getCoordinates(loops, selection.getExtent(), dims);
  Type i64 = type.getElementType();
  return loops.setReshaped(
      0, loops.makePointwise(
             type, i64, [&](BodyContext body, ScalarBuilder &scalars) {
               Value at = fromI64(
                   body, loops.readAt(body, positions, body.indices[0]));
               Value value = scalars.constant(i64, int64_t(0));
               for (auto [k, coordinate] : llvm::enumerate(coordinates)) {
                 Value here =
                     toI64(body, loops.index({body.builder, body.loc, at},
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
                                    scalars.constant(i64, *filler));
             }));
}

LogicalResult loop::lowerNonzero(LoopBuilder &loops, aten::NonzeroOp op) {
  return findNonzero(loops, op.getSelf(), std::nullopt);
}

LogicalResult loop::lowerNonzeroStatic(LoopBuilder &loops,
                                       aten::NonzeroStaticOp op) {
  return findNonzero(loops, op.getSelf(), int64_t(op.getFillValue()));
}

/// A row of positions for each dimension.
LogicalResult loop::lowerWhere(LoopBuilder &loops, aten::WhereOp op) {
  if (!hasRank(loops, 1))
    return loops.refuse("the result has an unexpected rank");
  Value tensor = op.getCondition();
  Exprs dims = loops.getView(tensor).dims;
  if (dims.empty()) // counts as a row of one
    dims.push_back(loops.expr(1));
  ExprAttr count = (*guard::getDims(loops.getResultType()))[0];
  Selection selection = selectTrue(loops, tensor);
  selection.define(count);
  View positions = loops.getView(selection.getPositions(count));
  Exprs coordinates = getCoordinates(loops, selection.getExtent(), dims);
  for (unsigned k = 0; k < coordinates.size(); ++k) {
    RankedTensorType type = loops.getResultType(k);
    Value values = loops.makePointwise(
        type, type.getElementType(), [&](BodyContext body, ScalarBuilder &) {
          Value at =
              fromI64(body, loops.readAt(body, positions, body.indices[0]));
          return toI64(
              body, loops.index({body.builder, body.loc, at}, coordinates[k]));
        });
    if (failed(loops.setReshaped(k, values)))
      return failure();
  }
  return success();
}

LogicalResult loop::lowerMaskedSelect(LoopBuilder &loops,
                                      aten::MaskedSelectOp op) {
  if (!hasRank(loops, 1))
    return loops.refuse("the result has an unexpected rank");
  Value tensor = op.getSelf(), mask = op.getMask();
  View self = loops.getView(tensor), truth = loops.getView(mask);
  if (!isMask(mask))
    return loops.refuse("the mask is none");
  // The sizes that both have in common.
  Exprs dims = self.dims.size() >= truth.dims.size() ? self.dims : truth.dims;
  for (const Exprs &own : {self.dims, truth.dims})
    for (auto [i, size] : llvm::enumerate(own)) {
      ExprAttr &common = dims[i + dims.size() - own.size()];
      if (!common.isConstant(1) && !size.isConstant(1) && common != size)
        return loops.refuse("the mask has other sizes");
      if (!size.isConstant(1))
        common = size;
    }
  View elements = loops.asRow(loops.expand(self, dims));
  View flags = loops.asRow(loops.expand(truth, dims));
  Type maskType = LoopBuilder::getElement(mask);
  Selection selection(loops, flags.dims[0], [&, flags](BodyContext body) {
    ScalarBuilder scalars(body.builder, body.loc, maskType);
    return scalars.toBool(loops.readAt(body, flags, body.indices[0]));
  });
  ExprAttr count = (*guard::getDims(loops.getResultType()))[0];
  selection.define(count);
  return loops.setReshaped(
      0, selection.compact(
             count, LoopBuilder::getElement(tensor), [&](BodyContext body) {
               return loops.readAt(body, elements, body.indices[0]);
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
static Value readSlice(LoopBuilder &loops, BodyContext body,
                       const Slices &slices, Value place,
                       ValueRange coordinates) {
  if (slices.order.base)
    place = fromI64(body, loops.readAt(body, slices.order, place));
  SmallVector<Value> index(coordinates);
  index.insert(index.begin() + slices.dim, place);
  return loops.readAt(body, slices.self, index);
}

/// A tensor that tells of each slice whether it differs from the one before.
static View markChanges(LoopBuilder &loops, const Slices &slices) {
  Exprs others = slices.self.dims;
  others.erase(others.begin() + slices.dim);
  if (others.empty())
    others.push_back(loops.expr(1));
  Type i1 = loops.getBuilder().getI1Type();
  Type in = LoopBuilder::getComputeType(slices.element);
  SmallVector<Value> changes = loops.makeReduce(
      TypeRange(guard::makeTensorType(i1, slices.extent)), slices.extent,
      others, ReductionKind::Any, in,
      [&](BodyContext body, ScalarBuilder &scalars) -> SmallVector<Value> {
        Value place = body.indices[0];
        auto [isFirst, before] = getNeighbour(body, place);
        ValueRange coordinates = body.indices.drop_front();
        if (slices.self.dims.size() == 1)
          coordinates = {};
        auto element = [&](Value at) {
          return scalars.convert(
              readSlice(loops, body, slices, at, coordinates), slices.element,
              in);
        };
        Value differs = scalars.ne(element(place), element(before));
        return {scalars.logicalOr(isFirst, differs)};
      });
  return loops.getView(changes[0]);
}

/// The stable order of slices, by their elements one after the other.
static std::optional<View> sortSlices(LoopBuilder &loops,
                                      const Slices &slices) {
  // Every element of a slice is a key that is carried along.
  constexpr int64_t mostKeys = 64;
  Exprs others = slices.self.dims;
  others.erase(others.begin() + slices.dim);
  auto count = guard::product(loops.getContext(), others).getConstant();
  if (!count || *count > mostKeys)
    return std::nullopt;
  Type i64 = IntegerType::get(loops.getContext(), 64);
  Exprs coordinates = getCoordinates(loops, loops.expr(*count), others);
  return loops.getView(loops.makeSort(
      {slices.extent}, {}, slices.extent, 0,
      [&](BodyContext body) -> SmallVector<Value> {
        SmallVector<Value> keys;
        for (int64_t k = 0; k < *count; ++k) {
          SmallVector<Value> index;
          for (ExprAttr coordinate : coordinates)
            index.push_back(loops.index(
                body, guard::substituteDims(coordinate, loops.expr(k))));
          keys.push_back(makeSortKey(
              body, readSlice(loops, body, slices, body.indices[0], index),
              slices.element, /*descending=*/false));
        }
        if (keys.empty()) // slices without elements are all alike
          keys.push_back(ScalarBuilder(body.builder, body.loc, i64)
                             .constant(i64, int64_t(0)));
        return keys;
      }));
}

/// Results: the distinct slices, which of them each slice is, how many of each
/// there are. What was not asked for has no elements.
static LogicalResult findUnique(LoopBuilder &loops, Slices slices,
                                bool isSorted, bool wantsInverse,
                                bool wantsCounts) {
  Type i64 = IntegerType::get(loops.getContext(), 64);
  if (isSorted) {
    auto order = sortSlices(loops, slices);
    if (!order)
      return loops.refuse("slices of so many elements are not sorted");
    slices.order = *order;
  }
  RankedTensorType type = loops.getResultType();
  auto dims = *guard::getDims(type);
  ExprAttr count = dims.size() == slices.self.dims.size()
                       ? dims[slices.dim]
                       : guard::product(loops.getContext(), dims);
  View changes = markChanges(loops, slices);
  Selection selection(loops, slices.extent, [&, changes](BodyContext body) {
    return loops.readAt(body, changes, body.indices[0]);
  });
  selection.define(count);

  View starts = loops.getView(selection.getPositions(count));
  Exprs sizes = slices.self.dims;
  sizes[slices.dim] = count;
  Value values = loops.makePointwise(
      guard::makeTensorType(slices.element, sizes), slices.element,
      [&](BodyContext body, ScalarBuilder &) {
        SmallVector<Value> others(body.indices);
        others.erase(others.begin() + slices.dim);
        Value at = loops.readAt(body, starts, body.indices[slices.dim]);
        return readSlice(loops, body, slices, fromI64(body, at), others);
      });
  if (failed(loops.setReshaped(0, values)))
    return failure();

  auto nothing = [&](unsigned i) {
    return loops.setReshaped(i, loops.makeZeros(loops.getResultType(i)));
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
    Value inverse =
        loops.makePointwise(row, i64, [&](BodyContext body, ScalarBuilder &) {
          return number(body);
        });
    if (slices.order.base) {
      // Back from the sorted order.
      inverse = loops.makeScatter(
          inverse, slices.extent, ScatterKind::Set,
          [&](BodyContext body) -> Written {
            Value at = loops.readAt(body, slices.order, body.indices[0]);
            return {{fromI64(body, at)}, number(body), Value()};
          });
    }
    if (failed(loops.setReshaped(1, inverse)))
      return failure();
  }
  if (!wantsCounts)
    return nothing(2);
  Value counts = loops.makePointwise(
      guard::makeTensorType(i64, count), i64,
      [&](BodyContext body, ScalarBuilder &scalars) -> Value {
        OpBuilder &b = body.builder;
        ExprAttr next = loops.dim(0) + 1;
        Value isLast = arith::CmpIOp::create(
            b, body.loc, arith::CmpIPredicate::sge, loops.index(body, next),
            loops.index(body, count));
        Value end = toI64(body, loops.index(body, slices.extent));
        Value follows =
            loops.read(body, starts, next, scalars.logicalNot(isLast), end);
        return scalars.sub(follows,
                           loops.readAt(body, starts, body.indices[0]));
      });
  return loops.setReshaped(2, counts);
}

/// Of slices along a dimension if one is given, otherwise of elements.
static LogicalResult findUnique(LoopBuilder &loops, const UniqueArgs &args,
                                bool consecutive) {
  Value tensor = args.self;
  View self = loops.getAtLeastRow(tensor);
  Slices slices{self, LoopBuilder::getElement(tensor), 0, {}, {}};
  int64_t rank = loops.getView(tensor).dims.size();
  Type i64 = IntegerType::get(loops.getContext(), 64);
  for (unsigned i : {1u, 2u})
    if (loops.getResultType(i).getElementType() != i64)
      return loops.refuse("the results have unexpected types");
  if (loops.getResultType().getRank() != (args.dim ? rank : 1))
    return loops.refuse("the result has an unexpected rank");
  if (args.dim) {
    slices.dim = wrapDim(*args.dim, rank);
    // Only slices of several dimensions always give all results.
    bool flat = consecutive && rank == 1 && *args.dim == 0;
    slices.extent = self.dims[slices.dim];
    return findUnique(loops, slices, !consecutive,
                      !flat || args.returnInverse.value_or(false),
                      !flat || args.returnCounts.value_or(false));
  }
  slices.self = loops.asRow(self);
  slices.extent = slices.self.dims[0];
  return findUnique(loops, slices, !consecutive,
                    args.returnInverse.value_or(false),
                    args.returnCounts.value_or(false));
}

LogicalResult loop::lowerUnique(LoopBuilder &loops, const UniqueArgs &args) {
  return findUnique(loops, args, /*consecutive=*/false);
}

LogicalResult loop::lowerUniqueDim(LoopBuilder &loops, const UniqueArgs &args) {
  return findUnique(loops, args, /*consecutive=*/false);
}

LogicalResult loop::lowerUniqueConsecutive(LoopBuilder &loops,
                                           const UniqueArgs &args) {
  return findUnique(loops, args, /*consecutive=*/true);
}

/// As many classes as the largest index needs.
LogicalResult loop::lowerOneHot(LoopBuilder &loops, aten::OneHotOp op) {
  Value tensor = op.getSelf();
  View self = loops.getAtLeastRow(tensor);
  if (loops.getResultType().getRank() !=
      cast<RankedTensorType>(tensor.getType()).getRank() + 1)
    return loops.refuse("the result has an unexpected rank");
  Type i64 = IntegerType::get(loops.getContext(), 64);
  Exprs identity = getIdentityMap(loops.getContext(), self.dims.size());
  loops.check(self.dims, "class values must be non-negative",
              [&](BodyContext body) {
                ScalarBuilder scalars(body.builder, body.loc, i64);
                return scalars.ge(loops.read(body, self, identity),
                                  scalars.constant(i64, int64_t(0)));
              });
  View largest = loops.getView(loops.makeReduce(
      guard::makeTensorType(i64, {}), {}, self.dims, ReductionKind::Max, i64,
      [&](BodyContext body, ScalarBuilder &) -> SmallVector<Value> {
        return {loops.read(body, self, identity)};
      })[0]);
  auto count = [&](BodyContext body) {
    ScalarBuilder scalars(body.builder, body.loc, i64);
    return scalars.add(loops.read(body, largest, {}),
                       scalars.constant(i64, int64_t(1)));
  };
  ExprAttr classes = guard::getDims(loops.getResultType())->back();
  if (classes.isSymbol())
    loops.defineSymbol(
        classes, loops.makePointwise(guard::makeTensorType(i64, {}), i64,
                                     [&](BodyContext body, ScalarBuilder &) {
                                       return count(body);
                                     }));
  else
    loops.check({}, "the number of classes is not the recorded one",
                [&](BodyContext body) {
                  ScalarBuilder scalars(body.builder, body.loc, i64);
                  return scalars.eq(count(body),
                                    loops.number(body, scalars, classes, i64));
                });
  Exprs dims = self.dims;
  dims.push_back(classes);
  return loops.setReshaped(
      0, loops.makePointwise(
             guard::makeTensorType(i64, dims), i64,
             [&](BodyContext body, ScalarBuilder &scalars) {
               Value same = scalars.eq(loops.read(body, self, identity),
                                       toI64(body, body.indices.back()));
               return scalars.convert(same, body.builder.getI1Type(), i64);
             }));
}
