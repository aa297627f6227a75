//===- TieredStore.h - The local folder before the remote -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is not in the local folder is asked of the remote, and what comes from
// there is kept in the folder with the signature of who made it, so that a key
// that is revoked later is revoked there as well. What is compiled goes to both.
//
//   auto store = openStore(config);
//   if (!store)
//     return store.takeError();
//   Lookup found = (*store)->get(key, environment);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CACHE_TIEREDSTORE_H
#define KILN_CACHE_TIEREDSTORE_H

#include "kiln/Cache/CacheConfig.h"
#include "kiln/Cache/LocalStore.h"
#include "kiln/Cache/RemoteStore.h"

#include <set>

namespace kiln::cache {

class TieredStore : public Store {
public:
  TieredStore(std::unique_ptr<LocalStore> local,
              std::unique_ptr<RemoteStore> remote, bool reshare);
  ~TieredStore() override;

  Lookup get(const CacheKey &key, const Digest &environment) override;
  std::vector<Lookup> getAll(const std::vector<CacheKey> &keys,
                             const Digest &environment) override;
  Status put(const CacheKey &key, const Digest &environment,
             const EntryInfo &info, ByteView payload) override;
  /// In the local folder.
  void remove(const CacheKey &key) override;
  void removeVariant(const CacheKey &key, ByteView payload) override;
  bool contains(const CacheKey &key,
                const std::set<std::string> &known = {}) override;
  void beginCompile() override;
  FlightPtr enter(const CacheKey &key) override;
  void noteGuardMiss(const CacheKey &key) override;
  void noteBypass(const CacheKey &key, const std::string &reason) override;
  /// Of the local folder; that of the remote is `remote().report()`.
  CacheReport report() const override;

  LocalStore &local() { return *local_; }
  RemoteStore &remote() { return *remote_; }

private:
  Status keep(const CacheKey &key, const RemoteEntry &found);
  void keepLate();
  void share(const CacheKey &key, const Digest &environment,
             const DecodedEntry &entry);
  void addRemote(const CacheKey &key, RemoteStore::Answer answer,
                 Lookup &lookup);

  std::unique_ptr<LocalStore> local_;
  std::unique_ptr<RemoteStore> remote_;
  bool reshare_;
  std::set<std::string> shared_; ///< key and variant of what was sent again
};

/// The store that a configuration describes: the local folder, with a remote
/// behind it if one is configured. The log says why a remote is not used.
Result<std::unique_ptr<Store>> openStore(const CacheConfig &config);

} // namespace kiln::cache

#endif // KILN_CACHE_TIEREDSTORE_H
