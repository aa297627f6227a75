//===- PointsEmitter.cpp - Nests at several points together ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Windows of neighbours overlap: at step k of its window a point reads what the one
// before it reads at step k + 1, and weights are the same for all. So points go through
// the steps of their reductions together, each with accumulators of its own, and what
// two of them read is read once. Each adds up in the order that it has alone.
//
// Two loads are seen to be one only where neither is behind a branch. Where padding
// leaves a place out, an address is chosen instead: that of memory which holds the
// padding. Or that of the tensor's first elements, which are let go once they are there:
// for threads of a GPU memory of their own is far away.
//
//===----------------------------------------------------------------------===//

#include "kiln/Emission/KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

void KernelEmitter::keepPadding(int64_t lanes) {
  paddingLanes = lanes;
  for (NestOpInterface nest : kernel.getNests()) {
    auto op = dyn_cast<ReduceOp>(nest.getOperation());
    if (!op)
      continue;
    op.getBody().walk([&](LoadOp load) {
      FloatAttr number;
      if (!load.getMask() || !matchPattern(load.getOther(), m_Constant(&number)) ||
          padding.contains(number))
        return;
      unsigned bytes = (number.getType().getIntOrFloatBitWidth() + 7) / 8;
      Value place = allocateScratch(guard::getConstant(context, lanes * bytes));
      Value value = arith::ConstantOp::create(b, number);
      LLVM::StoreOp::create(b, broadcast(value, lanes), place, bytes);
      padding[number] = place;
    });
  }
}

Value KernelEmitter::getPadding(Value other, Type elementType, int64_t lanes) {
  FloatAttr number;
  if (!usesPadding || lanes > paddingLanes || !isa<FloatType>(elementType) ||
      !matchPattern(other, m_Constant(&number)) ||
      number.getType() != elementType)
    return {};
  return padding.lookup(number);
}

FailureOr<SmallVector<Value>>
KernelEmitter::accumulateTogether(ReduceOp op, ArrayRef<Position> positions,
                                  ArrayRef<Value> accumulators) {
  if (positions.size() == 1)
    return accumulate(op, positions.front(), accumulators);
  size_t count = accumulators.size() / positions.size();
  SmallVector<Value> all;
  for (auto [k, position] : llvm::enumerate(positions)) {
    std::swap(perPoint, perPointTogether[k]);
    auto values =
        accumulate(op, position, accumulators.slice(k * count, count));
    std::swap(perPoint, perPointTogether[k]);
    if (failed(values))
      return failure();
    llvm::append_range(all, *values);
  }
  return all;
}

LogicalResult KernelEmitter::emitReduceTogether(ReduceOp op,
                                                ArrayRef<Position> points) {
  SmallVector<Position> positions;
  SmallVector<Value> begun;
  ReducedDims entered;
  for (const Position &point : points) {
    entered = enterReduced(op, point);
    positions.push_back(entered.start);
    llvm::append_range(begun, identities(op, point.lanes));
  }
  auto values = emitReductionLoops(op, positions, 0, entered.reduced, begun);
  if (failed(values))
    return failure();
  size_t count = begun.size() / points.size();
  for (auto [k, position] : llvm::enumerate(positions)) {
    std::swap(perPoint, perPointTogether[k]);
    finishAccumulators(op, position, ArrayRef(*values).slice(k * count, count));
    std::swap(perPoint, perPointTogether[k]);
  }
  return success();
}

LogicalResult KernelEmitter::emitElementsTogether(PointwiseOp op,
                                                  ArrayRef<Position> points,
                                                  unsigned dim) {
  Block &block = op.getBody().front();
  BodyEmitter alike(*this, enter(points[0], op.getDomain()));
  if (failed(alike.emitAlike(block, block.getArgument(dim))))
    return failure();
  // What all points read is on its way before the first waits for it; not ahead of what
  // says that an index is in its table.
  bool isAhead = readsAhead && block.getOps<AssertOp>().empty();
  SmallVector<BodyEmitter, 0> bodies;
  for (auto [k, point] : llvm::enumerate(points)) {
    BodyEmitter &body = bodies.emplace_back(alike);
    body.moveTo(enter(point, op.getDomain()));
    std::swap(perPoint, perPointTogether[k]);
    LogicalResult emitted = isAhead ? body.emitLoads(block) : success();
    std::swap(perPoint, perPointTogether[k]);
    if (failed(emitted))
      return failure();
  }
  for (auto [k, point] : llvm::enumerate(points)) {
    std::swap(perPoint, perPointTogether[k]);
    if (failed(bodies[k].emit(block)))
      return failure();
    finish(op.getResult(), point,
           bodies[k].get(block.getTerminator()->getOperand(0)));
    std::swap(perPoint, perPointTogether[k]);
  }
  return success();
}

LogicalResult KernelEmitter::emitNestsTogether(ArrayRef<Position> points,
                                               unsigned dim) {
  llvm::SaveAndRestore padded(usesPadding, true);
  perPointTogether.resize(points.size());
  llvm::scope_exit end([&] { perPointTogether.clear(); });
  for (NestOpInterface nest : kernel.getNests()) {
    auto op = dyn_cast<ReduceOp>(nest.getOperation());
    if (op && op.getDomain().parallel.size() == points[0].extents.size()) {
      if (failed(emitReduceTogether(op, points)))
        return failure();
      continue;
    }
    auto pointwise = dyn_cast<PointwiseOp>(nest.getOperation());
    if (pointwise && pointwise.getDomain().rank() == points[0].extents.size()) {
      if (failed(emitElementsTogether(pointwise, points, dim)))
        return failure();
      continue;
    }
    for (auto [k, point] : llvm::enumerate(points)) {
      std::swap(perPoint, perPointTogether[k]);
      LogicalResult emitted = emitNest(nest, point);
      std::swap(perPoint, perPointTogether[k]);
      if (failed(emitted))
        return failure();
    }
  }
  return success();
}

LogicalResult KernelEmitter::emitPoints(const Position &first, unsigned dim,
                                        int64_t points) {
  auto emitAll = [&]() {
    SmallVector<Position> all(points, first);
    for (int64_t k = 1; k < points; ++k) {
      all[k].dims[dim] =
          arith::AddIOp::create(b, first.dims[dim], constantIndex(k));
      if (first.besideDim == int(dim))
        all[k].besideBounds = {first.besideBounds.min + k,
                               first.besideBounds.max + k};
    }
    return emitNestsTogether(all, dim);
  };
  auto extent = first.extents[dim].getConstant();
  if (first.besideDim == int(dim) || (extent && *extent % points == 0))
    return emitAll();
  Value end = getArgument(first.extents[dim]);
  Value last = arith::AddIOp::create(b, first.dims[dim], constantIndex(points));
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
