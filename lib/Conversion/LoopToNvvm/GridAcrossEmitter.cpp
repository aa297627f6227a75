//===- GridAcrossEmitter.cpp - A thread for each point --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridEmitter.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

LogicalResult GridAcrossEmitter::emitThread() {
  sharedExtents = analysis::collapseShared(kernel, layout);
  sumBlock = schedule.getSumBlock();
  // A branch around each load of a window would have them wait for one another.
  usesPadding = llvm::any_of(kernel.getNests(), [](NestOpInterface nest) {
    return nest.isReduction();
  });
  readsAhead = true;
  // Neighbours are walked together in the last dimension that is more than one, before
  // that of the lanes.
  int64_t points = sharedExtents.size() > 1 ? schedule.getPoints() : 1;
  SmallVector<ExprAttr> items = sharedExtents;
  unsigned beside = 0;
  if (points > 1) {
    beside = analysis::getLaneDim(ArrayRef(sharedExtents).drop_back());
    items[beside] = guard::ceilDiv(items[beside], points);
  }
  return emitForVectors(items, schedule.getLanes(), [&](const Position &item) {
    if (points == 1)
      return emitNests(item);
    Position first = item;
    first.extents = sharedExtents;
    first.dims[beside] = mul(first.dims[beside], points);
    return emitPoints(first, beside, points);
  });
}
