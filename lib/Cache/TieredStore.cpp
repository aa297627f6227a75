//===- TieredStore.cpp - The local folder before the remote ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Cache/TieredStore.h"

#include "GuardedStore.h"

#include "kiln/Base/Log.h"

#include <algorithm>

using namespace kiln;
using namespace kiln::cache;

TieredStore::TieredStore(std::unique_ptr<LocalStore> local,
                         std::unique_ptr<RemoteStore> remote, bool reshare)
    : local_(std::move(local)), remote_(std::move(remote)), reshare_(reshare) {}

TieredStore::~TieredStore() {
  keepLate();
  // What is sent at the end counts as well.
  remote_->close();
  if (CacheReport report = remote_->report(); !report.isEmpty())
    local_->mergeReport("remote", report);
}

/// Keeps an entry of the remote with the signature of its maker. One that is
/// taken without a signature is taken from the remote only: here nobody would
/// believe it.
Status TieredStore::keep(const CacheKey &key, const RemoteEntry &found) {
  if (found.entry.method == Authentication::None)
    return Status::success();
  return local_->putFile(key, found.entry.payload, found.file);
}

void TieredStore::keepLate() {
  for (const auto &[query, answer] : remote_->takeLate())
    for (const RemoteEntry &found : answer.entries)
      (void)keep(query.key, found);
}

/// Sends what was found here to the remote, once a process. What somebody else
/// made keeps the signature of who made it, so that a revocation reaches it.
void TieredStore::share(const CacheKey &key, const Digest &environment,
                        const DecodedEntry &entry) {
  if (!shared_.insert(key.digest.hex() + variantName(entry.payload)).second)
    return;
  if (entry.method == Authentication::Hmac) {
    (void)remote_->put(key, environment, entry.info, entry.payload);
    return;
  }
  if (auto file = local_->readFile(key, entry.payload))
    remote_->putFile(key, environment, entry.payload, std::move(*file));
}

void TieredStore::beginCompile() { remote_->beginCompile(); }

void TieredStore::addRemote(const CacheKey &key, RemoteStore::Answer answer,
                            Lookup &lookup) {
  for (std::string &fault : answer.faults)
    lookup.faults.push_back(std::move(fault));
  auto isHere = [&](const RemoteEntry &found) {
    return std::any_of(lookup.variants.begin(), lookup.variants.end(),
                       [&](const DecodedEntry &entry) {
                         return entry.payload == found.entry.payload;
                       });
  };
  for (RemoteEntry &found : answer.entries) {
    if (isHere(found))
      continue;
    // That it could not be kept costs the next run, not this one.
    if (Status kept = keep(key, found); !kept)
      lookup.faults.push_back(kept.error().message);
    lookup.variants.push_back(std::move(found.entry));
    ++lookup.remoteHits;
  }
  lookup.damaged |= answer.isForged();
}

Lookup TieredStore::get(const CacheKey &key, const Digest &environment) {
  return std::move(getAll({key}, environment).front());
}

std::vector<Lookup> TieredStore::getAll(const std::vector<CacheKey> &keys,
                                        const Digest &environment) {
  keepLate();
  std::vector<Lookup> lookups = local_->getAll(keys, environment);
  std::vector<RemoteStore::Query> missing;
  std::vector<size_t> places;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!lookups[i].hit() || rowOf(keys[i].kind).isJoined) {
      missing.push_back({keys[i], environment});
      places.push_back(i);
    } else if (reshare_) {
      for (const DecodedEntry &entry : lookups[i].variants)
        share(keys[i], environment, entry);
    }
  }
  if (missing.empty())
    return lookups;
  std::vector<RemoteStore::Answer> answers = remote_->fetch(missing);
  for (size_t i = 0; i < missing.size(); ++i)
    addRemote(missing[i].key, std::move(answers[i]), lookups[places[i]]);
  return lookups;
}

Status TieredStore::put(const CacheKey &key, const Digest &environment,
                        const EntryInfo &info, ByteView payload) {
  keepLate();
  // What is not shared is found by this user all the same.
  (void)remote_->put(key, environment, info, payload);
  return local_->put(key, environment, info, payload);
}

void TieredStore::remove(const CacheKey &key) { local_->remove(key); }

void TieredStore::removeVariant(const CacheKey &key, ByteView payload) {
  local_->removeVariant(key, payload);
}

FlightPtr TieredStore::enter(const CacheKey &key) {
  return local_->enter(key);
}

void TieredStore::noteGuardMiss(const CacheKey &key) {
  local_->noteGuardMiss(key);
}

void TieredStore::noteBypass(const CacheKey &key, const std::string &reason) {
  local_->noteBypass(key, reason);
}

CacheReport TieredStore::report() const { return local_->report(); }

bool TieredStore::contains(const CacheKey &key,
                           const std::set<std::string> &known) {
  return local_->contains(key, known);
}

static Result<std::unique_ptr<Store>> openTiers(const CacheConfig &config) {
  auto keys = KeyRing::open(config.keys);
  if (!keys)
    return keys.takeError();
  auto local = LocalStore::open(config.root, *keys, config.local);
  if (!local)
    return local.takeError();
  const RemoteConfig &remote = config.remote;
  if (!remote.fault.empty())
    log::write("cache", log::Level::Error,
               "the remote cache is not used: " + remote.fault);
  if (!remote.enabled())
    return std::unique_ptr<Store>(std::move(*local));
  if (remote.writes && !(*keys)->maySignForOthers())
    log::write("cache", log::Level::Warning,
               "nothing is stored in the remote cache: keys are trusted by "
               "name, and there is none of one's own that is not revoked; "
               "expected "
               "KILN_CACHE_KEY_FILE, or KILN_REMOTE_MODE=ro");
  return std::unique_ptr<Store>(std::make_unique<TieredStore>(
      std::move(*local), std::make_unique<RemoteStore>(remote, *keys),
      remote.reshare));
}

Result<std::unique_ptr<Store>> cache::openStore(const CacheConfig &config) {
  try {
    auto store = openTiers(config);
    if (!store)
      return store.takeError();
    return std::unique_ptr<Store>(
        std::make_unique<GuardedStore>(std::move(*store)));
  } catch (const std::exception &error) {
    return Error::io(std::string("the cache cannot be opened: ") +
                     error.what());
  }
}
