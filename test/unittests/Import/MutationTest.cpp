//===- MutationTest.cpp - In-place operators and views ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImportTestSupport.h"

using namespace kiln;
using namespace kiln::test;

namespace {

struct ViewCase {
  const char *name;
  std::function<void(GraphMaker &)> view; ///< makes "v" of "y" : f32[2, 3]
  Floats expected;                        ///< y after v.mul_(10)
};

class Views : public testing::TestWithParam<ViewCase> {};

const Argument self = t("y");

const ViewCase viewCases[] = {
    {"select",
     [](GraphMaker &p) {
       p.call("aten.select.int", {{"self", self}, {"dim", i(0)},
                                  {"index", i(-1)}}, {"v", {3}});
     },
     {0, 1, 2, 30, 40, 50}},
    {"slice",
     [](GraphMaker &p) {
       p.call("aten.slice.Tensor",
              {{"self", self}, {"dim", i(-1)}, {"start", i(0)},
               {"end", i(INT64_MAX)}, {"step", i(2)}},
              {"v", {2, 2}});
     },
     {0, 1, 20, 30, 4, 50}},
    {"narrow",
     [](GraphMaker &p) {
       p.call("aten.narrow.default",
              {{"self", self}, {"dim", i(1)}, {"start", i(-2)},
               {"length", i(1)}},
              {"v", {2, 1}});
     },
     {0, 10, 2, 3, 40, 5}},
    {"transpose_of_a_row",
     [](GraphMaker &p) {
       p.call("aten.transpose.int",
              {{"self", self}, {"dim0", i(0)}, {"dim1", i(-1)}},
              {"tr", {3, 2}});
       p.strides("tr", {1, 3});
       p.call("aten.select.int", {{"self", t("tr")}, {"dim", i(0)},
                                  {"index", i(1)}}, {"v", {2}});
     },
     {0, 10, 2, 3, 40, 5}},
    {"permute",
     [](GraphMaker &p) {
       p.call("aten.unsqueeze.default", {{"self", self}, {"dim", i(0)}},
              {"u", {1, 2, 3}});
       p.call("aten.permute.default", {{"self", t("u")},
                                       {"dims", ints({2, 0, 1})}},
              {"pe", {3, 1, 2}});
       p.strides("pe", {1, 6, 3});
       p.call("aten.select.int", {{"self", t("pe")}, {"dim", i(0)},
                                  {"index", i(2)}}, {"v", {1, 2}});
     },
     {0, 1, 20, 3, 4, 50}},
    {"movedim",
     [](GraphMaker &p) {
       p.call("aten.movedim.int", {{"self", self}, {"source", i(0)},
                                   {"destination", i(1)}}, {"mo", {3, 2}});
       p.strides("mo", {1, 3});
       p.call("aten.select.int", {{"self", t("mo")}, {"dim", i(1)},
                                  {"index", i(0)}}, {"v", {3}});
     },
     {0, 10, 20, 3, 4, 5}},
    {"view_and_squeeze",
     [](GraphMaker &p) {
       p.call("aten.view.default", {{"self", self}, {"size", ints({1, 6})}},
              {"w", {1, 6}});
       p.call("aten.squeeze.dim", {{"self", t("w")}, {"dim", i(0)}},
              {"sq", {6}});
       p.call("aten.slice.Tensor", {{"self", t("sq")}, {"dim", i(0)},
                                    {"start", i(4)}}, {"v", {2}});
     },
     {0, 1, 2, 3, 40, 50}},
    {"diagonal",
     [](GraphMaker &p) {
       p.call("aten.diagonal.default", {{"self", self}, {"offset", i(1)}},
              {"v", {2}});
       p.strides("v", {4});
     },
     {0, 10, 2, 3, 4, 50}},
    {"part_of_a_split",
     [](GraphMaker &p) {
       p.callList("aten.split.Tensor", {{"self", self}, {"split_size", i(2)},
                                        {"dim", i(1)}},
                  {{"a", {2, 2}}, {"v", {2, 1}}});
     },
     {0, 1, 20, 3, 4, 50}},
    {"part_of_a_chunk",
     [](GraphMaker &p) {
       p.callList("aten.chunk.default", {{"self", self}, {"chunks", i(2)},
                                         {"dim", i(-1)}},
                  {{"v", {2, 2}}, {"a", {2, 1}}});
     },
     {0, 10, 2, 30, 40, 5}},
    {"one_of_unbind",
     [](GraphMaker &p) {
       p.callList("aten.unbind.int", {{"self", self}, {"dim", i(1)}},
                  {{"a", {2}}, {"v", {2}}, {"c", {2}}});
     },
     {0, 10, 2, 3, 40, 5}},
    {"detach",
     [](GraphMaker &p) {
       p.call("aten.detach.default", {{"self", self}}, {"v", {2, 3}});
     },
     {0, 10, 20, 30, 40, 50}},
    {"expand_of_one",
     [](GraphMaker &p) {
       p.call("aten.expand.default", {{"self", self},
                                      {"size", ints({1, 2, 3})}},
              {"v", {1, 2, 3}});
     },
     {0, 10, 20, 30, 40, 50}},
    // Whether these share memory is told by the strides.
    {"reshape_that_is_a_view",
     [](GraphMaker &p) {
       p.call("aten.reshape.default", {{"self", self}, {"shape", ints({3, 2})}},
              {"v", {3, 2}});
     },
     {0, 10, 20, 30, 40, 50}},
    {"reshape_that_copies",
     [](GraphMaker &p) {
       p.call("aten.t.default", {{"self", self}}, {"tr", {3, 2}});
       p.strides("tr", {1, 3});
       p.call("aten.reshape.default", {{"self", t("tr")}, {"shape", ints({6})}},
              {"v", {6}});
     },
     {0, 1, 2, 3, 4, 5}},
    {"contiguous_that_is_nothing",
     [](GraphMaker &p) {
       p.call("aten.contiguous.default", {{"self", self}}, {"v", {2, 3}});
     },
     {0, 10, 20, 30, 40, 50}},
    {"contiguous_that_copies",
     [](GraphMaker &p) {
       p.call("aten.t.default", {{"self", self}}, {"tr", {3, 2}});
       p.strides("tr", {1, 3});
       p.call("aten.contiguous.default", {{"self", t("tr")}}, {"v", {3, 2}});
     },
     {0, 1, 2, 3, 4, 5}},
    {"dropout_in_evaluation",
     [](GraphMaker &p) {
       p.call("aten.dropout.default", {{"input", self}, {"p", f(0.5)},
                                       {"train", {false}}}, {"v", {2, 3}});
     },
     {0, 10, 20, 30, 40, 50}},
};

} // namespace

TEST_P(Views, AreWrittenThrough) {
  ProgramMaker p = cloneOf({2, 3});
  GetParam().view(p);
  timesTen(p, "v");
  p.output("y");
  expectResults(p, {iota({2, 3})}, {{"y", GetParam().expected}});
}

INSTANTIATE_TEST_SUITE_P(Mutation, Views, testing::ValuesIn(viewCases),
                         [](const auto &info) { return info.param.name; });

// A view that was taken before the write sees it, by whatever name.
TEST(Mutation, EveryNameSeesAWrite) {
  ProgramMaker p = cloneOf({2, 2});
  p.call("aten.t.default", {{"self", t("y")}}, {"v", {2, 2}});
  p.call("aten.select.int", {{"self", t("v")}, {"dim", i(0)}, {"index", i(0)}},
         {"row", {2}});
  p.call("aten.add_.Tensor", {{"self", t("y")}, {"other", i(100)}},
         {"y2", {2, 2}});
  timesTen(p, "row");
  for (const char *name : {"y", "y2", "v", "row", "times_ten_row"})
    p.output(name);
  expectResults(p, {iota({2, 2})},
                {{"y", {1000, 101, 1020, 103}},
                 {"y2", {1000, 101, 1020, 103}},
                 {"v", {1000, 1020, 101, 103}},
                 {"row", {1000, 1020}},
                 {"times_ten_row", {1000, 1020}}});
}

// A copy taken before the write does not.
TEST(Mutation, ValuesAreNotViews) {
  ProgramMaker p = cloneOf({2});
  p.call("aten.mul.Tensor", {{"self", t("y")}, {"other", i(1)}}, {"m", {2}});
  timesTen(p, "y");
  p.output("m");
  p.output("y");
  expectResults(p, {iota({2})}, {{"m", {0, 1}}, {"y", {0, 10}}});
}

TEST(Mutation, InputsAreWrittenBack) {
  ProgramMaker p;
  p.input({"x", {2, 2}});
  p.input({"b", {2}}, archive::InputSpec::Kind::Buffer);
  p.call("aten.select.int", {{"self", t("x")}, {"dim", i(0)}, {"index", i(1)}},
         {"row", {2}});
  timesTen(p, "row");
  p.call("aten.copy_.default", {{"self", t("b")}, {"src", t("row")}},
         {"b2", {2}});
  p.output("row");
  expectResults(p, {iota({2, 2}), iota({2})},
                {{"row", {20, 30}},
                 {"mutation x", {0, 1, 20, 30}},
                 {"mutation b", {20, 30}}});
}

// The tensor itself becomes a view of what it was.
TEST(Mutation, ShapesChangeInPlace) {
  ProgramMaker p = cloneOf({2, 3});
  p.call("aten.t_.default", {{"self", t("y")}}, {"y2", {3, 2}});
  p.call("aten.select.int", {{"self", t("y")}, {"dim", i(0)}, {"index", i(0)}},
         {"row", {2}});
  timesTen(p, "row");
  p.output("y2");
  expectResults(p, {iota({2, 3})}, {{"y2", {0, 30, 1, 4, 2, 5}}});
}

TEST(Mutation, ElementTypesStay) {
  ProgramMaker p = cloneOf({2});
  p.call("aten.to.dtype", {{"self", t("x")}, {"dtype", {DType::F64}}},
         {"d", {2}, DType::F64});
  p.call("aten.add_.Tensor", {{"self", t("y")}, {"other", t("d")}},
         {"y2", {2}});
  p.output("y");
  expectResults(p, {tensorOf({2}, {1.5f, 3})}, {{"y", {3, 6}}});
}

TEST(Mutation, OutArgumentsAreWritten) {
  ProgramMaker p = cloneOf({2});
  p.call("aten.add.out",
         {{"self", t("x")}, {"other", t("x")}, {"out", t("y"), true}},
         {"y2", {2}});
  p.output("y");
  expectResults(p, {iota({2})}, {{"y", {0, 2}}});
}

// Running statistics are written although the schema does not say so.
TEST(Mutation, BatchNormWritesItsStatistics) {
  ProgramMaker p;
  p.input({"x", {2, 1}});
  p.input({"mean", {1}}, archive::InputSpec::Kind::Buffer);
  p.input({"var", {1}}, archive::InputSpec::Kind::Buffer);
  p.call("aten.batch_norm.default",
         {{"input", t("x")}, {"weight", {archive::NoneArg{}}},
          {"bias", {archive::NoneArg{}}}, {"running_mean", t("mean")},
          {"running_var", t("var")}, {"training", {true}},
          {"momentum", f(0.5)}, {"eps", f(0)}, {"cudnn_enabled", {false}}},
         {"y", {2, 1}});
  p.output("y");
  expectResults(p, {tensorOf({2, 1}, {1, 3}), tensorOf({1}, {0}),
                    tensorOf({1}, {1})},
                {{"y", {-1, 1}}, {"mutation mean", {1}},
                 {"mutation var", {1.5}}});
}

TEST(Mutation, RefusesWhatSharesElements) {
  ProgramMaker p = cloneOf({1, 3});
  p.call("aten.expand.default", {{"self", t("y")}, {"size", ints({2, 3})}},
         {"v", {2, 3}});
  p.strides("v", {0, 1});
  timesTen(p, "v");
  p.output("y");
  expectError(p, {iota({1, 3})}, ErrorKind::Unsupported,
              {"node 'n2'", "through 'aten.expand'",
               "several elements share memory"});

  ProgramMaker input;
  input.input({"x", {2, 3}});
  input.strides("x", {0, 1});
  timesTen(input, "x");
  input.output("x");
  expectError(input, {iota({2, 3})}, ErrorKind::Unsupported,
              {"changes the input 'x'", "several elements"});

  ProgramMaker unfold = cloneOf({4});
  unfold.call("aten.unfold.default", {{"self", t("y")}, {"dimension", i(0)},
                                      {"size", i(2)}, {"step", i(1)}},
              {"v", {3, 2}});
  timesTen(unfold, "v");
  unfold.output("y");
  expectError(unfold, {iota({4})}, ErrorKind::Unsupported,
              {"through 'aten.unfold'"});
}

// Without strides nobody can say if a reshape is a view; it matters only where
// something is written.
TEST(Mutation, RefusesWhatMayBeAView) {
  ProgramMaker p = cloneOf({2, 3});
  p.call("aten.t.default", {{"self", t("y")}}, {"tr", {3, 2}});
  p.graph.tensors["tr"].stridesKnown = false;
  p.call("aten.reshape.default", {{"self", t("tr")}, {"shape", ints({6})}},
         {"v", {6}});
  p.output("v");
  expectResults(p, {iota({2, 3})}, {{"v", {0, 3, 1, 4, 2, 5}}});
  timesTen(p, "y");
  expectError(p, {iota({2, 3})}, ErrorKind::Unsupported,
              {"it is not known whether the result 'v' of 'aten.reshape' "
               "shares its memory"});
}

// Whatever the symbol is: dimensions in front stay, and a copy would have no gaps.
TEST(Mutation, WritesThroughReshapesOfSymbolicSizes) {
  for (bool hasGaps : {false, true}) {
    ProgramMaker p;
    p.input({"x", Sizes{size("s0"), size(2), size(4)}});
    p.input({"shape", Sizes{size("s0"), size(4), size(hasGaps ? 1 : 2)}});
    p.call("aten.clone.default", {{"self", t("x")}},
           {"y", Sizes{size("s0"), size(2), size(4)}});
    if (hasGaps) {
      p.call("aten.select.int",
             {{"self", t("y")}, {"dim", i(1)}, {"index", i(0)}},
             {"row", Sizes{size("s0"), size(4)}});
      p.strides("row", {8, 1});
    }
    p.call("aten.reshape_as.default",
           {{"self", t(hasGaps ? "row" : "y")}, {"other", t("shape")}},
           {"v", Sizes{size("s0"), size(4), size(hasGaps ? 1 : 2)}});
    p.strides("v", {8, hasGaps ? 1 : 2, 1});
    p.call("aten.mul_.Tensor", {{"self", t("v")}, {"other", i(10)}},
           {"v10", Sizes{size("s0"), size(4), size(hasGaps ? 1 : 2)}});
    p.output("y");
    Floats expected;
    for (int k = 0; k < 24; ++k)
      expected.push_back(float(hasGaps && k % 8 >= 4 ? k : 10 * k));
    expectResults(p, {iota({3, 2, 4}), iota({3, 4, hasGaps ? 1 : 2})},
                  {{"y", expected}});
  }
}

TEST(Mutation, RefusesAnotherType) {
  ProgramMaker p = cloneOf({1});
  p.input({"z", {3}});
  p.call("aten.add_.Tensor", {{"self", t("y")}, {"other", t("z")}},
         {"y2", {1}});
  p.output("y");
  expectError(p, {iota({1}), iota({3})}, ErrorKind::Malformed,
              {"changes 'y'", "output with shape [1] doesn't match the "
                              "broadcast shape [3]"});
}

// y = x.clone(); y[0] *= 3; y.t()[0] += w; (y * y).sum()
TEST(Mutation, GradientsPassWrites) {
  ProgramMaker p = cloneOf({2, 2});
  p.input({"w", {2}});
  p.call("aten.select.int", {{"self", t("y")}, {"dim", i(0)}, {"index", i(0)}},
         {"row", {2}});
  p.call("aten.mul_.Tensor", {{"self", t("row")}, {"other", i(3)}},
         {"row2", {2}});
  p.call("aten.t.default", {{"self", t("y")}}, {"tr", {2, 2}});
  p.strides("tr", {1, 2});
  p.call("aten.select.int",
         {{"self", t("tr")}, {"dim", i(0)}, {"index", i(0)}}, {"column", {2}});
  p.call("aten.add_.Tensor", {{"self", t("column")}, {"other", t("w")}},
         {"column2", {2}});
  p.call("aten.mul.Tensor", {{"self", t("y")}, {"other", t("y")}},
         {"sq", {2, 2}});
  p.call("aten.sum.default", {{"self", t("sq")}}, {"loss", Sizes{}});
  p.output("loss");
  for (auto backend : {Backend::AotEager, Backend::Inductor}) {
    compiler::CompilerSession session;
    CompileOptions options;
    options.backend = backend;
    options.training = true;
    options.inputGradients = {"[0][0]", "[0][1]"};
    options.verifyEach = true;
    auto package = session.compile(p.build(), options);
    ASSERT_TRUE(package) << package.error().message;
    runtime::OperatorRegistry registry;
    ASSERT_TRUE(eager::registerAll(registry));
    auto executable = runtime::Executable::load(std::move(*package), registry);
    ASSERT_TRUE(executable) << executable.error().message;
    auto result = (*executable)
                      ->runTraining({tensorOf({2, 2}, {1, 2, 3, 4}),
                                     tensorOf({2}, {10, 20})},
                                    {});
    ASSERT_TRUE(result) << result.error().message;
    std::map<std::string, Floats> gradients;
    const package::Program &backward = (*executable)->package().programs[1];
    for (size_t k = 0; k < backward.outputs.size(); ++k)
      gradients[backward.outputs[k].target] = floatsOf(result->gradients[k]);
    EXPECT_EQ(gradients["[0][0]"], Floats({78, 36, 46, 8}));
    EXPECT_EQ(gradients["[0][1]"], Floats({26, 46}));
  }
}

// What suffices is looked at, so that a write reaches what others see.
TEST(Resize, FewerElementsAreAView) {
  ProgramMaker p = cloneOf({2, 3});
  p.call("aten.view.default", {{"self", t("y")}, {"size", ints({6})}},
         {"all", {6}});
  p.call("aten.resize_.default", {{"self", t("y")}, {"size", ints({2, 2})}},
         {"r", {2, 2}});
  timesTen(p, "r");
  p.output("times_ten_r");
  p.output("all");
  expectResults(p, {iota({2, 3})},
                {{"times_ten_r", {0, 10, 20, 30}},
                 {"all", {0, 10, 20, 30, 4, 5}}});
}

TEST(Resize, MoreElementsAreMemoryOfItsOwn) {
  ProgramMaker p;
  p.input({"x", {2}});
  p.call("aten.resize_.default", {{"self", t("x")}, {"size", ints({2, 2})}},
         {"r", {2, 2}});
  p.call("aten.select.int", {{"self", t("r")}, {"dim", i(0)}, {"index", i(0)}},
         {"row", {2}});
  timesTen(p, "row");
  p.output("times_ten_row");
  expectResults(p, {tensorOf({2}, {1, 2})}, {{"times_ten_row", {10, 20}}});
}

TEST(Resize, RefusesWhatMemoryDoesNotTell) {
  ProgramMaker across;
  across.input({"x", {2, 3}});
  across.strides("x", {1, 2});
  across.call("aten.resize_.default",
              {{"self", t("x")}, {"size", ints({6})}}, {"r", {6}});
  across.output("r");
  expectError(across, {iota({2, 3})}, ErrorKind::Unsupported,
              {"aten.resize_.default", "'x'", "in order"});

  ProgramMaker seen = cloneOf({2});
  seen.call("aten.view.default", {{"self", t("y")}, {"size", ints({1, 2})}},
            {"v", {1, 2}});
  seen.call("aten.resize_.default", {{"self", t("y")}, {"size", ints({3})}},
            {"r", {3}});
  seen.output("r");
  expectError(seen, {iota({2})}, ErrorKind::Unsupported,
              {"other tensors look at its memory"});

  ProgramMaker negative = cloneOf({2});
  negative.call("aten.resize_.default",
                {{"self", t("y")}, {"size", ints({-1})}}, {"r", {2}});
  negative.output("r");
  expectError(negative, {iota({2})}, ErrorKind::Malformed, {"negative", "-1"});
}
