//===- HigherOrderTest.cpp - Branches, loops, marked parts, effects ------===//
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

/// t -> t * factor on f32[2].
GraphMaker scaled(int64_t factor) {
  GraphMaker g;
  g.input({"t", {2}});
  g.call("aten.mul.Tensor", {{"self", t("t")}, {"other", i(factor)}},
         {"r", {2}});
  g.output("r");
  return g;
}

/// p = x.sum() > 0 on x : f32[2].
ProgramMaker withPredicate() {
  ProgramMaker p;
  p.input({"x", {2}});
  p.call("aten.sum.default", {{"self", t("x")}}, {"s", Sizes{}});
  p.call("aten.gt.Scalar", {{"self", t("s")}, {"other", i(0)}},
         {"p", Sizes{}, DType::Bool});
  return p;
}

const std::vector<runtime::OpValue> positive = {tensorOf({2}, {1, 2})};
const std::vector<runtime::OpValue> negative = {tensorOf({2}, {-1, -2})};

} // namespace

TEST(HigherOrder, CondRunsOneBranch) {
  ProgramMaker p = withPredicate();
  p.call("higher_order.cond",
         {{"", t("p")}, {"", scaled(2).asArgument("true_graph")},
          {"", scaled(3).asArgument("false_graph")}, {"", ts({"x"})}},
         {"y", {2}});
  p.output("y");
  expectResults(p, positive, {{"y", {2, 4}}});
  expectResults(p, negative, {{"y", {-3, -6}}});
}

// What a branch writes into an operand is written whichever runs.
TEST(HigherOrder, BranchesMayWriteTheirOperands) {
  ProgramMaker p = withPredicate();
  p.input({"b", {2}}, archive::InputSpec::Kind::Buffer);
  GraphMaker writes;
  writes.input({"t", {2}});
  writes.input({"u", {2}});
  writes.call("aten.add_.Tensor", {{"self", t("u")}, {"other", t("t")}},
              {"u2", {2}});
  writes.output("t");
  GraphMaker leaves;
  leaves.input({"t", {2}});
  leaves.input({"u", {2}});
  leaves.output("u");
  p.call("higher_order.cond",
         {{"", t("p")}, {"", writes.asArgument("true_graph")},
          {"", leaves.asArgument("false_graph")}, {"", ts({"x", "b"})}},
         {"y", {2}});
  p.output("y");
  runtime::OpValue buffer = tensorOf({2}, {10, 20});
  expectResults(p, {positive[0], buffer},
                {{"y", {1, 2}}, {"mutation b", {11, 22}}});
  expectResults(p, {negative[0], buffer},
                {{"y", {10, 20}}, {"mutation b", {10, 20}}});
}

// A predicate about sizes, and a number of the surrounding graph in a branch.
TEST(HigherOrder, BranchesSeeSymbols) {
  ProgramMaker p;
  p.input({"x", Sizes{size("s0")}});
  p.symbol("n", "s0");
  p.node("aten.sym_size.int", {{"self", t("x")}, {"dim", i(0)}}, {sym("n")});
  p.graph.symBools["small"].expr = *archive::parseSymExpr(
      "StrictLessThan(Symbol('s0', integer=True), Integer(3))");
  p.node("x", {{"a", sym("n")}, {"b", i(3)}},
         {{archive::SymBoolArg{"small", false}}});
  p.graph.nodes.back().target = "_operator.lt";
  auto body = [](const char *target) {
    GraphMaker g;
    g.input({"t", Sizes{size("s0")}});
    g.graph.inputs.push_back(sym("k"));
    g.symbol("k", "s0");
    g.call(target, {{"self", t("t")}, {"other", sym("k")}},
           {"r", Sizes{size("s0")}});
    g.output("r");
    return g;
  };
  p.call("higher_order.cond",
         {{"", {archive::SymBoolArg{"small", false}}},
          {"", body("aten.mul.Tensor").asArgument("true_graph")},
          {"", body("aten.add.Tensor").asArgument("false_graph")},
          {"", ts({"x", "n"})}},
         {"y", Sizes{size("s0")}});
  p.output("y");
  expectResults(p, {iota({2})}, {{"y", {0, 2}}});
  expectResults(p, {iota({4})}, {{"y", {4, 5, 6, 7}}});
}

// A branch may give a number, which then is a symbol.
TEST(HigherOrder, BranchesMayGiveNumbers) {
  ProgramMaker p = withPredicate();
  auto body = [](int64_t value) {
    GraphMaker g;
    g.input({"t", {2}});
    g.graph.outputs.push_back(i(value));
    return g;
  };
  p.symbol("n", "u0");
  p.node("higher_order.cond",
         {{"", t("p")}, {"", body(5).asArgument("true_graph")},
          {"", body(7).asArgument("false_graph")}, {"", ts({"x"})}},
         {sym("n")});
  p.call("aten.mul.Tensor", {{"self", t("x")}, {"other", sym("n")}},
         {"y", {2}});
  p.output("y");
  expectResults(p, positive, {{"y", {5, 10}}});
  expectResults(p, negative, {{"y", {-7, -14}}});
}

// i is carried as a number: while i < 4: i, t = i + 1, t * w
TEST(HigherOrder, WhileLoopsCarryTensorsAndNumbers) {
  auto inputs = [](GraphMaker &g) {
    g.graph.inputs.push_back(sym("i"));
    g.symbol("i", "u0");
    g.input({"t", {2}});
    g.input({"w", {2}});
  };
  GraphMaker condition, body;
  inputs(condition);
  condition.graph.symBools["less"].expr = *archive::parseSymExpr(
      "StrictLessThan(Symbol('u0', integer=True), Integer(4))");
  condition.node("x", {{"a", sym("i")}, {"b", i(4)}},
                 {{archive::SymBoolArg{"less", false}}});
  condition.graph.nodes.back().target = "_operator.lt";
  condition.graph.outputs.push_back({archive::SymBoolArg{"less", false}});
  inputs(body);
  body.graph.symInts["next"].expr = *archive::parseSymExpr(
      "Add(Symbol('u0', integer=True), Integer(1))");
  body.node("x", {{"a", sym("i")}, {"b", i(1)}}, {sym("next")});
  body.graph.nodes.back().target = "_operator.add";
  body.call("aten.mul.Tensor", {{"self", t("t")}, {"other", t("w")}},
            {"r", {2}});
  body.graph.outputs.push_back(sym("next"));
  body.output("r");

  ProgramMaker p;
  p.input({"x", {2}});
  p.input({"w", {2}});
  p.symbol("zero", "u2");
  p.call("aten.scalar_tensor.default",
         {{"s", i(1)}, {"dtype", {DType::I64}}}, {"one", Sizes{}, DType::I64});
  p.node("aten.item.default", {{"self", t("one")}}, {sym("zero")});
  p.tensor({"y", {2}});
  p.symbol("count", "u1");
  p.node("higher_order.while_loop",
         {{"", condition.asArgument("cond_graph")},
          {"", body.asArgument("body_graph")}, {"", ts({"zero", "x"})},
          {"", ts({"w"})}},
         {sym("count"), t("y")});
  p.call("aten.add.Tensor", {{"self", t("y")}, {"other", sym("count")}},
         {"z", {2}});
  p.output("z");
  // From 1 to 4: three times.
  expectResults(p, {tensorOf({2}, {1, 2}), tensorOf({2}, {2, 3})},
                {{"z", {12, 58}}});
}

TEST(HigherOrder, ScansCarryAndStack) {
  GraphMaker body;
  body.input({"c", {2}});
  body.input({"x", {2}});
  body.input({"w", {2}});
  body.call("aten.add.Tensor", {{"self", t("c")}, {"other", t("x")}},
            {"next", {2}});
  body.call("aten.mul.Tensor", {{"self", t("next")}, {"other", t("w")}},
            {"out", {2}});
  body.output("next");
  body.output("out");
  ProgramMaker p;
  p.input({"c", {2}});
  p.input({"xs", Sizes{size("s0"), size(2)}});
  p.input({"w", {2}});
  p.call("higher_order.scan",
         {{"", body.asArgument("combine_graph")}, {"", ts({"c"})},
          {"", ts({"xs"})}, {"", ts({"w"})}},
         {{"last", {2}}, {"all", Sizes{size("s0"), size(2)}}});
  p.output("last");
  p.output("all");
  expectResults(p,
                {tensorOf({2}, {1, 1}), iota({3, 2}), tensorOf({2}, {10, 1})},
                {{"last", {7, 10}}, {"all", {10, 2, 30, 5, 70, 10}}});
  expectResults(p,
                {tensorOf({2}, {1, 1}), iota({0, 2}), tensorOf({2}, {10, 1})},
                {{"last", {1, 1}}, {"all", {}}});
}

// A loop in a branch in a map.
TEST(HigherOrder, BodiesNest) {
  GraphMaker condition, step;
  for (GraphMaker *g : {&condition, &step})
    g->input({"v", Sizes{}});
  condition.call("aten.lt.Scalar", {{"self", t("v")}, {"other", i(100)}},
                 {"b", Sizes{}, DType::Bool});
  condition.output("b");
  step.call("aten.mul.Tensor", {{"self", t("v")}, {"other", i(3)}},
            {"r", Sizes{}});
  step.output("r");
  GraphMaker loops, stays;
  loops.input({"a", Sizes{}});
  loops.call("higher_order.while_loop",
             {{"", condition.asArgument("cond_graph")},
              {"", step.asArgument("body_graph")}, {"", ts({"a"})},
              {"", ts({})}},
             {"r", Sizes{}});
  loops.output("r");
  stays.input({"a", Sizes{}});
  stays.output("a");
  GraphMaker body;
  body.input({"x", Sizes{}});
  body.call("aten.gt.Scalar", {{"self", t("x")}, {"other", i(0)}},
            {"p", Sizes{}, DType::Bool});
  body.call("higher_order.cond",
            {{"", t("p")}, {"", loops.asArgument("true_graph")},
             {"", stays.asArgument("false_graph")}, {"", ts({"x"})}},
            {"r", Sizes{}});
  body.output("r");
  ProgramMaker p;
  p.input({"xs", {3}});
  p.call("higher_order.map_impl",
         {{"", body.asArgument("body_graph")}, {"", ts({"xs"})},
          {"", ts({})}},
         {"y", {3}});
  p.output("y");
  expectResults(p, {tensorOf({3}, {1, -5, 50})}, {{"y", {243, -5, 150}}});
}

// The part without gradients sees the same memory.
TEST(HigherOrder, MarkedPartsAreInlined) {
  GraphMaker part;
  part.input({"t", {2}});
  part.call("aten.add_.Tensor", {{"self", t("t")}, {"other", i(1)}},
            {"t2", {2}});
  part.output("t2");
  ProgramMaker p;
  p.input({"x", {2}});
  p.call("aten.clone.default", {{"self", t("x")}}, {"y", {2}});
  p.call("higher_order.wrap_with_set_grad_enabled",
         {{"", {false}}, {"", part.asArgument("submod")}, {"", t("y")}},
         {"z", {2}});
  p.output("y");
  p.output("z");
  expectResults(p, {iota({2})}, {{"y", {1, 2}}, {"z", {1, 2}}});
}

// The casts of autocast are in the recorded types only.
TEST(HigherOrder, AutocastCasts) {
  GraphMaker part;
  part.input({"a", {1, 2}});
  part.input({"b", {2, 1}});
  part.call("aten.mm.default", {{"self", t("a")}, {"mat2", t("b")}},
            {"m", {1, 1}, DType::BF16});
  part.call("aten.exp.default", {{"self", t("m")}}, {"e", {1, 1}});
  part.output("e");
  ProgramMaker p;
  p.input({"x", {1, 2}});
  p.input({"w", {2, 1}});
  p.call("higher_order.wrap_with_autocast",
         {{"", {std::string("cpu")}}, {"", {DType::BF16}}, {"", {true}},
          {"", {false}}, {"", part.asArgument("submod")}, {"", t("x")},
          {"", t("w")}},
         {"y", {1, 1}});
  p.output("y");
  // 1.001 is 1 in bf16.
  expectResults(p, {tensorOf({1, 2}, {1.001f, 1}), tensorOf({2, 1}, {0, 0})},
                {{"y", {1}}});
  auto results = runBy(Backend::Eager, p,
                       {tensorOf({1, 2}, {1.001f, 0}),
                        tensorOf({2, 1}, {1, 1})});
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_FLOAT_EQ(floatsOf(results->at("y"))[0], std::exp(1.0f));
}

TEST(HigherOrder, EffectsRunInOrder) {
  ProgramMaker p;
  p.input({"x", {2}});
  p.tensor({"token", {0}});
  p.node("aten._make_dep_token.default", {}, {t("token")});
  p.call("aten.all.default", {{"self", t("x")}}, {"c", Sizes{}, DType::Bool});
  p.tensor({"token2", {0}});
  p.node("higher_order.with_effects",
         {{"", t("token")}, {"", {archive::OperatorArg{
                                     "torch.ops.aten._assert_async.msg"}}},
          {"", t("c")}, {"", {std::string("x has a zero")}}},
         {t("token2"), {archive::NoneArg{}}});
  p.output("x");
  expectResults(p, {tensorOf({2}, {1, 2})}, {{"x", {1, 2}}});
  for (auto backend : {Backend::Eager, Backend::AotEager, Backend::Inductor}) {
    auto results = runBy(backend, p, {tensorOf({2}, {1, 0})});
    ASSERT_FALSE(results);
    EXPECT_NE(results.error().message.find("x has a zero"), std::string::npos)
        << results.error().message;
  }
}

/// n = x.item() and then `check(n)`.
static ProgramMaker withNumber() {
  ProgramMaker p;
  p.input({"x", Sizes{}, DType::I64});
  p.symbol("n", "u0");
  p.node("aten.item.default", {{"self", t("x")}}, {sym("n")});
  return p;
}

static runtime::Tensor integer(int64_t value) {
  auto tensor = runtime::Tensor::empty(DType::I64, {});
  *tensor->dataAs<int64_t>() = value;
  return *tensor;
}

TEST(HigherOrder, RangesAndAssertionsAreCheckedAsTheProgramRuns) {
  ProgramMaker range = withNumber();
  range.node("aten.sym_constrain_range.default",
             {{"size", sym("n")}, {"min", i(2)}, {"max", i(9)}}, {});
  range.call("aten.full.default",
             {{"size", {std::vector<archive::SymIntArg>{{"n", 0}}}},
              {"fill_value", f(1)}},
             {"y", Sizes{size("u0")}});
  range.output("y");
  expectResults(range, {integer(2)}, {{"y", {1, 1}}});
  for (int64_t value : {1, 10})
    expectError(range, {integer(value)}, ErrorKind::Guard,
                {"assertion failed", "invalid value for 'u0'", "[2, 9]"});

  ProgramMaker size = withNumber();
  size.node("aten.sym_constrain_range_for_size.default", {{"size", sym("n")}},
            {});
  size.output("x");
  expectError(size, {integer(-1)}, ErrorKind::Guard, {"[0, inf]"});

  ProgramMaker assertion = withNumber();
  assertion.graph.symBools["b"].expr = *archive::parseSymExpr(
      "StrictLessThan(Symbol('u0', integer=True), Integer(4))");
  assertion.node("x", {{"a", sym("n")}, {"b", i(4)}},
                 {{archive::SymBoolArg{"b", false}}});
  assertion.graph.nodes.back().target = "_operator.lt";
  assertion.node("aten._assert_scalar.default",
                 {{"self", {archive::SymBoolArg{"b", false}}},
                  {"assert_msg", {std::string("at most three")}}},
                 {});
  assertion.output("x");
  auto passes = runBy(Backend::Eager, assertion, {integer(3)});
  EXPECT_TRUE(passes) << passes.error().message;
  expectError(assertion, {integer(4)}, ErrorKind::Guard, {"at most three"});
}

TEST(HigherOrder, Refusals) {
  // By name.
  ProgramMaker flex = withPredicate();
  flex.call("higher_order.flex_attention", {{"", t("x")}}, {"y", {2}});
  flex.output("y");
  expectError(flex, positive, ErrorKind::Unsupported,
              {"higher-order operator 'flex_attention'"});
  // A loop that writes what it is given.
  GraphMaker writes;
  writes.input({"t", {2}});
  writes.call("aten.add_.Tensor", {{"self", t("t")}, {"other", i(1)}},
              {"t2", {2}});
  writes.output("t2");
  ProgramMaker map;
  map.input({"xs", {3, 2}});
  map.call("higher_order.map_impl",
           {{"", writes.asArgument("body_graph")}, {"", ts({"xs"})},
            {"", ts({})}},
           {"y", {3, 2}});
  map.output("y");
  expectError(map, {iota({3, 2})}, ErrorKind::Unsupported,
              {"graph 'body_graph'", "changes one of its inputs in place"});
  // Another number of inputs than the graph takes.
  ProgramMaker count = withPredicate();
  count.call("higher_order.cond",
             {{"", t("p")}, {"", scaled(2).asArgument("true_graph")},
              {"", scaled(3).asArgument("false_graph")},
              {"", ts({"x", "x"})}},
             {"y", {2}});
  count.output("y");
  expectError(count, positive, ErrorKind::Malformed,
              {"graph 'true_graph'", "takes 1 inputs, but is given 2"});
  // No graphs at all.
  ProgramMaker none = withPredicate();
  none.call("higher_order.cond", {{"", t("p")}}, {"y", {2}});
  none.output("y");
  expectError(none, positive, ErrorKind::Malformed,
              {"expected a predicate, two graphs and operands"});
  // A graph that gives another type than is recorded.
  ProgramMaker type = withPredicate();
  type.call("higher_order.cond",
            {{"", t("p")}, {"", scaled(2).asArgument("true_graph")},
             {"", scaled(3).asArgument("false_graph")}, {"", ts({"x"})}},
            {"y", {3}});
  type.output("y");
  expectError(type, positive, ErrorKind::Malformed,
              {"'aten.cond' op expects value 0 that its 'then' yields"});
}
