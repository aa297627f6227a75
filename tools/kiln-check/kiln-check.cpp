//===- kiln-check.cpp - Many programs against stored values ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tally.h"

#include "common/OptionFlags.h"
#include "common/Output.h"

#include "llvm/Config/llvm-config.h"

#include <algorithm>
#include <dirent.h>
#include <sys/stat.h>
#include <thread>

using namespace kiln;
using namespace kiln::check;
using namespace kiln::tools;

static const char kHelp[] =
    R"(kiln-check: runs programs with stored results, many in one go

usage: kiln-check PATH... [flags]

A PATH is an operator pack (NAME.json with NAME.bin beside), a folder of packs,
a folder of exported programs with an expect.json, or a folder of such folders.

  --grad             compare gradients, where they are stored; others are not
                     applicable, nor are those that differ where the function,
                     which is smooth there, has another slope than what is
                     stored: each of these is printed
  --dynamic          every size of an input becomes a symbol, as torch.compile
                     with dynamic=True; a program that passes is called with
                     larger sizes too and compared with backend eager
  --twice            cases of operators are called a second time, on a GPU until
                     graphs are replayed, which must give the same bits
  --filter=GLOB      only overloads and archives whose name matches
  --every=N          of those, the first, the one N later and so on
  --max-failures=N   stop after N failures
  --list-failures    print every failure, not only the first of each overload
  --json=FILE        write counts, first failures, what was left to functions
                     (fallback_ops) and the time of each stage (stages_ms) as
                     one JSON object; - is standard output, and the lines below
                     go to standard error then
  --jobs=N           worker processes; default: one a processor
  --threads=N        threads of a program; default 1
  --timeout=SECONDS  longest a case may take; default 300
  --device=cpu|cuda[:N]  where programs run
  --version          of Kiln and LLVM, and the build id

how programs are compiled
)";

static const char kMoreHelp[] = R"(
Convolutions of f32 are exact unless --cudnn-conv-fp32-precision is given: stored
results are a processor's.
Each overload or archive gives one line when it is done. A program that ends
its process is one failure. With --dynamic, a line names the cases some sizes of
which stay numbers and the first reason. At the end stand the operators that compiled programs left to
functions (on a GPU all that they called on the host), the causes of failures, how
many kernels were launched, and last 'N passed, N failed, N unsupported,
N not applicable, N with fallbacks'. After the failure of a kernel on a GPU another
process goes on.
Exit code: 0 all passed, 1 something failed or was unsupported, 2 wrong command
line, 3 unreadable input (what can be read is checked, the rest counts as failed)
or results that cannot be written, 4 not supported.

examples:
  kiln-check fixtures/pt2 --backend=eager
  kiln-check fixtures/ops --filter='aten.add.*' --grad
  kiln-check fixtures/pt2/mlp_loss --json=result.json
  kiln-check fixtures/ops --device=cuda --every=10
)";

//===----------------------------------------------------------------------===//
// What there is to run
//===----------------------------------------------------------------------===//

static bool exists(const std::string &path, bool folder) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 &&
         (folder ? S_ISDIR(info.st_mode) : S_ISREG(info.st_mode));
}

static bool hasSuffix(const std::string &text, const std::string &suffix) {
  return text.size() > suffix.size() &&
         text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
}

static std::string baseName(std::string path) {
  while (path.size() > 1 && path.back() == '/')
    path.pop_back();
  return path.substr(path.rfind('/') + 1);
}

static void addPack(const std::string &path, std::vector<Item> &items) {
  Item item;
  std::string name = baseName(path);
  item.name = name.substr(0, name.size() - 5);
  item.pack = path;
  items.push_back(std::move(item));
}

static Status addFixture(const std::string &folder, std::vector<Item> &items) {
  auto expectations = archive::loadExpectations(folder + "/expect.json");
  if (!expectations)
    return expectations.takeError();
  for (const archive::Expectation &expectation : *expectations) {
    Item item;
    item.folder = folder;
    item.file = folder + "/" + expectation.archive;
    item.name = baseName(folder) + "/" + expectation.archive;
    item.expectation = expectation;
    items.push_back(item);
    for (const archive::Expectation &model : expectation.models) {
      Item chosen = item;
      chosen.model = model.archive;
      chosen.name += ":" + model.archive;
      chosen.expectation = model;
      items.push_back(std::move(chosen));
    }
  }
  return Status::success();
}

static Status addPath(const std::string &path, std::vector<Item> &items,
                      unsigned depth = 0) {
  if (isStandard(path))
    return Error::usage("a pack is two files and a fixture a folder; expected "
                        "their path, found '-'");
  if (exists(path, /*folder=*/false)) {
    if (!hasSuffix(path, ".json"))
      return Error::usage("'" + path + "' is no .json of a case pack and no "
                          "folder");
    addPack(path, items);
    return Status::success();
  }
  DIR *directory = ::opendir(path.c_str());
  if (!directory)
    return Error::io("cannot open '" + path + "', expected a case pack or a "
                     "folder");
  std::vector<std::string> names;
  while (dirent *entry = ::readdir(directory))
    if (entry->d_name[0] != '.')
      names.push_back(entry->d_name);
  ::closedir(directory);
  std::sort(names.begin(), names.end());
  if (exists(path + "/expect.json", /*folder=*/false))
    return addFixture(path, items);
  for (const std::string &name : names) {
    std::string inner = path + "/" + name;
    if (hasSuffix(name, ".json") &&
        exists(inner.substr(0, inner.size() - 5) + ".bin", false))
      addPack(inner, items);
    else if (depth == 0 && exists(inner + "/expect.json", false))
      if (Status s = addPath(inner, items, depth + 1); !s)
        return s;
  }
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

static Status writeJson(const std::string &path, const Config &config,
                        const std::vector<Item> &items,
                        const std::vector<Tally> &tallies, const Tally &total) {
  JsonWriter json;
  json.beginObject();
  json.key("backend").text(wordOf(config.compile.backend));
  json.key("grad").flag(config.gradients);
  json.key("entries").beginArray();
  for (size_t i = 0; i < items.size(); ++i) {
    json.beginObject().key("name").text(items[i].name);
    writeTally(json, tallies[i], config.dynamic);
    json.key("first_failure").text(tallies[i].firstFailure);
    json.key("first_unsupported").text(tallies[i].firstUnsupported);
    json.endObject();
  }
  json.endArray();
  json.key("total").beginObject();
  writeTally(json, total, config.dynamic);
  json.endObject().endObject();
  std::string text = json.str() + "\n";
  return writeOutput(path, ByteView(std::string_view(text)));
}

namespace {
struct Flags {
  Config config;
  std::string filter, jsonPath;
  bool listFailures = false;
  unsigned every = 1;
};
} // namespace

static Status parseFlags(CommandLine &line, Flags &flags, int argc,
                         char **argv) {
  Config &config = flags.config;
  config.jobs = std::max(1u, std::thread::hardware_concurrency());
  auto number = [&](const std::string &name, unsigned &target, unsigned low,
                    unsigned high) {
    line.value(name, [=, &target](const std::string &text) -> Status {
      auto value = parseInteger("--" + name, text, low, high);
      if (!value)
        return value.takeError();
      target = static_cast<unsigned>(*value);
      return Status::success();
    });
  };
  // What is stored was computed in f32 by a processor.
  config.compile.cudnnConvFp32Precision = CudnnConvFp32Precision::Ieee;
  addOptionFlags(line, OptionTool::Check, config.compile);
  line.flag("grad", config.gradients);
  line.flag("dynamic", config.dynamic);
  line.flag("twice", config.twice);
  line.flag("list-failures", flags.listFailures);
  line.value("filter", flags.filter);
  line.value("json", flags.jsonPath);
  number("every", flags.every, 1, 1u << 20);
  number("max-failures", config.maxFailures, 1, 1u << 30);
  number("jobs", config.jobs, 1, 256);
  number("threads", config.threads, 1, 1024);
  number("timeout", config.secondsPerCase, 1, 86400);
  line.value("device", config.device);
  return line.parse(argc, argv);
}

/// What the paths hold, as far as `--filter` and `--every` take it.
static Result<std::vector<Item>> findItems(const CommandLine &line,
                                           const Flags &flags) {
  if (line.positional().empty())
    return Error::usage("nothing to check, expected packs or folders; see "
                        "--help");
  std::vector<Item> all, items;
  for (const std::string &path : line.positional())
    if (Status s = addPath(path, all); !s)
      return s.takeError();
  unsigned matches = 0;
  for (Item &item : all)
    if (flags.filter.empty() || matchesGlob(flags.filter, item.name))
      if (matches++ % flags.every == 0)
        items.push_back(std::move(item));
  if (items.empty())
    return Error::usage(flags.filter.empty()
                            ? "found no case pack and no expect.json in the "
                              "given folders"
                            : "nothing matches --filter=" + flags.filter);
  return items;
}

/// Runs them all and tells what came of it; the exit code.
static Result<int> checkItems(const std::vector<Item> &items,
                              const Flags &flags) {
  const Config &config = flags.config;
  std::FILE *out = isStandard(flags.jsonPath) ? stderr : stdout;
  std::vector<Tally> tallies(items.size());
  unsigned failures = 0;
  auto isOver = [&] {
    return config.maxFailures != 0 && failures >= config.maxFailures;
  };
  auto settle = [&](size_t item) {
    tallies[item].settle();
    print(out, items[item], tallies[item], flags.listFailures);
    std::fflush(out); // also where a run may be ended before its end
  };
  Status ran = runItems(
      items, config,
      [&](size_t item, const Outcome &outcome) {
        tallies[item].add(outcome);
        failures += outcome.kind == Outcome::Failed ||
                    outcome.kind == Outcome::Unreadable;
        return !isOver();
      },
      settle);
  if (!ran)
    return ran.takeError();
  Tally total;
  std::string unreadable;
  for (size_t i = 0; i < items.size(); ++i) {
    if (tallies[i].refused != 0 || (isOver() && tallies[i].failed != 0))
      settle(i);
    if (unreadable.empty())
      unreadable = tallies[i].unreadable;
    total.add(tallies[i]);
  }
  if (!flags.jsonPath.empty())
    if (Status s = writeJson(flags.jsonPath, config, items, tallies, total); !s)
      return s.takeError();
  printTotal(out, total, config.dynamic);
  if (!unreadable.empty())
    return Error::malformed(unreadable);
  return total.failed + total.unsupported == 0 ? 0 : 1;
}

static Result<int> checkAll(const CommandLine &line, const Flags &flags) {
  if (flags.config.gradients &&
      flags.config.compile.backend == Backend::Eager)
    return Error::usage("--grad: backend eager has no backward; expected "
                        "aot_eager or inductor");
  if (!flags.jsonPath.empty())
    if (Status s = checkOutput(flags.jsonPath); !s)
      return s.takeError();
  auto items = findItems(line, flags);
  return items ? checkItems(*items, flags) : Result<int>(items.takeError());
}

static int runCheck(int argc, char **argv) {
  CommandLine line;
  Flags flags;
  if (Status s = parseFlags(line, flags, argc, argv); !s)
    return reportError("kiln-check", s.error());
  if (printAbout(line, "kiln-check",
                 kHelp + optionHelp(OptionTool::Check) + kMoreHelp,
                 LLVM_VERSION_STRING))
    return 0;
  auto code = checkAll(line, flags);
  return code ? *code : reportError("kiln-check", code.error());
}

int main(int argc, char **argv) {
  return runTool("kiln-check", [&] { return runCheck(argc, argv); });
}
