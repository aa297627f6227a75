//===- CacheArtifacts.cpp - A cache in one file ---------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Session/CacheArtifacts.h"

#include "kiln/Cache/LocalStore.h"
#include "kiln/Session/ProgramKey.h"

#include <algorithm>
#include <set>

using namespace kiln;
using namespace kiln::session;
using namespace kiln::cache;

/// What an entry has in the file besides its own: up to 63 zeros before it, and
/// its part of the manifest.
static constexpr uint64_t kMaxEntryOverhead = 512;

static Error noCache() {
  return Error::usage("the environment permits no cache "
                      "(TORCHINDUCTOR_FORCE_DISABLE_CACHES)");
}

/// Whether entries of this environment are used by this process.
static bool isForHere(const Digest &environment, const CacheKey &here) {
  return environment == here.digest ||
         environment == compilerKey(ownEnvironment()).digest ||
         environment == portableEnvironment();
}

/// The folder of the cache, and that of kernels if they have one.
static std::vector<std::string> rootsOf(const CacheConfig &config) {
  std::vector<std::string> roots = {config.root};
  if (std::string kernels = config.forKernels().root; kernels != config.root)
    roots.push_back(std::move(kernels));
  return roots;
}

Result<std::optional<CacheArtifacts>>
kiln::saveCacheArtifacts(const CacheConfig &config) {
  if (config.root.empty())
    return noCache();
  if (!config.local.reads())
    return Error::usage("KILN_LOCAL_MODE permits no reading of the cache; "
                        "expected rw or ro");
  auto keys = KeyRing::open(config.keys);
  if (!keys)
    return keys.takeError();
  if ((*keys)->isOwnRevoked())
    return Error::usage("the own key is revoked, nobody would believe the "
                        "file; expected a new key");
  auto here = ownEnvironmentKey();
  if (!here)
    return here.takeError();
  std::vector<ArtifactEntry> entries;
  CacheArtifacts made;
  uint64_t bytes = 0;
  bool isTooMuch = false;
  std::set<std::pair<Digest, std::string>> known;
  for (const std::string &root : rootsOf(config)) {
    auto store = LocalStore::openExisting(root, *keys, config.local);
    if (!store)
      return store.takeError();
    if (!*store)
      continue;
    (*store)->forEach([&](const StoredEntry &stored) {
      if (isTooMuch)
        return;
      Digest environment;
      std::vector<uint8_t> file;
      DecodedEntry entry = (*store)->read(stored, &environment, &file);
      if (entry.fault != EntryFault::None || !isForHere(environment, *here) ||
          !known.insert({stored.key, variantName(entry.payload)}).second)
        return;
      // What somebody else made keeps the signature of who made it.
      if (entry.method == Authentication::Hmac) {
        // When and how long it was compiled is of this machine alone.
        entry.info.createdMillis = entry.info.compileTimeMicros = 0;
        file = encodeEntry(stored.key, environment, entry.info, entry.payload,
                           {**keys, (*keys)->methodForOthers()});
      }
      bytes += file.size() + kMaxEntryOverhead;
      isTooMuch =
          bytes > kMaxArtifactBytes || entries.size() >= kMaxArtifactEntries;
      entries.push_back(
          {stored.kind, stored.key, environment, std::move(file)});
      made.info.keys[rowOf(stored.kind).type].push_back(stored.key.hex());
    });
  }
  if (isTooMuch)
    return Error::usage("the cache holds more than a file may: " +
                        std::to_string(kMaxArtifactEntries) +
                        " entries and 4 GiB; 'kiln-cache evict' removes what "
                        "was not used for long");
  if (entries.empty())
    return std::optional<CacheArtifacts>();
  for (auto &[type, list] : made.info.keys)
    std::sort(list.begin(), list.end());
  made.bytes = encodeArtifacts(std::move(entries), **keys);
  made.info.bytes = made.bytes.size();
  made.info.producer = (*keys)->publicKey().text();
  return std::optional<CacheArtifacts>(std::move(made));
}

Result<CacheInfo> kiln::loadCacheArtifacts(ByteView file,
                                           const CacheConfig &config) {
  if (config.root.empty())
    return noCache();
  if (!config.local.writes())
    return Error::usage("KILN_LOCAL_MODE permits no writing to the cache; "
                        "expected rw or wo");
  auto keys = KeyRing::open(config.keys);
  if (!keys)
    return keys.takeError();
  CacheInfo info;
  auto entries = decodeArtifacts(file, **keys, info);
  if (!entries)
    return entries.takeError();
  std::vector<std::unique_ptr<LocalStore>> stores;
  for (const std::string &root : rootsOf(config)) {
    auto store = LocalStore::open(root, *keys, config.local);
    if (!store)
      return store.takeError();
    stores.push_back(std::move(*store));
  }
  auto here = ownEnvironmentKey();
  if (!here)
    return here.takeError();
  for (ArtifactEntry &entry : *entries) {
    auto skip = [&](const std::string &reason) {
      info.skipped.push_back({entry.key.hex(), reason});
    };
    if (!isForHere(entry.environment, *here)) {
      skip("it was made by another compiler or for another machine");
      continue;
    }
    DecodedEntry decoded =
        decodeEntry(entry.file, entry.key, entry.environment,
                    {**keys, Tier::Artifact});
    if (decoded.fault != EntryFault::None) {
      skip(decoded.reason);
      continue;
    }
    if (decoded.info.kind != entry.kind) {
      skip("the entry is of another kind");
      continue;
    }
    CacheKey key;
    key.kind = entry.kind;
    key.digest = entry.key;
    key.parts = decoded.info.keyParts;
    LocalStore &store =
        key.kind == KeyKind::Kernel ? *stores.back() : *stores.front();
    if (Status kept =
            store.putFile(key, decoded.payload, std::move(entry.file));
        !kept)
      skip(kept.error().message);
    else
      info.keys[rowOf(entry.kind).type].push_back(entry.key.hex());
  }
  return info;
}
