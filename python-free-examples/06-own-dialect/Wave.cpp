//===- Wave.cpp - The wave dialect and its derivatives -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wave.h"

using namespace mlir;

#include "Wave-dialect-defs.inc"

#define GET_OP_CLASSES
#include "Wave-op-defs.inc"

void wave::WaveDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Wave-op-defs.inc"
      >();
}

// Each takes the gradient of its result to that of its operands.

LogicalResult wave::SinOp::buildVjp(OpBuilder &b, ValueRange resultGrads,
                                    llvm::function_ref<bool(unsigned)>,
                                    MutableArrayRef<Value> operandGrads) {
  Value slope = CosOp::create(b, getLoc(), getX());
  operandGrads[0] = MulOp::create(b, getLoc(), resultGrads[0], slope);
  return success();
}

LogicalResult wave::CosOp::buildVjp(OpBuilder &b, ValueRange resultGrads,
                                    llvm::function_ref<bool(unsigned)>,
                                    MutableArrayRef<Value> operandGrads) {
  Value slope = NegOp::create(b, getLoc(), SinOp::create(b, getLoc(), getX()));
  operandGrads[0] = MulOp::create(b, getLoc(), resultGrads[0], slope);
  return success();
}

LogicalResult wave::NegOp::buildVjp(OpBuilder &b, ValueRange resultGrads,
                                    llvm::function_ref<bool(unsigned)>,
                                    MutableArrayRef<Value> operandGrads) {
  operandGrads[0] = NegOp::create(b, getLoc(), resultGrads[0]);
  return success();
}

LogicalResult wave::MulOp::buildVjp(OpBuilder &b, ValueRange resultGrads,
                                    llvm::function_ref<bool(unsigned)> isWanted,
                                    MutableArrayRef<Value> operandGrads) {
  if (isWanted(0))
    operandGrads[0] = MulOp::create(b, getLoc(), resultGrads[0], getY());
  if (isWanted(1))
    operandGrads[1] = MulOp::create(b, getLoc(), resultGrads[0], getX());
  return success();
}
