//===- GraphReader.cpp - JSON of the export schema to structs ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphReader.h"

#include "kiln/Base/CheckedMath.h"

using namespace kiln;
using namespace kiln::archive;

constexpr size_t kMaxNodes = 2000000;

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

/// {"name": "x"}
std::string GraphReader::valueName(JsonView view) {
  JsonView name = view.field("name");
  if (name.asString().empty())
    name.fail("value without a name");
  return name.asString();
}

std::vector<std::string> GraphReader::valueNames(JsonView list) {
  std::vector<std::string> names;
  if (!list.isArray()) {
    list.fail("expected an array of values");
    return names;
  }
  names.reserve(list.size());
  for (size_t i = 0; i < list.size(); ++i)
    names.push_back(valueName(list[i]));
  return names;
}

DType GraphReader::dtype(JsonView view) {
  int64_t code = view.asInt(0, 255);
  auto dtype = dtypeFromCode(code);
  if (dtype)
    return *dtype;
  bool isKnown = code == 33;
  view.fail("dtype code " + std::to_string(code) +
                (isKnown ? " (float8_e8m0fnu) is not supported"
                         : " is unknown"),
            isKnown ? ErrorKind::Unsupported : ErrorKind::Malformed);
  return DType::F32;
}

Device GraphReader::device(JsonView view) {
  Device device;
  device.type = view.field("type").asString();
  JsonView index = view.optional("index");
  if (!index.isNull())
    device.index = index.asInt(-1, 65535);
  return device;
}

/// The expression of {"expr_str": ..., "hint": ...}; null after an error.
SymExprPtr GraphReader::symExpr(JsonView view) {
  JsonView text = view.field("expr_str");
  if (!text.ok())
    return nullptr;
  auto known = exprs_.find(text.asString());
  if (known != exprs_.end())
    return known->second;
  auto expr = parseSymExpr(text.asString());
  if (!expr) {
    text.fail(expr.error().message, expr.error().kind);
    return nullptr;
  }
  return exprs_.emplace(text.asString(), *expr).first->second;
}

SymInt GraphReader::symInt(JsonView view) {
  SymInt value;
  auto [tag, payload] = view.asUnion();
  if (tag == "as_int") {
    value.value = payload.asInt();
  } else if (tag == "as_expr") {
    value.expr = symExpr(payload);
    JsonView hint = payload.optional("hint");
    if (!hint.isNull()) {
      auto [hintTag, number] = hint.asUnion();
      if (hintTag == "as_int")
        value.hint = number.asInt();
    }
  } else {
    view.fail("unknown tag '" + std::string(tag) + "' of a symbolic integer");
  }
  return value;
}

SymFloat GraphReader::symFloat(JsonView view) {
  SymFloat value;
  auto [tag, payload] = view.asUnion();
  if (tag == "as_float") {
    value.value = payload.asDouble();
  } else if (tag == "as_expr") {
    value.expr = symExpr(payload);
    JsonView hint = payload.optional("hint");
    if (!hint.isNull()) {
      auto [hintTag, number] = hint.asUnion();
      if (hintTag == "as_float" || hintTag == "as_int")
        value.hint = number.asDouble();
    }
  } else {
    view.fail("unknown tag '" + std::string(tag) + "' of a symbolic float");
  }
  return value;
}

SymBool GraphReader::symBool(JsonView view) {
  SymBool value;
  auto [tag, payload] = view.asUnion();
  if (tag == "as_bool")
    value.value = payload.asBool();
  else if (tag == "as_expr")
    value.expr = symExpr(payload);
  else
    view.fail("unknown tag '" + std::string(tag) + "' of a symbolic bool");
  return value;
}

/// The name of {"as_name": ...}; empty with `payload` set for a plain value.
static std::string nameOrValue(JsonView view, std::string_view plainTag,
                               std::optional<JsonView> &payload) {
  auto [tag, value] = view.asUnion();
  if (tag == "as_name") {
    if (value.asString().empty())
      value.fail("value without a name");
    return value.asString();
  }
  if (tag == plainTag)
    payload = value;
  else
    view.fail("unknown tag '" + std::string(tag) + "' of a symbolic operand");
  return {};
}

SymIntArg GraphReader::symIntArg(JsonView view) {
  SymIntArg arg;
  std::optional<JsonView> plain;
  arg.name = nameOrValue(view, "as_int", plain);
  if (plain)
    arg.value = plain->asInt();
  return arg;
}

SymFloatArg GraphReader::symFloatArg(JsonView view) {
  SymFloatArg arg;
  std::optional<JsonView> plain;
  arg.name = nameOrValue(view, "as_float", plain);
  if (plain)
    arg.value = plain->asDouble();
  return arg;
}

SymBoolArg GraphReader::symBoolArg(JsonView view) {
  SymBoolArg arg;
  std::optional<JsonView> plain;
  arg.name = nameOrValue(view, "as_bool", plain);
  if (plain)
    arg.value = plain->asBool();
  return arg;
}

//===----------------------------------------------------------------------===//
// Tensors and arguments
//===----------------------------------------------------------------------===//

TensorMeta GraphReader::tensorMeta(JsonView view) {
  TensorMeta meta;
  meta.dtype = dtype(view.field("dtype"));
  JsonView sizes = view.field("sizes"), strides = view.field("strides");
  if (!sizes.isArray() || !strides.isArray()) {
    view.fail("expected arrays of sizes and strides");
    return meta;
  }
  if (sizes.size() != strides.size() || sizes.size() > kMaxRank) {
    view.fail("tensor has " + std::to_string(sizes.size()) + " sizes and " +
              std::to_string(strides.size()) +
              " strides, expected equal numbers up to 64");
    return meta;
  }
  meta.sizes.reserve(sizes.size());
  meta.strides.reserve(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i) {
    meta.sizes.push_back(symInt(sizes[i]));
    const SymInt &size = meta.sizes.back();
    if (size.isStatic() && (size.value < 0 || size.value > kMaxDimSize))
      sizes[i].fail("tensor has a size of " + std::to_string(size.value) +
                    ", expected 0 to 2^48");
  }
  for (size_t i = 0; i < strides.size(); ++i) {
    // A stride that is not understood is no reason to refuse a program.
    auto [tag, payload] = strides[i].asUnion();
    if (tag == "as_expr" && payload.isObject()) {
      JsonView text = payload.optional("expr_str");
      if (text.isString() && !exprs_.count(text.asString()) &&
          !parseSymExpr(text.asString())) {
        meta.stridesKnown = false;
        meta.strides.emplace_back();
        continue;
      }
    }
    meta.strides.push_back(symInt(strides[i]));
  }
  meta.storageOffset = symInt(view.field("storage_offset"));
  meta.requiresGrad = view.field("requires_grad").asBool();
  meta.device = device(view.field("device"));
  if (meta.device.type == "meta")
    view.fail("device 'meta' is not supported", ErrorKind::Unsupported);
  int64_t layout = view.field("layout").asInt(0, 255);
  if (view.ok() && layout != static_cast<int64_t>(Layout::Strided))
    view.fail("layout " + std::to_string(layout) +
                  " is not supported, expected strided tensors (7)",
              ErrorKind::Unsupported);
  return meta;
}

Argument::Value GraphReader::optionalTensors(JsonView list) {
  OptionalTensorsArg arg;
  if (!list.isArray()) {
    list.fail("expected an array of values");
    return arg;
  }
  for (size_t i = 0; i < list.size(); ++i) {
    auto [tag, payload] = list[i].asUnion();
    if (tag == "as_tensor")
      arg.names.push_back(valueName(payload));
    else if (tag == "as_none")
      arg.names.emplace_back();
    else
      list[i].fail("unknown tag '" + std::string(tag) +
                   "' of an optional tensor");
  }
  return arg;
}

template <typename T, typename Read>
static std::vector<T> listOf(JsonView list, Read read) {
  std::vector<T> values;
  if (!list.isArray()) {
    list.fail("expected an array");
    return values;
  }
  values.reserve(list.size());
  for (size_t i = 0; i < list.size(); ++i)
    values.push_back(read(list[i]));
  return values;
}

Argument GraphReader::argument(JsonView view) {
  auto [tag, v] = view.asUnion();
  Argument arg;
  auto doubles = [](JsonView x) { return x.asDouble(); };
  if (tag == "as_none") {
    arg.value = NoneArg{};
  } else if (tag == "as_tensor") {
    arg.value = TensorArg{valueName(v)};
  } else if (tag == "as_tensors") {
    arg.value = TensorsArg{valueNames(v)};
  } else if (tag == "as_int") {
    arg.value = v.asInt();
  } else if (tag == "as_ints") {
    arg.value = v.asInts();
  } else if (tag == "as_float") {
    arg.value = v.asDouble();
  } else if (tag == "as_floats") {
    arg.value = listOf<double>(v, doubles);
  } else if (tag == "as_bool") {
    arg.value = v.asBool();
  } else if (tag == "as_bools") {
    arg.value = listOf<bool>(v, [](JsonView x) { return x.asBool(); });
  } else if (tag == "as_string") {
    arg.value = v.asString();
  } else if (tag == "as_strings") {
    arg.value = v.asStrings();
  } else if (tag == "as_sym_int") {
    arg.value = symIntArg(v);
  } else if (tag == "as_sym_ints") {
    arg.value =
        listOf<SymIntArg>(v, [&](JsonView x) { return symIntArg(x); });
  } else if (tag == "as_sym_float") {
    arg.value = symFloatArg(v);
  } else if (tag == "as_sym_floats") {
    arg.value =
        listOf<SymFloatArg>(v, [&](JsonView x) { return symFloatArg(x); });
  } else if (tag == "as_sym_bool") {
    arg.value = symBoolArg(v);
  } else if (tag == "as_sym_bools") {
    arg.value =
        listOf<SymBoolArg>(v, [&](JsonView x) { return symBoolArg(x); });
  } else if (tag == "as_scalar_type") {
    arg.value = dtype(v);
  } else if (tag == "as_memory_format") {
    arg.value = static_cast<MemoryFormat>(v.asInt(1, 4));
  } else if (tag == "as_layout") {
    arg.value = static_cast<Layout>(v.asInt(1, 7));
  } else if (tag == "as_device") {
    arg.value = device(v);
  } else if (tag == "as_complex") {
    arg.value = std::complex<double>(v.field("real").asDouble(),
                                     v.field("imag").asDouble());
  } else if (tag == "as_graph") {
    GraphArg nested;
    nested.label = v.field("name").asString();
    nested.graph = std::make_shared<Graph>(graph(v.field("graph")));
    arg.value = std::move(nested);
  } else if (tag == "as_optional_tensors") {
    arg.value = optionalTensors(v);
  } else if (tag == "as_optional_tensor") {
    auto [inner, payload] = v.asUnion();
    if (inner == "as_tensor")
      arg.value = TensorArg{valueName(payload)};
    else if (inner != "as_none")
      v.fail("unknown tag '" + std::string(inner) + "' of an optional tensor");
  } else if (tag == "as_nested_tensors") {
    arg.value = NestedTensorsArg{listOf<std::vector<std::string>>(
        v, [&](JsonView x) { return valueNames(x); })};
  } else if (tag == "as_int_lists") {
    arg.value = listOf<std::vector<int64_t>>(
        v, [](JsonView x) { return x.asInts(); });
  } else if (tag == "as_float_lists") {
    arg.value = listOf<std::vector<double>>(
        v, [&](JsonView x) { return listOf<double>(x, doubles); });
  } else if (tag == "as_custom_obj") {
    arg.value = CustomObjArg{valueName(v), v.field("class_fqn").asString()};
  } else if (tag == "as_operator") {
    arg.value = OperatorArg{v.asString()};
  } else if (tag == "as_string_to_argument") {
    StringMapArg map;
    for (size_t i = 0; v.isObject() && i < v.size(); ++i)
      map.entries.emplace_back(v.key(i), argument(v.member(i)));
    if (!v.isObject())
      v.fail("expected an object of arguments");
    arg.value = std::move(map);
  } else {
    view.fail("unknown argument tag '" + std::string(tag.substr(0, 60)) + "'",
              ErrorKind::Unsupported);
  }
  return arg;
}

//===----------------------------------------------------------------------===//
// Nodes and graphs
//===----------------------------------------------------------------------===//

Node GraphReader::node(JsonView view) {
  Node node;
  if (++nodes_ > kMaxNodes) {
    view.fail("program has more than " + std::to_string(kMaxNodes) + " nodes");
    return node;
  }
  node.target = view.field("target").asString();
  JsonView name = view.optional("name");
  if (!name.isNull())
    node.name = name.asString();
  JsonView inputs = view.field("inputs");
  if (!inputs.isArray())
    inputs.fail("expected an array of arguments");
  for (size_t i = 0; inputs.isArray() && i < inputs.size(); ++i) {
    NamedArgument input;
    input.name = inputs[i].field("name").asString();
    input.arg = argument(inputs[i].field("arg"));
    JsonView kind = inputs[i].optional("kind");
    input.isKeyword = !kind.isNull() && kind.asInt(0, 2) == 2;
    node.inputs.push_back(std::move(input));
  }
  node.outputs = listOf<Argument>(view.field("outputs"),
                                  [&](JsonView x) { return argument(x); });
  JsonView single = view.optional("is_hop_single_tensor_return");
  if (!single.isNull())
    node.isSingleTensorReturn = single.asBool();
  JsonView metadata = view.optional("metadata");
  if (!metadata.isNull()) {
    JsonView trace = metadata.optional("stack_trace");
    if (!trace.isNull())
      node.stackTrace = trace.asString();
    JsonView stack = metadata.optional("nn_module_stack");
    if (!stack.isNull())
      node.modulePath = stack.asString();
    JsonView custom = metadata.optional("custom");
    if (!custom.isNull())
      node.custom = custom.asString();
  }
  return node;
}

/// Calls `read(name, payload)` for each member; the tables of a graph.
template <typename Read> static void forEachEntry(JsonView table, Read read) {
  if (table.isNull())
    return;
  if (!table.isObject()) {
    table.fail("expected an object");
    return;
  }
  for (size_t i = 0; i < table.size(); ++i)
    read(table.key(i), table.member(i));
}

Graph GraphReader::graph(JsonView view) {
  Graph graph;
  auto arguments = [&](JsonView x) { return argument(x); };
  graph.inputs = listOf<Argument>(view.field("inputs"), arguments);
  graph.outputs = listOf<Argument>(view.field("outputs"), arguments);
  graph.nodes = listOf<Node>(view.field("nodes"),
                             [&](JsonView x) { return node(x); });
  forEachEntry(view.field("tensor_values"),
               [&](const std::string &name, JsonView x) {
                 graph.tensors.emplace(name, tensorMeta(x));
               });
  forEachEntry(view.field("sym_int_values"),
               [&](const std::string &name, JsonView x) {
                 graph.symInts.emplace(name, symInt(x));
               });
  forEachEntry(view.field("sym_bool_values"),
               [&](const std::string &name, JsonView x) {
                 graph.symBools.emplace(name, symBool(x));
               });
  forEachEntry(view.optional("sym_float_values"),
               [&](const std::string &name, JsonView x) {
                 graph.symFloats.emplace(name, symFloat(x));
               });
  forEachEntry(view.optional("custom_obj_values"),
               [&](const std::string &name, JsonView x) {
                 graph.customObjs.emplace(name,
                                          x.field("class_fqn").asString());
               });
  JsonView single = view.optional("is_single_tensor_return");
  if (!single.isNull())
    graph.isSingleTensorReturn = single.asBool();
  return graph;
}
