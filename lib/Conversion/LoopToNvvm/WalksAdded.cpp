//===- WalksAdded.cpp - Sums over columns that walks over rows add --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block has columns, and walks rows for sums over the rows. The weights that it makes for
// one of them are those of the sum over the columns, too: its part of that is added to
// memory, as FlashAttention-2 adds up the gradient of queries. Scores and weights are
// computed once then, five products for the backward of attention instead of seven.
//
//   clear   f32 of all rows, in a function of its own
//   store   weights of a tile to shared memory, with rows where columns were in registers
//   begin   those of all warpgroups times what the block keeps, one tile later, so that
//           warpgroups need not be at the same place; each has some of the result
//   add     what a warp has of it, by way of shared memory and the copy engine, which adds
//           while threads go on
//   finish  the sums' epilogue, in a function of its own
//
// Of two tiles of weights one is read while the other is written; at the end of a tile a
// warpgroup arrives at a barrier, which others wait for before they do either.
//
// Memory has the sums as threads do: of each 64 rows what each warp has, by eight columns
// four of each thread.
//
//===----------------------------------------------------------------------===//

#include "GridWalks.h"
#include "MatrixUnits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Columns of a chunk, and bytes of what a thread, and a warp, has of eight columns.
static constexpr int64_t kChunkColumns = kChunkRow / 2, kThreadBytes = 16,
                         kWarpBytes = kThreadBytes * kWarp;
/// Warps of a warpgroup.
static constexpr int64_t kGroupWarps = kGroupThreads / kWarp;
/// Bytes of eight columns of a row of weights, and rows that `stmatrix` stores at once.
static constexpr int64_t kUnitBytes = 16, kMatrixRows = 8;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void GridWalksEmitter::findAdded() {
  added = llvm::find_if(
      walks.sums, [](const Sum &sum) { return !sum.product.overRows; });
}

/// By eight, as whole chunks have them.
int64_t GridWalksEmitter::countAddedColumns() const {
  int64_t width = *added->inner().extent.getConstant();
  return llvm::alignTo(width, kChunkColumns) / kMmaColumns;
}

void GridWalksEmitter::bindAdded() {
  ExprAttr tiles = guard::ceilDiv(sharedExtents.back(), kGroupRows);
  ExprAttr points = guard::product(
      context, llvm::to_vector(ArrayRef(sharedExtents).drop_back()));
  addedBytes =
      points * tiles * (countAddedColumns() * kGroupWarps * kWarpBytes);
  reached.push_back(addedBytes);
  addedMemory = allocateScratch(addedBytes);
}

/// What warp number `warp` has of 64 rows of the block's point; warps of the first columns
/// come first.
Value GridWalksEmitter::getAddedPlace(Value rows, Value warp, int64_t columns) {
  Value place = constantIndex(0);
  for (auto [dim, extent] :
       llvm::zip(ArrayRef(point.dims).drop_back(), sharedExtents))
    place = add(mulExpr(place, extent), dim);
  place = add(
      mulExpr(place, guard::ceilDiv(sharedExtents.back(), kGroupRows)), rows);
  place = mul(place, countAddedColumns() * kGroupWarps * kWarpBytes);
  place = add(place, mul(warp, columns * kWarpBytes));
  Value bytes = arith::IndexCastOp::create(b, b.getI64Type(), place);
  return LLVM::GEPOp::create(b, addedMemory.getType(), b.getI8Type(),
                             addedMemory, ArrayRef<LLVM::GEPArg>{bytes});
}

//===----------------------------------------------------------------------===//
// The walk over rows
//===----------------------------------------------------------------------===//

/// Stores weights of the warpgroup's columns, as `wgmma` has them on its left, to a chunk
/// whose rows are those of the tile.
void GridWgmmaWalksEmitter::storeWeights(ArrayRef<Value> words, Value place) {
  auto part = [&](int64_t from, int64_t count) {
    return toWord(bits(from, count, 1));
  };
  // Matrices are two next to each other in columns, and two in rows.
  Value row = part(0, 3), beside = part(3, 1), below = part(4, 1),
        warp = part(5, 2);
  Value unit = arith::XOrIOp::create(
      b, tools->add(tools->mul(warp, 2), beside), row);
  Value rows = tools->add(tools->mul(below, kMatrixRows), row);
  Value own =
      tools->add(tools->mul(warpgroup, schedule.getColumns() * kChunkRow),
                 tools->add(tools->mul(rows, kChunkRow),
                            tools->mul(unit, kUnitBytes)));
  for (size_t k = 0; k < words.size(); k += 4)
    NVVM::StMatrixOp::create(
        b,
        tools->getShared(tools->add(
            tools->add(place, own),
            tools->word(k / 4 * 2 * kMatrixRows * kChunkRow))),
        words.slice(k, 4), NVVM::MMALayout::col,
        NVVM::LdStMatrixShapeAttr::get(context, 8, 8),
        NVVM::LdStMatrixEltType::B16);
  tools->fenceWrites();
}

/// Where weights of a tile are, by whether its number in the walk is odd.
Value GridWgmmaWalksEmitter::getWeightsPlace(Value odd) {
  int64_t bytes =
      schedule.getRows() / kGroupRows * schedule.getColumns() * kChunkRow;
  return tools->add(tools->mul(odd, bytes), tools->word(addedPlace));
}

/// Begins to multiply a tile's weights, of all warpgroups, by what the block keeps.
SmallVector<Value> GridWgmmaWalksEmitter::beginAdded(Value odd) {
  int64_t readers = schedule.getRows() / kGroupRows;
  int64_t chunk = schedule.getColumns() * kChunkRow;
  Value place = getWeightsPlace(odd);
  int64_t columns = countAddedColumns() * kMmaColumns / readers;
  const Operand &kept =
      staying[sumOperands[added - walks.sums.begin()]].operand;
  // Some columns of a chunk, or whole chunks.
  int64_t apart =
      columns < kChunkColumns
          ? columns * kWidth
          : columns / kChunkColumns * schedule.getRows() * kChunkRow;
  Value left = tools->getDescriptor(place, /*leading=*/kUnitBytes);
  Value right = tools->getDescriptor(
      tools->add(tools->mul(warpgroup, apart), tools->word(kept.place)),
      /*leading=*/schedule.getRows() * kChunkRow);
  int64_t count = columns / 2;
  auto type = LLVM::LLVMStructType::getLiteral(
      context, SmallVector<Type>(count, b.getF32Type()));
  Value sums = LLVM::PoisonOp::create(b, type);
  constexpr int64_t steps = kChunkRow / kChunkStep;
  tools->fence();
  for (int64_t k = 0; k < schedule.getRows() / kMmaSum; ++k)
    sums = tools->multiply(
        sums, tools->advance(left, k / steps * chunk + k % steps * kChunkStep),
        tools->advance(right, k * kMmaSum * kChunkRow), columns, factorType,
        /*isFirst=*/k == 0, /*isRightDown=*/true);
  tools->commit();
  SmallVector<Value> parts;
  for (int64_t k = 0; k < count; ++k)
    parts.push_back(
        LLVM::ExtractValueOp::create(b, sums, ArrayRef<int64_t>{k}));
  return parts;
}

/// Adds what the warp has of a tile to memory. There is no operation for it.
void GridWgmmaWalksEmitter::addToMemory(Value number, ArrayRef<Value> parts) {
  int64_t columns = parts.size() / kMmaSums;
  Value warp = arith::DivUIOp::create(b, thread, constantIndex(kWarp));
  Value lane = arith::RemUIOp::create(b, thread, constantIndex(kWarp));
  Value box = tools->add(toWord(mul(warp, columns * kWarpBytes)),
                         tools->word(partsPlace));
  // The engine has read what was there.
  tools->awaitStores(0, /*isWritten=*/false);
  NVVM::SyncWarpOp::create(b, tools->word(-1));
  Value own = tools->add(box, toWord(mul(lane, kThreadBytes)));
  for (int64_t k = 0; k < columns; ++k)
    LLVM::StoreOp::create(
        b,
        vector::FromElementsOp::create(
            b, VectorType::get({kMmaSums}, b.getF32Type()),
            parts.slice(k * kMmaSums, kMmaSums)),
        tools->getShared(tools->add(own, tools->word(k * kWarpBytes))),
        kThreadBytes);
  tools->fenceWrites();
  NVVM::SyncWarpOp::create(b, tools->word(-1));
  (void)emitIf(isLess(lane, constantIndex(1)), [&] {
    tools->addFloats(getAddedPlace(number, warp, columns), box,
                     columns * kWarpBytes);
    return success();
  });
}

/// The part of the last tile, of which there is none where nothing is walked.
void GridWgmmaWalksEmitter::addLast() {
  (void)emitIf(isLess(walkBegin, walkEnd), [&] {
    Value before = tools->flip(odd);
    tools->wait(getBarrier(Weights, tools->word(0)), before);
    addToMemory(arith::SubIOp::create(b, walkEnd, constantIndex(1)),
                tools->complete(beginAdded(before), 0));
    tools->awaitStores(0, /*isWritten=*/true);
    return success();
  });
}

//===----------------------------------------------------------------------===//
// Before and behind
//===----------------------------------------------------------------------===//

static GPUBlocksScheduleAttr getFinish(GPUBlocksScheduleAttr walk) {
  return GPUBlocksScheduleAttr::get(
      walk.getContext(), kGroupRows, walk.getColumns(), kMmaRows,
      walk.getStages(), walk.getGroup(), ProductUnit::Mma, /*apart=*/false,
      /*added=*/false);
}

GridAddedSumEmitter::GridAddedSumEmitter(KernelOp kernel,
                                         const analysis::KernelStrides &strides,
                                         GPUBlocksScheduleAttr walk,
                                         bool clears, bool isNarrow)
    : GridWalksEmitter(kernel, strides, getFinish(walk), /*overRows=*/false,
                       isNarrow),
      groups(walk.getRows() / kGroupRows), clears(clears) {}

LogicalResult GridAddedSumEmitter::emitThread() {
  if (failed(analyze()))
    return failure();
  findAdded();
  bindAdded();
  auto type = VectorType::get({kMmaSums}, b.getF32Type());
  if (clears)
    return emitForItem(guard::floorDiv(addedBytes, kThreadBytes), [&] {
      Value place = LLVM::GEPOp::create(
          b, addedMemory.getType(), type, addedMemory,
          ArrayRef<LLVM::GEPArg>{
              arith::IndexCastOp::create(b, b.getI64Type(), item).getResult()});
      Value zeros =
          arith::ConstantOp::create(b, DenseElementsAttr::get(type, 0.0f));
      LLVM::StoreOp::create(b, zeros, place, kThreadBytes);
      return success();
    });
  enterBlock();
  Value rows =
      arith::DivUIOp::create(b, firstRow, constantIndex(kGroupRows));
  Value warp = arith::DivUIOp::create(b, thread, constantIndex(kWarp));
  Value lane = arith::RemUIOp::create(b, thread, constantIndex(kWarp));
  State state;
  int64_t columns = countAddedColumns() / groups;
  int64_t width = *added->inner().extent.getConstant();
  for (int64_t k = 0; k * kMmaColumns < width; ++k) {
    Value place = getAddedPlace(
        rows, add(warp, constantIndex(k / columns * kGroupWarps)), columns);
    Value bytes = arith::IndexCastOp::create(
        b, b.getI64Type(),
        add(mul(lane, kThreadBytes), constantIndex(k % columns * kWarpBytes)));
    place = LLVM::GEPOp::create(b, place.getType(), b.getI8Type(), place,
                                ArrayRef<LLVM::GEPArg>{bytes});
    Value loaded = LLVM::LoadOp::create(b, type, place, kThreadBytes);
    for (int64_t n = 0; n < kMmaSums; ++n)
      state.sums.push_back(
          vector::ExtractOp::create(b, loaded, ArrayRef<int64_t>{n}));
  }
  Walk walk;
  walk.sums.push_back(added);
  return finishSums(walk, state);
}
