//===- RandomGraph.cpp - Programs that nobody wrote -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomGraph.h"

#include <algorithm>
#include <numeric>
#include <random>

using namespace kiln::chaos;

namespace {
using Sizes = std::vector<int64_t>;

struct Value {
  std::string name;
  Sizes shape;
};

/// Writes one function.
class Writer {
public:
  explicit Writer(uint64_t seed) : random(seed) {}
  RandomGraph write();

private:
  uint64_t below(uint64_t count) { return random() % count; }
  template <typename T> const T &oneOf(const std::vector<T> &list) {
    return list[below(list.size())];
  }
  const Value &anyValue() {
    // Mostly of the last ones, so that chains become long.
    size_t back = std::min<size_t>(values.size(), below(3) ? 3 : values.size());
    return values[values.size() - 1 - below(back)];
  }
  Value input(Sizes shape);
  void add(const std::string &op, const std::vector<Value> &operands,
           const std::string &attributes, Sizes result);

  void pointwise(const Value &value);
  void binary(const Value &value);
  void reduce(const Value &value);
  void rearrange(const Value &value);
  void multiply(const Value &value);

  std::mt19937_64 random;
  std::vector<Value> values;
  RandomGraph graph;
  std::string arguments, body;
  unsigned count = 0;
};
} // namespace

static std::string typeOf(const Sizes &shape) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + "f32>";
}

static std::string listOf(const Sizes &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

static int64_t countOf(const Sizes &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<>());
}

Value Writer::input(Sizes shape) {
  std::string name = "a" + std::to_string(graph.inputs.size());
  arguments += (arguments.empty() ? "" : ",\n    ") + ("%" + name) + ": " +
               typeOf(shape) + " {aten.input = #aten.input<kind = user_input, "
               "name = \"" + name + "\", path = \"[0][" +
               std::to_string(graph.inputs.size()) +
               "]\", requires_grad = true>}";
  graph.inputs.push_back(shape);
  return {"%" + name, std::move(shape)};
}

void Writer::add(const std::string &op, const std::vector<Value> &operands,
                 const std::string &attributes, Sizes result) {
  std::string names, types;
  for (const Value &operand : operands) {
    names += (names.empty() ? "" : ", ") + operand.name;
    types += (types.empty() ? "" : ", ") + typeOf(operand.shape);
  }
  std::string name = "%" + std::to_string(count++);
  body += "  " + name + " = aten." + op + "(" + names +
          (attributes.empty() ? "" : ", " + attributes) + ") : (" + types +
          ") -> " + typeOf(result) + "\n";
  values.push_back({name, std::move(result)});
}

void Writer::pointwise(const Value &value) {
  static const std::vector<std::string> ops = {
      "relu", "tanh", "sigmoid", "neg", "abs", "cos", "sin", "silu", "atan"};
  add(oneOf(ops), {value}, "", value.shape);
}

void Writer::binary(const Value &value) {
  static const std::vector<std::string> ops = {"add.Tensor", "sub.Tensor",
                                               "mul.Tensor"};
  // One of the same shape, or one that is broadcast.
  for (const Value &other : values)
    if (other.shape == value.shape && below(2))
      return add(oneOf(ops), {value, other}, "", value.shape);
  Sizes shape = value.shape;
  for (int64_t &size : shape)
    if (below(2))
      size = 1;
  add(oneOf(ops), {value, input(shape)}, "", value.shape);
}

void Writer::reduce(const Value &value) {
  if (value.shape.empty())
    return pointwise(value);
  int64_t dim = int64_t(below(value.shape.size()));
  bool keeps = below(2);
  Sizes shape = value.shape;
  if (keeps)
    shape[size_t(dim)] = 1;
  else
    shape.erase(shape.begin() + dim);
  static const std::vector<std::string> ops = {"mean.dim", "amax",
                                               "sum.dim_IntList"};
  add(oneOf(ops), {value},
      "dim = [" + std::to_string(dim) + "]" +
          (keeps ? ", keepdim = true" : ""),
      shape);
  // Sums of many would grow.
  add("tanh", {values.back()}, "", shape);
}

void Writer::rearrange(const Value &value) {
  if (below(2) == 0) {
    Sizes flat = {countOf(value.shape)};
    if (flat[0] % 2 == 0 && below(2))
      flat = {2, flat[0] / 2};
    return add("reshape", {value}, "shape = " + listOf(flat), flat);
  }
  Sizes dims(value.shape.size());
  std::iota(dims.begin(), dims.end(), 0);
  std::shuffle(dims.begin(), dims.end(), random);
  Sizes shape;
  for (int64_t dim : dims)
    shape.push_back(value.shape[size_t(dim)]);
  add("permute", {value}, "dims = " + listOf(dims), shape);
}

void Writer::multiply(const Value &value) {
  if (value.shape.size() != 2)
    return binary(value);
  static const std::vector<int64_t> sizes = {1, 3, 8, 16, 17};
  int64_t columns = oneOf(sizes);
  add("mm", {value, input({value.shape[1], columns})}, "",
      {value.shape[0], columns});
  add("tanh", {values.back()}, "", values.back().shape);
}

RandomGraph Writer::write() {
  static const std::vector<int64_t> sizes = {1, 2, 3, 4, 5, 8, 16, 17, 33};
  Sizes shape(1 + below(3));
  for (int64_t &size : shape)
    size = oneOf(sizes);
  values.push_back(input(shape));
  for (uint64_t left = 2 + below(10); left > 0; --left) {
    const Value value = anyValue();
    switch (below(6)) {
    case 0:
      reduce(value);
      break;
    case 1:
      rearrange(value);
      break;
    case 2:
      multiply(value);
      break;
    case 3:
      binary(value);
      break;
    default:
      pointwise(value);
    }
  }
  // All inputs count: each has a gradient.
  const Value last = values.back();
  add("mean", {last}, "", {});
  Value sum = values.back();
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    add("mean", {{"%a" + std::to_string(i), graph.inputs[i]}}, "", {});
    add("add.Tensor", {sum, values.back()}, "", {});
    sum = values.back();
  }
  graph.text = "func.func @main(\n    " + arguments +
               ")\n    -> (tensor<f32> {aten.output = #aten.output<kind = "
               "user_output, name = \"y\", path = \"\">}) {\n" +
               body + "  return " + sum.name + " : tensor<f32>\n}\n";
  return std::move(graph);
}

RandomGraph kiln::chaos::makeGraph(uint64_t seed) {
  return Writer(seed * 0x9e3779b97f4a7c15u + 1).write();
}

std::vector<float> kiln::chaos::makeNumbers(uint64_t seed, int64_t count) {
  std::mt19937_64 random(seed);
  std::vector<float> numbers;
  for (int64_t i = 0; i < count; ++i)
    numbers.push_back(float(int64_t(random() % 2001) - 1000) / 1000.0f);
  return numbers;
}
