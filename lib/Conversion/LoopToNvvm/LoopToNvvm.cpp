//===- LoopToNvvm.cpp - Outline kernels for a GPU and launch them ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CoarseMath.h"
#include "GridEmitter.h"

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Analysis/LibraryCall.h"
#include "kiln/Conversion/LoopToNvvm/Passes.h"
#include "kiln/Dialect/Loop/IR/KernelModule.h"
#include "kiln/Dialect/Loop/Utils/ExpandContraction.h"
#include "kiln/Dialect/Loop/Utils/GridModule.h"
#include "kiln/Dialect/Loop/Utils/StructureNumbering.h"
#include "kiln/Interfaces/Stages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/DenseMap.h"

namespace kiln {
#define GEN_PASS_DEF_CONVERTLOOPTONVVMPASS
#include "kiln/Conversion/LoopToNvvm/Passes.h.inc"
} // namespace kiln

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Whether a kernel of this name would have a function that is there already: its own, or
/// one that `emitGrid` lets go before it.
static bool isTaken(gpu::GPUModuleOp home, StringRef name) {
  return llvm::any_of(
      ArrayRef<StringRef>{"", "_parts", "_rows", "_init"},
      [&](StringRef suffix) {
        return SymbolTable::lookupSymbolIn(home, (name + suffix).str());
      });
}

/// The result of another kernel that `copy` only gives other sizes to, with its elements in
/// their order; null for all others.
static OpResult getReshaped(KernelOp copy) {
  SmallVector<NestOpInterface> nests = copy.getNests();
  if (nests.size() != 1 || copy.getInputs().size() != 1 ||
      copy.getNumResults() != 1 ||
      copy.getResult(0).getType() != nests.front()->getResult(0).getType())
    return {};
  auto op = dyn_cast<PointwiseOp>(nests.front().getOperation());
  auto made = dyn_cast<OpResult>(copy.getInputs().front());
  auto maker = made ? dyn_cast<KernelOp>(made.getOwner()) : KernelOp();
  if (!op || !maker || !made.hasOneUse() ||
      maker->getBlock() != copy->getBlock() || analysis::getOverwrites(maker) ||
      AssembleOp::find(copy.getResult(0)).first)
    return {};
  Block &body = op.getBody().front();
  auto load = dyn_cast<LoadOp>(body.front());
  if (!load || load->getNextNode() != body.getTerminator() ||
      body.getTerminator()->getOperand(0) != load.getResult() ||
      load.getMask() || !isa<BlockArgument>(load.getTensor()))
    return {};
  auto from = cast<RankedTensorType>(load.getTensor().getType()),
       to = cast<RankedTensorType>(op.getResult().getType());
  const analysis::Access read = analysis::getReads(nests.front()).front();
  bool isSame =
      from.getElementType() == to.getElementType() &&
      analysis::isRegrouped(copy.getContext(), nests.front().getDomain().all(),
                            *guard::getDims(from), read.map,
                            guard::Assumptions());
  return isSame ? made : OpResult();
}

namespace {
class ConvertLoopToNvvm
    : public kiln::impl::ConvertLoopToNvvmPassBase<ConvertLoopToNvvm> {
  using ConvertLoopToNvvmPassBase::ConvertLoopToNvvmPassBase;

  void runOnOperation() override {
    if (failed(verifyPassInput(getOperation(), getArgument(),
                               {Stage::Loop, Stage::Loop})) ||
        failed(verifyNestsInKernels(getOperation())))
      return signalPassFailure();
    SmallVector<KernelOp> kernels;
    getOperation().walk([&](KernelOp kernel) {
      if (OpResult made = getReshaped(kernel)) {
        reshaped[made] = kernel.getResult(0).getType();
        kernel.getResult(0).replaceAllUsesWith(made);
        kernel.erase();
        return;
      }
      kernels.push_back(kernel);
    });
    StructureNumbering numbering;
    SmallVector<unsigned> numbers;
    for (KernelOp kernel : kernels)
      numbers.push_back(numbering.getNumber(kernel));
    for (auto [kernel, number] : llvm::zip_equal(kernels, numbers))
      if (failed(convert(kernel, number)))
        return signalPassFailure();
    for (bool isNarrow : {true, false})
      if (auto home = getOperation().lookupSymbol<gpu::GPUModuleOp>(
              getGridModuleName(isNarrow));
          home && home.getBody()->empty())
        home.erase();
  }

  LogicalResult convert(KernelOp kernel, unsigned number) {
    if (!kernel.getScheduleAttr())
      return kernel.emitOpError("has no schedule, expected one as "
                                "'loop-choose-schedule' gives it");
    auto inputStrides = analysis::getInputStrides(kernel);
    if (failed(inputStrides) || failed(verifyElements(kernel)) ||
        failed(kernel.getScheduleAttr().verifyKernel(kernel)))
      return failure();
    auto schedule = dyn_cast<GPUProductScheduleAttr>(kernel.getScheduleAttr());
    Attribute library;
    if (schedule && schedule.getLibrary() != GPULibrary::None) {
      library = analysis::getLibraryCall(kernel, *inputStrides,
                                         schedule.getLibrary());
      if (!library)
        return kernel.emitOpError("has the schedule ")
               << schedule << ", but is nothing that the library has";
    }
    SmallVector<Attribute> strides;
    for (const auto &one : *inputStrides)
      strides.push_back(getExprArray(&getContext(), one));
    std::pair key(number, ArrayAttr::get(&getContext(), strides));
    auto it = emitted.find(key);
    if (it == emitted.end()) {
      KernelOp copy = cast<KernelOp>(kernel->clone());
      auto grid = emit(copy, *inputStrides);
      copy.erase();
      if (failed(grid))
        return failure();
      it = emitted.try_emplace(key, *grid).first;
    }
    launch(kernel, it->second, library);
    return success();
  }

  void launch(KernelOp kernel, const EmittedGrid &grid, Attribute library) {
    SmallVector<ExprAttr> numbers;
    kernel.walk([&](NumberOp number) {
      numbers.push_back(guard::getConstant(&getContext(), number.getValue()));
    });
    SmallVector<Attribute> steps;
    for (GridStepAttr step : grid.steps) {
      SmallVector<ExprAttr> symbols = getExprs(step.getSymbols());
      for (ExprAttr &symbol : symbols)
        if (symbol.isDim())
          symbol = numbers[symbol.getPosition()];
      steps.push_back(GridStepAttr::get(&getContext(), step.getKernel(),
                                        getExprArray(&getContext(), symbols),
                                        step.getBlocks(), step.getThreads(),
                                        step.getShared(), step.getMaps()));
    }
    OpBuilder builder(kernel);
    SmallVector<Attribute> checks;
    kernel.walk([&](AssertOp op) { checks.push_back(op.getMessageAttr()); });
    SmallVector<Type> types;
    for (OpResult result : kernel->getResults()) {
      Type other = reshaped.lookup(result);
      types.push_back(other ? other : result.getType());
    }
    auto launch = LaunchGridOp::create(
        builder, kernel.getLoc(), types, kernel.getInputs(),
        builder.getArrayAttr(steps),
        grid.fitsNarrow.getConstant() ? ExprAttr() : grid.fitsNarrow,
        grid.workspace, kernel.getOriginsAttr(), kernel.getScheduleAttr(),
        kernel.getTrafficAttr(),
        grid.mayOverwrite ? analysis::getOverwrites(kernel)
                          : DenseI64ArrayAttr(),
        library, checks.empty() ? ArrayAttr() : builder.getArrayAttr(checks));
    kernel.replaceAllUsesWith(launch.getResults());
    kernel.erase();
  }

  /// Emits the functions with indices of 32 bits, 64 bits, or both.
  FailureOr<EmittedGrid> emit(KernelOp kernel,
                              const analysis::KernelStrides &inputStrides) {
    Builder attributes(&getContext());
    int64_t slot = 0;
    kernel.walk([&](NumberOp number) {
      number->setAttr(kSlotAttrName, attributes.getI64IntegerAttr(slot++));
    });
    int64_t cell = 0;
    kernel.walk([&](AssertOp op) {
      op->setAttr(kSlotAttrName, attributes.getI64IntegerAttr(cell++));
    });
    allowCoarseMath(kernel);
    auto contracts = kernel.getBody().getOps<ContractOp>();
    if (!contracts.empty() &&
        !isa<GPUProductScheduleAttr, GPUBlocksScheduleAttr,
             GPUColumnPartsScheduleAttr>(kernel.getScheduleAttr())) {
      ContractOp op = *contracts.begin();
      kernel.setSharedAttr(op.getParallelExtents());
      expandContraction(op);
    }
    gpu::GPUModuleOp narrow = getOrCreateGridModule(getOperation(), true),
                     wide = getOrCreateGridModule(getOperation(), false);
    // The same name in both.
    std::string name = kernel.getName().str();
    for (unsigned k = 1; isTaken(narrow, name) || isTaken(wide, name); ++k)
      name = (kernel.getName() + "_" + Twine(k)).str();
    OpBuilder builder(&getContext());
    builder.setInsertionPointToEnd(narrow.getBody());
    auto grid = emitGrid(kernel, inputStrides, builder, name, true);
    if (failed(grid) || grid->fitsNarrow.isConstant(1))
      return grid;
    builder.setInsertionPointToEnd(wide.getBody());
    auto wider = emitGrid(kernel, inputStrides, builder, name, false);
    if (failed(wider) || !grid->fitsNarrow.isConstant(0))
      return failed(wider) ? wider : grid;
    for (GridStepAttr step : grid->steps)
      SymbolTable::lookupSymbolIn(narrow, step.getKernel().getAttr())->erase();
    return wider;
  }

  /// Results that all others see with other sizes.
  llvm::DenseMap<Value, Type> reshaped;
  /// What was emitted, by what it computes and the strides of its inputs.
  llvm::DenseMap<std::pair<unsigned, ArrayAttr>, EmittedGrid> emitted;
};
} // namespace
