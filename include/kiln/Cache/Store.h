//===- Store.h - Where cache entries are kept -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A store maps keys to entries. A key may have several variants (the same
// program compiled under different guards): together they are the manifest of
// that key, and the caller tries them by their guards. A miss is a value, a
// fault is counted and treated as a miss. No failure of a store fails what the
// caller does; that an entry could not be kept is said, so that it can be told.
//
// Every look-up has one outcome, which is counted (kiln/Cache/Counters.h).
//
//   Lookup found = store.get(key, environment);
//   if (!found.hit())
//     if (Status s = store.put(key, environment, info, compile()); !s)
//       log(s.error().message);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CACHE_STORE_H
#define KILN_CACHE_STORE_H

#include "kiln/Cache/CacheEntry.h"
#include "kiln/Cache/Counters.h"
#include "kiln/Cache/Flight.h"

#include <set>

namespace kiln::cache {

/// The most variants of one key that are kept and looked at.
constexpr size_t kMaxVariants = 8;

/// What was found under a key.
struct Lookup {
  /// Payloads that passed every check, oldest first.
  std::vector<DecodedEntry> variants;
  /// One sentence for each entry that was refused and for an unusable store.
  std::vector<std::string> faults;

  /// An entry was damaged, forged or could not be read: what is an error to who
  /// asks for a strict cache.
  bool damaged = false;
  /// How many of the variants came from a remote.
  size_t remoteHits = 0;

  bool hit() const { return !variants.empty(); }
};

class Store {
public:
  virtual ~Store();

  virtual Lookup get(const CacheKey &key, const Digest &environment) = 0;
  /// The same for many keys, in one round trip where a look-up has one. One
  /// look-up a key, in their order.
  virtual std::vector<Lookup> getAll(const std::vector<CacheKey> &keys,
                                     const Digest &environment);
  /// Adds a variant. Equal payloads of one key are stored once. The status says
  /// why nothing was kept.
  virtual Status put(const CacheKey &key, const Digest &environment,
                     const EntryInfo &info, ByteView payload) = 0;
  /// Removes all variants of a key, or the one with this payload.
  virtual void remove(const CacheKey &key) = 0;
  virtual void removeVariant(const CacheKey &key, ByteView payload) = 0;
  /// Whether there is a variant besides those of the names in `known`.
  virtual bool contains(const CacheKey &key,
                        const std::set<std::string> &known = {}) = 0;

  /// A new compilation begins: what bounds the time of its look-ups starts
  /// again.
  virtual void beginCompile() {}
  /// Waits until nobody else makes the value of this key; see Flight.h.
  virtual FlightPtr enter(const CacheKey &key);

  /// Corrects what was counted: a hit whose variants took no inputs.
  virtual void noteGuardMiss(const CacheKey &key);
  /// Counts a look-up that was not made, and why.
  virtual void noteBypass(const CacheKey &key, const std::string &reason);

  StoreStats stats() const { return report().total(); }
  virtual CacheReport report() const { return counters_.report(); }

protected:
  Counters counters_;
};

} // namespace kiln::cache

#endif // KILN_CACHE_STORE_H
