//===- DiffCommands.cpp - diff --------------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random programs, each compiled without a cache, into one, and taken from it: the
// same bits three times, and the numbers of the eager functions.
//
//===----------------------------------------------------------------------===//

#include "Chaos.h"
#include "RandomGraph.h"

#include "kiln/Runtime/Compare.h"
#include "kiln/Session/Session.h"

#include <cstdio>
#include <cstring>

using namespace kiln;
using namespace kiln::chaos;
using runtime::OpValue;
using session::Session;
using session::SessionOptions;

namespace {
struct Figures {
  uint64_t graphs = 0, mismatches = 0, different = 0, notHit = 0, failed = 0;
  uint64_t kernelHits = 0, kernels = 0;
};

/// Results of one call: outputs, and gradients in training.
struct Results {
  std::vector<OpValue> values;
  session::SessionStats stats;
};
} // namespace

/// What differs between runs of the same graph besides the cache.
static CompileOptions optionsOf(uint64_t which) {
  CompileOptions options;
  options.training = which % 2 == 1;
  if (which == 2)
    options.maxFusionSize = 2;
  if (which == 3)
    options.memoryBudget = 0.3;
  return options;
}

static Result<Results> run(const RandomGraph &graph, uint64_t seed,
                           const CompileOptions &wanted,
                           const std::string &root) {
  SessionOptions options;
  static_cast<CompileOptions &>(options) = wanted;
  options.threads = 1;
  options.isolated = false;
  options.cache = cache::readCacheConfig(root.empty() ? "/nowhere" : root);
  if (root.empty())
    options.cache.root.clear();
  auto source = archive::Source::read(SharedBytes::own(graph.text), "graph");
  if (!source)
    return source.takeError();
  auto session = Session::open(std::move(*source), options);
  if (!session)
    return session.takeError();
  std::vector<OpValue> inputs;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    auto tensor = runtime::Tensor::empty(DType::F32, graph.inputs[i]);
    if (!tensor)
      return tensor.takeError();
    std::vector<float> numbers =
        makeNumbers(seed * 64 + i, tensor->numel());
    std::memcpy(tensor->data(), numbers.data(), numbers.size() * sizeof(float));
    inputs.emplace_back(std::move(*tensor));
  }
  Results results;
  if (wanted.training) {
    // A number starts from 1 by itself.
    auto made = (*session)->callTraining(inputs, {});
    if (!made)
      return made.takeError();
    results.values = std::move(made->outputs);
    for (OpValue &gradient : made->gradients)
      results.values.push_back(std::move(gradient));
  } else {
    auto made = (*session)->call(inputs);
    if (!made)
      return made.takeError();
    results.values = std::move(*made);
  }
  results.stats = (*session)->stats();
  return results;
}

static bool isSame(const Results &a, const Results &b,
                   const runtime::Tolerance &tolerance, std::string &why) {
  if (a.values.size() != b.values.size()) {
    why = "another number of results";
    return false;
  }
  for (size_t i = 0; i < a.values.size(); ++i)
    if (auto compared =
            runtime::compareValues(a.values[i], b.values[i], tolerance);
        !compared.ok) {
      why = "result " + std::to_string(i) + ": " + compared.message;
      return false;
    }
  return true;
}

static void tell(uint64_t seed, const char *what, const std::string &why) {
  std::fprintf(stderr, "graph %llu: %s: %s\n",
               static_cast<unsigned long long>(seed), what, why.c_str());
}

/// One graph with one set of options.
static void compare(uint64_t seed, uint64_t which, const std::string &root,
                    Figures &figures) {
  RandomGraph graph = makeGraph(seed);
  CompileOptions options = optionsOf(which), eager = options;
  eager.backend = options.training ? Backend::AotEager : Backend::Eager;
  auto expected = run(graph, seed, eager, "");
  auto plain = run(graph, seed, options, "");
  auto cold = run(graph, seed, options, root);
  auto warm = run(graph, seed, options, root);
  ++figures.graphs;
  for (const auto *one : {&expected, &plain, &cold, &warm})
    if (!*one) {
      ++figures.failed;
      return tell(seed, "does not run", one->error().message + "\n" + graph.text);
    }
  std::string why;
  if (!isSame(*plain, *expected, runtime::defaultTolerance(DType::F32), why)) {
    ++figures.mismatches;
    tell(seed, "differs from the eager functions", why + "\n" + graph.text);
  }
  if (!isSame(*plain, *cold, {0, 0}, why) ||
      !isSame(*plain, *warm, {0, 0}, why)) {
    ++figures.different;
    tell(seed, "differs with a cache", why + "\n" + graph.text);
  }
  figures.notHit += warm->stats.graphsCompiled != 0;
  figures.kernelHits += cold->stats.kernelsFound;
  figures.kernels += cold->stats.kernelsFound + cold->stats.kernelsCompiled;
}

static Result<int> diff(int argc, char **argv) {
  uint64_t graphs = 100, first = 1, sets = 1, firstSet = 0;
  tools::CommandLine line;
  numberFlag(line, "graphs", graphs);
  numberFlag(line, "first", first);
  numberFlag(line, "sets", sets);
  numberFlag(line, "first-set", firstSet);
  if (Status s = line.parse(argc, argv); !s)
    return s.takeError();
  Scratch scratch;
  Figures figures;
  double begin = secondsNow();
  for (uint64_t i = first; i < first + graphs; ++i)
    for (uint64_t set = firstSet; set < firstSet + sets; ++set)
      compare(i, (i + set) % 4, scratch.root(), figures);
  report("diff", {{"graphs", double(graphs)},
                  {"compared", double(figures.graphs)},
                  {"mismatches", double(figures.mismatches)},
                  {"different_with_cache", double(figures.different)},
                  {"not_hit", double(figures.notHit)},
                  {"not_run", double(figures.failed)},
                  {"kernels", double(figures.kernels)},
                  {"kernels_found", double(figures.kernelHits)},
                  {"seconds", secondsNow() - begin}});
  return figures.mismatches + figures.different + figures.notHit +
                 figures.failed
             ? 1
             : 0;
}

std::vector<Command> chaos::diffCommands() {
  return {{"diff", "[--graphs=N] [--first=N] [--sets=1..4] [--first-set=0..3]",
           "random graphs, inference and training: eager, without a cache, into "
           "one, and from it; one of four sets of options each, or more, from the "
           "first of each graph on",
           diff}};
}
