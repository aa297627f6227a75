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

/// Copies the initial values, unless it writes over them, and then visits the
/// domain in order. A work item is a point of the independent dimensions: the
/// order of the others is part of the meaning.
LogicalResult ScatterEmitter::emitItems() {
  ScatterOp op = *kernel.getBody().getOps<ScatterOp>().begin();
  SmallVector<ExprAttr> extents = op.getDomain().all();
  unsigned independent = op.getIndependent();
  ArrayRef<ExprAttr> items = ArrayRef(extents).take_front(independent);
  work = guard::product(context, items);
  masksTails = schedule.getMasked() && !analysis::mayTrap(kernel);
  Buffer init = buffers.lookup(op.getInit());
  Buffer target = buffers.lookup(op.getResult());
  if (!init.pointer || !target.pointer)
    return op.emitOpError(
        "must start from an input of its kernel and leave it");
  if (BlockArgument written = op.getWritten())
    buffers[written] = target;

  auto item = scf::ForOp::create(b, begin, end, constantIndex(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(item.getBody()->getTerminator());
  SmallVector<Value> own = delinearize(item.getInductionVar(), items);
  // The position at this item, and the dimensions that are its own to walk.
  auto enterItem = [&](Position &position) {
    position.dims.resize(position.extents.size());
    llvm::copy(own, position.dims.begin());
    return llvm::to_vector(
        llvm::seq<unsigned>(independent, position.extents.size()));
  };

  auto type = cast<RankedTensorType>(op.getResult().getType());
  Position elements;
  elements.extents = *guard::getDims(type);
  SmallVector<unsigned> dims = enterItem(elements);
  int64_t lanes = dims.empty() ? 1 : schedule.getLanes();
  SmallVector<ExprAttr> identity = getIdentityMap(context, type.getRank());
  auto copy = [&](const Position &position) {
    Value value =
        load(init, linearAddress(init, identity), position, {}, {}, {});
    store(target, linearAddress(target, identity), position, value);
    return success();
  };
  if (failed(emitIf(isElsewhere(target, init),
                    [&] { return emitLoops(elements, dims, lanes, copy); })))
    return failure();

  Position domain;
  domain.extents = extents;
  dims = enterItem(domain);
  return emitLoops(domain, dims, 1, [&](const Position &position) {
    BodyEmitter body(*this, position);
    Block &block = op.getBody().front(), &point = *b.getInsertionBlock();
    if (failed(body.emit(block)))
      return failure();
    auto yield = cast<YieldAtOp>(block.getTerminator());
    SmallVector<ExprAttr> indices;
    for (Value index : yield.getPosition())
      indices.push_back(body.getExpr(index));
    Value value = body.get(yield.getValue());
    OpBuilder::InsertionGuard inner(b);
    if (Value condition = yield.getCondition()) {
      auto branch = scf::IfOp::create(b, body.get(condition),
                                      /*withElseRegion=*/false);
      b.setInsertionPoint(branch.thenBlock()->getTerminator());
    }
    const Position &at = body.getPosition();
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
