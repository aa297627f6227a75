//===- kiln-bench.cpp - Programs and kernels beside the machine's limit ---===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "common/Calls.h"
#include "common/CommandLine.h"
#include "common/Inputs.h"
#include "common/Isolation.h"
#include "common/OptionFlags.h"
#include "common/Output.h"

#include "kiln/Session/MachineText.h"
#include <algorithm>
#include <chrono>

using namespace kiln;
using namespace kiln::bench;
using namespace kiln::tools;
using runtime::OpValue;
using Clock = std::chrono::steady_clock;

static const char kHelp[] =
    R"(kiln-bench: how fast programs and their kernels are, beside what the machine can do

usage: kiln-bench MODEL... [flags]

Each MODEL, as kiln-run takes it, is compiled or found in the cache, called once,
and then by turns with the others, so that what slows the machine down slows all.
A row is the median and the least time of a call, the bytes that its kernels move
and the operations of floats that they do in a second, and the share of the time
that the machine needs for them at least: at the bandwidth of memory (of the caches
for what fits there) and the rate of multiply-adds, which are measured once and kept
in the cache.

  --inputs=random[:SEED][,s77=16]  for every model; default random:1. Weights of a
                         module, which holds none, are random, too
  --rounds=N             calls of each (default 30)
  --kernels              a table of the kernels of each program, too: time between
                         the beginning and the end of its launches in one call,
                         the least of all rounds, and bytes that its buffers hold.
                         On a GPU nothing is launched as a graph then, and a kernel
                         in several launches is under the name of its first
  --json[=FILE]          one JSON object instead of tables
  --machine              print what the machine can do as JSON, and end
  --threads=N            default: as many as this process may use
  --device=cpu|cuda[:N]  as of kiln-run; of a GPU the limit is what a copy of memory
                         reaches, products and caches have none
  --mode=NAME            as of kiln-run
  --cache-dir=DIR        instead of KILN_CACHE_DIR or <tmp>/kiln_<user>
  --no-cache             neither read nor write one
  --version              of Kiln, and the build id

how it is compiled
)";

static const char kMoreHelp[] = R"(
exit codes: 0 done, 2 wrong command line, 3 unreadable or malformed input, or results
that cannot be written, 4 not supported, 5 internal error

examples:
  kiln-bench model.pt2 --kernels
  kiln-bench a.pt2 b.pt2 --rounds=100 --json=results.json
  kiln-bench model.pt2 --mode=max-autotune
)";

namespace {
struct Flags {
  session::SessionOptions session;
  std::vector<std::string> models;
  std::string inputs = "random:1", json;
  unsigned rounds = 30;
  bool kernels = false, asJson = false, machine = false, noCache = false;
  bool isAnswered = false;
  std::optional<std::string> cacheDirectory;
};

/// A model that is called by turns with others.
struct Program {
  std::string name;
  std::unique_ptr<session::Session> session;
  std::vector<OpValue> inputs;
  std::vector<double> seconds;
};
} // namespace

static Result<Flags> parseFlags(int argc, char **argv) {
  Flags flags;
  CommandLine line;
  addOptionFlags(line, OptionTool::Run, flags.session);
  auto count = [](const std::string &flag, int64_t most, unsigned &target) {
    return [=, &target](const std::string &text) -> Status {
      auto value = parseInteger("--" + flag, text, 1, most);
      if (!value)
        return value.takeError();
      target = static_cast<unsigned>(*value);
      return Status::success();
    };
  };
  line.value("inputs", flags.inputs);
  line.value("rounds", count("rounds", 1000000, flags.rounds));
  line.value("device", flags.session.device);
  line.value("threads", count("threads", 1024, flags.session.threads));
  line.flag("kernels", flags.kernels);
  line.flag("machine", flags.machine);
  line.flag("no-cache", flags.noCache);
  line.optionalValue("json", [&](const std::string &text) {
    flags.asJson = true;
    flags.json = text.empty() ? "-" : text;
    return Status::success();
  });
  line.value("mode", [&](const std::string &text) {
    return setMode(flags.session, text);
  });
  line.value("cache-dir", [&](const std::string &text) -> Status {
    if (text.empty())
      return Error::usage("--cache-dir is empty; expected a folder");
    flags.cacheDirectory = text;
    return Status::success();
  });
  if (Status s = line.parse(argc, argv); !s)
    return s.takeError();
  flags.isAnswered =
      printAbout(line, "kiln-bench",
                 kHelp + optionHelp(OptionTool::Run) + kMoreHelp);
  flags.models = line.positional();
  if (flags.isAnswered)
    return std::move(flags);
  if (flags.models.empty() && !flags.machine)
    return Error::usage("no model; expected .pt2, .mlir, .mlirbc or .kiln "
                        "files, see --help");
  if (flags.inputs.compare(0, 6, "random") != 0)
    return Error::usage("--inputs=" + flags.inputs +
                        ": expected random[:SEED], with ,s77=16 for a symbol");
  if (Status s = readOptionVariables("kiln-bench", OptionTool::Run,
                                     flags.session);
      !s)
    return s.takeError();
  if (flags.noCache && flags.cacheDirectory)
    return Error::usage("--no-cache and --cache-dir exclude each other");
  if (!flags.noCache)
    flags.session.cache = cache::readCacheConfig(flags.cacheDirectory);
  flags.session.reuseOutputs = true;
  flags.session.isolated = false;
  flags.session.timeLaunches = flags.kernels;
  flags.session.progress = [seconds = flags.session.maxSeconds](
                               const std::string &stage) {
    noteStage(stage, seconds);
  };
  return std::move(flags);
}

/// One call, whose results are dropped.
static Status call(Program &program, bool training) {
  auto begin = Clock::now();
  Status status = Status::success();
  if (training) {
    auto result = program.session->callTraining(program.inputs, {});
    if (!result)
      status = result.takeError();
  } else {
    auto result = program.session->call(program.inputs);
    if (!result)
      status = result.takeError();
  }
  if (status && program.session->device())
    status = program.session->device()->synchronize();
  std::chrono::duration<double> spent = Clock::now() - begin;
  program.seconds.push_back(spent.count());
  return status ? status
                : Status(status.error().withContext("'" + program.name + "'"));
}

static Result<Program> open(const std::string &path, const Flags &flags) {
  Program program;
  program.name = path;
  auto session = session::Session::open(path, flags.session);
  if (!session)
    return session.takeError();
  program.session = std::move(*session);
  auto inputs = randomInputs(*program.session, flags.inputs);
  if (!inputs)
    return inputs.takeError();
  program.inputs = std::move(*inputs);
  // A module holds no weights: any will do.
  if (auto variant = program.session->prepareFor(program.inputs); !variant)
    return variant.takeError();
  if (Status s = drawWeights(*program.session, /*seed=*/1); !s)
    return s.takeError();
  // Calls neither copy their inputs to a device nor wait for their results.
  program.session->keepResultsOnDevice(true);
  for (OpValue &input : program.inputs)
    if (Status s = placeOnDevice(*program.session, input); !s)
      return s.takeError();
  // The first call compiles, the second one finds memory of its own.
  for (int i = 0; i < 2; ++i)
    if (Status s = call(program, flags.session.training); !s)
      return s.takeError();
  program.seconds.clear();
  return std::move(program);
}

using LaunchTimes = std::vector<runtime::RunStats::LaunchTime>;

/// The kernels of a program; `counted` is what was counted before the first
/// round and after each. A launch that another process delays says nothing of
/// its kernel, so what counts is the round in which it took least.
static std::vector<Row> getKernels(const Program &program,
                                   const std::vector<LaunchTimes> &counted) {
  const package::Package &package = program.session->lastVariant().package();
  std::map<std::string, double> operations = getOperations(package);
  const LaunchTimes &times = counted.back();
  double rounds = double(counted.size() - 1);
  std::vector<Row> rows;
  for (size_t i = 0; i < times.size() && i < package.image.kernels.size();
       ++i) {
    auto at = [&](const LaunchTimes &all) {
      return i < all.size() ? all[i] : runtime::RunStats::LaunchTime();
    };
    runtime::RunStats::LaunchTime before = at(counted.front());
    if (times[i].launches == before.launches)
      continue;
    std::vector<double> seconds;
    for (size_t round = 1; round < counted.size(); ++round)
      seconds.push_back(at(counted[round]).seconds -
                        at(counted[round - 1]).seconds);
    std::sort(seconds.begin(), seconds.end());
    Row row;
    row.name = package.image.kernels[i].name;
    row.launches = double(times[i].launches - before.launches) / rounds;
    row.median = seconds[seconds.size() / 2];
    row.least = seconds.front();
    row.work.bytes = double(times[i].bytes - before.bytes) / rounds;
    auto known = operations.find(row.name);
    if (known != operations.end())
      row.work.operations = known->second * row.launches;
    rows.push_back(std::move(row));
  }
  std::sort(rows.begin(), rows.end(),
            [](const Row &a, const Row &b) { return a.least > b.least; });
  return rows;
}

static Status measure(const Flags &flags) {
  std::vector<Program> programs;
  for (const std::string &model : flags.models) {
    auto program = open(model, flags);
    if (!program)
      return program.takeError();
    programs.push_back(std::move(*program));
  }
  std::vector<std::vector<LaunchTimes>> counted(programs.size());
  auto count = [&](size_t i) {
    if (flags.kernels)
      counted[i].push_back(programs[i].session->function().stats().launchTimes);
  };
  for (size_t i = 0; i < programs.size(); ++i)
    count(i);
  for (unsigned round = 0; round < flags.rounds; ++round)
    for (size_t i = 0; i < programs.size(); ++i) {
      if (Status s = call(programs[i], flags.session.training); !s)
        return s;
      count(i);
    }
  unsigned threads = flags.session.threads;
  if (!programs.empty())
    threads = programs.front().session->threads();
  auto device = programs.empty() ? nullptr : programs.front().session->device();
  auto limits = device ? measureDevice(*device)
                       : Result<runtime::MachineLimits>(
                             getMachine(flags.session.cache, threads));
  if (!limits)
    return limits.takeError();
  const runtime::MachineLimits &machine = *limits;
  if (flags.machine) {
    print(session::printLimits(machine) + "\n");
    return Status::success();
  }
  std::vector<Row> rows;
  for (size_t i = 0; i < programs.size(); ++i) {
    Program &program = programs[i];
    std::sort(program.seconds.begin(), program.seconds.end());
    Row row;
    row.name = program.name;
    row.median = program.seconds[program.seconds.size() / 2];
    row.least = program.seconds.front();
    row.work = getWork(program.session->lastVariant().package());
    if (flags.kernels)
      row.kernels = getKernels(program, counted[i]);
    rows.push_back(std::move(row));
  }
  if (!flags.asJson) {
    print(printTables(rows, machine));
    return Status::success();
  }
  std::string json = printJson(rows, machine);
  return writeOutput(flags.json, ByteView(std::string_view(json)));
}

static int run(int argc, char **argv) {
  auto flags = parseFlags(argc, argv);
  if (!flags)
    return reportError("kiln-bench", flags.error());
  if (flags->isAnswered)
    return 0;
  Status status = measure(*flags);
  return status ? 0 : reportError("kiln-bench", status.error());
}

static int toolMain(int argc, char **argv) {
  return runTool("kiln-bench", [&] { return run(argc, argv); });
}

int main(int argc, char **argv) {
  return runIsolated("kiln-bench", argc, argv, toolMain);
}
