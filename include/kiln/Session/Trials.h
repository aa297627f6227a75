//===- Trials.h - Packages that are run by turns ----------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The problem: several packages compute the same, and one wants to know which is the
// fastest, although some may crash, run for ever or be wrong, and although the
// machine is now faster and now slower.
//
// They run in a child process, which says what it does before it does it. When it
// dies or falls silent, the package that it was at is to blame; the others are tried
// again by another child. Where the machine may be to blame instead, which killed it
// or had no time, such a package is tried once more with three times as much time; then
// it is to blame, as the first package came through beside it. Where that did not, or
// there was no process or memory, it is told with the failure that it may be of the
// moment. A program that does not come to the first package says nothing of any.
// Who was not timed when the time of all is over has failed, too, for good:
// else each compilation would spend it again. Each package's numbers are compared with
// the first's. Then each takes turns with the first, before and after it, until a test of
// signs says whether it is faster; its time is the first's, times the median of the ratios of
// neighbouring turns: what slows the machine down slows both. A package that the test
// does not take for faster has no better time than the first.
//
// Inputs are numbers from 0.25 to 1.25, integers from 0 up to a bound, truths take
// turns: positions in a table must be below the bound, and where it is 1 integers are
// all 0, so that a kernel that is wrong about them is not found out. There are several
// sets of them if one fits the second cache, so that no package profits from
// what the last turn left there.
//
//   TrialOptions options;
//   options.threads = 2;
//   Result<std::vector<package::Trial>> trials = runTrials(packages, {}, options);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SESSION_TRIALS_H
#define KILN_SESSION_TRIALS_H

#include "kiln/Base/ChildProcess.h"
#include "kiln/Package/KernelTuner.h"

namespace kiln::session {

struct TrialOptions {
  unsigned threads = 1;
  /// A GPU by its name, "cuda:0"; empty: this processor.
  std::string device;
  /// What calls them there: `findTrialProgram`. Used during the call.
  ChildProgram *program = nullptr;
  /// About how long all packages together run to be timed, as long as each has the
  /// turns that it needs to be faster.
  double seconds = 0.25;
  /// The part of its time by which a package must be faster than the first.
  double gain = 0.02;
  /// They are whole programs, with a backward part if they have one: numbers, which
  /// rounding along the way makes differ, are not compared.
  bool isProgram = false;
  /// How long a package may take for its first call, besides thirty times what the
  /// first package took; the first one may take ten times as long. Three times as
  /// long where it is tried again.
  double hangSeconds = 2;
  /// How long all of it may take; second tries at most a quarter of what is left.
  double maxSeconds = 300;
  /// Integers of inputs are smaller, and never above 127.
  int64_t integersBelow = 1;
};

/// One trial a package, in their order. An empty package is one that nobody could
/// make: its trial has no time and no failure, unless the first package fails: then
/// all do. Io if the program that is to call them does not come to the first one,
/// Unsupported if there is none: that says nothing of packages.
Result<std::vector<package::Trial>>
runTrials(const std::vector<std::vector<uint8_t>> &packages,
          const package::SymbolValues &symbols, const TrialOptions &options);

/// The program `kiln-trial` beside this library; empty if it is not there, or this
/// library's folder is known by a relative name alone.
std::string findTrialProgram();
/// Says so.
std::string whyNoTrialProgram();

/// That program: calls what the process that started it asks for. Times on a
/// GPU are those of the device, while nobody waits for single calls. A process that has
/// started the driver of a GPU cannot share it with copies of its own, so these calls
/// have a program.
[[noreturn]] void serveTrials();

} // namespace kiln::session

#endif // KILN_SESSION_TRIALS_H
