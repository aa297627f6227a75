//===- JointDialect.cpp - Registration of the joint dialect ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Joint/IR/Joint.h"

#include "kiln/Interfaces/Stages.h"

#include "kiln/Dialect/Joint/IR/JointDialect.cpp.inc"

namespace kiln::joint {

namespace {
struct JointStages : StageDialectInterface {
  using StageDialectInterface::StageDialectInterface;
  StageRange getStages(Operation *op) const override {
    // What is asked of the cut may be asked of a captured graph already.
    if (llvm::isa<SaveOp, RecomputeOp, DetachOp>(op))
      return {Stage::Capture, Stage::Joint};
    return {Stage::Joint, Stage::Joint};
  }
};
} // namespace

void JointDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Joint/IR/JointOps.cpp.inc"
      >();
  addInterfaces<JointStages>();
}

} // namespace kiln::joint
