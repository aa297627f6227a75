//===- KernelTuning.h - Measurements of kernels, made and kept --*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A package::KernelTuner that runs candidates in child processes (Trials.h) and keeps
// winners in the cache as entries of their own, `autotune/`. Their key is of the
// environment, the kernel (or the program) and the number of threads. A
// measurement that is lost is made again, and so is one of a kernel of which a candidate
// could not be run for reasons of the moment; one that a busy machine distorted stays
// until the folder `autotune/` is removed.
//
//   KernelTuning tuning(store, environment, "", 2, {});
//   LibraryRequest request = {..., &tuning};
//   tuning.stats().measurements   // 0 if all was known
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SESSION_KERNELTUNING_H
#define KILN_SESSION_KERNELTUNING_H

#include "kiln/Base/ChildProcess.h"
#include "kiln/Cache/CacheConfig.h"
#include "kiln/Cache/Store.h"
#include "kiln/Options/CompileOptions.h"
#include "kiln/Package/KernelTuner.h"
#include "kiln/Runtime/Device.h"
#include "kiln/Runtime/MachineLimits.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace kiln::session {

/// What tuning did.
struct TuningStats {
  uint64_t hits = 0, misses = 0; ///< look-ups of kernels
  uint64_t measurements = 0;     ///< candidates that were run and timed
  uint64_t failures = 0;         ///< candidates that crashed, hung or were wrong
  /// Of the failures those that may be of the moment: what was decided without these
  /// candidates is not to be kept.
  uint64_t passing = 0;
  double seconds = 0;            ///< in which candidates ran

  TuningStats &operator+=(const TuningStats &other) {
    hits += other.hits;
    misses += other.misses;
    measurements += other.measurements;
    failures += other.failures;
    passing += other.passing;
    seconds += other.seconds;
    return *this;
  }
};

/// What times on a device depend on, in words: `Device::hardware`, and its libraries if the
/// options make candidates of them, so that what was found without one is not taken where there
/// is one.
std::string describeHardware(runtime::Device &device,
                             const CompileOptions &options);

class KernelTuning final : public package::KernelTuner {
public:
  using Progress = std::function<void(const std::string &)>;

  /// `store` may be null, nothing is kept then; else it lives as long, and
  /// `environment` stands for the compiler and the machine. `tell` receives a line
  /// for each kernel that is measured, and may be empty.
  KernelTuning(cache::Store *store, const Digest &environment,
               std::string nameSpace, unsigned threads, Progress tell);

  /// Keeps in the folder of a configuration, where sessions keep programs and what
  /// they measure, or nothing and nowhere if there is no such folder: tuning does not
  /// depend on it. With 0 threads there is one for each processor.
  static std::unique_ptr<KernelTuning>
  open(const std::optional<cache::CacheConfig> &config, unsigned threads,
       Progress tell);

  /// Measures on a GPU from now on. What is found is kept for its like alone, by the words of
  /// `describeHardware`.
  void measureOn(const runtime::Device &device, std::string hardware);

  /// A compilation of a program begins: what others measured for it is kept as if it
  /// had been measured here, where nothing is; kernels are looked up together. Once that
  /// is known, `endProgram` keeps all of it in one entry for them, unless a candidate
  /// could not be run. A compilation that fails ends nothing.
  void beginProgram(const Digest &program);
  void endProgram();

  package::MachineSpeed speed() override;
  unsigned threads() const override { return threads_; }
  bool isOnDevice() const override { return !device_.empty(); }
  /// What this machine can do, measured once and kept as measurements of kernels
  /// are.
  const runtime::MachineLimits &machine();
  std::vector<std::string> find(const Digest &key,
                                package::TuningSubject subject) override;
  void keep(const Digest &key, const std::string &config) override;
  std::vector<package::Trial>
  measure(const std::string &kernel,
          const std::vector<std::vector<uint8_t>> &packages,
          const package::TrialInputs &inputs) override;
  void progress(const std::string &kernel, unsigned done,
                unsigned all) override;

  const TuningStats &stats() const { return stats_; }

private:
  cache::CacheKey makeKey(const Digest &subject,
                          cache::KeyKind kind = cache::KeyKind::Autotune) const;
  void put(const cache::CacheKey &key, ByteView bytes);
  std::vector<std::string> read(const Digest &subject);
  void keepMissing(const std::map<Digest, std::string> &configs);

  std::unique_ptr<cache::Store> own_;
  cache::Store *store_;
  Digest environment_;
  std::string nameSpace_;
  unsigned threads_;
  std::string device_, hardware_; ///< empty: this processor
  std::unique_ptr<ChildProgram> program_; ///< that calls candidates of a GPU
  bool cannotMeasure_ = false; ///< it does not start, and that was told
  Progress tell_;
  TuningStats stats_;
  std::optional<runtime::MachineLimits> machine_;
  /// Of the program that is compiled, if nothing is known of it: its key, and what is
  /// found or measured, by kernel.
  std::optional<cache::CacheKey> bundle_;
  std::map<Digest, std::string> bundled_;
};

} // namespace kiln::session

#endif // KILN_SESSION_KERNELTUNING_H
