//===- CompileTime.cpp - Where the time of a cold compilation goes --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints a Markdown table: one row a program, one column a stage, milliseconds.
// Each run is a process of its own, forked before anything of the compiler was
// used, so no run finds what an earlier one left in memory. A row shows one
// run, the one with the least total: parts add up to their whole.
//
//===----------------------------------------------------------------------===//

#include "common/OptionFlags.h"
#include "common/Output.h"

#include "kiln/Archive/IoFile.h"
#include "kiln/Archive/Source.h"
#include "kiln/Compiler/CompilerSession.h"
#include "kiln/Runtime/ThreadPool.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <sys/wait.h>
#include <unistd.h>

using namespace kiln;

static const char kHelp[] =
    R"(usage: kiln-bench-compile [flags] PROGRAM...

Cold compile time by stage, in milliseconds, as a Markdown table. PROGRAM is a
.pt2, .mlir or .mlirbc file.

  --runs=N               processes per program, the fastest is shown (default 5)
  --threads=N            that generate code (default 1); the parts of native are
                         added over them
  --training, ...        flags of kiln-compile that say how it is compiled. With
                         --training, inputs that an io.json beside the program
                         has gradients for get gradients

Exit codes: 0 all compiled, 1 some did not, 2 wrong command line.
)";

namespace {
struct Column {
  const char *key;
  const char *title;
};
constexpr Column kColumns[] = {
    {"load", "load"},           {"import", "import"},
    {"core", "core"},           {"joint", "joint"},
    {"loop", "loop"},           {"kernel", "kernel"},
    {"native", "native"},       {"native.lower", "- lower"},
    {"native.translate", "- translate"},
    {"native.optimize", "- optimize"},
    {"native.codegen", "- codegen"},
    {"native.link", "- link"},  {"export", "export"},
    {"rest", "rest"},           {"total", "total"},
    {"kernels", "kernels"}};

struct Settings {
  CompileOptions compile;
  unsigned runs = 5;
  unsigned threads = 1;
};

/// Stage to milliseconds, or why there are none.
using Measurement = std::map<std::string, double>;
} // namespace

/// Runs in a process of its own.
static Result<Measurement> measure(const std::string &file,
                                   const Settings &settings) {
  CompileOptions options = settings.compile;
  auto io = std::filesystem::path(file).parent_path() / "io.json";
  if (options.training && std::filesystem::exists(io)) {
    auto recorded = archive::loadIoFile(io.string());
    if (!recorded)
      return recorded.takeError();
    if (recorded->gradients)
      for (const archive::IoValue &input : recorded->gradients->inputs)
        options.inputGradients.push_back(input.path);
  }
  auto start = std::chrono::steady_clock::now();
  archive::LoadOptions weightless;
  weightless.checkWeights = false;
  auto source = archive::Source::open(file, weightless);
  if (!source)
    return source.takeError();
  std::chrono::duration<double, std::milli> load =
      std::chrono::steady_clock::now() - start;
  runtime::ThreadPool pool(settings.threads);
  compiler::CompileHooks hooks;
  hooks.workers = {pool.threads(),
                   [&](const std::function<void(unsigned)> &work) {
                     pool.parallelFor(pool.threads(), 1,
                                      [&](int64_t, int64_t, unsigned thread) {
                                        work(thread);
                                      });
                   }};
  compiler::CompilerSession session;
  auto package = session.compile(**source, options, hooks);
  if (!package)
    return package.takeError();
  std::vector<uint8_t> bytes = package::encodePackage(*package);
  std::chrono::duration<double, std::milli> total =
      std::chrono::steady_clock::now() - start;
  Measurement result;
  result["load"] = load.count();
  double staged = load.count();
  for (const compiler::StageTime &time : session.times()) {
    result[time.stage] += time.milliseconds;
    staged += time.milliseconds;
  }
  for (const compiler::StageTime &time : session.nativeTimes())
    result["native." + time.stage] = time.milliseconds;
  result["rest"] = total.count() - staged;
  result["total"] = total.count();
  result["kernels"] = session.kernelsCompiled() + session.kernelsFound();
  return result;
}

/// What a child says: lines "<key> <number>", or "error <sentence>".
static std::string report(const Result<Measurement> &measured) {
  if (!measured)
    return "error " + measured.error().message + "\n";
  std::string text;
  for (const auto &[key, value] : *measured)
    text += key + " " + std::to_string(value) + "\n";
  return text;
}

static Result<Measurement> parseReport(const std::string &text) {
  Measurement result;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    size_t space = std::min(line.find(' '), line.size());
    if (line.compare(0, space, "error") == 0)
      return Error::unsupported(line.substr(std::min(space + 1, line.size())));
    result[line.substr(0, space)] = std::atof(line.c_str() + space);
    at = end + 1;
  }
  return result;
}

static Result<Measurement> measureInChild(const std::string &file,
                                          const Settings &settings) {
  int ends[2];
  if (pipe(ends) != 0)
    return Error::io("no pipe to a child process");
  pid_t child = fork();
  if (child < 0)
    return Error::io("no child process");
  if (child == 0) {
    close(ends[0]);
    std::string text = report(measure(file, settings));
    bool whole = write(ends[1], text.data(), text.size()) ==
                 static_cast<ssize_t>(text.size());
    _exit(whole ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t n; (n = read(ends[0], part, sizeof(part))) > 0;)
    text.append(part, n);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return Error::internal("the compiler ended with status " +
                           std::to_string(status));
  return parseReport(text);
}

static Result<Measurement> best(const std::string &file,
                                const Settings &settings) {
  Result<Measurement> least = measureInChild(file, settings);
  for (unsigned run = 1; least && run < settings.runs; ++run) {
    auto next = measureInChild(file, settings);
    if (!next || (*next)["total"] < (*least)["total"])
      least = std::move(next);
  }
  return least;
}

static std::string nameOf(const std::filesystem::path &file) {
  return (file.parent_path().filename() / file.filename()).string();
}

/// Prints the rows; false if a program did not compile.
static bool printTable(const std::vector<std::string> &files,
                       const Settings &settings) {
  std::string title = "| program |", rule = "|---|";
  for (const Column &column : kColumns) {
    title += std::string(" ") + column.title + " |";
    rule += "--:|";
  }
  std::printf("%s\n%s\n", title.c_str(), rule.c_str());
  bool all = true;
  for (const std::string &file : files) {
    auto measured = best(file, settings);
    std::printf("| %s |", nameOf(file).c_str());
    if (!measured) {
      std::printf(" did not compile: %s |\n", measured.error().message.c_str());
      all = false;
      continue;
    }
    for (const Column &column : kColumns) {
      auto found = measured->find(column.key);
      bool isCount = std::string(column.key) == "kernels";
      if (found == measured->end())
        std::printf(" |");
      else
        std::printf(" %.*f |", isCount ? 0 : 1, found->second);
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  return all;
}

int main(int argc, char **argv) {
  Settings settings;
  tools::CommandLine line;
  tools::addOptionFlags(line, OptionTool::Compile, settings.compile);
  line.value("runs", [&](const std::string &text) -> Status {
    auto runs = tools::parseInteger("runs", text, 1, 1000);
    if (!runs)
      return runs.takeError();
    settings.runs = static_cast<unsigned>(*runs);
    return Status::success();
  });
  line.value("threads", [&](const std::string &text) -> Status {
    auto threads = tools::parseInteger("threads", text, 1, 1024);
    if (!threads)
      return threads.takeError();
    settings.threads = static_cast<unsigned>(*threads);
    return Status::success();
  });
  if (Status s = line.parse(argc, argv); !s)
    return tools::reportError("kiln-bench-compile", s.error());
  if (line.wantsHelp()) {
    std::fputs(kHelp, stdout);
    return 0;
  }
  if (line.positional().empty())
    return tools::reportError(
        "kiln-bench-compile",
        Error::usage("no program given, expected .pt2 files; see --help"));
  if (Status s = settings.compile.verify(); !s)
    return tools::reportError("kiln-bench-compile", s.error());
  return printTable(line.positional(), settings) ? 0 : 1;
}
