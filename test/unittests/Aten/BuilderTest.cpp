//===- BuilderTest.cpp - Formulas of aten ops -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/IR/AtenBuilder.h"

#include "kiln/Dialect/Aten/IR/AtenBase.h"
#include "kiln/Dialect/Guard/IR/Guard.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

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
    x = b.ones({n, b.expr(8)}, f32);
  }

  MLIRContext context;
  OpBuilder builder;
  AtenBuilder b;
  mlir::OwningOpRef<ModuleOp> module;
  Type f32;
  guard::ExprAttr n;
  Value x;
};

TEST_F(BuilderTest, SoftmaxWithASymbolicSize) {
  Value shifted = b.sub(x, b.amax(x, {1}, true));
  Value e = b.exp(shifted);
  Value result = b.div(e, b.sum(e, {1}, true));
  ASSERT_TRUE(result);
  EXPECT_EQ(result.getType(), x.getType());
  EXPECT_TRUE(succeeded(mlir::verify(*module)));
}

TEST_F(BuilderTest, NothingIsBuiltForNothing) {
  EXPECT_EQ(b.view(x, b.dimsOf(x)), x);
  EXPECT_EQ(b.expand(x, b.dimsOf(x)), x);
  EXPECT_EQ(b.cast(x, f32), x);
  EXPECT_EQ(b.permute(x, {0, -1}), x);
  EXPECT_EQ(b.mul(x, 1.0), x);
  EXPECT_EQ(b.add(x, 0.0), x);
  EXPECT_EQ(b.sum(x, {}), x);
  EXPECT_EQ(b.slice(x, 0, b.expr(0), n), x);
  EXPECT_EQ(b.sumToSize(x, b.dimsOf(x)), x);
}

TEST_F(BuilderTest, NullGoesThrough) {
  EXPECT_FALSE(b.add(b.exp(Value()), x));
  EXPECT_FALSE(b.where(x, Value(), x));
}

TEST_F(BuilderTest, NumbersDoNotChangeTheType) {
  Value i = b.full({b.expr(4)}, 3.0, builder.getI32Type());
  EXPECT_EQ(b.elementTypeOf(b.mul(i, 2.0)), builder.getI32Type());
  EXPECT_EQ(b.elementTypeOf(b.add(i, 0.5)), f32);
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
