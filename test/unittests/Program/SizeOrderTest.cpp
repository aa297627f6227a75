//===- SizeOrderTest.cpp - What holds for all sizes -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "kiln/Dialect/Program/IR/Program.h"
#include "kiln/Dialect/Program/IR/SizeOrder.h"

#include <gtest/gtest.h>

#include <random>

using namespace kiln;
using namespace kiln::program;
using guard::ExprAttr;

namespace {

class SizeOrderTest : public ::testing::Test {
protected:
  SizeOrderTest() {
    context.loadDialect<guard::GuardDialect>();
    s0 = guard::getSymbol(&context, "s0");
    s1 = guard::getSymbol(&context, "s1");
    order.setRange(s0, {0, guard::Interval::kMax});
    order.setRange(s1, {2, 640});
  }
  ExprAttr number(int64_t value) { return guard::getConstant(&context, value); }

  mlir::MLIRContext context;
  ExprAttr s0, s1;
  SizeOrder order;
};

TEST_F(SizeOrderTest, Ranges) {
  EXPECT_TRUE(order.isAtMost(number(8), s1 * 4));
  EXPECT_FALSE(order.isAtMost(number(9), s1 * 4));
  EXPECT_TRUE(order.isAtMost(s1 * 4, number(2560)));
  EXPECT_FALSE(order.isAtMost(s1 * 4, number(2559)));
  EXPECT_TRUE(order.isAtMost(s0 * 4, s0 * s1 * 2));
  EXPECT_FALSE(order.isAtMost(s0, s1));
}

TEST_F(SizeOrderTest, Rounding) {
  for (int64_t bytes : {1, 4, 12, 64, 100}) {
    ExprAttr size = s0 * bytes;
    EXPECT_TRUE(order.isAtMost(size, alignBytes(size))) << bytes;
    EXPECT_TRUE(order.isAtMost(alignBytes(size), size + 63)) << bytes;
  }
  EXPECT_FALSE(order.isAtMost(alignBytes(s0 * 4), s0 * 4));
  EXPECT_FALSE(order.isAtMost(alignBytes(s0 * 4), s0 * 4 + 59));
  // Right for 2, 11 and 640, wrong for 17.
  ExprAttr place = guard::select(guard::lt(s1, number(100)), number(1),
                                 number(64)) * 64;
  EXPECT_FALSE(order.isAtMost(s1 * 4, place));
}

TEST_F(SizeOrderTest, QuotientsOfQuotients) {
  ExprAttr third = guard::floorDiv(s1, 3);
  EXPECT_TRUE(order.isAtMost(third * 8 + 8, alignBytes(third * 8 + 8)));
  EXPECT_TRUE(order.isAtMost(third * 8 + 8, guard::floorDiv(s1, 24) * 64 + 64));
  EXPECT_FALSE(order.isAtMost(third * 8 + 9, guard::floorDiv(s1, 24) * 64 + 64));
  for (ExprAttr size : {third * 4, third * third * 4, third * s0 * 12 + 4,
                        guard::floorDiv(third + s0, 5) * 2 + 6})
    EXPECT_TRUE(order.isAtMost(size, alignBytes(size))) << size.str();
}

TEST_F(SizeOrderTest, SizesAreNotNegative) {
  ExprAttr size = (s0 - number(300)) * s1 * 4;
  ExprAttr end = alignBytes(s0) + alignBytes(size);
  EXPECT_FALSE(order.isAtMost(s0, end));
  order.addSize(size);
  EXPECT_TRUE(order.isAtMost(s0, end));
  EXPECT_TRUE(order.isAtMost(s0, s0 + size * 3));
  EXPECT_FALSE(order.isAtMost(s0, s0 - size));
}

TEST_F(SizeOrderTest, Multiples) {
  EXPECT_TRUE(SizeOrder::isMultiple(alignBytes(s0 * 4) + 128, 64));
  EXPECT_TRUE(SizeOrder::isMultiple(number(0), 64));
  EXPECT_FALSE(SizeOrder::isMultiple(s0 * 64 + 4, 64));
  EXPECT_FALSE(SizeOrder::isMultiple(s0 * 4, 64));
}

TEST_F(SizeOrderTest, LargeNumbersAreNoProof) {
  int64_t most = guard::Interval::kMax;
  EXPECT_FALSE(order.isAtMost(s0 * most + s1 * most, s0 * -2));
  // The least number has no magnitude, and is no multiple of the size.
  order.addSize(number(10) - s1);
  EXPECT_FALSE(order.isAtMost(number(256), s1 * guard::Interval::kMin));
}

/// Whatever is shown of random sums holds for random values.
TEST_F(SizeOrderTest, NothingWrongIsShown) {
  std::mt19937 random(7);
  auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  auto sum = [&] {
    ExprAttr result = number(pick(-100, 100));
    for (int64_t terms = pick(1, 3); terms > 0; --terms) {
      ExprAttr inner = s0 * pick(-5, 5) + s1 * pick(-5, 5) + pick(-70, 70);
      result = result + (pick(0, 1) ? guard::floorDiv(inner, pick(1, 9)) *
                                          pick(-20, 20)
                                    : inner);
    }
    return result;
  };
  unsigned shown = 0;
  for (int round = 0; round < 4000; ++round) {
    ExprAttr a = sum(), b = sum();
    if (!order.isAtMost(a, b))
      continue;
    ++shown;
    for (int64_t x : {0, 1, 7, 1000, int(pick(0, 1 << 20))})
      for (int64_t y : {2, 3, 639, 640, int(pick(2, 640))}) {
        auto leaf = [&](ExprAttr symbol) -> std::optional<guard::Number> {
          return guard::Number::of(symbol == s0 ? x : y);
        };
        EXPECT_LE(guard::evaluate(a, leaf)->integer,
                  guard::evaluate(b, leaf)->integer)
            << a.str() << " <= " << b.str() << " at " << x << ", " << y;
      }
  }
  EXPECT_GT(shown, 100u);
}

} // namespace
