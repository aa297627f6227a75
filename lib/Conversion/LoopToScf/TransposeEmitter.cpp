//===- TransposeEmitter.cpp - Pointwise nests in square tiles -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes run along the last dimension, and some tensor is contiguous along
// another one, the first rows of which are `L` neighbours. Its tile of L x L
// elements is read in vectors along its own rows, transposed in registers and
// put into scratch memory; the bodies then run row by row and read it there.
// A work item is a block of tiles, so that lines of both sides are used whole.
//
//===----------------------------------------------------------------------===//

#include "ScheduleEmitters.h"
#include "kiln/Emission/VectorIdioms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Copies the tile that begins at `tile` into scratch memory, its rows becoming
/// columns.
void TransposeEmitter::stageTile(const analysis::TransposedRead &load,
                                 const Position &tile) {
  unsigned dim = schedule.getDim();
  int64_t width = schedule.getLanes();
  unsigned last = sharedExtents.size() - 1;
  Position along = tile;
  along.vectorDim = dim;
  along.lanes = width;
  auto rows = sharedExtents[dim].getConstant();
  if (!rows || *rows % width != 0)
    along.mask = firstLanes(
        arith::SubIOp::create(b, getArgument(sharedExtents[dim]),
                              tile.dims[dim]),
        width);
  else
    along.mask = {};
  Value lastColumn = arith::SubIOp::create(
      b, getArgument(sharedExtents[last]), constantIndex(1));
  SmallVector<Value> vectors;
  // As it lies in memory: flags are bytes.
  Buffer raw = buffers.lookup(load.tensor);
  if (raw.elementType.isInteger(1))
    raw.elementType = b.getI8Type();
  for (int64_t lane = 0; lane < width; ++lane) {
    // Columns beyond the last repeat it.
    Value column =
        arith::AddIOp::create(b, tile.dims[last], constantIndex(lane));
    along.dims[last] = arith::MinSIOp::create(b, column, lastColumn);
    vectors.push_back(this->load(raw, load.address, along, {}, {}, {}));
  }
  vectors = transposeLanes(b, b.getLoc(), std::move(vectors));
  Buffer target = staged.lookup(load.load);
  target.elementType = raw.elementType;
  for (int64_t row = 0; row < width; ++row) {
    Position at;
    at.dims.push_back(constantIndex(row * width));
    at.lanes = width;
    at.vectorDim = 0;
    store(target, guard::getDim(context, 0), at, vectors[row]);
  }
}

LogicalResult TransposeEmitter::emitItems() {
  sharedExtents = analysis::collapseShared(kernel, layout);
  unsigned dim = schedule.getDim();
  int64_t width = schedule.getLanes(), block = schedule.getBlock();
  auto reads = analysis::getTransposedReads(kernel, layout);
  llvm::erase_if(reads, [&](const analysis::TransposedRead &read) {
    return read.dim != dim;
  });
  if (reads.empty())
    return refuse(schedule) << "no tensor is contiguous along dimension " << dim
                            << " and regular along the last";
  if (analysis::mayTrap(kernel))
    return refuse(schedule) << "its code may trap where a tile ends";
  masksTails = picksLanes = true;
  setStreamed(schedule.getStream());
  unsigned last = sharedExtents.size() - 1;
  ExprAttr rows = sharedExtents[dim], columns = sharedExtents[last];
  for (const analysis::TransposedRead &load : reads) {
    Type element = buffers.lookup(load.tensor).elementType;
    int64_t bytes = (getBodyType(element).getIntOrFloatBitWidth() + 7) / 8;
    staged[load.load] = {
        allocateScratch(guard::getConstant(
            context, width * width * bytes)),
        {guard::getConstant(context, 1)},
        element};
  }

  // Blocks along the rows are the fastest to be counted: neighbours in the
  // tensors that are transposed.
  SmallVector<ExprAttr> counts(sharedExtents);
  counts.erase(counts.begin() + last);
  counts.erase(counts.begin() + dim);
  SmallVector<unsigned> outer;
  for (unsigned other = 0; other < last; ++other)
    if (other != dim)
      outer.push_back(other);
  counts.push_back(guard::ceilDiv(columns, block));
  counts.push_back(guard::ceilDiv(rows, block));
  work = guard::product(context, counts);

  auto loop = scf::ForOp::create(b, begin, end, constantIndex(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  SmallVector<Value> numbers = delinearize(loop.getInductionVar(), counts);
  Position position;
  position.dims.resize(sharedExtents.size());
  position.extents = sharedExtents;
  for (auto [other, value] : llvm::zip(outer, numbers))
    position.dims[other] = value;
  Value lanes = constantIndex(width);
  /// Opens a loop over the tiles of block `number` of a dimension.
  auto enterTiles = [&](unsigned along, Value number) {
    Value low = arith::MulIOp::create(b, number, constantIndex(block));
    Value high = arith::MinSIOp::create(
        b, arith::AddIOp::create(b, low, constantIndex(block)),
        getArgument(sharedExtents[along]));
    auto tiles = scf::ForOp::create(b, low, high, lanes);
    b.setInsertionPoint(tiles.getBody()->getTerminator());
    position.dims[along] = tiles.getInductionVar();
    return high;
  };
  Value rowsEnd = enterTiles(dim, numbers.back());
  enterTiles(last, numbers[numbers.size() - 2]);
  for (const analysis::TransposedRead &load : reads)
    stageTile(load, position);

  Value left =
      arith::SubIOp::create(b, rowsEnd, position.dims[dim]);
  Value count = arith::MinSIOp::create(b, left, lanes);
  auto inTile = scf::ForOp::create(b, constantIndex(0), count,
                                   constantIndex(1));
  b.setInsertionPoint(inTile.getBody()->getTerminator());
  stagedRow = arith::MulIOp::create(b, inTile.getInductionVar(), lanes);
  Value column = position.dims[last];
  position.dims[dim] = arith::AddIOp::create(
      b, position.dims[dim], inTile.getInductionVar());
  auto constant = columns.getConstant();
  if (!constant || *constant % width != 0)
    position.mask = firstLanes(
        arith::SubIOp::create(b, getArgument(columns), column), width);
  SmallVector<Value> results;
  for (NestOpInterface nest : kernel.getNests())
    llvm::append_range(results, nest->getResults());
  SmallVector<Value> past = getStreamed(results, position, last, width);
  Position lane = position;
  lane.vectorDim = last;
  lane.lanes = width;
  lane.multiple = std::gcd(block, width);
  return emitStreamedLine(position, last, past,
                          [&] { return emitNests(lane); });
}

Value TransposeEmitter::loadStaged(LoadOp load, int64_t lanes) {
  auto tile = staged.find(load);
  if (tile == staged.end())
    return {};
  Position at;
  at.dims.push_back(stagedRow);
  at.lanes = lanes;
  at.vectorDim = 0;
  return this->load(tile->second, guard::getDim(context, 0), at, {}, {}, {});
}
