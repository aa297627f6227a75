//===- kiln-compile.cpp - Programs to packages ----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolMain.h"

#include "common/Isolation.h"
#include "common/Logging.h"
#include "common/OptionFlags.h"
#include "common/Output.h"

#include "kiln/Archive/Source.h"
#include "kiln/Base/Log.h"
#include "kiln/Compiler/StagePipelines.h"
#include "kiln/InitAll.h"
#include "kiln/Package/CppHeader.h"
#include "kiln/Package/Explain.h"
#include "kiln/Runtime/OperatorLibrary.h"
#include "kiln/Runtime/Tensor.h"
#include "kiln/Runtime/ThreadPool.h"
#include "kiln/Session/JointCache.h"
#include "kiln/Session/KernelCache.h"
#include "kiln/Session/KernelTuning.h"
#include "kiln/Session/ProgramKey.h"
#include "kiln/Session/Weights.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <list>
#include <optional>
#include <unistd.h>

using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::tools;

static const char kHelp[] =
    R"(kiln-compile: compiles an exported program to a package

usage: kiln-compile MODEL -o OUT.kiln [flags]

MODEL is .pt2, .mlir or .mlirbc, or - for one of them on standard input. The
package holds native code, guards and, for a .pt2, the weights: kiln-run runs it
without the model and without a compiler. With --target several times it has code
for each of them, and kiln-run takes the best that its processor can run.

  -o FILE                where the package goes, or the IR of --stop-after; - is
                         standard output
  --model=NAME           which program of an archive that holds several
  --emit=header          -o is a C++ header with the inputs and outputs as types,
                         in kiln::models::NAME of NAME.h, over kiln-c/Model.hpp;
                         MODEL may be a package
  --weights=FILE.safetensors
                         beside the package, for kiln-run --weights; without it
                         they are inside
  --freeze               weights inside as kernels read them, which is not done at
                         each start then; they cannot be replaced one by one
  --mode=NAME            as of kiln-run: default, max-autotune, ...
  --load-operators=LIB   operators of one's own that the package may call
  --load-dialect-plugin=LIB  an MLIR plugin with records of such operators

  --threads=N            that generate code, 0 for all there are (default 0); the
                         package does not depend on it, unless schedules are
                         measured, which is done on as many
  --cache-dir=DIR        where code of kernels and graphs of training steps are
                         kept, instead of KILN_CACHE_DIR or <tmp>/kiln_<user>
  --no-cache             compile every kernel and keep nothing

how it is compiled
)";

static const char kMoreHelp[] = R"(
looking inside
  --stop-after=STAGE     print the IR after capture, core, joint, loop, kernel or
                         package
  --explain=LIST         fusion, memory, guards, partition, schedule, autotune,
                         cudagraphs
  --print-pipeline       print the passes that these flags run, a line for each
                         stage as kiln-opt --pass-pipeline takes it, and end
  --print-options        print the table of the options above as Markdown, and
                         end
  --log=WORDS            instead of TORCH_LOGS: see kiln-run --help
  --progress             name each stage as it begins
  --timing               milliseconds of each stage, kernels, and how many of
                         them came from the cache
  --mlir-...             MLIR's own flags: --mlir-print-ir-after=PASS and its kin,
                         --mlir-timing of each pass, --mlir-elide-... of the text
  --version              of Kiln and LLVM, and the build id

Exit codes: 0 done, 2 wrong command line, 3 malformed or unreadable input, or
results that cannot be written, 4 not supported, 5 internal error.

examples:
  kiln-compile model.pt2 -o model.kiln && kiln-run model.kiln --inputs=io.json
  kiln-compile model.pt2 -o model.kiln --target=x86-64-v3 --target=x86-64-v4
  kiln-compile model.kiln -o model.h --emit=header
  kiln-compile model.pt2 -o model.kiln --explain=fusion,memory
  kiln-compile model.pt2 --stop-after=core --training
)";

namespace {
struct Flags {
  CompileOptions compile;
  std::string output, model, stopAfter;
  std::vector<std::string> explain, operatorLibraries, dialectPlugins;
  std::optional<std::string> log;
  std::vector<std::string> mlir;
  bool printPipeline = false, printOptions = false, progress = false;
  bool timing = false, noCache = false, freeze = false;
  std::vector<std::string> targets;
  std::string weights = "inside", emit = "package";
  std::optional<std::string> cacheDirectory;
  unsigned threads = 0;
};
} // namespace

static Status parse(CommandLine &line, Flags &flags, int argc, char **argv) {
  line.value("o", flags.output);
  line.value("model", flags.model);
  addOptionFlags(line, OptionTool::Compile, flags.compile);
  line.value("mode", [&](const std::string &text) {
    return setMode(flags.compile, text);
  });
  line.value("target", [&](const std::string &text) -> Status {
    if (llvm::is_contained(flags.targets, text))
      return Error::usage("--target=" + text + " is there twice");
    flags.targets.push_back(text);
    return setOption(flags.compile, "target", text);
  });
  line.value("emit", [&](const std::string &text) -> Status {
    if (text != "package" && text != "header")
      return Error::usage("--emit=" + text + ": expected package or header");
    flags.emit = text;
    return Status::success();
  });
  line.value("weights", [&](const std::string &text) -> Status {
    if (text != "inside" && !StringRef(text).ends_with(".safetensors"))
      return Error::usage("--weights=" + text +
                          ": expected inside or FILE.safetensors");
    flags.weights = text;
    return Status::success();
  });
  line.flag("freeze", flags.freeze);
  line.value("threads", [&](const std::string &text) -> Status {
    auto threads = parseInteger("--threads", text, 0, 1024);
    if (!threads)
      return threads.takeError();
    flags.threads = static_cast<unsigned>(*threads);
    return Status::success();
  });
  line.value("cache-dir", [&](const std::string &text) -> Status {
    if (text.empty())
      return Error::usage("--cache-dir is empty; expected a folder");
    flags.cacheDirectory = text;
    return Status::success();
  });
  line.flag("no-cache", flags.noCache);
  line.value("load-operators", [&](const std::string &text) {
    flags.operatorLibraries.push_back(text);
    return Status::success();
  });
  line.value("load-dialect-plugin", [&](const std::string &text) {
    flags.dialectPlugins.push_back(text);
    return Status::success();
  });
  line.value("stop-after", flags.stopAfter);
  line.refused("start-from", "a compilation begins with a program; expected "
                             "kiln-opt to run passes on IR of a stage");
  line.value("explain", [&](const std::string &text) -> Status {
    for (const std::string &word : splitList(text)) {
      if (word != "fusion" && word != "memory" && word != "guards" &&
          word != "partition" && word != "schedule" && word != "autotune" &&
          word != "cudagraphs")
        return Error::usage("--explain=" + word + ": expected fusion, memory, "
                            "guards, partition, schedule, autotune or "
                            "cudagraphs");
      // As the log calls it, after PyTorch.
      flags.explain.push_back(word == "autotune" ? "autotuning" : word);
    }
    return Status::success();
  });
  line.flag("print-pipeline", flags.printPipeline);
  line.flag("print-options", flags.printOptions);
  line.value("log", [&](const std::string &text) {
    flags.log = text;
    return Status::success();
  });
  line.flag("progress", flags.progress);
  line.flag("timing", flags.timing);
  line.family("mlir-", [&](const std::string &text) {
    flags.mlir.push_back(text);
    return Status::success();
  });
  return line.parse(argc, argv);
}

/// Operators of the user's own libraries, by name and by record.
static Status addLibraries(const Flags &flags, CompileOptions &options) {
  runtime::OperatorRegistry registry;
  for (const std::string &path : flags.operatorLibraries) {
    auto names = runtime::loadOperatorLibrary(path, registry);
    if (!names)
      return names.takeError();
    options.operators.insert(options.operators.end(), names->begin(),
                             names->end());
  }
  for (const std::string &path : flags.dialectPlugins) {
    auto plugin = runtime::describePlugin(path);
    if (!plugin)
      return plugin.takeError();
    options.plugins.push_back(std::move(*plugin));
  }
  return Status::success();
}

/// MLIR's flags for printing and timing, as `mlir-opt` has them.
static Status parseMlirFlags(const std::vector<std::string> &flags) {
  // Flags name passes.
  registerAllPasses();
  mlir::registerTransformsPasses();
  mlir::registerPass([] { return mlir::createSCFToControlFlowPass(); });
  mlir::registerAsmPrinterCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  std::vector<const char *> words = {"kiln-compile"};
  for (const std::string &flag : flags)
    words.push_back(flag.c_str());
  std::string errors;
  llvm::raw_string_ostream os(errors);
  if (llvm::cl::ParseCommandLineOptions(int(words.size()), words.data(), "",
                                        &os))
    return Status::success();
  return Error::usage(StringRef(errors).trim().str());
}

/// Tells what was decided: `--explain` on standard output, log words on standard
/// error.
static void explain(const package::Package &package, const Flags &flags) {
  for (const std::string &word : flags.explain)
    for (const package::Explanation &explanation : package::explain(
             package, [&](std::string_view topic) { return topic == word; }))
      print(explanation.text +
            (StringRef(explanation.text).ends_with("\n") ? "" : "\n"));
  auto isLogged = [](std::string_view topic) {
    return log::isEnabled(topic, log::Level::Info);
  };
  for (const package::Explanation &explanation :
       package::explain(package, isLogged))
    log::write(explanation.topic, log::Level::Info, explanation.text);
}

/// Usage error for flags that mean nothing together.
static Status checkFlags(const CommandLine &line, const Flags &flags) {
  if (line.positional().size() != 1)
    return Error::usage("expected one model, found " +
                        std::to_string(line.positional().size()) +
                        "; see --help");
  if (flags.output.empty() && flags.stopAfter.empty() && flags.explain.empty())
    return Error::usage("expected -o OUT.kiln, --stop-after=STAGE or "
                        "--explain=LIST");
  if (isStandard(flags.output) && (!flags.explain.empty() || flags.timing))
    return Error::usage("-o -, --explain and --timing all write to standard "
                        "output; expected a file for -o");
  if (flags.emit == "header" &&
      (flags.output.empty() || !flags.stopAfter.empty() ||
       flags.weights != "inside" || flags.freeze))
    return Error::usage("--emit=header writes a header and nothing else; "
                        "expected -o, no --stop-after, no --weights and no "
                        "--freeze");
  if (flags.freeze && (flags.output.empty() || !flags.stopAfter.empty() ||
                       flags.compile.training || flags.weights != "inside"))
    return Error::usage("--freeze is about the weights of a package that only "
                        "reads them; expected -o, no --stop-after, no "
                        "--training and no --weights");
  if (flags.targets.size() > 1 && !flags.stopAfter.empty())
    return Error::usage("--stop-after shows the IR for one target, found " +
                        std::to_string(flags.targets.size()) + " --target");
  if (flags.noCache && flags.cacheDirectory)
    return Error::usage("--no-cache and --cache-dir exclude each other");
  return flags.output.empty() ? Status::success() : checkOutput(flags.output);
}

/// The stage of --stop-after, if there is one.
static Result<std::optional<Stage>> lastStage(const Flags &flags) {
  if (flags.stopAfter.empty())
    return std::optional<Stage>();
  std::optional<Stage> stage = parseStage(flags.stopAfter);
  if (!stage)
    return Error::usage("--stop-after=" + flags.stopAfter + ": expected " +
                        llvm::join(stageNames(), ", "));
  if (*stage == Stage::Native)
    return Error::unsupported("--stop-after=native: the driver makes it kernel "
                              "by kernel; expected kiln-opt --kiln-native");
  return stage;
}

namespace {
/// MLIR's report of times: one for the passes of all stages.
class PassTimes {
public:
  void start(CompileHooks &hooks) {
    mlir::applyDefaultTimingManagerCLOptions(manager_);
    whole_ = manager_.getRootScope();
    hooks.preparePasses = [this](mlir::PassManager &pm, StringRef stage) {
      (void)mlir::applyPassManagerCLOptions(pm);
      if (!stages_.empty())
        stages_.back().stop();
      stages_.push_back(whole_.nest(stage));
      pm.enableTiming(stages_.back());
    };
  }

private:
  mlir::DefaultTimingManager manager_;
  mlir::TimingScope whole_;
  std::list<mlir::TimingScope> stages_;
};
} // namespace

/// Writes the IR that a compilation ended with.
static Status writeModule(ModuleOp module, const Flags &flags) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  os << "\n";
  return writeOutput(flags.output.empty() ? "-" : flags.output,
                     ByteView(std::string_view(text)));
}

/// Writes what was compiled, and the weights inside or beside it.
static Status writePackage(const archive::Source &source,
                           std::vector<package::Package> &variants,
                           const Flags &flags, runtime::ThreadPool &pool) {
  bool isInside = flags.weights == "inside";
  if (!source.program && (!isInside || flags.freeze))
    return Error::usage("'" + source.path +
                        "' holds no weights; expected no "
                        "--weights and no --freeze, or a .pt2");
  for (package::Package &package : variants) {
    if (source.program)
      if (Status s = session::embedWeights(*source.program, isInside, package);
          !s)
        return s;
    if (flags.freeze)
      if (Status s = session::freezeWeights(package, &pool); !s)
        return s.error().withContext("--freeze");
  }
  if (!isInside)
    if (Status s = session::writeWeights(*source.program, flags.weights); !s)
      return s;
  return writeOutput(flags.output, package::encodePackages(variants));
}

/// A header for a package that is there, or was just made; its namespace has the
/// name of the file.
static Status writeHeader(const package::Package &package,
                          const Flags &flags) {
  StringRef name = StringRef(flags.output).rsplit('/').second;
  name = name.empty() ? StringRef(flags.output) : name;
  std::string text =
      package::printCppHeader(package, name.split('.').first.str());
  return writeOutput(flags.output, ByteView(std::string_view(text)));
}

static Status emitHeaderOfPackage(const archive::Source &source,
                                  const Flags &flags) {
  auto reader = package::PackageReader::open(source.bytes.view());
  auto package =
      reader ? reader->read(0) : Result<package::Package>(reader.takeError());
  return package ? writeHeader(*package, flags)
                 : Status(package.error().withContext("'" + source.path + "'"));
}

static target::Workers getWorkers(runtime::ThreadPool &pool) {
  target::Workers workers;
  workers.count = pool.threads();
  workers.run = [&pool](const std::function<void(unsigned)> &work) {
    pool.parallelFor(pool.threads(), 1,
                     [&](int64_t, int64_t, unsigned thread) { work(thread); });
  };
  return workers;
}

/// Where kernels are kept; null if there is no cache, it cannot be used, or the
/// passes are wanted, which only a kernel that is compiled goes through.
static std::unique_ptr<session::KernelCache> openCache(const Flags &flags) {
  if (flags.noCache || !flags.mlir.empty())
    return nullptr;
  auto opened =
      session::KernelCache::open(cache::readCacheConfig(flags.cacheDirectory));
  if (opened)
    return std::move(*opened);
  log::write("cache", log::Level::Info, opened.error().message);
  return nullptr;
}

/// Where the graphs of training steps are kept: a second target has the same.
static std::unique_ptr<session::JointCache>
openJoint(const archive::Source &source, const CompileOptions &options,
          const Flags &flags) {
  if (flags.noCache || !flags.mlir.empty() || !options.training ||
      !source.program)
    return nullptr;
  auto opened = session::JointCache::open(
      cache::readCacheConfig(flags.cacheDirectory), source, options);
  if (opened)
    return std::move(*opened);
  log::write("cache", log::Level::Info, opened.error().message);
  return nullptr;
}

/// Measures candidates, and keeps what wins in the cache.
static std::unique_ptr<session::KernelTuning>
makeTuning(const CompileOptions &options, const Flags &flags,
           unsigned threads) {
  session::KernelTuning::Progress tell;
  if (flags.progress || ::isatty(STDERR_FILENO))
    tell = [](const std::string &line) { llvm::errs() << line << "\n"; };
  std::optional<cache::CacheConfig> config;
  if (options.isTuned() && !flags.noCache && flags.mlir.empty())
    config = cache::readCacheConfig(flags.cacheDirectory);
  return session::KernelTuning::open(config, threads, std::move(tell));
}

/// What all measurements of the program are kept under in one entry, if the
/// environment says so: the key that kiln-run looks for. Of several processors the
/// first counts.
static std::optional<Digest> bundleKey(const archive::Source &source,
                                       CompileOptions options,
                                       const Flags &flags, unsigned threads) {
  if (!options.isTuned() || flags.noCache || !flags.mlir.empty())
    return std::nullopt;
  cache::CacheConfig config = cache::readCacheConfig(flags.cacheDirectory);
  if (!config.enabled() || !config.remote.bundledAutotune)
    return std::nullopt;
  if (!flags.targets.empty())
    options.target = flags.targets.front();
  auto environment = session::ownEnvironmentKey();
  auto key = environment
                 ? session::programKey(source, options, *environment,
                                       config.remote.nameSpace, threads)
                 : Result<cache::CacheKey>(environment.error());
  return key ? std::optional(key->digest) : std::nullopt;
}

static Status compile(const std::string &model, const CompileOptions &options,
                      const Flags &flags) {
  auto stopAfter = lastStage(flags);
  if (!stopAfter)
    return stopAfter.takeError();
  CompileHooks hooks;
  hooks.stopAfter = *stopAfter;
  hooks.progress = [&](StringRef stage) {
    noteStage(stage.str(), options.maxSeconds);
    if (flags.progress)
      llvm::errs() << stage << "\n";
  };
  PassTimes times;
  if (!flags.mlir.empty()) {
    if (Status s = parseMlirFlags(flags.mlir); !s)
      return s;
    times.start(hooks);
  }
  archive::LoadOptions load;
  load.model = flags.model;
  // Only a package holds them.
  load.checkWeights = !flags.output.empty() && !hooks.stopAfter;
  auto source = openModel(model, load);
  if (!source)
    return source.takeError();
  if (flags.emit == "header" &&
      (*source)->form == archive::SourceForm::Package)
    return emitHeaderOfPackage(**source, flags);
  runtime::ThreadPool pool(flags.threads);
  hooks.workers = getWorkers(pool);
  std::unique_ptr<session::KernelCache> kernels = openCache(flags);
  hooks.kernels = kernels.get();
  std::unique_ptr<session::JointCache> joint =
      openJoint(**source, options, flags);
  hooks.joint = joint.get();
  std::unique_ptr<session::KernelTuning> tuning =
      makeTuning(options, flags, pool.threads());
  hooks.tuner = tuning.get();
  if (auto key = bundleKey(**source, options, flags, pool.threads()))
    tuning->beginProgram(*key);
  CompilerSession session;
  auto variants =
      session.compileVariants(**source, options, flags.targets, hooks);
  if (!variants)
    return variants.takeError();
  tuning->endProgram();
  if (flags.timing)
    print(session.timingJson() + "\n");
  if (hooks.stopAfter)
    return writeModule(session.module(), flags);
  for (const package::Package &package : *variants) {
    if (variants->size() > 1 && !flags.explain.empty())
      print("=== " + package.image.target + " ===\n");
    explain(package, flags);
  }
  if (flags.output.empty())
    return Status::success();
  return flags.emit == "header"
             ? writeHeader(variants->front(), flags)
             : writePackage(**source, *variants, flags, pool);
}

static Status run(const CommandLine &line, const Flags &flags) {
  if (Status s = configureLogs("kiln-compile", flags.log); !s)
    return s;
  if (flags.printOptions) {
    print(optionPage());
    return Status::success();
  }
  CompileOptions options = flags.compile;
  for (const Status &status : {options.verify(), checkOptions(options)})
    if (!status)
      return status;
  if (flags.printPipeline) {
    auto text = printStagePipelines(options);
    if (!text)
      return text.takeError();
    print(*text);
    return Status::success();
  }
  if (Status s = checkFlags(line, flags); !s)
    return s;
  if (Status s = addLibraries(flags, options); !s)
    return s;
  if (Status s =
          readOptionVariables("kiln-compile", OptionTool::Compile, options);
      !s)
    return s;
  return compile(line.positional().front(), options, flags);
}

static int runCompile(int argc, char **argv) {
  CommandLine line;
  Flags flags;
  if (Status s = parse(line, flags, argc, argv); !s)
    return reportError("kiln-compile", s.error());
  if (printAbout(line, "kiln-compile",
                 kHelp + optionHelp(OptionTool::Compile) + kMoreHelp,
                 LLVM_VERSION_STRING))
    return 0;
  Status done = run(line, flags);
  return done ? 0 : reportError("kiln-compile", done.error());
}

int compiler::toolMain(int argc, char **argv) {
  return runTool("kiln-compile", [&] { return runCompile(argc, argv); });
}
