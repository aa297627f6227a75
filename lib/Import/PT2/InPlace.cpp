//===- InPlace.cpp - Functional forms of operators ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Import/InPlace.h"

using namespace kiln;
using namespace kiln::pt2;

/// Forms in place, or with `out`, whose functional form does not have the same
/// name without the mark: what records say of it, and overloads that have no record,
/// which are refused by the functional name.
static constexpr std::pair<StringRef, StringRef> kRenamed[] = {
#include "kiln/Import/PT2/Writers.inc"
    {"aten._add_relu.out", "aten._add_relu.Tensor"},
    {"aten.linalg_matrix_rank.out_tol_tensor",
     "aten.linalg_matrix_rank.tol_tensor"},
    {"aten.linalg_pinv.out_rcond_tensor", "aten.linalg_pinv.rcond_tensor"},
    {"aten.range.out", "aten.range.step"},
    {"aten.range.out_", "aten.range.default"},
};

std::string pt2::functionalName(StringRef overload) {
  for (auto [changing, functional] : kRenamed)
    if (overload == changing)
      return functional.str();
  auto [head, variant] = overload.rsplit('.');
  // `aten.atan2.out` writes to its last argument what `aten.atan2` gives.
  if (variant == "out")
    return (head + ".default").str();
  if (variant.consume_back("_out"))
    return (head + "." + variant).str();
  StringRef name = head.split('.').second;
  // `__iand__` is `__and__` in place.
  if (name.starts_with("__i") && name.ends_with("__") && name.size() > 5)
    return ("aten.__" + name.drop_front(3) + "." + variant).str();
  if (!name.ends_with("_") || name.ends_with("__"))
    return "";
  return (head.drop_back() + "." + variant).str();
}

archive::Node pt2::toFunctional(const archive::Node &node) {
  archive::Node call = node;
  llvm::erase_if(call.inputs, [](const archive::NamedArgument &input) {
    return input.name == "out" || input.name == "unsafe";
  });
  // Two take less than their functional forms ask for, which no schema says.
  if (functionalName(node.overload()) == "aten.bernoulli.p" && !node.find("p"))
    call.inputs.push_back({"p", archive::Argument{0.5}});
  if (node.overload() == "aten.zero_.default")
    call.inputs.push_back({"value", archive::Argument{int64_t(0)}});
  return call;
}
