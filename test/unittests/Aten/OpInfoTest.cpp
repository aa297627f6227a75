//===- OpInfoTest.cpp - Any overload through its description --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/IR/OpInfo.h"

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

class OpInfoTest : public ::testing::Test {
protected:
  OpInfoTest() : builder(&context), loc(builder.getUnknownLoc()) {
    context.loadDialect<AtenDialect, guard::GuardDialect,
                        mlir::arith::ArithDialect>();
    module = ModuleOp::create(loc);
    builder.setInsertionPointToStart(module->getBody());
    context.getDiagEngine().registerHandler([this](mlir::Diagnostic &d) {
      message = d.str();
      return success();
    });
  }

  /// A tensor of f32 to work on.
  Value tensor(ArrayRef<int64_t> sizes) {
    Attribute fill = builder.getF64FloatAttr(1);
    Operation *op = buildAtenOp(builder, loc, *lookUpOverload("aten.full"),
                                {builder.getDenseI64ArrayAttr(sizes), fill});
    return op->getResult(0);
  }

  MLIRContext context;
  OpBuilder builder;
  Location loc;
  mlir::OwningOpRef<ModuleOp> module;
  std::string message;
};

TEST_F(OpInfoTest, LookUp) {
  EXPECT_STREQ(lookUpOverload("aten.mm.default")->name, "aten.mm");
  EXPECT_STREQ(lookUpOverload("aten.add.Tensor")->name, "aten.add.Tensor");
  EXPECT_EQ(lookUpOverload("aten.no_such.Tensor"), nullptr);
  EXPECT_EQ(lookUpOverload(""), nullptr);
}

TEST_F(OpInfoTest, Costs) {
  auto classOf = [](StringRef overload) {
    return lookUpOverload(overload)->recompute;
  };
  EXPECT_EQ(classOf("aten.mm"), RecomputeClass::Heavy);
  EXPECT_EQ(classOf("aten.sum.dim_IntList"), RecomputeClass::Reduction);
  EXPECT_EQ(classOf("aten.item"), RecomputeClass::Opaque);
  // By the form of the record: a pass over data, or what fuses.
  EXPECT_EQ(classOf("aten.sort"), RecomputeClass::Heavy);
  EXPECT_EQ(classOf("aten.asinh"), RecomputeClass::Cheap);
  EXPECT_EQ(classOf("aten.hstack"), RecomputeClass::Cheap);
  EXPECT_EQ(classOf("aten.rand"), RecomputeClass::Cheap);
  EXPECT_EQ(lookUpOverload("aten.mm")->flops, FlopCount::Product);
  EXPECT_EQ(lookUpOverload("aten.addmm")->flops, FlopCount::AddedProduct);
  EXPECT_EQ(lookUpOverload("aten.relu")->flops, FlopCount::None);
}

TEST_F(OpInfoTest, Facts) {
  EXPECT_TRUE(lookUpOverload("aten.reshape")->mayCopy);
  EXPECT_TRUE(lookUpOverload("aten.reshape")->isView);
  EXPECT_TRUE(lookUpOverload("aten.dropout")->mayCopy);
  EXPECT_FALSE(lookUpOverload("aten.view")->mayCopy);
  // By itself, and by its promotion kind.
  EXPECT_TRUE(lookUpOverload("aten.cat")->takesSmallFloats);
  EXPECT_TRUE(lookUpOverload("aten.permute")->takesSmallFloats);
  EXPECT_FALSE(lookUpOverload("aten.add.Tensor")->takesSmallFloats);
  EXPECT_TRUE(lookUpOverload("aten.add.Scalar")->roundsNumbers);
  EXPECT_FALSE(lookUpOverload("aten.mul.Scalar")->roundsNumbers);
  EXPECT_TRUE(lookUpOverload("aten.fmod.Tensor")->refusesZeroDivisors);
  EXPECT_FALSE(lookUpOverload("aten.mul.Tensor")->refusesZeroDivisors);
}

TEST_F(OpInfoTest, TheTableIsSortedAndRegistered) {
  ArrayRef<const OpInfo *> all = getAllOverloads();
  EXPECT_GT(all.size(), 200u);
  for (size_t i = 1; i < all.size(); ++i)
    EXPECT_LT(StringRef(all[i - 1]->name), StringRef(all[i]->name));
  for (const OpInfo *info : all)
    EXPECT_EQ(getOpInfo(mlir::OperationName(info->name, &context)), info)
        << info->name;
}

TEST_F(OpInfoTest, DefaultsOfEveryKind) {
  auto text = [&](StringRef overload, StringRef arg) {
    const OpInfo *info = lookUpOverload(overload);
    std::string result;
    llvm::raw_string_ostream os(result);
    if (Attribute attr =
            getDefault(&context, info->args[info->getArgIndex(arg)]))
      os << attr;
    return result;
  };
  EXPECT_EQ(text("aten.add.Tensor", "alpha"), "1 : i64");
  EXPECT_EQ(text("aten.leaky_relu", "negative_slope"), "1.000000e-02 : f64");
  EXPECT_EQ(text("aten.conv2d", "stride"), "#guard.shape<[1, 1]>");
  EXPECT_EQ(text("aten.amax", "dim"), "array<i64>");
  EXPECT_EQ(text("aten.gelu", "approximate"), "\"none\"");
  EXPECT_EQ(text("aten.cross_entropy_loss", "ignore_index"),
            "#guard.expr<-100>");
  EXPECT_EQ(text("aten.layer_norm", "eps"), "1.000000e-05 : f64");
  EXPECT_EQ(text("aten.sum", "dtype"), "");
}

TEST_F(OpInfoTest, ArgumentsGoInAndComeOut) {
  Value x = tensor({4, 8});
  Operation *op = buildAtenOp(builder, loc,
                              *lookUpOverload("aten.sum.dim_IntList"),
                              {x, builder.getDenseI64ArrayAttr({-1})});
  ASSERT_TRUE(op);
  SmallVector<ArgValue> args = getSchemaArguments(op);
  ASSERT_EQ(args.size(), 4u);
  EXPECT_EQ(args[0].getValue(), x);
  EXPECT_EQ(args[1].getAttribute(), builder.getDenseI64ArrayAttr({-1}));
  EXPECT_EQ(args[2].getAttribute(), builder.getBoolAttr(false));
  EXPECT_TRUE(args[3].isNone());
  EXPECT_TRUE(succeeded(mlir::verify(*module)));
}

TEST_F(OpInfoTest, NumbersBecomeConstantsUnlessTheyAreTheDefault) {
  Value x = tensor({4});
  const OpInfo &add = *lookUpOverload("aten.add.Tensor");
  Operation *op =
      buildAtenOp(builder, loc, add, {x, x, builder.getI64IntegerAttr(1)});
  EXPECT_EQ(op->getNumOperands(), 2u);
  op = buildAtenOp(builder, loc, add, {x, x, builder.getI64IntegerAttr(2)});
  EXPECT_EQ(op->getNumOperands(), 3u);
  op = buildAtenOp(builder, loc, add, {x, guard::getSymbol(&context, "s0")});
  EXPECT_TRUE(op->getOperand(1).getDefiningOp<guard::ValueOp>());
}

TEST_F(OpInfoTest, AbsentTensorsOfAList) {
  Value x = tensor({4, 8});
  Operation *indices =
      buildAtenOp(builder, loc, *lookUpOverload("aten.arange"),
                  {builder.getI64IntegerAttr(3)});
  SmallVector<Value> list = {Value(), indices->getResult(0)};
  Operation *op =
      buildAtenOp(builder, loc, *lookUpOverload("aten.index.Tensor"),
                  {x, ArrayRef<Value>(list)});
  ASSERT_TRUE(op);
  EXPECT_EQ(getSchemaArguments(op)[1].getValues(), ArrayRef<Value>(list));
  auto type = llvm::cast<RankedTensorType>(op->getResult(0).getType());
  EXPECT_EQ(type.getShape(), ArrayRef<int64_t>({4, 3}));
}

TEST_F(OpInfoTest, WrongArgumentsAreOneDiagnostic) {
  Value x = tensor({4});
  EXPECT_FALSE(buildAtenOp(builder, loc, *lookUpOverload("aten.cumsum"), {x}));
  EXPECT_EQ(message, "'aten.cumsum' op expects 'dim' to be an integer, but it "
                     "is missing and has no default");
  EXPECT_FALSE(buildAtenOp(builder, loc, *lookUpOverload("aten.cumsum"),
                           {x, builder.getStringAttr("a")}));
  EXPECT_EQ(message, "'aten.cumsum' op expects 'dim' to be an integer, but "
                     "found something else");
  EXPECT_FALSE(buildAtenOp(builder, loc, *lookUpOverload("aten.exp"),
                           {x, x}));
  EXPECT_EQ(message,
            "'aten.exp' op expects at most 1 arguments, but found 2");
}

} // namespace
