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
      elements.push_back(shuffle(
          vector::ExtractOp::create(b, value, ArrayRef<int64_t>{k}), kind, place));
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
  Value high = arith::TruncIOp::create(
      b, i32, arith::ShRUIOp::create(b, value, half));
  low = arith::ExtUIOp::create(b, i64, shuffleWord(low));
  high = arith::ExtUIOp::create(b, i64, shuffleWord(high));
  return arith::OrIOp::create(b, low, arith::ShLIOp::create(b, high, half));
}

/// A butterfly over `count` neighbouring threads, or those of them that are multiples of
/// `least` apart, after which all have the result, with the same bits: of two partners' values that of the lower thread comes first for both,
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

/// The value of one thread of each warp, through a slot of shared memory for each:
/// thread t of a warp gets that of warp t, again from the first on.
Value GridRowsEmitter::exchange(Value value) {
  int64_t warps = schedule.getThreads() / kWarp;
  Type type = value.getType(), slot = getSlotType(type);
  if (type.isIndex())
    slot = b.getI64Type();
  auto array = LLVM::LLVMArrayType::get(slot, warps);
  Operation *home = function->getParentOp();
  LLVM::GlobalOp memory;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(function);
    memory = LLVM::GlobalOp::create(
        b, array, /*isConstant=*/false, LLVM::Linkage::Internal,
        getFreeName(home, (function.getName() + "_slots").str()), Attribute(),
        /*alignment=*/16, /*addrSpace=*/3);
  }
  Value base = LLVM::AddressOfOp::create(b, memory);
  auto address = [&](Value number) -> Value {
    Value offset = arith::IndexCastOp::create(b, b.getI32Type(), number);
    return LLVM::GEPOp::create(b, base.getType(), slot, base,
                               ArrayRef<LLVM::GEPArg>{offset});
  };
  Value warp = arith::DivUIOp::create(b, lane, constantIndex(kWarp));
  Value number = arith::RemUIOp::create(b, lane, constantIndex(kWarp));
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number,
                                        constantIndex(0));
  Value stored = value;
  if (type.isIndex())
    stored = arith::IndexCastOp::create(b, slot, value);
  else if (type != slot)
    stored = arith::ExtUIOp::create(b, slot, value);
  (void)emitIf(isFirst, [&] {
    LLVM::StoreOp::create(b, stored, address(warp));
    return success();
  });
  NVVM::Barrier0Op::create(b);
  Value from = arith::RemUIOp::create(b, number, constantIndex(warps));
  Value loaded = LLVM::LoadOp::create(b, slot, address(from));
  if (type.isIndex())
    return arith::IndexCastOp::create(b, type, loaded);
  if (type != slot)
    return arith::TruncIOp::create(b, type, loaded);
  return loaded;
}

FailureOr<SmallVector<Value>>
GridRowsEmitter::combineThreads(ReduceOp op, SmallVector<Value> values) {
  int64_t count = schedule.getThreads();
  auto combined = combineShuffled(op, std::move(values), std::min(count, kWarp));
  if (failed(combined) || count <= kWarp)
    return combined;
  for (Value &value : *combined)
    value = exchange(value);
  return combineShuffled(op, *combined, count / kWarp);
}
