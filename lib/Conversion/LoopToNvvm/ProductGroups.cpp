//===- ProductGroups.cpp - Tiles of members in groups -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where groups of rows end is known to the kernel alone. Each has tiles of its own, the last
// of which may reach into the next group: its rows are multiplied and not stored.
//
//   ends     5, 5, 12                  tiles of 4 rows
//   group 0  rows  0..3, 4             tiles 0, 1
//   group 2  rows  5..8, 9..11         tiles 2, 3
//   none     rows 12..                 tiles 4, ...: zeros
//
// The sum over the members of a group begins and ends with it. What is copied in boxes
// reaches into the next group, too, and those who multiply clear it before they do.
//
//===----------------------------------------------------------------------===//

#include "GridProduct.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Bytes that a thread clears at a time.
static constexpr int64_t kCleared = 16;

ExprAttr GridProductBase::countTiledMatrices() {
  return hasGroupedRows() ? guard::getConstant(context, 1) : countMatrices();
}

ExprAttr GridProductBase::countRowTiles() {
  ExprAttr whole = guard::ceilDiv(shape.rows.extent,
                                  schedule.getRows() * schedule.getCluster());
  // Each group may have one that is not full.
  return hasGroupedRows()
             ? whole + shape.batch.extent + guard::getConstant(context, 1)
             : whole;
}

Value GridProductBase::loadEnd(Value group, ExprAttr most) {
  const Buffer &ends = buffers.find(op.getEnds())->second;
  Value place = mulExpr(group, layout.lookup(op.getEnds())[0]);
  Value pointer = LLVM::GEPOp::create(
      b, ends.pointer.getType(), b.getI32Type(), ends.pointer,
      ArrayRef<LLVM::GEPArg>{
          arith::IndexCastOp::create(b, b.getI64Type(), place).getResult()});
  Value end = arith::IndexCastOp::create(
      b, b.getIndexType(), LLVM::LoadOp::create(b, b.getI32Type(), pointer, 4));
  // Within the members whatever the ends say.
  return arith::MinSIOp::create(
      b, arith::MaxSIOp::create(b, end, constantIndex(0)), getArgument(most));
}

GridProductBase::GroupPlace GridProductBase::getFirstGroup() {
  Value zero = constantIndex(0);
  return {zero, zero, zero, {}};
}

GridProductBase::GroupPlace GridProductBase::findGroup(const GroupPlace &from,
                                                       Value rowTile) {
  int64_t rows = schedule.getRows() * schedule.getCluster();
  Value groups = getArgument(shape.batch.extent);
  Value all = getArgument(shape.rows.extent);
  Type index = b.getIndexType();
  auto in = [&](OpBuilder &builder, llvm::function_ref<void()> emit) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(builder.getInsertionBlock());
    emit();
  };
  // A group, the tiles before it and before the next one, its first row and its
  // end.
  auto loop = scf::WhileOp::create(
      b, SmallVector<Type>(5, index),
      ValueRange{from.group, from.tiles, from.begin},
      [&](OpBuilder &builder, Location, ValueRange state) {
        in(builder, [&] {
          Value group = state[0], tiles = state[1], begin = state[2];
          Value hasMatrix = isLess(group, groups);
          Value last = arith::SubIOp::create(b, groups, constantIndex(1));
          Value end = arith::SelectOp::create(
              b, hasMatrix,
              loadEnd(arith::MinSIOp::create(b, group, last),
                      shape.rows.extent),
              all);
          Value count = arith::MaxSIOp::create(
              b, arith::SubIOp::create(b, end, begin), constantIndex(0));
          Value next =
              add(tiles,
                  arith::DivUIOp::create(b, add(count, constantIndex(rows - 1)),
                                         constantIndex(rows)));
          Value isBehind = arith::CmpIOp::create(b, arith::CmpIPredicate::sge,
                                                 rowTile, next);
          scf::ConditionOp::create(
              b, arith::AndIOp::create(b, hasMatrix, isBehind),
              ValueRange{group, tiles, next, begin, end});
        });
      },
      [&](OpBuilder &builder, Location, ValueRange state) {
        in(builder, [&] {
          scf::YieldOp::create(b, ValueRange{add(state[0], constantIndex(1)),
                                             state[2], state[4]});
        });
      });
  return {loop.getResult(0), loop.getResult(1), loop.getResult(3),
          loop.getResult(4)};
}

/// Enters row tile `number`, which is of no group before that of `before`.
void GridProductBase::enterGroup(Tile &tile, const GroupPlace &before,
                                 Value number) {
  int64_t rows = schedule.getRows() * schedule.getCluster();
  Value groups = getArgument(shape.batch.extent);
  GroupPlace found = findGroup(before, number);
  rowEnd = found.end;
  Value down = mul(arith::SubIOp::create(b, number, found.tiles), rows);
  // There may be fewer tiles than are counted: those behind the last one have
  // no rows.
  tile.firstRow = arith::MinSIOp::create(b, add(found.begin, down), rowEnd);
  tile.exists = isLess(tile.firstRow, rowEnd);
  tile.matrixNumber = arith::MinSIOp::create(
      b, found.group, arith::SubIOp::create(b, groups, constantIndex(1)));
  tile.matrix = enterMatrix(tile.matrixNumber);
  // Of no group there is nothing to add up.
  tile.steps = arith::SelectOp::create(b, isLess(found.group, groups),
                                       tile.steps, constantIndex(0));
}

/// The sum is that over the members of the group, which is the tile's matrix.
void GridProductBase::enterMembers(Tile &tile) {
  Value zero = constantIndex(0), group = tile.matrixNumber;
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, group, zero);
  Value before = arith::SelectOp::create(
      b, isFirst, zero, arith::SubIOp::create(b, group, constantIndex(1)));
  tile.sumBegin = arith::SelectOp::create(b, isFirst, zero,
                                          loadEnd(before, shape.sum.extent));
  tile.sumEnd = loadEnd(group, shape.sum.extent);
  Value count = arith::MaxSIOp::create(
      b, arith::SubIOp::create(b, tile.sumEnd, tile.sumBegin), zero);
  tile.steps = arith::DivUIOp::create(
      b, add(count, constantIndex(schedule.getSum() - 1)),
      constantIndex(schedule.getSum()));
}

/// Clears what a stage has of members behind the group's end: both operands, so
/// that nothing there is an infinity, either. A warpgroup clears all that it
/// reads by itself, zeros perhaps that another one has cleared.
void GridWgmmaEmitter::clearBehind(const Tile &tile, Value stage, Value step) {
  if (!op.isGrouped() || hasGroupedRows())
    return;
  int64_t depth = schedule.getSum(), units = kChunkRow / kCleared;
  Value left = arith::SubIOp::create(b, tile.sumEnd,
                                     add(tile.sumBegin, mul(step, depth)));
  (void)emitIf(isLess(left, constantIndex(depth)), [&] {
    auto type = VectorType::get({kCleared / 4}, b.getI32Type());
    Value zero =
        arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(type)));
    Value line = arith::DivUIOp::create(b, inGroup, constantIndex(units));
    Value unit = arith::RemUIOp::create(b, inGroup, constantIndex(units));
    auto loop = scf::ForOp::create(b, add(left, line), constantIndex(depth),
                                   constantIndex(kGroupThreads / units));
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(loop.getBody()->getTerminator());
      // A member is a line of each chunk, whose units are exchanged within it.
      Value place =
          tools->add(arith::MulIOp::create(b, stage, tools->word(stageBytes)),
                     toWord(add(mul(loop.getInductionVar(), kChunkRow),
                                mul(unit, kCleared))));
      for (int64_t chunk = 0; chunk < stageBytes; chunk += depth * kChunkRow)
        LLVM::StoreOp::create(
            b, zero, tools->getShared(tools->add(place, tools->word(chunk))),
            kCleared);
    }
    tools->fenceWrites();
    // The first barrier is that of the block.
    NVVM::BarrierOp::create(b, Type(), tools->add(warpgroup, tools->word(1)),
                            tools->word(kGroupThreads),
                            NVVM::BarrierReductionAttr(), Value());
    return success();
  });
}

/// Finishes a tile that has rows.
LogicalResult
GridWgmmaEmitter::finishIfThere(const Tile &tile, ValueRange sums,
                                llvm::function_ref<void()> release) {
  if (!tile.exists)
    return finishTile(tile, sums, release);
  auto branch = scf::IfOp::create(b, tile.exists, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  if (failed(finishTile(tile, sums, release)))
    return failure();
  // Either way nothing is under way behind this.
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  complete(sums);
  release();
  return success();
}
