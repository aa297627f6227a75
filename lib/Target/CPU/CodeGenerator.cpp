//===- CodeGenerator.cpp - From LLVM IR to the image of a kernel --------- ===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeGenerator.h"

#include "StageTimer.h"

#include "kiln/Target/BackEnd.h"
#include "kiln/Target/CPU/KernelImage.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <mutex>

using namespace kiln;
using namespace kiln::target;

static constexpr llvm::StringRef kTriple = "x86_64-unknown-linux-gnu";

//===----------------------------------------------------------------------===//
// Setting up
//===----------------------------------------------------------------------===//

namespace {

/// Collects LLVM's errors, which otherwise end the process.
struct ErrorCollector final : llvm::DiagnosticHandler {
  explicit ErrorCollector(std::string &errors) : errors(errors) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() == llvm::DS_Error) {
      llvm::raw_string_ostream stream(errors);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      if (!errors.empty())
        stream << "; ";
      info.print(printer);
    }
    return true;
  }

  std::string &errors;
};

} // namespace

Result<std::unique_ptr<llvm::TargetMachine>>
target::createTargetMachine(const CPUTarget &target) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  return makeTargetMachine("x86-64", kTriple, target.cpu, target.features,
                           llvm::Reloc::PIC_, llvm::CodeModel::Small);
}

/// What is run over each module, in the order of the run.
struct CodeGenerator::Passes {
  explicit Passes(llvm::TargetMachine &machine);

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::ModulePassManager optimize;
  llvm::SmallString<0> object;
  llvm::raw_svector_ostream stream{object};
  llvm::legacy::PassManager generate; ///< into `object`
  bool canEmit = false;
};

CodeGenerator::Passes::Passes(llvm::TargetMachine &machine) {
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  // What vectorised kernels profit from, and no more; see the file header of
  // KernelCompiler.h.
  llvm::cantFail(builder.parsePassPipeline(
      optimize, "function(sroa,early-cse,instcombine<no-verify-fixpoint>,"
                "simplifycfg,loop-mssa(licm),early-cse)"));
  canEmit = !machine.addPassesToEmitFile(generate, stream, nullptr,
                                         llvm::CodeGenFileType::ObjectFile,
                                         /*DisableVerify=*/true);
}

CodeGenerator::CodeGenerator(const CPUTarget &target,
                             llvm::TargetMachine &machine)
    : target(target), machine(machine),
      passes(std::make_unique<Passes>(machine)) {
  context.setDiagnosticHandler(std::make_unique<ErrorCollector>(errors));
}

CodeGenerator::~CodeGenerator() = default;

//===----------------------------------------------------------------------===//
// A module
//===----------------------------------------------------------------------===//

/// True for the signature of KernelABI.h.
static bool hasKernelSignature(const llvm::Function &function) {
  llvm::LLVMContext &context = function.getContext();
  llvm::Type *ptr = llvm::PointerType::get(context, 0);
  llvm::Type *i64 = llvm::Type::getInt64Ty(context);
  return function.getFunctionType() ==
         llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                                 {ptr, ptr, i64, i64, ptr}, false);
}

/// Sets linkage and attributes of functions and data.
static Status prepareModule(llvm::Module &module, const CPUTarget &target,
                            const llvm::StringSet<> &internal,
                            const std::string &kernel) {
  std::string width = std::to_string(target.vectorBits);
  for (llvm::Function &function : module) {
    // LLVM ends the process on an instruction that the processor has not.
    llvm::StringRef called = function.getName();
    uint32_t needed = 0;
    if (called.starts_with("llvm.x86.avx512bf16."))
      needed = KILN_CPU_AVX512_BF16;
    else if (called.starts_with("llvm.x86.avx512.vpdp"))
      needed = KILN_CPU_AVX512_VNNI;
    else if (called.starts_with("llvm.x86.tile") ||
             called.starts_with("llvm.x86.tdp") ||
             called == "llvm.x86.ldtilecfg")
      needed = KILN_CPU_AMX;
    if (needed & ~target.featureBits)
      return Error::unsupported("kernel \"" + kernel + "\" calls " +
                                called.str() + ", which " + target.name +
                                " has not; expected a module made for it");
    if (function.isDeclaration())
      continue;
    function.setDSOLocal(true);
    function.addFnAttr(llvm::Attribute::NoUnwind);
    function.addFnAttr("target-cpu", target.cpu);
    function.addFnAttr("tune-cpu", target.tuneCPU);
    if (!target.features.empty())
      function.addFnAttr("target-features", target.features);
    // Some 512-bit processors are tuned to split wide vectors; the emitters
    // chose the width knowing the target.
    function.addFnAttr("prefer-vector-width", width);
    function.addFnAttr("min-legal-vector-width", width);
    // No calls to memset and friends, no tables of pointers.
    function.addFnAttr("no-builtins");
    function.addFnAttr("no-jump-tables", "true");
    bool isInternal = internal.contains(function.getName());
    if (isInternal)
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
    if (!hasKernelSignature(function)) {
      if (isInternal)
        continue;
      std::string type;
      llvm::raw_string_ostream(type) << *function.getFunctionType();
      return Error::internal("kernel \"" + kernel +
                             "\" has type " + type +
                             ", expected void (ptr, ptr, i64, i64, ptr)");
    }
    // The argument arrays and the scratch are nobody else's memory.
    for (unsigned arg : {0u, 1u})
      function.addParamAttr(arg, llvm::Attribute::ReadOnly);
    for (unsigned arg : {0u, 1u, 4u})
      function.addParamAttr(arg, llvm::Attribute::NoAlias);
  }
  for (llvm::GlobalVariable &global : module.globals()) {
    if (global.isDeclaration())
      continue;
    global.setLinkage(llvm::GlobalValue::InternalLinkage);
    global.setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  }
  return Status::success();
}

/// The text of a module in which the kernel has the name of its program.
static std::string getText(llvm::Module &module, const std::string &name,
                           const llvm::StringSet<> &internal) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && !internal.contains(function.getName())) {
      std::string shared = function.getName().str();
      function.setName(name);
      stream << module;
      function.setName(shared);
      break;
    }
  return text;
}

/// The assembly of a copy: code generation changes a module.
static Result<std::string> getAssembly(const llvm::Module &module,
                                       llvm::TargetMachine &machine) {
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  auto copy = llvm::CloneModule(module);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr,
                                  llvm::CodeGenFileType::AssemblyFile,
                                  /*DisableVerify=*/true))
    return Error::internal("LLVM cannot emit assembly");
  passes.run(*copy);
  return text.str().str();
}

Result<package::KernelImage>
CodeGenerator::generate(llvm::Module &module, const std::string &name,
                        const llvm::StringSet<> &internal,
                        const KernelCompileOptions &options,
                        KernelCompileReport &report) {
  if (!passes->canEmit)
    return Error::internal("LLVM cannot emit object files");
  module.setTargetTriple(llvm::Triple(kTriple));
  module.setDataLayout(machine.createDataLayout());
  if (Status status = prepareModule(module, target, internal, name); !status)
    return status.takeError();
  {
    StageTimer timer(report.times.optimize);
    std::string message;
    llvm::raw_string_ostream stream(message);
    if (llvm::verifyModule(module, &stream))
      return Error::internal("invalid LLVM IR for kernel \"" + name +
                             "\": " + message);
    passes->optimize.run(module, passes->modules);
    // Results are of this module; those of inner managers go with them.
    passes->modules.clear();
  }
  if (options.keepLLVMIR)
    report.llvmIR = getText(module, name, internal);
  if (options.keepAssembly) {
    auto assembly = getAssembly(module, machine);
    if (!assembly)
      return assembly.takeError();
    report.assembly = std::move(*assembly);
  }
  {
    StageTimer timer(report.times.codegen);
    passes->object.clear();
    passes->generate.run(module);
  }
  if (!errors.empty())
    return Error::internal("LLVM failed on kernel \"" + name +
                           "\": " + errors);
  StageTimer timer(report.times.link);
  Result<package::KernelImage> image = linkKernelImage(passes->object);
  if (!image)
    return image.takeError();
  if (image->kernels.size() != 1)
    return Error::internal("kernel \"" + name + "\" became " +
                           std::to_string(image->kernels.size()) +
                           " functions, expected one");
  image->kernels.front().name = name;
  image->target = target.name;
  image->requiredFeatures = target.featureBits;
  return image;
}
