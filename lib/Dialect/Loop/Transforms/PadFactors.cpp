//===- PadFactors.cpp - Factors in rows that begin at 16 bytes ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PadFactors.h"

#include "GPUProducts.h"
#include "PackedCopy.h"

#include "kiln/Analysis/OnlineRows.h"

#include <optional>

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using analysis::BlockProduct;
using analysis::DimGroup;
using guard::ExprAttr;

/// What a score costs that goes through memory, as bytes: it is written and
/// read as f32, and so is its weight, by kernels that multiply without matrix
/// units.
static constexpr double kScoreBytes = 32;

namespace {
/// An operand that is copied, and where a contraction reads the copy.
struct PaddedOperand {
  ContractOp op;
  bool isLeft;
  PackedCopy copy;
  SmallVector<ExprAttr> map;
};
} // namespace

static bool isLeftOperand(const BlockProduct &product, unsigned k) {
  return (k == 0) != product.shape.exchanged;
}

static Value getOperand(const BlockProduct &product, unsigned k) {
  ContractOp op = product.op;
  return isLeftOperand(product, k) ? op.getLhs() : op.getRhs();
}

static bool isInMemory(const BlockProduct &product, unsigned k) {
  return isa<BlockArgument>(getOperand(product, k));
}

/// The dimensions along which neighbours of an operand lie as they are copied:
/// the sum of scores, and the columns of what weights are multiplied by.
static const DimGroup &getInner(const BlockProduct &product, unsigned k) {
  const analysis::ContractionShape &shape = product.shape;
  if (isInMemory(product, 1 - k))
    return shape.sum;
  return k == 0 ? shape.rows : shape.columns;
}

/// By how much every index divides dimension `dim`, where none mentions it
/// otherwise: heads that share keys. 1 where one does, 0 where none mentions
/// it.
static int64_t findDivisor(ArrayRef<ExprAttr> map, ExprAttr dim) {
  int64_t divisor = 0, mentions = 0, divisions = 0;
  for (ExprAttr index : map)
    guard::walk(index, [&](ExprAttr part) {
      mentions += part == dim;
      if (part.getKind() != guard::ExprKind::FloorDiv ||
          part.getOperand(0) != dim)
        return;
      int64_t by = part.getOperand(1).getConstant().value_or(0);
      divisions += divisor == 0 || divisor == by;
      divisor = by;
    });
  if (mentions == 0)
    return 0;
  return divisor > 1 && divisions == mentions ? divisor : 1;
}

/// How operand `k` would be copied: a point after the other, each in rows that
/// are padded.
static std::optional<PaddedOperand>
choosePadding(const BlockProduct &product, unsigned k,
              const analysis::SizeHints &hints) {
  ContractOp op = product.op;
  MLIRContext *context = op.getContext();
  bool isLeft = isLeftOperand(product, k);
  const DimGroup &inner = getInner(product, k);
  Type element = analysis::getUnitType(op, isLeft);
  auto size = inner.extent.getConstant();
  if (!element || !op.getMasks().empty() || product.shape.isIrregular(k) ||
      inner.dims.size() != 1 || !inner.steps[k] ||
      !inner.steps[k].isConstant(1) || !size || *size < 1)
    return std::nullopt;
  SmallVector<ExprAttr> indices =
      getExprs(isLeft ? op.getLhsIndices() : op.getRhsIndices());
  SmallVector<ExprAttr> all = op.getDomain().all();
  SmallVector<unsigned> order;
  for (auto dim : ArrayRef(product.shared).drop_back())
    if (dim)
      order.push_back(*dim);
  for (unsigned dim = 0; dim < all.size(); ++dim)
    if (!llvm::is_contained(order, dim) && dim != inner.dims.front())
      order.push_back(dim);
  order.push_back(inner.dims.front());

  PaddedOperand padded = {op, isLeft, {}, {}};
  SmallVector<ExprAttr> dims = getIdentityMap(context, all.size());
  for (unsigned dim : order) {
    ExprAttr name = guard::getDim(context, dim);
    int64_t divisor = findDivisor(indices, name);
    if (divisor == 0)
      continue;
    padded.map.push_back(guard::floorDiv(name, divisor));
    dims[dim] = guard::getDim(context, padded.copy.extents.size()) * divisor;
    padded.copy.extents.push_back(guard::ceilDiv(all[dim], divisor));
  }
  PackedCopy &copy = padded.copy;
  auto argument = cast<BlockArgument>(getOperand(product, k));
  copy.tensor =
      op->getParentOfType<KernelOp>().getInputs()[argument.getArgNumber()];
  copy.last = inner.extent;
  copy.element = element;
  for (ExprAttr index : indices)
    copy.map.push_back(guard::substituteDims(index, dims));
  auto tensor = cast<RankedTensorType>(copy.tensor.getType());
  int64_t bytes = analysis::getElementBytes(element);
  if (padded.map.back() != guard::getDim(context, inner.dims.front()) ||
      hints.product(copy.extents) > hints.getBytes(tensor) / bytes)
    return std::nullopt;
  copy.extents.back() = guard::getConstant(context, padRow(*size, bytes));
  return padded;
}

/// True if the copies, which are launched together, take no longer than so many
/// scores through memory, with two kernels more. They do for few rows of many
/// columns.
static bool isWorthwhile(ArrayRef<PaddedOperand> operands, double scores,
                         const analysis::SizeHints &hints) {
  SmallVector<PackedCopy> copies;
  double bytes = 0;
  for (const PaddedOperand &operand : operands) {
    if (llvm::is_contained(copies, operand.copy))
      continue;
    copies.push_back(operand.copy);
    bytes += 2.0 * double(hints.getBytes(operand.copy.getType()));
  }
  return estimateGPUCopies(/*kernels=*/1, bytes) <=
         estimateGPUCopies(/*kernels=*/2, scores * kScoreBytes);
}

SmallVector<KernelOp> loop::padFactors(KernelOp kernel,
                                       const analysis::SizeHints &hints) {
  auto strides = analysis::getInputStrides(kernel);
  if (failed(strides))
    return {};
  auto products = analysis::getBlockProducts(
      kernel, analysis::getBlockLayout(kernel, *strides));
  if (!products)
    return {};
  SmallVector<PaddedOperand> found;
  double scores = 0;
  for (const BlockProduct &product : *products) {
    if (isInMemory(product, 0) && isInMemory(product, 1))
      scores +=
          double(hints.product(ContractOp(product.op).getDomain().parallel));
    for (unsigned k : {0, 1}) {
      if (!isInMemory(product, k) ||
          analysis::isCopied(product, k, getInner(product, k)))
        continue;
      auto padded = choosePadding(product, k, hints);
      if (!padded)
        return {};
      found.push_back(*padded);
    }
  }
  if (found.empty() || !isWorthwhile(found, scores, hints))
    return {};
  SmallVector<std::pair<PackedCopy, KernelOp>> made;
  for (PaddedOperand &each : found) {
    auto known = llvm::find_if(
        made, [&](const auto &other) { return other.first == each.copy; });
    if (known == made.end()) {
      KernelOp copy = makePackedCopy(
          kernel, kernel.getName() + "_padded_" + llvm::Twine(made.size()),
          each.copy, each.op.getLoc(), each.op.getOriginsAttr());
      known = made.insert(made.end(), {each.copy, copy});
    }
    readOperandFrom(kernel, each.op, each.isLeft, known->second.getResult(0),
                    each.map);
  }
  dropUnreadInputs(kernel);
  return llvm::to_vector(llvm::make_second_range(made));
}
