//===- JointCache.cpp - Graphs of training steps in the cache -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Session/JointCache.h"

#include "Clock.h"
#include "VariantLog.h"

#include "kiln/Cache/TieredStore.h"

using namespace kiln;
using namespace kiln::session;

JointCache::JointCache(cache::Store &store, cache::CacheKey key,
                       const Digest &environment)
    : store_(store), key_(std::move(key)), environment_(environment) {}

Result<std::unique_ptr<JointCache>>
JointCache::open(const cache::CacheConfig &config,
                 const archive::Source &source,
                 const CompileOptions &options) {
  if (!config.enabled() || !config.aotAutograd)
    return Error::usage("the cache is switched off");
  auto compiler = ownCompilerKey();
  if (!compiler)
    return compiler.takeError();
  auto key = jointKey(source, options, *compiler, config.remote.nameSpace);
  if (!key)
    return key.takeError();
  auto store = cache::openStore(config);
  if (!store)
    return store.takeError();
  auto joint = std::make_unique<JointCache>(**store, std::move(*key),
                                            compiler->digest);
  joint->own_ = std::move(*store);
  return std::move(joint);
}

std::optional<std::vector<uint8_t>> JointCache::find() {
  cache::Lookup lookup = store_.get(key_, environment_);
  for (const std::string &fault : lookup.faults)
    logMiss(fault, /*isWarning=*/false);
  ++(lookup.hit() ? hits_ : misses_);
  if (!lookup.hit())
    return std::nullopt;
  // Where files have no locks there may be two: they say the same.
  found_ = std::move(lookup.variants.back().payload);
  return found_;
}

void JointCache::refuse(const std::string &reason) {
  --hits_;
  ++misses_;
  store_.removeVariant(key_, found_);
  logMiss("graphs of the training step are made again: " + reason,
          /*isWarning=*/true);
}

void JointCache::keep(ByteView bytes, uint64_t micros) {
  cache::EntryInfo info;
  info.kind = key_.kind;
  info.compileTimeMicros = micros;
  info.createdMillis = millisSince1970();
  if (Status s = store_.put(key_, environment_, info, bytes); !s)
    logMiss("the graphs of the training step are not kept: " +
                s.error().message,
            /*isWarning=*/false);
}
