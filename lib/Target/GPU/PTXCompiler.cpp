//===- PTXCompiler.cpp - From MLIR kernels to PTX -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Target/GPU/PTXCompiler.h"

#include "PackRoundings.h"

#include "kiln/Conversion/ExpandMath/Passes.h"
#include "kiln/Conversion/KernelToLLVM/Passes.h"
#include "kiln/Target/BackEnd.h"

#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

// One back end of several; llvm/Support/TargetSelect.h wants all of them linked.
extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

using namespace kiln;
using namespace kiln::target;

static constexpr llvm::StringRef kTriple = "nvptx64-nvidia-cuda";

void kiln::buildKernelToNVVMPipeline(mlir::OpPassManager &pm) {
  KilnExpandMathPassOptions math;
  math.powers = true;
  pm.addPass(createKilnExpandMathPass(math));
  pm.addPass(createKilnLowerVectorsPass());
  // After all passes that want to see loops.
  pm.addPass(mlir::createSCFToControlFlowPass());
  pm.addPass(createConvertKernelToLLVMPass());
  // What LLVM has no intrinsics for: wgmma, waiting for barriers.
  pm.addPass(mlir::createConvertNVVMToLLVMPass());
}

void kiln::target::registerGPUKernelDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect,
                  mlir::DLTIDialect, mlir::gpu::GPUDialect,
                  mlir::LLVM::LLVMDialect, mlir::math::MathDialect,
                  mlir::NVVM::NVVMDialect, mlir::scf::SCFDialect,
                  mlir::ub::UBDialect, mlir::vector::VectorDialect>();
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerGPUDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
}

PTXCompiler::PTXCompiler(NVVMTarget target,
                         std::unique_ptr<llvm::TargetMachine> machine)
    : target(std::move(target)), machine(std::move(machine)) {}

PTXCompiler::~PTXCompiler() = default;

Result<std::unique_ptr<PTXCompiler>> PTXCompiler::create(NVVMTarget target) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  auto machine = makeTargetMachine("NVPTX", kTriple, target.chip,
                                   target.features(), std::nullopt,
                                   std::nullopt);
  if (!machine)
    return machine.takeError();
  return std::unique_ptr<PTXCompiler>(
      new PTXCompiler(std::move(target), std::move(*machine)));
}

/// Everything is in the llvm and nvvm dialects.
static bool isLowered(mlir::Operation *kernels) {
  return !kernels
              ->walk([&](mlir::Operation *op) {
                return op == kernels ||
                               llvm::isa<mlir::LLVM::LLVMDialect,
                                         mlir::NVVM::NVVMDialect>(
                                   op->getDialect())
                           ? mlir::WalkResult::advance()
                           : mlir::WalkResult::interrupt();
              })
              .wasInterrupted();
}

static Result<std::unique_ptr<llvm::Module>>
translate(mlir::Operation *kernels, llvm::LLVMContext &context) {
  std::string diagnostics;
  mlir::ScopedDiagnosticHandler handler(
      kernels->getContext(), [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
          return mlir::failure();
        diagnostics += (diagnostics.empty() ? "" : "; ") + diagnostic.str();
        return mlir::success();
      });
  if (!isLowered(kernels)) {
    mlir::PassManager pm(kernels->getContext(),
                         mlir::gpu::GPUModuleOp::getOperationName());
    buildKernelToNVVMPipeline(pm);
    if (mlir::failed(pm.run(kernels)))
      return Error::internal("cannot lower kernels: " + diagnostics);
    // A limit may have cut the passes short; the translation takes no other ops.
    if (!isLowered(kernels))
      return Error::internal("kernels are not lowered as a whole");
  }
  std::unique_ptr<llvm::Module> code =
      mlir::translateModuleToLLVMIR(kernels, context, "kernels");
  if (!code)
    return Error::internal("cannot translate kernels to LLVM IR: " +
                           diagnostics);
  return std::move(code);
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  // A thread is a lane: what is a vector has been made one, and the back end cannot reduce
  // those that LLVM would make of a loop.
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.LoopInterleaving = false;
  tuning.SLPVectorization = false;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
      .run(module, modules);
}

/// `text` with kernels that may begin as the one before them ends: first of all they wait
/// until it is done and its results are there. This is not an operation of the kernel, since
/// LLVM moves loads of what nothing in the kernel writes ahead of any instruction.
static std::string addWaits(llvm::StringRef text) {
  std::string result;
  while (true) {
    size_t body = text.find("\n{\n", text.find(".entry "));
    if (body == llvm::StringRef::npos)
      return result + text.str();
    size_t first = body + 3;
    // Declarations come before all instructions.
    while (text.substr(first).starts_with("\t.") ||
           text.substr(first).starts_with("\t//"))
      first = text.find('\n', first) + 1;
    result += text.take_front(first);
    result += "\tgriddepcontrol.wait;\n";
    text = text.drop_front(first);
  }
}

Result<std::string> PTXCompiler::compile(mlir::Operation *kernels,
                                         std::mutex *mlir) {
  if (!llvm::isa<mlir::gpu::GPUModuleOp>(kernels))
    return Error::usage("found '" + kernels->getName().getStringRef().str() +
                        "', expected a 'gpu.module' to compile to PTX");
  llvm::LLVMContext context;
  std::unique_lock<std::mutex> lock;
  if (mlir)
    lock = std::unique_lock<std::mutex>(*mlir);
  Result<std::unique_ptr<llvm::Module>> translated =
      translate(kernels, context);
  if (lock)
    lock.unlock();
  if (!translated)
    return translated.takeError();
  llvm::Module &code = **translated;
  code.setTargetTriple(llvm::Triple(kTriple));
  code.setDataLayout(machine->createDataLayout());
  std::string message;
  llvm::raw_string_ostream stream(message);
  if (llvm::verifyModule(code, &stream))
    return Error::internal("invalid LLVM IR for kernels: " + message);
  // Before as well: LLVM's own passes may not go on with what it does not know.
  if (Status status = checkSelectable(code); !status)
    return status.takeError();
  optimize(code, *machine);
  if (Status status = checkSelectable(code); !status)
    return status.takeError();
  if (target.capability >= 80)
    packRoundings(code);

  llvm::SmallString<0> text;
  llvm::raw_svector_ostream out(text);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, out, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile))
    return Error::internal("LLVM cannot emit PTX");
  passes.run(code);
  return target.capability >= 90 ? addWaits(text) : text.str().str();
}
