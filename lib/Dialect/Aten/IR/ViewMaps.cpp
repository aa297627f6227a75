//===- ViewMaps.cpp - What a view op shows, as data -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/IR/ViewMaps.h"
#include "kiln/Dialect/Aten/IR/AtenBase.h"
#include "kiln/Dialect/Aten/IR/AtenOps.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"

#include "ShapeRules.h"
#include "ViewWorld.h"

#include "kiln/Base/ViewElementRules.h"

#include "mlir/IR/TypeUtilities.h"

using namespace kiln;
using namespace kiln::aten;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static ViewWorld::Sizes dimsOf(Value tensor) {
  auto dims = guard::getDims(llvm::cast<RankedTensorType>(tensor.getType()));
  return ViewWorld::Sizes(dims->begin(), dims->end());
}

ViewWorld::Sizes ViewWorld::sizes(unsigned i) {
  return dimsOf(infer.getArgument(i).getValue());
}

std::vector<ViewWorld::Sizes> ViewWorld::allSizes(unsigned i) {
  std::vector<Sizes> all;
  for (Value tensor : infer.getArgument(i).getValues())
    all.push_back(dimsOf(tensor));
  return all;
}

ViewWorld::Sizes ViewWorld::numbers(unsigned i) {
  auto shape = llvm::dyn_cast_if_present<guard::ShapeAttr>(
      infer.getArgument(i).getAttribute());
  if (!shape)
    return {};
  return Sizes(shape.getDims().begin(), shape.getDims().end());
}

std::vector<int64_t> ViewWorld::integers(unsigned i) {
  auto list = llvm::dyn_cast_if_present<mlir::DenseI64ArrayAttr>(
      infer.getArgument(i).getAttribute());
  return list ? std::vector<int64_t>(list.asArrayRef())
              : std::vector<int64_t>();
}

int64_t ViewWorld::integer(unsigned i, int64_t otherwise) {
  auto attr = llvm::dyn_cast_if_present<mlir::IntegerAttr>(
      infer.getArgument(i).getAttribute());
  return attr ? attr.getInt() : otherwise;
}

std::optional<ExprAttr> ViewWorld::optional(unsigned i) {
  auto expr = llvm::dyn_cast_if_present<ExprAttr>(
      infer.getArgument(i).getAttribute());
  return expr ? std::optional(expr) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// What rules ask
//===----------------------------------------------------------------------===//

ExprAttr ViewWorld::notNegative(ExprAttr n) {
  return guard::isKnownNonNegative(n, guard::Assumptions())
             ? n
             : guard::max(n, constant(0));
}

ExprAttr ViewWorld::bound(ExprAttr bound, ExprAttr size) {
  if (std::optional<int64_t> value = bound.getConstant()) {
    if (*value == std::numeric_limits<int64_t>::max())
      return size;
    if (*value == 0)
      return bound;
    if (*value < 0)
      return guard::max(guard::add(size, bound), constant(0));
    return guard::min(bound, size);
  }
  if (bound == size)
    return size;
  // size - k is a bound from the end already resolved.
  std::optional<int64_t> beyond = guard::sub(bound, size).getConstant();
  if (beyond && *beyond >= 0)
    return size;
  if (!guard::isKnownNonNegative(bound, guard::Assumptions())) {
    bound = guard::select(guard::lt(bound, constant(0)),
                          guard::add(bound, size), bound);
    bound = guard::max(bound, constant(0));
  }
  return guard::min(bound, size);
}

ExprAttr ViewWorld::wrapped(ExprAttr index, ExprAttr size) {
  if (guard::isKnownNonNegative(index, guard::Assumptions()))
    return index;
  if (index.isConstant())
    return index + size;
  return guard::select(guard::lt(index, constant(0)), index + size, index);
}

std::optional<ViewWorld::Sizes> ViewWorld::broadcast(const Sizes &a,
                                                     const Sizes &b) {
  FailureOr<Dims> joined = broadcastDims(infer, a, b);
  if (failed(joined))
    return std::nullopt;
  return Sizes(joined->begin(), joined->end());
}

bool ViewWorld::haveOneType() {
  return llvm::all_equal(llvm::map_range(
      infer.getArgument(0).getValues(),
      [](Value tensor) { return mlir::getElementTypeOrSelf(tensor); }));
}

static Type getElementType(Inference &infer) {
  return infer.getElementType(infer.getFirstTensor());
}

bool ViewWorld::isComplex() {
  return llvm::isa<mlir::ComplexType>(getElementType(infer));
}

bool ViewWorld::hasComplex() {
  Type type = getElementType(infer);
  return type.isF16() || type.isF32() || type.isF64();
}

static int64_t getItemSize(Type type) {
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(type))
    return 2 * getItemSize(complex.getElementType());
  // A bool takes a byte.
  return std::max(8u, type.getIntOrFloatBitWidth()) / 8;
}

int64_t ViewWorld::itemSize() { return getItemSize(getElementType(infer)); }

int64_t ViewWorld::itemSizeOfResult() {
  return getItemSize(infer.getDType());
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

namespace kiln::aten::maps {
/// A rule needs the sizes of all tensors, and gives its maps or says why not.
template <typename Rule>
static LogicalResult run(Inference &infer, ViewMaps &maps, Rule rule) {
  for (auto [i, arg] : llvm::enumerate(infer.info.args))
    for (Value value : infer.getArgument(i).getValues())
      if (failed(infer.getDims(value, arg.name)))
        return failure();
  ViewWorld world(infer);
  auto views = rule(world);
  if (!views)
    return failure();
  for (auto &view : *views)
    maps.push_back(ViewMap{std::move(view)});
  return success();
}

#define KILN_VIEW(id, overload, copies, call)                                  \
  LogicalResult id(Inference &infer, ViewMaps &maps) {                         \
    return run(infer, maps, [](ViewWorld &w) { return call; });                \
  }
#include "kiln/Dialect/Aten/IR/AtenViews.inc"
} // namespace kiln::aten::maps

FailureOr<ViewMaps> aten::getViewMaps(Operation *op) {
  const OpInfo *info = getOpInfo(op);
  if (!info || !info->viewMaps)
    return failure();
  SmallVector<Type> types;
  SmallVector<ArgValue> args = getSchemaArguments(op);
  Inference infer(op->getContext(), std::nullopt, *info, args, types);
  infer.resultCount = op->getNumResults();
  ViewMaps maps;
  if (failed(info->viewMaps(infer, maps)) ||
      maps.size() != op->getNumResults())
    return failure();
  // As the program writes them, which may know which dimensions have size 1.
  for (auto [map, result] : llvm::zip_equal(maps, op->getResults())) {
    auto dims = guard::getDims(llvm::cast<RankedTensorType>(result.getType()));
    if (!dims || dims->size() != map.sizes.size())
      return failure();
    map.sizes.assign(dims->begin(), dims->end());
  }
  return maps;
}

SmallVector<ExprAttr> ViewMap::getIndex() const {
  SmallVector<ExprAttr> index(start.begin(), start.end());
  for (const auto &step : steps) {
    MLIRContext *context = step.by.getContext();
    index[step.to] =
        index[step.to] + guard::getDim(context, step.from) * step.by;
  }
  return index;
}

LogicalResult rules::viewed(Inference &infer) {
  ViewMaps maps;
  if (failed(infer.info.viewMaps(infer, maps)))
    return failure();
  const ArgValue &tensors = infer.getArgument(0);
  FailureOr<Type> type = tensors.isList() ? Type() : infer.getPromotedType();
  if (failed(type))
    return failure();
  for (const ViewMap &map : maps)
    infer.addResult(map.sizes,
                    *type ? *type
                          : mlir::getElementTypeOrSelf(
                                tensors.getValues()[map.tensor]));
  return success();
}

//===----------------------------------------------------------------------===//
// Views that show what they are given
//===----------------------------------------------------------------------===//

/// True if every dimension is stepped through from its start, in order.
static bool showsAll(const ViewMap &map) {
  if (map.kind != ViewKind::Strided || map.steps.size() != map.sizes.size())
    return false;
  return llvm::all_of(map.steps, [&](const auto &step) {
    return step.from == step.to && step.by.isConstant(1) &&
           map.start[step.to].isConstant(0);
  });
}

Value aten::getSameView(Operation *op) {
  auto view = llvm::dyn_cast<ViewOpInterface>(op);
  const OpInfo *info = getOpInfo(op);
  // A gradient stops at what is detached.
  if (!view || !info || op->getNumResults() != 1 ||
      llvm::isa<DetachOp, ContiguousOp>(op) ||
      op->getOperand(0).getType() != op->getResult(0).getType())
    return {};
  FailureOr<ViewMaps> maps = view.getViewMaps();
  if (failed(maps))
    return {};
  const ViewMap &map = maps->front();
  if (map.elements != ViewElements::Same || map.tensor != 0)
    return {};
  // What may copy does so for strides, which the same sizes in order do not
  // need.
  bool isInOrder = map.kind == ViewKind::InOrder &&
                   (info->isView || info->isSilentView || info->mayCopy);
  bool isView = info->isView && !info->mayCopy && showsAll(map);
  return isInOrder || isView ? op->getOperand(0) : Value();
}
