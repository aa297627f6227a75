//===- LocalFlight.h - Single flight by lock files ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CACHE_LOCALFLIGHT_H
#define KILN_LIB_CACHE_LOCALFLIGHT_H

#include "FileLock.h"

#include "kiln/Cache/Flight.h"

namespace kiln::cache {

struct FlightResult {
  FlightPtr flight;
  uint64_t waitedMicros = 0;
  bool isTimedOut = false;
};

/// Waits until nobody makes what `lockFile` stands for, at most `seconds`.
/// Without a directory only this process is asked. `root` tells the caches of
/// a process apart.
FlightResult enterFlight(const Directory *directory, const std::string &root,
                         const std::string &lockFile, double seconds);

} // namespace kiln::cache

#endif // KILN_LIB_CACHE_LOCALFLIGHT_H
