//===- LinalgPipeline.cpp - Kernels by way of linalg ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Pipelines/LinalgPipeline.h"

#include "kiln/Conversion/LoopToLinalg/Passes.h"
#include "kiln/Transforms/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToGPU/SCFToGPUPass.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/AllInterfaces.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace kiln;
using namespace mlir;

/// Threads of a block.
static constexpr int64_t kThreads = 256;

/// Of functions of parallel loops without memrefs, each loop becomes a grid.
static void addGrids(OpPassManager &pm) {
  OpPassManager &kernels = pm.nest<ModuleOp>();
  OpPassManager &functions = kernels.nest<func::FuncOp>();
  functions.addPass(createKilnFlattenLoopsPass());
  functions.addPass(
      createParallelLoopTilingPass({kThreads}, /*noMinMaxBounds=*/true));
  functions.addPass(createGpuMapParallelLoopsPass());
  functions.addPass(createConvertParallelLoopToGpuPass());
  // Not before: nested parallel loops would become one.
  functions.addPass(createCanonicalizerPass());
  kernels.addPass(createGpuKernelOutliningPass());
  OpPassManager &code = kernels.nest<gpu::GPUModuleOp>();
  code.addPass(createLowerAffinePass());
  code.addPass(createCanonicalizerPass());
  pm.addPass(createKilnCollectLaunchesPass());
  OpPassManager &grids = pm.nest<gpu::GPUModuleOp>();
  grids.addPass(createCanonicalizerPass());
  grids.addPass(createCSEPass());
}

void kiln::buildLinalgLoweringPipeline(OpPassManager &pm,
                                       const LinalgLoweringOptions &options) {
  LoopOutlineKernelsPassOptions outline;
  outline.grid = options.grid;
  pm.addPass(createLoopOutlineKernelsPass(outline));
  OpPassManager &tensors = pm.nest<ModuleOp>();
  tensors.addPass(createConvertLoopToLinalgPass());
  // At once: each result has an empty tensor of its own, which becomes the
  // memory it must end up in. CSE would merge those of several results.
  tensors.addPass(bufferization::createEmptyTensorEliminationPass());
  tensors.addPass(createCSEPass());
  if (options.addTensorPasses)
    options.addTensorPasses(tensors);
  tensors.addPass(bufferization::createOneShotBufferizePass());
  // Removes loop-carried buffers that are the same in each iteration.
  tensors.addPass(createCanonicalizerPass());
  tensors.addPass(options.grid ? createConvertLinalgToParallelLoopsPass()
                               : createConvertLinalgToLoopsPass());
  tensors.addPass(createLowerAffinePass());
  // After loops are there: copies become loops, and nothing allocates later.
  pm.addPass(createKilnPlaceScratchPass());
  OpPassManager &buffers = pm.nest<ModuleOp>();
  // Folds sizes of buffers, which loops over copies ask for.
  buffers.addPass(createFinalizeMemRefToLLVMConversionPass());
  buffers.addPass(createReconcileUnrealizedCastsPass());
  buffers.addPass(createKilnReconcileIndexCastsPass());
  buffers.addPass(createCanonicalizerPass());
  buffers.addPass(createCSEPass());
  if (options.grid)
    addGrids(pm);
  addStageVerifier(pm, Stage::Kernel);
}

void kiln::registerLinalgLoweringDialects(DialectRegistry &registry) {
  registry.insert<affine::AffineDialect, bufferization::BufferizationDialect,
                  cf::ControlFlowDialect, linalg::LinalgDialect,
                  memref::MemRefDialect, tensor::TensorDialect>();
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerAllDialectInterfaceImplementations(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerSubsetOpInterfaceExternalModels(registry);
}

void kiln::registerLinalgLoweringPipeline() {
  PassPipelineRegistration<> registration(
      "kiln-lower-through-linalg",
      "Lower kernels through linalg and stock MLIR passes to loops",
      [](OpPassManager &pm) { buildLinalgLoweringPipeline(pm); });
}
