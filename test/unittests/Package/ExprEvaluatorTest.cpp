//===- ExprEvaluatorTest.cpp - Expression bytecode -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Package/ExprEvaluator.h"
#include "kiln/Package/ExprBuilder.h"

#include <chrono>
#include <climits>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace kiln;
using namespace kiln::package;

namespace {

Cell run(Expr expr, ExprFailure expected = ExprFailure::None) {
  EXPECT_TRUE(checkExpr(expr, 0)) << "the expression is malformed";
  Cell result;
  EXPECT_EQ(evaluate(expr, nullptr, result), expected);
  return result;
}

Cell binary(kiln_expr_opcode op, int64_t a, int64_t b,
            ExprFailure expected = ExprFailure::None) {
  return run(ExprBuilder().integer(a).integer(b).op(op).build(), expected);
}

int64_t integerOf(const Cell &cell) {
  EXPECT_TRUE(cell.isInteger());
  return cell.integer;
}

struct Function {
  kiln_expr_opcode opcode;
  unsigned operands;
  kiln_expr_result result;
  const char *text;
};

constexpr Function functions[] = {
#define KILN_EXPR_INSTRUCTION(OPCODE, code, arity, result, text, binds)        \
  {KILN_EXPR_##OPCODE, arity == 0 ? 2 : arity, KILN_EXPR_RESULT_##result, text},
#include "kiln/ABI/ExprFunctions.def"
};

} // namespace

TEST(ExprEvaluator, EveryFunctionIsCheckedEvaluatedAndPrinted) {
  std::vector<bool> isKnown(256, false);
  for (uint8_t push :
       {KILN_EXPR_PUSH_INT, KILN_EXPR_PUSH_FLOAT, KILN_EXPR_PUSH_SYMBOL})
    isKnown[push] = true;
  for (const Function &function : functions) {
    EXPECT_FALSE(isKnown[function.opcode]) << function.text;
    isKnown[function.opcode] = true;
    ExprBuilder builder, tooFew;
    for (unsigned i = 0; i < function.operands; ++i)
      builder.integer(1);
    for (unsigned i = 1; i < function.operands; ++i)
      tooFew.integer(1);
    EXPECT_FALSE(checkExpr(tooFew.op(function.opcode).build(), 0))
        << function.text;
    Expr expr = builder.op(function.opcode).build();
    Cell cell = run(expr);
    EXPECT_EQ(cell.isInteger(), function.result != KILN_EXPR_RESULT_FLOAT)
        << function.text;
    EXPECT_EQ(isCondition(expr), function.result == KILN_EXPR_RESULT_TRUTH)
        << function.text;
    EXPECT_NE(printExpr(expr, {}).find(function.text), std::string::npos)
        << function.text;
  }
  for (unsigned opcode = 0; opcode < 256; ++opcode) {
    Expr expr = ExprBuilder().integer(1).integer(1).integer(1).build();
    expr.code.push_back(static_cast<uint8_t>(opcode));
    Status status = checkExpr(expr, 0);
    if (!isKnown[opcode])
      EXPECT_NE(status.error().message.find("unknown instruction"),
                std::string::npos)
          << opcode;
  }
}

TEST(ExprEvaluator, DividesAsPythonDoes) {
  struct {
    int64_t a, b, floor, ceil, mod;
  } cases[] = {{7, 2, 3, 4, 1},    {-7, 2, -4, -3, 1}, {7, -2, -4, -3, -1},
               {-7, -2, 3, 4, -1}, {6, 3, 2, 2, 0},    {-6, 3, -2, -2, 0},
               {0, 5, 0, 0, 0},    {5, -1, -5, -5, 0}, {1, 5, 0, 1, 1}};
  for (auto &c : cases) {
    EXPECT_EQ(integerOf(binary(KILN_EXPR_FLOORDIV, c.a, c.b)), c.floor);
    EXPECT_EQ(integerOf(binary(KILN_EXPR_CEILDIV, c.a, c.b)), c.ceil);
    EXPECT_EQ(integerOf(binary(KILN_EXPR_MOD, c.a, c.b)), c.mod);
  }
}

TEST(ExprEvaluator, RefusesWhatHasNoInteger) {
  binary(KILN_EXPR_ADD, INT64_MAX, 1, ExprFailure::Overflow);
  binary(KILN_EXPR_SUB, INT64_MIN, 1, ExprFailure::Overflow);
  binary(KILN_EXPR_MUL, INT64_MAX, 2, ExprFailure::Overflow);
  binary(KILN_EXPR_POW, 3, 64, ExprFailure::Overflow);
  binary(KILN_EXPR_POW, 2, -1, ExprFailure::NegativeExponent);
  binary(KILN_EXPR_FLOORDIV, 1, 0, ExprFailure::DivisionByZero);
  binary(KILN_EXPR_MOD, 1, 0, ExprFailure::DivisionByZero);
  binary(KILN_EXPR_FLOORDIV, INT64_MIN, -1, ExprFailure::Overflow);
  binary(KILN_EXPR_CLEANDIV, 7, 2, ExprFailure::InexactDivision);
  binary(KILN_EXPR_SHL, 1, -1, ExprFailure::NegativeShift);
  binary(KILN_EXPR_SHL, 1, 63, ExprFailure::Overflow);
  binary(KILN_EXPR_SHR, 1, -1, ExprFailure::NegativeShift);
  binary(KILN_EXPR_TRUEDIV, 1, 0, ExprFailure::DivisionByZero);
  run(ExprBuilder().real(1e300).op(KILN_EXPR_TRUNC).build(),
      ExprFailure::OutOfRange);
  run(ExprBuilder().real(NAN).op(KILN_EXPR_FLOOR).build(),
      ExprFailure::OutOfRange);
  run(ExprBuilder().real(2.0).integer(1).op(KILN_EXPR_MOD).build(),
      ExprFailure::ExpectedInteger);
}

TEST(ExprEvaluator, EvaluatesIntegers) {
  EXPECT_EQ(integerOf(binary(KILN_EXPR_POW, -3, 3)), -27);
  EXPECT_EQ(integerOf(binary(KILN_EXPR_POW, 0, 0)), 1);
  EXPECT_EQ(integerOf(binary(KILN_EXPR_MIN, 3, -4)), -4);
  EXPECT_EQ(integerOf(binary(KILN_EXPR_MAX, 3, -4)), 3);
  EXPECT_EQ(integerOf(binary(KILN_EXPR_CLEANDIV, 12, -4)), -3);
  EXPECT_EQ(integerOf(binary(KILN_EXPR_MOD, INT64_MIN, -1)), 0);
  EXPECT_EQ(integerOf(binary(KILN_EXPR_SHL, 3, 4)), 48);
  EXPECT_EQ(integerOf(binary(KILN_EXPR_SHR, -8, 1)), -4);
  EXPECT_EQ(integerOf(binary(KILN_EXPR_SHR, -8, 100)), -1);
  EXPECT_EQ(integerOf(binary(KILN_EXPR_BIT_XOR, 6, 3)), 5);
  EXPECT_EQ(integerOf(binary(KILN_EXPR_LE, 3, 3)), 1);
  EXPECT_EQ(integerOf(binary(KILN_EXPR_NE, 3, 3)), 0);
  EXPECT_EQ(integerOf(binary(KILN_EXPR_AND, 2, 1)), 1);
}

TEST(ExprEvaluator, MixesIntegersAndFloats) {
  Cell sum = run(ExprBuilder().integer(1).real(0.5).op(KILN_EXPR_ADD).build());
  EXPECT_EQ(sum.kind, Cell::Kind::Float);
  EXPECT_EQ(sum.real, 1.5);
  Cell quotient = binary(KILN_EXPR_TRUEDIV, 1, 4);
  EXPECT_EQ(quotient.real, 0.25);
  EXPECT_EQ(integerOf(binary(KILN_EXPR_EQ, 2, 2)), 1);
  EXPECT_EQ(integerOf(run(
                ExprBuilder().integer(2).real(2.0).op(KILN_EXPR_EQ).build())),
            1);
}

TEST(ExprEvaluator, RoundsHalfToEven) {
  struct {
    double value;
    int64_t round, trunc, floor, ceil;
  } cases[] = {{0.5, 0, 0, 0, 1},   {1.5, 2, 1, 1, 2},    {2.5, 2, 2, 2, 3},
               {-0.5, 0, 0, -1, 0}, {-1.5, -2, -1, -2, -1}, {2.4, 2, 2, 2, 3},
               {-2.6, -3, -2, -3, -2}, {7.0, 7, 7, 7, 7}};
  for (auto &c : cases) {
    auto apply = [&](kiln_expr_opcode op) {
      return integerOf(run(ExprBuilder().real(c.value).op(op).build()));
    };
    EXPECT_EQ(apply(KILN_EXPR_ROUND), c.round) << c.value;
    EXPECT_EQ(apply(KILN_EXPR_TRUNC), c.trunc) << c.value;
    EXPECT_EQ(apply(KILN_EXPR_FLOOR), c.floor) << c.value;
    EXPECT_EQ(apply(KILN_EXPR_CEIL), c.ceil) << c.value;
  }
}

TEST(ExprEvaluator, SelectsBetweenCells) {
  for (int64_t condition : {0, 1}) {
    Cell cell = run(ExprBuilder()
                        .integer(condition)
                        .integer(10)
                        .integer(20)
                        .op(KILN_EXPR_SELECT)
                        .build());
    EXPECT_EQ(integerOf(cell), condition ? 10 : 20);
  }
}

TEST(ExprEvaluator, ReportsASymbolWithoutValue) {
  Expr expr = ExprBuilder().symbol(1).build();
  EXPECT_FALSE(checkExpr(expr, 1));
  ASSERT_TRUE(checkExpr(expr, 2));
  Cell symbols[2] = {Cell::ofInteger(5), Cell()};
  Cell result;
  EXPECT_EQ(evaluate(expr, symbols, result), ExprFailure::UndefinedSymbol);
  symbols[1] = Cell::ofInteger(9);
  EXPECT_EQ(evaluate(expr, symbols, result), ExprFailure::None);
  EXPECT_EQ(integerOf(result), 9);
}

TEST(ExprEvaluator, RefusesMalformedCode) {
  EXPECT_FALSE(checkExpr(Expr{}, 0));
  EXPECT_FALSE(checkExpr(Expr{{KILN_EXPR_ADD}}, 0));
  EXPECT_FALSE(checkExpr(Expr{{KILN_EXPR_PUSH_INT, 1, 2}}, 0));
  EXPECT_FALSE(checkExpr(Expr{{255}}, 0));
  EXPECT_FALSE(checkExpr(ExprBuilder().integer(1).integer(2).build(), 0));
  ExprBuilder deep;
  for (uint32_t i = 0; i <= kMaxExprStack; ++i)
    deep.integer(1);
  for (uint32_t i = 0; i < kMaxExprStack; ++i)
    deep.op(KILN_EXPR_ADD);
  EXPECT_FALSE(checkExpr(deep.build(), 0));
}

TEST(ExprEvaluator, RandomCodeIsRefusedOrEvaluates) {
  std::mt19937 random(7);
  Cell symbols[4] = {Cell::ofInteger(3), Cell::ofFloat(0.5), Cell(),
                     Cell::ofInteger(INT64_MIN)};
  unsigned evaluated = 0;
  for (int i = 0; i < 200000; ++i) {
    Expr expr;
    for (unsigned n = random() % 12; n > 0; --n) {
      if (random() % 4 != 0) {
        expr.code.push_back(random() % 112);
        continue;
      }
      Expr pushed = ExprBuilder().symbol(random() % 5).build();
      expr.code.insert(expr.code.end(), pushed.code.begin(),
                       pushed.code.end());
    }
    if (!checkExpr(expr, 4)) {
      EXPECT_FALSE(printExpr(expr, {}).empty());
      continue;
    }
    Cell result;
    evaluate(expr, symbols, result);
    EXPECT_FALSE(printExpr(expr, {}).empty());
    ++evaluated;
  }
  EXPECT_GT(evaluated, 1000u);
}

TEST(ExprEvaluator, PrintsSourceForm) {
  std::vector<Symbol> symbols(2);
  symbols[0].name = "s0";
  symbols[1].name = "s1";
  auto print = [&](Expr e) { return printExpr(e, symbols); };
  EXPECT_EQ(print(ExprBuilder().integer(4).symbol(0).op(KILN_EXPR_MUL)
                      .integer(1).op(KILN_EXPR_ADD).build()),
            "4*s0 + 1");
  EXPECT_EQ(print(ExprBuilder().symbol(0).integer(1).op(KILN_EXPR_ADD)
                      .integer(4).op(KILN_EXPR_MUL).build()),
            "(s0 + 1)*4");
  EXPECT_EQ(print(ExprBuilder().symbol(0).symbol(1).integer(2)
                      .op(KILN_EXPR_SUB).op(KILN_EXPR_SUB).build()),
            "s0 - (s1 - 2)");
  EXPECT_EQ(print(ExprBuilder().symbol(0).symbol(1).op(KILN_EXPR_MAX)
                      .integer(2).op(KILN_EXPR_FLOORDIV).build()),
            "max(s0, s1)//2");
  EXPECT_EQ(print(ExprBuilder().symbol(0).integer(2).op(KILN_EXPR_GE).build()),
            "s0 >= 2");
}

TEST(ExprEvaluator, KnowsConditionsAndSymbols) {
  Expr relation =
      ExprBuilder().symbol(3).symbol(1).op(KILN_EXPR_LT).build();
  EXPECT_TRUE(isCondition(relation));
  EXPECT_EQ(symbolsOf(relation), (std::vector<uint32_t>{1, 3}));
  // The last byte of this operand looks like EQ; it is no instruction.
  EXPECT_FALSE(isCondition(
      ExprBuilder().integer(int64_t(KILN_EXPR_EQ) << 56).build()));
}

TEST(ExprEvaluator, SmallExpressionsTakeTensOfNanoseconds) {
  Expr expr = ExprBuilder().symbol(0).integer(4).op(KILN_EXPR_MUL).integer(1)
                  .op(KILN_EXPR_ADD).build();
  ASSERT_TRUE(checkExpr(expr, 1));
  Cell symbols[1] = {Cell::ofInteger(3)};
  constexpr int kRounds = 100000;
  double best = 1e9;
  for (int attempt = 0; attempt < 5; ++attempt) {
    auto begin = std::chrono::steady_clock::now();
    int64_t sum = 0;
    for (int i = 0; i < kRounds; ++i) {
      symbols[0].integer = i;
      Cell result;
      evaluate(expr, symbols, result);
      sum += result.integer;
    }
    std::chrono::duration<double, std::nano> time =
        std::chrono::steady_clock::now() - begin;
    best = std::min(best, time.count() / kRounds);
    EXPECT_GT(sum, 0);
  }
  std::printf("  5 instructions: %.1f ns\n", best);
  // A bound that a loaded machine and a checked build keep; 10 ns is usual.
  EXPECT_LT(best, 1000);
}
