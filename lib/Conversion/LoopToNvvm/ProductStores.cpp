//===- ProductStores.cpp - Sums of warpgroups that a copy engine stores -----===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the copy engine knows the result as boxes, it stores what warps have packed: 16 rows
// of 64 columns, in memory of the warp's own, whose rows of 128 bytes have their units of 16
// bytes exchanged within eight rows. What is outside of the result it leaves out.
//
//   finish   64 columns, in registers
//   wait     until the engine has read what was in this box before   (the first thread)
//   write    the box, by `stmatrix`, and show it to the engine       (all threads)
//   ask      for it to be stored, and finish the next columns        (the first thread)
//
// With two boxes in turns one is read while the other is written. Of several results that are
// made of these columns each has a box, one after the other.
//
//===----------------------------------------------------------------------===//

#include "GridProduct.h"
#include "MatrixUnits.h"

#include "kiln/Analysis/StoredRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Steps of a sum up to which its result is stored so. Behind longer ones stores of threads
/// are not what a tile waits for, and fences and waits are: on an H200 products of one step take 25.2 us
/// instead of 31.5, of four 32.2 and 36.9, of 16 with gelu 108.9 and 107.9, of 64 with silu 1,031 and 988.
static constexpr int64_t kMostSteps = 12;
/// Elements of a unit of 16 bytes, its bytes, and units that are exchanged.
static constexpr int64_t kBoxUnit = 8, kBoxUnitBytes = 16,
                         kBoxUnits = kChunkRow / kBoxUnitBytes;
/// Bytes of a box, and the most of them in a warp's memory.
static constexpr int64_t kBoxBytes = kWarpRows * kChunkRow, kMostBuffers = 2;
static_assert(kBoxUnits * kBoxUnit == kPackedColumns &&
                  kBoxBytes % kSwizzledRows == 0,
              "units are exchanged by where they are in shared memory");

/// Boxes that a warp stores of a tile.
int64_t GridWgmmaEmitter::countBoxes() const {
  return schedule.getGroupParts() * (schedule.getColumns() / kPackedColumns) *
         results.size();
}

/// Sees whether the copy engine can store what is made, with `room` bytes of
/// shared memory for boxes: rows of 16 bits that begin at multiples of 16
/// bytes, whose pairs are finished where they are.
void GridWgmmaEmitter::describeStores(int64_t room) {
  // Boxes would have rows of the next group.
  if (hasGroupedRows() || !has16Bits() || schedule.getLanes() < 2 ||
      schedule.getSplit() != 1 || schedule.getColumns() % kPackedColumns != 0 ||
      !readsAcrossAlone(/*orDownAlone=*/true))
    return;
  auto sum = shape.sum.extent.getConstant();
  // What follows the product lies as its result does where no rows are longer.
  bool isPadded = llvm::any_of(results, [](Value each) {
    return analysis::getStoredType(each) != each.getType();
  });
  if (isPadded && !followers.empty())
    return;
  auto boxes = analysis::getResultBoxes(op, shape, kBoxUnit);
  if (!boxes || !sum || *sum > schedule.getSum() * kMostSteps)
    return;
  // What is behind the elements of longer rows is nobody's, and whole units are quicker.
  if (isPadded)
    boxes->sizes[0] = guard::ceilDiv(boxes->sizes[0], kBoxUnit) * kBoxUnit;
  SmallVector<ExprAttr> strides;
  for (ExprAttr stride : ArrayRef(boxes->strides).drop_front())
    strides.push_back(stride * (kBoxUnitBytes / kBoxUnit));
  SmallVector<int64_t> box(boxes->sizes.size(), 1);
  box[0] = kPackedColumns;
  box[1] = kWarpRows;
  for (Value tensor : results) {
    const Buffer &buffer = buffers.find(tensor)->second;
    stores.maps.push_back(addMap(TensorMapAttr::get(
        context, cast<BlockArgument>(buffer.pointer).getArgNumber(),
        buffer.elementType, boxes->offset, getExprArray(context, boxes->sizes),
        getExprArray(context, strides), b.getDenseI64ArrayAttr(box),
        kChunkRow)));
  }
  stores.boxes = std::move(*boxes);
  // One has less than threads would take; where there is no room for another, stages are
  // worth more.
  int64_t each = schedule.getGroups() * kGroupRows * kChunkRow;
  stores.buffers =
      std::clamp<int64_t>(room / each, 1, std::min(kMostBuffers, countBoxes()));
}

/// Where in a box the unit is that this thread says for `stmatrix` in the first 16 columns:
/// that of further columns differs in some of the bits that are exchanged.
Value GridWgmmaEmitter::getBoxUnit(const Finisher &own) {
  Value row = arith::RemUIOp::create(b, own.lane, constantIndex(kWarpRows));
  Value beside = arith::DivUIOp::create(b, own.lane, constantIndex(kWarpRows));
  Value unit = arith::XOrIOp::create(
      b, beside, arith::RemUIOp::create(b, row, constantIndex(kBoxUnits)));
  return add(mul(row, kChunkRow), mul(unit, kBoxUnitBytes));
}

/// Where in the warp's memory a row of the box that is next has a column, by its bytes.
Value GridWgmmaEmitter::getPlaceInBox(const Finisher &own, int64_t row,
                                      Value bytes) {
  // Units are exchanged within eight rows.
  Value exchanged = arith::XOrIOp::create(
      b, bytes, constantIndex(row % kBoxUnits * kBoxUnitBytes));
  int64_t box = own.box % stores.buffers * kBoxBytes;
  return add(exchanged, constantIndex(box + row * kChunkRow));
}

/// The memory of the box that is next.
Value GridWgmmaEmitter::getBox(const Finisher &own) {
  return add(own.memory, constantIndex(own.box % stores.buffers * kBoxBytes));
}

/// Waits until the warp may write to the memory of the box that is next.
void GridWgmmaEmitter::awaitBox(const Finisher &own) {
  int64_t all = countBoxes(), before = own.box - stores.buffers;
  // The last that was in this memory is of the tile before.
  if (before < 0)
    before =
        own.box + (all - 1 - own.box) / stores.buffers * stores.buffers - all;
  // Threads that have asked for nothing do not wait.
  tools->awaitStores(own.box - 1 - before, /*isWritten=*/false);
  NVVM::SyncWarpOp::create(b, tools->word(-1));
}

/// Asks for the box that the warp has written to be stored from column `first`
/// of the tile on, in the tensor that `map` is of.
void GridWgmmaEmitter::storeBox(Value map, const Tile &tile,
                                const Finisher &own, int64_t first) {
  tools->fenceWrites();
  NVVM::SyncWarpOp::create(b, tools->word(-1));
  SmallVector<Value> coordinates = {
      toWord(add(tile.firstColumn, constantIndex(first))),
      toWord(add(tile.firstRow, own.firstRow))};
  llvm::append_range(coordinates, own.matrix);
  Value isFirst = isLess(own.lane, constantIndex(1));
  (void)emitIf(isFirst, [&] {
    tools->store(map, coordinates, toWord(getBox(own)));
    return success();
  });
}
