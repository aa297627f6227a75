//===- TurnsTest.cpp - Who is faster, by times of a table -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A machine whose times are made up, noise and all: what is decided is the same in each
// run.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Session/Turns.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace kiln;
using namespace kiln::session;
using Verdict = SignTest::Verdict;

namespace {

/// Times of a first package and its candidates, and a clock that they move.
struct Machine {
  explicit Machine(std::vector<double> seconds, double noise = 0,
                   unsigned seed = 1)
      : seconds(std::move(seconds)), noise(noise), random(seed) {}

  std::vector<TurnResult> compare(double gain = 0.02) {
    Turns turns;
    turns.gain = gain;
    turns.seconds = limit;
    turns.now = [this] { return clock; };
    turns.sample = [this](uint32_t i) -> Result<double> {
      std::normal_distribution<double> factor(0, noise);
      double spent = seconds[i] * std::exp(factor(random)) *
                     (disturb ? disturb(order.size(), i) : 1);
      order.push_back(i);
      clock += spent;
      return spent;
    };
    std::vector<uint32_t> all;
    for (uint32_t i = 0; i < seconds.size(); ++i)
      all.push_back(i);
    auto results = turns.compare(all);
    EXPECT_TRUE(results);
    return results ? *results : std::vector<TurnResult>();
  }

  std::vector<double> seconds;
  double noise;
  std::mt19937 random;
  std::function<double(size_t turn, uint32_t i)> disturb;
  double clock = 0, limit = 1e9;
  std::vector<uint32_t> order; ///< whose turns they were
};

TEST(SignTest, ClearPairsDecideEarly) {
  SignTest faster(0.02), slower(0.02), tie(0.02);
  size_t pairs = 0;
  for (; faster.verdict() == Verdict::Open; ++pairs)
    faster.add(0.9);
  EXPECT_EQ(faster.verdict(), Verdict::Faster);
  EXPECT_EQ(pairs, SignTest::kFewestPairs);
  EXPECT_EQ(faster.ratio(), 0.9);
  for (pairs = 0; slower.verdict() == Verdict::Open; ++pairs)
    slower.add(1.1);
  EXPECT_EQ(slower.verdict(), Verdict::NotFaster);
  EXPECT_EQ(pairs, 5u);
  // A little faster is not faster, and has no better time.
  for (pairs = 0; tie.verdict() == Verdict::Open; ++pairs)
    tie.add(0.99);
  EXPECT_EQ(tie.verdict(), Verdict::NotFaster);
  EXPECT_EQ(tie.ratio(), 1);
}

TEST(SignTest, WhatStaysOpenIsNotFaster) {
  SignTest test(0.02);
  size_t pairs = 0;
  // Two of three are won: neither hypothesis is ever left behind.
  for (; test.verdict() == Verdict::Open; ++pairs)
    test.add(pairs % 8 < 5 ? 0.9 : 1.1);
  EXPECT_EQ(pairs, SignTest::kMaxPairs);
  EXPECT_EQ(test.verdict(), Verdict::NotFaster);
  EXPECT_EQ(test.ratio(), 1);
}

// However long the machine did something else in it.
TEST(SignTest, OneTurnDecidesNothing) {
  SignTest lucky(0.02), unlucky(0.02);
  lucky.add(1e-6);
  unlucky.add(1e6);
  while (lucky.verdict() == Verdict::Open)
    lucky.add(1);
  while (unlucky.verdict() == Verdict::Open)
    unlucky.add(0.9);
  EXPECT_EQ(lucky.verdict(), Verdict::NotFaster);
  EXPECT_EQ(unlucky.verdict(), Verdict::Faster);
  EXPECT_EQ(unlucky.ratio(), 0.9);
}

TEST(Turns, TenPercentAreTakenAndTiesAreNot) {
  unsigned taken = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    Machine machine({1, 0.9, 1, 1, 1.1, 0.995}, /*noise=*/0.03, seed);
    auto results = machine.compare();
    ASSERT_EQ(results.size(), 6u);
    taken += results[1].isFaster;
    if (results[1].isFaster)
      EXPECT_NEAR(results[1].ratio, 0.9, 0.04);
    for (size_t other : {2, 3, 4, 5}) {
      EXPECT_FALSE(results[other].isFaster) << "seed " << seed;
      EXPECT_GE(results[other].ratio, 1);
    }
    EXPECT_NEAR(results[0].seconds, 1, 0.05);
  }
  EXPECT_GE(taken, 95u);
}

// Nobody is taken for faster by 2 % who is not, but once in a hundred times.
TEST(Turns, ChanceSeldomDecides) {
  for (double noise : {0.01, 0.1, 0.5}) {
    unsigned taken = 0;
    for (unsigned seed = 1; seed <= 200; ++seed)
      taken += Machine({1, 0.98}, noise, seed).compare()[1].isFaster;
    EXPECT_LE(taken, 6u) << "noise " << noise;
  }
}

// A machine that takes three times as long for a while, and in each tenth turn.
TEST(Turns, DisturbancesDoNotDecide) {
  Machine machine({1, 0.9, 1}, 0.01);
  machine.disturb = [](size_t turn, uint32_t) {
    return (turn >= 8 && turn < 16) || turn % 10 == 9 ? 3.0 : 1.0;
  };
  auto results = machine.compare();
  EXPECT_TRUE(results[1].isFaster);
  EXPECT_FALSE(results[2].isFaster);
}

// A machine that gets faster all the time favours nobody.
TEST(Turns, EachComesFirstAsOftenAsLast) {
  Machine machine({1, 1, 0.9});
  machine.disturb = [](size_t turn, uint32_t) { return std::pow(0.95, turn); };
  auto results = machine.compare();
  EXPECT_FALSE(results[1].isFaster);
  std::map<uint32_t, int> before;
  for (size_t turn = 0; turn + 1 < machine.order.size(); turn += 2) {
    uint32_t a = machine.order[turn], b = machine.order[turn + 1];
    ASSERT_NE(a == 0, b == 0) << "a pair is of the first and another";
    before[a == 0 ? b : a] += a == 0 ? 1 : -1;
  }
  for (auto [candidate, balance] : before)
    EXPECT_LE(std::abs(balance), 1) << candidate;
}

TEST(Turns, TimeIsNotSpentOnWhatIsDecided) {
  Machine machine({1, 2, 2, 2});
  machine.compare();
  EXPECT_EQ(machine.order.size(), 3u * 5 * 2);
  // What is open is not faster when time is over, unless it needs a few pairs more.
  Machine slow({1, 0.9, 0.98}, 0.001);
  slow.limit = 0;
  auto results = slow.compare();
  EXPECT_TRUE(results[1].isFaster);
  EXPECT_FALSE(results[2].isFaster);
  EXPECT_LE(slow.order.size(), 2 * 2 * SignTest::kFewestPairs);
}

TEST(Turns, AloneItHasATime) {
  Machine machine({3});
  auto results = machine.compare();
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].seconds, 3);
  EXPECT_EQ(results[0].ratio, 1);
  EXPECT_FALSE(results[0].isFaster);
}

TEST(Turns, AFailureEndsThem) {
  Turns turns;
  turns.now = [] { return 0.0; };
  turns.sample = [](uint32_t i) -> Result<double> {
    return i == 0 ? Result<double>(1.0) : Result<double>(Error::io("gone"));
  };
  EXPECT_FALSE(turns.compare({0, 1}));
}

} // namespace
