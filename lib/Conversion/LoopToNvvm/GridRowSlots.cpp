//===- GridRowSlots.cpp - The first elements of rows in memory ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Candidates of a row that is in memory (GridRowSelect.cpp). A thread reads
// several of its vectors before it looks at the first one; each is of another
// slot:
//
//   threads = 256, 3 slots, vectors of a row:
//
//     slot 0 of thread 7: 7, 775, 1543 ...
//     slot 1 of thread 7: 263, 1031 ...
//     slot 2 of thread 7: 519, 1287 ...
//
// A slot whose least key is above the bound is not read again.
//
//===----------------------------------------------------------------------===//

#include "FloatKeys.h"
#include "GridEmitter.h"
#include "RowSelection.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/MathExtras.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

/// Vectors of a row in memory that a thread has under way.
static constexpr int64_t kMostSlots = 4;

/// As many as a thread has vectors of a row in memory, up to a few.
int64_t GridRowsEmitter::countSlots(SortOp op) {
  auto size = op.getRowExtent().getConstant();
  if (schedule.getSteps() != 0)
    return 1;
  if (!size)
    return kMostSlots;
  int64_t vectors =
      llvm::divideCeil(*size, schedule.getThreads() * schedule.getLanes());
  return std::clamp<int64_t>(vectors, 1, kMostSlots);
}

/// The key that none is above, or vectors of it.
static Value getGreatest(ImplicitLocOpBuilder &b, Type type) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr greatest = b.getIntegerAttr(
      element, APInt::getSignedMaxValue(element.getIntOrFloatBitWidth()));
  if (auto vector = dyn_cast<VectorType>(type))
    greatest = DenseElementsAttr::get(vector, ArrayRef<Attribute>(greatest));
  return arith::ConstantOp::create(b, greatest);
}

/// Joins the lanes of a vector until as many as `type` has are left.
static Value joinLanes(ImplicitLocOpBuilder &b, Value value, Type type,
                       llvm::function_ref<Value(Value, Value)> join) {
  while (value.getType() != type) {
    auto vector = cast<VectorType>(value.getType());
    int64_t half = vector.getNumElements() / 2;
    if (half == 1)
      return join(vector::ExtractOp::create(b, value, 0),
                  vector::ExtractOp::create(b, value, 1));
    auto take = [&](int64_t from) -> Value {
      auto lanes = llvm::to_vector(llvm::seq(from, from + half));
      return vector::ShuffleOp::create(b, value, value, lanes);
    };
    value = join(take(0), take(half));
  }
  return value;
}

/// The least key in each slot of a thread; the greatest there is in one that
/// has no elements. Where keys order floats, it is that of a float: pairs of 16
/// bits are compared at once, and no keys are computed.
FailureOr<SmallVector<Value>>
GridRowsEmitter::findLeastOfSlots(RowSelection &row) {
  int64_t lanes = schedule.getLanes(), stride = schedule.getThreads() * lanes;
  Block &block = row.op.getBody().front();
  Value source = block.getTerminator()->getOperand(0);
  GPUTargetAttr target = getGPUTarget(function);
  std::optional<FloatKey> floats;
  if (!target || target.getCapability() >= kGPUJoinsFloats)
    floats = FloatKey::match(source);
  if (floats)
    source = floats->value;
  Type element = source.getType(), type = element;
  if (element.getIntOrFloatBitWidth() == 16 && lanes % 2 == 0)
    type = VectorType::get({2}, element);
  auto join = [&](Value x, Value y) -> Value {
    return floats ? floats->join(b, x, y)
                  : arith::MinSIOp::create(b, x, y).getResult();
  };
  Value none = floats ? floats->getNone(b, type) : getGreatest(b, type);
  reached.push_back(row.op.getRowExtent() + stride * row.slots);
  auto loop = emitVectorLoop(row.start, row.shared,
                             SmallVector<Value>(row.slots, none), row.slots);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    Value first = loop.getInductionVar(), end = loop.getUpperBound();
    SmallVector<BodyEmitter, 0> bodies;
    SmallVector<Value> inside;
    for (int64_t k = 0; k < row.slots; ++k) {
      Value own = add(first, constantIndex(k * stride));
      inside.push_back(isLess(own, end));
      own = arith::SelectOp::create(b, inside.back(), own, first);
      if (failed(bodies
                     .emplace_back(*this,
                                   enterRow(row.start, row.shared, own, lanes))
                     .emitLoads(block)))
        return failure();
    }
    SmallVector<Value> least;
    for (auto [body, isOne, before] :
         llvm::zip(bodies, inside, loop.getRegionIterArgs())) {
      if (failed(body.emit(block)))
        return failure();
      Value own = joinLanes(b, body.getWide(source), type, join);
      own = arith::SelectOp::create(b, isOne, own, before);
      least.push_back(join(before, own));
    }
    scf::YieldOp::create(b, least);
  }
  return llvm::map_to_vector(loop.getResults(), [&](Value value) {
    value = joinLanes(b, value, element, join);
    return floats ? floats->getKey(b, value) : value;
  });
}

/// The least keys of the elements of a thread: of each slot or, where a row is
/// in registers, of all.
FailureOr<SmallVector<Value>> GridRowsEmitter::findLeast(RowSelection &row) {
  if (schedule.getSteps() == 0)
    return findLeastOfSlots(row);
  Type type = row.op.getBody().front().getTerminator()->getOperand(0).getType();
  Value greatest = getGreatest(b, type);
  return foldKeys(row, greatest,
                  [&](Value key, Value, Value inside, ArrayRef<Value> sofar) {
                    if (inside)
                      key = arith::SelectOp::create(b, inside, key, greatest);
                    return SmallVector<Value>{
                        arith::MinSIOp::create(b, sofar[0], key).getResult()};
                  });
}

/// Counts one more; gives how many there were.
static Value countOne(ImplicitLocOpBuilder &b, RowMemory &counters,
                      Value counter) {
  Value before = LLVM::AtomicRMWOp::create(
      b, LLVM::AtomicBinOp::add, counters.address(0, counter),
      counters.constant(0, 1), LLVM::AtomicOrdering::monotonic, "block");
  return arith::IndexCastOp::create(b, b.getIndexType(), before);
}

/// Puts the numbers of slots whose least key is not above `bound` into
/// `owners`; gives how many these are.
Value GridRowsEmitter::enlist(const RowSelection &row, ArrayRef<Value> least,
                              Value bound, RowMemory &counters,
                              RowMemory &owners) {
  Value zero = constantIndex(0);
  for (auto [k, key] : llvm::enumerate(least)) {
    Value isOwner =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sle, key, bound);
    Value slot = add(lane, constantIndex(k * schedule.getThreads()));
    (void)emitIf(isOwner, [&] {
      owners.store(0, countOne(b, counters, zero),
                   arith::IndexCastOp::create(b, owners.getType(0), slot));
      return success();
    });
  }
  NVVM::Barrier0Op::create(b);
  return arith::IndexCastOp::create(b, b.getIndexType(),
                                    counters.load(0, zero, 1));
}

/// Puts the elements of a row in memory that are not above `bound` into `to`,
/// as far as there is room; gives how many there are. `least` are the least
/// keys of the thread's own slots.
FailureOr<Value> GridRowsEmitter::collect(RowSelection &row,
                                          ArrayRef<Value> least, Value bound,
                                          int64_t room, RowMemory &counters,
                                          RowMemory &to) {
  int64_t threads = schedule.getThreads(), lanes = schedule.getLanes(),
          slots = threads * row.slots;
  Value one = constantIndex(1);
  Type ownerType = b.getI16Type();
  RowMemory owners(b, ownerType);
  declareRows(guard::getConstant(context, slots), ownerType,
              llvm::alignTo(slots * kSlotBytes, RowMemory::kAligned), owners);
  Value count = enlist(row, least, bound, counters, owners);

  // The vectors of these slots, one after the other.
  Value size = getArgument(row.op.getRowExtent());
  Value each =
      arith::CeilDivUIOp::create(b, size, constantIndex(slots * lanes));
  auto loop = scf::ForOp::create(b, lane, arith::MulIOp::create(b, count, each),
                                 constantIndex(threads));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    Value owner = owners.load(
        0, arith::DivUIOp::create(b, loop.getInductionVar(), each), 1);
    Value vector = arith::RemUIOp::create(b, loop.getInductionVar(), each);
    Value element =
        mul(add(arith::IndexCastUIOp::create(b, b.getIndexType(), owner),
                mul(vector, slots)),
            lanes);
    auto take = [&]() -> LogicalResult {
      Position position = enterRow(row.start, row.shared, element, lanes);
      auto key = evaluateKey(row.op, position);
      if (failed(key))
        return failure();
      for (int64_t k = 0; k < lanes; ++k) {
        Value own = lanes == 1
                        ? *key
                        : vector::ExtractOp::create(b, *key, k).getResult();
        Value isBelow =
            arith::CmpIOp::create(b, arith::CmpIPredicate::sle, own, bound);
        (void)emitIf(isBelow, [&] {
          Value at = countOne(b, counters, one);
          return emitIf(isLess(at, constantIndex(room)), [&] {
            to.store(0, at, own);
            to.store(1, at,
                     arith::IndexCastOp::create(
                         b, getPlaceType(), add(element, constantIndex(k))));
            return success();
          });
        });
      }
      return success();
    };
    if (failed(emitIf(isLess(element, size), take)))
      return failure();
  }
  NVVM::Barrier0Op::create(b);
  Value all = counters.load(0, one, 1);
  return getPlaceType() == all.getType()
             ? all
             : arith::ExtUIOp::create(b, getPlaceType(), all).getResult();
}
