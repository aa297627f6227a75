//===- BuilderTest.cpp - Formulas of aten ops -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/IR/FormulaBuilder.h"

#include "kiln/Dialect/Aten/IR/AtenBase.h"
#include "kiln/Dialect/Aten/IR/AtenOps.h"
#include "kiln/Dialect/Guard/IR/Guard.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace kiln;
using namespace kiln::aten;

namespace {

class BuilderTest : public ::testing::Test {
protected:
  BuilderTest() : builder(&context), b(builder, builder.getUnknownLoc()) {
    context.loadDialect<AtenDialect, guard::GuardDialect,
                        mlir::arith::ArithDialect>();
    module = ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToStart(module->getBody());
    f32 = builder.getF32Type();
    n = guard::getSymbol(&context, "s0");
    x = b.filled({n, b.expr(8)}, 1, f32);
  }

  MLIRContext context;
  OpBuilder builder;
  FormulaBuilder b;
  mlir::OwningOpRef<ModuleOp> module;
  Type f32;
  guard::ExprAttr n;
  Value x;
};

TEST_F(BuilderTest, SoftmaxWithASymbolicSize) {
  Value shifted = b.sub(x, b.amax(x, {1}, true));
  Value e = b.exp(shifted);
  Value result = b.div(e, b.sumDimIntList(e, {1}, true));
  ASSERT_TRUE(result);
  EXPECT_EQ(result.getType(), x.getType());
  EXPECT_TRUE(succeeded(mlir::verify(*module)));
}

TEST_F(BuilderTest, AViewOfTheWholeIsTheOperand) {
  size_t before = module->getBody()->getOperations().size();
  EXPECT_EQ(b.view(x, b.dimsOf(x)), x);
  EXPECT_EQ(b.reshape(x, b.dimsOf(x)), x);
  EXPECT_EQ(b.expand(x, b.dimsOf(x)), x);
  EXPECT_EQ(b.permute(x, {0, -1}), x);
  EXPECT_EQ(b.sliceTensor(x, 0, 0, n), x);
  EXPECT_EQ(b.squeezeDims(x, ArrayRef<int64_t>()), x);
  EXPECT_EQ(module->getBody()->getOperations().size(), before);
  // Asked for by name: a gradient stops, strides are those of the sizes.
  EXPECT_NE(b.detach(x), x);
  EXPECT_NE(b.contiguous(x), x);
  EXPECT_NE(b.clone(x), x);
}

TEST_F(BuilderTest, NothingIsDoneForNothing) {
  EXPECT_EQ(b.cast(x, f32), x);
  EXPECT_EQ(b.sumOver(x, {}), x);
  EXPECT_EQ(b.amaxOver(x, {}), x);
  EXPECT_EQ(b.sumToSize(x, b.dimsOf(x)), x);
  EXPECT_EQ(b.concat({x}, 0), x);
  EXPECT_EQ(b.constantPad(x, {b.expr(0), b.expr(0)}, 1), x);
}

/// -0.0 + 0.0 is 0.0, and a product with 1.0 promotes: neither is nothing.
TEST_F(BuilderTest, ArithmeticIsBuiltAsWritten) {
  EXPECT_TRUE(b.add(x, 0.0).getDefiningOp<AddTensorOp>());
  EXPECT_TRUE(b.mul(x, 1.0).getDefiningOp<MulTensorOp>());
  EXPECT_TRUE(b.mul(x, -1).getDefiningOp<MulTensorOp>());
  EXPECT_TRUE(b.pow(x, 2).getDefiningOp<PowTensorScalarOp>());
  EXPECT_TRUE(b.pow(x, x).getDefiningOp<PowTensorTensorOp>());
}

TEST_F(BuilderTest, NullGoesThrough) {
  EXPECT_FALSE(b.add(b.exp(Value()), x));
  EXPECT_FALSE(b.where(x, Value(), x));
}

TEST_F(BuilderTest, NumbersPromoteAsInPyTorch) {
  Type i32 = builder.getI32Type();
  Value i = b.filled({b.expr(4)}, 3, i32);
  EXPECT_EQ(b.elementTypeOf(b.mul(i, 2)), i32);
  EXPECT_EQ(b.elementTypeOf(b.mul(i, 1.0)), f32);
  EXPECT_EQ(b.elementTypeOf(b.add(i, 0.5)), f32);
  EXPECT_EQ(b.elementTypeOf(b.div(i, 1)), f32);
  EXPECT_EQ(b.elementTypeOf(b.filled(i, 7)), i32);
}

TEST_F(BuilderTest, WhereTakesNumbersAsFillsOrAsPyTorch) {
  Type i1 = builder.getI1Type(), i32 = builder.getI32Type(),
       i64 = builder.getI64Type(), f16 = builder.getF16Type();
  Value c = b.filled({b.expr(4)}, 1, i1);
  auto of = [&](Type type) { return b.filled({b.expr(4)}, 1, type); };
  auto expectElement = [&](Operand x, Operand y, Type element) {
    EXPECT_EQ(b.elementTypeOf(b.where(c, x, y)), element);
    EXPECT_EQ(b.elementTypeOf(b.where(c, y, x)), element);
  };
  expectElement(0.5, 1, f32);
  expectElement(1, 2, i64);
  expectElement(true, 1, i64);
  expectElement(true, false, i1);
  expectElement(0.5, of(i32), f32);
  expectElement(0.5, of(f16), f16);
  expectElement(true, of(i32), i32);
  // Numbers that the elements hold are of their type.
  expectElement(2.0, of(i32), i32);
  expectElement(1, of(i1), i1);
  Value z = b.complexNumber({0, 1});
  expectElement(z, of(f32), mlir::ComplexType::get(f32));
  expectElement(z, of(i32), mlir::ComplexType::get(f32));
  EXPECT_TRUE(succeeded(mlir::verify(*module)));
}

TEST_F(BuilderTest, SumsOfIntegersAreWide) {
  Type i64 = builder.getI64Type();
  for (Type type : {Type(builder.getI1Type()), Type(builder.getI32Type())}) {
    EXPECT_EQ(b.elementTypeOf(b.sumAll(b.filled({b.expr(4)}, 1, type))), i64);
    Value scalar = b.filled(ArrayRef<guard::ExprAttr>(), 1, type);
    EXPECT_EQ(b.elementTypeOf(b.sumAll(scalar)), i64);
    EXPECT_EQ(b.sumOver(scalar, {}), scalar);
  }
}

/// A number that no i64 holds stays a float, which the op refuses with its range.
TEST_F(BuilderTest, PadsIntegersWithWhatTheyHold) {
  Value i = b.filled({b.expr(4)}, 3, builder.getI64Type());
  auto pad = [&](double value) {
    return b.constantPad(i, {b.expr(1), b.expr(1)}, value);
  };
  EXPECT_TRUE(pad(-3));
  EXPECT_TRUE(pad(-0x1p62));
  EXPECT_FALSE(pad(0x1p63));
  EXPECT_FALSE(pad(-INFINITY));
}

TEST_F(BuilderTest, OnlyComplexNumbersHaveConjugates) {
  Value z = b.full({n}, 1.0, mlir::ComplexType::get(f32));
  EXPECT_TRUE(b.conjugate(z).getDefiningOp<ConjOp>());
  EXPECT_EQ(b.conjugate(x), x);
}

TEST_F(BuilderTest, SumToSizeUndoesABroadcast) {
  SmallVector<guard::ExprAttr> wide = {b.expr(3), n, b.expr(8)};
  Value y = b.expand(x, wide);
  Value back = b.sumToSize(y, {b.expr(1), b.expr(8)});
  ASSERT_TRUE(back);
  EXPECT_EQ(b.typeOf(back).getShape(), ArrayRef<int64_t>({1, 8}));
  EXPECT_TRUE(succeeded(mlir::verify(*module)));
}

} // namespace
