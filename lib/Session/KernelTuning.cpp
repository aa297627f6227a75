//===- KernelTuning.cpp - Measurements of kernels, made and kept ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Session/KernelTuning.h"

#include "Clock.h"
#include "CompilerMessages.h"
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

/// About how long a program takes turns. One that takes longer has the fewest turns that
/// can decide.
static constexpr double kProgramSeconds = 2;

std::string session::describeHardware(runtime::Device &device,
                                      const CompileOptions &options) {
  std::string words = device.hardware();
  if (!options.isTuned())
    return words;
  auto add = [&](runtime::LibraryKind kind, const char *name) {
    std::string library = device.library(kind);
    words += ", " + (library.empty() ? std::string("no ") + name : library);
  };
  if (options.gpuLibraries.cublas)
    add(runtime::LibraryKind::Products, "cuBLASLt");
  if (options.gpuLibraries.cudnn)
    add(runtime::LibraryKind::Convolutions, "cuDNN");
  return words;
}

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

void KernelTuning::measureOn(const runtime::Device &device,
                             std::string hardware) {
  device_ = device.name();
  hardware_ = std::move(hardware);
}

cache::CacheKey KernelTuning::makeKey(const Digest &subject,
                                      cache::KeyKind kind) const {
  cache::CacheKeyBuilder builder(kind);
  builder.addDigest(cache::KeyTag::EnvironmentId, "environment", environment_);
  builder.addDigest(cache::KeyTag::Source,
                    kind == cache::KeyKind::Autotune ? "kernel" : "program",
                    subject);
  if (!nameSpace_.empty())
    builder.addText(cache::KeyTag::Namespace, "namespace", nameSpace_);
  if (device_.empty())
    addTuningThreads(builder, threads_);
  else
    addTuningDevice(builder, hardware_);
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

std::vector<std::string> KernelTuning::find(const Digest &key,
                                            package::TuningSubject subject) {
  std::vector<std::string> configs = read(key);
  if (subject == package::TuningSubject::Kernel)
    ++(configs.empty() ? stats_.misses : stats_.hits);
  if (bundle_ && !configs.empty())
    bundled_[key] = configs.front();
  return configs;
}

//===----------------------------------------------------------------------===//
// All measurements of a program
//===----------------------------------------------------------------------===//

// The payload, little-endian, kernels ascending:
//   u32 version 1 | u32 n | n * (32 bytes of kernel, u32 length, text)
static constexpr uint32_t kBundleVersion = 1;
static constexpr uint32_t kMaxConfigs = 10000, kMaxConfigBytes = 64 << 10;

static std::vector<uint8_t>
encodeBundle(const std::map<Digest, std::string> &configs) {
  std::vector<uint8_t> bytes;
  ByteWriter writer(bytes);
  writer.u32(kBundleVersion);
  writer.u32(static_cast<uint32_t>(configs.size()));
  for (const auto &[kernel, text] : configs) {
    writeDigest(writer, kernel);
    writer.u32(static_cast<uint32_t>(text.size()));
    writer.text(text);
  }
  return bytes;
}

/// From untrusted bytes; nothing for those that `encodeBundle` does not give.
static std::optional<std::map<Digest, std::string>>
decodeBundle(ByteView bytes) {
  ByteReader reader(bytes);
  if (reader.u32() != kBundleVersion)
    return std::nullopt;
  uint32_t count = reader.u32();
  std::map<Digest, std::string> configs;
  for (uint32_t i = 0; i < count && reader.ok(); ++i) {
    Digest kernel = readDigest(reader);
    uint32_t size = reader.u32();
    if (i == kMaxConfigs || size > kMaxConfigBytes ||
        (!configs.empty() && !(configs.rbegin()->first < kernel)))
      return std::nullopt;
    configs.emplace_hint(configs.end(), kernel, reader.text(size));
  }
  if (!reader.ok() || !reader.atEnd())
    return std::nullopt;
  return configs;
}

void KernelTuning::beginProgram(const Digest &program) {
  bundle_.reset();
  bundled_.clear();
  if (!store_)
    return;
  cache::CacheKey key = makeKey(program, cache::KeyKind::AutotuneBundle);
  cache::Lookup lookup = store_->get(key, environment_);
  for (const std::string &fault : lookup.faults)
    logMiss(fault, /*isWarning=*/false);
  for (const cache::DecodedEntry &entry : lookup.variants)
    if (auto configs = decodeBundle(entry.payload))
      return keepMissing(*configs);
  bundle_ = std::move(key);
}

/// Keeps what is not here yet: all kernels are asked for at once, since a remote takes
/// a round trip for each question. Whether a text is any good its reader sees, as of
/// those that lie alone.
void KernelTuning::keepMissing(const std::map<Digest, std::string> &configs) {
  std::vector<cache::CacheKey> keys;
  for (const auto &[kernel, text] : configs)
    keys.push_back(makeKey(kernel));
  std::vector<cache::Lookup> lookups = store_->getAll(keys, environment_);
  size_t i = 0;
  for (const auto &[kernel, text] : configs) {
    for (const std::string &fault : lookups[i].faults)
      logMiss(fault, /*isWarning=*/false);
    if (!lookups[i++].hit())
      keep(kernel, text);
  }
}

void KernelTuning::endProgram() {
  if (bundle_ && !bundled_.empty() && bundled_.size() <= kMaxConfigs &&
      stats_.passing == 0)
    put(*bundle_, encodeBundle(bundled_));
  bundle_.reset();
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
        kept->l2Bytes == here.l2Bytes && kept->l3Bytes == here.l3Bytes) {
      if (bundle_)
        bundled_[subject] = text;
      return machine_.emplace(std::move(*kept));
    }
  }
  machine_ = runtime::measureMachine(threads_);
  keep(subject, printLimits(*machine_));
  return *machine_;
}

package::MachineSpeed KernelTuning::speed() {
  // What ranks candidates of a GPU knows it by its target.
  if (isOnDevice())
    return {};
  return {machine().memoryBytesPerSecond, machine().f32FlopsPerSecond};
}

void KernelTuning::keep(const Digest &key, const std::string &config) {
  if (!store_)
    return;
  if (bundle_ && config.size() <= kMaxConfigBytes)
    bundled_[key] = config;
  put(makeKey(key), ByteView(std::string_view(config)));
}

void KernelTuning::put(const cache::CacheKey &key, ByteView bytes) {
  cache::EntryInfo info;
  info.kind = key.kind;
  info.createdMillis = millisSince1970();
  if (Status s = store_->put(key, environment_, info, bytes); !s)
    logMiss("a measurement is not kept: " + s.error().message,
            /*isWarning=*/false);
}

std::vector<Trial>
KernelTuning::measure(const std::string &kernel,
                      const std::vector<std::vector<uint8_t>> &packages,
                      const package::TrialInputs &inputs) {
  TrialOptions options;
  options.threads = threads_;
  options.device = device_;
  if (!device_.empty() && !program_)
    if (std::string path = findTrialProgram(); !path.empty())
      program_ = std::make_unique<ChildProgram>(path);
  options.program = program_.get();
  options.integersBelow = inputs.integersBelow;
  options.maxSeconds = inputs.maxSeconds;
  options.gain = inputs.gain;
  options.isProgram = inputs.subject == package::TuningSubject::Program;
  if (options.isProgram)
    options.seconds = kProgramSeconds;
  // A program that cannot be compared has its kernels as they were measured.
  auto failed = [&] {
    for (const std::vector<uint8_t> &package : packages) {
      stats_.failures += !options.isProgram && !package.empty();
      stats_.passing += !options.isProgram && !package.empty();
    }
    return std::vector<Trial>();
  };
  if (cannotMeasure_)
    return failed();
  Stopwatch watch;
  auto measured = runTrials(packages, inputs.symbols, options);
  stats_.seconds += watch.seconds();
  if (!measured) {
    // Each kernel would say the same.
    cannotMeasure_ = true;
    log::write("autotuning", log::Level::Warning,
               "nothing is measured, a cost model chooses: candidates " +
                   measured.error().message);
    return failed();
  }
  std::vector<Trial> trials = std::move(*measured);
  for (size_t i = 0; i < trials.size(); ++i) {
    // Without a package nothing was run.
    if (packages[i].empty())
      continue;
    stats_.measurements += trials[i].nanoseconds > 0;
    if (trials[i].failure.empty())
      continue;
    if (options.isProgram) {
      log::write("autotuning", log::Level::Info,
                 kernel + " is not compared: it " + trials[i].failure);
      break;
    }
    ++stats_.failures;
    stats_.passing += trials[i].isPassing;
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
