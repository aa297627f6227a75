//===- GuardedStore.h - A store that does not throw -------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cache failure is never a compile failure: what a store throws for want of
// memory ends here as a miss, or as a value that was not kept.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CACHE_GUARDEDSTORE_H
#define KILN_LIB_CACHE_GUARDEDSTORE_H

#include "kiln/Cache/Store.h"

namespace kiln::cache {

class GuardedStore final : public Store {
public:
  explicit GuardedStore(std::unique_ptr<Store> store)
      : store_(std::move(store)) {}

  Lookup get(const CacheKey &key, const Digest &environment) override;
  std::vector<Lookup> getAll(const std::vector<CacheKey> &keys,
                             const Digest &environment) override;
  Status put(const CacheKey &key, const Digest &environment,
             const EntryInfo &info, ByteView payload) override;
  void remove(const CacheKey &key) override;
  void removeVariant(const CacheKey &key, ByteView payload) override;
  bool contains(const CacheKey &key,
                const std::set<std::string> &known = {}) override;
  void beginCompile() override;
  FlightPtr enter(const CacheKey &key) override;
  void noteGuardMiss(const CacheKey &key) override;
  void noteBypass(const CacheKey &key, const std::string &reason) override;
  CacheReport report() const override;

private:
  std::unique_ptr<Store> store_;
};

} // namespace kiln::cache

#endif // KILN_LIB_CACHE_GUARDEDSTORE_H
