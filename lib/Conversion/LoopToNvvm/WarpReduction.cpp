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

/// The number in memory: truths are bytes.
static Type getSlotType(Type type) {
  return type.isInteger(1) ? IntegerType::get(type.getContext(), 8) : type;
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

/// A butterfly over `count` neighbouring threads, or those of them that are
/// multiples of `least` apart, after which all have the result, with the same
/// bits: of two partners' values that of the lower thread comes first for both,
/// because not every kind is symmetric (Welford's).
FailureOr<SmallVector<Value>>
GridRowsEmitter::combineShuffled(ReduceOp op, SmallVector<Value> values,
                                 int64_t count, int64_t least) {
  for (int64_t distance = count / 2; distance >= least; distance /= 2) {
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

/// Shared memory for so many numbers of a type.
GridRowsEmitter::Slots GridRowsEmitter::declareSlots(Type type, int64_t count) {
  Slots slots;
  slots.type = type;
  slots.slot = type.isIndex() ? b.getI64Type() : getSlotType(type);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(function);
  slots.memory = LLVM::GlobalOp::create(
      b, LLVM::LLVMArrayType::get(slots.slot, count), /*isConstant=*/false,
      LLVM::Linkage::Internal,
      getFreeName(function->getParentOp(),
                  (function.getName() + "_slots").str()),
      Attribute(), /*alignment=*/16, /*addrSpace=*/3);
  return slots;
}

Value GridRowsEmitter::getSlot(Slots &slots, Value number) {
  if (!slots.base)
    slots.base = LLVM::AddressOfOp::create(b, slots.memory);
  Value offset = arith::IndexCastOp::create(b, b.getI32Type(), number);
  return LLVM::GEPOp::create(b, slots.base.getType(), slots.slot, slots.base,
                             ArrayRef<LLVM::GEPArg>{offset});
}

void GridRowsEmitter::storeSlot(Slots &slots, Value number, Value value) {
  if (slots.type.isIndex())
    value = arith::IndexCastOp::create(b, slots.slot, value);
  else if (slots.type != slots.slot)
    value = arith::ExtUIOp::create(b, slots.slot, value);
  LLVM::StoreOp::create(b, value, getSlot(slots, number));
}

Value GridRowsEmitter::loadSlot(Slots &slots, Value number) {
  Value loaded = LLVM::LoadOp::create(b, slots.slot, getSlot(slots, number));
  if (slots.type.isIndex())
    return arith::IndexCastOp::create(b, slots.type, loaded);
  if (slots.type != slots.slot)
    return arith::TruncIOp::create(b, slots.type, loaded);
  return loaded;
}

/// The values of one thread of each warp, through slots of shared memory for each and one
/// barrier: thread t of a warp gets those of warp t, again from the first on.
SmallVector<Value> GridRowsEmitter::exchange(ArrayRef<Value> values) {
  ++exchanges;
  int64_t warps = schedule.getThreads() / kWarp;
  SmallVector<Slots> slots;
  for (Value value : values) {
    slots.push_back(declareSlots(value.getType(), warps));
    slots.back().base = LLVM::AddressOfOp::create(b, slots.back().memory);
  }
  Value warp = arith::DivUIOp::create(b, lane, constantIndex(kWarp));
  Value number = arith::RemUIOp::create(b, lane, constantIndex(kWarp));
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number,
                                        constantIndex(0));
  (void)emitIf(isFirst, [&] {
    for (auto [each, value] : llvm::zip_equal(slots, values))
      storeSlot(each, warp, value);
    return success();
  });
  NVVM::Barrier0Op::create(b);
  Value from = arith::RemUIOp::create(b, number, constantIndex(warps));
  SmallVector<Value> loaded;
  for (Slots &each : slots)
    loaded.push_back(loadSlot(each, from));
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
