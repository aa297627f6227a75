//===- ChooseSchedulePass.cpp - A schedule for each kernel ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/Transforms/ChooseSchedule.h"

#include "KernelWalk.h"

#include "kiln/Dialect/Loop/IR/RowParts.h"
#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/Remarks.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

namespace kiln::loop {
#define GEN_PASS_DEF_CHOOSESCHEDULEPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

namespace {
class ChooseSchedule
    : public loop::impl::ChooseSchedulePassBase<ChooseSchedule> {
public:
  using ChooseSchedulePassBase::ChooseSchedulePassBase;
  void runOnOperation() override;
};
} // namespace

void ChooseSchedule::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Loop, Stage::Loop})))
    return signalPassFailure();
  Machine machine = getMachine(getTarget(getOperation()));
  GPUTargetAttr gpu = getGPUTarget(getOperation());
  analysis::SizeHints hints(getOperation()->getParentOfType<ModuleOp>());
  SmallVector<KernelOp> kernels;
  getOperation().walk([&](KernelOp kernel) {
    if (!kernel.getScheduleAttr())
      kernels.push_back(kernel);
  });
  for (KernelOp kernel : kernels) {
    auto strides = analysis::getInputStrides(kernel);
    if (failed(strides))
      return signalPassFailure();
    ScheduleAttr schedule =
        gpu ? chooseGPUSchedule(kernel, *strides, getMachine(gpu), hints)
            : chooseSchedule(kernel, *strides, machine, hints);
    if (!schedule) {
      if (getRowParts(kernel))
        kernel.emitOpError("sums up parts of its rows, which GPUs have no "
                           "schedule for");
      else if (gpu && gpu.getCapability() < kGPUCopiesAhead)
        kernel.emitOpError("has contractions among other nests, which are for "
                           "sm_80 and later, but its target is ")
            << gpu.getChip();
      else
        kernel.emitOpError("has contractions among other nests that are no "
                           "products of its rows, expected those that "
                           "'loop-fuse-products' puts together");
      return signalPassFailure();
    }
    kernel.setScheduleAttr(schedule);
    if (auto told = remark::passed(
            kernel.getLoc(),
            remarks::kScheduled.function(remarks::getFunctionName(kernel)))) {
      std::string text;
      llvm::raw_string_ostream(text) << schedule;
      told
          << remark::metric("kernel", kernel.getName())
          << remark::metric("schedule", text)
          << remark::metric(
                 "operations",
                 llvm::formatv("{0:F0}", countOperations(kernel, hints)).str());
    }
  }
}
