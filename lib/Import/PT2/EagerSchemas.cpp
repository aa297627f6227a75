//===- EagerSchemas.cpp - Operators that only KilnEager knows -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EagerSchemas.h"

#include "mlir/IR/BuiltinAttributes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace kiln;
using namespace kiln::pt2;

static constexpr StringRef kSchemas[] = {
#define SCHEMA(text) text,
#include "EagerSchemas.inc"
#undef SCHEMA
};

unsigned SchemaArgument::listSize() const {
  unsigned size = 0;
  StringRef inner = type;
  inner.consume_back("?");
  if (inner.consume_back("]"))
    (void)inner.rsplit('[').second.getAsInteger(10, size);
  return size;
}

std::string pt2::overloadOf(StringRef schema) {
  StringRef name = schema.take_until([](char c) { return c == '('; });
  auto [space, rest] = name.split("::");
  std::string overload = (space + "." + rest).str();
  return rest.contains('.') ? overload : overload + ".default";
}

EagerSchema pt2::parseSchema(StringRef schema) {
  EagerSchema result;
  size_t begin = schema.find('(');
  int depth = 0;
  bool quoted = false;
  size_t start = begin + 1;
  for (size_t i = begin; i < schema.size(); ++i) {
    char c = schema[i];
    quoted ^= c == '"';
    if (quoted)
      continue;
    if (c == '(' || c == '[')
      ++depth;
    bool ends = (c == ',' && depth == 1) || (c == ')' && depth == 1);
    if (c == ')' || c == ']')
      --depth;
    if (!ends)
      continue;
    StringRef text = schema.slice(start, i).trim();
    start = i + 1;
    if (!text.empty() && text != "*") {
      auto [declaration, value] = text.split('=');
      auto [type, name] = declaration.rsplit(' ');
      SchemaArgument argument{type, name, std::nullopt};
      if (declaration.size() != text.size())
        argument.defaultText = value;
      result.isView |= type.starts_with("Tensor(");
      result.arguments.push_back(argument);
    }
    if (depth == 0)
      break;
  }
  return result;
}

std::optional<EagerSchema> pt2::lookUpEagerSchema(StringRef overload) {
  static const llvm::StringMap<StringRef> table = [] {
    llvm::StringMap<StringRef> map;
    for (StringRef schema : kSchemas)
      map.try_emplace(overloadOf(schema), schema);
    return map;
  }();
  auto it = table.find(overload);
  if (it == table.end())
    return std::nullopt;
  return parseSchema(it->second);
}

Attribute pt2::defaultOf(Builder &builder, const SchemaArgument &argument) {
  StringRef text = *argument.defaultText;
  StringRef type = argument.type;
  if (text == "None")
    return builder.getUnitAttr();
  if (text == "True" || text == "False")
    return builder.getBoolAttr(text == "True");
  if (text.consume_front("\"")) {
    text.consume_back("\"");
    return builder.getStringAttr(text);
  }
  if (type.starts_with("MemoryFormat"))
    return builder.getStringAttr("contiguous_format");
  if (type.starts_with("Layout") || type.starts_with("Device"))
    return builder.getUnitAttr();
  // The only dtype that is a default: long.
  if (type.starts_with("ScalarType"))
    return mlir::TypeAttr::get(
        mlir::IntegerType::get(builder.getContext(), 64));
  if (text.consume_front("[")) {
    text.consume_back("]");
    SmallVector<int64_t> integers;
    SmallVector<StringRef> parts;
    text.split(parts, ',', -1, /*KeepEmpty=*/false);
    for (StringRef part : parts) {
      int64_t value = 0;
      (void)part.trim().getAsInteger(10, value);
      integers.push_back(value);
    }
    return builder.getDenseI64ArrayAttr(integers);
  }
  int64_t integer;
  if (!type.starts_with("float") && !text.getAsInteger(10, integer)) {
    if (unsigned size = argument.listSize())
      return builder.getDenseI64ArrayAttr(
          SmallVector<int64_t>(size, integer));
    return builder.getI64IntegerAttr(integer);
  }
  double number = 0;
  (void)text.getAsDouble(number);
  return builder.getF64FloatAttr(number);
}
