//===- Training.cpp - The training loop of kiln-run -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Training.h"

#include "kiln/Runtime/MemoryUse.h"

#include <algorithm>
#include <chrono>
#include <unistd.h>

using namespace kiln;
using namespace kiln::run;

static Status loadWeights(const Options &options, session::Session &session) {
  return options.weightFile.empty() ? Status::success()
                                    : session.loadWeights(options.weightFile);
}

/// Gives values to weights that have none yet.
static Status fillWeights(const Options &options, session::Session &session) {
  std::vector<std::string> missing = session.missingWeights();
  if (missing.empty())
    return Status::success();
  if (!options.weightSeed)
    return Error::usage("weight '" + missing.front() + "' has no values; " +
                        (options.weightFile.empty()
                             ? "the model holds none, expected "
                             : "neither the model nor the file of --weights "
                               "has them, expected ") +
                        "--weights=FILE.safetensors or random[:SEED]" +
                        (options.steps != 0
                             ? " or a --checkpoint that has them"
                             : ""));
  return tools::drawWeights(session, *options.weightSeed);
}

Status run::prepareWeights(const Options &options, session::Session &session) {
  Status loaded = loadWeights(options, session);
  return loaded ? fillWeights(options, session) : std::move(loaded);
}

/// Continues from the checkpoint if there is one; what it holds comes last.
static Status begin(const Options &options, session::Session &session) {
  bool continues = !options.checkpoint.empty() &&
                   ::access(options.checkpoint.c_str(), F_OK) == 0;
  if (Status s = loadWeights(options, session); !s)
    return s;
  if (continues)
    if (Status s = session.loadCheckpoint(options.checkpoint); !s)
      return s;
  return fillWeights(options, session);
}

Status run::train(const Options &options, session::Session &session,
                  const std::vector<tools::Call> &batches, RunFacts &facts,
                  const std::function<void(const std::string &)> &print) {
  if (auto variant = session.prepareFor(batches.front().inputs); !variant)
    return variant.takeError();
  if (Status s = begin(options, session); !s)
    return s;
  uint64_t first = session.stepCount(), last = first + options.steps;
  for (uint64_t step = first; step < last; ++step) {
    const tools::Call &batch = batches[step % batches.size()];
    runtime::resetMemoryPeak();
    int64_t before = runtime::memoryUse().currentBytes;
    auto start = std::chrono::steady_clock::now();
    auto result = session.step(batch.inputs, options.learningRate);
    if (!result)
      return result.error().withContext("step " + std::to_string(step + 1));
    const runtime::CallRecord &call = session.function().lastCall();
    if (step - first < batches.size() || call.recompiled)
      facts.calls.push_back(call);
    double seconds = std::chrono::duration<double>(
                         std::chrono::steady_clock::now() - start)
                         .count();
    facts.measuredPeakBytes =
        std::max(facts.measuredPeakBytes,
                 runtime::memoryUse().peakBytes - before);
    if (step == first) {
      facts.firstResultSeconds = processSeconds();
      facts.memory = memoryNeed(session);
    }
    char line[96];
    std::snprintf(line, sizeof(line), "step %llu of %llu: loss %.9g (%.1f ms)",
                  static_cast<unsigned long long>(step + 1),
                  static_cast<unsigned long long>(last), result->loss,
                  seconds * 1e3);
    print(line);
  }
  if (options.checkpoint.empty())
    return Status::success();
  return session.saveCheckpoint(options.checkpoint);
}
