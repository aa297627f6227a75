//===- OverlapTest.cpp - Inputs that share memory -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SessionTestSupport.h"

#include "kiln/Base/FileSystem.h"

using namespace kiln;
using namespace kiln::test;
using runtime::OpValue;
using runtime::Tensor;
using session::Session;

namespace {

/// x *= 2; return x + y: what a call writes to is read again.
const char *const kDoubled = R"(
func.func @main(
    %x: tensor<4xf32> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]">},
    %y: tensor<4xf32> {aten.input = #aten.input<kind = user_input, name = "y", path = "[0][1]">})
    -> (tensor<4xf32> {aten.output = #aten.output<kind = input_mutation, name = "x2", target = "x">},
        tensor<4xf32> {aten.output = #aten.output<kind = user_output, name = "sum", path = "">}) {
  %0 = aten.add.Tensor(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = aten.add.Tensor(%0, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
)";

/// The same without a write.
const char *const kSum = R"(
func.func @main(
    %x: tensor<4xf32> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]">},
    %y: tensor<4xf32> {aten.input = #aten.input<kind = user_input, name = "y", path = "[0][1]">})
    -> (tensor<4xf32> {aten.output = #aten.output<kind = user_output, name = "sum", path = "">}) {
  %0 = aten.add.Tensor(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
)";

/// x.index_copy_(0, pos, v): rows are written where x lies, the others stay.
const char *const kRows = R"(
func.func @main(
    %x: tensor<4x4xf32> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]">},
    %pos: tensor<2xi64> {aten.input = #aten.input<kind = user_input, name = "pos", path = "[0][1]">},
    %v: tensor<2x4xf32> {aten.input = #aten.input<kind = user_input, name = "v", path = "[0][2]">})
    -> (tensor<4x4xf32> {aten.output = #aten.output<kind = input_mutation, name = "x2", target = "x">},
        tensor<4xf32> {aten.output = #aten.output<kind = user_output, name = "sum", path = "">}) {
  %0 = aten.index_copy(%x, dim = 0, %pos, %v) : (tensor<4x4xf32>, tensor<2xi64>, tensor<2x4xf32>) -> tensor<4x4xf32>
  %1 = aten.sum.dim_IntList(%0, dim = [1]) : (tensor<4x4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4xf32>
}
)";

/// x.index_copy_(0, pos, x.flip(0)): what is written is read from x as well.
const char *const kTurned = R"(
func.func @main(
    %x: tensor<4x4xf32> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]">},
    %pos: tensor<4xi64> {aten.input = #aten.input<kind = user_input, name = "pos", path = "[0][1]">})
    -> (tensor<4x4xf32> {aten.output = #aten.output<kind = input_mutation, name = "x2", target = "x">},
        tensor<4xf32> {aten.output = #aten.output<kind = user_output, name = "sum", path = "">}) {
  %f = aten.flip(%x, dims = [0]) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = aten.index_copy(%x, dim = 0, %pos, %f) : (tensor<4x4xf32>, tensor<4xi64>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = aten.sum.dim_IntList(%0, dim = [1]) : (tensor<4x4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4xf32>
}
)";

class Overlap : public testing::TestWithParam<Backend> {
protected:
  /// 0 to 15, of which the inputs are views.
  Tensor memory = *Tensor::empty(DType::F32, {16});
  ScratchFolder scratch;

  void SetUp() override {
    for (int i = 0; i < 16; ++i)
      memory.dataAs<float>()[i] = float(i);
  }

  std::unique_ptr<Session> open(const char *text) {
    std::string path = scratch / "m.mlir";
    EXPECT_TRUE(writeFile(path, ByteView(std::string_view(text))));
    auto session = Session::open(path, options("", GetParam()));
    EXPECT_TRUE(session) << session.error().message;
    return session ? std::move(*session) : nullptr;
  }

  Tensor four(int64_t offset, int64_t stride = 1) {
    return memory.asStrided({4}, {stride}, offset);
  }

  /// The sum that a call gives, which is the last of its results.
  static std::vector<float> sumOf(const Result<std::vector<OpValue>> &results) {
    const auto &tensor = std::get<Tensor>(results->back().value);
    const float *data = tensor.dataAs<float>();
    return std::vector<float>(data, data + 4);
  }
};

TEST_P(Overlap, InputsApartGiveWhatEagerGives) {
  auto session = open(kDoubled);
  ASSERT_TRUE(session);
  auto results = session->call({four(0), four(4)});
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_EQ(sumOf(results), (std::vector<float>{4, 7, 10, 13}));
  EXPECT_EQ(memory.dataAs<float>()[3], 6);
  // Every other element: the ranges meet, the elements do not.
  results = session->call({four(8, 2), four(9, 2)});
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_EQ(sumOf(results), (std::vector<float>{25, 31, 37, 43}));
}

/// Eager reads what it has written: y = x gives 4 x. A program whose order was
/// captured with inputs apart would give 3 x.
TEST_P(Overlap, InputsThatOverlapAreRefusedBeforeAnythingIsWritten) {
  auto session = open(kDoubled);
  ASSERT_TRUE(session);
  for (auto [x, y] : {std::pair(0, 0), std::pair(0, 2), std::pair(5, 2)}) {
    auto results = session->call({four(x), four(y)});
    ASSERT_FALSE(results);
    EXPECT_EQ(results.error().kind, ErrorKind::Guard);
    EXPECT_NE(results.error().message.find(
                  "tensors 'x' and 'y' share memory, and the program writes to "
                  "'x'. expected memory of its own, such as a copy"),
              std::string::npos)
        << results.error().message;
  }
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(memory.dataAs<float>()[i], i);
  // A copy is what would work, and nothing is compiled for a refusal.
  auto copy = four(2).clone();
  ASSERT_TRUE(copy);
  EXPECT_TRUE(session->call({four(0), *copy}));
  EXPECT_EQ(session->stats().graphsCompiled, 1u);
}

TEST_P(Overlap, InputsThatAreOnlyReadMayOverlap) {
  auto session = open(kSum);
  ASSERT_TRUE(session);
  auto results = session->call({four(0), four(2)});
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_EQ(sumOf(results), (std::vector<float>{2, 4, 6, 8}));
}

TEST_P(Overlap, RowsAreWrittenWhereTheyLie) {
  auto session = open(kRows);
  ASSERT_TRUE(session);
  Tensor pos = *Tensor::empty(DType::I64, {2});
  Tensor rows = *Tensor::empty(DType::F32, {2, 4});
  std::fill_n(rows.dataAs<float>(), 8, 100.0f);
  Tensor x = memory.asStrided({4, 4}, {4, 1}, 0);
  for (auto [first, second, sums] :
       {std::tuple(2, 0, std::vector<float>{400, 22, 400, 54}),
        std::tuple(3, 3, std::vector<float>{400, 22, 400, 400})}) {
    pos.dataAs<int64_t>()[0] = first;
    pos.dataAs<int64_t>()[1] = second;
    auto results = session->call({x, pos, rows});
    ASSERT_TRUE(results) << results.error().message;
    EXPECT_EQ(sumOf(results), sums);
  }
  EXPECT_EQ(memory.dataAs<float>()[5], 5);
  EXPECT_EQ(memory.dataAs<float>()[15], 100);
}

TEST_P(Overlap, RowsThatAreReadElsewhereAreNotWrittenBefore) {
  auto session = open(kTurned);
  ASSERT_TRUE(session);
  Tensor pos = *Tensor::empty(DType::I64, {4});
  for (int i = 0; i < 4; ++i)
    pos.dataAs<int64_t>()[i] = i;
  auto results =
      session->call({memory.asStrided({4, 4}, {4, 1}, 0), pos});
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_EQ(sumOf(results), (std::vector<float>{54, 38, 22, 6}));
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(memory.dataAs<float>()[i], 12 - i / 4 * 4 + i % 4);
}

/// x.reshape(-1).add_(1) changes x where its rows lie in order, and a copy of it
/// elsewhere; y.t().contiguous().mul_(2) changes a copy of y, and y itself where its
/// columns do. What was captured is right for one of the two.
TEST_P(Overlap, WhatStridesDecidedHoldsForNoOthers) {
  auto session = Session::open(inputs("decided_strides/train.pt2"),
                               options("", GetParam()));
  ASSERT_TRUE(bool(session)) << session.error().message;
  auto call = [&](unsigned turned) {
    std::vector<OpValue> values;
    for (unsigned i = 0; i < 4; ++i) {
      Tensor tensor = *Tensor::empty(DType::F32, {6});
      std::fill_n(tensor.dataAs<float>(), 6, float(i));
      std::vector<int64_t> steps = {3, 1};
      if (i == turned)
        steps = {1, 2};
      values.push_back(tensor.asStrided({2, 3}, steps, 0));
    }
    return (*session)->call(values);
  };
  for (unsigned turned : {2, 3, 4}) {
    auto results = call(turned);
    EXPECT_TRUE(results) << turned << ": " << results.error().message;
  }
  for (auto [turned, name] : {std::pair(0, "x"), std::pair(1, "y")}) {
    auto results = call(turned);
    ASSERT_FALSE(results);
    EXPECT_EQ(results.error().kind, ErrorKind::Guard);
    EXPECT_NE(results.error().message.find(
                  "tensor '" + std::string(name) +
                  "' stride mismatch at index 0. expected 3, actual 1"),
              std::string::npos)
        << results.error().message;
  }
  EXPECT_EQ((*session)->stats().graphsCompiled, 1u);
}

INSTANTIATE_TEST_SUITE_P(Session, Overlap,
                         testing::Values(Backend::Eager, Backend::AotEager,
                                         Backend::Inductor),
                         [](const auto &info) { return wordOf(info.param); });

} // namespace
