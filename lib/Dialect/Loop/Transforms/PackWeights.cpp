//===- PackWeights.cpp - Make the panels of weights ahead -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Analysis/PackedAhead.h"
#include "kiln/Dialect/Loop/IR/Weights.h"
#include "kiln/Dialect/Loop/Transforms/ChooseSchedule.h"
#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/Remarks.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

namespace kiln::loop {
#define GEN_PASS_DEF_PACKWEIGHTSPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

namespace {
class PackWeights : public loop::impl::PackWeightsPassBase<PackWeights> {
public:
  using PackWeightsPassBase::PackWeightsPassBase;
  void runOnOperation() override;
};
} // namespace

static int64_t getPanelBytes(const analysis::PackableProduct &product) {
  return product.elements *
         analysis::getElementBytes(ContractOp(product.op).getAccType());
}

namespace {
/// The panels of a function.
class Packer {
public:
  Packer(func::FuncOp function, int64_t limit)
      : function(function), machine(getMachine(getTarget(function))),
        hints(function->getParentOfType<ModuleOp>()), left(limit) {}

  void pack(KernelOp kernel);

private:
  int64_t getWeightBytes(Value weight) const {
    return hints.getBytes(cast<RankedTensorType>(weight.getType()));
  }
  int64_t getExtraBytes(const analysis::PackableProduct &product) const;
  bool isFreed(const analysis::PackableProduct &product, Value weight) const;
  void packFewRows(KernelOp kernel, const analysis::KernelStrides &strides);

  /// Of a weight with no prologue: its tensor, the schedule, the indices and elements.
  using Panels = std::tuple<Value, Attribute, Attribute, int64_t>;
  static std::optional<Panels> getPanels(const analysis::PackableProduct &product);

  func::FuncOp function;
  Machine machine;
  analysis::SizeHints hints;
  int64_t left;
  llvm::DenseSet<Panels> made;
};
} // namespace

static Value getWeight(const analysis::PackableProduct &product) {
  ContractOp op = product.op;
  return op->getParentOfType<KernelOp>().getInputs()[product.input];
}

std::optional<Packer::Panels>
Packer::getPanels(const analysis::PackableProduct &product) {
  ContractOp op = product.op;
  bool isLeft = product.shape.exchanged;
  if (!(isLeft ? op.getLhsPrologue() : op.getRhsPrologue()).empty())
    return std::nullopt;
  return Panels{getWeight(product), product.schedule,
                isLeft ? op.getLhsIndices() : op.getRhsIndices(),
                product.elements};
}

/// What the panels take beside the weight, which is not read any more if nothing else does.
/// Steps of a recurrence read the same ones.
int64_t
Packer::getExtraBytes(const analysis::PackableProduct &product) const {
  if (auto panels = getPanels(product); panels && made.contains(*panels))
    return 0;
  Value weight = getWeight(product);
  int64_t bytes = getPanelBytes(product);
  return isFreed(product, weight) ? bytes - getWeightBytes(weight) : bytes;
}

/// True if nothing else reads more than a few elements of the weight.
bool Packer::isFreed(const analysis::PackableProduct &product,
                     Value weight) const {
  ContractOp op = product.op;
  Operation *own = op->getParentOfType<KernelOp>();
  return llvm::all_of(weight.getUses(), [&](OpOperand &use) {
    auto reader = dyn_cast<KernelOp>(use.getOwner());
    return use.getOwner() == own ||
           (reader && llvm::is_contained(analysis::getSparseInputs(reader, hints),
                                         int64_t(use.getOperandNumber())));
  });
}

/// Has a product of few rows, which reads B once, read panels where those are made ahead:
/// they lie in the order in which they are read, and many columns share a factor of
/// A. Such a product takes as long as B is read, so panels that are larger, as those of
/// bytes in f32 are, do not pay.
void Packer::packFewRows(KernelOp kernel,
                         const analysis::KernelStrides &strides) {
  ScheduleAttr skinny = kernel.getScheduleAttr();
  if (!isa_and_nonnull<SkinnyRowsScheduleAttr, SkinnyColumnsScheduleAttr>(
          skinny))
    return;
  auto product = findProduct(kernel, strides, machine, hints);
  if (!product || product->isEmpty())
    return;
  kernel.setScheduleAttr(
      toAttribute(kernel.getContext(), choosePacked(*product, machine)));
  auto packable = analysis::getPackableProducts(kernel, strides);
  if (packable.size() == 1) {
    Value weight = getWeight(packable[0]);
    int64_t most = getWeightBytes(weight) / 4 * 5;
    if (isFrozen(weight) && getPanelBytes(packable[0]) <= most &&
        getExtraBytes(packable[0]) <= left)
      return;
  }
  kernel.setScheduleAttr(skinny);
}

void Packer::pack(KernelOp kernel) {
  auto strides = analysis::getInputStrides(kernel);
  if (failed(strides))
    return;
  packFewRows(kernel, *strides);
  for (analysis::PackableProduct &product :
       analysis::getPackableProducts(kernel, *strides)) {
    if (!isFrozen(getWeight(product)))
      continue;
    int64_t extra = getExtraBytes(product);
    if (extra > left) {
      if (auto told = remark::missed(
              kernel.getLoc(),
              remarks::kNotPackedAhead.function(function.getName())))
        told << remark::metric("kernel", kernel.getName())
             << remark::metric("bytes", extra)
             << remark::reason("{0}", "it takes more memory than "
                                      "prepared-memory allows");
      continue;
    }
    left -= extra;
    if (auto panels = getPanels(product))
      made.insert(*panels);
    product.op->setAttr(kPackedAheadAttrName,
                        UnitAttr::get(kernel.getContext()));
    if (auto told =
            remark::passed(kernel.getLoc(),
                           remarks::kPackedAhead.function(function.getName())))
      told << remark::metric("kernel", kernel.getName())
           << remark::metric("bytes", extra);
  }
}

void PackWeights::runOnOperation() {
  func::FuncOp function = getOperation();
  if (failed(
          verifyPassInput(function, getArgument(), {Stage::Loop, Stage::Loop})))
    return signalPassFailure();
  Packer packer(function, limit);
  function.walk([&](KernelOp kernel) { packer.pack(kernel); });
}
