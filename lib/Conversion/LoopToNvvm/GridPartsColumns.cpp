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
#include "kiln/Emission/ShortSums.h"
#include "kiln/Interfaces/SumMark.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Elements of a column that a thread reads at a time.
static constexpr int64_t kRowsAtOnce = 4;
/// Those of a short sum, at most, and how many loads they make.
static constexpr int64_t kRowsOfShortSums = 8, kLoadsOfShortSums = 12;
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

/// What `body` makes of `sums` for `first`, `first + step` and so on, before `end`, `count`
/// of them together: otherwise a thread waits for memory once for each. There may be none,
/// and `first` behind `end`. Of the last ones some are no more: these are others, once again.
FailureOr<SmallVector<Value>> GridPartsEmitter::emitStrided(
    Value first, Value end, int64_t step, int64_t count, ArrayRef<Value> sums,
    llvm::function_ref<Sums(const Batch &, ArrayRef<Value>)> body) {
  int64_t together = count * step;
  Value size = arith::MaxSIOp::create(
      b, arith::SubIOp::create(b, end, first), constantIndex(0));
  Value whole =
      add(first, mul(arith::DivUIOp::create(b, size, constantIndex(together)),
                     together));
  auto getBatch = [&](Value number, Value last) {
    Batch batch;
    for (int64_t k = 0; k < count; ++k) {
      Value own = add(number, constantIndex(k * step)), inside;
      if (last && k > 0) {
        inside = isLess(own, end);
        own = arith::MinSIOp::create(b, own, last);
      }
      batch.numbers.push_back(own);
      batch.inside.push_back(inside);
    }
    return batch;
  };
  auto reduced = emitFor(first, whole, together, sums,
                         [&](Value number, ArrayRef<Value> before) {
                           return body(getBatch(number, {}), before);
                         });
  if (failed(reduced) || together == 1)
    return reduced;
  Value last = add(end, constantIndex(-1));
  return emitFor(whole, end, together, *reduced,
                 [&](Value number, ArrayRef<Value> before) {
                   return body(getBatch(number, last), before);
                 });
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

/// Elements of a column that a thread has under way. Short sums are the fewer the longer they
/// are, as far as registers hold what they read.
int64_t GridPartsEmitter::countRowsAtOnce() {
  if (llvm::none_of(reductions, [](ReduceOp op) { return hasShortSums(op); }))
    return kRowsAtOnce;
  llvm::SmallDenseSet<Value> read;
  for (ReduceOp op : reductions) {
    unsigned points = op.getDomain().parallel.size();
    op.getBody().walk([&](LoadOp load) {
      bool isOfPoint = llvm::all_of(load.getIndices(), [&](Value index) {
        auto argument = dyn_cast<BlockArgument>(index);
        return argument && argument.getArgNumber() < points;
      });
      if (!isOfPoint)
        read.insert(load.getTensor());
    });
  }
  static_assert(kRowsOfShortSums <= kMostShortTerms);
  int64_t loads = std::max<int64_t>(read.size(), 1);
  return std::clamp<int64_t>(kLoadsOfShortSums / loads, 1, kRowsOfShortSums);
}

/// Joins what all reductions have at these positions with `sums`, one after the other.
FailureOr<SmallVector<Value>>
GridPartsEmitter::accumulateRows(ArrayRef<Position> rows, ArrayRef<Value> inside,
                                 ArrayRef<Value> sums) {
  SmallVector<BodyEmitter, 0> bodies; // of each row, of each reduction
  for (const Position &row : rows)
    for (ReduceOp op : reductions)
      if (failed(bodies.emplace_back(*this, row).emitLoads(
              op.getBody().front())))
        return failure();
  SmallVector<ShortSums> all;
  (void)forEachReduction(sums, [&](ReduceOp op, ArrayRef<Value> before, unsigned) {
    all.emplace_back(*this, op, before);
    return Sums(llvm::to_vector(before));
  });
  for (auto [k, body] : llvm::enumerate(bodies))
    if (failed(all[k % all.size()].add(body, inside[k / all.size()])))
      return failure();
  SmallVector<Value> joined;
  for (ShortSums &own : all) {
    Sums values = own.finish();
    if (failed(values))
      return failure();
    llvm::append_range(joined, *values);
  }
  return joined;
}

/// What a thread reduces of a part.
FailureOr<SmallVector<Value>>
GridPartsEmitter::reduceColumn(const Position &position, Value part,
                               const Place &place) {
  auto [begin, end] = getBounds(part, 1);
  // Threads that are left over have nothing.
  Value first = arith::SelectOp::create(
      b, isLess(place.row, constantIndex(place.deep)), add(begin, place.row),
      end);
  return emitStrided(
      first, end, place.deep, countRowsAtOnce(), getNeutral(position.lanes),
      [&](const Batch &batch, ArrayRef<Value> before) {
        SmallVector<Position> rows;
        for (Value element : batch.numbers)
          rows.push_back(enterReduced(position, element, 1));
        return accumulateRows(rows, batch.inside, before);
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
  return emitStrided(
      first, constantIndex(parts.getParts()), step, count, getNeutral(1),
      [&](const Batch &batch, ArrayRef<Value> before) -> Sums {
        SmallVector<SmallVector<Value>> loaded;
        for (Value part : batch.numbers)
          loaded.push_back(loadPart(position, part));
        Sums sums = llvm::to_vector(before);
        for (auto [part, inside] : llvm::zip_equal(loaded, batch.inside)) {
          Sums joined = addPart(*sums, part);
          if (failed(joined))
            return failure();
          for (auto [sum, value] : llvm::zip_equal(*sums, *joined))
            sum = inside ? arith::SelectOp::create(b, inside, value, sum).getResult()
                         : value;
        }
        return sums;
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
