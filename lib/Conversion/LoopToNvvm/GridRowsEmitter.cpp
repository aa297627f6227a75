//===- GridRowsEmitter.cpp - Threads that share a row ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridEmitter.h"

#include "kiln/Dialect/Loop/IR/RowValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

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
  if (schedule.getSteps() == 0 && !isOnePerPoint(kernel, result))
    KernelEmitter::bindRow(result);
}

Value GridRowsEmitter::loadStaged(LoadOp load, int64_t) {
  return kept.lookup({load.getTensor(), step});
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
  if (isOnePerPoint(kernel, result)) {
    perPoint[result] = value;
    if (buffers.count(result))
      require(arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane,
                                    constantIndex(0)));
  } else {
    if (schedule.getSteps() != 0)
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

/// The position of the vector that begins at `element` of the row.
Position GridRowsEmitter::enterRow(const Position &start, unsigned shared,
                                   Value element) {
  Position position = start;
  SmallVector<Value> own =
      delinearize(element, ArrayRef(start.extents).drop_front(shared));
  for (auto [k, index] : llvm::enumerate(own))
    position.dims[shared + k] = index;
  if (schedule.getLanes() > 1) {
    // Behind the row there may be dimensions of one element.
    unsigned last = start.extents.size() - 1;
    while (last > shared && start.extents[last].isConstant(1))
      --last;
    position.vectorDim = last;
    position.lanes = position.multiple = schedule.getLanes();
  }
  return position;
}

/// The vectors of a thread that stay in registers, one after the other. What lies
/// outside is computed from the last vector of the row, so that there is no branch
/// and what two nests have in common is computed once.
LogicalResult GridRowsEmitter::emitSteps(const Position &start, unsigned shared,
                                         RowBody body) {
  int64_t lanes = schedule.getLanes(), stride = schedule.getThreads() * lanes;
  int64_t size =
      *guard::product(context, llvm::to_vector(ArrayRef(start.extents)
                                                   .drop_front(shared)))
           .getConstant();
  Value first = mul(lane, lanes);
  for (step = 0; step * stride < size; ++step) {
    Value element = add(first, constantIndex(step * stride));
    elementInside = {};
    if ((step + 1) * stride > size) {
      elementInside = isLess(element, constantIndex(size));
      element = arith::MinSIOp::create(b, element, constantIndex(size - lanes));
    }
    if (failed(body(enterRow(start, shared, element), elementInside)))
      return failure();
  }
  elementInside = {};
  return success();
}

/// All vectors of a thread, in registers or one after the other.
LogicalResult GridRowsEmitter::emitOwn(const Position &start, unsigned shared,
                                       RowBody body) {
  if (schedule.getSteps() != 0)
    return emitSteps(start, shared, body);
  int64_t lanes = schedule.getLanes();
  ExprAttr size = guard::product(
      context, llvm::to_vector(ArrayRef(start.extents).drop_front(shared)));
  auto loop =
      scf::ForOp::create(b, mul(lane, lanes), getArgument(size),
                         constantIndex(schedule.getThreads() * lanes));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  return body(enterRow(start, shared, loop.getInductionVar()), {});
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
  return isOnePerPoint(kernel, nest) ? emit(start, {})
                                     : emitOwn(start, shared, emit);
}

LogicalResult GridRowsEmitter::emitRowReduce(ReduceOp op,
                                             const Position &point) {
  Position start =
      enterPoint(point, cast<NestOpInterface>(op.getOperation()));
  unsigned shared = point.extents.size();
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
    if (failed(emitSteps(start, shared, step)))
      return failure();
  } else {
    ExprAttr size = guard::product(
        context, llvm::to_vector(ArrayRef(start.extents).drop_front(shared)));
    auto loop =
        scf::ForOp::create(b, mul(lane, lanes), getArgument(size),
                           constantIndex(schedule.getThreads() * lanes), sums);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    sums = llvm::to_vector_of<Value>(loop.getRegionIterArgs());
    if (failed(step(enterRow(start, shared, loop.getInductionVar()), {})))
      return failure();
    scf::YieldOp::create(b, sums);
    sums = llvm::to_vector_of<Value>(loop.getResults());
  }
  auto values = lanes > 1 ? combineLanes(op, sums)
                          : FailureOr<SmallVector<Value>>(sums);
  if (succeeded(values))
    values = combineThreads(op, *values);
  if (failed(values))
    return failure();
  finishAccumulators(op, start, *values);
  return success();
}

LogicalResult GridRowsEmitter::emitThread() {
  if (failed(schedule.verifyKernel(kernel)))
    return failure();
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
  for (NestOpInterface nest : kernel.getNests()) {
    auto emitted =
        llvm::TypeSwitch<Operation *, LogicalResult>(nest.getOperation())
            .Case([&](ReduceOp op) { return emitRowReduce(op, position); })
            .Case([&](ScanOp op) { return emitRowScan(op, position); })
            .Case([&](SortOp op) { return emitRowSort(op, position); })
            .Case([&](PointwiseOp op) { return emitRowPointwise(op, position); })
            .Default([&](Operation *op) {
              return op->emitOpError("is not emitted for shared rows");
            });
    if (failed(emitted))
      return failure();
  }
  return success();
}
