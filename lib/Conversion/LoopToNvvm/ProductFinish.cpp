//===- ProductFinish.cpp - From sums of warpgroups to the result ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp has 16 rows of sums: thread t pairs of neighbours in rows t / 4 and t / 4 + 8.
// Some columns at a time go through memory of the warp's own, so that its threads have
// neighbours in the result that they can store together:
//
//   packed   pairs are finished where they are and go as 16 bits, by `stmatrix`, one
//            result after the other; from there the copy engine takes them where it
//            can (ProductStores.cpp)
//   wide     sums go, and what the epilogue reads for a row of its own is under way
//            before there are any
//
//===----------------------------------------------------------------------===//

#include "GridProduct.h"
#include "MatrixUnits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Columns of sums in shared memory at a time, bytes of one, and elements from row to row.
static constexpr int64_t kWideColumns = 32, kWide = 4,
                         kWidePitch = kFinishedRow / kWide;
/// Bytes of an element of the result.
static constexpr int64_t kPacked = 2;
static_assert(kPackedPitch * kPacked <= kFinishedRow &&
              kWidePitch > kWideColumns);
/// Elements of 16 bits that a thread stores at a time, and rows and columns of the block
/// that `stmatrix` writes.
static constexpr int64_t kTogether16 = 8, kBlock = 16;
/// Steps of a sum that are too few for the longer code of rows that begin anywhere.
static constexpr int64_t kShortSteps = 8;
/// Vectors of sums that a thread finishes at a time: what the epilogue reads for one
/// is under way while another waits.
static constexpr int64_t kVectorsTogether = 4;
/// Registers for what is read before there are sums, and columns' worth of it, at most.
static constexpr int64_t kAheadRegisters = 48, kMostAhead = 2;

GridWgmmaEmitter::Finisher GridWgmmaEmitter::getFinisher() {
  Finisher own;
  own.lane = arith::RemUIOp::create(b, thread, constantIndex(kWarp));
  Value warp = arith::DivUIOp::create(b, inGroup, constantIndex(kWarp));
  Value number = arith::SubIOp::create(
      b, arith::DivUIOp::create(b, thread, constantIndex(kWarp)),
      constantIndex(kGroupThreads / kWarp));
  own.memory = add(mul(number, getFinishedBytes()), constantIndex(sumPlace));
  own.firstRow = mul(warp, kWarpRows);
  if (schedule.getTurns() == 1) {
    Value group = arith::IndexCastUIOp::create(b, b.getIndexType(), warpgroup);
    own.firstRow = add(mul(group, kGroupRows), own.firstRow);
  }
  Value four = constantIndex(4);
  own.row = arith::DivUIOp::create(b, own.lane, four);
  own.column = mul(arith::RemUIOp::create(b, own.lane, four), 2);
  return own;
}

LogicalResult GridWgmmaEmitter::finishTile(const Tile &tile, ValueRange sums,
                                           llvm::function_ref<void()> release) {
  Finisher own = getFinisher();
  if (stores.buffers)
    own.matrix = getMatrixPlace(stores.boxes, tile);
  size_t count = schedule.getColumns() / 2;
  SmallVector<Value> values; // of all parts, which are complete together
  for (int64_t part = 0; part < schedule.getGroupParts(); ++part) {
    auto getSums = [&]() {
      if (values.empty()) {
        values = complete(sums);
        release();
      }
      return SmallVector<Value>(ArrayRef(values).slice(part * count, count));
    };
    if (failed(canPack() ? finishPacked(tile, own, getSums())
                         : finishWide(tile, own, getSums)))
      return failure();
    own.firstRow = add(own.firstRow, constantIndex(kGroupRows));
  }
  return joinSums(tile, own);
}

//===----------------------------------------------------------------------===//
// Packed
//===----------------------------------------------------------------------===//

bool GridWgmmaEmitter::isShifted() const {
  return stores.buffers == 0 && schedule.getLanes() < kTogether16;
}

bool GridWgmmaEmitter::has16Bits() {
  return llvm::all_of(results, [](Value each) {
    Type element = cast<RankedTensorType>(each.getType()).getElementType();
    return element.isBF16() || element.isF16();
  });
}

/// Pairs of neighbours would read a row of the epilogue's operands four bytes at a time.
/// Tiles of a single step are all stores: where threads store them, wide ones spread these
/// better over their time.
bool GridWgmmaEmitter::canPack() {
  if (stores.buffers)
    return true;
  auto sum = shape.sum.extent.getConstant();
  if (sum && *sum <= schedule.getSum() * (isShifted() ? kShortSteps : 1))
    return false;
  return has16Bits() && schedule.getLanes() <= kTogether16 &&
         schedule.getSplit() == 1 &&
         (isShifted() ? canShift() : readsAcrossAlone());
}

/// This thread's pairs of `columns` columns, from column `first` of the tile on, as words
/// that `stmatrix` writes: those of each block follow each other.
FailureOr<GridWgmmaEmitter::Words>
GridWgmmaEmitter::finishPairs(const Tile &tile, const Finisher &own,
                              ArrayRef<Value> sums, int64_t first,
                              int64_t columns) {
  auto pair = VectorType::get({2}, sumType);
  // What the epilogue reads for rows and columns that are outside it reads for the last ones.
  auto getLast = [&](ExprAttr extent, int64_t tile, int64_t count) -> Value {
    auto constant = extent.getConstant();
    if (constant && *constant % tile == 0)
      return {};
    return arith::SubIOp::create(b, getArgument(extent), constantIndex(count));
  };
  Value last, lastRow;
  if (!getFinishLoads().empty())
    last = getLast(shape.columns.extent, schedule.getColumns(), 2);
  if (!readsAcrossAlone())
    lastRow = getLast(shape.rows.extent,
                      schedule.getRows() * schedule.getCluster(), 1);
  Words words(results.size());
  for (int64_t column = first; column < first + columns; column += 8)
    for (int64_t below : {0, 1}) {
      Value at = add(tile.firstColumn, add(own.column, constantIndex(column)));
      Value row = add(own.firstRow, add(own.row, constantIndex(below * 8)));
      row = add(tile.firstRow, row);
      if (last)
        at = arith::MinSIOp::create(b, at, last);
      if (lastRow)
        row = arith::MinSIOp::create(b, row, lastRow);
      Position position = enterVector(tile.matrix, row, at, 2);
      Value value = vector::FromElementsOp::create(
          b, pair, sums.slice(column / 2 + below * 2, 2));
      FailureOr<SmallVector<Value>> values = evaluateAll(position, value);
      if (failed(values))
        return failure();
      for (auto [tensor, value, own] : llvm::zip_equal(results, *values, words))
        own.push_back(LLVM::BitcastOp::create(
            b, b.getI32Type(),
            toMemory(value, buffers.find(tensor)->second.elementType)));
    }
  return words;
}

LogicalResult GridWgmmaEmitter::finishPacked(const Tile &tile, Finisher &own,
                                             ArrayRef<Value> sums) {
  Value sixteen = constantIndex(kBlock);
  // Threads 0..7 say where the rows of the first of four matrices are, 8..15 of the
  // second, below it, 16..23 of that beside the first, ...
  Value row = arith::RemUIOp::create(b, own.lane, sixteen);
  Value beside = arith::DivUIOp::create(b, own.lane, sixteen);
  Value block = add(own.memory,
                    mul(add(mul(row, kPackedPitch), mul(beside, 8)), kPacked));
  if (isShifted()) // behind what is kept of the columns before
    block = add(block, constantIndex(kTogether16 * kPacked));
  Value unit = stores.buffers ? getBoxUnit(own) : Value();
  for (int64_t first = 0; first < schedule.getColumns();
       first += kPackedColumns) {
    int64_t columns = std::min(kPackedColumns, schedule.getColumns() - first);
    auto words = finishPairs(tile, own, sums, first, columns);
    if (failed(words))
      return failure();
    for (unsigned number = 0; number < results.size(); ++number) {
      if (stores.buffers)
        awaitBox(own);
      for (int64_t k = 0; k < columns; k += kBlock) {
        Value more = constantIndex(k * kPacked);
        // Units of a box are exchanged within eight rows.
        Value place = stores.buffers ? add(getBox(own),
                                           arith::XOrIOp::create(b, unit, more))
                                     : add(block, more);
        NVVM::StMatrixOp::create(b, tools->getShared(toWord(place)),
                                 ArrayRef((*words)[number]).slice(k / 4, 4),
                                 NVVM::MMALayout::row,
                                 NVVM::LdStMatrixShapeAttr::get(context, 8, 8),
                                 NVVM::LdStMatrixEltType::B16);
      }
      if (failed(storeColumns(tile, own, number, first, columns)))
        return failure();
    }
  }
  return success();
}

/// Stores `columns` columns that the warp has packed of result `number`, and
/// sums up those of the product.
LogicalResult GridWgmmaEmitter::storeColumns(const Tile &tile, Finisher &own,
                                             unsigned number, int64_t first,
                                             int64_t columns) {
  auto sum = [&] {
    return number == 0 ? sumPacked(tile, own, first, columns) : success();
  };
  if (stores.buffers) {
    storeBox(stores.maps[number], tile, own, first);
    LogicalResult summed = sum();
    ++own.box;
    return summed;
  }
  NVVM::SyncWarpOp::create(b, tools->word(-1));
  if (failed(sum()))
    return failure();
  if (isShifted())
    storeShifted(tile, own, first, columns);
  else
    storePacked(results[number], tile, own, first, columns);
  NVVM::SyncWarpOp::create(b, tools->word(-1));
  return success();
}

/// Sums up `columns` columns that the warp has packed.
LogicalResult GridWgmmaEmitter::sumPacked(const Tile &tile, Finisher &own,
                                          int64_t first, int64_t columns) {
  return sumRows(tile, own, first, columns,
                 [&](int64_t row, Value column) -> Value {
                   Value bytes = mul(column, kPacked);
                   if (stores.buffers)
                     return getPlaceInBox(own, row, bytes);
                   int64_t before = isShifted() ? kTogether16 : 0;
                   return add(bytes, constantIndex((row * kPackedPitch + before) *
                                                   kPacked));
                 });
}

/// Stores `columns` columns of the warp's rows, from column `first` of the tile on.
void GridWgmmaEmitter::storePacked(Value tensor, const Tile &tile,
                                   const Finisher &own, int64_t first,
                                   int64_t columns) {
  auto vector =
      VectorType::get({kTogether16}, buffers.find(tensor)->second.elementType);
  Value perRow = constantIndex(columns / kTogether16);
  for (int64_t k = 0; k < kWarpRows * columns / kTogether16; k += kWarp) {
    Value number = add(own.lane, constantIndex(k));
    Value row = arith::DivUIOp::create(b, number, perRow);
    Value column = mul(arith::RemUIOp::create(b, number, perRow), kTogether16);
    Value from =
        add(own.memory, mul(add(mul(row, kPackedPitch), column), kPacked));
    row = add(tile.firstRow, add(own.firstRow, row));
    Value at = add(tile.firstColumn, add(column, constantIndex(first)));
    (void)emitIf(isInside(row, at), [&] {
      Value value = LLVM::LoadOp::create(
          b, vector, tools->getShared(toWord(from)), kTogether16 * kPacked);
      storeOne(tensor, enterVector(tile.matrix, row, at, kTogether16), value);
      return success();
    });
  }
}

//===----------------------------------------------------------------------===//
// Wide
//===----------------------------------------------------------------------===//

/// The columns' worth of what `loads` read that is read before there are sums,
/// in so much of `room` registers.
static int64_t countAhead(ArrayRef<LoadOp> loads, int64_t lanes,
                          int64_t vectors, int64_t room) {
  if (vectors > kVectorsTogether)
    return 0;
  int64_t registers = 0;
  for (LoadOp load : loads)
    registers += llvm::divideCeil(
                     lanes * bytesOf(getBodyType(cast<RankedTensorType>(
                                                     load.getTensor().getType())
                                                     .getElementType())),
                     4) *
                 vectors;
  if (registers == 0)
    return 0;
  return std::min(std::clamp<int64_t>(room, 0, kAheadRegisters) / registers,
                  kMostAhead);
}

/// True if neighbours along the last dimension of a side are neighbours in the result.
static bool hasNeighbours(const analysis::DimGroup &side) {
  return !side.runs.empty() && side.runs.back().steps[2] &&
         side.runs.back().steps[2].isConstant(1);
}

LogicalResult GridWgmmaEmitter::finishWide(
    const Tile &tile, Finisher &own,
    llvm::function_ref<SmallVector<Value>()> getSums) {
  int64_t lanes = schedule.getLanes(), columns = schedule.getColumns();
  int64_t vectors = kWarpRows * kWideColumns / lanes;
  int64_t together = std::min(vectors / kWarp, kVectorsTogether);
  Value perRow = constantIndex(kWideColumns / lanes);
  auto pair = VectorType::get({2}, sumType);
  Type type = lanes == 1 ? sumType : VectorType::get({lanes}, sumType);
  // Where vector `number` of those that are in shared memory is. Threads beside each other
  // have neighbours of the result: those of an image with its channels first are rows.
  bool areDown = lanes == 1 && schedule.getSplit() == 1 &&
                 hasNeighbours(shape.rows) &&
                 !hasNeighbours(shape.columns);
  auto enter = [&](Value number) -> std::pair<Value, Value> {
    if (areDown)
      return {arith::RemUIOp::create(b, number, constantIndex(kWarpRows)),
              arith::DivUIOp::create(b, number, constantIndex(kWarpRows))};
    return {arith::DivUIOp::create(b, number, perRow),
            mul(arith::RemUIOp::create(b, number, perRow), lanes)};
  };
  auto finish = [&](Value number, int64_t first) {
    auto [row, column] = enter(number);
    Value from = add(own.memory, mul(add(mul(row, kWidePitch), column), kWide));
    LogicalResult finished = finishInside(
        tile, add(own.firstRow, row), add(column, constantIndex(first)),
        [&]() -> Value {
          Value place = tools->getShared(toWord(from));
          if (!tileSums.empty())
            keptPlace = place;
          return LLVM::LoadOp::create(b, type, place,
                                      std::min<int64_t>(lanes * kWide, 16));
        });
    keptPlace = {};
    return finished;
  };
  // Neighbours that were finished together lie together, where their sums were.
  auto getKept = [&](int64_t row, Value column) -> Value {
    Value each = constantIndex(lanes);
    return add(constantIndex(row * kWidePitch * kWide),
               add(mul(arith::DivUIOp::create(b, column, each), lanes * kWide),
                   mul(arith::RemUIOp::create(b, column, each), kPacked)));
  };
  int64_t aheadOf = schedule.getSplit() == 1
                        ? countAhead(getFinishLoads(), lanes, vectors / kWarp,
                                     countManyRegisters() - countSums() -
                                         countTileSums() - kOtherRegisters) *
                              kWideColumns
                        : 0;
  SmallVector<Ahead> read;
  auto readColumns = [&](int64_t first) {
    for (int64_t k = 0; first < columns && k < vectors; k += kWarp) {
      auto [row, column] = enter(add(own.lane, constantIndex(k)));
      read.push_back(readAhead(tile, add(own.firstRow, row),
                               add(column, constantIndex(first))));
    }
  };
  for (int64_t first = 0; first < aheadOf; first += kWideColumns)
    readColumns(first);
  SmallVector<Value> values = getSums();
  Value place =
      add(own.memory, mul(add(mul(own.row, kWidePitch), own.column), kWide));
  for (int64_t first = 0, vector = 0; first < columns; first += kWideColumns) {
    for (int64_t k = 0; k < kWideColumns; k += 8)
      for (int64_t below : {0, 1}) {
        Value value = vector::FromElementsOp::create(
            b, pair, ArrayRef(values).slice((first + k) / 2 + below * 2, 2));
        int64_t more = (below * 8 * kWidePitch + k) * kWide;
        LLVM::StoreOp::create(
            b, value, tools->getShared(toWord(add(place, constantIndex(more)))),
            2 * kWide);
      }
    NVVM::SyncWarpOp::create(b, tools->word(-1));
    if (aheadOf != 0) {
      readColumns(first + aheadOf);
      for (int64_t k = 0; k < vectors; k += kWarp) {
        ahead = read[vector++];
        LogicalResult finished = finish(add(own.lane, constantIndex(k)), first);
        ahead.clear();
        if (failed(finished))
          return failure();
      }
    } else {
      auto loop = scf::ForOp::create(b, own.lane, constantIndex(vectors),
                                     constantIndex(kWarp * together));
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(loop.getBody()->getTerminator());
      for (int64_t k = 0; k < together; ++k)
        if (failed(finish(add(loop.getInductionVar(), constantIndex(k * kWarp)),
                          first)))
          return failure();
    }
    NVVM::SyncWarpOp::create(b, tools->word(-1));
    if (failed(sumRows(tile, own, first, kWideColumns, getKept)))
      return failure();
    if (!tileSums.empty())
      NVVM::SyncWarpOp::create(b, tools->word(-1));
  }
  return success();
}
