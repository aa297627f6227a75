//===- TunedProgram.h - What was chosen, beside the default -----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels are measured alone, with caches of their own. Whether the program is faster
// with the schedules that won there only the program says: it is compiled with them
// and without them, and the two take turns. What does not make it faster is
// taken back (ChoiceSearch.h). The decision is kept like that of a kernel.
//
//   TunedProgram program(key, module, code, behind, hooks, reasons, secondsLeft);
//   program.settle(std::move(choices), nanosecondsOfAllKernels);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_COMPILER_TUNEDPROGRAM_H
#define KILN_LIB_COMPILER_TUNEDPROGRAM_H

#include "CandidateCode.h"
#include "ChoiceSearch.h"

#include "kiln/Compiler/StagePipelines.h"
#include "kiln/Dialect/Loop/IR/Loop.h"

#include <map>

namespace kiln::compiler {

/// Equal kernels that have another schedule than by default.
struct TunedKernels {
  std::vector<loop::KernelOp> kernels;
  loop::ScheduleAttr byDefault, chosen;
  double saved = 0; ///< nanoseconds, by what was measured of a kernel, of all of them
};

class TunedProgram {
public:
  /// All are used until the end of `settle`. `key` is what decisions are kept under,
  /// `behind` are the pipelines from the module to its package. Reasons of compilations
  /// are taken out of `reasons` again.
  TunedProgram(const Digest &key, ModuleOp module, CandidateCode &code,
               ArrayRef<StagePipeline> behind, const CompileHooks &hooks,
               std::vector<package::Reason> &reasons,
               std::function<double()> secondsLeft);

  /// Gives kernels the schedules that make the program faster, and tells. `all` is the
  /// time of all kernels with their defaults. What is decided without a kernel that could
  /// not be measured now is not to be kept (`isDisturbed`).
  void settle(std::vector<TunedKernels> tuned, double all, bool isDisturbed);

private:
  void apply(const Choices &taken);
  const std::vector<uint8_t> &getPackage(const Choices &taken);
  Result<std::vector<uint8_t>> makePackage(const Choices &taken);
  package::TrialInputs getInputs();
  ProgramComparison compare(const Choices &without, const Choices &with);
  void tell(const Choices &kept);

  Digest key;
  ModuleOp module;
  CandidateCode &code;
  ArrayRef<StagePipeline> behind;
  const CompileHooks &hooks;
  std::vector<package::Reason> &reasons;
  std::function<double()> secondsLeft;

  std::vector<TunedKernels> choices;
  std::map<Choices, std::vector<uint8_t>> packages;
  double defaultNanoseconds = 0, nanoseconds = 0;
  std::string failure; ///< why it could not be compared
  bool isPassing = false; ///< it may be another time
};

} // namespace kiln::compiler

#endif // KILN_LIB_COMPILER_TUNEDPROGRAM_H
