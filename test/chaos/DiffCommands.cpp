//===- DiffCommands.cpp - diff --------------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random programs, each compiled without a cache, into one, and taken from it: the
// same bits three times, and the numbers of the eager functions. Where these differ
// by more than rounding mostly does, the same program over f64 says which are wrong:
// a gradient of a difference of large sums has few digits in f32, whoever adds.
//
//===----------------------------------------------------------------------===//

#include "Chaos.h"
#include "Programs.h"
#include "RandomGraph.h"

#include "kiln/Runtime/Compare.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace kiln;
using namespace kiln::chaos;
using runtime::OpValue;

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

/// The graph over f64.
static RandomGraph widen(RandomGraph graph) {
  for (size_t at = 0; (at = graph.text.find("f32>", at)) != std::string::npos;)
    graph.text.replace(at, 3, "f64");
  return graph;
}

static Result<Results> run(const RandomGraph &graph, uint64_t seed,
                           const CompileOptions &options,
                           const std::string &root,
                           DType dtype = DType::F32) {
  auto session = openProgram(graph.text, options, /*threads=*/1, root);
  if (!session)
    return session.takeError();
  std::vector<OpValue> inputs;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    auto tensor = makeInput(graph.inputs[i], seed * 64 + i, dtype);
    if (!tensor)
      return tensor.takeError();
    inputs.emplace_back(std::move(*tensor));
  }
  auto values = callProgram(**session, options.training, inputs);
  if (!values)
    return values.takeError();
  return Results{std::move(*values), (*session)->stats()};
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

/// The elements of a result in order; empty if it is no tensor of floats.
static std::vector<double> numbersOf(const OpValue &value) {
  const auto *tensor = std::get_if<runtime::Tensor>(&value.value);
  if (!tensor || (tensor->dtype() != DType::F32 && tensor->dtype() != DType::F64))
    return {};
  auto dense = makeDense(*tensor);
  if (!dense)
    return {};
  auto read = [&](const auto *data) {
    return std::vector<double>(data, data + dense->numel());
  };
  return tensor->dtype() == DType::F64 ? read(dense->dataAs<double>())
                                       : read(dense->dataAs<float>());
}

/// The largest error of each result of `found`; infinite for a NaN.
static std::vector<double> errorsOf(const Results &found, const Results &exact) {
  std::vector<double> errors;
  for (size_t i = 0; i < exact.values.size() && i < found.values.size(); ++i) {
    std::vector<double> a = numbersOf(found.values[i]),
                        b = numbersOf(exact.values[i]);
    double &largest = errors.emplace_back(a.size() == b.size() ? 0 : INFINITY);
    for (size_t k = 0; k < a.size() && k < b.size(); ++k) {
      double error = std::fabs(a[k] - b[k]);
      largest = std::max(largest, std::isnan(error) ? INFINITY : error);
    }
  }
  return errors;
}

/// True if what was compiled is about as near to the results over f64 as the eager
/// functions are.
static bool isAsExact(const RandomGraph &graph, uint64_t seed,
                      const CompileOptions &eager, const Results &expected,
                      const Results &found) {
  auto exact = run(widen(graph), seed, eager, "", DType::F64);
  if (!exact)
    return false;
  std::vector<double> allowed = errorsOf(expected, *exact),
                      errors = errorsOf(found, *exact);
  for (size_t i = 0; i < exact->values.size(); ++i)
    if (!(errors[i] <= 8 * allowed[i] + 1e-5) || !std::isfinite(errors[i]))
      return false;
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
  if (!isSame(*plain, *expected, runtime::defaultTolerance(DType::F32), why) &&
      !isAsExact(graph, seed, eager, *expected, *plain)) {
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
