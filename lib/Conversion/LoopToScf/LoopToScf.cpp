//===- LoopToScf.cpp - Outline kernels and launch them --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleEmitters.h"

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Analysis/PackedAhead.h"
#include "kiln/Conversion/LoopToScf/Passes.h"
#include "kiln/Dialect/Loop/IR/KernelModule.h"
#include "kiln/Dialect/Loop/IR/Weights.h"
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

namespace {
/// A kernel that makes panels of an input of another one.
struct EmittedPanels {
  unsigned input;
  RankedTensorType type;
  EmittedKernel code;
};
struct EmittedKernels {
  EmittedKernel kernel;
  SmallVector<EmittedPanels> panels;
};
} // namespace

/// The kernels that were emitted, by what they compute and the strides of their
/// inputs.
using EmittedByContent =
    llvm::DenseMap<std::pair<unsigned, ArrayAttr>, EmittedKernels>;

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
    EmittedByContent emitted;
    analysis::SizeHints hints(module);
    for (auto [kernel, number] : llvm::zip_equal(kernels, numbers))
      if (failed(convert(kernel, number, home, hints, emitted)))
        return signalPassFailure();
  }

  LogicalResult convert(KernelOp kernel, unsigned number, ModuleOp home,
                        const analysis::SizeHints &hints,
                        EmittedByContent &emitted) {
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

    EmittedKernel &code = it->second.kernel;
    SmallVector<ExprAttr> numbers, symbols;
    kernel.walk([&](NumberOp number) {
      numbers.push_back(guard::getConstant(&getContext(), number.getValue()));
    });
    for (ExprAttr symbol : code.symbols)
      symbols.push_back(symbol.isDim() ? numbers[symbol.getPosition()]
                                       : symbol);
    OpBuilder builder(kernel);
    auto getName = [&](const EmittedKernel &emitted) {
      return SymbolRefAttr::get(
          home.getSymNameAttr(),
          {SymbolRefAttr::get(
              mlir::func::FuncOp(emitted.function).getSymNameAttr())});
    };
    SmallVector<Value> inputs(kernel.getInputs());
    for (const EmittedPanels &panels : it->second.panels) {
      auto packing = LaunchOp::create(
          builder, kernel.getLoc(), TypeRange{panels.type},
          getName(panels.code), inputs[panels.input],
          getExprArray(&getContext(), {}), panels.code.work,
          builder.getI64IntegerAttr(1), panels.code.scratch,
          kernel.getOriginsAttr(), ScheduleAttr(), TrafficAttr(),
          DenseI64ArrayAttr());
      packing->setAttr(kPackedAheadAttrName, builder.getUnitAttr());
      inputs[panels.input] = packing.getResult(0);
    }
    auto name = getName(code);
    auto launch = LaunchOp::create(
        builder, kernel.getLoc(), kernel.getResultTypes(), name, inputs,
        getExprArray(&getContext(), symbols), code.work,
        builder.getI64IntegerAttr(schedule.getGrain()), code.scratch,
        kernel.getOriginsAttr(), schedule, kernel.getTrafficAttr(),
        analysis::getOverwrites(kernel));
    if (SmallVector<int64_t> sparse = analysis::getSparseInputs(kernel, hints);
        !sparse.empty())
      launch->setAttr(kSparseAttrName, builder.getDenseI64ArrayAttr(sparse));
    kernel.replaceAllUsesWith(launch.getResults());
    kernel.erase();
    return success();
  }

  FailureOr<EmittedKernels> emit(KernelOp kernel, ModuleOp home,
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
    OpBuilder builder(&getContext());
    builder.setInsertionPointToEnd(home.getBody());
    EmittedKernels emitted;
    if (failed(emitPanels(kernel, home, inputStrides, builder, emitted.panels)))
      return failure();
    auto code = emitKernel(kernel, inputStrides, builder,
                           getFreeName(home, kernel.getName()));
    if (failed(code))
      return failure();
    emitted.kernel = *code;
    return emitted;
  }

  /// Kernels for the panels that are to be made ahead. A mark of a contraction
  /// that is scheduled in another way by now says nothing.
  LogicalResult emitPanels(KernelOp kernel, ModuleOp home,
                           const analysis::KernelStrides &inputStrides,
                           OpBuilder &builder,
                           SmallVectorImpl<EmittedPanels> &emitted) {
    llvm::SmallDenseSet<Operation *> packed;
    for (analysis::PackableProduct &product :
         analysis::getPackableProducts(kernel, inputStrides)) {
      if (!product.op->hasAttr(kPackedAheadAttrName))
        continue;
      auto code =
          ColumnsPacker(kernel, inputStrides, product.schedule, product.op,
                        product.shape)
              .emit(builder,
                    getFreeName(home, (kernel.getName() + "_panels").str()));
      if (failed(code))
        return failure();
      if (!code->symbols.empty())
        return kernel.emitOpError("has panels that depend on symbols");
      packed.insert(product.op);
      emitted.push_back(
          {product.input,
           RankedTensorType::get({product.elements}, product.op.getAccType()),
           *code});
    }
    for (ContractOp op : kernel.getBody().getOps<ContractOp>())
      if (!packed.contains(op))
        op->removeAttr(kPackedAheadAttrName);
    return success();
  }
};
} // namespace
