//===- Flight.h - One compilation of a key at a time ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who is about to make the value of a key enters first. Others, in this process
// and in others, wait until it has been made, look it up again, and find it:
//
//   auto flight = store.enter(key);
//   if (store.get(key, environment).hit()) ...   // somebody was faster
//   store.put(key, environment, info, compile());
//
// Waiting ends with the compilation, with the process that did it, however that
// ended, or with the time limit; then the caller compiles as well. Where files
// cannot be locked everybody compiles. Nobody waits for ever.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CACHE_FLIGHT_H
#define KILN_CACHE_FLIGHT_H

#include <memory>

namespace kiln::cache {

/// Held while the value of a key is made.
class Flight {
public:
  virtual ~Flight();
};
using FlightPtr = std::unique_ptr<Flight>;

} // namespace kiln::cache

#endif // KILN_CACHE_FLIGHT_H
