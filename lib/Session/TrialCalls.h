//===- TrialCalls.h - The calls of a trial ----------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the child process of Trials.h does: makes inputs, calls packages, compares
// and times.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SESSION_TRIALCALLS_H
#define KILN_LIB_SESSION_TRIALCALLS_H

#include "kiln/Base/Result.h"
#include "kiln/Runtime/Device.h"
#include "kiln/Session/Trials.h"

#include <functional>
#include <istream>
#include <limits>

namespace kiln::session {

/// What a child tells its parent, as the bytes of a message.
struct TrialNote {
  enum Kind : uint32_t {
    Loads,    ///< all of them, side by side
    LoadsOne, ///< the candidate, by a driver, which takes longer than its call
    Begins,   ///< the candidate's call begins
    Called,   ///< it has come back; `value` is the seconds of its first call
    Failed,   ///< `text` says why
    Passing,  ///< the same; another time it may be otherwise
    Timed     ///< `value` is nanoseconds
  };
  uint32_t kind = Begins;
  uint32_t candidate = 0;
  double value = 0;
  char text[112] = {};
};

/// Of the machine, as /proc/meminfo has it; without limit where that does not say.
struct MemoryBytes {
  double all = std::numeric_limits<double>::max();
  double available = std::numeric_limits<double>::max(); ///< beside what runs now
};
MemoryBytes readMemoryBytes(std::istream &file);

/// Whether one set of inputs may take so many bytes. Unsupported if it never may, Io
/// if it may not now.
Status checkInputBytes(double needed, const MemoryBytes &memory);

/// What the options name; null: this processor.
Result<std::shared_ptr<runtime::Device>> openDevice(const TrialOptions &options);

/// Calls those packages whose trials have not failed, and tells of each. Those of a GPU
/// may be loaded together, side by side: then nobody knows which of them ended the
/// process.
Status callCandidates(const std::vector<std::vector<uint8_t>> &packages,
                    const std::vector<package::Trial> &trials,
                    const package::SymbolValues &symbols,
                    const TrialOptions &options,
                    std::shared_ptr<runtime::Device> device,
                    bool loadsTogether,
                    const std::function<void(const TrialNote &)> &tell);

} // namespace kiln::session

#endif // KILN_LIB_SESSION_TRIALCALLS_H
