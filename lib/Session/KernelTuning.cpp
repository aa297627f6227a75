//===- KernelTuning.cpp - Measurements of kernels, made and kept ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Session/KernelTuning.h"

#include "Clock.h"
#include "VariantLog.h"

#include "kiln/Base/Log.h"
#include "kiln/Cache/TieredStore.h"
#include "kiln/Runtime/ThreadPool.h"
#include "kiln/Session/MachineText.h"
#include "kiln/Session/ProgramKey.h"
#include "kiln/Session/Trials.h"

using namespace kiln;
using namespace kiln::session;
using package::Trial;

KernelTuning::KernelTuning(cache::Store *store, const Digest &environment,
                           std::string nameSpace, unsigned threads,
                           Progress tell)
    : store_(store), environment_(environment),
      nameSpace_(std::move(nameSpace)), threads_(threads),
      tell_(std::move(tell)) {}

std::unique_ptr<KernelTuning>
KernelTuning::open(const std::optional<cache::CacheConfig> &config,
                   unsigned threads, Progress tell) {
  std::unique_ptr<cache::Store> store;
  Digest environment;
  std::string nameSpace;
  if (config && config->enabled() && config->fxGraph) {
    auto own = ownEnvironmentKey();
    auto opened = cache::openStore(*config);
    if (own && opened) {
      store = std::move(*opened);
      environment = own->digest;
      nameSpace = config->remote.nameSpace;
    } else {
      logMiss("measurements are not kept: " +
                  (own ? opened.error() : own.error()).message,
              /*isWarning=*/false);
    }
  }
  if (threads == 0)
    threads = runtime::ThreadPool(0).threads();
  auto tuning = std::make_unique<KernelTuning>(
      store.get(), environment, std::move(nameSpace), threads, std::move(tell));
  tuning->own_ = std::move(store);
  return tuning;
}

cache::CacheKey KernelTuning::makeKey(const Digest &kernel) const {
  cache::CacheKeyBuilder builder(cache::KeyKind::Autotune);
  builder.addDigest(cache::KeyTag::EnvironmentId, "environment", environment_);
  builder.addDigest(cache::KeyTag::Source, "kernel", kernel);
  if (!nameSpace_.empty())
    builder.addText(cache::KeyTag::Namespace, "namespace", nameSpace_);
  addTuningMachine(builder, threads_);
  return builder.finish();
}

/// What is kept under a key, the newest first.
std::vector<std::string> KernelTuning::read(const Digest &subject) {
  std::vector<std::string> texts;
  if (!store_)
    return texts;
  cache::Lookup lookup = store_->get(makeKey(subject), environment_);
  for (const std::string &fault : lookup.faults)
    logMiss(fault, /*isWarning=*/false);
  for (auto entry = lookup.variants.rbegin(); entry != lookup.variants.rend();
       ++entry)
    texts.emplace_back(ByteView(entry->payload).text());
  return texts;
}

std::vector<std::string> KernelTuning::find(const Digest &kernel) {
  std::vector<std::string> configs = read(kernel);
  ++(configs.empty() ? stats_.misses : stats_.hits);
  return configs;
}

const runtime::MachineLimits &KernelTuning::machine() {
  if (machine_)
    return *machine_;
  // No kernel has this digest: it is of a word.
  const Digest subject = sha256(ByteView(std::string_view("the machine")));
  runtime::MachineLimits here = runtime::describeMachine(threads_);
  for (const std::string &text : read(subject)) {
    auto kept = parseLimits(text);
    if (kept && kept->processor == here.processor &&
        kept->threads == here.threads && kept->l1Bytes == here.l1Bytes &&
        kept->l2Bytes == here.l2Bytes && kept->l3Bytes == here.l3Bytes)
      return machine_.emplace(std::move(*kept));
  }
  machine_ = runtime::measureMachine(threads_);
  keep(subject, printLimits(*machine_));
  return *machine_;
}

package::MachineSpeed KernelTuning::speed() {
  return {machine().memoryBytesPerSecond, machine().f32FlopsPerSecond};
}

void KernelTuning::keep(const Digest &kernel, const std::string &config) {
  if (!store_)
    return;
  cache::EntryInfo info;
  info.kind = cache::KeyKind::Autotune;
  info.createdMillis = millisSince1970();
  if (Status s = store_->put(makeKey(kernel), environment_, info,
                             ByteView(std::string_view(config)));
      !s)
    logMiss("a measurement is not kept: " + s.error().message,
            /*isWarning=*/false);
}

std::vector<Trial>
KernelTuning::measure(const std::string &kernel,
                      const std::vector<std::vector<uint8_t>> &packages,
                      const package::TrialInputs &inputs) {
  TrialOptions options;
  options.threads = threads_;
  options.integersBelow = inputs.integersBelow;
  Stopwatch watch;
  std::vector<Trial> trials = runTrials(packages, inputs.symbols, options);
  stats_.seconds += watch.seconds();
  for (size_t i = 0; i < trials.size(); ++i) {
    // Without a package nothing was run.
    if (packages[i].empty())
      continue;
    stats_.measurements += trials[i].nanoseconds > 0;
    stats_.failures += !trials[i].failure.empty();
    if (!trials[i].failure.empty())
      log::write("autotuning", log::Level::Warning,
                 "kernel '" + kernel + "': candidate " + std::to_string(i) +
                     " is left out, it " + trials[i].failure);
  }
  return trials;
}

void KernelTuning::progress(const std::string &kernel, unsigned done,
                            unsigned all) {
  if (tell_)
    tell_("autotuning " + std::to_string(done + 1) + "/" +
          std::to_string(all) + ": " + kernel);
}
