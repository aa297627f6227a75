//===- BlocksWgmma.cpp - Two products in one walk, by warpgroups ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keys, of which scores are made, and values, which weights are multiplied by,
// come in stages of their own, each with a barrier that is passed when its
// bytes have come and one that is when all warpgroups have read them. A
// warpgroup has two products under way:
//
//   scores of tile i + 1 are begun
//   weights of tile i times its values are begun
//   scores are there: maxima, exponentials, totals of tile i + 1
//   the sums are there: they are scaled
//
// So exponentials take no time of the matrix units, as long as those suffice.
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

/// Elements of a row of a chunk, and of the units that planes are counted in.
static constexpr int64_t kChunk = kChunkRow / 2, kPlane = 8;
/// Registers of a thread that asks, and the most of one that multiplies.
static constexpr int64_t kAskRegisters = 24, kWalkRegisters = 240;
/// Shared memory of a multiprocessor, and what each block takes of it beside its own; blocks
/// that may share one, of one warpgroup that multiplies each.
static constexpr int64_t kAllShared = 233472, kBlockShared = 1024, kMostBlocks = 3;
/// Registers of a thread beside scores, weights and sums; those for what is read at each
/// score.
static constexpr int64_t kBesideRegisters = 32, kReadRegisters = 32;

//===----------------------------------------------------------------------===//
// Operands and barriers
//===----------------------------------------------------------------------===//

/// Rows of an operand are the second dimension of its map, and all points the
/// third.
void GridWgmmaBlocksEmitter::describe(const BlockProduct &product, unsigned k,
                                      const DimGroup &rows,
                                      const DimGroup &inner, int64_t count,
                                      Chunked &chunked) {
  ContractOp op = product.op;
  ExprAttr planes = analysis::getOperandPlanes(product, k, rows)->count;
  bool isLeft = (k == 0) != product.shape.exchanged;
  auto argument = cast<BlockArgument>(isLeft ? op.getLhs() : op.getRhs());
  int64_t width = *inner.extent.getConstant();
  chunked.rows = count;
  chunked.chunks = llvm::divideCeil(width, kChunk);
  chunked.map = addMap(TensorMapAttr::get(
      context, argument.getArgNumber(), factorType,
      guard::getConstant(context, 0),
      getExprArray(context, {inner.extent, rows.extent, planes}),
      getExprArray(context, {rows.steps[k] * kWidth,
                             guard::getConstant(context, kPlane * kWidth)}),
      b.getDenseI64ArrayAttr({kChunk, count, 1}), kChunkRow));
}

void GridWgmmaBlocksEmitter::describeAll() {
  const auto &scores = online.scores.shape, &sums = online.sums.shape;
  describe(online.scores, 0, scores.rows, scores.sum, schedule.getRows(),
           rowFactors);
  describe(online.scores, 1, scores.columns, scores.sum, schedule.getColumns(),
           keyFactors);
  describe(online.sums, 1, sums.sum, sums.columns, schedule.getColumns(),
           valueFactors);
  int64_t stages = schedule.getStages();
  keyFactors.place = rowFactors.getBytes();
  valueFactors.place = keyFactors.place + stages * keyFactors.getBytes();
  barrierPlace = valueFactors.place + stages * valueFactors.getBytes();
  sharedBytes = barrierPlace + 8 * (1 + 4 * stages);
  values.width = *sums.columns.extent.getConstant();
  values.padded = llvm::alignTo(values.width, kMmaColumns);
}

Value GridWgmmaBlocksEmitter::getBarrier(Barrier kind, Value stage) {
  int64_t first = kind == Rows ? 0 : 1 + (kind - 1) * schedule.getStages();
  Value place = tools->word(barrierPlace + 8 * first);
  return tools->getShared(stage ? tools->add(tools->mul(stage, 8), place)
                                : place);
}

void GridWgmmaBlocksEmitter::initBarriers() {
  int64_t readers = schedule.getRows() / kGroupRows;
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, thread,
                                        constantIndex(0));
  (void)emitIf(isFirst, [&] {
    tools->initBarrier(getBarrier(Rows, Value()), 1);
    for (int64_t stage = 0; stage < schedule.getStages(); ++stage)
      for (Barrier kind : {FullKeys, EmptyKeys, FullValues, EmptyValues})
        tools->initBarrier(getBarrier(kind, tools->word(stage)),
                           kind == EmptyKeys || kind == EmptyValues ? readers
                                                                    : 1);
    NVVM::FenceMbarrierInitOp::create(b);
    return success();
  });
  NVVM::Barrier0Op::create(b);
}

//===----------------------------------------------------------------------===//
// Who asks
//===----------------------------------------------------------------------===//

Value GridWgmmaBlocksEmitter::getPlane(const BlockProduct &product, unsigned k,
                                       const DimGroup &rows) {
  Value base = emitIndex(analysis::getOperandPlanes(product, k, rows)->address,
                         getPoint(product));
  return toWord(arith::DivUIOp::create(b, base, constantIndex(kPlane)));
}

/// Asks for rows from `first` on.
void GridWgmmaBlocksEmitter::copy(const Chunked &chunked, Value stage,
                                  Value first, Value plane, Value barrier) {
  tools->expect(barrier, chunked.getBytes());
  Value place = tools->word(chunked.place);
  if (stage)
    place = tools->add(tools->mul(stage, chunked.getBytes()), place);
  for (int64_t k = 0; k < chunked.chunks; ++k)
    tools->ask(chunked.map, {tools->word(k * kChunk), first, plane},
               tools->add(place, tools->word(k * chunked.getChunkBytes())),
               barrier);
}

LogicalResult GridWgmmaBlocksEmitter::emitCopies() {
  copy(rowFactors, Value(), toWord(firstRow),
       getPlane(online.scores, 0, online.scores.shape.rows),
       getBarrier(Rows, Value()));
  Value keyPlane = getPlane(online.scores, 1, online.scores.shape.columns);
  Value valuePlane = getPlane(online.sums, 1, online.sums.shape.sum);
  Value zero = tools->word(0);
  auto loop = scf::ForOp::create(b, constantIndex(0), tiles, constantIndex(1),
                                 ValueRange{zero, zero});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  StageTurn turn = {loop.getRegionIterArg(0), loop.getRegionIterArg(1)};
  Value first = toWord(mul(loop.getInductionVar(), schedule.getColumns()));
  Value before = tools->flip(turn.phase);
  tools->wait(getBarrier(EmptyKeys, turn.stage), before);
  copy(keyFactors, turn.stage, first, keyPlane,
       getBarrier(FullKeys, turn.stage));
  tools->wait(getBarrier(EmptyValues, turn.stage), before);
  copy(valueFactors, turn.stage, first, valuePlane,
       getBarrier(FullValues, turn.stage));
  StageTurn next = tools->advance(turn, schedule.getStages());
  scf::YieldOp::create(b, ValueRange{next.stage, next.phase});
  return success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Begins the scores of a tile.
SmallVector<Value> GridWgmmaBlocksEmitter::multiplyScores(Value stage) {
  constexpr int64_t steps = kChunkRow / kChunkStep;
  Value left = tools->getDescriptor(
      tools->add(tools->mul(warpgroup, kGroupRows * kChunkRow),
                 tools->word(rowFactors.place)),
      /*leading=*/16);
  Value right =
      tools->getDescriptor(tools->add(tools->mul(stage, keyFactors.getBytes()),
                                      tools->word(keyFactors.place)),
                           /*leading=*/16);
  int64_t count = schedule.getColumns() / 2;
  auto type = LLVM::LLVMStructType::getLiteral(
      context, SmallVector<Type>(count, b.getF32Type()));
  Value sums = LLVM::PoisonOp::create(b, type);
  int64_t width = *online.scores.shape.sum.extent.getConstant();
  tools->fence();
  for (int64_t k = 0; k * kMmaSum < width; ++k) {
    int64_t within = k % steps * kChunkStep;
    sums = tools->multiply(
        sums,
        tools->advance(left, k / steps * rowFactors.getChunkBytes() + within),
        tools->advance(right, k / steps * keyFactors.getChunkBytes() + within),
        schedule.getColumns(), factorType, /*isFirst=*/k == 0);
  }
  tools->commit();
  SmallVector<Value> scores;
  for (int64_t k = 0; k < count; ++k)
    scores.push_back(
        LLVM::ExtractValueOp::create(b, sums, ArrayRef<int64_t>{k}));
  return scores;
}

/// Begins to add weights times the values of a tile.
SmallVector<Value> GridWgmmaBlocksEmitter::addSums(ArrayRef<Value> words,
                                                   Value stage,
                                                   ValueRange sums) {
  Value right = tools->getDescriptor(
      tools->add(tools->mul(stage, valueFactors.getBytes()),
                 tools->word(valueFactors.place)),
      /*leading=*/valueFactors.getChunkBytes());
  SmallVector<Value> made = llvm::to_vector(sums);
  tools->fence();
  for (int64_t k = 0; k < schedule.getColumns() / kMmaSum; ++k)
    made = tools->multiplyKept(made, words.slice(4 * k, 4),
                               tools->advance(right, k * kMmaSum * kChunkRow),
                               factorType);
  tools->commit();
  return made;
}

/// Says for a warpgroup that it has read a stage.
void GridWgmmaBlocksEmitter::arrive(Barrier kind, Value stage) {
  (void)emitIf(isLeader, [&] {
    tools->arrive(getBarrier(kind, stage));
    return success();
  });
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

/// Weights of a tile whose scores are there. Sums that are under way are waited
/// for.
LogicalResult GridWgmmaBlocksEmitter::emitWeights(ArrayRef<Value> scores,
                                                  Value tile, Step &step) {
  auto weights = GridBlocksEmitter::emitWeights(
      scores, mul(tile, schedule.getColumns()), step.state);
  if (failed(weights))
    return failure();
  if (!step.words.empty()) {
    // Weights take the registers of those before only when these have been
    // read.
    SmallVector<Value> all = step.state.sums;
    llvm::append_range(all, step.words);
    for (ArrayRef<Value> row : weights->rows)
      llvm::append_range(all, row);
    ArrayRef<Value> passed = all = tools->complete(all, 0);
    size_t count = step.state.sums.size();
    step.state.sums = llvm::to_vector(passed.take_front(count));
    passed = passed.drop_front(count + step.words.size());
    for (SmallVector<Value> &row : weights->rows) {
      size_t size = row.size();
      row = llvm::to_vector(passed.take_front(size));
      passed = passed.drop_front(size);
    }
    arrive(EmptyValues, step.values.stage);
    step.values = tools->advance(step.values, schedule.getStages());
    scaleSums(*weights, step.state);
  }
  step.words.clear();
  for (Value word : packWeights(*weights))
    step.words.push_back(
        word.getType().isInteger(32)
            ? word
            : LLVM::BitcastOp::create(b, b.getI32Type(), word).getResult());
  return success();
}

/// Tiles `from` to `to`, of which the scores are multiplied here and the sums
/// of the tile before.
FailureOr<GridWgmmaBlocksEmitter::Step>
GridWgmmaBlocksEmitter::emitTiles(Value from, Value to, const Step &first) {
  auto flatten = [](const Step &step) {
    SmallVector<Value> all = {step.keys.stage, step.keys.phase,
                              step.values.stage, step.values.phase};
    for (ArrayRef<Value> part :
         {ArrayRef(step.state.maxima), ArrayRef(step.state.peaks),
          ArrayRef(step.state.totals),
          ArrayRef(step.state.sums), ArrayRef(step.words)})
      llvm::append_range(all, part);
    return all;
  };
  auto restore = [&](ValueRange all) {
    Step step;
    step.keys = {all[0], all[1]};
    step.values = {all[2], all[3]};
    all = all.drop_front(4);
    auto take = [&](const SmallVector<Value> &like) {
      SmallVector<Value> part = llvm::to_vector(all.take_front(like.size()));
      all = all.drop_front(like.size());
      return part;
    };
    step.state.maxima = take(first.state.maxima);
    step.state.peaks = take(first.state.peaks);
    step.state.totals = take(first.state.totals);
    step.state.sums = take(first.state.sums);
    step.words = take(first.words);
    return step;
  };
  auto loop = scf::ForOp::create(b, from, to, constantIndex(1), flatten(first));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Step step = restore(loop.getRegionIterArgs());
    tools->wait(getBarrier(FullKeys, step.keys.stage), step.keys.phase);
    SmallVector<Value> scores = multiplyScores(step.keys.stage);
    tools->wait(getBarrier(FullValues, step.values.stage), step.values.phase);
    step.state.sums = addSums(step.words, step.values.stage, step.state.sums);
    scores = tools->complete(scores, 1);
    arrive(EmptyKeys, step.keys.stage);
    step.keys = tools->advance(step.keys, schedule.getStages());
    if (failed(emitWeights(scores, loop.getInductionVar(), step)))
      return failure();
    scf::YieldOp::create(b, flatten(step));
  }
  return restore(loop.getResults());
}

/// Columns that all rows need come first: nothing of them is masked.
FailureOr<GridBlocksEmitter::State>
GridWgmmaBlocksEmitter::emitMultiplications() {
  Value zero = tools->word(0);
  tools->wait(getBarrier(Rows, Value()), zero);
  tools->wait(getBarrier(FullKeys, zero), zero);
  Step step;
  step.state.maxima.assign(2,
                           constant(-std::numeric_limits<double>::infinity()));
  step.state.peaks = step.state.maxima;
  step.state.totals.assign(2, constant(0));
  step.values = {zero, zero};
  SmallVector<Value> scores = tools->complete(multiplyScores(zero), 0);
  arrive(EmptyKeys, zero);
  step.keys = tools->advance(StageTurn{zero, zero}, schedule.getStages());
  isInner = !online.limit && hasWholeTiles();
  if (failed(emitWeights(scores, constantIndex(0), step)))
    return failure();
  step.state.sums.assign(values.padded / 2, constant(0));
  Value one = constantIndex(1), first = one;
  if (!isInner) {
    Value end = getArgument(online.columns);
    if (online.limit)
      end = arith::MinSIOp::create(
          b, end, add(firstRow, constantIndex(online.limit->beyond)));
    Value inner =
        arith::DivUIOp::create(b, end, constantIndex(schedule.getColumns()));
    first =
        arith::MaxSIOp::create(b, one, arith::MinSIOp::create(b, inner, tiles));
    isInner = true;
    auto last = emitTiles(one, first, step);
    isInner = false;
    if (failed(last))
      return failure();
    step = *last;
  }
  auto last = emitTiles(first, tiles, step);
  isInner = false;
  if (failed(last))
    return failure();
  tools->wait(getBarrier(FullValues, last->values.stage), last->values.phase);
  SmallVector<Value> sums =
      addSums(last->words, last->values.stage, last->state.sums);
  size_t count = sums.size();
  llvm::append_range(sums, last->words);
  sums = tools->complete(sums, 0);
  sums.truncate(count);
  last->state.sums = std::move(sums);
  return last->state;
}

/// As many blocks of one warpgroup that multiplies share a multiprocessor as find room.
void GridWgmmaBlocksEmitter::setRegisters() {
  int64_t readers = schedule.getRows() / kGroupRows;
  auto countRegisters = [&](int64_t blocks) {
    return countRegistersLeft(blocks, readers, kAskRegisters);
  };
  // A weight has 16 bits.
  int64_t needed = schedule.getColumns() * 3 / 4 + values.padded / 2 +
                   kBesideRegisters;
  if (analysis::readsColumns(online))
    needed += kReadRegisters;
  int64_t blocks = readers == 1 ? kMostBlocks : 1;
  while (blocks > 1 && (countRegisters(blocks) < needed ||
                        blocks * (sharedBytes + kBlockShared) > kAllShared))
    --blocks;
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    b.getI32IntegerAttr(blocks));
  manyRegisters = std::min(kWalkRegisters, countRegisters(blocks));
}

LogicalResult GridWgmmaBlocksEmitter::emitThread() {
  if (failed(analyze()))
    return failure();
  if (StringRef why = analysis::whyNotBrought(online); !why.empty())
    return refuse(schedule) << "because " << why;
  describeAll();
  setRegisters();
  sharedBase = getSharedMemory();
  tools.emplace(b, sharedBase);
  initBarriers();
  enterBlock();
  tiles = arith::MaxSIOp::create(b, countTiles(), constantIndex(1));

  // The same for all threads of a warp, and known to be.
  Value number =
      toWord(arith::DivUIOp::create(b, thread, constantIndex(kGroupThreads)));
  warpgroup = NVVM::ShflOp::create(b, b.getI32Type(), tools->word(-1), number,
                                   tools->word(0), tools->word(kWarp - 1),
                                   NVVM::ShflKind::idx, UnitAttr());
  int64_t readers = schedule.getRows() / kGroupRows;
  Value asks = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, warpgroup,
                                     tools->word(readers));
  auto branch = scf::IfOp::create(b, asks, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  NVVM::SetMaxRegisterOp::create(b, kAskRegisters,
                                 NVVM::SetMaxRegisterAction::decrease);
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, thread,
                                        constantIndex(readers * kGroupThreads));
  if (failed(emitIf(isFirst, [&] { return emitCopies(); })))
    return failure();
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  NVVM::SetMaxRegisterOp::create(b, manyRegisters,
                                 NVVM::SetMaxRegisterAction::increase);
  isLeader = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq,
      arith::RemUIOp::create(b, thread, constantIndex(kGroupThreads)),
      constantIndex(0));
  auto state = emitMultiplications();
  return failed(state) ? failure() : finishRows(*state);
}
