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
  if (schedule.getLanes() == 1)
    return emitForItem(guard::product(context, sharedExtents), [&] {
      Position position;
      position.dims = delinearize(item, sharedExtents);
      position.extents = sharedExtents;
      return emitNests(position);
    });
  ArrayRef<ExprAttr> outer = ArrayRef(sharedExtents).drop_back();
  ExprAttr chunks = guard::ceilDiv(sharedExtents.back(), schedule.getLanes());
  return emitForItem(
      guard::product(context, llvm::to_vector(outer)) * chunks, [&] {
        return emitVectors(
            item, sharedExtents, schedule.getLanes(),
            [&](const Position &position) { return emitNests(position); });
      });
}
