//===- GridScatterGroups.cpp - Points that have been sorted ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Points of a scatter that write to one element follow each other. Each has a thread, and
// the thread of the first goes on alone: it looks for the last one, in steps that double and
// then get smaller, reads the values in their order, several at a time, and stores what they
// give once. So elements have one order, no two threads write to the same one, and the
// longest group has a chain of sums alone to wait for, not one of positions that are read.
//
//===----------------------------------------------------------------------===//

#include "GridEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Values of a group that are under way at a time.
static constexpr int64_t kReadTogether = 8;

/// The point of number `index` along the first dimension, else at `position`.
FailureOr<GridScatterEmitter::Point>
GridScatterEmitter::evaluateGroupPoint(ScatterOp op, const Buffer &target,
                                       Position position, Value index) {
  position.dims.front() = index;
  return evaluatePoint(op, target, position);
}

/// Whether there is a point of number `index`, as `exists` says, and it writes
/// to `place`, the element of `group`.
FailureOr<Value> GridScatterEmitter::emitIsOfGroup(ScatterOp op,
                                                   const Buffer &target,
                                                   const Point &group,
                                                   Value place, Value index,
                                                   Value exists) {
  auto branch = scf::IfOp::create(b, TypeRange{b.getI1Type()}, exists,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(
      b, arith::ConstantIntOp::create(b, b.getI1Type(), 0).getResult());
  b.setInsertionPointToStart(branch.thenBlock());
  auto other = evaluateGroupPoint(op, target, group.position, index);
  if (failed(other))
    return failure();
  Value same =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                            emitIndex(other->address, other->position), place);
  if (other->condition)
    same = arith::AndIOp::create(b, same, other->condition);
  scf::YieldOp::create(b, same);
  return branch.getResult(0);
}

/// The number behind that of the last point of `group`, of which `first` is one.
FailureOr<Value> GridScatterEmitter::emitGroupEnd(ScatterOp op,
                                                  const Buffer &target,
                                                  const Point &group,
                                                  Value place, Value first,
                                                  Value count) {
  Value one = constantIndex(1);
  bool isEmitted = true;
  auto isIn = [&](Value index) -> Value {
    Value exists = isLess(index, count);
    auto same = emitIsOfGroup(op, target, group, place, index, exists);
    isEmitted &= succeeded(same);
    return succeeded(same) ? *same : exists;
  };
  auto in = [&](OpBuilder &builder, llvm::function_ref<void()> emit) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(builder.getInsertionBlock());
    emit();
  };
  // The last point that is known to be of the group, and the next step.
  auto grown = scf::WhileOp::create(
      b, TypeRange{first.getType(), one.getType()}, ValueRange{first, one},
      [&](OpBuilder &builder, Location, ValueRange state) {
        in(builder, [&] {
          scf::ConditionOp::create(b, isIn(add(state[0], state[1])), state);
        });
      },
      [&](OpBuilder &builder, Location, ValueRange state) {
        in(builder, [&] {
          scf::YieldOp::create(b, ValueRange{add(state[0], state[1]),
                                             add(state[1], state[1])});
        });
      });
  auto found = scf::WhileOp::create(
      b, grown.getResultTypes(), grown.getResults(),
      [&](OpBuilder &builder, Location, ValueRange state) {
        in(builder, [&] {
          scf::ConditionOp::create(b, isLess(one, state[1]), state);
        });
      },
      [&](OpBuilder &builder, Location, ValueRange state) {
        in(builder, [&] {
          Value half = arith::ShRUIOp::create(b, state[1], one);
          Value next = add(state[0], half);
          Value last = arith::SelectOp::create(b, isIn(next), next, state[0]);
          scf::YieldOp::create(b, ValueRange{last, half});
        });
      });
  if (!isEmitted)
    return failure();
  return add(found.getResult(0), one);
}

/// `joined` and the values of the points [from, end), by `together` of them.
FailureOr<Value>
GridScatterEmitter::joinGroup(ScatterOp op, const Buffer &target,
                              const Position &position, Value joined,
                              Value from, Value end, int64_t together) {
  auto loop = scf::ForOp::create(b, from, end, constantIndex(together),
                                 ValueRange{joined});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> values;
  for (int64_t k = 0; k < together; ++k) {
    auto point = evaluateGroupPoint(
        op, target, position, add(loop.getInductionVar(), constantIndex(k)));
    if (failed(point))
      return failure();
    values.push_back(broadcast(point->value, position.lanes));
  }
  Value result = loop.getRegionIterArg(0);
  for (Value value : values) {
    result = combineScattered(b, op.getKind(), result, value,
                              target.elementType);
    // As it would be read again if each were stored.
    result = fromMemory(toMemory(result, target.elementType),
                        target.elementType);
  }
  scf::YieldOp::create(b, result);
  return loop.getResult(0);
}

/// The group that begins at a point; nothing where none does.
LogicalResult GridScatterEmitter::emitGroup(ScatterOp op, const Buffer &target,
                                            const Position &position) {
  Value first = position.dims.front();
  Value zero = constantIndex(0), one = constantIndex(1);
  auto group = evaluateGroupPoint(op, target, position, first);
  if (failed(group))
    return failure();
  Value place = emitIndex(group->address, group->position);
  auto goesOn =
      emitIsOfGroup(op, target, *group, place,
                    arith::SubIOp::create(b, first, one), isLess(zero, first));
  if (failed(goesOn))
    return failure();
  Value begins = arith::XOrIOp::create(
      b, *goesOn, arith::ConstantIntOp::create(b, b.getI1Type(), 1));
  if (group->condition)
    begins = arith::AndIOp::create(b, begins, group->condition);
  return emitIf(begins, [&]() -> LogicalResult {
    Value count = getArgument(position.extents.front());
    auto end = emitGroupEnd(op, target, *group, place, first, count);
    if (failed(end))
      return failure();
    const Position &at = group->position;
    if (op.getKind() == ScatterKind::Set) {
      auto last = evaluateGroupPoint(op, target, position,
                                     arith::SubIOp::create(b, *end, one));
      if (failed(last))
        return failure();
      store(target, group->address, at, broadcast(last->value, at.lanes));
      return success();
    }
    Value joined = broadcast(load(target, group->address, at, {}, {}, {}),
                             at.lanes);
    Value size = arith::SubIOp::create(b, *end, first);
    Value whole = arith::SubIOp::create(
        b, *end, arith::RemUIOp::create(b, size, constantIndex(kReadTogether)));
    auto most =
        joinGroup(op, target, position, joined, first, whole, kReadTogether);
    if (failed(most))
      return failure();
    auto all = joinGroup(op, target, position, *most, whole, *end, 1);
    if (failed(all))
      return failure();
    store(target, group->address, at, *all);
    return success();
  });
}
