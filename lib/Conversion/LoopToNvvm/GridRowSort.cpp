//===- GridRowSort.cpp - Sorts of rows that threads share -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keys and positions of a row lie in shared memory, or in the workspace where they do
// not fit, and are sorted by a bitonic network: runs of `half` elements become runs of
// twice as many, whose first step compares each element with its mirror image in the
// other run, and whose next steps compare elements 2^k apart. So every comparison puts
// the lesser element first, and pairs that reach behind the end of a row, where the
// greatest elements would be, are left out: rows have any number of elements. Positions
// are the last key, which makes the order the stable one.
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
using guard::ExprAttr;

/// Bytes of shared memory that a function may declare, less what its reductions need.
static constexpr int64_t kDeclared = 45056;
static constexpr int64_t kAligned = 16;

namespace {

/// The keys of a row, and behind them the positions.
class SortedRow {
public:
  SortedRow(ImplicitLocOpBuilder &b, ArrayRef<Value> columns,
            ArrayRef<Type> types)
      : b(b), columns(columns), types(types) {}

  /// Elements from `at` on: one, or the lanes of a vector.
  Value load(unsigned column, Value at, int64_t lanes) {
    Type type = types[column];
    int64_t bytes = type.getIntOrFloatBitWidth() / 8 * lanes;
    if (lanes > 1)
      type = VectorType::get({lanes}, type);
    return LLVM::LoadOp::create(b, type, address(column, at),
                                std::min(bytes, kAligned));
  }

  void store(unsigned column, Value at, Value value) {
    Type type = value.getType();
    auto vector = dyn_cast<VectorType>(type);
    int64_t bytes = getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8 *
                    (vector ? vector.getNumElements() : 1);
    LLVM::StoreOp::create(b, value, address(column, at),
                          std::min(bytes, kAligned));
  }

  /// Puts the lesser of two elements first.
  void order(Value low, Value high) {
    SmallVector<Value> x, y;
    for (unsigned k = 0; k < types.size(); ++k) {
      x.push_back(load(k, low, 1));
      y.push_back(load(k, high, 1));
    }
    auto branch =
        scf::IfOp::create(b, isLess(y, x), /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    for (unsigned k = 0; k < types.size(); ++k) {
      store(k, low, y[k]);
      store(k, high, x[k]);
    }
  }

private:
  Value address(unsigned column, Value at) {
    Value offset = arith::IndexCastOp::create(b, b.getI64Type(), at);
    Value base = columns[column];
    return LLVM::GEPOp::create(b, base.getType(), types[column], base,
                               ArrayRef<LLVM::GEPArg>{offset});
  }

  Value isLess(ArrayRef<Value> x, ArrayRef<Value> y) {
    Value less;
    for (size_t k = x.size(); k-- > 0;) {
      Value here =
          arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x[k], y[k]);
      if (less) {
        Value same =
            arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x[k], y[k]);
        here = arith::OrIOp::create(b, here,
                                    arith::AndIOp::create(b, same, less));
      }
      less = here;
    }
    return less;
  }

  ImplicitLocOpBuilder &b;
  ArrayRef<Value> columns;
  ArrayRef<Type> types;
};

} // namespace

/// Memory for a row of each type, and of positions behind them, whose type is added: of
/// the block where that is enough for all its rows. All of it is the same whatever the
/// width of indices, because one launch is for both.
SmallVector<Value>
GridRowsEmitter::getSortMemory(ExprAttr extent, SmallVector<Type> &types) {
  auto count = extent.getConstant();
  SmallVector<int64_t> places;
  int64_t bytes = 0;
  types.push_back(b.getI32Type());
  for (Type type : types) {
    places.push_back(bytes);
    int64_t size = type.getIntOrFloatBitWidth() / 8;
    bytes += count && *count <= kDeclared
                 ? int64_t(llvm::alignTo(*count * size, kAligned))
                 : kDeclared + 1;
  }
  SmallVector<Value> columns;
  int64_t all = bytes * schedule.getRows();
  if (sortedBytes + all > kDeclared) {
    types.back() = b.getI64Type();
    for (Type type : types)
      columns.push_back(
          allocateScratch(extent * int64_t(type.getIntOrFloatBitWidth() / 8)));
    return columns;
  }
  sortedBytes += all;
  LLVM::GlobalOp memory;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(function);
    memory = LLVM::GlobalOp::create(
        b, LLVM::LLVMArrayType::get(b.getI8Type(), all),
        /*isConstant=*/false, LLVM::Linkage::Internal,
        getFreeName(function->getParentOp(),
                    (function.getName() + "_keys").str()),
        Attribute(), kAligned, /*addrSpace=*/3);
  }
  Value base = LLVM::AddressOfOp::create(b, memory);
  Value number = arith::DivUIOp::create(b, thread,
                                        constantIndex(schedule.getThreads()));
  for (int64_t place : places) {
    Value offset = arith::IndexCastOp::create(
        b, b.getI64Type(), add(mul(number, bytes), constantIndex(place)));
    columns.push_back(LLVM::GEPOp::create(b, base.getType(), b.getI8Type(),
                                          base,
                                          ArrayRef<LLVM::GEPArg>{offset}));
  }
  return columns;
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

LogicalResult GridRowsEmitter::emitRowSort(SortOp op, const Position &point) {
  Position start = enter(point, op.getDomain());
  unsigned shared = point.extents.size();
  Block &block = op.getBody().front();
  SmallVector<Type> types(block.getTerminator()->getOperandTypes());
  unsigned keys = types.size();
  // What pairs of the last run reach.
  reached.push_back(op.getRowExtent() * 4);
  SmallVector<Value> columns = getSortMemory(op.getRowExtent(), types);
  SortedRow sorted(b, columns, types);
  auto fill = [&](const Position &position, Value inside) {
    BodyEmitter body(*this, position);
    if (failed(body.emit(block)))
      return failure();
    Value at = position.dims.back();
    return emitIf(inside, [&] {
      for (unsigned k = 0; k < keys; ++k)
        sorted.store(k, at,
                     body.getWide(block.getTerminator()->getOperand(k)));
      for (int64_t k = 0; k < position.lanes; ++k) {
        Value place = add(at, constantIndex(k));
        sorted.store(keys, place,
                     arith::IndexCastOp::create(b, types[keys], place));
      }
      return success();
    });
  };
  if (failed(emitOwn(start, shared, fill)))
    return failure();
  NVVM::Barrier0Op::create(b);

  Value count = getArgument(op.getRowExtent()), one = constantIndex(1);
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

  return emitOwn(start, shared, [&](const Position &position, Value) {
    Value place = sorted.load(keys, position.dims.back(), position.lanes);
    Type wide = b.getI64Type();
    if (position.lanes > 1)
      wide = VectorType::get({position.lanes}, wide);
    if (types[keys].isInteger(32))
      place = arith::ExtSIOp::create(b, wide, place);
    finish(op.getResult(), position, place);
    return success();
  });
}
