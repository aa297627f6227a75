//===- CompiledFunction.h - A function with several compiled variants ----===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a user calls. Holds compiled variants, calls the first whose guards
// hold, and asks for another when none does:
//
//   CompiledFunction::Options options;
//   options.recompile = [&](const auto &inputs, const auto &reasons) {
//     return compiler.compile(model, inputs);
//   };
//   CompiledFunction function(registry, options);
//   auto outputs = function.call({x});
//
// The recompilation log is the text of `recompileLog`, PyTorch's own:
//
//   Recompiling function main triggered by the following guard failure(s):
//     - 0/0: tensor 'x' size mismatch at index 0. expected 8, actual 16
//
// Not for several threads at once: a call may add a variant.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_COMPILEDFUNCTION_H
#define KILN_RUNTIME_COMPILEDFUNCTION_H

#include "kiln/Runtime/Executable.h"

#include <functional>
#include <optional>

namespace kiln::runtime {

class KnownInputs;

/// How one call went.
struct CallRecord {
  int variant = -1; ///< -1: no variant fitted
  bool recompiled = false;
  std::vector<std::string> reasons; ///< "0/0: tensor 'x' ..." per variant
  double seconds = 0; ///< of the run, without compilation
};

/// "Recompiling function NAME triggered by ..." with one line per reason.
std::string recompileLog(const std::string &name,
                         const std::vector<std::string> &reasons);

class CompiledFunction {
public:
  /// Compiles a variant for `inputs`. `reasons` says why none of the present
  /// variants fits; it is empty for the first.
  using Recompile = std::function<Result<package::Package>(
      const std::vector<OpValue> &inputs,
      const std::vector<std::string> &reasons)>;

  struct Options {
    std::string name = "main";
    unsigned id = 0;    ///< the first number of "0/1"
    unsigned limit = 8; ///< most variants; then a miss is a Guard error
    Recompile recompile; ///< none: a miss is a Guard error
    std::function<void(const std::string &)> log; ///< recompilation texts
    RunOptions run; ///< pool and output reuse of every call
    std::shared_ptr<Device> device; ///< of kernels for a GPU
    package::KernelStore *deviceCode = nullptr; ///< of what its driver makes
  };

  CompiledFunction(const OperatorRegistry &registry, Options options);
  ~CompiledFunction();

  /// Where packages that are loaded from now on run. `code` outlives this, or is null.
  void setDevice(std::shared_ptr<Device> device, package::KernelStore *code) {
    options_.device = std::move(device);
    options_.deviceCode = code;
  }
  /// Loads a package as the last variant.
  Status addVariant(package::Package package);

  size_t variantCount() const { return variants_.size(); }
  const Executable &variant(size_t index) const { return *variants_[index]; }
  /// True when a miss would be refused because the limit is reached.
  bool limitReached() const { return variants_.size() >= options_.limit; }

  /// The variant that a call with these inputs would run, compiled if none fits;
  /// the record of that call then tells why.
  Result<const Executable *>
  prepare(const std::vector<OpValue> &inputs);

  /// Runs the first variant that fits, after compiling one if none does.
  Result<std::vector<OpValue>>
  call(const std::vector<OpValue> &inputs);

  /// The same with gradients; see Executable::runTraining.
  Result<TrainingResult>
  callTraining(const std::vector<OpValue> &inputs,
               const std::vector<OpValue> &tangents = {});

  /// The same for several threads at once: calls a variant that is there, and
  /// keeps no record. Nobody may add variants meanwhile. Guard error if none fits.
  /// `variant` receives the one that was called.
  Result<std::vector<OpValue>> callShared(const std::vector<OpValue> &inputs,
                                          const Executable *&variant) const;

  /// Of the last call; a caller who wants those before it keeps them. Nothing
  /// here grows with the number of calls.
  const CallRecord &lastCall() const { return lastCall_; }
  const RunStats &stats() const { return stats_; }

private:
  Executable *find(const std::vector<OpValue> &inputs,
                   CallRecord &record) const;
  bool isKnown(const std::vector<OpValue> &inputs);
  Error noVariant(const CallRecord &record) const;
  Result<Executable *> select(const std::vector<OpValue> &inputs,
                              CallRecord &record);
  template <typename T, typename F>
  Result<T> timed(const std::vector<OpValue> &inputs, F run);

  const OperatorRegistry &registry_;
  Options options_;
  std::vector<std::shared_ptr<Executable>> variants_;
  CallRecord lastCall_;
  std::optional<CallRecord> prepared_; ///< a variant that no call has run yet
  std::unique_ptr<KnownInputs> known_; ///< of the last call
  int knownVariant_ = -1;              ///< that fits these; -1: not known
  RunStats stats_;
};

} // namespace kiln::runtime

#endif // KILN_RUNTIME_COMPILEDFUNCTION_H
