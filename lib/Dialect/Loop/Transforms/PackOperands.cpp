//===- PackOperands.cpp - Operands as a copy engine takes them ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ByteFactors.h"
#include "GPUProducts.h"
#include "PackedCopy.h"

#include "kiln/Dialect/Loop/Transforms/ChooseSchedule.h"
#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using analysis::ContractionShape;
using guard::ExprAttr;

namespace kiln::loop {
#define GEN_PASS_DEF_PACKOPERANDSPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

/// What packing has to gain, as a part of the time without it.
static constexpr double kLeastGain = 0.1;

namespace {

/// An operand laid out anew: which dimensions of the contraction its copy has, the last one
/// with more elements than are read.
struct Packing {
  bool isLeft = true; ///< of the contraction
  SmallVector<unsigned> dims;
  SmallVector<ExprAttr> extents;
  Type element;
};

class PackOperands : public loop::impl::PackOperandsPassBase<PackOperands> {
public:
  void runOnOperation() override;

private:
  void turnFactors(Block &block, const GPUMachine &machine,
                   const analysis::SizeHints &hints);
  void pack(KernelOp kernel, const GPUMachine &machine,
            const analysis::SizeHints &hints);
  Value makeCopy(KernelOp kernel, ContractOp op, const Packing &packing);

  /// Copies that other products may read, too, with what they gave.
  SmallVector<std::pair<PackedCopy, Value>> copies;
};

} // namespace

/// How operand `k` would be packed; nothing where it would have its elements several times,
/// masks, or an extent that has to be known is not.
static std::optional<Packing> choosePacking(ContractOp op,
                                            const ContractionShape &shape,
                                            unsigned k,
                                            const analysis::SizeHints &hints) {
  const analysis::DimGroup &across = k == 0 ? shape.rows : shape.columns;
  if (!op.getMasks().empty() || op.isGrouped() || across.dims.empty() ||
      shape.sum.dims.empty() ||
      shape.sum.extent.getConstant().value_or(0) < 1)
    return std::nullopt;
  Packing packing;
  packing.isLeft = (k == 0) != shape.exchanged;
  // Scalar constants of the kernel can be repeated in another one.
  llvm::SetVector<Value> outside;
  getUsedValuesDefinedAbove(
      packing.isLeft ? op.getLhsPrologue() : op.getRhsPrologue(), outside);
  if (!llvm::all_of(outside, [](Value value) {
        Operation *constant = value.getDefiningOp();
        return constant && constant->hasTrait<OpTrait::ConstantLike>();
      }))
    return std::nullopt;
  Type factor = analysis::getFactorType(op);
  auto tensor = cast<RankedTensorType>(
      (packing.isLeft ? op.getLhs() : op.getRhs()).getType());
  // Bytes stay with a sign or without.
  packing.element = factor.isInteger(8) ? tensor.getElementType() : factor;
  ArrayAttr indices = packing.isLeft ? op.getLhsIndices() : op.getRhsIndices();
  SmallVector<ExprAttr> all = op.getDomain().all();
  auto isUsed = [&](unsigned dim) {
    ExprAttr name = guard::getDim(op.getContext(), dim);
    return llvm::any_of(getExprs(indices), [&](ExprAttr index) {
      return guard::contains(index, name);
    });
  };
  SmallVector<unsigned> outer(shape.outer);
  llvm::append_range(outer, shape.batch.dims);
  llvm::copy_if(outer, std::back_inserter(packing.dims), isUsed);
  // In the order of memory, but for what is taken along the sum alone.
  ExprAttr step = shape.sum.runs.back().steps[k];
  auto factors = analysis::getUnitFactors(factor);
  bool alongSum = (factors && !factors->mayLieAcross) || step.isConstant(1);
  const analysis::DimGroup &inner = alongSum ? shape.sum : across;
  llvm::append_range(packing.dims, alongSum ? across.dims : shape.sum.dims);
  llvm::append_range(packing.dims, inner.dims);
  for (unsigned dim : packing.dims)
    packing.extents.push_back(all[dim]);
  int64_t width = packing.element.getIntOrFloatBitWidth() / 8;
  auto size = inner.extent.getConstant();
  if (!size || *size < 1 ||
      hints.product(packing.extents) >
          hints.getBytes(tensor) /
              std::max<int64_t>(
                  analysis::getElementBytes(tensor.getElementType()), 1))
    return std::nullopt;
  if (*size * width % kCopiedAtOnce != 0) {
    // Of several dimensions only the last could have more, and they would not collapse.
    if (inner.dims.size() > 1)
      return std::nullopt;
    packing.extents.back() =
        guard::getConstant(op.getContext(), padRow(*size, width));
  }
  return packing;
}

/// A kernel that copies the operand, through its prologue, before `kernel`.
Value PackOperands::makeCopy(KernelOp kernel, ContractOp op,
                             const Packing &packing) {
  MLIRContext *context = op.getContext();
  Region &prologue =
      packing.isLeft ? op.getLhsPrologue() : op.getRhsPrologue();
  Value inside = packing.isLeft ? op.getLhs() : op.getRhs();
  Value tensor =
      kernel.getInputs()[cast<BlockArgument>(inside).getArgNumber()];
  SmallVector<ExprAttr> dims(op.getDomain().rank(),
                             guard::getConstant(context, 0));
  for (auto [n, dim] : llvm::enumerate(packing.dims))
    dims[dim] = guard::getDim(context, n);
  SmallVector<ExprAttr> map;
  for (ExprAttr index : getExprs(packing.isLeft ? op.getLhsIndices()
                                                : op.getRhsIndices()))
    map.push_back(guard::substituteDims(index, dims));
  PackedCopy copy = {tensor, map, packing.extents,
                     op.getDomain().all()[packing.dims.back()],
                     packing.element};
  auto known = llvm::find_if(copies, [&](const auto &other) {
    return prologue.empty() && other.first == copy;
  });
  if (known != copies.end())
    return known->second;
  auto change = [&](OpBuilder &builder, Value value) {
    if (prologue.empty())
      return value;
    IRMapping mapping;
    mapping.map(prologue.front().getArgument(0), value);
    llvm::SetVector<Value> outside;
    getUsedValuesDefinedAbove(prologue, outside);
    for (Value constant : outside)
      builder.clone(*constant.getDefiningOp(), mapping);
    for (Operation &each : prologue.front().without_terminator())
      builder.clone(each, mapping);
    return mapping.lookupOrDefault(
        prologue.front().getTerminator()->getOperand(0));
  };
  Value made =
      makePackedCopy(kernel,
                     kernel.getName() + (packing.isLeft ? "_left" : "_right"),
                     copy, op.getLoc(), op.getOriginsAttr(), change)
          .getResult(0);
  if (prologue.empty())
    copies.push_back({copy, made});
  return made;
}

/// The kernel reads `made` in place of the operand.
static void replaceOperand(KernelOp kernel, ContractOp op,
                           const Packing &packing, Value made) {
  SmallVector<ExprAttr> map;
  for (unsigned dim : packing.dims)
    map.push_back(guard::getDim(op.getContext(), dim));
  readOperandFrom(kernel, op, packing.isLeft, made, map);
  (packing.isLeft ? op.getLhsPrologue() : op.getRhsPrologue())
      .getBlocks()
      .clear();
}

namespace {
/// Products of few rows that would read a factor along the sum if it were turned, and what
/// all of them gain, in cycles.
struct Turned {
  SmallVector<std::pair<ContractOp, Packing>> products;
  double gain = 0;
};
} // namespace

static std::optional<ContractionShape> findShape(ContractOp op, KernelOp kernel) {
  auto strides = analysis::getInputStrides(kernel);
  return op && succeeded(strides) ? getTileShape(op, *strides) : std::nullopt;
}

/// The steps of a recurrence's backward multiply few rows with one matrix, whose neighbours
/// are not along the sum. Where it is turned once, threads share sums (`estimateGPUDots`).
void PackOperands::turnFactors(Block &block, const GPUMachine &machine,
                               const analysis::SizeHints &hints) {
  llvm::MapVector<std::pair<Value, Attribute>, Turned> found;
  for (KernelOp kernel : block.getOps<KernelOp>()) {
    if (kernel.getScheduleAttr())
      continue;
    ContractOp op = getProduct(kernel);
    auto shape = findShape(op, kernel);
    if (!shape || shape->sum.runs.size() != 1)
      continue;
    auto isAlong = [&](unsigned k) {
      ExprAttr step = shape->sum.steps[k];
      return step && step.isConstant(1);
    };
    if (isAlong(0) == isAlong(1) || !analysis::getFactorType(op))
      continue;
    GPUProductShape product =
        getGPUProductShape(op, *shape, machine, hints);
    if (product.onUnits)
      continue;
    double gain = estimateGPUProduct(product, machine) -
                  estimateGPUDots(product, machine);
    if (gain <= 0)
      continue;
    auto packing = choosePacking(op, *shape, isAlong(0) ? 1 : 0, hints);
    if (!packing || !packing->element.isF32())
      continue;
    Value inside = packing->isLeft ? op.getLhs() : op.getRhs();
    Turned &turned = found[{
        kernel.getInputs()[cast<BlockArgument>(inside).getArgNumber()],
        packing->isLeft ? op.getLhsIndices() : op.getRhsIndices()}];
    turned.products.push_back({op, *packing});
    turned.gain += gain;
  }
  for (auto &[factor, turned] : found) {
    double bytes = 2 * hints.getBytes(cast<RankedTensorType>(factor.first.getType()));
    if (turned.gain <= estimateGPUCopies(1, bytes))
      continue;
    for (auto &[op, packing] : turned.products) {
      auto kernel = op->getParentOfType<KernelOp>();
      replaceOperand(kernel, op, packing, makeCopy(kernel, op, packing));
      dropUnreadInputs(kernel);
    }
  }
}

void PackOperands::pack(KernelOp kernel, const GPUMachine &machine,
                        const analysis::SizeHints &hints) {
  ContractOp op = getProduct(kernel);
  auto shape = findShape(op, kernel);
  if (!shape)
    return;
  GPUProductShape product = getGPUProductShape(op, *shape, machine, hints);
  if (!product.onUnits || product.inBoxes || !isForWarpgroups(op))
    return;
  SmallVector<Packing> packings;
  double bytes = 0;
  bool beginsSectors = true;
  for (unsigned k = 0; k < 2; ++k) {
    if (fitsBoxes(op, *shape, k, product.bytes)) {
      beginsSectors &=
          analysis::getOperandBoxes(op, *shape, k, kSector / product.bytes)
              .has_value();
      continue;
    }
    auto packing = choosePacking(op, *shape, k, hints);
    if (!packing)
      return;
    Value read = packing->isLeft ? op.getLhs() : op.getRhs();
    bytes += hints.getBytes(cast<RankedTensorType>(read.getType())) +
             double(hints.product(packing->extents)) * product.bytes;
    packings.push_back(*packing);
    auto length = packing->extents.back().getConstant();
    beginsSectors &= length && *length * product.bytes % kSector == 0;
  }
  GPUProductShape then = product;
  then.inBoxes = true;
  then.byRegisters = machine.capability < kGPUCopiesAhead;
  then.beginsSectors = beginsSectors;
  then.together = kCopiedAtOnce;
  double now = estimateGPUProduct(product, machine);
  double packed = estimateGPUProduct(then, machine) +
                  estimateGPUCopies(packings.size(), bytes);
  if (packed > now * (1 - kLeastGain))
    return;
  for (const Packing &packing : packings)
    replaceOperand(kernel, op, packing, makeCopy(kernel, op, packing));
  dropUnreadInputs(kernel);
}

void PackOperands::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Loop, Stage::Loop})))
    return signalPassFailure();
  GPUTargetAttr gpu = getGPUTarget(getOperation());
  if (!gpu)
    return; // a CPU packs as it multiplies
  GPUMachine machine = getMachine(gpu);
  analysis::SizeHints hints(getOperation()->getParentOfType<ModuleOp>());
  for (Block &block : getOperation().getBody()) {
    copies.clear();
    turnFactors(block, machine, hints);
    for (KernelOp kernel : llvm::make_early_inc_range(block.getOps<KernelOp>()))
      if (!kernel.getScheduleAttr() && !readBytes(kernel, machine, hints) &&
          machine.hasWarpgroups)
        pack(kernel, machine, hints);
  }
}
