//===- Watchdog.cpp - An end to long compilations -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Watchdog.h"

#include "llvm/Support/Format.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

using namespace kiln;
using namespace kiln::compiler;

/// Bytes of this process that are in memory; 0 if the system does not say.
static uint64_t residentBytes() {
  std::FILE *file = std::fopen("/proc/self/statm", "r");
  if (!file)
    return 0;
  unsigned long long total = 0, resident = 0;
  int read = std::fscanf(file, "%llu %llu", &total, &resident);
  std::fclose(file);
  return read == 2 ? resident * uint64_t(::sysconf(_SC_PAGESIZE)) : 0;
}

CompileLimits::CompileLimits(const CompileOptions &options)
    : seconds(options.maxSeconds), bytes(options.maxMemory << 20),
      operations(options.maxOperations) {
  uint64_t physical = uint64_t(::sysconf(_SC_PHYS_PAGES)) *
                      uint64_t(::sysconf(_SC_PAGESIZE));
  if (bytes == 0)
    bytes = physical / 4 * 3;
}

Watchdog::Watchdog(const CompileLimits &limits)
    : limits(limits), start(Clock::now()), nextLook(start),
      residentAtStart(residentBytes()) {}

void Watchdog::watch(MLIRContext *context) {
  context->registerActionHandler(
      [this](llvm::function_ref<void()> transform,
             const mlir::tracing::Action &) {
        if (!look())
          transform();
      });
}

bool Watchdog::look() {
  Clock::time_point now = Clock::now();
  if (exceeded || now < nextLook)
    return exceeded;
  // Patterns come by the million, and the size of a process costs a file.
  nextLook = now + std::chrono::milliseconds(50);
  std::chrono::duration<double> spent = now - start;
  llvm::raw_string_ostream os(what);
  if (spent.count() >= limits.seconds) {
    exceeded = true;
    os << llvm::format("took longer than %g s", limits.seconds);
  } else if (uint64_t resident = residentBytes();
             resident > residentAtStart &&
             resident - residentAtStart > limits.bytes) {
    exceeded = true;
    os << "took more than " << (limits.bytes >> 20) << " MiB of memory";
  }
  return exceeded;
}

double Watchdog::secondsLeft() const {
  std::chrono::duration<double> spent = Clock::now() - start;
  return std::max(limits.seconds - spent.count(), 0.0);
}

Status Watchdog::status(llvm::StringRef stage) {
  nextLook = Clock::time_point();
  if (!look())
    return Status::success();
  return Error::unsupported("stage '" + stage.str() + "': the compilation " +
                            what);
}
