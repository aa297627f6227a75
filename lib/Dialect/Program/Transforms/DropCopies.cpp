//===- DropCopies.cpp - Copies of memory to itself ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DropCopies.h"

#include "kiln/Dialect/Program/IR/CopiesFirst.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::program;

/// True if `written` is the memory of `read` from its first byte on.
static bool isInPlace(Value written, Value read) {
  if (written == read)
    return true;
  if (auto view = written.getDefiningOp<ViewOp>())
    return view.getBase() == read && view.getOffset().isConstant(0);
  auto to = written.getDefiningOp<AllocOp>(),
       from = read.getDefiningOp<AllocOp>();
  return to && from && to.getPlaceAttr() &&
         to.getPlaceAttr() == from.getPlaceAttr();
}

void program::dropCopies(FuncOp function) {
  for (auto launch : function.getBody().getOps<LaunchOp>()) {
    if (!launch->removeAttr(kCopiesFirstAttrName))
      continue;
    ArrayRef<int64_t> pairs =
        launch.getOverwrites().value_or(ArrayRef<int64_t>());
    bool stays = pairs.empty();
    for (size_t k = 0; k < pairs.size(); k += 2)
      stays |= !isInPlace(launch.getBuffers()[pairs[k]],
                          launch.getBuffers()[pairs[k + 1]]);
    GridAttr grid = launch.getGridAttr();
    if (stays || !grid || grid.getSteps().size() < 2)
      continue;
    Builder builder(launch.getContext());
    ArrayRef<Attribute> steps = grid.getSteps().getValue().drop_front();
    launch.setGridAttr(GridAttr::get(
        launch.getContext(), builder.getArrayAttr(steps), grid.getWorkspace(),
        grid.getNarrow(), grid.getLibrary(), grid.getChecks()));
    launch.setKernelAttr(cast<GridStepAttr>(steps.front()).getKernel());
  }
}
