//===- GridBlocksEmitter.cpp - Two products in one walk -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridBlocks.h"
#include "MatrixUnits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using analysis::BlockProduct;
using analysis::DimGroup;
using guard::ExprAttr;

/// Registers in which a thread keeps factors of its rows over the walk, at most.
static constexpr int64_t kMostKept = 32;

//===----------------------------------------------------------------------===//
// The block
//===----------------------------------------------------------------------===//

LogicalResult GridBlocksEmitter::analyze() {
  if (failed(schedule.verifyKernel(kernel)))
    return failure();
  StringRef why;
  auto found = analysis::getOnlineRows(kernel, strides, why);
  if (!found)
    return refuse(schedule) << "because " << why;
  why = analysis::whyNotCopied(*found);
  if (!why.empty())
    return refuse(schedule) << "because " << why;
  online = std::move(*found);
  factorType = analysis::getUnitType(online.scores.op, true);
  findUnit();
  // Scores and weights are nowhere in memory.
  layout.remove_if(
      [&](const auto &entry) { return !buffers.count(entry.first); });
  countsPoints = false;
  reached.push_back(guard::product(context, sharedExtents));
  for (const BlockProduct *product : {&online.scores, &online.sums})
    for (const DimGroup *group :
         {&product->shape.rows, &product->shape.columns, &product->shape.sum})
      reached.push_back(group->extent);
  if (online.limit) // a row and so many columns behind it
    reached.push_back(sharedExtents.back() +
                      guard::getConstant(context, online.limit->beyond));
  return success();
}

/// Which point and rows the block has; those with the most columns come first.
void GridBlocksEmitter::enterBlock() {
  ExprAttr rowExtent = sharedExtents.back();
  firstRow = mul(enterPoint(guard::ceilDiv(rowExtent, schedule.getRows()),
                            /*isLastFirst=*/online.limit.has_value()),
                 schedule.getRows());
  enterRows(rowExtent);
  columnEnd = getArgument(online.columns);
  if (!online.limit)
    return;
  Value last = arith::SubIOp::create(b, getArgument(rowExtent), constantIndex(1));
  Value behind = arith::MinSIOp::create(
      b, add(firstRow, constantIndex(schedule.getRows() - 1)), last);
  columnEnd = arith::MinSIOp::create(
      b, columnEnd, add(behind, constantIndex(online.limit->beyond)));
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

void GridBlocksEmitter::copyTile(Value number, Value stage) {
  Value first = mul(number, schedule.getColumns());
  copy(right, schedule.getColumns(), first, stage);
  copy(values, schedule.getColumns(), first, stage);
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

/// Tiles of columns that the block needs.
Value GridBlocksEmitter::countTiles() {
  return arith::DivUIOp::create(
      b, add(columnEnd, constantIndex(schedule.getColumns() - 1)),
      constantIndex(schedule.getColumns()));
}

FailureOr<GridBlocksEmitter::State> GridBlocksEmitter::emitWalk() {
  int64_t stages = schedule.getStages();
  Value zero = constantIndex(0), one = constantIndex(1);
  Value steps = countTiles();
  auto getTile = [&](int64_t k) {
    return firstTile ? add(firstTile, constantIndex(k)) : constantIndex(k);
  };
  int64_t stageBegin = left.place + schedule.getRows() * left.pitch * kWidth;
  copy(left, schedule.getRows(), firstRow, zero);
  for (int64_t k = 0; k + 1 < stages; ++k) {
    (void)emitIf(isLess(getTile(k), steps), [&] {
      copyTile(getTile(k), constantIndex(stageBegin + k * stageBytes));
      return success();
    });
    NVVM::CpAsyncCommitGroupOp::create(b);
  }
  int64_t words = left.padded / kMmaSum * 4 * getParts();
  KeptFactors kept;
  if (words <= kMostKept) {
    NVVM::CpAsyncWaitGroupOp::create(b, stages - 2);
    NVVM::Barrier0Op::create(b);
    kept.resize(getParts());
    for (int64_t part = 0; part < getParts(); ++part)
      for (int64_t k = 0; k < left.padded; k += kMmaSum)
        kept[part].push_back(loadLeft(left, part, k));
  }
  unsigned rows = 2 * getParts();
  int64_t sums = getParts() * values.padded / kMmaColumns * kMmaSums;
  SmallVector<Value> carried = {
      constantIndex(stageBegin),
      constantIndex(stageBegin + (stages - 1) * stageBytes)};
  carried.append(rows, constant(-std::numeric_limits<double>::infinity()));
  carried.append(rows + sums, constant(0));
  auto loop = scf::ForOp::create(b, getTile(0), steps, one, carried);
  auto getState = [&](ValueRange values) {
    State state;
    state.maxima = values.slice(2, rows);
    state.totals = values.slice(2 + rows, rows);
    state.sums = values.drop_front(2 + 2 * rows);
    return state;
  };
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value read = loop.getRegionIterArg(0), write = loop.getRegionIterArg(1);
  // After this, everybody's copies for this tile are there, and nobody reads what was
  // multiplied last, which is overwritten next.
  NVVM::CpAsyncWaitGroupOp::create(b, stages - 2);
  NVVM::Barrier0Op::create(b);
  Value number = loop.getInductionVar();
  Value ahead = add(number, constantIndex(stages - 1));
  (void)emitIf(isLess(ahead, steps), [&] {
    copyTile(ahead, write);
    return success();
  });
  NVVM::CpAsyncCommitGroupOp::create(b);
  State state = getState(loop.getRegionIterArgs());
  auto weights = emitWeights(multiplyScores(left, right, read, kept),
                             mul(number, schedule.getColumns()), state);
  if (failed(weights))
    return failure();
  scaleSums(*weights, state);
  addSums(values, read, packWeights(*weights), state.sums);
  Value end = constantIndex(stageBegin + stages * stageBytes);
  SmallVector<Value> next;
  for (Value place : {read, write}) {
    Value moved = add(place, constantIndex(stageBytes));
    Value isEnd = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, moved, end);
    next.push_back(arith::SelectOp::create(b, isEnd, constantIndex(stageBegin),
                                           moved));
  }
  for (ArrayRef<Value> part : {ArrayRef<Value>(state.maxima),
                               ArrayRef<Value>(state.totals),
                               ArrayRef<Value>(state.sums)})
    llvm::append_range(next, part);
  scf::YieldOp::create(b, next);
  return getState(loop.getResults());
}

LogicalResult GridBlocksEmitter::emitThread() {
  if (failed(analyze()))
    return failure();
  sharedBase = getSharedMemory();
  enterBlock();
  const auto &scores = online.scores.shape, &sums = online.sums.shape;
  left = describe(online.scores, 0, scores.rows, scores.sum);
  right = describe(online.scores, 1, scores.columns, scores.sum);
  values = describe(online.sums, 1, sums.sum, sums.columns);
  values.place = schedule.getColumns() * right.pitch * kWidth;
  stageBytes =
      values.place + schedule.getColumns() * values.pitch * kWidth;
  sharedBytes = schedule.getRows() * left.pitch * kWidth +
                schedule.getStages() * stageBytes;
  auto state = emitWalk();
  if (failed(state))
    return failure();
  return finishRows(*state);
}
