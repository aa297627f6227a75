//===- Faults.h - System calls that fail when they are told to -*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kiln-chaos defines the functions of the C library by which the cache reaches
// the system; libKilnRuntime.so calls these in their place. Unless a fault is
// armed they do what they always do.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_CHAOS_FAULTS_H
#define KILN_TEST_CHAOS_FAULTS_H

#include <cstdint>

namespace kiln::chaos {

struct Fault {
  uint64_t call = 0; ///< the first call is 1; 0 only counts
  int error = 0;     ///< an errno; 0 transfers half of what read or write should
};

/// From now on calls are counted, and one of them fails.
void arm(const Fault &fault);
/// Stops counting; how many calls there were.
uint64_t disarm();

/// What CLOCK_REALTIME is ahead by.
void shiftClock(int64_t seconds);

} // namespace kiln::chaos

#endif // KILN_TEST_CHAOS_FAULTS_H
