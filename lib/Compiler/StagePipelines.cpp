//===- StagePipelines.cpp - What a compilation runs -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Compiler/StagePipelines.h"

#include "kiln/Dialect/Aten/IR/AtenBase.h"
#include "kiln/Dialect/Aten/Transforms/Passes.h"
#include "kiln/Dialect/Joint/IR/Joint.h"
#include "kiln/Dialect/Program/IR/Program.h"
#include "kiln/Interfaces/OptimizerConfig.h"
#include "kiln/Pipelines/LinalgPipeline.h"
#include "kiln/Target/CPU/CPUTarget.h"
#include "kiln/Target/GPU/NVVMTarget.h"
#include "kiln/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"

using namespace kiln;
using namespace kiln::compiler;
using mlir::func::FuncOp;
using mlir::OpPassManager;

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

/// True if a function takes what an optimizer keeps.
static bool takesOptimizerState(mlir::FunctionOpInterface function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto input =
        function.getArgAttrOfType<aten::InputAttr>(i, aten::kInputAttrName);
    if (input && input.getKind() == aten::InputKind::OptimizerState)
      return true;
  }
  return false;
}

static bool takesOptimizerState(program::FuncOp function) {
  return llvm::any_of(
      function.getBody().getOps<program::SlotOp>(), [](program::SlotOp slot) {
        return slot.getKind() == program::SlotKind::OptimizerState;
      });
}

/// True if the module has the function, or the program that it became.
static bool hasFunction(ModuleOp module, StringRef name) {
  return llvm::isa_and_nonnull<FuncOp, program::FuncOp>(
      module.lookupSymbol(name));
}

Result<SourceForm> compiler::getSourceForm(ModuleOp module,
                                           const CompileOptions &options) {
  if (hasFunction(module, "main"))
    return SourceForm::Graph;
  Operation *step = nullptr;
  SourceForm form = SourceForm::JointGraph;
  for (auto graph : module.getOps<joint::GraphOp>())
    step = graph;
  if (!step && hasFunction(module, "backward") &&
      hasFunction(module, "forward")) {
    form = SourceForm::Cut;
    step = module.lookupSymbol("forward");
  }
  if (!step)
    return Error::unsupported("the module has no function @main, and neither a "
                              "joint graph nor @forward and @backward");
  if (!options.training)
    return Error::usage("the module is a training step; expected training");
  auto program = llvm::dyn_cast<program::FuncOp>(step);
  bool updates =
      program ? takesOptimizerState(program)
              : takesOptimizerState(llvm::cast<mlir::FunctionOpInterface>(step));
  if (updates && options.optimizer.empty())
    return Error::usage("the module ends with an optimizer's update; expected "
                        "the optimizer that it was made for");
  if (!updates && !options.optimizer.empty())
    return Error::unsupported("the module was differentiated without an "
                              "optimizer, which cannot be added any more; "
                              "expected the program");
  return form;
}

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

/// Composites, which the importer has opened, may stand in text.
static void addOpenComposites(OpPassManager &pm) {
  aten::AtenDecomposePassOptions options;
  options.to = "import";
  pm.addPass(aten::createAtenDecomposePass(options));
}

Status compiler::checkOptions(const CompileOptions &options) {
  std::string problem;
  if (!options.optimizer.empty() &&
      !OptimizerConfig::parse(options.optimizer, problem))
    return Error::usage("option 'optimizer=" + options.optimizer +
                        "': " + problem);
  if (isGPU(options.target)) {
    auto target = target::NVVMTarget::parse(options.target);
    return target ? Status::success() : Status(target.takeError());
  }
  auto target = target::CPUTarget::parse(options.target);
  return target ? Status::success() : Status(target.takeError());
}

bool compiler::isGPU(llvm::StringRef target) {
  return target.starts_with("sm_");
}

bool compiler::addsSymbols(const CompileOptions &options) {
  return options.dynamic == Dynamic::True || !options.markDynamic.empty() ||
         !options.markUnbacked.empty();
}

static aten::AtenMakeDynamicPassOptions
getDynamicSizes(const CompileOptions &options) {
  aten::AtenMakeDynamicPassOptions sizes;
  sizes.all = options.dynamic == Dynamic::True;
  llvm::append_range(sizes.dynamic, options.markDynamic);
  llvm::append_range(sizes.fixed, options.markStatic);
  llvm::append_range(sizes.unbacked, options.markUnbacked);
  return sizes;
}

/// Bytes that what is computed once may take; negative: nothing is.
static int64_t getPreparedBytes(const CompileOptions &options) {
  // More than all memory is no limit.
  const int64_t mebibytes =
      std::min<uint64_t>(options.preparedMemory, uint64_t(1) << 30);
  return mebibytes == 0 ? -1 : mebibytes << 20;
}

/// From launches to a package.
static auto getProgramPipeline(const CompileOptions &options) {
  return [bytes = getPreparedBytes(options)](OpPassManager &pm) {
    ProgramPipelineOptions program;
    program.preparedBytes = bytes;
    buildProgramPipeline(pm, program);
  };
}

/// From operators to the package of the processor or the GPU that `options` name.
static Result<std::vector<StagePipeline>>
getCodePipelines(const CompileOptions &options) {
  std::vector<StagePipeline> pipelines;
  auto add = [&](Stage stage, auto build) {
    pipelines.push_back({stage, stageName(stage).str(), std::move(build)});
  };
  const auto buildProgram = getProgramPipeline(options);
  // Programs are smaller than the largest number that the pass takes.
  const int64_t maxNests =
      std::min<uint64_t>(options.maxFusionSize, 1000000000);
  const int64_t memoryLimit = options.memoryLimit;
  if (isGPU(options.target)) {
    GPUChip chip{options.target};
    // As PyTorch has it on such a GPU, both of the others permit the same.
    const bool tf32 =
        options.float32MatmulPrecision != Float32MatmulPrecision::Highest;
    const bool convTf32 =
        options.cudnnConvFp32Precision == CudnnConvFp32Precision::None
            ? tf32
            : options.cudnnConvFp32Precision == CudnnConvFp32Precision::Tf32;
    const bool deterministic = options.useDeterministicAlgorithms;
    const GPULowering lowering = options.lowering == Lowering::Linalg
                                     ? GPULowering::Linalg
                                     : GPULowering::Direct;
    add(Stage::Loop, [=](OpPassManager &pm) {
      LoopPipelineOptions loop;
      loop.chip = chip;
      loop.tf32 = tf32;
      loop.convTf32 = convTf32;
      loop.deterministic = deterministic;
      loop.maxNests = maxNests;
      loop.sumsOfTiles = lowering == GPULowering::Direct;
      loop.memoryLimit = memoryLimit;
      buildLoopPipeline(pm, loop);
    });
    add(Stage::Kernel,
        [lowering](OpPassManager &pm) { buildGridPipeline(pm, lowering); });
    add(Stage::Package, buildProgram);
    return pipelines;
  }
  auto cpu = target::CPUTarget::parse(options.target);
  if (!cpu)
    return cpu.takeError();
  // Emitters of linalg pack as they multiply.
  const int64_t panels =
      options.lowering == Lowering::Linalg ? -1 : getPreparedBytes(options);
  add(Stage::Loop, [cpu = *cpu, maxNests, panels,
                    memoryLimit](OpPassManager &pm) {
    LoopPipelineOptions loop;
    loop.vectorBits = cpu.vectorBits;
    loop.vectorRegisters = cpu.vectorRegisters;
    loop.masks = cpu.hasFeature(KILN_CPU_AVX512);
    loop.l1Bytes = cpu.l1Bytes;
    loop.l2Bytes = cpu.l2Bytes;
    loop.l3Bytes = cpu.l3Bytes;
    loop.streamBytes = cpu.streamBytes;
    loop.threads = cpu.threads;
    if (cpu.bf16 == BF16Unit::Tiles)
      loop.bf16 = loop::DotUnit::Tiles;
    else if (cpu.bf16 == BF16Unit::Pairs)
      loop.bf16 = loop::DotUnit::Pairs;
    if (cpu.hasFeature(KILN_CPU_AVX512_VNNI))
      loop.bytes = loop::DotUnit::Quads;
    loop.maxNests = maxNests;
    loop.preparedBytes = panels;
    loop.memoryLimit = memoryLimit;
    buildLoopPipeline(pm, loop);
  });
  if (options.lowering == Lowering::Linalg)
    add(Stage::Kernel,
        [](OpPassManager &pm) { buildLinalgLoweringPipeline(pm); });
  else
    add(Stage::Kernel, buildKernelPipeline);
  add(Stage::Package, buildProgram);
  return pipelines;
}

Result<std::vector<StagePipeline>>
compiler::getStagePipelines(const CompileOptions &options, SourceForm form,
                            Stage found) {
  std::vector<StagePipeline> pipelines;
  auto add = [&](Stage stage, auto build) {
    pipelines.push_back({stage, stageName(stage).str(), std::move(build)});
  };
  // A program as it stands, written by hand or dumped.
  if (found == Stage::Package) {
    add(Stage::Package,
        [](OpPassManager &pm) { addStageVerifier(pm, Stage::Package); });
    return pipelines;
  }
  // Still a captured graph, as if it had been traced with symbols.
  if (addsSymbols(options))
    add(Stage::Capture, [sizes = getDynamicSizes(options)](OpPassManager &pm) {
      addOpenComposites(pm);
      pm.addPass(aten::createAtenMakeDynamicPass(sizes));
    });
  if (options.backend == Backend::Eager) {
    add(Stage::Package, [](OpPassManager &pm) {
      addOpenComposites(pm);
      buildCallsPipeline(pm, /*ignoreStrides=*/false);
    });
    return pipelines;
  }
  // Nests may have been written by hand: they are fused like others.
  const bool isGraph = form == SourceForm::Graph && found < Stage::Loop;
  if (options.training && form == SourceForm::Graph && !isGraph)
    return Error::unsupported("the module is of stage '" +
                              stageName(found).str() +
                              "', which cannot be differentiated any more; "
                              "expected one of stage 'capture' or 'core' for "
                              "training");
  if (isGraph)
    add(Stage::Core, [training = options.training](OpPassManager &pm) {
      CorePipelineOptions core;
      core.training = training;
      buildCorePipeline(pm, core);
    });
  auto halfOfJoint = [&](auto build) {
    return [build, budget = options.memoryBudget, optimizer = options.optimizer,
            fuses = options.backend == Backend::Inductor,
            sums = options.savedSums(),
            forGPU = isGPU(options.target)](OpPassManager &pm) {
      JointPipelineOptions joint;
      joint.memoryBudget = budget;
      joint.optimizer = optimizer;
      joint.opensRows = fuses;
      joint.operandsInMemory = fuses && forGPU;
      SmallVector<StringRef> types;
      if (fuses)
        StringRef(sums).split(types, ',');
      for (StringRef type : types)
        joint.savesSums.push_back(type.str());
      build(pm, joint);
    };
  };
  if (options.training && isGraph)
    pipelines.push_back({Stage::Joint, "joint-graph",
                         halfOfJoint(buildDifferentiationPipeline)});
  if (options.training && form != SourceForm::Cut)
    add(Stage::Joint, halfOfJoint(buildPartitionPipeline));
  if (options.backend == Backend::AotEager) {
    add(Stage::Package, [](OpPassManager &pm) {
      buildCallsPipeline(pm, /*ignoreStrides=*/true);
    });
    return pipelines;
  }
  if (found > Stage::Loop) {
    add(Stage::Kernel,
        [found](OpPassManager &pm) { addStageVerifier(pm, found); });
    add(Stage::Package, getProgramPipeline(options));
    return pipelines;
  }
  auto code = getCodePipelines(options);
  if (!code)
    return code.takeError();
  llvm::move(*code, std::back_inserter(pipelines));
  return pipelines;
}

Result<std::string>
compiler::printStagePipelines(const CompileOptions &options) {
  auto pipelines = getStagePipelines(options);
  if (!pipelines)
    return pipelines.takeError();
  MLIRContext context(MLIRContext::Threading::DISABLED);
  std::string text;
  llvm::raw_string_ostream os(text);
  for (size_t i = 0; i < pipelines->size();) {
    Stage stage = (*pipelines)[i].stage;
    mlir::PassManager pm(&context, "builtin.module");
    for (; i < pipelines->size() && (*pipelines)[i].stage == stage; ++i)
      (*pipelines)[i].build(pm);
    os << stageName(stage) << ": ";
    pm.printAsTextualPipeline(os);
    os << "\n";
  }
  return text;
}
