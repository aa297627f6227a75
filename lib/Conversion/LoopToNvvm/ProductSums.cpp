//===- ProductSums.cpp - Sums over the rows of a product's tiles ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What threads have rounded of a tile lies in shared memory once more: there it
// was put to be stored by rows, or is put back. Threads read it by columns, and
// add up what the kernel's reductions make of it. By `mma.sync` a thread has a
// column of the whole tile. A warp of a warpgroup has its own 16 rows, and each
// lane of it one or two columns of what is finished together:
//
//   sum    columns, for each box of them, in registers                 (a warp
//   alone) hand   what a warp has to the others, where its rows were (once a
//   tile) join   a column of all warps of the tile, in their order, and store
//   it
//
// Rows that are outside of the result the reductions leave out themselves.
//
//===----------------------------------------------------------------------===//

#include "GridProduct.h"
#include "MatrixUnits.h"

#include "kiln/Analysis/TileSums.h"
#include "kiln/Interfaces/SumMark.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Bytes of an element of the result.
static constexpr int64_t kResultBytes = 2;

//===----------------------------------------------------------------------===//
// All units
//===----------------------------------------------------------------------===//

LogicalResult GridProductBase::describeSums() {
  llvm::append_range(tileSums, kernel.getBody().getOps<ReduceOp>());
  if (tileSums.empty())
    return success();
  auto matrix = analysis::getResultMatrix(op, shape);
  if (!matrix)
    return refuse(schedule) << "whose sums are over the rows of one matrix, "
                               "which its result is not";
  if (results.front() != op.getResult())
    return refuse(schedule) << "whose sums are of a result that is stored";
  int64_t bytes = 0;
  for (ReduceOp sum : tileSums) {
    if (!analysis::isTileSum(sum, op, *matrix, schedule.getRows()))
      return refuse(schedule)
             << "whose sums are over rows of its tiles, but one reads others";
    bytes += analysis::getTileSumBytes(sum);
  }
  if (bytes > analysis::kMostTileSumBytes)
    return refuse(schedule)
           << "whose sums of a column have " << analysis::kMostTileSumBytes
           << " bytes at most, but found " << bytes;
  return success();
}

void GridProductBase::keepResult(Value value) {
  if (!keptPlace)
    return;
  Type element =
      cast<RankedTensorType>(op.getResult().getType()).getElementType();
  auto vector = dyn_cast<VectorType>(value.getType());
  int64_t lanes = vector ? vector.getNumElements() : 1;
  LLVM::StoreOp::create(b, toMemory(value, element), keptPlace,
                        std::min<int64_t>(lanes * kResultBytes, 16));
}

SmallVector<Value> GridProductBase::getNeutralSums() {
  SmallVector<Value> all;
  for (ReduceOp sum : tileSums)
    llvm::append_range(all, identities(sum, 1));
  return all;
}

/// Where a sum is at a row and a column of a tile. Columns behind the last one
/// count as that: they are let go, and what the sums read for them is there.
Position GridProductBase::enterTileSum(ReduceOp sum, const Tile &tile,
                                       Value row, Value column) {
  Domain domain = sum.getDomain();
  Position position;
  position.extents = domain.all();
  position.dims.push_back(arith::DivUIOp::create(
      b, tile.firstRow, constantIndex(schedule.getRows())));
  column = add(tile.firstColumn, column);
  auto columns = shape.columns.extent.getConstant();
  if (!columns || *columns % schedule.getColumns() != 0)
    column = arith::MinSIOp::create(
        b, column, add(getArgument(shape.columns.extent), constantIndex(-1)));
  llvm::append_range(
      position.dims,
      delinearize(column, ArrayRef(domain.parallel).drop_front()));
  position.dims.push_back(row);
  return position;
}

/// `sums` of a column, to which some of its rows are added.
SmallVector<ShortSums, 0> GridProductBase::beginRows(ArrayRef<Value> sums) {
  SmallVector<ShortSums, 0> begun;
  for (ReduceOp sum : tileSums) {
    begun.emplace_back(*this, sum, sums.take_front(sum->getNumResults()));
    sums = sums.drop_front(sum->getNumResults());
  }
  return begun;
}

LogicalResult GridProductBase::addTileRow(const Tile &tile, Value row,
                                          Value column, Value element,
                                           MutableArrayRef<ShortSums> sums) {
  atHand = {{op.getResult(), element}};
  for (auto [sum, own] : llvm::zip_equal(tileSums, sums)) {
    BodyEmitter body(*this, enterTileSum(sum, tile, row, column));
    if (failed(own.add(body)))
      return failure();
  }
  atHand.clear();
  return success();
}

/// What `rows`, which `beginRows` has begun, are with `sums`.
LogicalResult GridProductBase::endRows(MutableArrayRef<ShortSums> rows,
                                       MutableArrayRef<Value> sums) {
  for (ShortSums &own : rows) {
    auto values = own.finish();
    if (failed(values))
      return failure();
    llvm::copy(*values, sums.begin());
    sums = sums.drop_front(values->size());
  }
  return success();
}

/// Adds `more` of the same column to `sums`.
LogicalResult GridProductBase::joinTileSums(ArrayRef<Value> more,
                                            MutableArrayRef<Value> sums) {
  for (ReduceOp sum : tileSums) {
    MutableArrayRef<Value> own = sums.take_front(sum->getNumResults());
    auto values = combine(sum, own, more.take_front(own.size()));
    if (failed(values))
      return failure();
    llvm::copy(*values, own.begin());
    sums = sums.drop_front(own.size());
    more = more.drop_front(own.size());
  }
  return success();
}

/// Stores the sums of a column of a tile, if there are both.
LogicalResult GridProductBase::storeTileSums(const Tile &tile, Value column,
                                             ArrayRef<Value> sums) {
  Value inside;
  auto check = [&](Value isThere) {
    inside = inside ? arith::AndIOp::create(b, inside, isThere).getResult()
                    : isThere;
  };
  auto columns = shape.columns.extent.getConstant();
  if (!columns || *columns % schedule.getColumns() != 0)
    check(isLess(add(tile.firstColumn, column),
                 getArgument(shape.columns.extent)));
  // The last tiles of a cluster may be behind all rows.
  if (schedule.getCluster() > 1)
    check(isLess(tile.firstRow, getArgument(shape.rows.extent)));
  return emitIf(inside, [&] {
    for (ReduceOp sum : tileSums) {
      finishAccumulators(sum, enterTileSum(sum, tile, constantIndex(0), column),
                         sums.take_front(sum->getNumResults()));
      sums = sums.drop_front(sum->getNumResults());
    }
    return success();
  });
}

//===----------------------------------------------------------------------===//
// A thread for a column
//===----------------------------------------------------------------------===//

LogicalResult GridProductEmitter::emitTileSums() {
  NVVM::Barrier0Op::create(b);
  Type element =
      cast<RankedTensorType>(op.getResult().getType()).getElementType();
  int64_t lanes = schedule.getLanes(), width = bytesOf(sumType);
  auto walk = scf::ForOp::create(
      b, thread, constantIndex(schedule.getColumns()), constantIndex(threads));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(walk.getBody()->getTerminator());
  Value column = walk.getInductionVar(), each = constantIndex(lanes);
  // Neighbours lie together, each group where its sums were.
  Value place = add(mul(arith::DivUIOp::create(b, column, each), lanes * width),
                    mul(arith::RemUIOp::create(b, column, each), kResultBytes));
  int64_t together = std::gcd(schedule.getRows(), kMostShortTerms);
  auto loop =
      scf::ForOp::create(b, constantIndex(0), constantIndex(schedule.getRows()),
                         constantIndex(together), getNeutralSums());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    auto sums = llvm::to_vector_of<Value>(loop.getRegionIterArgs());
    SmallVector<ShortSums, 0> rows = beginRows(sums);
    for (int64_t k = 0; k < together; ++k) {
      Value row = add(loop.getInductionVar(), constantIndex(k));
      Value from = getShared(add(mul(row, getSumPitch() * width), place));
      Value value = LLVM::LoadOp::create(b, element, from, kResultBytes);
      if (failed(addTileRow(tile, row, column, value, rows)))
        return failure();
    }
    if (failed(endRows(rows, sums)))
      return failure();
    scf::YieldOp::create(b, sums);
  }
  return storeTileSums(tile, column,
                       llvm::to_vector_of<Value>(loop.getResults()));
}

//===----------------------------------------------------------------------===//
// Warpgroups
//===----------------------------------------------------------------------===//

/// Adds the warp's rows of `columns` columns, from column `first` of the tile
/// on, to what its lanes have of them: `getPlace` says where in its memory a
/// row has a column, the first of those that a lane has.
LogicalResult GridWgmmaEmitter::sumRows(
    const Tile &tile, Finisher &own, int64_t first, int64_t columns,
    llvm::function_ref<Value(int64_t row, Value column)> getPlace) {
  if (tileSums.empty())
    return success();
  Type element =
      cast<RankedTensorType>(op.getResult().getType()).getElementType();
  int64_t lanes = columns / kWarp;
  auto *sums = llvm::find_if(
      own.sums, [&](const ColumnSums &each) { return each.first == first; });
  if (sums == own.sums.end()) {
    own.sums.push_back({first, {}});
    sums = &own.sums.back();
    sums->values.assign(lanes, getNeutralSums());
  }
  static_assert(kWarpRows <= kMostShortTerms);
  SmallVector<SmallVector<ShortSums, 0>, 2> rows;
  for (ArrayRef<Value> before : sums->values)
    rows.push_back(beginRows(before));
  Value begin = mul(own.lane, lanes);
  Type type = lanes == 1 ? element : VectorType::get({lanes}, element);
  for (int64_t row = 0; row < kWarpRows; ++row) {
    Value from = add(own.memory, getPlace(row, begin));
    Value loaded = LLVM::LoadOp::create(b, type, tools->getShared(toWord(from)),
                                        lanes * kResultBytes);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Value value = loaded;
      if (lanes > 1)
        value = vector::ExtractOp::create(b, loaded, ArrayRef<int64_t>{lane});
      if (failed(addTileRow(tile, add(own.firstRow, constantIndex(row)),
                            add(begin, constantIndex(first + lane)), value,
                            rows[lane])))
        return failure();
    }
  }
  for (auto [own, values] : llvm::zip_equal(rows, sums->values))
    if (failed(endRows(own, values)))
      return failure();
  return success();
}

/// Registers of a lane for what it sums up of a tile.
int64_t GridWgmmaEmitter::countTileSums() {
  int64_t bytes = 0;
  for (ReduceOp sum : tileSums)
    bytes += analysis::getTileSumBytes(sum);
  return schedule.getColumns() / kWarp * bytes / 4;
}

/// Bytes of a warp's memory for what it finishes.
int64_t GridWgmmaEmitter::getFinishedBytes() const {
  return kWarpRows *
         (stores.buffers ? stores.buffers * kChunkRow : kFinishedRow);
}

/// Where the slots of each accumulator begin among those of a warp, for so many
/// columns.
SmallVector<int64_t> GridWgmmaEmitter::getSlotPlaces(ArrayRef<Value> sums,
                                                     int64_t columns) {
  SmallVector<int64_t> places;
  int64_t begin = 0;
  for (Value sum : sums) {
    places.push_back(begin);
    begin += columns * bytesOf(sum.getType());
  }
  return places;
}

/// Waits for the other warps that have rows of the same tile.
void GridWgmmaEmitter::syncTile() {
  // The first barrier is that of the block.
  Value barrier = tools->word(1);
  if (schedule.getTurns() > 1)
    barrier = tools->add(warpgroup, barrier);
  NVVM::BarrierOp::create(b, Type(), barrier,
                          tools->word(countTileWarps() * kWarp),
                          NVVM::BarrierReductionAttr(), Value());
}

int64_t GridWgmmaEmitter::countTileWarps() const {
  int64_t groups = schedule.getTurns() > 1 ? 1 : schedule.getGroups();
  return groups * kGroupThreads / kWarp;
}

/// Joins what warps have of some columns, and stores it.
LogicalResult GridWgmmaEmitter::joinSome(const Tile &tile, const Finisher &own,
                                         ArrayRef<ColumnSums> some) {
  int64_t first = some.front().first, columns = 0;
  for (const ColumnSums &sums : some)
    columns += sums.values.size() * kWarp;
  SmallVector<Value> like = getNeutralSums();
  SmallVector<int64_t> places = getSlotPlaces(like, columns);
  auto getSlot = [&](Value memory, unsigned k, Value column) {
    int64_t bytes = bytesOf(like[k].getType());
    return tools->getShared(
        toWord(add(memory, add(mul(column, bytes), constantIndex(places[k])))));
  };
  for (const ColumnSums &sums : some)
    for (auto [lane, values] : llvm::enumerate(sums.values)) {
      Value column = add(mul(own.lane, sums.values.size()),
                         constantIndex(sums.first - first + lane));
      for (auto [k, value] : llvm::enumerate(values))
        LLVM::StoreOp::create(b, value, getSlot(own.memory, k, column));
    }
  syncTile();
  int64_t warps = countTileWarps(), threads = warps * kWarp;
  Value base = constantIndex(sumPlace), number = inGroup;
  Value group = arith::IndexCastUIOp::create(b, b.getIndexType(), warpgroup);
  if (schedule.getTurns() > 1)
    base = add(base, mul(group, warps * getFinishedBytes()));
  else
    number = add(number, mul(group, kGroupThreads));
  for (int64_t k = 0; k < columns; k += threads) {
    Value column = add(number, constantIndex(k));
    Value isOne = k + threads <= columns
                      ? Value()
                      : isLess(column, constantIndex(columns));
    if (failed(emitIf(isOne, [&]() -> LogicalResult {
          SmallVector<Value> joined;
          for (int64_t warp = 0; warp < warps; ++warp) {
            Value memory = add(base, constantIndex(warp * getFinishedBytes()));
            SmallVector<Value> values;
            for (auto [n, value] : llvm::enumerate(like))
              values.push_back(LLVM::LoadOp::create(
                  b, value.getType(), getSlot(memory, n, column)));
            if (warp == 0)
              joined = std::move(values);
            else if (failed(joinTileSums(values, joined)))
              return failure();
          }
          return storeTileSums(tile, add(column, constantIndex(first)), joined);
        })))
      return failure();
  }
  syncTile(); // What was read is written over next.
  return success();
}

/// Joins what the warps of a tile have, as much at a time as they have memory
/// for.
LogicalResult GridWgmmaEmitter::joinSums(const Tile &tile,
                                         const Finisher &own) {
  if (tileSums.empty())
    return success();
  if (stores.buffers) { // until boxes have been read
    tools->awaitStores(/*pending=*/0, /*isWritten=*/false);
    NVVM::SyncWarpOp::create(b, tools->word(-1));
  }
  int64_t bytes = 0;
  for (Value sum : getNeutralSums())
    bytes += bytesOf(sum.getType());
  int64_t most = getFinishedBytes() / bytes;
  ArrayRef<ColumnSums> left = own.sums;
  while (!left.empty()) {
    size_t count = 0;
    for (int64_t columns = 0; count < left.size(); ++count) {
      columns += left[count].values.size() * kWarp;
      if (columns > most)
        break;
    }
    if (failed(joinSome(tile, own, left.take_front(count))))
      return failure();
    left = left.drop_front(count);
  }
  return success();
}
