//===- CacheConfig.h - The environment of the cache -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only place that reads cache variables. Booleans follow PyTorch: `1`
// enables, any other value disables, unset leaves the default.
//
//   variable                             default            meaning
//   KILN_CACHE_DIR,                      <tmp>/kiln_<user>  root of the cache;
//     TORCHINDUCTOR_CACHE_DIR                               `xdg` stands for
//                                                           XDG_CACHE_HOME/kiln
//   KILN_KERNEL_CACHE_DIR,               the root           folder of the code
//     TRITON_CACHE_DIR                                      of kernels, a cache
//                                                           of its own
//   KILN_FX_GRAPH_CACHE,                 on                 inference programs
//     TORCHINDUCTOR_FX_GRAPH_CACHE
//   KILN_AUTOGRAD_CACHE,                 on                 training programs
//     TORCHINDUCTOR_AUTOGRAD_CACHE
//   KILN_FORCE_DISABLE_CACHES,           off                wins over all
//     TORCHINDUCTOR_FORCE_DISABLE_CACHES
//
// Those of the local tier stand in LocalConfig.h, those of the remote in
// RemoteConfig.h, those of keys in KeyRing.h.
//
// A process that gained privileges (setuid) ignores all of them and runs
// without a cache.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CACHE_CACHECONFIG_H
#define KILN_CACHE_CACHECONFIG_H

#include "kiln/Cache/KeyRing.h"
#include "kiln/Cache/LocalConfig.h"
#include "kiln/Cache/RemoteConfig.h"

namespace kiln::cache {

struct CacheConfig {
  bool fxGraph = true;
  bool aotAutograd = true;
  std::string root; ///< absolute; empty when no cache may be used
  std::string kernelRoot; ///< of kernels alone; empty: they are in `root`

  KeyConfig keys;
  LocalConfig local;
  RemoteConfig remote;
  /// What of the environment was ignored, a sentence each.
  std::vector<std::string> warnings;

  /// The configuration of the folder with the kernels.
  CacheConfig forKernels() const {
    CacheConfig config = *this;
    if (!kernelRoot.empty())
      config.root = kernelRoot;
    return config;
  }

  bool enabled() const {
    return !root.empty() && (fxGraph || aotAutograd) &&
           local.mode != LocalMode::Off;
  }
};

/// Reads the environment. `directory` (from `--cache-dir`) wins over it.
CacheConfig readCacheConfig(const std::optional<std::string> &directory);

} // namespace kiln::cache

#endif // KILN_CACHE_CACHECONFIG_H
