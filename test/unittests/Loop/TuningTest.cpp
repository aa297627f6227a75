//===- TuningTest.cpp - Which of several schedules is the best ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/Transforms/ScheduleText.h"
#include "kiln/Dialect/Loop/Transforms/Tuning.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <set>

using namespace kiln::loop;

namespace {

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

TEST(ScheduleText, NumbersHavePaths) {
  std::string text =
      "#loop.blocks<rows = 96, nests = <along = [1, 64], sum_block = 128, "
      "masked = true, grain = 1>, products = [#loop.packed<lanes = 16>, "
      "#loop.packed<lanes = 8, grain = 2>], grain = 3>";
  std::vector<std::string> found;
  for (const Tunable &tunable : getTunables(text)) {
    found.push_back(tunable.name + "=" + std::to_string(tunable.value));
    EXPECT_EQ(text.substr(tunable.begin, tunable.length),
              std::to_string(tunable.value));
  }
  EXPECT_EQ(found, (std::vector<std::string>{
                       "rows=96", "nests.along.0=1", "nests.along.1=64",
                       "nests.sum_block=128", "nests.grain=1",
                       "products.0.lanes=16", "products.1.lanes=8",
                       "products.1.grain=2", "grain=3"}));
  EXPECT_EQ(getScheduleKind(text), "blocks");
  std::string changed = setTunable(text, "products.1.grain", 70);
  EXPECT_NE(changed.find("lanes = 8, grain = 70>], grain = 3>"),
            std::string::npos);
  EXPECT_EQ(setTunable(text, "products.2.grain", 1), text);
}

TEST(ScheduleText, AnyTextIsAccepted) {
  for (const char *text : {"", ">>>]]]", "#", "<<<", "a = ", "#loop.",
                           "99999999999999999999999999", "[1, [2, <3"})
    EXPECT_NO_FATAL_FAILURE((void)getTunables(text)) << text;
  EXPECT_EQ(getScheduleKind("across"), "");
  EXPECT_TRUE(getTunables("grain = 99999999999999999999999999").empty());
}

TEST(ScheduleText, NeighboursDifferInOneNumber) {
  std::string text =
      "#loop.within<along = [1, 8], sum_block = 128, masked = true, grain = 1>";
  EXPECT_EQ(getNeighbours(text),
            (std::vector<std::string>{setTunable(text, "along.1", 16),
                                      setTunable(text, "along.1", 4),
                                      setTunable(text, "grain", 2)}));
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

TuneMachine getWide() {
  TuneMachine machine;
  machine.machine = {512, 32, true, 1 << 20, 16384};
  machine.threads = 2;
  return machine;
}

PackedSchedule getDefault(const ProductShape &product) {
  return std::get<PackedSchedule>(
      chooseProduct(product, getWide().machine));
}

TEST(TuneCandidates, ProductsAreLegalDifferentAndFew) {
  for (int64_t m : {12, 100, 512, 1000})
    for (int64_t n : {16, 256, 3072}) {
      ProductShape product;
      product.m = m;
      product.n = n;
      product.k = 768;
      PackedSchedule first = getDefault(product);
      std::set<std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t, int64_t>>
          seen;
      auto list = getCandidates(product, first, getWide(), 8);
      EXPECT_LE(list.size(), 8u);
      EXPECT_GE(list.size(), 2u) << m << " x " << n;
      for (const PackedSchedule &s : list) {
        EXPECT_EQ(s.tileColumns % s.lanes, 0);
        EXPECT_EQ(s.itemRows % s.tileRows, 0);
        EXPECT_EQ(s.blockRows % s.tileRows, 0);
        EXPECT_EQ(s.itemColumns % s.tileColumns, 0);
        EXPECT_EQ(s.blockDepth % s.lanes, 0);
        EXPECT_TRUE(seen.insert({s.tileRows, s.tileColumns, s.blockRows,
                                 s.blockDepth, s.itemRows, s.itemColumns})
                        .second);
      }
    }
}

TEST(TuneCandidates, EmptyProductsHaveNone) {
  for (Size ProductShape::*extent : {&ProductShape::batch, &ProductShape::m,
                                     &ProductShape::n, &ProductShape::k}) {
    ProductShape product;
    product.m = product.n = product.k = 64;
    product.*extent = 0;
    PackedSchedule first = getDefault(product);
    EXPECT_TRUE(getCandidates(product, first, getWide(), 8).empty());
  }
}

TEST(TuneCandidates, EstimatesKnowTilesAndThreads) {
  ProductShape product;
  product.m = product.n = product.k = 768;
  PackedSchedule good = getDefault(product);
  double time = estimate(product, good, getWide());
  PackedSchedule spilling = good;
  spilling.tileRows = 24;
  spilling.itemRows = spilling.blockRows = 768;
  EXPECT_GT(estimate(product, spilling, getWide()), 2 * time);
  // One item leaves the other thread without work.
  PackedSchedule whole = good;
  whole.itemRows = whole.itemColumns = 768;
  EXPECT_GT(estimate(product, whole, getWide()), 1.5 * time);
  TuneMachine fast = getWide();
  fast.flopsPerSecond *= 4;
  EXPECT_LT(estimate(product, good, fast), time);
}

TEST(TuneCandidates, NestsChangeLanesAndItems) {
  AcrossSchedule first{16, 256, 0, true, 64};
  auto list = getCandidates(first, 4096);
  EXPECT_EQ(list.size(), 6u);
  for (const AcrossSchedule &s : list) {
    EXPECT_EQ(s.sumBlock, 0);
    EXPECT_GE(s.grain, 1);
    EXPECT_GE(s.chunk, s.lanes);
  }
  EXPECT_EQ(getLaneCandidates({1, 1}).size(), 0u);
  EXPECT_EQ(getLaneCandidates({1, 128}),
            (std::vector<std::vector<int64_t>>{{1, 64}}));
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

TEST(TuneDecision, WantsAllCandidatesFirst) {
  TuneInput input;
  input.candidates = {"a", "b", "c"};
  EXPECT_EQ(decide(input).wanted, input.candidates);
  input.measured["a"] = {100, ""};
  input.measured["b"] = {50, ""};
  TuneDecision decision = decide(input);
  EXPECT_EQ(decision.wanted, std::vector<std::string>{"c"});
  EXPECT_EQ(decision.best, "b");
}

TEST(TuneDecision, TheDefaultWinsWithinTheNoise) {
  TuneInput input;
  input.candidates = {"a", "b", "c"};
  input.measured["a"] = {100, ""};
  input.measured["b"] = {97.5, ""};
  input.measured["c"] = {98, ""};
  EXPECT_EQ(decide(input).best, "a");
  input.gain = 0.02;
  EXPECT_EQ(decide(input).best, "b");
}

TEST(TuneDecision, OfEquallyFastOnesTheFirstWins) {
  TuneInput input;
  input.candidates = {"a", "c", "b"};
  input.measured["a"] = {100, ""};
  input.measured["b"] = input.measured["c"] = {50, ""};
  EXPECT_EQ(decide(input).best, "c");
}

TEST(TuneDecision, TheWinnerIsMeasuredTwice) {
  TuneInput input;
  input.candidates = {"a", "b", "c"};
  input.measured["a"] = {100, ""};
  input.measured["b"] = {50, ""};
  input.measured["c"] = {60, ""};
  EXPECT_EQ(decide(input).wanted, std::vector<std::string>{"b"});
  // It was luck; now the other is to show that it is not.
  input.measured["b"] = {99, "", 2};
  EXPECT_EQ(decide(input).wanted, std::vector<std::string>{"c"});
  input.measured["c"] = {61, "", 2};
  EXPECT_EQ(decide(input).best, "c");
  EXPECT_TRUE(decide(input).wanted.empty());
}

TEST(TuneDecision, WhatFailedNeverWins) {
  TuneInput input;
  input.candidates = {"a", "b"};
  input.measured["a"] = {100, ""};
  input.measured["b"] = {0, "crashes: Segmentation fault"};
  EXPECT_EQ(decide(input).best, "a");
  EXPECT_TRUE(decide(input).wanted.empty());
  // Without the default's time nobody knows what is gained.
  input.measured["a"] = {0, "hangs"};
  input.measured["b"] = {1, ""};
  EXPECT_EQ(decide(input).best, "a");
  EXPECT_TRUE(decide(input).wanted.empty());
}

TEST(TuneDecision, DescendsOneNumberAtATime) {
  // Time is the distance from (8, 4).
  auto timeOf = [](const std::string &text) {
    double time = 10;
    for (const Tunable &tunable : getTunables(text))
      time += std::abs(double(tunable.value) -
                       (tunable.name == "x" ? 8 : 4));
    return time;
  };
  TuneInput input;
  input.candidates = {"x = 1, y = 1", "x = 2, y = 1"};
  input.neighbours = [](const std::string &text) {
    return getNeighbours(text);
  };
  unsigned rounds = 0;
  TuneDecision decision;
  for (decision = decide(input); !decision.wanted.empty() && rounds < 20;
       decision = decide(input), ++rounds)
    for (const std::string &text : decision.wanted)
      input.measured[text] = {timeOf(text), "",
                              1 + unsigned(input.measured.count(text))};
  EXPECT_EQ(decision.best, "x = 8, y = 4");
  EXPECT_TRUE(decision.byDescent);
  EXPECT_LE(rounds, 8u);
  // It never went far: a grid of that size has 16 points and more around it.
  EXPECT_LE(input.measured.size(), 20u);
}

} // namespace
