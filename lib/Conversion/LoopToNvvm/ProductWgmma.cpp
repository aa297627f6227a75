//===- ProductWgmma.cpp - Products by warpgroups, with a copy engine --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One warpgroup asks the copy engine for tiles, `stages` of them ahead, the others
// multiply. Each stage has two barriers: `full` is passed when its bytes have come, `empty`
// when all who multiply have read them. Where warpgroups have tiles by turns, each has a
// third, `order`, which the other passes it when it has begun to multiply its last stage:
// nobody waits for a stage that is to be filled twice until then.
//
//===----------------------------------------------------------------------===//

#include "GridProduct.h"
#include "MatrixUnits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Registers of a thread that asks, of one that copies, which knows where its
/// rows are, and the most of one that multiplies.
static constexpr int64_t kFewRegisters = 40, kCopyRegisters = 88,
                         kManyRegisters = 232;

/// One for each warpgroup, where they take turns.
static int64_t countOrderBarriers(GPUProductScheduleAttr schedule) {
  return schedule.getTurns() > 1 ? schedule.getTurns() : 0;
}

//===----------------------------------------------------------------------===//
// Operands and barriers
//===----------------------------------------------------------------------===//

LogicalResult GridWgmmaEmitter::describe(Operand &operand) {
  Type type = analysis::getFactorType(op);
  if (schedule.getSum() * bytesOf(type) != kChunkRow)
    return refuse(schedule) << "whose unit takes " << kChunkRow / bytesOf(type)
                            << " elements of " << type << " at a time";
  if (type.isInteger(8) && isUnsigned(0) != isUnsigned(1))
    return refuse(schedule)
           << "whose unit multiplies bytes with a sign, or without one";
  if (isGathered(operand.number) && !op.isGrouped())
    return describeGathered(operand);
  bool isLeft = (operand.number == 0) != shape.exchanged;
  Region &prologue = isLeft ? op.getLhsPrologue() : op.getRhsPrologue();
  auto boxes = analysis::getOperandBoxes(op, shape, operand.number,
                                         16 / bytesOf(type));
  if (!boxes || !prologue.empty() ||
      shape.sum.extent.getConstant().value_or(0) < 1)
    return refuse(schedule)
           << "whose copies need operands as they lie in memory, with strides "
              "of multiples of 16 bytes and a sum of a known size";
  if (!boxes->alongSum && !analysis::getUnitFactors(type)->mayLieAcross)
    return refuse(schedule) << "whose unit takes " << type << " along the sum";
  if (op.isGrouped() && !hasGroupedRows() && boxes->alongSum)
    return refuse(schedule) << "whose members are cleared line by line, and "
                               "neighbours of an operand are members here";
  if (!boxes->alongSum && schedule.getCluster() > 1 && operand.number == 1 &&
      schedule.getColumns() % (schedule.getSum() * schedule.getCluster()) != 0)
    return refuse(schedule)
           << "whose clusters share columns that lie across the sum, of which "
              "each block brings "
           << schedule.getSum() << " at a time, but has "
           << schedule.getColumns() << " in all";
  operand.boxes = std::move(*boxes);
  operand.type = type;
  operand.extent =
      operand.number == 0 ? schedule.getRows() : schedule.getColumns();
  operand.place = stageBytes;
  // Across the sum so many elements come at a time.
  stageBytes += (operand.boxes.alongSum
                     ? operand.extent
                     : llvm::alignTo(operand.extent, schedule.getSum())) *
                kChunkRow;
  operand.asked = countAsked(operand);
  SmallVector<ExprAttr> strides;
  for (ExprAttr stride : ArrayRef(operand.boxes.strides).drop_front())
    strides.push_back(stride * bytesOf(type));
  SmallVector<int64_t> box(operand.boxes.sizes.size(), 1);
  box[0] = schedule.getSum();
  box[1] = operand.boxes.alongSum ? operand.asked / countSharers(operand)
                                  : schedule.getSum();
  Value tensor = isLeft ? op.getLhs() : op.getRhs();
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (!argument)
    return op.emitOpError("reads a tensor that its kernel does not have");
  operand.map = addMap(TensorMapAttr::get(
      context, argument.getArgNumber(), type, operand.boxes.offset,
      getExprArray(context, operand.boxes.sizes),
      getExprArray(context, strides), b.getDenseI64ArrayAttr(box), kChunkRow));
  return success();
}

/// The lines of a tile that are brought. Rows behind the last one are nobody's, whatever
/// stands there: to bring zeros for them takes time, too. Columns are stored behind the last
/// one where rows are longer.
int64_t GridWgmmaEmitter::countAsked(const Operand &operand) {
  int64_t together = operand.boxes.alongSum ? kSwizzledRows / kChunkRow
                                            : schedule.getSum();
  int64_t lines = operand.extent;
  if (operand.number == 0 && !op.isGrouped())
    if (auto rows = shape.rows.extent.getConstant())
      lines = std::clamp<int64_t>(*rows, 1, lines);
  return llvm::alignTo(lines, together);
}

int64_t GridWgmmaEmitter::countAskedBytes() const {
  int64_t lines = 0;
  for (const Operand &operand : operands)
    lines += operand.asked;
  return lines * kChunkRow;
}

/// The blocks that each ask for a part of an operand, for all of them.
int64_t GridWgmmaEmitter::countSharers(const Operand &operand) const {
  return operand.number == 1 ? schedule.getCluster() : 1;
}

Value GridWgmmaEmitter::getBarrier(bool isFull, Value stage) {
  int64_t first = barrierPlace + (isFull ? 0 : 8 * schedule.getStages());
  return tools->getShared(tools->add(tools->mul(stage, 8), tools->word(first)));
}

void GridWgmmaEmitter::initBarriers() {
  // Of a stage that is one's, by turns, the others read nothing.
  int64_t readers = schedule.getTurns() > 1 ? 1 : schedule.getGroups();
  readers *= schedule.getCluster();
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, thread,
                                        constantIndex(0));
  (void)emitIf(isFirst, [&] {
    for (int64_t stage = 0; stage < schedule.getStages(); ++stage) {
      tools->initBarrier(getBarrier(true, tools->word(stage)), countArrivals());
      tools->initBarrier(getBarrier(false, tools->word(stage)), readers);
    }
    for (int64_t group = 0; group < countOrderBarriers(schedule); ++group)
      tools->initBarrier(getOrderBarrier(tools->word(group)), 1);
    NVVM::FenceMbarrierInitOp::create(b);
    return success();
  });
  NVVM::Barrier0Op::create(b);
  syncCluster(/*isAligned=*/true);
}

/// Waits for the other blocks of a cluster.
void GridWgmmaEmitter::syncCluster(bool isAligned) {
  if (schedule.getCluster() == 1)
    return;
  UnitAttr aligned = isAligned ? b.getUnitAttr() : UnitAttr();
  NVVM::ClusterArriveOp::create(b, aligned);
  NVVM::ClusterWaitOp::create(b, aligned);
}

void GridWgmmaEmitter::wait(bool isFull, const StageTurn &turn,
                            bool isNextPhase) {
  Value phase = isNextPhase ? tools->flip(turn.phase) : turn.phase;
  tools->wait(getBarrier(isFull, turn.stage), phase);
}

/// Says for a warpgroup that it has read a stage: to all blocks that bring
/// something of it. The dialect's operation would release what was written to
/// the whole cluster, and take a third longer in all.
void GridWgmmaEmitter::arrive(Value stage) {
  (void)emitIf(isLeader, [&] {
    Value barrier = getBarrier(false, stage);
    if (schedule.getCluster() == 1) {
      tools->arrive(barrier);
      return success();
    }
    Value address = LLVM::PtrToIntOp::create(b, b.getI32Type(), barrier);
    LLVM::InlineAsmOp::create(
        b, TypeRange(), ValueRange{address, toWord(inGroup)},
        "{ .reg .b32 there; mapa.shared::cluster.u32 there, $0, $1; "
        "mbarrier.arrive.shared::cluster.b64 _, [there]; }",
        "r,r,~{memory}", /*has_side_effects=*/true, /*is_align_stack=*/false,
        LLVM::TailCallKind::None,
        LLVM::AsmDialectAttr::get(context, LLVM::AsmDialect::AD_ATT),
        ArrayAttr());
    return success();
  });
}

/// Runs `body` for all tiles of this block.
LogicalResult GridWgmmaEmitter::forEachTile(
    llvm::function_ref<FailureOr<StageTurn>(const Tile &, StageTurn)> body) {
  Value grid = arith::IndexCastUIOp::create(
      b, b.getIndexType(), NVVM::GridDimXOp::create(b, b.getI32Type()));
  Value first = block;
  int64_t cluster = schedule.getCluster();
  if (cluster > 1) {
    first = arith::DivUIOp::create(b, block, constantIndex(cluster));
    grid = arith::DivUIOp::create(b, grid, constantIndex(cluster));
  }
  Value zero = tools->word(0);
  SmallVector<Value> carried = {zero, zero};
  if (schedule.getTurns() > 1)
    carried.push_back(zero);
  // What has been seen of the ends of groups is not walked again.
  size_t ownCarried = carried.size();
  if (hasGroupedRows()) {
    GroupPlace begin = getFirstGroup();
    carried.append({begin.group, begin.tiles, begin.begin});
  }
  auto loop = scf::ForOp::create(b, first, getArgument(countTiles()), grid,
                                 carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  ValueRange place = loop.getRegionIterArgs().drop_front(ownCarried);
  GroupPlace before;
  if (hasGroupedRows())
    before = {place[0], place[1], place[2], {}};
  Tile tile = enterTile(loop.getInductionVar(),
                        hasGroupedRows() ? &before : nullptr);
  if (schedule.getTurns() > 1)
    tile.before = loop.getRegionIterArg(2);
  if (cluster > 1)
    tile.firstRow = add(tile.firstRow, mul(rank, schedule.getRows()));
  auto turn = body(tile, {loop.getRegionIterArg(0), loop.getRegionIterArg(1)});
  if (failed(turn))
    return failure();
  carried = {turn->stage, turn->phase};
  if (tile.before)
    carried.push_back(tools->add(tile.before, tools->word(1)));
  if (hasGroupedRows())
    carried.append({before.group, before.tiles, before.begin});
  scf::YieldOp::create(b, carried);
  return success();
}

//===----------------------------------------------------------------------===//
// Who asks
//===----------------------------------------------------------------------===//

/// Coordinates of a tile's matrix, behind those of boxes in it.
SmallVector<Value>
GridWgmmaEmitter::getMatrixPlace(const analysis::OperandBoxes &boxes,
                                 const Tile &tile) {
  SmallVector<Value> place;
  SmallVector<ExprAttr> extents;
  for (unsigned dim : shape.outer)
    extents.push_back(tile.matrix.extents[dim]);
  extents.push_back(shape.batch.extent);
  SmallVector<Value> matrix = delinearize(tile.matrixNumber, extents);
  if (boxes.hasBatch)
    place.push_back(toWord(matrix.back()));
  for (unsigned number : boxes.outer)
    place.push_back(toWord(matrix[number]));
  return place;
}

/// Asks for an operand's part of a stage.
void GridWgmmaEmitter::copy(const Operand &operand, const Tile &tile,
                            Value stage, Value sum) {
  Value across = operand.number == 0 ? tile.firstRow : tile.firstColumn;
  SmallVector<Value> more = getMatrixPlace(operand.boxes, tile);
  Value place = arith::AddIOp::create(
      b, arith::MulIOp::create(b, stage, tools->word(stageBytes)),
      tools->word(operand.place));
  Value barrier = getBarrier(true, stage);
  // A block of a cluster brings its part to all of them.
  int64_t sharers = countSharers(operand), extent = operand.asked / sharers;
  Value everywhere;
  if (sharers > 1) {
    everywhere = arith::ConstantIntOp::create(b, (1 << sharers) - 1, 16);
    across = add(across, mul(rank, extent));
    place =
        arith::AddIOp::create(b, place, toWord(mul(rank, extent * kChunkRow)));
  }
  auto ask = [&](Value to, Value x, Value y) {
    SmallVector<Value> coordinates = {toWord(x), toWord(y)};
    llvm::append_range(coordinates, more);
    tools->ask(operand.map, coordinates, to, barrier, everywhere);
  };
  if (operand.boxes.alongSum)
    return ask(place, sum, across);
  for (int64_t k = 0; k < extent; k += schedule.getSum())
    ask(arith::AddIOp::create(b, place, tools->word(k * kChunkRow)),
        add(across, constantIndex(k)), sum);
}

StageTurn GridWgmmaEmitter::fillStages(
    const Tile &tile, StageTurn turn,
    llvm::function_ref<void(const StageTurn &now, Value step)> fill) {
  auto loop = scf::ForOp::create(b, constantIndex(0), tile.steps,
                                 constantIndex(1),
                                 ValueRange{turn.stage, turn.phase});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  StageTurn now = {loop.getRegionIterArg(0), loop.getRegionIterArg(1)};
  fill(now, loop.getInductionVar());
  StageTurn next = tools->advance(now, schedule.getStages());
  scf::YieldOp::create(b, ValueRange{next.stage, next.phase});
  return {loop.getResult(0), loop.getResult(1)};
}

StageTurn GridWgmmaEmitter::emitCopies(const Tile &tile, StageTurn turn) {
  return fillStages(tile, turn, [&](const StageTurn &now, Value step) {
    wait(/*isFull=*/false, now, /*isNextPhase=*/true);
    tools->expect(getBarrier(true, now.stage), countAskedBytes());
    Value sum = add(tile.sumBegin, mul(step, schedule.getSum()));
    for (const Operand &operand : operands)
      copy(operand, tile, now.stage, sum);
  });
}

//===----------------------------------------------------------------------===//
// Who multiplies
//===----------------------------------------------------------------------===//

/// Where an operand of a warpgroup lies, as `wgmma` takes it: part number
/// `part` of its rows, of 64.
Value GridWgmmaEmitter::getDescriptor(const Operand &operand, Value stage,
                                      Value part) {
  Value place = arith::AddIOp::create(
      b, arith::MulIOp::create(b, stage, tools->word(stageBytes)),
      tools->word(operand.place));
  if (part)
    place = arith::AddIOp::create(
        b, place,
        arith::MulIOp::create(b, part, tools->word(kGroupRows * kChunkRow)));
  // Along the sum eight rows follow each other; else 64 elements across do, each with
  // all of the step's sum.
  return tools->getDescriptor(
      place, operand.boxes.alongSum ? 16 : schedule.getSum() * kChunkRow);
}

static NVVM::WGMMATypes getWgmmaType(Type factor, bool isUnsigned) {
  if (factor.isInteger(8))
    return isUnsigned ? NVVM::WGMMATypes::u8 : NVVM::WGMMATypes::s8;
  return factor.isF32()   ? NVVM::WGMMATypes::tf32
         : factor.isF16() ? NVVM::WGMMATypes::f16
                          : NVVM::WGMMATypes::bf16;
}

/// One step of all parts of this warpgroup; the sums are not there before it is waited for.
SmallVector<Value> GridWgmmaEmitter::multiply(ValueRange sums, Value stage) {
  SmallVector<Value> made(sums), left;
  for (int64_t part = 0; part < schedule.getGroupParts(); ++part)
    left.push_back(getDescriptor(
        operands[0], stage,
        schedule.getTurns() > 1 ? tools->word(part) : warpgroup));
  Value right = getDescriptor(operands[1], stage, Value());
  int64_t width = bytesOf(operands[0].type), depth = kChunkStep / width;
  auto typeOf = [&](unsigned n) {
    return getWgmmaType(operands[n].type, isUnsigned(n));
  };
  NVVM::WGMMATypes sumOf =
      sumType.isF32() ? NVVM::WGMMATypes::f32 : NVVM::WGMMATypes::s32;
  tools->fence();
  for (int64_t k = 0; k < schedule.getSum(); k += depth) {
    auto advance = [&](unsigned n, Value descriptor) {
      return tools->advance(descriptor, operands[n].boxes.alongSum
                                            ? k * width
                                            : k * kChunkRow);
    };
    auto layoutOf = [&](unsigned n) {
      bool isRow = operands[n].boxes.alongSum == (n == 0);
      return isRow ? NVVM::MMALayout::row : NVVM::MMALayout::col;
    };
    for (auto [part, descriptor] : llvm::enumerate(left))
      made[part] = NVVM::WgmmaMmaAsyncOp::create(
          b, made[part].getType(), made[part], advance(0, descriptor),
          advance(1, right),
          NVVM::MMAShapeAttr::get(context, kGroupRows, schedule.getColumns(),
                                  depth),
          typeOf(0), typeOf(1), sumOf, NVVM::WGMMAScaleOut::one,
          NVVM::WGMMAScaleIn::one, NVVM::WGMMAScaleIn::one, layoutOf(0),
          layoutOf(1), NVVM::MMAIntOverflowAttr());
  }
  tools->commit();
  return made;
}

/// Waits for all steps. The sums pass through the instruction, so that nothing reads
/// them before.
SmallVector<Value> GridWgmmaEmitter::complete(ValueRange sums) {
  int64_t count = schedule.getColumns() / 2;
  SmallVector<Value> values;
  for (Value part : sums)
    for (int64_t k = 0; k < count; ++k)
      values.push_back(
          LLVM::ExtractValueOp::create(b, part, ArrayRef<int64_t>{k}));
  return tools->complete(values, /*pending=*/0);
}

Value GridWgmmaEmitter::getOrderBarrier(Value group) {
  int64_t first = barrierPlace + 16 * schedule.getStages();
  return tools->getShared(
      tools->add(tools->mul(group, 8), tools->word(first)));
}

/// Waits until the other warpgroup has begun with all of its stages. The first warpgroup
/// waits for the phase before its tile, which for the first tile is over.
void GridWgmmaEmitter::awaitTurn(const Tile &tile) {
  Value round = arith::ShRUIOp::create(b, tile.before, tools->word(1));
  Value isFirst = arith::SubIOp::create(b, tools->word(1), warpgroup);
  Value phase = arith::AndIOp::create(
      b, arith::XOrIOp::create(b, round, isFirst), tools->word(1));
  tools->wait(getOrderBarrier(warpgroup), phase);
}

void GridWgmmaEmitter::giveTurn() {
  Value isOne = isLess(inGroup, constantIndex(1));
  (void)emitIf(isOne, [&] {
    tools->arrive(getOrderBarrier(tools->flip(warpgroup)));
    return success();
  });
}

/// Whose turn it is behind a tile of another warpgroup.
StageTurn GridWgmmaEmitter::passOver(const Tile &tile, StageTurn turn) {
  Value stages = tools->word(schedule.getStages());
  Value place = tools->add(turn.stage, toWord(tile.steps));
  Value rounds = arith::DivUIOp::create(b, place, stages);
  Value isOdd = arith::AndIOp::create(b, rounds, tools->word(1));
  return {arith::RemUIOp::create(b, place, stages),
          arith::XOrIOp::create(b, turn.phase, isOdd)};
}

/// The tiles that are this warpgroup's.
FailureOr<StageTurn> GridWgmmaEmitter::emitOwnProducts(const Tile &tile,
                                                       StageTurn turn) {
  if (schedule.getTurns() == 1)
    return emitProducts(tile, turn);
  Value whose = arith::AndIOp::create(b, tile.before, tools->word(1));
  Value isOwn = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, whose,
                                      warpgroup);
  Type i32 = b.getI32Type();
  auto branch = scf::IfOp::create(b, TypeRange{i32, i32}, isOwn,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  auto yield = [&](const StageTurn &next) {
    scf::YieldOp::create(b, ValueRange{next.stage, next.phase});
  };
  b.setInsertionPointToStart(branch.thenBlock());
  awaitTurn(tile);
  FailureOr<StageTurn> next = emitProducts(tile, turn);
  if (failed(next))
    return failure();
  yield(*next);
  b.setInsertionPointToStart(branch.elseBlock());
  yield(passOver(tile, turn));
  return StageTurn{branch.getResult(0), branch.getResult(1)};
}

FailureOr<StageTurn> GridWgmmaEmitter::emitProducts(const Tile &tile,
                                                    StageTurn turn) {
  int64_t count = schedule.getColumns() / 2, parts = schedule.getGroupParts();
  auto type = LLVM::LLVMStructType::getLiteral(
      context, SmallVector<Type>(count, sumType));
  Value sums = LLVM::PoisonOp::create(b, type);
  Value zero =
      arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(sumType)));
  for (int64_t k = 0; k < count; ++k)
    sums = LLVM::InsertValueOp::create(b, sums, zero, ArrayRef<int64_t>{k});
  SmallVector<Value> begin = {turn.stage, turn.phase, tools->word(0)};
  begin.append(parts, sums);
  auto loop = scf::ForOp::create(b, constantIndex(0), tile.steps,
                                 constantIndex(1), begin);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    StageTurn now = {loop.getRegionIterArg(0), loop.getRegionIterArg(1)};
    wait(/*isFull=*/true, now, /*isNextPhase=*/false);
    fenceGathered();
    clearBehind(tile, now.stage, loop.getInductionVar());
    SmallVector<Value> made =
        multiply(loop.getRegionIterArgs().drop_front(3), now.stage);
    // One step stays under way; the one before has been read.
    NVVM::WgmmaWaitGroupSyncOp::create(b, 1);
    Value hasBefore = arith::CmpIOp::create(
        b, arith::CmpIPredicate::ne, loop.getInductionVar(), constantIndex(0));
    (void)emitIf(hasBefore, [&] {
      arrive(loop.getRegionIterArg(2));
      return success();
    });
    StageTurn next = tools->advance(now, schedule.getStages());
    SmallVector<Value> yielded = {next.stage, next.phase, now.stage};
    yielded.append(made);
    scf::YieldOp::create(b, yielded);
  }
  if (schedule.getTurns() > 1)
    giveTurn();
  Value isAny = isLess(constantIndex(0), tile.steps);
  auto release = [&] {
    (void)emitIf(isAny, [&] {
      arrive(loop.getResult(2));
      return success();
    });
  };
  if (failed(finishIfThere(tile, loop.getResults().drop_front(3), release)))
    return failure();
  return StageTurn{loop.getResult(0), loop.getResult(1)};
}

/// What those who ask leave of the registers.
int64_t GridWgmmaEmitter::countManyRegisters() {
  int64_t asking = gathers() ? kCopyRegisters : kFewRegisters;
  return std::min(kManyRegisters,
                  countRegistersLeft(/*blocks=*/1, schedule.getGroups(), asking));
}

LogicalResult GridWgmmaEmitter::emitThread() {
  if (failed(analyze()))
    return failure();
  for (unsigned k = 0; k < 2; ++k) {
    operands[k].number = k;
    if (failed(describe(operands[k])))
      return failure();
  }
  int64_t cluster = schedule.getCluster();
  if (cluster > 1 && gathers())
    return refuse(schedule) << "whose clusters share what the copy engine "
                               "brings, and threads copy here";
  int64_t sums = countSums();
  if (sums + kOtherRegisters > countManyRegisters())
    return refuse(schedule) << "whose threads have " << countManyRegisters()
                            << " registers each, and " << sums << " sums";
  sumPlace = stageBytes * schedule.getStages();
  int64_t barrierBytes =
      16 * schedule.getStages() + 8 * countOrderBarriers(schedule);
  describeStores(getMostShared() - sumPlace - barrierBytes);
  barrierPlace = sumPlace + schedule.getGroups() * kGroupThreads / kWarp *
                                getFinishedBytes();
  sharedBytes = barrierPlace + barrierBytes;
  blocks = countTiles() * cluster;
  if (schedule.getBlocks())
    blocks = guard::min(blocks,
                        guard::getConstant(context, schedule.getBlocks()));
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    b.getI32IntegerAttr(1));
  if (cluster > 1) {
    function->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(),
                      b.getDenseI32ArrayAttr({int32_t(cluster), 1, 1}));
    rank = arith::RemUIOp::create(b, block, constantIndex(cluster));
  }
  tools.emplace(b, getSharedMemory());
  initBarriers();

  // The same for all threads of a warp, and known to be.
  Value number =
      arith::DivUIOp::create(b, thread, constantIndex(kGroupThreads));
  number = NVVM::ShflOp::create(
      b, b.getI32Type(), tools->word(-1), toWord(number), tools->word(0),
      tools->word(kWarp - 1), NVVM::ShflKind::idx, UnitAttr());
  Value asks = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number,
                                     tools->word(0));
  auto branch = scf::IfOp::create(b, asks, /*withElseRegion=*/true);
  // Nobody leaves before the others' copies and answers have come.
  syncCluster(/*isAligned=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  NVVM::SetMaxRegisterOp::create(b, gathers() ? kCopyRegisters : kFewRegisters,
                                 NVVM::SetMaxRegisterAction::decrease);
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, thread,
                                        constantIndex(0));
  auto ask = [&] {
    return forEachTile([&](const Tile &tile, StageTurn turn) {
      return FailureOr<StageTurn>(emitCopies(tile, turn));
    });
  };
  if (failed(gathers() ? emitGatherers() : emitIf(isFirst, ask)))
    return failure();
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  NVVM::SetMaxRegisterOp::create(b, countManyRegisters(),
                                 NVVM::SetMaxRegisterAction::increase);
  warpgroup = arith::SubIOp::create(b, number, tools->word(1));
  inGroup = arith::RemUIOp::create(b, thread, constantIndex(kGroupThreads));
  isLeader = isLess(inGroup, constantIndex(cluster));
  if (failed(forEachTile([&](const Tile &tile, StageTurn turn) {
        return emitOwnProducts(tile, turn);
      })))
    return failure();
  // Nobody leaves before what they have is stored.
  if (stores.buffers)
    tools->awaitStores(/*pending=*/0, /*isWritten=*/true);
  return success();
}
