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
#include "common/Output.h"

#include "kiln/Archive/ExportedProgram.h"
#include "kiln/Base/Log.h"
#include "kiln/Compiler/StagePipelines.h"
#include "kiln/InitAll.h"
#include "kiln/Package/Explain.h"
#include "kiln/Runtime/OperatorLibrary.h"
#include "kiln/Runtime/Tensor.h"

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
#include <thread>

using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::tools;

static const char kHelp[] =
    R"(kiln-compile: compiles an exported program to a package

usage: kiln-compile MODEL -o OUT.kiln [flags]

MODEL is .pt2, .mlir or .mlirbc, or - for one of them on standard input. The
package holds native code, guards and, for a .pt2, the weights: kiln-run runs it
without the model and without a compiler.

  -o FILE                where the package goes, or the IR of --stop-after; - is
                         standard output
  --training             forward and backward
  --optimizer=SPEC       ends the step with an update: sgd, adam or adamw, then
                         settings as of kiln-run, without lr
  --input-gradients=A,B  inputs, by path such as [0][0], that want gradients too
  --backend=NAME         inductor (default), aot_eager or eager
  --target=NAME          native (default), x86-64-v3 or x86-64-v4
  --threads=N            threads the schedule counts on; default: all
  --memory-budget=R      0..1, part of the activations that may be saved
  --lowering=direct|linalg
  --model=NAME           which program of an archive that holds several
  --mode=default
  --load-operators=LIB   operators of one's own that the package may call
  --load-dialect-plugin=LIB  an MLIR plugin with records of such operators
  --max-seconds=N        longest that compiling may take; default 600
  --max-memory=MIB       and what memory; default: three quarters of the machine's
  --max-operations=N     how many a source that is IR may have; default 2000000

looking inside
  --stop-after=STAGE     print the IR after capture, core, joint, loop or kernel
  --dump-stages=DIR      one file per stage, LLVM IR at the end;
                         TORCH_COMPILE_DEBUG=1 makes a folder for them in
                         torch_compile_debug/
  --explain=LIST         fusion, memory, guards, partition, schedule
  --print-pipeline       print the passes that these flags run, a line for each
                         stage as kiln-opt --pass-pipeline takes it, and end
  --log=WORDS            instead of TORCH_LOGS: see kiln-run --help
  --progress             name each stage as it begins
  --timing               milliseconds of each stage
  --verify-each          run MLIR's verifier after each pass
  --mlir-...             MLIR's own flags: --mlir-print-ir-after=PASS and its kin,
                         --mlir-timing of each pass, --mlir-elide-... of the text
  --version              of Kiln and LLVM, and the build id

Exit codes: 0 done, 2 wrong command line, 3 malformed or unreadable input, or
results that cannot be written, 4 not supported, 5 internal error.

examples:
  kiln-compile model.pt2 -o model.kiln && kiln-run model.kiln --inputs=io.json
  kiln-compile model.pt2 -o model.kiln --explain=fusion,memory
  kiln-compile model.pt2 --stop-after=core --training
)";

namespace {
struct Flags {
  std::string output, model, mode = "default", backend = "inductor";
  std::string target, lowering = "direct", inputGradients, stopAfter;
  std::string dumpStages, optimizer;
  std::vector<std::string> explain, operatorLibraries, dialectPlugins;
  std::optional<double> memoryBudget;
  std::optional<std::string> log;
  CompileLimits limits;
  std::vector<std::string> mlir;
  unsigned threads = 0;
  bool training = false, printPipeline = false, progress = false;
  bool timing = false, verifyEach = false;
};
} // namespace

static Status parse(CommandLine &line, Flags &flags, int argc, char **argv) {
  line.value("o", flags.output);
  line.value("model", flags.model);
  line.flag("training", flags.training);
  line.value("input-gradients", flags.inputGradients);
  line.choice("backend", {"inductor", "aot_eager", "eager"}, flags.backend);
  line.value("mode", [&](const std::string &text) -> Status {
    if (text == "default" || text == "reduce-overhead")
      return Status::success();
    return Error::unsupported("--mode=" + text + ": schedules are chosen by a "
                              "cost model; expected default");
  });
  line.value("target", [&](const std::string &text) -> Status {
    if (!flags.target.empty())
      return Error::unsupported("--target: a package holds code for one "
                                "target, found " + flags.target + " and " +
                                text);
    flags.target = text;
    return Status::success();
  });
  line.choice("lowering", {"direct", "linalg"}, flags.lowering);
  line.value("threads", [&](const std::string &text) -> Status {
    auto value = parseInteger("--threads", text, 1, 1024);
    if (!value)
      return value.takeError();
    flags.threads = static_cast<unsigned>(*value);
    return Status::success();
  });
  line.value("memory-budget", [&](const std::string &text) -> Status {
    auto value = parseNumber("--memory-budget", text, 0, 1);
    if (!value)
      return value.takeError();
    flags.memoryBudget = *value;
    return Status::success();
  });
  line.value("max-seconds", [&](const std::string &text) -> Status {
    auto value = parseNumber("--max-seconds", text, 0, 1e6);
    if (!value)
      return value.takeError();
    flags.limits.seconds = *value;
    return Status::success();
  });
  line.value("max-memory", [&](const std::string &text) -> Status {
    auto value = parseInteger("--max-memory", text, 1, int64_t(1) << 40);
    if (!value)
      return value.takeError();
    flags.limits.bytes = uint64_t(*value) << 20;
    return Status::success();
  });
  line.value("max-operations", [&](const std::string &text) -> Status {
    auto value = parseInteger("--max-operations", text, 1, int64_t(1) << 40);
    if (!value)
      return value.takeError();
    flags.limits.operations = uint64_t(*value);
    return Status::success();
  });
  line.value("optimizer", flags.optimizer);
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
  line.value("dump-stages", flags.dumpStages);
  line.value("explain", [&](const std::string &text) -> Status {
    for (const std::string &word : splitList(text)) {
      if (word != "fusion" && word != "memory" && word != "guards" &&
          word != "partition" && word != "schedule")
        return Error::usage("--explain=" + word + ": expected fusion, memory, "
                            "guards, partition or schedule");
      flags.explain.push_back(word);
    }
    return Status::success();
  });
  line.flag("print-pipeline", flags.printPipeline);
  line.value("log", [&](const std::string &text) {
    flags.log = text;
    return Status::success();
  });
  line.flag("progress", flags.progress);
  line.flag("timing", flags.timing);
  line.flag("verify-each", flags.verifyEach);
  line.family("mlir-", [&](const std::string &text) {
    flags.mlir.push_back(text);
    return Status::success();
  });
  return line.parse(argc, argv);
}

/// Puts the weights of the archive into the package.
static Status embedWeights(const std::string &path, const std::string &model,
                           package::Package &package) {
  archive::LoadOptions load;
  load.model = model;
  auto program = archive::loadExportedProgram(path, load);
  if (!program)
    return program.takeError();
  std::map<std::string, uint32_t> known;
  for (package::Program &compiled : package.programs)
    for (package::Slot &slot : compiled.slots) {
      bool isWeight = slot.kind == package::Slot::Kind::Parameter ||
                      slot.kind == package::Slot::Kind::Buffer ||
                      slot.kind == package::Slot::Kind::Constant;
      auto weight = program->weights.find(slot.path);
      if (!isWeight || slot.payload != package::kNone ||
          weight == program->weights.end())
        continue;
      auto [entry, isNew] = known.try_emplace(
          slot.path, static_cast<uint32_t>(package.constants.size()));
      slot.payload = entry->second;
      if (!isNew)
        continue;
      const archive::Weight &w = weight->second;
      if (!w.isSupplied)
        return Error::unsupported("weight '" + slot.path +
                                  "' is not in the archive");
      auto storage = runtime::Storage::borrow(
          const_cast<uint8_t *>(w.storage.data()), w.storage.size(),
          std::const_pointer_cast<void>(w.storage.owner()), true);
      auto view = runtime::Tensor::view(storage, w.dtype, w.sizes, w.strides,
                                        w.storageOffset);
      auto dense = view ? view->contiguous() : std::move(view);
      if (!dense)
        return dense.error().withContext("weight '" + slot.path + "'");
      package::ConstantTensor constant{w.dtype, w.sizes, {}};
      size_t bytes = static_cast<size_t>(dense->numel()) * itemSize(w.dtype);
      constant.bytes.assign(dense->data(), dense->data() + bytes);
      package.constants.push_back(std::move(constant));
    }
  return Status::success();
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

static Result<CompileOptions> makeOptions(const Flags &flags) {
  std::string record = "backend=" + flags.backend + "\n";
  record += "lowering=" + flags.lowering + "\n";
  if (flags.training)
    record += "training=1\n";
  if (!flags.inputGradients.empty())
    record += "input_gradients=" + flags.inputGradients + "\n";
  if (!flags.target.empty())
    record += "target=" + flags.target + "\n";
  if (flags.memoryBudget)
    record += "memory_budget=" + std::to_string(*flags.memoryBudget) + "\n";
  if (!flags.optimizer.empty())
    record += "optimizer=" + flags.optimizer + "\n";
  unsigned threads = flags.threads ? flags.threads
                                   : std::thread::hardware_concurrency();
  record += "threads=" + std::to_string(std::max(1u, threads)) + "\n";
  return CompileOptions::parse(record);
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

static Result<int> run(const CommandLine &line, const Flags &flags) {
  if (Status s = configureLogs("kiln-compile", flags.log); !s)
    return s.takeError();
  if (flags.printPipeline) {
    auto options = makeOptions(flags);
    auto text = options ? printStagePipelines(*options)
                        : Result<std::string>(options.takeError());
    if (!text)
      return text.takeError();
    print(*text);
    return 0;
  }
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
  if (!flags.output.empty())
    if (Status s = checkOutput(flags.output); !s)
      return s.takeError();
  auto options = makeOptions(flags);
  if (!options)
    return options.takeError();
  if (Status s = addLibraries(flags, *options); !s)
    return s.takeError();
  CompileHooks hooks;
  hooks.dumpStages = flags.dumpStages.empty() ? debugFolder("kiln-compile")
                                              : flags.dumpStages;
  hooks.limits = flags.limits;
  hooks.verifyEach = flags.verifyEach;
  // One report of times for the passes of all stages.
  mlir::DefaultTimingManager timing;
  mlir::TimingScope wholeTime;
  std::list<mlir::TimingScope> stageTimes;
  if (!flags.mlir.empty()) {
    if (Status s = parseMlirFlags(flags.mlir); !s)
      return s.takeError();
    mlir::applyDefaultTimingManagerCLOptions(timing);
    wholeTime = timing.getRootScope();
    hooks.preparePasses = [&](mlir::PassManager &pm, StringRef stage) {
      (void)mlir::applyPassManagerCLOptions(pm);
      if (!stageTimes.empty())
        stageTimes.back().stop();
      stageTimes.push_back(wholeTime.nest(stage));
      pm.enableTiming(stageTimes.back());
    };
  }
  hooks.progress = [&](StringRef stage) {
    noteStage(stage.str(), flags.limits.seconds);
    if (flags.progress)
      llvm::errs() << stage << "\n";
  };
  if (!flags.stopAfter.empty()) {
    hooks.stopAfter = parseStage(flags.stopAfter);
    if (!hooks.stopAfter)
      return Error::usage("--stop-after=" + flags.stopAfter + ": expected " +
                          llvm::join(stageNames(), ", "));
    if (*hooks.stopAfter > Stage::Kernel)
      return Error::unsupported("--stop-after=" + flags.stopAfter +
                                ": it is no IR; expected -o OUT.kiln");
  }
  auto model = ModelFile::open(line.positional().front());
  if (!model)
    return model.takeError();
  const std::string &path = model->path();
  CompilerSession session;
  auto package = session.compile(path, flags.model, *options, hooks);
  if (!package)
    return package.takeError();
  if (flags.timing)
    print(session.timingJson() + "\n");
  if (hooks.stopAfter) {
    std::string text;
    llvm::raw_string_ostream os(text);
    session.module().print(os);
    os << "\n";
    Status s = writeOutput(flags.output.empty() ? "-" : flags.output,
                           ByteView(std::string_view(text)));
    return s ? Result<int>(0) : Result<int>(s.takeError());
  }
  explain(*package, flags);
  if (flags.output.empty())
    return 0;
  if (StringRef(path).ends_with(".pt2"))
    if (Status s = embedWeights(path, flags.model, *package); !s)
      return s.takeError();
  std::vector<uint8_t> bytes = package::encodePackage(*package);
  if (Status s = writeOutput(flags.output, bytes); !s)
    return s.takeError();
  return 0;
}

static int compile(int argc, char **argv) {
  CommandLine line;
  Flags flags;
  if (Status s = parse(line, flags, argc, argv); !s)
    return reportError("kiln-compile", s.error());
  if (printAbout(line, "kiln-compile", kHelp, LLVM_VERSION_STRING))
    return 0;
  auto code = run(line, flags);
  return code ? *code : reportError("kiln-compile", code.error());
}

int compiler::toolMain(int argc, char **argv) {
  return runTool("kiln-compile", [&] { return compile(argc, argv); });
}
