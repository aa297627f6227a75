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

/// All nests at the points of an item: together if there are as many as an item has,
/// and else, at the end of a row, one after the other.
LogicalResult AcrossEmitter::emitPoints(const Position &first, unsigned dim) {
  int64_t points = schedule.getPoints();
  auto emitAll = [&]() {
    SmallVector<Position> all(points, first);
    for (int64_t k = 1; k < points; ++k)
      all[k].dims[dim] =
          arith::AddIOp::create(b, first.dims[dim], constantIndex(k));
    return emitNestsTogether(all);
  };
  auto extent = first.extents[dim].getConstant();
  if (extent && *extent % points == 0)
    return emitAll();
  Value end = getArgument(first.extents[dim]);
  Value last =
      arith::AddIOp::create(b, first.dims[dim], constantIndex(points));
  Value isWhole =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sle, last, end);
  auto branch = scf::IfOp::create(b, isWhole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  if (failed(emitAll()))
    return failure();
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  auto loop = scf::ForOp::create(b, first.dims[dim], end, constantIndex(1));
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Position at = first;
  at.dims[dim] = loop.getInductionVar();
  return emitNests(at);
}

/// Lanes across the last shared dimension that is more than one. A work item is a
/// chunk of it at one point, or a few, of the outer dimensions.
LogicalResult AcrossEmitter::emitItems() {
  sharedExtents = analysis::collapseShared(kernel, layout);
  unsigned laneDim = analysis::getLaneDim(sharedExtents);
  ExprAttr last = sharedExtents[laneDim];
  SmallVector<ExprAttr> outer(
      ArrayRef(sharedExtents).take_front(laneDim));
  // Neighbours are walked together in the last dimension that is more than one.
  int64_t points = laneDim > 0 ? schedule.getPoints() : 1;
  unsigned besideDim = laneDim > 0 ? analysis::getLaneDim(outer) : 0;
  if (points > 1) {
    outer[besideDim] = guard::ceilDiv(outer[besideDim], points);
    keepPadding(schedule.getLanes());
  }
  int64_t lanes = schedule.getLanes(), chunk = schedule.getChunk();
  sumBlock = schedule.getSumBlock();
  joinsReduced = true;
  masksTails = schedule.getMasked() && !analysis::mayTrap(kernel);
  setStreamed(schedule.getStream());
  bool hasOuter = !llvm::all_of(
      outer, [](ExprAttr extent) { return extent.isConstant(1); });
  ExprAttr chunks = guard::ceilDiv(last, chunk);
  ExprAttr items = guard::product(context, outer);
  work = items * chunks;

  auto loop = scf::ForOp::create(b, begin, end, constantIndex(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Value item = loop.getInductionVar();
  Value low = constantIndex(0);
  if (!chunks.isConstant(1)) {
    Value number = item;
    if (hasOuter) {
      Value count = getArgument(chunks);
      number = arith::RemUIOp::create(b, item, count);
      item = arith::DivUIOp::create(b, item, count);
    } else {
      item = constantIndex(0);
    }
    low = arith::MulIOp::create(b, number, constantIndex(chunk));
  }
  Position position;
  position.dims = delinearize(item, outer);
  if (points > 1)
    position.dims[besideDim] = arith::MulIOp::create(
        b, position.dims[besideDim], constantIndex(points));
  position.dims.resize(sharedExtents.size(), constantIndex(0));
  position.extents = sharedExtents;

  Value extent = getArgument(last);
  Value high = extent;
  if (!chunks.isConstant(1)) {
    Value limit = arith::AddIOp::create(b, low, constantIndex(chunk));
    high = arith::MinSIOp::create(b, limit, extent);
  }
  auto emitFor = [&](Value from, Value to, int64_t width,
                     bool masked = false) -> LogicalResult {
    auto columns = scf::ForOp::create(b, from, to, constantIndex(width));
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPoint(columns.getBody()->getTerminator());
    Position at = position;
    at.dims[laneDim] = columns.getInductionVar();
    at.lanes = width;
    at.vectorDim = width > 1 ? int(laneDim) : -1;
    if (masked)
      at.mask = firstLanes(
          arith::SubIOp::create(b, to, columns.getInductionVar()), width);
    return points > 1 ? emitPoints(at, besideDim) : emitNests(at);
  };
  SmallVector<Value> results, past;
  for (NestOpInterface nest : kernel.getNests())
    if (nest.isPointwise())
      llvm::append_range(results, nest->getResults());
  if (lanes > 1)
    past = getStreamed(results, position, laneDim, lanes);
  return emitPieces(
      laneDim, low, high, lanes, [&](Value from, Value to, bool isWhole) {
        if (lanes == 1)
          return emitFor(from, to, 1);
        if (!past.empty())
          return emitStreamed(
              position, laneDim, from, to, lanes, past,
              [&](const Position &at) { return emitNests(at); });
        if (isWhole && last.getConstant() && chunk % lanes == 0)
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
