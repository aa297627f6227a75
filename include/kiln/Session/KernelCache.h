//===- KernelCache.h - Kernels in the cache ---------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps the code of kernels in a cache::Store, as entries of kind `kernel`, so that
// a model compiles only kernels that no model before it had. What a compiler is
// given:
//
//   auto kernels = KernelCache::open(cache::readCacheConfig(std::nullopt));
//   if (kernels)
//     hooks.kernels = kernels->get();
//
// The payload of an entry, little-endian:
//
//   u32 version 1 | u32 required features (kiln_cpu_feature) | u64 entry
//   u32 n, n bytes of the target's name | u64 n, n bytes of code
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SESSION_KERNELCACHE_H
#define KILN_SESSION_KERNELCACHE_H

#include "kiln/Cache/CacheConfig.h"
#include "kiln/Cache/Store.h"
#include "kiln/Package/KernelStore.h"

#include <memory>

namespace kiln::session {

class KernelCache final : public package::KernelStore {
public:
  /// In a store that lives as long. `environment` stands for the compiler and the
  /// machine; kernels of one `nameSpace` are not found in another.
  KernelCache(cache::Store &store, const Digest &environment,
              std::string nameSpace);
  /// In the folder of a configuration, for the compiler beside this library. Io
  /// error if it cannot be used, Usage if the configuration has kernels in no cache.
  static Result<std::unique_ptr<KernelCache>>
  open(const cache::CacheConfig &config);

  std::vector<std::optional<package::KernelImage>>
  find(const std::vector<Digest> &keys) override;
  void keep(const Digest &key, const package::KernelImage &image,
            uint64_t micros) override;

  /// Kernels that were there, and that were not.
  uint64_t hits() const { return hits_; }
  uint64_t misses() const { return misses_; }

private:
  cache::CacheKey makeKey(const Digest &kernel) const;

  std::unique_ptr<cache::Store> own_;
  cache::Store &store_;
  Digest environment_;
  std::string nameSpace_;
  uint64_t hits_ = 0, misses_ = 0;
};

} // namespace kiln::session

#endif // KILN_SESSION_KERNELCACHE_H
