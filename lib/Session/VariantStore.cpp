//===- VariantStore.cpp - The compiled variants of a session ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VariantStore.h"

#include "Clock.h"
#include "CompilerLibrary.h"
#include "VariantLog.h"

#include "kiln/Base/FileSystem.h"
#include "kiln/Cache/TieredStore.h"
#include "kiln/Runtime/KernelImage.h"
#include "kiln/Session/ProgramKey.h"
#include "kiln/Session/Trials.h"

#include <random>

using namespace kiln;
using namespace kiln::session;
using archive::SourceForm;
using runtime::OpValue;

VariantStore::VariantStore(archive::SourcePtr source,
                           const SessionOptions &options,
                           const runtime::OperatorRegistry &registry,
                           runtime::ThreadPool &pool, SlotTable &slots)
    : source_(std::move(source)), options_(options), slots_(slots), pool_(pool),
      specializer_(*source_, options_, slots.inputs()),
      function_(registry, functionOptions(pool)) {}

runtime::CompiledFunction::Options
VariantStore::functionOptions(runtime::ThreadPool &pool) {
  runtime::CompiledFunction::Options function;
  function.run.pool = &pool;
  function.run.reuseOutputs = options_.reuseOutputs;
  function.run.timeLaunches = options_.timeLaunches;
  function.run.graphs = options_.graphs;
  function.run.weightsVersion = &slots_.weightsVersion();
  function.log = [](const std::string &text) { logRecompilation(text); };
  function.recompile = [this](const std::vector<OpValue> &slots,
                              const std::vector<std::string> &reasons) {
    return compile(slots, reasons);
  };
  return function;
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

Status VariantStore::open(std::shared_ptr<runtime::Device> device) {
  // What a driver makes of PTX is kept for packages, too. Without a cache it is made
  // again.
  if (device)
    if (auto code = KernelCache::open(options_.cache))
      deviceCode_ = std::move(*code);
  device_ = device;
  function_.setDevice(std::move(device), deviceCode_.get());
  if (source_->form == SourceForm::Package)
    return takePackage();
  if (Status s = makeKey(); !s)
    return s;
  if (source_->form == SourceForm::Program)
    return Status::success();
  if (Status s = lookUp(); !s || function_.variantCount() != 0)
    return s;
  auto package = compile({}, {});
  return package ? add(std::move(*package)) : Status(package.takeError());
}

Status VariantStore::takePackage() {
  lookedUp_ = true;
  const std::string file = "'" + source_->path + "'";
  auto reader = package::PackageReader::open(source_->bytes);
  if (!reader)
    return reader.error().withContext(file);
  auto index = runtime::chooseVariant(
      reader->variants(), options_.target,
      device_ ? device_->capability() : runtime::hostCpuFeatures(),
      device_ ? KILN_IMAGE_PTX : KILN_IMAGE_NATIVE);
  if (!index)
    return index.error().withContext(file);
  bool isTraining = reader->variants()[*index].isTraining;
  if (options_.training && !isTraining && !options_.asPackaged)
    return Error::usage(file + " was compiled without a backward program; "
                               "expected 'kiln-compile --training'");
  if (options_.dynamic == Dynamic::True || !options_.markDynamic.empty() ||
      !options_.markStatic.empty() || !options_.markUnbacked.empty())
    return Error::usage(file + " is compiled already, its sizes are decided; "
                               "expected no mark and no --dynamic=true");
  if (!options_.training && isTraining && !options_.asPackaged)
    return Error::usage(file + " was compiled for training; expected "
                               "--training");
  auto package = reader->read(
      *index, [this](size_t count, const std::function<void(size_t)> &call) {
        pool_.parallelFor(int64_t(count), 1,
                          [&](int64_t begin, int64_t end, unsigned) {
                            for (; begin < end; ++begin)
                              call(size_t(begin));
                          });
      });
  if (package && !options_.optimizer.empty() &&
      options_.optimizer != package->facts.optimizer)
    return Error::usage(file + " was compiled " +
                        (package->facts.optimizer.empty()
                             ? "without an optimizer"
                             : "with the optimizer '" +
                                   package->facts.optimizer + "'") +
                        ", found '" + options_.optimizer + "'");
  if (!package)
    return package.error().withContext(file);
  return add(std::move(*package));
}

/// Adds a variant that was compiled before, and makes what it needs.
Status VariantStore::add(package::Package package) {
  if (Status s = slots_.prepare(package); !s)
    return s;
  logReasons(package, /*isCompiledNow=*/false);
  return function_.addVariant(std::move(package));
}

//===----------------------------------------------------------------------===//
// The cache
//===----------------------------------------------------------------------===//

/// A program that somebody made in memory has no digest and is not cached.
Status VariantStore::makeKey() {
  if (!options_.cache.enabled() || source_->digest == Digest())
    return Status::success();
  auto environment = ownEnvironmentKey();
  if (!environment) {
    whyNoKey_ = environment.error().message;
    return Status::success();
  }
  auto key = programKey(*source_, options_, *environment,
                        options_.cache.remote.nameSpace, pool_.threads(),
                        device_ ? describeHardware(*device_, options_) : "");
  if (!key)
    return key.takeError();
  environment_ = environment->digest;
  key_ = std::move(*key);
  return Status::success();
}

void VariantStore::miss(const std::string &reason, bool isWarning) {
  stats_.missReasons.push_back(reason);
  logMiss(reason, isWarning && !warnedOfCache_);
  warnedOfCache_ |= isWarning;
}

Status VariantStore::lookUp() {
  if (lookedUp_)
    return Status::success();
  lookedUp_ = true;
  for (const std::string &warning : options_.cache.warnings)
    logMiss(warning, /*isWarning=*/true);
  bool enabled =
      options_.training ? options_.cache.aotAutograd : options_.cache.fxGraph;
  if (!enabled || !options_.cache.enabled() ||
      (!key_ && whyNoKey_.empty())) {
    logCache("cache: switched off");
    return Status::success();
  }
  auto opened = cache::openStore(options_.cache);
  if (!opened) {
    miss("the cache is not used: " + opened.error().message,
         /*isWarning=*/true);
    ++stats_.cacheMisses;
    return Status::success();
  }
  if (!key_) {
    miss("the cache is not used: " + whyNoKey_, /*isWarning=*/true);
    cache::CacheKey unknown;
    unknown.kind = options_.training ? cache::KeyKind::AotAutograd
                                     : cache::KeyKind::FxGraph;
    (*opened)->noteBypass(unknown, whyNoKey_);
    ++stats_.cacheMisses;
    return Status::success();
  }
  cache_ = std::move(*opened);
  openKernels();
  if (options_.dumpStages.empty())
    return openCache();
  const char *reason = "the stages are wanted, which only a compilation has";
  miss(reason, /*isWarning=*/false);
  cache_->noteBypass(*key_, reason);
  ++stats_.cacheMisses;
  return Status::success();
}

/// Kernels are kept where programs are, unless they have a folder of their own.
void VariantStore::openKernels() {
  if (!options_.cache.fxGraph)
    return;
  if (options_.cache.kernelRoot.empty()) {
    kernels_ = std::make_unique<KernelCache>(
        *cache_, environment_, options_.cache.remote.nameSpace);
    return;
  }
  auto opened = KernelCache::open(options_.cache);
  if (opened)
    kernels_ = std::move(*opened);
  else
    miss("kernels are not kept: " + opened.error().message,
         /*isWarning=*/true);
}

/// The graphs of a training step, which are kept with its programs. Null for what has
/// none, and for what is compiled from nothing.
std::unique_ptr<JointCache>
VariantStore::openJoint(const CompileOptions &wanted) {
  if (!cache_ || isVerifying_ || !wanted.training || !source_->program)
    return nullptr;
  auto compiler = ownCompilerKey();
  if (!compiler)
    return nullptr;
  auto key = jointKey(*source_, wanted, *compiler,
                      options_.cache.remote.nameSpace);
  return key ? std::make_unique<JointCache>(*cache_, std::move(*key),
                                            compiler->digest)
             : nullptr;
}

Result<package::Package>
VariantStore::decode(const cache::DecodedEntry &entry) {
  auto package =
      package::decodePackage(entry.payload.data(), entry.payload.size());
  if (package)
    loaded_.insert(cache::variantName(entry.payload));
  return package;
}

Status VariantStore::openCache() {
  Stopwatch watch;
  cache_->beginCompile();
  cache::Lookup found = cache_->get(*key_, environment_);
  for (const std::string &fault : found.faults)
    miss(fault, /*isWarning=*/false);
  if (found.damaged && options_.cache.local.strict)
    return Error{ErrorKind::CheckFailed,
                 "KILN_CACHE_STRICT: " + found.faults.front()};
  uint64_t every = options_.cache.local.verifyEvery;
  isVerifying_ =
      found.hit() && every != 0 && std::random_device()() % every == 0;
  if (isVerifying_) {
    logCache("cache hit, which is compiled again to be compared");
    return Status::success();
  }
  for (const cache::DecodedEntry &entry : found.variants) {
    auto package = decode(entry);
    Status added = package ? add(std::move(*package))
                           : Status(package.takeError());
    if (added) {
      ++stats_.cacheHits;
      stats_.remoteHits += found.remoteHits != 0;
      continue;
    }
    // A hit that does not load is thrown away and compiled again.
    cache_->removeVariant(*key_, entry.payload);
    miss("entry does not load: " + added.error().message,
         /*isWarning=*/true);
  }
  std::string entry = "'" + options_.cache.root + "/" +
                      cache::entryDirectory(*key_) + "'";
  size_t count = function_.variantCount();
  if (count == 0) {
    ++stats_.cacheMisses;
    logCache("cache miss: no entry in " + entry);
    return Status::success();
  }
  isUnusedHit_ = true;
  logCache("cache hit: " + std::to_string(count) +
           (count == 1 ? " variant in " : " variants in ") + entry);
  logTime("loaded from the cache in ", watch, "");
  return Status::success();
}

/// What another process compiled since this one looked.
std::optional<package::Package>
VariantStore::findCompiled(const Specialization &specialization,
                           std::vector<uint8_t> &bytes) {
  // Nearly always there is nothing new, which a look at the folder says.
  if (options_.cache.local.recache || !cache_->contains(*key_, loaded_))
    return std::nullopt;
  cache::Lookup lookup = cache_->get(*key_, environment_);
  for (const cache::DecodedEntry &entry : lookup.variants) {
    if (loaded_.count(cache::variantName(entry.payload)))
      continue;
    auto package = decode(entry);
    if (!package ||
        !specializer_.isFor(package->programs.front(), specialization) ||
        !slots_.prepare(*package))
      continue;
    ++stats_.cacheHits;
    bytes = entry.payload;
    return std::move(*package);
  }
  if (lookup.hit())
    cache_->noteGuardMiss(*key_);
  return std::nullopt;
}

/// The bytes of a package without what was measured for it: which of its kernels'
/// schedules were tried, and how long they took.
static std::vector<uint8_t> withoutMeasurements(ByteView bytes) {
  auto package = package::decodePackage(bytes.data(), bytes.size());
  if (!package)
    return std::vector<uint8_t>();
  auto isMeasured = [](const package::Reason &reason) {
    return reason.pass == "loop-autotune";
  };
  auto &reasons = package->reasons;
  reasons.erase(std::remove_if(reasons.begin(), reasons.end(), isMeasured),
                reasons.end());
  return package::encodePackage(*package);
}

/// Equal keys promise equal programs. An entry that breaks the promise goes. Programs
/// whose schedules were measured are the same if the same schedules won, which only
/// measurements that were kept can say.
Status VariantStore::compareWithEntry(ByteView entry, ByteView compiled) {
  if (compiled.empty() || entry.text() == compiled.text())
    return Status::success();
  if (options_.isTuned() && stats_.tuning.measurements != 0) {
    logCache("a tuned program is not compared: its measurements are not kept "
             "any more");
    return Status::success();
  }
  if (options_.isTuned() &&
      withoutMeasurements(entry) == withoutMeasurements(compiled))
    return Status::success();
  cache_->removeVariant(*key_, entry);
  std::string reason = "KILN_CACHE_VERIFY: an entry of " + key_->digest.hex() +
                       " is not what the compiler makes now";
  miss(reason, /*isWarning=*/true);
  return options_.cache.local.strict
             ? Status(Error{ErrorKind::CheckFailed, reason})
             : Status::success();
}

void VariantStore::store(const package::Package &package,
                         const std::vector<uint8_t> &bytes, double seconds) {
  cache::EntryInfo info;
  info.kind = key_->kind;
  info.nativeCode = !package.image.bytes.empty();
  info.compileTimeMicros = static_cast<uint64_t>(seconds * 1e6);
  info.createdMillis = millisSince1970();
  if (Status s = cache_->put(*key_, environment_, info, bytes); !s)
    miss("the next run will compile again: " + s.error().message,
         /*isWarning=*/true);
  else
    loaded_.insert(cache::variantName(bytes));
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

/// Guard error if a variant for the same numbers is there: another compilation
/// would give the same guards.
Status
VariantStore::checkIsNew(const Specialization &specialization,
                         const std::vector<std::string> &reasons) const {
  for (size_t i = 0; i < function_.variantCount(); ++i) {
    const package::Package &package = function_.variant(i).package();
    if (!specializer_.isFor(package.programs.front(), specialization))
      continue;
    return Error::guard(
        "the inputs are outside of what the model allows, guard failure: " +
        (i < reasons.size() ? reasons[i] : "none fits") +
        (source_->program
             ? ""
             : "; this source is one variant, of a .pt2 file sizes 0 and 1 "
               "have variants of their own"));
  }
  return Status::success();
}

/// `bytes` receives the encoded package of the compiler library.
Result<package::Package>
VariantStore::compileBytes(const CompileOptions &wanted,
                           std::vector<uint8_t> &bytes) {
  if (options_.compiler) {
    auto package = options_.compiler(*source_, wanted);
    if (package)
      stats_.kernelsCompiled += package->image.kernels.size();
    return package;
  }
  // Before all candidates are compiled.
  if (device_ && wanted.isTuned() && findTrialProgram().empty())
    return Error::unsupported("candidates of schedules cannot be measured: " +
                              whyNoTrialProgram() + "; expected --mode=default");
  // What is to be compared is compiled from nothing but from what was measured: that
  // is no result of a compiler.
  KernelTuning tuning(cache_.get(), environment_,
                      options_.cache.remote.nameSpace, pool_.threads(),
                      options_.progress);
  if (device_)
    tuning.measureOn(*device_, describeHardware(*device_, wanted));
  const bool isBundled =
      key_ && wanted.isTuned() && options_.cache.remote.bundledAutotune;
  if (isBundled)
    tuning.beginProgram(key_->digest);
  std::unique_ptr<JointCache> joint = openJoint(wanted);
  LibraryRequest request = {*source_, wanted, options_.progress, pool_,
                            isVerifying_ ? nullptr : kernels_.get(),
                            joint.get(),
                            wanted.isTuned() ? &tuning : nullptr};
  auto made = compileByLibrary(
      request, options_.isolated
                   ? std::optional<double>(options_.isolationGraceSeconds)
                   : std::nullopt);
  if (options_.releaseCompiler && made.isLoaded)
    releaseCompiler();
  stats_.tuning += tuning.stats();
  whyNotKept_ = std::move(made.whyForeign);
  if (whyNotKept_.empty() && tuning.stats().passing != 0)
    whyNotKept_ = std::to_string(tuning.stats().passing) +
                  " candidates of schedules could not be measured now";
  stats_.kernelsCompiled += made.kernelsCompiled;
  stats_.kernelsFound += made.kernelsFound;
  if (kernels_) {
    stats_.kernelHits = kernels_->hits();
    stats_.kernelMisses = kernels_->misses();
  }
  if (joint) {
    stats_.jointHits += joint->hits();
    stats_.jointMisses += joint->misses();
  }
  stats_.compilerLoaded |= made.isLoaded;
  stats_.timing = std::move(made.timing);
  if (!made.package)
    return made.package.takeError();
  if (isBundled)
    tuning.endProgram();
  bytes = std::move(*made.package);
  return package::decodePackage(bytes.data(), bytes.size());
}

/// What is learnt of a program's sizes is kept where it may be used: where
/// symbols may be numbers.
void VariantStore::noteSizes(const std::vector<OpValue> &slots) {
  if (options_.dynamic != Dynamic::First && options_.dynamic != Dynamic::False)
    return;
  SizeProfile seen = specializer_.sizes(slots);
  profile_.join(seen);
  if (!cache_ || seen.empty())
    return;
  profile_.join(mergeProfile(
      *cache_, profileKey(*source_, options_.cache.remote.nameSpace), seen));
}

/// A size is a number until it varies. Where none did and no variant takes the
/// inputs, something of a variant was too narrow: then all are symbols.
Result<Specialization>
VariantStore::specialize(const std::vector<OpValue> &slots) const {
  static const SizeProfile nothing;
  if (options_.dynamic != Dynamic::First)
    return specializer_.specialize(slots, options_.dynamic == Dynamic::False,
                                   nothing);
  bool isStatic = function_.variantCount() == 0 || profile_.variesAtAll();
  return specializer_.specialize(slots, isStatic, profile_);
}

Result<package::Package>
VariantStore::compile(const std::vector<OpValue> &slots,
                      const std::vector<std::string> &reasons) {
  size_t count = function_.variantCount();
  noteSizes(slots);
  auto specialization = specialize(slots);
  if (!specialization)
    return specialization.takeError();
  if (Status s = checkIsNew(*specialization, reasons); !s)
    return s.takeError();
  // A hit of which no variant took the first inputs was none.
  if (isUnusedHit_ && function_.stats().calls == 0)
    cache_->noteGuardMiss(*key_);
  isUnusedHit_ = false;
  cache::FlightPtr flight;
  std::optional<package::Package> found;
  std::vector<uint8_t> foundBytes;
  if (cache_ && options_.dumpStages.empty()) {
    flight = cache_->enter(*key_);
    found = findCompiled(*specialization, foundBytes);
    if (found && !isVerifying_) {
      logCache("cache hit: another process compiled it meanwhile");
      logReasons(*found, /*isCompiledNow=*/false);
      return std::move(*found);
    }
  }
  CompileOptions wanted = options_;
  wanted.specialization = std::move(*specialization);
  // Variants behind the first have folders of their own.
  if (count != 0 && !wanted.dumpStages.empty())
    wanted.dumpStages += "/variant_" + std::to_string(count);

  Stopwatch watch;
  std::vector<uint8_t> bytes;
  auto package = compileBytes(wanted, bytes);
  double seconds = watch.seconds();
  stats_.compileSeconds += seconds;
  if (!package)
    return package;
  ++stats_.graphsCompiled;
  if (Status s = slots_.prepare(*package); !s)
    return s.takeError();
  logReasons(*package, /*isCompiledNow=*/true);
  logTime("compiled in ", watch,
          stats_.timing.empty() ? "" : ": " + stats_.timing);
  if (found)
    if (Status s = compareWithEntry(foundBytes, bytes); !s)
      return s.takeError();
  if (cache_ && !whyNotKept_.empty())
    miss("the next run will compile again: " + whyNotKept_,
         /*isWarning=*/true);
  else if (cache_ && !bytes.empty())
    store(*package, bytes, seconds);
  return package;
}
