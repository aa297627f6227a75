//===- Work.cpp - What a program does, and what the machine can -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Work.h"

#include "kiln/Session/KernelTuning.h"

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
