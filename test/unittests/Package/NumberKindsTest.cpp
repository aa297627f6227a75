//===- NumberKindsTest.cpp - Kinds of numbers, sizes without symbols ------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Package/NumberKinds.h"
#include "SampleProgram.h"
#include "kiln/Package/CppHeader.h"
#include "kiln/Package/ExprEvaluator.h"

#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::test;

namespace {
/// Symbol 0 is an integer, symbol 1 a float.
std::vector<Symbol> twoSymbols() {
  std::vector<Symbol> symbols(2);
  symbols[1].isFloat = true;
  return symbols;
}

NumberKind kindOfExpr(const Expr &expr) {
  EXPECT_TRUE(checkExpr(expr, 2));
  return kindOf(expr, twoSymbols());
}

/// A program that gives the number that `overload` takes from a tensor.
NumberKind kindOfItem(DType dtype, const char *overload = "aten.item.default") {
  ProgramBuilder b;
  ValueId tensor = b.slotValue(b.slot("x", {}, dtype));
  ValueId number = b.value(Value::Kind::Dynamic, {});
  b.call(overload, {tensorArg(tensor)}, {number});
  Output &output = b.output(number);
  output.kind = Output::Kind::Scalar;
  return kindOf(b.program, b.program.outputs[0]);
}
} // namespace

TEST(NumberKinds, OfExpressions) {
  EXPECT_EQ(kindOfExpr(ExprBuilder().symbol(0).build()), NumberKind::Int);
  EXPECT_EQ(kindOfExpr(ExprBuilder().symbol(1).build()), NumberKind::Float);
  auto two = [](uint32_t symbol, kiln_expr_opcode op) {
    return kindOfExpr(ExprBuilder().symbol(symbol).integer(2).op(op).build());
  };
  EXPECT_EQ(two(0, KILN_EXPR_MUL), NumberKind::Int);
  EXPECT_EQ(two(1, KILN_EXPR_MUL), NumberKind::Float);
  EXPECT_EQ(two(0, KILN_EXPR_TRUEDIV), NumberKind::Float);
  EXPECT_EQ(two(0, KILN_EXPR_FLOORDIV), NumberKind::Int);
  EXPECT_EQ(two(1, KILN_EXPR_LT), NumberKind::Bool);
  EXPECT_EQ(kindOfExpr(ExprBuilder().symbol(1).op(KILN_EXPR_FLOOR).build()),
            NumberKind::Int);
  EXPECT_EQ(kindOfExpr(ExprBuilder().symbol(0).op(KILN_EXPR_SQRT).build()),
            NumberKind::Float);
  // What a choice depends on does not count.
  EXPECT_EQ(kindOfExpr(ExprBuilder()
                           .symbol(1)
                           .symbol(0)
                           .integer(3)
                           .op(KILN_EXPR_SELECT)
                           .build()),
            NumberKind::Int);
  EXPECT_EQ(kindOfExpr(ExprBuilder()
                           .symbol(0)
                           .symbol(1)
                           .symbol(1)
                           .op(KILN_EXPR_SELECT)
                           .build()),
            NumberKind::Float);
}

TEST(NumberKinds, OfElementsThatAreTakenOut) {
  EXPECT_EQ(kindOfItem(DType::F32), NumberKind::Float);
  EXPECT_EQ(kindOfItem(DType::BF16), NumberKind::Float);
  EXPECT_EQ(kindOfItem(DType::I64), NumberKind::Int);
  EXPECT_EQ(kindOfItem(DType::Bool), NumberKind::Bool);
  EXPECT_EQ(kindOfItem(DType::C64), NumberKind::Complex);
  EXPECT_EQ(kindOfItem(DType::F32, "mine.number.default"), NumberKind::None);
}

// The typed header expects what the runtime says.
TEST(NumberKinds, StandInTheHeader) {
  Package package = samplePackage();
  ProgramBuilder b;
  b.program = package.programs[0];
  Output &ratio = b.output(kNone, "ratio");
  ratio.kind = Output::Kind::Expr;
  ratio.expr = b.expr(
      ExprBuilder().symbol(0).integer(2).op(KILN_EXPR_TRUEDIV).build());
  package.programs[0] = b.program;
  EXPECT_NE(printCppHeader(package, "m").find(
                "{\"ratio\", KILN_VALUE_FLOAT, KILN_DTYPE_NONE, {}}"),
            std::string::npos);
}

TEST(ConstantSize, IsOfIntegersWithoutSymbols) {
  EXPECT_EQ(constantSize(
                ExprBuilder().integer(6).integer(7).op(KILN_EXPR_MUL).build()),
            42);
  EXPECT_EQ(constantSize(ExprBuilder().symbol(0).build()), std::nullopt);
  EXPECT_EQ(constantSize(
                ExprBuilder().integer(4).op(KILN_EXPR_TO_FLOAT).build()),
            std::nullopt);
  EXPECT_EQ(constantSize(ExprBuilder()
                             .integer(4)
                             .integer(0)
                             .op(KILN_EXPR_FLOORDIV)
                             .build()),
            std::nullopt);
}
