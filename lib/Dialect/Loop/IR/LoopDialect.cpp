//===- LoopDialect.cpp - Registration and helpers -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/IR/Loop.h"

#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Interfaces/Stages.h"

#include "mlir/Interfaces/FoldInterfaces.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

#include "kiln/Dialect/Loop/IR/LoopDialect.cpp.inc"

namespace {

/// Constants that folding makes stay in the body they are used in: a body is
/// read, moved and inlined as a whole.
struct LoopFoldInterface : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;

  bool shouldMaterializeInto(Region *region) const final {
    return isa_and_nonnull<NestOpInterface>(region->getParentOp());
  }
};

/// Nests and kernels are gone when there is code; calls stay to the end.
struct LoopStages : StageDialectInterface {
  using StageDialectInterface::StageDialectInterface;

  StageRange getStages(Operation *op) const final {
    if (isa<LaunchOp, LaunchGridOp>(op))
      return {Stage::Kernel, Stage::Kernel};
    if (isa<InvokeOp>(op))
      return {Stage::Capture, Stage::Kernel};
    if (isa<ExternOp, AssembleOp>(op))
      return {Stage::Loop, Stage::Kernel};
    return {Stage::Loop, Stage::Loop};
  }

  std::string getUnmet(Operation *op, Stage, bool) const final {
    if (isa<NestOpInterface>(op) && !isa<KernelOp>(op->getParentOp()))
      return "it inside of a 'loop.kernel', where 'loop-fuse' puts it";
    auto kernel = dyn_cast<KernelOp>(op);
    if (kernel && !kernel.getScheduleAttr())
      return "a schedule, as 'loop-choose-schedule' gives it";
    return {};
  }
};

} // namespace

void LoopDialect::initialize() {
  registerLoopAttributes();
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Loop/IR/LoopKernelOps.cpp.inc"
      >();
  addInterfaces<LoopFoldInterface, LoopStages>();
}

SmallVector<guard::ExprAttr> loop::getExprs(ArrayAttr list) {
  return llvm::map_to_vector(
      list, [](Attribute expr) { return cast<guard::ExprAttr>(expr); });
}

ArrayAttr loop::getExprArray(MLIRContext *context,
                             ArrayRef<guard::ExprAttr> exprs) {
  SmallVector<Attribute> list(exprs.begin(), exprs.end());
  return ArrayAttr::get(context, list);
}

SmallVector<guard::ExprAttr> loop::getIdentityMap(MLIRContext *context,
                                                  unsigned count) {
  SmallVector<guard::ExprAttr> map;
  for (unsigned i = 0; i < count; ++i)
    map.push_back(guard::getDim(context, i));
  return map;
}

bool loop::isSmallFloat(Type elementType) {
  return isa<FloatType>(elementType) &&
         elementType.getIntOrFloatBitWidth() == 8;
}

Type loop::getBodyType(Type elementType) {
  if (isa<IntegerType>(elementType) || isSmallFloat(elementType))
    return IntegerType::get(elementType.getContext(),
                            elementType.getIntOrFloatBitWidth());
  return elementType;
}

SmallVector<StringRef> loop::getOrigins(Operation *op) {
  SmallVector<StringRef> names;
  if (auto list = op->getAttrOfType<ArrayAttr>("origins"))
    for (Attribute name : list)
      names.push_back(cast<StringAttr>(name).getValue());
  return names;
}

void loop::mergeOrigins(SmallVectorImpl<StringRef> &origins,
                        ArrayRef<StringRef> more) {
  for (StringRef name : more)
    if (!llvm::is_contained(origins, name))
      origins.push_back(name);
}

ArrayAttr loop::getOriginsAttr(MLIRContext *context,
                               ArrayRef<StringRef> origins) {
  if (origins.empty())
    return {};
  return Builder(context).getStrArrayAttr(origins);
}
