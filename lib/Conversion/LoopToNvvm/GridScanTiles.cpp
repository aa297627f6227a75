//===- GridScanTiles.cpp - Scans of few long rows -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks have tiles of a row, one after the other, in one pass over memory (Merrill, Garland:
// Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016). A block takes the next
// ticket, so those it waits for are running or have ended. A warp has a part of the tile:
//
//   step 0: thread 0 [e e e e] thread 1 [e e e e] ... thread 31 [e e e e]
//   step 1: the same of the elements behind these, ...
//
// so what a warp reads at a time is one piece of memory, and steps are joined by shuffles that
// do not wait for each other. What all warps have is the tile's, which is told to the tiles
// behind it. With groups of four:
//
//   tile        0   1   2   3     4     5   6   7     8
//   tells       0   1   2   0..3  4     5   6   0..7  8
//   tile 6 joins            0..3, 4,    5
//
// There, what is joined depends on the number of the tile alone; in the paper it is what
// happens to be told by then. The last tile of vectors tells those elements of the row that are
// behind them, if there are any, what all before come to.
//
// Each 32 bits of what a tile tells are the low half of a word whose high half says that they
// are there. A word is read and written at once, so nothing has to be ordered.
//
//===----------------------------------------------------------------------===//

#include "GridScanTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

static constexpr int64_t kWordBytes = 8;
/// Registers of a thread, so that several blocks share a multiprocessor: while threads of one
/// wait, others read.
static constexpr int64_t kScanRegisters = 64;
/// How long a thread waits before it asks again, in ns.
static constexpr int64_t kSleep = 100;

static ScanOp getScan(KernelOp kernel) {
  return *kernel.getBody().getOps<ScanOp>().begin();
}

static int64_t getBits(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

/// Words in which a tile tells its values.
static int64_t countWords(ScanOp op) {
  int64_t words = 0;
  for (Type type : op.getAccumulatorTypes())
    words += llvm::divideCeil(getBits(type), 32);
  return words;
}

static ScanTiles getTiles(KernelOp kernel, GPUScanScheduleAttr scan) {
  ScanOp op = getScan(kernel);
  ExprAttr size = op.getRowExtent();
  int64_t lanes = scan.getLanes();
  ScanTiles tiles;
  tiles.rows =
      guard::product(kernel.getContext(), getExprs(kernel.getShared()));
  tiles.vectors = guard::floorDiv(size, lanes) * lanes;
  tiles.whole = guard::ceilDiv(tiles.vectors, scan.getTile());
  tiles.perRow = tiles.whole + guard::ceilDiv(size - tiles.vectors, lanes);
  tiles.words = tiles.rows * tiles.perRow * countWords(op) + 1;
  return tiles;
}

LogicalResult GridScanInitEmitter::emitThread() {
  ExprAttr words = getTiles(kernel, scan).words;
  return emitForItem(words, [&] {
    Value offset = arith::IndexCastOp::create(b, b.getI64Type(), item);
    Value word = LLVM::GEPOp::create(b, workspace.getType(), b.getI64Type(),
                                     workspace, ArrayRef<LLVM::GEPArg>{offset});
    LLVM::StoreOp::create(b, arith::ConstantIntOp::create(b, 0, 64), word,
                          kWordBytes);
    return success();
  });
}

//===----------------------------------------------------------------------===//
// What tiles tell each other
//===----------------------------------------------------------------------===//

/// Where a tile, the `entry`-th of all, tells 32 bits of its values.
Value GridScanEmitter::getTold(unsigned number, Value entry) {
  Value offset = arith::AddIOp::create(
      b, arith::IndexCastOp::create(b, b.getI64Type(), entry),
      getWord(tiles.rows * tiles.perRow * int64_t(number) + 1));
  return LLVM::GEPOp::create(b, workspace.getType(), b.getI64Type(), workspace,
                             ArrayRef<LLVM::GEPArg>{offset});
}

/// Tells what this tile has, by one thread.
void GridScanEmitter::tell(ArrayRef<Value> values) {
  Type i64 = b.getI64Type();
  Value entry = add(rowEntry, tile);
  Value isThere = arith::ConstantIntOp::create(b, int64_t(1) << 32, 64);
  unsigned number = 0;
  for (Value value : values) {
    Value bits = toSlot(value);
    int64_t width = bits.getType().getIntOrFloatBitWidth();
    Type whole = b.getIntegerType(width);
    if (bits.getType() != whole)
      bits = arith::BitcastOp::create(b, whole, bits);
    for (int64_t low = 0; low < width; low += 32) {
      Value part = bits;
      if (low > 0)
        part = arith::ShRUIOp::create(b, bits,
                                      arith::ConstantIntOp::create(b, low, 64));
      if (width > 32)
        part = arith::TruncIOp::create(b, b.getI32Type(), part);
      Value word = arith::OrIOp::create(b, arith::ExtUIOp::create(b, i64, part),
                                        isThere);
      LLVM::StoreOp::create(b, word, getTold(number++, entry), kWordBytes,
                            /*isVolatile=*/false, /*isNonTemporal=*/false,
                            /*isInvariantGroup=*/false,
                            LLVM::AtomicOrdering::monotonic, "device");
    }
  }
}

/// The words of tiles once all of them that `isThere` says to be wanted are told.
SmallVector<Value> GridScanEmitter::waitFor(ArrayRef<Value> entries,
                                            ArrayRef<Value> isThere) {
  Type i64 = b.getI64Type();
  SmallVector<Type> types(entries.size() * words, i64);
  auto loop = scf::WhileOp::create(
      b, types, ValueRange(),
      [&](OpBuilder &builder, Location, ValueRange) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(builder.getInsertionBlock(),
                            builder.getInsertionPoint());
        Value isMissing;
        SmallVector<Value> read;
        for (auto [entry, wanted] : llvm::zip_equal(entries, isThere)) {
          for (unsigned k = 0; k < words; ++k) {
            read.push_back(LLVM::LoadOp::create(
                b, i64, getTold(k, entry), kWordBytes, /*isVolatile=*/false,
                /*isNonTemporal=*/false, /*isInvariant=*/false,
                /*isInvariantGroup=*/false, LLVM::AtomicOrdering::monotonic,
                "device"));
            Value isUntold = arith::AndIOp::create(
                b, wanted,
                arith::CmpIOp::create(
                    b, arith::CmpIPredicate::ult, read.back(),
                    arith::ConstantIntOp::create(b, int64_t(1) << 32, 64)));
            isMissing =
                isMissing
                    ? arith::OrIOp::create(b, isMissing, isUntold).getResult()
                    : isUntold;
          }
        }
        scf::ConditionOp::create(b, isMissing, read);
      },
      [&](OpBuilder &builder, Location, ValueRange) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(builder.getInsertionBlock(),
                            builder.getInsertionPoint());
        NVVM::NanosleepOp::create(b,
                                  arith::ConstantIntOp::create(b, kSleep, 32));
        scf::YieldOp::create(b);
      });
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// The values that words tell.
SmallVector<Value> GridScanEmitter::fromWords(ScanOp op, ArrayRef<Value> told) {
  SmallVector<Value> values;
  for (Type type : op.getAccumulatorTypes()) {
    Type slot = getSlotType(type);
    int64_t width = slot.getIntOrFloatBitWidth();
    Type whole = b.getIntegerType(width);
    Value bits;
    if (width <= 32) {
      bits = arith::TruncIOp::create(b, whole, told.front());
    } else {
      Value low = arith::ExtUIOp::create(
          b, whole, arith::TruncIOp::create(b, b.getI32Type(), told[0]));
      Value high = arith::ShLIOp::create(
          b, told[1], arith::ConstantIntOp::create(b, 32, 64));
      bits = arith::OrIOp::create(b, low, high);
    }
    told = told.drop_front(llvm::divideCeil(width, 32));
    if (slot != whole)
      bits = arith::BitcastOp::create(b, slot, bits);
    values.push_back(fromSlot(bits, type));
  }
  return values;
}

/// What all elements before the tile come to. The last threads have the tiles that come right
/// before it, so threads that have none stand before all others.
GridScanEmitter::Values GridScanEmitter::lookBack(ScanOp op) {
  int64_t each = llvm::divideCeil(scan.getGroup(), scan.getThreads());
  Value inGroup =
      arith::AndIOp::create(b, tile, constantIndex(scan.getGroup() - 1));
  Value oldest = arith::MaxSIOp::create(
      b,
      arith::SubIOp::create(b, arith::SubIOp::create(b, tile, inGroup),
                            constantIndex(1)),
      constantIndex(0));
  SmallVector<Value> entries, isThere;
  Value place = add(tile, mul(thread, each));
  for (int64_t k = 0; k < each; ++k) {
    Value other = arith::SubIOp::create(
        b, place, constantIndex(each * scan.getThreads() - k));
    isThere.push_back(
        arith::CmpIOp::create(b, arith::CmpIPredicate::sge, other, oldest));
    entries.push_back(add(rowEntry, arith::MaxSIOp::create(b, other, oldest)));
  }
  SmallVector<Value> told = waitFor(entries, isThere);
  SmallVector<Value> neutral = identities(op, 1), joined;
  for (int64_t k = 0; k < each; ++k) {
    SmallVector<Value> values =
        fromWords(op, ArrayRef(told).slice(k * words, words));
    for (auto [value, none] : llvm::zip_equal(values, neutral))
      value = arith::SelectOp::create(b, isThere[k], value, none);
    if (k > 0) {
      auto both = combine(op, joined, values);
      if (failed(both))
        return failure();
      values = std::move(*both);
    }
    joined = std::move(values);
  }
  auto warp = joinWarp(op, std::move(joined), kWarp);
  if (failed(warp))
    return failure();
  auto all = joinWarps(op, std::move(warp->all));
  if (failed(all))
    return failure();
  return std::move(all->all);
}

//===----------------------------------------------------------------------===//
// A tile
//===----------------------------------------------------------------------===//

Value GridScanEmitter::isThread(int64_t number) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, thread,
                               constantIndex(number));
}

/// The number of the block among those that have begun.
Value GridScanEmitter::takeTicket() {
  Type i32 = b.getI32Type();
  Value slot = LLVM::AddressOfOp::create(b, declareSlots(i32));
  (void)emitIf(isThread(0), [&] {
    Value ticket =
        LLVM::AtomicRMWOp::create(b, LLVM::AtomicBinOp::add, workspace,
                                  arith::ConstantIntOp::create(b, 1, 32),
                                  LLVM::AtomicOrdering::monotonic, "device");
    LLVM::StoreOp::create(b, ticket, slot);
    return success();
  });
  NVVM::Barrier0Op::create(b);
  return arith::IndexCastUIOp::create(b, b.getIndexType(),
                                      LLVM::LoadOp::create(b, i32, slot));
}

/// Whether there may be elements of a row that are no vectors.
bool GridScanEmitter::hasRest() const { return tiles.perRow != tiles.whole; }

/// The vectors of a thread, or the element of one that has none.
LogicalResult GridScanEmitter::emitSteps(const Position &start, unsigned shared,
                                         RowBody body) {
  ExprAttr size = getScan(kernel).getRowExtent();
  int64_t lanes = scan.getLanes();
  auto emit = [&](Value element, ExprAttr end, int64_t width) {
    elementInside = {};
    if (auto count = end.getConstant();
        isRest || !count || *count % scan.getTile() != 0) {
      elementInside = isLess(element, getArgument(end));
      element = arith::MinSIOp::create(b, element, getArgument(end + -width));
    }
    LogicalResult emitted =
        body(enterRow(start, shared, element, width), elementInside);
    elementInside = {};
    return emitted;
  };
  step = 0;
  if (isRest)
    return emit(add(getArgument(tiles.vectors), thread), size, 1);
  for (; step < scan.getSteps(); ++step)
    if (failed(emit(add(first, constantIndex(step * kWarp * lanes)),
                    tiles.vectors, lanes)))
      return failure();
  return success();
}

/// Joins the lanes of a piece, and gives what all of them have.
GridScanEmitter::Values GridScanEmitter::joinLanes(ScanOp op, Piece &piece) {
  int64_t lanes = piece.position.lanes;
  if (lanes == 1)
    return piece.values;
  SmallVector<SmallVector<Value>> joined(piece.values.size());
  SmallVector<Value> last;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    SmallVector<Value> values;
    for (Value value : piece.values)
      values.push_back(
          vector::ExtractOp::create(b, value, ArrayRef<int64_t>{lane}));
    if (lane > 0) {
      auto both = combine(op, last, values);
      if (failed(both))
        return failure();
      values = std::move(*both);
    }
    for (auto [list, value] : llvm::zip_equal(joined, values))
      list.push_back(value);
    last = std::move(values);
  }
  for (auto [value, list] : llvm::zip_equal(piece.values, joined))
    value = vector::FromElementsOp::create(b, value.getType(), list);
  return last;
}

/// Joins the pieces of a warp, and gives what all of them have.
GridScanEmitter::Values
GridScanEmitter::joinPieces(ScanOp op, MutableArrayRef<Piece> pieces) {
  SmallVector<Value> carried;
  for (auto [k, piece] : llvm::enumerate(pieces)) {
    auto own = joinLanes(op, piece);
    if (failed(own))
      return failure();
    auto joined = joinWarp(op, std::move(*own), kWarp);
    if (failed(joined))
      return failure();
    piece.before = std::move(joined->before);
    if (k == 0) {
      carried = std::move(joined->all);
      continue;
    }
    auto before = joinUnlessNone(op, carried, piece.before, joined->isFirst);
    auto all = combine(op, carried, joined->all);
    if (failed(before) || failed(all))
      return failure();
    piece.before = std::move(*before);
    carried = std::move(*all);
  }
  return carried;
}

/// Joins each piece with what is before its warp.
LogicalResult GridScanEmitter::finishPieces(ScanOp op, ArrayRef<Piece> pieces,
                                            ArrayRef<Value> before) {
  Value inWarp = arith::RemUIOp::create(b, thread, constantIndex(kWarp));
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, inWarp,
                                        constantIndex(0));
  for (auto [k, piece] : llvm::enumerate(pieces)) {
    // Behind the first piece something is before all threads.
    auto all = k == 0 ? joinUnlessNone(op, before, piece.before, isFirst)
                      : combine(op, before, piece.before);
    if (failed(all))
      return failure();
    for (Value &value : *all)
      value = broadcast(value, piece.position.lanes);
    auto values = combine(op, *all, piece.values);
    if (failed(values))
      return failure();
    step = k;
    elementInside = piece.inside;
    finishAccumulators(op, piece.position, *values);
    if (hasRest())
      tellRest(*values);
  }
  elementInside = {};
  return success();
}

/// Tells the elements that are no vectors what all before them come to, if this is the last
/// vector: threads behind it have it once more, and join that, too.
void GridScanEmitter::tellRest(ArrayRef<Value> values) {
  int64_t lanes = scan.getLanes();
  Value isLast =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                            add(first, constantIndex(step * kWarp * lanes)),
                            getArgument(tiles.vectors + -lanes));
  (void)emitIf(isLast, [&] {
    SmallVector<Value> last;
    for (Value value : values)
      last.push_back(
          vector::ExtractOp::create(b, value, ArrayRef<int64_t>{lanes - 1}));
    tell(last);
    return success();
  });
}

LogicalResult GridScanEmitter::emitTileScan(ScanOp op, const Position &point) {
  // All is asked for before anything is waited for.
  std::vector<Piece> pieces;
  auto read = [&](const Position &position, Value inside) -> LogicalResult {
    auto values = evaluate(op, position);
    if (succeeded(values))
      pieces.push_back({position, inside, std::move(*values), {}});
    return LogicalResult(values);
  };
  if (failed(
          emitSteps(enter(point, op.getDomain()), point.extents.size(), read)))
    return failure();
  auto own = joinPieces(op, pieces);
  if (failed(own))
    return failure();
  auto warps = joinWarps(op, std::move(*own));
  if (failed(warps))
    return failure();
  Value inGroup =
      arith::AndIOp::create(b, tile, constantIndex(scan.getGroup() - 1));
  Value endsGroup = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, inGroup,
                                          constantIndex(scan.getGroup() - 1));
  Value goesOn = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, inGroup,
                                       constantIndex(scan.getGroup() - 1));
  Value tells = isThread(0);
  if (hasRest())
    tells = arith::AndIOp::create(
        b, tells,
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, tile,
                              getArgument(tiles.whole + -1)));
  (void)emitIf(arith::AndIOp::create(b, tells, goesOn), [&] {
    tell(warps->all);
    return success();
  });
  auto before = lookBack(op);
  if (failed(before) ||
      failed(emitIf(arith::AndIOp::create(b, tells, endsGroup),
                    [&]() -> LogicalResult {
                      auto all = combine(op, *before, warps->all);
                      if (succeeded(all))
                        tell(*all);
                      return LogicalResult(all);
                    })))
    return failure();
  before = joinUnlessNone(op, *before, warps->before, warps->isFirst);
  if (failed(before))
    return failure();
  return finishPieces(op, pieces, *before);
}

/// The elements behind the last vector of a row, fewer than a warp. Nothing is behind them.
LogicalResult GridScanEmitter::emitRest(ScanOp op, const Position &point) {
  Value other = arith::SubIOp::create(b, tile, constantIndex(1));
  Value isThere = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, other,
                                        constantIndex(0));
  Value entry =
      add(rowEntry, arith::MaxSIOp::create(b, other, constantIndex(0)));
  SmallVector<Value> before = fromWords(op, waitFor(entry, isThere));
  for (auto [value, none] : llvm::zip_equal(before, identities(op, 1)))
    value = arith::SelectOp::create(b, isThere, value, none);
  return emitSteps(enter(point, op.getDomain()), point.extents.size(),
                   [&](const Position &position, Value) {
                     return LogicalResult(
                         emitScannedPiece(op, position, before));
                   });
}

LogicalResult GridScanEmitter::emitTile(const Position &point) {
  for (NestOpInterface nest : kernel.getNests()) {
    auto op = dyn_cast<ScanOp>(nest.getOperation());
    LogicalResult emitted =
        !op ? emitRowPointwise(cast<PointwiseOp>(nest.getOperation()), point)
        : isRest ? emitRest(op, point)
                 : emitTileScan(op, point);
    if (failed(emitted))
      return failure();
  }
  return success();
}

LogicalResult GridScanEmitter::emitThread() {
  if (failed(scan.verifyKernel(kernel)))
    return failure();
  if (GPUTargetAttr target = getGPUTarget(function))
    function->setAttr(
        NVVM::NVVMDialect::getMinctasmAttrName(),
        b.getI32IntegerAttr(std::max<int64_t>(
            target.getRegisters() / (kScanRegisters * threads), 1)));
  SmallVector<ExprAttr> extents = analysis::collapseShared(kernel, layout);
  tiles = getTiles(kernel, scan);
  words = countWords(getScan(kernel));
  blocks = tiles.rows * tiles.perRow;
  scratchBytes = tiles.words * kWordBytes;
  reached.push_back(tiles.words);
  reached.push_back(getScan(kernel).getRowExtent() + scan.getTile());

  // Tiles of all rows by turns: what lies beside each other is read at about the same time.
  Value ticket = takeTicket(), rows = getArgument(tiles.rows);
  row = arith::RemUIOp::create(b, ticket, rows);
  tile = arith::DivUIOp::create(b, ticket, rows);
  rowEntry = arith::MulIOp::create(b, row, getArgument(tiles.perRow));
  lane = thread;
  Value warp = arith::DivUIOp::create(b, thread, constantIndex(kWarp)),
        inWarp = arith::RemUIOp::create(b, thread, constantIndex(kWarp));
  int64_t lanes = scan.getLanes();
  first =
      add(mul(tile, scan.getTile()),
          add(mul(warp, scan.getSteps() * kWarp * lanes), mul(inWarp, lanes)));
  Position point;
  point.dims = delinearize(row, extents);
  point.extents = extents;
  if (!hasRest())
    return emitTile(point);
  Value isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, tile,
                                       getArgument(tiles.whole));
  auto branch = scf::IfOp::create(b, isLast, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  isRest = true;
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  if (failed(emitTile(point)))
    return failure();
  isRest = false;
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  return emitTile(point);
}
