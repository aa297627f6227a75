//===- Autotuner.h - Schedules that are measured ----------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `loop-autotune` says what to measure and what wins; the caller's tuner runs code
// and keeps results. Between them stands this: each kernel of a module becomes a
// program of its own, one package for each schedule that is wanted, until nothing is.
//
//   Autotuner autotuner(*module, code, behind, options, hooks, reasons,
//                       /*seconds=*/300);
//   Status tuned = autotuner.run();       // kernels have the schedules that won
//
// Kernels are equal if their programs are: equal kernels are measured once, in this
// module and, by what the tuner has kept, in all others. At last the program is measured
// with what won in its kernels, beside the default (TunedProgram.h). What does not compile or
// cannot be run keeps the schedule that it has, as does what nobody came to in the
// time that tuning has: candidates are ended with it, whatever they do.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_COMPILER_AUTOTUNER_H
#define KILN_LIB_COMPILER_AUTOTUNER_H

#include "CandidateCode.h"

#include "kiln/Compiler/CompilerSession.h"
#include "kiln/Dialect/Loop/IR/Loop.h"
#include "kiln/Package/KernelTuner.h"

#include <chrono>

namespace kiln::compiler {

class Autotuner {
public:
  /// All are used until the end of `run`. The pipelines `behind` make a package of
  /// the module. `hooks.tuner` is not null. Reasons of
  /// compilations of candidates are taken out of `reasons` again. Once so many
  /// `seconds` are spent, nothing is measured any more.
  Autotuner(ModuleOp module, CandidateCode &code,
            ArrayRef<StagePipeline> behind, const CompileOptions &options,
            const CompileHooks &hooks,
            std::vector<package::Reason> &reasons, double seconds);
  ~Autotuner();

  Status run();

private:
  struct Group;
  struct Candidate;

  LogicalResult runPass(bool settle);
  void findGroups();
  void lookUp(Group &group);
  Digest digestProgram();
  void takeBegun();
  bool search(std::vector<Group *> active, unsigned round);
  void compileAll(std::vector<std::vector<Candidate>> &batches);
  bool measure(ArrayRef<Group *> active);
  double getTunedTime(const Group &group) const;
  void keep();
  void compareProgram();
  bool isOver() const;
  double secondsLeft() const;
  bool isSpent() const;

  ModuleOp module;
  CandidateCode &code;
  ArrayRef<StagePipeline> behind;
  const CompileOptions &options;
  const CompileHooks &hooks;
  std::vector<package::Reason> &reasons;
  package::MachineSpeed speed;
  Digest key; ///< of the program
  std::vector<std::unique_ptr<Group>> groups;
  std::chrono::steady_clock::time_point start;
  std::chrono::duration<double> budget;
};

} // namespace kiln::compiler

#endif // KILN_LIB_COMPILER_AUTOTUNER_H
