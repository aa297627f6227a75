//===- RematerializationTest.cpp - What is computed again -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/Transforms/Rematerialization.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <optional>
#include <random>

using namespace kiln::loop;

namespace {

/// Problems whose steps make one value each, with the same number.
class Builder {
public:
  Builder &step(int64_t bytes, int64_t cost, std::vector<unsigned> reads) {
    RematStep step;
    step.cost = cost;
    step.mayRepeat = step.mayRepeatInBackward = true;
    step.reads = std::move(reads);
    step.makes = {unsigned(problem.values.size())};
    RematValue value;
    value.bytes = bytes;
    value.step = unsigned(problem.steps.size());
    problem.steps.push_back(step);
    problem.values.push_back(value);
    return *this;
  }
  Builder &endForward() {
    problem.numForward = unsigned(problem.steps.size());
    return *this;
  }
  Builder &output(unsigned value) {
    problem.values[value].isOutput = true;
    if (problem.numForward != 0 && value >= problem.numForward)
      problem.outputs.push_back(value);
    return *this;
  }
  RematProblem build() {
    if (problem.numForward == 0)
      endForward();
    return problem;
  }

private:
  RematProblem problem;
};

std::vector<unsigned> getSteps(const RematState &state) {
  std::vector<unsigned> steps;
  for (const RematRun &run : state.order)
    steps.push_back(run.step);
  return steps;
}

/// 0 is read at once and at the end; the peak is between.
RematProblem makeLongLife() {
  return Builder()
      .step(100, 10, {})
      .step(1, 10, {0})
      .step(100, 10, {1})
      .step(1, 10, {2})
      .step(1, 10, {0, 3})
      .output(4)
      .build();
}

//===----------------------------------------------------------------------===//
// What comes of cuts
//===----------------------------------------------------------------------===//

TEST(RematSimulation, NothingIsCut) {
  RematProblem problem = makeLongLife();
  RematState state = simulate(problem, RematCuts(5));
  EXPECT_EQ(getSteps(state), (std::vector<unsigned>{0, 1, 2, 3, 4}));
  // The result, then what is live while each runs.
  EXPECT_EQ(state.live, (std::vector<int64_t>{101, 102, 202, 202, 102}));
  EXPECT_EQ(state.peak, 202);
  EXPECT_EQ(state.cost, 0);
}

TEST(RematSimulation, ARunEndsALife) {
  RematCuts cuts(5);
  cuts[0] = {4};
  RematState state = simulate(makeLongLife(), cuts);
  EXPECT_EQ(getSteps(state), (std::vector<unsigned>{0, 1, 2, 3, 0, 4}));
  EXPECT_EQ(state.live, (std::vector<int64_t>{101, 102, 102, 102, 102, 102}));
  EXPECT_EQ(state.cost, 10);
  EXPECT_EQ(state.order[5].sources, (std::vector<unsigned>{4, 3}));
}

TEST(RematSimulation, WithoutAReaderBeforeItIsMoved) {
  RematProblem problem = Builder()
                             .step(8, 5, {})
                             .step(8, 5, {})
                             .step(8, 5, {0, 1})
                             .output(2)
                             .build();
  RematCuts cuts(3);
  cuts[0] = {2};
  RematState state = simulate(problem, cuts);
  EXPECT_EQ(getSteps(state), (std::vector<unsigned>{1, 0, 2}));
  EXPECT_EQ(state.cost, 0);
}

TEST(RematSimulation, WhatIsReadIsKeptForIt) {
  // 1 runs again from 0, which lives longer for it.
  RematProblem problem = Builder()
                             .step(10, 1, {})
                             .step(100, 1, {0})
                             .step(1, 1, {1})
                             .step(1, 1, {1, 2})
                             .output(3)
                             .build();
  RematCuts cuts(4);
  cuts[1] = {3};
  RematState state = simulate(problem, cuts);
  EXPECT_EQ(getSteps(state), (std::vector<unsigned>{0, 1, 2, 1, 3}));
  EXPECT_EQ(state.live, (std::vector<int64_t>{11, 111, 112, 112, 102}));
}

TEST(RematSimulation, SavedValuesTakeTheirBytesAllTheTime) {
  RematProblem problem = Builder()
                             .step(64, 1, {})
                             .step(1, 1, {0})
                             .endForward()
                             .step(1, 1, {0})
                             .output(1)
                             .output(2)
                             .build();
  RematState state = simulate(problem, RematCuts(3));
  EXPECT_EQ(state.savedBytes, 64);
  EXPECT_EQ(state.peak, 66);
  problem.values[0].mayBeSaved = false;
  EXPECT_FALSE(simulate(problem, RematCuts(3)).isPossible);
  RematCuts cuts(3);
  cuts[0] = {2};
  state = simulate(problem, cuts);
  EXPECT_TRUE(state.isPossible);
  EXPECT_EQ(state.savedBytes, 0);
}

TEST(RematSimulation, ABackwardWritesIntoWhatIsSaved) {
  // The gradient 3 takes the place of 0, which 2 has read; 4 is larger.
  Builder builder;
  builder.step(64, 1, {}).step(1, 1, {0}).endForward();
  builder.step(8, 1, {0}).step(64, 1, {2}).step(128, 1, {3});
  RematProblem problem = builder.output(1).output(3).output(4).build();
  problem.values[4].type = 2;
  EXPECT_EQ(simulate(problem, RematCuts(5)).peak, 64 + 1 + 128 + 8);
  // A caller's result takes a place of its own type alone.
  problem.values[3].type = 1;
  EXPECT_EQ(simulate(problem, RematCuts(5)).peak, 64 + 1 + 128 + 64 + 8);
}

TEST(RematSimulation, APlaceIsHandedOn) {
  RematProblem problem = Builder()
                             .step(64, 1, {})
                             .step(64, 1, {0})
                             .step(1, 1, {1})
                             .output(2)
                             .build();
  EXPECT_EQ(simulate(problem, RematCuts(3)).peak, 129);
  problem.steps[1].overwrites = {{1, 0}};
  EXPECT_EQ(simulate(problem, RematCuts(3)).peak, 65);
}

//===----------------------------------------------------------------------===//
// Which cuts are made
//===----------------------------------------------------------------------===//

TEST(Rematerialization, NothingRunsAgainWithinTheLimit) {
  RematResult result = rematerialize(makeLongLife(), 202);
  EXPECT_EQ(result.state.cost, 0);
  EXPECT_EQ(getSteps(result.state), (std::vector<unsigned>{0, 1, 2, 3, 4}));
}

TEST(Rematerialization, TheLimitIsKept) {
  RematResult result = rematerialize(makeLongLife(), 201);
  EXPECT_EQ(result.before.peak, 202);
  EXPECT_EQ(result.state.peak, 102);
  EXPECT_EQ(getSteps(result.state), (std::vector<unsigned>{0, 1, 2, 3, 0, 4}));
}

TEST(Rematerialization, TheLowestPeakStaysWhereTheLimitCannotBeKept) {
  RematResult result = rematerialize(makeLongLife(), 50);
  EXPECT_EQ(result.state.peak, 102);
  EXPECT_EQ(result.state.cost, 10);
}

TEST(Rematerialization, TheCheaperOfTwoRunsAgain) {
  for (unsigned dear : {0, 1}) {
    Builder builder;
    builder.step(100, dear == 0 ? 1000 : 10, {})
        .step(100, dear == 1 ? 1000 : 10, {})
        .step(1, 10, {0, 1})
        .step(100, 10, {2})
        .step(1, 10, {3})
        .step(1, 10, {0, 4})
        .step(1, 10, {1, 5});
    RematResult result = rematerialize(builder.output(6).build(), 250);
    EXPECT_LE(result.state.peak, 250);
    EXPECT_EQ(result.state.cost, 10);
    EXPECT_TRUE(result.cuts[dear].empty());
  }
}

TEST(Rematerialization, WhatMayNotRunAgainDoesNot) {
  RematProblem problem = makeLongLife();
  problem.steps[0].mayRepeat = false;
  RematResult result = rematerialize(problem, 100);
  EXPECT_EQ(result.state.peak, 202);
  EXPECT_EQ(result.state.cost, 0);
}

TEST(Rematerialization, AChainIsMadeAgainInTheBackward) {
  // 1 and 2 are large; 1 is not saved, so 2 needs both.
  Builder builder;
  builder.step(1, 1, {}).step(100, 1, {0}).step(100, 1, {1}).step(1, 1, {2});
  builder.endForward().step(150, 1, {}).step(1, 1, {4}).step(1, 1, {0, 2, 5});
  RematProblem problem = builder.output(3).output(6).build();
  problem.values[1].mayBeSaved = false;
  RematResult result = rematerialize(problem, 240);
  EXPECT_LE(result.state.peak, 240);
  EXPECT_EQ(getSteps(result.state),
            (std::vector<unsigned>{0, 1, 2, 3, 4, 5, 1, 2, 6}));
  EXPECT_EQ(result.state.savedBytes, 1);
}

//===----------------------------------------------------------------------===//
// Against all cuts that there are
//===----------------------------------------------------------------------===//

/// A random program of `count` steps; `half` of them are a forward.
RematProblem makeRandom(std::minstd_rand &random, unsigned count,
                        unsigned half) {
  Builder builder;
  for (unsigned step = 0; step < count; ++step) {
    std::vector<unsigned> reads;
    if (step > 0)
      reads.push_back(step - 1);
    if (step > 1 && random() % 2)
      reads.push_back(random() % (step - 1));
    builder.step(64 * (1 + random() % 8), 1 + random() % 30, reads);
    if (step + 1 == half)
      builder.endForward();
  }
  return builder.output(count - 1).build();
}

/// The steps at which readers can be cut off: those that depend on it, save the
/// next one.
std::vector<std::pair<unsigned, unsigned>>
getAllCuts(const RematProblem &problem) {
  std::vector<std::pair<unsigned, unsigned>> all;
  for (unsigned step = 0; step < problem.steps.size(); ++step) {
    std::vector<bool> depends(problem.steps.size());
    depends[step] = true;
    for (unsigned other = step + 1; other < problem.steps.size(); ++other) {
      for (unsigned read : problem.steps[other].reads)
        depends[other] = depends[other] || depends[problem.values[read].step];
      if (depends[other] && other > step + 1)
        all.push_back({step, other});
    }
  }
  return all;
}

/// The least cost within `limit` of all sets of cuts, or the lowest peak.
struct Optimum {
  std::vector<std::pair<int64_t, int64_t>> reached; ///< peak, cost

  explicit Optimum(const RematProblem &problem) {
    auto all = getAllCuts(problem);
    for (unsigned set = 0; set < 1u << all.size(); ++set) {
      RematCuts cuts(problem.steps.size());
      for (size_t k = 0; k < all.size(); ++k)
        if (set >> k & 1)
          cuts[all[k].first].push_back(all[k].second);
      RematState state = simulate(problem, cuts);
      reached.push_back({state.peak, state.cost});
    }
  }
  std::optional<int64_t> getCost(int64_t limit) const {
    std::optional<int64_t> least;
    for (auto [peak, cost] : reached)
      if (peak <= limit && (!least || cost < *least))
        least = cost;
    return least;
  }
  int64_t getLowest() const {
    return std::min_element(reached.begin(), reached.end())->first;
  }
};

/// Compares with the best set of cuts at all limits between the lowest peak and
/// that without cuts.
void compareWithAll(unsigned seed, unsigned rounds, unsigned count,
                    double factor) {
  std::minstd_rand random(seed);
  unsigned limits = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    RematProblem problem =
        makeRandom(random, count, round % 2 ? (count + 1) / 2 : count);
    Optimum optimum(problem);
    int64_t time = 0;
    for (const RematStep &step : problem.steps)
      time += step.cost;
    int64_t highest = simulate(problem, RematCuts(count)).peak;
    for (int64_t limit = optimum.getLowest(); limit < highest; limit += 64) {
      RematResult result = rematerialize(problem, limit);
      ++limits;
      EXPECT_LE(double(result.state.peak), factor * double(limit))
          << "round " << round << ", limit " << limit;
      EXPECT_LE(double(time + result.state.cost),
                factor * double(time + *optimum.getCost(limit)))
          << "round " << round << ", limit " << limit;
    }
  }
  EXPECT_GT(limits, rounds);
}

TEST(Rematerialization, SmallProgramsHaveTheOptimum) {
  compareWithAll(/*seed=*/7, /*rounds=*/40, /*count=*/6, /*factor=*/1);
}

TEST(Rematerialization, LargerProgramsAreNearIt) {
  compareWithAll(/*seed=*/99, /*rounds=*/12, /*count=*/7, /*factor=*/1.05);
}

} // namespace
