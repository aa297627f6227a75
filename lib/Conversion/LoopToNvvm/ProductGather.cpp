//===- ProductGather.cpp - Operands that threads bring to warpgroups ------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operand that is no box of a tensor, as windows of an image are not, is copied by all
// threads of the warpgroup that asks: 16 bytes each, nothing where they are outside or
// masked, to where the copy engine would have put them. A stage is full when the copies of
// all these threads have come, and what the copy engine was asked for.
//
// Where neighbours lie along the sum, as in a convolution, a thread knows the rows that it
// copies from, and finds its place in the sum once a step. Where they lie across it, as in
// the gradient of a weight, whose sum is over pixels, it knows its columns instead, one of
// each chunk of 64, and finds some pixels a step.
//
// f32 has to be rounded to tf32, which products would cut off. Where that was not done when it
// was made (`loop-round-factors`), a thread reads what it has copied again once it has come, some
// steps later, and writes it back rounded.
//
//===----------------------------------------------------------------------===//

#include "GridProduct.h"
#include "MatrixUnits.h"

#include "kiln/Dialect/Loop/IR/Precision.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using analysis::DimGroup;
using guard::ExprAttr;

/// Bytes of a row of a stage, and of the units that are exchanged within eight rows.
static constexpr int64_t kStageRow = 128, kUnit = 16;
/// Threads that copy, those of a row, and the rows that all of them copy at once.
static constexpr int64_t kGatherers = 128, kRowThreads = kStageRow / kUnit,
                         kRowsAtOnce = kGatherers / kRowThreads;

/// Stages whose copies are under way while those of one before are rounded.
static constexpr int64_t kMostBehind = 3;

/// Along the sum alone what warpgroups take so.
bool GridWgmmaEmitter::isGathered(unsigned number) {
  Type type = analysis::getFactorType(op);
  int64_t lanes = kUnit / bytesOf(type);
  return !analysis::getOperandBoxes(op, shape, number, lanes) &&
         (analysis::hasSumVectors(op, shape, number, lanes) ||
          (analysis::getUnitFactors(type)->mayLieAcross &&
           analysis::hasAcrossVectors(op, shape, number, lanes)));
}

LogicalResult GridWgmmaEmitter::describeGathered(Operand &operand) {
  bool isLeft = (operand.number == 0) != shape.exchanged;
  operand.memory = buffers.lookup(isLeft ? op.getLhs() : op.getRhs());
  if (!operand.memory.pointer)
    return op.emitOpError("reads a tensor that its kernel does not have");
  operand.type = analysis::getFactorType(op);
  operand.isGathered = true;
  operand.boxes.alongSum = analysis::hasSumVectors(
      op, shape, operand.number, kUnit / bytesOf(operand.type));
  operand.extent =
      operand.number == 0 ? schedule.getRows() : schedule.getColumns();
  operand.place = stageBytes;
  stageBytes += getGatheredBytes(operand);
  return success();
}

int64_t GridWgmmaEmitter::getGatheredBytes(const Operand &operand) const {
  // Across the sum there are whole chunks of elements.
  return kStageRow * (operand.boxes.alongSum
                          ? operand.extent
                          : llvm::alignTo(operand.extent, schedule.getSum()));
}

int64_t GridWgmmaEmitter::countArrivals() const {
  bool isAsked = !operands[0].isGathered || !operands[1].isGathered;
  return isAsked + (gathers() ? kGatherers : 0);
}

/// The rows of a stage that this thread copies a unit of, in each step; or the units that
/// it copies of each pixel.
SmallVector<GridWgmmaEmitter::GatheredRow>
GridWgmmaEmitter::getRows(const Operand &operand, const Tile &tile) {
  const DimGroup &group = operand.number == 0 ? shape.rows : shape.columns;
  bool alongSum = operand.boxes.alongSum;
  Value first = operand.number == 0 ? tile.firstRow : tile.firstColumn;
  Value units = constantIndex(kRowThreads);
  first = add(first, alongSum
                         ? arith::DivUIOp::create(b, thread, units).getResult()
                         : mul(arith::RemUIOp::create(b, thread, units),
                               kUnit / bytesOf(operand.type)));
  Value base = emitIndex(shape.addresses[operand.number], tile.matrix);
  auto extent = group.extent.getConstant();
  int64_t covered = getGatheredBytes(operand) / kStageRow;
  SmallVector<GatheredRow> rows;
  for (int64_t k = 0; k < operand.extent;
       k += alongSum ? kRowsAtOnce : schedule.getSum()) {
    GatheredRow row;
    Value across = add(first, constantIndex(k));
    row.runs = splitRuns(group, across);
    row.offset =
        add(base, getOffset(group, operand.number, across, row.runs));
    // The last chunk may reach farther than the tile.
    if (!extent || *extent % covered != 0)
      row.inside = isLess(across, getArgument(group.extent));
    rows.push_back(row);
  }
  return rows;
}

/// Whether a mask lets an element through: null where there is none.
Value GridWgmmaEmitter::getUnmasked(const Operand &operand, const Tile &tile,
                                    const GatheredRow &row,
                                    ArrayRef<Value> sum) {
  ExprAttr mask = shape.masks[operand.number];
  if (!mask)
    return {};
  Position position = tile.matrix;
  auto assign = [&](const DimGroup &group, ArrayRef<Value> indices) {
    if (!group.dims.empty())
      for (auto [run, index] : llvm::zip_equal(group.runs, indices))
        // A mask depends on runs of one dimension only.
        if (run.dims.size() == 1)
          position.dims[run.dims.front()] = index;
  };
  assign(operand.number == 0 ? shape.rows : shape.columns, row.runs);
  assign(shape.sum, sum);
  return emitCondition(mask, position);
}

/// Bytes of a unit that are there, at index `inRun` of the sum's innermost run; null: all.
Value GridWgmmaEmitter::countUnitBytes(const Operand &operand, Value inRun) {
  if (!operand.boxes.alongSum)
    return {};
  int64_t count = analysis::countUnmasked(shape, operand.number),
          bytes = bytesOf(operand.type);
  if (count * bytes % kUnit == 0)
    return {};
  Value left = arith::SubIOp::create(b, constantIndex(count), inRun);
  return toWord(arith::MinSIOp::create(b, mul(left, bytes), constantIndex(kUnit)));
}

/// Copies `count` bytes (null: all) of a unit from the place that a row and one of the sum have,
/// and zeros behind them, if all `conditions` (null: true) hold.
void GridWgmmaEmitter::copyUnit(const Operand &operand, Value offset, Value to,
                                Value count, ArrayRef<Value> conditions) {
  Value element = arith::IndexCastOp::create(b, b.getI64Type(), offset);
  Value from = LLVM::GEPOp::create(b, operand.memory.pointer.getType(),
                                   operand.type, operand.memory.pointer,
                                   ArrayRef<LLVM::GEPArg>{element});
  if (!count)
    count = tools->word(kUnit);
  for (Value condition : conditions)
    if (condition)
      count = arith::SelectOp::create(b, condition, count, tools->word(0));
  NVVM::CpAsyncOp::create(b, tools->getShared(to), from,
                          b.getI32IntegerAttr(kUnit),
                          NVVM::LoadCacheModifierKindAttr::get(
                              context, NVVM::LoadCacheModifierKind::CG),
                          count);
}

/// Where this thread's first unit of an operand lies in a stage.
Value GridWgmmaEmitter::getUnitPlace(const Operand &operand, Value stage) {
  Value unit = arith::RemUIOp::create(b, thread, constantIndex(kRowThreads));
  Value row = arith::DivUIOp::create(b, thread, constantIndex(kRowThreads));
  // Rows that a thread copies are multiples of eight apart.
  Value exchanged = arith::XOrIOp::create(
      b, unit, arith::RemUIOp::create(b, row, constantIndex(kRowThreads)));
  return arith::AddIOp::create(
      b, arith::MulIOp::create(b, stage, tools->word(stageBytes)),
      toWord(add(mul(row, kStageRow),
                 add(mul(exchanged, kUnit), constantIndex(operand.place)))));
}

/// Copies what this thread has of an operand's part of a stage.
void GridWgmmaEmitter::gather(const Operand &operand, const Tile &tile,
                              ArrayRef<GatheredRow> rows, Value stage,
                              Value start) {
  bool alongSum = operand.boxes.alongSum;
  Value place = getUnitPlace(operand, stage);
  Value threads = constantIndex(kRowThreads);
  Value first = add(
      start, alongSum ? mul(arith::RemUIOp::create(b, thread, threads),
                            kUnit / bytesOf(operand.type))
                      : arith::DivUIOp::create(b, thread, threads).getResult());
  // Along the sum all rows have one place in it; across it each has its own.
  for (int64_t k = 0; k < (alongSum ? 1 : schedule.getSum()); k += kRowsAtOnce) {
    Value sum = add(first, constantIndex(k));
    SmallVector<Value> runs = splitRuns(shape.sum, sum);
    Value offset = getOffset(shape.sum, operand.number, sum, runs);
    Value count = countUnitBytes(operand, runs.back()), inSum;
    if (*shape.sum.extent.getConstant() % schedule.getSum() != 0)
      inSum = isLess(sum, tile.sumEnd);
    for (auto [n, each] : llvm::enumerate(rows)) {
      int64_t line = alongSum ? int64_t(n) * kRowsAtOnce
                              : int64_t(n) * schedule.getSum() + k;
      copyUnit(operand, add(each.offset, offset),
               arith::AddIOp::create(b, place, tools->word(line * kStageRow)),
               count, {each.inside, inSum, getUnmasked(operand, tile, each, runs)});
    }
  }
}

/// Asks for a stage once it is free, and copies what this thread has of it.
void GridWgmmaEmitter::fillStage(const Tile &tile, const GatheredRows &rows,
                                 const StageTurn &now, Value step) {
  int64_t askedBytes = countAskedBytes();
  wait(/*isFull=*/false, now, /*isNextPhase=*/true);
  Value sum = add(tile.sumBegin, mul(step, schedule.getSum()));
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, thread,
                                        constantIndex(0));
  if (askedBytes > 0)
    (void)emitIf(isFirst, [&] {
      NVVM::MBarrierArriveExpectTxOp::create(
          b, Type(), getBarrier(true, now.stage), tools->word(askedBytes),
          NVVM::MemScopeKind::CTA, /*relaxed=*/false, Value());
      for (const Operand &operand : operands)
        if (!operand.isGathered)
          copy(operand, tile, now.stage, sum);
      return success();
    });
  for (auto [k, operand] : llvm::enumerate(operands))
    if (operand.isGathered)
      gather(operand, tile, rows[k], now.stage, sum);
}

/// Rounds what this thread has copied of a stage to tf32.
void GridWgmmaEmitter::roundStage(const GatheredRows &rows, Value stage) {
  auto type = VectorType::get({4}, b.getI32Type());
  for (auto [k, operand] : llvm::enumerate(operands)) {
    if (!operand.isGathered)
      continue;
    Value place = getUnitPlace(operand, stage);
    for (size_t n = 0; n < rows[k].size(); ++n) {
      Value unit = tools->getShared(arith::AddIOp::create(
          b, place, tools->word(int64_t(n) * kRowsAtOnce * kStageRow)));
      Value loaded = LLVM::LoadOp::create(b, type, unit, kUnit);
      SmallVector<Value> words;
      for (int64_t i = 0; i < type.getNumElements(); ++i)
        words.push_back(
            vector::ExtractOp::create(b, loaded, ArrayRef<int64_t>{i}));
      roundWords(b, words);
      LLVM::StoreOp::create(b, vector::FromElementsOp::create(b, type, words),
                            unit, kUnit);
    }
  }
}

/// The steps of a tile; some of them are under way before the first is rounded.
StageTurn GridWgmmaEmitter::emitRounded(const Tile &tile,
                                        const GatheredRows &rows,
                                        StageTurn turn) {
  int64_t behind = std::min(schedule.getStages() - 2, kMostBehind);
  auto loop = scf::ForOp::create(
      b, constantIndex(0), add(tile.steps, constantIndex(behind)),
      constantIndex(1), ValueRange{turn.stage, turn.phase, turn.stage});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value step = loop.getInductionVar(), ready = loop.getRegionIterArg(2);
  StageTurn now = {loop.getRegionIterArg(0), loop.getRegionIterArg(1)};
  Value isAsked = isLess(step, tile.steps);
  (void)emitIf(isAsked, [&] {
    fillStage(tile, rows, now, step);
    return success();
  });
  // Each step is a group, so that one which is so many steps back has come.
  NVVM::CpAsyncCommitGroupOp::create(b);
  NVVM::CpAsyncWaitGroupOp::create(b, behind);
  Value isThere = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, step,
                                        constantIndex(behind));
  (void)emitIf(isThere, [&] {
    roundStage(rows, ready);
    fenceGathered();
    tools->arrive(getBarrier(true, ready));
    return success();
  });
  auto choose = [&](Value condition, Value a, Value other) -> Value {
    return arith::SelectOp::create(b, condition, a, other);
  };
  StageTurn next = tools->advance(now, schedule.getStages());
  Value later =
      tools->advance({ready, now.phase}, schedule.getStages()).stage;
  scf::YieldOp::create(b, ValueRange{choose(isAsked, next.stage, now.stage),
                                     choose(isAsked, next.phase, now.phase),
                                     choose(isThere, later, ready)});
  return {loop.getResult(0), loop.getResult(1)};
}

/// True if what threads copy is f32 that nobody has rounded to tf32.
bool GridWgmmaEmitter::roundsGathered() {
  return llvm::any_of(operands, [&](const Operand &operand) {
    bool isLeft = (operand.number == 0) != shape.exchanged;
    return operand.isGathered && operand.type.isF32() &&
           !isRounded(op, isLeft ? 0 : 1);
  });
}

StageTurn GridWgmmaEmitter::emitGather(const Tile &tile, StageTurn turn) {
  GatheredRows rows;
  for (auto [k, operand] : llvm::enumerate(operands))
    if (operand.isGathered)
      rows[k] = getRows(operand, tile);
  if (roundsGathered())
    return emitRounded(tile, rows, turn);
  return fillStages(tile, turn, [&](const StageTurn &now, Value step) {
    fillStage(tile, rows, now, step);
    NVVM::CpAsyncMBarrierArriveOp::create(b, getBarrier(true, now.stage),
                                          /*noinc=*/true);
  });
}

/// The tiles of this block, for all threads of the warpgroup that asks.
LogicalResult GridWgmmaEmitter::emitGatherers() {
  if (failed(forEachTile([&](const Tile &tile, StageTurn turn) {
        return FailureOr<StageTurn>(emitGather(tile, turn));
      })))
    return failure();
  // Nobody leaves before their copies have come.
  NVVM::CpAsyncCommitGroupOp::create(b);
  NVVM::CpAsyncWaitGroupOp::create(b, 0);
  return success();
}

/// What threads have copied is there for those that multiply only behind this.
void GridWgmmaEmitter::fenceGathered() {
  if (gathers())
    tools->fenceWrites();
}
