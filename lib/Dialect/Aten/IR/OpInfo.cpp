//===- OpInfo.cpp - Tables of overloads and their defaults ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/IR/Aten.h"

#include "ShapeRules.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

#include "llvm/ADT/StringMap.h"

using namespace kiln;
using namespace kiln::aten;

#include "kiln/Dialect/Aten/IR/AtenOps.cpp.inc"

unsigned OpInfo::getArgIndex(StringRef argName) const {
  for (auto [i, arg] : llvm::enumerate(args))
    if (argName == arg.name)
      return i;
  llvm_unreachable("the schema has no such argument");
}

std::optional<unsigned> OpInfo::findAttribute(StringRef attributeName) const {
  for (unsigned i = 0; i < getNumAttributes(); ++i)
    if (getAttributeName(i) == attributeName)
      return i;
  return std::nullopt;
}

ArrayRef<const OpInfo *> aten::getAllOverloads() { return kOverloads; }

const OpInfo *aten::lookUpOverload(StringRef overload) {
  static const llvm::StringMap<const OpInfo *> *table = [] {
    auto *map = new llvm::StringMap<const OpInfo *>();
    for (const OpInfo *info : kOverloads)
      map->try_emplace(info->name, info);
    return map;
  }();
  overload.consume_back(".default");
  return table->lookup(overload);
}

const OpInfo *aten::lookUpOverload(StringRef overload, MLIRContext *context) {
  overload.consume_back(".default");
  auto name = mlir::RegisteredOperationName::lookup(overload, context);
  return name ? getOpInfo(*name) : nullptr;
}

SmallVector<StringRef> aten::suggestOverloads(StringRef name) {
  SmallVector<StringRef> overloads;
  // The part between the first dot, which is the dialect's, and the next.
  auto getOperator = [](StringRef overload) {
    return overload.take_front(overload.find('.', strlen("aten.")));
  };
  for (const OpInfo *info : kOverloads)
    if (getOperator(info->name) == getOperator(name))
      overloads.push_back(info->name);
  if (!overloads.empty())
    return overloads;
  // A slip of the pen: one letter in four, and of several the nearest.
  unsigned least = (name.size() - strlen("aten.")) / 4 + 1;
  for (const OpInfo *info : kOverloads) {
    unsigned distance = std::min(
        name.edit_distance(info->name, /*AllowReplacements=*/true, least + 1),
        name.edit_distance(getOperator(info->name), true, least + 1));
    if (distance > least)
      continue;
    if (distance < least)
      overloads.clear();
    least = distance;
    overloads.push_back(info->name);
  }
  return overloads;
}

//===----------------------------------------------------------------------===//
// Defaults
//===----------------------------------------------------------------------===//

/// The elements of "[0, 0]"; a single number is repeated to the length of
/// the list.
static SmallVector<StringRef> splitElements(const ArgInfo &arg) {
  StringRef text = arg.defaultText;
  SmallVector<StringRef> parts;
  if (!text.consume_front("[")) {
    parts.assign(std::max(1u, arg.listSize), text);
    return parts;
  }
  text.consume_back("]");
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef &part : parts)
    part = part.trim();
  return parts;
}

static int64_t toInteger(StringRef text) {
  int64_t value = 0;
  text.getAsInteger(10, value);
  return value;
}

static double toFloat(StringRef text) {
  double value = 0;
  text.getAsDouble(value);
  return value;
}

Attribute aten::getDefault(MLIRContext *context, const ArgInfo &arg) {
  if (!arg.defaultText || StringRef(arg.defaultText) == "None")
    return {};
  StringRef text = arg.defaultText;
  mlir::Builder builder(context);
  SmallVector<int64_t> integers;
  switch (arg.kind) {
  case ArgKind::Number:
    if (text == "True" || text == "False")
      return builder.getBoolAttr(text == "True");
    if (text.contains_insensitive('.') || text.contains('e'))
      return builder.getF64FloatAttr(toFloat(text));
    return builder.getI64IntegerAttr(toInteger(text));
  case ArgKind::Int:
    return builder.getI64IntegerAttr(toInteger(text));
  case ArgKind::SymInt:
    return guard::getConstant(context, toInteger(text));
  case ArgKind::Bool:
    return builder.getBoolAttr(text == "True");
  case ArgKind::Float:
    return builder.getF64FloatAttr(toFloat(text));
  case ArgKind::String:
    return builder.getStringAttr(text.trim("\"'"));
  case ArgKind::DType:
    // The only default in use is 4, "long".
    return mlir::TypeAttr::get(builder.getI64Type());
  case ArgKind::MemoryFormat:
    // The only default in use is 0.
    return builder.getStringAttr("contiguous_format");
  case ArgKind::IntList:
  case ArgKind::SymIntList:
    for (StringRef part : splitElements(arg))
      integers.push_back(toInteger(part));
    if (arg.kind == ArgKind::IntList)
      return builder.getDenseI64ArrayAttr(integers);
    return guard::ShapeAttr::get(context, integers);
  case ArgKind::BoolList: {
    SmallVector<bool> values;
    for (StringRef part : splitElements(arg))
      values.push_back(part == "True");
    return builder.getDenseBoolArrayAttr(values);
  }
  case ArgKind::FloatList: {
    SmallVector<double> values;
    for (StringRef part : splitElements(arg))
      values.push_back(toFloat(part));
    return builder.getDenseF64ArrayAttr(values);
  }
  default:
    return {};
  }
}
