//===- StructuredOp.cpp - What a linalg op says ---------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StructuredOp.h"

#include "kiln/Dialect/Guard/IR/AffineForm.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace kiln;
using namespace mlir;
using guard::ExprAttr;
using loop::ReductionKind;

/// An affine expression or map as text.
template <typename T> static std::string toText(T affine) {
  std::string text;
  llvm::raw_string_ostream(text) << affine;
  return text;
}

LogicalResult StructuredOp::readOrder() {
  unsigned loops = op.getNumLoops();
  order.assign(loops, loops);
  AffineMap first = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  unsigned next = 0;
  for (AffineExpr result : first.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(result);
        dim && order[dim.getPosition()] == loops)
      order[dim.getPosition()] = next++;
  for (auto [i, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool isParallel = iterator == utils::IteratorType::parallel;
    if (isParallel != (order[i] < loops))
      return op->emitOpError("iterator ")
             << i << " is " << utils::stringifyIteratorType(iterator)
             << ", expected the parallel iterators, and no others, as indices "
                "of each result";
    if (!isParallel)
      order[i] = next++;
  }
  // Results of a reduction are of one shape; others are nests of their own.
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    bool isSame = map == first;
    if (!isSame || !map.isProjectedPermutation() ||
        map.getNumResults() != op.getNumParallelLoops())
      return op->emitOpError("writes result ")
             << init.getOperandNumber() - op.getNumDpsInputs() << " by "
             << toText(map) << ", expected "
             << (isSame ? "a permutation of the parallel iterators"
                        : "the map of the first result");
  }
  return success();
}

LogicalResult StructuredOp::readIndices() {
  Exprs dims;
  for (unsigned dim : order)
    dims.push_back(guard::getDim(op->getContext(), dim));
  for (OpOperand &operand : op->getOpOperands()) {
    Exprs exprs;
    for (AffineExpr result : op.getMatchingIndexingMap(&operand).getResults()) {
      exprs.push_back(guard::fromAffine(result, dims));
      if (!exprs.back())
        return op->emitOpError("reads operand ")
               << operand.getOperandNumber() << " at " << toText(result)
               << ", which is no expression of indices";
    }
    indices.push_back(std::move(exprs));
  }
  return success();
}

LogicalResult StructuredOp::readExtents() {
  Exprs extents(op.getNumLoops());
  for (auto [operand, exprs] : llvm::zip_equal(op->getOperands(), indices)) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type)
      continue;
    auto sizes = guard::getDims(type);
    if (!sizes)
      return op->emitOpError("has an operand of type ")
             << type << ", expected static sizes or names of them (#guard.shape)";
    for (auto [size, expr] : llvm::zip_equal(*sizes, exprs))
      if (expr.isDim() && !extents[expr.getPosition()])
        extents[expr.getPosition()] = size;
  }
  for (auto [i, extent] : llvm::enumerate(extents)) {
    if (!extent)
      return op->emitOpError("has an iterator that is no dimension of an operand "
                             "by itself: its extent is not known");
    (i < op.getNumParallelLoops() ? parallel : reduction).push_back(extent);
  }
  return success();
}

FailureOr<StructuredOp> StructuredOp::read(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return op->emitOpError("works on buffers, expected tensors");
  for (Value operand : op->getOperands())
    if (!getElementTypeOrSelf(operand.getType()).isIntOrFloat())
      return op->emitOpError("has an operand of type ")
             << operand.getType() << ", expected integers or floats";
  for (OpOperand &init : op.getDpsInitsMutable())
    if (op.payloadUsesValueFromOperand(&init) &&
        init.get().getDefiningOp<tensor::EmptyOp>())
      return op->emitOpError("starts from the contents of 'tensor.empty', which "
                             "are undefined; expected a filled tensor");
  StructuredOp structured(op);
  if (failed(structured.readOrder()) || failed(structured.readIndices()) ||
      failed(structured.readExtents()))
    return failure();
  return structured;
}

/// The kind that joins as `combiner` does.
static std::optional<ReductionKind> getKind(Operation *combiner) {
  // The greater of signed numbers of one bit, 0 and -1, is -1 only of two: to a
  // reduction, which takes these as truths, that is `all`.
  bool isTruth = combiner->getNumResults() == 1 &&
                 combiner->getResult(0).getType().isInteger(1);
  return llvm::TypeSwitch<Operation *, std::optional<ReductionKind>>(combiner)
      .Case<arith::AddFOp, arith::AddIOp>(
          [](auto) { return ReductionKind::Sum; })
      .Case<arith::MulFOp, arith::MulIOp>(
          [](auto) { return ReductionKind::Prod; })
      .Case<arith::MaximumFOp>([](auto) { return ReductionKind::Max; })
      .Case<arith::MinimumFOp>([](auto) { return ReductionKind::Min; })
      .Case<arith::MaxSIOp>([&](auto) {
        return isTruth ? ReductionKind::All : ReductionKind::Max;
      })
      .Case<arith::MinSIOp>([&](auto) {
        return isTruth ? ReductionKind::Any : ReductionKind::Min;
      })
      .Case<arith::AndIOp>([](auto) { return ReductionKind::All; })
      .Case<arith::OrIOp>([](auto) { return ReductionKind::Any; })
      .Case<arith::XOrIOp>([](auto) { return ReductionKind::Xor; })
      .Default([](Operation *) { return std::nullopt; });
}

FailureOr<Accumulation> StructuredOp::getAccumulation(unsigned i) {
  BlockArgument so = op.getRegionOutputArgs()[i];
  Operation *combiner =
      op.getBlock()->getTerminator()->getOperand(i).getDefiningOp();
  auto kind = combiner ? getKind(combiner) : std::nullopt;
  if (!kind || !so.hasOneUse() || *so.user_begin() != combiner)
    return op->emitOpError("accumulates result ")
           << i << " by " << (combiner ? combiner->getName().getStringRef()
                                       : StringRef("no operation"))
           << ", expected a sum, product, maximum (maximumf, maxsi), minimum, or "
              "bits, of what was there and one value";
  bool isLeft = combiner->getOperand(0) == so;
  return Accumulation{*kind, combiner->getOperand(isLeft ? 1 : 0)};
}
