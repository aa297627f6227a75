//===- QuantizedDialect.cpp - Operators of quantized programs -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/IR/QuantizedDialect.h"

#include "kiln/Dialect/Aten/IR/AtenBase.h"
#include "kiln/Dialect/Aten/IR/Overload.h"

using namespace kiln;
using namespace kiln::aten;

#include "kiln/Dialect/Aten/IR/QuantizedDialect.cpp.inc"

void QuantizedDecomposedDialect::initialize() {
  registerOverloads(*this, getAllOverloads());
  addInterfaces<OverloadStages>();
}
