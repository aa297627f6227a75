//===- KernelCompiler.cpp - From MLIR kernels to machine code ------------ ===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Target/CPU/KernelCompiler.h"

#include "CodeGenerator.h"
#include "KernelUnits.h"
#include "StageTimer.h"

#include "kiln/Conversion/KernelToLLVM/VectorTypes.h"
#include "kiln/Target/CPU/KernelImage.h"
#include "kiln/Target/CPU/KernelPipeline.h"
#include "kiln/Transforms/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

#include <atomic>
#include <mutex>
#include <tuple>

using namespace kiln;
using namespace kiln::target;

StageTimes &StageTimes::operator+=(const StageTimes &other) {
  find += other.find;
  lower += other.lower;
  translate += other.translate;
  optimize += other.optimize;
  codegen += other.codegen;
  link += other.link;
  return *this;
}

KernelCompiler::KernelCompiler(CPUTarget target) : target(std::move(target)) {}

KernelCompiler::~KernelCompiler() = default;

Result<std::unique_ptr<KernelCompiler>>
KernelCompiler::create(CPUTarget target) {
  auto machine = createTargetMachine(target);
  if (!machine)
    return machine.takeError();
  std::unique_ptr<KernelCompiler> compiler(
      new KernelCompiler(std::move(target)));
  compiler->machines.push_back(std::move(*machine));
  return std::move(compiler);
}

//===----------------------------------------------------------------------===//
// MLIR's part
//===----------------------------------------------------------------------===//

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

namespace {
/// Lowers one unit after another, for one thread at a time.
class Lowering {
public:
  Lowering(mlir::MLIRContext *context, const CPUTarget &target,
           const KernelCompileOptions &options)
      : passes(context, mlir::ModuleOp::getOperationName()) {
    passes.enableVerifier(false);
    if (options.preparePasses)
      options.preparePasses(passes);
    buildKernelToLLVMPipeline(passes, target.hasFeature(KILN_CPU_AVX512));
    addStageVerifier(passes, Stage::Native);
  }

  /// The lowered form of a unit, which is used up, in `context`.
  Result<std::unique_ptr<llvm::Module>>
  run(mlir::ModuleOp unit, llvm::LLVMContext &context, StageTimes &times);

private:
  mlir::PassManager passes;
};
} // namespace

Result<std::unique_ptr<llvm::Module>>
Lowering::run(mlir::ModuleOp unit, llvm::LLVMContext &context,
              StageTimes &times) {
  if (Status status = checkTypes(unit); !status)
    return status.takeError();
  std::string diagnostics;
  mlir::ScopedDiagnosticHandler handler(
      unit.getContext(), [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
          return mlir::failure();
        if (!diagnostics.empty())
          diagnostics += "; ";
        diagnostics += diagnostic.str();
        return mlir::success();
      });
  {
    StageTimer timer(times.lower);
    if (mlir::failed(passes.run(unit)))
      return Error::internal("cannot lower kernel: " + diagnostics);
  }
  StageTimer timer(times.translate);
  std::unique_ptr<llvm::Module> result = mlir::translateModuleToLLVMIR(
      unit, context, "kernels", /*disableVerification=*/true);
  if (!result)
    return Error::internal("cannot translate kernel to LLVM IR: " +
                           diagnostics);
  return std::move(result);
}

//===----------------------------------------------------------------------===//
// The kernels of a module
//===----------------------------------------------------------------------===//

namespace {
/// A kernel and what becomes of it.
struct Task {
  KernelUnit unit;
  std::optional<Digest> key;
  std::optional<package::KernelImage> image;
  std::optional<Error> error;
  KernelCompileReport report;
  bool isFound = false;
};
} // namespace

static std::vector<Task> makeTasks(mlir::ModuleOp module) {
  std::vector<Task> tasks;
  for (KernelUnit &unit : takeKernelUnits(module))
    tasks.emplace_back().unit = std::move(unit);
  return tasks;
}

/// True for an image that can be what `target` made of one kernel.
static bool fits(const package::KernelImage &image, const CPUTarget &target) {
  return image.kernels.size() == 1 &&
         image.kernels.front().entry < image.bytes.size() &&
         image.target == target.name &&
         image.requiredFeatures == target.featureBits;
}

/// Asks the store for all kernels at once.
static void findKernels(std::vector<Task> &tasks, const CPUTarget &target,
                        package::KernelStore &store) {
  std::vector<Digest> keys;
  std::vector<Task *> keyed;
  for (Task &task : tasks) {
    task.key = getKernelKey(task.unit, target);
    if (!task.key)
      continue;
    keys.push_back(*task.key);
    keyed.push_back(&task);
  }
  std::vector<std::optional<package::KernelImage>> found = store.find(keys);
  for (size_t i = 0; i < keyed.size() && i < found.size(); ++i) {
    if (!found[i] || !fits(*found[i], target))
      continue;
    keyed[i]->image = std::move(found[i]);
    keyed[i]->image->kernels.front().name = keyed[i]->unit.name;
    keyed[i]->isFound = true;
  }
}

/// The kernels without an image, the longest first: the last one decides when
/// all threads are done.
static std::vector<Task *> orderTasks(std::vector<Task> &tasks) {
  std::vector<Task *> order;
  for (Task &task : tasks)
    if (!task.image)
      order.push_back(&task);
  llvm::sort(order, [](Task *a, Task *b) {
    return std::tuple(b->unit.operations, a) < std::tuple(a->unit.operations, b);
  });
  return order;
}

/// The caller's own is there from the beginning; another thread that cannot get one
/// leaves the work to the others.
llvm::TargetMachine *KernelCompiler::findMachine(unsigned worker) {
  if (!machines[worker])
    if (auto machine = createTargetMachine(target))
      machines[worker] = std::move(*machine);
  return machines[worker].get();
}

static void compileTask(Task &task, Lowering &lowering, std::mutex &mlir,
                        CodeGenerator &generator,
                        const KernelCompileOptions &options) {
  auto fail = [&](Error error) { task.error = std::move(error); };
  llvm::StringSet<> internal;
  std::unique_ptr<llvm::Module> code;
  {
    std::lock_guard<std::mutex> lock(mlir);
    mlir::ModuleOp unit = *task.unit.module;
    for (mlir::Operation &op : *unit.getBody())
      if (auto symbol = mlir::dyn_cast<mlir::SymbolOpInterface>(op))
        if (symbol.isPrivate())
          internal.insert(symbol.getName());
    auto lowered =
        lowering.run(unit, generator.getContext(), task.report.times);
    if (!lowered)
      return fail(lowered.takeError());
    code = std::move(*lowered);
    task.unit.module = {};
  }
  auto image = generator.generate(*code, task.unit.name, internal, options,
                                  task.report);
  if (!image)
    return fail(image.takeError());
  task.image = std::move(*image);
}

/// One module of the texts of several.
static std::string joinModules(llvm::ArrayRef<std::string> texts) {
  llvm::LLVMContext context;
  llvm::Module whole("kernels", context);
  llvm::Linker linker(whole);
  for (const std::string &text : texts) {
    llvm::SMDiagnostic problem;
    auto part = llvm::parseAssemblyString(text, problem, context);
    if (!part || linker.linkInModule(std::move(part)))
      return "; cannot be shown: " + problem.getMessage().str() + "\n";
  }
  std::string joined;
  llvm::raw_string_ostream(joined) << whole;
  return joined;
}

/// Joins images in the order of the module, or gives the first error.
static Result<package::KernelImage> joinImages(std::vector<Task> &tasks,
                                               const CPUTarget &target,
                                               KernelCompileReport &report) {
  package::KernelImage image;
  image.target = target.name;
  image.requiredFeatures = target.featureBits;
  std::vector<std::string> texts;
  for (Task &task : tasks) {
    if (task.error)
      return std::move(*task.error);
    appendKernelImage(image, *task.image);
    report.times += task.report.times;
    if (!task.report.llvmIR.empty())
      texts.push_back(std::move(task.report.llvmIR));
    report.assembly += task.report.assembly;
    ++(task.isFound ? report.found : report.compiled);
  }
  if (!texts.empty())
    report.llvmIR = joinModules(texts);
  return std::move(image);
}

Result<package::KernelImage>
KernelCompiler::compile(mlir::ModuleOp module,
                        const KernelCompileOptions &options,
                        KernelCompileReport *report) {
  KernelCompileReport unused;
  KernelCompileReport &out = report ? *report : unused;
  out = {};
  std::vector<Task> tasks = makeTasks(module);
  if (options.store && !options.keepLLVMIR && !options.keepAssembly) {
    StageTimer timer(out.times.find);
    findKernels(tasks, target, *options.store);
  }

  std::vector<Task *> order = orderTasks(tasks);
  std::atomic<size_t> next{0};
  std::mutex mlir; // whoever has it works in the module's context
  Lowering lowering(module.getContext(), target, options);
  auto work = [&](unsigned worker) {
    std::unique_ptr<CodeGenerator> generator;
    llvm::TargetMachine *machine = findMachine(worker);
    for (size_t i; machine && (i = next++) < order.size();) {
      if (!generator)
        generator = std::make_unique<CodeGenerator>(target, *machine);
      compileTask(*order[i], lowering, mlir, *generator, options);
      if (order[i]->error)
        generator.reset();
    }
  };
  unsigned workers = std::max(options.workers.count, 1u);
  if (machines.size() < workers)
    machines.resize(workers);
  if (workers > 1 && order.size() > 1)
    options.workers.run(work);
  else
    work(0);

  auto image = joinImages(tasks, target, out);
  if (image && options.store)
    for (Task *task : order)
      if (task->key)
        options.store->keep(*task->key, *task->image,
                            uint64_t(task->report.times.total() * 1000));
  return image;
}
