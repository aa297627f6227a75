//===- Reduction.cpp - Sums and extrema over dimensions -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

/// An unsigned type compares in a signed one that holds it.
static Type getSigned(Type type) {
  return IntegerType::get(type.getContext(),
                          type.getIntOrFloatBitWidth() < 32 ? 32 : 64);
}

LogicalResult loop::lowerArg(LoopBuilder &loops, Value tensor,
                             ArrayRef<int64_t> dims, bool isMax,
                             bool withValues) {
  View self = loops.getView(tensor);
  Type from = loops.getElement(self.base);
  RankedTensorType indices = loops.getResultType(withValues ? 1 : 0);
  auto domain = loops.getReducedDomain(self, dims, *guard::getDims(indices));
  if (!domain)
    return failure();
  // Unsigned bytes and bool compare as wider integers.
  Type acc = LoopBuilder::getComputeType(from);
  if (from.isUnsignedInteger() || from.isInteger(1))
    acc = getSigned(from);
  Type valueType = withValues ? loops.getResultType(0).getElementType() : acc;
  bool isBool = getBodyType(valueType).isInteger(1);
  if (isBool)
    valueType = acc;
  auto values = cast<RankedTensorType>(indices.clone(valueType));
  // The position, row by row.
  ExprAttr position = loops.expr(0);
  for (auto [i, size] : llvm::enumerate(domain->reduction))
    position = position * size + loops.dim(domain->parallel.size() + i);
  SmallVector<Value> found = loops.makeReduce(
      TypeRange({values, indices}), domain->parallel, domain->reduction,
      isMax ? ReductionKind::ArgMax : ReductionKind::ArgMin, acc,
      [&](BodyContext body, ScalarBuilder &scalars) -> SmallVector<Value> {
        Value value =
            scalars.convert(loops.read(body, self, domain->index), from, acc);
        return {value, toI64(body, loops.index(body, position))};
      });
  if (failed(loops.setMade(withValues ? 1 : 0, found[1])) || !withValues)
    return success(found[1] != nullptr);
  if (!isBool)
    return loops.setMade(0, found[0]);
  View wide = loops.getView(found[0]);
  return loops.setMade(
      0, loops.makePointwise(loops.getResultType(0), acc,
                             [&](BodyContext body, ScalarBuilder &) {
                               return loops.readAt(body, wide, body.indices);
                             }));
}

static LogicalResult lowerAny(LoopBuilder &loops, const ReductionArgs &args) {
  RankedTensorType type = loops.getResultType();
  Type stored = type.getElementType();
  // A byte holds 0 or 1 and takes the larger; bool combines bits.
  ReductionKind how =
      stored.isInteger(1) ? ReductionKind::Any : ReductionKind::Max;
  return loops.setMade(
      0, loops.reduceDims(
             loops.getView(args.self), args.dim, type, how, getBodyType(stored),
             [&](BodyContext, ScalarBuilder &scalars, Value x) {
               Value truth = scalars.toBool(x);
               return scalars.convert(truth, truth.getType(), stored);
             }));
}

static LogicalResult lowerExtremum(LoopBuilder &loops,
                                   const ReductionArgs &args, bool isMax) {
  View self = loops.getView(args.self);
  RankedTensorType type = loops.getResultType();
  Type stored = type.getElementType();
  Exprs dims(*guard::getDims(type));
  // No elements have no extremum, which the operator itself reports.
  bool isEmpty =
      llvm::any_of(dims, [](ExprAttr size) { return size.isConstant(0); });
  auto domain = loops.getReducedDomain(self, args.dim, dims);
  if (!domain)
    return failure();
  if (!isEmpty &&
      guard::product(loops.getContext(), domain->reduction).isConstant(0))
    return loops.refuse("an extremum of no elements has no kernel");
  Type acc = LoopBuilder::getComputeType(stored);
  if (stored.isUnsignedInteger())
    acc = getSigned(stored);
  ReductionKind how = isMax ? ReductionKind::Max : ReductionKind::Min;
  if (stored.isInteger(1))
    how = isMax ? ReductionKind::Any : ReductionKind::All;
  return loops.setMade(0, loops.reduceDims(self, args.dim, type, how, acc));
}

/// The extremum along a dimension, and where it is. Where nobody asks for that no lane
/// remembers it.
static LogicalResult lowerExtremumAndPlace(LoopBuilder &loops,
                                           const ReductionArgs &args,
                                           bool isMax) {
  if (!loops.isUnused(1))
    return lowerArg(loops, args.self, args.dim, isMax, /*withValues=*/true);
  RankedTensorType places = loops.getResultType(1);
  loops.setResult(1, loops.makePointwise(
                         places, places.getElementType(),
                         [&](BodyContext, ScalarBuilder &scalars) {
                           return scalars.constant(places.getElementType(),
                                                   int64_t(0));
                         }));
  return lowerExtremum(loops, args, isMax);
}

/// Sums and products convert to the result's type first.
static LogicalResult lowerTotal(LoopBuilder &loops, const ReductionArgs &args,
                                ReductionKind kind) {
  View self = loops.getView(args.self);
  Type from = LoopBuilder::getElement(args.self);
  RankedTensorType type = loops.getResultType();
  Type stored = type.getElementType();
  Type acc = getBodyType(LoopBuilder::getComputeType(stored));
  return loops.setMade(
      0, loops.reduceDims(self, args.dim, type, kind, acc,
                          [&](BodyContext, ScalarBuilder &scalars, Value x) {
                            Value converted = scalars.convert(x, from, stored);
                            return scalars.convert(converted, stored, acc);
                          }));
}

LogicalResult loop::lowerReduction(LoopBuilder &loops,
                                   const ReductionArgs &args, Reduced kind) {
  switch (kind) {
  case Reduced::ArgMax:
  case Reduced::ArgMin:
    return lowerArg(loops, args.self, args.dim, kind == Reduced::ArgMax,
                    /*withValues=*/false);
  case Reduced::MaxDim:
  case Reduced::MinDim:
    return lowerExtremumAndPlace(loops, args, kind == Reduced::MaxDim);
  case Reduced::Any:
    return lowerAny(loops, args);
  case Reduced::Max:
  case Reduced::Min:
    return lowerExtremum(loops, args, kind == Reduced::Max);
  case Reduced::Sum:
    return lowerTotal(loops, args, ReductionKind::Sum);
  case Reduced::Prod:
    return lowerTotal(loops, args, ReductionKind::Prod);
  }
  llvm_unreachable("unknown reduction");
}
