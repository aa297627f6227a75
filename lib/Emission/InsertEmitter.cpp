//===- InsertEmitter.cpp - Few elements in order, in vectors --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where few elements of a row are kept, or there are no more, those that stand
// first so far are lanes of vectors, in order. An element is compared with all
// of them at once and takes the place of the first that it stands before; this
// one and those behind it move on by a lane,
//
//   element    5
//   sorted   1 3 6 8
//   moved    . 1 3 6
//   result   1 3 5 6
//
// so nothing of it is predicted. Which elements of a row stand before the last
// that is kept a vector of them shows at once: of the others nothing is done,
// and they are nearly all where the row is long. Equal elements come in the
// order of the row, so one that is equal to the last is none.
//
//===----------------------------------------------------------------------===//

#include "kiln/Emission/KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/bit.h"

#include <numeric>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

/// Elements at most that are kept in vectors: those of a few registers.
static constexpr int64_t kMostInserted = 32;

namespace kiln::loop {

/// The elements of a row that stand first: for each key, and for the position, a vector of
/// as many lanes. What is behind those that are kept does not matter.
class InsertedRow {
public:
  InsertedRow(ImplicitLocOpBuilder &b, int64_t kept, ArrayRef<Type> types)
      : b(b), kept(kept),
        lanes(std::max<int64_t>(llvm::bit_ceil(uint64_t(kept)), 2)),
        types(types) {}

  SmallVector<Value> getEmpty() {
    return llvm::map_to_vector(types, [&](Type type) -> Value {
      return arith::ConstantOp::create(b, b.getZeroAttr(getVector(type)));
    });
  }

  /// Puts `element`, keys and a position, among those of `state`, of which there are
  /// `count`; null: all.
  SmallVector<Value> insert(ArrayRef<Value> state, ArrayRef<Value> element,
                            Value count = {}) {
    SmallVector<Value> wide = broadcast(element), moved;
    for (Value sorted : state)
      moved.push_back(move(sorted));
    Value isBefore = areLess(wide, state);
    Value wasBefore = arith::AndIOp::create(b, areLess(wide, moved), getMoved());
    if (count) {
      Value end = broadcast(arith::IndexCastOp::create(b, b.getI32Type(), count));
      isBefore = arith::OrIOp::create(b, isBefore, isFrom(end, /*first=*/0));
      wasBefore = arith::OrIOp::create(b, wasBefore, isFrom(end, /*first=*/-1));
    }
    SmallVector<Value> result;
    for (auto [sorted, before, own] : llvm::zip_equal(state, moved, wide)) {
      Value taken = arith::SelectOp::create(b, wasBefore, before, own);
      result.push_back(arith::SelectOp::create(b, isBefore, taken, sorted));
    }
    return result;
  }

  /// The keys of the last one that is kept.
  SmallVector<Value> getLimits(ArrayRef<Value> state) {
    return llvm::map_to_vector(state.drop_back(), [&](Value keys) -> Value {
      return vector::ExtractOp::create(b, keys, ArrayRef<int64_t>{kept - 1});
    });
  }

  int64_t getLanes() const { return lanes; }

private:
  VectorType getVector(Type element) { return VectorType::get({lanes}, element); }
  Value broadcast(Value value) {
    return vector::BroadcastOp::create(b, getVector(value.getType()), value);
  }
  SmallVector<Value> broadcast(ArrayRef<Value> values) {
    return llvm::map_to_vector(values,
                               [&](Value value) { return broadcast(value); });
  }
  Value areLess(ArrayRef<Value> x, ArrayRef<Value> y) {
    return areKeysLess(b, x.drop_back(), y.drop_back());
  }
  /// Each lane has what the one before it had.
  Value move(Value value) {
    SmallVector<int64_t> order(lanes, 0);
    std::iota(order.begin() + 1, order.end(), 0);
    return vector::ShuffleOp::create(b, value, value, order);
  }
  /// The lanes that something moved to: all but the first.
  Value getMoved() {
    SmallVector<bool> flags(lanes, true);
    flags[0] = false;
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(getVector(b.getI1Type()), flags));
  }
  /// The lanes whose numbers, from `first` on, are `end` or more.
  Value isFrom(Value end, int32_t first) {
    SmallVector<int32_t> numbers(lanes);
    std::iota(numbers.begin(), numbers.end(), first);
    Value number = arith::ConstantOp::create(
        b, DenseElementsAttr::get(getVector(b.getI32Type()), ArrayRef(numbers)));
    return arith::CmpIOp::create(b, arith::CmpIPredicate::sge, number, end);
  }

  ImplicitLocOpBuilder &b;
  int64_t kept, lanes;
  ArrayRef<Type> types;
};

} // namespace kiln::loop

bool KernelEmitter::isInserted(SortOp op) const {
  auto kept = op.getKeptExtent().getConstant();
  return sortsInVectors && kept && *kept >= 1 && *kept <= kMostInserted;
}

/// Puts the element at `at` among those of `state`, of which there are `count`; null: all.
/// One that is not before the last of these stays out by itself.
FailureOr<SmallVector<Value>>
KernelEmitter::insertElement(SortOp op, const Position &row, Value at,
                             InsertedRow &first, ArrayRef<Value> state,
                             Value count) {
  Position position = row;
  setDim(position, row.extents.size() - 1, at, 1);
  auto element = emitKeys(op, position);
  if (failed(element))
    return failure();
  Type number = cast<VectorType>(state.back().getType()).getElementType();
  element->push_back(arith::IndexCastOp::create(b, number, at));
  return first.insert(state, *element, count);
}

/// The same for those of `width` elements from `at` on that are before the last, one after
/// the other.
FailureOr<SmallVector<Value>>
KernelEmitter::insertSome(SortOp op, const Position &row, Value at,
                          int64_t width, InsertedRow &first,
                          ArrayRef<Value> state) {
  Position position = row;
  setDim(position, row.extents.size() - 1, at, width);
  auto keys = emitKeys(op, position);
  if (failed(keys))
    return failure();
  // Of several keys the first one says enough.
  auto relation = keys->size() == 1 ? arith::CmpIPredicate::slt
                                    : arith::CmpIPredicate::sle;
  Value limit = broadcast(first.getLimits(state).front(), width);
  Value before = arith::CmpIOp::create(b, relation, keys->front(), limit);
  auto word = b.getIntegerType(width);
  Value bits = vector::ExtractOp::create(
      b, vector::BitCastOp::create(b, VectorType::get({1}, word), before),
      ArrayRef<int64_t>{0});
  SmallVector<Value> carried = {bits};
  llvm::append_range(carried, state);
  Value zero = arith::ConstantIntOp::create(b, word, 0);
  Value one = arith::ConstantIntOp::create(b, word, 1);
  bool isEmitted = true;
  auto loop = scf::WhileOp::create(
      b, ValueRange(carried).getTypes(), carried,
      [&](OpBuilder &builder, Location loc, ValueRange values) {
        Value more = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::ne, values[0], zero);
        scf::ConditionOp::create(builder, loc, more, values);
      },
      [&](OpBuilder &builder, Location, ValueRange values) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToEnd(builder.getInsertionBlock());
        Value lane = LLVM::CountTrailingZerosOp::create(
            b, word, values[0], /*is_zero_poison=*/true);
        lane = arith::IndexCastUIOp::create(b, b.getIndexType(), lane);
        auto next =
            insertElement(op, row, arith::AddIOp::create(b, at, lane), first,
                          llvm::to_vector(values.drop_front()), /*count=*/{});
        isEmitted &= succeeded(next);
        Value less = arith::SubIOp::create(b, values[0], one);
        SmallVector<Value> yielded = {
            arith::AndIOp::create(b, values[0], less)};
        llvm::append_range(yielded,
                           isEmitted ? ArrayRef<Value>(*next) : state);
        scf::YieldOp::create(b, yielded);
      });
  if (!isEmitted)
    return failure();
  return llvm::to_vector_of<Value>(loop.getResults().drop_front());
}

/// Stores the positions of the elements that a row begins with when it is sorted.
LogicalResult KernelEmitter::emitInserted(SortOp op, const Position &row,
                                          int64_t width) {
  int64_t kept = *op.getKeptExtent().getConstant();
  auto extent = op.getRowExtent().getConstant();
  SmallVector<Type> types(
      op.getBody().front().getTerminator()->getOperandTypes());
  bool isShort = extent && *extent <= std::numeric_limits<int32_t>::max();
  types.push_back(isShort ? b.getI32Type() : b.getI64Type());
  InsertedRow first(b, kept, types);
  SmallVector<Value> state = first.getEmpty();
  auto walk = [&](Value begin, Value end, int64_t step,
                  llvm::function_ref<FailureOr<SmallVector<Value>>(
                      Value at, ArrayRef<Value> sofar)>
                      body) {
    auto loop = scf::ForOp::create(b, begin, end, constantIndex(step), state);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    auto next = body(loop.getInductionVar(),
                     llvm::to_vector_of<Value>(loop.getRegionIterArgs()));
    if (failed(next))
      return failure();
    scf::YieldOp::create(b, *next);
    state = llvm::to_vector_of<Value>(loop.getResults());
    return success();
  };
  Value size = getArgument(op.getRowExtent());
  Value begin = b.createOrFold<arith::MinSIOp>(constantIndex(kept), size);
  if (failed(walk(constantIndex(0), begin, 1,
                  [&](Value at, ArrayRef<Value> sofar) {
                    return insertElement(op, row, at, first, sofar, at);
                  })))
    return failure();
  Value split = begin;
  if (!op.keepsAll() && width > 1) {
    Value rest = arith::SubIOp::create(b, size, begin);
    rest = arith::RemUIOp::create(b, rest, constantIndex(width));
    split = arith::SubIOp::create(b, size, rest);
    if (failed(walk(begin, split, width,
                    [&](Value at, ArrayRef<Value> sofar) {
                      return insertSome(op, row, at, width, first, sofar);
                    })))
      return failure();
  }
  if (!op.keepsAll() &&
      failed(walk(split, size, 1, [&](Value at, ArrayRef<Value> sofar) {
        return insertElement(op, row, at, first, sofar, /*count=*/{});
      })))
    return failure();

  Position position = row;
  setDim(position, row.extents.size() - 1, constantIndex(0), first.getLanes());
  if (kept < first.getLanes())
    position.mask = firstLanes(constantIndex(kept), first.getLanes());
  Value positions = state.back();
  if (isShort)
    positions = arith::ExtSIOp::create(
        b, VectorType::get({first.getLanes()}, b.getI64Type()), positions);
  Buffer result = buffers.lookup(op.getResult());
  store(result, linearAddress(result, op.getResultMap()), position, positions);
  return success();
}
