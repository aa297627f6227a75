//===- KernelPipeline.cpp - From kernels' code to LLVM's dialect ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Target/CPU/KernelPipeline.h"

#include "kiln/Conversion/ExpandMath/Passes.h"
#include "kiln/Conversion/KernelToLLVM/Passes.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

void kiln::buildKernelToLLVMPipeline(OpPassManager &pm, bool scales) {
  // Before the small floats: math on f16 and bf16 is extended here as well, and
  // the casts this makes are expanded by the next pass.
  KilnExpandMathPassOptions math;
  math.scales = scales;
  pm.addPass(createKilnExpandMathPass(math));
  pm.addPass(createKilnExpandSmallFloatsPass());
  pm.addPass(createKilnLowerVectorsPass());
  // After all passes that want to see loops.
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertKernelToLLVMPass());
}
