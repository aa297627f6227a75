//===- ShapeRulesLoss.cpp - Sizes of losses and their gradients -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeRules.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace kiln;
using namespace kiln::aten;

static FailureOr<Dims> getLossDims(Inference &infer) {
  Dims dims;
  for (StringRef name : {"self", "target", "weight", "pos_weight"}) {
    if (!infer.has(name))
      continue;
    FailureOr<Dims> operand = infer.getDims(name);
    if (failed(operand))
      return failure();
    FailureOr<Dims> joined = broadcastDims(infer, dims, *operand);
    if (failed(joined))
      return failure();
    dims = std::move(*joined);
  }
  return dims;
}

static LogicalResult addLoss(Inference &infer, ArrayRef<ExprAttr> dims) {
  bool isReduced = *infer.getInt("reduction") != 0;
  return infer.addPromoted(isReduced ? ArrayRef<ExprAttr>() : dims);
}

LogicalResult rules::loss(Inference &infer) {
  FailureOr<Dims> dims = getLossDims(infer);
  return failed(dims) ? failure() : addLoss(infer, *dims);
}

LogicalResult rules::floatLoss(Inference &infer) {
  FailureOr<Dims> dims = getLossDims(infer);
  if (failed(dims))
    return failure();
  if (isIntegral(infer.getElementType("self")) ||
      isIntegral(infer.getElementType("target")))
    return infer.fail("expects floats");
  return addLoss(infer, *dims);
}

/// PyTorch computes some losses in the memory of a copy of one operand, which
/// decides about sizes and type.
static LogicalResult inferLossIn(Inference &infer, StringRef copied) {
  FailureOr<Dims> dims = getLossDims(infer), sizes = infer.getDims(copied);
  if (failed(dims) || failed(sizes))
    return failure();
  bool fits = sizes->size() == dims->size();
  for (auto [a, b] : llvm::zip(*sizes, *dims))
    fits &= !infer.differ(a, b);
  if (!fits)
    return infer.fail("expects operands that broadcast to '" + copied + "'");
  if (isIntegral(infer.getElementType(copied)))
    return infer.fail("expects '" + copied + "' to be of floats");
  return addLoss(infer, *dims);
}

LogicalResult rules::lossInSelf(Inference &infer) {
  return inferLossIn(infer, "self");
}

LogicalResult rules::lossInTarget(Inference &infer) {
  return inferLossIn(infer, "target");
}

LogicalResult rules::lossBackward(Inference &infer) {
  FailureOr<Dims> dims = getLossDims(infer);
  if (failed(dims))
    return failure();
  return infer.addPromoted(*dims);
}

LogicalResult rules::lossBackwardLikeSelf(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  for (StringRef name : {"grad_output", "target", "weight"}) {
    if (!infer.has(name))
      continue;
    FailureOr<Dims> operand = infer.getDims(name);
    if (failed(operand))
      return failure();
    FailureOr<Dims> joined = broadcastDims(infer, *dims, *operand);
    if (failed(joined))
      return failure();
    bool fits = joined->size() == dims->size();
    for (auto [a, b] : llvm::zip(*joined, *dims))
      fits &= !infer.differ(a, b);
    if (!fits)
      return infer.fail("expects '" + name + "' to broadcast to 'self'");
  }
  return infer.addPromoted(*dims);
}

LogicalResult rules::multiMarginLoss(Inference &infer) {
  FailureOr<Dims> self = infer.getDims("self");
  FailureOr<Dims> target = infer.getDims("target");
  if (failed(self) || failed(target))
    return failure();
  if (self->size() > 2 || target->size() > 1)
    return infer.fail("expects 'self' of rank 2 at most and 'target' of rank 1 "
                      "at most, but found ranks " + Twine(self->size()) +
                      " and " + Twine(target->size()));
  if (self->size() == 2 && target->size() == 1 &&
      infer.differ(self->front(), target->front()))
    return infer.fail("expects a target for each of " +
                      Twine(self->front().str()) + " samples, but found " +
                      target->front().str());
  bool isBatched = self->size() == 2 && *infer.getInt("reduction") == 0;
  return infer.addPromoted(isBatched ? *target : Dims());
}

LogicalResult rules::nllLoss(Inference &infer) {
  SmallVector<Type> types;
  Inference both = infer.withResults(types);
  if (failed(nllLossForward(both)))
    return failure();
  return infer.addPromoted(
      *guard::getDims(llvm::cast<RankedTensorType>(types.front())));
}
