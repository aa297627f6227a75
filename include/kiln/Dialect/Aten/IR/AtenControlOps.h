//===- AtenControlOps.h - Ops that are no overloads -------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `aten.operator`, a call of an operator that is not known here, and the operators
// with graphs as arguments: `aten.cond`, `while_loop`, `scan` and `map`.
//
//   if (auto call = llvm::dyn_cast<aten::OperatorOp>(op))
//     names.insert(call.getName());
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENCONTROLOPS_H
#define KILN_DIALECT_ATEN_IR_ATENCONTROLOPS_H

#include "kiln/Dialect/Aten/IR/AtenBase.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Aten/IR/AtenControlOps.h.inc"

#endif // KILN_DIALECT_ATEN_IR_ATENCONTROLOPS_H
