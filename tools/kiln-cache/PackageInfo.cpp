//===- PackageInfo.cpp - info of a package --------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "common/JsonWriter.h"
#include "common/Output.h"

#include "kiln/Base/FileSystem.h"
#include "kiln/Package/ExprEvaluator.h"
#include "kiln/Package/Package.h"

using namespace kiln;
using namespace kiln::cachetool;
using package::Output;
using package::Program;
using package::Slot;
using kiln::tools::JsonWriter;
using kiln::tools::print;

namespace {
/// A tensor or a number that goes in or comes out.
struct Item {
  std::string name, path, type; ///< "f32[s77, 64]", "number"
  std::optional<uint64_t> inside; ///< bytes of a weight that the package has
  bool isFrozen = false;          ///< it has what was prepared of the weight
};

struct Signature {
  std::vector<Item> inputs, weights, state, outputs, gradients;
};
} // namespace

static std::string typeText(const Program &program, DType dtype,
                            const std::vector<package::ExprId> &sizes) {
  std::string text(dtypeName(dtype));
  for (size_t i = 0; i < sizes.size(); ++i)
    text += (i ? ", " : "[") +
            package::printExpr(program.exprs[sizes[i]], program.symbols);
  return text + (sizes.empty() ? "[]" : "]");
}

static void addSlots(const package::Package &package, Signature &signature) {
  const Program &program = package.programs.front();
  for (const Slot &slot : program.slots) {
    std::vector<Item> *list =
        slot.kind == Slot::Kind::UserInput        ? &signature.inputs
        : slot.kind == Slot::Kind::Parameter ||
                slot.kind == Slot::Kind::Buffer   ? &signature.weights
        : slot.kind == Slot::Kind::OptimizerState ? &signature.state
                                                  : nullptr;
    if (!list)
      continue;
    Item item;
    bool isInput = list == &signature.inputs;
    item.name = isInput ? slot.name : slot.path;
    item.path = isInput ? slot.path : "";
    item.type = slot.isTensor ? typeText(program, slot.dtype, slot.sizes)
                : slot.isSymbolic ? "number"
                                  : "constant";
    if (slot.payload != package::kNone)
      item.inside = package.constants[slot.payload].bytes.size();
    item.isFrozen = slot.isFrozen;
    list->push_back(item);
  }
}

/// Of what a package has that was made of weights.
static uint64_t getPreparedBytes(const package::Package &package) {
  uint64_t bytes = 0;
  for (const package::Value &value : package.programs.front().values)
    if (value.kind == package::Value::Kind::Prepared &&
        value.slot != package::kNone)
      bytes += package.constants[value.slot].bytes.size();
  return bytes;
}

static void addOutputs(const Program &program, Signature &signature) {
  for (const Output &output : program.outputs) {
    bool isResult = output.role == Output::Role::UserOutput ||
                    output.role == Output::Role::Loss;
    bool isGradient = output.role == Output::Role::ParameterGradient ||
                      output.role == Output::Role::InputGradient;
    if (!isResult && !isGradient)
      continue;
    Item item;
    item.name = isResult ? output.name : output.target;
    item.path = isResult ? output.path : "";
    item.type = "number";
    if (output.kind == Output::Kind::Tensor) {
      const package::Value &value = program.values[output.value];
      item.type = typeText(program, value.dtype, value.sizes);
    }
    (isResult ? signature.outputs : signature.gradients).push_back(item);
  }
}

/// Names come from the file: nothing in them moves the terminal's cursor.
static std::string printable(const std::string &text) {
  std::string safe;
  for (unsigned char c : text)
    safe += c < 32 || c == 127 ? '?' : static_cast<char>(c);
  return safe;
}

static void printItems(const char *title, const std::vector<Item> &items) {
  if (items.empty())
    return;
  uint64_t inside = 0;
  for (const Item &item : items)
    inside += item.inside.value_or(0);
  print(std::string(title) + "  " + std::to_string(items.size()) +
        (inside ? ", " + showBytes(inside) + " inside" : "") + "\n");
  for (const Item &item : items)
    print("  " + printable(item.name) + (item.path.empty() ? "" : " ") +
          printable(item.path) + ": " + printable(item.type) +
          (item.isFrozen ? ", frozen" : "") + "\n");
}

static void writeItems(JsonWriter &json, const char *title,
                       const std::vector<Item> &items) {
  json.key(title).beginArray();
  for (const Item &item : items) {
    json.beginObject().key("name").text(item.name);
    json.key("path").text(item.path).key("type").text(item.type);
    json.key("bytes_inside").number(int64_t(item.inside.value_or(0)));
    json.key("frozen").flag(item.isFrozen);
    json.endObject();
  }
  json.endArray();
}

static std::string rangeText(const package::Symbol &symbol) {
  bool isOpen = symbol.max == std::numeric_limits<int64_t>::max();
  return std::to_string(symbol.min) + ".." +
         (isOpen ? "" : std::to_string(symbol.max));
}

Result<int> cachetool::describePackage(const std::string &path, bool asJson) {
  auto bytes = mapFile(path);
  if (!bytes)
    return bytes.takeError();
  auto reader = package::PackageReader::open(*bytes);
  if (!reader)
    return reader.error().withContext("'" + path + "'");
  auto package = reader->read(0);
  if (!package)
    return package.error().withContext("'" + path + "'");
  std::vector<std::string> targets;
  for (const package::VariantInfo &variant : reader->variants())
    targets.push_back(variant.target.empty() ? "any" : variant.target);
  Signature signature;
  addSlots(*package, signature);
  for (const Program &program : package->programs)
    addOutputs(program, signature);
  const Program &program = package->programs.front();
  const uint64_t prepared = getPreparedBytes(*package);
  const std::pair<const char *, const std::vector<Item> *> lists[] = {
      {"inputs", &signature.inputs},     {"outputs", &signature.outputs},
      {"weights", &signature.weights},   {"state", &signature.state},
      {"gradients", &signature.gradients}};
  if (asJson) {
    JsonWriter json;
    json.beginObject().key("package").text(path);
    json.key("bytes").number(int64_t(bytes->view().size()));
    json.key("backend").text(package->facts.backend);
    json.key("optimizer").text(package->facts.optimizer);
    json.key("training").flag(package->programs.size() == 2);
    json.key("variants").beginArray();
    for (const std::string &target : targets)
      json.text(target);
    json.endArray().key("prepared_bytes").number(int64_t(prepared));
    json.key("symbols").beginObject();
    for (const package::Symbol &symbol : program.symbols)
      json.key(symbol.name).text(rangeText(symbol));
    json.endObject();
    for (const auto &[title, items] : lists)
      writeItems(json, title, *items);
    print(json.endObject().str() + "\n");
    return 0;
  }
  print("package   " + path + ", " + showBytes(bytes->view().size()) + "\n");
  print("backend   " + printable(package->facts.backend) + "\n");
  if (!package->facts.optimizer.empty())
    print("optimizer " + printable(package->facts.optimizer) + "\n");
  print("variants ");
  for (const std::string &target : targets)
    print(" " + printable(target));
  print("\n");
  for (const auto &[title, items] : lists)
    printItems(title, *items);
  if (prepared != 0)
    print("prepared  " + showBytes(prepared) +
          " of weights, as kernels read them\n");
  for (const package::Symbol &symbol : program.symbols)
    print("size      " + printable(symbol.name) + " in " + rangeText(symbol) +
          "\n");
  return 0;
}
