//===- MemoryBudget.h - What to run again for fewer bytes -------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between the cut of fewest bytes under the rules (nothing costly is run again)
// and the cut of fewest bytes without them lies every choice that is worth
// making: for any set of ops run again, adding what the first cut runs again,
// and leaving out what the second does not, never adds a byte or a cost. (The
// bytes of a cut are submodular in its sink side, of which the two are minima.)
//
// What is in dispute, the ops that only the second cut runs again, falls into
// regions. Two ops are of one region if a value joins them that the backward
// does not need anyway: only then do the bytes of one depend on the other. A
// contraction whose result is saved under the rules is a region of its own; a
// chain of contractions that ends in the only saved value is one region.
//
// So bytes and costs of regions add up, and the choice among them is a knapsack.
// A region of few costly ops states all of its tradeoffs; a large one those of
// the lower convex hull, found by cuts that weigh costs against bytes.
//
//   x -> mm1 -> exp -> mm2 -> ...    backward needs mm1 and mm2
//
// Regions {mm1} and {mm2}: each is saved or, for its cost, computed from what is
// before it. Were mm1 not needed by the backward, the one region {mm1, mm2}
// would offer: save mm2; save mm1 and run mm2; run both.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_JOINT_TRANSFORMS_MEMORYBUDGET_H
#define KILN_LIB_DIALECT_JOINT_TRANSFORMS_MEMORYBUDGET_H

#include "PartitionRules.h"

#include "kiln/Dialect/Joint/Transforms/Knapsack.h"

namespace kiln::joint {

class MemoryBudget {
public:
  /// `ruled` and `unruled` are the cuts of fewest bytes with all rules in force
  /// and with those given up that a budget may give up.
  MemoryBudget(const PartitionProblem &problem, const PartitionFacts &facts,
               const std::vector<Ban> &bans, const PartitionResult &ruled,
               const PartitionResult &unruled);

  /// The bans under which the cut of fewest bytes stays within `target` bytes
  /// for the least cost, or comes as near to it as can be.
  std::vector<Ban> fit(int64_t target) const;

private:
  /// Ops that depend on each other's choice, and values from outside that only
  /// they need.
  struct Region {
    std::vector<int> ops;
    std::vector<int> borrowed;
    std::vector<int> costly; ///< those of `ops` that the rules ban
    /// The states it may be in, and the costly ops run again in each.
    std::vector<Tradeoff> states;
    std::vector<std::vector<int>> recomputed;
  };
  struct Prices {
    int64_t perByte = 1;
    int64_t perCost = 0;
    /// A set of `Region::costly`, by position: the others are not run again.
    uint64_t allowed = ~uint64_t(0);
  };

  bool isInDispute(int op) const { return inUnruled[op] && !inRuled[op]; }
  void findRegions();
  void findStates(Region &region) const;
  /// Adds the state of `region` that is best at `prices`; returns its number.
  int addState(Region &region, const Prices &prices) const;
  void addHull(Region &region, int low, int high, int &attempts) const;

  const PartitionProblem &problem;
  const PartitionFacts &facts;
  const std::vector<Ban> &bans;
  std::vector<bool> inRuled, inUnruled; ///< per op: run in the backward
  std::vector<bool> isNeeded;           ///< per value: by the ruled backward
  std::vector<Region> regions;
  int64_t fixedBytes = 0; ///< saved whatever the regions do
};

} // namespace kiln::joint

#endif // KILN_LIB_DIALECT_JOINT_TRANSFORMS_MEMORYBUDGET_H
