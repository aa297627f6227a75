//===- CompilerSession.cpp - From a source to a package -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Compiler/CompilerSession.h"

#include "Autotuner.h"
#include "FatalErrors.h"
#include "JointGraphs.h"
#include "MissingGuards.h"
#include "ModuleReader.h"
#include "ReasonRecorder.h"
#include "Watchdog.h"

#include "kiln/Archive/Source.h"
#include "kiln/Base/Digest.h"
#include "kiln/Base/FileSystem.h"
#include "kiln/Base/Log.h"
#include "kiln/Compiler/StagePipelines.h"
#include "kiln/Dialect/Aten/IR/AtenBase.h"
#include "kiln/Dialect/Aten/Transforms/SizeMarks.h"
#include "kiln/Dialect/Joint/IR/Joint.h"
#include "kiln/Dialect/Loop/IR/KernelModule.h"
#include "kiln/Import/PT2Importer.h"
#include "kiln/InitAll.h"
#include "kiln/Target/GPU/PTXImage.h"
#include "kiln/Target/ProgramExport.h"
#include "kiln/Target/ProgramImport.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"

#include "llvm/Support/Format.h"

#include <chrono>

using namespace kiln;
using namespace kiln::compiler;
using mlir::func::FuncOp;

CompilerSession::CompilerSession() { handleFatalErrors(); }
CompilerSession::~CompilerSession() = default;

/// Adds the dialects of a plugin to a registry. `entry` is its digest, by which
/// the package that comes of it is found again, and its path.
static Status addPlugin(StringRef entry, mlir::DialectRegistry &registry) {
  auto [digest, path] = entry.split(':');
  auto bytes = readFile(path.str());
  if (!bytes)
    return bytes.takeError();
  if (sha256(*bytes).hex() != digest)
    return Error::usage("plugin '" + path.str() + "': expected the file with "
                        "SHA-256 " + digest.str() + ", found another");
  auto plugin = mlir::DialectPlugin::load(path.str());
  if (!plugin)
    return Error::usage("plugin '" + path.str() +
                        "': " + llvm::toString(plugin.takeError()));
  plugin->registerDialectRegistryCallbacks(registry);
  return Status::success();
}

/// A context per source: attributes live as long as their context, and a
/// session may compile thousands of graphs.
Status CompilerSession::reset(const CompileOptions &options) {
  module_ = {};
  if (Status s = checkOptions(options); !s)
    return s;
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  target::registerKernelDialects(registry);
  target::registerGPUKernelDialects(registry);
  mlir::DialectRegistry added;
  for (const std::string &plugin : options.plugins)
    if (Status status = addPlugin(plugin, added); !status)
      return status;
  added.appendTo(registry);
  context_ = std::make_unique<MLIRContext>(
      registry, MLIRContext::Threading::DISABLED);
  reasons_.clear();
  recordReasons(*context_, reasons_);
  // An operator's record is found in its dialect, which must be there first.
  for (StringRef name : added.getDialectNames())
    context_->getOrLoadDialect(name);
  watchdog_ = std::make_unique<Watchdog>(CompileLimits(options));
  watchdog_->watch(context_.get());
  times_.clear();
  nativeTimes_.clear();
  kernelsCompiled_ = kernelsFound_ = 0;
  return Status::success();
}

template <typename F>
auto CompilerSession::timed(const std::string &stage, F body) {
  auto start = std::chrono::steady_clock::now();
  auto result = body();
  std::chrono::duration<double, std::milli> spent =
      std::chrono::steady_clock::now() - start;
  times_.push_back({stage, spent.count()});
  return result;
}

std::string CompilerSession::timingJson() const {
  std::string text = "{";
  for (const StageTime &time : times_) {
    llvm::raw_string_ostream os(text);
    os << '"' << time.stage << "\":" << llvm::format("%.3f", time.milliseconds)
       << ',';
  }
  return text + "\"kernels\":" +
         std::to_string(kernelsCompiled_ + kernelsFound_) +
         ",\"kernels_from_cache\":" + std::to_string(kernelsFound_) + "}";
}

/// One file of the folder that receives the stages, if there is one.
static Status writeDump(const std::string &folder, Stage stage,
                        const std::string &name, const std::string &text) {
  if (folder.empty())
    return Status::success();
  if (Status s = createDirectories(folder); !s)
    return s;
  return writeFile(folder + "/" + std::to_string(static_cast<int>(stage)) +
                       "-" + name,
                   ByteView(std::string_view(text)));
}

Status CompilerSession::dump(Stage stage, StringRef name,
                             const CompileOptions &options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!options.dumpStages.empty())
    module_->print(os);
  return writeDump(options.dumpStages, stage, name.str() + ".mlir", text);
}

static void preparePasses(mlir::PassManager &pm, StringRef stage,
                          const CompileOptions &options,
                          const CompileHooks &hooks) {
  // Off where programs are compiled to be run: passes are tested with it on
  // (bench/README.md has its cost).
  pm.enableVerifier(options.verifyEach);
  if (hooks.preparePasses)
    hooks.preparePasses(pm, stage);
}

/// Runs an arrow of the picture, or a part of one. A pass that fails has said
/// why.
Status CompilerSession::run(const StagePipeline &pipeline,
                            const CompileOptions &options,
                            const CompileHooks &hooks) {
  const std::string &name = pipeline.name;
  if (hooks.progress)
    hooks.progress(name);
  std::string complaint;
  mlir::ScopedDiagnosticHandler handler(
      context_.get(), [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
          return success();
        llvm::raw_string_ostream os(complaint);
        os << (complaint.empty() ? "" : "; ") << diagnostic;
        std::string place;
        diagnostic.getLocation()->walk([&](Location loc) {
          if (auto file = llvm::dyn_cast<mlir::FileLineColLoc>(loc))
            if (file.getLine() != 0)
              place = (file.getFilename().getValue() + ":" +
                       llvm::Twine(file.getLine()))
                          .str();
          return mlir::WalkResult::advance();
        });
        if (!place.empty())
          os << " (at " << place << ")";
        return success();
      });
  LogicalResult ran = timed(name, [&] {
    mlir::PassManager pm(context_.get(), "builtin.module",
                         mlir::OpPassManager::Nesting::Explicit);
    preparePasses(pm, name, options, hooks);
    pipeline.build(pm);
    return pm.run(*module_);
  });
  if (Status s = watchdog_->status(name); !s)
    return s;
  if (failed(ran))
    return Error::unsupported("stage '" + name + "': " +
                              (complaint.empty() ? "failed" : complaint));
  return dump(pipeline.stage, name, options);
}

Result<target::KernelCompiler *>
CompilerSession::kernelCompiler(const std::string &name) {
  auto &compiler = compilers_[name];
  if (!compiler) {
    auto target = target::CPUTarget::parse(name);
    if (!target)
      return target.takeError();
    auto created = target::KernelCompiler::create(*target);
    if (!created)
      return created.takeError();
    compiler = std::move(*created);
  }
  return compiler.get();
}

Result<package::Package>
CompilerSession::compile(const archive::Source &source,
                         const CompileOptions &options,
                         const CompileHooks &hooks) {
  if (source.form == archive::SourceForm::Package)
    return Error::usage("'" + source.path + "' is compiled already; expected a "
                        ".pt2, .mlir or .mlirbc file");
  if (source.program)
    return compile(*source.program, options, hooks);
  if (Status s = readText(source, options, hooks); !s)
    return s.takeError();
  return compileText(source, options, hooks);
}

Status CompilerSession::readPackage(const archive::Source &source) {
  if (source.form != archive::SourceForm::Package)
    return Error::usage("'" + source.path + "' is no package; expected what "
                        "kiln-compile has written");
  if (Status s = reset(CompileOptions()); !s)
    return s;
  auto reader = package::PackageReader::open(source.bytes.view());
  auto variants = reader ? reader->readAll()
                         : Result<std::vector<package::Package>>(reader.error());
  if (!variants)
    return variants.error().withContext("'" + source.path + "'");
  auto module = target::importVariants(context_.get(), *variants);
  if (!module)
    return module.error().withContext("'" + source.path + "'");
  module_ = std::move(*module);
  return Status::success();
}

Status CompilerSession::readText(const archive::Source &source,
                                 const CompileOptions &options,
                                 const CompileHooks &hooks) {
  if (Status s = reset(options); !s)
    return s;
  pt2::loadImportDialects(context_.get());
  if (hooks.progress)
    hooks.progress("import");
  auto module = timed("import", [&] {
    return readModule(context_.get(), source.bytes.text(), source.path,
                      CompileLimits(options));
  });
  if (!module)
    return module.takeError();
  module_ = std::move(*module);
  return Status::success();
}

Result<package::Package>
CompilerSession::compileText(const archive::Source &source,
                             const CompileOptions &options,
                             const CompileHooks &hooks) {
  auto form = getSourceForm(*module_, options);
  if (!form)
    return form.error().withContext("'" + source.path + "'");
  if (Status s = addMissingGuards(*module_, "main"); !s)
    return s.error().withContext("'" + source.path + "'");
  return compileModule(*form, options, hooks);
}

/// Sizes that the program was traced for, as `L['x'].size()[1] == 6` says. What
/// Python computed of them are numbers in the graph, so no symbol may stand for
/// them.
static std::vector<std::string>
getTracedSizes(const archive::ExportedProgram &program) {
  std::vector<std::string> sizes;
  for (const archive::GuardCode &code : program.guards) {
    if (!code.expr || code.expr->kind != archive::SymKind::Eq ||
        code.expr->operands.size() != 2)
      continue;
    const archive::SymExpr &size = *code.expr->operands[0],
                           &number = *code.expr->operands[1];
    if (size.kind != archive::SymKind::InputSize ||
        number.kind != archive::SymKind::Integer)
      continue;
    for (const archive::InputSpec &input : program.inputs)
      if (input.isCallerInput() && input.source == size.name)
        sizes.push_back(input.name + ":" + std::to_string(size.integer));
  }
  return sizes;
}

Result<package::Package>
CompilerSession::compile(const archive::ExportedProgram &program,
                         const CompileOptions &requested,
                         const CompileHooks &hooks) {
  CompileOptions options = requested;
  for (std::string &size : getTracedSizes(program)) {
    auto isMarked = [&](StringRef mark) {
      return mark.split('[').first == size;
    };
    if (llvm::any_of(options.markDynamic, isMarked) ||
        llvm::any_of(options.markUnbacked, isMarked))
      return Error::unsupported("a size that is marked dynamic is not: the "
                                "program was traced for one value of '" +
                                size + "'");
    options.markStatic.push_back(std::move(size));
  }
  if (Status s = reset(options); !s)
    return s.takeError();
  if (usesJoint(options, hooks))
    if (auto graphs = timed("joint-read", [&] {
          return findJoint(context_.get(), options, hooks);
        })) {
      module_ = std::move(graphs->module);
      reasons_ = std::move(graphs->reasons);
      return compileModule(SourceForm::Graph, options, hooks, /*isCut=*/true);
    }
  reasons_.clear();
  if (hooks.progress)
    hooks.progress("import");
  pt2::ImportOptions import;
  import.operators.insert(options.operators.begin(), options.operators.end());
  import.specialization = options.specialization.values;
  import.lowerBounds = options.specialization.lowerBounds;
  if (options.training)
    import.gradientInputs = options.inputGradients;
  auto module = timed("import", [&] {
    return pt2::importExportedProgram(context_.get(), program, import);
  });
  if (!module)
    return module.takeError();
  module_ = std::move(*module);
  return compileModule(SourceForm::Graph, options, hooks);
}

/// A mark that means nothing is the caller's mistake and no missing feature.
static Status checkMarks(ModuleOp module, const CompileOptions &options) {
  auto main = module.lookupSymbol<FuncOp>("main");
  if (!main || !addsSymbols(options))
    return Status::success();
  for (const auto *marks : {&options.markDynamic, &options.markUnbacked,
                            &options.markStatic})
    for (const std::string &mark : *marks)
      if (auto size = aten::parseSizeMark(main, mark); !size)
        return size.takeError();
  return Status::success();
}

/// Shows the graphs of a stage to who asked for them, under PyTorch's names.
static void logStage(ModuleOp module, const StagePipeline &pipeline,
                     bool training) {
  auto write = [&](StringRef category, StringRef title, Operation *op) {
    std::string text = ("===== " + title + " =====\n").str();
    llvm::raw_string_ostream os(text);
    op->print(os);
    log::write(category, log::Level::Info, text);
  };
  auto isWanted = [](StringRef category) {
    return log::isEnabled(category, log::Level::Info);
  };
  if (pipeline.name == "joint-graph" && isWanted("aot_joint_graph"))
    for (auto graph : module.getOps<joint::GraphOp>())
      write("aot_joint_graph", "Joint graph", graph);
  if (pipeline.stage == (training ? Stage::Joint : Stage::Core) &&
      isWanted("aot_graphs"))
    for (auto function : module.getOps<FuncOp>())
      write("aot_graphs",
            function.getName() == "backward" ? "Backward graph"
                                             : "Forward graph",
            function);
  if (pipeline.stage == Stage::Package && isWanted("output_code"))
    if (auto kernels = loop::getKernelModule(module))
      write("output_code", "Kernels", kernels);
}

/// Gives kernels the schedules that are fastest here. The pipelines `behind` make a
/// package of the program.
Status CompilerSession::tune(llvm::ArrayRef<StagePipeline> behind,
                             const CompileOptions &options,
                             const CompileHooks &hooks) {
  const bool onGPU = isGPU(options.target);
  // A GPU measures kernels of its own, and none of others.
  if (onGPU != hooks.tuner->isOnDevice())
    return Error::unsupported("kernels for '" + options.target +
                              "' are chosen by measuring where they run: with "
                              "kiln-run --device=cuda; expected --mode=default");
  std::unique_ptr<CandidateCode> code;
  std::unique_ptr<target::PTXCompiler> ptx;
  if (onGPU) {
    auto target = target::NVVMTarget::parse(options.target);
    auto created = target ? target::PTXCompiler::create(*target)
                          : Result<std::unique_ptr<target::PTXCompiler>>(
                                target.error());
    if (!created)
      return created.takeError();
    ptx = std::move(*created);
    code = makeCandidateCode(*ptx, hooks.workers);
  } else {
    auto compiler = kernelCompiler(options.target);
    if (!compiler)
      return compiler.takeError();
    code = makeCandidateCode(**compiler, hooks.workers);
  }
  // Noted as one stage: what candidates take of others is not of this program.
  if (hooks.progress)
    hooks.progress("autotune");
  Status tuned = timed("autotune", [&] {
    // The other half is for what comes after it.
    return Autotuner(*module_, *code, behind, options, hooks, reasons_,
                     watchdog_->secondsLeft() / 2)
        .run();
  });
  if (Status s = watchdog_->status("autotune"); !s)
    return s;
  return tuned;
}

/// Keeps a step that was just cut for compilations for other processors.
void CompilerSession::keepJoint(const CompileOptions &options,
                                const CompileHooks &hooks) {
  if (!usesJoint(options, hooks))
    return;
  double milliseconds = 0;
  for (const StageTime &time : times_)
    milliseconds += time.milliseconds;
  timed("joint-write", [&] {
    std::vector<uint8_t> bytes = encodeJoint(*module_, reasons_);
    if (!bytes.empty())
      hooks.joint->keep(bytes, static_cast<uint64_t>(milliseconds * 1000));
    return true;
  });
}

/// `isCut`: the module has been through the stages up to `joint`.
Result<package::Package>
CompilerSession::compileModule(SourceForm form, const CompileOptions &options,
                               const CompileHooks &hooks, bool isCut) {
  if (Status s = checkMarks(*module_, options); !s)
    return s.takeError();
  bool isGiven = bool(loop::getKernelModule(*module_));
  auto pipelines = getStagePipelines(
      options, form, isCut ? Stage::Capture : findStage(*module_));
  if (!pipelines)
    return pipelines.takeError();
  if (!addsSymbols(options))
    if (Status s = dump(Stage::Capture, stageName(Stage::Capture), options); !s)
      return s.takeError();
  for (const StagePipeline &pipeline : *pipelines) {
    if (isCut && pipeline.stage <= Stage::Joint)
      continue;
    if (hooks.stopAfter && pipeline.stage > *hooks.stopAfter)
      break;
    if (pipeline.stage == Stage::Package)
      if (Status s = addMissingGuards(*module_, "forward"); !s)
        return s.takeError();
    if (Status s = run(pipeline, options, hooks); !s)
      return s.takeError();
    logStage(*module_, pipeline, options.training);
    if (pipeline.name == stageName(Stage::Joint))
      keepJoint(options, hooks);
    if (pipeline.stage == Stage::Loop && hooks.tuner && options.isTuned()) {
      size_t done = &pipeline - pipelines->data() + 1;
      if (Status s = tune(llvm::ArrayRef(*pipelines).drop_front(done), options,
                          hooks);
          !s)
        return s.takeError();
    }
  }
  if (hooks.stopAfter)
    return package::Package();
  if (options.backend != Backend::Inductor)
    return assemble(options, hooks, {});

  auto image = isGPU(options.target) ? compileGrids(options, hooks)
                                     : compileKernels(options, hooks, isGiven);
  return image ? assemble(options, hooks, std::move(*image))
               : Result<package::Package>(image.takeError());
}

/// Kernels for a processor.
Result<package::KernelImage>
CompilerSession::compileKernels(const CompileOptions &options,
                                const CompileHooks &hooks, bool isGiven) {
  auto compiler = kernelCompiler(options.target);
  if (!compiler)
    return compiler.takeError();
  package::KernelImage image;
  if (auto kernels = loop::getKernelModule(*module_)) {
    if (hooks.progress)
      hooks.progress("native");
    target::KernelCompileReport report;
    target::KernelCompileOptions how;
    how.workers = hooks.workers;
    how.store = hooks.kernels;
    how.keepLLVMIR = !options.dumpStages.empty();
    how.preparePasses = [&](mlir::PassManager &pm) {
      preparePasses(pm, "native", options, hooks);
    };
    auto compiled = timed("native", [&] {
      return (*compiler)->compile(kernels, how, &report);
    });
    if (Status s = watchdog_->status("native"); !s)
      return s.takeError();
    // Kernels that a source brings along were never Kiln's to get right.
    if (!compiled && isGiven && compiled.error().kind == ErrorKind::Internal)
      return Error::unsupported("a kernel of the source: " +
                                compiled.error().message);
    if (!compiled)
      return compiled.takeError();
    if (Status s = writeDump(options.dumpStages, Stage::Native, "native.ll",
                             report.llvmIR);
        !s)
      return s.takeError();
    image = std::move(*compiled);
    kernelsCompiled_ = report.compiled;
    kernelsFound_ = report.found;
    const target::StageTimes &parts = report.times;
    nativeTimes_ = {{"find", parts.find},
                    {"lower", parts.lower},
                    {"translate", parts.translate},
                    {"optimize", parts.optimize},
                    {"codegen", parts.codegen},
                    {"link", parts.link}};
  }
  return std::move(image);
}

/// Kernels for a GPU.
Result<package::KernelImage>
CompilerSession::compileGrids(const CompileOptions &options,
                              const CompileHooks &hooks) {
  auto target = target::NVVMTarget::parse(options.target);
  if (!target)
    return target.takeError();
  auto compiler = target::PTXCompiler::create(*target);
  if (!compiler)
    return compiler.takeError();
  if (hooks.progress)
    hooks.progress("native");
  target::PTXImageReport report;
  auto image = timed("native", [&] {
    return target::compileToImage(*module_, **compiler, hooks.kernels, report,
                                  hooks.workers.count, hooks.workers.run);
  });
  // A pass that was cut short leaves IR that means nothing.
  if (Status s = watchdog_->status("native"); !s)
    return s.takeError();
  if (!image)
    return image.takeError();
  std::string texts(image->bytes.begin(), image->bytes.end());
  if (Status s = writeDump(options.dumpStages, Stage::Native, "native.ptx",
                           texts);
      !s)
    return s.takeError();
  kernelsCompiled_ = report.compiled;
  kernelsFound_ = report.found;
  return image;
}


Result<package::Package>
CompilerSession::assemble(const CompileOptions &options,
                          const CompileHooks &hooks,
                          package::KernelImage image) {
  if (hooks.progress)
    hooks.progress(stageName(Stage::Package));
  auto package = timed("export", [&] {
    return target::exportPackage(*module_, std::move(image));
  });
  if (!package)
    return package.takeError();
  // A module that was a package has its own.
  if (package->reasons.empty())
    package->reasons = std::move(reasons_);
  if (package->facts.backend.empty()) {
    package->facts.backend = wordOf(options.backend);
    package->facts.optimizer = options.optimizer;
  }
  return package;
}
