//===- GridRowCopies.cpp - Rows that a copy engine brings -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread asks for rows of inputs, and barriers in shared memory count what has
// arrived. Rows of a part go round in `stages` places: a row is brought to where one
// was that all threads have read, as is known behind the first barrier of the block
// after that. Another row comes in as many pieces, for which threads wait when they
// come to them first, and stays.
//
//   | x, row 0 | dy, row 0 | x, row 1 | dy, row 1 | ... | barriers |
//
//===----------------------------------------------------------------------===//

#include "GridEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "llvm/Support/MathExtras.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Bytes of a barrier, and of shared memory that a block has besides what it asks for.
static constexpr int64_t kRowBarrier = 8, kReservedShared = 1024;

/// Bytes of an element of a row.
static int64_t getRowWidth(const analysis::WholeRow &row) {
  return row.bytes / row.size;
}

/// What is brought: of parts the inputs that are read ahead, which are so no more
/// then; of other rows those that are read more than once.
void GridRowsEmitter::findBrought(bool isOfParts) {
  for (analysis::WholeRow &row : analysis::getWholeRows(kernel, layout)) {
    auto isSame = [&](const StagedInput &input) {
      return input.tensor == row.input;
    };
    bool isWanted = isOfParts ? llvm::any_of(staged, isSame) : row.nests > 1;
    int64_t bytes = getRowWidth(row) * schedule.getLanes();
    bool isAligned = peeled.begin ? row.begin == peeled.begin &&
                                        bytes % analysis::kEngineBytes == 0
                                  : row.isAligned;
    if (!isWanted || !isAligned)
      continue;
    llvm::erase_if(staged, isSame);
    for (LoadOp load : row.loads)
      broughtLoads[load] = brought.size();
    int64_t place = broughtBytes;
    broughtBytes += llvm::alignTo(row.bytes, analysis::kEngineBytes);
    brought.push_back({std::move(row), place, /*edge=*/Value()});
  }
}

/// Makes room for so many rows of each input and barriers. `limit` is how many blocks
/// share a multiprocessor at most, of which the function is told.
void GridRowsEmitter::declareBrought(int64_t copies, int64_t barriers,
                                     int64_t limit) {
  broughtBarriers = copies * broughtBytes;
  sharedBytes = broughtBarriers + barriers * kRowBarrier;
  tools.emplace(b, getSharedMemory());
  int64_t most =
      (getMostShared() + kReservedShared) / (sharedBytes + kReservedShared);
  function->setAttr(
      NVVM::NVVMDialect::getMinctasmAttrName(),
      b.getI32IntegerAttr(std::max<int64_t>(std::min(most, limit), 1)));
}

Value GridRowsEmitter::getRowBarrier(Value number) {
  return tools->getShared(tools->add(tools->mul(number, kRowBarrier),
                                     tools->word(broughtBarriers)));
}

/// Has one thread make barriers and ask for what comes first.
void GridRowsEmitter::startBringing(int64_t barriers,
                                    llvm::function_ref<void()> ask) {
  (void)emitIf(isFirstThread(), [&] {
    for (int64_t k = 0; k < barriers; ++k)
      tools->initBarrier(getRowBarrier(tools->word(k)), 1);
    NVVM::FenceMbarrierInitOp::create(b);
    ask();
    return success();
  });
  NVVM::Barrier0Op::create(b);
}

Value GridRowsEmitter::isFirstThread() {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, thread,
                               constantIndex(0));
}

/// The element of a row, from its first one on, that lies at `at`.
Value GridRowsEmitter::getRowPointer(const BroughtRow &each,
                                     const Position &point, Value at) {
  Value begin = elementPointer(buffers.find(each.row.input)->second,
                               each.row.begin, point);
  Value offset = arith::IndexCastOp::create(b, b.getI64Type(),
                                            mul(at, getRowWidth(each.row)));
  return LLVM::GEPOp::create(b, begin.getType(), b.getI8Type(), begin,
                             ArrayRef<LLVM::GEPArg>{offset});
}

/// The vector of a row that the thread is at.
Value GridRowsEmitter::readBrought(const BroughtRow &each, Value stage) {
  int64_t lanes = schedule.getLanes(), bytes = getRowWidth(each.row) * lanes;
  Value place =
      tools->add(tools->mul(toWord(vector), bytes), tools->word(each.place));
  if (stage)
    place = tools->add(place, tools->mul(stage, broughtBytes));
  auto type = cast<RankedTensorType>(each.row.input.getType());
  return loadAt(tools->getShared(place), type.getElementType(), lanes,
                std::min(bytes, analysis::kEngineBytes));
}

//===----------------------------------------------------------------------===//
// Rows of a part
//===----------------------------------------------------------------------===//

/// Asks for row `number` of the part.
void GridRowsEmitter::bringPartRow(const RowParts &parts, Value number,
                                   Value stage) {
  int64_t bytes = 0;
  for (const BroughtRow &each : brought)
    bytes += each.row.bytes;
  Value barrier = getRowBarrier(stage);
  tools->expect(barrier, bytes);
  Position point = enterPartRow(parts, number).point;
  Value place = tools->mul(stage, broughtBytes);
  for (const BroughtRow &each : brought)
    tools->bring(getRowPointer(each, point, constantIndex(0)),
                 tools->add(place, tools->word(each.place)), barrier,
                 tools->word(each.row.bytes));
}

/// Asks for the first of `rows`. The stage of the first one.
StageTurn GridRowsEmitter::startPart(const RowParts &parts, int64_t rows) {
  int64_t stages = schedule.getStages();
  startBringing(stages, [&] {
    for (int64_t k = 0; k < std::min(stages, rows); ++k)
      bringPartRow(parts, constantIndex(k), tools->word(k));
  });
  return {tools->word(0), tools->word(0)};
}

/// Waits for row `number` and takes what the thread has of it. What comes there next is
/// asked for behind the next barrier.
void GridRowsEmitter::takePartRow(const RowParts &parts, int64_t rows,
                                  Value number, const StageTurn &turn) {
  tools->wait(getRowBarrier(turn.stage), turn.phase);
  for (const BroughtRow &each : brought)
    (void)forEachStep(partColumns, [&](Value, Value) {
      kept[{each.row.input, step}] = readBrought(each, turn.stage);
      return success();
    });
  behindBarrier = [this, parts, rows, number, turn] {
    Value next = add(number, constantIndex(schedule.getStages()));
    Value isThere = arith::AndIOp::create(b, isFirstThread(),
                                          isLess(next, constantIndex(rows)));
    (void)emitIf(isThere, [&] {
      bringPartRow(parts, next, turn.stage);
      return success();
    });
  };
}

/// Runs what waits for a barrier of the block, which has been passed.
void GridRowsEmitter::runBehindBarrier() {
  if (behindBarrier)
    std::exchange(behindBarrier, nullptr)();
}

//===----------------------------------------------------------------------===//
// A row in pieces
//===----------------------------------------------------------------------===//

/// Asks for the row, whose pieces are whole steps. All rows have one more vector than they
/// may lack by where they begin, if at all: so the last piece always has some.
void GridRowsEmitter::bringRow(const Position &point) {
  findBrought(/*isOfParts=*/false);
  if (brought.empty())
    return;
  int64_t lanes = schedule.getLanes(), threads = schedule.getThreads();
  std::pair<int64_t, int64_t> vectors = countVectors(brought.front().row.size);
  int64_t steps = llvm::divideCeil(vectors.second, threads);
  pieceSteps = llvm::divideCeil(steps, schedule.getStages());
  int64_t size = pieceSteps * threads; // in vectors
  pieces = llvm::divideCeil(vectors.first, size);
  int64_t registers = getPartRegisters(/*rows=*/1) * threads;
  GPUTargetAttr target = getGPUTarget(function);
  declareBrought(/*copies=*/1, pieces,
                 target ? target.getRegisters() / registers : 1);
  int64_t bytes = 0;
  for (const BroughtRow &each : brought)
    bytes += getRowWidth(each.row) * lanes;
  startBringing(pieces, [&] {
    for (int64_t piece = 0; piece < pieces; ++piece) {
      Value first = constantIndex(piece * size), at = mul(first, lanes);
      Value count = constantIndex(size);
      if (piece + 1 == pieces)
        count = arith::SubIOp::create(
            b, peeled.begin ? peeled.vectors : constantIndex(vectors.second),
            first);
      if (peeled.begin)
        at = add(at, peeled.head);
      Value barrier = getRowBarrier(tools->word(piece));
      tools->expect(barrier, toWord(mul(count, bytes)));
      for (const BroughtRow &each : brought) {
        int64_t width = getRowWidth(each.row) * lanes;
        tools->bring(getRowPointer(each, point, at),
                     tools->word(each.place + piece * size * width), barrier,
                     toWord(mul(count, width)));
      }
    }
  });
  if (!peeled.begin)
    return;
  // Nobody brings elements before and behind the vectors.
  Value edge = enterEdge(brought.front().row.size).element;
  for (BroughtRow &each : brought) {
    auto type = cast<RankedTensorType>(each.row.input.getType());
    each.edge = loadAt(getRowPointer(each, point, edge), type.getElementType(),
                       /*lanes=*/1, getRowWidth(each.row));
  }
}

/// Waits for the piece of the step at hand, and those before, if nothing in the code so
/// far has.
void GridRowsEmitter::awaitPiece() {
  int64_t piece = std::min(step / pieceSteps, pieces - 1);
  for (; awaited <= piece; ++awaited)
    tools->wait(getRowBarrier(tools->word(awaited)), tools->word(0));
}
