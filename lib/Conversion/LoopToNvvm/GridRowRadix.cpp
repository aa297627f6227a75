//===- GridRowRadix.cpp - Sorts of long rows by their digits --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows that registers have no room for (GridRowRanks.cpp), or with several keys. Keys stay where
// they are; their places are put in order, digit by digit from the least one on, each time
// stably, so that at the end the whole key and then the place counts.
// A thread has a piece of the row. It counts its digits; the counts, digit by digit and in
// each of them thread by thread, are added up to where the places of a thread with
// a digit begin; and the thread puts its places there, in the second of two buffers.
//
// All of it is in shared memory where that is enough for the block, else keys and places
// are in the workspace.
//
//===----------------------------------------------------------------------===//

#include "GridEmitter.h"
#include "RowMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Shared memory for counters, and what is left to the slots of reductions.
static constexpr int64_t kMostCounters = 32768, kMostSlots = 4096;

namespace kiln::loop {

/// A row that is being sorted: its keys, from the one on that counts most; its places,
/// twice; and counters of each thread for each digit.
struct RadixRow {
  RowMemory memory; ///< columns: keys, places, counters
  unsigned keys = 0;
  int64_t digits = 0, bits = 0;
  Value count;      ///< elements
  Value begin, end; ///< the thread's piece

  unsigned getPlaces() const { return keys; }
  unsigned getCounters() const { return keys + 1; }
};

} // namespace kiln::loop

/// As few bytes as hold numbers up to that of the elements.
static Type getNumberType(OpBuilder &b, std::optional<int64_t> count) {
  return !count || *count > INT32_MAX ? b.getI64Type()
         : *count > UINT16_MAX        ? b.getI32Type()
                                      : b.getI16Type();
}

/// Shared memory that a sort may have beside what is declared.
int64_t GridRowsEmitter::getMostSorted() {
  int64_t most = getMostShared() - kMostSlots;
  bool isOne = llvm::range_size(kernel.getBody().getOps<SortOp>()) == 1;
  return most - (isOne ? 0 : kMostDeclared);
}

RadixRow GridRowsEmitter::enterRadix(ExprAttr extent,
                                     ArrayRef<Type> keyTypes) {
  auto count = extent.getConstant();
  Type number = getNumberType(b, count);
  int64_t bytes = number.getIntOrFloatBitWidth() / 8;
  int64_t rows = schedule.getRows(), each = schedule.getThreads();
  SmallVector<Type> types(keyTypes);
  types.append(2, number);
  int64_t bits = 4, mostCounters = std::min(kMostCounters, getMostSorted());
  while (bits > 1 && (bytes << bits) * each * rows > mostCounters)
    --bits;
  RadixRow row{RowMemory(b, types),
               unsigned(keyTypes.size()),
               int64_t(1) << bits,
               bits,
               /*count=*/{},
               /*begin=*/{},
               /*end=*/{}};

  // Bytes of a row of each column, where they may be shared memory.
  bool isShared = count && *count <= getMostShared();
  int64_t most = isShared ? *count : 0;
  SmallVector<int64_t> sizes;
  for (Type type : keyTypes)
    sizes.push_back(most * type.getIntOrFloatBitWidth() / 8);
  sizes.push_back(2 * most * bytes);
  sizes.push_back(row.digits * each * bytes);
  int64_t whole = 0;
  for (int64_t &size : sizes)
    whole += size = llvm::alignTo(size, RowMemory::kAligned);
  isShared &= whole * rows <= getMostSorted();
  if (!isShared)
    whole = sizes.back();
  if (sharedBytes != 0) // a sort before this one may still be read there
    NVVM::Barrier0Op::create(b);
  sharedBytes = std::max(sharedBytes, whole * rows);
  Value base = getSharedMemory(), shared = mul(
      arith::DivUIOp::create(b, thread, constantIndex(each)), whole);
  for (auto [k, size] : llvm::enumerate(sizes)) {
    bool isCounter = k == row.getCounters();
    if (isShared || isCounter) {
      row.memory.addColumn(base, shared);
      shared = add(shared, constantIndex(size));
    } else {
      int64_t item = types[k].getIntOrFloatBitWidth() / 8;
      row.memory.addColumn(
          allocateScratch(extent * (k == row.getPlaces() ? 2 * item : item)));
    }
  }

  row.count = getArgument(extent);
  Value piece = arith::DivUIOp::create(
      b, add(row.count, constantIndex(each - 1)), constantIndex(each));
  // An odd number: neighbours are in different banks.
  piece = arith::OrIOp::create(b, piece, constantIndex(1));
  row.begin = arith::MinSIOp::create(
      b, arith::MulIOp::create(b, lane, piece), row.count);
  row.end = arith::MinSIOp::create(b, add(row.begin, piece), row.count);
  return row;
}

/// Runs `body` for the places of a thread, in their order from `at` on, with the counter
/// of the digit that key `k` has there, and counts on.
void GridRowsEmitter::forEachDigit(
    RadixRow &row, unsigned k, Value shift, Value at,
    llvm::function_ref<void(Value place, Value counter)> body) {
  auto loop =
      scf::ForOp::create(b, row.begin, row.end, constantIndex(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Value place =
      row.memory.load(row.getPlaces(), add(at, loop.getInductionVar()), 1);
  Value key = row.memory.load(
      k, arith::IndexCastUIOp::create(b, b.getIndexType(), place), 1);
  Type type = key.getType();
  auto constant = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(b, type, b.getIntegerAttr(type, value));
  };
  unsigned width = type.getIntOrFloatBitWidth();
  key = arith::XOrIOp::create(b, key,
                              constant(APInt::getSignedMinValue(width)));
  key = arith::ShRUIOp::create(b, key,
                               arith::IndexCastOp::create(b, type, shift));
  key = arith::AndIOp::create(b, key, constant(APInt(width, row.digits - 1)));
  Value digit = arith::IndexCastUIOp::create(b, b.getIndexType(), key);
  Value own = add(mul(digit, schedule.getThreads()), lane);
  Value counter = row.memory.load(row.getCounters(), own, 1);
  row.memory.store(row.getCounters(), own, add(counter, row.memory.constant(row.getCounters(), 1)));
  body(place, counter);
}

/// What each of `count` neighbouring threads, a power of two of a warp, and those before it
/// have, added up.
Value GridRowsEmitter::addShuffled(Value value, int64_t count) {
  Value inWarp = arith::RemUIOp::create(b, thread, constantIndex(kWarp));
  Value number = arith::RemUIOp::create(b, thread, constantIndex(count));
  for (int64_t distance = 1; distance < count; distance *= 2) {
    Value hasBefore = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, number,
                                            constantIndex(distance));
    // The others ask themselves.
    Value from = arith::SelectOp::create(
        b, hasBefore,
        arith::SubIOp::create(b, inWarp, constantIndex(distance)), inWarp);
    Value before = fetch(value, from).front();
    value = arith::SelectOp::create(b, hasBefore, add(before, value), value);
  }
  return value;
}

/// What the threads of the row before this one have, added up, and what all
/// have; there are several warps.
std::pair<Value, Value> GridRowsEmitter::addThreads(Value value) {
  Value sum = addShuffled(value, kWarp);
  int64_t warps = schedule.getThreads() / kWarp;
  Value ofWarp = exchange(fetch(sum, constantIndex(kWarp - 1)).front());
  Value upTo = addShuffled(ofWarp, warps);
  Value warp = arith::DivUIOp::create(b, lane, constantIndex(kWarp));
  Value warpsBefore =
      fetch(arith::SubIOp::create(b, upTo, ofWarp).getResult(), warp).front();
  return {add(arith::SubIOp::create(b, sum, value), warpsBefore),
          fetch(upTo, constantIndex(warps - 1)).front()};
}

/// What the threads of the row before this one have, added up.
Value GridRowsEmitter::addThreadsBefore(Value value) {
  if (schedule.getThreads() > kWarp)
    return addThreads(value).first;
  Value sum = addShuffled(value, schedule.getThreads());
  return arith::SubIOp::create(b, sum, value);
}

/// Makes of the counts of digits where each of them begins.
void GridRowsEmitter::addCounters(RadixRow &row) {
  unsigned column = row.getCounters();
  Type type = row.memory.getType(column);
  int64_t lanes = RowMemory::kAligned * 8 / type.getIntOrFloatBitWidth();
  SmallVector<Value> vectors, counts;
  Value first = mul(lane, row.digits);
  for (int64_t at = 0; at < row.digits; at += lanes) {
    vectors.push_back(
        row.memory.load(column, add(first, constantIndex(at)), lanes));
    for (int64_t k = 0; k < lanes; ++k)
      counts.push_back(vector::ExtractOp::create(b, vectors.back(), k));
  }
  Value all = counts.front();
  for (Value count : ArrayRef(counts).drop_front())
    all = add(all, count);
  Value sum = addThreadsBefore(all);
  for (auto [i, vector] : llvm::enumerate(vectors)) {
    for (int64_t k = 0; k < lanes; ++k) {
      vector = vector::InsertOp::create(b, sum, vector, k);
      sum = add(sum, counts[i * lanes + k]);
    }
    row.memory.store(column, add(first, constantIndex(i * lanes)), vector);
  }
}

/// Puts the places from `at` on into the order of a digit of key `k`, in the other
/// buffer, whose begin this gives.
Value GridRowsEmitter::emitDigit(RadixRow &row, unsigned k, Value shift,
                                 Value at) {
  Value other = arith::SubIOp::create(b, row.count, at);
  Value none = row.memory.constant(row.getCounters(), 0);
  for (int64_t digit = 0; digit < row.digits; ++digit)
    row.memory.store(row.getCounters(),
                     add(lane, constantIndex(digit * schedule.getThreads())),
                     none);
  forEachDigit(row, k, shift, at, [](Value, Value) {});
  NVVM::Barrier0Op::create(b);
  addCounters(row);
  NVVM::Barrier0Op::create(b);
  forEachDigit(row, k, shift, at, [&](Value place, Value counter) {
    Value to = arith::IndexCastUIOp::create(b, b.getIndexType(), counter);
    row.memory.store(row.getPlaces(), add(other, to), place);
  });
  NVVM::Barrier0Op::create(b);
  return other;
}

LogicalResult GridRowsEmitter::emitRadixSort(SortOp op, const Position &start,
                                             unsigned shared) {
  Block &block = op.getBody().front();
  SmallVector<Type> types(block.getTerminator()->getOperandTypes());
  // Places, twice, and pieces of a row that are longer than needed.
  reached.push_back(op.getRowExtent() * 4 + 4 * schedule.getThreads());
  RadixRow row = enterRadix(op.getRowExtent(), types);
  auto fill = [&](const Position &position, Value inside) {
    return fillSorted(block, row.memory, position, inside);
  };
  if (failed(emitOwn(start, shared, fill)))
    return failure();
  NVVM::Barrier0Op::create(b);

  Value at = constantIndex(0);
  for (unsigned k = row.keys; k-- > 0;) {
    auto loop = scf::ForOp::create(
        b, constantIndex(0), constantIndex(types[k].getIntOrFloatBitWidth()),
        constantIndex(row.bits), at);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(b, emitDigit(row, k, loop.getInductionVar(),
                                      loop.getRegionIterArg(0)));
    at = loop.getResult(0);
  }
  return drainSorted(op, row.memory, row.getPlaces(), at, start, shared);
}
