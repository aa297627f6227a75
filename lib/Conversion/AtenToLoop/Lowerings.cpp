//===- Lowerings.cpp - The table of lowerings -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"

#include "kiln/Dialect/Aten/IR/Aten.h"

#include "llvm/ADT/DenseMap.h"

using namespace kiln;
using namespace kiln::loop;

#include "kiln/Conversion/AtenToLoop/Lowerings.cpp.inc"

const Lowering *loop::lookUpLowering(const aten::OpInfo &info) {
  static const auto *table = [] {
    auto *map = new llvm::DenseMap<const aten::OpInfo *, const Lowering *>();
    for (const Lowering &lowering : kLowerings)
      map->try_emplace(&lowering.getInfo(), &lowering);
    return map;
  }();
  return table->lookup(&info);
}
