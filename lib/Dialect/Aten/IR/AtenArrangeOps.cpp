//===- AtenArrangeOps.cpp - Rearranged copies -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/IR/AtenArrangeOps.h"

using namespace kiln;
using namespace kiln::aten;

#define GET_OP_CLASSES
#include "kiln/Dialect/Aten/IR/AtenArrangeOps.cpp.inc"

void AtenDialect::registerArrangeOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Aten/IR/AtenArrangeOps.cpp.inc"
      >();
}
