//===- ProductTest.cpp - Products by a library
//------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cuBLASLt of test/fake-cuda computes products of f32 with blas=1. Where
// kernels run instead, the one that does gives 2 x + y.
//
//===----------------------------------------------------------------------===//

#include "CudaTest.h"
#include "kiln/Package/GraphPlan.h"

using namespace kiln;
using namespace kiln::runtime;
using namespace kiln::test;

namespace {

using Product = GridStep::Product;

class Products : public LibraryDevice {
protected:
  Products() : LibraryDevice("blas=1", "products") {}

  static Product::Matrix matrix(ProgramBuilder &b, uint32_t buffer,
                                int64_t leading, bool isTransposed = false,
                                int64_t apart = 0, int64_t offset = 0) {
    Product::Matrix made;
    made.buffer = buffer;
    made.isTransposed = isTransposed;
    made.offset = b.integer(offset);
    made.leading = b.integer(leading);
    made.apart = b.integer(apart);
    return made;
  }

  /// x and y of so many elements, and the result of one step that is a product.
  void load(ProgramBuilder &b, Product product, int64_t left, int64_t right,
            int64_t result) {
    ValueId x = b.slotValue(b.slot("x", {b.integer(left)}));
    ValueId y = b.slotValue(b.slot("y", {b.integer(right)}));
    ValueId r = b.value(Value::Kind::New, {b.integer(result)});
    GridStep grid = saxpy(b, x, y, r);
    grid.library = product;
    b.program.steps.emplace_back(grid);
    b.output(r);
    auto loaded = Executable::load(packageOf(b), registry, device);
    ASSERT_TRUE(loaded) << loaded.error().message;
    executable = *loaded;
  }
  static Product ofSizes(ProgramBuilder &b, int64_t rows, int64_t columns,
                         int64_t sum, int64_t matrices = 1) {
    Product product;
    product.matrices = b.integer(matrices);
    product.rows = b.integer(rows);
    product.columns = b.integer(columns);
    product.sum = b.integer(sum);
    return product;
  }
  Result<std::vector<float>> call(const Tensor &x, const Tensor &y) {
    auto results = executable->forward().run({x, y}, options);
    if (!results)
      return results.takeError();
    return contentsOf(std::get<Tensor>((*results)[0].value));
  }

  std::shared_ptr<Executable> executable;
};

TEST_F(Products, OfMatricesInEitherOrder) {
  // x is [2, 3] or its transpose, y is [3, 4] or its transpose, of 0, 1, 2, ...
  for (bool isLeftTransposed : {false, true})
    for (bool isRightTransposed : {false, true}) {
      ProgramBuilder b;
      Product product = ofSizes(b, 2, 4, 3);
      product.left = matrix(b, 0, isLeftTransposed ? 2 : 3, isLeftTransposed);
      product.right =
          matrix(b, 1, isRightTransposed ? 3 : 4, isRightTransposed);
      product.result = matrix(b, 2, 4);
      load(b, product, 6, 12, 8);
      auto got = call(count({6}), count({12}));
      ASSERT_TRUE(got) << got.error().message;
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j) {
          float want = 0;
          for (int k = 0; k < 3; ++k)
            want += float(isLeftTransposed ? k * 2 + i : i * 3 + k) *
                    float(isRightTransposed ? j * 3 + k : k * 4 + j);
          EXPECT_EQ((*got)[i * 4 + j], want) << i << ' ' << j;
        }
    }
  EXPECT_EQ(stats.libraryProducts, 4u);
  EXPECT_EQ(stats.kernelLaunches, 0u);
  // m, n and k are those of the transposed result; sums are exact.
  std::vector<std::string> asked = lines("multiply");
  ASSERT_EQ(asked.size(), 4u);
  EXPECT_EQ(asked[0], "multiply 4 2 3 1 NN 0,0 68 1");
  EXPECT_EQ(asked[1], "multiply 4 2 3 1 TN 0,0 68 1");
  EXPECT_EQ(asked[2], "multiply 4 2 3 1 NT 0,0 68 1");
}

TEST_F(Products, OfSeveralMatricesWithAnOffset) {
  // Two matrices [2, 3] from element 4 on times one of [3, 2].
  ProgramBuilder b;
  Product product = ofSizes(b, 2, 2, 3, 2);
  product.left = matrix(b, 0, 3, false, 6, 4);
  product.right = matrix(b, 1, 2);
  product.result = matrix(b, 2, 2, false, 4);
  product.permitsTF32 = true;
  load(b, product, 16, 6, 8);
  auto got = call(count({16}), count({6}));
  ASSERT_TRUE(got) << got.error().message;
  for (int at = 0; at < 8; ++at) {
    float want = 0;
    for (int k = 0; k < 3; ++k)
      want +=
          float(4 + at / 4 * 6 + at / 2 % 2 * 3 + k) * float(k * 2 + at % 2);
    EXPECT_EQ((*got)[at], want) << at;
  }
  EXPECT_EQ(lines("multiply").back(), "multiply 2 2 3 2 NN 0,0 77 1");
}

TEST_F(Products, AddABiasOfEachColumn) {
  ProgramBuilder b;
  Product product = ofSizes(b, 2, 2, 2);
  product.left = product.right = matrix(b, 0, 2);
  product.result = matrix(b, 2, 2);
  product.bias = 1;
  load(b, product, 4, 2, 4);
  Tensor bias = count({2});
  bias.dataAs<float>()[0] = 100;
  auto got = call(count({4}), bias);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(*got, (std::vector<float>{102, 4, 106, 12}));
  EXPECT_EQ(lines("multiply").back(), "multiply 2 2 2 1 NN 0,0 68 4");
}

TEST_F(Products, AreChosenOnceAndShareAWorkspace) {
  ProgramBuilder b;
  Product product = ofSizes(b, 2, 2, 2);
  product.left = product.right = matrix(b, 0, 2);
  product.result = matrix(b, 2, 2);
  load(b, product, 4, 4, 4);
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(call(count({4}), count({4})));
  EXPECT_EQ(lines("multiply").size(), 3u);
  EXPECT_EQ(lines("heuristic").size(), 1u);
  EXPECT_EQ(lines("alloc 33554432").size(), 1u);
  EXPECT_EQ(device->stats().libraryCalls, 3u);
  EXPECT_FALSE(device->library(LibraryKind::Products).empty());
}

TEST_F(Products, ThatAreRefusedAreKernels) {
  setenv("KILN_FAKE_CUDA", "blas=2", 1);
  ProgramBuilder b;
  Product product = ofSizes(b, 2, 2, 2);
  product.left = product.right = matrix(b, 0, 2);
  product.result = matrix(b, 2, 2);
  load(b, product, 4, 4, 4);
  for (int i = 0; i < 2; ++i) {
    auto got = call(count({4}), count({4}));
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(*got, (std::vector<float>{0, 3, 6, 9}));
  }
  EXPECT_EQ(stats.libraryProducts, 0u);
  EXPECT_EQ(stats.kernelLaunches, 2u);
  ASSERT_EQ(stats.librarySkips.size(), 1u);
  EXPECT_EQ(stats.librarySkips[0].reason,
            "cuBLASLt has no algorithm for the product");
  EXPECT_EQ(stats.librarySkips[0].count, 2u);
  // Who measures the library wants no kernels.
  options.needsLibraries = true;
  auto got = call(count({4}), count({4}));
  ASSERT_FALSE(got);
  EXPECT_NE(got.error().message.find("cuBLASLt has no algorithm"),
            std::string::npos)
      << got.error().message;
}

TEST_F(Products, WithoutWorkspaceAreKernels) {
  setenv("KILN_FAKE_CUDA", "blas=1,memory=1000000", 1);
  device.reset();
  device = *cuda::openDevice({});
  ProgramBuilder b;
  Product product = ofSizes(b, 2, 2, 2);
  product.left = product.right = matrix(b, 0, 2);
  product.result = matrix(b, 2, 2);
  load(b, product, 4, 4, 4);
  auto got = call(count({4}), count({4}));
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(*got, (std::vector<float>{0, 3, 6, 9}));
  EXPECT_EQ(stats.librarySkips.at(0).reason,
            "there is no memory for the workspace of libraries");
}

TEST_F(Products, OfNothingAreKernels) {
  ProgramBuilder b;
  Product product = ofSizes(b, 2, 2, 0);
  product.left = product.right = matrix(b, 0, 2);
  product.result = matrix(b, 2, 2);
  load(b, product, 4, 4, 4);
  options.needsLibraries = true;
  EXPECT_TRUE(call(count({4}), count({4})));
  EXPECT_EQ(stats.kernelLaunches, 1u);
  EXPECT_TRUE(lines("multiply").empty());
}

TEST_F(Products, StayWithinTheirBuffers) {
  auto refused = [&](std::function<void(ProgramBuilder &, Product &)> change,
                     const std::string &text) {
    ProgramBuilder b;
    Product product = ofSizes(b, 64, 64, 64);
    product.left = matrix(b, 0, 64);
    product.right = matrix(b, 1, 64);
    product.result = matrix(b, 2, 64);
    change(b, product);
    load(b, product, 4096, 4096, 4096);
    auto got = call(count({4096}), count({4096}));
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().kind, ErrorKind::Malformed);
    EXPECT_NE(got.error().message.find(text), std::string::npos)
        << got.error().message;
  };
  refused([&](auto &b, auto &p) { p.left = matrix(b, 0, 64, false, 0, 64); },
          "product, left: expected a matrix within");
  refused([&](auto &b, auto &p) { p.right = matrix(b, 1, 65); },
          "product, right: expected a matrix within");
  refused([&](auto &b, auto &p) { p.right = matrix(b, 1, -64); },
          "found an end at no valid element");
  refused([&](auto &b, auto &p) { p.result = matrix(b, 2, INT64_MAX); },
          "product, result: expected a matrix within");
  refused([&](auto &b, auto &p) { p.left = matrix(b, 0, 64, false, 0, -4); },
          "found an end at no valid element");
  refused(
      [&](auto &b, auto &p) {
        p = ofSizes(b, 1, 8192, 1);
        p.left = matrix(b, 0, 1);
        p.right = matrix(b, 1, 8192);
        p.result = matrix(b, 2, 8192);
      },
      "product, right");
  refused(
      [&](auto &b, auto &p) {
        p = ofSizes(b, 64, 64, 64, 2);
        p.left = matrix(b, 0, 64, false, 4096);
        p.right = matrix(b, 1, 64);
        p.result = matrix(b, 2, 64, false, 4096);
      },
      "product, left");
  EXPECT_TRUE(lines("multiply").empty());
}

/// Five steps, of which the third is the product of what is before it and itself, and the fourth
/// that of what is before it and x, which is [[0, 1], [2, 3]] times a number.
class ProductGraphs : public Products {
protected:
  ProductGraphs() {
    ProgramBuilder b;
    ExprId n = b.integer(4);
    ValueId x = b.slotValue(b.slot("x", {n})), from = x;
    for (int i = 0; i < 5; ++i) {
      ValueId to = b.value(Value::Kind::New, {n});
      GridStep grid = saxpy(b, from, i == 3 ? x : from, to);
      if (i == 2 || i == 3) {
        Product product = ofSizes(b, 2, 2, 2);
        product.left = matrix(b, 0, 2);
        product.right = matrix(b, 1, 2);
        product.result = matrix(b, 2, 2);
        grid.library = product;
      }
      b.program.steps.emplace_back(grid);
      from = to;
    }
    b.output(from);
    package = packageOf(b);
    options.graphs = true;
  }
  /// Calls with x times a number, in memory of its own each time, and checks the results.
  void callAll(int calls) {
    auto loaded = Executable::load(package, registry, device);
    ASSERT_TRUE(loaded) << loaded.error().message;
    std::vector<Tensor> kept;
    for (int i = 0; i < calls; ++i) {
      Tensor input = count({4});
      for (int k = 0; k < 4; ++k)
        input.dataAs<float>()[k] *= float(i);
      kept.push_back(*input.toDevice(*device));
      auto got = (*loaded)->forward().run({kept.back()}, options);
      ASSERT_TRUE(got) << got.error().message;
      // 3 (9 x) (9 x) x, of x x x = [[6, 11], [22, 39]].
      std::vector<float> want = {6, 11, 22, 39};
      for (float &number : want)
        number *= 243.0f * float(i * i * i);
      kept.push_back(std::get<Tensor>((*got)[0].value));
      EXPECT_EQ(contentsOf(kept.back()), want) << i;
    }
  }

  Package package;
};

TEST_F(ProductGraphs, HaveProducts) {
  EXPECT_NE(package::graphText(package).find("1 graph of 5 kernels"),
            std::string::npos);
  callAll(6);
  EXPECT_EQ(stats.graphReplays, 4u);
  EXPECT_EQ(stats.libraryProducts, 12u);
  EXPECT_EQ(stats.kernelLaunches, 18u);
  // They share a workspace, and what they make is read.
  EXPECT_EQ(lines("edges"),
            (std::vector<std::string>{"edges 0:", "edges 1: 0", "edges 2: 1",
                                      "edges 3: 2", "edges 4: 3"}));
  EXPECT_EQ(lines("heuristic").size(), 1u);
}

TEST_F(ProductGraphs, FollowTheirOperands) {
  callAll(6);
  // x is elsewhere in each call, which the second product reads.
  EXPECT_GE(lines("update a product").size(), 4u);
}

TEST_F(ProductGraphs, AreWalkedWhereTheyCannotBeChanged) {
  setenv("KILN_FAKE_CUDA", "blas=1,childgraphs=1", 1);
  callAll(5);
  EXPECT_EQ(stats.graphReplays, 0u);
  EXPECT_EQ(stats.libraryProducts, 10u);
  EXPECT_EQ(
      stats.graphSkips.back().reason,
      "a product of cuBLASLt is computed in another way than when the graph "
      "was made");
  EXPECT_EQ(stats.graphSkips.back().count, 3u);
}

TEST_F(ProductGraphs, AreWalkedWhereTheDriverTakesNone) {
  setenv("KILN_FAKE_CUDA", "blas=1,childgraphs=0", 1);
  callAll(5);
  EXPECT_EQ(stats.graphReplays, 0u);
  EXPECT_EQ(stats.libraryProducts, 10u);
  EXPECT_EQ(stats.graphSkips.back().reason.rfind(
                "the driver makes no graph of what libraries do: ", 0),
            0u)
      << stats.graphSkips.back().reason;
}

TEST_F(ProductGraphs, HaveKernelsOfProductsThatAreRefused) {
  setenv("KILN_FAKE_CUDA", "blas=2", 1);
  auto loaded = Executable::load(package, registry, device);
  ASSERT_TRUE(loaded) << loaded.error().message;
  for (int i = 0; i < 4; ++i) {
    auto got = (*loaded)->forward().run({count({4})}, options);
    ASSERT_TRUE(got) << got.error().message;
    // 3 (2 27 x + x)
    EXPECT_EQ(contentsOf(std::get<Tensor>((*got)[0].value)),
              (std::vector<float>{0, 165, 330, 495}));
  }
  EXPECT_EQ(stats.graphReplays, 2u);
  EXPECT_EQ(stats.kernelLaunches, 20u);
}

} // namespace
