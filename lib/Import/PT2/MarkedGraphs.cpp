//===- MarkedGraphs.cpp - Nodes that mark a part of a graph ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What only marks a part of a graph (no gradients, autocast, an effect) becomes
// that part.
//
//===----------------------------------------------------------------------===//

#include "Composites.h"
#include "EagerSchemas.h"
#include "GraphImporter.h"
#include "NodeArguments.h"

#include "kiln/Dialect/Aten/IR/FormulaBuilder.h"
#include "kiln/Dialect/Guard/IR/Guard.h"

using namespace kiln;
using namespace kiln::pt2;
using aten::FormulaBuilder;

/// What the operands behind the graph at `graphIndex` are, as inputs of `inner`.
Status GraphImporter::bindInputsOf(const archive::Node &node, size_t graphIndex,
                                   GraphImporter &inner, CrossFn cross) {
  size_t first = graphIndex + 1;
  for (auto [k, input] : llvm::enumerate(inner.graph.inputs)) {
    const archive::Argument &operand = node.inputs[first + k].arg;
    std::string name, given;
    input.forEachName([&](const std::string &n) { name = n; });
    operand.forEachName([&](const std::string &n) { given = n; });
    if (name.empty())
      continue;
    Binding binding;
    if (auto it = bindings.find(given); it != bindings.end())
      binding = it->second;
    else if (auto *integer = operand.as<int64_t>())
      binding.expr = guard::getConstant(b.getContext(), *integer);
    else
      return Error::malformed("value '" + given + "' is not defined");
    if (binding.tensor)
      binding.tensor = cross(*binding.tensor);
    inner.bind(name, binding);
  }
  return Status::success();
}

/// Results of the node are those of the graph, by position; a list of names stands
/// for so many of them.
Status GraphImporter::bindResultsOf(const archive::Node &node,
                                    const std::string &label,
                                    GraphImporter &inner, CrossFn cross) {
  SmallVector<std::string> names;
  for (const archive::Argument &output : node.outputs) {
    if (output.isNone())
      names.push_back("");
    output.forEachName([&](const std::string &n) { names.push_back(n); });
  }
  ArrayRef<archive::Argument> outputs = inner.graph.outputs;
  if (names.size() > outputs.size())
    return Error::malformed("graph '" + label + "' gives " +
                            std::to_string(outputs.size()) +
                            " results, expected " +
                            std::to_string(names.size()));
  for (auto [name, output] : llvm::zip(names, outputs)) {
    std::string given;
    output.forEachName([&](const std::string &n) { given = n; });
    auto it = inner.bindings.find(given);
    if (name.empty())
      continue;
    if (it == inner.bindings.end())
      return Error::malformed("result '" + name + "' is not defined");
    Binding binding = it->second;
    if (binding.tensor)
      binding.tensor = cross(*binding.tensor);
    bind(name, binding);
  }
  return Status::success();
}

/// Imports the graph at `graphIndex` in place; its operands follow it one by
/// one. `isDetached`: no gradient passes its border.
Status GraphImporter::inlineGraph(const archive::Node &node, size_t graphIndex,
                                  bool isDetached, bool autocast) {
  auto *part = argumentAt<archive::GraphArg>(node, graphIndex);
  if (!part)
    return notAnArgument("a graph");
  const archive::Graph &body = *part->graph;
  size_t given = node.inputs.size() - graphIndex - 1;
  if (given != body.inputs.size())
    return Error::malformed("graph '" + part->label + "' takes " +
                            std::to_string(body.inputs.size()) +
                            " inputs, but is given " + std::to_string(given));
  FormulaBuilder builder(b, locationOf(node));
  auto cross = [&](Functionalizer::Tensor tensor) {
    Value value = isDetached ? builder.detach(states.read(tensor)) : Value();
    return value ? states.addView(tensor, value.getDefiningOp()) : tensor;
  };
  GraphImporter inner(*this, body);
  inner.isAutocast = autocast;
  if (Status s = bindInputsOf(node, graphIndex, inner, cross); !s)
    return s;
  if (Status s = inner.importNodes(); !s)
    return s.error().withContext("graph '" + part->label + "'");
  return bindResultsOf(node, part->label, inner, cross);
}

/// wrap_with_set_grad_enabled(enabled, graph, operands...)
Status GraphImporter::importSetGrad(const archive::Node &node) {
  auto *enabled = argumentAt<bool>(node, 0);
  if (!enabled)
    return notAnArgument("a bool");
  return inlineGraph(node, 1, /*isDetached=*/!*enabled, isAutocast);
}

/// wrap_with_autocast(device, dtype, enabled, cached, graph, operands...)
Status GraphImporter::importAutocast(const archive::Node &node) {
  auto *enabled = argumentAt<bool>(node, 2);
  if (!enabled)
    return notAnArgument("a bool");
  return inlineGraph(node, 4, /*isDetached=*/false, *enabled);
}

/// with_effects(token, operator, arguments...): the operator; nodes are in
/// order already.
Status GraphImporter::importWithEffects(const archive::Node &node) {
  auto *target = argumentAt<archive::OperatorArg>(node, 1);
  if (!target)
    return notAnArgument("an operator");
  archive::Node call = node;
  call.target = target->target;
  call.inputs.erase(call.inputs.begin(), call.inputs.begin() + 2);
  if (!call.outputs.empty())
    call.outputs.erase(call.outputs.begin());
  // An operator that gives nothing has None as its only result.
  if (llvm::all_of(call.outputs,
                   [](const archive::Argument &a) { return a.isNone(); }))
    call.outputs.clear();
  SmallVector<std::string> names;
  if (const aten::OpInfo *info =
          aten::lookUpOverload(call.overload(), b.getContext()))
    for (const aten::ArgInfo &argument : info->args)
      names.push_back(argument.name);
  else if (const EagerSchema *schema = lookUpEagerSchema(call.overload()))
    for (const aten::ArgInfo &argument : schema->args)
      names.push_back(argument.name);
  for (auto [input, name] : llvm::zip(call.inputs, names))
    if (input.name.empty())
      input.name = name;
  if (!node.outputs.empty())
    bindTokens(ArrayRef(node.outputs).take_front());
  return importNode(call);
}
