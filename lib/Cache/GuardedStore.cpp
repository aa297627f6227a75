//===- GuardedStore.cpp - A store that does not throw ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GuardedStore.h"

#include <exception>
#include <memory>

using namespace kiln;
using namespace kiln::cache;

/// What `call` gives, or what `failed` makes of the reason why it threw.
template <typename Call, typename Failed>
static auto guarded(Call call, Failed failed) -> decltype(call()) {
  try {
    return call();
  } catch (const std::exception &error) {
    return failed(error.what());
  }
}

static void ignore(const char *) {}

static Lookup failedLookup(const char *reason) {
  Lookup lookup;
  lookup.faults.push_back(std::string("the cache failed: ") + reason);
  return lookup;
}

Lookup GuardedStore::get(const CacheKey &key, const Digest &environment) {
  return guarded([&] { return store_->get(key, environment); }, failedLookup);
}

std::vector<Lookup> GuardedStore::getAll(const std::vector<CacheKey> &keys,
                                         const Digest &environment) {
  return guarded([&] { return store_->getAll(keys, environment); },
                 [&](const char *reason) {
                   return std::vector<Lookup>(keys.size(),
                                              failedLookup(reason));
                 });
}

Status GuardedStore::put(const CacheKey &key, const Digest &environment,
                         const EntryInfo &info, ByteView payload) {
  return guarded([&] { return store_->put(key, environment, info, payload); },
                 [](const char *reason) {
                   return Status(Error::io(
                       std::string("the cache failed: ") + reason));
                 });
}

void GuardedStore::remove(const CacheKey &key) {
  guarded([&] { store_->remove(key); }, ignore);
}

void GuardedStore::removeVariant(const CacheKey &key, ByteView payload) {
  guarded([&] { store_->removeVariant(key, payload); }, ignore);
}

bool GuardedStore::contains(const CacheKey &key,
                            const std::set<std::string> &known) {
  return guarded([&] { return store_->contains(key, known); },
                 [](const char *) { return false; });
}

void GuardedStore::beginCompile() {
  guarded([&] { store_->beginCompile(); }, ignore);
}

FlightPtr GuardedStore::enter(const CacheKey &key) {
  return guarded([&] { return store_->enter(key); },
                 [](const char *) { return FlightPtr(); });
}

void GuardedStore::noteGuardMiss(const CacheKey &key) {
  guarded([&] { store_->noteGuardMiss(key); }, ignore);
}

void GuardedStore::noteBypass(const CacheKey &key, const std::string &reason) {
  guarded([&] { store_->noteBypass(key, reason); }, ignore);
}

CacheReport GuardedStore::report() const { return store_->report(); }
