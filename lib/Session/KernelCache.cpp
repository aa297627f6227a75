//===- KernelCache.cpp - Kernels in the cache -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Session/KernelCache.h"

#include "Clock.h"
#include "KernelCode.h"
#include "VariantLog.h"

#include "kiln/Cache/TieredStore.h"
#include "kiln/Session/ProgramKey.h"

using namespace kiln;
using namespace kiln::session;
using package::KernelImage;

KernelCache::KernelCache(cache::Store &store, const Digest &environment,
                         std::string nameSpace)
    : store_(store), environment_(environment),
      nameSpace_(std::move(nameSpace)) {}

Result<std::unique_ptr<KernelCache>>
KernelCache::open(const cache::CacheConfig &config) {
  if (!config.enabled() || !config.fxGraph)
    return Error::usage("the cache is switched off");
  auto environment = ownEnvironmentKey();
  if (!environment)
    return environment.takeError();
  auto store = cache::openStore(config.forKernels());
  if (!store)
    return store.takeError();
  auto kernels = std::make_unique<KernelCache>(**store, environment->digest,
                                               config.remote.nameSpace);
  kernels->own_ = std::move(*store);
  return std::move(kernels);
}

cache::CacheKey KernelCache::makeKey(const Digest &kernel) const {
  cache::CacheKeyBuilder builder(cache::KeyKind::Kernel);
  builder.addDigest(cache::KeyTag::EnvironmentId, "environment", environment_);
  builder.addDigest(cache::KeyTag::Source, "kernel", kernel);
  if (!nameSpace_.empty())
    builder.addText(cache::KeyTag::Namespace, "namespace", nameSpace_);
  return builder.finish();
}

std::vector<std::optional<KernelImage>>
KernelCache::find(const std::vector<Digest> &kernels) {
  // All kernels of a compilation are asked for at once.
  if (own_)
    own_->beginCompile();
  std::vector<cache::CacheKey> keys;
  for (const Digest &kernel : kernels)
    keys.push_back(makeKey(kernel));
  std::vector<cache::Lookup> lookups = store_.getAll(keys, environment_);
  std::vector<std::optional<KernelImage>> images;
  for (size_t i = 0; i < keys.size(); ++i) {
    std::optional<KernelImage> image;
    for (const std::string &fault : lookups[i].faults)
      logMiss(fault, /*isWarning=*/false);
    for (const cache::DecodedEntry &entry : lookups[i].variants) {
      if (image)
        break;
      image = decodeKernel(entry.payload);
      if (image)
        continue;
      store_.removeVariant(keys[i], entry.payload);
      logMiss("the entry of a kernel is not one that this version writes",
              /*isWarning=*/false);
    }
    ++(image ? hits_ : misses_);
    images.push_back(std::move(image));
  }
  return images;
}

void KernelCache::keep(const Digest &kernel, const KernelImage &image,
                       uint64_t micros) {
  cache::EntryInfo info;
  info.kind = cache::KeyKind::Kernel;
  info.nativeCode = true;
  info.compileTimeMicros = micros;
  info.createdMillis = millisSince1970();
  if (Status s = store_.put(makeKey(kernel), environment_, info,
                             encodeKernel(image));
      !s)
    logMiss("a kernel is not kept: " + s.error().message, /*isWarning=*/false);
}
