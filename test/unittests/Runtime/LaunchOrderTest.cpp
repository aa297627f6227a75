//===- LaunchOrderTest.cpp - Which launches wait for which ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Runtime/LaunchOrder.h"

#include "gtest/gtest.h"

using namespace kiln::runtime;
using Order = std::vector<std::vector<uint32_t>>;
using Spans = std::vector<std::vector<Span>>;

/// A value at `place`, of 64 bytes.
static Span read(unsigned value, uintptr_t place) {
  return {value, place, place + 64, false};
}
static Span write(unsigned value, uintptr_t place) {
  return {value, place, place + 64, true};
}

TEST(LaunchOrder, NothingHasNone) { EXPECT_EQ(findOrder({}), Order()); }

TEST(LaunchOrder, WhoReadsWaitsForWhoWrites) {
  Spans spans = {{write(0, 0)},
                 {read(0, 0), write(1, 64)},
                 {read(0, 0), write(2, 128)},
                 {read(1, 64), read(2, 128), write(3, 192)}};
  EXPECT_EQ(findOrder(spans), (Order{{}, {0}, {0}, {2, 1}}));
}

TEST(LaunchOrder, WhatAnotherOneWaitsForIsNotSaid) {
  // The third reads of both, the fourth what the first wrote.
  Spans spans = {{write(0, 0)},
                 {read(0, 0), write(1, 64)},
                 {read(0, 0), read(1, 64), write(2, 128)},
                 {read(0, 0), write(3, 192)}};
  EXPECT_EQ(findOrder(spans), (Order{{}, {0}, {1}, {0}}));
}

TEST(LaunchOrder, WhoWritesOverWaitsForWhoReads) {
  // Another value in the place of the first, whole or in part.
  for (uintptr_t place : {0, 32}) {
    Spans spans = {{write(0, 0)},
                   {read(0, 0), write(1, 128)},
                   {read(9, 512), write(2, 256)},
                   {read(2, 256), write(3, place)}};
    EXPECT_EQ(findOrder(spans), (Order{{}, {0}, {}, {2, 1}})) << place;
  }
}

TEST(LaunchOrder, ViewsOfOneValueMeetWhereverTheyAre) {
  // An output is elsewhere in each call: where it is in one says nothing.
  Spans spans = {{write(0, 0)},
                 {write(0, 1024)},
                 {write(1, 2048)},
                 {write(2, 4096)}};
  EXPECT_EQ(findOrder(spans), (Order{{}, {0}, {}, {}}));
}

TEST(LaunchOrder, TwoReadersNeedNotWait) {
  Spans spans = {{read(0, 0), write(1, 64)}, {read(0, 0), write(2, 128)}};
  EXPECT_EQ(findOrder(spans), (Order{{}, {}}));
}

TEST(LaunchOrder, OneOfTwentyBesideOthersIsNoBranch) {
  Spans spans = {{write(1000, 1 << 20)}};
  for (unsigned i = 0; i < 19; ++i)
    spans.push_back({read(i, i * 64), write(i + 1, i * 64 + 64)});
  Order order = findOrder(spans);
  ASSERT_EQ(order.size(), 20u);
  for (uint32_t i = 1; i < 20; ++i)
    EXPECT_EQ(order[i], std::vector<uint32_t>{i - 1});
  spans.erase(spans.begin() + 9, spans.end());
  EXPECT_TRUE(findOrder(spans)[1].empty());
}
