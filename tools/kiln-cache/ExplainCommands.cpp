//===- ExplainCommands.cpp - key, why-miss, diff --------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "common/OptionFlags.h"
#include "common/Output.h"

#include "kiln/Runtime/ThreadPool.h"
#include "kiln/Session/ProgramKey.h"

#include <algorithm>
#include <tuple>

using namespace kiln;
using namespace kiln::cache;
using namespace kiln::cachetool;
using kiln::tools::print;

// Entries that are looked at for the nearest one, the last used first.
static constexpr size_t kMostCompared = 1000;

namespace {
/// A model with the flags of kiln-run that decide its key.
struct Question {
  CacheFlags flags;
  CacheKey key, environment;
  /// Of a training step, if its symbols stay symbols.
  std::optional<CacheKey> joint;
  Digest compiler; ///< the environment of that one

  Status ask(int argc, char **argv);
};
} // namespace

Status Question::ask(int argc, char **argv) {
  CompileOptions options;
  archive::LoadOptions load;
  tools::addOptionFlags(flags.line, OptionTool::Run, options);
  flags.line.value("model", load.model);
  unsigned threads = 0;
  flags.line.value("threads", [&](const std::string &text) -> Status {
    auto value = tools::parseInteger("--threads", text, 1, 1024);
    if (!value)
      return value.takeError();
    threads = static_cast<unsigned>(*value);
    return Status::success();
  });
  // kiln-run takes them from an io.json.
  flags.line.value("input-gradients", [&](const std::string &text) {
    return tools::setOption(options, "input_gradients", text);
  });
  if (Status s = flags.parse(argc, argv, 1); !s)
    return s;
  if (Status s = tools::readOptionVariables("kiln-cache", OptionTool::Run,
                                            options);
      !s)
    return s;
  if (Status s = options.verify(); !s)
    return s;
  auto source = tools::openModel(flags.words().front(), load);
  if (!source)
    return source.takeError();
  if ((*source)->form == archive::SourceForm::Package)
    return Error::usage("'" + flags.words().front() +
                        "' is compiled already; expected a model");
  auto here = session::ownEnvironmentKey();
  if (!here)
    return here.takeError();
  environment = std::move(*here);
  auto made = session::programKey(**source, options, environment,
                                  flags.config().remote.nameSpace,
                                  runtime::ThreadPool(threads).threads());
  if (!made)
    return made.takeError();
  key = std::move(*made);
  if (!options.training || !(*source)->program)
    return Status::success();
  auto own = session::ownCompilerKey();
  if (!own)
    return own.takeError();
  auto graphs = session::jointKey(**source, options, *own,
                                  flags.config().remote.nameSpace);
  if (!graphs)
    return graphs.takeError();
  joint = std::move(*graphs);
  compiler = own->digest;
  return Status::success();
}

/// "'a'", or that the default was meant, which is not written into keys.
static std::string shown(const std::string &value) {
  return value.empty() ? "the default" : "'" + value + "'";
}

static void printParts(const std::vector<KeyPart> &parts) {
  for (const KeyPart &part : parts)
    print("  " + part.label + ": " + part.value + "\n");
}

static void printDifferences(const std::vector<KeyDifference> &found,
                             const char *first, const char *second) {
  for (const KeyDifference &difference : found)
    print("  " + difference.label + ": " + first + " " +
          shown(difference.first) + ", " + second + " " +
          shown(difference.second) + "\n");
}

static void printName(const CacheKey &key) {
  print(std::string(kindName(key.kind)) + " " + key.digest.hex() + "\n");
}

static Result<int> key(int argc, char **argv) {
  Question question;
  if (Status s = question.ask(argc, argv); !s)
    return s.takeError();
  printName(question.key);
  printParts(question.key.parts);
  if (question.joint) {
    printName(*question.joint);
    printParts(question.joint->parts);
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// why-miss
//===----------------------------------------------------------------------===//

/// The entries of the store that may be near, the last used first.
static std::vector<StoredEntry> entriesOf(const LocalStore &store) {
  std::vector<StoredEntry> entries;
  store.forEach([&](const StoredEntry &entry) { entries.push_back(entry); });
  size_t count = std::min(entries.size(), kMostCompared);
  std::partial_sort(entries.begin(),
                    entries.begin() + static_cast<ptrdiff_t>(count),
                    entries.end(),
                    [](const StoredEntry &a, const StoredEntry &b) {
                      return std::tie(b.usedSeconds, b.path) <
                             std::tie(a.usedSeconds, a.path);
                    });
  entries.resize(count);
  return entries;
}

/// Says what the store has under the key itself. False if that is nothing.
static bool tellOwnEntries(const LocalStore &store, const CacheKey &key,
                           const Digest &wanted) {
  size_t good = 0, found = 0;
  std::string faults;
  store.forEach([&](const StoredEntry &entry) {
    if (entry.kind != key.kind || entry.key != key.digest)
      return;
    ++found;
    Digest environment;
    DecodedEntry decoded = store.read(entry, &environment);
    if (decoded.fault != EntryFault::None)
      faults += "  " + entry.path + ": " + decoded.reason + "\n";
    else if (environment != wanted)
      faults += "  " + entry.path + ": of another compiler or machine\n";
    else
      ++good;
  });
  if (good != 0)
    print(key.kind == KeyKind::Joint
              ? std::string("it is there\n")
              : "it is there, in " + std::to_string(good) +
                    " variants; inputs that fit none of their guards are "
                    "compiled for\n");
  else if (found != 0)
    print("its entry cannot be used\n");
  print(faults);
  return found != 0;
}

/// Says why there is no entry of this key in an environment.
static void explainMiss(const LocalStore *store, const CacheKey &key,
                        const Digest &environment) {
  printName(key);
  if (store && tellOwnEntries(*store, key, environment))
    return;
  std::optional<StoredEntry> nearest;
  std::vector<KeyDifference> fewest;
  if (store)
    for (const StoredEntry &entry : entriesOf(*store)) {
      DecodedEntry decoded = store->read(entry);
      if (decoded.fault != EntryFault::None || decoded.info.keyParts.empty())
        continue;
      auto found = differences(key.parts, decoded.info.keyParts);
      if (entry.kind != key.kind)
        found.push_back({"kind", kindName(key.kind), kindName(entry.kind)});
      if (nearest && found.size() >= fewest.size())
        continue;
      nearest = entry;
      fewest = std::move(found);
    }
  if (!nearest) {
    print("the cache has no entry to compare it with\n");
    return;
  }
  print("it was never stored; the nearest entry is " + nearest->key.hex() +
        ", which differs in\n");
  printDifferences(fewest, "this has", "the entry");
}

static Result<int> whyMiss(int argc, char **argv) {
  Question question;
  if (Status s = question.ask(argc, argv); !s)
    return s.takeError();
  auto store = question.flags.open();
  if (!store)
    return store.takeError();
  explainMiss(store->get(), question.key, question.environment.digest);
  if (question.joint)
    explainMiss(store->get(), *question.joint, question.compiler);
  return 0;
}

//===----------------------------------------------------------------------===//
// diff
//===----------------------------------------------------------------------===//

/// The parts of the only key that begins with `prefix`.
static Result<std::vector<KeyPart>> partsOf(const LocalStore *store,
                                            const std::string &prefix) {
  std::optional<StoredEntry> found;
  bool isAmbiguous = false;
  if (store)
    store->forEach([&](const StoredEntry &entry) {
      if (entry.key.hex().compare(0, prefix.size(), prefix) != 0)
        return;
      isAmbiguous |= found && found->key != entry.key;
      found = entry;
    });
  if (!found)
    return Error::usage("'" + prefix + "': no entry's key begins so; see "
                                       "'kiln-cache list'");
  if (isAmbiguous)
    return Error::usage("'" + prefix + "': several keys begin so; expected "
                                       "more digits");
  DecodedEntry decoded = store->read(*found);
  if (decoded.fault != EntryFault::None)
    return Error{ErrorKind::CheckFailed, found->path + ": " + decoded.reason};
  return std::move(decoded.info.keyParts);
}

static Result<int> diff(int argc, char **argv) {
  CacheFlags flags;
  auto store = flags.parseAndOpen(argc, argv, 2);
  if (!store)
    return store.takeError();
  auto first = partsOf(store->get(), flags.words()[0]);
  if (!first)
    return first.takeError();
  auto second = partsOf(store->get(), flags.words()[1]);
  if (!second)
    return second.takeError();
  auto found = differences(*first, *second);
  if (found.empty())
    print("the keys have the same parts\n");
  printDifferences(found, "the first has", "the second");
  return 0;
}

std::vector<Command> cachetool::explainCommands() {
  return {
      {"key", "MODEL [flags of kiln-run]",
       "the key of a model, and its parts", key},
      {"why-miss", "MODEL [flags of kiln-run]",
       "why a model was not found: what there is under its key,\n"
       "else the nearest entry and the parts that differ",
       whyMiss},
      {"diff", "KEY KEY", "the parts in which two keys of 'list' differ; the\n"
                          "first digits are enough", diff},
  };
}
