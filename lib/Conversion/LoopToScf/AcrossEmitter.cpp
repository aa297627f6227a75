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
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <numeric>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Comparisons that hold for all indices that a position may have.
bool AcrossEmitter::isAssured(ExprAttr condition, const Position &position) {
  bool isStrict = condition.getKind() == guard::ExprKind::Lt;
  if (!isStrict && condition.getKind() != guard::ExprKind::Le)
    return false;
  guard::Assumptions assumptions = assumptionsOf(position);
  for (auto [k, index] : llvm::enumerate(position.dims)) {
    ExprAttr dim = guard::getDim(context, k);
    auto number = index ? getConstantIntValue(index) : std::nullopt;
    bool isVector = int(k) == position.vectorDim;
    if (number)
      assumptions.setRange(
          dim, {*number, *number + (isVector ? position.lanes - 1 : 0)});
    else if (isVector)
      assumptions.setRange(dim, position.bounds);
    else if (int(k) == position.besideDim)
      assumptions.setRange(dim, position.besideBounds);
  }
  ExprAttr difference = condition.getOperand(1) - condition.getOperand(0);
  return guard::isKnownNonNegative(isStrict ? difference + -1 : difference,
                                   assumptions);
}

/// True if some index of a nest is compared, or limited, so that the outcome is known inside of
/// a row along dimension `dim`, and not in all of it, as where a window reaches beyond.
bool AcrossEmitter::hasEdge(unsigned dim, guard::Interval inside) {
  auto isKnown = [&](ExprAttr condition, NestOpInterface nest,
                     guard::Interval bounds) {
    return isAssured(condition, getWithin(nest, dim, bounds));
  };
  bool found = countChoices(dim, inside) < countChoices(dim, Position().bounds);
  for (NestOpInterface nest : kernel.getNests())
    nest->walk([&](IndexOp op) {
      SmallVector<ExprAttr> dims;
      for (Value operand : op.getIndices()) {
        auto index = dyn_cast<BlockArgument>(operand);
        auto number = index ? nest.getDimensionOf(index) : std::nullopt;
        if (!number)
          return;
        dims.push_back(guard::getDim(context, *number));
      }
      ExprAttr expr = guard::substituteDims(op.getExpr(), dims);
      auto look = [&](auto &look, ExprAttr part) -> void {
        found |= guard::contains(part, guard::getDim(context, dim)) &&
                 !isKnown(part, nest, Position().bounds) &&
                 isKnown(part, nest, inside);
        if (part.getKind() == guard::ExprKind::And)
          for (ExprAttr operand : part.getOperands())
            look(look, operand);
      };
      look(look, expr);
    });
  return found;
}

/// The first of several points of dimension `dim` that are walked together, from which on and up
/// to which none of them has to look which elements there are, where those at its ends have to.
/// Nothing if these are not most of them, which code of their own would not pay for.
std::optional<guard::Interval> AcrossEmitter::findInside(unsigned dim,
                                                         int64_t points) {
  auto extent = sharedExtents[dim].getConstant();
  if (!extent)
    return std::nullopt;
  int64_t rest = *extent % points, whole = *extent - rest;
  auto isEdge = [&](int64_t first, int64_t behind) {
    return hasEdge(dim, {first, behind - 1});
  };
  int64_t first = isEdge(points, *extent) ? points : 0, behind = whole;
  // Points that are left at the end are apart anyway.
  if (isEdge(0, whole - points) && !(rest > 0 && isEdge(0, whole)))
    behind -= points;
  if (2 * (behind - first) <= *extent || behind - first == *extent)
    return std::nullopt;
  return guard::Interval{first, behind - points};
}

/// A row at several points, which look which elements there are only where some may not be.
LogicalResult AcrossEmitter::emitBeside(const Position &position,
                                        const Row &row) {
  unsigned dim = *row.beside;
  auto inside = findInside(dim, schedule.getPoints());
  if (!inside)
    return emitRow(position, row);
  Value index = position.dims[dim];
  auto compare = [&](arith::CmpIPredicate predicate, int64_t bound) -> Value {
    return arith::CmpIOp::create(b, predicate, index, constantIndex(bound));
  };
  Value isInside = arith::AndIOp::create(
      b, compare(arith::CmpIPredicate::sge, inside->min),
      compare(arith::CmpIPredicate::sle, inside->max));
  auto branch = scf::IfOp::create(b, isInside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  Position at = position;
  at.besideDim = int(dim);
  at.besideBounds = *inside;
  if (failed(emitRow(at, row)))
    return failure();
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  return emitRow(position, row);
}

/// What the index at which vectors begin is a multiple of, up to their lanes.
int64_t AcrossEmitter::getMultiple(const Row &row, Value index) {
  int64_t lanes = schedule.getLanes();
  if (auto number = getConstantIntValue(index))
    return std::gcd(*number, lanes);
  return index == row.low ? std::gcd(schedule.getChunk(), lanes) : 1;
}

/// The nests at `lanes` columns from `index` on, which is a multiple of `multiple`.
LogicalResult AcrossEmitter::emitAt(Position at, const Row &row, Value index,
                                    int64_t multiple, int64_t lanes,
                                    Value mask) {
  at.dims[row.dim] = index;
  at.multiple = std::gcd(multiple, lanes);
  at.lanes = lanes;
  at.vectorDim = lanes > 1 ? int(row.dim) : -1;
  at.mask = mask;
  return row.beside ? emitPoints(at, *row.beside, schedule.getPoints())
                    : emitNests(at);
}

/// The same for [from, to).
LogicalResult AcrossEmitter::emitColumns(const Position &position,
                                         const Row &row, Value from, Value to,
                                         int64_t multiple, int64_t lanes,
                                         bool masked) {
  auto columns = scf::ForOp::create(b, from, to, constantIndex(lanes));
  OpBuilder::InsertionGuard inner(b);
  b.setInsertionPoint(columns.getBody()->getTerminator());
  Value index = columns.getInductionVar(), mask;
  if (masked)
    mask = firstLanes(arith::SubIOp::create(b, to, index), lanes);
  return emitAt(position, row, index, multiple, lanes, mask);
}

/// A row of windows. Vectors at its ends are apart where they alone have to look which
/// elements there are; and so is the last one where vectors end within the row: it begins where
/// it ends with it, and has some elements of the one before again.
LogicalResult AcrossEmitter::emitWindows(const Position &position,
                                         const Row &row, int64_t extent) {
  int64_t lanes = schedule.getLanes(), rest = extent % lanes;
  int64_t first = 0, last = extent - rest;
  if (hasEdge(row.dim, {lanes, extent - 1}))
    first = lanes;
  if (rest == 0 && hasEdge(row.dim, {0, extent - lanes - 1}))
    last -= lanes;
  if (first > 0 &&
      failed(emitAt(position, row, constantIndex(0), lanes, lanes)))
    return failure();
  Position inside = position;
  inside.bounds = {first, last - 1};
  if (failed(emitColumns(inside, row, constantIndex(first), constantIndex(last),
                         lanes, lanes)))
    return failure();
  if (last == extent)
    return success();
  // What a result has overwritten cannot be read again.
  if (rest == 0 || !analysis::getOverwrites(kernel))
    return emitAt(position, row, constantIndex(extent - lanes),
                  std::gcd(extent, lanes), lanes);
  return emitColumns(position, row, constantIndex(last), constantIndex(extent),
                     lanes, masksTails ? lanes : 1, masksTails);
}

/// The nests at [from, to) in vectors, and what is left of them.
LogicalResult AcrossEmitter::emitVectors(const Position &position,
                                         const Row &row, Value from, Value to,
                                         bool isWhole) {
  int64_t lanes = schedule.getLanes(), chunk = schedule.getChunk();
  auto extent = sharedExtents[row.dim].getConstant();
  if (row.beside && extent && chunk >= *extent && *extent >= 2 * lanes &&
      from == row.low && to == row.high)
    return emitWindows(position, row, *extent);
  int64_t multiple = getMultiple(row, from);
  if (isWhole && extent && chunk % lanes == 0)
    return emitColumns(position, row, from, to, multiple, lanes);
  Value length = arith::SubIOp::create(b, to, from);
  Value rest = arith::RemUIOp::create(b, length, constantIndex(lanes));
  Value split = arith::SubIOp::create(b, to, rest);
  if (failed(emitColumns(position, row, from, split, multiple, lanes)))
    return failure();
  return masksTails ? emitColumns(position, row, split, to, multiple, lanes,
                                  /*masked=*/true)
                    : emitColumns(position, row, split, to, multiple, 1);
}

/// The nests at [low, high) of a row, piece by piece.
LogicalResult AcrossEmitter::emitRow(const Position &position, const Row &row) {
  int64_t lanes = schedule.getLanes();
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
          return emitColumns(position, row, from, to, 1, 1);
        if (!past.empty())
          return emitStreamed(
              position, row.dim, from, to, lanes, past,
              [&](const Position &at) { return emitNests(at); });
        if (row.beside)
          return emitVectors(position, row, from, to, isWhole);
        return emitStraightPart(
            row.dim, from, to, lanes,
            [&](Value first, Value behind, guard::Interval bounds) {
              Position part = position;
              part.bounds = bounds;
              return emitVectors(part, row, first, behind,
                                 isWhole && first == from && behind == to);
            });
      });
}

/// The nests at a row. Which piece of what is concatenated along the dimensions
/// around it, from `dim` on, the row is in is found once, and not by each
/// vector.
LogicalResult AcrossEmitter::emitInPieces(const Position &position,
                                          unsigned dim, const Row &row) {
  if (row.beside)
    return emitBeside(position, row);
  if (dim == row.dim)
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
    keepPadding(2 * schedule.getLanes());
  }
  int64_t chunk = schedule.getChunk();
  sumBlock = schedule.getSumBlock();
  joinsReduced = picksLanes = true;
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
