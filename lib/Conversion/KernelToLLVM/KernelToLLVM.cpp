//===- KernelToLLVM.cpp - Kernels in the llvm dialect ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Conversion/KernelToLLVM/Passes.h"
#include "kiln/Conversion/KernelToLLVM/VectorTypes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Transforms/DialectConversion.h"

namespace kiln {
#define GEN_PASS_DEF_CONVERTKERNELTOLLVMPASS
#include "kiln/Conversion/KernelToLLVM/Passes.h.inc"
} // namespace kiln

using namespace mlir;

namespace {

struct ConvertKernelToLLVMPass
    : kiln::impl::ConvertKernelToLLVMPassBase<ConvertKernelToLLVMPass> {
  /// Kernels are lowered one by one, and making the patterns takes as long as using
  /// them on a small one.
  LogicalResult initialize(MLIRContext *context) override {
    makePatterns(context, LowerToLLVMOptions(context));
    return success();
  }

  void makePatterns(MLIRContext *context, LowerToLLVMOptions options) {
    options.useBarePtrCallConv = true;
    converter = std::make_shared<LLVMTypeConverter>(context, options);
    RewritePatternSet set(context);
    arith::populateCeilFloorDivExpandOpsPatterns(set);
    arith::populateArithToLLVMConversionPatterns(*converter, set);
    index::populateIndexToLLVMConversionPatterns(*converter, set);
    populateMathToLLVMConversionPatterns(*converter, set,
                                         /*approximateLog1p=*/false);
    populateVectorToLLVMConversionPatterns(*converter, set,
                                           /*reassociateFPReductions=*/false,
                                           /*force32BitVectorIndices=*/true);
    cf::populateControlFlowToLLVMConversionPatterns(*converter, set);
    populateFuncToLLVMConversionPatterns(*converter, set);
    ub::populateUBToLLVMConversionPatterns(*converter, set);
    patterns = FrozenRewritePatternSet(std::move(set));
  }

  void runOnOperation() override {
    WalkResult checked = getOperation()->walk([](Operation *op) {
      if (auto why = kiln::whyNoVectorCode(op)) {
        op->emitOpError(*why);
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    if (checked.wasInterrupted())
      return signalPassFailure();
    // Which width an index has is said by the module.
    LowerToLLVMOptions options(&getContext(), DataLayout::closest(getOperation()));
    if (options.getIndexBitwidth() != converter->getIndexTypeBitwidth())
      makePatterns(&getContext(), options);
    LLVMConversionTarget target(getContext());
    target.addLegalOp<ModuleOp, gpu::GPUModuleOp>();
    target.addLegalDialect<NVVM::NVVMDialect>();
    ConversionConfig config;
    config.allowPatternRollback = false;
    if (failed(applyFullConversion(getOperation(), target, patterns, config)))
      signalPassFailure();
  }

  std::shared_ptr<LLVMTypeConverter> converter; ///< that the patterns refer to
  FrozenRewritePatternSet patterns;
};

} // namespace
