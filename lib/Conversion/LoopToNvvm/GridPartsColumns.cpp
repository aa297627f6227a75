//===- GridPartsColumns.cpp - Columns that are reduced in parts -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block has some vectors of neighbouring points side by side, and a part of what is reduced
// to them. Threads of a vector have elements of the part by turns, so that those of a block
// read rows as they lie in memory, and join what they have: the upper half of them hands it to
// the lower half through shared memory, until the first one has it all. A block stores one part
// of its points, so another function has few of them to combine. It does so in the same way,
// with a thread for a point and some of its parts. Where there is one part, that is all.
//
//===----------------------------------------------------------------------===//

#include "GridParts.h"

#include "kiln/Dialect/Loop/IR/KernelModule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Elements of a column that a thread reads at a time.
static constexpr int64_t kUnrolled = 4;
/// Numbers of parts that are read at a time where a thread joins them.
static constexpr int64_t kJoinedAtOnce = 16;

//===----------------------------------------------------------------------===//
// Threads of the same points
//===----------------------------------------------------------------------===//

GridPartsEmitter::Place GridPartsEmitter::getPlaceInBlock(int64_t columns) {
  Value count = constantIndex(columns);
  return {columns, parts.getThreads() / columns,
          arith::RemUIOp::create(b, lane, count),
          arith::DivUIOp::create(b, lane, count)};
}

/// What `body` makes of `sums` for `first`, `first + step` and so on, before `end`. Loads of
/// `count` of them are under way before the first is added: otherwise a thread waits for
/// memory once for each few. There may be none, and `first` behind `end`.
FailureOr<SmallVector<Value>> GridPartsEmitter::emitStrided(
    Value first, Value end, int64_t step, int64_t count, ArrayRef<Value> sums,
    llvm::function_ref<Sums(Value, ArrayRef<Value>)> body) {
  int64_t together = count * step;
  Value size = arith::MaxSIOp::create(
      b, arith::SubIOp::create(b, end, first), constantIndex(0));
  Value whole =
      add(first, mul(arith::DivUIOp::create(b, size, constantIndex(together)),
                     together));
  auto reduced = emitFor(
      first, whole, together, sums,
      [&](Value number, ArrayRef<Value> before) {
        Sums values = llvm::to_vector(before);
        for (int64_t k = 0; k < count && succeeded(values); ++k)
          values = body(add(number, constantIndex(k * step)), *values);
        return values;
      });
  return failed(reduced) ? reduced : emitFor(whole, end, step, *reduced, body);
}

/// Goes on with what all threads of a column have of a point, in the first of them if the
/// point is one.
LogicalResult
GridPartsEmitter::finishFirst(Sums sums, const Place &place, Value isInside,
                             llvm::function_ref<LogicalResult(ArrayRef<Value>)> body) {
  if (failed(sums) || failed(joinColumns(reductions, *sums, place)))
    return failure();
  Value isFirst = isLess(place.row, constantIndex(1));
  return emitIf(arith::AndIOp::create(b, isInside, isFirst),
                [&] { return body(*sums); });
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// What a thread reduces of a part.
FailureOr<SmallVector<Value>>
GridPartsEmitter::reduceColumn(const Position &position, Value part,
                               const Place &place) {
  auto [begin, end] = getBounds(part, 1);
  // Threads that are left over have nothing.
  Value first = arith::SelectOp::create(
      b, isLess(place.row, constantIndex(place.deep)), add(begin, place.row),
      end);
  return emitStrided(first, end, place.deep, kUnrolled,
                   getNeutral(position.lanes),
                   [&](Value element, ArrayRef<Value> before) {
                     return accumulateAll(enterReduced(position, element, 1),
                                          before);
                   });
}

LogicalResult GridPartsEmitter::reduceColumns() {
  int64_t lanes = parts.getLanes();
  ExprAttr vectors = guard::getConstant(context, 1);
  SmallVector<ExprAttr> counts = sharedExtents; // of vectors
  if (!counts.empty()) {
    ExprAttr last = counts.back();
    auto size = last.getConstant();
    if (lanes > 1 && (!size || *size % lanes != 0))
      return refuse(parts) << "because " << lanes << " lanes do not divide '"
                           << last.str() << "'";
    counts.back() = guard::floorDiv(last, lanes);
    vectors = guard::product(context, counts);
  } else if (lanes > 1) {
    return refuse(parts) << "because there is one point";
  }
  ExprAttr tiles = guard::ceilDiv(vectors, parts.getColumns());
  blocks = tiles * parts.getParts();
  Place place = getPlaceInBlock(parts.getColumns());
  Value count = getArgument(tiles), all = getArgument(vectors);
  Value part = arith::DivUIOp::create(b, block, count);
  Value vector = add(mul(arith::RemUIOp::create(b, block, count), place.columns),
                     place.column);
  Value isInside = isLess(vector, all);
  // Threads beside the last vector reduce that as well, and let it go.
  vector = arith::MinSIOp::create(
      b, vector, arith::SubIOp::create(b, all, constantIndex(1)));
  Position position;
  position.extents = sharedExtents;
  position.dims = delinearize(vector, counts);
  if (lanes > 1) {
    position.dims.back() = mul(position.dims.back(), lanes);
    position.vectorDim = position.dims.size() - 1;
    position.lanes = position.multiple = lanes;
  }
  return finishFirst(reduceColumn(position, part, place), place, isInside,
                    [&](ArrayRef<Value> sums) {
                      if (parts.getParts() == 1)
                        return finishPoint(position, sums);
                      storePart(position, part, sums);
                      return success();
                    });
}

//===----------------------------------------------------------------------===//
// Their combination
//===----------------------------------------------------------------------===//

/// What parts `first`, `first + step`, ... have of a point, in their order.
FailureOr<SmallVector<Value>>
GridPartsEmitter::joinParts(const Position &position, Value first,
                            int64_t step) {
  int64_t count = std::max<int64_t>(kJoinedAtOnce / partials.size(), 1);
  return emitStrided(first, constantIndex(parts.getParts()), step, count,
                   getNeutral(1), [&](Value part, ArrayRef<Value> before) {
                     return addPart(position, part, before);
                   });
}

LogicalResult GridPartsEmitter::combineInOrder() {
  return emitForItem(guard::product(context, sharedExtents),
                     [&]() -> LogicalResult {
    Position position;
    position.dims = delinearize(item, sharedExtents);
    position.extents = sharedExtents;
    auto sums = joinParts(position, constantIndex(0), 1);
    return failed(sums) ? failure() : finishPoint(position, *sums);
  });
}

LogicalResult GridPartsEmitter::combineColumns() {
  ExprAttr points = guard::product(context, sharedExtents);
  Place place = getPlaceInBlock(std::min(kWarp, parts.getThreads()));
  blocks = guard::ceilDiv(points, place.columns);
  Value point = add(mul(block, place.columns), place.column);
  Value all = getArgument(points);
  Value isInside = isLess(point, all);
  point = arith::MinSIOp::create(
      b, point, arith::SubIOp::create(b, all, constantIndex(1)));
  Position position;
  position.dims = delinearize(point, sharedExtents);
  position.extents = sharedExtents;
  return finishFirst(
      joinParts(position, place.row, place.deep), place, isInside,
      [&](ArrayRef<Value> sums) { return finishPoint(position, sums); });
}
