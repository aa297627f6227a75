//===- Pipelines.cpp - The arrows between the stages ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Pipelines/Pipelines.h"

#include "kiln/Conversion/AtenToLoop.h"
#include "kiln/Conversion/LoopToNvvm/Passes.h"
#include "kiln/Conversion/LoopToScf/Passes.h"
#include "kiln/Conversion/ToProgram/Passes.h"
#include "kiln/Dialect/Aten/Transforms/Passes.h"
#include "kiln/Dialect/Joint/Transforms/Passes.h"
#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Dialect/Program/Transforms/Passes.h"
#include "kiln/Pipelines/LinalgPipeline.h"
#include "kiln/Target/CPU/KernelPipeline.h"
#include "kiln/Target/GPU/PTXCompiler.h"
#include "kiln/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace kiln;

/// Merged views and folded sizes make equal ops visible, then they become one.
static void simplify(mlir::OpPassManager &pm, bool keepDifferentiable = false) {
  aten::AtenSimplifyPassOptions options;
  options.keepDifferentiable = keepDifferentiable;
  pm.addPass(aten::createAtenSimplifyPass(options));
  pm.addPass(mlir::createCanonicalizerPass());
  pm.addPass(mlir::createCSEPass());
}

static void decompose(mlir::OpPassManager &pm, StringRef to,
                      bool keepDifferentiable = false) {
  aten::AtenDecomposePassOptions options;
  options.to = to.str();
  options.keepDifferentiable = keepDifferentiable;
  pm.addPass(aten::createAtenDecomposePass(options));
  simplify(pm, keepDifferentiable);
}

void kiln::buildCorePipeline(mlir::OpPassManager &pm,
                             const CorePipelineOptions &options) {
  decompose(pm, "core", options.training);
  addStageVerifier(pm, Stage::Core, options.training);
}

void kiln::buildDifferentiationPipeline(mlir::OpPassManager &pm,
                                        const JointPipelineOptions &options) {
  // What is drawn must be the same in both halves.
  pm.addNestedPass<mlir::func::FuncOp>(aten::createAtenNumberDrawsPass());
  if (!options.savesSums.empty()) {
    aten::AtenSaveSumsPassOptions sums;
    sums.types.assign(options.savesSums.begin(), options.savesSums.end());
    pm.addNestedPass<mlir::func::FuncOp>(aten::createAtenSaveSumsPass(sums));
  }
  pm.addPass(joint::createJointDifferentiatePass());
  if (!options.optimizer.empty()) {
    joint::JointAppendOptimizerPassOptions append;
    append.optimizer = options.optimizer;
    pm.addPass(joint::createJointAppendOptimizerPass(append));
  }
  // The cut counts each value once, so equal ones must be one first.
  simplify(pm);
  pm.addPass(aten::createAtenMergeSumsPass());
  simplify(pm);
}

void kiln::buildPartitionPipeline(mlir::OpPassManager &pm,
                                  const JointPipelineOptions &options) {
  if (options.opensRows) {
    // The maximum of a row and its sum of exponentials are all that its backward needs
    // besides the row itself; so it is of a loss that kept its own derivative.
    aten::AtenDecomposePassOptions open;
    open.to = "loop";
    open.only = {"cross_entropy_loss", "_log_softmax"};
    pm.addPass(aten::createAtenDecomposePass(open));
    simplify(pm);
  }
  joint::JointPartitionPassOptions partition;
  partition.memoryBudget = options.memoryBudget;
  partition.operandsInMemory = options.operandsInMemory;
  pm.addPass(joint::createJointPartitionPass(partition));
  // What kept its own derivative, and backward ops: core form again.
  decompose(pm, "core");
  addStageVerifier(pm, Stage::Core);
}

void kiln::buildJointPipeline(mlir::OpPassManager &pm,
                              const JointPipelineOptions &options) {
  buildDifferentiationPipeline(pm, options);
  buildPartitionPipeline(pm, options);
}

void kiln::buildCallsPipeline(mlir::OpPassManager &pm, bool ignoreStrides) {
  ConvertAtenToProgramPassOptions options;
  options.ignoreStrides = ignoreStrides;
  pm.addPass(createConvertAtenToProgramPass(options));
  pm.addNestedPass<program::FuncOp>(program::createProgramReleasePass());
  addStageVerifier(pm, Stage::Package);
}

bool llvm::cl::parser<GPUChip>::parse(Option &option, StringRef name,
                                      StringRef text, GPUChip &result) {
  if (auto known = target::NVVMTarget::parse(text); !known)
    return option.error(known.takeError().message, name);
  result.name = text.str();
  return false;
}

/// The GPU of a name that was read; of one that C++ code made up the pass says what is
/// wrong.
static void setChip(loop::SetTargetPassOptions &target, const GPUChip &chip) {
  target.chip = chip.name;
  auto known = target::NVVMTarget::parse(chip.name);
  if (!known)
    return;
  target.multiprocessors = int64_t(known->multiprocessors);
  target.gpuThreads = int64_t(known->threads);
  target.gpuRegisters = int64_t(known->registers);
  target.sharedBytes = int64_t(known->sharedBytes);
  target.l2Bytes = int64_t(known->l2Bytes);
}

static void setTarget(mlir::OpPassManager &pm,
                      const LoopPipelineOptions &options) {
  loop::SetTargetPassOptions target;
  target.vectorBits = options.vectorBits;
  target.vectorRegisters = options.vectorRegisters;
  target.masks = options.masks;
  target.l1Bytes = options.l1Bytes;
  target.l2Bytes = options.l2Bytes;
  target.l3Bytes = options.l3Bytes;
  target.streamBytes = options.streamBytes;
  target.bf16 = options.bf16;
  target.bytes = options.bytes;
  target.threads = options.threads;
  target.tf32 = options.tf32;
  target.convTf32 = options.convTf32;
  target.deterministic = options.deterministic;
  if (!options.chip.name.empty())
    setChip(target, options.chip);
  pm.addPass(loop::createSetTargetPass(target));
}

static void fuse(mlir::OpPassManager &pm, const LoopPipelineOptions &options) {
  const int64_t maxNests = options.maxNests;
  // Before who reads what is saved takes in what only moves it.
  pm.addPass(loop::createSaveAsReadPass());
  // Inlining before fusion: what is inlined is not a kernel to be fused.
  pm.addNestedPass<mlir::func::FuncOp>(loop::createInlineVirtualPass());
  pm.addNestedPass<mlir::func::FuncOp>(loop::createFoldOneHotPass());
  // What one function saves for another has an order for both.
  pm.addPass(loop::createChooseLayoutPass());
  mlir::OpPassManager &functions = pm.nest<mlir::func::FuncOp>();
  functions.addPass(loop::createSortScattersPass());
  functions.addPass(loop::createSplitSortsPass());
  functions.addPass(loop::createSplitScansPass());
  functions.addPass(loop::createSplitReductionsPass());
  functions.addPass(loop::createSplitContractionsPass());
  functions.addPass(loop::createSplitGroupsPass());
  loop::FusePassOptions fusion;
  fusion.maxNests = maxNests;
  functions.addPass(loop::createFusePass(fusion));
  // Only now is it known what shares a row.
  functions.addPass(loop::createShareRowsPass());
  // Rows are as they will be: what they leave for products is known.
  if (maxNests > 1) {
    functions.addPass(loop::createFuseProductsPass());
    functions.addPass(loop::createFuseColumnsPass());
  }
  // What is left alone in its kernel by then is a product by itself.
  pm.addPass(loop::createPadRowsPass());
  mlir::OpPassManager &scheduled = pm.nest<mlir::func::FuncOp>();
  scheduled.addPass(loop::createPackOperandsPass());
  scheduled.addPass(loop::createOrderKernelsPass());
  // A kernel that runs again would store its part again.
  if (!options.chip.name.empty() && maxNests > 1 && options.memoryLimit <= 0)
    scheduled.addPass(loop::createPlacePartsPass());
  scheduled.addPass(loop::createChooseSchedulePass());
  // Tiles are as high as the schedule says, which depends on what follows in
  // them.
  if (!options.chip.name.empty() && options.sumsOfTiles && maxNests > 1) {
    scheduled.addPass(loop::createFuseResultsPass());
    scheduled.addPass(loop::createFuseSumsPass());
  }
  if (!options.chip.name.empty())
    scheduled.addPass(loop::createRoundFactorsPass());
  // A copy of a kernel has its schedule, and with it its bits.
  if (options.memoryLimit > 0) {
    loop::RematerializePassOptions limit;
    limit.limit = options.memoryLimit;
    pm.addPass(loop::createRematerializePass(limit));
  }
  // What panels there are is said by the schedule.
  if (options.preparedBytes >= 0) {
    loop::PackWeightsPassOptions weights;
    weights.limit = options.preparedBytes;
    OpPassManager &packed = options.memoryLimit > 0
                                ? pm.nest<mlir::func::FuncOp>()
                                : scheduled;
    packed.addPass(loop::createPackWeightsPass(weights));
  }
}

void kiln::buildLoopPipeline(mlir::OpPassManager &pm,
                             const LoopPipelineOptions &options) {
  setTarget(pm, options);
  // Bodies become functions first: everything after this walks functions.
  pm.addPass(createOutlineAtenBodiesPass());
  decompose(pm, "loop");
  // What is quantized is seen as it is made of, and nothing is a nest yet.
  if (options.chip.name.empty()) {
    aten::AtenMultiplyLevelsPassOptions levels;
    levels.weightsOnly = options.bytes == loop::DotUnit::Fma;
    pm.addNestedPass<mlir::func::FuncOp>(
        aten::createAtenMultiplyLevelsPass(levels));
  }
  mlir::OpPassManager &functions = pm.nest<mlir::func::FuncOp>();
  ConvertAtenToLoopPassOptions conversion;
  // GPUs have the terms that they were measured with.
  conversion.shortSpecials = options.chip.name.empty();
  functions.addPass(createConvertAtenToLoopPass(conversion));
  functions.addPass(mlir::createCanonicalizerPass());
  fuse(pm, options);
  addStageVerifier(pm, Stage::Loop);
}

void kiln::buildFusionPipeline(mlir::OpPassManager &pm,
                               const LoopPipelineOptions &options) {
  setTarget(pm, options);
  mlir::OpPassManager &functions = pm.nest<mlir::func::FuncOp>();
  functions.addPass(mlir::createCanonicalizerPass());
  fuse(pm, options);
  addStageVerifier(pm, Stage::Loop);
}

void kiln::buildKernelPipeline(mlir::OpPassManager &pm) {
  pm.addPass(createConvertLoopToScfPass());
  // Before launches are joined: what is joined calls the kernels by name.
  pm.addPass(createLoopShareKernelsPass());
  addStageVerifier(pm, Stage::Kernel);
}

void kiln::buildGPUPipeline(mlir::OpPassManager &pm,
                            const GPUPipelineOptions &options) {
  loop::SetTargetPassOptions target;
  setChip(target, options.chip);
  target.tf32 = options.tf32;
  pm.addPass(loop::createSetTargetPass(target));
  if (options.lowering == GPULowering::Direct)
    pm.addNestedPass<mlir::func::FuncOp>(loop::createChooseSchedulePass());
  buildGridPipeline(pm, options.lowering);
  buildKernelToNVVMPipeline(pm.nest<mlir::gpu::GPUModuleOp>());
}

void kiln::buildGridPipeline(mlir::OpPassManager &pm, GPULowering lowering) {
  if (lowering == GPULowering::Linalg) {
    LinalgLoweringOptions linalg;
    linalg.grid = true;
    return buildLinalgLoweringPipeline(pm, linalg);
  }
  // What a kernel does is settled: what it asserts is no part of any choice.
  pm.addNestedPass<mlir::func::FuncOp>(loop::createFuseChecksPass());
  pm.addPass(createConvertLoopToNvvmPass());
  pm.addPass(createJoinGridsPass());
  addStageVerifier(pm, Stage::Kernel);
}

void kiln::buildProgramPipeline(mlir::OpPassManager &pm,
                                const ProgramPipelineOptions &options) {
  pm.addPass(createConvertLoopToProgramPass());
  // What stays between calls has no place in the arena.
  program::ProgramHoistPreparationPassOptions hoist;
  hoist.limit = options.preparedBytes;
  pm.addPass(program::createProgramHoistPreparationPass(hoist));
  pm.addPass(program::createProgramPlanMemoryPass());
  // What may run at the same time is decided by places.
  pm.addPass(createProgramJoinLaunchesPass());
  pm.addNestedPass<program::FuncOp>(program::createProgramReleasePass());
  addStageVerifier(pm, Stage::Package);
}

void kiln::buildNativePipeline(mlir::OpPassManager &pm) {
  mlir::OpPassManager &kernels = pm.nest<mlir::ModuleOp>();
  buildKernelToLLVMPipeline(kernels);
  addStageVerifier(kernels, Stage::Native);
}

void kiln::registerPipelines() {
  mlir::PassPipelineRegistration<CorePipelineOptions>(
      "kiln-core", "Decompose a captured graph into the Kiln core set",
      buildCorePipeline);
  mlir::PassPipelineRegistration<JointPipelineOptions>(
      "kiln-joint", "Differentiate a core graph and cut it in two",
      buildJointPipeline);
  mlir::PassPipelineRegistration<LoopPipelineOptions>(
      "kiln-loop", "Turn core graphs into fused, scheduled kernels",
      buildLoopPipeline);
  mlir::PassPipelineRegistration<LoopPipelineOptions>(
      "kiln-fuse", "Fuse loop nests into scheduled kernels",
      buildFusionPipeline);
  mlir::PassPipelineRegistration<>(
      "kiln-cpu", "Emit the code of kernels for the CPU", buildKernelPipeline);
  mlir::PassPipelineRegistration<GPUPipelineOptions>(
      "kiln-gpu", "Emit the code of kernels for a GPU", buildGPUPipeline);
  mlir::PassPipelineRegistration<ProgramPipelineOptions>(
      "kiln-program",
      "Turn functions of launches into programs with their memory planned",
      buildProgramPipeline);
  mlir::PassPipelineRegistration<>(
      "kiln-native", "Convert the kernels of a program to the llvm dialect",
      buildNativePipeline);
}
