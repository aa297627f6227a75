//===- Operator.cpp - Operators by name ----------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Runtime/Operator.h"

#include <algorithm>

namespace kiln::runtime {

Status OperatorRegistry::add(std::string overload, OpFunction function) {
  auto inserted = functions_.emplace(std::move(overload), std::move(function));
  if (!inserted.second)
    return Error::usage("operator '" + inserted.first->first +
                        "' is registered twice");
  return Status::success();
}

OpFunction OperatorRegistry::find(std::string_view overload) const {
  auto it = functions_.find(std::string(overload));
  return it == functions_.end() ? OpFunction() : it->second;
}

std::vector<std::string> OperatorRegistry::names() const {
  std::vector<std::string> names;
  names.reserve(functions_.size());
  for (const auto &entry : functions_)
    names.push_back(entry.first);
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace kiln::runtime
