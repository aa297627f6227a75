//===- Work.h - What a program does, and what the machine can ---*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A time says little without what was done in it:
//
//   Work work = getWork(package);
//   MachineLimits machine = getMachine(cacheConfig, threads);
//   machine.secondsFor(work.bytes, work.operations) / seconds   // share of the limit
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_COMMON_WORK_H
#define KILN_TOOLS_COMMON_WORK_H

#include "kiln/Cache/CacheConfig.h"
#include "kiln/Package/Package.h"
#include "kiln/Runtime/Device.h"
#include "kiln/Runtime/MachineLimits.h"

#include <map>

namespace kiln::tools {

/// Bytes moved and operations of floats done, 0 where that is not known.
struct Work {
  double bytes = 0;
  double operations = 0;
};

/// Of all kernels of a package once, at the sizes that were expected when it was
/// compiled.
Work getWork(const package::Package &package);

/// Operations of a kernel of the package by its name.
std::map<std::string, double> getOperations(const package::Package &package);

/// What this machine can do with so many threads: as it was measured and kept in the
/// cache of the configuration, or measured now, which takes half a second.
runtime::MachineLimits getMachine(const cache::CacheConfig &config,
                                  unsigned threads);

/// What a device can do: the bytes that a copy in its memory reads and writes in a
/// second, measured now. Its caches and its rate of multiply-adds are not measured, 0.
Result<runtime::MachineLimits> measureDevice(runtime::Device &device);

/// "12.3 GB/s, 45.6 Gflop/s, 78 % of the machine's limit" for work in some seconds.
std::string describeRate(const Work &work, double seconds,
                         const runtime::MachineLimits &machine);

} // namespace kiln::tools

#endif // KILN_TOOLS_COMMON_WORK_H
