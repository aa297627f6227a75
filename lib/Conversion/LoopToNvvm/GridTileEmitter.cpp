//===- GridTileEmitter.cpp - Tiles that go through shared memory ----------===//
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
using guard::ExprAttr;

/// Static shared memory that a block has on every GPU, in bytes.
static constexpr int64_t kStatic = 48 << 10;

/// Where the tile of a block begins, in the two dimensions.
Position GridTileEmitter::enterTile() {
  int64_t side = schedule.getSide(), dim = schedule.getDim();
  unsigned last = sharedExtents.size() - 1;
  SmallVector<ExprAttr> tiles = sharedExtents;
  tiles[dim] = guard::ceilDiv(tiles[dim], side);
  tiles[last] = guard::ceilDiv(tiles[last], side);
  blocks = guard::product(context, tiles);
  Position position;
  position.dims = delinearize(block, tiles);
  position.extents = sharedExtents;
  for (unsigned k : {unsigned(dim), last})
    position.dims[k] = mul(position.dims[k], side);
  return position;
}

/// The address of the vector of a thread in a tile: neighbours along memory are
/// `stride` elements away from each other.
Value GridTileEmitter::getSlot(LLVM::GlobalOp tile, Type type, Value row,
                               Value column) {
  Value base = LLVM::AddressOfOp::create(b, tile);
  Value place = add(mul(row, getPitch()), column);
  Value offset = arith::IndexCastOp::create(b, b.getI32Type(), place);
  return LLVM::GEPOp::create(b, base.getType(), type, base,
                             ArrayRef<LLVM::GEPArg>{offset});
}

/// Reads the vectors of a thread along `dim`, and puts them into a tile of rows along
/// the last dimension. What lies outside is read again from the last elements inside,
/// so that there is no branch.
LogicalResult GridTileEmitter::stage(const analysis::TransposedRead &read,
                                     const Position &tile) {
  int64_t lanes = schedule.getLanes(), side = schedule.getSide();
  unsigned dim = schedule.getDim(), last = sharedExtents.size() - 1;
  const Buffer &buffer = buffers.find(read.tensor)->second;
  Type slot = buffer.elementType.isInteger(1)
                  ? Type(b.getI8Type())
                  : getBodyType(buffer.elementType);
  Operation *home = function->getParentOp();
  LLVM::GlobalOp memory;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(function);
    memory = LLVM::GlobalOp::create(
        b, LLVM::LLVMArrayType::get(slot, side * getPitch()),
        /*isConstant=*/false, LLVM::Linkage::Internal,
        getFreeName(home, (function.getName() + "_tile").str()), Attribute(),
        /*alignment=*/16, /*addrSpace=*/3);
  }
  tiles[read.load] = memory;
  auto clamp = [&](Value index, unsigned k, int64_t width) -> Value {
    auto extent = sharedExtents[k].getConstant();
    if (extent && *extent % side == 0)
      return index;
    Value most = arith::SubIOp::create(b, getArgument(sharedExtents[k]),
                                       constantIndex(width));
    return arith::MinSIOp::create(b, index, most);
  };
  SmallVector<Value> values;
  for (int64_t k = 0; k < side; k += getRows()) {
    Position at = tile;
    at.vectorDim = dim;
    at.lanes = at.multiple = lanes;
    at.dims[dim] = clamp(add(tile.dims[dim], column), dim, lanes);
    at.dims[last] =
        clamp(add(tile.dims[last], add(row, constantIndex(k))), last, 1);
    values.push_back(toMemory(load(buffer, read.address, at, {}, {}, {}),
                              buffer.elementType));
  }
  for (auto [k, value] : llvm::enumerate(values))
    for (int64_t j = 0; j < lanes; ++j) {
      Value element = value;
      if (isa<VectorType>(value.getType()))
        element = vector::ExtractOp::create(b, value, ArrayRef<int64_t>{j});
      LLVM::StoreOp::create(
          b, element,
          getSlot(memory, slot, add(column, constantIndex(j)),
                  add(row, constantIndex(k * getRows()))));
    }
  return success();
}

/// The elements of the point at hand, or its vector of them.
Value GridTileEmitter::loadStaged(LoadOp load, int64_t lanes) {
  LLVM::GlobalOp memory = tiles.lookup(load);
  if (!memory)
    return {};
  Type element = cast<RankedTensorType>(load.getTensor().getType()).getElementType();
  Type slot = cast<LLVM::LLVMArrayType>(memory.getGlobalType()).getElementType();
  SmallVector<Value> values;
  for (int64_t j = 0; j < lanes; ++j)
    values.push_back(LLVM::LoadOp::create(
        b, slot, getSlot(memory, slot, point, add(column, constantIndex(j)))));
  Value value = values.front();
  if (lanes > 1)
    value = vector::FromElementsOp::create(b, VectorType::get({lanes}, slot),
                                           values);
  return fromMemory(value, element);
}

LogicalResult GridTileEmitter::emitThread() {
  if (failed(schedule.verifyKernel(kernel)))
    return failure();
  int64_t lanes = schedule.getLanes(), side = schedule.getSide();
  unsigned dim = schedule.getDim(), last = sharedExtents.size();
  sharedExtents = analysis::collapseShared(kernel, layout);
  last = sharedExtents.size() - 1;
  for (unsigned k : {dim, last}) {
    auto extent = sharedExtents[k].getConstant();
    if (lanes > 1 && (!extent || *extent % lanes != 0))
      return refuse(schedule) << "because " << lanes << " lanes do not divide '"
                              << sharedExtents[k].str() << "'";
  }
  Value vectors = constantIndex(side / lanes);
  column = mul(arith::RemUIOp::create(b, thread, vectors), lanes);
  row = arith::DivUIOp::create(b, thread, vectors);
  Position tile = enterTile();
  int64_t bytes = 0;
  for (const auto &read : analysis::getTransposedReads(kernel, layout)) {
    Type element = cast<RankedTensorType>(read.tensor.getType()).getElementType();
    int64_t size = side * getPitch() *
                   ((getBodyType(element).getIntOrFloatBitWidth() + 7) / 8);
    if (read.dim != dim || !buffers.count(read.tensor) ||
        !isa<BlockArgument>(read.tensor) || bytes + size > kStatic)
      continue;
    bytes += size;
    if (failed(stage(read, tile)))
      return failure();
  }
  NVVM::Barrier0Op::create(b);
  for (int64_t k = 0; k < side; k += getRows()) {
    Position position = tile;
    point = add(row, constantIndex(k));
    position.dims[dim] = add(tile.dims[dim], point);
    position.dims[last] = add(tile.dims[last], column);
    if (lanes > 1) {
      position.vectorDim = last;
      position.lanes = position.multiple = lanes;
    }
    Value inside;
    for (unsigned d : {dim, last}) {
      auto extent = sharedExtents[d].getConstant();
      if (extent && *extent % side == 0)
        continue;
      Value less = isLess(position.dims[d], getArgument(sharedExtents[d]));
      inside = inside ? arith::AndIOp::create(b, inside, less).getResult() : less;
    }
    if (failed(emitIf(inside, [&] { return emitNests(position); })))
      return failure();
  }
  return success();
}
