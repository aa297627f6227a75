//===- KernelTuner.h - Who measures kernels ---------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler has several ways to emit a kernel and does not know which is the
// fastest; whoever asked for the compilation can run them, and keeps what came of
// it. The compiler decides what is tried and what wins:
//
//   std::vector<package::Trial> trials =
//       tuner.measure("fused_linear_4", packages, {{{"s77", 16}}, 768});
//   trials[0].nanoseconds   // of the first package, which is right by definition
//   trials[1].failure       // "crashes: Illegal instruction"
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PACKAGE_KERNELTUNER_H
#define KILN_PACKAGE_KERNELTUNER_H

#include "kiln/Base/Digest.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kiln::package {

/// What came of one candidate: a time or a reason why there is none.
struct Trial {
  /// Median of a call; less than that of the first only if turns with it have shown
  /// that it is faster.
  double nanoseconds = 0;
  std::string failure;    ///< empty, or "crashes: ...", "gives other numbers: ..."
  /// The failure may be of the moment and not of the candidate: there was no process or
  /// memory for it, or the first one did not come through either. What follows from it
  /// is not to be kept.
  bool isPassing = false;
};

/// Values of symbols of sizes, by their names.
using SymbolValues = std::vector<std::pair<std::string, int64_t>>;

/// What is measured as a whole.
enum class TuningSubject : uint8_t { Kernel, Program };

/// What a kernel is called with to be timed.
struct TrialInputs {
  SymbolValues symbols;
  /// Integers are from 0 on and smaller than this: all that the kernel takes for
  /// positions are positions in its tensors.
  int64_t integersBelow = 1;
  /// How long all candidates together may take; what was not timed then has failed.
  double maxSeconds = 300;
  /// The part of its time by which a candidate must be faster than the first.
  double gain = 0.02;
  /// A program runs forward and backward, and its numbers are not compared.
  TuningSubject subject = TuningSubject::Kernel;
};

/// What the machine can do with all of its `threads`, by measurement.
struct MachineSpeed {
  double bytesPerSecond = 0; ///< of memory, read and written
  double flopsPerSecond = 0; ///< multiplications and additions of f32
};

class KernelTuner {
public:
  virtual ~KernelTuner() = default;

  /// What the cost model that ranks candidates is told.
  virtual MachineSpeed speed() = 0;

  /// Threads that run kernels: what was measured holds for this number.
  virtual unsigned threads() const = 0;

  /// Whether it measures kernels of a GPU; else those of this processor.
  virtual bool isOnDevice() const { return false; }

  /// What was kept under a digest: texts of `.best_config`s, the newest first. They may
  /// come from outside and are checked by the caller.
  virtual std::vector<std::string> find(const Digest &key,
                                        TuningSubject subject) = 0;
  virtual void keep(const Digest &key, const std::string &config) = 0;

  /// Runs the encoded packages of one kernel, or of one program, on the same inputs, by
  /// turns, and gives one trial each. Numbers are compared with those of the first. A package
  /// that crashes, hangs or gives other numbers does the caller no harm.
  virtual std::vector<Trial>
  measure(const std::string &kernel,
          const std::vector<std::vector<uint8_t>> &packages,
          const TrialInputs &inputs) = 0;

  /// Tells who waits how far the work is: `done` of `all` kernels.
  virtual void progress(const std::string &kernel, unsigned done,
                        unsigned all) = 0;
};

} // namespace kiln::package

#endif // KILN_PACKAGE_KERNELTUNER_H
