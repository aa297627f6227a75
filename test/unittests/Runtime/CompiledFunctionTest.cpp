//===- CompiledFunctionTest.cpp - Variants, recompilation, training ------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Package/SampleProgram.h"
#include "TestKernels.h"
#include "kiln/Runtime/CompiledFunction.h"

#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::runtime;
using namespace kiln::test;

namespace {

/// y = x + 1 on x : f32[n].
Package addOne(int64_t n) {
  ProgramBuilder b;
  ExprId size = b.integer(n);
  ExprId one = b.integer(1);
  ValueId x = b.slotValue(b.slot("x", {size}));
  ValueId y = b.value(Value::Kind::New, {size});
  b.launch(kAddSymbol, {x, y}, {one}, size);
  b.output(y);
  Package package;
  package.programs.push_back(b.program);
  package.image = testImage();
  return package;
}

/// y = w * x, saving x: gradient of w is tangent + x, of x is tangent + w, so
/// that each source of an input shows (kernels of the tests only add).
Package trainingPackage(int64_t n) {
  ProgramBuilder f("forward");
  ExprId size = f.integer(n);
  ValueId x = f.slotValue(f.slot("x", {size}));
  ValueId w = f.slotValue(f.slot("w", {size}));
  ValueId y = f.value(Value::Kind::New, {size});
  f.launch(kAddBuffers, {x, w, y}, {}, size);
  f.output(y, "y");
  f.output(x, "x", Output::Role::Saved);
  Output &count = f.output(kNone, "n", Output::Role::Saved);
  count.kind = Output::Kind::Expr;
  count.expr = size;

  ProgramBuilder b("backward");
  b.program.symbols.resize(1);
  b.program.symbols[0].name = "n";
  b.program.symbols[0].source = Symbol::Source::InputScalar;
  b.program.symbols[0].slot = 2;
  ExprId rows = b.symbol(0);
  b.slot("x", {rows});
  b.slot("tangents_1", {rows});
  b.slot("n", {});
  b.slot("w", {rows});
  b.program.slots[0].kind = Slot::Kind::Saved;
  b.program.slots[1].kind = Slot::Kind::Tangent;
  b.program.slots[2].kind = Slot::Kind::Saved;
  b.program.slots[2].isTensor = false;
  b.program.slots[2].isSymbolic = true;
  b.program.slots[3].kind = Slot::Kind::Parameter;
  ValueId savedX = b.slotValue(0), tangent = b.slotValue(1),
          weight = b.slotValue(3);
  ValueId gradW = b.value(Value::Kind::New, {rows});
  ValueId gradX = b.value(Value::Kind::New, {rows});
  b.launch(kAddBuffers, {tangent, savedX, gradW}, {}, rows);
  b.launch(kAddBuffers, {tangent, weight, gradX}, {}, rows);
  b.output(gradW, "gw", Output::Role::ParameterGradient).target = "w";
  b.output(gradX, "gx", Output::Role::InputGradient).target = "x";
  Package package;
  package.programs = {f.program, b.program};
  package.image = testImage();
  return package;
}

std::vector<float> resultOf(const OpValue &value) {
  return valuesOf(std::get<Tensor>(value.value));
}

} // namespace

TEST(CompiledFunction, RecompilesWithReasons) {
  OperatorRegistry registry;
  std::vector<std::string> log;
  std::vector<size_t> reasonCounts;
  CompiledFunction::Options options;
  options.limit = 3;
  options.log = [&](const std::string &text) { log.push_back(text); };
  options.recompile = [&](const std::vector<OpValue> &inputs,
                          const std::vector<std::string> &reasons) {
    reasonCounts.push_back(reasons.size());
    return Result<Package>(addOne(std::get<Tensor>(inputs[0].value).size(0)));
  };
  CompiledFunction function(registry, options);
  std::vector<CallRecord> calls;
  for (int64_t n : {8, 16, 8, 32, 16}) {
    auto result = function.call({floats({n}, std::vector<float>(n, 2))});
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(resultOf((*result)[0]), std::vector<float>(n, 3));
    calls.push_back(function.lastCall());
  }
  EXPECT_EQ(function.variantCount(), 3u);
  EXPECT_EQ(reasonCounts, (std::vector<size_t>{0, 1, 2}));
  ASSERT_EQ(log.size(), 2u);
  EXPECT_EQ(log[0],
            "Recompiling function main triggered by the following guard "
            "failure(s):\n"
            "  - 0/0: tensor 'x' size mismatch at index 0. expected 8, actual "
            "16");
  EXPECT_EQ(log[1],
            "Recompiling function main triggered by the following guard "
            "failure(s):\n"
            "  - 0/0: tensor 'x' size mismatch at index 0. expected 8, actual "
            "32\n"
            "  - 0/1: tensor 'x' size mismatch at index 0. expected 16, "
            "actual 32");
  EXPECT_EQ(function.stats().calls, 5u);
  int variants[] = {0, 1, 0, 2, 1};
  bool recompiled[] = {false, true, false, true, false};
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(calls[i].variant, variants[i]);
    EXPECT_EQ(calls[i].recompiled, recompiled[i]);
    EXPECT_EQ(calls[i].reasons.empty(), !recompiled[i]);
    EXPECT_GT(calls[i].seconds, 0);
  }
  EXPECT_EQ(function.stats().kernelLaunches, 5u);

  EXPECT_TRUE(function.limitReached());
  auto refused = function.call({floats({1}, {2})});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Guard);
  EXPECT_EQ(refused.error().message.substr(0, 70),
            "function 'main' reached its limit of 3 variants, guard "
            "failure(s): 0/0");
  EXPECT_EQ(function.lastCall().variant, -1);
}

TEST(CompiledFunction, WithoutAHookAMissIsAGuardError) {
  OperatorRegistry registry;
  CompiledFunction function(registry, {});
  ASSERT_TRUE(function.addVariant(addOne(8)));
  auto refused = function.call({floats({1}, {2})});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Guard);
  EXPECT_EQ(refused.error().message,
            "function 'main' has no variant for its inputs, guard failure(s): "
            "0/0: tensor 'x' size mismatch at index 0. expected 8, actual 1");
}

TEST(CompiledFunction, ErrorsOfTheCompilerPass) {
  OperatorRegistry registry;
  CompiledFunction::Options options;
  options.recompile = [](const auto &, const auto &) {
    return Result<Package>(Error::unsupported("no such op"));
  };
  CompiledFunction function(registry, options);
  auto result = function.call({floats({1}, {2})});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "no such op");
  // A variant that does not fit the inputs it was compiled for.
  options.recompile = [](const auto &, const auto &) {
    return Result<Package>(addOne(3));
  };
  CompiledFunction wrong(registry, options);
  result = wrong.call({floats({1}, {2})});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::Guard);
}

TEST(CompiledFunction, TrainsWithSavedValuesAndTangents) {
  OperatorRegistry registry;
  CompiledFunction function(registry, {});
  ASSERT_TRUE(function.addVariant(trainingPackage(2)));
  Tensor x = floats({2}, {1, 2}), w = floats({2}, {10, 20});
  Tensor t = floats({2}, {100, 200});
  auto result = function.callTraining({x, w}, {t, OpValue(), OpValue()});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(resultOf(result->outputs[0]), (std::vector<float>{11, 22}));
  EXPECT_EQ(resultOf(result->gradients[0]), (std::vector<float>{101, 202}));
  EXPECT_EQ(resultOf(result->gradients[1]), (std::vector<float>{110, 220}));

  result = function.callTraining({x, w});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message,
            "tangent of output 'y' is missing: it has 2 elements, only one "
            "element starts from 1 by itself");

  CompiledFunction scalar(registry, {});
  ASSERT_TRUE(scalar.addVariant(trainingPackage(1)));
  result = scalar.callTraining({floats({1}, {5}), floats({1}, {7})});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(resultOf(result->gradients[0]), (std::vector<float>{6}));
  EXPECT_EQ(resultOf(result->gradients[1]), (std::vector<float>{8}));

  CompiledFunction inference(registry, {});
  ASSERT_TRUE(inference.addVariant(addOne(1)));
  result = inference.callTraining({floats({1}, {5})});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::Usage);
}

namespace {

/// w += g, which asks for memory of its own if `isGuarded`, on f32[n].
Package addTo(int64_t n, bool isGuarded) {
  ProgramBuilder b;
  ExprId size = b.integer(n);
  ValueId w = b.slotValue(b.slot("w", {size}));
  ValueId g = b.slotValue(b.slot("g", {size}));
  b.launch(kAddBuffers, {w, g, w}, {}, size);
  b.output(w, "w", Output::Role::InputMutation).aliasOfSlot = 0;
  Package package;
  package.programs.push_back(b.program);
  package.image = testImage();
  if (isGuarded) {
    package.guards.emplace_back();
    package.guards.back().kind = KILN_GUARD_NO_ALIAS;
  }
  return package;
}

} // namespace

TEST(CompiledFunction, GuardsAreLookedAtForWhatIsAnother) {
  OperatorRegistry registry;
  CompiledFunction function(registry, {});
  ASSERT_TRUE(function.addVariant(addTo(2, /*isGuarded=*/true)));
  Tensor w = floats({2}, {1, 2}), g = floats({2}, {10, 20});
  auto call = [&](const OpValue &first, const OpValue &second) {
    auto result = function.call({first, second});
    return result ? "" : result.error().message;
  };
  EXPECT_EQ(call(w, g), "");
  EXPECT_EQ(call(w, g), "");
  EXPECT_EQ(valuesOf(w), (std::vector<float>{21, 42}));
  const std::string missed =
      "function 'main' has no variant for its inputs, guard failure(s): 0/0: ";
  // Each behind a call that fits: in memory that is shared, of other sizes, of
  // another type, without a tensor.
  const std::string shared =
      "tensors 'w' and 'g' share memory, and the program "
      "writes to 'w'. expected memory of its own, such as "
      "a copy";
  for (const auto &[input, message] :
       std::vector<std::pair<OpValue, std::string>>{
           {w, shared},
           {floats({3}, {1, 2, 3}),
            "tensor 'g' size mismatch at index 0. expected 2, actual 3"},
           {*Tensor::empty(DType::I32, {2}),
            "tensor 'g' dtype mismatch. expected Float, actual Int"},
           {OpValue(1.0), ""}}) {
    std::string found = call(w, input);
    EXPECT_EQ(found.substr(0, missed.size() + message.size()),
              missed + message);
    EXPECT_EQ(call(w, input), found) << "the second time";
    EXPECT_EQ(call(w, floats({2}, {0, 0})), "") << "elsewhere";
    EXPECT_EQ(call(w, g), "");
  }
  EXPECT_EQ(valuesOf(w), (std::vector<float>{61, 122}));
}

TEST(CompiledFunction, TheFirstVariantThatFitsIsCalledWhereverInputsAre) {
  OperatorRegistry registry;
  CompiledFunction function(registry, {});
  ASSERT_TRUE(function.addVariant(addOne(2))); // takes one input
  ASSERT_TRUE(function.addVariant(addTo(2, /*isGuarded=*/true)));
  ASSERT_TRUE(function.addVariant(addTo(2, /*isGuarded=*/false)));
  Tensor w = floats({2}, {1, 2}), g = floats({2}, {10, 20});
  auto variantOf = [&](const std::vector<OpValue> &inputs) {
    auto result = function.call(inputs);
    EXPECT_TRUE(result) << result.error().message;
    return function.lastCall().variant;
  };
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(variantOf({w, g}), 1);
    EXPECT_EQ(variantOf({w, g}), 1);
    EXPECT_EQ(variantOf({w, w}), 2); // the second refuses that
    EXPECT_EQ(variantOf({w, w}), 2);
    EXPECT_EQ(variantOf({g, g}), 2);
    EXPECT_EQ(variantOf({g, w}), 1); // and takes this again
    EXPECT_EQ(variantOf({w}), 0);
    EXPECT_EQ(variantOf({g}), 0);
  }
}
