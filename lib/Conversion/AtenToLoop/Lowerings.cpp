//===- Lowerings.cpp - The lowerings of records ---------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"

#include "kiln/Conversion/AtenToLoop.h"
#include "kiln/Dialect/Aten/IR/Aten.h"
#include "kiln/Dialect/Aten/IR/AtenBase.h"
#include "kiln/Dialect/Aten/IR/FamilyFields.h"
#include "kiln/Interfaces/LoopLoweringOpInterface.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

#include "kiln/Conversion/AtenToLoop/Lowerings.cpp.inc"

const Lowering *loop::lookUpLowering(const aten::OpInfo &info) {
  static const auto *table = [] {
    auto *map = new llvm::DenseMap<const aten::OpInfo *, const Lowering *>();
    for (const Lowering &lowering : kLowerings)
      map->try_emplace(&lowering.getInfo(), &lowering);
    return map;
  }();
  return table->lookup(&info);
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

namespace {
/// Of an op whose record has a lowering or a loop body; the lowering counts.
struct RecordLowering : LoopLoweringOpInterface::FallbackModel<RecordLowering> {
  LogicalResult lowerToLoops(Operation *op, LoopBuilder &loops) const {
    const Lowering *lowering = lookUpLowering(*aten::getOpInfo(op));
    return lowering ? lowering->function(loops, op) : lowerBody(loops, op);
  }
  bool takesAnyElements(Operation *op) const {
    const Lowering *lowering = lookUpLowering(*aten::getOpInfo(op));
    return lowering && lowering->takesAnyElements;
  }
};
} // namespace

void kiln::registerAtenLoopLowerings(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, aten::AtenDialect *) {
    for (const aten::OpInfo *info : aten::getAllOverloads()) {
      if (!lookUpLowering(*info) && !hasLoopBody(*info))
        continue;
      if (auto name = RegisteredOperationName::lookup(info->name, context))
        name->attachInterface<RecordLowering>();
    }
  });
}
