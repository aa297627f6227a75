//===- RemoteStore.h - A cache that machines share ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Entries in Redis, under
//
//   kiln:v1:<namespace>:<kind>:<first 16 digits of the environment>:<key>
//
// and, for graphs, which may have several variants, ":<slot>" behind it: 0 to 7,
// by the payload's digest. A value is an entry file (CacheEntry.h) with an
// Ed25519 signature, or the HMAC of a shared secret; what is not signed by a
// trusted key is not looked at further. Whoever writes needs a private key, whoever
// reads public ones.
//
// No caller touches a socket: look-ups wait for at most 100 ms, all look-ups of
// a compilation for 500 ms together, and stores do not wait. A server that does
// not answer is left alone for a while (CircuitBreaker.h). Where no remote is
// configured there is no store, no thread and no cost; the thread begins with
// the first look-up.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CACHE_REMOTESTORE_H
#define KILN_CACHE_REMOTESTORE_H

#include "kiln/Cache/RemoteConfig.h"
#include "kiln/Cache/Store.h"

#include <chrono>
#include <map>

namespace kiln::cache {

class RemoteWorker;

/// What the remote tier counts besides look-ups.
struct RemoteStats {
  uint64_t timeouts = 0;       ///< operations that took too long
  uint64_t budgetExceeded = 0; ///< look-ups that did not wait to the end
  uint64_t lateHits = 0;       ///< answers that came after that
  uint64_t breakerOpens = 0;
  uint64_t queueDropped = 0; ///< values that were never sent
  uint64_t connects = 0;
  uint64_t tlsFailures = 0;
  uint64_t stored = 0;       ///< values that a server took
  uint64_t skipped = 0;      ///< look-ups that were not made
  bool isOpen = false;       ///< some server is left alone
  std::map<std::string, uint64_t> storeFailures; ///< by code: "NOPERM"
  std::string lastError;     ///< holds no secret
};

/// An entry that passed every check, with the bytes that it came in.
struct RemoteEntry {
  DecodedEntry entry;
  std::vector<uint8_t> file;
};

class RemoteStore : public Store {
public:
  /// `config` must be enabled.
  RemoteStore(const RemoteConfig &config, KeyRingPtr keys);
  /// Sends what is queued, for at most `exitFlushMillis`.
  ~RemoteStore() override;

  /// Does so before. Nothing may be asked for or stored afterwards.
  void close();

  /// A new compilation: its look-ups have all of their budget again.
  void beginCompile() override;

  struct Query {
    CacheKey key;
    Digest environment;
  };
  struct Answer {
    std::vector<RemoteEntry> entries;
    std::vector<std::string> faults;
    Counter outcome = &StoreStats::misses;

    bool isForged() const {
      return outcome == &StoreStats::corrupt ||
             outcome == &StoreStats::authRejects;
    }
  };
  /// Looks up many keys in one round trip a server. One answer a query.
  std::vector<Answer> fetch(const std::vector<Query> &queries);
  struct LateAnswer {
    Query query;
    Answer answer;
  };
  /// Entries that came too late for the look-up that asked for them.
  std::vector<LateAnswer> takeLate();
  /// Queues the file of an entry, signed for others.
  void putFile(const CacheKey &key, const Digest &environment,
               ByteView payload, std::vector<uint8_t> file);
  /// Whether kinds like this are kept here.
  bool keeps(KeyKind kind) const;

  Lookup get(const CacheKey &key, const Digest &environment) override;
  Status put(const CacheKey &key, const Digest &environment,
             const EntryInfo &info, ByteView payload) override;
  /// Nothing is removed from what others share: the next put overwrites it.
  void remove(const CacheKey &) override {}
  void removeVariant(const CacheKey &, ByteView) override {}
  /// False: what is not asked for is not known.
  bool contains(const CacheKey &, const std::set<std::string> &) override {
    return false;
  }

  RemoteStats remoteStats() const;
  /// With the figures of `remoteStats` beside those of the look-ups, under no kind.
  CacheReport report() const override;

private:
  struct Request;
  void read(const Query &query, const Request &request, Answer &answer);
  void noteForgery();

  const RemoteConfig config_;
  KeyRingPtr keys_;
  std::shared_ptr<RemoteWorker> worker_;
  std::vector<Request> abandoned_;
  std::chrono::microseconds budget_{0};
  bool isClosed_ = false;
  // A store that is full of forgeries is not read for a while.
  std::vector<std::chrono::steady_clock::time_point> forgeries_;
  std::chrono::steady_clock::time_point readsOffUntil_{};
};

/// The keys of Redis that may hold entries of a key, and the one that holds the
/// variant with this payload.
std::vector<std::string> redisKeys(const RemoteConfig &config,
                                   const CacheKey &key,
                                   const Digest &environment);
std::string redisKey(const RemoteConfig &config, const CacheKey &key,
                     const Digest &environment, ByteView payload);

} // namespace kiln::cache

#endif // KILN_CACHE_REMOTESTORE_H
