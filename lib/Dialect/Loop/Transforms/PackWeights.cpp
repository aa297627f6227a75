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

/// What the panels take beside the weight, which is not read any more if
/// nothing else does.
static int64_t getExtraBytes(const analysis::PackableProduct &product,
                             Value weight) {
  auto type = cast<RankedTensorType>(weight.getType());
  int64_t bytes = product.elements * analysis::getElementBytes(
                                         ContractOp(product.op).getAccType());
  return weight.hasOneUse()
             ? bytes - type.getNumElements() *
                           analysis::getElementBytes(type.getElementType())
             : bytes;
}

void PackWeights::runOnOperation() {
  func::FuncOp function = getOperation();
  if (failed(
          verifyPassInput(function, getArgument(), {Stage::Loop, Stage::Loop})))
    return signalPassFailure();
  int64_t taken = 0;
  function.walk([&](KernelOp kernel) {
    auto strides = analysis::getInputStrides(kernel);
    if (failed(strides))
      return;
    for (analysis::PackableProduct &product :
         analysis::getPackableProducts(kernel, *strides)) {
      Value weight = kernel.getInputs()[product.input];
      if (!isFrozen(weight))
        continue;
      int64_t extra = getExtraBytes(product, weight);
      if (taken + extra > limit) {
        if (auto told = remark::missed(
                kernel.getLoc(),
                remarks::kNotPackedAhead.function(function.getName())))
          told << remark::metric("kernel", kernel.getName())
               << remark::metric("bytes", extra)
               << remark::reason("{0}", "it takes more memory than "
                                        "prepared-memory allows");
        continue;
      }
      taken += extra;
      product.op->setAttr(kPackedAheadAttrName, UnitAttr::get(&getContext()));
      if (auto told = remark::passed(
              kernel.getLoc(),
              remarks::kPackedAhead.function(function.getName())))
        told << remark::metric("kernel", kernel.getName())
             << remark::metric("bytes", extra);
    }
  });
}
