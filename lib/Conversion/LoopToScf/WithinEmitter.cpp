//===- WithinEmitter.cpp - Lanes along the rows of each nest --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleEmitters.h"

#include "kiln/Analysis/AccessRelations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// A row lies where the result will that is made of it, so that fetching these lines takes
/// no time of its own; not where they go past the caches.
void WithinEmitter::bindRow(Value row) {
  Value result = analysis::getPlaceOfRow(kernel, row);
  Operation *terminator = kernel.getBody().front().getTerminator();
  if (!result || llvm::any_of(schedule.getStream(), [&](int64_t number) {
        return terminator->getOperand(number) == result;
      }))
    return ScheduledEmitter::bindRow(row);
  Buffer place = buffers.find(result)->second;
  buffers[row] = place;
}

/// True if `reader` follows `maker` and walks the row that it makes, one element for each,
/// in vectors that are several of its own.
bool WithinEmitter::isReadInStep(PointwiseOp maker, OwnLanes made,
                                 ReduceOp reader, OwnLanes lanes,
                                 const Position &row) {
  unsigned given = row.extents.size();
  Domain domain = maker.getDomain();
  ReducedDims entered = enterReduced(reader, row);
  if (lanes.along == 1 || lanes.along % made.along != 0 ||
      domain.rank() != given + 1 || entered.reduced.size() != 1 ||
      analysis::mayTrap(maker))
    return false;
  unsigned last = entered.reduced.front();
  const Position &start = entered.start;
  if (start.extents[last] != domain.all()[given] ||
      !llvm::all_of(entered.own, [&](unsigned dim) {
        return start.extents[dim].isConstant(1);
      }))
    return false;
  bool isRead = false;
  for (const analysis::Access &access :
       analysis::getReads(cast<NestOpInterface>(reader.getOperation()))) {
    if (access.tensor != maker.getResult())
      continue;
    isRead = true;
    if (access.indirect || access.map.size() != given + 1 ||
        access.getAlignment() < given ||
        access.map[given] != guard::getDim(context, last))
      return false;
  }
  return isRead;
}

/// Both nests in one loop: what a step of the reduction reads is made just before it, so
/// that it is in the first cache.
LogicalResult WithinEmitter::emitTogether(PointwiseOp maker, int64_t width,
                                          ReduceOp reader, OwnLanes lanes,
                                          const Position &row) {
  unsigned own = row.extents.size();
  unsigned last = enterReduced(reader, row).reduced.front();
  Position start = enter(row, maker.getDomain());
  return emitReduce(reader, row, lanes, [&](const Position &at) {
    int64_t step = std::min(at.lanes, width);
    for (int64_t from = 0; from < at.lanes; from += step) {
      Position part = start;
      Value index = arith::AddIOp::create(b, at.dims[last], constantIndex(from));
      setDim(part, own, index, step);
      if (at.mask)
        part.mask = vector::ShuffleOp::create(
            b, at.mask, at.mask,
            llvm::to_vector(llvm::seq<int64_t>(from, from + step)));
      if (failed(emitElement(maker, part)))
        return failure();
    }
    return success();
  });
}

/// The nests at one row, which is row `part` of its part where there are parts.
LogicalResult WithinEmitter::emitRow(const Position &row, const Position &part) {
  ArrayRef<int64_t> along = schedule.getAlong(), beside = schedule.getBeside();
  SmallVector<NestOpInterface> nests = llvm::to_vector(kernel.getNests());
  // The epilogue of an expanded contraction, which the schedule does not name, has
  // one value per point.
  auto getLanes = [&](size_t k) {
    return k < along.size() ? OwnLanes{along[k], beside[k]} : OwnLanes();
  };
  for (size_t k = 0; k < nests.size(); ++k) {
    NestOpInterface nest = nests[k];
    auto maker = dyn_cast<PointwiseOp>(nest.getOperation());
    auto reader = k + 1 < nests.size()
                      ? dyn_cast<ReduceOp>(nests[k + 1].getOperation())
                      : ReduceOp();
    LogicalResult emitted = success();
    if (!parts && maker && reader && !streamed.contains(maker.getResult()) &&
        isReadInStep(maker, getLanes(k), reader, getLanes(k + 1), row)) {
      ++k;
      masksTails = schedule.getMasked() && !analysis::mayTrap(reader);
      emitted = emitTogether(maker, along[k - 1], reader, getLanes(k), row);
    } else {
      // Lanes within a nest depend on this nest alone.
      masksTails = schedule.getMasked() && !analysis::mayTrap(nest);
      bool isPart = parts && getRowParts(kernel, nest);
      emitted = isPart ? addToPart(cast<ReduceOp>(nest.getOperation()), part,
                                   getLanes(k).beside)
                       : emitNest(nest, row, getLanes(k));
    }
    if (failed(emitted))
      return failure();
  }
  return success();
}

/// Gives the sums of a part their neutral elements.
LogicalResult WithinEmitter::clearParts(const Position &part) {
  ArrayRef<int64_t> beside = schedule.getBeside();
  for (auto [k, nest] : llvm::enumerate(kernel.getNests())) {
    if (!getRowParts(kernel, nest))
      continue;
    auto op = cast<ReduceOp>(nest.getOperation());
    masksTails = schedule.getMasked();
    LogicalResult cleared =
        emitColumns(op, part, beside[k], [&](const Position &at) {
          finishAccumulators(op, at, identities(op, at.lanes));
          return success();
        });
    if (failed(cleared))
      return failure();
  }
  return success();
}

/// Calls `body` for the columns of `op`, a sum over a part, in vectors of `lanes`.
LogicalResult WithinEmitter::emitColumns(
    ReduceOp op, Position part, int64_t lanes,
    llvm::function_ref<LogicalResult(const Position &)> body) {
  Domain domain = op.getDomain();
  unsigned given = parts->dim + 1, parallel = domain.parallel.size();
  SmallVector<Value> rows(ArrayRef(part.dims).drop_front(given));
  part.dims.truncate(given);
  part.dims.resize(parallel);
  llvm::append_range(part.dims, rows);
  part.extents = domain.all();
  return emitLoops(part, llvm::to_vector(llvm::seq(given, parallel)), lanes,
                   body);
}

/// Joins the row at hand with the sums of its part.
LogicalResult WithinEmitter::addToPart(ReduceOp op, const Position &part,
                                       int64_t lanes) {
  return emitColumns(
      op, part, lanes, [&](const Position &at) -> LogicalResult {
        SmallVector<Value> sums;
        for (Value result : op.getResults()) {
          const Buffer &buffer = buffers.find(result)->second;
          ExprAttr address = linearAddress(buffer, op.getResultMap());
          sums.push_back(load(buffer, address, at, {}, {}, {}));
        }
        auto joined = accumulate(op, at, sums);
        if (failed(joined))
          return failure();
        finishAccumulators(op, at, *joined);
        return success();
      });
}

/// A work item is a part of the rows, one after the other.
LogicalResult WithinEmitter::emitParts(Value item) {
  Position part;
  part.dims = delinearize(item, parts->outer);
  part.dims.append(parts->rows.size(), constantIndex(0));
  if (failed(clearParts(part)))
    return failure();
  Value count = getArgument(guard::product(context, parts->rows));
  auto loop = scf::ForOp::create(b, constantIndex(0), count, constantIndex(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Value number = loop.getInductionVar();
  part.dims.truncate(parts->outer.size());
  llvm::append_range(part.dims, delinearize(number, parts->rows));
  Position row;
  row.dims = delinearize(
      arith::AddIOp::create(b, arith::MulIOp::create(b, item, count), number),
      sharedExtents);
  row.extents = sharedExtents;
  return emitRow(row, part);
}

/// Lanes within each nest. A work item is one point of the shared domain.
LogicalResult WithinEmitter::emitItems() {
  parts = getRowParts(kernel);
  // The dimensions of a sum over parts are others.
  sharedExtents = parts ? getExprs(kernel.getShared())
                        : analysis::collapseShared(kernel, layout);
  work = guard::product(context, parts ? parts->outer : sharedExtents);
  sumBlock = schedule.getSumBlock();
  joinsReduced = picksLanes = sortsInVectors = true;
  setStreamed(schedule.getStream());

  auto loop = scf::ForOp::create(b, begin, end, constantIndex(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  if (parts)
    return emitParts(loop.getInductionVar());
  Position row;
  row.dims = delinearize(loop.getInductionVar(), sharedExtents);
  row.extents = sharedExtents;
  return emitRow(row, {});
}
