//===- Clock.h - The time of day --------------------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SESSION_CLOCK_H
#define KILN_LIB_SESSION_CLOCK_H

#include <chrono>
#include <cstdint>

namespace kiln::session {

/// What entries of the cache tell people of when they were made.
inline uint64_t millisSince1970() {
  using namespace std::chrono;
  return static_cast<uint64_t>(
      duration_cast<milliseconds>(system_clock::now().time_since_epoch())
          .count());
}

} // namespace kiln::session

#endif // KILN_LIB_SESSION_CLOCK_H
