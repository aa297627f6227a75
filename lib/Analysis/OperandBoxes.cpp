//===- OperandBoxes.cpp - Operands of a contraction as they lie -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Analysis/ContractionShape.h"

using namespace kiln;
using namespace kiln::analysis;
using namespace mlir;
using loop::ContractOp;

/// Tensor `k` (A, B or C) in boxes of two groups, the innermost first.
static std::optional<OperandBoxes>
getBoxes(ContractOp op, const ContractionShape &shape, unsigned k,
         const DimGroup &inner, const DimGroup &second, int64_t multiple) {
  MLIRContext *context = op.getContext();
  SmallVector<ExprAttr> extents = op.getDomain().all();
  if (shape.isIrregular(k) || inner.dims.empty() || second.dims.empty())
    return std::nullopt;
  OperandBoxes boxes;
  boxes.sizes = {inner.extent, second.extent};
  boxes.strides = {inner.steps[k], second.steps[k]};
  auto isStill = [](ExprAttr step) { return step.isConstant(0); };
  if (!shape.batch.dims.empty() && !isStill(shape.batch.steps[k])) {
    boxes.hasBatch = true;
    boxes.sizes.push_back(shape.batch.extent);
    boxes.strides.push_back(shape.batch.steps[k]);
  }
  boxes.offset =
      guard::substitute(shape.addresses[k], [&](ExprAttr leaf) {
        return leaf.isDim() ? guard::getConstant(context, 0) : leaf;
      });
  for (auto [n, dim] : llvm::enumerate(shape.outer)) {
    auto step = guard::getCoefficient(shape.addresses[k],
                                      guard::getDim(context, dim));
    if (!step || guard::hasDims(*step))
      return std::nullopt;
    if (isStill(*step))
      continue;
    boxes.outer.push_back(n);
    boxes.sizes.push_back(extents[dim]);
    boxes.strides.push_back(*step);
  }
  auto fits = [&](ExprAttr expr) {
    auto constant = expr.getConstant();
    return constant && *constant >= 0 && *constant % multiple == 0;
  };
  if (!boxes.strides.front().isConstant(1) || boxes.sizes.size() > 5 ||
      !fits(boxes.offset) ||
      !llvm::all_of(ArrayRef(boxes.strides).drop_front(),
                    [&](ExprAttr stride) {
                      return fits(stride) && !isStill(stride);
                    }))
    return std::nullopt;
  return boxes;
}

std::optional<OperandBoxes>
analysis::getOperandBoxes(ContractOp op, const ContractionShape &shape,
                          unsigned k, int64_t multiple) {
  const DimGroup &across = k == 0 ? shape.rows : shape.columns;
  bool alongSum = shape.sum.steps[k] && shape.sum.steps[k].isConstant(1);
  auto boxes = getBoxes(op, shape, k, alongSum ? shape.sum : across,
                        alongSum ? across : shape.sum, multiple);
  if (boxes)
    boxes->alongSum = alongSum;
  return boxes;
}

std::optional<OperandBoxes>
analysis::getResultBoxes(ContractOp op, const ContractionShape &shape,
                         int64_t multiple) {
  return getBoxes(op, shape, /*k=*/2, shape.columns, shape.rows, multiple);
}

/// How many of the first indices along `dim` a mask lets through, for each of the others
/// alike; nothing where it leaves out others.
static std::optional<int64_t> countLeading(ExprAttr mask, unsigned dim,
                                           int64_t extent) {
  ExprAttr leaf = guard::getDim(mask.getContext(), dim);
  if (!guard::contains(mask, leaf))
    return extent;
  if (mask.getKind() == guard::ExprKind::And) {
    for (ExprAttr part : mask.getOperands()) {
      auto count = countLeading(part, dim, extent);
      if (!count)
        return std::nullopt;
      extent = std::min(extent, *count);
    }
    return extent;
  }
  int64_t count = 0;
  for (int64_t index = 0; index < extent; ++index) {
    auto isIn = guard::substitute(mask, [&](ExprAttr other) {
                  return other == leaf
                             ? guard::getConstant(mask.getContext(), index)
                             : other;
                }).getConstant();
    if (!isIn || (*isIn != 0 && count < index))
      return std::nullopt;
    count += *isIn != 0;
  }
  return count;
}

int64_t analysis::countUnmasked(const ContractionShape &shape, unsigned k) {
  const DimGroup::Run &run = shape.sum.runs.back();
  int64_t extent = *run.extent.getConstant();
  return shape.masks[k] && run.dims.size() == 1
             ? countLeading(shape.masks[k], run.dims.front(), extent)
                   .value_or(extent)
             : extent;
}

/// Whether a mask may depend on dimension `dim` of a run whose vectors are copied: where it
/// lets the first indices through, part of a vector is.
static bool mayMask(ExprAttr mask, const DimGroup::Run &run, bool alongSum) {
  constexpr int64_t kMostExtent = 1024;
  auto extent = run.extent.getConstant();
  return alongSum && run.dims.size() == 1 && extent && *extent <= kMostExtent &&
         countLeading(mask, run.dims.front(), *extent);
}

/// True if `group`'s innermost run is as `hasSumVectors` wants the sum's.
static bool hasVectorsAlong(ContractOp op, const ContractionShape &shape,
                            unsigned k, const DimGroup &group, int64_t lanes) {
  MLIRContext *context = op.getContext();
  bool isLeft = (k == 0) != shape.exchanged;
  if (!(isLeft ? op.getLhsPrologue() : op.getRhsPrologue()).empty() ||
      group.dims.empty() || shape.sum.dims.empty() ||
      shape.sum.extent.getConstant().value_or(0) < 1)
    return false;
  auto divides = [&](ExprAttr expr) {
    auto constant = expr.getConstant();
    return constant && *constant % lanes == 0;
  };
  const DimGroup::Run &run = group.runs.back();
  ExprAttr first = guard::substitute(shape.addresses[k], [&](ExprAttr leaf) {
    return leaf.isDim() ? guard::getConstant(context, 0) : leaf;
  });
  if (!run.steps[k].isConstant(1) || !divides(first) || !divides(run.extent))
    return false;
  for (unsigned dim = 0; dim < op.getDomain().rank(); ++dim) {
    ExprAttr leaf = guard::getDim(context, dim);
    bool inRun = llvm::is_contained(run.dims, dim);
    if (inRun && shape.masks[k] && guard::contains(shape.masks[k], leaf) &&
        !mayMask(shape.masks[k], run, &group == &shape.sum))
      return false;
    auto step = guard::getCoefficient(shape.addresses[k], leaf);
    if (!step || (!inRun && !divides(*step)))
      return false;
  }
  return true;
}

bool analysis::hasSumVectors(ContractOp op, const ContractionShape &shape,
                             unsigned k, int64_t lanes) {
  return hasVectorsAlong(op, shape, k, shape.sum, lanes);
}

bool analysis::hasAcrossVectors(ContractOp op, const ContractionShape &shape,
                                unsigned k, int64_t lanes) {
  return hasVectorsAlong(op, shape, k, k == 0 ? shape.rows : shape.columns,
                         lanes);
}

static void collectConditions(ExprAttr mask, SmallVectorImpl<ExprAttr> &all) {
  if (mask.getKind() != guard::ExprKind::And) {
    all.push_back(mask);
    return;
  }
  for (ExprAttr operand : mask.getOperands())
    collectConditions(operand, all);
}

bool analysis::isMaskedOutside(ContractOp op, unsigned image) {
  SmallVector<ExprAttr> masks = loop::getExprs(op.getMasks()),
                        indices =
                            loop::getExprs(image == 0 ? op.getLhsIndices()
                                                      : op.getRhsIndices());
  if (masks.empty())
    return true;
  auto sizes = guard::getDims(cast<RankedTensorType>(
      (image == 0 ? op.getLhs() : op.getRhs()).getType()));
  if (!sizes || !masks[1 - image].isConstant(1))
    return false;
  SmallVector<ExprAttr> conditions;
  collectConditions(masks[image], conditions);
  return llvm::all_of(conditions, [&](ExprAttr condition) {
    bool isLess = condition.getKind() == guard::ExprKind::Lt;
    if (condition.isConstant(1))
      return true;
    if (!isLess && condition.getKind() != guard::ExprKind::Le)
      return false;
    // What may not be negative.
    ExprAttr left =
        condition.getOperand(1) - condition.getOperand(0) + (isLess ? -1 : 0);
    return llvm::any_of(llvm::zip_equal(indices, *sizes), [&](auto each) {
      auto [index, size] = each;
      return left == index || left == size - index + -1;
    });
  });
}
