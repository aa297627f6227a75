//===- SetTarget.cpp - Which processor kernels are for --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/Transforms/Passes.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

namespace kiln::loop {
#define GEN_PASS_DEF_SETTARGETPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

namespace {
class SetTarget : public loop::impl::SetTargetPassBase<SetTarget> {
public:
  using SetTargetPassBase::SetTargetPassBase;
  void runOnOperation() override {
    if (getOperation()->hasAttr(kTargetAttrName))
      return;
    Attribute target;
    if (chip.empty())
      target = TargetAttr::getChecked(
          [&] { return mlir::emitError(getOperation().getLoc()); },
          &getContext(), int64_t(vectorBits), int64_t(vectorRegisters),
          bool(masks), int64_t(l1Bytes), int64_t(l2Bytes), int64_t(l3Bytes),
          int64_t(grainPoints), int64_t(grainNs), bf16.getValue(),
          int64_t(threads), int64_t(streamBytes), bytes.getValue());
    else
      target = GPUTargetAttr::getChecked(
          [&] { return mlir::emitError(getOperation().getLoc()); },
          &getContext(), StringRef(chip), int64_t(multiprocessors),
          int64_t(gpuThreads), int64_t(gpuRegisters), int64_t(sharedBytes),
          int64_t(l2Bytes), bool(tf32), bool(convTf32),
          bool(deterministic));
    if (!target)
      return signalPassFailure();
    getOperation()->setAttr(kTargetAttrName, target);
  }
};
} // namespace
