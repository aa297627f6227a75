//===- ControlStepTest.cpp - Branches and loops over bodies --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Package/SampleProgram.h"
#include "TestKernels.h"
#include "kiln/Runtime/Executable.h"

#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::runtime;
using namespace kiln::test;
using Kind = ControlStep::Kind;

namespace {

using Floats = std::vector<float>;

class ControlSteps : public testing::Test {
protected:
  ControlSteps() { registerTestOperators(registry); }

  Result<std::vector<OpValue>> run(ProgramBuilder &b,
                                   std::vector<Program> bodies,
                                   const std::vector<OpValue> &inputs,
                                   const RunOptions &options = {}) {
    Package package;
    package.programs.push_back(b.program);
    package.bodies = std::move(bodies);
    package.image = testImage();
    auto loaded = Executable::load(std::move(package), registry);
    if (!loaded)
      return loaded.takeError();
    return (*loaded)->forward().run(inputs, options);
  }

  /// t -> scale * t on f32[n], with n a symbol.
  static Program scaleBody(double scale) {
    ProgramBuilder b("scale");
    b.sizeSymbol("n", 0, 0);
    ExprId n = b.symbol(0);
    ValueId t = b.slotValue(b.slot("t", {n}));
    ValueId r = b.value(Value::Kind::Dynamic, {n});
    b.call("test.scale", {tensorArg(t), {scale}}, {r});
    b.output(r);
    return b.program;
  }

  /// x : f32[n] as value 0, and a dynamic value of that type as value 1.
  static ProgramBuilder oneInput() {
    ProgramBuilder b;
    b.sizeSymbol("n", 0, 0);
    ExprId n = b.symbol(0);
    b.slotValue(b.slot("x", {n}));
    b.value(Value::Kind::Dynamic, {n});
    return b;
  }

  OperatorRegistry registry;
};

Floats floatsOf(const OpValue &value) {
  return valuesOf(std::get<Tensor>(value.value));
}

} // namespace

TEST_F(ControlSteps, ABranchRunsOneBody) {
  for (bool truth : {true, false}) {
    ProgramBuilder b = oneInput();
    b.control(Kind::Branch, {0, 1}, {{truth}, tensorArg(0)}, {1});
    b.output(1);
    auto result = run(b, {scaleBody(2), scaleBody(3)}, {floats({2}, {1, 4})});
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(floatsOf((*result)[0]), truth ? Floats({2, 8}) : Floats({3, 12}));
  }
}

TEST_F(ControlSteps, APredicateIsABool) {
  ProgramBuilder b = oneInput();
  b.control(Kind::Branch, {0, 1}, {tensorArg(0), tensorArg(0)}, {1}).location =
      "model.py:7";
  b.output(1);
  auto result = run(b, {scaleBody(2), scaleBody(3)}, {floats({1}, {1})});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message,
            "branch: expected a predicate that is a bool, found f32[1] (at "
            "model.py:7)");
}

TEST_F(ControlSteps, ALoopEndsWhenItsConditionIsFalse) {
  ProgramBuilder condition("condition");
  ExprId one = condition.integer(1);
  ValueId t = condition.slotValue(condition.slot("t", {one}));
  ValueId truth = condition.value(Value::Kind::Dynamic, {});
  condition.call("test.below", {tensorArg(t), {int64_t(20)}}, {truth});
  condition.output(truth).kind = Output::Kind::Scalar;
  ProgramBuilder b = oneInput();
  b.control(Kind::While, {0, 1}, {tensorArg(0)}, {1}).carried = 1;
  b.output(1);
  RunStats stats;
  RunOptions options;
  options.stats = &stats;
  auto result = run(b, {condition.program, scaleBody(2)}, {floats({1}, {3})},
                    options);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(floatsOf((*result)[0]), Floats{24});
  EXPECT_EQ(stats.externCalls, 7u); // 4 conditions, 3 bodies
  // At once: the operand is the result.
  result = run(b, {condition.program, scaleBody(2)}, {floats({1}, {20})});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(floatsOf((*result)[0]), Floats{20});
}

/// carry, x -> carry + x, 2 * x on f32[2].
static Program sumBody() {
  ProgramBuilder b("sum");
  ExprId two = b.integer(2);
  ValueId carry = b.slotValue(b.slot("carry", {two}));
  ValueId x = b.slotValue(b.slot("x", {two}));
  ValueId sum = b.value(Value::Kind::New, {two});
  ValueId twice = b.value(Value::Kind::Dynamic, {two});
  b.launch(kAddBuffers, {carry, x, sum}, {}, two);
  b.call("test.scale", {tensorArg(x), {int64_t(2)}}, {twice});
  b.output(sum);
  b.output(twice);
  return b.program;
}

static ProgramBuilder scanProgram() {
  ProgramBuilder b;
  b.sizeSymbol("n", 1, 0);
  ExprId n = b.symbol(0), two = b.integer(2);
  ValueId carry = b.slotValue(b.slot("carry", {two}));
  ValueId xs = b.slotValue(b.slot("xs", {n, two}));
  ValueId last = b.value(Value::Kind::Dynamic, {two});
  ValueId all = b.value(Value::Kind::Dynamic, {n, two});
  ControlStep &step = b.control(Kind::Scan, {0},
                                {tensorArg(carry), tensorArg(xs)}, {last, all});
  step.carried = step.scanned = 1;
  b.output(last);
  b.output(all);
  return b;
}

TEST_F(ControlSteps, AScanCarriesAndStacks) {
  ProgramBuilder b = scanProgram();
  auto result = run(b, {sumBody()},
                    {floats({2}, {100, 200}),
                     floats({3, 2}, {1, 2, 3, 4, 5, 6})});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(floatsOf((*result)[0]), Floats({109, 212}));
  EXPECT_EQ(floatsOf((*result)[1]), Floats({2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(std::get<Tensor>((*result)[1].value).typeString(), "f32[3, 2]");
}

TEST_F(ControlSteps, AScanOverNothingHasDeclaredSizes) {
  ProgramBuilder b = scanProgram();
  auto result =
      run(b, {sumBody()}, {floats({2}, {100, 200}), floats({0, 2}, {})});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(floatsOf((*result)[0]), Floats({100, 200}));
  EXPECT_EQ(std::get<Tensor>((*result)[1].value).typeString(), "f32[0, 2]");
}

TEST_F(ControlSteps, SlicesAreAsManyForAll) {
  ProgramBuilder b;
  ExprId two = b.integer(2), three = b.integer(3);
  ValueId x = b.slotValue(b.slot("x", {two, two}));
  ValueId y = b.slotValue(b.slot("y", {three, two}));
  b.control(Kind::Scan, {0}, {tensorArg(x), tensorArg(y)}, {kNone, kNone})
      .scanned = 2;
  auto result = run(b, {sumBody()}, {floats({2, 2}, {1, 2, 3, 4}),
                                     floats({3, 2}, {1, 2, 3, 4, 5, 6})});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message,
            "scan: expected 2 slices of argument 1, found 3");
}

// A body gets only what it was made for.
TEST_F(ControlSteps, BodiesCheckTheirInputs) {
  ProgramBuilder b = oneInput();
  b.control(Kind::Branch, {0, 0}, {{true}, tensorArg(0)}, {1});
  b.output(1);
  auto result = run(b, {sampleBody("fixed")}, {floats({3}, {1, 2, 3})});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::Guard);
  EXPECT_EQ(result.error().message, "branch: tensor 't' size mismatch at index "
                                    "0. expected 2, actual 3");
}

TEST_F(ControlSteps, MissingOperatorsOfBodiesAreListedWhenLoading) {
  ProgramBuilder body("body");
  body.call("test.unknown", {}, {});
  ProgramBuilder b;
  b.control(Kind::Branch, {0, 0}, {{true}}, {});
  auto result = run(b, {body.program}, {});
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("'test.unknown'"), std::string::npos);
}

// A package with a branch in a scan, each byte of it changed under a digest
// that is right again: it is refused, runs or ends in an error.
TEST_F(ControlSteps, MutatedPackagesRunOrFail) {
  ProgramBuilder body("body");
  ExprId two = body.integer(2);
  ValueId x = body.slotValue(body.slot("x", {two}));
  ValueId y = body.value(Value::Kind::Dynamic, {two});
  body.control(Kind::Branch, {1, 2}, {{true}, tensorArg(x)}, {y});
  body.output(y);
  ProgramBuilder b;
  b.sizeSymbol("n", 0, 0);
  ExprId n = b.symbol(0);
  ValueId xs = b.slotValue(b.slot("xs", {n, b.integer(2)}));
  ValueId all = b.value(Value::Kind::Dynamic, {n, 1});
  b.control(Kind::Scan, {0}, {tensorArg(xs)}, {all}).scanned = 1;
  b.output(all);
  const Program main = b.program;
  const std::vector<Program> bodies = {body.program, scaleBody(2),
                                       sampleBody("same")};
  unsigned ran = 0, failed = 0, refused = 0;
  auto attempt = [&](const Package &package) {
    auto executable = Executable::load(package, registry);
    if (!executable) {
      ++refused;
      return;
    }
    auto result =
        (*executable)->forward().run({floats({3, 2}, {1, 2, 3, 4, 5, 6})});
    ++(result ? ran : failed);
  };
  for (size_t which = 0; which <= bodies.size(); ++which) {
    std::vector<uint8_t> original;
    encodeProgram(which == 0 ? main : bodies[which - 1], original);
    for (size_t i = 0; i < original.size(); ++i)
      for (uint8_t change : {0x01, 0x02, 0x04, 0x80, 0xff}) {
        std::vector<uint8_t> bytes = original;
        bytes[i] ^= change;
        auto program = decodeProgram(bytes.data(), bytes.size());
        if (!program)
          continue;
        Package package;
        package.programs = {main};
        package.bodies = bodies;
        (which == 0 ? package.programs[0] : package.bodies[which - 1]) =
            std::move(*program);
        attempt(package);
      }
  }
  EXPECT_GT(ran, 100u);
  EXPECT_GT(failed, 20u);
  EXPECT_GT(refused, 20u);
}
