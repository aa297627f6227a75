//===- Watchdog.h - An end to long compilations -----------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Limits of time and memory that end a compilation with an error: passes and
// patterns are MLIR actions, and once a limit is reached those that are still to
// come do nothing. What then comes out is not looked at. Code generation by LLVM
// and a pass that does not end are one step, which is judged when it ends; a tool
// that must end in any case does its work in a child (tools/common/Isolation.h).
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_COMPILER_WATCHDOG_H
#define KILN_LIB_COMPILER_WATCHDOG_H

#include "kiln/Base/Result.h"
#include "kiln/Compiler/CompilerSession.h"
#include "kiln/Support/LLVM.h"

#include "mlir/IR/MLIRContext.h"

#include <chrono>

namespace kiln::compiler {

/// What ends a compilation with an error. No part of a package depends on it.
struct CompileLimits {
  explicit CompileLimits(const CompileOptions &options);

  double seconds;
  uint64_t bytes;      ///< of memory that it may take
  uint64_t operations; ///< of a source that is IR
};

class Watchdog {
public:
  explicit Watchdog(const CompileLimits &limits);

  /// From here on, work in `context` ends at the limits. The watchdog must live
  /// as long as work is done there.
  void watch(MLIRContext *context);
  /// Seconds until the limit of time, 0 beyond it.
  double secondsLeft() const;
  /// An error once a limit is reached.
  Status status(llvm::StringRef stage);

private:
  using Clock = std::chrono::steady_clock;

  bool look();

  CompileLimits limits;
  Clock::time_point start, nextLook;
  uint64_t residentAtStart;
  bool exceeded = false;
  std::string what;
};

} // namespace kiln::compiler

#endif // KILN_LIB_COMPILER_WATCHDOG_H
