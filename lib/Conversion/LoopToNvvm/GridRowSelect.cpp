//===- GridRowSelect.cpp - The first elements of rows, without sorting them
//===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a sort keeps few elements of a row, a block looks for those that may be
// among them, the candidates, and sorts these alone:
//
//   1. Each thread takes the least key of its elements. Of k threads' least keys
//      the greatest is a bound that k elements at least are not above. A row in
//      memory is read several vectors at a time: the first of them make a slot of
//      the thread, the second ones another. Each slot has a least key, and where
//      there are too few threads for k it is the slots' keys that the bound is of.
//   2. Elements that are not above the bound go to shared memory. They are few
//      more than k, if the first ones are not all with a few threads. Where rows
//      are in memory only elements of slots whose least key is not above the
//      bound are looked at again, a vector by each thread of the block: which
//      thread has them no longer matters. Where a row is in registers threads
//      count their own ones and have places one thread after the other.
//   3. If there is no room for all of them (equal keys, rows that are in order),
//      the k-th key is looked for among all elements, and then the place of the
//      last element with this key that is kept: of so many candidates exactly k
//      are left.
//   4. Candidates are sorted by their keys and then their places, so it does not
//      matter in which order they came. Of few of them each counts those before
//      it.
//
// A number that so many others are not above is found bit by bit, from the
// highest one: each time threads count what is not above a number whose lower
// bits are set. For the threads' least keys that is one barrier that counts.
//
//===----------------------------------------------------------------------===//

#include "GridEmitter.h"
#include "RowSelection.h"

#include "kiln/Dialect/Loop/IR/RowValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/MathExtras.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Candidates that there is room for at least.
static constexpr int64_t kLeastRoom = 256;
/// Bytes of shared memory besides slots that have candidates: the order of few of
/// these, counters, and what aligns them.
static constexpr int64_t kBeside = 2560;

/// Room for twice as many as are kept, if it may be declared, or for those
/// alone.
static int64_t getRoom(int64_t kept, int64_t bytes) {
  int64_t room = std::max<int64_t>(llvm::PowerOf2Ceil(2 * kept), kLeastRoom);
  return room * bytes <= kMostDeclared / 2 ? room : kept;
}

std::optional<int64_t> GridRowsEmitter::getCandidates(SortOp op) {
  auto kept = getSelected(op);
  if (!kept || schedule.getRows() != 1 || schedule.getThreads() < 2 * kWarp)
    return std::nullopt;
  Value key = op.getBody().front().getTerminator()->getOperand(0);
  int64_t bytes = (key.getType().getIntOrFloatBitWidth() +
                   getPlaceType().getIntOrFloatBitWidth()) /
                  8;
  if (*kept > kMostDeclared)
    return std::nullopt;
  int64_t room = getRoom(*kept, bytes),
          slots = schedule.getThreads() * countSlots(op);
  if (sortedBytes + room * bytes + slots * kSlotBytes + kBeside > kMostDeclared)
    return std::nullopt;
  return room;
}

Type GridRowsEmitter::getPlaceType() {
  return isNarrow ? b.getI32Type() : b.getI64Type();
}

/// The keys of the elements at a position.
FailureOr<Value> GridRowsEmitter::evaluateKey(SortOp op,
                                              const Position &position) {
  Block &block = op.getBody().front();
  BodyEmitter emitter(*this, position);
  if (failed(emitter.emit(block)))
    return failure();
  return emitter.getWide(block.getTerminator()->getOperand(0));
}

/// Computes the keys of elements in registers, once for all that looks at them.
LogicalResult GridRowsEmitter::holdKeys(RowSelection &row) {
  return emitSteps(row.start, row.shared,
                   [&](const Position &position, Value inside) {
                     auto key = evaluateKey(row.op, position);
                     if (succeeded(key))
                       row.elements.push_back({position, inside, *key});
                     return LogicalResult(key);
                   });
}

/// Runs `body` for all elements of a thread, one after the other, with what it
/// carries.
FailureOr<SmallVector<Value>> GridRowsEmitter::foldKeys(RowSelection &row,
                                                        ArrayRef<Value> carried,
                                                        KeyBody body) {
  SmallVector<Value> state(carried);
  auto visit = [&](const Position &position, Value inside,
                   Value key) -> LogicalResult {
    for (int64_t k = 0; k < position.lanes; ++k) {
      Value place = add(position.dims.back(), constantIndex(k));
      Value lane = position.lanes == 1
                       ? key
                       : vector::ExtractOp::create(b, key, k).getResult();
      state = body(lane, arith::IndexCastOp::create(b, getPlaceType(), place),
                   inside, state);
    }
    return success();
  };
  if (schedule.getSteps() != 0) {
    for (const RowSelection::Element &element : row.elements)
      if (failed(visit(element.position, element.inside, element.key)))
        return failure();
    return state;
  }
  auto loop = emitVectorLoop(row.start, row.shared, state);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(loop.getBody());
  state = llvm::to_vector_of<Value>(loop.getRegionIterArgs());
  Position position = enterRow(row.start, row.shared, loop.getInductionVar(),
                               schedule.getLanes());
  auto key = evaluateKey(row.op, position);
  if (failed(key) || failed(visit(position, {}, *key)))
    return failure();
  scf::YieldOp::create(b, state);
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// How many elements of a thread `isMeant` says to be.
FailureOr<Value> GridRowsEmitter::countKeys(RowSelection &row,
                                            KeyTest isMeant) {
  Type type = getPlaceType();
  Value none = arith::ConstantIntOp::create(b, type, 0);
  auto counts = foldKeys(
      row, none,
      [&](Value key, Value place, Value inside, ArrayRef<Value> sofar) {
        Value isOne = isMeant(key, place);
        if (inside)
          isOne = arith::AndIOp::create(b, isOne, inside);
        Value one = arith::ExtUIOp::create(b, type, isOne);
        return SmallVector<Value>{arith::AddIOp::create(b, sofar[0], one)};
      });
  if (failed(counts))
    return failure();
  return counts->front();
}

/// The least number with at most `bits` bits, of a type with signed or with
/// positive numbers, for which `count` gives `wanted` or more: how many are not
/// above it.
FailureOr<Value>
GridRowsEmitter::emitLeast(Type type, int64_t bits, bool isSigned, Value wanted,
                           llvm::function_ref<FailureOr<Value>(Value)> count) {
  unsigned width = type.getIntOrFloatBitWidth();
  auto constant = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(b, type, b.getIntegerAttr(type, value));
  };
  Value one = constant(APInt(width, 1));
  Value sign = constant(APInt::getSignedMinValue(width));
  auto toNumber = [&](Value bits) -> Value {
    return isSigned ? arith::XOrIOp::create(b, bits, sign).getResult() : bits;
  };
  auto loop = scf::ForOp::create(b, constantIndex(0), constantIndex(bits),
                                 constantIndex(1), constant(APInt(width, 0)));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    Value known = loop.getRegionIterArg(0);
    Value place = arith::SubIOp::create(b, constantIndex(bits - 1),
                                        loop.getInductionVar());
    Value bit = arith::ShLIOp::create(
        b, one, arith::IndexCastOp::create(b, type, place));
    Value below =
        arith::OrIOp::create(b, known, arith::SubIOp::create(b, bit, one));
    auto found = count(toNumber(below));
    if (failed(found))
      return failure();
    Value isEnough =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sge, *found, wanted);
    scf::YieldOp::create(
        b, arith::SelectOp::create(b, isEnough, known,
                                   arith::OrIOp::create(b, known, bit))
               .getResult());
  }
  return toNumber(loop.getResult(0));
}

/// The greatest of the `kept` least of the keys that all threads have.
FailureOr<Value> GridRowsEmitter::emitBound(ArrayRef<Value> keys,
                                            int64_t kept) {
  Type i32 = b.getI32Type(), type = keys.front().getType();
  auto countBelow = [&](Value key, Value bound) -> Value {
    Value isBelow =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sle, key, bound);
    return NVVM::BarrierOp::create(
               b, i32, /*barrierId=*/Value(), /*numberOfThreads=*/Value(),
               NVVM::BarrierReductionAttr::get(b.getContext(),
                                               NVVM::BarrierReduction::POPC),
               arith::ExtUIOp::create(b, i32, isBelow))
        .getResult(0);
  };
  return emitLeast(type, type.getIntOrFloatBitWidth(), /*isSigned=*/true,
                   arith::ConstantIntOp::create(b, kept, 32),
                   [&](Value bound) -> FailureOr<Value> {
                     Value all = countBelow(keys.front(), bound);
                     for (Value key : keys.drop_front())
                       all = arith::AddIOp::create(b, all,
                                                   countBelow(key, bound));
                     return all;
                   });
}

/// The key and the place of the last element that is kept.
FailureOr<std::pair<Value, Value>>
GridRowsEmitter::emitLast(RowSelection &row, Type keyType, Value kept) {
  // Slots of the threads' sums are written again in the next step.
  auto countAll = [&](KeyTest isMeant) -> FailureOr<Value> {
    auto own = countKeys(row, isMeant);
    if (failed(own))
      return failure();
    Value all = addThreads(*own).second;
    NVVM::Barrier0Op::create(b);
    return all;
  };
  auto compare = [&](arith::CmpIPredicate how, Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, how, x, y);
  };
  auto key =
      emitLeast(keyType, keyType.getIntOrFloatBitWidth(), /*isSigned=*/true,
                kept, [&](Value bound) {
                  return countAll([&](Value key, Value) {
                    return compare(arith::CmpIPredicate::sle, key, bound);
                  });
                });
  if (failed(key))
    return failure();
  auto before = countAll([&](Value other, Value) {
    return compare(arith::CmpIPredicate::slt, other, *key);
  });
  if (failed(before))
    return failure();
  Type type = getPlaceType();
  auto size = row.op.getRowExtent().getConstant();
  int64_t bits = size ? std::max<int64_t>(llvm::Log2_64_Ceil(*size), 1)
                      : type.getIntOrFloatBitWidth() - 1;
  auto place =
      emitLeast(type, bits, /*isSigned=*/false,
                arith::SubIOp::create(b, kept, *before), [&](Value bound) {
                  return countAll([&](Value other, Value place) -> Value {
                    return arith::AndIOp::create(
                        b, compare(arith::CmpIPredicate::eq, other, *key),
                        compare(arith::CmpIPredicate::sle, place, bound));
                  });
                });
  if (failed(place))
    return failure();
  return std::pair(*key, *place);
}

/// Puts the elements of a thread for which `isMeant` says so into `to`, from
/// `at` on.
LogicalResult GridRowsEmitter::gather(RowSelection &row, Value at,
                                      RowMemory &to, KeyTest isMeant) {
  return LogicalResult(foldKeys(
      row, at,
      [&](Value key, Value place, Value inside, ArrayRef<Value> sofar) {
        Value isOne = isMeant(key, place);
        if (inside)
          isOne = arith::AndIOp::create(b, isOne, inside);
        Value at = sofar[0];
        (void)emitIf(isOne, [&] {
          Value slot = arith::IndexCastOp::create(b, b.getIndexType(), at);
          to.store(0, slot, key);
          to.store(1, slot, place);
          return success();
        });
        Value one = arith::ExtUIOp::create(b, at.getType(), isOne);
        return SmallVector<Value>{arith::AddIOp::create(b, at, one)};
      }));
}

/// Puts exactly the elements that are kept into `to`; gives how many these are.
FailureOr<Value> GridRowsEmitter::emitExactly(RowSelection &row, Value kept,
                                              RowMemory &to) {
  auto last = emitLast(row, to.getType(0), kept);
  if (failed(last))
    return failure();
  auto isKept = [&](Value key, Value place) {
    return isUpTo(key, place, last->first, last->second);
  };
  auto own = countKeys(row, isKept);
  if (failed(own) || failed(gather(row, addThreads(*own).first, to, isKept)))
    return failure();
  return kept;
}

/// Counters in shared memory that are 0 from the next barrier on.
RowMemory GridRowsEmitter::declareCounters(int64_t count) {
  Type type = b.getI32Type();
  RowMemory counters(b, type);
  declareRows(guard::getConstant(context, count), type,
              llvm::alignTo(count * 4, RowMemory::kAligned), counters);
  (void)emitIf(isLess(lane, constantIndex(count)), [&] {
    counters.store(0, lane, arith::ConstantIntOp::create(b, type, 0));
    return success();
  });
  return counters;
}

/// Puts candidates of a row into `to`, all that are kept among them; gives how
/// many.
FailureOr<Value> GridRowsEmitter::emitCandidates(RowSelection &row,
                                                 int64_t room, RowMemory &to) {
  Type type = getPlaceType();
  int64_t number = *row.op.getKeptExtent().getConstant();
  bool isInMemory = schedule.getSteps() == 0;
  if (!isInMemory && failed(holdKeys(row)))
    return failure();
  Value kept = arith::ConstantIntOp::create(b, type, number);
  // With most of the least keys, there are far more elements below it.
  int64_t most = schedule.getThreads() * 3 / 4;
  if (number > most * row.slots)
    return emitExactly(row, kept, to);
  std::optional<RowMemory> counters;
  if (isInMemory)
    counters.emplace(declareCounters(2));
  auto least = findLeast(row);
  if (failed(least))
    return failure();
  // A barrier counts one key of each thread.
  SmallVector<Value> counted = *least;
  if (number <= most)
    while (counted.size() > 1) {
      Value key = counted.pop_back_val();
      counted.back() = arith::MinSIOp::create(b, counted.back(), key);
    }
  FailureOr<Value> bound = emitBound(counted, number);
  auto isBelow = [&](Value key, Value) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::sle, key, *bound);
  };
  Value before;
  FailureOr<Value> all;
  if (isInMemory) {
    all = collect(row, *least, *bound, room, *counters, to);
    if (failed(all))
      return failure();
  } else {
    auto own = countKeys(row, isBelow);
    if (failed(own))
      return failure();
    auto [ofThreadsBefore, ofAll] = addThreads(*own);
    before = ofThreadsBefore;
    all = ofAll;
  }

  Value isMany =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, *all,
                            arith::ConstantIntOp::create(b, type, room));
  auto branch =
      scf::IfOp::create(b, type, isMany, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.elseBlock());
    if (!isInMemory && failed(gather(row, before, to, isBelow)))
      return failure();
    scf::YieldOp::create(b, *all);
    b.setInsertionPointToStart(branch.thenBlock());
    auto exactly = emitExactly(row, kept, to);
    if (failed(exactly))
      return failure();
    scf::YieldOp::create(b, *exactly);
  }
  return branch.getResult(0);
}

/// The places of candidates in their order: each counts those that come before it.
void GridRowsEmitter::rankCandidates(RowMemory &candidates, Value count,
                                     RowMemory &ranked) {
  auto at = [&](Value number) {
    return SmallVector<Value>{candidates.load(0, number, 1),
                              candidates.load(1, number, 1)};
  };
  auto loop = scf::ForOp::create(b, lane, count,
                                 constantIndex(schedule.getThreads()));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  SmallVector<Value> own = at(loop.getInductionVar());
  auto others = scf::ForOp::create(b, constantIndex(0), count, constantIndex(1),
                                   constantIndex(0));
  {
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToEnd(others.getBody());
    Value isBefore = areKeysLess(b, at(others.getInductionVar()), own);
    Value one =
        arith::IndexCastUIOp::create(b, b.getIndexType(), isBefore);
    scf::YieldOp::create(b, add(others.getRegionIterArg(0), one));
  }
  ranked.store(0, others.getResult(0), own[1]);
}

/// Whether an element comes no later than another one with this key at this
/// place.
Value GridRowsEmitter::isUpTo(Value key, Value place, Value lastKey,
                              Value lastPlace) {
  auto compare = [&](arith::CmpIPredicate how, Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, how, x, y);
  };
  return arith::OrIOp::create(
      b, compare(arith::CmpIPredicate::slt, key, lastKey),
      arith::AndIOp::create(
          b, compare(arith::CmpIPredicate::eq, key, lastKey),
          compare(arith::CmpIPredicate::sle, place, lastPlace)));
}
