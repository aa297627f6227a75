//===- JointDialect.cpp - Registration of the joint dialect ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Joint/IR/Joint.h"

#include "kiln/Dialect/Joint/IR/JointDialect.cpp.inc"

namespace kiln::joint {

void JointDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Joint/IR/JointOps.cpp.inc"
      >();
}

} // namespace kiln::joint
