//===- Tally.h - What came of cases ---------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_CHECK_TALLY_H
#define KILN_TOOLS_KILN_CHECK_TALLY_H

#include "Check.h"

#include "common/JsonWriter.h"

#include <cstdio>

namespace kiln::check {

/// Of the cases of an item, or of all.
struct Tally {
  unsigned passed = 0, failed = 0, unsupported = 0, notApplicable = 0;
  unsigned refused = 0; ///< expected refusals, judged at the end of the pack
  std::string unreadable; ///< why the pack or the recorded values are
  std::string firstFailure, firstUnsupported;
  std::vector<std::string> laterFailures;
  std::vector<std::string> noise; ///< cases whose stored gradient is wrong
  double compileSeconds = 0, runSeconds = 0;
  std::map<std::string, unsigned> fallbacks; ///< and in how many cases
  std::map<std::string, double> stages;      ///< milliseconds of compiling
  std::map<std::string, unsigned> fixedSizes; ///< by reason
  unsigned withSymbols = 0, withFixedSizes = 0, atOtherSizes = 0;
  unsigned withFallbacks = 0, withLaunches = 0;
  uint64_t launches = 0;                  ///< of kernels
  std::map<std::string, unsigned> causes; ///< of failures, and in how many cases

  void add(const Outcome &outcome);
  void add(const Tally &other);
  /// A refusal tells nothing about an operator that nothing accepts.
  void settle();
};

/// One line of an item, and what was wrong in it.
void print(std::FILE *out, const Item &item, const Tally &tally,
           bool listFailures);
/// The last lines, of all cases.
void printTotal(std::FILE *out, const Tally &total, bool isDynamic);
/// The members of an object.
void writeTally(tools::JsonWriter &json, const Tally &tally, bool isDynamic);

} // namespace kiln::check

#endif // KILN_TOOLS_KILN_CHECK_TALLY_H
