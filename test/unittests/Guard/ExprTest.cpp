//===- ExprTest.cpp - Algebra and bounds of expressions -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Guard/IR/Guard.h"

#include "kiln/Dialect/Guard/IR/ExprRange.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <random>

using namespace kiln;
using namespace kiln::guard;

namespace {

class ExprTest : public ::testing::Test {
protected:
  ExprTest() { context.loadDialect<GuardDialect>(); }

  ExprAttr c(int64_t value) { return getConstant(&context, value); }
  ExprAttr s(StringRef name) { return getSymbol(&context, name); }
  ExprAttr d(unsigned position) { return getDim(&context, position); }

  MLIRContext context;
};

TEST_F(ExprTest, EqualPolynomialsAreTheSameAttribute) {
  ExprAttr x = s("s0"), y = s("s1");
  EXPECT_EQ((x + y) * (x - y), x * x - y * y);
  EXPECT_EQ((x + 1) * 4, 4 * x + 4);
  EXPECT_EQ(x - x, c(0));
  EXPECT_EQ(x * 3 + y - x * 3, y);
}

TEST_F(ExprTest, OverflowIsKeptAndFailsToEvaluate) {
  ExprAttr big = c(Interval::kMax);
  ExprAttr sum = big + 1;
  EXPECT_FALSE(sum.isConstant());
  EXPECT_FALSE(evaluate(sum, [](ExprAttr) { return std::nullopt; }));
  ExprAttr twice = s("s0") * Interval::kMax + s("s0") * Interval::kMax;
  EXPECT_EQ(getTerms(twice).size(), 1u) << "an atom of its own";
}

TEST_F(ExprTest, LongProductsStayFactored) {
  ExprAttr a = c(1), b = c(1);
  for (int i = 0; i < 12; ++i) {
    a = a + s("a" + std::to_string(i));
    b = b + s("b" + std::to_string(i));
  }
  EXPECT_EQ(getTerms(a * b).size(), 1u);
  EXPECT_EQ(a * b, a * b);
}

TEST_F(ExprTest, NotOfALeaf) {
  ExprAttr x = s("s0"), y = s("s1"), f = s("zf0"), g = s("zf1");
  EXPECT_EQ(logicalNot(x).getKind(), ExprKind::Not);
  EXPECT_EQ(logicalNot(lt(x, y)), le(y, x));
  EXPECT_EQ(logicalNot(le(x, y)), lt(y, x));
  EXPECT_EQ(logicalNot(lt(f, g)).getKind(), ExprKind::Not)
      << "a NaN is neither less nor not less";
}

TEST_F(ExprTest, ExactDivision) {
  ExprAttr x = s("s0"), y = s("s1");
  EXPECT_EQ(*exactDivide((x + 1) * y * 4, (x + 1) * 2), y * 2);
  EXPECT_EQ(*exactDivide(x * x - y * y, x + y), x - y);
  EXPECT_FALSE(exactDivide(x + 1, c(2)));
  EXPECT_FALSE(exactDivide(x, c(0)));
}

TEST_F(ExprTest, WhatWasDividedIsJoined) {
  ExprAttr x = d(0), n = s("s0");
  EXPECT_EQ(floorDiv(x, 4) * 4 + mod(x, 4), x);
  EXPECT_EQ(mod(x + n, 4) * -3 + n + floorDiv(x + n, 4) * -12, x * -3 + n * -2);
  // Digits of a number in two bases, the lowest one apart.
  EXPECT_EQ(floorDiv(x, 12) * 4 + mod(floorDiv(x, 3), 4), floorDiv(x, 3));
  EXPECT_NE(floorDiv(x, 4) * 5 + mod(x, 4), x);
  EXPECT_NE(floorDiv(x, 4) * 4 + mod(d(1), 4), x);
}

TEST_F(ExprTest, CoefficientsOfAnIndex) {
  ExprAttr address = d(0) * s("s0") + d(1) * 4 + 3;
  EXPECT_EQ(*getCoefficient(address, d(0)), s("s0"));
  EXPECT_EQ(*getCoefficient(address, d(1)), c(4));
  EXPECT_EQ(*getCoefficient(address, d(2)), c(0));
  EXPECT_FALSE(getCoefficient(mod(d(0), 3), d(0)));
  EXPECT_FALSE(getCoefficient(d(0) * d(0), d(0)));
}

TEST_F(ExprTest, SubstitutionCanonicalizes) {
  ExprAttr e = floorDiv(d(0) + d(1), 2);
  EXPECT_EQ(substituteDims(e, {d(0) * 2, c(4)}), d(0) + 2);
  EXPECT_EQ(getNumDims(e), 2u);
}

TEST_F(ExprTest, BoundsDecideDivisions) {
  Assumptions known;
  known.setRange(d(1), {0, 3});
  ExprAttr flat = d(0) * 4 + d(1);
  EXPECT_EQ(simplify(floorDiv(flat, 4), known), d(0));
  EXPECT_EQ(simplify(mod(flat, 4), known), d(1));
}

TEST_F(ExprTest, SymbolicExtentsDecideDivisions) {
  Assumptions known;
  ExprAttr n = s("s0");
  known.setRange(n, {2, 64});
  known.setExtent(d(1), n);
  ExprAttr flat = d(0) * n + d(1);
  EXPECT_EQ(simplify(floorDiv(flat, n), known), d(0));
  EXPECT_EQ(simplify(mod(flat, n), known), d(1));
  EXPECT_TRUE(isKnownLess(d(1), n, known));
  EXPECT_FALSE(isKnownLess(d(1) + 1, n, known));
  EXPECT_EQ(simplify(guard::max(n, c(1)), known), n);
  EXPECT_EQ(simplify(le(n, c(64)), known), c(1));
}

TEST_F(ExprTest, UnboundedStaysUnbounded) {
  Assumptions known;
  Interval range = getRange(s("s0") * s("s1") + 1, known);
  EXPECT_EQ(range.min, 1);
  EXPECT_EQ(range.max, Interval::kMax);
  EXPECT_EQ(getRange(s("s0") - s("s1"), known).min, Interval::kMin);
  EXPECT_FALSE(isKnownNonNegative(s("s0") - s("s1"), known));
}

TEST_F(ExprTest, TensorTypes) {
  Type f32 = mlir::Float32Type::get(&context);
  RankedTensorType fixed = makeTensorType(f32, {c(2), c(3)});
  EXPECT_FALSE(fixed.getEncoding());
  RankedTensorType open = makeTensorType(f32, {s("s0"), c(3)});
  EXPECT_TRUE(open.isDynamicDim(0));
  EXPECT_EQ((*getDims(open))[0], s("s0"));
  EXPECT_EQ((*getDims(fixed))[1], c(3));
  EXPECT_FALSE(
      getDims(RankedTensorType::get({mlir::ShapedType::kDynamic}, f32)));
}

/// Random expressions: building must not change the value.
TEST_F(ExprTest, BuildingKeepsTheValue) {
  std::mt19937 random(7);
  const ExprKind kinds[] = {ExprKind::Add,      ExprKind::Mul, ExprKind::Min,
                            ExprKind::Max,      ExprKind::Mod, ExprKind::Le,
                            ExprKind::FloorDiv, ExprKind::Lt,  ExprKind::Eq,
                            ExprKind::Ne,       ExprKind::And, ExprKind::Or,
                            ExprKind::CeilDiv,  ExprKind::CleanDiv};
  const int64_t values[] = {5, 3, 0};
  auto leaf = [&](ExprAttr e) -> std::optional<Number> {
    return Number::of(values[e.getPosition()]);
  };
  Assumptions known;
  for (unsigned i = 0; i < 3; ++i)
    known.setRange(d(i), {0, 7});
  int compared = 0;
  for (int round = 0; round < 20000; ++round) {
    // A stack of expressions with the values they must have.
    std::vector<std::pair<ExprAttr, std::optional<Number>>> pool;
    for (unsigned i = 0; i < 3; ++i)
      pool.push_back({d(i), Number::of(values[i])});
    for (int i = 0; i < 4; ++i) {
      int64_t value = int64_t(random() % 13) - 4;
      pool.push_back({c(value), Number::of(value)});
    }
    for (int step = 0; step < 6; ++step) {
      auto [a, x] = pool[random() % pool.size()];
      auto [b, y] = pool[random() % pool.size()];
      ExprKind kind = kinds[random() % std::size(kinds)];
      std::optional<Number> value;
      if (x && y)
        value = apply(kind, {*x, *y});
      pool.push_back({build(kind, {a, b}), value});
    }
    for (auto &[expr, value] : pool) {
      if (!value)
        continue; // an error may go away, a value may not change
      std::optional<Number> found = evaluate(expr, leaf);
      ASSERT_TRUE(found) << expr.str();
      ASSERT_EQ(found->integer, value->integer) << expr.str();
      Interval range = getRange(expr, known);
      ASSERT_TRUE(range.contains(value->integer))
          << expr.str() << " = " << value->integer << " in [" << range.min
          << ", " << range.max << "]";
      ExprAttr simple = simplify(expr, known);
      found = evaluate(simple, leaf);
      ASSERT_TRUE(found) << simple.str();
      ASSERT_EQ(found->integer, value->integer)
          << expr.str() << " became " << simple.str();
      ++compared;
    }
  }
  EXPECT_GT(compared, 100000);
}

} // namespace
