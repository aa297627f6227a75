//===- SymExprTest.cpp - Symbolic sizes and guards ---===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArchiveTestSupport.h"
#include "kiln/Archive/SymExpr.h"

using namespace kiln;
using namespace kiln::archive;

/// s = 7, n = -3, f = 2.5; sizes of L['x'] are 4 and 6, L['k'] is 5.
static std::optional<SymValue> example(const SymExpr &leaf) {
  if (leaf.kind == SymKind::InputSize && leaf.name == "L['x']")
    return SymValue(leaf.integer == 0 ? int64_t(4) : int64_t(6));
  if (leaf.kind == SymKind::InputValue && leaf.name == "L['k']")
    return SymValue(int64_t(5));
  if (leaf.name == "s")
    return SymValue(int64_t(7));
  if (leaf.name == "n")
    return SymValue(int64_t(-3));
  if (leaf.name == "f")
    return SymValue(2.5);
  return std::nullopt;
}

static SymValue valueOf(const std::string &text) {
  auto expr = parseSymExpr(text);
  EXPECT_TRUE(expr) << text << ": " << expr.error().message;
  auto value = evaluate(**expr, example);
  EXPECT_TRUE(value) << text << ": " << value.error().message;
  return value ? *value : SymValue(int64_t(-999));
}

static SymValue guardValue(const std::string &text) {
  auto expr = parseGuardCode(text);
  EXPECT_TRUE(expr) << text << ": " << expr.error().message;
  if (!expr)
    return SymValue(int64_t(-999));
  auto value = evaluate(**expr, example);
  EXPECT_TRUE(value) << text << ": " << value.error().message;
  return value ? *value : SymValue(int64_t(-999));
}

static const std::string s = "Symbol('s', positive=True, integer=True)";
static const std::string n = "Symbol('n', integer=True)";

TEST(SymExpr, ReadsAndEvaluates) {
  auto integer = [](int64_t v) { return SymValue(v); };
  EXPECT_EQ(valueOf("Add(" + s + ", Integer(-1))"), integer(6));
  EXPECT_EQ(valueOf("Mul(Integer(2), " + s + ", " + s + ")"), integer(98));
  EXPECT_EQ(valueOf("Pow(" + s + ", Integer(3))"), integer(343));
  EXPECT_EQ(valueOf("FloorDiv(" + n + ", Integer(2))"), integer(-2));
  EXPECT_EQ(valueOf("CeilDiv(" + s + ", Integer(2))"), integer(4));
  EXPECT_EQ(valueOf("PythonMod(" + n + ", Integer(2))"), integer(1));
  EXPECT_EQ(valueOf("PythonMod(" + s + ", Integer(-4))"), integer(-1));
  EXPECT_EQ(valueOf("ModularIndexing(" + s + ", Integer(2), Integer(2))"),
            integer(1));
  EXPECT_EQ(valueOf("Max(" + s + ", " + n + ", Integer(3))"), integer(7));
  EXPECT_EQ(valueOf("Mul(Rational(1, 7), " + s + ")"), integer(1));
  EXPECT_EQ(valueOf("RShift(" + n + ", Integer(1))"), integer(-2));
  EXPECT_EQ(valueOf("BitwiseFn_bitwise_and(" + s + ", Integer(3))"),
            integer(3));
  EXPECT_EQ(valueOf("TruncToInt(FloatTrueDiv(Float('-7.5', precision=53), "
                    "Float('2.0', precision=53)))"),
            integer(-3));
  EXPECT_EQ(valueOf("RoundToInt(Symbol('f'))"), integer(2)) << "half to even";
  EXPECT_EQ(valueOf("IntTrueDiv(" + s + ", Integer(2))"), SymValue(3.5));
  EXPECT_EQ(valueOf("OpaqueUnaryFn_sqrt(ToFloat(Integer(9)))"), SymValue(3.0));
  EXPECT_EQ(valueOf("Where(StrictLessThan(" + s + ", Integer(3)), Integer(1), "
                    "Integer(2))"),
            integer(2));
  EXPECT_EQ(valueOf("Piecewise(ExprCondPair(Integer(1), Equality(" + s +
                    ", Integer(0))), ExprCondPair(Integer(4), true))"),
            integer(4));
  EXPECT_EQ(valueOf("And(true, Not(false))"), SymValue(true));
  EXPECT_EQ(valueOf("IsNonOverlappingAndDenseIndicator(Integer(2), Integer(3), "
                    "Integer(1), Integer(2))"),
            integer(1));
}

TEST(SymExpr, PrintsInfix) {
  auto expr = parseSymExpr("FloorDiv(Add(" + s + ", Integer(-1)), Integer(2))");
  ASSERT_TRUE(expr);
  EXPECT_EQ(toString(**expr), "(s - 1) // 2");
}

TEST(SymExpr, OverflowAndZeroAreErrors) {
  for (const char *text :
       {"Mul(Integer(4611686018427387904), Integer(2))",
        "Add(Integer(9223372036854775807), Integer(1))",
        "Pow(Integer(10), Integer(19))", "FloorDiv(Integer(1), Integer(0))",
        "FloorDiv(Integer(-9223372036854775808), Integer(-1))",
        "PythonMod(Integer(1), Integer(0))", "LShift(Integer(1), Integer(63))",
        "Pow(Integer(0), Integer(-1))", "CleanDiv(Integer(3), Integer(2))",
        "TruncToInt(Float('1e30', precision=53))"}) {
    auto expr = parseSymExpr(text);
    ASSERT_TRUE(expr) << text;
    auto value = evaluate(**expr, example);
    ASSERT_FALSE(value) << text;
    EXPECT_EQ(value.error().kind, ErrorKind::Malformed);
  }
}

TEST(SymExpr, RefusesOtherText) {
  for (const char *text :
       {"", "s0 + 1", "Integer(1", "Integer()", "Integer(1))", "Add()",
        "Symbol(s)", "Symbol('')", "Symbol('s', positive=1)", "Pow(Integer(1))",
        "Rational(1, 0)", "Float('x', precision=53)", "Piecewise(Integer(1))"})
    expectError(parseSymExpr(text), ErrorKind::Malformed, {});
  expectError(parseSymExpr("__import__('os')"), ErrorKind::Unsupported,
              {"__import__"});
  expectError(parseSymExpr("Integer(99999999999999999999)"),
              ErrorKind::Unsupported, {"64 bits"});
}

TEST(SymExpr, LimitsDepthAndLength) {
  std::string deep;
  for (int i = 0; i < 100000; ++i)
    deep += "Add(";
  EXPECT_FALSE(parseSymExpr(deep));
  std::string nested = "Integer(1)";
  for (int i = 0; i < 300; ++i)
    nested = "Add(" + nested + ")";
  expectError(parseSymExpr(nested), ErrorKind::Malformed, {"256"});
}

TEST(GuardCode, FollowsPython) {
  SymValue yes(true), no(false);
  EXPECT_EQ(guardValue("L['x'].size()[0] == ((-2) + L['x'].size()[1])"), yes);
  EXPECT_EQ(guardValue("L['k'] >= 2"), yes);
  EXPECT_EQ(guardValue("2*L['k'] + 1 == 11"), yes);
  EXPECT_EQ(guardValue("2 + 3 * 4 ** 2 == 50"), yes);
  EXPECT_EQ(guardValue("-2 ** 2 == -4"), yes);
  EXPECT_EQ(guardValue("(-7) // 2 == -4 and (-7) % 2 == 1"), yes);
  EXPECT_EQ(guardValue("min(L['k'], 3) == 3 or False"), yes);
  EXPECT_EQ(guardValue("not 1 < L['k'] <= 4"), yes);
  EXPECT_EQ(guardValue("1 < L['k'] <= 4"), no);
  EXPECT_EQ(
      guardValue("math.trunc(0.5*torch.sym_float(L['x'].size()[0])) == 2"),
      yes);
  EXPECT_EQ(guardValue("math.trunc(L['k'] / 2) == 2"), yes);
  EXPECT_EQ(guardValue("5 - 3 - 1 == 1"), yes);
  EXPECT_EQ(guardValue("1 << 3 | 1 == 9 | 0"), yes)
      << "comparisons bind looser than bit operations";
}

TEST(GuardCode, InputsKeepTheirSource) {
  auto expr = parseGuardCode("L['d']['k'][0].a.stride()[1] == 3");
  ASSERT_TRUE(expr) << expr.error().message;
  const SymExpr &left = *(*expr)->operands[0];
  EXPECT_EQ(left.kind, SymKind::InputStride);
  EXPECT_EQ(left.name, "L['d']['k'][0].a");
  EXPECT_EQ(left.integer, 1);
}

TEST(Infix, NamesAreSymbols) {
  for (auto [text, expected] :
       {std::pair<const char *, int64_t>{"s + 1", 8}, {"2*s", 14},
        {"2*s + n", 11}, {"(s + 1)//2", 4}, {"s", 7}}) {
    auto expr = parseInfix(text);
    ASSERT_TRUE(expr) << text << ": " << expr.error().message;
    auto value = evaluate(**expr, example);
    ASSERT_TRUE(value) << text << ": " << value.error().message;
    EXPECT_EQ(*value, SymValue(expected)) << text;
  }
  for (const char *text : {"", "s +", "s.x", "f(s)", "s s"})
    expectError(parseInfix(text), ErrorKind::Unsupported, {});
}

TEST(GuardCode, OtherPythonIsUnsupported) {
  for (const char *text :
       {"__import__('os').system('x')", "L['x'].numel() == 3", "lambda: 1",
        "L['x'].size()[-1] == 2", "x == 1", "1 +", "(1", "1 1", "",
        "len(L['x']) == 1", "max(1)"})
    expectError(parseGuardCode(text), ErrorKind::Unsupported, {});
  EXPECT_FALSE(parseGuardCode(std::string(60000, '(')));
  EXPECT_FALSE(parseGuardCode(std::string(60000, '-') + "1"));
  std::string nots;
  for (int i = 0; i < 10000; ++i)
    nots += "not ";
  EXPECT_FALSE(parseGuardCode(nots + "1"));
  std::string sum = "1";
  for (int i = 0; i < 20000; ++i)
    sum += "+1";
  EXPECT_FALSE(parseGuardCode(sum));
}
