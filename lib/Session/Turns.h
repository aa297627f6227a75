//===- Turns.h - Who is faster, turn by turn --------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The problem: a machine that does other things as well runs the same code now faster
// and now slower, for one turn or for many, and of several candidates the luckiest
// looks best. Say which are faster than the first one so that chance seldom decides,
// with no more turns than that takes.
//
// A pair is a turn of a candidate and one of the first beside it, each time in another
// order. The candidate wins a pair if it takes less time by `gain`; by how much does not
// count, so one turn decides no more than another. Wald's sequential test of signs says
// after each pair whether that is enough: a candidate that would win only half of all
// pairs is taken for faster once in a hundred times; one that would win three of four is
// given up once in twenty. Twelve pairs won in a row decide, and so do five that
// are lost; whatever is open after `kMaxPairs` is not faster.
//
//   Turns turns;
//   turns.sample = [&](uint32_t i) -> Result<double> { return callAndTime(i); };
//   turns.now = [&] { return secondsOfAClock(); };
//   auto results = turns.compare({0, 2, 3});
//   (*results)[1].ratio       // of candidate 2; at least 1 unless it is faster
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SESSION_TURNS_H
#define KILN_LIB_SESSION_TURNS_H

#include "kiln/Base/Result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace kiln::session {

/// The sequential test of one candidate.
class SignTest {
public:
  enum class Verdict { Open, Faster, NotFaster };

  /// Pairs at most.
  static constexpr size_t kMaxPairs = 60;
  /// The fewest after which a candidate may be faster.
  static constexpr size_t kFewestPairs = 12;

  /// `gain` is the part of its time by which a candidate must be faster.
  explicit SignTest(double gain) : gain_(gain) {}

  /// A pair whose candidate took so many times as long as the first.
  void add(double ratio);
  Verdict verdict() const { return verdict_; }
  /// Of the ratios; 1 without pairs. Not below 1 unless the verdict is Faster.
  double ratio() const;

private:
  double gain_;
  double evidence_ = 0; ///< logarithm of the likelihood ratio
  std::vector<double> ratios_;
  Verdict verdict_ = Verdict::Open;
};

/// What came of the turns of one.
struct TurnResult {
  double seconds = 0; ///< median of a turn of the first
  double ratio = 1;   ///< of the candidate's time to it; at least 1 unless it is faster
  bool isFaster = false;
};

/// Takes turns.
class Turns {
public:
  /// Seconds of a turn of one.
  std::function<Result<double>(uint32_t)> sample;
  /// A clock, in seconds from any moment on.
  std::function<double()> now;
  /// About how long all turns may take, as long as each open candidate has the pairs
  /// that it needs to be faster.
  double seconds = 0.25;
  double gain = 0.02;

  /// One result each for `active`, whose first element is the one that the others are
  /// compared with. A candidate takes turns until its verdict is known.
  Result<std::vector<TurnResult>> compare(const std::vector<uint32_t> &active);

private:
  /// One pair; the ratio of their times.
  Result<double> takePair(uint32_t first, uint32_t candidate,
                          bool isFirstFirst);

  std::vector<double> firsts_;
};

} // namespace kiln::session

#endif // KILN_LIB_SESSION_TURNS_H
