//===- WarpReduction.cpp - What threads of a row combine ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridEmitter.h"

#include "kiln/Dialect/Loop/IR/KernelModule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

Type GridRowsEmitter::getSlotType(Type type) {
  if (type.isIndex())
    return b.getI64Type();
  return type.isInteger(1) ? b.getI8Type() : type;
}

Value GridRowsEmitter::toSlot(Value value) {
  Type type = value.getType(), slot = getSlotType(type);
  if (type.isIndex())
    return arith::IndexCastOp::create(b, slot, value);
  return type == slot ? value : arith::ExtUIOp::create(b, slot, value).getResult();
}

Value GridRowsEmitter::fromSlot(Value loaded, Type type) {
  if (type.isIndex())
    return arith::IndexCastOp::create(b, type, loaded);
  return type == loaded.getType()
             ? loaded
             : arith::TruncIOp::create(b, type, loaded).getResult();
}

Value GridRowsEmitter::shuffle(Value value, NVVM::ShflKind kind, Value place) {
  Type type = value.getType(), i32 = b.getI32Type(), i64 = b.getI64Type();
  if (auto many = dyn_cast<VectorType>(type)) {
    SmallVector<Value> elements;
    for (int64_t k = 0; k < many.getNumElements(); ++k)
      elements.push_back(
          shuffle(vector::ExtractOp::create(b, value, ArrayRef<int64_t>{k}),
                  kind, place));
    return vector::FromElementsOp::create(b, many, elements);
  }
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, value, 32);
  };
  auto shuffleWord = [&](Value word) -> Value {
    return NVVM::ShflOp::create(b, i32, constant(-1), word, place,
                                constant(kWarp - 1), kind,
                                /*return_value_and_is_valid=*/UnitAttr());
  };
  if (type.isIndex()) {
    Value word = arith::IndexCastOp::create(b, i64, value);
    return arith::IndexCastOp::create(b, type, shuffle(word, kind, place));
  }
  unsigned width = type.getIntOrFloatBitWidth();
  Type bits = b.getIntegerType(width);
  if (isa<FloatType>(type)) {
    Value word = arith::BitcastOp::create(b, bits, value);
    return arith::BitcastOp::create(b, type, shuffle(word, kind, place));
  }
  if (width == 32)
    return shuffleWord(value);
  if (width < 32) {
    Value word = arith::ExtUIOp::create(b, i32, value);
    return arith::TruncIOp::create(b, type, shuffleWord(word));
  }
  Value half = arith::ConstantIntOp::create(b, 32, 64);
  Value low = arith::TruncIOp::create(b, i32, value);
  Value high =
      arith::TruncIOp::create(b, i32, arith::ShRUIOp::create(b, value, half));
  low = arith::ExtUIOp::create(b, i64, shuffleWord(low));
  high = arith::ExtUIOp::create(b, i64, shuffleWord(high));
  return arith::OrIOp::create(b, low, arith::ShLIOp::create(b, high, half));
}

/// A butterfly over `count` threads, so many `apart`, after which all have the
/// result, with the same bits: of two partners' values that of the lower
/// thread comes first for both, because not every kind is symmetric (Welford's).
FailureOr<SmallVector<Value>>
GridRowsEmitter::combineShuffled(ReduceOp op, SmallVector<Value> values,
                                 int64_t count, int64_t apart) {
  for (int64_t distance = count / 2 * apart; distance >= apart; distance /= 2) {
    Value bit = arith::AndIOp::create(b, lane, constantIndex(distance));
    Value isUpper = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bit,
                                          constantIndex(0));
    SmallVector<Value> lower, upper;
    Value partner = arith::ConstantIntOp::create(b, distance, 32);
    for (Value value : values) {
      Value other = shuffle(value, NVVM::ShflKind::bfly, partner);
      lower.push_back(arith::SelectOp::create(b, isUpper, other, value));
      upper.push_back(arith::SelectOp::create(b, isUpper, value, other));
    }
    auto combined = combine(op, lower, upper);
    if (failed(combined))
      return failure();
    values = std::move(*combined);
  }
  return values;
}

/// Slots of shared memory for a number of each warp.
LLVM::GlobalOp GridRowsEmitter::declareSlots(Type slot) {
  auto array = LLVM::LLVMArrayType::get(slot, schedule.getThreads() / kWarp);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(function);
  return LLVM::GlobalOp::create(
      b, array, /*isConstant=*/false, LLVM::Linkage::Internal,
      getFreeName(function->getParentOp(),
                  (function.getName() + "_slots").str()),
      Attribute(), /*alignment=*/16, /*addrSpace=*/3);
}

/// The values of one thread of each warp, through slots of shared memory for
/// each and one barrier: thread t of a warp gets those of warp t, again from
/// the first on.
SmallVector<Value> GridRowsEmitter::exchange(ArrayRef<Value> values) {
  ++exchanges;
  int64_t warps = schedule.getThreads() / kWarp;
  SmallVector<Value> bases;
  SmallVector<Type> slots;
  for (Value value : values) {
    slots.push_back(getSlotType(value.getType()));
    bases.push_back(LLVM::AddressOfOp::create(b, declareSlots(slots.back())));
  }
  auto address = [&](size_t k, Value number) -> Value {
    Value offset = arith::IndexCastOp::create(b, b.getI32Type(), number);
    return LLVM::GEPOp::create(b, bases[k].getType(), slots[k], bases[k],
                               ArrayRef<LLVM::GEPArg>{offset});
  };
  Value warp = arith::DivUIOp::create(b, lane, constantIndex(kWarp));
  Value number = arith::RemUIOp::create(b, lane, constantIndex(kWarp));
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number,
                                        constantIndex(0));
  SmallVector<Value> stored;
  for (Value value : values)
    stored.push_back(toSlot(value));
  (void)emitIf(isFirst, [&] {
    for (auto [k, value] : llvm::enumerate(stored))
      LLVM::StoreOp::create(b, value, address(k, warp));
    return success();
  });
  NVVM::Barrier0Op::create(b);
  Value from = arith::RemUIOp::create(b, number, constantIndex(warps));
  SmallVector<Value> loaded;
  for (auto [k, value] : llvm::enumerate(values))
    loaded.push_back(
        fromSlot(LLVM::LoadOp::create(b, slots[k], address(k, from)),
                 value.getType()));
  runBehindBarrier();
  return loaded;
}

Value GridRowsEmitter::exchange(Value value) {
  return exchange(ArrayRef<Value>(value)).front();
}

FailureOr<SmallVector<Value>>
GridRowsEmitter::combineThreads(ReduceOp op, SmallVector<Value> values) {
  int64_t count = schedule.getThreads();
  auto combined =
      combineShuffled(op, std::move(values), std::min(count, kWarp));
  if (failed(combined) || count <= kWarp)
    return combined;
  return combineShuffled(op, exchange(*combined), count / kWarp);
}

/// The same of all reductions whose results nobody has read yet: warps exchange
/// what they have of all of them at one barrier.
LogicalResult GridRowsEmitter::combinePending() {
  int64_t count = schedule.getThreads();
  auto combineAll = [&](int64_t threads) {
    return llvm::all_of(pending, [&](PendingReduction &each) {
      auto combined = combineShuffled(each.op, std::move(each.values), threads);
      if (succeeded(combined))
        each.values = std::move(*combined);
      return succeeded(combined);
    });
  };
  if (!combineAll(std::min(count, kWarp)))
    return failure();
  if (count > kWarp && !pending.empty()) {
    SmallVector<Value> all;
    for (const PendingReduction &each : pending)
      llvm::append_range(all, each.values);
    all = exchange(all);
    ArrayRef<Value> rest(all);
    for (PendingReduction &each : pending) {
      each.values.assign(rest.begin(), rest.begin() + each.values.size());
      rest = rest.drop_front(each.values.size());
    }
    if (!combineAll(count / kWarp))
      return failure();
  }
  for (PendingReduction &each : pending)
    finishAccumulators(each.op, each.start, each.values);
  pending.clear();
  return success();
}
