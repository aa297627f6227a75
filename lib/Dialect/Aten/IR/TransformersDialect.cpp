//===- TransformersDialect.cpp - Operators of transformers ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/IR/TransformersDialect.h"

#include "kiln/Dialect/Aten/IR/AtenBase.h"
#include "kiln/Dialect/Aten/IR/Overload.h"

using namespace kiln;
using namespace kiln::aten;

#include "kiln/Dialect/Aten/IR/TransformersDialect.cpp.inc"

void TransformersDialect::initialize() {
  registerOverloads(*this, getAllOverloads());
  addInterfaces<OverloadStages>();
}
