//===- LoopInterfaces.cpp - What nests have in common ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/IR/Loop.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

#include "kiln/Dialect/Loop/IR/LoopInterfaces.cpp.inc"

SmallVector<guard::ExprAttr> Domain::all() const {
  SmallVector<guard::ExprAttr> extents(parallel);
  extents.append(reduction.begin(), reduction.end());
  return extents;
}

//===----------------------------------------------------------------------===//
// Behind the interfaces
//===----------------------------------------------------------------------===//

SmallVector<guard::ExprAttr> loop::detail::getResultMap(Operation *op) {
  auto nest = cast<NestOpInterface>(op);
  unsigned parallel = nest.getDomain().parallel.size();
  auto map = getIdentityMap(op->getContext(), parallel);
  if (auto dimension = nest.getRowDimension())
    map.insert(map.begin() + *dimension,
               guard::getDim(op->getContext(), parallel));
  return map;
}

AccumulatorKind loop::detail::getKind(ArrayAttr kinds, unsigned i) {
  for (auto attr : kinds.getAsRange<ReductionKindAttr>()) {
    unsigned count = getRecord(attr.getValue()).carried.size();
    if (count == 0 || i < count)
      return {attr.getValue(), i};
    i -= count;
  }
  return {ReductionKind::Generic, i};
}

TypedAttr loop::detail::getNeutral(Operation *nest, Builder &builder,
                                   unsigned i) {
  auto op = cast<AccumulationOpInterface>(nest);
  auto [kind, position] = op.getKind(i);
  return loop::getNeutral(builder, kind, position, op.getAccumulatorTypes()[i],
                          hasUnsignedElements(op->getResult(i)));
}

bool loop::detail::roundsEachStep(Operation *nest) {
  auto op = cast<AccumulationOpInterface>(nest);
  return llvm::all_of(
      llvm::enumerate(op.getAccumulatorTypes()), [&](auto accumulator) {
        return getRecord(op.getKind(accumulator.index()).kind).rounds &&
               isa<FloatType>(accumulator.value());
      });
}

FailureOr<SmallVector<Value>>
loop::detail::combine(Operation *nest, ImplicitLocOpBuilder &builder,
                      ArrayRef<Value> left, ArrayRef<Value> right,
                      GenericCombiner generic) {
  auto op = cast<AccumulationOpInterface>(nest);
  SmallVector<Value> result;
  while (result.size() < left.size()) {
    unsigned i = result.size();
    ReductionKind kind = op.getKind(i).kind;
    unsigned count = getRecord(kind).carried.size();
    if (count == 0)
      return generic(left, right);
    combineKind(builder, kind, hasUnsignedElements(op->getResult(i)),
                left.slice(i, count), right.slice(i, count), result);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Nests
//===----------------------------------------------------------------------===//

Domain PointwiseOp::getDomain() { return {getExprs(getExtents()), {}}; }

StringRef PointwiseOp::getNoun() { return "Pointwise"; }

Domain ReduceOp::getDomain() {
  return {getExprs(getParallelExtents()), getExprs(getReductionExtents())};
}

StringRef ReduceOp::getNoun() { return "Reduction"; }

Domain ScanOp::getDomain() {
  return {getExprs(getParallelExtents()), {getRowExtent()}};
}

std::optional<int64_t> ScanOp::getRowDimension() { return getDimension(); }

StringRef ScanOp::getNoun() { return "Scan"; }

Domain SortOp::getDomain() {
  return {getExprs(getParallelExtents()), {getRowExtent()}};
}

std::optional<int64_t> SortOp::getRowDimension() { return getDimension(); }

bool SortOp::holdsRow() { return true; }

StringRef SortOp::getNoun() { return "Sort"; }

Domain ScatterOp::getDomain() { return {getExprs(getExtents()), {}}; }

Value ScatterOp::getInitialTensor() { return getInit(); }

bool ScatterOp::isOrdered() { return true; }

bool ScatterOp::standsAlone(unsigned) { return true; }

StringRef ScatterOp::getNoun() { return "Scatter"; }

Domain ContractOp::getDomain() {
  return {getExprs(getParallelExtents()), getExprs(getReductionExtents())};
}

std::optional<unsigned> ContractOp::getDimensionOf(BlockArgument argument) {
  // Indices are there in the epilogue alone, behind the accumulator.
  if (argument.getOwner()->getParent() != &getEpilogue() ||
      argument.getArgNumber() == 0)
    return std::nullopt;
  return argument.getArgNumber() - 1;
}

SmallVector<guard::ExprAttr> ContractOp::getBodyExtents() {
  return getExprs(getParallelExtents());
}

SmallVector<OperandRead> ContractOp::getOperandReads() {
  bool masked = !getMasks().empty();
  SmallVector<OperandRead> reads = {
      {getLhs(), getExprs(getLhsIndices()), masked},
      {getRhs(), getExprs(getRhsIndices()), masked}};
  // And the end before it: all of them, for who asks where it is read.
  if (isGrouped())
    reads.push_back(
        {getEnds(), {guard::getDim(getContext(), getGroupDim())}, true});
  return reads;
}

bool ContractOp::standsAlone(unsigned) { return true; }

StringRef ContractOp::getNoun() { return "Contraction"; }
