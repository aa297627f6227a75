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
//===----------------------------------------------------------------------===//

#ifndef KILN_CACHE_STORE_H
#define KILN_CACHE_STORE_H

#include "kiln/Cache/CacheEntry.h"

namespace kiln::cache {

/// The most variants of one key that are kept and looked at.
constexpr size_t kMaxVariants = 8;

struct StoreStats {
  uint64_t lookups = 0;
  uint64_t hits = 0;
  uint64_t misses = 0;
  uint64_t corrupt = 0;
  uint64_t foreignEnvironment = 0;
  uint64_t ioErrors = 0;
  uint64_t puts = 0;
  uint64_t putFailures = 0;
};

/// What was found under a key.
struct Lookup {
  /// Payloads that passed every check, oldest first.
  std::vector<DecodedEntry> variants;
  /// One sentence for each entry that was refused and for an unusable store.
  std::vector<std::string> faults;

  bool hit() const { return !variants.empty(); }
};

class Store {
public:
  virtual ~Store();

  virtual Lookup get(const CacheKey &key, const Digest &environment) = 0;
  /// Adds a variant. Equal payloads of one key are stored once. The status says
  /// why nothing was kept.
  virtual Status put(const CacheKey &key, const Digest &environment,
                     const EntryInfo &info, ByteView payload) = 0;
  /// Removes all variants of a key, or the one with this payload.
  virtual void remove(const CacheKey &key) = 0;
  virtual void removeVariant(const CacheKey &key, ByteView payload) = 0;
  virtual bool contains(const CacheKey &key) = 0;

  const StoreStats &stats() const { return stats_; }

protected:
  StoreStats stats_;
};

} // namespace kiln::cache

#endif // KILN_CACHE_STORE_H
