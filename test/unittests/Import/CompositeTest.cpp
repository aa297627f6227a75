//===- CompositeTest.cpp - Overloads that are made of others --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values are compared with PyTorch's by the packs of test/Inputs/composites;
// here is who shares memory with whom, and what is refused.
//
//===----------------------------------------------------------------------===//

#include "ImportTestSupport.h"

#include <cmath>
#include <set>

using namespace kiln;
using namespace kiln::test;

TEST(Composites, AViewOfViewsIsWrittenThrough) {
  ProgramMaker p = cloneOf({2, 3});
  p.call("aten.movedim.intlist",
         {{"self", t("y")}, {"source", ints({0, 1})},
          {"destination", ints({1, 0})}},
         {"m", {3, 2}});
  p.callList("aten.hsplit.int", {{"self", t("m")}, {"sections", i(2)}},
             {{"a", {3, 1}}, {"v", {3, 1}}});
  timesTen(p, "v");
  p.output("y");
  expectResults(p, {iota({2, 3})}, {{"y", {0, 1, 2, 30, 40, 50}}});
}

TEST(Composites, WhatIsTheOperandIsTheSameTensor) {
  ProgramMaker p = cloneOf({3});
  p.call("aten.atleast_1d.default", {{"self", t("y")}}, {"v", {3}});
  timesTen(p, "v");
  p.output("y");
  expectResults(p, {iota({3})}, {{"y", {0, 10, 20}}});
}

TEST(Composites, ACopySharesNothing) {
  ProgramMaker p = cloneOf({2, 2});
  p.call("aten.permute_copy.default",
         {{"self", t("y")}, {"dims", ints({1, 0})}}, {"v", {2, 2}});
  p.callList("aten.unsafe_split.Tensor", {{"self", t("y")}, {"split_size", i(1)}},
             {{"a", {1, 2}}, {"b", {1, 2}}});
  timesTen(p, "v");
  timesTen(p, "a");
  p.output("y");
  p.output("times_ten_v");
  expectResults(p, {iota({2, 2})}, {{"y", {0, 1, 2, 3}},
                                    {"times_ten_v", {0, 20, 10, 30}}});
}

TEST(Composites, InPlaceOnesChangeTheirOperand) {
  ProgramMaker p = cloneOf({3});
  p.call("aten.clip_.default", {{"self", t("y")}, {"max", f(1)}}, {"c", {3}});
  p.call("aten.deg2rad_.default", {{"self", t("y")}}, {"d", {3}});
  p.call("aten.rad2deg_.default", {{"self", t("y")}}, {"r", {3}});
  p.output("y");
  expectResults(p, {iota({3})}, {{"y", {0, 1, 1}}});
}

/// v = overload(y, p, train), where y is ones.
static ProgramMaker dropped(const char *overload, double p, bool train,
                            std::initializer_list<int64_t> sizes) {
  ProgramMaker program = cloneOf(sizes);
  program.call(overload, {{"input", t("y")}, {"p", f(p)}, {"train", {train}}},
               {"v", sizes});
  program.output("v");
  return program;
}

// Numbers are drawn: what is compared is which values there are, and that a
// feature has one throughout.
TEST(Composites, WholeFeaturesAreDropped) {
  auto ones = tensorOf({8, 8, 3}, Floats(8 * 8 * 3, 1.0f));
  const std::pair<const char *, Floats> overloads[] = {
      {"aten.feature_dropout.default", {0, 2}},
      {"aten.feature_alpha_dropout.default", {-0.7791939f, 1.6655989f}}};
  for (const auto &[overload, both] : overloads)
    for (auto backend : {Backend::Eager, Backend::AotEager, Backend::Inductor}) {
      SCOPED_TRACE(overload);
      auto results =
          runBy(backend, dropped(overload, 0.5, true, {8, 8, 3}), {ones});
      ASSERT_TRUE(results) << results.error().message;
      Floats values = floatsOf(results->at("v"));
      ASSERT_EQ(values.size(), 8u * 8 * 3);
      std::set<int> kinds;
      for (size_t k = 0; k < values.size(); ++k) {
        int kind = std::abs(values[k] - both[1]) < 1e-5;
        EXPECT_NEAR(values[k], both[kind], 1e-5);
        EXPECT_EQ(values[k], values[k / 3 * 3]) << "within a feature";
        kinds.insert(kind);
      }
      EXPECT_EQ(kinds.size(), 2u);
    }
}

// Elements that are dropped become d and have no gradient; others become
// a x + b, where a and b keep the mean 0 and the variance 1 of what had them
// (torch/nn/functional.py: alpha_dropout). The loss is the sum of squares.
TEST(Composites, AlphaDropoutTrains) {
  const double p = 0.5, saturation = 1.7580993408473766;
  const double a = 1 / std::sqrt((saturation * saturation * p + 1) * (1 - p));
  const double b = saturation * a * p, d = b - saturation * a;
  ProgramMaker maker = cloneOf({64});
  maker.call("aten.alpha_dropout.default",
             {{"input", t("y")}, {"p", f(p)}, {"train", {true}}}, {"v", {64}});
  maker.call("aten.mul.Tensor", {{"self", t("v")}, {"other", t("v")}},
             {"sq", {64}});
  maker.call("aten.sum.default", {{"self", t("sq")}}, {"loss", Sizes{}});
  maker.output("loss");
  for (auto backend : {Backend::AotEager, Backend::Inductor}) {
    compiler::CompilerSession session;
    CompileOptions options;
    options.backend = backend;
    options.training = true;
    options.inputGradients = {"[0][0]"};
    options.verifyEach = true;
    auto package = session.compile(maker.build(), options);
    ASSERT_TRUE(package) << package.error().message;
    runtime::OperatorRegistry registry;
    ASSERT_TRUE(eager::registerAll(registry));
    auto executable = runtime::Executable::load(std::move(*package), registry);
    ASSERT_TRUE(executable) << executable.error().message;
    Floats x(64);
    for (int k = 0; k < 64; ++k)
      x[k] = float(k) / 16 - 2;
    auto result = (*executable)->runTraining({tensorOf({64}, x)}, {});
    ASSERT_TRUE(result) << result.error().message;
    Floats gradient = floatsOf(result->gradients[0]);
    ASSERT_EQ(gradient.size(), 64u);
    double loss = 0;
    int dropped = 0;
    for (int k = 0; k < 64; ++k) {
      bool isDropped = gradient[k] == 0;
      double value = isDropped ? d : a * x[k] + b;
      EXPECT_NEAR(gradient[k], isDropped ? 0 : 2 * value * a, 1e-5);
      loss += value * value;
      dropped += isDropped;
    }
    EXPECT_NEAR(floatsOf(result->outputs[0])[0], loss, 1e-4 * loss);
    EXPECT_GT(dropped, 8);
    EXPECT_LT(dropped, 56);
  }
}

TEST(Composites, NothingIsDrawnAtTheEndsOfAProbability) {
  expectResults(dropped("aten.alpha_dropout.default", 0, true, {3}), {iota({3})},
                {{"v", {0, 1, 2}}});
  expectResults(dropped("aten.alpha_dropout.default", 1, true, {3}), {iota({3})},
                {{"v", {0, 0, 0}}});
  expectError(dropped("aten.alpha_dropout.default", -1, true, {3}), {iota({3})},
              ErrorKind::Malformed, {"between 0 and 1", "-1"});
  for (const char *overload :
       {"aten.feature_dropout.default", "aten.feature_alpha_dropout.default"}) {
    expectResults(dropped(overload, 0, true, {2, 2}), {iota({2, 2})},
                  {{"v", {0, 1, 2, 3}}});
    expectResults(dropped(overload, 0.5, false, {3}), {iota({3})},
                  {{"v", {0, 1, 2}}});
    expectResults(dropped(overload, 1, true, {2, 2}), {iota({2, 2})},
                  {{"v", {0, 0, 0, 0}}});
    expectError(dropped(overload, 1.5, true, {2, 2}), {iota({2, 2})},
                ErrorKind::Malformed, {"between 0 and 1", "1.5"});
    expectError(dropped(overload, 0.5, true, {3}), {iota({3})},
                ErrorKind::Malformed, {"at least 2 dimensions", "found 1"});
  }
}

// Below 0 the slope lies between the bounds, and above it is 1.
TEST(Composites, SlopesAreDrawnInTraining) {
  ProgramMaker p = cloneOf({64});
  p.call("aten.rrelu.default",
         {{"self", t("y")}, {"lower", f(0.25)}, {"upper", f(0.5)},
          {"training", {true}}},
         {"v", {64}});
  p.output("v");
  Floats values(64);
  for (int k = 0; k < 64; ++k)
    values[k] = k % 2 ? -1.0f : 3.0f;
  for (auto backend : {Backend::Eager, Backend::AotEager, Backend::Inductor}) {
    auto results = runBy(backend, p, {tensorOf({64}, values)});
    ASSERT_TRUE(results) << results.error().message;
    Floats found = floatsOf(results->at("v"));
    ASSERT_EQ(found.size(), 64u);
    std::set<float> slopes;
    for (int k = 0; k < 64; ++k) {
      EXPECT_GE(found[k], k % 2 ? -0.5f : 3.0f);
      EXPECT_LE(found[k], k % 2 ? -0.25f : 3.0f);
      slopes.insert(found[k]);
    }
    EXPECT_GT(slopes.size(), 8u);
  }
}

// The tracer has answered them, and the node gives nothing.
TEST(Composites, QuestionsAboutTypesLeaveNothing) {
  ProgramMaker p = cloneOf({2});
  p.node("aten.promote_types.default",
         {{"type1", {DType::F32}}, {"type2", {DType::F32}}}, {{}});
  p.node("aten.result_type.Tensor", {{"tensor", t("x")}, {"other", t("y")}},
         {{}});
  p.output("y");
  expectResults(p, {iota({2})}, {{"y", {0, 1}}});
}

TEST(Composites, RefusesAWriteThroughWhatMayBeACopy) {
  ProgramMaker p = cloneOf({2, 3});
  p.call("aten.ravel.default", {{"self", t("y")}}, {"v", {6}});
  timesTen(p, "v");
  p.output("y");
  expectError(p, {iota({2, 3})}, ErrorKind::Unsupported,
              {"'v'", "shares its memory"});
}

TEST(Composites, NamesWhatDoesNotFit) {
  ProgramMaker unknown = cloneOf({3});
  unknown.call("aten.fliplr.default", {{"self", t("y")}, {"foo", i(1)}},
               {"v", {3}});
  unknown.output("v");
  expectError(unknown, {iota({3})}, ErrorKind::Malformed,
              {"argument 'foo' is not in the schema aten::fliplr"});

  ProgramMaker rank = cloneOf({3});
  rank.call("aten.fliplr.default", {{"self", t("y")}}, {"v", {3}});
  rank.output("v");
  expectError(rank, {iota({3})}, ErrorKind::Malformed,
              {"aten.fliplr.default", "dimension"});

  ProgramMaker sizes = cloneOf({2, 3});
  sizes.call("aten.mT.default", {{"self", t("y")}}, {"v", {2, 3}});
  sizes.output("v");
  expectError(sizes, {iota({2, 3})}, ErrorKind::Malformed,
              {"'v' is recorded as tensor<2x3xf32>"});

  // A tensor without dimensions, where some are needed.
  const std::pair<const char *, const char *> flat[] = {
      {"aten.trapezoid.dx", "y"},
      {"aten.fft_rfft.default", "self"},
      {"aten.linalg_inv_ex.default", "A"},
      {"aten.vander.default", "x"},
      {"aten.quantile.scalar", "self"}};
  for (auto [overload, self] : flat) {
    SCOPED_TRACE(overload);
    ProgramMaker scalar;
    scalar.input(Out("x", Sizes()));
    std::vector<NamedArgument> inputs = {{self, t("x")}};
    if (std::string(overload) == "aten.quantile.scalar")
      inputs.insert(inputs.end(), {{"q", f(0.5)}, {"dim", i(3)}});
    scalar.call(overload, inputs, Out("v", {1}));
    scalar.output("v");
    expectError(scalar, {iota({})}, ErrorKind::Malformed, {overload});
  }

  ProgramMaker norm = cloneOf({2, 3});
  norm.call("aten.linalg_matrix_norm.default",
            {{"self", t("y")}, {"ord", i(2)}}, Out("v", Sizes()));
  norm.output("v");
  expectError(norm, {iota({2, 3})}, ErrorKind::Unsupported,
              {"norms of singular values"});
}

// What a decomposed program has of `linalg.solve`: factors that nobody reads, and
// a check.
TEST(Composites, SolvesWithoutFactorsThatNobodyReads) {
  auto make = [](const char *result, float corner) {
    ProgramMaker p;
    p.input({"a", {2, 2}});
    p.input({"b", {2, 1}});
    p.call("aten._linalg_solve_ex.default", {{"A", t("a")}, {"B", t("b")}},
           {{"x", {2, 1}},
            {"lu", {2, 2}},
            {"pivots", {2}, DType::I32},
            {"info", {}, DType::I32}});
    p.node("aten._linalg_check_errors.default",
           {{"info", t("info")}, {"api_name", {std::string("torch.linalg.solve")}},
            {"is_matrix", {true}}},
           {});
    p.output(result);
    return std::pair(p, tensorOf({2, 2}, {2, 0, 0, corner}));
  };
  auto [solution, a] = make("x", 4);
  auto results = runBy(Backend::Inductor, solution,
                       {a, tensorOf({2, 1}, {2, 2})});
  ASSERT_TRUE(results) << results.error().message;
  Floats found = floatsOf((*results)["x"]);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_FLOAT_EQ(found[0], 1);
  EXPECT_FLOAT_EQ(found[1], 0.5);

  auto [factors, same] = make("lu", 4);
  expectError(factors, {same, tensorOf({2, 1}, {2, 2})}, ErrorKind::Unsupported,
              {"factors of a matrix are read"});
}

TEST(Composites, AFactorThatDoesNotExistEndsTheRun) {
  ProgramMaker p;
  p.input({"a", {2, 2}});
  p.call("aten.linalg_cholesky_ex.default", {{"self", t("a")}},
         {{"l", {2, 2}}, {"info", {}, DType::I32}});
  p.node("aten._linalg_check_errors.default",
         {{"info", t("info")}, {"api_name", {std::string("linalg.cholesky")}},
          {"is_matrix", {true}}},
         {});
  p.output("l");
  expectResults(p, {tensorOf({2, 2}, {4, 0, 0, 9})}, {{"l", {2, 0, 0, 3}}});
  for (auto backend : {Backend::Eager, Backend::Inductor}) {
    auto results = runBy(backend, p, {tensorOf({2, 2}, {4, 0, 0, -9})});
    ASSERT_FALSE(results);
    EXPECT_NE(results.error().message.find("linalg.cholesky"),
              std::string::npos)
        << results.error().message;
  }
}

/// x, which is 0, 1, 2... by rows, times w, as 8-bit floats, with these scales
/// and more.
static ProgramMaker scaledProduct(Out scaleA, Out scaleB,
                                  std::vector<NamedArgument> more, Out result) {
  ProgramMaker p;
  p.input({"x", {2, 16}});
  p.input({"w", {16, 3}});
  p.input(scaleA);
  p.input(scaleB);
  p.input({"b", {3}});
  p.call("aten._to_copy.default",
         {{"self", t("x")}, {"dtype", {DType::F8E4M3FN}}},
         {"x8", {2, 16}, DType::F8E4M3FN});
  p.call("aten._to_copy.default",
         {{"self", t("w")}, {"dtype", {DType::F8E5M2}}},
         {"w8", {16, 3}, DType::F8E5M2});
  std::vector<NamedArgument> inputs = {{"self", t("x8")},
                                       {"mat2", t("w8")},
                                       {"scale_a", t(scaleA.name)},
                                       {"scale_b", t(scaleB.name)}};
  inputs.insert(inputs.end(), more.begin(), more.end());
  p.call("aten._scaled_mm.default", inputs, result);
  p.call("aten._to_copy.default",
         {{"self", t(result.name)}, {"dtype", {DType::F32}}},
         {"y", result.sizes});
  p.output("y");
  return p;
}

/// Columns of 1, -2 and 0.25, whose sums are exact.
static std::vector<runtime::OpValue> scaledInputs(runtime::Tensor scaleA,
                                                  runtime::Tensor scaleB) {
  Floats w;
  for (int k = 0; k < 16; ++k)
    w.insert(w.end(), {1, -2, 0.25});
  return {iota({2, 16}), tensorOf({16, 3}, w), scaleA, scaleB,
          tensorOf({3}, {1, 2, 3})};
}

TEST(Composites, ProductsOf8BitFloatsAreScaled) {
  // Of 0, 1, ... 15, and of 16, 16, 18, 20, 20, 20, 22, 24, 24, 24, 26, 28, 28,
  // 28, 30, 32: those behind 16 are rounded to even ones, halves to multiples
  // of 4.
  const float sums[] = {120, 376};
  expectResults(scaledProduct({"s", {}}, {"t", {1}},
                              {{"bias", t("b")}, {"out_dtype", {DType::F32}}},
                              {"r", {2, 3}}),
                scaledInputs(tensorOf({}, {2}), tensorOf({1}, {0.5})),
                {{"y",
                  {sums[0] + 1, -2 * sums[0] + 2, sums[0] / 4 + 3, sums[1] + 1,
                   -2 * sums[1] + 2, sums[1] / 4 + 3}}});
  // Of rows and of columns.
  expectResults(
      scaledProduct({"s", {2, 1}}, {"t", {1, 3}},
                    {{"out_dtype", {DType::BF16}}}, {"r", {2, 3}, DType::BF16}),
      scaledInputs(tensorOf({2, 1}, {1, 0.5}), tensorOf({1, 3}, {1, 2, 4})),
      {{"y", {120, -480, 120, 188, -752, 188}}});
  // Without a type the result has that of the left one, whose largest number is
  // 448, and a scale.
  expectResults(scaledProduct({"s", {1}}, {"t", {1}},
                              {{"scale_result", t("s")}},
                              {"r", {2, 3}, DType::F8E4M3FN}),
                scaledInputs(tensorOf({1}, {0.5}), tensorOf({1}, {1})),
                {{"y", {30, -60, 7.5, 96, -192, 24}}});
}

TEST(Composites, ScalesOfBlocksAreRefused) {
  expectError(scaledProduct({"s", {2, 2}}, {"t", {1}}, {}, {"r", {2, 3}}),
              scaledInputs(tensorOf({2, 2}, {1, 1, 1, 1}), tensorOf({1}, {1})),
              ErrorKind::Unsupported,
              {"scales are of a matrix, or of its rows and columns"});
  expectError(scaledProduct({"s", {2, 1}}, {"t", {1}},
                            {{"scale_result", t("s")}}, {"r", {2, 3}}),
              scaledInputs(tensorOf({2, 1}, {1, 1}), tensorOf({1}, {1})),
              ErrorKind::Malformed, {"expects one scale of the result"});
}
