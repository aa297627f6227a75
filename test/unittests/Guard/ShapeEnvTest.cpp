//===- ShapeEnvTest.cpp - What a trace assumes of its symbols -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "kiln/Dialect/Guard/IR/ShapeEnv.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::guard;

namespace {

/// s0 = 6, s1 = 3, s2 = 2 in the example, all at least 2; of u0 nothing but
/// that it is a size is known.
class ShapeEnvTest : public ::testing::Test {
protected:
  ShapeEnvTest() {
    context.loadDialect<GuardDialect>();
    s0 = getSymbol(&context, "s0");
    s1 = getSymbol(&context, "s1");
    s2 = getSymbol(&context, "s2");
    u0 = getSymbol(&context, "u0");
    std::pair<ExprAttr, int64_t> hints[] = {{s0, 6}, {s1, 3}, {s2, 2}};
    for (auto [symbol, value] : hints) {
      ShapeEnv::Symbol properties;
      properties.hint = value;
      properties.range = {2, Interval::kMax};
      env.addSymbol(symbol, properties);
    }
    ShapeEnv::Symbol properties;
    properties.range = {0, Interval::kMax};
    env.addSymbol(u0, properties);
  }

  ExprAttr c(int64_t value) { return getConstant(&context, value); }

  MLIRContext context;
  ShapeEnv env;
  ExprAttr s0, s1, s2, u0;
};

TEST_F(ShapeEnvTest, RangesAnswerWithoutACondition) {
  EXPECT_TRUE(env.decide(ge(s0, c(2)), false));
  EXPECT_FALSE(env.decide(eq(s0, c(1)), true));
  EXPECT_FALSE(env.decide(lt(s0 * s1, c(4)), true));
  EXPECT_TRUE(env.getConditions().empty());
  EXPECT_FALSE(env.hasNewReplacement());
}

TEST_F(ShapeEnvTest, TheExampleAnswersAndTheAnswerIsKept) {
  EXPECT_TRUE(env.decide(gt(s0, c(4)), false, "slice"));
  EXPECT_FALSE(env.decide(lt(s1, s2), true, "pad"));
  EXPECT_TRUE(env.decide(gt(s0, c(4)), false, "slice"));
  ASSERT_EQ(env.getConditions().size(), 2u);
  EXPECT_EQ(env.getConditions()[0].first, gt(s0, c(4)));
  EXPECT_EQ(env.getConditions()[0].second, "slice");
  EXPECT_EQ(env.getConditions()[1].first, le(s2, s1));
}

TEST_F(ShapeEnvTest, AnEquationReplacesASymbol) {
  EXPECT_TRUE(env.decide(eq(s0, s1 * 2), false, "conv"));
  EXPECT_TRUE(env.hasNewReplacement());
  EXPECT_EQ(env.rewrite(s0 + 1), s1 * 2 + 1);
  EXPECT_EQ(env.getSymbols().lookup(s0).reason, "conv");
  env.restart();
  EXPECT_FALSE(env.hasNewReplacement());
  // s0 >= 2 follows from s1 >= 2.
  EXPECT_TRUE(env.getConditions().empty());
  // The same question has its answer now.
  EXPECT_TRUE(env.decide(eq(s0, s1 * 2), false));
  EXPECT_FALSE(env.hasNewReplacement());
}

TEST_F(ShapeEnvTest, BoundsOfAReplacedSymbolStay) {
  EXPECT_TRUE(env.decide(eq(s2 + 1, s1), false));
  env.restart();
  // s2 = s1 - 1 or s1 = s2 + 1, whichever: s2 >= 2 and s1 >= 2 hold together.
  ExprAttr left = env.rewrite(s2), right = env.rewrite(s1);
  EXPECT_EQ(left + 1, right);
  bool keepsBound = left == s2;
  for (auto &[condition, asker] : env.getConditions())
    keepsBound |= condition == ge(left, c(2)) || condition == le(c(3), s1);
  EXPECT_TRUE(keepsBound);
}

TEST_F(ShapeEnvTest, ReplacementsCompose) {
  EXPECT_TRUE(env.decide(eq(s0, s1 * 2), false));
  EXPECT_EQ(env.fix(s1), 3);
  EXPECT_EQ(env.rewrite(s0), c(6));
  EXPECT_EQ(env.fix(s0 + s1), 9);
}

TEST_F(ShapeEnvTest, WhatIsNoLineStaysACondition) {
  EXPECT_TRUE(env.decide(eq(s1 * s2, s0), false));
  EXPECT_EQ(env.rewrite(s0), s1 * s2);
  env.restart();
  EXPECT_TRUE(env.decide(eq(s1 * s2, c(6)), false));
  EXPECT_FALSE(env.hasNewReplacement());
  EXPECT_EQ(env.getConditions().back().first, eq(s1 * s2, c(6)));
}

TEST_F(ShapeEnvTest, DeclaredSymbolsAreNotReplaced) {
  ExprAttr declared = getSymbol(&context, "s77");
  ShapeEnv::Symbol properties;
  properties.hint = 6;
  properties.isReplaceable = false;
  env.addSymbol(declared, properties);
  EXPECT_FALSE(env.isOpen(declared * 2));
  EXPECT_TRUE(env.isOpen(declared * s1));
  EXPECT_TRUE(env.decide(eq(declared, s0), false));
  EXPECT_FALSE(env.isOpen(s0));
  EXPECT_EQ(env.rewrite(s0), declared);
  env.restart();
  EXPECT_EQ(env.fix(declared), 6);
  EXPECT_FALSE(env.hasNewReplacement());
  EXPECT_EQ(env.getConditions().back().first, eq(declared, c(6)));
}

TEST_F(ShapeEnvTest, TheLastQuestionSaysWhyASizeIsANumber) {
  EXPECT_TRUE(env.decide(eq(s0, s1 * 2), false, "conv"));
  EXPECT_EQ(env.fix(s1, "unbind"), 3);
  EXPECT_EQ(env.getSymbols().lookup(s0).reason, "unbind");
  EXPECT_TRUE(env.getSymbols().lookup(s0).isFixed);
  EXPECT_TRUE(env.decide(eq(s2, c(2)), false, "view"));
  EXPECT_FALSE(env.getSymbols().lookup(s2).isFixed);
}

TEST_F(ShapeEnvTest, RangesSimplifySizes) {
  EXPECT_EQ(env.simplify(min(s0, c(2))), c(2));
  EXPECT_EQ(env.simplify(max(s0 - s1, s0)), s0);
  EXPECT_TRUE(env.decide(eq(s0, s1 * 2), false));
  EXPECT_EQ(env.simplify(max(s0 - s1, c(1))), s1);
}

TEST_F(ShapeEnvTest, ValuesDecideAfterInputs) {
  ExprAttr data = getSymbol(&context, "u1");
  ShapeEnv::Symbol properties;
  properties.isData = true;
  properties.range = {0, Interval::kMax};
  env.addSymbol(data, properties);
  env.setHint(data, 5);
  EXPECT_TRUE(env.dependsOnData(data * 2 + s0));
  EXPECT_FALSE(env.dependsOnData(s0 + u0));
  // The example has 5, which is no reason to assume it.
  EXPECT_FALSE(env.decide(eq(data, c(5)), /*otherwise=*/false));
  // An input's size is not written in terms of it.
  EXPECT_TRUE(env.decide(eq(s0, data), /*otherwise=*/true));
  EXPECT_EQ(env.rewrite(data), s0);
  EXPECT_EQ(env.rewrite(s0), s0);
  // Asked for a number, the example has one.
  ExprAttr other = getSymbol(&context, "u2");
  env.addSymbol(other, properties);
  env.setHint(other, 5);
  EXPECT_EQ(env.fix(other), 5);
}

TEST_F(ShapeEnvTest, WithoutAHintTheCallerDecides) {
  EXPECT_TRUE(env.decide(ge(u0, c(3)), /*otherwise=*/true));
  EXPECT_FALSE(env.decide(eq(u0, c(9)), /*otherwise=*/false));
  ASSERT_EQ(env.getConditions().size(), 2u);
  EXPECT_EQ(env.getConditions()[1].first, ne(u0, c(9)));
  EXPECT_EQ(env.fix(u0), std::nullopt);
  EXPECT_EQ(env.rewrite(u0), u0);
}

} // namespace
