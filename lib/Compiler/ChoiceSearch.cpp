//===- ChoiceSearch.cpp - Which choices make a program faster -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChoiceSearch.h"

#include <algorithm>
#include <numeric>
#include <tuple>

using namespace kiln::compiler;

/// The part of a program's time below which a gain is not seen.
static constexpr double kSeen = 0.005;

bool ChoiceSearch::isWorthIt(const Set &set) const {
  double sum = 0;
  for (size_t i : set)
    sum += promised[i];
  return sum >= kSeen;
}

bool ChoiceSearch::run() {
  kept.assign(promised.size(), false);
  ratio = 1;
  Set all(promised.size());
  std::iota(all.begin(), all.end(), 0);
  std::sort(all.begin(), all.end(), [&](size_t a, size_t b) {
    return std::tie(promised[b], a) < std::tie(promised[a], b);
  });
  bool isKnown = !isWorthIt(all); // then it is not asked
  std::vector<Set> stack = {std::move(all)};
  while (!stack.empty()) {
    Set set = std::move(stack.back());
    stack.pop_back();
    if (set.empty() || !isWorthIt(set))
      continue;
    Choices with = kept;
    for (size_t i : set)
      with[i] = true;
    ProgramComparison found = compare(kept, with);
    if (found.kind == ProgramComparison::Unknown)
      break;
    isKnown = true;
    if (found.kind == ProgramComparison::Faster) {
      kept = std::move(with);
      ratio *= found.ratio;
    } else if (set.size() > 1) {
      auto middle = set.begin() + static_cast<ptrdiff_t>(set.size() / 2);
      stack.emplace_back(middle, set.end());
      stack.emplace_back(set.begin(), middle);
    }
  }
  return isKnown;
}
