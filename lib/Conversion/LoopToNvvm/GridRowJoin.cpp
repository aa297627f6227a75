//===- GridRowJoin.cpp - What threads of a block have of columns ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several threads of a block have reduced parts of the same columns: the upper half of them
// hands what it has to the lower half through shared memory, until the first one has it all,
// in the same order each time. Where all of them go on with it, threads of a warp join what they
// have by shuffles, and each reads what those of other warps have, with one barrier.
//
//===----------------------------------------------------------------------===//

#include "GridEmitter.h"

#include "kiln/Dialect/Loop/IR/KernelModule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

static int64_t countLanes(Value value) {
  auto many = dyn_cast<VectorType>(value.getType());
  return many ? many.getNumElements() : 1;
}

/// Bytes of so many slots for one lane.
static int64_t getLaneBytes(Type lane, int64_t slots) {
  return llvm::alignTo(slots * lane.getIntOrFloatBitWidth() / 8, 16);
}

Value GridRowsEmitter::getSlotMemory() {
  if (!slots) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(function);
    slots = LLVM::GlobalOp::create(
        b, LLVM::LLVMArrayType::get(b.getI8Type(), slotBytes),
        /*isConstant=*/false, LLVM::Linkage::Internal,
        getFreeName(function->getParentOp(),
                    (function.getName() + "_slots").str()),
        Attribute(), /*alignment=*/16, /*addrSpace=*/3);
  }
  return LLVM::AddressOfOp::create(b, slots);
}

/// Has shared memory of so many bytes at least where threads join what they have.
LogicalResult GridRowsEmitter::reserveSlots(int64_t bytes) {
  slotBytes = std::max(slotBytes, bytes);
  if (slots)
    slots.setGlobalType(LLVM::LLVMArrayType::get(b.getI8Type(), slotBytes));
  if (slotBytes <= kMostDeclared)
    return success();
  return refuse(kernel.getScheduleAttr())
         << "whose threads join " << slotBytes
         << " bytes in shared memory, expected at most " << kMostDeclared;
}

/// Lanes lie apart, so that threads beside each other have neighbours: calls `body` with the
/// number, the lane, the address and the type of each lane of each value.
void GridRowsEmitter::forEachSlot(
    ArrayRef<Value> values, Value slot, int64_t slots,
    llvm::function_ref<void(unsigned, int64_t, Value, Type)> body) {
  int64_t begin = 0;
  Value memory = getSlotMemory();
  Value number = arith::IndexCastOp::create(b, b.getI32Type(), slot);
  for (auto [k, value] : llvm::enumerate(values)) {
    Type type = getSlotType(getElementTypeOrSelf(value.getType()));
    for (int64_t n = 0; n < countLanes(value); ++n) {
      Value from = LLVM::GEPOp::create(b, memory.getType(), b.getI8Type(), memory,
                                       ArrayRef<LLVM::GEPArg>{int32_t(begin)});
      body(k, n,
           LLVM::GEPOp::create(b, memory.getType(), type, from,
                               ArrayRef<LLVM::GEPArg>{number}),
           type);
      begin += getLaneBytes(type, slots);
    }
  }
}

void GridRowsEmitter::storeSlots(ArrayRef<Value> values, Value slot,
                                  int64_t slots) {
  forEachSlot(values, slot, slots,
              [&](unsigned k, int64_t n, Value address, Type) {
                Value value = values[k];
                if (isa<VectorType>(value.getType()))
                  value = vector::ExtractOp::create(b, value, ArrayRef<int64_t>{n});
                LLVM::StoreOp::create(b, toSlot(value), address);
              });
}

SmallVector<Value> GridRowsEmitter::loadSlots(ArrayRef<Value> like, Value slot,
                                               int64_t slots) {
  SmallVector<SmallVector<Value>> lanes(like.size());
  forEachSlot(like, slot, slots,
              [&](unsigned k, int64_t, Value address, Type type) {
                lanes[k].push_back(
                    fromSlot(LLVM::LoadOp::create(b, type, address),
                             getElementTypeOrSelf(like[k].getType())));
              });
  SmallVector<Value> values;
  for (auto [value, elements] : llvm::zip_equal(like, lanes)) {
    auto many = dyn_cast<VectorType>(value.getType());
    values.push_back(many ? vector::FromElementsOp::create(b, many, elements)
                          : elements.front());
  }
  return values;
}

/// `values` of `op`, once or several times, and, in the threads that an upper half has handed
/// something, that as well: there are `count` threads of a column, of which the first `half` go
/// on.
FailureOr<SmallVector<Value>>
GridRowsEmitter::foldColumns(ReduceOp op, ArrayRef<Value> values,
                             const Place &place, int64_t count, int64_t half) {
  int64_t size = half * place.columns;
  auto getSlot = [&](int64_t before) -> Value {
    Value row = arith::SubIOp::create(b, place.row, constantIndex(before));
    return add(mul(row, place.columns), place.column);
  };
  auto isBelow = [&](int64_t rows) {
    return isLess(place.row, constantIndex(rows));
  };
  Value isUpper = arith::AndIOp::create(
      b, isBelow(count),
      arith::CmpIOp::create(b, arith::CmpIPredicate::sge, place.row,
                            constantIndex(half)));
  (void)emitIf(isUpper, [&] {
    storeSlots(values, getSlot(half), size);
    return success();
  });
  NVVM::Barrier0Op::create(b);
  Value takes = isBelow(count - half);
  auto branch = scf::IfOp::create(b, TypeRange(ValueRange(values)), takes,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, ValueRange(values));
  b.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> handed = loadSlots(values, getSlot(0), size), all;
  for (size_t k = 0; k < values.size(); k += op->getNumResults()) {
    auto joined = combine(op, values.slice(k, op->getNumResults()),
                          ArrayRef(handed).slice(k, op->getNumResults()));
    if (failed(joined))
      return failure();
    llvm::append_range(all, *joined);
  }
  scf::YieldOp::create(b, all);
  return llvm::to_vector_of<Value>(branch.getResults());
}

/// Has the first thread of each column have what all of them have in `sums`: those of each of
/// `ops`, one after the other, `times` times what it reduces to.
LogicalResult GridRowsEmitter::joinColumns(ArrayRef<ReduceOp> ops,
                                           MutableArrayRef<Value> sums,
                                           const Place &place, int64_t times) {
  if (place.deep == 1)
    return success();
  int64_t most = llvm::divideCeil(place.deep, 2) * place.columns;
  MutableArrayRef<Value> rest = sums;
  for (ReduceOp op : ops) {
    int64_t bytes = 0;
    for (Value value : rest.take_front(times * op->getNumResults()))
      bytes += countLanes(value) *
               getLaneBytes(getSlotType(getElementTypeOrSelf(value.getType())),
                            most);
    slotBytes = std::max(slotBytes, bytes);
    rest = rest.drop_front(times * op->getNumResults());
  }
  if (failed(reserveSlots(slotBytes)))
    return failure();
  for (ReduceOp op : ops) {
    MutableArrayRef<Value> own = sums.take_front(times * op->getNumResults());
    for (int64_t count = place.deep; count > 1;) {
      int64_t half = llvm::divideCeil(count, 2);
      auto joined = foldColumns(op, own, place, count, half);
      if (failed(joined))
        return failure();
      llvm::copy(*joined, own.begin());
      // What was read is written over next.
      NVVM::Barrier0Op::create(b);
      count = half;
    }
    sums = sums.drop_front(own.size());
  }
  return success();
}

/// What all threads of a column have in `sums`, in each of them and with the
/// same bits. There are powers of two of both, and all threads come here. One
/// half of the slots is read while the other is written to next, so there is
/// one barrier.
FailureOr<SmallVector<Value>>
GridRowsEmitter::joinForAll(ReduceOp op, SmallVector<Value> sums,
                            const Place &place) {
  if (place.deep == 1)
    return sums;
  // Elements of a column in a warp, and what is left of those in a block.
  int64_t together = std::max<int64_t>(kWarp / place.columns, 1);
  int64_t inWarp = std::min(together, place.deep), left = place.deep / inWarp;
  FailureOr<SmallVector<Value>> joined =
      combineShuffled(op, std::move(sums), inWarp, place.columns);
  if (failed(joined) || left == 1)
    return joined;
  int64_t slots = left * place.columns, bytes = 0;
  for (Value value : *joined)
    bytes += countLanes(value) *
             getLaneBytes(getSlotType(getElementTypeOrSelf(value.getType())),
                          2 * slots);
  if (failed(reserveSlots(bytes)))
    return failure();
  int64_t begin = ++exchanges % 2 * slots;
  Value own = arith::DivUIOp::create(b, place.row, constantIndex(inWarp));
  Value turn = arith::RemUIOp::create(b, place.row, constantIndex(inWarp));
  auto getSlot = [&](Value number) {
    return add(add(mul(number, place.columns), place.column),
               constantIndex(begin));
  };
  (void)emitIf(inWarp > 1 ? isLess(turn, constantIndex(1)) : Value(), [&] {
    storeSlots(*joined, getSlot(own), 2 * slots);
    return success();
  });
  NVVM::Barrier0Op::create(b);
  // Threads of a warp share what they read, as far as there is so much.
  int64_t shared = std::min(inWarp, left);
  Value first = arith::RemUIOp::create(b, turn, constantIndex(shared));
  SmallVector<Value> like = *joined;
  for (int64_t k = 0; k < left && succeeded(joined); k += shared) {
    SmallVector<Value> read =
        loadSlots(like, getSlot(add(first, constantIndex(k))), 2 * slots);
    joined = k == 0 ? std::move(read) : combine(op, *joined, read);
  }
  if (failed(joined))
    return failure();
  return combineShuffled(op, std::move(*joined), shared, place.columns);
}
