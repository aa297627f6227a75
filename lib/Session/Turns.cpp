//===- Turns.cpp - Who is faster, turn by turn ----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Turns.h"

#include <algorithm>
#include <cmath>

using namespace kiln;
using namespace kiln::session;

/// The part of all pairs that a candidate wins which is faster, and one that is not.
static constexpr double kWinsOfFaster = 0.75, kWinsOfOthers = 0.5;
/// How often one that is not faster is taken for it, and the other way round.
static constexpr double kFalselyFaster = 0.01, kFalselyNot = 0.05;

static double median(std::vector<double> values) {
  if (values.empty())
    return 1;
  auto middle =
      values.begin() + static_cast<ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void SignTest::add(double ratio) {
  if (verdict_ != Verdict::Open)
    return;
  ratios_.push_back(ratio);
  const bool isWon = ratio <= 1 - gain_;
  evidence_ += isWon ? std::log(kWinsOfFaster / kWinsOfOthers)
                     : std::log((1 - kWinsOfFaster) / (1 - kWinsOfOthers));
  if (evidence_ >= std::log((1 - kFalselyNot) / kFalselyFaster))
    verdict_ = Verdict::Faster;
  else if (evidence_ <= std::log(kFalselyNot / (1 - kFalselyFaster)) ||
           ratios_.size() == kMaxPairs)
    verdict_ = Verdict::NotFaster;
}

double SignTest::ratio() const {
  const double ratio = median(ratios_);
  return verdict_ == Verdict::Faster ? ratio : std::max(ratio, 1.0);
}

Result<double> Turns::takePair(uint32_t first, uint32_t candidate,
                               bool isFirstFirst) {
  auto before = sample(isFirstFirst ? first : candidate);
  if (!before)
    return before;
  auto after = sample(isFirstFirst ? candidate : first);
  if (!after)
    return after;
  // Nothing takes no time, whatever a clock says.
  const double reference = std::max(isFirstFirst ? *before : *after, 1e-12);
  firsts_.push_back(reference);
  return (isFirstFirst ? *after : *before) / reference;
}

Result<std::vector<TurnResult>>
Turns::compare(const std::vector<uint32_t> &active) {
  std::vector<SignTest> tests(active.size(), SignTest(gain));
  std::vector<size_t> open;
  for (size_t i = 1; i < active.size(); ++i)
    open.push_back(i);
  firsts_.clear();
  const double begin = now();
  for (size_t round = 0; !open.empty(); ++round) {
    if (round >= SignTest::kFewestPairs && now() - begin > seconds)
      break;
    // Who follows whom changes, too.
    std::rotate(open.begin(), open.begin() + 1, open.end());
    for (size_t place = 0; place < open.size(); ++place) {
      auto ratio = takePair(active.front(), active[open[place]],
                            (round + open[place]) % 2 == 0);
      if (!ratio)
        return ratio.takeError();
      tests[open[place]].add(*ratio);
    }
    open.erase(std::remove_if(open.begin(), open.end(),
                              [&](size_t i) {
                                return tests[i].verdict() !=
                                       SignTest::Verdict::Open;
                              }),
               open.end());
  }
  // Alone it has a time, too.
  while (firsts_.empty() || (firsts_.size() < SignTest::kFewestPairs &&
                             now() - begin <= seconds)) {
    auto turn = sample(active.front());
    if (!turn)
      return turn.takeError();
    firsts_.push_back(*turn);
  }
  std::vector<TurnResult> results;
  for (const SignTest &test : tests)
    results.push_back({median(firsts_), test.ratio(),
                       test.verdict() == SignTest::Verdict::Faster});
  return results;
}
