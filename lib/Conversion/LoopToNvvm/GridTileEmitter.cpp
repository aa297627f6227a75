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

static Type getSlotType(OpBuilder &b, Type element) {
  return element.isInteger(1) ? Type(b.getI8Type()) : getBodyType(element);
}

static int64_t getBytes(Type slot) {
  return (slot.getIntOrFloatBitWidth() + 7) / 8;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Where the tile of a block begins, in the two dimensions.
Position GridTileEmitter::enterTile() {
  int64_t side = schedule.getSide(), dim = schedule.getDim();
  unsigned last = tileExtents.size() - 1;
  SmallVector<ExprAttr> tiles = tileExtents;
  tiles[dim] = guard::ceilDiv(tiles[dim], side);
  tiles[last] = guard::ceilDiv(tiles[last], side);
  blocks = guard::product(context, tiles);
  Position position;
  position.dims = delinearize(block, tiles);
  position.extents = tileExtents;
  for (unsigned k : {unsigned(dim), last})
    position.dims[k] = mul(position.dims[k], side);
  return position;
}

/// An index of a dimension of tiles from where `width` elements are inside: what lies
/// outside is read again from the last of them, so that there is no branch.
Value GridTileEmitter::clamp(Value index, unsigned dim, int64_t width) {
  auto extent = tileExtents[dim].getConstant();
  if (extent && *extent % schedule.getSide() == 0)
    return index;
  Value most = arith::SubIOp::create(b, getArgument(tileExtents[dim]),
                                     constantIndex(width));
  return arith::MinSIOp::create(b, index, most);
}

int64_t GridTileEmitter::getWidth(Type slot) const {
  int64_t word = std::max<int64_t>(4 / getBytes(slot), 1);
  return std::min({word, schedule.getPoints(), schedule.getLanes()});
}

LLVM::GlobalOp GridTileEmitter::createTile(Type slot) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(function);
  return LLVM::GlobalOp::create(
      b, LLVM::LLVMArrayType::get(slot, schedule.getSide() * getPitch(slot)),
      /*isConstant=*/false, LLVM::Linkage::Internal,
      getFreeName(function->getParentOp(),
                  (function.getName() + "_tile").str()),
      Attribute(), /*alignment=*/16, /*addrSpace=*/3);
}

static Type getSlotType(LLVM::GlobalOp tile) {
  return cast<LLVM::LLVMArrayType>(tile.getGlobalType()).getElementType();
}

/// The address of an element of a tile.
Value GridTileEmitter::getSlot(LLVM::GlobalOp tile, Type type, Value row,
                               Value column) {
  Value base = LLVM::AddressOfOp::create(b, tile);
  Value place = add(mul(row, getPitch(type)), column);
  Value offset = arith::IndexCastOp::create(b, b.getI32Type(), place);
  return LLVM::GEPOp::create(b, base.getType(), type, base,
                             ArrayRef<LLVM::GEPArg>{offset});
}

/// Puts vectors along `dim` of neighbouring points, the first of which is number `place`
/// of its row, into a tile of rows along the last dimension.
void GridTileEmitter::put(LLVM::GlobalOp tile, ArrayRef<Value> points,
                          Value place) {
  Type slot = getSlotType(tile);
  size_t width = std::min<size_t>(getWidth(slot), points.size());
  auto getLane = [&](Value value, int64_t lane) -> Value {
    return isa<VectorType>(value.getType())
               ? vector::ExtractOp::create(b, value, ArrayRef<int64_t>{lane})
                     .getResult()
               : value;
  };
  for (size_t k = 0; k < points.size(); k += width)
    for (int64_t lane = 0; lane < schedule.getLanes(); ++lane) {
      SmallVector<Value> elements;
      for (Value value : points.slice(k, width))
        elements.push_back(getLane(value, lane));
      Value value = elements.front();
      if (width > 1)
        value = vector::FromElementsOp::create(
            b, VectorType::get({int64_t(width)}, slot), elements);
      LLVM::StoreOp::create(b, value,
                            getSlot(tile, slot,
                                    add(column, constantIndex(lane)),
                                    add(place, constantIndex(k))),
                            width * getBytes(slot));
    }
}

/// The elements of the point at hand, or its vector of them.
Value GridTileEmitter::take(LLVM::GlobalOp tile, int64_t lanes) {
  Type slot = getSlotType(tile);
  int64_t width = std::min(getWidth(slot), lanes);
  Type type = width == 1 ? slot : Type(VectorType::get({width}, slot));
  SmallVector<Value> values;
  for (int64_t j = 0; j < lanes; j += width) {
    Value read = LLVM::LoadOp::create(
        b, type, getSlot(tile, slot, point, add(column, constantIndex(j))),
        width * getBytes(slot));
    for (int64_t k = 0; width > 1 && k < width; ++k)
      values.push_back(
          vector::ExtractOp::create(b, read, ArrayRef<int64_t>{k}));
    if (width == 1)
      values.push_back(read);
  }
  return lanes == 1 ? values.front()
                    : vector::FromElementsOp::create(
                          b, VectorType::get({lanes}, slot), values)
                          .getResult();
}

//===----------------------------------------------------------------------===//
// Inputs that are read along another dimension
//===----------------------------------------------------------------------===//

/// Reads the vectors of a thread along `dim`, and puts them into a tile.
void GridTileEmitter::stage(const analysis::TransposedRead &read,
                            LLVM::GlobalOp memory, const Position &tile) {
  int64_t lanes = schedule.getLanes(), side = schedule.getSide();
  unsigned dim = schedule.getDim(), last = tileExtents.size() - 1;
  const Buffer &buffer = buffers.find(read.tensor)->second;
  tiles[read.load] = memory;
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
    put(memory, value, add(row, constantIndex(k * getRows())));
}

void GridTileEmitter::stageReads(const Position &tile) {
  int64_t bytes = 0;
  for (const auto &read : analysis::getTransposedReads(kernel, layout)) {
    Type slot = getSlotType(
        b, cast<RankedTensorType>(read.tensor.getType()).getElementType());
    int64_t size = schedule.getSide() * getPitch(slot) * getBytes(slot);
    if (read.dim != schedule.getDim() || !buffers.count(read.tensor) ||
        !isa<BlockArgument>(read.tensor) || bytes + size > kStatic)
      continue;
    bytes += size;
    stage(read, createTile(slot), tile);
  }
}

Value GridTileEmitter::loadStaged(LoadOp load, int64_t lanes) {
  LLVM::GlobalOp memory = tiles.lookup(load);
  if (!memory)
    return {};
  return fromMemory(
      take(memory, lanes),
      cast<RankedTensorType>(load.getTensor().getType()).getElementType());
}

//===----------------------------------------------------------------------===//
// Results that are computed along another dimension
//===----------------------------------------------------------------------===//

void GridTileEmitter::finish(Value result, const Position &position,
                             Value value) {
  GridEmitter::finish(result, position, value);
  if (auto it = staged.find(result); it != staged.end())
    it->second.made.push_back(toMemory(value, it->second.target.elementType));
}

/// Computes the points of a thread from number `place` of the tile's rows on, and puts them
/// there. They are neighbours in the last dimension, of one row of it, since they are as many
/// as divide it.
LogicalResult GridTileEmitter::computeAt(const Position &tile, Value place) {
  int64_t points = schedule.getPoints();
  unsigned dim = schedule.getDim(), last = tileExtents.size() - 1;
  Position at = tile;
  at.extents = sharedExtents;
  at.dims[dim] = clamp(add(tile.dims[dim], column), dim, schedule.getLanes());
  if (schedule.getLanes() > 1) {
    at.vectorDim = dim;
    at.lanes = at.multiple = schedule.getLanes();
  }
  // Counted in such neighbours, so that the last index is known to be a multiple of them.
  Value first = clamp(add(tile.dims[last], place), last, points);
  SmallVector<ExprAttr> inner(sharedExtents.begin() + dim + 1,
                              sharedExtents.end());
  if (points > 1) {
    first = arith::DivUIOp::create(b, first, constantIndex(points));
    inner.back() = guard::ceilDiv(inner.back(), points);
  }
  for (auto [k, index] : llvm::enumerate(delinearize(first, inner)))
    at.dims[dim + 1 + k] = index;
  at.dims[last] = mul(at.dims[last], points);
  if (failed(points == 1 ? emitNests(at) : emitPoints(at, last, points)))
    return failure();
  for (auto &[result, made] : staged) {
    put(made.tile, made.made, place);
    made.made.clear();
  }
  return success();
}

LogicalResult GridTileEmitter::stageResults(const Position &tile) {
  int64_t points = schedule.getPoints();
  for (Value result : kernel.getBody().front().getTerminator()->getOperands()) {
    auto buffer = buffers.find(result);
    Type slot = getSlotType(b, buffer->second.elementType);
    staged[result] = {buffer->second, createTile(slot), {}};
    buffers.erase(buffer);
  }
  // A branch around each load of a window would have them wait for one another.
  usesPadding = true;
  for (int64_t k = 0; k < schedule.getSide(); k += getRows() * points)
    if (failed(computeAt(tile, add(mul(row, points), constantIndex(k)))))
      return failure();
  return success();
}

void GridTileEmitter::storeStaged(const Position &position) {
  for (auto &[result, made] : staged)
    store(made.target,
          linearAddress(made.target,
                        result.getDefiningOp<NestOpInterface>().getResultMap()),
          position, take(made.tile, position.lanes));
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// Extents whose dimensions behind `dim` are the last of them alone; null where some result
/// does not have those as one.
static std::optional<SmallVector<ExprAttr>>
joinBehind(KernelOp kernel, const analysis::KernelLayout &layout,
           unsigned dim) {
  SmallVector<ExprAttr> extents = getExprs(kernel.getShared()),
                        joined = extents;
  unsigned last = extents.size() - 1;
  for (unsigned k = last; k-- > dim + 1;) {
    joined[last] = joined[last] * joined[k];
    joined[k] = guard::getConstant(kernel.getContext(), 1);
  }
  bool areDense =
      llvm::all_of(kernel.getBody().front().getTerminator()->getOperands(),
                   [&](Value result) {
                     ArrayRef<ExprAttr> strides = layout.find(result)->second;
                     for (unsigned k = dim + 1; k < last; ++k)
                       if (strides[k] != strides[k + 1] * extents[k + 1])
                         return false;
                     return true;
                   });
  return areDense ? std::optional(joined) : std::nullopt;
}

LogicalResult GridTileEmitter::emitThread() {
  if (failed(schedule.verifyKernel(kernel)))
    return failure();
  int64_t lanes = schedule.getLanes(), side = schedule.getSide();
  unsigned dim = schedule.getDim(), last = kernel.getShared().size() - 1;
  bool computes = loop::stagesResults(kernel);
  if (computes) {
    auto joined = joinBehind(kernel, layout, dim);
    if (!joined)
      return refuse(schedule)
             << "because results do not have all behind dimension " << dim
             << " as one";
    tileExtents = *joined;
  } else {
    tileExtents = sharedExtents = analysis::collapseShared(kernel, layout);
  }
  for (unsigned k : {dim, last}) {
    auto extent = tileExtents[k].getConstant();
    if (lanes > 1 && (!extent || *extent % lanes != 0))
      return refuse(schedule) << "because " << lanes << " lanes do not divide '"
                              << tileExtents[k].str() << "'";
  }
  Value vectors = constantIndex(side / lanes);
  column = mul(arith::RemUIOp::create(b, thread, vectors), lanes);
  row = arith::DivUIOp::create(b, thread, vectors);
  Position tile = enterTile();
  if (!computes)
    stageReads(tile);
  else if (failed(stageResults(tile)))
    return failure();
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
      auto extent = tileExtents[d].getConstant();
      if (extent && *extent % side == 0)
        continue;
      Value less = isLess(position.dims[d], getArgument(tileExtents[d]));
      inside =
          inside ? arith::AndIOp::create(b, inside, less).getResult() : less;
    }
    if (failed(emitIf(inside, [&] {
          if (!computes)
            return emitNests(position);
          storeStaged(position);
          return success();
        })))
      return failure();
  }
  return success();
}
