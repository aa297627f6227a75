//===- KernelCompiler.cpp - From MLIR kernels to machine code -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Target/CPU/KernelCompiler.h"

#include "kiln/Conversion/KernelToLLVM/VectorTypes.h"
#include "kiln/Target/CPU/KernelImage.h"
#include "kiln/Target/CPU/KernelPipeline.h"
#include "kiln/Transforms/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <chrono>
#include <mutex>

using namespace kiln;
using namespace kiln::target;

static constexpr llvm::StringRef kTriple = "x86_64-unknown-linux-gnu";

namespace {

/// Adds the time of its life to a counter of milliseconds.
class StageTimer {
public:
  explicit StageTimer(double &milliseconds)
      : milliseconds(milliseconds), start(Clock::now()) {}
  ~StageTimer() {
    milliseconds +=
        std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  double &milliseconds;
  Clock::time_point start;
};

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

StageTimes &StageTimes::operator+=(const StageTimes &other) {
  lower += other.lower;
  translate += other.translate;
  optimize += other.optimize;
  codegen += other.codegen;
  link += other.link;
  return *this;
}

KernelCompiler::KernelCompiler(CPUTarget target,
                               std::unique_ptr<llvm::TargetMachine> machine)
    : target(std::move(target)), machine(std::move(machine)) {}

KernelCompiler::~KernelCompiler() = default;

Result<std::unique_ptr<KernelCompiler>>
KernelCompiler::create(CPUTarget target) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  llvm::Triple triple(kTriple);
  std::string message;
  const llvm::Target *backEnd =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!backEnd)
    return Error::unsupported("this build of LLVM has no x86-64 back end: " +
                              message);
  llvm::TargetOptions options;
  options.MCOptions.AsmVerbose = false;
  std::unique_ptr<llvm::TargetMachine> machine(backEnd->createTargetMachine(
      triple, target.cpu, target.features, options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return Error::unsupported("LLVM cannot generate code for \"" + target.cpu +
                              "\"");
  return std::unique_ptr<KernelCompiler>(
      new KernelCompiler(std::move(target), std::move(machine)));
}

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
                            const llvm::StringSet<> &internal) {
  std::string width = std::to_string(target.vectorBits);
  for (llvm::Function &function : module) {
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
      return Error::internal("kernel \"" + function.getName().str() +
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

/// What vectorised kernels profit from, and no more; see the file header of
/// KernelCompiler.h.
static void optimizeModule(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  llvm::cantFail(builder.parsePassPipeline(
      passes, "function(sroa,early-cse,instcombine<no-verify-fixpoint>,"
              "simplifycfg,loop-mssa(licm),early-cse)"));
  passes.run(module, modules);
}

/// Runs code generation into `out`.
static Status generate(llvm::Module &module, llvm::TargetMachine &machine,
                       llvm::CodeGenFileType type,
                       llvm::raw_pwrite_stream &out) {
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, out, nullptr, type,
                                  /*DisableVerify=*/true))
    return Error::internal("LLVM cannot emit this kind of file");
  passes.run(module);
  return Status::success();
}

/// The elements that an op of LLVM's dialect addresses, if their type is none of
/// LLVM's: lowering leaves it as it is, MLIR's verifier allows any, and
/// translation takes it for one.
static mlir::Type findForeignType(mlir::Operation &op) {
  mlir::Type elements;
  if (auto address = mlir::dyn_cast<mlir::LLVM::GEPOp>(op))
    elements = address.getElemType();
  else if (auto space = mlir::dyn_cast<mlir::LLVM::AllocaOp>(op))
    elements = space.getElemType();
  return elements && !mlir::LLVM::isCompatibleType(elements) ? elements
                                                             : mlir::Type();
}

/// Kernels may be written by hand, and their types are any that MLIR has.
static Status checkTypes(mlir::ModuleOp module) {
  std::optional<std::string> why;
  module.walk([&](mlir::Operation *op) {
    why = whyNoVectorCode(op);
    if (mlir::Type foreign = findForeignType(*op); foreign && !why)
      llvm::raw_string_ostream(why.emplace())
          << "addresses elements of type " << foreign
          << ", expected a type of LLVM's dialect";
    return why ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  });
  if (why)
    return Error::unsupported("a kernel " + *why);
  return Status::success();
}

/// The lowered form of `module` in `context`.
static Result<std::unique_ptr<llvm::Module>>
lowerModule(mlir::ModuleOp module, const KernelCompileOptions &options,
            llvm::LLVMContext &context, StageTimes &times) {
  std::string diagnostics;
  mlir::ScopedDiagnosticHandler handler(
      module.getContext(), [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
          return mlir::failure();
        if (!diagnostics.empty())
          diagnostics += "; ";
        diagnostics += diagnostic.str();
        return mlir::success();
      });
  {
    StageTimer timer(times.lower);
    mlir::PassManager pm(module.getContext(),
                         mlir::ModuleOp::getOperationName());
    pm.enableVerifier(false);
    if (options.preparePasses)
      options.preparePasses(pm);
    buildKernelToLLVMPipeline(pm);
    addStageVerifier(pm, Stage::Native);
    if (mlir::failed(pm.run(module)))
      return Error::internal("cannot lower kernel: " + diagnostics);
  }
  StageTimer timer(times.translate);
  std::unique_ptr<llvm::Module> result = mlir::translateModuleToLLVMIR(
      module, context, "kernels", /*disableVerification=*/true);
  if (!result)
    return Error::internal("cannot translate kernel to LLVM IR: " +
                           diagnostics);
  return std::move(result);
}

Result<package::KernelImage>
KernelCompiler::compile(mlir::ModuleOp module,
                        const KernelCompileOptions &options,
                        KernelCompileReport *report) {
  KernelCompileReport unused;
  KernelCompileReport &out = report ? *report : unused;
  out = {};
  llvm::StringSet<> internal;
  for (mlir::Operation &op : *module.getBody())
    if (auto symbol = mlir::dyn_cast<mlir::SymbolOpInterface>(op))
      if (symbol.isPrivate())
        internal.insert(symbol.getName());

  // A context per compilation: types and constants of one kernel are of no use
  // to the next, and memory stays bounded.
  llvm::LLVMContext context;
  std::string errors;
  context.setDiagnosticHandler(std::make_unique<ErrorCollector>(errors));
  if (Status status = checkTypes(module); !status)
    return status.takeError();
  auto lowered = lowerModule(module, options, context, out.times);
  if (!lowered)
    return lowered.takeError();
  llvm::Module &code = **lowered;
  code.setTargetTriple(llvm::Triple(kTriple));
  code.setDataLayout(machine->createDataLayout());
  if (Status status = prepareModule(code, target, internal); !status)
    return status.takeError();
  {
    StageTimer timer(out.times.optimize);
    std::string message;
    llvm::raw_string_ostream stream(message);
    if (llvm::verifyModule(code, &stream))
      return Error::internal("invalid LLVM IR for kernel: " + message);
    optimizeModule(code, *machine);
  }
  if (options.keepLLVMIR)
    llvm::raw_string_ostream(out.llvmIR) << code;
  if (options.keepAssembly) {
    // Code generation changes the module, so this works on a copy.
    llvm::SmallString<0> assembly;
    llvm::raw_svector_ostream stream(assembly);
    auto copy = llvm::CloneModule(code);
    if (Status status = generate(*copy, *machine,
                                 llvm::CodeGenFileType::AssemblyFile, stream);
        !status)
      return status.takeError();
    out.assembly = assembly.str().str();
  }

  llvm::SmallString<0> object;
  {
    StageTimer timer(out.times.codegen);
    llvm::raw_svector_ostream stream(object);
    if (Status status = generate(code, *machine,
                                 llvm::CodeGenFileType::ObjectFile, stream);
        !status)
      return status.takeError();
  }
  if (!errors.empty())
    return Error::internal("LLVM failed on kernel: " + errors);
  StageTimer timer(out.times.link);
  Result<package::KernelImage> image = linkKernelImage(object);
  if (!image)
    return image.takeError();
  image->target = target.name;
  image->requiredFeatures = target.featureBits;
  return image;
}
