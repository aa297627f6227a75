//===- WalksWgmma.cpp - Products and rows in several walks, by warpgroups -===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What products of a walk need of a tile comes in one stage, with a barrier
// that is passed when its bytes have come and one that is when all warpgroups
// have read them. Who asks goes through the same walks. A warpgroup has several
// groups of products under way, while others multiply, too. Of the backward of
// attention, by columns:
//
//   scores and slopes are begun
//   scores are there: weights; their sums are begun
//   slopes are there: gradients of scores; their sums are begun
//   all sums are there
//
//
//===----------------------------------------------------------------------===//

#include "GridWalks.h"
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
static constexpr int64_t kBoxElements = kChunkRow / 2, kPlaneElements = 8;
/// Registers of a thread that asks, and the most of one that multiplies.
static constexpr int64_t kWalkAskRegisters = 24, kMostWalkRegisters = 240;
/// Tiles of weights in shared memory of which parts of sums are made.
static constexpr int64_t kAddedBuffers = 2;
/// Registers of a multiprocessor, and bytes of shared memory that two blocks
/// may each have.
static constexpr int64_t kSharedRegisters = 65536, kSharedHalf = 115712;

//===----------------------------------------------------------------------===//
// Operands and barriers
//===----------------------------------------------------------------------===//

static int64_t countBoxes(int64_t width) {
  return llvm::divideCeil(width, kBoxElements);
}

int64_t GridWgmmaWalksEmitter::getBytes(const Operand &operand, int64_t rows) {
  return countBoxes(operand.width) * rows * kChunkRow;
}

/// Rows of an operand are the second dimension of its map, and all points the
/// third.
void GridWgmmaWalksEmitter::describeMemory(Factors &factors,
                                           const BlockProduct &product,
                                           unsigned k, const DimGroup &rows,
                                           const DimGroup &inner,
                                           int64_t count) {
  ContractOp op = product.op;
  bool isLeft = (k == 0) != product.shape.exchanged;
  auto argument = cast<BlockArgument>(isLeft ? op.getLhs() : op.getRhs());
  auto planes = analysis::getOperandPlanes(product, k, rows);
  factors.map = addMap(TensorMapAttr::get(
      context, argument.getArgNumber(), factorType,
      guard::getConstant(context, 0),
      getExprArray(context, {inner.extent, rows.extent, planes->count}),
      getExprArray(context,
                   {rows.steps[k] * kWidth,
                    guard::getConstant(context, kPlaneElements * kWidth)}),
      b.getDenseI64ArrayAttr({kBoxElements, count, 1}), kChunkRow));
  factors.plane = toWord(
      arith::DivUIOp::create(b, emitIndex(planes->address, getPoint(product)),
                             constantIndex(kPlaneElements)));
}

Value GridWgmmaWalksEmitter::getBarrier(Barrier kind, Value stage) {
  int64_t first = kind == Rows ? 0 : 1 + (kind - 1) * schedule.getStages();
  Value place = tools->word(barrierPlace + 8 * first);
  return tools->getShared(stage ? tools->add(tools->mul(stage, 8), place)
                                : place);
}

void GridWgmmaWalksEmitter::initBarriers() {
  barrierPlace = sharedBytes;
  sharedBytes += 8 * (1 + 2 * schedule.getStages() + (added ? 1 : 0));
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, thread,
                                        constantIndex(0));
  (void)emitIf(isFirst, [&] {
    tools->initBarrier(getBarrier(Rows, Value()), 1);
    for (int64_t stage = 0; stage < schedule.getStages(); ++stage) {
      tools->initBarrier(getBarrier(Full, tools->word(stage)), 1);
      tools->initBarrier(getBarrier(Empty, tools->word(stage)),
                         schedule.getRows() / kGroupRows *
                             (brought.empty() ? 1 : kGroupThreads));
    }
    if (added)
      tools->initBarrier(getBarrier(Weights, tools->word(0)),
                         schedule.getRows() / kGroupRows * kGroupThreads);
    NVVM::FenceMbarrierInitOp::create(b);
    return success();
  });
  NVVM::Barrier0Op::create(b);
}

//===----------------------------------------------------------------------===//
// Who asks
//===----------------------------------------------------------------------===//

/// Asks for so many rows, from `first` on.
void GridWgmmaWalksEmitter::ask(const Factors &factors, int64_t rows,
                                Value first, Value place, Value barrier) {
  for (int64_t k = 0; k < countBoxes(factors.operand.width); ++k)
    tools->ask(factors.map,
               {tools->word(k * kBoxElements), first, factors.plane},
               tools->add(place, tools->word(k * rows * kChunkRow)), barrier);
}

void GridWgmmaWalksEmitter::emitCopies() {
  Value stays = getBarrier(Rows, Value());
  tools->expect(stays, stageBegin);
  for (const Factors &factors : staying)
    ask(factors, schedule.getRows(), toWord(firstRow),
        tools->word(factors.operand.place), stays);
  SmallVector<Walk, 0> all;
  for (unsigned level = 1; !overRows && level <= walks.walks; ++level)
    all.push_back(planRows(level));
  llvm::append_range(all, planSums());
  turn = {tools->word(0), tools->word(0)};
  for (const Walk &walk : all) {
    int64_t bytes = 0;
    for (unsigned number : walk.moving)
      bytes += getBytes(moving[number].operand, schedule.getColumns());
    auto loop = scf::ForOp::create(b, walkBegin, walkEnd, constantIndex(1),
                                   ValueRange{turn.stage, turn.phase});
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    StageTurn now = {loop.getRegionIterArg(0), loop.getRegionIterArg(1)};
    Value row = mul(loop.getInductionVar(), schedule.getColumns());
    Value first = toWord(row);
    tools->wait(getBarrier(Empty, now.stage), tools->flip(now.phase));
    Value full = getBarrier(Full, now.stage);
    Value rows = brought.empty() ? Value() : countWalked(row);
    Value all = tools->word(bytes);
    for (const Walked &each : brought)
      all = tools->add(all, tools->mul(toWord(rows), each.width));
    tools->expect(full, all);
    Value begin = tools->mul(now.stage, stageBytes);
    for (unsigned number : walk.moving)
      ask(moving[number], schedule.getColumns(), first,
          tools->add(begin,
                     tools->word(stageBegin + moving[number].operand.place)),
          full);
    askWalked(row, rows, now.stage, full);
    StageTurn next = tools->advance(now, schedule.getStages());
    scf::YieldOp::create(b, ValueRange{next.stage, next.phase});
    turn = {loop.getResult(0), loop.getResult(1)};
  }
}

//===----------------------------------------------------------------------===//
// Who multiplies
//===----------------------------------------------------------------------===//

/// Begins the scores of a tile.
SmallVector<Value> GridWgmmaWalksEmitter::beginScores(const Factors &left,
                                                      const Factors &right,
                                                      Value stage) {
  constexpr int64_t steps = kChunkRow / kChunkStep;
  Value rows = tools->getDescriptor(
      tools->add(tools->mul(warpgroup, kGroupRows * kChunkRow),
                 tools->word(left.operand.place)),
      /*leading=*/16);
  Value columns = tools->getDescriptor(
      tools->add(tools->mul(stage, stageBytes),
                 tools->word(stageBegin + right.operand.place)),
      /*leading=*/16);
  int64_t count = schedule.getColumns() / 2;
  auto type = LLVM::LLVMStructType::getLiteral(
      context, SmallVector<Type>(count, b.getF32Type()));
  Value sums = LLVM::PoisonOp::create(b, type);
  for (int64_t k = 0; k < left.operand.padded / kMmaSum; ++k) {
    int64_t chunk = k / steps * kChunkRow, within = k % steps * kChunkStep;
    sums = tools->multiply(
        sums, tools->advance(rows, chunk * schedule.getRows() + within),
        tools->advance(columns, chunk * schedule.getColumns() + within),
        schedule.getColumns(), factorType, /*isFirst=*/k == 0);
  }
  SmallVector<Value> scores;
  for (int64_t k = 0; k < count; ++k)
    scores.push_back(
        LLVM::ExtractValueOp::create(b, sums, ArrayRef<int64_t>{k}));
  return scores;
}

/// Weights as a left operand in registers, i32.
SmallVector<Value> GridWgmmaWalksEmitter::getWords(ArrayRef<Value> weights) {
  SmallVector<Value> words = pack(weights);
  for (Value &word : words)
    if (!word.getType().isInteger(32))
      word = LLVM::BitcastOp::create(b, b.getI32Type(), word);
  return words;
}

/// Begins to add weights that `made`, nests, have made times the memory that
/// they are multiplied by; false where there are none. Nothing may take the
/// registers of `words` before they have been read.
bool GridWgmmaWalksEmitter::addSums(const Walk &walk,
                                    ArrayRef<NestOpInterface> made, Value stage,
                                    Tile &tile, State &state,
                                    SmallVectorImpl<Value> &words) {
  SmallVector<std::pair<const Sum *, SmallVector<Value>>> factors;
  for (const Sum *sum : walk.sums) {
    if (!llvm::is_contained(made,
                            sum->weights.getDefiningOp<NestOpInterface>()))
      continue;
    factors.push_back({sum, getWords(tile.weights[sum->weights])});
    llvm::append_range(words, factors.back().second);
  }
  if (factors.empty())
    return false;
  tools->fence();
  size_t first = 0;
  for (const Sum *sum : walk.sums) {
    const Operand &values =
        moving[sumOperands[sum - walks.sums.begin()]].operand;
    size_t count = values.padded / kMmaColumns * kMmaSums;
    auto *found = llvm::find_if(
        factors, [&](const auto &each) { return each.first == sum; });
    if (found != factors.end()) {
      Value right = tools->getDescriptor(
          tools->add(tools->mul(stage, stageBytes),
                     tools->word(stageBegin + values.place)),
          /*leading=*/schedule.getColumns() * kChunkRow);
      SmallVector<Value> sums(ArrayRef(state.sums).slice(first, count));
      for (int64_t k = 0; k < schedule.getColumns() / kMmaSum; ++k)
        sums = tools->multiplyKept(
            sums, ArrayRef(found->second).slice(4 * k, 4),
            tools->advance(right, k * kMmaSum * kChunkRow), factorType);
      llvm::copy(sums, state.sums.begin() + first);
    }
    first += count;
  }
  tools->commit();
  return true;
}

/// One tile. All scores are begun at once; what needs some of them alone is
/// computed while the others are multiplied, and multiplied while the rest is
/// computed. `parts` gets what is to be added to memory.
LogicalResult
GridWgmmaWalksEmitter::emitTile(const Walk &walk, Value number, Value stage,
                                State &state, SmallVectorImpl<Value> &parts) {
  Tile tile;
  stageAtHand = stage;
  int64_t begun = 0;
  tools->fence();
  for (const BlockProduct *product : walk.scores) {
    auto [stays, moves] = scoreOperands[product - walks.scores.begin()];
    tile.scores[product->op] =
        beginScores(staying[stays], moving[moves], stage);
    tools->commit();
    ++begun;
  }
  enterTile(walk, number, tile);
  SmallVector<Value> words;
  for (auto [phase, nests] : llvm::enumerate(walk.phases)) {
    if (phase < walk.scores.size()) {
      SmallVector<Value> &scores = tile.scores[walk.scores[phase]->op];
      scores = tools->complete(scores, begun - 1 - phase);
    }
    if (failed(emitElements(walk, nests, tile, state)))
      return failure();
    begun += addSums(walk, nests, stage, tile, state, words);
  }
  if (walk.sums.empty())
    return success();
  if (added) {
    // All have stored what the tile before has, and read what the one before
    // that had.
    tools->wait(getBarrier(Weights, tools->word(0)), tools->flip(odd));
    parts = beginAdded(tools->flip(odd));
    storeWeights(getWords(tile.weights[added->weights]), getWeightsPlace(odd));
  }
  SmallVector<Value> all = state.sums;
  llvm::append_range(all, parts);
  llvm::append_range(all, words);
  all = tools->complete(all, 0);
  parts.assign(ArrayRef(all).slice(state.sums.size(), parts.size()));
  all.truncate(state.sums.size());
  state.sums = std::move(all);
  return success();
}

/// The tiles of a walk: those that need no comparison with the limit, or with
/// the end, are apart. A block of rows has the former first, and one of columns
/// has them last.
SmallVector<GridWgmmaWalksEmitter::Tiles> GridWgmmaWalksEmitter::splitTiles() {
  bool ends = hasWholeTiles();
  Value size = constantIndex(schedule.getColumns());
  auto clamp = [&](Value tile) -> Value {
    return arith::MaxSIOp::create(b, walkBegin,
                                  arith::MinSIOp::create(b, tile, walkEnd));
  };
  auto divide = [&](Value place) -> Value {
    return arith::DivUIOp::create(
        b, arith::MaxSIOp::create(b, place, constantIndex(0)), size);
  };
  if (walks.limit && overRows) {
    // Behind the last column of the block.
    int64_t more = schedule.getRows() - walks.limit->beyond;
    Value first = clamp(
        divide(add(firstRow, constantIndex(more + schedule.getColumns() - 1))));
    return {{walkBegin, first, /*isInner=*/false, ends},
            {first, walkEnd, /*isInner=*/true, ends}};
  }
  if (ends && !walks.limit)
    return {{walkBegin, walkEnd, /*isInner=*/true, /*isWhole=*/true}};
  Value end = getArgument(walked);
  if (walks.limit)
    end = arith::MinSIOp::create(
        b, end, add(firstRow, constantIndex(walks.limit->beyond)));
  Value last = clamp(divide(end));
  return {{walkBegin, last, /*isInner=*/true, /*isWhole=*/true},
          {last, walkEnd, /*isInner=*/false, ends}};
}

FailureOr<GridWalksEmitter::State>
GridWgmmaWalksEmitter::emitTiles(const Walk &walk, const Tiles &tiles,
                                 const State &first) {
  SmallVector<Value> carried = {turn.stage, turn.phase};
  if (added)
    carried.push_back(odd);
  size_t turns = carried.size(), reduced = first.reduced.size();
  llvm::append_range(carried, first.reduced);
  llvm::append_range(carried, first.sums);
  auto loop =
      scf::ForOp::create(b, tiles.from, tiles.to, constantIndex(1), carried);
  auto getState = [&](ValueRange values) {
    State state;
    state.reduced = values.slice(turns, reduced);
    state.sums = values.drop_front(turns + reduced);
    return state;
  };
  turn = {loop.getResult(0), loop.getResult(1)};
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  if (added)
    odd = loop.getRegionIterArg(2);
  StageTurn now = {loop.getRegionIterArg(0), loop.getRegionIterArg(1)};
  State state = getState(loop.getRegionIterArgs());
  tools->wait(getBarrier(Full, now.stage), now.phase);
  isInner = tiles.isInner;
  isWhole = tiles.isWhole;
  SmallVector<Value> parts;
  LogicalResult emitted =
      emitTile(walk, loop.getInductionVar(), now.stage, state, parts);
  isInner = isWhole = false;
  if (failed(emitted))
    return failure();
  // Values of rows are read by all threads.
  (void)emitIf(brought.empty() ? isLeader : Value(), [&] {
    tools->arrive(getBarrier(Empty, now.stage));
    return success();
  });
  StageTurn next = tools->advance(now, schedule.getStages());
  SmallVector<Value> yielded = {next.stage, next.phase};
  if (added) {
    tools->arrive(getBarrier(Weights, tools->word(0)));
    Value before =
        arith::SubIOp::create(b, loop.getInductionVar(), constantIndex(1));
    (void)emitIf(arith::CmpIOp::create(b, arith::CmpIPredicate::sge, before,
                                       walkBegin),
                 [&] {
                   addToMemory(before, parts);
                   return success();
                 });
    yielded.push_back(tools->flip(odd));
    odd = loop.getResult(2);
  }
  llvm::append_range(yielded, state.reduced);
  llvm::append_range(yielded, state.sums);
  scf::YieldOp::create(b, yielded);
  return getState(loop.getResults());
}

FailureOr<GridWalksEmitter::State>
GridWgmmaWalksEmitter::emitWalk(const Walk &walk) {
  SmallVector<Value> values = startWalk(walk);
  size_t reduced = 2 * walk.reductions.size();
  State state = {SmallVector<Value>(ArrayRef(values).take_front(reduced)),
                 SmallVector<Value>(ArrayRef(values).drop_front(reduced))};
  for (const Tiles &tiles : splitTiles()) {
    auto made = emitTiles(walk, tiles, state);
    if (failed(made))
      return failure();
    state = std::move(*made);
  }
  if (added)
    addLast();
  return state;
}

LogicalResult GridWgmmaWalksEmitter::emitThread() {
  if (failed(analyze()))
    return failure();
  if (StringRef why = analysis::whyNotBrought(walks); !why.empty())
    return refuse(schedule) << "because " << why;
  if (schedule.getAdded()) {
    if (StringRef why = analysis::whyNotAdded(walks); !why.empty())
      return refuse(schedule) << "because " << why;
    findAdded();
  }
  sharedBase = getSharedMemory();
  tools.emplace(b, sharedBase);
  enterBlock();
  describeOperands();
  int64_t readers = schedule.getRows() / kGroupRows;
  if (added) {
    bindAdded();
    addedPlace = sharedBytes;
    partsPlace = addedPlace +
                 kAddedBuffers * readers * schedule.getColumns() * kChunkRow;
    // As many floats as the result has columns.
    sharedBytes = partsPlace + countAddedColumns() * kMmaColumns *
                                   schedule.getColumns() * sizeof(float);
  }
  findWalked();
  initBarriers();
  bindRowValues();
  // Two blocks share a multiprocessor where both find room.
  int64_t blocks = readers == 1 && sharedBytes <= kSharedHalf ? 2 : 1;
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    b.getI32IntegerAttr(blocks));
  // A thread that multiplies cannot be left fewer registers than it starts with.
  if (kSharedRegisters / (blocks * threads) > kMostWalkRegisters)
    function->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(),
                      b.getI32IntegerAttr(kMostWalkRegisters));
  int64_t each =
      std::min(kMostWalkRegisters,
               countRegistersLeft(blocks, readers, kWalkAskRegisters));

  // The same for all threads of a warp, and known to be.
  Value number =
      toWord(arith::DivUIOp::create(b, thread, constantIndex(kGroupThreads)));
  warpgroup = NVVM::ShflOp::create(b, b.getI32Type(), tools->word(-1), number,
                                   tools->word(0), tools->word(kWarp - 1),
                                   NVVM::ShflKind::idx, UnitAttr());
  Value asks = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, warpgroup,
                                     tools->word(readers));
  auto branch = scf::IfOp::create(b, asks, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  NVVM::SetMaxRegisterOp::create(b, kWalkAskRegisters,
                                 NVVM::SetMaxRegisterAction::decrease);
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, thread,
                                        constantIndex(readers * kGroupThreads));
  (void)emitIf(isFirst, [&] {
    emitCopies();
    return success();
  });
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  NVVM::SetMaxRegisterOp::create(b, each,
                                 NVVM::SetMaxRegisterAction::increase);
  isLeader = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq,
      arith::RemUIOp::create(b, thread, constantIndex(kGroupThreads)),
      constantIndex(0));
  turn = {tools->word(0), tools->word(0)};
  odd = tools->word(0);
  tools->wait(getBarrier(Rows, Value()), tools->word(0));
  return emitWalks();
}
