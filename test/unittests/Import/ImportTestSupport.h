//===- ImportTestSupport.h - Exported programs made by hand ----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Graphs as `torch.export` records them, in a few words:
//
//   ProgramMaker p;
//   p.input("x", {2, 3});
//   p.call("aten.clone.default", {{"self", t("x")}}, {"y", {2, 3}});
//   p.output("y");
//   run(p.program, {iota({2, 3})})  ->  what each backend gives
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_IMPORTTESTSUPPORT_H
#define KILN_TEST_IMPORTTESTSUPPORT_H

#include "kiln/Archive/ExportedProgram.h"
#include "kiln/Compiler/CompilerSession.h"
#include "kiln/Eager/Registry.h"
#include "kiln/Runtime/Executable.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

namespace kiln::test {

using archive::Argument;
using archive::NamedArgument;
using Floats = std::vector<float>;
using Sizes = std::vector<archive::SymInt>;

inline Argument t(const std::string &name) {
  return {archive::TensorArg{name}};
}
inline Argument ts(std::vector<std::string> names) {
  return {archive::TensorsArg{std::move(names)}};
}
inline Argument sym(const std::string &name) {
  return {archive::SymIntArg{name}};
}
inline Argument i(int64_t value) { return {value}; }
inline Argument f(double value) { return {value}; }
inline Argument ints(std::vector<int64_t> values) {
  return {std::move(values)};
}

inline archive::SymExprPtr symbolExpr(const std::string &name) {
  return *archive::parseSymExpr("Symbol('" + name + "', integer=True)");
}
inline archive::SymInt size(int64_t value) {
  archive::SymInt result;
  result.value = value;
  return result;
}
inline archive::SymInt size(const std::string &symbol) {
  archive::SymInt result;
  result.expr = symbolExpr(symbol);
  return result;
}
inline Sizes sizesOf(std::initializer_list<int64_t> values) {
  Sizes sizes;
  for (int64_t value : values)
    sizes.push_back(size(value));
  return sizes;
}

/// A tensor that a node gives: name and sizes, f32 unless said.
struct Out {
  std::string name;
  Sizes sizes;
  DType dtype = DType::F32;
  Out(std::string name, std::initializer_list<int64_t> sizes,
      DType dtype = DType::F32)
      : name(std::move(name)), sizes(sizesOf(sizes)), dtype(dtype) {}
  Out(std::string name, Sizes sizes, DType dtype = DType::F32)
      : name(std::move(name)), sizes(std::move(sizes)), dtype(dtype) {}
};

/// Nodes of a graph.
class GraphMaker {
public:
  archive::Graph graph;

  void tensor(const Out &out) {
    archive::TensorMeta meta;
    meta.dtype = out.dtype;
    meta.sizes = out.sizes;
    meta.device.type = "cpu";
    meta.strides.resize(out.sizes.size());
    int64_t stride = 1;
    for (size_t k = out.sizes.size(); k-- > 0;) {
      // Of what lies in front of a symbol nothing is known.
      meta.stridesKnown &= stride >= 0;
      meta.strides[k] = size(std::max<int64_t>(stride, 0));
      stride = out.sizes[k].isStatic() && stride >= 0
                   ? stride * out.sizes[k].value
                   : -1;
    }
    graph.tensors[out.name] = meta;
  }
  /// Strides other than row-major.
  void strides(const std::string &name, std::initializer_list<int64_t> values) {
    graph.tensors[name].strides = sizesOf(values);
  }
  void input(const Out &out) {
    tensor(out);
    graph.inputs.push_back(t(out.name));
  }
  void symbol(const std::string &name, const std::string &symbol) {
    graph.symInts[name] = size(symbol);
  }
  archive::Node &node(const std::string &target,
                      std::vector<NamedArgument> inputs,
                      std::vector<Argument> outputs) {
    archive::Node node;
    node.target = "torch.ops." + target;
    node.name = "n" + std::to_string(graph.nodes.size());
    node.inputs = std::move(inputs);
    node.outputs = std::move(outputs);
    graph.nodes.push_back(std::move(node));
    return graph.nodes.back();
  }
  void call(const std::string &target, std::vector<NamedArgument> inputs,
            std::vector<Out> outs) {
    std::vector<Argument> outputs;
    for (const Out &out : outs) {
      tensor(out);
      outputs.push_back(t(out.name));
    }
    node(target, std::move(inputs), std::move(outputs));
  }
  void call(const std::string &target, std::vector<NamedArgument> inputs,
            const Out &out) {
    call(target, std::move(inputs), std::vector<Out>{out});
  }
  /// An operator that gives a list.
  void callList(const std::string &target, std::vector<NamedArgument> inputs,
                std::vector<Out> outs) {
    std::vector<std::string> names;
    for (const Out &out : outs) {
      tensor(out);
      names.push_back(out.name);
    }
    node(target, std::move(inputs), {ts(names)});
  }
  void output(const std::string &name) { graph.outputs.push_back(t(name)); }

  Argument asArgument(const std::string &label) const {
    return {archive::GraphArg{label,
                              std::make_shared<const archive::Graph>(graph)}};
  }
};

/// A program: a graph with a signature.
class ProgramMaker : public GraphMaker {
public:
  using Kind = archive::InputSpec::Kind;

  void input(const Out &out, Kind kind = Kind::UserInput) {
    GraphMaker::input(out);
    archive::InputSpec spec;
    spec.kind = kind;
    spec.name = out.name;
    spec.target = kind == Kind::UserInput ? "" : "m." + out.name;
    spec.path = "[0][" + std::to_string(inputs.size()) + "]";
    spec.source = "L['" + out.name + "']";
    inputs.push_back(spec);
  }
  void output(const std::string &name) {
    GraphMaker::output(name);
    archive::OutputSpec spec;
    spec.arg = t(name);
    spec.path = "[" + std::to_string(outputs.size()) + "]";
    outputs.push_back(spec);
  }
  archive::ExportedProgram build() const {
    archive::ExportedProgram program;
    program.file = "made.pt2";
    program.isTrainingIR = true;
    program.graph = graph;
    program.inputs = inputs;
    program.outputs = outputs;
    program.ranges = ranges;
    return program;
  }
  std::vector<archive::InputSpec> inputs;
  std::vector<archive::OutputSpec> outputs;
  std::map<std::string, archive::SymRange> ranges;
};

inline runtime::Tensor tensorOf(std::vector<int64_t> sizes, Floats values) {
  auto tensor = runtime::Tensor::empty(DType::F32, std::move(sizes));
  std::memcpy(tensor->data(), values.data(), values.size() * sizeof(float));
  return *tensor;
}
/// 0, 1, 2...
inline runtime::Tensor iota(std::vector<int64_t> sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  Floats values(count);
  std::iota(values.begin(), values.end(), 0.0f);
  return tensorOf(std::move(sizes), values);
}
inline Floats floatsOf(const runtime::OpValue &value) {
  auto *tensor = std::get_if<runtime::Tensor>(&value.value);
  if (!tensor || tensor->dtype() != DType::F32)
    return {};
  auto dense = tensor->contiguous();
  return Floats(dense->dataAs<float>(),
                dense->dataAs<float>() + dense->numel());
}

/// One result, by what it is: "y", or "mutation x".
using Results = std::map<std::string, runtime::OpValue>;

/// Compiles by one backend and runs on copies of the inputs.
inline Result<Results> runBy(Backend backend, const ProgramMaker &maker,
                             const std::vector<runtime::OpValue> &inputs) {
  compiler::CompilerSession session;
  CompileOptions options;
  options.backend = backend;
  options.verifyEach = true;
  auto package = session.compile(maker.build(), options);
  if (!package)
    return package.takeError();
  static const runtime::OperatorRegistry registry = [] {
    runtime::OperatorRegistry filled;
    (void)eager::registerAll(filled);
    return filled;
  }();
  auto executable = runtime::Executable::load(std::move(*package), registry);
  if (!executable)
    return executable.takeError();
  std::vector<runtime::OpValue> own;
  for (const runtime::OpValue &input : inputs)
    if (auto *tensor = std::get_if<runtime::Tensor>(&input.value))
      own.push_back(*tensor->clone());
    else
      own.push_back(input);
  auto values = (*executable)->forward().run(own);
  if (!values)
    return values.takeError();
  Results results;
  const package::Program &program = (*executable)->package().programs[0];
  for (size_t k = 0; k < values->size(); ++k) {
    const package::Output &output = program.outputs[k];
    bool isResult = output.role == package::Output::Role::UserOutput;
    results[(isResult ? "" : "mutation ") + output.name] = (*values)[k];
  }
  return results;
}

/// y = x.clone(), where x is 0, 1, 2...
inline ProgramMaker cloneOf(std::initializer_list<int64_t> sizes) {
  ProgramMaker p;
  p.input({"x", sizes});
  p.call("aten.clone.default", {{"self", t("x")}}, {"y", sizes});
  return p;
}

/// name.mul_(10)
inline void timesTen(GraphMaker &p, const std::string &name) {
  Out out("times_ten_" + name, p.graph.tensors[name].sizes);
  p.call("aten.mul_.Tensor", {{"self", t(name)}, {"other", i(10)}}, out);
}

/// Expects these results, f32 and row by row, of every backend.
inline void expectResults(const ProgramMaker &maker,
                          const std::vector<runtime::OpValue> &inputs,
                          const std::map<std::string, Floats> &expected) {
  for (auto backend : {Backend::Eager, Backend::AotEager, Backend::Inductor}) {
    SCOPED_TRACE("backend " + std::to_string(static_cast<int>(backend)));
    auto results = runBy(backend, maker, inputs);
    ASSERT_TRUE(results) << results.error().message;
    std::map<std::string, Floats> found;
    for (const auto &[name, value] : *results)
      found[name] = floatsOf(value);
    EXPECT_EQ(found, expected);
  }
}

/// Expects that the import or the run ends with an error of these words.
inline void expectError(const ProgramMaker &maker,
                        const std::vector<runtime::OpValue> &inputs,
                        ErrorKind kind,
                        std::initializer_list<const char *> words) {
  auto results = runBy(Backend::Eager, maker, inputs);
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().kind, kind) << results.error().message;
  for (const char *word : words)
    EXPECT_NE(results.error().message.find(word), std::string::npos)
        << "'" << word << "' in: " << results.error().message;
}

} // namespace kiln::test

#endif // KILN_TEST_IMPORTTESTSUPPORT_H
