//===- ChooseGPUProduct.cpp - How a product is laid out on a GPU ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPUProducts.h"
#include "GPUTiles.h"

#include "kiln/Analysis/StoredRows.h"
#include "kiln/Dialect/Loop/IR/Precision.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using analysis::KernelStrides;
using guard::ExprAttr;

/// Fewer elements of a sum are a thread's, or a tile's.
static constexpr int64_t kShortVectorSum = 32;

/// Bytes that are copied together in the time in which threads turn bytes that
/// lie across the sum, each of which they store by itself: a guess.
static constexpr int64_t kTurnedTogether = 4;

/// What maps the elements of operand `k` (A or B).
static Region &getPrologue(ContractOp op, const analysis::ContractionShape &shape,
                           unsigned k) {
  return (k == 0) != shape.exchanged ? op.getLhsPrologue()
                                     : op.getRhsPrologue();
}

bool loop::fitsBoxes(ContractOp op, const analysis::ContractionShape &shape,
                     unsigned k, int64_t bytes) {
  if (!getPrologue(op, shape, k).empty() ||
      shape.sum.extent.getConstant().value_or(0) < 1)
    return false;
  auto boxes = analysis::getOperandBoxes(op, shape, k, kCopiedAtOnce / bytes);
  // Warpgroups transpose elements of 16 bits only.
  return boxes && (bytes == 2 || boxes->alongSum);
}

/// Bytes of operand `k` that lie together wherever rows of a tile begin; those of a whole
/// access where that is not known.
static int64_t getTogether(ContractOp op,
                           const analysis::ContractionShape &shape, unsigned k,
                           int64_t bytes) {
  for (int64_t lanes = kCopiedAtOnce / bytes; lanes > 0; lanes /= 2)
    if (analysis::getOperandBoxes(op, shape, k, lanes))
      return lanes * bytes;
  return kCopiedAtOnce;
}

/// Whether neighbours of operand `k` are along the sum.
static bool liesAlongSum(const analysis::ContractionShape &shape, unsigned k) {
  return !shape.sum.runs.empty() &&
         shape.sum.runs.back().steps[k].isConstant(1);
}

bool loop::isForWarpgroups(ContractOp op) {
  auto isUnsigned = [](Value tensor) {
    return cast<RankedTensorType>(tensor.getType())
        .getElementType()
        .isUnsignedInteger();
  };
  return isUnsigned(op.getLhs()) == isUnsigned(op.getRhs()) ||
         !op.getAccType().isInteger();
}

/// Of members in groups each group has its share: where they begin and how many there are is
/// not known. Of those that are summed up each is a line of what a copy engine brings, or there
/// would be more than lines to clear behind the last one.
static void shareMembers(GPUProductShape &product, ContractOp op,
                         const analysis::ContractionShape &shape) {
  product.inGroups = op.hasGroupedRows();
  int64_t &members = product.inGroups ? product.rows : product.sum;
  members = llvm::divideCeil(members, product.matrices);
  for (unsigned k = 0; k < 2 && product.inBoxes && !product.inGroups; ++k)
    product.inBoxes =
        !analysis::getOperandBoxes(op, shape, k, kCopiedAtOnce / product.bytes)
             ->alongSum;
  product.isGathered = product.knowsRows = product.maySplit = false;
}

ContractOp loop::getProduct(KernelOp kernel) {
  SmallVector<NestOpInterface> nests = kernel.getNests();
  return nests.size() == 1 ? dyn_cast<ContractOp>(nests[0].getOperation())
                           : ContractOp();
}

ContractOp loop::getFollowedProduct(KernelOp kernel) {
  SmallVector<NestOpInterface> nests = kernel.getNests();
  auto op = nests.size() > 1 && kernel.getShared().empty()
                ? dyn_cast<ContractOp>(nests[0].getOperation())
                : ContractOp();
  bool isFollowed =
      op &&
      llvm::all_of(ArrayRef(nests).drop_front(), [](NestOpInterface nest) {
        return isa<PointwiseOp>(nest.getOperation());
      });
  return isFollowed ? op : ContractOp();
}

std::optional<analysis::ContractionShape>
loop::getTileShape(ContractOp op, const KernelStrides &strides) {
  analysis::KernelLayout layout =
      analysis::getLayout(op->getParentOfType<KernelOp>(), strides);
  return analysis::analyzeContraction(op, layout.lookup(op.getLhs()),
                                      layout.lookup(op.getRhs()),
                                      analysis::ContractionFrame::ofTiles());
}

/// Adds the tensors that are read in a body and have an element for each of the
/// result.
static void countReads(
    GPUProductShape &product, Region &body, const analysis::SizeHints &hints,
    llvm::function_ref<bool(Value)> isAtHand = [](Value) { return false; }) {
  body.walk([&](LoadOp load) {
    auto type = cast<RankedTensorType>(load.getTensor().getType());
    product.reads += !isAtHand(load.getTensor()) &&
                     hints.getBytes(type) >=
                         product.matrices * product.rows * product.columns;
  });
}

void loop::addFollower(GPUProductShape &product, PointwiseOp nest,
                       llvm::function_ref<bool(Value)> isAtHand,
                       const analysis::SizeHints &hints) {
  product.followers += double(analysis::getCost(nest.getBody()));
  countReads(product, nest.getBody(), hints, isAtHand);
}

GPUProductShape
loop::getGPUProductShape(ContractOp op, const analysis::ContractionShape &shape,
                         const GPUMachine &machine,
                         const analysis::SizeHints &hints) {
  Type factor = analysis::getFactorType(op);
  GPUProductShape product;
  SmallVector<ExprAttr> matrices = {shape.batch.extent};
  for (unsigned dim : shape.outer)
    matrices.push_back(op.getDomain().all()[dim]);
  auto count = [&](ArrayRef<ExprAttr> extents) {
    return std::max<int64_t>(hints.product(llvm::to_vector(extents)), 1);
  };
  product.matrices = count(matrices);
  product.rows = count(shape.rows.extent);
  product.knowsRows = shape.rows.extent.getConstant().has_value();
  product.columns = count(shape.columns.extent);
  product.sum = count(shape.sum.extent);
  if (!op.getEpilogue().empty())
    product.epilogue = double(analysis::getCost(op.getEpilogue()));
  countReads(product, op.getEpilogue(), hints);
  auto isMade = [](Value tensor) { return !isa<BlockArgument>(tensor); };
  auto kernel = op->getParentOfType<KernelOp>();
  for (auto nest : kernel.getBody().getOps<PointwiseOp>())
    addFollower(product, nest, isMade, hints);
  product.results = llvm::count_if(
      kernel.getBody().front().getTerminator()->getOperands(), [](Value made) {
        return isa_and_nonnull<ContractOp, PointwiseOp>(made.getDefiningOp());
      });
  product.sumBytes = op.getAccType().getIntOrFloatBitWidth() / 8;
  product.bytes = factor ? factor.getIntOrFloatBitWidth() / 8 : product.sumBytes;
  int64_t stored = analysis::getElementBytes(
      cast<RankedTensorType>(op.getResult().getType()).getElementType());
  if (product.bytes == 1)
    product.resultBytes = stored;
  auto factors = analysis::getUnitFactors(factor);
  product.onUnits = factors && op.getAccType() == factors->sum &&
                    machine.capability >= factors->capability &&
                    (!factor.isF32() || permitsTf32(op));
  product.storesVectors = analysis::canStoreVectors(
      op, shape, kCopiedAtOnce / stored, /*inParts=*/false);
  product.byRegisters = machine.capability < kGPUCopiesAhead ||
                        !op.getLhsPrologue().empty() ||
                        !op.getRhsPrologue().empty();
  bool onWarpgroups =
      product.onUnits && machine.hasWarpgroups && isForWarpgroups(op);
  product.inBoxes = onWarpgroups;
  for (unsigned k = 0; k < 2 && product.onUnits; ++k) {
    product.inBoxes &= fitsBoxes(op, shape, k, product.bytes);
    product.together =
        std::min(product.together, getTogether(op, shape, k, product.bytes));
    if (product.bytes == 1 && !liesAlongSum(shape, k)) {
      product.byRegisters = true;
      product.together = std::min(product.together, kTurnedTogether);
    }
    product.beginsSectors &=
        analysis::getOperandBoxes(op, shape, k, kSector / product.bytes)
            .has_value();
  }
  if (product.inBoxes)
    product.columnsAlongSum =
        analysis::getOperandBoxes(op, shape, 1, kCopiedAtOnce / product.bytes)
            ->alongSum;
  product.isGathered = onWarpgroups && !product.inBoxes;
  if (op.isGrouped())
    shareMembers(product, op, shape);
  int64_t vector = kCopiedAtOnce / product.bytes;
  // Warpgroups take f32 along the sum.
  for (unsigned k = 0; k < 2 && product.isGathered; ++k)
    product.isGathered = analysis::hasSumVectors(op, shape, k, vector) ||
                         (product.bytes == 2 &&
                          analysis::hasAcrossVectors(op, shape, k, vector)) ||
                         fitsBoxes(op, shape, k, product.bytes);
  return product;
}

int64_t loop::getProductLanes(ContractOp op,
                              const analysis::ContractionShape &shape,
                              int64_t split) {
  int64_t lanes = 8;
  while (!analysis::canStoreVectors(op, shape, lanes, /*inParts=*/split > 1))
    lanes /= 2;
  return lanes;
}

GPUProductScheduleAttr
loop::getProductSchedule(ContractOp op, const analysis::ContractionShape &shape,
                         const GPUProductSchedule &s) {
  return GPUProductScheduleAttr::get(
      op.getContext(), s.unit, s.rows, s.columns, s.sum, s.partRows,
      s.partColumns, s.stages, getProductLanes(op, shape, s.split), s.group,
      s.split, s.blocks, s.cluster, s.turns, GPULibrary::None);
}

/// Threads share the sum of an element, both of whose operands are along it: no tile is
/// needed. Null for others.
static ScheduleAttr chooseDots(ContractOp op,
                               const analysis::ContractionShape &shape) {
  auto size = shape.sum.extent.getConstant();
  if (op.isGrouped() || !op.getMasks().empty() || !size ||
      *size < kShortVectorSum || shape.sum.runs.size() != 1 ||
      !shape.sum.steps[0] || !shape.sum.steps[0].isConstant(1) ||
      !shape.sum.steps[1] || !shape.sum.steps[1].isConstant(1))
    return {};
  int64_t bytes = 1;
  for (Value operand : {op.getLhs(), op.getRhs()})
    bytes = std::max<int64_t>(
        bytes,
        analysis::getElementBytes(
            cast<RankedTensorType>(operand.getType()).getElementType()));
  auto last = getExprs(op.getReductionExtents()).back().getConstant();
  GPURowsSchedule s = chooseGPUVectorProduct(*size, last.value_or(1), bytes);
  return GPURowsScheduleAttr::get(op.getContext(), s.threads, s.rows, s.lanes,
                                  s.steps, s.stages);
}

/// True if a matrix is multiplied with a vector.
static bool isByVector(const analysis::ContractionShape &shape) {
  return shape.rows.extent.isConstant(1) || shape.columns.extent.isConstant(1);
}

/// A matrix times a vector: the matrix is read once. Null for others, and where there are
/// too few rows.
static ScheduleAttr chooseVectorProduct(ContractOp op,
                                        const analysis::ContractionShape &shape,
                                        const GPUMachine &machine,
                                        const analysis::SizeHints &hints) {
  if (!isByVector(shape) || hints.product(getExprs(op.getParallelExtents())) <
                                machine.multiprocessors)
    return {};
  return chooseDots(op, shape);
}

/// True if a thread for each element of the result has as little to do as a window of an image
/// has, of which each row meets one column: matrix units would multiply it with 15 others.
static bool isForThreads(ContractOp op, const analysis::ContractionShape &shape,
                         const GPUMachine &machine,
                         const analysis::SizeHints &hints) {
  return isByVector(shape) && !op.isGrouped() &&
         hints.product(getExprs(op.getReductionExtents())) <= kMostThreadSum &&
         hints.product(getExprs(op.getParallelExtents())) >=
             machine.multiprocessors * kGPUBlock;
}

ScheduleAttr loop::chooseMatrixProduct(ContractOp op,
                                       const KernelStrides &strides,
                                       const GPUMachine &machine,
                                       const analysis::SizeHints &hints) {
  auto shape = getTileShape(op, strides);
  // Neighbours of the result that are matrices of their own are for threads.
  if (!shape ||
      (shape->columns.dims.empty() && !shape->batch.dims.empty() &&
       shape->batch.steps[2] && shape->batch.steps[2].isConstant(1)))
    return {};
  // What follows a product does so in tiles.
  bool isAlone = getProduct(op->getParentOfType<KernelOp>()) == op;
  if (isAlone)
    if (ScheduleAttr rows = chooseVectorProduct(op, *shape, machine, hints))
      return rows;
  if (machine.capability < kGPUProduct ||
      (isAlone && isForThreads(op, *shape, machine, hints)))
    return {};
  GPUProductShape product = getGPUProductShape(op, *shape, machine, hints);
  // Without units a thread has neighbours of the result.
  if (isa<IntegerType>(op.getAccType()) && !product.onUnits)
    return {};
  // A step of a recurrence has few rows, which are read again sooner than tiles are filled.
  if (ScheduleAttr dots = isAlone ? chooseDots(op, *shape) : ScheduleAttr();
      dots &&
      estimateGPUDots(product, machine) < estimateGPUProduct(product, machine))
    return dots;
  GPUProductSchedule s = chooseGPUProduct(product, machine);
  if (s.rows == 0)
    return {};
  return getProductSchedule(op, *shape, s);
}
