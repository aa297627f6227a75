//===- RefusalTest.cpp - Arguments, guards and what is refused ----------===//
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

ProgramMaker oneInput() {
  ProgramMaker p;
  p.input({"x", {2}});
  return p;
}

void refuses(const ProgramMaker &p, ErrorKind kind,
             std::initializer_list<const char *> words) {
  expectError(p, {iota({2})}, kind, words);
}

/// The text of the imported module.
std::string imported(const archive::ExportedProgram &program) {
  compiler::CompilerSession session;
  CompileOptions options;
  options.verifyEach = true;
  compiler::CompileHooks hooks;
  hooks.stopAfter = Stage::Capture;
  auto package = session.compile(program, options, hooks);
  EXPECT_TRUE(package) << package.error().message;
  std::string text;
  llvm::raw_string_ostream os(text);
  if (package)
    session.module().print(os);
  return text;
}

void expectIn(const std::string &text, const char *part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
}

} // namespace

TEST(Arguments, DefaultsAreFilledIn) {
  ProgramMaker p = oneInput();
  p.call("aten.add.Tensor", {{"self", t("x")}, {"other", t("x")}}, {"y", {2}});
  p.call("aten.sum.dim_IntList", {{"self", t("y")}, {"dim", ints({})}},
         {"s", Sizes{}});
  p.output("y");
  p.output("s");
  expectResults(p, {iota({2})}, {{"y", {0, 2}}, {"s", {2}}});
}

// One integer stands for a list, an integer for a float, a number for a tensor.
TEST(Arguments, AreFittedToTheSchema) {
  ProgramMaker p;
  p.input({"x", {1, 1, 2, 2}});
  p.call("aten.avg_pool2d.default",
         {{"self", t("x")}, {"kernel_size", ints({2, 2})}},
         {"y", {1, 1, 1, 1}});
  p.call("aten.dropout.default",
         {{"input", t("y")}, {"p", i(0)}, {"train", {false}}},
         {"d", {1, 1, 1, 1}});
  p.call("aten.mul.Tensor", {{"self", t("d")}, {"other", f(2)}},
         {"m", {1, 1, 1, 1}});
  p.output("m");
  expectResults(p, {iota({1, 1, 2, 2})}, {{"m", {3}}});
}

TEST(Arguments, WrongOnesAreNamed) {
  ProgramMaker missing = oneInput();
  missing.call("aten.mul.Tensor", {{"self", t("x")}}, {"y", {2}});
  missing.output("y");
  refuses(missing, ErrorKind::Malformed,
          {"made.pt2", "node 'n0'", "argument 'other' is missing"});

  ProgramMaker unknown = oneInput();
  unknown.call("aten.neg.default", {{"self", t("x")}, {"foo", i(1)}},
               {"y", {2}});
  unknown.output("y");
  refuses(unknown, ErrorKind::Malformed,
          {"argument 'foo' is not in the schema aten::neg"});

  ProgramMaker kind = oneInput();
  kind.call("aten.sum.dim_IntList",
            {{"self", t("x")}, {"dim", {std::string("all")}}},
            {"y", Sizes{}});
  kind.output("y");
  refuses(kind, ErrorKind::Malformed,
          {"'as_string' cannot be the argument 'dim'"});

  ProgramMaker undefined = oneInput();
  undefined.call("aten.neg.default", {{"self", t("z")}}, {"y", {2}});
  undefined.output("y");
  refuses(undefined, ErrorKind::Malformed, {"value 'z' is not defined"});

  ProgramMaker device = oneInput();
  archive::Device meta;
  meta.type = "meta";
  device.call("aten.zeros.default", {{"size", ints({2})}, {"device", {meta}}},
              {"y", {2}});
  device.output("y");
  refuses(device, ErrorKind::Unsupported, {"device 'meta' holds no values"});

  ProgramMaker layout = oneInput();
  layout.call("aten.zeros.default",
              {{"size", ints({2})}, {"layout", {archive::Layout::SparseCsr}}},
              {"y", {2}});
  layout.output("y");
  refuses(layout, ErrorKind::Unsupported, {"sparse layout"});
}

TEST(Results, MustBeWhatIsRecorded) {
  ProgramMaker shape = oneInput();
  shape.call("aten.neg.default", {{"self", t("x")}}, {"y", {3}});
  shape.output("y");
  refuses(shape, ErrorKind::Malformed,
          {"result 'y' is recorded as tensor<3xf32>",
           "its arguments give tensor<2xf32>"});

  ProgramMaker count = oneInput();
  count.call("aten.neg.default", {{"self", t("x")}}, {{"y", {2}}, {"z", {2}}});
  count.output("y");
  refuses(count, ErrorKind::Malformed, {"result 'z' is one more"});

  ProgramMaker list = oneInput();
  list.callList("aten.split.Tensor", {{"self", t("x")}, {"split_size", i(1)}},
                {{"a", {1}}, {"b", {1}}, {"c", {1}}});
  list.output("a");
  refuses(list, ErrorKind::Malformed, {"result 'c' is one more"});
}

TEST(Views, NeedTheStridesOfTheInput) {
  ProgramMaker p;
  p.input({"x", {2, 3}});
  p.strides("x", {1, 2});
  p.call("aten.view.default", {{"self", t("x")}, {"size", ints({6})}},
         {"y", {6}});
  p.output("y");
  expectError(p, {iota({2, 3})}, ErrorKind::Malformed,
              {"the strides of 'x' do not allow a view"});
}

TEST(Results, AreInferredIfNothingIsRecorded) {
  ProgramMaker maker = oneInput();
  maker.call("aten.neg.default", {{"self", t("x")}}, {"y", {3}});
  maker.output("y");
  archive::ExportedProgram program = maker.build();
  program.graph.tensors.erase("y");
  expectIn(imported(program),
           "aten.neg(%arg0) : (tensor<2xf32>) -> tensor<2xf32>");
}

TEST(Operators, UnknownOnesAreNamed) {
  ProgramMaker aten = oneInput();
  aten.call("aten.frobnicate.default", {{"self", t("x")}}, {"y", {2}});
  aten.graph.nodes[0].stackTrace =
      "  File \"/home/a/model.py\", line 12, in forward\n";
  aten.output("y");
  refuses(aten, ErrorKind::Unsupported,
          {"aten.frobnicate.default", "model.py:12",
           "neither compiled nor an eager operator"});

  ProgramMaker target = oneInput();
  target.call("x", {{"self", t("x")}}, {"y", {2}});
  target.graph.nodes[0].target = "#custom:thing";
  target.output("y");
  refuses(target, ErrorKind::Unsupported,
          {"neither an operator nor arithmetic on sizes"});

  ProgramMaker nothing = oneInput();
  nothing.call("aten.add_.Tensor", {{"self", i(1)}, {"other", i(1)}},
               {"y", {2}});
  nothing.output("y");
  refuses(nothing, ErrorKind::Malformed,
          {"an in-place operator changes no tensor"});
}

// `_assert_tensor_metadata` is compared with what the file says of the tensor.
TEST(Operators, MetadataAssertionsAreChecked) {
  auto with = [](NamedArgument stated) {
    ProgramMaker p = oneInput();
    p.node("aten._assert_tensor_metadata.default",
           {{"a", t("x")}, std::move(stated)}, {});
    p.output("x");
    return p;
  };
  expectResults(with({"size", ints({2})}), {iota({2})}, {{"x", {0, 1}}});
  refuses(with({"size", ints({3})}), ErrorKind::Malformed,
          {"tensor size mismatch of 'x'"});
  refuses(with({"stride", ints({2})}), ErrorKind::Malformed,
          {"tensor stride mismatch of 'x'"});
  refuses(with({"dtype", {DType::F64}}), ErrorKind::Malformed,
          {"tensor dtype mismatch: expected", "found"});
}

// Sizes that nodes compute leave no op, only expressions.
TEST(Symbols, ArithmeticVanishes) {
  ProgramMaker p;
  p.input({"x", Sizes{size("s0"), size(2)}});
  p.symbol("n", "s0");
  p.node("aten.sym_size.int", {{"self", t("x")}, {"dim", i(0)}}, {sym("n")});
  p.graph.symInts["m"].expr = *archive::parseSymExpr(
      "Mul(Integer(2), Symbol('s0', integer=True))");
  p.node("x", {{"a", sym("n")}, {"b", i(2)}}, {sym("m")});
  p.graph.nodes.back().target = "_operator.mul";
  archive::SymInt twice;
  twice.expr = p.graph.symInts["m"].expr;
  p.call("aten.view.default",
         {{"self", t("x")},
          {"size", {std::vector<archive::SymIntArg>{{"m", 0}}}}},
         {"y", Sizes{twice}});
  p.output("y");
  std::string text = imported(p.build());
  expectIn(text, "guard.symbol @s0");
  expectIn(text, "aten.view(%arg0, size = [s0 * 2])");
  EXPECT_EQ(text.find("sym_size"), std::string::npos) << text;
  expectResults(p, {iota({2, 2})}, {{"y", {0, 1, 2, 3}}});
}

TEST(Guards, TypesRangesAndRelationsAreGuards) {
  ProgramMaker p;
  p.input({"x", Sizes{size("s0"), size(4)}});
  p.input({"z", Sizes{size("s0")}});
  p.input({"w", {4}}, archive::InputSpec::Kind::Parameter);
  p.output("x");
  archive::ExportedProgram program = p.build();
  program.ranges["s0"] = {2, 64};
  program.guards.push_back(
      {"L['x'].size()[0] % 2 == 0",
       *archive::parseGuardCode("L['x'].size()[0] % 2 == 0")});
  // One that could not be read was skipped with a warning.
  program.guards.push_back({"something else", nullptr});
  std::string text = imported(program);
  for (const char *part :
       {"guard.symbol @s0 range [2, 64]", "guard.check_dtype 0 \"x\" is f32",
        "guard.check_rank 0 \"x\" is 2", "guard.check_size 0 \"x\"[1] is 4",
        "guard.check_size_expr 1 \"z\"[0] is <s0>",
        "\"L['x'].size()[0] % 2 == 0\""})
    expectIn(text, part);
  // Weights come with the program.
  EXPECT_EQ(text.find("\"w\"[0]"), std::string::npos) << text;
}

TEST(Guards, SpecializedSymbolsAreNumbers) {
  ProgramMaker p;
  p.input({"x", Sizes{size("s0")}});
  p.output("x");
  compiler::CompilerSession session;
  CompileOptions options;
  options.specialization.values["s0"] = 3;
  options.verifyEach = true;
  compiler::CompileHooks hooks;
  hooks.stopAfter = Stage::Capture;
  ASSERT_TRUE(session.compile(p.build(), options, hooks));
  std::string text;
  llvm::raw_string_ostream os(text);
  session.module().print(os);
  expectIn(text, "tensor<3xf32>");
  EXPECT_EQ(text.find("guard.symbol"), std::string::npos) << text;
}

// Without gaps, in another order of the dimensions.
TEST(Outputs, HaveTheOrderOfTheirStrides) {
  auto textOf = [](std::initializer_list<int64_t> sizes,
                   std::initializer_list<int64_t> strides) {
    ProgramMaker p;
    p.input({"x", sizes});
    p.call("aten.relu.default", {{"self", t("x")}}, {"y", sizes});
    p.strides("y", strides);
    p.output("y");
    return imported(p.build());
  };
  const char *name = "aten.output_order = array<i64: ";
  auto orderOf = [&](const std::string &text) {
    size_t at = text.find(name);
    return at == std::string::npos
               ? std::string()
               : text.substr(at + std::strlen(name), 10);
  };
  EXPECT_EQ(orderOf(textOf({2, 3, 4, 5}, {60, 1, 15, 3})), "0, 2, 3, 1");
  // One image: where it begins does not matter.
  EXPECT_EQ(orderOf(textOf({1, 3, 4, 5}, {1, 1, 15, 3})), "0, 2, 3, 1");
  EXPECT_EQ(orderOf(textOf({2, 3, 4, 5}, {60, 20, 5, 1})), "");
  EXPECT_EQ(orderOf(textOf({2, 1, 4, 5}, {20, 1, 5, 1})), ""); // one channel
  EXPECT_EQ(orderOf(textOf({2, 3, 4, 5}, {120, 1, 30, 6})), "");
}

TEST(Inputs, ConstantsAndObjects) {
  ProgramMaker p = oneInput();
  archive::InputSpec constant;
  constant.kind = archive::InputSpec::Kind::ConstantInput;
  constant.name = "flag";
  constant.path = "[0][1]";
  constant.constant = true;
  p.inputs.push_back(constant);
  p.graph.inputs.push_back({true});
  p.output("x");
  expectIn(imported(p.build()), "guard.check_scalar 1 \"flag\" is true");

  ProgramMaker object = oneInput();
  archive::InputSpec custom;
  custom.kind = archive::InputSpec::Kind::CustomObj;
  custom.name = "obj";
  object.inputs.push_back(custom);
  object.graph.inputs.push_back({archive::CustomObjArg{"obj", "C"}});
  object.output("x");
  expectError(object, {iota({2}), {}}, ErrorKind::Unsupported,
              {"input 'obj'", "script object"});
}
