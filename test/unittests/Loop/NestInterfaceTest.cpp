//===- NestInterfaceTest.cpp - What nests say of themselves ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/IR/Loop.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

namespace {

class Nests : public testing::Test {
protected:
  Nests() { context.loadDialect<LoopDialect, func::FuncDialect>(); }

  /// The first nest of a function of `%x` and `%w`; null if there is none.
  NestOpInterface parse(StringRef text) {
    module = parseSourceString<ModuleOp>(
        ("func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, "
         "%p: tensor<4xi64>) {\n" +
         text + "\nreturn }")
            .str(),
        &context);
    NestOpInterface found;
    if (module)
      module->walk([&](NestOpInterface nest) {
        if (!found)
          found = nest;
      });
    return found;
  }

  static std::string str(ArrayRef<guard::ExprAttr> exprs) {
    std::string text;
    for (guard::ExprAttr expr : exprs)
      text += (text.empty() ? "" : ", ") + expr.str();
    return text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(Nests, Pointwise) {
  auto nest = parse(R"(%r = loop.pointwise (%i, %j) in [4, 8] : tensor<4x8xf32> {
    %e = loop.load %x[%i, %j] : tensor<4x8xf32>
    loop.yield %e : f32 })");
  ASSERT_TRUE(nest);
  EXPECT_EQ(str(nest.getDomain().parallel), "4, 8");
  EXPECT_TRUE(nest.getDomain().reduction.empty());
  EXPECT_TRUE(nest.isPointwise());
  EXPECT_FALSE(nest.isReduction() || nest.isOrdered() || nest.holdsRow());
  EXPECT_FALSE(nest.standsAlone(2));
  EXPECT_EQ(nest.getDimensionOf(nest->getRegion(0).getArgument(1)), 1u);
}

TEST_F(Nests, Reductions) {
  auto nest = parse(
      R"(%s, %m, %k = loop.reduce parallel (%i) in [4] reduction (%j) in [8]
        <sum, argmax> : tensor<4xf32>, tensor<4xf32>, tensor<4xi64> {
    %e = loop.load %x[%i, %j] : tensor<4x8xf32>
    %n = arith.index_cast %j : index to i64
    loop.yield %e, %e, %n : f32, f32, i64 })");
  ASSERT_TRUE(nest);
  EXPECT_TRUE(nest.isReduction());
  EXPECT_FALSE(nest.isOrdered() || nest.isPointwise());
  EXPECT_EQ(str(nest.getResultMap()), "d0");
  auto op = cast<AccumulationOpInterface>(nest.getOperation());
  EXPECT_EQ(op.getKind(0).kind, ReductionKind::Sum);
  EXPECT_EQ(op.getKind(2).kind, ReductionKind::ArgMax);
  EXPECT_EQ(op.getKind(2).position, 1u);
  EXPECT_FALSE(op.roundsEachStep());
  Builder b(&context);
  EXPECT_EQ(op.getNeutral(b, 0), b.getF32FloatAttr(0));
  EXPECT_EQ(op.getNeutral(b, 2), b.getI64IntegerAttr(INT64_MAX));
}

TEST_F(Nests, RowsAreOrderedAndStandAloneBeforeSharedExtents) {
  auto scan = parse(R"(%r = loop.scan parallel (%j) in [8] along (%i) in [4] at 0
      <sum> : tensor<4x8xf32> {
    %e = loop.load %x[%i, %j] : tensor<4x8xf32>
    loop.yield %e : f32 })");
  ASSERT_TRUE(scan);
  EXPECT_EQ(str(scan.getDomain().all()), "8, 4");
  EXPECT_EQ(scan.getRowDimension(), 0);
  EXPECT_EQ(str(scan.getResultMap()), "d1, d0");
  EXPECT_TRUE(scan.isOrdered() && scan.standsAlone(1));
  EXPECT_FALSE(scan.standsAlone(0) || scan.isReduction() || scan.holdsRow());
  EXPECT_TRUE(cast<AccumulationOpInterface>(scan.getOperation())
                  .roundsEachStep());

  auto sort = parse(R"(%r = loop.sort parallel () in [] along (%i) in [4] at 0
      : tensor<4xi64> {
    %e = loop.load %p[%i] : tensor<4xi64>
    loop.yield %e : i64 })");
  ASSERT_TRUE(sort);
  EXPECT_TRUE(sort.isOrdered() && sort.holdsRow());
  EXPECT_FALSE(isa<AccumulationOpInterface>(sort.getOperation()));
}

TEST_F(Nests, ScattersStartFromATensor) {
  auto nest = parse(R"(%r = loop.scatter (%i, %j) in [4, 8] into %x <add>
      : tensor<4x8xf32> {
    %e = loop.load %x[%i, %j] : tensor<4x8xf32>
    loop.yield_at %e at [%i, %j] : f32 })");
  ASSERT_TRUE(nest);
  EXPECT_EQ(nest.getInitialTensor(), nest->getOperand(0));
  EXPECT_TRUE(nest.isOrdered() && nest.standsAlone(0));
  EXPECT_FALSE(nest.isPointwise());
}

TEST_F(Nests, ContractionsReadOperandsByMaps) {
  auto nest = parse(R"(%r = loop.contract parallel [4, 4] reduction [8]
      lhs %x[d0, d2] : tensor<4x8xf32> rhs %w[d2, d1] : tensor<8x4xf32>
      acc f32 : tensor<4x4xf32> epilogue (%acc, %i, %j) {
    loop.yield %acc : f32 })");
  ASSERT_TRUE(nest);
  EXPECT_TRUE(nest.standsAlone(0));
  EXPECT_FALSE(nest.isOrdered() || nest.isPointwise());
  EXPECT_EQ(str(nest.getBodyExtents()), "4, 4");
  auto reads = nest.getOperandReads();
  ASSERT_EQ(reads.size(), 2u);
  EXPECT_EQ(reads[1].tensor, nest->getOperand(1));
  EXPECT_EQ(str(reads[1].map), "d2, d1");
  EXPECT_FALSE(reads[1].masked);
  // The first argument of the epilogue is the accumulator.
  auto contract = cast<ContractOp>(nest.getOperation());
  EXPECT_EQ(nest.getDimensionOf(contract.getEpilogue().getArgument(0)),
            std::nullopt);
  EXPECT_EQ(nest.getDimensionOf(contract.getEpilogue().getArgument(2)), 1u);
}

} // namespace
