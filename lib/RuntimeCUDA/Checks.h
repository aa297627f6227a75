//===- Checks.h - Assertions that a GPU looks at by itself ------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each message has a cell in page-locked memory, which a kernel writes to before it
// stops the device. The host reads the cells when the driver tells that something
// failed: memory of its own outlives the device's failure.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_RUNTIMECUDA_CHECKS_H
#define KILN_LIB_RUNTIMECUDA_CHECKS_H

#include "Driver.h"

#include <mutex>
#include <optional>
#include <vector>

namespace kiln::cuda {

/// The kernel `runtime::kCheckKernel`.
extern const char kCheckPTX[];

class Checks {
public:
  explicit Checks(const Driver &driver) : driver_(driver) {}
  /// Gives the cells back. This and `cellOf` need the context to be current.
  void free();

  /// Sets `cell` to the device's address of the one that stands for `error`. The
  /// driver's answer.
  int cellOf(const Error &error, Address &cell);
  /// The error of the first cell that was written to.
  std::optional<Error> findFailed() const;

private:
  /// A program has a few messages; those beyond share the last cell, which is theirs alone.
  static constexpr size_t kCells = 1024;

  const Driver &driver_;
  mutable std::mutex mutex_;
  uint32_t *cells_ = nullptr;
  Address address_ = 0;
  std::vector<Error> errors_;
};

} // namespace kiln::cuda

#endif // KILN_LIB_RUNTIMECUDA_CHECKS_H
