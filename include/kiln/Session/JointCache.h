//===- JointCache.h - Graphs of training steps in the cache -----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps the forward and backward graph of a training step in a cache::Store, as
// entries of kind `joint`. They depend on the program, on the options that act before
// code is generated and on the compiler, and on nothing of the machine: the same step
// for another processor, with other schedules or on another number of threads takes
// them up where code begins. What a compiler is given:
//
//   auto joint = JointCache::open(cache::readCacheConfig(std::nullopt), *source,
//                                 options);
//   if (joint)
//     hooks.joint = joint->get();
//
// What the bytes of an entry mean only the compiler knows (lib/Compiler/JointGraphs.h).
// They are authenticated as code is: nothing that no trusted key has signed reaches
// MLIR's parser.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SESSION_JOINTCACHE_H
#define KILN_SESSION_JOINTCACHE_H

#include "kiln/Cache/CacheConfig.h"
#include "kiln/Cache/Store.h"
#include "kiln/Package/JointStore.h"
#include "kiln/Session/ProgramKey.h"

#include <memory>

namespace kiln::session {

class JointCache final : public package::JointStore {
public:
  /// In a store that lives as long, under a key of `jointKey`.
  JointCache(cache::Store &store, cache::CacheKey key,
             const Digest &environment);
  /// In the folder of a configuration, for the compiler beside this library. Io
  /// error if it cannot be used, Usage if the configuration has training steps in no
  /// cache.
  static Result<std::unique_ptr<JointCache>>
  open(const cache::CacheConfig &config, const archive::Source &source,
       const CompileOptions &options);

  std::optional<std::vector<uint8_t>> find() override;
  void refuse(const std::string &reason) override;
  void keep(ByteView bytes, uint64_t micros) override;

  /// Whether the step was there, and was not, as often as it was looked for.
  uint64_t hits() const { return hits_; }
  uint64_t misses() const { return misses_; }

private:
  std::unique_ptr<cache::Store> own_;
  cache::Store &store_;
  cache::CacheKey key_;
  Digest environment_;
  std::vector<uint8_t> found_; ///< the last time
  uint64_t hits_ = 0, misses_ = 0;
};

} // namespace kiln::session

#endif // KILN_SESSION_JOINTCACHE_H
