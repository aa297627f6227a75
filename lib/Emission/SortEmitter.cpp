//===- SortEmitter.cpp - Sorts --------------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keys and positions of a row lie in scratch, where they are put in order
// (SortedRow.cpp).
//
// Where a part of a row is kept, and more than vectors hold (InsertEmitter.cpp),
// scratch has room for twice as many elements and some more, the candidates. They are sorted when it is full, and the last that
// is kept is the limit from then on: most elements of a row are not before it,
// which a vector of them shows at once. An element that is equal to the limit
// comes later in the row, so it is none. Rows in the worst order, each element
// before those that were, are sorted piece by piece, in about the time of
// sorting them at once.
//
//===----------------------------------------------------------------------===//

#include "SortedRow.h"

#include "kiln/Emission/KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Candidates that there is room for, besides twice those that are kept.
static constexpr int64_t kMoreCandidates = 128;

Value loop::areKeysLess(ImplicitLocOpBuilder &b, ArrayRef<Value> x,
                        ArrayRef<Value> y) {
  Value less;
  for (size_t k = x.size(); k-- > 0;) {
    Value here =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x[k], y[k]);
    if (less) {
      Value same =
          arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x[k], y[k]);
      here =
          arith::OrIOp::create(b, here, arith::AndIOp::create(b, same, less));
    }
    less = here;
  }
  return less;
}

/// The keys of the element at a position, in lanes where it has some.
FailureOr<SmallVector<Value>>
KernelEmitter::emitKeys(SortOp op, const Position &position) {
  Block &block = op.getBody().front();
  BodyEmitter body(*this, position);
  if (failed(body.emit(block)))
    return failure();
  return llvm::map_to_vector(block.getTerminator()->getOperands(),
                             [&](Value key) { return body.getWide(key); });
}

/// Stores the first `count` elements of a row, as they come.
LogicalResult KernelEmitter::fillSorted(SortOp op, const Position &row,
                                        Value count, SortedRow &to) {
  auto fill = scf::ForOp::create(b, constantIndex(0), count, constantIndex(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(fill.getBody()->getTerminator());
  Value at = fill.getInductionVar();
  Position position = row;
  setDim(position, row.extents.size() - 1, at, 1);
  auto values = emitKeys(op, position);
  if (failed(values))
    return failure();
  values->push_back(arith::IndexCastOp::create(b, b.getI64Type(), at));
  to.store(at, *values);
  return success();
}

/// Looks at the elements of a row from `begin` to `end` one by one: gives how
/// many candidates there are then, where there were `count`.
FailureOr<Value> KernelEmitter::addCandidates(SortOp op, const Position &row,
                                              Value begin, Value end,
                                              Value count, ValueRange limits,
                                              SortedRow &candidates) {
  auto loop = scf::ForOp::create(b, begin, end, constantIndex(1), count);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(loop.getBody());
  Position position = row;
  setDim(position, row.extents.size() - 1, loop.getInductionVar(), 1);
  auto values = emitKeys(op, position);
  if (failed(values))
    return failure();
  Value isBefore = areKeysLess(b, *values, llvm::to_vector(limits));
  values->push_back(
      arith::IndexCastOp::create(b, b.getI64Type(), loop.getInductionVar()));
  // Where it is none, the next one takes its place.
  Value sofar = loop.getRegionIterArg(0);
  candidates.store(sofar, *values);
  Value one = arith::IndexCastUIOp::create(b, b.getIndexType(), isBefore);
  scf::YieldOp::create(b, arith::AddIOp::create(b, sofar, one).getResult());
  return loop.getResult(0);
}

/// Puts the first of a row in order, where `row` has room for `room`
/// candidates; gives where they begin.
FailureOr<Value> KernelEmitter::emitSelection(SortOp op, const Position &row,
                                              int64_t lanes, Value room,
                                              SortedRow &candidates) {
  unsigned dim = row.extents.size() - 1;
  Value zero = constantIndex(0), one = constantIndex(1);
  Value step = constantIndex(lanes);
  Value size = getArgument(op.getRowExtent());
  Value kept = getArgument(op.getKeptExtent());
  // What is the limit, if nothing is kept.
  Value last =
      arith::SubIOp::create(b, arith::MaxSIOp::create(b, kept, one), one);
  auto getLimits = [&](Value from) {
    SmallVector<Value> limits =
        candidates.load(arith::AddIOp::create(b, from, last));
    limits.pop_back();
    return limits;
  };
  // Sorts `count` candidates and keeps the first of them.
  auto shrink = [&](Value count) {
    Value from = candidates.sort(count, room);
    auto move = scf::ForOp::create(b, zero, kept, one);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(move.getBody()->getTerminator());
      Value at = move.getInductionVar();
      candidates.store(at, candidates.load(arith::AddIOp::create(b, from, at)));
    }
    SmallVector<Value> state = {kept};
    llvm::append_range(state, getLimits(zero));
    return state;
  };

  Value filled =
      arith::MinSIOp::create(b, size, arith::SubIOp::create(b, room, step));
  if (failed(fillSorted(op, row, filled, candidates)))
    return failure();
  SmallVector<Value> state = shrink(filled);

  // Elements from `begin` to `end`, so many at a time.
  auto walk = [&](Value begin, Value end, int64_t width) -> LogicalResult {
    auto loop = scf::ForOp::create(b, begin, end, constantIndex(width), state);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    auto carried = llvm::to_vector_of<Value>(loop.getRegionIterArgs());
    Value at = loop.getInductionVar();
    Value isAny;
    if (width > 1) {
      Position position = row;
      setDim(position, dim, at, width);
      auto keys = emitKeys(op, position);
      if (failed(keys))
        return failure();
      // Of several keys the first one says enough.
      Value before =
          arith::CmpIOp::create(b,
                                keys->size() == 1 ? arith::CmpIPredicate::slt
                                                  : arith::CmpIPredicate::sle,
                                keys->front(), broadcast(carried[1], width));
      isAny = vector::ReductionOp::create(b, vector::CombiningKind::OR, before);
    } else {
      isAny = arith::ConstantIntOp::create(b, 1, 1);
    }
    auto branch = scf::IfOp::create(b, ValueRange(carried).getTypes(), isAny,
                                    /*withElseRegion=*/true);
    scf::YieldOp::create(b, branch.getResults());
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, carried);
    b.setInsertionPointToStart(branch.thenBlock());
    auto count = addCandidates(
        op, row, at, arith::AddIOp::create(b, at, constantIndex(width)),
        carried[0], ArrayRef(carried).drop_front(), candidates);
    if (failed(count))
      return failure();
    Value isFull =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sgt,
                              arith::AddIOp::create(b, *count, step), room);
    auto full = scf::IfOp::create(b, ValueRange(carried).getTypes(), isFull,
                                  /*withElseRegion=*/true);
    scf::YieldOp::create(b, full.getResults());
    b.setInsertionPointToStart(full.thenBlock());
    scf::YieldOp::create(b, shrink(*count));
    b.setInsertionPointToStart(full.elseBlock());
    carried[0] = *count;
    scf::YieldOp::create(b, carried);
    state = llvm::to_vector_of<Value>(loop.getResults());
    return success();
  };
  Value rest = arith::SubIOp::create(b, size, filled);
  Value split =
      arith::SubIOp::create(b, size, arith::RemUIOp::create(b, rest, step));
  if (failed(walk(filled, split, lanes)) ||
      (lanes > 1 && failed(walk(split, size, 1))))
    return failure();
  return candidates.sort(state[0], room);
}

LogicalResult KernelEmitter::emitSort(SortOp op, const Position &shared,
                                      int64_t lanes) {
  if (isInserted(op))
    return emitRows(op, shared, [&](const Position &row) {
      return emitInserted(op, row, lanes);
    });
  ExprAttr extent = op.getRowExtent(), kept = op.getKeptExtent();
  // Half of a row or more is sorted with the rest of it.
  ExprAttr room = kept * 2 + (kMoreCandidates + lanes);
  auto size = extent.getConstant(), part = kept.getConstant();
  bool selects =
      !op.keepsAll() &&
      (!size || !part || *part * 2 + kMoreCandidates + lanes < *size);
  SmallVector<Type> keys(op.getBody().front().getTerminator()->getOperandTypes());
  SortedShape shape(context, keys, extent.getConstant(), sortsInVectors);
  SmallVector<Value> pointers;
  for (Type type : shape.types)
    pointers.push_back(
        allocateScratch(((selects ? room : extent) * 2 + 1) *
                        int64_t(type.getIntOrFloatBitWidth() / 8)));
  Value counters;
  if (shape.countsDigits)
    counters = allocateScratch(guard::getConstant(context, shape.getCounterBytes()));
  Buffer result = buffers.lookup(op.getResult());
  return emitRows(op, shared, [&](const Position &row) -> LogicalResult {
    SortedRow sorted(b, shape, pointers, counters);
    Value from;
    if (selects) {
      auto first = emitSelection(op, row, lanes, getArgument(room), sorted);
      if (failed(first))
        return failure();
      from = *first;
    } else {
      Value count = getArgument(extent);
      if (failed(fillSorted(op, row, count, sorted)))
        return failure();
      from = sorted.sort(count, count);
    }
    auto drain = scf::ForOp::create(b, constantIndex(0), getArgument(kept),
                                    constantIndex(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(drain.getBody()->getTerminator());
    Position position = row;
    setDim(position, row.extents.size() - 1, drain.getInductionVar(), 1);
    Value at = arith::AddIOp::create(b, from, drain.getInductionVar());
    store(result, linearAddress(result, op.getResultMap()), position,
          sorted.load(at).back());
    return success();
  });
}
