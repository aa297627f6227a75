//===- Graph.cpp - The captured graph of an exported program -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Archive/Graph.h"

#include "kiln/Archive/ExportedProgram.h"

#include <unordered_set>

using namespace kiln;
using namespace kiln::archive;

namespace {

struct DTypeCode {
  int64_t code;
  DType dtype;
};
constexpr DTypeCode dtypeCodes[] = {
    {1, DType::U8},          {2, DType::I8},      {3, DType::I16},
    {4, DType::I32},         {5, DType::I64},     {6, DType::F16},
    {7, DType::F32},         {8, DType::F64},     {9, DType::C32},
    {10, DType::C64},        {11, DType::C128},   {12, DType::Bool},
    {13, DType::BF16},       {28, DType::U16},    {29, DType::F8E4M3FN},
    {30, DType::F8E5M2},     {31, DType::F8E4M3FNUZ},
    {32, DType::F8E5M2FNUZ}, {33, DType::F8E8M0FNU},
    {34, DType::U32},        {35, DType::U64},
};

/// In the order of the alternatives of `Argument::Value`.
constexpr std::string_view tags[] = {
    "as_none",        "as_tensor",     "as_tensors",     "as_optional_tensors",
    "as_nested_tensors", "as_int",     "as_ints",        "as_int_lists",
    "as_float",       "as_floats",     "as_float_lists", "as_complex",
    "as_bool",        "as_bools",      "as_string",      "as_strings",
    "as_sym_int",     "as_sym_ints",   "as_sym_float",   "as_sym_floats",
    "as_sym_bool",    "as_sym_bools",  "as_scalar_type", "as_memory_format",
    "as_layout",      "as_device",     "as_graph",       "as_custom_obj",
    "as_operator",    "as_string_to_argument"};
static_assert(std::variant_size_v<Argument::Value> ==
                  sizeof(tags) / sizeof(tags[0]),
              "one tag per alternative");

} // namespace

std::optional<DType> archive::dtypeFromCode(int64_t code) {
  for (const DTypeCode &entry : dtypeCodes)
    if (entry.code == code)
      return entry.dtype;
  return std::nullopt;
}

std::string_view archive::memoryFormatName(MemoryFormat format) {
  switch (format) {
  case MemoryFormat::Contiguous:
    return "contiguous_format";
  case MemoryFormat::ChannelsLast:
    return "channels_last";
  case MemoryFormat::ChannelsLast3d:
    return "channels_last_3d";
  case MemoryFormat::Preserve:
    return "preserve_format";
  }
  return "preserve_format";
}

Argument::Argument() = default;
Argument::Argument(Value value) : value(std::move(value)) {}
Argument::Argument(const Argument &) = default;
Argument::Argument(Argument &&) noexcept = default;
Argument &Argument::operator=(const Argument &) = default;
Argument &Argument::operator=(Argument &&) noexcept = default;
Argument::~Argument() = default;

std::string_view Argument::tag() const { return tags[value.index()]; }

void Argument::forEachName(
    const std::function<void(const std::string &)> &visit) const {
  auto visitAll = [&](const std::vector<std::string> &names) {
    for (const std::string &name : names)
      if (!name.empty())
        visit(name);
  };
  auto visitSymbolic = [&](const auto &operand) {
    if (operand.isName())
      visit(operand.name);
  };
  if (auto *tensor = as<TensorArg>())
    visit(tensor->name);
  else if (auto *list = as<TensorsArg>())
    visitAll(list->names);
  else if (auto *list = as<OptionalTensorsArg>())
    visitAll(list->names);
  else if (auto *lists = as<NestedTensorsArg>())
    for (const auto &names : lists->names)
      visitAll(names);
  else if (auto *i = as<SymIntArg>())
    visitSymbolic(*i);
  else if (auto *ints = as<std::vector<SymIntArg>>())
    for (const SymIntArg &element : *ints)
      visitSymbolic(element);
  else if (auto *f = as<SymFloatArg>())
    visitSymbolic(*f);
  else if (auto *floats = as<std::vector<SymFloatArg>>())
    for (const SymFloatArg &element : *floats)
      visitSymbolic(element);
  else if (auto *b = as<SymBoolArg>())
    visitSymbolic(*b);
  else if (auto *bools = as<std::vector<SymBoolArg>>())
    for (const SymBoolArg &element : *bools)
      visitSymbolic(element);
  else if (auto *object = as<CustomObjArg>())
    visit(object->name);
  else if (auto *map = as<StringMapArg>())
    for (const auto &[key, argument] : map->entries)
      argument.forEachName(visit);
}

const Argument *Node::find(std::string_view argument) const {
  for (const NamedArgument &input : inputs)
    if (input.name == argument)
      return &input.arg;
  return nullptr;
}

std::string_view Node::overload() const {
  constexpr std::string_view prefix = "torch.ops.";
  std::string_view text = target;
  if (text.substr(0, prefix.size()) == prefix)
    text.remove_prefix(prefix.size());
  return text;
}

std::string Node::location() const {
  // The last line of the form `File "path", line 12, in forward`.
  constexpr std::string_view marker = "File \"";
  std::string_view text = stackTrace;
  size_t at = text.rfind(marker);
  if (at == std::string_view::npos)
    return {};
  text.remove_prefix(at + marker.size());
  size_t quote = text.find('"');
  if (quote == std::string_view::npos)
    return {};
  std::string_view file = text.substr(0, quote);
  if (size_t slash = file.rfind('/'); slash != std::string_view::npos)
    file.remove_prefix(slash + 1);
  constexpr std::string_view lineMarker = ", line ";
  text.remove_prefix(quote + 1);
  if (text.substr(0, lineMarker.size()) != lineMarker)
    return std::string(file);
  text.remove_prefix(lineMarker.size());
  size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9')
    ++digits;
  return std::string(file) + ":" + std::string(text.substr(0, digits));
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

namespace {

class GraphVerifier {
public:
  GraphVerifier(const Graph &graph, const std::string &place)
      : graph_(graph), place_(place) {}

  Status run() {
    for (const Argument &input : graph_.inputs)
      if (auto status = defineAll(input, "graph input"); !status)
        return status;
    for (size_t i = 0; i < graph_.nodes.size(); ++i)
      if (auto status = checkNode(graph_.nodes[i], i); !status)
        return status;
    for (const Argument &output : graph_.outputs)
      if (auto status = useAll(output, "graph output"); !status)
        return status;
    size_t entries = graph_.tensors.size() + graph_.symInts.size() +
                     graph_.symFloats.size() + graph_.symBools.size() +
                     graph_.customObjs.size();
    if (entries != defined_.size())
      return undefinedEntry();
    return {};
  }

private:
  Error error(const std::string &message) const {
    return Error::malformed(place_ + ": " + message);
  }

  /// How many value tables hold a name.
  size_t tableCount(const std::string &name) const {
    return graph_.tensors.count(name) + graph_.symInts.count(name) +
           graph_.symFloats.count(name) + graph_.symBools.count(name) +
           graph_.customObjs.count(name);
  }

  Status checkNode(const Node &node, size_t index) {
    std::string shown = "node " + std::to_string(index) + " '" +
                        (node.name.empty() ? node.target : node.name) + "' (" +
                        std::string(node.overload()) + ")";
    if (node.target.empty())
      return error(shown + " has no target");
    for (const NamedArgument &input : node.inputs) {
      if (auto status = useAll(input.arg, shown); !status)
        return status;
      if (auto status = checkKind(input.arg, shown); !status)
        return status;
      if (auto *nested = input.arg.as<GraphArg>()) {
        auto status = verifyGraph(*nested->graph,
                                  place_ + ": " + shown + ": graph '" +
                                      nested->label + "'");
        if (!status)
          return status;
      }
    }
    for (const Argument &output : node.outputs) {
      if (auto status = defineAll(output, shown); !status)
        return status;
      if (auto status = checkKind(output, shown); !status)
        return status;
    }
    return {};
  }

  /// Single names must stand in the table of their tag. Lists may mix.
  Status checkKind(const Argument &arg, const std::string &user) const {
    const std::string *name = nullptr;
    bool fits = true;
    if (auto *tensor = arg.as<TensorArg>()) {
      name = &tensor->name;
      fits = graph_.tensors.count(*name);
    } else if (auto *i = arg.as<SymIntArg>(); i && i->isName()) {
      name = &i->name;
      fits = graph_.symInts.count(*name);
    } else if (auto *f = arg.as<SymFloatArg>(); f && f->isName()) {
      name = &f->name;
      fits = graph_.symFloats.count(*name);
    } else if (auto *b = arg.as<SymBoolArg>(); b && b->isName()) {
      name = &b->name;
      fits = graph_.symBools.count(*name);
    }
    if (!fits)
      return error(user + " names '" + *name + "' with the tag '" +
                   std::string(arg.tag()) +
                   "', but it is a value of another kind");
    return {};
  }

  Status useAll(const Argument &arg, const std::string &user) const {
    const std::string *missing = nullptr;
    arg.forEachName([&](const std::string &name) {
      if (!missing && !defined_.count(name))
        missing = &name;
    });
    if (missing)
      return error(user + " uses '" + *missing +
                   "', which is not defined before");
    return {};
  }

  Status defineAll(const Argument &arg, const std::string &owner) {
    const std::string *twice = nullptr, *untyped = nullptr;
    arg.forEachName([&](const std::string &name) {
      if (!defined_.insert(name).second)
        twice = &name;
      else if (tableCount(name) != 1)
        untyped = &name;
    });
    if (twice)
      return error(owner + " defines '" + *twice + "' a second time");
    if (untyped)
      return error(owner + " defines '" + *untyped + "', which stands in " +
                   std::to_string(tableCount(*untyped)) +
                   " value tables, expected one");
    return {};
  }

  Status undefinedEntry() const {
    const std::string *found = nullptr;
    auto search = [&](const auto &table) {
      for (const auto &entry : table)
        if (!defined_.count(entry.first) && (!found || entry.first < *found))
          found = &entry.first;
    };
    search(graph_.tensors);
    search(graph_.symInts);
    search(graph_.symFloats);
    search(graph_.symBools);
    search(graph_.customObjs);
    return error("value table entry '" + (found ? *found : "") +
                 "' is not defined by any input or node");
  }

  const Graph &graph_;
  const std::string &place_;
  std::unordered_set<std::string_view> defined_;
};

} // namespace

Status archive::verifyGraph(const Graph &graph, const std::string &place) {
  return GraphVerifier(graph, place).run();
}
