//===- LoopBodyOpInterface.h - Ops that work element by element -*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C++ side of LoopBodyOpInterface.td.
//
// Example: max(x, 0) as an op of one's own.
//
//   Value ReluOp::buildLoopBody(OpBuilder &b, Location loc, ValueRange element) {
//     Type type = element[0].getType();
//     Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
//     return arith::MaximumFOp::create(b, loc, element[0], zero);
//   }
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERFACES_LOOPBODYOPINTERFACE_H
#define KILN_INTERFACES_LOOPBODYOPINTERFACE_H

#include "kiln/Support/LLVM.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include "kiln/Interfaces/LoopBodyOpInterface.h.inc"

#endif // KILN_INTERFACES_LOOPBODYOPINTERFACE_H
