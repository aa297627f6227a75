//===- AcrossEmitter.cpp - Lanes along the last shared dimension ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleEmitters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// The nests at [low, high) of a row, piece by piece.
LogicalResult AcrossEmitter::emitRow(const Position &position, const Row &row) {
  int64_t lanes = schedule.getLanes(), chunk = schedule.getChunk();
  auto emitFor = [&](Value from, Value to, int64_t width,
                     bool masked = false) -> LogicalResult {
    auto columns = scf::ForOp::create(b, from, to, constantIndex(width));
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPoint(columns.getBody()->getTerminator());
    Position at = position;
    at.dims[row.dim] = columns.getInductionVar();
    at.lanes = width;
    at.vectorDim = width > 1 ? int(row.dim) : -1;
    if (masked)
      at.mask = firstLanes(
          arith::SubIOp::create(b, to, columns.getInductionVar()), width);
    return row.beside ? emitPoints(at, *row.beside, schedule.getPoints())
                      : emitNests(at);
  };
  SmallVector<Value> results, past;
  for (NestOpInterface nest : kernel.getNests())
    if (nest.isPointwise())
      llvm::append_range(results, nest->getResults());
  if (lanes > 1)
    past = getStreamed(results, position, row.dim, lanes);
  return emitPieces(
      row.dim, row.low, row.high, lanes,
      [&](Value from, Value to, bool isWhole) {
        if (lanes == 1)
          return emitFor(from, to, 1);
        if (!past.empty())
          return emitStreamed(
              position, row.dim, from, to, lanes, past,
              [&](const Position &at) { return emitNests(at); });
        if (isWhole && sharedExtents[row.dim].getConstant() &&
            chunk % lanes == 0)
          return emitFor(from, to, lanes);
        Value length = arith::SubIOp::create(b, to, from);
        Value rest = arith::RemUIOp::create(b, length, constantIndex(lanes));
        Value split = arith::SubIOp::create(b, to, rest);
        if (failed(emitFor(from, split, lanes)))
          return failure();
        return masksTails ? emitFor(split, to, lanes, /*masked=*/true)
                          : emitFor(split, to, 1);
      });
}

/// The nests at a row. Which piece of what is concatenated along the dimensions
/// around it, from `dim` on, the row is in is found once, and not by each
/// vector.
LogicalResult AcrossEmitter::emitInPieces(const Position &position,
                                          unsigned dim, const Row &row) {
  if (dim == row.dim || row.beside)
    return emitRow(position, row);
  if (sharedExtents[dim].isConstant(1))
    return emitInPieces(position, dim + 1, row);
  Value index = position.dims[dim];
  Value next = arith::AddIOp::create(b, index, constantIndex(1));
  return emitPieces(
      dim, index, next, /*lanes=*/1,
      [&](Value from, Value to, bool) {
        if (from == index && to == next)
          return emitInPieces(position, dim + 1, row);
        auto loop = scf::ForOp::create(b, from, to, constantIndex(1));
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(loop.getBody()->getTerminator());
        Position at = position;
        at.dims[dim] = loop.getInductionVar();
        return emitInPieces(at, dim + 1, row);
      },
      /*onlyRuns=*/true);
}

/// Lanes across the last shared dimension that is more than one. A work item is
/// a chunk of it at one point, or a few, of the outer dimensions.
LogicalResult AcrossEmitter::emitItems() {
  sharedExtents = analysis::collapseShared(kernel, layout);
  Row row;
  row.dim = analysis::getLaneDim(sharedExtents);
  ExprAttr last = sharedExtents[row.dim];
  SmallVector<ExprAttr> outer(ArrayRef(sharedExtents).take_front(row.dim));
  // Neighbours are walked together in the last dimension that is more than one.
  int64_t points = row.dim > 0 ? schedule.getPoints() : 1;
  if (points > 1) {
    row.beside = analysis::getLaneDim(outer);
    outer[*row.beside] = guard::ceilDiv(outer[*row.beside], points);
    keepPadding(schedule.getLanes());
  }
  int64_t chunk = schedule.getChunk();
  sumBlock = schedule.getSumBlock();
  joinsReduced = true;
  masksTails = schedule.getMasked() && !analysis::mayTrap(kernel);
  setStreamed(schedule.getStream());
  auto isMore = [](ExprAttr extent) { return !extent.isConstant(1); };
  ExprAttr chunks = guard::ceilDiv(last, chunk);
  work = guard::product(context, outer) * chunks;

  auto emitBetween = [&](Value first, Value behind,
                         llvm::function_ref<LogicalResult(Position &)> body) {
    auto loop = scf::ForOp::create(b, first, behind, constantIndex(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    Value item = loop.getInductionVar();
    row.low = constantIndex(0);
    if (!chunks.isConstant(1)) {
      Value number = item;
      if (llvm::any_of(outer, isMore)) {
        Value count = getArgument(chunks);
        number = arith::RemUIOp::create(b, item, count);
        item = arith::DivUIOp::create(b, item, count);
      } else {
        item = constantIndex(0);
      }
      row.low = arith::MulIOp::create(b, number, constantIndex(chunk));
    }
    Position position;
    position.dims = delinearize(item, outer);
    if (row.beside)
      position.dims[*row.beside] = arith::MulIOp::create(
          b, position.dims[*row.beside], constantIndex(points));
    position.dims.resize(sharedExtents.size(), constantIndex(0));
    position.extents = sharedExtents;
    row.high = getArgument(last);
    if (!chunks.isConstant(1)) {
      Value limit = arith::AddIOp::create(b, row.low, constantIndex(chunk));
      row.high = arith::MinSIOp::create(b, limit, row.high);
    }
    return body(position);
  };
  if (!row.beside && chunks.isConstant(1) &&
      llvm::count_if(outer, isMore) == 1) {
    // Items are indices of the one dimension around rows.
    unsigned dim = llvm::find_if(outer, isMore) - outer.begin();
    return emitPieces(
        dim, begin, end, /*lanes=*/1,
        [&](Value from, Value to, bool) {
          return emitBetween(from, to, [&](Position &position) {
            return emitRow(position, row);
          });
        },
        /*onlyRuns=*/true);
  }
  return emitBetween(begin, end, [&](Position &position) {
    return emitInPieces(position, 0, row);
  });
}
