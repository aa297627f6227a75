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
#include "kiln/Interfaces/LoopLoweringOpInterface.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

//===----------------------------------------------------------------------===//
// Arguments of families
//===----------------------------------------------------------------------===//

static void fill(SmallVector<int64_t> &field, DenseI64ArrayAttr list) {
  if (list)
    field.assign(list.asArrayRef().begin(), list.asArrayRef().end());
}
static void fill(SmallVector<int64_t> &field, IntegerAttr number) {
  if (number)
    field.assign(1, number.getInt());
}
static void fill(SmallVector<bool> &field, DenseBoolArrayAttr list) {
  if (list)
    field.assign(list.asArrayRef().begin(), list.asArrayRef().end());
}
static void fill(SmallVector<double> &field, DenseF64ArrayAttr list) {
  if (list)
    field.assign(list.asArrayRef().begin(), list.asArrayRef().end());
}
static void fill(std::optional<int64_t> &field, IntegerAttr number) {
  if (number)
    field = number.getInt();
}
static void fill(std::optional<bool> &field, BoolAttr flag) {
  if (flag)
    field = flag.getValue();
}
static void fill(std::optional<double> &field, FloatAttr number) {
  if (number)
    field = number.getValueAsDouble();
}
static void fill(StringRef &field, StringAttr word) {
  if (word)
    field = word.getValue();
}
static void fill(guard::ExprAttr &field, guard::ExprAttr number) {
  field = number;
}
static void fill(Exprs &field, guard::ShapeAttr sizes) {
  field = toExprs(sizes);
}
/// A list of tensors some of which are absent.
static void fill(SmallVector<Value> &field, OperandRange tensors,
                 ArrayRef<bool> present) {
  auto next = tensors.begin();
  for (bool isPresent : present)
    field.push_back(isPresent ? Value(*next++) : Value());
}

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
