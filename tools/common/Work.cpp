//===- Work.cpp - What a program does, and what the machine can -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Work.h"

#include "kiln/Session/KernelTuning.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace kiln;
using namespace kiln::tools;

std::map<std::string, double>
tools::getOperations(const package::Package &package) {
  std::map<std::string, double> operations;
  for (const package::Reason &reason : package.reasons)
    if (package::identify(reason) == package::ReasonId::Scheduled)
      operations[std::string(reason.get("kernel"))] = std::strtod(
          std::string(reason.get("operations")).c_str(), nullptr);
  return operations;
}

Work tools::getWork(const package::Package &package) {
  Work work;
  work.bytes = double(package.facts.bytesRead) +
               double(package.facts.bytesWritten);
  for (const auto &[kernel, operations] : getOperations(package))
    work.operations += operations;
  return work;
}

runtime::MachineLimits tools::getMachine(const cache::CacheConfig &config,
                                         unsigned threads) {
  return session::KernelTuning::open(config, threads, {})->machine();
}

Result<runtime::MachineLimits> tools::measureDevice(runtime::Device &device) {
  runtime::MachineLimits limits;
  limits.processor = device.hardware();
  // Beyond any cache, and long beside what it takes to begin.
  constexpr size_t kBytes = size_t(256) << 20;
  auto source = device.allocate(kBytes, "a copy that is timed");
  if (!source)
    return source.takeError();
  auto target = device.allocate(kBytes, "a copy that is timed");
  if (!target)
    return target.takeError();
  constexpr int kCopies = 6; // the first one wakes the device
  for (int i = 0; i < kCopies; ++i) {
    auto begin = device.record();
    if (!begin)
      return begin.takeError();
    if (Status s = device.copy((*target)->data(), (*source)->data(), kBytes); !s)
      return s.takeError();
    auto end = device.record();
    if (!end)
      return end.takeError();
    if (Status s = (*end)->wait(); !s)
      return s.takeError();
    auto seconds = (*end)->secondsSince(**begin);
    if (!seconds)
      return seconds.takeError();
    if (*seconds > 0)
      limits.memoryBytesPerSecond = std::max(limits.memoryBytesPerSecond,
                                             2 * double(kBytes) / *seconds);
  }
  return limits;
}

std::string tools::describeRate(const Work &work, double seconds,
                                const runtime::MachineLimits &machine) {
  std::string text;
  char part[64];
  auto add = [&](const char *form, double value) {
    std::snprintf(part, sizeof(part), form, value);
    text += (text.empty() ? "" : ", ") + std::string(part);
  };
  if (work.bytes != 0)
    add("%.3g bytes/s", work.bytes / seconds);
  if (work.operations != 0)
    add("%.3g flop/s", work.operations / seconds);
  if (double least = machine.secondsFor(work.bytes, work.operations);
      least != 0)
    add("%.0f %% of the machine's limit", 100 * least / seconds);
  return text;
}
