//===- KernelsByDepthTest.cpp - Deeper models have no more kernels --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks of a transformer are alike, and so are their kernels: what a program of 2, 4
// and 8 of them has to compile is the same. What would tell them apart is a number, a
// name or a place of one block that got into a kernel, or fusion that takes another turn
// in a longer program.
//
//===----------------------------------------------------------------------===//

#include "kiln/Archive/Source.h"
#include "kiln/Compiler/CompilerSession.h"

#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::compiler;

namespace {

constexpr int kTokens = 32, kWidth = 64, kHeads = 4, kInner = 128;

std::string typeOf(std::vector<int> sizes) {
  std::string text = "tensor<";
  for (int size : sizes)
    text += std::to_string(size) + "x";
  return text + "f32>";
}

/// A graph as text, op after op.
class GraphText {
public:
  explicit GraphText(bool training) : training_(training) {}

  struct Tensor {
    std::string name;
    std::string type;
  };

  Tensor argument(std::vector<int> sizes, bool isParameter) {
    std::string number = std::to_string(arguments_++);
    Tensor made{"%a" + number, typeOf(sizes)};
    std::string kind = isParameter && training_ ? "parameter" : "user_input";
    signature_ += (signature_.empty() ? "" : ",\n    ") + made.name + ": " +
                  made.type + " {aten.input = #aten.input<kind = " + kind +
                  ", name = \"a" + number + "\", path = \"" +
                  (kind == "parameter" ? "a" + number : "[0][" + number + "]") +
                  "\"" + (training_ && isParameter ? ", requires_grad = true" : "") +
                  ">}";
    return made;
  }
  /// `op` with `text` between its parentheses, where %0, %1, ... are the operands.
  Tensor op(const std::string &name, const std::string &text,
            std::vector<Tensor> operands, std::vector<int> sizes) {
    std::string arguments, types;
    for (char c : text) {
      if (c >= '0' && c <= '9' && !arguments.empty() && arguments.back() == '%') {
        arguments.pop_back();
        arguments += operands[size_t(c - '0')].name;
      } else {
        arguments += c;
      }
    }
    for (const Tensor &operand : operands)
      types += (types.empty() ? "" : ", ") + operand.type;
    Tensor made{"%v" + std::to_string(values_++), typeOf(sizes)};
    body_ += "  " + made.name + " = aten." + name + "(" + arguments + ") : (" +
             types + ") -> " + made.type + "\n";
    return made;
  }
  Tensor linear(Tensor x, int from, int to) {
    return op("linear", "%0, %1", {x, argument({to, from}, true)},
              {1, kTokens, to});
  }
  Tensor add(Tensor x, Tensor y) {
    return op("add.Tensor", "%0, %1", {x, y}, {1, kTokens, kWidth});
  }
  /// [1, tokens, width] as heads.
  Tensor toHeads(Tensor x) {
    int depth = kWidth / kHeads;
    Tensor parted = op("view", "%0, size = [1, " + std::to_string(kTokens) +
                                   ", " + std::to_string(kHeads) + ", " +
                                   std::to_string(depth) + "]",
                       {x}, {1, kTokens, kHeads, depth});
    return op("transpose.int", "%0, dim0 = 1, dim1 = 2", {parted},
              {1, kHeads, kTokens, depth});
  }
  Tensor attend(Tensor q, Tensor k, Tensor v) {
    int depth = kWidth / kHeads;
    Tensor heads = op("scaled_dot_product_attention",
                      "%0, %1, %2, is_causal = true", {q, k, v},
                      {1, kHeads, kTokens, depth});
    Tensor turned = op("transpose.int", "%0, dim0 = 1, dim1 = 2", {heads},
                       {1, kTokens, kHeads, depth});
    Tensor joined = op("reshape", "%0, shape = [1, " + std::to_string(kTokens) +
                                      ", " + std::to_string(kWidth) + "]",
                       {turned}, {1, kTokens, kWidth});
    return linear(joined, kWidth, kWidth);
  }
  std::string finish(Tensor result) const {
    return "func.func @main(" + signature_ + ")\n    -> (" + result.type +
           " {aten.output = #aten.output<kind = user_output, name = \"y\", "
           "path = \"\">}) {\n" +
           body_ + "  return " + result.name + " : " + result.type + "\n}\n";
  }

private:
  bool training_;
  std::string signature_, body_ = "  %eps = arith.constant 1.0e-05 : f64\n";
  int arguments_ = 0, values_ = 0;
};

using Tensor = GraphText::Tensor;

/// Pre-norm, rotated heads, a gated inner layer.
Tensor addLlamaBlock(GraphText &g, Tensor x, Tensor cosines, Tensor sines) {
  std::vector<int> rows = {1, kTokens, kWidth};
  auto norm = [&](Tensor y) {
    Tensor squares = g.op("mul.Tensor", "%0, %1", {y, y}, rows);
    Tensor mean = g.op("mean.dim", "%0, dim = [-1], keepdim = true", {squares},
                       {1, kTokens, 1});
    Tensor moved = g.op("add.Scalar", "%0, %1", {mean, {"%eps", "f64"}},
                        {1, kTokens, 1});
    Tensor factor = g.op("rsqrt", "%0", {moved}, {1, kTokens, 1});
    Tensor scaled = g.op("mul.Tensor", "%0, %1", {y, factor}, rows);
    return g.op("mul.Tensor", "%0, %1", {scaled, g.argument({kWidth}, true)}, rows);
  };
  auto rotate = [&](Tensor y) {
    int depth = kWidth / kHeads, half = depth / 2;
    std::vector<int> heads = {1, kHeads, kTokens, depth},
                     halves = {1, kHeads, kTokens, half};
    Tensor low = g.op("slice.Tensor",
                      "%0, dim = 3, start = 0, end = 8", {y}, halves);
    Tensor high = g.op("slice.Tensor",
                       "%0, dim = 3, start = 8, end = 16", {y}, halves);
    Tensor turned = g.op("cat", "[%0, %1], dim = 3",
                         {g.op("neg", "%0", {high}, halves), low}, heads);
    return g.op("add.Tensor", "%0, %1",
                {g.op("mul.Tensor", "%0, %1", {y, cosines}, heads),
                 g.op("mul.Tensor", "%0, %1", {turned, sines}, heads)},
                heads);
  };
  Tensor y = norm(x);
  Tensor q = rotate(g.toHeads(g.linear(y, kWidth, kWidth)));
  Tensor k = rotate(g.toHeads(g.linear(y, kWidth, kWidth)));
  Tensor v = g.toHeads(g.linear(y, kWidth, kWidth));
  x = g.add(x, g.attend(q, k, v));
  y = norm(x);
  std::vector<int> inner = {1, kTokens, kInner};
  Tensor gate = g.op("silu", "%0", {g.linear(y, kWidth, kInner)}, inner);
  Tensor gated =
      g.op("mul.Tensor", "%0, %1", {gate, g.linear(y, kWidth, kInner)}, inner);
  return g.add(x, g.linear(gated, kInner, kWidth));
}

/// Layer norms, one product for queries, keys and values, gelu.
Tensor addGPT2Block(GraphText &g, Tensor x) {
  auto norm = [&](Tensor y) {
    return g.op("layer_norm",
                "%0, normalized_shape = [64], weight = %1, bias = %2",
                {y, g.argument({kWidth}, true), g.argument({kWidth}, true)},
                {1, kTokens, kWidth});
  };
  Tensor all = g.linear(norm(x), kWidth, 3 * kWidth);
  Tensor parts[3];
  for (int k = 0; k < 3; ++k)
    parts[k] = g.toHeads(g.op(
        "slice.Tensor",
        "%0, dim = 2, start = " + std::to_string(k * kWidth) + ", end = " +
            std::to_string((k + 1) * kWidth),
        {all}, {1, kTokens, kWidth}));
  x = g.add(x, g.attend(parts[0], parts[1], parts[2]));
  Tensor wide = g.op("gelu", "%0, approximate = \"tanh\"",
                     {g.linear(norm(x), kWidth, kInner)}, {1, kTokens, kInner});
  return g.add(x, g.linear(wide, kInner, kWidth));
}

enum class Model { Llama, GPT2 };

struct Counts {
  size_t kernels = 0, steps = 0;
};

/// What a model of so many blocks is compiled to.
Counts compile(Model model, int blocks, bool training) {
  GraphText g(training);
  Tensor x = g.argument({1, kTokens, kWidth}, false);
  std::vector<int> rotations = {kTokens, kWidth / kHeads};
  Tensor cosines, sines;
  if (model == Model::Llama) {
    cosines = g.argument(rotations, false);
    sines = g.argument(rotations, false);
  }
  for (int block = 0; block < blocks; ++block)
    x = model == Model::Llama ? addLlamaBlock(g, x, cosines, sines)
                              : addGPT2Block(g, x);
  auto source = archive::Source::read(SharedBytes::own(g.finish(x)),
                                      "blocks.mlir");
  EXPECT_TRUE(source) << source.error().message;
  if (!source)
    return {};
  CompileOptions options;
  options.training = training;
  options.target = "x86-64-v3";
  CompilerSession session;
  auto package = session.compile(**source, options, {});
  EXPECT_TRUE(package) << package.error().message;
  if (!package)
    return {};
  Counts counts;
  counts.kernels = package->image.kernels.size();
  for (const package::Program &program : package->programs)
    counts.steps += program.steps.size();
  return counts;
}

void expectTheSame(Model model, bool training) {
  Counts two = compile(model, 2, training), four = compile(model, 4, training),
         eight = compile(model, 8, training);
  EXPECT_GT(two.kernels, 0u);
  // Which launches are joined depends on where their buffers lie, too.
  EXPECT_LE(four.kernels, two.kernels + 1);
  EXPECT_EQ(eight.kernels, four.kernels);
  // There is more to run.
  EXPECT_GT(four.steps, two.steps);
  EXPECT_GT(eight.steps, four.steps);
}

TEST(KernelsByDepth, OfLlamaInference) {
  expectTheSame(Model::Llama, /*training=*/false);
}

TEST(KernelsByDepth, OfGPT2Inference) {
  expectTheSame(Model::GPT2, /*training=*/false);
}

TEST(KernelsByDepth, OfGPT2Training) {
  expectTheSame(Model::GPT2, /*training=*/true);
}

} // namespace
