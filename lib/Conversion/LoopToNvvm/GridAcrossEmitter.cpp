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
  return emitForVectors(
      sharedExtents, schedule.getLanes(),
      [&](const Position &position) { return emitNests(position); });
}
