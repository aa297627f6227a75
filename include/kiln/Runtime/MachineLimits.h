//===- MachineLimits.h - What this machine can do at most -------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel's time is compared with: the bandwidth of memory and caches and the
// rate of multiply-adds, measured by code that does nothing else.
//
//   MachineLimits limits = measureMachine(2);   // some 0.2 s
//   limits.secondsFor(bytes, flops)             // that no kernel is faster than
//
//===----------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_MACHINELIMITS_H
#define KILN_RUNTIME_MACHINELIMITS_H

#include <cstdint>
#include <string>

namespace kiln::runtime {

struct MachineLimits {
  std::string processor; ///< as the system names it
  unsigned threads = 1;  ///< all figures are of them together
  int64_t l1Bytes = 0, l2Bytes = 0, l3Bytes = 0; ///< 0: there is none
  /// Bytes read and written in a second by a copy: of arrays that are larger than
  /// all caches, that fit the second cache of a core, and that are read alone.
  double memoryBytesPerSecond = 0;
  double cacheBytesPerSecond = 0;
  double readBytesPerSecond = 0;
  /// Multiplications and additions in a second.
  double f32FlopsPerSecond = 0;
  double bf16FlopsPerSecond = 0; ///< of dot products of bf16; 0: there are none

  /// The time that so many bytes and operations of f32 take at least. What is moved
  /// counts at the speed of memory, or of the caches if it fits into them.
  double secondsFor(double bytes, double flops) const;
};

/// What is known without a measurement: processor, threads and caches.
MachineLimits describeMachine(unsigned threads);
/// Measures with so many threads, the caller's among them.
MachineLimits measureMachine(unsigned threads);
/// The same of a processor with these `kiln_cpu_feature`s alone, which this one has.
MachineLimits measureMachine(unsigned threads, uint32_t features);

} // namespace kiln::runtime

#endif // KILN_RUNTIME_MACHINELIMITS_H
