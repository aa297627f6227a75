//===- DynamicSizesTest.cpp - Programs whose sizes became symbols ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a package says of sizes, symbols and guards after each backend.
//
//===----------------------------------------------------------------------===//

#include "kiln/Archive/OpCases.h"
#include "kiln/Compiler/CompilerSession.h"

#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::archive;

namespace {

CaseTensor tensor(std::string name, std::vector<int64_t> sizes) {
  CaseTensor result;
  result.name = std::move(name);
  result.sizes = std::move(sizes);
  result.strides.assign(result.sizes.size(), 1);
  for (size_t d = result.sizes.size(); d-- > 1;)
    result.strides[d - 1] = result.strides[d] * result.sizes[d];
  return result;
}

/// One node over `x0`, `x1`... with one result of `sizes`.
ExportedProgram program(const std::string &target,
                        std::vector<NamedArgument> arguments,
                        std::vector<CaseTensor> tensors,
                        std::vector<int64_t> sizes) {
  OpCase opCase;
  opCase.id = "case";
  opCase.node.target = target;
  opCase.node.name = "node";
  opCase.node.inputs = std::move(arguments);
  opCase.node.outputs = {Argument{TensorArg{"out"}}};
  opCase.tensors = std::move(tensors);
  CaseResult result;
  result.kind = CaseResult::Kind::Tensor;
  result.sizes = std::move(sizes);
  opCase.expected = {std::move(result)};
  return opCase.makeProgram();
}

NamedArgument tensorArgument(const char *name, const char *value) {
  return {name, Argument{TensorArg{value}}, false};
}

ExportedProgram product() {
  return program("torch.ops.aten.mm.default",
                 {tensorArgument("self", "x0"), tensorArgument("mat2", "x1")},
                 {tensor("x0", {4, 6}), tensor("x1", {6, 5})}, {4, 5});
}

Result<package::Package> compile(const ExportedProgram &program,
                                 const std::string &record) {
  auto options = CompileOptions::parse(record);
  EXPECT_TRUE(bool(options));
  options->verifyEach = true;
  CompilerSession session;
  return session.compile(program, *options);
}

unsigned countGuards(const package::Package &package, uint32_t kind) {
  unsigned count = 0;
  for (const package::Guard &guard : package.guards)
    count += guard.kind == kind;
  return count;
}

class DynamicSizesTest : public ::testing::TestWithParam<const char *> {
protected:
  std::string record(const std::string &rest) const {
    std::string name = GetParam();
    return (name == "inductor" ? "" : "backend=" + name + "\n") + rest;
  }
};

TEST_P(DynamicSizesTest, NumbersAreCheckedAsNumbers) {
  auto package = compile(product(), record(""));
  ASSERT_TRUE(bool(package)) << package.error().message;
  EXPECT_TRUE(package->programs[0].symbols.empty());
  EXPECT_EQ(countGuards(*package, KILN_GUARD_SIZE), 4u);
}

TEST_P(DynamicSizesTest, EverySizeBecomesASymbol) {
  auto package = compile(product(), record("dynamic=true\n"));
  ASSERT_TRUE(bool(package)) << package.error().message;
  // 4, 6 and 5; the inner size is checked where it is met again.
  EXPECT_EQ(package->programs[0].symbols.size(), 3u);
  for (const package::Symbol &symbol : package->programs[0].symbols)
    EXPECT_EQ(symbol.min, 2);
  EXPECT_EQ(countGuards(*package, KILN_GUARD_SIZE), 0u);
  EXPECT_EQ(countGuards(*package, KILN_GUARD_SIZE_EXPR), 1u);
}

TEST_P(DynamicSizesTest, OneSizeWithBounds) {
  auto package = compile(product(), record("mark_dynamic=x0:0[2..64]\n"));
  ASSERT_TRUE(bool(package)) << package.error().message;
  ASSERT_EQ(package->programs[0].symbols.size(), 1u);
  EXPECT_EQ(package->programs[0].symbols[0].max, 64);
  EXPECT_EQ(countGuards(*package, KILN_GUARD_SIZE), 3u);
}

TEST_P(DynamicSizesTest, AMarkThatTheProgramContradictsIsAnError) {
  // The inner size of a product with a matrix of numbers is a number.
  auto package = compile(product(), record("mark_dynamic=x0:1\n"));
  ASSERT_FALSE(bool(package));
  EXPECT_EQ(package.error().kind, ErrorKind::Unsupported);
  EXPECT_NE(package.error().message.find("'x0' dimension 1 is 6"),
            std::string::npos)
      << package.error().message;
}

TEST_P(DynamicSizesTest, WhatCannotBeASymbolIsReported) {
  auto package = compile(
      program("torch.ops.aten.view.default",
              {tensorArgument("self", "x0"),
               {"size", Argument{std::vector<int64_t>{2, 3}}, false}},
              {tensor("x0", {6})}, {2, 3}),
      record("dynamic=true\n"));
  ASSERT_TRUE(bool(package)) << package.error().message;
  EXPECT_TRUE(package->programs[0].symbols.empty());
  bool isReported = false;
  for (const package::Reason &reason : package->reasons)
    isReported |= package::identify(reason) == package::ReasonId::FixedSize &&
                  reason.get("size") == "'x0' dimension 0" &&
                  reason.get("value") == "6" &&
                  reason.get("Reason").find("'aten.view'") == 0;
  EXPECT_TRUE(isReported);
}

// What Python computed of a size is a number in the graph.
TEST_P(DynamicSizesTest, ASizeThatWasTracedStaysANumber) {
  ExportedProgram traced = program(
      "torch.ops.aten.relu.default", {tensorArgument("self", "x0")},
      {tensor("x0", {4, 6})}, {4, 6});
  std::string guard = "L['x0'].size()[1] == 6";
  traced.guards.push_back({guard, *parseGuardCode(guard)});
  auto package = compile(traced, record("dynamic=true\n"));
  ASSERT_TRUE(bool(package)) << package.error().message;
  EXPECT_EQ(package->programs[0].symbols.size(), 1u);
  EXPECT_EQ(countGuards(*package, KILN_GUARD_SIZE), 1u);
  auto marked = compile(traced, record("mark_dynamic=x0:1[2..64]\n"));
  ASSERT_FALSE(bool(marked));
  EXPECT_NE(marked.error().message.find("'x0:1'"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Backends, DynamicSizesTest,
                         ::testing::Values("eager", "aot_eager", "inductor"),
                         [](const auto &info) {
                           return std::string(info.param);
                         });

} // namespace
