//===- ViewMapsTest.cpp - Reading and writing through maps ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/IR/ViewMaps.h"

#include "kiln/Dialect/Aten/IR/AtenBase.h"
#include "kiln/Dialect/Aten/IR/FormulaBuilder.h"
#include "kiln/Dialect/Guard/IR/Guard.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"

#include <gmock/gmock.h>

using namespace kiln;
using namespace kiln::aten;
using ::testing::ElementsAre;

namespace {

class ViewMapsTest : public ::testing::Test {
protected:
  ViewMapsTest() : builder(&context), b(builder, builder.getUnknownLoc()) {
    context.loadDialect<AtenDialect, guard::GuardDialect,
                        mlir::arith::ArithDialect>();
    module = ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToStart(module->getBody());
  }

  Value tensor(ArrayRef<int64_t> sizes) {
    return b.filled(guard::getConstants(&context, sizes), 1,
                    builder.getF32Type());
  }
  std::vector<guard::ExprAttr> exprs(ArrayRef<int64_t> values) {
    auto list = guard::getConstants(&context, values);
    return {list.begin(), list.end()};
  }
  /// Names of the ops that `make` builds.
  template <typename Fn> std::vector<std::string> namesOf(Fn make) {
    size_t before = module->getBody()->getOperations().size();
    Value result = make();
    EXPECT_TRUE(result);
    EXPECT_TRUE(succeeded(mlir::verify(*module)));
    std::vector<std::string> names;
    for (Operation &op : llvm::drop_begin(*module->getBody(), before))
      names.push_back(op.getName().getStringRef().str());
    made = result;
    return names;
  }
  /// Row 2 of dimension 1, every other of dimension 0 from 1 on, and dimension 2
  /// first: a view that no operator makes.
  ViewMap partOfMany() {
    ViewMap map;
    map.sizes = exprs({6, 2});
    map.start = exprs({1, 2, 0});
    map.steps = {{0, 2, b.expr(1)}, {1, 0, b.expr(2)}};
    return map;
  }

  MLIRContext context;
  OpBuilder builder;
  FormulaBuilder b;
  mlir::OwningOpRef<ModuleOp> module;
  Value made;
};

TEST_F(ViewMapsTest, ReadsPartsOfSeveralDimensions) {
  Value x = tensor({4, 8, 6});
  EXPECT_THAT(namesOf([&] { return readThrough(b, partOfMany(), x); }),
              ElementsAre("aten.select.int", "aten.slice.Tensor",
                          "aten.permute"));
  EXPECT_THAT(FormulaBuilder::typeOf(made).getShape(), ElementsAre(6, 2));
}

TEST_F(ViewMapsTest, WritesPartsOfSeveralDimensions) {
  Value x = tensor({4, 8, 6}), source = tensor({6, 2});
  std::string reason;
  EXPECT_THAT(namesOf([&] {
                return writeThrough(b, partOfMany(), x, source, reason);
              }),
              ElementsAre("aten.permute", "aten.select.int",
                          "aten.slice_scatter", "aten.select_scatter"));
  EXPECT_EQ(made.getType(), x.getType());
}

TEST_F(ViewMapsTest, AddsToPartsOfSeveralDimensions) {
  Value x = tensor({4, 8, 6}), source = tensor({6, 2});
  EXPECT_THAT(namesOf([&] {
                return addThrough(b, partOfMany(), b.dimsOf(x), source);
              }),
              ElementsAre("aten.permute", "aten.slice_backward",
                          "aten.select_backward"));
  EXPECT_EQ(made.getType(), x.getType());
}

TEST_F(ViewMapsTest, WritesNothingWhereElementsShareMemory) {
  Value x = tensor({4}), source = tensor({3, 4});
  ViewMap map;
  map.sizes = exprs({3, 4});
  map.start = exprs({0});
  map.steps = {{1, 0, b.expr(1)}};
  std::string reason;
  EXPECT_FALSE(writeThrough(b, map, x, source, reason));
  EXPECT_EQ(reason, "where several elements share memory");
}

TEST_F(ViewMapsTest, IndexFollowsSteps) {
  auto index = partOfMany().getIndex();
  ASSERT_EQ(index.size(), 3u);
  EXPECT_EQ(index[0].str(), "d1 * 2 + 1");
  EXPECT_EQ(index[1].str(), "2");
  EXPECT_EQ(index[2].str(), "d0");
}

TEST_F(ViewMapsTest, OpsOfViewsHaveMapsAndOthersNone) {
  Value x = tensor({4, 8});
  OpResults parts = b.splitTensor(x, 3, 1);
  ASSERT_EQ(parts.size(), 3u);
  auto maps = getViewMaps(parts[0].getDefiningOp());
  ASSERT_TRUE(succeeded(maps));
  EXPECT_EQ((*maps)[2].start[1].str(), "6");
  EXPECT_EQ((*maps)[2].sizes[1].str(), "2");
  EXPECT_TRUE(failed(getViewMaps(b.exp(x).getDefiningOp())));
}

/// The map of the only result of what defines `value`.
static ViewMap mapOf(Value value) {
  auto maps = getViewMaps(value.getDefiningOp());
  EXPECT_TRUE(succeeded(maps));
  return maps->front();
}

TEST_F(ViewMapsTest, WritesThroughAPartOfComplexNumbers) {
  Value x = b.viewAsComplex(tensor({4, 3, 2}));
  Value imaginary = b.imag(x);
  ViewMap map = mapOf(imaginary);
  EXPECT_EQ(map.elements, ViewElements::Parts);
  std::string reason;
  EXPECT_THAT(namesOf([&] {
                return writeThrough(b, map, x, imaginary, reason);
              }),
              ElementsAre("aten.view_as_real", "aten.select_scatter",
                          "aten.view_as_complex"));
  EXPECT_EQ(made.getType(), x.getType());
}

TEST_F(ViewMapsTest, WritesThroughOtherElements) {
  std::string reason;
  Value x = tensor({4, 6});
  Value bytes = b.viewDtype(x, builder.getF64Type());
  EXPECT_THAT(FormulaBuilder::typeOf(bytes).getShape(), ElementsAre(4, 3));
  EXPECT_THAT(namesOf([&] {
                return writeThrough(b, mapOf(bytes), x, bytes, reason);
              }),
              ElementsAre("aten.view.dtype"));
  EXPECT_EQ(made.getType(), x.getType());
  Value pairs = b.viewAsComplex(tensor({4, 2}));
  Value reals = tensor({4, 2});
  EXPECT_THAT(namesOf([&] {
                return writeThrough(b, mapOf(pairs), reals, pairs, reason);
              }),
              ElementsAre("aten.view_as_real"));
}

TEST_F(ViewMapsTest, AddsThroughThePartsOfComplexNumbers) {
  Value x = b.viewAsComplex(tensor({4, 2}));
  Value real = b.real(x);
  EXPECT_THAT(namesOf([&] {
                return addThrough(b, mapOf(real), FormulaBuilder::dimsOf(x),
                                  real);
              }),
              ElementsAre("aten.select_backward", "aten.view_as_complex"));
  Value parts = b.viewAsReal(x);
  EXPECT_THAT(namesOf([&] {
                return addThrough(b, mapOf(parts), FormulaBuilder::dimsOf(x),
                                  parts);
              }),
              ElementsAre("aten.contiguous", "aten.view_as_complex"));
}

} // namespace
