//===- ProductShifted.cpp - Sums of warpgroups into rows that begin anywhere ===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row of a result of 16 bits begins up to seven elements behind a multiple of 16 bytes.
// What a warp has of it in shared memory is stored from such a multiple on, as far as there
// are eight elements, and what is left is kept before the columns that follow:
//
//   kept | columns             columns       kept
//   ..ab   cdefghijklmnopqr      abcdefgh ijklmnop   qr
//
// Elements by themselves are only those before the first multiple and behind the last one.
//
//===----------------------------------------------------------------------===//

#include "GridProduct.h"
#include "MatrixUnits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

/// Elements of a vector, bytes of one of them and of all, and words of a vector.
static constexpr int64_t kVector = 8, kBytes = 2, kVectorBytes = kVector * kBytes,
                         kWords = kVectorBytes / 4;

/// Pairs are finished where they are: nothing is read for them, which might be outside.
bool GridWgmmaEmitter::canShift() {
  return shape.columns.dims.size() == 1 && shape.columns.steps[2] &&
         shape.columns.steps[2].isConstant(1) && followers.empty() &&
         getFinishLoads().empty();
}

/// Eight elements from element `at` of a warp's row on, as words: of those that they lie in
/// each is half of one and half of the next where they begin in the middle of a word.
SmallVector<Value> GridWgmmaEmitter::loadShifted(Value from, Value isOdd) {
  Value start = arith::AndIOp::create(b, toWord(from), tools->word(-4));
  SmallVector<Value> loaded;
  for (int64_t k = 0; k <= kWords; ++k)
    loaded.push_back(LLVM::LoadOp::create(
        b, b.getI32Type(),
        tools->getShared(tools->add(start, tools->word(4 * k))), 4));
  Value by = arith::SelectOp::create(b, isOdd, tools->word(16), tools->word(0));
  SmallVector<Value> words;
  for (int64_t k = 0; k < kWords; ++k)
    words.push_back(LLVM::FshrOp::create(b, b.getI32Type(), loaded[k + 1],
                                         loaded[k], by));
  return words;
}

/// Those of eight elements that count, one by one.
void GridWgmmaEmitter::storeSome(ArrayRef<Value> words, Value to,
                                 llvm::function_ref<Value(int64_t)> counts) {
  for (int64_t k = 0; k < kVector; ++k)
    (void)emitIf(counts(k), [&] {
      Value word = words[k / 2];
      if (k % 2)
        word = arith::ShRUIOp::create(b, word, tools->word(16));
      Value element = arith::TruncIOp::create(b, b.getI16Type(), word);
      Value place = LLVM::GEPOp::create(b, to.getType(), b.getI16Type(), to,
                                        ArrayRef<LLVM::GEPArg>{int32_t(k)});
      LLVM::StoreOp::create(b, element, place, kBytes);
      return success();
    });
}

/// Stores `columns` columns of the warp's rows, from column `first` of the tile on, and what
/// was kept of those before; of the last ones all that there are.
void GridWgmmaEmitter::storeShifted(const Tile &tile, const Finisher &own,
                                    int64_t first, int64_t columns) {
  const Buffer &buffer = buffers.find(op.getResult())->second;
  guard::ExprAttr address = linearAddress(
      buffer, getIdentityMap(context, getExprs(op.getParallelExtents()).size()));
  bool isLast = first + columns == schedule.getColumns();
  Value begin = add(tile.firstColumn, constantIndex(first));
  Value end = getArgument(shape.columns.extent);
  Value zero = constantIndex(0);
  // Of vector `number` of the warp's row: behind a multiple of 16 bytes.
  auto store = [&](Value row, Value number, bool isRest) {
    Value tileRow = add(tile.firstRow, add(own.firstRow, row));
    Value rowInside =
        isLess(tileRow, rowEnd ? rowEnd : getArgument(shape.rows.extent));
    Value pointer = elementPointer(
        buffer, address, enterVector(tile.matrix, tileRow, begin, /*lanes=*/1));
    Value bits = LLVM::PtrToIntOp::create(b, b.getI64Type(), pointer);
    Value behind = arith::AndIOp::create(
        b,
        arith::ShRUIOp::create(
            b, arith::TruncIOp::create(b, b.getI32Type(), bits), tools->word(1)),
        tools->word(kVector - 1));
    Value isOdd = arith::TruncIOp::create(b, b.getI1Type(), behind);
    Value shift = arith::IndexCastUIOp::create(b, b.getIndexType(), behind);
    // Relative to the columns at hand; up to seven less than nothing.
    Value column = arith::SubIOp::create(b, mul(number, kVector), shift);
    Value from = add(own.memory,
                     mul(add(mul(row, kPackedPitch), add(column, constantIndex(kVector))),
                         kBytes));
    SmallVector<Value> words = loadShifted(from, isOdd);
    Value to = LLVM::GEPOp::create(
        b, pointer.getType(), b.getI16Type(), pointer,
        ArrayRef<LLVM::GEPArg>{
            arith::IndexCastOp::create(b, b.getI64Type(), column).getResult()});
    Value at = add(begin, column);
    auto counts = [&](int64_t k) {
      Value element = add(column, constantIndex(k));
      Value inside = arith::AndIOp::create(
          b, rowInside, isLess(add(at, constantIndex(k)), end));
      if (first == 0)
        inside = arith::AndIOp::create(
            b, inside,
            arith::CmpIOp::create(b, arith::CmpIPredicate::sge, element, zero));
      if (isRest)
        inside = arith::AndIOp::create(
            b, inside, isLess(element, constantIndex(columns)));
      return inside;
    };
    if (isRest)
      return storeSome(words, to, counts);
    Value isWhole = arith::AndIOp::create(b, counts(0), counts(kVector - 1));
    auto branch = scf::IfOp::create(b, isWhole, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    Value vector = vector::FromElementsOp::create(
        b, VectorType::get({kWords}, b.getI32Type()), words);
    LLVM::StoreOp::create(b, vector, to, kVectorBytes);
    b.setInsertionPoint(branch.elseBlock()->getTerminator());
    storeSome(words, to, counts);
  };
  Value perRow = constantIndex(columns / kVector);
  auto loop = scf::ForOp::create(b, own.lane,
                                 constantIndex(kWarpRows * columns / kVector),
                                 constantIndex(kWarp));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    Value number = loop.getInductionVar();
    store(arith::DivUIOp::create(b, number, perRow),
          arith::RemUIOp::create(b, number, perRow), /*isRest=*/false);
  }
  Value isOfRow = isLess(own.lane, constantIndex(kWarpRows));
  if (isLast) {
    (void)emitIf(isOfRow, [&] {
      store(own.lane, perRow, /*isRest=*/true);
      return success();
    });
    return;
  }
  // The last vector of columns is what may be left.
  NVVM::SyncWarpOp::create(b, tools->word(-1));
  (void)emitIf(isOfRow, [&] {
    auto vector = VectorType::get({kWords}, b.getI32Type());
    Value line = add(own.memory, mul(own.lane, kPackedPitch * kBytes));
    Value kept = LLVM::LoadOp::create(
        b, vector,
        tools->getShared(toWord(add(line, constantIndex(columns * kBytes)))),
        kVectorBytes);
    LLVM::StoreOp::create(b, kept, tools->getShared(toWord(line)), kVectorBytes);
    return success();
  });
}
