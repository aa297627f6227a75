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

/// What one point of a scatter's domain writes, of the type asked for.
using PointFn = llvm::function_ref<Written(BodyContext, Type)>;

} // namespace

/// The reduction that joins values as a scatter of `kind` does.
static ReductionKind getReduction(ScatterKind kind) {
  switch (kind) {
  case ScatterKind::Add:
    return ReductionKind::Sum;
  case ScatterKind::Prod:
    return ReductionKind::Prod;
  case ScatterKind::Min:
    return ReductionKind::Min;
  case ScatterKind::Max:
    return ReductionKind::Max;
  case ScatterKind::Set:
    break;
  }
  llvm_unreachable("what is set joins nothing");
}

/// How often each element of a tensor of sizes `dims` is written.
static Value countWrites(LoopBuilder &loops, ArrayRef<ExprAttr> dims,
                         ArrayRef<ExprAttr> extents, PointFn point) {
  Type i64 = IntegerType::get(loops.getContext(), 64);
  Value zeros = loops.makeZeros(guard::makeTensorType(i64, dims));
  return loops.makeScatter(zeros, extents, ScatterKind::Add,
                           [&](BodyContext body) {
                             Written made = point(body, i64);
                             ScalarBuilder scalars(body.builder, body.loc, i64);
                             made.value = scalars.constant(i64, int64_t(1));
                             return made;
                           });
}

/// `self`, of elements `stored`, with the points of a domain joined.
static Value join(LoopBuilder &loops, const View &self, Type stored,
                  ArrayRef<ExprAttr> extents, const Joining &how,
                  PointFn point) {
  bool isSet = how.kind == ScatterKind::Set;
  Type acc =
      isSet || how.roundsEach ? stored : LoopBuilder::getComputeType(stored);
  auto identity = getIdentityMap(loops.getContext(), self.dims.size());
  auto type = guard::makeTensorType(acc, self.dims);
  Type i64 = IntegerType::get(loops.getContext(), 64);
  View counts;
  if (how.isMean || !how.includesSelf)
    counts = loops.getView(countWrites(loops, self.dims, extents, point));
  auto isTouched = [&](BodyContext body) {
    ScalarBuilder scalars(body.builder, body.loc, i64);
    return scalars.ne(loops.read(body, counts, identity),
                      scalars.constant(i64, int64_t(0)));
  };

  Value init = loops.materialize(self, acc);
  if (!how.includesSelf && !isSet) {
    View before = loops.getView(init);
    init = loops.makePointwise(
        type, acc, [&](BodyContext body, ScalarBuilder &scalars) {
          return scalars.where(isTouched(body),
                               scalars.neutral(getReduction(how.kind), acc),
                               loops.read(body, before, identity));
        });
  }
  Value joined =
      loops.makeScatter(init, extents, how.kind,
                        [&](BodyContext body) { return point(body, acc); });
  if (!how.isMean)
    return loops.materialize(loops.getView(joined), stored);
  View sums = loops.getView(joined);
  return loops.makePointwise(
      guard::makeTensorType(stored, self.dims), acc,
      [&](BodyContext body, ScalarBuilder &scalars) {
        Value sum = loops.read(body, sums, identity);
        ScalarBuilder integers(body.builder, body.loc, i64);
        Value count =
            integers.add(loops.read(body, counts, identity),
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

/// The `reduce` and `include_self` of an operator.
static std::optional<Joining> getJoining(const ScatterArgs &args) {
  auto how = getJoining(args.reduce);
  if (how)
    how->includesSelf = args.includeSelf.value_or(true);
  return how;
}

//===----------------------------------------------------------------------===//
// scatter
//===----------------------------------------------------------------------===//

static LogicalResult joinElements(LoopBuilder &loops, const ScatterArgs &args,
                                  const Joining &how) {
  Value indices = args.index;
  Type stored = loops.getResultType().getElementType();
  View self = loops.getAtLeastRow(args.self);
  View index = loops.getAtLeastRow(indices);
  int64_t rank = self.dims.size();
  int64_t at = wrapDim(args.dim.value_or(0), rank);
  if (int64_t(index.dims.size()) != rank) // an index without elements
    return loops.setReshaped(0, loops.materialize(self, stored));
  loops.checkIndex(indices, self.dims[at], /*negative=*/false);
  Value source = args.src;
  Value number = source ? Value() : args.value;
  bool isKnown = true;
  Value result = join(
      loops, self, stored, index.dims, how,
      [&](BodyContext body, Type type) -> Written {
        ScalarBuilder scalars(body.builder, body.loc, type);
        Written point;
        point.position = SmallVector<Value>(body.indices);
        point.position[at] =
            loops.toIndex(body, loops.readAt(body, index, body.indices),
                          LoopBuilder::getElement(indices), self.dims[at],
                          /*negative=*/false);
        if (source) {
          Type from = LoopBuilder::getElement(source);
          Value value =
              loops.readAt(body, loops.getAtLeastRow(source), body.indices);
          point.value = scalars.convert(value, from, type);
          return point;
        }
        Value value = loops.readNumber(body, number);
        isKnown &= bool(value);
        point.value = value ? scalars.convert(
                                  scalars.convert(value, number.getType(),
                                                  stored),
                                  stored, type)
                            : scalars.constant(type, int64_t(0));
        return point;
      });
  if (!isKnown)
    return loops.refuse("a float that only the run knows");
  return loops.setReshaped(0, result);
}

//===----------------------------------------------------------------------===//
// Slices at indices
//===----------------------------------------------------------------------===//

/// `index_add` and its like: slices of a source, or a number, go to slices.
static LogicalResult joinSlices(LoopBuilder &loops, const ScatterArgs &args,
                                const Joining &how, bool negative) {
  Value indices = args.index;
  Type stored = loops.getResultType().getElementType();
  View self = loops.getAtLeastRow(args.self);
  View index = loops.getAtLeastRow(indices);
  int64_t at = wrapDim(args.dim.value_or(0), self.dims.size());
  loops.checkIndex(indices, self.dims[at], negative);
  Exprs extents = self.dims;
  extents[at] = index.dims[0];
  Value from = args.source ? args.source : args.value;
  bool isKnown = true;
  auto getNumber = [&](BodyContext body, ScalarBuilder &scalars, Value number) {
    Value value = loops.readNumber(body, number);
    isKnown &= bool(value);
    return value ? scalars.convert(value, number.getType(), scalars.getType())
                 : scalars.constant(scalars.getType(), int64_t(0));
  };
  Value result = join(
      loops, self, stored, extents, how,
      [&](BodyContext body, Type type) -> Written {
        ScalarBuilder scalars(body.builder, body.loc, type);
        Written point;
        point.position = SmallVector<Value>(body.indices);
        point.position[at] = loops.toIndex(
            body, loops.readAt(body, index, body.indices[at]),
            LoopBuilder::getElement(indices), self.dims[at], negative);
        if (!isa<RankedTensorType>(from.getType())) {
          point.value = getNumber(body, scalars, from);
          return point;
        }
        View view = loops.getAtLeastRow(from);
        Value value = loops.read(body, view, loops.broadcast(view, extents));
        point.value =
            scalars.convert(value, LoopBuilder::getElement(from), type);
        if (args.alpha)
          point.value =
              scalars.mul(point.value, getNumber(body, scalars, args.alpha));
        return point;
      });
  if (!isKnown)
    return loops.refuse("a float that only the run knows");
  return loops.setReshaped(0, result);
}

/// Elements of the flat tensor.
LogicalResult loop::lowerPut(LoopBuilder &loops, aten::PutOp op) {
  Value indices = op.getIndex();
  Value source = op.getSource();
  Type stored = loops.getResultType().getElementType();
  View self = loops.asRow(loops.getView(op.getSelf()));
  View index = loops.asRow(loops.getView(indices));
  View values = loops.asRow(loops.getView(source));
  loops.checkIndex(indices, self.dims[0], /*negative=*/true);
  Joining how;
  if (op.getAccumulate())
    how.kind = ScatterKind::Add;
  return loops.setReshaped(
      0, join(loops, self, stored, index.dims, how,
              [&](BodyContext body, Type type) -> Written {
                ScalarBuilder scalars(body.builder, body.loc, type);
                Value at = loops.toIndex(
                    body, loops.readAt(body, index, body.indices),
                    LoopBuilder::getElement(indices), self.dims[0],
                    /*negative=*/true);
                Value value = loops.readAt(body, values, body.indices);
                return {{at},
                        scalars.convert(value, LoopBuilder::getElement(source),
                                        type),
                        {}};
              }));
}

//===----------------------------------------------------------------------===//
// index_put
//===----------------------------------------------------------------------===//

/// Where the mask is true stands the next of the values, or the only one. No
/// element is written twice, so this is read and not scattered.
static LogicalResult putMasked(LoopBuilder &loops, const IndexArgs &args,
                               Value mask, unsigned first) {
  Value values = args.values;
  Type stored = loops.getResultType().getElementType();
  View self = loops.getView(args.self);
  View source = loops.getView(values);
  unsigned rank = self.dims.size();
  unsigned width = loops.getView(mask).dims.size();
  if (!covers(loops, mask, self.dims, first) ||
      source.dims.size() > rank - width + 1)
    return loops.refuse("a mask of other sizes has no kernel");
  Selection selection = selectTrue(loops, mask);
  // The dimensions of the values, from the last, are those behind the mask,
  // the one of the selected elements, and those in front.
  unsigned behind = rank - first - width;
  int64_t counted = int64_t(source.dims.size()) - 1 - int64_t(behind);
  bool isCounted = counted >= 0 && !source.dims[counted].isConstant(1);
  ExprAttr count = isCounted ? source.dims[counted] : loops.expr(1);
  if (isCounted)
    selection.define(count);
  View flat = loops.asRow(loops.getView(mask));
  Exprs maskDims = loops.getView(mask).dims;
  ExprAttr position = loops.expr(0);
  for (unsigned i = 0; i < width; ++i)
    position = position * maskDims[i] + loops.dim(first + i);
  bool adds = args.accumulate.value_or(false);
  Type in = adds ? LoopBuilder::getComputeType(stored) : stored;
  Value result = loops.makePointwise(
      loops.getResultType(), in, [&](BodyContext body, ScalarBuilder &scalars) {
        Value at = loops.index(body, position);
        Value isTrue = selection.isSelected({body.builder, body.loc, at});
        SmallVector<Value> index;
        for (unsigned d = 0; d < source.dims.size(); ++d) {
          int64_t shifted = int64_t(d) - counted; // 0: the counted one
          if (source.dims[d].isConstant(1))
            index.push_back(loops.index(body, loops.expr(0)));
          else if (shifted == 0)
            index.push_back(selection.getPlace(body, at, count));
          else
            index.push_back(body.indices[shifted < 0 ? first + shifted
                                                     : first + width - 1 +
                                                           shifted]);
        }
        // There may be no value to read where the mask is false.
        Value zero =
            scalars.constant(LoopBuilder::getElement(values), int64_t(0));
        Value value = loops.readAt(body, source, index, isTrue, zero);
        value = scalars.convert(value, LoopBuilder::getElement(values), in);
        Value old =
            scalars.convert(loops.readAt(body, self, body.indices), stored, in);
        return scalars.where(isTrue, adds ? scalars.add(old, value) : value,
                             old);
      });
  return loops.setReshaped(0, result);
}

LogicalResult loop::lowerIndexPut(LoopBuilder &loops, const IndexArgs &args) {
  unsigned given = 0, place = 0, first = 0;
  Value mask;
  for (Value tensor : args.indices) {
    if (tensor) {
      ++given;
      first = place;
      if (isMask(tensor))
        mask = tensor;
    }
    ++place;
  }
  if (mask && given == 1)
    return putMasked(loops, args, mask, first);
  View self = loops.getView(args.self);
  auto indexed = getIndexed(loops, args.indices, self.dims, std::nullopt);
  if (!indexed)
    return loops.refuse("a mask among other indices has no kernel");
  for (auto [i, tensor] : llvm::enumerate(indexed->tensors))
    if (tensor)
      loops.checkIndex(tensor, self.dims[i], /*negative=*/true);
  // The domain has the shape that `index` would give.
  Exprs extents;
  for (unsigned i = 0; i < self.dims.size(); ++i)
    if (!indexed->tensors[i])
      extents.push_back(self.dims[i]);
  extents.insert(extents.begin() + indexed->position,
                 indexed->broadcast.begin(), indexed->broadcast.end());
  Value values = args.values;
  View source = loops.getView(values);
  while (source.dims.size() > extents.size()) // leading sizes of 1
    source = loops.reshape(source, ArrayRef(source.dims).drop_front());
  Joining how;
  how.roundsEach = true;
  if (args.accumulate.value_or(false))
    how.kind = ScatterKind::Add;
  Type stored = loops.getResultType().getElementType();
  return loops.setReshaped(
      0, join(loops, self, stored, extents, how,
              [&](BodyContext body, Type type) -> Written {
                ScalarBuilder scalars(body.builder, body.loc, type);
                Value value =
                    loops.read(body, source, loops.broadcast(source, extents));
                return {getPosition(loops, body, *indexed, self.dims),
                        scalars.convert(value, LoopBuilder::getElement(values),
                                        type),
                        {}};
              }));
}

/// The source's elements go, in order, where the mask is true.
LogicalResult loop::lowerMaskedScatter(LoopBuilder &loops,
                                       aten::MaskedScatterOp op) {
  RankedTensorType type = loops.getResultType();
  Type stored = type.getElementType();
  auto dims = *guard::getDims(type);
  Value mask = op.getMask(), from = op.getSource();
  View truth = loops.getView(mask);
  View self = loops.getView(op.getSelf());
  View source = loops.asRow(loops.getView(from));
  View flat = loops.asRow(loops.expand(truth, dims));
  Selection selection(loops, flat.dims[0], [&](BodyContext body) {
    return loops.readAt(body, flat, body.indices[0]);
  });
  ExprAttr available = source.dims[0];
  Type i64 = IntegerType::get(loops.getContext(), 64);
  loops.check(flat.dims,
              "masked_scatter: expected self and source to have "
              "the same number of selected elements",
              [&](BodyContext body) -> Value {
                ScalarBuilder scalars(body.builder, body.loc, i64);
                Value limit = arith::IndexCastOp::create(
                    body.builder, body.loc, i64, loops.index(body, available));
                return scalars.le(selection.countUpTo(body, body.indices[0]),
                                  limit);
              });
  View oldFlat = loops.asRow(loops.expand(self, dims));
  Value result = loops.makePointwise(
      guard::makeTensorType(stored, flat.dims), stored,
      [&](BodyContext body, ScalarBuilder &scalars) {
        Value isTrue = selection.isSelected(body);
        Value place = selection.getPlace(body, body.indices[0], available);
        Value zero = scalars.constant(stored, int64_t(0));
        Value value = loops.readAt(body, source, place, isTrue, zero);
        return scalars.where(isTrue, value,
                             loops.readAt(body, oldFlat, body.indices));
      });
  return loops.setReshaped(0, result);
}

//===----------------------------------------------------------------------===//
// Embeddings
//===----------------------------------------------------------------------===//

LogicalResult loop::lowerEmbeddingBackward(LoopBuilder &loops,
                                           aten::EmbeddingDenseBackwardOp op) {
  Value gradient = op.getGradOutput();
  Value indices = op.getIndices();
  View source = loops.getView(gradient), rows = loops.getView(indices);
  RankedTensorType type = loops.getResultType();
  Type stored = type.getElementType();
  auto dims = *guard::getDims(type);
  ExprAttr size = dims[0], padding = op.getPaddingIdxAttr();
  Type i64 = IntegerType::get(loops.getContext(), 64);
  auto rank = rows.dims.size();
  // The row that a point of the indices writes, and whether it does.
  auto getRow = [&](BodyContext body) -> std::pair<Value, Value> {
    Value row = loops.readAt(body, rows, body.indices.take_front(rank));
    Value condition;
    if (padding) {
      ScalarBuilder scalars(body.builder, body.loc, i64);
      Value skipped = arith::IndexCastOp::create(body.builder, body.loc, i64,
                                                 loops.index(body, padding));
      condition = scalars.ne(
          scalars.convert(row, LoopBuilder::getElement(indices), i64), skipped);
    }
    return {loops.toIndex(body, row, LoopBuilder::getElement(indices), size,
                          /*negative=*/false),
            condition};
  };
  View counts;
  if (op.getScaleGradByFreq())
    counts = loops.getView(
        countWrites(loops, size, rows.dims, [&](BodyContext body, Type) {
          auto [row, condition] = getRow(body);
          return Written{{row}, {}, condition};
        }));
  Value zeros = loops.makeZeros(type);
  Joining how;
  how.kind = ScatterKind::Add;
  how.roundsEach = true;
  return loops.setReshaped(
      0, join(loops, loops.getView(zeros), stored, source.dims, how,
              [&](BodyContext body, Type) -> Written {
                auto [row, condition] = getRow(body);
                Value value = loops.readAt(body, source, body.indices);
                if (counts.base) {
                  Type in = LoopBuilder::getComputeType(stored);
                  ScalarBuilder scalars(body.builder, body.loc, in);
                  Value count =
                      scalars.convert(loops.readAt(body, counts, row), i64, in);
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

LogicalResult loop::lowerScatter(LoopBuilder &loops, const ScatterArgs &args) {
  return joinElements(loops, args, Joining());
}

LogicalResult loop::lowerScatterAdd(LoopBuilder &loops,
                                    const ScatterArgs &args) {
  return joinElements(loops, args, getSum());
}

LogicalResult loop::lowerScatterReduce(LoopBuilder &loops,
                                       const ScatterArgs &args) {
  auto how = getJoining(args);
  return how ? joinElements(loops, args, *how)
             : loops.refuse("it is not known how values are joined");
}

LogicalResult loop::lowerIndexAdd(LoopBuilder &loops, const ScatterArgs &args) {
  return joinSlices(loops, args, getSum(), /*negative=*/false);
}

LogicalResult loop::lowerIndexCopy(LoopBuilder &loops,
                                   const ScatterArgs &args) {
  return joinSlices(loops, args, Joining(), /*negative=*/false);
}

LogicalResult loop::lowerIndexFill(LoopBuilder &loops,
                                   const ScatterArgs &args) {
  return joinSlices(loops, args, Joining(), /*negative=*/true);
}

LogicalResult loop::lowerIndexReduce(LoopBuilder &loops,
                                     const ScatterArgs &args) {
  auto how = getJoining(args);
  return how ? joinSlices(loops, args, *how, /*negative=*/false)
             : loops.refuse("it is not known how values are joined");
}
