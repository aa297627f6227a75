//===- ScatterEmitter.cpp - Writing at computed positions -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleEmitters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/ControlFlowSinkUtils.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Evaluates what a point computes where it is needed only: for a store under a
/// condition, and on the side of a select that takes it. In a recurrence the
/// next point waits for the value of this one, so a division that is not taken
/// would cost as much as one that is.
static void evaluateByNeed(Block &point) {
  DominanceInfo dominance;
  auto sink = [&](scf::IfOp branch) {
    controlFlowSink(
        branch->getRegions(), dominance,
        [&](Operation *op, Region *) {
          return point.findAncestorOpInBlock(*op) &&
                 (isMemoryEffectFree(op) || isa<LLVM::LoadOp>(op));
        },
        [](Operation *op, Region *region) {
          op->moveBefore(&region->front(), region->front().begin());
        });
  };
  SmallVector<scf::IfOp> branches(point.getOps<scf::IfOp>());
  for (scf::IfOp branch : branches)
    sink(branch);
  SmallVector<arith::SelectOp> selects;
  point.walk([&](arith::SelectOp select) {
    if (isa<FloatType>(select.getType()))
      selects.push_back(select);
  });
  // What a later one does not take an earlier one need not decide.
  for (arith::SelectOp select : llvm::reverse(selects)) {
    OpBuilder builder(select);
    auto branch =
        scf::IfOp::create(builder, select.getLoc(), select->getResultTypes(),
                          select.getCondition(), /*withElseRegion=*/true);
    for (auto [block, value] :
         {std::pair(branch.thenBlock(), select.getTrueValue()),
          std::pair(branch.elseBlock(), select.getFalseValue())}) {
      builder.setInsertionPointToEnd(block);
      scf::YieldOp::create(builder, select.getLoc(), value);
    }
    select.replaceAllUsesWith(branch.getResult(0));
    select.erase();
    sink(branch);
  }
}

Value ScatterEmitter::getBegin(const Position &position, unsigned dim) {
  return low && dim + 1 == position.extents.size() ? low : Value();
}

Value ScatterEmitter::getEnd(const Position &position, unsigned dim) {
  Value end = ScheduledEmitter::getEnd(position, dim);
  if (!high || dim + 1 != position.extents.size())
    return end;
  // The domain may have fewer of them than the result.
  return arith::MaxSIOp::create(b, low, arith::MinSIOp::create(b, high, end));
}

/// The position at a point of the independent dimensions, and the dimensions that are
/// its own to walk.
static SmallVector<unsigned> enterPoint(Position &position,
                                        ArrayRef<Value> own) {
  position.dims.resize(position.extents.size());
  llvm::copy(own, position.dims.begin());
  return llvm::to_vector(
      llvm::seq<unsigned>(own.size(), position.extents.size()));
}

LogicalResult ScatterEmitter::copyInitial(ArrayRef<Value> own) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Position elements;
  elements.extents = *guard::getDims(type);
  SmallVector<unsigned> dims = enterPoint(elements, own);
  int64_t lanes = dims.empty() ? 1 : schedule.getLanes();
  SmallVector<ExprAttr> identity = getIdentityMap(context, type.getRank());
  auto copy = [&](const Position &position) {
    Value value =
        load(init, linearAddress(init, identity), position, {}, {}, {});
    store(target, linearAddress(target, identity), position, value);
    return success();
  };
  return emitIf(isElsewhere(target, init),
                [&] { return emitLoops(elements, dims, lanes, copy); });
}

LogicalResult ScatterEmitter::visitPoints(ArrayRef<Value> own) {
  Position domain;
  domain.extents = op.getDomain().all();
  SmallVector<unsigned> dims = enterPoint(domain, own);
  int64_t lanes =
      !dims.empty() && scattersRows(op) ? schedule.getLanes() : 1;
  return emitLoops(domain, dims, lanes, [&](const Position &position) {
    BodyEmitter body(*this, position);
    Block &block = op.getBody().front(), &point = *b.getInsertionBlock();
    if (failed(body.emit(block)))
      return failure();
    auto yield = cast<YieldAtOp>(block.getTerminator());
    SmallVector<ExprAttr> indices;
    for (Value index : yield.getPosition())
      indices.push_back(body.getExpr(index));
    Value value = body.getWide(yield.getValue());
    // Whether and to what row lanes go is the same for all of them.
    auto getFirst = [&](Value lanes) -> Value {
      return isa<VectorType>(lanes.getType())
                 ? vector::ExtractOp::create(b, lanes, ArrayRef<int64_t>{0})
                       .getResult()
                 : lanes;
    };
    Position at = body.getPosition();
    for (size_t k = position.dims.size(); k < at.dims.size(); ++k)
      at.dims[k] = getFirst(at.dims[k]);
    OpBuilder::InsertionGuard inner(b);
    if (Value condition = yield.getCondition()) {
      auto branch = scf::IfOp::create(b, getFirst(body.get(condition)),
                                      /*withElseRegion=*/false);
      b.setInsertionPoint(branch.thenBlock()->getTerminator());
    }
    ExprAttr address = linearAddress(target, indices);
    if (op.getKind() != ScatterKind::Set)
      value = combineScattered(b, op.getKind(),
                               load(target, address, at, {}, {}, {}), value,
                               target.elementType);
    store(target, address, at, value);
    if (op.getWritten())
      evaluateByNeed(point);
    return success();
  });
}

/// Copies the initial values, unless it writes over them, and then visits the
/// domain in order, at a point of the independent dimensions: of all columns, or of
/// those among the work items.
LogicalResult ScatterEmitter::emitPoint(Value point, ExprAttr parts) {
  SmallVector<Value> own = delinearize(
      point, ArrayRef(op.getDomain().all()).take_front(independent));
  if (schedule.getColumns() != 0) {
    Value count = getArgument(parts), columns = constantIndex(schedule.getColumns());
    Value first = arith::MulIOp::create(b, point, count);
    Value from = arith::MaxSIOp::create(
        b, arith::SubIOp::create(b, begin, first), constantIndex(0));
    Value to = arith::MinSIOp::create(b, arith::SubIOp::create(b, end, first),
                                      count);
    low = arith::MulIOp::create(b, from, columns);
    high = arith::MulIOp::create(b, to, columns);
  }
  return failure(failed(copyInitial(own)) || failed(visitPoints(own)));
}

/// A work item is a point of the independent dimensions, or columns of one: the order of
/// the others is part of the meaning.
LogicalResult ScatterEmitter::emitItems() {
  op = *kernel.getBody().getOps<ScatterOp>().begin();
  independent = countIndependent(op);
  SmallVector<ExprAttr> extents = op.getDomain().all();
  work = guard::product(context,
                        ArrayRef(extents).take_front(independent));
  masksTails = schedule.getMasked() && !analysis::mayTrap(kernel);
  init = buffers.lookup(op.getInit());
  target = buffers.lookup(op.getResult());
  if (!init.pointer || !target.pointer)
    return op.emitOpError(
        "must start from an input of its kernel and leave it");
  if (BlockArgument written = op.getWritten())
    buffers[written] = target;

  Value first = begin, behind = end;
  ExprAttr parts;
  if (int64_t columns = schedule.getColumns()) {
    auto type = cast<RankedTensorType>(op.getResult().getType());
    parts = guard::ceilDiv(guard::getDims(type)->back(), columns);
    work = work * parts;
    if (independent == 0)
      return emitPoint(constantIndex(0), parts);
    Value count = getArgument(parts);
    first = arith::DivUIOp::create(b, begin, count);
    Value last = arith::SubIOp::create(b, end, constantIndex(1));
    behind = arith::AddIOp::create(b, arith::DivUIOp::create(b, last, count),
                                   constantIndex(1));
  }
  auto point = scf::ForOp::create(b, first, behind, constantIndex(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(point.getBody()->getTerminator());
  return emitPoint(point.getInductionVar(), parts);
}
