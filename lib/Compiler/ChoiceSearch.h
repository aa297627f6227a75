//===- ChoiceSearch.h - Which choices make a program faster -----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The problem: each of several choices is good where it was looked at alone, and
// together they may do harm: what one leaves in a cache another finds. Say which
// to keep, given somebody who compares two programs.
//
// All are tried together. Where that is not faster the half that promises more is tried
// alone, and then the other half beside what was kept of the first, and so on; of a
// single choice that is not faster nothing is kept. Sets that promise less than anybody
// could see are not tried.
//
//   ChoiceSearch search;
//   search.promised = {0.04, 0.01};   // parts of the program's time
//   search.compare = [&](const Choices &without, const Choices &with) {...};
//   search.run();
//   search.kept                       // {true, false}
//
// Plain data: nothing here looks at a clock.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_COMPILER_CHOICESEARCH_H
#define KILN_LIB_COMPILER_CHOICESEARCH_H

#include <cstddef>
#include <functional>
#include <vector>

namespace kiln::compiler {

/// One truth for each choice: is it taken?
using Choices = std::vector<bool>;

/// What came of a comparison of two programs.
struct ProgramComparison {
  enum Kind {
    Faster,    ///< with the choices than without them
    NotFaster,
    Unknown    ///< nobody can compare them, or there is no time left
  };
  Kind kind = Unknown;
  double ratio = 1; ///< of the time with them to that without them
};

class ChoiceSearch {
public:
  /// The part of the program's time that each choice saves by what is known of it.
  std::vector<double> promised;
  std::function<ProgramComparison(const Choices &without, const Choices &with)>
      compare;

  /// Fills in what follows. False if not even the first comparison could be made.
  bool run();

  Choices kept;
  double ratio = 1; ///< of the time with them to that of the default

private:
  using Set = std::vector<size_t>;
  bool isWorthIt(const Set &set) const;
};

} // namespace kiln::compiler

#endif // KILN_LIB_COMPILER_CHOICESEARCH_H
