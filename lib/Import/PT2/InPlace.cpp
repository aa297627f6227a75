//===- InPlace.cpp - Functional forms of operators ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Import/InPlace.h"

#include "kiln/Dialect/Aten/IR/OpInfo.h"

using namespace kiln;
using namespace kiln::pt2;

std::string pt2::functionalName(StringRef overload) {
  // Those whose functional form has another name.
  static const std::pair<StringRef, StringRef> renamed[] = {
      {"aten._index_put_impl_.default", "aten.index_put.default"},
      {"aten.bernoulli_.float", "aten.bernoulli.p"},
      {"aten.normal_.default", "aten.normal_functional.default"},
      {"aten.transpose_.default", "aten.transpose.int"},
      {"aten.zero_.default", "aten.fill.Scalar"},
  };
  for (auto [inPlace, functional] : renamed)
    if (overload == inPlace)
      return functional.str();
  auto [head, variant] = overload.rsplit('.');
  // `aten.atan2.out` writes to its last argument what `aten.atan2` gives;
  // `aten.sub.out` what `aten.sub.Tensor` gives.
  if (variant == "out") {
    std::string plain = (head + ".default").str();
    return aten::lookUpOverload(plain) ? plain : (head + ".Tensor").str();
  }
  if (variant.consume_back("_out"))
    return (head + "." + variant).str();
  StringRef name = head.split('.').second;
  // `__iand__` is `__and__` in place.
  if (name.starts_with("__i") && name.ends_with("__") && name.size() > 5)
    return ("aten.__" + name.drop_front(3) + "." + variant).str();
  if (!name.ends_with("_") || name.starts_with("_") || name.ends_with("__"))
    return "";
  return (head.drop_back() + "." + variant).str();
}

archive::Node pt2::toFunctional(const archive::Node &node) {
  archive::Node call = node;
  llvm::erase_if(call.inputs, [](const archive::NamedArgument &input) {
    return input.name == "out" || input.name == "unsafe";
  });
  if (node.overload() == "aten.bernoulli_.float" && !node.find("p"))
    call.inputs.push_back({"p", archive::Argument{0.5}});
  if (node.overload() == "aten.zero_.default")
    call.inputs.push_back({"value", archive::Argument{int64_t(0)}});
  return call;
}
