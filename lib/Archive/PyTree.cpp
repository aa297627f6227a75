//===- PyTree.cpp - Nested arguments and results of a Python call --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Archive/PyTree.h"

#include "kiln/Archive/JsonReader.h"

using namespace kiln;
using namespace kiln::archive;

/// A text as Python prints it: in single quotes unless it holds one.
static std::string pythonQuote(const std::string &text) {
  char quote = text.find('\'') != std::string::npos &&
                       text.find('"') == std::string::npos
                   ? '"'
                   : '\'';
  std::string out(1, quote);
  for (char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == quote || c == '\\')
      out += '\\';
    out += c;
  }
  return out + quote;
}

static std::string keyStep(JsonView key) {
  if (key.isInt())
    return "[" + std::to_string(key.asInt()) + "]";
  if (key.isBool())
    return key.asBool() ? "[True]" : "[False]";
  return "[" + pythonQuote(key.asString()) + "]";
}

static bool isStringList(JsonView view, size_t count) {
  if (!view.isArray() || view.size() != count)
    return false;
  for (size_t i = 0; i < count; ++i)
    if (!view[i].isString())
      return false;
  return true;
}

/// The steps to the children of one tree node, from its type and context.
static Result<std::vector<std::string>>
childSteps(const std::string &type, const std::string &context, size_t count,
           const NamedTupleFields &fields) {
  std::vector<std::string> steps;
  auto addFields = [&](const std::vector<std::string> &names) {
    for (const std::string &name : names)
      steps.push_back("." + name);
  };
  auto number = [&] {
    for (size_t i = 0; i < count; ++i)
      steps.push_back("[" + std::to_string(i) + "]");
  };
  if (type == "collections.namedtuple") {
    auto known = fields.find(context);
    if (known != fields.end() && known->second.size() == count)
      addFields(known->second);
    else
      number();
    return steps;
  }
  bool isDict = type == "builtins.dict" || type == "collections.OrderedDict";
  if (type == "builtins.tuple" || type == "builtins.list" ||
      type == "collections.deque" || context.empty()) {
    number();
    return steps;
  }
  JsonLimits limits;
  limits.bytes = 1 << 24;
  auto parsed = parseJson(context, "context of '" + type + "'", limits);
  if (!parsed) {
    if (isDict)
      return parsed.takeError();
    number(); // a class may keep any text
    return steps;
  }
  JsonView root = parsed->root();
  // A default dictionary keeps its factory before its keys.
  if (type == "collections.defaultdict" && root.isArray() && root.size() == 2) {
    root = root[1];
    isDict = true;
  }
  if (isDict) {
    if (!root.isArray() || root.size() != count)
      return Error::malformed("'" + type + "' has " + std::to_string(count) +
                              " values but other keys");
    for (size_t i = 0; i < count; ++i)
      steps.push_back(keyStep(root[i]));
    if (auto status = parsed->status(); !status)
      return status.takeError();
    return steps;
  }
  // Data classes keep [[fields], [fields that are None]]; output classes of
  // libraries that behave like dictionaries keep [keys].
  if (root.isArray() && root.size() == 2 && isStringList(root[0], count))
    addFields(root[0].asStrings());
  else if (isStringList(root, count))
    for (size_t i = 0; i < count; ++i)
      steps.push_back(keyStep(root[i]));
  else
    number();
  return steps;
}

static Result<PyTree> build(JsonView spec, const NamedTupleFields &fields) {
  PyTree tree;
  JsonView type = spec.optional("type");
  if (!spec.ok() || type.isNull())
    return tree;
  tree.type = type.asString();
  JsonView context = spec.optional("context");
  JsonView children = spec.field("children_spec");
  if (!children.isArray()) {
    children.fail("expected an array of children");
    return tree;
  }
  size_t count = children.size();
  auto steps = childSteps(tree.type,
                          context.isString() ? context.asString() : "", count,
                          fields);
  if (!steps)
    return steps.takeError();
  tree.steps = std::move(*steps);
  tree.children.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    auto child = build(children[i], fields);
    if (!child)
      return child;
    tree.children.push_back(std::move(*child));
  }
  return tree;
}

Result<PyTree> archive::parsePyTree(std::string_view text,
                                    const NamedTupleFields &fields) {
  auto document = parseJson(text, "calling convention");
  if (!document)
    return document.takeError();
  JsonView root = document->root();
  if (!root.isArray() || root.size() != 2)
    return Error::malformed("calling convention: expected [1, spec]");
  if (root[0].asInt() != 1)
    return Error::unsupported("calling convention: version is not 1");
  auto tree = build(root[1], fields);
  if (!tree)
    return tree;
  if (auto status = document->status(); !status)
    return status.takeError();
  return tree;
}

size_t PyTree::leafCount() const {
  if (isLeaf())
    return 1;
  size_t count = 0;
  for (const PyTree &child : children)
    count += child.leafCount();
  return count;
}

static void collect(const PyTree &tree, const std::string &prefix,
                    std::vector<std::string> &paths) {
  if (tree.isLeaf()) {
    paths.push_back(prefix);
    return;
  }
  for (size_t i = 0; i < tree.children.size(); ++i)
    collect(tree.children[i], prefix + tree.steps[i], paths);
}

std::vector<std::string> PyTree::leafPaths() const {
  std::vector<std::string> paths;
  collect(*this, "", paths);
  return paths;
}
