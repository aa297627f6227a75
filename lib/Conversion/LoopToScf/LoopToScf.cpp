//===- LoopToScf.cpp - Outline kernels and launch them --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleEmitters.h"

#include "kiln/Conversion/LoopToScf/Passes.h"
#include "kiln/Dialect/Loop/IR/KernelModule.h"
#include "kiln/Dialect/Loop/Utils/ExpandContraction.h"
#include "kiln/Dialect/Loop/Utils/StructureNumbering.h"
#include "kiln/Interfaces/Stages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/DenseMap.h"

namespace kiln {
#define GEN_PASS_DEF_CONVERTLOOPTOSCFPASS
#include "kiln/Conversion/LoopToScf/Passes.h.inc"
} // namespace kiln

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// The kernels that were emitted, by what they compute and the strides of their
/// inputs.
using EmittedKernels =
    llvm::DenseMap<std::pair<unsigned, ArrayAttr>, EmittedKernel>;

static ArrayAttr toAttribute(MLIRContext *context,
                             const analysis::KernelStrides &inputStrides) {
  return ArrayAttr::get(
      context, llvm::map_to_vector(inputStrides, [&](const auto &strides) {
        return Attribute(getExprArray(context, strides));
      }));
}

namespace {
class ConvertLoopToScf
    : public kiln::impl::ConvertLoopToScfPassBase<ConvertLoopToScf> {
  using ConvertLoopToScfPassBase::ConvertLoopToScfPassBase;

  void runOnOperation() override {
    if (failed(verifyPassInput(getOperation(), getArgument(),
                               {Stage::Loop, Stage::Loop})))
      return signalPassFailure();
    ModuleOp module = getOperation();
    SmallVector<KernelOp> kernels;
    module.walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    if (failed(verifyNestsInKernels(module)))
      return signalPassFailure();
    if (kernels.empty())
      return;
    ModuleOp home = getOrCreateKernelModule(module);
    StructureNumbering numbering;
    SmallVector<unsigned> numbers;
    for (KernelOp kernel : kernels)
      numbers.push_back(numbering.getNumber(kernel));
    EmittedKernels emitted;
    for (auto [kernel, number] : llvm::zip_equal(kernels, numbers))
      if (failed(convert(kernel, number, home, emitted)))
        return signalPassFailure();
  }

  LogicalResult convert(KernelOp kernel, unsigned number, ModuleOp home,
                        EmittedKernels &emitted) {
    ScheduleAttr schedule = kernel.getScheduleAttr();
    if (!schedule)
      return kernel.emitOpError("has no schedule, expected one as "
                                "'loop-choose-schedule' gives it");
    auto inputStrides = analysis::getInputStrides(kernel);
    if (failed(inputStrides) || failed(verifyElements(kernel)))
      return failure();
    std::pair key(number, toAttribute(&getContext(), *inputStrides));
    auto it = emitted.find(key);
    if (it == emitted.end()) {
      KernelOp copy = cast<KernelOp>(kernel->clone());
      auto code = emit(copy, home, *inputStrides);
      copy.erase();
      if (failed(code))
        return failure();
      it = emitted.try_emplace(key, *code).first;
    }

    EmittedKernel &code = it->second;
    SmallVector<ExprAttr> numbers, symbols;
    kernel.walk([&](NumberOp number) {
      numbers.push_back(guard::getConstant(&getContext(), number.getValue()));
    });
    for (ExprAttr symbol : code.symbols)
      symbols.push_back(symbol.isDim() ? numbers[symbol.getPosition()]
                                       : symbol);
    OpBuilder builder(kernel);
    auto name = SymbolRefAttr::get(
        home.getSymNameAttr(),
        {SymbolRefAttr::get(code.function.getSymNameAttr())});
    auto launch = LaunchOp::create(
        builder, kernel.getLoc(), kernel.getResultTypes(), name,
        kernel.getInputs(), getExprArray(&getContext(), symbols),
        code.work, builder.getI64IntegerAttr(schedule.getGrain()),
        code.scratch, kernel.getOriginsAttr(), schedule,
        kernel.getTrafficAttr(), analysis::getOverwrites(kernel));
    kernel.replaceAllUsesWith(launch.getResults());
    kernel.erase();
    return success();
  }

  FailureOr<EmittedKernel>
  emit(KernelOp kernel, ModuleOp home,
       const analysis::KernelStrides &inputStrides) {
    Builder attributes(&getContext());
    int64_t slot = 0;
    kernel.walk([&](NumberOp number) {
      number->setAttr(kSlotAttrName, attributes.getI64IntegerAttr(slot++));
    });
    // Any other schedule of a contraction is that of a reduction.
    auto contracts = kernel.getBody().getOps<ContractOp>();
    if (!contracts.empty() &&
        isa<AcrossScheduleAttr, WithinScheduleAttr>(kernel.getScheduleAttr())) {
      ContractOp op = *contracts.begin();
      kernel.setSharedAttr(op.getParallelExtents());
      expandContraction(op);
    }
    std::string name = getFreeName(home, kernel.getName());
    OpBuilder builder(&getContext());
    builder.setInsertionPointToEnd(home.getBody());
    return emitKernel(kernel, inputStrides, builder, name);
  }
};
} // namespace
