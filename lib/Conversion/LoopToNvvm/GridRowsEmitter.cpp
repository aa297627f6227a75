//===- GridRowsEmitter.cpp - Threads that share a row ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridEmitter.h"

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Loop/IR/RowValues.h"
#include "kiln/Emission/ShortSums.h"
#include "kiln/Interfaces/SumMark.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Elements of a row that a thread keeps where a multiprocessor has two blocks, at most.
static constexpr int64_t kKeptOfTwoBlocks = 64;

ExprAttr GridRowsEmitter::countOwners() {
  return guard::ceilDiv(guard::product(context, getExprs(kernel.getShared())),
                        schedule.getRows()) *
         schedule.getRows();
}

void GridRowsEmitter::enterThread() {
  if (schedule.getRows() == 1) {
    row = block;
    lane = thread;
    return;
  }
  Value each = constantIndex(schedule.getThreads());
  row = add(mul(block, schedule.getRows()),
            arith::DivUIOp::create(b, thread, each));
  lane = arith::RemUIOp::create(b, thread, each);
}

/// In registers, where they hold a row.
void GridRowsEmitter::bindRow(Value result) {
  bool staysInMemory =
      schedule.getSteps() == 0 ||
      makesKept(kernel, result.getDefiningOp<NestOpInterface>());
  if (staysInMemory && !isOnePerPoint(kernel, result))
    KernelEmitter::bindRow(result);
}

Value GridRowsEmitter::loadStaged(LoadOp load, int64_t) {
  if (Value value = kept.lookup({load.getTensor(), step}))
    return value;
  auto own = broughtLoads.find(load);
  if (own == broughtLoads.end())
    return {};
  const BroughtRow &row = brought[own->second];
  if (step == kEdges)
    return row.edge;
  awaitPiece();
  return readBrought(row, /*stage=*/Value());
}

/// Every thread of a row comes here: one stores what all of them have.
void GridRowsEmitter::finish(Value result, const Position &position,
                             Value value) {
  // A row that stays inside has memory of its own, also for threads that are outside:
  // what they read there next may be an index.
  bool staysInside = !llvm::is_contained(
      kernel.getBody().front().getTerminator()->getOperands(), result);
  Value condition = staysInside ? Value() : rowInside;
  auto require = [&](Value further) {
    if (further)
      condition = condition
                      ? arith::AndIOp::create(b, condition, further).getResult()
                      : further;
  };
  bool isSum =
      getRowParts(kernel, result.getDefiningOp<NestOpInterface>()).has_value();
  if (!isSum && isOnePerPoint(kernel, result)) {
    perPoint[result] = value;
    if (buffers.count(result))
      require(arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane,
                                    constantIndex(0)));
  } else {
    if (schedule.getSteps() != 0 && !isOfFewer)
      kept[{result, step}] = value;
    require(elementInside);
  }
  if (!buffers.count(result))
    return;
  (void)emitIf(condition, [&] {
    KernelEmitter::finish(result, position, value);
    return success();
  });
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// The dimension of a row that neighbours are along: behind it there may be
/// some of one element.
static unsigned getLastWalked(ArrayRef<ExprAttr> extents, unsigned shared) {
  unsigned last = extents.size() - 1;
  while (last > shared && extents[last].isConstant(1))
    --last;
  return last;
}

static ExprAttr getRowSize(MLIRContext *context, ArrayRef<ExprAttr> extents,
                           unsigned shared) {
  return guard::product(context, llvm::to_vector(extents.drop_front(shared)));
}

/// Where most of what rows read and write begins: vectors that are aligned
/// there need not be so elsewhere. What is the same for all rows is in the
/// caches, and counts little.
ExprAttr GridRowsEmitter::chooseBegin() {
  constexpr int64_t kOfRows = 8;
  unsigned shared = kernel.getShared().size();
  llvm::MapVector<ExprAttr, int64_t> bytes;
  llvm::SmallDenseSet<std::pair<Value, ExprAttr>> seen;
  auto take = [&](Value tensor, ExprAttr address, ExprAttr dim, unsigned rank) {
    ExprAttr begin = address - dim;
    bool isOfRow = false, isOfOthers = false;
    for (unsigned k = 0; k < rank; ++k)
      (k < shared ? isOfRow : isOfOthers) |=
          guard::contains(begin, guard::getDim(context, k));
    if (isOfOthers || !seen.insert({tensor, begin}).second)
      return;
    Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
    bytes[begin] +=
        analysis::getElementBytes(element) * (isOfRow ? kOfRows : 1);
  };
  for (NestOpInterface nest : kernel.getNests()) {
    SmallVector<ExprAttr> extents = nest.getDomain().all();
    if (getRowExtents(kernel, nest).empty())
      continue;
    ExprAttr dim = guard::getDim(context, getLastWalked(extents, shared));
    guard::Assumptions assumptions;
    analysis::addExtents(assumptions, context, extents);
    auto linearize = [&](Value tensor, ArrayRef<ExprAttr> indices) {
      return analysis::linearize(context, indices, layout.lookup(tensor),
                                 assumptions);
    };
    for (const analysis::Access &read : analysis::getReads(nest))
      if (!read.indirect && isa<BlockArgument>(read.tensor))
        take(read.tensor, linearize(read.tensor, read.map), dim,
             extents.size());
    Value result = nest->getResult(0);
    if (buffers.count(result) && !isOnePerPoint(kernel, result))
      take(result, linearize(result, nest.getResultMap()), dim, extents.size());
  }
  ExprAttr best = guard::getConstant(context, 0);
  for (auto [begin, amount] : bytes)
    if (amount > bytes.lookup(best))
      best = begin;
  return best;
}

/// What a row begins with, up to where its vectors are aligned, is peeled off,
/// and what is behind the last of them: together fewer than two vectors.
void GridRowsEmitter::enterPeeled(const Position &point) {
  int64_t lanes = schedule.getLanes();
  SmallVector<ExprAttr> row;
  for (NestOpInterface nest : kernel.getNests())
    if (row.empty())
      row = getRowExtents(kernel, nest);
  Value size = getArgument(getRowSize(context, row, 0));
  peeled.begin = chooseBegin();
  Value last = constantIndex(lanes - 1);
  // Modulo the lanes, which are a power of two.
  peeled.head = arith::AndIOp::create(
      b,
      arith::SubIOp::create(b, constantIndex(0),
                            emitIndex(peeled.begin, point)),
      last);
  peeled.vectors = arith::DivUIOp::create(
      b, arith::SubIOp::create(b, size, peeled.head), constantIndex(lanes));
  peeled.split = add(peeled.head, mul(peeled.vectors, lanes));
}

/// What is peeled off: an element for each of the first threads. The others, as
/// those whose vectors lie outside, compute the last element of the row.
GridRowsEmitter::Edge GridRowsEmitter::enterEdge(int64_t size) {
  Value element = arith::SelectOp::create(
      b, isLess(lane, peeled.head), lane,
      add(lane, arith::SubIOp::create(b, peeled.split, peeled.head)));
  Value inside = isLess(element, constantIndex(size));
  element = arith::MinSIOp::create(b, element, constantIndex(size - 1));
  return {element, inside};
}

LogicalResult GridRowsEmitter::emitEdges(const Position &start, unsigned shared,
                                         RowBody body) {
  Edge edge =
      enterEdge(*getRowSize(context, start.extents, shared).getConstant());
  elementInside = edge.inside;
  step = kEdges;
  LogicalResult emitted =
      body(enterRow(start, shared, edge.element, /*lanes=*/1), elementInside);
  elementInside = {};
  return emitted;
}

/// A loop over where the vectors of a thread begin, over every so many of them.
scf::ForOp GridRowsEmitter::emitVectorLoop(const Position &start,
                                           unsigned shared,
                                           ArrayRef<Value> sums,
                                           int64_t together) {
  int64_t lanes = schedule.getLanes();
  Value first = mul(lane, lanes), end = peeled.split;
  if (peeled.begin)
    first = add(first, peeled.head);
  else
    end = getArgument(getRowSize(context, start.extents, shared));
  return scf::ForOp::create(
      b, first, end, constantIndex(schedule.getThreads() * lanes * together),
      sums);
}

/// The position of the vector that begins at `element` of the row.
Position GridRowsEmitter::enterRow(const Position &start, unsigned shared,
                                   Value element, int64_t lanes) {
  Position position = start;
  SmallVector<Value> own =
      delinearize(element, ArrayRef(start.extents).drop_front(shared));
  for (auto [k, index] : llvm::enumerate(own))
    position.dims[shared + k] = index;
  if (lanes > 1) {
    position.vectorDim = getLastWalked(start.extents, shared);
    position.lanes = position.multiple = lanes;
    position.begin = peeled.begin;
  }
  return position;
}

std::pair<int64_t, int64_t> GridRowsEmitter::countVectors(int64_t size) const {
  int64_t lanes = schedule.getLanes(), most = size / lanes;
  return {peeled.begin ? (size - (lanes - 1)) / lanes : most, most};
}

/// The vectors of a thread that stay in registers, one after the other. What lies
/// outside is computed from the last vector of the row, so that there is no branch
/// and what two nests have in common is computed once.
LogicalResult GridRowsEmitter::forEachStep(
    int64_t size,
    llvm::function_ref<LogicalResult(Value element, Value inside)> body) {
  int64_t lanes = schedule.getLanes(), threads = schedule.getThreads();
  auto [least, most] = countVectors(size);
  for (step = 0; step * threads < most; ++step) {
    Value number = add(lane, constantIndex(step * threads));
    elementInside = {};
    if ((step + 1) * threads > least) {
      Value count = peeled.begin ? peeled.vectors : constantIndex(most);
      elementInside = isLess(number, count);
      number = arith::MinSIOp::create(
          b, number, arith::SubIOp::create(b, count, constantIndex(1)));
    }
    vector = number;
    Value element = mul(number, lanes);
    if (peeled.begin)
      element = add(element, peeled.head);
    if (failed(body(element, elementInside)))
      return failure();
  }
  elementInside = vector = {};
  return success();
}

LogicalResult GridRowsEmitter::emitSteps(const Position &start, unsigned shared,
                                         RowBody body) {
  int64_t lanes = schedule.getLanes();
  return forEachStep(*getRowSize(context, start.extents, shared).getConstant(),
                     [&](Value element, Value inside) {
                       return body(enterRow(start, shared, element, lanes),
                                   inside);
                     });
}

/// All vectors of a thread, in registers or one after the other, and what is
/// before and behind them.
LogicalResult GridRowsEmitter::emitOwn(const Position &start, unsigned shared,
                                       RowBody body) {
  if (schedule.getSteps() != 0) {
    if (failed(emitSteps(start, shared, body)))
      return failure();
  } else {
    auto loop = emitVectorLoop(start, shared, /*sums=*/{});
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    if (failed(body(enterRow(start, shared, loop.getInductionVar(),
                             schedule.getLanes()),
                    {})))
      return failure();
  }
  if (!peeled.begin)
    return success();
  return emitEdges(start, shared, [&](const Position &position, Value inside) {
    if (schedule.getSteps() != 0)
      return body(position, inside);
    // In memory a row's elements are those of other threads, too: who has none
    // of these stays away.
    elementInside = {};
    return emitIf(inside, [&] { return body(position, {}); });
  });
}

/// The end of the elements of a row that has fewer than others of the kernel.
/// They are in memory: who has no row of its own keeps away from those of the
/// last one.
Value GridRowsEmitter::emitKeptEnd(ExprAttr count) {
  Value end = getArgument(count);
  return rowInside
             ? arith::SelectOp::create(b, rowInside, end, constantIndex(0))
                   .getResult()
             : end;
}

/// These elements, each of which is always the same thread's.
LogicalResult GridRowsEmitter::emitKept(const Position &start, ExprAttr count,
                                        RowBody body) {
  auto loop = scf::ForOp::create(b, lane, emitKeptEnd(count),
                                 constantIndex(schedule.getThreads()));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  llvm::SaveAndRestore saved(isOfFewer, true);
  return body(enterRow(start, start.extents.size() - 1, loop.getInductionVar(),
                       /*lanes=*/1),
              {});
}

/// What a thread reduces of such a row.
FailureOr<SmallVector<Value>>
GridRowsEmitter::reduceKept(ReduceOp op, const Position &start) {
  auto loop = scf::ForOp::create(b, lane, emitKeptEnd(start.extents.back()),
                                 constantIndex(schedule.getThreads()),
                                 identities(op, 1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(loop.getBody());
  auto values = accumulate(op,
                           enterRow(start, start.extents.size() - 1,
                                    loop.getInductionVar(),
                                    /*lanes=*/1),
                           llvm::to_vector_of<Value>(loop.getRegionIterArgs()));
  if (failed(values))
    return failure();
  scf::YieldOp::create(b, *values);
  return llvm::to_vector_of<Value>(loop.getResults());
}

Position GridRowsEmitter::enterPoint(const Position &point,
                                     NestOpInterface nest) {
  Position position = enter(point, nest.getDomain());
  for (unsigned k = point.extents.size(); k < position.extents.size(); ++k)
    if (position.extents[k].isConstant(1))
      position.dims[k] = constantIndex(0);
  return position;
}

LogicalResult GridRowsEmitter::emitRowPointwise(PointwiseOp op,
                                                const Position &point) {
  auto nest = cast<NestOpInterface>(op.getOperation());
  Position start = enterPoint(point, nest);
  unsigned shared = point.extents.size();
  auto emit = [&](const Position &position, Value) {
    BodyEmitter body(*this, position);
    Block &block = op.getBody().front();
    if (failed(body.emit(block)))
      return failure();
    finish(op.getResult(), position,
           body.get(block.getTerminator()->getOperand(0)));
    return success();
  };
  if (isOnePerPoint(kernel, nest))
    return emit(start, {});
  if (isOfKept(kernel, nest))
    return emitKept(start, start.extents.back(), emit);
  std::optional<Buffer> instead = enterSorted(op);
  LogicalResult emitted = emitOwn(start, shared, emit);
  if (instead)
    buffers[sortedRow.tensor] = *instead;
  return emitted;
}

/// `sums` joined with what the vectors of a thread give that stay in registers.
FailureOr<SmallVector<Value>>
GridRowsEmitter::reduceSteps(ReduceOp op, const Position &start,
                             unsigned shared, ArrayRef<Value> sums) {
  ShortSums own(*this, op, sums);
  int64_t terms = 0;
  auto join = [&](const Position &position, Value inside) -> LogicalResult {
    if (terms++ == kMostShortTerms) {
      auto whole = own.finish();
      if (failed(whole))
        return failure();
      own = ShortSums(*this, op, *whole);
      terms = 1;
    }
    BodyEmitter body(*this, position);
    return own.add(body, inside);
  };
  if (failed(emitSteps(start, shared, join)))
    return failure();
  return own.finish();
}

LogicalResult GridRowsEmitter::emitRowReduce(ReduceOp op,
                                             const Position &point) {
  Position start =
      enterPoint(point, cast<NestOpInterface>(op.getOperation()));
  unsigned shared = point.extents.size();
  if (isOfKept(kernel, cast<NestOpInterface>(op.getOperation()))) {
    auto values = reduceKept(op, start);
    if (succeeded(values))
      values = combineThreads(op, std::move(*values));
    if (failed(values))
      return failure();
    finishAccumulators(op, start, *values);
    return success();
  }
  int64_t lanes = schedule.getLanes();
  SmallVector<Value> sums = identities(op, lanes);
  auto step = [&](const Position &position, Value inside) -> LogicalResult {
    auto values = accumulate(op, position, sums);
    if (failed(values))
      return failure();
    for (auto [sum, value] : llvm::zip_equal(sums, *values))
      sum = inside ? arith::SelectOp::create(b, inside, value, sum).getResult()
                   : value;
    return success();
  };
  if (schedule.getSteps() != 0) {
    auto own = reduceSteps(op, start, shared, sums);
    if (failed(own))
      return failure();
    sums = std::move(*own);
  } else {
    auto loop = emitVectorLoop(start, shared, sums);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    sums = llvm::to_vector_of<Value>(loop.getRegionIterArgs());
    if (failed(
            step(enterRow(start, shared, loop.getInductionVar(), lanes), {})))
      return failure();
    scf::YieldOp::create(b, sums);
    sums = llvm::to_vector_of<Value>(loop.getResults());
  }
  auto values = lanes > 1 ? combineLanes(op, sums)
                          : FailureOr<SmallVector<Value>>(sums);
  if (succeeded(values) && peeled.begin) {
    sums = identities(op, 1);
    auto stepInside = [&](const Position &position,
                          Value inside) -> LogicalResult {
      if (schedule.getSteps() != 0)
        return step(position, inside);
      auto branch = scf::IfOp::create(b, ValueRange(sums).getTypes(), inside,
                                      /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(b, sums);
      b.setInsertionPointToStart(branch.thenBlock());
      if (failed(step(position, {})))
        return failure();
      scf::YieldOp::create(b, sums);
      sums = llvm::to_vector_of<Value>(branch.getResults());
      return success();
    };
    if (failed(emitEdges(start, shared, stepInside)))
      return failure();
    values = combine(op, *values, sums);
  }
  if (failed(values))
    return failure();
  pending.push_back({op, start, std::move(*values)});
  return success();
}

/// Threads combine what they have reduced before `nest` where it reads that.
LogicalResult GridRowsEmitter::combineBefore(NestOpInterface nest) {
  bool isNeeded = !isa<ReduceOp, PointwiseOp>(nest.getOperation());
  nest->walk([&](LoadOp load) {
    isNeeded |= llvm::any_of(pending, [&](PendingReduction &each) {
      return load.getTensor().getDefiningOp() == each.op.getOperation();
    });
  });
  return isNeeded ? combinePending() : success();
}

LogicalResult GridRowsEmitter::emitRowNest(NestOpInterface nest,
                                           const Position &point) {
  if (failed(combineBefore(nest)))
    return failure();
  return llvm::TypeSwitch<Operation *, LogicalResult>(nest.getOperation())
      .Case([&](ReduceOp op) { return emitRowReduce(op, point); })
      .Case([&](ScanOp op) { return emitRowScan(op, point); })
      .Case([&](SortOp op) { return emitRowSort(op, point); })
      .Case([&](PointwiseOp op) { return emitRowPointwise(op, point); })
      .Default([&](Operation *op) {
        return op->emitOpError("is not emitted for shared rows");
      });
}

LogicalResult GridRowsEmitter::emitThread() {
  if (failed(schedule.verifyKernel(kernel)))
    return failure();
  if (auto parts = getRowParts(kernel))
    return emitPart(*parts);
  // Otherwise the registers are divided among two blocks, and what is kept of
  // a row goes to memory.
  if (schedule.getSteps() * schedule.getLanes() > kKeptOfTwoBlocks)
    function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      b.getI32IntegerAttr(1));
  sharedExtents = analysis::collapseShared(kernel, layout);
  ExprAttr points = guard::product(context, sharedExtents);
  int64_t rows = schedule.getRows();
  blocks = guard::ceilDiv(points, rows);
  // Threads of a warp go together: one whose row lies outside computes the last.
  Value point = row;
  auto count = points.getConstant();
  if (rows > 1 && !(count && *count % rows == 0)) {
    rowInside = isLess(row, getArgument(points));
    point = arith::MinSIOp::create(
        b, row, arith::SubIOp::create(b, getArgument(points), constantIndex(1)));
  }
  Position position;
  position.dims = delinearize(point, sharedExtents);
  position.extents = sharedExtents;
  if (isPeeled(kernel, schedule.getLanes()))
    enterPeeled(position);
  if (schedule.getStages() != 0)
    bringRow(position);
  for (NestOpInterface nest : kernel.getNests())
    if (failed(emitRowNest(nest, position)))
      return failure();
  return combinePending();
}
