//===- GridRowSort.cpp - Sorts of rows that threads share -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keys and positions of a short row, or of one with several keys, lie in shared
// memory, and are sorted by a bitonic network (longer rows: GridRowRanks.cpp,
// and where registers have no room GridRowRadix.cpp): runs of `half` elements
// become runs of twice as many, whose first step compares each element with its
// mirror image in the other run, and whose next steps compare elements 2^k
// apart. So every comparison puts the lesser element first, and pairs that
// reach behind the end of a row, where the greatest elements would be, are left
// out: rows have any number of elements. Positions are the last key, which
// makes the order the stable one. Where few elements of a long row are kept,
// candidates for these are sorted alone (GridRowSelect.cpp).
//
//===----------------------------------------------------------------------===//

#include "GridEmitter.h"
#include "RowMemory.h"
#include "RowSelection.h"

#include "kiln/Dialect/Loop/IR/KernelModule.h"
#include "kiln/Dialect/Loop/IR/RowValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Candidates that there is room for at most where each of them is compared with
/// all others.
static constexpr int64_t kMostRanked = 256;

namespace kiln::loop {

/// The keys of a row, and behind them the positions.
class SortedRow : public RowMemory {
public:
  SortedRow(ImplicitLocOpBuilder &b, ArrayRef<Type> types)
      : RowMemory(b, types), b(b), count(types.size()) {}

  /// Puts the lesser of two elements first.
  void order(Value low, Value high) {
    SmallVector<Value> x, y;
    for (unsigned k = 0; k < count; ++k) {
      x.push_back(load(k, low, 1));
      y.push_back(load(k, high, 1));
    }
    auto branch =
        scf::IfOp::create(b, areKeysLess(b, y, x), /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    for (unsigned k = 0; k < count; ++k) {
      store(k, low, y[k]);
      store(k, high, x[k]);
    }
  }

private:
  ImplicitLocOpBuilder &b;
  unsigned count;
};

} // namespace kiln::loop

/// Bytes that rows of a block with columns of these types take, one behind the other;
/// nothing where they are more than a function may declare.
static std::optional<int64_t> getDeclared(ExprAttr extent, ArrayRef<Type> types,
                                          int64_t rows) {
  auto count = extent.getConstant();
  if (!count || *count > kMostDeclared)
    return std::nullopt;
  int64_t bytes = 0;
  for (Type type : types)
    bytes += llvm::alignTo(*count * type.getIntOrFloatBitWidth() / 8,
                           RowMemory::kAligned);
  bytes *= rows;
  return bytes <= kMostDeclared ? std::optional(bytes) : std::nullopt;
}

/// Shared memory of so many bytes for all rows of a block, which `memory` gets that of
/// this thread's row of.
void GridRowsEmitter::declareRows(ExprAttr extent, ArrayRef<Type> types,
                                  int64_t all, RowMemory &memory) {
  sortedBytes += all;
  LLVM::GlobalOp declared;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(function);
    declared = LLVM::GlobalOp::create(
        b, LLVM::LLVMArrayType::get(b.getI8Type(), all),
        /*isConstant=*/false, LLVM::Linkage::Internal,
        getFreeName(function->getParentOp(),
                    (function.getName() + "_keys").str()),
        Attribute(), RowMemory::kAligned, /*addrSpace=*/3);
  }
  Value base = LLVM::AddressOfOp::create(b, declared);
  Value offset = mul(
      arith::DivUIOp::create(b, thread, constantIndex(schedule.getThreads())),
      all / schedule.getRows());
  for (Type type : types) {
    memory.addColumn(base, offset);
    offset = add(offset, constantIndex(llvm::alignTo(
                             *extent.getConstant() *
                                 type.getIntOrFloatBitWidth() / 8,
                             RowMemory::kAligned)));
  }
}

/// Runs `compare` for the lower element of each pair in blocks of twice `half`, a power
/// of two, up to `count` elements, with the place of that element in its block; and waits
/// for all threads.
void GridRowsEmitter::forEachPair(
    Value count, Value half,
    llvm::function_ref<void(Value low, Value place)> compare) {
  Value one = constantIndex(1);
  Value last = arith::SubIOp::create(b, add(half, half), one);
  // Whole blocks.
  Value end = arith::AndIOp::create(
      b, add(count, last),
      arith::XOrIOp::create(b, last, constantIndex(-1)));
  Value pairs = arith::ShRUIOp::create(b, end, one);
  auto loop = scf::ForOp::create(b, lane, pairs,
                                 constantIndex(schedule.getThreads()));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    Value pair = loop.getInductionVar();
    Value place = arith::AndIOp::create(
        b, pair, arith::SubIOp::create(b, half, one));
    Value start = arith::SubIOp::create(b, pair, place);
    compare(add(add(start, start), place), place);
  }
  NVVM::Barrier0Op::create(b);
}

/// A loop over powers of two: `next` gives the one after `value`, until `goesOn` is false.
static void emitPowers(ImplicitLocOpBuilder &b, Value first,
                       llvm::function_ref<Value(Value)> goesOn,
                       llvm::function_ref<Value(Value)> body) {
  auto in = [&](OpBuilder &builder, auto &&emit) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(builder.getInsertionBlock());
    emit();
  };
  scf::WhileOp::create(
      b, TypeRange{first.getType()}, ValueRange{first},
      [&](OpBuilder &builder, Location, ValueRange state) {
        in(builder, [&] {
          scf::ConditionOp::create(b, goesOn(state[0]), state);
        });
      },
      [&](OpBuilder &builder, Location, ValueRange state) {
        in(builder, [&] { scf::YieldOp::create(b, body(state[0])); });
      });
}

/// Puts the keys of the elements at a position, and where they are, into `memory`.
LogicalResult GridRowsEmitter::fillSorted(Block &block, RowMemory &memory,
                                          const Position &position,
                                          Value inside) {
  BodyEmitter body(*this, position);
  if (failed(body.emit(block)))
    return failure();
  Value at = position.dims.back();
  OperandRange keys = block.getTerminator()->getOperands();
  return emitIf(inside, [&] {
    for (auto [k, key] : llvm::enumerate(keys))
      memory.store(k, at, body.getWide(key));
    for (int64_t k = 0; k < position.lanes; ++k) {
      Value place = add(at, constantIndex(k));
      memory.store(keys.size(), place,
                   arith::IndexCastOp::create(
                       b, memory.getType(keys.size()), place));
    }
    return success();
  });
}

/// The result, whose places are in a column of `memory` from `at` on.
LogicalResult GridRowsEmitter::drainSorted(SortOp op, RowMemory &memory,
                                           unsigned column, Value at,
                                           const Position &start,
                                           unsigned shared) {
  auto drain = [&](const Position &position, Value) {
    finishSorted(op, memory, column, at, position);
    return success();
  };
  if (op.keepsAll())
    return emitOwn(start, shared, drain);
  if (!isOnePerPoint(kernel, op.getResult()))
    return emitKept(start, op.getKeptExtent(), drain);
  Position position = start;
  position.dims.back() = constantIndex(0);
  return drain(position, {});
}

/// The result at a position.
void GridRowsEmitter::finishSorted(SortOp op, RowMemory &memory,
                                   unsigned column, Value at,
                                   const Position &position) {
  Value place =
      memory.load(column, add(at, position.dims.back()), position.lanes);
  Type wide = b.getI64Type();
  if (position.lanes > 1)
    wide = VectorType::get({position.lanes}, wide);
  if (place.getType() != wide)
    place = arith::ExtUIOp::create(b, wide, place);
  finish(op.getResult(), position, place);
}

/// Puts the first `count` elements of rows in order.
void GridRowsEmitter::sortDeclared(SortedRow &sorted, ExprAttr most,
                                   Value count) {
  // What pairs of the last run reach.
  reached.push_back(most * 4);
  Value one = constantIndex(1);
  auto orderInside = [&](Value low, Value high) {
    (void)emitIf(isLess(high, count), [&] {
      sorted.order(low, high);
      return success();
    });
  };
  emitPowers(
      b, one, [&](Value half) { return isLess(half, count); },
      [&](Value half) -> Value {
        Value width = add(half, half);
        forEachPair(count, half, [&](Value low, Value place) {
          // The mirror image: as far from the end as this one from the start.
          Value high = arith::SubIOp::create(
              b, arith::SubIOp::create(b, add(low, width), add(place, place)),
              one);
          orderInside(low, high);
        });
        emitPowers(
            b, arith::ShRUIOp::create(b, half, one),
            [&](Value apart) {
              return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, apart,
                                           constantIndex(0));
            },
            [&](Value apart) -> Value {
              forEachPair(count, apart, [&](Value low, Value) {
                orderInside(low, add(low, apart));
              });
              return arith::ShRUIOp::create(b, apart, one);
            });
        return width;
      });
}

/// The first of long rows: of so many candidates as there is room for.
LogicalResult GridRowsEmitter::emitRowSelect(SortOp op, const Position &start,
                                             unsigned shared, int64_t room) {
  SmallVector<Type> types = {
      op.getBody().front().getTerminator()->getOperand(0).getType(),
      getPlaceType()};
  ExprAttr most = guard::getConstant(context, room);
  SortedRow candidates(b, types);
  declareRows(most, types, *getDeclared(most, types, /*rows=*/1), candidates);
  RowSelection row{op, start, shared, countSlots(op), {}};
  auto number = emitCandidates(row, room, candidates);
  if (failed(number))
    return failure();
  NVVM::Barrier0Op::create(b);
  Value count = arith::IndexCastOp::create(b, b.getIndexType(), *number);
  if (room <= kMostRanked) {
    RowMemory ranked(b, types[1]);
    declareRows(most, types[1], *getDeclared(most, types[1], /*rows=*/1),
                ranked);
    rankCandidates(candidates, count, ranked);
    NVVM::Barrier0Op::create(b);
    return drainSorted(op, ranked, /*column=*/0, constantIndex(0), start,
                       shared);
  }
  sortDeclared(candidates, most, count);
  return drainSorted(op, candidates, /*column=*/1, constantIndex(0), start,
                     shared);
}

LogicalResult GridRowsEmitter::emitRowSort(SortOp op, const Position &point) {
  Position start = enter(point, op.getDomain());
  unsigned shared = point.extents.size();
  sortedRow = {}; // its memory may be this one's
  if (auto room = getCandidates(op))
    return emitRowSelect(op, start, shared, *room);
  if (auto shape = getRanked(op))
    return emitRankedSort(op, *shape, start, shared);
  Block &block = op.getBody().front();
  SmallVector<Type> types(block.getTerminator()->getOperandTypes());
  unsigned keys = types.size();
  types.push_back(b.getI32Type());
  auto declared = getDeclared(op.getRowExtent(), types, schedule.getRows());
  if (!declared || sortedBytes + *declared > kMostDeclared)
    return emitRadixSort(op, start, shared);
  SortedRow sorted(b, types);
  declareRows(op.getRowExtent(), types, *declared, sorted);
  auto fill = [&](const Position &position, Value inside) {
    return fillSorted(block, sorted, position, inside);
  };
  if (failed(emitOwn(start, shared, fill)))
    return failure();
  NVVM::Barrier0Op::create(b);
  sortDeclared(sorted, op.getRowExtent(), getArgument(op.getRowExtent()));
  return drainSorted(op, sorted, keys, constantIndex(0), start, shared);
}
