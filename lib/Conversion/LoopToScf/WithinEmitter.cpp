//===- WithinEmitter.cpp - Lanes along the rows of each nest --------------===//
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

/// Lanes within each nest. A work item is one point of the shared domain.
LogicalResult WithinEmitter::emitItems() {
  sharedExtents = analysis::collapseShared(kernel, layout);
  work = guard::product(context, sharedExtents);
  sumBlock = schedule.getSumBlock();
  joinsReduced = true;

  auto loop = scf::ForOp::create(b, begin, end, constantIndex(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Position position;
  position.dims = delinearize(loop.getInductionVar(), sharedExtents);
  position.extents = sharedExtents;
  ArrayRef<int64_t> along = schedule.getAlong(), beside = schedule.getBeside();
  unsigned next = 0;
  for (NestOpInterface nest : kernel.getNests()) {
    // The epilogue of an expanded contraction, which the schedule does not
    // name, has one value per point.
    OwnLanes lanes;
    if (next < along.size())
      lanes = {along[next], beside[next]};
    ++next;
    // Lanes within a nest depend on this nest alone.
    masksTails = schedule.getMasked() && !analysis::mayTrap(nest);
    if (failed(emitNest(nest, position, lanes)))
      return failure();
  }
  return success();
}
