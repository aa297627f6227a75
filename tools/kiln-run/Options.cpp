//===- Options.cpp - The command line of kiln-run -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "common/Isolation.h"
#include "common/Logging.h"
#include "common/OptionFlags.h"
#include "common/Output.h"

#include <unistd.h>

using namespace kiln;
using namespace kiln::run;
using namespace kiln::tools;

static const char kHelp[] =
    R"(kiln-run: runs an exported PyTorch program without Python

usage: kiln-run MODEL [flags]

MODEL is a .pt2 archive of torch.export, .mlir, .mlirbc, or a .kiln package, or -
for one of them on standard input. It is compiled once; later runs take it from
the cache and load no compiler.

inputs and outputs
  --inputs=SPEC          an io.json; or a.npy,b.npy,3; or random[:SEED], with
                         ,s77=16 for a symbol and ,x=16x4x64 for an input.
                         Several --inputs: one call each, in one process
  --alt                  use the alt set of the io.json
  --model=NAME           which program of an archive that holds several
  --weights=FILE.safetensors
                         weights by name, instead of those in the model; others
                         keep theirs
  --weights=random[:SEED]  for a module, which holds no weights
  --outputs=DIR          write out_<i>.npy, changed state and inputs, gradients
  --check                compare with the results in the io.json; convolutions of
                         f32 are not rounded to tf32 on a GPU then, unless --rtol
                         or --atol says what is allowed
  --rtol=R --atol=A      instead of the defaults of each dtype

training
  --steps=N              with --training: N steps of an optimizer; the n-th takes
                         the n-th --inputs, over and over; the loss is the
                         scalar output
  --optimizer=SPEC       sgd (default), or as below; lr=1e-3 is one more setting
  --checkpoint=FILE      continue from it if it exists, write it at the end
  --seed=N               of the random numbers that steps draw (default 0)

what to run
  --mode=NAME            default and reduce-overhead: on a GPU kernels are launched
                         as graphs from the third call of a size on; max-autotune:
                         that, --max-autotune and --coordinate-descent-tuning;
                         max-autotune-no-cudagraphs: with --no-cudagraphs
  --no-cudagraphs        on a GPU kernels are launched one by one
  --specialize-first     as --dynamic=first
  --fullgraph            an error instead of a graph break (always so)
  --device=cpu|cuda[:N]  where programs run; on a GPU they are compiled for it, and
                         KILN_LAUNCH_BLOCKING=1 names a kernel that fails
  --threads=N

how it is compiled
)";

static const char kMoreHelp[] = R"(
operators of one's own (several times each)
  --load-operators=LIB   a shared library with functions for operators, see
                         kiln/ABI/OperatorABI.h
  --load-dialect-plugin=LIB
                         an MLIR plugin with records of operators, by which they
                         are compiled and differentiated

cache
  --cache-dir=DIR        instead of KILN_CACHE_DIR or <tmp>/kiln_<user>
  --no-cache             neither read nor write one

measuring
  --stats[=FILE]         one JSON object about the run; without a file, or with
                         -, on standard output and nothing else there
  --timing               time of each stage
  --benchmark[=N]        time N calls (default 100) after the first
  --serve                with --benchmark: answer 'time N' lines on stdin
  --log=WORDS            instead of TORCH_LOGS, on standard error: fusion, memory,
                         schedule, partition, guards, dynamic, recompiles, cache,
                         timing, perf_hints, aot_joint_graph, aot_graphs,
                         output_code, graph_breaks, autotuning, cudagraphs, all.
                         Other words in TORCH_LOGS are PyTorch's and ignored
  --progress             name each stage as it begins
  --version              of Kiln, and the build id

exit codes: 0 done and agreed, 1 a check failed, 2 wrong command line,
3 unreadable or malformed input, or results that cannot be written, 4 not
supported, 5 internal error

examples:
  kiln-run model.pt2 --inputs=io.json --check
  kiln-run model.pt2 --inputs=x.npy --outputs=results
  kiln-run model.pt2 --inputs=random:7,s77=16 --benchmark
  kiln-run model.kiln --inputs=x.npy --weights=tuned.safetensors
  kiln-run model.pt2 --inputs=io.json --training --check --stats=stats.json
)";

namespace {
/// Registers every flag with what it sets.
class Parser {
public:
  Result<Options> parse(int argc, char **argv);

private:
  void addInputs();
  void addModes();
  void addMeasures();
  void addTraining();
  Status finishTraining();
  Status finish();
  CommandLine::Handler number(const std::string &flag,
                              std::optional<double> &target, double high);

  CommandLine line_;
  Options options_;
  std::optional<std::string> cacheDirectory_;
  bool noCache_ = false, specializeFirst_ = false, fullGraph_ = false;
  bool progress_ = false;
  std::optional<std::string> log_;
  std::optional<std::string> optimizer_;
  std::optional<uint64_t> seed_;
};
} // namespace

CommandLine::Handler Parser::number(const std::string &flag,
                                    std::optional<double> &target,
                                    double high) {
  return [=, &target](const std::string &text) -> Status {
    auto value = parseNumber("--" + flag, text, 0, high);
    if (!value)
      return value.takeError();
    target = *value;
    return Status::success();
  };
}

void Parser::addInputs() {
  line_.value("inputs", [this](const std::string &text) -> Status {
    if (text.empty())
      return Error::usage("--inputs is empty; expected an io.json, .npy files "
                          "or random");
    options_.inputs.push_back(text);
    return Status::success();
  });
  line_.flag("alt", options_.alt);
  line_.value("model", options_.model);
  line_.value("outputs", [this](const std::string &text) -> Status {
    auto folder = option::Folder::parse(text);
    if (!folder)
      return Error::usage("--outputs=" + text + ": expected a folder");
    options_.outputs = *folder;
    return Status::success();
  });
  line_.flag("check", options_.check);
  line_.value("rtol", number("rtol", options_.rtol, 1e30));
  line_.value("atol", number("atol", options_.atol, 1e30));
}

void Parser::addModes() {
  session::SessionOptions &session = options_.session;
  // This process is there for this one program.
  session.isolated = false;
  addOptionFlags(line_, OptionTool::Run, session);
  line_.value("backend", [&session](const std::string &text) -> Status {
    if (text == "cudagraphs")
      return Error::unsupported("--backend=cudagraphs: programs are not captured "
                                "as graphs; expected inductor, aot_eager or "
                                "eager");
    return setOption(session, "backend", text);
  });
  line_.value("mode", [this](const std::string &text) -> Status {
    options_.mode = text;
    if (text == "max-autotune-no-cudagraphs")
      options_.session.graphs = false;
    return setMode(options_.session, text);
  });
  line_.flag("no-cudagraphs", [&session] {
    session.graphs = false;
    return Status::success();
  });
  line_.flag("specialize-first", specializeFirst_);
  line_.flag("fullgraph", fullGraph_);
  line_.value("device", session.device);
  line_.value("load-operators", [&session](const std::string &text) {
    session.operatorLibraries.push_back(text);
    return Status::success();
  });
  line_.value("load-dialect-plugin", [&session](const std::string &text) {
    session.dialectPlugins.push_back(text);
    return Status::success();
  });
  line_.value("threads", [this](const std::string &text) -> Status {
    auto value = parseInteger("--threads", text, 1, 1024);
    if (!value)
      return value.takeError();
    options_.session.threads = static_cast<unsigned>(*value);
    return Status::success();
  });
}

void Parser::addMeasures() {
  line_.value("cache-dir", [this](const std::string &text) -> Status {
    if (text.empty())
      return Error::usage("--cache-dir is empty; expected a folder");
    cacheDirectory_ = text;
    return Status::success();
  });
  line_.flag("no-cache", noCache_);
  line_.optionalValue("stats", [this](const std::string &text) {
    options_.stats = true;
    if (!text.empty())
      options_.statsFile = text;
    return Status::success();
  });
  line_.flag("timing", options_.timing);
  line_.optionalValue("benchmark", [this](const std::string &text) -> Status {
    auto value = text.empty()
                     ? Result<int64_t>(100)
                     : parseInteger("--benchmark", text, 1, 100000000);
    if (!value)
      return value.takeError();
    options_.benchmark = static_cast<unsigned>(*value);
    return Status::success();
  });
  line_.flag("serve", options_.serve);
  line_.value("log", [this](const std::string &text) {
    log_ = text;
    return Status::success();
  });
  line_.flag("progress", progress_);
}

void Parser::addTraining() {
  line_.value("steps", [this](const std::string &text) -> Status {
    auto value = parseInteger("--steps", text, 1, 1000000000);
    if (!value)
      return value.takeError();
    options_.steps = static_cast<unsigned>(*value);
    return Status::success();
  });
  line_.value("optimizer", [this](const std::string &text) {
    optimizer_ = text;
    return Status::success();
  });
  line_.value("checkpoint", [this](const std::string &text) -> Status {
    if (text.empty() || isStandard(text))
      return Error::usage("--checkpoint=" + text + ": expected a file");
    options_.checkpoint = text;
    return Status::success();
  });
  line_.value("weights", [this](const std::string &text) -> Status {
    const std::string end = ".safetensors";
    if (text.size() > end.size() &&
        text.compare(text.size() - end.size(), end.size(), end) == 0) {
      options_.weightFile = text;
      return Status::success();
    }
    options_.weightSeed = 0;
    if (text == "random")
      return Status::success();
    if (text.compare(0, 7, "random:") != 0)
      return Error::usage("--weights=" + text + ": expected random[:SEED] or "
                          "FILE.safetensors");
    auto seed = parseInteger("--weights=random", text.substr(7), 0, INT64_MAX);
    if (!seed)
      return seed.takeError();
    options_.weightSeed = static_cast<uint64_t>(*seed);
    return Status::success();
  });
  line_.value("seed", [this](const std::string &text) -> Status {
    auto seed = parseInteger("--seed", text, 0, INT64_MAX);
    if (!seed)
      return seed.takeError();
    seed_ = static_cast<uint64_t>(*seed);
    return Status::success();
  });
}

Status Parser::finishTraining() {
  session::SessionOptions &session = options_.session;
  if (options_.steps == 0) {
    if (optimizer_ || !options_.checkpoint.empty() || seed_)
      return Error::usage("--optimizer, --checkpoint and --seed are about "
                          "training steps; expected --steps=N");
    return Status::success();
  }
  if (!session.training)
    return Error::usage("--steps is about training; expected --training");
  if (options_.check || options_.benchmark != 0 || !options_.outputs.empty())
    return Error::usage("--steps changes the weights; expected no --check, "
                        "--benchmark or --outputs");
  // The rate is an input of the program; the rest decides what is compiled.
  for (const std::string &part : splitList(optimizer_.value_or("sgd"))) {
    if (part.compare(0, 3, "lr=") != 0) {
      session.optimizer += (session.optimizer.empty() ? "" : ",") + part;
      continue;
    }
    auto rate = parseNumber("--optimizer: lr", part.substr(3), 0, 1e30);
    if (!rate)
      return rate.takeError();
    options_.learningRate = *rate;
  }
  session.seed = seed_.value_or(0);
  // What a step returns is dropped before the next.
  session.reuseOutputs = true;
  return Status::success();
}

static bool isCompiled(const std::string &path) {
  return path.size() > 5 && path.compare(path.size() - 5, 5, ".kiln") == 0;
}

Status Parser::finish() {
  if (line_.positional().empty())
    return Error::usage("no model; expected a .pt2, .mlir, .mlirbc or .kiln "
                        "file, see --help");
  if (line_.positional().size() > 1)
    return Error::usage("one model at a time, found also '" +
                        line_.positional()[1] + "'");
  options_.path = line_.positional().front();
  session::SessionOptions &session = options_.session;
  if (specializeFirst_ && session.dynamic != Dynamic::Auto)
    return Error::usage("--specialize-first and --dynamic=" +
                        wordOf(session.dynamic) + " exclude each other");
  if (specializeFirst_)
    session.dynamic = Dynamic::First;
  if (Status s = session.verify(); !s)
    return s;
  if (options_.serve && options_.benchmark == 0)
    return Error::usage("--serve answers questions about time; expected "
                        "--benchmark as well");
  if (options_.serve && isStandard(options_.path))
    return Error::usage("--serve reads standard input; expected the model in a "
                        "file");
  session.reuseOutputs = options_.benchmark != 0;
  // What is stored was computed in f32 by a processor.
  if (options_.check && session.device != "cpu" && !options_.rtol &&
      !options_.atol &&
      session.cudnnConvFp32Precision == CudnnConvFp32Precision::Tf32)
    session.cudnnConvFp32Precision = CudnnConvFp32Precision::Ieee;
  if (Status s = finishTraining(); !s)
    return s;
  if (noCache_ && cacheDirectory_)
    return Error::usage("--no-cache and --cache-dir exclude each other");
  if (!noCache_)
    session.cache = cache::readCacheConfig(cacheDirectory_);
  if (Status s = configureLogs("kiln-run", log_); !s)
    return s;
  bool isPackage = isCompiled(options_.path);
  if (isPackage && !session.dumpStages.empty())
    return Error::usage("--dump-stages: '" + options_.path +
                        "' is compiled already; expected a model");
  if (!isPackage)
    if (Status s = readOptionVariables("kiln-run", OptionTool::Run, session);
        !s)
      return s;
  session.progress = [shown = progress_, seconds = session.maxSeconds](
                         const std::string &stage) {
    noteStage(stage, seconds);
    // What takes longer than a user waits without asking.
    bool isSlow = stage.compare(0, 10, "autotuning") == 0;
    if (shown || (isSlow && ::isatty(STDERR_FILENO)))
      std::fprintf(stderr, "%s\n", stage.c_str());
  };
  return Status::success();
}

Result<Options> Parser::parse(int argc, char **argv) {
  addInputs();
  addModes();
  addMeasures();
  addTraining();
  if (Status s = line_.parse(argc, argv); !s)
    return s.takeError();
  options_.printedAbout = printAbout(
      line_, "kiln-run", kHelp + optionHelp(OptionTool::Run) + kMoreHelp);
  if (options_.printedAbout)
    return std::move(options_);
  if (Status s = finish(); !s)
    return s.takeError();
  return std::move(options_);
}

Result<Options> run::parseOptions(int argc, char **argv) {
  return Parser().parse(argc, argv);
}
