//===- SecondCall.cpp - The same bits again -------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include "common/Values.h"

#include <algorithm>

using namespace kiln;
using runtime::OpValue;
using runtime::Tensor;

std::string check::compareBits(const OpValue &first, const OpValue &second) {
  const auto *a = std::get_if<Tensor>(&first.value);
  const auto *b = std::get_if<Tensor>(&second.value);
  if (!a || !b || !a->defined() || !b->defined())
    return tools::describe(first) == tools::describe(second)
               ? ""
               : "was " + tools::describe(first) + ", is " +
                     tools::describe(second) + " the second time";
  if (a->typeString() != b->typeString())
    return "was " + a->typeString() + ", is " + b->typeString() +
           " the second time";
  auto x = a->contiguous(), y = b->contiguous();
  if (!x || !y)
    return (x ? y : x).error().message;
  size_t bytes = static_cast<size_t>(x->numel()) * itemSize(x->dtype());
  size_t at = static_cast<size_t>(
      std::mismatch(x->data(), x->data() + bytes, y->data()).first - x->data());
  return at == bytes
             ? ""
             : "element " + std::to_string(at / itemSize(x->dtype())) + " of " +
                   x->typeString() + " has other bits the second time";
}

std::string check::compareBits(const std::vector<tools::CallOutput> &first,
                               const std::vector<tools::CallOutput> &second) {
  for (size_t i = 0; i < std::min(first.size(), second.size()); ++i)
    if (std::string text = compareBits(first[i].value, second[i].value);
        !text.empty())
      return std::to_string(i) + ": " + text;
  return "";
}
