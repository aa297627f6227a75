//===- kiln-mutate.cpp - Mutants through passes and tools -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ../README.md. A campaign is a number of jobs; a job is a mutant, which
// its number and the seed determine.
//
//===----------------------------------------------------------------------===//

#include "FileMutator.h"
#include "Routes.h"

#include "kiln/Import/PT2Importer.h"
#include "kiln/InitAll.h"
#include "kiln/Target/CPU/KernelCompiler.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"

#include <cstdio>
#include <cstdlib>
#include <execinfo.h>
#include <filesystem>
#include <map>
#include <unistd.h>

using namespace kiln;
using namespace kiln::fuzz;
namespace cl = llvm::cl;

static cl::list<std::string> paths(cl::Positional, cl::OneOrMore,
                                   cl::desc("<folders or files of seeds>"));
static cl::opt<uint64_t> seed("seed", cl::desc("Of the random numbers"),
                              cl::init(1));
static cl::opt<size_t> irCount("ir", cl::desc("Mutants of IR text"),
                               cl::init(0));
static cl::list<std::string>
    stages("stage", cl::CommaSeparated,
           cl::desc("So many of IR of each of these stages: capture, core, "
                    "joint, loop, kernel, native, package, or 'each'"));
static cl::opt<size_t>
    fileCount("files", cl::desc("Mutants of archives, packages and bytecode"),
              cl::init(0));
static cl::opt<size_t> firstJob("first", cl::desc("Number of the first job"),
                                cl::init(0));
static cl::opt<size_t> workers("jobs", cl::desc("Processes at a time"),
                               cl::init(2));
static cl::opt<unsigned> limit("limit", cl::desc("Seconds for a run"),
                               cl::init(10));
static cl::opt<unsigned>
    deadline("deadline", cl::desc("Start no job after so many seconds"),
             cl::init(0));
static cl::opt<std::string>
    keep("keep", cl::desc("A folder for the first mutant of each cause"));
static cl::opt<std::string>
    show("show", cl::desc("Write the mutant of job --first to this file"));

namespace {
struct Mutant {
  std::string bytes, extension;
};

class Campaign {
public:
  Campaign(const Seeds &seeds, const IrRoutes &routes)
      : seeds_(seeds), routes_(routes) {
    setStage(std::nullopt);
  }

  /// Which texts become mutants: those of a stage, or all.
  void setStage(std::optional<Stage> stage);
  void run(bool ir, size_t count);
  Mutant mutant(bool ir, size_t job) const;
  bool foundAny() const { return foundAny_; }

private:
  void report(bool ir, const Finding &finding);

  const Seeds &seeds_;
  const IrRoutes &routes_;
  std::optional<Stage> stage_;
  std::vector<const std::string *> texts_; ///< of `stage_`
  std::map<std::string, size_t> causes_;
  size_t found_[3] = {};
  size_t upstream_ = 0; ///< signals in MLIR's parser
  bool foundAny_ = false;
};
} // namespace

void Campaign::setStage(std::optional<Stage> stage) {
  stage_ = stage;
  texts_.clear();
  for (const Seeds::Text &text : seeds_.texts)
    if (!stage || text.stage == *stage)
      texts_.push_back(&text.text);
}

Mutant Campaign::mutant(bool ir, size_t job) const {
  Random random(seed * 1000003 + job * 2 + ir);
  auto pick = [&](const std::vector<std::string> &list) -> const std::string & {
    return list[below(random, list.size())];
  };
  if (ir) {
    const std::string &text = *texts_[below(random, texts_.size())];
    const std::string &donor =
        seeds_.texts[below(random, seeds_.texts.size())].text;
    return {mutateText(text, donor, random), "mlir"};
  }
  switch (below(random, 3)) {
  case 0:
    if (!seeds_.archives.empty())
      return {mutateArchive(pick(seeds_.archives), random), "pt2"};
    break;
  case 1:
    if (!seeds_.packages.empty())
      return {mutatePackage(pick(seeds_.packages), random), "kiln"};
    break;
  default:
    break;
  }
  return {mutateBytes(pick(seeds_.bytecodes), random), "mlirbc"};
}

/// A message without what differs from mutant to mutant.
static std::string classOf(std::string cause) {
  std::string out;
  bool quoted = false;
  for (char c : cause) {
    quoted ^= c == '\'' || c == '"';
    if (!quoted && !(c >= '0' && c <= '9'))
      out += c == '\n' ? ' ' : c;
  }
  return out.substr(0, 300);
}

void Campaign::report(bool ir, const Finding &finding) {
  // MLIR's parser can be ended by text; the tools parse in a child. It is the
  // parser's own if no function of Kiln is on the stack, or only one that
  // called the parser.
  size_t ours = finding.cause.find("kiln::");
  bool isUpstream = finding.route == kPreparation &&
                    (ours == std::string::npos ||
                     finding.cause.find("mlir::detail::Parser") < ours);
  ++(isUpstream ? upstream_ : found_[finding.kind]);
  foundAny_ |= !isUpstream;
  Mutant found = mutant(ir, finding.job);
  std::string route =
      finding.route == kPreparation ? "parser"
      : ir                          ? routes_.name(finding.route)
           : toolRouteName(found.extension, finding.job, finding.route);
  std::string cause = classOf(finding.cause);
  if (finding.kind == Finding::Hang)
    cause += " in " + route;
  if (causes_[cause]++ != 0)
    return;
  static const char *kinds[] = {"signal", "hang", "exit"};
  std::printf("%s: job %zu (%s), %s: %s\n", kinds[finding.kind], finding.job,
              found.extension.c_str(), route.c_str(), finding.cause.c_str());
  std::fflush(stdout);
  if (!keep.empty())
    writeFile(keep + "/" + kinds[finding.kind] + "-" +
                  std::to_string(finding.job) + "." + found.extension,
              found.bytes);
}

void Campaign::run(bool ir, size_t count) {
  if (ir && texts_.empty()) {
    std::printf("no seeds of stage '%s'\n", stageName(*stage_).str().c_str());
    foundAny_ = true;
    return;
  }
  ServerOptions options;
  options.workers = workers;
  options.milliseconds = limit * int64_t(1000);
  options.deadline = deadline * int64_t(1000);
  std::fill(std::begin(found_), std::end(found_), 0);
  Totals totals = serve(
      firstJob, count, options,
      [&](size_t job, JobContext &process) {
        Mutant made = mutant(ir, job);
        if (ir)
          routes_.run(made.bytes, job, process);
        else
          runTools(made.bytes, made.extension, job, process);
      },
      [&](const Finding &finding) { report(ir, finding); });
  std::printf("%s: %zu mutants, %zu refused by the parser, %zu runs; exit 0: "
              "%zu, 1: %zu, 2: %zu, 3: %zu, 4: %zu, 5: %zu; %zu signals, %zu "
              "hangs, and %zu ends of MLIR's parser\n",
              !ir      ? "files"
              : stage_ ? ("IR of " + stageName(*stage_)).str().c_str()
                       : "IR",
              totals.jobs, totals.refused, totals.runs, totals.exits[0],
              totals.exits[1], totals.exits[2], totals.exits[3],
              totals.exits[4], totals.exits[5], found_[Finding::Signal],
              found_[Finding::Hang], upstream_);
}

/// LLVM would add a trace of its own, by way of another program.
static void fatalError(void *, const char *reason, bool) {
  std::fprintf(stderr, "LLVM ERROR: %s\n", reason);
  std::abort();
}

/// Of --stage; false if one has no such name.
static bool readStages(std::vector<Stage> &wanted) {
  for (const std::string &name : stages) {
    std::optional<Stage> stage = parseStage(name);
    if (name == "each") {
      for (StringRef each : stageNames())
        wanted.push_back(*parseStage(each));
    } else if (stage) {
      wanted.push_back(*stage);
    } else {
      std::fprintf(
          stderr,
          "kiln-mutate: error: --stage: no stage '%s', expected one of %s\n",
          name.c_str(), llvm::join(stageNames(), ", ").c_str());
      return false;
    }
  }
  return true;
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "mutants through passes and tools\n");
  std::vector<Stage> wanted;
  if (!readStages(wanted))
    return 2;
  // Raw signals are what is looked for.
  ::setenv("KILN_ISOLATE", "0", 1);
  llvm::install_fatal_error_handler(fatalError);
  // The first call loads a library.
  void *frames[4];
  backtrace(frames, 4);

  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  kiln::registerAllDialects(registry);
  kiln::registerAllExtensions(registry);
  target::registerKernelDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  pt2::loadImportDialects(&context);
  IrRoutes routes(context);
  char scratch[] = "/tmp/kiln-seeds-XXXXXX";
  if (!::mkdtemp(scratch))
    return 2;
  Seeds seeds = collectSeeds(context, paths, scratch);
  std::filesystem::remove_all(scratch);
  std::printf("seeds: %zu texts, %zu bytecodes, %zu archives, %zu packages\n",
              seeds.texts.size(), seeds.bytecodes.size(), seeds.archives.size(),
              seeds.packages.size());
  for (StringRef name : stageNames())
    std::printf("  %s: %zu texts\n", name.str().c_str(),
                size_t(llvm::count_if(seeds.texts, [&](const auto &text) {
                  return stageName(text.stage) == name;
                })));
  if (seeds.texts.empty() || seeds.bytecodes.empty())
    return 2;
  Campaign campaign(seeds, routes);
  if (!wanted.empty())
    campaign.setStage(wanted.front());
  if (!show.empty()) {
    writeFile(show, campaign.mutant(irCount != 0, firstJob).bytes);
    return 0;
  }
  if (irCount != 0 && wanted.empty())
    campaign.run(true, irCount);
  for (Stage stage : irCount != 0 ? wanted : std::vector<Stage>()) {
    campaign.setStage(stage);
    campaign.run(true, irCount);
  }
  if (fileCount != 0)
    campaign.run(false, fileCount);
  return campaign.foundAny();
}
