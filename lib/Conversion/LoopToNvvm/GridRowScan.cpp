//===- GridRowScan.cpp - Scans of rows that threads share -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The threads of a row have a piece of it after the other, neighbours in the piece
// with each thread. A thread joins its own elements, then learns what the threads
// before it have: in its warp by shuffles, of the warps before by way of shared
// memory. What all of them have is carried to the next piece. So a row is read once,
// and the order of the joins depends on the schedule alone.
//
//===----------------------------------------------------------------------===//

#include "GridEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

static SmallVector<Value> select(ImplicitLocOpBuilder &b, Value condition,
                                 ArrayRef<Value> yes, ArrayRef<Value> no) {
  SmallVector<Value> chosen;
  for (auto [x, y] : llvm::zip_equal(yes, no))
    chosen.push_back(arith::SelectOp::create(b, condition, x, y));
  return chosen;
}

/// Values of the thread with number `from` of the same warp.
SmallVector<Value> GridRowsEmitter::fetch(ArrayRef<Value> values, Value from) {
  Value place = arith::IndexCastOp::create(b, b.getI32Type(), from);
  SmallVector<Value> fetched;
  for (Value value : values)
    fetched.push_back(shuffle(value, NVVM::ShflKind::idx, place));
  return fetched;
}

/// Joins what each of `count` neighbouring threads, a power of two of a warp, has with
/// what those before it have.
FailureOr<SmallVector<Value>>
GridRowsEmitter::scanShuffled(ScanOp op, SmallVector<Value> values,
                              int64_t count) {
  Value inWarp = arith::RemUIOp::create(b, thread, constantIndex(kWarp));
  Value number = arith::RemUIOp::create(b, thread, constantIndex(count));
  for (int64_t distance = 1; distance < count; distance *= 2) {
    Value hasBefore = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, number,
                                            constantIndex(distance));
    // The others ask themselves.
    Value from = arith::SelectOp::create(
        b, hasBefore,
        arith::SubIOp::create(b, inWarp, constantIndex(distance)), inWarp);
    auto joined = combine(op, fetch(values, from), values);
    if (failed(joined))
      return failure();
    values = select(b, hasBefore, *joined, values);
  }
  return values;
}

/// What is left and then what is right of it, unless that is nothing: what a combiner starts
/// from is neutral on its left alone.
FailureOr<SmallVector<Value>>
GridRowsEmitter::joinUnlessNone(ScanOp op, ArrayRef<Value> left,
                                ArrayRef<Value> right, Value isNone) {
  auto joined = combine(op, left, right);
  if (failed(joined) || op.getCombiner().empty())
    return joined;
  return select(b, isNone, left, *joined);
}

/// What the threads of the row before this one have, joined, and what all have.
FailureOr<GridRowsEmitter::Joined>
GridRowsEmitter::joinThreads(ScanOp op, SmallVector<Value> values) {
  int64_t count = schedule.getThreads(), width = std::min(count, kWarp);
  SmallVector<Value> neutral = identities(op, 1);
  Value inWarp = arith::RemUIOp::create(b, thread, constantIndex(kWarp));
  Value number = arith::RemUIOp::create(b, thread, constantIndex(width));
  Value start = arith::SubIOp::create(b, inWarp, number);
  auto scanned = scanShuffled(op, std::move(values), width);
  if (failed(scanned))
    return failure();
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number,
                                        constantIndex(0));
  Value left = arith::SelectOp::create(
      b, isFirst, inWarp,
      arith::SubIOp::create(b, inWarp, constantIndex(1)));
  Joined joined;
  joined.before = select(b, isFirst, neutral, fetch(*scanned, left));
  joined.all = fetch(*scanned, add(start, constantIndex(width - 1)));
  joined.isFirst = isFirst;
  if (count <= kWarp)
    return joined;

  int64_t warps = count / kWarp;
  for (Value &value : joined.all)
    value = exchange(value);
  auto ofWarps = scanShuffled(op, joined.all, warps);
  if (failed(ofWarps))
    return failure();
  Value warp = arith::DivUIOp::create(b, lane, constantIndex(kWarp));
  Value isFirstWarp = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, warp,
                                            constantIndex(0));
  Value leftWarp = arith::SelectOp::create(
      b, isFirstWarp, warp, arith::SubIOp::create(b, warp, constantIndex(1)));
  SmallVector<Value> warpsBefore =
      select(b, isFirstWarp, neutral, fetch(*ofWarps, leftWarp));
  joined.all = fetch(*ofWarps, constantIndex(warps - 1));
  auto before = joinUnlessNone(op, warpsBefore, joined.before, isFirst);
  if (failed(before))
    return failure();
  joined.before = std::move(*before);
  joined.isFirst = arith::AndIOp::create(b, isFirst, isFirstWarp);
  return joined;
}

/// One piece of a row, after what was `carried`: gives what the next comes after.
FailureOr<SmallVector<Value>>
GridRowsEmitter::emitScannedPiece(ScanOp op, const Position &position,
                                  ArrayRef<Value> carried) {
  auto values = evaluate(op, position);
  if (failed(values))
    return failure();
  SmallVector<Value> last = *values;
  if (position.lanes > 1) {
    values = joinLanesBefore(op, std::move(*values));
    if (failed(values))
      return failure();
    for (auto [end, value] : llvm::zip_equal(last, *values))
      end = vector::ExtractOp::create(b, value,
                                      ArrayRef<int64_t>{position.lanes - 1});
  }
  auto joined = joinThreads(op, std::move(last));
  if (failed(joined))
    return failure();
  auto before =
      joinUnlessNone(op, carried, joined->before, joined->isFirst);
  if (failed(before))
    return failure();
  for (Value &value : *before)
    value = broadcast(value, position.lanes);
  values = combine(op, *before, *values);
  if (failed(values))
    return failure();
  finishAccumulators(op, position, *values);
  return combine(op, carried, joined->all);
}

LogicalResult GridRowsEmitter::emitRowScan(ScanOp op, const Position &point) {
  Position start = enter(point, op.getDomain());
  unsigned shared = point.extents.size();
  int64_t lanes = schedule.getLanes(), piece = schedule.getThreads() * lanes;
  SmallVector<Value> carried = identities(op, 1);
  if (schedule.getSteps() != 0)
    return emitSteps(start, shared, [&](const Position &position, Value) {
      auto next = emitScannedPiece(op, position, carried);
      if (succeeded(next))
        carried = std::move(*next);
      return LogicalResult(next);
    });
  // All threads take the same steps, because they wait for each other. What lies
  // behind the end comes after all others: nothing is joined with it.
  Value size = getArgument(op.getRowExtent());
  reached.push_back(op.getRowExtent() + piece);
  auto loop = scf::ForOp::create(b, constantIndex(0), size,
                                 constantIndex(piece), carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(loop.getBody());
  Value element = add(loop.getInductionVar(), mul(lane, lanes));
  elementInside = isLess(element, size);
  element = arith::MinSIOp::create(
      b, element, arith::SubIOp::create(b, size, constantIndex(lanes)));
  auto next =
      emitScannedPiece(op, enterRow(start, shared, element, lanes),
                       llvm::to_vector_of<Value>(loop.getRegionIterArgs()));
  if (failed(next))
    return failure();
  elementInside = {};
  // The slots of shared memory are used again.
  if (schedule.getThreads() > kWarp)
    NVVM::Barrier0Op::create(b);
  scf::YieldOp::create(b, *next);
  return success();
}
