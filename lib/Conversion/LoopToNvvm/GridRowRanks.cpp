//===- GridRowRanks.cpp - Sorts of rows whose elements are in registers ---===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads have keys and places of a row in registers, and put them in order digit by digit
// from the least one on, each time stably. A warp has a piece of the row: its lanes the
// first elements, then the next ones, and so on. For each digit
//
//   1. lanes of a warp find their peers, which have the same digit, by a ballot for each of its
//      bits; all read the warp's counter of the digit, and the last peer adds their number to it:
//      so each lane has the element's rank among those of the digit in the warp;
//   2. counters, digit by digit and in each of them warp by warp, are added up to where the
//      elements of a warp with a digit begin;
//   3. elements go through shared memory to where they belong, and come back.
//
// Behind the last digit places alone go there, and lie in order. Where a later nest reads the row
// at these places, the row is brought beside them: shared memory has its elements one by one.
//
//===----------------------------------------------------------------------===//

#include "GridEmitter.h"
#include "RowMemory.h"

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Dialect/Loop/IR/RowValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/SaveAndRestore.h"

#include <array>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Bits of a digit, and of one where shared memory has room for few counters, at least.
static constexpr int64_t kMostBits = 8, kLeastBits = 5;
/// Elements of a thread at most, since its code has them one after the other; registers of a
/// thread, and of a multiprocessor, and threads that occupy it.
static constexpr int64_t kMostItems = 32, kMostRegisters = 255,
                         kAllRegisters = 65536, kOccupying = 1024;
/// Bits of a place, and of all lanes.
static constexpr int64_t kPlaceBits = 16, kAllLanes = -1;

namespace kiln::loop {

/// A row that is being sorted.
struct RankedRow {
  /// Columns of the memory: keys as they come; elements, and places where these are apart;
  /// counters of each warp for each digit; and behind the last digit bytes of what is sorted.
  enum Column : unsigned { Keys, Elements, Places, Counters, Sorted };

  RowMemory memory;
  RankedShape shape;
  Value first;    ///< element of the thread; others are a warp apart
  Value counters; ///< the first of its warp
  Value upTo;     ///< bits of the lanes up to this one
  /// What the thread has: keys, with places in the low bits where there is room. Else places
  /// stay in memory while ranks are computed, which registers are needed for.
  SmallVector<Value> keys;

  int64_t countDigits() const { return int64_t(1) << shape.bits; }
};

} // namespace kiln::loop

static Value getI32(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIntOp::create(b, value, 32);
}

/// Bytes of a row in shared memory: of elements, places and counters.
static std::array<int64_t, 3> getRankedSizes(const RankedShape &shape,
                                             int64_t threads) {
  int64_t count = shape.items * threads;
  int64_t elements = count * shape.getElementBits() / 8,
          places = shape.isPacked() ? 0 : count * kPlaceBits / 8,
          counters = threads / kWarp * (int64_t(4) << shape.bits);
  return {elements, places, counters}; // multiples of 64 bytes
}

static int64_t getRankedBytes(const RankedShape &shape, int64_t threads) {
  auto [elements, places, counters] = getRankedSizes(shape, threads);
  return elements + places + counters;
}

/// Nothing where the rows of a sort do not stay in registers: they are too long or short, of no
/// known size, have several keys, or threads that are no whole warps.
std::optional<RankedShape> GridRowsEmitter::getRanked(SortOp op) {
  auto count = op.getRowExtent().getConstant();
  ValueRange keys = op.getBody().front().getTerminator()->getOperands();
  int64_t each = schedule.getThreads();
  if (!count || *count <= kGPUMostCompared || keys.size() != 1 ||
      each % kWarp != 0)
    return std::nullopt;
  RankedShape shape;
  shape.width = keys[0].getType().getIntOrFloatBitWidth();
  shape.items = llvm::divideCeil(*count, each);
  if (shape.items > kMostItems ||
      shape.countRegisters() >
          std::min(kAllRegisters / threads, kMostRegisters))
    return std::nullopt;
  for (int64_t most = kMostBits; most >= kLeastBits; --most) {
    shape.bits = std::max<int64_t>(
        llvm::divideCeil(shape.width, llvm::divideCeil(shape.width, most)),
        kLeastBits);
    if (getRankedBytes(shape, each) * schedule.getRows() <= getMostSorted())
      return shape;
  }
  return std::nullopt;
}

RankedRow GridRowsEmitter::enterRanked(SortOp op, const RankedShape &shape) {
  int64_t each = schedule.getThreads(), rows = schedule.getRows();
  Type key = op.getBody().front().getTerminator()->getOperand(0).getType();
  Type element = b.getIntegerType(shape.getElementBits()), i32 = b.getI32Type();
  RankedRow row{RowMemory(b, {key, element, b.getIntegerType(kPlaceBits), i32,
                              b.getI8Type()}),
                shape,
                /*first=*/{},
                /*counters=*/{},
                /*upTo=*/{},
                /*keys=*/{}};
  // Rather some values in memory than few threads.
  int64_t blocks = std::min(kAllRegisters / (threads * shape.countRegisters()),
                            kOccupying / threads);
  StringRef least = NVVM::NVVMDialect::getMinctasmAttrName();
  if (auto known = function->getAttrOfType<IntegerAttr>(least))
    blocks = std::min(blocks, known.getInt());
  function->setAttr(least, b.getI32IntegerAttr(blocks));

  int64_t whole = getRankedBytes(shape, each);
  auto [elements, places, counters] = getRankedSizes(shape, each);
  if (sharedBytes != 0) // a sort before this one may still be read there
    NVVM::Barrier0Op::create(b);
  sharedBytes = std::max(sharedBytes, whole * rows);
  Value base = getSharedMemory(), begin = constantIndex(0);
  if (rows > 1)
    begin = mul(arith::DivUIOp::create(b, thread, constantIndex(each)), whole);
  // Keys are read before there are elements; places alone are behind the last digit.
  for (int64_t offset :
       {int64_t(0), int64_t(0), shape.isPacked() ? 0 : elements,
        elements + places, shape.isPacked() ? elements / 2 : 0})
    row.memory.addColumn(base, add(begin, constantIndex(offset)));

  Value warp = arith::DivUIOp::create(b, lane, constantIndex(kWarp));
  Value inWarp = arith::RemUIOp::create(b, lane, constantIndex(kWarp));
  row.first = add(mul(warp, shape.items * kWarp), inWarp);
  row.counters = mul(warp, row.countDigits());
  row.upTo = arith::SubIOp::create(
      b, arith::ShLIOp::create(b, getI32(b, 2), toWord(inWarp)), getI32(b, 1));
  return row;
}

/// Clears the counters of a warp, of which each lane has some.
void GridRowsEmitter::clearCounters(RankedRow &row) {
  int64_t own = row.countDigits() / kWarp, lanes = std::min<int64_t>(own, 4);
  Value none = row.memory.constant(RankedRow::Counters, 0);
  if (lanes > 1)
    none = vector::BroadcastOp::create(
        b, VectorType::get({lanes}, none.getType()), none);
  Value inWarp = arith::RemUIOp::create(b, lane, constantIndex(kWarp));
  Value first = add(row.counters, mul(inWarp, lanes));
  for (int64_t k = 0; k < own; k += lanes)
    row.memory.store(RankedRow::Counters, add(first, constantIndex(k * kWarp)),
                     none);
}

/// Keys of the thread's elements in a row of `count`, unsigned; their places. Behind the end of the
/// row are the greatest.
void GridRowsEmitter::readKeys(RankedRow &row, int64_t count) {
  const RankedShape &shape = row.shape;
  unsigned bits = shape.getElementBits();
  Type element = b.getIntegerType(bits);
  auto constant = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(b, element,
                                     b.getIntegerAttr(element, value));
  };
  Value sign = constant(APInt::getOneBitSet(bits, shape.width - 1));
  Value shift = constant(APInt(bits, shape.getFirstBit()));
  Value last = constant(APInt::getAllOnes(bits));
  for (int64_t k = 0; k < shape.items; ++k) {
    Value at = add(row.first, constantIndex(k * kWarp));
    Value key = row.memory.load(RankedRow::Keys, at, 1), place = toWord(at);
    if (key.getType() != element)
      key = arith::ExtUIOp::create(b, element, key);
    key = arith::XOrIOp::create(b, key, sign);
    if (shape.isPacked())
      key =
          arith::OrIOp::create(b, arith::ShLIOp::create(b, key, shift), place);
    else
      row.memory.store(RankedRow::Places, at,
                       arith::TruncIOp::create(
                           b, row.memory.getType(RankedRow::Places), place));
    if (count < shape.items * schedule.getThreads())
      key = arith::SelectOp::create(b, isLess(at, constantIndex(count)), key,
                                    last);
    row.keys.push_back(key);
  }
}

/// What the thread's elements have in a column.
SmallVector<Value> GridRowsEmitter::readColumn(RankedRow &row,
                                               unsigned column) {
  SmallVector<Value> elements;
  for (int64_t k = 0; k < row.shape.items; ++k)
    elements.push_back(
        row.memory.load(column, add(row.first, constantIndex(k * kWarp)), 1));
  return elements;
}

/// Puts what the thread's elements have where their ranks say.
void GridRowsEmitter::storeColumn(RankedRow &row, unsigned column,
                                  ArrayRef<Value> values,
                                  ArrayRef<Value> ranks) {
  for (auto [value, rank] : llvm::zip_equal(values, ranks))
    row.memory.store(
        column, arith::IndexCastUIOp::create(b, b.getIndexType(), rank), value);
}

/// The digit that an element has from bit `shift` on.
static Value getDigit(ImplicitLocOpBuilder &b, const RankedRow &row, Value key,
                      Value shift) {
  Value digit = arith::ShRUIOp::create(
      b, key, arith::IndexCastOp::create(b, key.getType(), shift));
  if (row.shape.getElementBits() > 32)
    digit = arith::TruncIOp::create(b, b.getI32Type(), digit);
  return arith::AndIOp::create(b, digit, getI32(b, row.countDigits() - 1));
}

/// The counter of a digit in the thread's warp.
Value GridRowsEmitter::getCounter(RankedRow &row, Value digit) {
  return add(row.counters,
             arith::IndexCastUIOp::create(b, b.getIndexType(), digit));
}

/// Bits of the lanes of the warp that have another digit. As text, because LLVM would have masks
/// of bits from shifts where a processor has them from the predicates of the ballots.
static Value findOthers(ImplicitLocOpBuilder &b, Value digit, int64_t bits) {
  std::string text =
      "{ .reg .pred is; .reg .b32 bit, lanes, more; mov.b32 $0, 0; ";
  for (int64_t k = 0; k < bits; ++k) {
    text += "and.b32 bit, $1, " + std::to_string(int64_t(1) << k) +
            "; setp.ne.b32 is, bit, 0; vote.sync.ballot.b32 lanes, is, -1; "
            "@is not.b32 lanes, lanes; ";
    if (k % 2 != 0)
      text +=
          "lop3.b32 $0, $0, lanes, more, 0xfe; "; // all that one of them has
    else
      text += k + 1 < bits ? "mov.b32 more, lanes; " : "or.b32 $0, $0, lanes; ";
  }
  return LLVM::InlineAsmOp::create(
             b, TypeRange{b.getI32Type()}, digit, text + "}", "=&r,r",
             /*has_side_effects=*/true, /*is_align_stack=*/false,
             LLVM::TailCallKind::None,
             LLVM::AsmDialectAttr::get(b.getContext(),
                                       LLVM::AsmDialect::AD_ATT),
             ArrayAttr())
      .getResult(0);
}

/// How many elements before this one the warp has of its digit, and itself; counts it, too.
Value GridRowsEmitter::countPeers(RankedRow &row, Value key, Value shift) {
  Value all = getI32(b, kAllLanes);
  Value digit = getDigit(b, row, key, shift), counter = getCounter(row, digit);
  Value others = findOthers(b, digit, row.shape.bits);
  Value peers = arith::XOrIOp::create(b, others, all);
  Value upTo = LLVM::CtPopOp::create(b, b.getI32Type(),
                                     arith::AndIOp::create(b, peers, row.upTo));
  Value isLast =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                            arith::OrIOp::create(b, others, row.upTo), all);
  Value rank = add(row.memory.load(RankedRow::Counters, counter, 1), upTo);
  NVVM::SyncWarpOp::create(b, all);
  (void)emitIf(isLast, [&] {
    row.memory.store(RankedRow::Counters, counter, rank);
    return success();
  });
  NVVM::SyncWarpOp::create(b, all);
  return rank;
}

/// Makes of the counts of a row's digits where each of them begins in each warp.
void GridRowsEmitter::addWarps(RankedRow &row) {
  int64_t digits = row.countDigits(), all = schedule.getThreads();
  int64_t own = std::max<int64_t>(digits / all, 1);
  int64_t lanes = std::min<int64_t>(own, 4);
  Value first = mul(lane, own);
  Value has = all > digits ? isLess(lane, constantIndex(digits)) : Value();
  /// Calls `body` with the counters of each warp for the thread's digits.
  auto forEachVector = [&](llvm::function_ref<void(int64_t, Value)> body) {
    for (int64_t k = 0; k < own; k += lanes)
      for (int64_t warp = 0; warp < all / kWarp; ++warp)
        body(k, add(first, constantIndex(warp * digits + k)));
  };
  auto getLane = [&](Value vector, int64_t k) -> Value {
    return lanes > 1 ? vector::ExtractOp::create(b, vector, k).getResult()
                     : vector;
  };
  Type type = b.getI32Type();
  SmallVector<Type> types(
      own / lanes, lanes > 1 ? Type(VectorType::get({lanes}, type)) : type);
  auto count = [&] {
    SmallVector<Value> sums(types.size());
    forEachVector([&](int64_t k, Value at) {
      Value counts = row.memory.load(RankedRow::Counters, at, lanes);
      Value &sum = sums[k / lanes];
      sum = sum ? add(sum, counts) : counts;
    });
    return sums;
  };
  SmallVector<Value> sums;
  if (has) {
    auto branch = scf::IfOp::create(b, types, has, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, count());
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, getI32(b, 0)); // it has one digit
    sums = llvm::to_vector_of<Value>(branch.getResults());
  } else {
    sums = count();
  }
  Value sum = getI32(b, 0);
  for (int64_t k = 0; k < own; ++k)
    sum = add(sum, getLane(sums[k / lanes], k % lanes));
  // Ranks count the element itself.
  Value at = arith::SubIOp::create(b, addThreadsBefore(sum), getI32(b, 1));
  SmallVector<Value> begins;
  for (Value counts : sums) {
    SmallVector<Value> elements;
    for (int64_t k = 0; k < lanes; ++k) {
      elements.push_back(at);
      at = add(at, getLane(counts, k));
    }
    begins.push_back(lanes > 1
                         ? vector::FromElementsOp::create(
                               b, VectorType::get({lanes}, type), elements)
                               .getResult()
                         : elements.front());
  }
  (void)emitIf(has, [&] {
    forEachVector([&](int64_t k, Value at) {
      Value counts = row.memory.load(RankedRow::Counters, at, lanes);
      Value &begin = begins[k / lanes];
      row.memory.store(RankedRow::Counters, at, begin);
      begin = add(begin, counts);
    });
    return success();
  });
}

/// Puts elements into the order of the digit from bit `shift` on; behind the last one, places.
void GridRowsEmitter::sortDigit(RankedRow &row, Value shift) {
  const RankedShape &shape = row.shape;
  SmallVector<Value> ranks, places;
  for (Value key : row.keys)
    ranks.push_back(countPeers(row, key, shift));
  NVVM::Barrier0Op::create(b);
  addWarps(row);
  if (shape.isPacked())
    for (Value key : row.keys)
      places.push_back(arith::TruncIOp::create(
          b, row.memory.getType(RankedRow::Places), key));
  else
    places = readColumn(row, RankedRow::Places);
  NVVM::Barrier0Op::create(b);
  // Digits are computed again: a compiler that knew them would have no registers for them.
  shift = fetch(shift, constantIndex(0)).front();
  for (auto [rank, key] : llvm::zip_equal(ranks, row.keys))
    rank =
        add(rank,
            row.memory.load(RankedRow::Counters,
                            getCounter(row, getDigit(b, row, key, shift)), 1));
  Value isLast = arith::CmpIOp::create(
      b, arith::CmpIPredicate::uge, add(shift, constantIndex(shape.bits)),
      constantIndex(shape.getFirstBit() + shape.width));
  auto branch = scf::IfOp::create(b, ValueRange(row.keys).getTypes(), isLast,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  storeColumn(row, RankedRow::Places, places, ranks);
  scf::YieldOp::create(b, row.keys);
  b.setInsertionPointToStart(branch.elseBlock());
  storeColumn(row, RankedRow::Elements, row.keys, ranks);
  if (!shape.isPacked())
    storeColumn(row, RankedRow::Places, places, ranks);
  NVVM::Barrier0Op::create(b);
  row.keys = readColumn(row, RankedRow::Elements);
  clearCounters(row);
  NVVM::Barrier0Op::create(b);
  scf::YieldOp::create(b, row.keys);
  row.keys = llvm::to_vector_of<Value>(branch.getResults());
}

/// Whether a nest reads there an element of the row that it has, of `shared` dimensions.
static bool isOfRow(const analysis::Access &read, unsigned shared) {
  return read.map.size() == shared + 1 && read.getAlignment() >= shared;
}

/// Whether a nest behind `op`, and before the next sort, reads elements of its row of `tensor`
/// elsewhere for elements of its own.
static bool isReadBehind(SortOp op, Value tensor) {
  auto kernel = op->getParentOfType<KernelOp>();
  unsigned shared = kernel.getShared().size();
  for (Operation *next = op->getNextNode(); next && !isa<SortOp>(next);
       next = next->getNextNode()) {
    auto nest = dyn_cast<PointwiseOp>(next);
    if (nest && !isOnePerPoint(kernel, nest.getResult()) &&
        !isOfKept(kernel, nest) &&
        llvm::any_of(analysis::getReads(nest), [&](const auto &read) {
          return read.tensor == tensor && isOfRow(read, shared) &&
                 !readsOwnPlace(read.load);
        }))
      return true;
  }
  return false;
}

/// The load of a row's elements that a sort has keys of, if a later nest reads others of them for
/// its own ones and they are no larger than `bytes`.
static LoadOp findReadRow(SortOp op, int64_t bytes) {
  unsigned shared = op->getParentOfType<KernelOp>().getShared().size();
  for (const analysis::Access &read :
       analysis::getReads(cast<NestOpInterface>(op.getOperation()))) {
    Type type = cast<RankedTensorType>(read.tensor.getType()).getElementType();
    if (!read.masked && isOfRow(read, shared) && readsOwnPlace(read.load) &&
        analysis::getElementBytes(type) <= bytes &&
        isReadBehind(op, read.tensor))
      return read.load;
  }
  return {};
}

/// Brings what `load` reads to shared memory.
LogicalResult GridRowsEmitter::bringSorted(RankedRow &row, LoadOp load,
                                           const Position &start,
                                           unsigned shared) {
  Value tensor = load.getTensor();
  Buffer buffer = buffers.lookup(tensor);
  buffer.pointer = row.memory.address(RankedRow::Sorted, constantIndex(0));
  buffer.alignment = RowMemory::kAligned;
  buffer.isConstant = false;
  buffer.first = buffer.span = 0;
  for (ExprAttr &stride : buffer.strides)
    stride = guard::getConstant(context, 0);
  buffer.strides.back() = guard::getConstant(context, 1);
  sortedRow = {tensor, buffer};
  // Elements are read again: a compiler that knew them would have no registers for them.
  Value inWarp = arith::RemUIOp::create(b, lane, constantIndex(kWarp));
  llvm::SaveAndRestore again(lane, fetch(lane, inWarp).front());
  return emitOwn(start, shared,
                 [&](const Position &position, Value inside) -> LogicalResult {
                   BodyEmitter body(*this, position);
                   if (failed(body.emitLoads(*load->getBlock())))
                     return failure();
                   Value elements = body.getWide(load.getResult());
                   return emitIf(inside, [&] {
                     store(buffer,
                           guard::getDim(context, position.dims.size() - 1),
                           position, elements);
                     return success();
                   });
                 });
}

/// Has a nest read its row where a sort has brought it to, if it reads no other; gives what it
/// would read.
std::optional<Buffer> GridRowsEmitter::enterSorted(PointwiseOp op) {
  unsigned shared = kernel.getShared().size();
  bool isOwn = bool(sortedRow.tensor);
  for (const analysis::Access &read : analysis::getReads(op))
    isOwn &= read.tensor != sortedRow.tensor || isOfRow(read, shared);
  if (!isOwn)
    return std::nullopt;
  Buffer &used = buffers[sortedRow.tensor];
  return std::exchange(used, sortedRow.buffer);
}

LogicalResult GridRowsEmitter::emitRankedSort(SortOp op,
                                              const RankedShape &shape,
                                              const Position &start,
                                              unsigned shared) {
  RankedRow row = enterRanked(op, shape);
  auto fill = [&](const Position &position, Value inside) -> LogicalResult {
    auto key = evaluateKey(op, position);
    if (failed(key))
      return failure();
    return emitIf(inside, [&] {
      row.memory.store(RankedRow::Keys, position.dims.back(), *key);
      return success();
    });
  };
  if (failed(emitOwn(start, shared, fill)))
    return failure();
  clearCounters(row);
  NVVM::Barrier0Op::create(b);
  readKeys(row, *op.getRowExtent().getConstant());
  int64_t begin = shape.getFirstBit();
  auto loop = scf::ForOp::create(b, constantIndex(begin),
                                 constantIndex(begin + shape.width),
                                 constantIndex(shape.bits), row.keys);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    row.keys = llvm::to_vector_of<Value>(loop.getRegionIterArgs());
    sortDigit(row, loop.getInductionVar());
    scf::YieldOp::create(b, row.keys);
  }
  LoadOp load =
      findReadRow(op, shape.getElementBits() / 8 / (shape.isPacked() ? 2 : 1));
  if (load && failed(bringSorted(row, load, start, shared)))
    return failure();
  NVVM::Barrier0Op::create(b);
  return drainSorted(op, row.memory, RankedRow::Places, constantIndex(0), start,
                     shared);
}
