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

#include "KernelEmitter.h"
#include "VectorIdioms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Elements of a side of the block of a work item.
static constexpr int64_t kBlock = 64;

KernelEmitter::TransposedReads KernelEmitter::findTransposed() {
  TransposedReads reads;
  auto schedule = kernel.getSchedule();
  if (!schedule || schedule->getKind() != ScheduleKind::Transpose ||
      !masksTails || sharedExtents.size() < 2)
    return {};
  reads.lanes = schedule->getVector();
  unsigned last = sharedExtents.size() - 1;
  auto isShort = [&](ExprAttr extent) {
    auto constant = extent.getConstant();
    return constant && *constant < reads.lanes / 2;
  };
  if (reads.lanes < 4 || reads.lanes > kBlock || isShort(sharedExtents[last]))
    return {};
  for (Operation &op : kernel.getBody().front()) {
    if (!isNest(&op))
      continue;
    if (!isa<PointwiseOp>(op) || getDomain(&op).rank() != sharedExtents.size())
      return {};
  }
  for (const analysis::TransposedRead &read :
       analysis::getTransposedReads(kernel, layout)) {
    if (isShort(sharedExtents[read.dim]))
      continue;
    if (reads.loads.empty())
      reads.dim = read.dim;
    if (reads.dim == read.dim)
      reads.loads.push_back(read);
  }
  return reads;
}

/// Copies the tile that begins at `tile` into scratch memory, its rows becoming
/// columns.
void KernelEmitter::stageTile(const TransposedReads &reads,
                              const analysis::TransposedRead &load,
                              const Position &tile) {
  unsigned last = sharedExtents.size() - 1;
  Position along = tile;
  along.vectorDim = reads.dim;
  along.lanes = reads.lanes;
  auto rows = sharedExtents[reads.dim].getConstant();
  if (!rows || *rows % reads.lanes != 0)
    along.mask = firstLanes(
        arith::SubIOp::create(b, getArgument(sharedExtents[reads.dim]),
                              tile.dims[reads.dim]),
        reads.lanes);
  else
    along.mask = {};
  Value lastColumn = arith::SubIOp::create(
      b, getArgument(sharedExtents[last]), constantIndex(1));
  SmallVector<Value> vectors;
  // As it lies in memory: flags are bytes.
  Buffer raw = buffers.lookup(load.tensor);
  if (raw.elementType.isInteger(1))
    raw.elementType = b.getI8Type();
  for (int64_t lane = 0; lane < reads.lanes; ++lane) {
    // Columns beyond the last repeat it.
    Value column =
        arith::AddIOp::create(b, tile.dims[last], constantIndex(lane));
    along.dims[last] = arith::MinSIOp::create(b, column, lastColumn);
    vectors.push_back(this->load(raw, load.address, along, {}, {}, {}));
  }
  vectors = transposeLanes(b, b.getLoc(), std::move(vectors));
  Buffer target = staged.lookup(load.load);
  target.elementType = raw.elementType;
  for (int64_t row = 0; row < reads.lanes; ++row) {
    Position at;
    at.dims.push_back(constantIndex(row * reads.lanes));
    at.lanes = reads.lanes;
    at.vectorDim = 0;
    store(target, guard::getDim(context, 0), at, vectors[row]);
  }
}

LogicalResult KernelEmitter::emitTransposed(const TransposedReads &reads) {
  unsigned last = sharedExtents.size() - 1;
  ExprAttr rows = sharedExtents[reads.dim], columns = sharedExtents[last];
  for (const analysis::TransposedRead &load : reads.loads) {
    Type element = buffers.lookup(load.tensor).elementType;
    int64_t bytes = (getBodyType(element).getIntOrFloatBitWidth() + 7) / 8;
    staged[load.load] = {
        allocateScratch(guard::getConstant(
            context, reads.lanes * reads.lanes * bytes)),
        {guard::getConstant(context, 1)},
        element};
  }

  // Blocks along the rows are the fastest to be counted: neighbours in the
  // tensors that are transposed.
  SmallVector<ExprAttr> counts(sharedExtents);
  counts.erase(counts.begin() + last);
  counts.erase(counts.begin() + reads.dim);
  SmallVector<unsigned> outer;
  for (unsigned dim = 0; dim < last; ++dim)
    if (dim != reads.dim)
      outer.push_back(dim);
  counts.push_back(guard::ceilDiv(columns, kBlock));
  counts.push_back(guard::ceilDiv(rows, kBlock));
  work = guard::product(context, counts);
  grain = 4;

  auto loop = scf::ForOp::create(b, begin, end, constantIndex(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  SmallVector<Value> numbers = delinearize(loop.getInductionVar(), counts);
  Position position;
  position.dims.resize(sharedExtents.size());
  position.extents = sharedExtents;
  for (auto [dim, value] : llvm::zip(outer, numbers))
    position.dims[dim] = value;
  Value lanes = constantIndex(reads.lanes);
  /// Opens a loop over the tiles of block `number` along `dim`.
  auto enterTiles = [&](unsigned dim, Value number) {
    Value low = arith::MulIOp::create(b, number, constantIndex(kBlock));
    Value high = arith::MinSIOp::create(
        b, arith::AddIOp::create(b, low, constantIndex(kBlock)),
        getArgument(sharedExtents[dim]));
    auto tiles = scf::ForOp::create(b, low, high, lanes);
    b.setInsertionPoint(tiles.getBody()->getTerminator());
    position.dims[dim] = tiles.getInductionVar();
    return high;
  };
  Value rowsEnd = enterTiles(reads.dim, numbers.back());
  enterTiles(last, numbers[numbers.size() - 2]);
  for (const analysis::TransposedRead &load : reads.loads)
    stageTile(reads, load, position);

  Value left =
      arith::SubIOp::create(b, rowsEnd, position.dims[reads.dim]);
  Value count = arith::MinSIOp::create(b, left, lanes);
  auto inTile = scf::ForOp::create(b, constantIndex(0), count,
                                   constantIndex(1));
  b.setInsertionPoint(inTile.getBody()->getTerminator());
  stagedRow = arith::MulIOp::create(b, inTile.getInductionVar(), lanes);
  Value column = position.dims[last];
  position.dims[reads.dim] = arith::AddIOp::create(
      b, position.dims[reads.dim], inTile.getInductionVar());
  position.vectorDim = last;
  position.lanes = reads.lanes;
  auto constant = columns.getConstant();
  if (!constant || *constant % reads.lanes != 0)
    position.mask = firstLanes(
        arith::SubIOp::create(b, getArgument(columns), column), reads.lanes);
  return emitNestsAt(position, /*across=*/true);
}

Value KernelEmitter::loadStaged(const Buffer &tile, int64_t lanes) {
  Position at;
  at.dims.push_back(stagedRow);
  at.lanes = lanes;
  at.vectorDim = 0;
  return load(tile, guard::getDim(context, 0), at, {}, {}, {});
}
