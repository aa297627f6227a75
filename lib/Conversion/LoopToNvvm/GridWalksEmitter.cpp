//===- GridWalksEmitter.cpp - Products and rows in several walks ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
using analysis::getPointAddress;
using guard::ExprAttr;

//===----------------------------------------------------------------------===//
// The block
//===----------------------------------------------------------------------===//

LogicalResult GridWalksEmitter::analyze() {
  if (failed(schedule.verifyKernel(kernel)))
    return failure();
  StringRef why;
  auto found = analysis::getBlockWalks(kernel, strides, why);
  if (!found)
    return refuse(schedule) << "because " << why;
  if (schedule.getPartRows() != kMmaRows)
    return refuse(schedule) << "because a warp has 16 rows in several walks";
  walks = std::move(*found);
  factorType = walks.type;
  // Scores and weights are nowhere in memory.
  layout.remove_if(
      [&](const auto &entry) { return !buffers.count(entry.first); });
  countsPoints = false;
  reached.push_back(guard::product(context, sharedExtents));
  SmallVector<ExprAttr> columns(ArrayRef(sharedExtents).drop_back());
  columns.push_back(walks.columns);
  reached.push_back(guard::product(context, columns));
  if (walks.limit) // a row and so many columns behind it
    reached.push_back(sharedExtents.back() +
                      guard::getConstant(context, walks.limit->beyond));
  return success();
}

/// Which point and rows, or columns, the block has, and what it walks. Those with the
/// longest walks come first: the last rows, or the first columns.
void GridWalksEmitter::enterBlock() {
  ExprAttr own = overRows ? walks.columns : sharedExtents.back();
  walked = overRows ? sharedExtents.back() : walks.columns;
  firstRow = mul(enterPoint(guard::ceilDiv(own, schedule.getRows()),
                            /*isLastFirst=*/walks.limit && !overRows),
                 schedule.getRows());
  enterRows(own);
  Value begin = constantIndex(0), end = getArgument(walked);
  if (walks.limit && overRows)
    begin = arith::MaxSIOp::create(
        b, begin,
        arith::SubIOp::create(b, firstRow,
                              constantIndex(walks.limit->beyond - 1)));
  if (walks.limit && !overRows) {
    Value last = arith::SubIOp::create(b, getArgument(own), constantIndex(1));
    Value behind = arith::MinSIOp::create(
        b, add(firstRow, constantIndex(schedule.getRows() - 1)), last);
    end = arith::MinSIOp::create(
        b, end, add(behind, constantIndex(walks.limit->beyond)));
  }
  Value size = constantIndex(schedule.getColumns());
  walkBegin = arith::DivUIOp::create(b, begin, size);
  walkEnd = arith::DivUIOp::create(
      b, add(end, constantIndex(schedule.getColumns() - 1)), size);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The number of an operand; the same rows of memory are one.
unsigned GridWalksEmitter::addOperand(SmallVectorImpl<Factors> &operands,
                                      const BlockProduct &product, unsigned k,
                                      const DimGroup &rows,
                                      const DimGroup &inner) {
  ContractOp op = product.op;
  bool isLeft = (k == 0) != product.shape.exchanged;
  auto argument = cast<BlockArgument>(isLeft ? op.getLhs() : op.getRhs());
  Factors made = {kernel.getInputs()[argument.getArgNumber()],
                  getPointAddress(product, k), {}, {}, {}};
  for (auto [number, known] : llvm::enumerate(operands))
    if (known.tensor == made.tensor && known.address == made.address &&
        known.operand.step == rows.steps[k] &&
        known.operand.width == *inner.extent.getConstant())
      return number;
  made.operand = describe(product, k, rows, inner);
  describeMemory(made, product, k, rows, inner,
                 &operands == &staying ? schedule.getRows()
                                       : schedule.getColumns());
  operands.push_back(made);
  return operands.size() - 1;
}

/// What the block keeps in shared memory, and where the stages of what it walks are.
void GridWalksEmitter::describeOperands() {
  for (const BlockProduct &product : walks.scores) {
    const auto &shape = product.shape;
    const DimGroup *groups[2] = {&shape.rows, &shape.columns};
    auto describeSide = [&](SmallVectorImpl<Factors> &operands, unsigned k) {
      return addOperand(operands, product, k, *groups[k], shape.sum);
    };
    unsigned stays = describeSide(staying, overRows ? 1 : 0);
    scoreOperands.push_back({stays, describeSide(moving, overRows ? 0 : 1)});
  }
  for (const Sum &sum : walks.sums)
    sumOperands.push_back(
        sum.product.overRows == overRows || &sum == added
            ? addOperand(&sum == added ? staying : moving, sum.product,
                         sum.memory, sum.product.shape.sum, sum.inner())
            : 0);
  for (Factors &factors : staying) {
    factors.operand.place = stageBegin;
    stageBegin += getBytes(factors.operand, schedule.getRows());
  }
  for (Factors &factors : moving) {
    factors.operand.place = stageBytes;
    stageBytes += getBytes(factors.operand, schedule.getColumns());
  }
  sharedBytes = stageBegin + schedule.getStages() * stageBytes;
}

//===----------------------------------------------------------------------===//
// A walk
//===----------------------------------------------------------------------===//

/// A nest is computed as soon as the scores are there that it needs, in their
/// order.
void GridWalksEmitter::findPhases(Walk &walk) {
  llvm::SmallDenseMap<Operation *, size_t> phases;
  walk.phases.resize(std::max<size_t>(walk.scores.size(), 1));
  for (NestOpInterface nest : walk.needed) {
    size_t phase = 0;
    for (auto [k, product] : llvm::enumerate(walk.scores))
      if (product->op == nest.getOperation())
        phase = k;
    nest->walk([&](LoadOp load) {
      if (Operation *made = load.getTensor().getDefiningOp())
        phase = std::max(phase, phases.lookup(made));
    });
    phases[nest] = phase;
    walk.phases[phase].push_back(nest);
  }
}

GridWalksEmitter::Walk GridWalksEmitter::plan(ArrayRef<ReduceOp> reductions,
                                              ArrayRef<const Sum *> sums) {
  Walk walk;
  walk.reductions.assign(reductions.begin(), reductions.end());
  walk.sums.assign(sums.begin(), sums.end());
  SmallVector<Value> targets;
  for (ReduceOp op : reductions)
    targets.push_back(op->getResult(0));
  for (const Sum *sum : sums)
    targets.push_back(sum->weights);
  walk.needed = walks.getNeeded(targets);
  for (auto [number, product] : llvm::enumerate(walks.scores))
    if (llvm::is_contained(walk.needed,
                           NestOpInterface(product.op.getOperation()))) {
      walk.moving.insert(scoreOperands[number].second);
      walk.scores.push_back(&product);
    }
  findPhases(walk);
  for (const Sum *sum : sums)
    walk.moving.insert(sumOperands[sum - walks.sums.begin()]);
  return walk;
}

/// The walk for reductions that need values of rows of lower levels.
GridWalksEmitter::Walk GridWalksEmitter::planRows(unsigned level) {
  SmallVector<ReduceOp> reductions;
  for (NestOpInterface nest : walks.nests)
    if (auto op = dyn_cast<ReduceOp>(nest.getOperation()))
      if (walks.rowLevels.lookup(op->getResult(0)) == level)
        reductions.push_back(op);
  return plan(reductions, {});
}

/// The last walks: one for all sums that this function has, or for each of
/// them.
SmallVector<GridWalksEmitter::Walk, 0> GridWalksEmitter::planSums() {
  SmallVector<const Sum *> sums;
  for (const Sum &sum : walks.sums)
    if (sum.product.overRows == overRows)
      sums.push_back(&sum);
  SmallVector<Walk, 0> planned;
  size_t together = schedule.getApart() ? 1 : std::max<size_t>(sums.size(), 1);
  for (size_t k = 0; k < sums.size(); k += together)
    planned.push_back(plan({}, ArrayRef(sums).slice(k, together)));
  return planned;
}

void GridWalksEmitter::copyTile(const Walk &walk, Value number, Value stage) {
  Value first = mul(number, schedule.getColumns());
  for (unsigned operand : walk.moving)
    copy(moving[operand].operand, schedule.getColumns(), first, stage);
}

/// One tile.
LogicalResult GridWalksEmitter::emitStep(const Walk &walk, Value number,
                                         Value stage, State &state) {
  Tile tile;
  isWhole = hasWholeTiles();
  enterTile(walk, number, tile);
  for (const BlockProduct *product : walk.scores) {
    auto [stays, moves] = scoreOperands[product - walks.scores.begin()];
    tile.scores[product->op] = multiplyScores(staying[stays].operand,
                                              moving[moves].operand, stage, {});
  }
  if (failed(emitElements(walk, walk.needed, tile, state)))
    return failure();
  size_t first = 0;
  for (const Sum *sum : walk.sums) {
    const Operand &values =
        moving[sumOperands[sum - walks.sums.begin()]].operand;
    size_t count = values.padded / kMmaColumns * kMmaSums;
    // Two neighbours of a row, by eight columns and row: left operands.
    addSums(values, stage, pack(tile.weights[sum->weights]),
            MutableArrayRef(state.sums).slice(first, count));
    first += count;
  }
  return success();
}

/// What a thread has before a walk: of each reduction for each of its two rows, and the
/// registers of all sums.
SmallVector<Value> GridWalksEmitter::startWalk(const Walk &walk) {
  readOwn(walk);
  SmallVector<Value> carried;
  for (ReduceOp op : walk.reductions)
    carried.append(2, identities(op, 1).front());
  for (const Sum *sum : walk.sums)
    carried.append(moving[sumOperands[sum - walks.sums.begin()]].operand.padded /
                       kMmaColumns * kMmaSums,
                   constant(0));
  return carried;
}

FailureOr<GridWalksEmitter::State> GridWalksEmitter::emitWalk(const Walk &walk) {
  int64_t stages = schedule.getStages();
  NVVM::Barrier0Op::create(b); // the walk before reads its stages no more
  for (int64_t k = 0; k + 1 < stages; ++k) {
    Value number = add(walkBegin, constantIndex(k));
    (void)emitIf(isLess(number, walkEnd), [&] {
      copyTile(walk, number, constantIndex(stageBegin + k * stageBytes));
      return success();
    });
    NVVM::CpAsyncCommitGroupOp::create(b);
  }
  SmallVector<Value> carried = {
      constantIndex(stageBegin),
      constantIndex(stageBegin + (stages - 1) * stageBytes)};
  size_t reduced = 2 * walk.reductions.size();
  llvm::append_range(carried, startWalk(walk));
  auto loop =
      scf::ForOp::create(b, walkBegin, walkEnd, constantIndex(1), carried);
  auto getState = [&](ValueRange values) {
    State state;
    state.reduced = values.slice(2, reduced);
    state.sums = values.drop_front(2 + reduced);
    return state;
  };
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value read = loop.getRegionIterArg(0), write = loop.getRegionIterArg(1);
  // After this, everybody's copies for this tile are there, and nobody reads what was
  // multiplied last, which is overwritten next.
  NVVM::CpAsyncWaitGroupOp::create(b, stages - 2);
  NVVM::Barrier0Op::create(b);
  Value ahead = add(loop.getInductionVar(), constantIndex(stages - 1));
  (void)emitIf(isLess(ahead, walkEnd), [&] {
    copyTile(walk, ahead, write);
    return success();
  });
  NVVM::CpAsyncCommitGroupOp::create(b);
  State state = getState(loop.getRegionIterArgs());
  if (failed(emitStep(walk, loop.getInductionVar(), read, state)))
    return failure();
  Value end = constantIndex(stageBegin + stages * stageBytes);
  SmallVector<Value> next;
  for (Value place : {read, write}) {
    Value moved = add(place, constantIndex(stageBytes));
    Value isEnd = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, moved, end);
    next.push_back(arith::SelectOp::create(b, isEnd, constantIndex(stageBegin),
                                           moved));
  }
  llvm::append_range(next, state.reduced);
  llvm::append_range(next, state.sums);
  scf::YieldOp::create(b, next);
  return getState(loop.getResults());
}

LogicalResult GridWalksEmitter::emitThread() {
  if (failed(analyze()))
    return failure();
  sharedBase = getSharedMemory();
  enterBlock();
  describeOperands();
  bindRowValues();
  for (const Factors &factors : staying)
    copy(factors.operand, schedule.getRows(), firstRow, constantIndex(0));
  return emitWalks();
}

/// Values of rows, and then sums.
LogicalResult GridWalksEmitter::emitWalks() {
  for (unsigned level = 0; !overRows && level <= walks.walks; ++level) {
    if (level > 0) {
      Walk walk = planRows(level);
      auto state = emitWalk(walk);
      if (failed(state) || failed(combineRows(walk, *state)))
        return failure();
    }
    if (failed(emitRowNests(level)))
      return failure();
  }
  if (!overRows && failed(finishRows()))
    return failure();
  for (const Walk &walk : planSums()) {
    auto state = emitWalk(walk);
    if (failed(state) || failed(finishSums(walk, *state)))
      return failure();
  }
  return success();
}
