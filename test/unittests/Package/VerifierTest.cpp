//===- VerifierTest.cpp - What the verifier refuses ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleProgram.h"
#include "kiln/ABI/PackageABI.h"
#include "kiln/Package/Verifier.h"

#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::test;

namespace {

/// Expects that `package` is refused with `text` in the message.
void expectRefused(const Package &package, const std::string &text) {
  Status status = verifyPackage(package);
  ASSERT_FALSE(status) << "accepted, expected: " << text;
  EXPECT_EQ(status.error().kind, ErrorKind::Malformed);
  EXPECT_NE(status.error().message.find(text), std::string::npos)
      << status.error().message;
}

/// A program with one tensor input "x" : f32[4] as value 0.
ProgramBuilder oneInput() {
  ProgramBuilder b;
  ExprId four = b.integer(4);
  b.slotValue(b.slot("x", {four}));
  return b;
}

Package packageOf(ProgramBuilder &b) {
  Package package;
  package.programs.push_back(b.program);
  return package;
}

} // namespace

TEST(Verifier, ValuesAreDefinedBeforeUse) {
  ProgramBuilder b = oneInput();
  ValueId y = b.value(Value::Kind::New, {0});
  b.call("aten.neg.default", {tensorArg(y)}, {y});
  expectRefused(packageOf(b), "value 1 is used before it is defined");
  std::get<ExternStep>(b.program.steps[0]).arguments = {tensorArg(0)};
  b.output(y);
  EXPECT_TRUE(verifyPackage(packageOf(b)));
}

TEST(Verifier, ReleasedValuesAreGone) {
  ProgramBuilder b = oneInput();
  ValueId y = b.value(Value::Kind::Dynamic, {0});
  b.call("aten.neg.default", {tensorArg(0)}, {y});
  b.program.steps.emplace_back(ReleaseStep{{y}});
  b.output(y);
  expectRefused(packageOf(b), "output 0: value 1 is used before");
}

TEST(Verifier, SymbolsOfStepsComeAfterTheStep) {
  ProgramBuilder b = oneInput();
  uint32_t u0 = b.stepSymbol("u0");
  ExprId size = b.symbol(u0);
  ValueId y = b.value(Value::Kind::New, {size});
  b.program.steps.emplace_back(CopyStep{0, y});
  expectRefused(packageOf(b), "before a step gives it a value");
  b.program.steps.insert(b.program.steps.begin(),
                         DefineSymbolStep{u0, 0, 0});
  EXPECT_TRUE(verifyPackage(packageOf(b)));
  b.program.arenaBytes = size;
  expectRefused(packageOf(b), "arena size");
}

TEST(Verifier, ViewsPointBackwards) {
  ProgramBuilder b = oneInput();
  b.view(1, kNone, {0});
  expectRefused(packageOf(b), "smaller id");
}

TEST(Verifier, IndicesAreInRange) {
  ProgramBuilder b = oneInput();
  b.output(9);
  expectRefused(packageOf(b), "value 9 does not exist, expected one below 1");

  Package kernels = samplePackage();
  kernels.image.kernels.clear();
  expectRefused(kernels, "kernel 0 does not exist");
  Package entry = samplePackage();
  entry.image.kernels[0].entry = 1;
  expectRefused(entry, "expected an entry below 1, found 1");
  Package constant = richPackage();
  constant.constants[0].bytes = constant.constants[0].bytes.slice(0, 7);
  expectRefused(constant, "expected 8 bytes, found 7");
  Package guard = richPackage();
  guard.guards[0].dim = 2;
  expectRefused(guard, "guard 0: dimension 2 does not exist");
  Package symbol = samplePackage();
  symbol.programs[0].symbols[0].dim = 2;
  expectRefused(symbol, "dimension 2 does not exist");
  Package scale = samplePackage();
  scale.programs[0].symbols[0].scale = 0;
  expectRefused(scale, "scale other than 0");
}

TEST(Verifier, ConstantsAreWhatIsDeclaredOfThem) {
  ProgramBuilder b = oneInput();
  ValueId c = b.value(Value::Kind::Constant, {0});
  b.program.values[c].slot = 0;
  b.program.slots[0].payload = 0;
  Package package = packageOf(b);
  auto store = [&](DType dtype, std::vector<int64_t> sizes, size_t bytes) {
    package.constants = {
        {dtype, sizes, SharedBytes::own(std::vector<uint8_t>(bytes))}};
  };
  store(DType::F32, {4}, 16);
  EXPECT_TRUE(verifyPackage(package));
  store(DType::I32, {4}, 16);
  expectRefused(package, "value 1: constant 0 has the dtype i32 and 1 "
                         "dimensions, expected f32 and 1");
  store(DType::F32, {2, 2}, 16);
  expectRefused(package, "f32 and 2 dimensions, expected f32 and 1");
  store(DType::F32, {2}, 8);
  expectRefused(package, "constant 0 has 2 elements in dimension 0, expected 4");
  package.programs[0].values.pop_back();
  expectRefused(package, "slot 'x': constant 0 has 2 elements");
  package.constants.clear();
  expectRefused(package, "slot 'x': constant 0 does not exist");
}

TEST(Verifier, NothingWritesAConstant) {
  ProgramBuilder b = oneInput();
  ValueId c = b.value(Value::Kind::Constant, {0});
  b.program.values[c].slot = 0;
  b.view(c, b.integer(0), {0});
  b.launch(0, {0, 2}, {}, 0);
  Package package = packageOf(b);
  package.image = samplePackage().image;
  package.constants = {
      {DType::F32, {4}, SharedBytes::own(std::vector<uint8_t>(16))}};
  EXPECT_TRUE(verifyPackage(package));
  std::get<LaunchStep>(package.programs[0].steps[0]).writes = {1};
  expectRefused(package, "buffer 1: value 2 is a constant and cannot be written");
  package.programs[0].steps[0] = CopyStep{0, 1};
  expectRefused(package, "copy target: value 1 is a constant");
}

TEST(Verifier, SavedValuesFit) {
  ProgramBuilder forward = oneInput();
  forward.output(0, "s", Output::Role::Saved);
  ProgramBuilder backward = oneInput();
  Package package;
  package.programs = {forward.program, backward.program};
  expectRefused(package, "saves 1 values, the backward program expects 0");
  package.programs[1].slots[0].kind = Slot::Kind::Saved;
  EXPECT_TRUE(verifyPackage(package));
}

TEST(Verifier, MutationsNeedATarget) {
  ProgramBuilder b = oneInput();
  Output &output = b.output(0, "x", Output::Role::InputMutation);
  expectRefused(packageOf(b), "needs the slot of the tensor it changes");
  output.aliasOfSlot = 0;
  EXPECT_TRUE(verifyPackage(packageOf(b)));
}

TEST(Verifier, GridsFitTheirKernels) {
  auto refused = [](std::function<void(GridStep &, Package &)> change,
                    const std::string &text) {
    Package package = gridPackage();
    ASSERT_TRUE(verifyPackage(package));
    change(std::get<GridStep>(package.programs[0].steps[0]), package);
    expectRefused(package, text);
  };
  refused([](auto &grid, auto &) { grid.parts.clear(); },
          "expected a function to launch, found none");
  refused([](auto &grid, auto &) { grid.parts[1].kernel = 2; },
          "kernel 2 does not exist, expected one below 2");
  refused([](auto &grid, auto &) { grid.parts[0].wide = kNone; },
          "expected a kernel for either case of 'narrow', found one");
  refused([](auto &grid, auto &) { grid.writes = {1}; },
          "expected the workspace as the last buffer");
  refused([](auto &grid, auto &) { grid.parts[0].threads = 1025; },
          "expected 1 to 1024 threads of a block, found 1025");
  refused([](auto &grid, auto &) { grid.parts[0].sharedBytes = ~0u; },
          "bytes of shared memory");
  refused([](auto &grid, auto &) { grid.parts[0].maps[0].buffer = 3; },
          "buffer of a tensor map 3 does not exist");
  refused([](auto &grid, auto &) { grid.parts[0].maps[0].strides.clear(); },
          "found 2, 0 and 2");
  refused([](auto &grid, auto &) { grid.parts[0].maps[0].swizzle = 48; },
          "found 48");
  refused([](auto &grid, auto &) { grid.checks = {"wrong"}; },
          "grid: expected at most 0 checks, found 1");
  refused(
      [](auto &grid, auto &) {
        grid.library = std::monostate();
        grid.checks.resize(1025);
      },
      "grid: expected at most 1024 checks, found 1025");
  EXPECT_TRUE(verifyPackage(checkedPackage()));
  auto productOf = [](GridStep &grid) -> GridStep::Product & {
    return std::get<GridStep::Product>(grid.library);
  };
  refused([&](auto &grid, auto &) { productOf(grid).factors = DType::I32; },
          "expected factors of f32, f16 or bf16");
  refused([&](auto &grid, auto &) { productOf(grid).left.buffer = 3; },
          "buffer 3 does not exist, expected one below 3");
  refused([&](auto &grid, auto &) { productOf(grid).right.buffer = 1; },
          "expected buffer 1 to be read and of f32, found one of f32");
  refused([&](auto &grid, auto &) { productOf(grid).result.buffer = 0; },
          "expected buffer 0 to be written");
  refused([&](auto &grid, auto &) { productOf(grid).result.buffer = 2; },
          "found one of i8, the workspace");
  refused([&](auto &grid, auto &) { productOf(grid).factors = DType::BF16; },
          "expected buffer 0 to be read and of bf16, found one of f32");
  refused(
      [&](auto &grid, auto &) { productOf(grid).result.isTransposed = true; },
      "expected a result that is not transposed");
  refused([&](auto &grid, auto &) { productOf(grid).bias = 2; },
          "expected buffer 2 to be read");
  refused([&](auto &grid, auto &) { productOf(grid).left.leading = 999; },
          "expression 999");
  refused([&](auto &grid, auto &) { productOf(grid).sum = kNone; },
          "expression");
  refused([](auto &, auto &package) { package.image.kind = KILN_IMAGE_NATIVE; },
          "a grid of a kernel for a processor");
  refused([](auto &, auto &package) { package.image.bytes.back() = 1; },
          "expected texts that end with a zero");
  Package launch = samplePackage();
  launch.image.kind = KILN_IMAGE_PTX;
  launch.image.bytes = {0};
  expectRefused(launch, "a launch without a grid");
}

TEST(Verifier, ConvolutionsFitTheirBuffers) {
  using Convolution = GridStep::Convolution;
  EXPECT_TRUE(verifyPackage(convolutionPackage()));
  auto refused = [](std::function<void(Convolution &)> change,
                    const std::string &text) {
    Package package = convolutionPackage();
    auto &grid = std::get<GridStep>(package.programs[0].steps[0]);
    change(std::get<Convolution>(grid.library));
    expectRefused(package, text);
  };
  refused([](auto &c) { c.elements = DType::F64; },
          "expected elements of f32, f16 or bf16, found f64");
  refused([](auto &c) { c.elements = DType::BF16; },
          "expected buffer 0 to be read and of bf16, found one of f32");
  refused([](auto &c) { c.inputs.clear(); },
          "expected 1 to 3 dimensions, found 0");
  refused([](auto &c) { c.inputs.resize(4, c.channels); },
          "expected 1 to 3 dimensions, found 4");
  refused([](auto &c) { c.taps.pop_back(); },
          "expected 2 numbers, one for each dimension, found 1");
  refused([](auto &c) { c.target.places.push_back(c.channels); },
          "expected 2 numbers, one for each dimension, found 3");
  refused([](auto &c) { c.padding.clear(); },
          "expected 2 numbers, one for each dimension, found 0");
  refused([](auto &c) { c.strides[1] = 0; },
          "expected a number from 1 to 65536, found 0");
  refused([](auto &c) { c.dilations[0] = 0; },
          "expected a number from 1 to 65536, found 0");
  refused([](auto &c) { c.padding[0] = 65537; },
          "expected a number from 0 to 65536, found 65537");
  refused([](auto &c) { c.source.buffer = 3; },
          "buffer 3 does not exist, expected one below 3");
  refused([](auto &c) { c.source.buffer = 1; }, "expected buffer 1 to be read");
  refused([](auto &c) { c.target.buffer = 0; },
          "expected buffer 0 to be written");
  refused([](auto &c) { c.target.buffer = 2; },
          "found one of i8, the workspace");
  refused([](auto &c) { c.weight = 1; }, "expected buffer 1 to be read");
  // The gradient of a weight writes the weight.
  refused([](auto &c) { c.isGradient = true; }, "expected buffer 1 to be read");
  refused([](auto &c) { c.isGradient = true, c.target.buffer = 0; },
          "expected buffer 0 to be written");
  refused([](auto &c) { c.outputs[1] = 999; }, "expression 999");
  refused([](auto &c) { c.source.places[0] = 999; }, "expression 999");
  refused([](auto &c) { c.groups = kNone; }, "expression");
  refused([](auto &c) { c.weightOffset = kNone; }, "expression");
}

TEST(Verifier, ControlStepsFitTheirBodies) {
  using Kind = ControlStep::Kind;
  auto refused = [](std::function<void(ControlStep &, Package &)> change,
                    const std::string &text) {
    ProgramBuilder b;
    ValueId x = b.slotValue(b.slot("x", {b.integer(2)}));
    ValueId y = b.value(Value::Kind::Dynamic, {0});
    b.control(Kind::Branch, {0, 1}, {{true}, tensorArg(x)}, {y});
    Package package = packageOf(b);
    package.bodies = {sampleBody("then"), sampleBody("else")};
    ASSERT_TRUE(verifyPackage(package));
    change(std::get<ControlStep>(package.programs[0].steps[0]), package);
    expectRefused(package, text);
  };
  refused([](auto &step, auto &) { step.bodies = {0}; },
          "step 0, branch: expected 2 bodies, found 1");
  refused([](auto &step, auto &) { step.bodies[1] = 2; },
          "body 2 cannot be run, expected one from 0 and below 2");
  refused([](auto &step, auto &) { step.arguments.clear(); },
          "expected a predicate, found no argument");
  refused([](auto &step, auto &) { step.arguments.pop_back(); },
          "expected body 0 to have 0 inputs and 1 outputs, found 1 and 1");
  refused([](auto &step, auto &) { step.results.push_back(kNone); },
          "expected body 0 to have 1 inputs and 2 outputs");
  refused([](auto &step, auto &) { step.carried = 1; }, "cannot carry 1");
  refused([](auto &step, auto &) {
            step.kind = Kind::Scan;
            step.bodies = {0};
          },
          "cannot carry 0 and take slices of 0");
  refused([](auto &step, auto &) { step.kind = Kind::While; },
          "cannot carry 0");
  refused([](auto &step, auto &) { step.arguments[1] = tensorArg(9); },
          "branch, argument 1: value 9 does not exist");
  refused([](auto &step, auto &) { step.results = {0}; },
          "branch: a result cannot be an input");
  refused([](auto &, Package &package) {
            package.bodies[0].slots[0].kind = Slot::Kind::Parameter;
          },
          "slot 't' is not given by the caller of the body");
  refused([](auto &, Package &package) {
            package.bodies[0].outputs[0].role = Output::Role::Loss;
          },
          "a body only has results, but found a loss");
}

TEST(Verifier, BodiesRunOnlyBodiesBehindThem) {
  auto body = [](uint32_t callee) {
    ProgramBuilder b("body");
    ValueId t = b.slotValue(b.slot("t", {b.integer(2)}));
    ValueId r = b.value(Value::Kind::Dynamic, {0});
    b.control(ControlStep::Kind::Branch, {callee, callee},
              {{true}, tensorArg(t)}, {r});
    b.output(r);
    return b.program;
  };
  Package package = samplePackage();
  package.bodies = {body(0), sampleBody("last")};
  expectRefused(package, "body 0 cannot be run, expected one from 1");
  package.bodies[0] = body(1);
  EXPECT_TRUE(verifyPackage(package));
  // So far down, and no further.
  package.bodies.clear();
  for (uint32_t i = 1; i < KILN_PACKAGE_MAX_BODY_DEPTH; ++i)
    package.bodies.push_back(body(i));
  package.bodies.push_back(sampleBody("last"));
  EXPECT_TRUE(verifyPackage(package));
  package.bodies.back() = body(KILN_PACKAGE_MAX_BODY_DEPTH);
  package.bodies.push_back(sampleBody("last"));
  expectRefused(package, "bodies nest deeper than 64");
}

TEST(Verifier, LaunchesSayWhatTheyWrite) {
  auto refused = [](std::vector<uint32_t> writes,
                    std::vector<uint32_t> overwrites, const std::string &text) {
    Package package = samplePackage();
    auto &launch = std::get<LaunchStep>(package.programs[0].steps[0]);
    launch.writes = std::move(writes);
    launch.overwrites = std::move(overwrites);
    expectRefused(package, text);
  };
  refused({2}, {}, "step 0: launch: written buffer 2 does not exist");
  refused({1, 1}, {}, "positions of written buffers to ascend, found 1 behind 1");
  refused({1}, {1}, "expected pairs of what overwrites what, found 1 positions");
  refused({1}, {1, 2}, "overwritten buffer 2 does not exist");
  refused({1}, {0, 0}, "buffer 0 is read and overwrites");
  refused({0, 1}, {1, 0}, "buffer 0 is written and overwritten");
}
